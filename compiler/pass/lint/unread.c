// Whether blocks and loops read all of a tensor.
//
// A plan may read a part of a tensor.  But a loop or a grid that takes tile after tile and stops
// before the end has probably a wrong bound; one that begins behind the first tile, or leaves gaps
// between two steps, a wrong coordinate.  There is a warning if nothing else in the kernel reads
// the rest.  If the bound is a quotient that was rounded down ("0 .. K / 32", see plan/rounded.h),
// the warning is an error by default.  Each mode of a tensor is a question of its own: is there for each
// coordinate along it an access with that coordinate?
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"
#include "plan/rounded.h"
#include "plan/view.h"

// Whether there is a step of "m" for each "tile" elements that one step reads, and the steps are closer.
static bool is_close(struct session *s, const struct mover *m, const struct ix *limit,
                     int64_t tile) {
    struct lay_int of, steps;
    if (m->step >= tile || tile % m->step || !ix_monomial(limit, &of) ||
        !ix_monomial(m->end, &steps))
        return false;
    struct lay_int tiles = lay_int_ceil_div(&s->lay, of, lay_int(tile));
    lay_clear_error(&s->lay);
    return lay_int_valid(tiles) && lay_int_equal(tiles, steps);
}

// Warns of "m", of "a", if is_close.
static bool warn_close(struct reads *r, const struct access *a, const struct mover *m, int mode,
                       const struct ix *limit, int64_t tile) {
    struct session *s = r->s;
    const struct view *v = a->view;
    struct lay_int of;
    if (!is_close(s, m, limit, tile) || !ix_monomial(limit, &of)) return false;
    diag_warn(s, W_UNREAD, v->at,
              "'%s' moves by %" PRId64 " and reads %" PRId64
              " of '%s' along %s, and ends before it: with %" PRId64
              "*%s the %s %s reach all of it",
              m->v->name, m->step, tile, v->base->name, view_mode_text(s, v->base, mode),
              tile / m->step, m->v->name, coverage_tiles(s, of, tile),
              m->loop ? "steps" : "blocks");
    return true;
}

// Warns of "m", of "a".  Returns true if the coordinates are wrong, and not the bound.
static bool warn(struct reads *r, const struct access *a, const struct mover *m, int mode,
                 const struct ix *limit, int64_t tile) {
    struct session *s = r->s;
    const struct view *v = a->view;
    struct range at = m->end_at.end ? m->end_at : v->at;
    if (warn_close(r, a, m, mode, limit, tile)) return true;
    diag_warn(s, W_UNREAD, at,
              "'%s' takes tiles of %" PRId64 " of '%s' along %s, and ends before it", m->v->name,
              m->step, v->base->name, view_mode_text(s, v->base, mode));
    return unread_why(r, a, m, mode, limit);
}

// Warns that "m", of "a", loses what its quotient leaves.
static void warn_lost(struct reads *r, const struct access *a, const struct mover *m, int mode) {
    struct session *s = r->s;
    struct rounded q = *m->rounded;
    const struct ix *limit = view_limit(s, a->view, mode);
    struct lay_int of;
    for (int i = 0; i < r->nlost; ++i)
        if (r->lost[i] == m->rounded) return;
    if (r->nlost < MOST_LOST) r->lost[r->nlost++] = m->rounded;
    bool tiles = q.by > 0 && m->step % q.by == 0 &&
                 ix_equal(ix_scale(s, q.of, lay_int(m->step / q.by)), limit);
    if (!ix_equal(q.of, limit) && !tiles) {  // it is no number of tiles either
        q.param = NULL;
        q.least = 1;
        if (ix_monomial(limit, &of)) q.up = coverage_tiles(s, of, m->step);
    }
    if (m->step == q.by) q.least = 1;  // its tiles are as large as that
    rounded_lost(s, &q, a->view->base);
}

// Whether the copy of "a" writes an output, which another pass proves to be written completely: then
// nobody misses what is left of the source.
static bool is_complete(const struct reads *r, const struct access *a) {
    const struct formal *f = a->copy ? kernel_formal(r->k, a->copy->dst.base) : NULL;
    return f && f->tensor->space == MEM_GLOBAL && f->dir == ARG_OUT;
}

// Whether "c" is in no loop but those around "a".
static bool is_outside(const struct access *c, const struct access *a) {
    for (int i = 0; i < c->around.n; ++i)
        if (i >= a->around.n || c->around.stmt[i] != a->around.stmt[i]) return false;
    return true;
}

