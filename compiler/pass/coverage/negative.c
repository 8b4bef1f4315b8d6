// Operands of divisions and swizzles must not be negative, because C rounds towards zero.
//
// Usually the ranges of an expression show this.  Otherwise it is proven for all blocks, iterations
// and threads: in (block.x - 1 + N) % N, the dividend is at least N - 1.
#include "base/session.h"
#include "pass/coverage/coverage.h"

struct negative {
    struct session *s;
    const struct plan *plan;
    const struct kernel *k;
    struct prover *prover;
    const struct around *around;
    struct range at;
};

static bool refuse(const struct negative *r, const struct instances *x, const struct ix *e,
                   const struct prove_witness *found) {
    struct session *s = r->s;
    diag_error(s, r->at, "'%s' divides a value that may be negative: '%s'", ix_text(s, e),
               ix_text(s, e->a));
    if (found)
        diag_note(s, r->at, "%sit is %lld in %s", instances_params(s, r->plan, r->k, found),
                  (long long)found->out[0], instances_where(x, r->around, NULL, found, 0));
    return false;
}

// Whether the operand of "e", a quotient, a remainder or a swizzle, is provably >= 0.
static bool of_no_less_than_0(const struct negative *r, const struct ix *e) {
    struct session *s = r->s;
    struct prove_witness found;
    if (ix_provably_nonnegative(s, e->a)) return true;
    struct instances *x = ARENA_NEW(&s->arena, struct instances);
    const struct ix *a = instances_step(s, r->around, e->a);
    instances_begin(s, r->k, r->around, true, x);
    instances_cond(x, ix_sub(s, ix_int(s, -1), a));
    struct prove_set set = {x->var, x->nvars, x->cond, x->nconds, &a, 1};
    enum prove_answer answer = x->full ? PROVE_UNKNOWN : prove_none(r->prover, &set, &found);
    lay_clear_error(&s->lay);
    return answer == PROVE_YES || refuse(r, x, e, answer == PROVE_NO ? &found : NULL);
}

static bool check(const struct negative *r, const struct ix *e) {
    if (e->op == IX_VAR || ix_rounds_down(e)) return true;
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i)
        if (e->term[i].atom && !check(r, e->term[i].atom)) return false;
    return e->op == IX_SUM || (check(r, e->a) && of_no_less_than_0(r, e));
}

bool coverage_negative(struct session *s, const struct plan *p, const struct kernel *k,
                       struct prover *prover, const struct around *around, const struct ix *e,
                       struct range at) {
    const struct negative r = {s, p, k, prover, around, at};
    return !e || check(&r, e);
}
