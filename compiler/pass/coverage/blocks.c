// Computes how many blocks or iterations would write a tensor completely, if a part is never
// written.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "plan/view.h"

// Whether "t" is a variable times a number, such as "32*block.x".
static bool steps(const struct ix_term *t, int64_t *by, int64_t *end) {
    if (!t->atom || t->atom->op != IX_VAR || !lay_int_static(t->coef) || t->coef.num < 1)
        return false;
    const struct ix_var *v = t->atom->var;
    if (!lay_int_static(v->lo) || v->lo.num != 0 || !lay_int_static(v->end)) return false;
    *by = t->coef.num;
    *end = v->end.num;
    return v->kind == IX_LOOP || (v->kind >= IX_BLOCK_X && v->kind <= IX_BLOCK_Z);
}

// Whether "v", of which all elements must be there, is outside its tensor where "x" goes on to "end".
static bool ends_before(struct session *s, const struct view *v, const struct ix_var *x,
                        int64_t end) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    if (v->tiled || v->overhang || v->base->space == MEM_FRAG) return false;
    for (int i = 0; v->coord_off && i < lay_tuple_rank(flat); ++i) {
        struct lay_int n = lay_tuple_get(&s->lay, flat, i)->leaf;
        const struct ix *last = NULL;
        if (v->coord_off[i] && lay_int_static(n) && ix_depends_on(v->coord_off[i], x))
            last = ix_substitute(s, v->coord_off[i], x, ix_int(s, end - 1));
        int64_t at;
        if (last && ix_static(last, &at) && at >= n.num) return true;
    }
    return false;
}

// What "x" cannot go on in: a tensor that a copy of "k" would then touch outside; NULL: it can.
static const struct tensor *stops(struct session *s, const struct kernel *k, const struct ix_var *x,
                                  int64_t end) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_COPY) continue;
        if (ends_before(s, &st->copy->src, x, end)) return st->copy->src.base;
        if (ends_before(s, &st->copy->dst, x, end)) return st->copy->dst.base;
    }
    return NULL;
}

static void note_variable(struct session *s, const struct kernel *k, const struct view *v, int mode,
                          int64_t extent, const struct ix_term *t) {
    int64_t by, end;
    if (!steps(t, &by, &end) || end >= (extent + by - 1) / by) return;
    const struct ix_var *x = t->atom->var;
    int64_t want = (extent + by - 1) / by;
    const struct tensor *stop = stops(s, k, x, want);
    if (stop) {
        diag_note(
            s, v->at,
            "along %s '%s' has %lld elements, and '%s' steps by %lld up to %lld; with more "
            "steps this kernel would be outside '%s', so what is left takes a copy of its own",
            view_mode_text(s, v->base, mode), v->base->name, (long long)extent, x->name,
            (long long)by, (long long)(by * (end - 1)), stop->name);
        return;
    }
    diag_note(s, v->at, "along %s '%s' has %lld elements, and '%s' steps by %lld: %s",
              view_mode_text(s, v->base, mode), v->base->name, (long long)extent, x->name,
              (long long)by,
              arena_printf(&s->arena,
                           x->kind == IX_LOOP
                               ? "'%s in 0 .. %lld' reaches all of them, not %lld"
                               : "'%s' reaches all of them in a grid of %lld blocks, not %lld",
                           x->name, (long long)want, (long long)end));
}

void coverage_note_blocks(struct session *s, const struct kernel *k, const struct view *v) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    int rank = lay_tuple_rank(flat);
    for (int i = 0; v->coord_off && i < rank; ++i) {
        struct lay_int n = lay_tuple_get(&s->lay, flat, i)->leaf;
        const struct ix *e = v->coord_off[i];
        if (!lay_int_static(n) || !e) continue;
        struct ix_term alone = {.coef = lay_int(1), .atom = e};
        if (e->op == IX_VAR) note_variable(s, k, v, i, n.num, &alone);
        for (int j = 0; e->op == IX_SUM && j < e->nterms; ++j)
            note_variable(s, k, v, i, n.num, &e->term[j]);
    }
}