// Whether another copy reads the first elements along "mode" for the same buffer as "a": a tile that is loaded before
// the loop.
static bool is_begun(struct reads *r, const struct access *a, int mode) {
    for (int i = 0; i < r->n; ++i) {
        const struct access *c = &r->at[i];
        int64_t from;
        if (c != a && is_outside(c, a) && reads_count(c, a->view->base, ARG_IN) && a->copy &&
            c->copy && c->copy->dst.base == a->copy->dst.base &&
            a->copy->dst.base->space != MEM_GLOBAL &&
            ix_static(ix_min(r->s, c->view->coord_off[mode]), &from) && from == 0)
            return true;
    }
    return false;
}

// Warns if reads begin after the first element along "mode", and nothing else reads what is before:
// the first step is missing, or all are too far by a step or less.
static void check_first(struct reads *r, const struct access *a, enum dir dir, int mode,
                        const struct mover *m, const struct ix *limit) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *first = ix_min(s, v->coord_off[mode]);
    struct prove_witness found;
    int64_t from, at;
    if (!ix_static(m->begin, &from) || !first || !ix_static(first, &at) || at <= 0) return;
    if (v->limit && ix_constant(view_limit(s, v, mode))) return;  // the plan names a part
    bool later = from > 0 && at == from * m->step;
    bool begun = dir == ARG_IN && is_begun(r, a, mode);
    if (!later && at > m->step && !begun) return;
    if (reads_whole(r, v->base, dir, mode, (struct skipped){first, limit}, limit, &found) !=
        PROVE_NO)
        return;
    if (begun)
        diag_warn(s, W_UNREAD, v->at,
                  "where '%s' is %" PRId64 " this begins at element %" PRId64
                  " of '%s' along %s, and the copies for '%s' leave out some that are before",
                  m->v->name, from, at, v->base->name, view_mode_text(s, v->base, mode),
                  a->copy->dst.base->name);
    else if (later)
        diag_warn(s, W_UNREAD, v->at,
                  "'%s' begins at %" PRId64 ", and nothing reads the first %s of '%s' along %s",
                  m->v->name, from, at == 1 ? "element" : arena_count(&s->arena, at, "element"),
                  v->base->name, view_mode_text(s, v->base, mode));
    else
        diag_warn(s, W_UNREAD, v->at,
                  "where '%s' is %" PRId64 " this begins at element %" PRId64
                  " of '%s' along %s, and nothing reads what is before",
                  m->v->name, from, at, v->base->name, view_mode_text(s, v->base, mode));
    if (begun) reads_note(r, v->base, mode, a, false, &found);
}

// What is before the first element that "v" has along "mode": check_first is about it.
static struct skipped before(struct session *s, const struct view *v, int mode) {
    return (struct skipped){ix_int(s, 0), ix_min(s, v->coord_off[mode])};
}

// Whether "m" counts tiles along a mode of a tensor of the kernel, and moves no tensor along it.
static bool counts_another(const struct reads *r, const struct mover *m, struct lay_int n,
                           struct lay_int of) {
    struct session *s = r->s;
    int mode;
    struct lay_int all =
        reads_rounded_up(n) ? n.syms[0]->of : lay_int_mul(&s->lay, n, lay_int(m->step));
    lay_clear_error(&s->lay);
    if (!lay_int_valid(all) || lay_int_static(all) || !reads_unrelated(s, all, of)) return false;
    if (coverage_counted_by(s, r->k, m->v, n, NULL, &mode)) return false;
    for (int i = 0; i < r->k->nformals; ++i) {
        const struct tensor *t = r->k->formal[i].tensor;
        for (int j = 0; j < lay_tuple_leaves(t->layout.shape); ++j)
            if (t->space == MEM_GLOBAL && lay_int_equal(reads_extent(s, t, j), all)) return true;
    }
    return false;
}

// Whether "m", which moves "a" along "mode", counts the tiles along another mode, and what moves that one
// counts those along "mode".
static bool is_exchanged(const struct reads *r, const struct access *a, int mode,
                         const struct mover *m) {
    struct session *s = r->s;
    const struct tensor *t = a->view->base;
    struct lay_int n, to,
        here = lay_int_ceil_div(&s->lay, reads_extent(s, t, mode), lay_int(m->step));
    if (a->view->limit || !ix_monomial(m->end, &n) || lay_int_equal(n, here)) return false;
    for (int i = 0; i < lay_tuple_leaves(t->layout.shape); ++i) {
        struct mover other;
        if (i == mode || !coverage_outermost(s, r->k, &a->around, a->view->coord_off[i], &other))
            continue;
        struct lay_int there =
            lay_int_ceil_div(&s->lay, reads_extent(s, t, i), lay_int(other.step));
        if (other.v != m->v && ix_monomial(other.end, &to) && lay_int_equal(n, there) &&
            lay_int_equal(to, here))
            return true;
    }
    return false;
}

