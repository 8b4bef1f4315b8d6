// Inputs of which a copy reads another part than was probably meant: one part is read twice and another
// one never, or the parts that are read move in other steps than those that are written.
#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"
#include "plan/view.h"

// -- steps ----------------------------------------------------------------------------------------

// The coordinate along "mode" of the output of the same shape to which "a" is copied at once; or NULL.
static const struct ix *written_at(const struct reads *r, const struct access *a, int mode) {
    const struct view *to = a->copy ? &a->copy->dst : NULL;
    if (!to || to->base->space != MEM_GLOBAL || !kernel_formal(r->k, to->base)) return NULL;
    if (!lay_valid(to->coord) ||
        !lay_tuple_equal(to->base->layout.shape, a->view->base->layout.shape))
        return NULL;
    return to->coord_off[mode];
}

bool misread_steps(struct reads *r, const struct access *a, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *at = v->coord_off[mode], *to = at ? written_at(r, a, mode) : NULL;
    const struct ix *end = reads_end(s, v, mode);
    struct prove_witness found;
    struct mover m;
    if (!at || !end || v->base->space != MEM_GLOBAL || r->k->device) return false;
    const struct ix *apart = to ? ix_sub(s, at, to) : NULL;
    bool moves = ix_depends_if(at, ix_is_block_or_loop);
    // for parts by threads see thread_order.c
    bool threads = apart && (v->limit || v->sliced) && !v->part &&
                   (ix_depends_if(at, ix_is_thread) || moves) &&
                   !ix_depends_if(apart, ix_is_block_or_loop);
    if (!threads && !moves) return false;
    if (to && ix_constant(apart)) return false;
    if (!to && (coverage_outermost(s, r->k, &a->around, at, &m) || !reads_all(r, a, mode, NULL)))
        return false;
    if (reads_whole(r, v->base, ARG_IN, mode, (struct skipped){0}, end, &found) != PROVE_NO)
        return false;
    if (!to && reads_with_more(r, a, mode, end)) return false;
    const char *along = view_mode_text(s, v->base, mode);
    if (to)
        diag_warn(
            s, W_UNREAD, v->at,
            "this reads '%s' at %s along %s and writes '%s', which has the same shape, at %s, "
            "so that a part of '%s' is never read",
            v->base->name, ix_text(s, at), along, a->copy->dst.base->name, ix_text(s, to),
            v->base->name);
    else
        diag_warn(s, W_UNREAD, v->at, "'%s' is read at %s along %s, and nothing reads all of it",
                  v->base->name, ix_text(s, at), along);
    reads_note(r, v->base, mode, a, false, &found);
    if (to)
        diag_note(s, v->at, "the part of '%s' at the same place begins at %s", v->base->name,
                  ix_text(s, to));
    return true;
}

// The copy to an output of the same shape that the variable of "m" moves along "mode" in other steps than
// "a"; or NULL.
static const struct copy *written_by(struct reads *r, const struct access *a, int mode,
                                     const struct mover *m, int64_t *step) {
    const struct copy *found = NULL;
    for (int i = 0; i < r->n; ++i) {
        const struct access *b = &r->at[i];
        const struct formal *f = b->write ? kernel_formal(r->k, b->view->base) : NULL;
        struct mover n;
        if (!b->copy || !f || f->dir != ARG_OUT || !lay_valid(b->view->coord)) continue;
        if (!lay_tuple_equal(b->view->base->layout.shape, a->view->base->layout.shape)) continue;
        if (!coverage_outermost(r->s, r->k, &b->around, b->view->coord_off[mode], &n)) continue;
        if (n.v != m->v || n.step == m->step) return NULL;
        *step = n.step;
        found = b->copy;
    }
    return found;
}

