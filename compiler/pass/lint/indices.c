// Indices of a device function that move two inputs in ways that do not fit: its caller counts them, so nothing but the
// extents of the inputs says what they count.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"
#include "plan/view.h"

enum { NO_MODE = -1, SEVERAL_MODES = -2 };

// The mode along which "x" moves "v".
static int mode_of(const struct view *v, const struct ix_var *x) {
    int mode = NO_MODE;
    for (int m = 0; m < lay_tuple_leaves(v->base->layout.shape); ++m)
        if (v->coord_off[m] && ix_depends_on(v->coord_off[m], x))
            mode = mode == NO_MODE ? m : SEVERAL_MODES;
    return mode;
}

// The only mode of "t" with the extent "n".
static int mode_with(struct session *s, const struct tensor *t, struct lay_int n) {
    int mode = NO_MODE;
    for (int m = 0; m < lay_tuple_leaves(t->layout.shape); ++m)
        if (lay_int_equal(reads_extent(s, t, m), n)) mode = mode == NO_MODE ? m : SEVERAL_MODES;
    return mode;
}

static bool warn(struct session *s, const struct view *v, const struct view *w, int to,
                 const struct ix_var *x, const char *how) {
    struct lay_int n = reads_extent(s, v->base, to);
    diag_warn(s, W_UNREAD, v->at, "'%s' moves '%s' along %s, of %s elements, and '%s' %s", x->name,
              w->base->name, view_mode_text(s, w->base, mode_of(w, x)), lay_int_text(&s->lay, n),
              v->base->name, how);
    diag_note(s, w->at, "'%s' is read here", w->base->name);
    return true;
}

// The index of "k" that moves the coordinate "at"; NULL: there is none.
static const struct ix_var *index_of(const struct kernel *k, const struct ix *at) {
    for (int i = 0; i < k->nindexes; ++i)
        if (ix_depends_on(at, k->index[i].var)) return k->index[i].var;
    return NULL;
}

// Whether another index than "x" moves "v": then "x" counts the steps of what the two have in common.
static bool is_moved_too(const struct kernel *k, const struct view *v, const struct ix_var *x) {
    for (int i = 0; i < k->nindexes; ++i)
        if (k->index[i].var != x && view_depends(v, k->index[i].var)) return true;
    return false;
}

// Warns of "v" if "x" moves it, or does not, otherwise than "w", of another tensor with a mode of the same extent.
static bool check(struct session *s, const struct kernel *k, const struct view *v,
                  const struct view *w, const struct ix_var *x) {
    int in = mode_of(w, x), at = mode_of(v, x);
    if (in < 0) return false;
    struct lay_int n = reads_extent(s, w->base, in);
    int to = lay_int_static(n) ? NO_MODE : mode_with(s, v->base, n);
    int64_t tile = view_along(s, w, in);
    if (to < 0 || tile < 1 || !v->coord_off[to]) return false;
    const struct ix *a = v->coord_off[to], *b = w->coord_off[in];
    if (at == SEVERAL_MODES) return false;
    int64_t place;
    if (at == NO_MODE) {
        const struct ix_var *by = index_of(k, a);
        if (by && view_along(s, v, to) == tile && mode_of(v, by) == SEVERAL_MODES)
            return warn(s, v, w, to, x,
                        arena_printf(&s->arena,
                                     "is moved along %s, which has as many, by '%s', "
                                     "which moves it along another one, too",
                                     view_mode_text(s, v->base, to), by->name));
        if (!ix_static(a, &place) || view_along(s, v, to) != tile) return false;
        return warn(s, v, w, to, x,
                    arena_printf(&s->arena, "is at %s along %s, which has as many", ix_text(s, a),
                                 view_mode_text(s, v->base, to)));
    }
    if (at != to) {
        struct lay_int there = reads_extent(s, v->base, at);
        bool one_tile = lay_int_static(there) && there.num <= view_along(s, v, at);
        if (!one_tile && mode_with(s, w->base, there) != NO_MODE) return false;
        return warn(s, v, w, to, x,
                    arena_printf(&s->arena,
                                 "along %s, though it has as many along %s: are the coordinates "
                                 "swapped?",
                                 view_mode_text(s, v->base, at), view_mode_text(s, v->base, to)));
    }
    const struct ix *apart = ix_sub(s, a, b);
    if (apart && ix_static(apart, &place) && place != 0 && place % tile == 0 &&
        view_along(s, v, to) == tile && is_moved_too(k, v, x) && is_moved_too(k, w, x))
        return warn(s, v, w, to, x,
                    arena_printf(&s->arena, "from another tile on: it is at %s, and '%s' at %s",
                                 ix_text(s, a), w->base->name, ix_text(s, b)));
    if (!apart || !ix_depends_on(apart, x) || view_along(s, v, to) != tile) return false;
    // it is the one that is counted in elements, and not in tiles
    if (ix_divisor(a) % (tile * tile) != 0) return false;
    return warn(s, v, w, to, x,
                arena_printf(&s->arena, "by other steps: it is at %s, and '%s' at %s",
                             ix_text(s, a), w->base->name, ix_text(s, b)));
}

// Whether another read of the tensor of "a" is elsewhere: then its reads are no pair with those of another tensor.
static bool is_read_again(const struct reads *r, const struct access *a) {
    for (int i = 0; i < r->n; ++i)
        if (&r->at[i] != a && r->at[i].view->base == a->view->base) return true;
    return false;
}

static bool is_input(const struct reads *r, const struct access *a) {
    const struct formal *f = kernel_formal(r->k, a->view->base);
    return a->copy && !a->write && f && f->dir == ARG_IN && a->view->base->space == MEM_GLOBAL &&
           lay_valid(a->view->coord) && !a->view->limit && !is_read_again(r, a);
}

void lint_indices(struct lint *l) {
    const struct kernel *k = l->k;
    if (!k->device || !k->nindexes) return;
    struct reads *r = reads_of(l);
    for (int i = 0; i < r->n && !r->more; ++i)
        for (int j = 0; j < r->n; ++j) {
            if (i == j || !is_input(r, &r->at[i]) || !is_input(r, &r->at[j])) continue;
            for (int x = 0; x < k->nindexes; ++x)
                if (check(l->s, k, r->at[i].view, r->at[j].view, k->index[x].var)) return;
        }
}