// Whether the bound of "m", of "a", is no part on purpose, whatever the kernel writes: it counts larger
// tiles of the same extent, "limit", or the tiles along another mode, or is the only block.
static bool is_slip(const struct reads *r, const struct access *a, int mode, const struct mover *m,
                    const struct ix *limit, int64_t tile) {
    struct session *s = r->s;
    struct lay_int of, n;
    int64_t blocks;
    if (!ix_static(limit, NULL) && is_close(s, m, limit, tile)) return true;
    if (is_complete(r, a)) return false;
    if (is_exchanged(r, a, mode, m)) return true;
    if (!m->loop && ix_static(m->end, &blocks)) return blocks == 1;
    if (!ix_monomial(limit, &of) || lay_int_static(of) || !ix_monomial(m->end, &n)) return false;
    bool up = reads_rounded_up(n);
    if (counts_another(r, m, n, of)) return true;
    struct lay_int rate = up ? lay_int(n.syms[0]->by) : lay_int_div(&s->lay, of, n);
    lay_clear_error(&s->lay);
    return (!up || lay_int_equal(n.syms[0]->of, of)) && lay_int_valid(rate) &&
           lay_int_static(rate) && rate.den == 1 && m->step > 1 && rate.num > m->step;
}

// Whether the plan names the part along "mode" that "a" reads in steps, for a tensor that may be written in
// part.
static bool is_named(const struct reads *r, const struct access *a, int mode) {
    const struct view *v = a->view;
    return v->limit && v->limit[mode] && ix_constant(v->limit[mode]) && !is_complete(r, a);
}

// How much of "a" along "mode" one step of "m" takes: all other blocks and steps together, side by side or not.
static int64_t taken_at_once(struct reads *r, const struct access *a, int mode,
                             const struct mover *m, int64_t tile) {
    struct session *s = r->s;
    const struct ix *at = ix_substitute(s, a->view->coord_off[mode], m->v, ix_int(s, 0));
    const struct ix *lo = at ? coverage_bound(s, at, &a->around, false) : NULL,
                    *hi = at ? coverage_bound(s, at, &a->around, true) : NULL;
    int64_t all;
    lo = lo ? ix_min(s, lo) : NULL;
    hi = hi ? ix_max(s, hi) : NULL;
    return lo && hi && ix_static(ix_sub(s, hi, lo), &all) && all > 0 ? all + tile : tile;
}

// Returns true if the other accesses and modes have no need to be checked.
static bool check_mover(struct reads *r, const struct access *a, enum dir dir, int mode,
                        const struct mover *m) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct tensor *t = v->base;
    const struct ix *end, *limit = reads_end(s, v, mode);
    struct prove_witness found;
    int64_t tile;
    if (!limit || !coverage_reach(s, v, &a->around, mode, &end, &tile)) return false;
    bool slip = is_slip(r, a, mode, m, limit, tile);
    bool by_itself = slip || is_named(r, a, mode), by_tiles = by_itself || reads_all(r, a, mode, m);
    if (by_itself && (r->slip == m->v || r->swapped)) return false;
    if (by_tiles) check_first(r, a, dir, mode, m, limit);
    int64_t taken = taken_at_once(r, a, mode, m, tile);
    if (m->step > taken) end = ix_add(s, end, ix_int(s, m->step - taken));  // see check_gaps
    if (!ix_constant(m->end) || !coverage_short(r->prover, end, limit)) return false;
    bool lost = m->rounded && !is_complete(r, a) &&
                !coverage_short(r->prover, ix_add(s, end, ix_int(s, m->step)), limit);
    if (!lost && !by_tiles) return false;
    bool pass = reads_whole(r, t, dir, mode, before(s, v, mode), limit, &found) != PROVE_NO;
    if (pass && ((!lost && !slip) || reads_whole_pass(r, a, dir, mode, limit, &found) != PROVE_NO))
        return false;
    bool swapped = false;
    if (by_itself) r->slip = m->v;
    if (lost && !pass)
        warn_lost(r, a, m, mode);
    else
        swapped = warn(r, a, m, mode, limit, tile);
    r->swapped |= slip && swapped;
    reads_note(r, t, mode, a, pass, &found);
    return swapped;
}