bool misread_other_steps(struct reads *r, const struct access *a, int mode, const struct mover *m) {
    struct session *s = r->s;
    const struct view *v = a->view;
    int64_t step;
    if (!reads_all(r, a, mode, NULL)) return false;
    const struct copy *c = written_by(r, a, mode, m, &step);
    if (!c) return false;
    diag_warn(s, W_UNREAD, v->at,
              "'%s' moves by %" PRId64 " elements of '%s' along %s, and by %" PRId64
              " of '%s', which has the same shape",
              m->v->name, m->step, v->base->name, view_mode_text(s, v->base, mode), step,
              c->dst.base->name);
    diag_note(s, c->dst.at, "'%s' is written here", c->dst.base->name);
    return true;
}

// -- ranges -----------------------------------------------------------------------------------------

// The elements along "mode" of the tensor of "v", or of the range that it is taken from; NULL: not known.
static const struct ix *elements_along(struct session *s, const struct view *v, int mode) {
    const struct ix *end = view_limit(s, v, mode), *begin = v->limit ? v->coord_off[mode] : NULL;
    if (!v->limit) return end;
    begin = begin && !v->range_of_range ? ix_min(s, begin) : NULL;
    return begin && end ? ix_sub(s, end, begin) : NULL;
}

bool misread_range(struct reads *r, const struct access *a, int mode, const struct mover *m) {
    struct session *s = r->s;
    const struct view *v = a->view, *to = a->copy ? &a->copy->dst : NULL;
    const struct ix *end, *all = elements_along(s, v, mode);
    int64_t from, tile;
    if (!to || !v->limit || !all || !ix_constant(all) || to->base->space != MEM_GLOBAL)
        return false;
    if (!lay_valid(to->coord) || !coverage_reach(s, v, &a->around, mode, &end, &tile) ||
        !ix_static(ix_min(s, v->coord_off[mode]), &from) || m->step != tile)
        return false;
    for (int i = 0; i < lay_tuple_leaves(to->base->layout.shape); ++i) {
        struct mover x;
        const struct ix *limit = elements_along(s, to, i);
        if (!coverage_outermost(s, r->k, &a->around, to->coord_off[i], &x) || x.v != m->v ||
            x.step != m->step || !limit || !ix_constant(limit) ||
            prove_at_least(r->prover, all, ix_add(s, limit, ix_int(s, 1))) != PROVE_YES)
            continue;
        diag_warn(s, W_UNREAD, v->at,
                  "the range of '%s' along %s has %s elements, and '%s', to which '%s' copies it, "
                  "%s: the rest of the range is never read",
                  v->base->name, view_mode_text(s, v->base, mode), ix_text(s, all), to->base->name,
                  m->v->name, ix_text(s, limit));
        return true;
    }
    return false;
}

// The mode of its tensor along which leaf "i" of "v" is; -1: it is not along one.
static int mode_of_leaf(struct session *s, const struct view *v, int i) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, v->coord.stride);
    struct lay_int d = lay_is_leaf(flat) ? flat->leaf : flat->kid[i]->leaf;
    int path[3];
    return d.basis >= 0 && lay_int_basis_path(d, path) >= 1 ? path[0] : -1;
}

bool misread_fixed_range(struct reads *r, const struct access *a, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view, *to = a->copy ? &a->copy->dst : NULL;
    const struct ix *of = elements_along(s, v, mode), *lo, *hi, *limit;
    struct prove_witness found;
    int64_t all, n, tile;
    if (!to || !v->limit || !v->limit[mode] || !ix_constant(v->coord_off[mode]) ||
        !ix_static(of, &all) || !lay_valid(to->coord) ||
        lay_tuple_leaves(v->coord.shape) != lay_tuple_leaves(to->coord.shape))
        return false;
    view_reach(s, v, mode, &lo, &hi);
    if (!lo || !hi || !ix_static(ix_sub(s, hi, lo), &tile) || ++tile >= all) return false;
    for (int i = 0; i < lay_tuple_leaves(v->coord.shape); ++i) {
        int at = mode_of_leaf(s, v, i) == mode ? mode_of_leaf(s, to, i) : -1;
        limit = at < 0 ? NULL : elements_along(s, to, at);
        if (!limit || !ix_static(limit, &n) || n != tile || n == 1) continue;
        if (reads_whole(r, v->base, ARG_IN, mode,
                        (struct skipped){ix_int(s, 0), ix_min(s, v->coord_off[mode])},
                        view_limit(s, v, mode), &found) != PROVE_NO)
            continue;
        diag_warn(s, W_UNREAD, v->at,
                  "the range of '%s' along %s has %" PRId64 " elements, and '%s', to which this "
                  "copies it, %" PRId64 ": the rest of the range is never read",
                  v->base->name, view_mode_text(s, v->base, mode), all, to->base->name, n);
        return true;
    }
    return false;
}

