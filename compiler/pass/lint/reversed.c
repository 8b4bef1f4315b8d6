// Tiles in reverse order: an index counts the tiles up on one side of a copy and down on the other one, and the elements
// of each tile keep their order.  Through a function see mirrored.c: it may turn each tile.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "plan/view.h"

enum { MOST_MOVERS = 8 };

// The blocks, warps and steps that an expression depends on.
struct movers {
    int n;
    const struct ix_var *var[MOST_MOVERS];
};

static bool add_mover(const struct ix *e, const void *out) {
    struct movers *x = *(struct movers *const *)out;
    if (e->op != IX_VAR || x->n == MOST_MOVERS) return false;
    if (ix_is_block_or_loop(e->var->kind) || e->var->kind == IX_WARP) x->var[x->n++] = e->var;
    return false;
}

// Whether a mode of "l" goes down.
static bool goes_down(struct session *s, struct lay l) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, l.stride);
    if (lay_is_leaf(flat)) return flat->leaf.num < 0;
    for (int i = 0; i < flat->rank; ++i)
        if (flat->kid[i]->leaf.num < 0) return true;
    return false;
}

static bool is_plain(struct session *s, const struct view *v) {
    return lay_valid(v->coord) && lay_valid(v->layout) && !goes_down(s, v->coord);
}

// The index that moves "e" up and "f" down, or the reverse, by as many elements, several; NULL: there is none.
static const struct ix_var *reverses(struct session *s, const struct ix *e, const struct ix *f) {
    struct movers x = {0}, *of = &x;
    int64_t by, to;
    if (e) ix_has(e, add_mover, &of);
    for (int i = 0; f && i < x.n; ++i) {
        const struct ix *up = reads_step_by(s, e, x.var[i]), *down = reads_step_by(s, f, x.var[i]);
        if (up && down && ix_static(up, &by) && ix_static(down, &to) && by == -to &&
            (by > 1 || by < -1))
            return x.var[i];
    }
    return NULL;
}

// The index that reverses the tiles from "v" to "w", and the modes; NULL: none does.
static const struct ix_var *between(struct session *s, const struct around *a, const struct view *v,
                                    const struct around *b, const struct view *w, int *i, int *j) {
    if (!is_plain(s, v) || !is_plain(s, w)) return NULL;
    for (*i = 0; *i < lay_tuple_leaves(v->base->layout.shape); ++*i) {
        const struct ix *e = v->coord_off[*i] ? instances_step(s, a, v->coord_off[*i]) : NULL;
        for (*j = 0; *j < lay_tuple_leaves(w->base->layout.shape); ++*j) {
            const struct ix *f = w->coord_off[*j] ? instances_step(s, b, w->coord_off[*j]) : NULL;
            const struct ix_var *x = reverses(s, e, f);
            if (x && view_along(s, v, *i) != 1 && view_along(s, w, *j) != 1) return x;
        }
    }
    return NULL;
}

static void warn(struct session *s, const struct view *v, int i, const struct view *w, int j,
                 const struct ix_var *x) {
    diag_warn(s, W_TURNED_TILES, w->at,
              "'%s' takes the tiles of '%s' along %s in the other direction than those of '%s' "
              "along %s: they come in reverse order, and the elements of each do not",
              x->name, v->base->name, view_mode_text(s, v->base, i), w->base->name,
              view_mode_text(s, w->base, j));
    diag_note(s, v->at, "'%s' is at %s here, and '%s' at %s", v->base->name,
              ix_text(s, v->coord_off[i]), w->base->name, ix_text(s, w->coord_off[j]));
}

// Whether "x" has two values: then two halves change places.
static bool is_pair(const struct reads *r, const struct access *a, const struct ix_var *x) {
    int64_t from, to;
    for (int i = 0; i < 3; ++i)
        if (r->k->block[i] == x) return lay_int_is(r->k->grid[i], 2);
    for (int i = 0; i < a->around.n; ++i) {
        const struct stmt *st = a->around.stmt[i];
        if (st->var == x && stmt_loops(st))
            return ix_static(st->begin, &from) && ix_static(st->end, &to) && to - from == 2;
    }
    return r->k->threads == 64;
}

// Whether another copy moves elements of buffer "t" in reverse, too.
static bool again(const struct reads *r, const struct access *but, const struct tensor *t) {
    for (int i = 0; i < r->n; ++i) {
        const struct access *c = &r->at[i];
        int m, n;
        if (c->copy && c->copy != but->copy && (c->copy->src.base == t || c->copy->dst.base == t) &&
            between(r->s, &c->around, &c->copy->src, &c->around, &c->copy->dst, &m, &n))
            return true;
    }
    return false;
}

// Looks at the copy of "a" itself, and at the copies of what it reads to outputs.
static bool check(struct reads *r, const struct access *a) {
    struct session *s = r->s;
    const struct view *v = &a->copy->src, *w = &a->copy->dst;
    int i, j;
    const struct ix_var *x = between(s, &a->around, v, &a->around, w, &i, &j);
    if (x && !is_pair(r, a, x) && !again(r, a, v->base) && !again(r, a, w->base)) {
        warn(s, v, i, w, j, x);
        return true;
    }
    struct flow flow = flow_of(r, a);
    for (int k = 0; k < r->n && !x && !flow.called && v->base->space == MEM_GLOBAL; ++k) {
        const struct access *b = &r->at[k];
        if (b->copy == a->copy || !flow_is_output(r, b) || !flow_goes_to(&flow, b)) continue;
        if (!(x = between(s, &a->around, v, &b->around, b->view, &i, &j)) || is_pair(r, b, x))
            continue;
        warn(s, v, i, b->view, j, x);
        return true;
    }
    return false;
}

void lint_reversed(struct lint *l) {
    if (l->k->device || l->k->planned) return;
    struct reads *r = reads_of(l);
    for (int i = 0; i < r->n && !r->more; ++i)
        if (r->at[i].copy && !r->at[i].write && check(r, &r->at[i])) break;
    lay_clear_error(&l->s->lay);
}