// Warns if "m" leaves out elements between two of its steps.
static bool check_gaps(struct reads *r, const struct access *a, enum dir dir, int mode,
                       const struct mover *m) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *end, *limit = reads_end(s, v, mode);
    struct prove_witness found;
    int64_t tile;
    if (!limit || !ix_constant(m->end) || !coverage_reach(s, v, &a->around, mode, &end, &tile))
        return false;
    if (m->step <= tile || !reads_all(r, a, mode, m)) return false;
    struct skipped skip = before(s, v, mode);
    if (coverage_short(r->prover, end, limit)) {
        skip.from = limit;  // the last step may reach beyond it
        limit = end;
    }
    if (reads_whole(r, v->base, dir, mode, skip, limit, &found) != PROVE_NO) return false;
    diag_warn(s, W_UNREAD, v->at,
              "'%s' moves by %" PRId64 " elements of '%s' along %s and reads %" PRId64
              " of them, and nothing reads all of those between",
              m->v->name, m->step, v->base->name, view_mode_text(s, v->base, mode), tile);
    coverage_note_tile(s, v);
    reads_note(r, v->base, mode, a, false, &found);
    return true;
}

// Warns if threads alone move "a" along "mode", and there are too few of them.
static bool check_threads(struct reads *r, const struct access *a, enum dir dir, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *at = v->coord_off[mode], *last = at ? ix_max(s, at) : NULL;
    const struct ix *limit = view_limit(s, v, mode), *begin = at ? ix_min(s, at) : NULL;
    struct prove_witness found;
    int64_t first;
    if (!last || !ix_depends(at, IX_TID) || v->limit || !limit || !reads_all(r, a, mode, NULL))
        return false;
    if (!begin || !ix_static(begin, &first) || first != 0) return false;
    if (reads_whole(r, v->base, dir, mode, (struct skipped){0}, limit, &found) != PROVE_NO)
        return false;
    diag_warn(s, W_UNREAD, v->at,
              "the threads of a block read '%s' at 0 .. %s along %s, and nothing reads the rest",
              v->base->name, ix_text(s, ix_add(s, last, ix_int(s, 1))),
              view_mode_text(s, v->base, mode));
    reads_note(r, v->base, mode, a, false, &found);
    return true;
}

// The steps that the blocks of an axis take one after the other, of which "m" are those of one block: the next
// block begins where it ends.  Returns how many; NULL: they are no such steps.
static const struct ix *steps_of_all(const struct reads *r, const struct mover *m) {
    struct session *s = r->s;
    int64_t from;
    for (int i = 0; i < 3; ++i) {
        const struct ix_var *x = r->k->block[i];
        if (!x || !m->loop || !ix_depends_on(m->begin, x)) continue;
        const struct ix *next = ix_add(s, ix_var(s, x), ix_int(s, 1));
        const struct ix *end = ix_substitute(s, m->begin, x, next);
        const struct ix *first = ix_substitute(s, m->begin, x, ix_int(s, 0));
        if (!end || !ix_equal(end, m->end) || !ix_static(first, &from) || from != 0) return NULL;
        return ix_substitute(s, m->begin, x, ix_lay(s, r->k->grid[i]));
    }
    return NULL;
}

// Warns if blocks share the steps of "m", and those of all blocks together end before the tensor, of which nothing
// else reads the rest: a quotient was rounded down.
static bool check_shared(struct reads *r, const struct access *a, int mode, const struct mover *m) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *all = steps_of_all(r, m), *end, *limit = reads_end(s, v, mode);
    struct lay_int of;
    int64_t tile;
    if (!all || !ix_constant(all) || !limit || !ix_monomial(limit, &of)) return false;
    if (!coverage_reach(s, v, &a->around, mode, &end, &tile) || tile != m->step) return false;
    for (int i = 0; i < r->n; ++i)
        if (reads_count(&r->at[i], v->base, ARG_IN) &&
            !ix_equal(r->at[i].view->coord_off[mode], v->coord_off[mode]))
            return false;
    if (r->slip == m->v || !reads_all(r, a, mode, m) ||
        !coverage_short(r->prover, ix_scale(s, all, lay_int(m->step)), limit))
        return false;
    r->slip = m->v;
    diag_warn(s, W_REMAINDER, m->end_at,
              "the steps of all blocks together end before '%s', and nothing reads its last, "
              "incomplete tile; write '%s' for the number of all steps",
              v->base->name, coverage_tiles(s, of, m->step));
    return true;
}