// -- parts ----------------------------------------------------------------------------------------

enum { MOST_PARTS = 16 };

// Where a copy takes the elements of "a"; NULL: it is an argument of a call.
static const struct view *taken_to(const struct access *a) {
    return a->copy ? &a->copy->dst : NULL;
}

bool misread_apart(const struct access *a, const struct access *b) {
    const struct view *x = taken_to(a), *y = taken_to(b);
    if (x->base != y->base) return true;
    if (x->base->space != MEM_GLOBAL || !lay_valid(x->coord) || !lay_valid(y->coord)) return false;
    for (int i = 0; i < lay_tuple_leaves(x->base->layout.shape); ++i) {
        int64_t m, n;
        if (x->coord_off[i] && y->coord_off[i] && ix_static(x->coord_off[i], &m) &&
            ix_static(y->coord_off[i], &n) && m != n)
            return true;
    }
    return false;
}

// The reads of a tensor along a mode that consists of "n" parts of "size" elements.
struct parts {
    int n;
    int64_t size;
    int naccesses;
    int places;  // different ones, to which they go
    const struct access *of[MOST_READS];
    int part[MOST_READS];
};

// Whether "v" is cut along "mode" only, or by blocks and steps along others.
static bool is_cut_along(struct session *s, const struct view *v, int mode) {
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *lo, *hi, *end = view_limit(s, &(struct view){.base = v->base}, i);
        int64_t at;
        if (i == mode || !ix_constant(v->coord_off[i])) continue;
        view_reach(s, v, i, &lo, &hi);
        if (!ix_static(lo, &at) || at || !hi || !end) return false;
        if (!ix_equal(ix_add(s, hi, ix_int(s, 1)), end)) return false;
    }
    return true;
}

static bool parts_along(struct reads *r, const struct tensor *t, int mode, int64_t extent,
                        struct parts *x) {
    struct session *s = r->s;
    *x = (struct parts){0};
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        const struct ix *lo, *hi;
        int64_t from, last;
        if (!reads_count(a, t, ARG_IN)) continue;
        if (!taken_to(a) || !is_cut_along(s, a->view, mode)) return false;
        view_reach(s, a->view, mode, &lo, &hi);
        if (!lo || !hi || !ix_static(lo, &from) || !ix_static(hi, &last) || from < 0) return false;
        if (!x->naccesses) x->size = last + 1 - from;
        if (last + 1 - from != x->size || from % x->size || last >= extent) return false;
        x->part[x->naccesses] = (int)(from / x->size);
        x->of[x->naccesses++] = a;
        bool again = false;
        for (int j = 0; j < x->naccesses - 1 && !again; ++j) again = !misread_apart(x->of[j], a);
        x->places += !again;
    }
    if (!x->naccesses || extent % x->size || extent / x->size > MOST_PARTS) return false;
    x->n = (int)(extent / x->size);
    return x->n > 1 && x->places >= x->n;
}

static bool is_read(const struct parts *x, int part) {
    for (int i = 0; i < x->naccesses; ++i)
        if (x->part[i] == part) return true;
    return false;
}

static const char *part_text(struct session *s, const struct parts *x, int64_t part) {
    if (x->size == 1) return arena_printf(&s->arena, "%" PRId64, part);
    return arena_printf(&s->arena, "%" PRId64 " .. %" PRId64, part * x->size, (part + 1) * x->size);
}

