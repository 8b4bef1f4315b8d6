// How far blocks and loops move a view along a mode of its tensor: for messages, and for warnings of
// what is left out.
#include <inttypes.h>

#include "base/session.h"
#include "pass/coverage/coverage.h"
#include "plan/rounded.h"

// The loop in "around" whose steps "v" counts; or NULL.
static const struct stmt *loop_of(const struct around *around, const struct ix_var *v) {
    for (int i = 0; i < around->n; ++i) {
        const struct stmt *st = around->stmt[i];
        if (stmt_loops(st) && (st->var == v || (st->pipe && st->pipe->load_var == v))) return st;
    }
    return NULL;
}

static bool mover_of(struct session *s, const struct kernel *k, const struct around *around,
                     const struct ix_term *t, struct mover *out) {
    if (!t->atom || t->atom->op != IX_VAR || !lay_int_static(t->coef) || t->coef.num < 1)
        return false;
    const struct ix_var *v = t->atom->var;
    *out = (struct mover){.v = v, .step = t->coef.num};
    if (ix_is_block(v->kind)) {
        int axis = ix_axis(v->kind);
        out->begin = ix_int(s, 0);
        out->end = ix_lay(s, k->grid[axis]);
        out->end_at = k->grid_at[axis];
        out->rounded = k->grid_rounded[axis];
        return true;
    }
    const struct stmt *loop = v->kind == IX_LOOP ? loop_of(around, v) : NULL;
    if (!loop) return false;
    out->loop = true;
    out->begin = loop->begin;
    out->end = loop->end;
    out->end_at = loop->end_at;
    out->rounded = loop->rounded;
    return true;
}

bool coverage_outermost(struct session *s, const struct kernel *k, const struct around *around,
                        const struct ix *at, struct mover *out) {
    struct ix_term alone = {.coef = lay_int(1), .atom = at};
    int n = !at ? 0 : at->op == IX_SUM ? at->nterms : 1;
    bool any = false;
    for (int i = 0; i < n; ++i) {
        struct mover m;
        const struct ix_term *t = at->op == IX_SUM ? &at->term[i] : &alone;
        if (!mover_of(s, k, around, t, &m) || (any && m.step <= out->step)) continue;
        *out = m;
        any = true;
    }
    return any;
}

bool coverage_reach(struct session *s, const struct view *v, const struct around *around, int mode,
                    const struct ix **end, int64_t *tile) {
    const struct ix *lo, *hi;
    view_reach(s, v, mode, &lo, &hi);
    const struct ix *span = lo && hi ? ix_sub(s, hi, lo) : NULL;
    if (!span || !ix_static(span, tile)) return false;
    ++*tile;
    hi = coverage_bound(s, hi, around, true);
    hi = hi ? ix_max(s, hi) : NULL;
    *end = hi ? ix_add(s, hi, ix_int(s, 1)) : NULL;
    return *end;
}

bool coverage_short(struct prover *p, const struct ix *end, const struct ix *limit) {
    return end && limit && ix_constant(end) && ix_constant(limit) &&
           prove_at_least(p, end, limit) == PROVE_NO;
}

const char *coverage_tiles(struct session *s, struct lay_int of, int64_t by) {
    struct lay_int n = lay_int_ceil_div(&s->lay, of, lay_int(by));
    lay_clear_error(&s->lay);
    if (lay_int_valid(n) && lay_int_static(n)) return lay_int_text(&s->lay, n);
    const char *text = lay_int_text(&s->lay, of);
    if (by == 1) return text;
    return arena_printf(&s->arena,
                        lay_int_divisible(of, by) ? "%s / %" PRId64 : "ceil_div(%s, %" PRId64 ")",
                        text, by);
}
