// Bounds of a coordinate in the loops around it, in terms of variables outside of these.
//
// Separate from coverage.c because they prove nothing: messages and duties use them.
#include "base/session.h"
#include "pass/coverage/coverage.h"

static bool is_of(const struct stmt *loop, const struct ix *atom) {
    if (!atom || atom->op != IX_VAR) return false;
    return atom->var == loop->var || (loop->pipe && atom->var == loop->pipe->load_var);
}

const struct ix *coverage_bound(struct session *s, const struct ix *e, const struct around *around,
                                bool max) {
    for (int i = around->n - 1; i >= 0 && e; --i) {
        const struct stmt *loop = around->stmt[i];
        if (!stmt_loops(loop)) continue;
        const struct ix *last = ix_sub(s, loop->end, ix_int(s, 1)), *sum = ix_int(s, 0);
        struct ix_term self = {lay_int(1), e};
        const struct ix_term *term = e->op == IX_SUM ? e->term : &self;
        int n = e->op == IX_SUM ? e->nterms : 1;
        for (int j = 0; j < n; ++j) {
            int64_t lo, hi;
            lay_int_range(term[j].coef, &lo, &hi);
            const struct ix *atom = term[j].atom;
            if (is_of(loop, atom) && (lo >= 0 || hi <= 0))
                atom = (lo >= 0) == max ? last : loop->begin;
            sum = ix_add(s, sum, atom ? ix_scale(s, atom, term[j].coef) : ix_lay(s, term[j].coef));
        }
        e = sum;
    }
    return e;
}