static bool warn_twice(struct session *s, const struct tensor *t, int mode, const struct parts *x,
                       int left) {
    for (int j = 1; j < x->naccesses; ++j) {
        for (int i = 0; i < j; ++i) {
            const struct access *a = x->of[i], *b = x->of[j];
            if (x->part[i] != x->part[j] || !misread_apart(a, b)) continue;
            const char *along = view_mode_text(s, t, mode);
            diag_warn(
                s, W_UNREAD, b->view->at,
                "'%s' is read at %s along %s for the second time, and nothing reads it at %s; is "
                "that meant here?",
                t->name, part_text(s, x, x->part[j]), along, part_text(s, x, left));
            diag_note(s, a->view->at, "the same goes to '%s' here", taken_to(a)->base->name);
            return true;
        }
    }
    return false;
}

// A read of the elements from "begin" to "end" along a mode.
struct piece {
    const struct access *of;
    const struct ix *begin, *end;
};

// The reads of "t", if each takes a known piece of it along "mode"; 0: they do not.
static int pieces_along(struct reads *r, const struct tensor *t, int mode, struct piece *out) {
    struct session *s = r->s;
    int n = 0;
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        const struct view *v = a->view;
        const struct ix *lo, *hi;
        if (!reads_count(a, t, ARG_IN)) continue;
        if (!taken_to(a) || n == MOST_PARTS || v->range_of_range || !is_cut_along(s, v, mode))
            return 0;
        struct piece *x = &out[n++];
        x->of = a;
        if (reads_stand(s, v, mode, &lo, &hi)) {
            x->begin = lo;
            x->end = ix_add(s, hi, ix_int(s, 1));
        } else {
            struct mover m;
            int64_t tile;
            x->begin = v->coord_off[mode] ? ix_min(s, v->coord_off[mode]) : NULL;
            bool dense = coverage_outermost(s, r->k, &a->around, v->coord_off[mode], &m) &&
                         coverage_reach(s, v, &a->around, mode, &x->end, &tile) && m.step == tile;
            if (v->limit) x->end = view_limit(s, v, mode);
            if (!v->limit && !dense) return 0;
        }
        if (!x->begin || !x->end || !ix_constant(x->begin) || !ix_constant(x->end)) return 0;
    }
    return n;
}

// The only gap between the pieces other than "but", which follow each other up to "end", if that is as
// large as piece "but"; NULL: there is none.  "sorted": whether they are then in the order of the text.
static const struct ix *gap_for(struct reads *r, const struct piece *x, int n, int but,
                                const struct ix *end, bool *sorted) {
    struct session *s = r->s;
    const struct ix *at = ix_int(s, 0), *gap = NULL;
    *sorted = true;
    for (int left = n, last = -1; left > 0; --left) {
        int next = 0;
        while (next < n && (next == but || !reads_equal(r, x[next].begin, at))) ++next;
        if (next == n && gap) return NULL;
        if (next == n) gap = at;
        const struct piece *y = &x[next == n ? but : next];
        at = next == n ? ix_add(s, at, ix_sub(s, y->end, y->begin)) : y->end;
        *sorted &= y - x > last;
        last = (int)(y - x);
    }
    return gap && reads_equal(r, at, end) && !ix_equal(gap, x[but].begin) ? gap : NULL;
}

static const char *piece_text(struct session *s, const struct ix *begin, const struct ix *end) {
    if (ix_equal(ix_add(s, begin, ix_int(s, 1)), end)) return ix_text(s, begin);
    return arena_printf(&s->arena, "%s .. %s", ix_text(s, begin), ix_text(s, end));
}

// Offers "to" in place of "from" in the text of "v", where that is once.
static void offer(struct session *s, const struct view *v, const char *from, const char *to) {
    const char *text = source_line(s, v->at), *at = strstr(text, from);
    if (!at || strstr(at + 1, from) || strlen(text) != v->at.end - v->at.begin) return;
    struct range place = {v->at.file, v->at.begin + (uint32_t)(at - text), 0};
    place.end = place.begin + (uint32_t)strlen(from);
    diag_fixit(s, place, to);
}