static bool check_access(struct reads *r, const struct access *a, enum dir dir, int mode) {
    struct mover m;
    if (dir == ARG_IN && misread_steps(r, a, mode)) return true;
    if (!coverage_outermost(r->s, r->k, &a->around, a->view->coord_off[mode], &m))
        return check_threads(r, a, dir, mode) || (dir == ARG_IN && misread_fixed_range(r, a, mode));
    int before = r->s->diags.nwarnings + r->s->diags.nerrors;
    if (check_mover(r, a, dir, mode, &m) ||
        (dir == ARG_IN && (check_shared(r, a, mode, &m) || turns_lost(r, a, mode))))
        return true;
    // one warning for one cause
    if (r->s->diags.nwarnings + r->s->diags.nerrors > before) return false;
    return misread_outside(r, a, dir, mode, &m) || check_gaps(r, a, dir, mode, &m) ||
           (dir == ARG_IN &&
            (misread_other_steps(r, a, mode, &m) || misread_range(r, a, mode, &m)));
}

// -- all ------------------------------------------------------------------------------------------

// Warns of "a" if the coordinates of its tile are exchanged, whatever else reads the tensor.
static bool check_exchanged(struct reads *r, const struct access *a, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    struct mover m;
    if (v->base->space != MEM_GLOBAL || !a->copy || !v->coord_off[mode] ||
        !coverage_outermost(s, r->k, &a->around, v->coord_off[mode], &m) ||
        m.step != view_along(s, v, mode) || !is_exchanged(r, a, mode, &m))
        return false;
    diag_warn(s, W_UNREAD, v->at,
              "'%s' does not count the tiles of '%s' along %s, but those along another mode, along "
              "which this is moved by what counts these: are the coordinates swapped?",
              m.v->name, v->base->name, view_mode_text(s, v->base, mode));
    return true;
}

static void check_tensor(struct reads *r, const struct tensor *t, enum dir dir) {
    for (int i = 0; i < r->n; ++i)
        if (r->at[i].view->base == t && !lay_valid(r->at[i].view->coord)) return;
    for (int i = 0; dir == ARG_IN && i < r->n; ++i)
        for (int m = 0; reads_count(&r->at[i], t, dir) && m < lay_tuple_leaves(t->layout.shape);
             ++m)
            if (misread_last(r, &r->at[i], m)) return;
    if (dir == ARG_IN) misread_parts(r, t);
    if (dir == ARG_IN) tally_twice(r, t);
    for (int i = 0; i < r->n; ++i) {
        int rank = lay_tuple_leaves(t->layout.shape);
        for (int m = 0; reads_count(&r->at[i], t, dir) && m < rank; ++m)
            if (check_access(r, &r->at[i], dir, m)) return;
    }
}

// The copies of a planned kernel have neither blocks nor steps, but may read one part twice.
static void check_planned(struct reads *r) {
    for (int i = 0; i < r->n && !r->more; ++i) {
        bool again = false;
        for (int j = 0; j < i; ++j)
            again |= !r->at[j].write && r->at[j].view->base == r->at[i].view->base;
        if (!r->at[i].write && !again) misread_parts(r, r->at[i].view->base);
    }
}

void lint_unread(struct lint *l) {
    const struct kernel *k = l->k;
    struct reads *r = reads_of(l);
    if (k->planned) {
        if (!k->first_case || k->first_case == k) check_planned(r);
        return;
    }
    for (int i = 0; i < k->nformals && !r->more; ++i)
        if (k->formal[i].dir != ARG_OUT) check_tensor(r, k->formal[i].tensor, k->formal[i].dir);
    for (int i = 0; i < k->nlocal && !r->more; ++i)
        if (!k->local[i]->stages) check_tensor(r, k->local[i], ARG_IN);
}

void lint_exchanged(struct lint *l) {
    struct reads *r = l->told || l->k->device || l->k->planned ? NULL : reads_of(l);
    for (int i = 0; r && i < r->n && !r->more; ++i)
        for (int m = 0; !r->at[i].write && lay_valid(r->at[i].view->coord) &&
                        m < lay_tuple_leaves(r->at[i].view->base->layout.shape);
             ++m)
            if (check_exchanged(r, &r->at[i], m)) return;
}
