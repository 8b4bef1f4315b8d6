// How many blocks, or iterations, would write all of a tensor of which a part is never written.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "plan/view.h"

// Whether "t" is a variable that steps by a number: "32*block.x".
static bool steps(const struct ix_term *t, int64_t *by, int64_t *end) {
    if (!t->atom || t->atom->op != IX_VAR || !lay_int_static(t->coef) || t->coef.num < 1)
        return false;
    const struct ix_var *v = t->atom->var;
    if (!lay_int_static(v->lo) || v->lo.num != 0 || !lay_int_static(v->end)) return false;
    *by = t->coef.num;
    *end = v->end.num;
    return v->kind == IX_LOOP || (v->kind >= IX_BLOCK_X && v->kind <= IX_BLOCK_Z);
}

static void note_variable(struct session *s, const struct view *v, int mode, int64_t extent,
                          const struct ix_term *t) {
    int64_t by, end;
    if (!steps(t, &by, &end) || end >= (extent + by - 1) / by) return;
    const struct ix_var *x = t->atom->var;
    diag_note(s, v->at, "along %s '%s' has %lld elements, and '%s' steps by %lld: %s",
              view_mode_text(s, v->base, mode), v->base->name, (long long)extent, x->name,
              (long long)by,
              arena_printf(&s->arena,
                           x->kind == IX_LOOP
                               ? "'%s in 0 .. %lld' reaches all of them, not %lld"
                               : "'%s' reaches all of them in a grid of %lld blocks, not %lld",
                           x->name, (long long)((extent + by - 1) / by), (long long)end));
}

void coverage_note_blocks(struct session *s, const struct view *v) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    int rank = lay_tuple_rank(flat);
    for (int i = 0; v->coord_off && i < rank; ++i) {
        struct lay_int n = lay_tuple_get(&s->lay, flat, i)->leaf;
        const struct ix *e = v->coord_off[i];
        if (!lay_int_static(n) || !e) continue;
        struct ix_term alone = {.coef = lay_int(1), .atom = e};
        if (e->op == IX_VAR) note_variable(s, v, i, n.num, &alone);
        for (int k = 0; e->op == IX_SUM && k < e->nterms; ++k)
            note_variable(s, v, i, n.num, &e->term[k]);
    }
}