// Warns of a piece that would fill the gap that the others leave, if it began elsewhere.  Of two that could, the
// one is offered that keeps the pieces in order, and then the later.
static bool misplaced(struct reads *r, const struct tensor *t, int mode, const struct ix *end) {
    struct session *s = r->s;
    struct piece x[MOST_PARTS];
    const struct ix *gap[MOST_PARTS];
    int n = pieces_along(r, t, mode, x), best = -1, many = 0;
    bool best_sorted = false;
    for (int i = n - 1; i >= 0; --i) {
        bool apart = n > 1, sorted = false;
        for (int j = 0; j < n && apart; ++j) apart = j == i || misread_apart(x[i].of, x[j].of);
        gap[i] = apart ? gap_for(r, x, n, i, end, &sorted) : NULL;
        if (!gap[i]) continue;
        ++many;
        if (best >= 0 && (best_sorted || !sorted)) continue;
        best = i;
        best_sorted = sorted;
    }
    if (best < 0) return false;
    for (int k = 0; k < n; ++k) {
        int i = (best + k) % n;
        if (!gap[i]) continue;
        const struct view *v = x[i].of->view;
        const char *from = piece_text(s, x[i].begin, x[i].end);
        const char *to = piece_text(s, gap[i], ix_add(s, gap[i], ix_sub(s, x[i].end, x[i].begin)));
        if (i == best)
            diag_warn(s, W_UNREAD, v->at,
                      "'%s' is read at %s along %s, and other copies read all but %s", t->name,
                      from, view_mode_text(s, t, mode), to);
        diag_note(s, v->at,
                  i == best ? "with %s here, each element is read once" : "or with %s here", to);
        if (many == 1 || (i == best && best_sorted)) offer(s, v, from, to);
    }
    return true;
}

// -- passes ---------------------------------------------------------------------------------------

// Warns of "a", which stands still along "mode", if a block moves another pass over its tensor there.
static bool stands_in_pass(struct reads *r, const struct access *a, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *lo, *hi;
    int64_t tile;
    if (!reads_stand(s, v, mode, &lo, &hi) || !ix_static(ix_sub(s, hi, lo), &tile) || !tile++)
        return false;
    for (int i = 0; i < r->n; ++i) {
        const struct access *c = &r->at[i];
        struct mover m;
        bool pass = false;
        for (int j = 0; j < lay_tuple_leaves(v->base->layout.shape); ++j)
            pass |= j != mode && reads_count(c, v->base, ARG_IN) && reads_other_pass(r, a, c, j);
        if (!pass || !lay_tuple_equal(v->layout.shape, c->view->layout.shape) ||
            !coverage_outermost(s, r->k, &c->around, c->view->coord_off[mode], &m) || m.loop ||
            m.step != tile || view_depends(v, m.v))
            continue;
        diag_warn(s, W_FIXED_TILE, v->at,
                  "'%s' moves another pass over '%s' along %s, and this one always reads the same "
                  "part there",
                  m.v->name, v->base->name, view_mode_text(s, v->base, mode));
        diag_note(s, c->view->at, "the other one reads '%s' here", v->base->name);
        return true;
    }
    return false;
}

void misread_parts(struct reads *r, const struct tensor *t) {
    struct session *s = r->s;
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, t->layout.shape);
    struct parts x;
    if (t->space != MEM_GLOBAL || r->k->device) return;
    for (int m = 0; m < lay_tuple_leaves(flat); ++m) {
        struct lay_int n = lay_is_leaf(flat) ? flat->leaf : flat->kid[m]->leaf;
        int left = 0;
        bool equal = lay_int_static(n) && parts_along(r, t, m, n.num, &x);
        while (equal && left < x.n && is_read(&x, left)) ++left;
        if (equal && left < x.n && warn_twice(s, t, m, &x, left)) return;
        for (int i = 0; i < r->n; ++i)
            if (reads_count(&r->at[i], t, ARG_IN) && stands_in_pass(r, &r->at[i], m)) return;
        if (misplaced(r, t, m, ix_lay(s, n)) || misread_tally(r, t, m)) return;
    }
}
