// Warns of blocks and iterations that are outside every tensor: the grid probably counts elements
// instead of tiles.
//
// A predicate "128*block.x + .. < M" keeps elements of a copy only while 128*block.x < M, so from
// block ceil_div(M, 128) on it keeps none.  If all relevant copies have the same such bound, the
// other blocks do nothing.  There are too many blocks if the grid has one for every N elements and
// one for every 2*N or more would be enough, so that it is true for every M of more than one tile.
#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/lint/lint.h"
#include "plan/view.h"

// The value of a variable from which on nothing is moved: each*ceil_div(of, by).
struct reach {
    struct lay_int of;
    int64_t by, each;             // "each" values in a row have the same place: those of v / 16
    const struct ix *from;        // where the tile of value 0 begins, a constant; or NULL
    const struct view *elements;  // a view whose coordinate counts elements; or NULL
    // what a step has of "by" elements; fewer: nothing moves those between two steps
    const struct tensor *base;
    int64_t tile;
};

// -- what a copy is bounded by --------------------------------------------------------------------

// Whether "e" is "v", or a quotient of it by a number, "each".
static bool is_index(const struct ix *e, const struct ix_var *v, int64_t *each) {
    *each = 1;
    if (e->op == IX_DIV && lay_int_static(e->k)) {
        *each = e->k.num;
        e = e->a;
    }
    return e->op == IX_VAR && e->var == v;
}

// The coefficient in "e" of "v", or of its quotient by "each", if the rest of "e" is >= 0 and does not depend on
// "v"; otherwise 0.
static int64_t factor_of(struct session *s, const struct ix *e, const struct ix_var *v,
                         int64_t *each) {
    if (is_index(e, v, each)) return 1;
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) {
        const struct ix_term *t = &e->term[i];
        if (!t->atom || !is_index(t->atom, v, each)) continue;
        const struct ix *rest = ix_sub(s, e, ix_scale(s, t->atom, t->coef));
        bool fits = lay_int_static(t->coef) && t->coef.num > 0 && rest && !ix_depends_on(rest, v) &&
                    ix_provably_nonnegative(s, rest);
        return fits ? t->coef.num : 0;
    }
    return 0;
}

// The side of "c" whose tiles of N elements along mode "mode" are "by" = N * N elements apart, as
// if the coordinates of 'local_tile' counted elements; NULL: there is none.
static const struct view *counts_elements(struct session *s, const struct copy *c, int mode,
                                          int64_t by) {
    for (int i = 0; i < 2; ++i) {
        const struct view *v = copy_side(c, i == 0);
        if (v->base->space != MEM_GLOBAL || !lay_valid(v->layout) || mode >= lay_rank(v->layout))
            continue;
        struct lay_int tile = lay_size(&s->lay, lay_mode(&s->lay, v->layout, mode));
        lay_clear_error(&s->lay);
        if (lay_int_static(tile) && tile.num > 1 && by == tile.num * tile.num) return v;
    }
    return NULL;
}

// Where the side of "c" that "p" bounds begins along its mode, and how many elements in a row it has
// there, if "v" alone moves it, by "out->by"; otherwise nowhere, and "out->by".
static void set_tile(struct session *s, const struct copy *c, const struct predicate *p,
                     const struct ix_var *v, struct reach *out) {
    const struct view *x = copy_side(c, c->src.base == p->of);
    const struct ix *lo, *hi;
    int64_t span;
    out->base = x->base;
    out->tile = out->by;
    if (x->base != p->of || x->part || !lay_valid(x->coord) || !x->coord_off[p->mode]) return;
    const struct ix *from =
        ix_sub(s, x->coord_off[p->mode], ix_scale(s, ix_var(s, v), lay_int(out->by)));
    if (!from || !ix_constant(from)) return;
    out->from = from;
    view_reach(s, x, p->mode, &lo, &hi);
    const struct ix *more = lo && hi ? ix_sub(s, hi, lo) : NULL;
    if (more && ix_static(more, &span) && span + 1 < out->by) out->tile = span + 1;
}

// Of a range that begins at "from", a size: counts its elements from there.
static void count_from_range(struct session *s, const struct view *x, struct reach *out) {
    struct lay_int of;
    if (!out->from || !x->limit || ix_static(out->from, NULL)) return;
    const struct ix *n = ix_sub(s, ix_lay(s, out->of), out->from);
    if (!n || !ix_monomial(n, &of)) return;
    out->of = of;
    out->from = ix_int(s, 0);
}

// Whether "c" moves nothing if "v" is large; sets "out" to the first such value, by the end of "of" if
// that bounds it.
static bool copy_bound(struct session *s, const struct copy *c, const struct ix_var *v,
                       const struct tensor *of, struct reach *out) {
    const struct predicate *found = NULL;
    for (int i = 0; i < c->facts.npred; ++i) {
        const struct predicate *p = &c->facts.pred[i];
        struct lay_int limit;
        int64_t each;
        if (found && (found->of == of || p->of != of)) continue;
        int64_t by = p->of && !p->front ? factor_of(s, p->at, v, &each) : 0;
        if (!by || !ix_monomial(p->limit, &limit)) continue;
        found = p;
        out->of = limit;
        out->by = by;
        out->each = each;
    }
    if (!found) return false;
    out->from = NULL;
    out->elements = out->each > 1 ? NULL : counts_elements(s, c, found->mode, out->by);
    set_tile(s, c, found, v, out);
    count_from_range(s, copy_side(c, c->src.base == found->of), out);
    return true;
}

static bool same_bound(const struct reach *a, const struct reach *b) {
    return a->by == b->by && a->each == b->each && lay_int_equal(a->of, b->of);
}

// Adds "b", a further copy's bound.  Two copies of a tensor may share its elements.
static bool join(struct reach *out, const struct reach *b, bool first) {
    if (!first && !same_bound(out, b)) return false;
    bool shared = !first && out->base == b->base;
    int64_t tile = first || b->tile > out->tile ? b->tile : out->tile;
    bool moved = !first && (!out->from || !b->from || !ix_equal(out->from, b->from));
    *out = *b;
    if (moved) out->from = NULL;
    out->tile = shared ? b->by : tile;
    return true;
}

// -- how many are asked for -----------------------------------------------------------------------

// Writes "n" as one for every num / den elements of "of", rounded up: M has one for each element, M
// / 64 one for 64, and 2*ceil_div(M,64) at least one for 32.
static bool one_for(struct session *s, struct lay_int n, struct lay_int of, int64_t *num,
                    int64_t *den) {
    *num = *den = 1;
    int64_t times = 1;
    if (n.nsyms == 1 && !n.syms[0]->name && !n.syms[0]->sum && n.num >= 1 && n.den == 1) {
        times = n.num;
        *num = n.syms[0]->by;
        n = n.syms[0]->of;
    }
    // a quotient must be a whole number: W / 2 of W
    int64_t whole;
    if (n.num <= 0 || __builtin_mul_overflow(of.den, n.num, &whole)) return false;
    struct lay_int rate = lay_int_div(&s->lay, lay_int_mul(&s->lay, of, lay_int(whole)), n);
    lay_clear_error(&s->lay);
    if (!lay_int_valid(rate) || rate.nsyms || rate.basis >= 0 || rate.num <= 0) return false;
    return !__builtin_mul_overflow(*num, rate.num, num) &&
           !__builtin_mul_overflow(rate.den, whole, &whole) &&
           !__builtin_mul_overflow(whole, times, den);
}

// How many values "b" needs, if that is a number; otherwise INT64_MAX.
static int64_t enough_for(const struct reach *b) {
    int64_t n;
    if (!lay_int_static(b->of) || __builtin_mul_overflow((b->of.num - 1) / b->by + 1, b->each, &n))
        return INT64_MAX;
    return n;
}

// Whether "n" is more than "b" needs, for every size of more than one tile.
static bool too_many(struct session *s, struct lay_int n, const struct reach *b) {
    int64_t num, den;
    if (lay_int_static(n) && lay_int_static(b->of)) return n.num > enough_for(b);
    return one_for(s, n, b->of, &num, &den) && b->by / 2 / b->each >= (num - 1) / den + 1;
}

// "n" with the sum that it may be a quotient of.
static const struct ix *written_out(struct session *s, struct lay_int n) {
    const struct lay_sym *y = n.nsyms == 1 && n.num >= 1 && n.den == 1 ? n.syms[0] : NULL;
    if (!y || y->name || y->sum) return ix_lay(s, n);
    return ix_scale(s, ix_div(s, ix_add(s, ix_lay(s, y->of), ix_int(s, y->by - 1)), lay_int(y->by)),
                    lay_int(n.num));
}

// What "b" needs; NULL: that is not known.
static const struct ix *enough_of(struct session *s, const struct reach *b) {
    struct lay_int enough = lay_int_ceil_div(&s->lay, b->of, lay_int(b->by));
    lay_clear_error(&s->lay);
    return lay_int_valid(enough) ? ix_scale(s, written_out(s, enough), lay_int(b->each)) : NULL;
}

// Whether "n" is more than "b" needs by one or more, for every size: ceil_div(N + 64, 64).
static bool one_more(struct lint *l, const struct ix *n, const struct reach *b) {
    const struct ix *enough = enough_of(l->s, b);
    if (!n || ix_static(n, NULL) || !enough) return false;
    return prove_at_least(lint_prover(l), n, ix_add(l->s, enough, ix_int(l->s, 1))) == PROVE_YES;
}

// Whether "n" counts something else, which is promised to be no less: ceil_div(ld, 64) where ld >= N.  Of a
// sum, one more may be enough.
static bool counts_larger(struct lint *l, struct lay_int n, const struct reach *b) {
    const struct ix *enough = enough_of(l->s, b), *of = written_out(l->s, n);
    if (!enough || lay_int_static(n) || lay_int_static(b->of)) return false;
    for (int i = 0; i < b->of.nsyms; ++i)
        if (ix_speaks_of(of, b->of.syms[i])) return false;
    for (int i = 0; i < l->p->nparams; ++i)
        if (l->p->param[i]->sum && ix_speaks_of(of, l->p->param[i]->sym)) return false;
    return prove_at_least(lint_prover(l), of, enough) == PROVE_YES &&
           prove_at_least(lint_prover(l), enough, of) != PROVE_YES;
}

// Whether "n" is more than "b" needs for every size, and the more the larger it is: 3*ceil_div(N, 64) for
// tiles of 32.
static bool more_and_more(struct lint *l, struct lay_int n, const struct reach *b) {
    int64_t num, den, all;
    if (lay_int_static(n) || !one_for(l->s, n, b->of, &num, &den)) return false;
    return !__builtin_mul_overflow(b->by / b->each, den, &all) && all > num &&
           one_more(l, written_out(l->s, n), b);
}

// Whether "b" needs a number of blocks, and most sizes have more than twice as many: R(M,2) at
// (0,block.x), with a block for every 8 of M.
static bool needs_number(struct lint *l, struct lay_int n, const struct reach *b) {
    if (lay_int_static(n) || !lay_int_static(b->of) || !b->from) return false;
    int64_t enough = enough_for(b);
    return enough < INT64_MAX / 2 && prove_at_least(lint_prover(l), ix_int(l->s, 2 * enough - 1),
                                                    written_out(l->s, n)) != PROVE_YES;
}

// Whether the last of "n" begins beyond the end for every size, and the first after the begin: tile
// block.x + 1.
static bool begins_late(struct lint *l, struct lay_int n, const struct reach *b) {
    struct session *s = l->s;
    if (!b->from || ix_equal(b->from, ix_int(s, 0))) return false;
    const struct ix *last = ix_sub(s, written_out(s, n), ix_int(s, 1));
    return prove_at_least(lint_prover(l), ix_add(s, ix_scale(s, last, lay_int(b->by)), b->from),
                          ix_lay(s, b->of)) == PROVE_YES;
}

// Whether "n" counts parts of another size than "b" has, some more than enough: ceil_div(N,128) of 132 elements each.
static bool counts_others(struct session *s, struct lay_int n, const struct reach *b) {
    int64_t num, den, lo, hi;
    if (lay_int_static(n) || b->each != 1 || !one_for(s, n, b->of, &num, &den)) return false;
    lay_int_range(b->of, &lo, &hi);
    return den == 1 && num > 1 && num < b->by && b->by % num != 0 && hi >= b->by;
}

static const char *enough_text(struct session *s, const struct reach *b) {
    int64_t n = enough_for(b);
    const char *tiles = coverage_tiles(s, b->of, b->by);
    if (b->each == 1) return tiles;
    if (n < INT64_MAX) return arena_printf(&s->arena, "%" PRId64, n);
    return arena_printf(&s->arena, "%" PRId64 "*%s", b->each, tiles);
}

static const char *each_text(struct session *s, const struct reach *b) {
    return b->each == 1 ? "each has"
                        : arena_printf(&s->arena, "each %" PRId64 " in a row have", b->each);
}

// Then fewer blocks or steps would be wrong, too.
static bool note_elements(struct session *s, const struct reach *b) {
    if (!b->elements) return false;
    diag_note(s, b->elements->at,
              "coordinates of 'local_tile' count tiles, not elements: these tiles begin at every "
              "%" PRId64 "th element",
              b->by);
    return true;
}

// Then fewer would leave the elements between two of them out as well.
static bool note_gap(struct session *s, const struct reach *b, struct range at) {
    if (b->tile >= b->by) return false;
    diag_note(s, at,
              "each moves %" PRId64 " of these %" PRId64
              " elements, and nothing moves the others: should they begin %" PRId64 " apart?",
              b->tile, b->by, b->tile);
    return true;
}

// -- blocks ---------------------------------------------------------------------------------------

// Blocks are judged by what they write to global memory.
static bool grid_bound(struct session *s, const struct kernel *k, const struct ix_var *v,
                       struct reach *out) {
    bool any = false;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        struct reach b;
        if (st->kind != STMT_COPY || st->copy->dst.base->space != MEM_GLOBAL) continue;
        if (!copy_bound(s, st->copy, v, st->copy->dst.base, &b) || !join(out, &b, !any))
            return false;
        any = true;
    }
    return any;
}

// Notes that the axes of the grid or the coordinates are exchanged in a tile that "k" writes.
static bool note_exchanged(struct session *s, const struct kernel *k, const struct ix_var *v) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && st->copy->dst.base->space == MEM_GLOBAL &&
            view_depends(&st->copy->dst, v) && coverage_note_tile(s, &st->copy->dst))
            return true;
    return false;
}

// Whether both end at the same value: one may begin later, and end as much later.
static bool same_end(struct session *s, const struct reach *a, const struct reach *b) {
    if (same_bound(a, b)) return true;
    return a->from && b->from && a->by == b->by &&
           ix_equal(ix_sub(s, ix_lay(s, a->of), a->from), ix_sub(s, ix_lay(s, b->of), b->from));
}

// A view of global memory that "v" moves and that "k" reads beyond what "b" reaches; NULL: there is none.
static const struct view *reads_beyond(struct session *s, const struct kernel *k,
                                       const struct ix_var *v, const struct reach *b) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        struct reach own;
        if (st->kind != STMT_COPY || st->copy->src.base->space != MEM_GLOBAL) continue;
        if (!view_depends(&st->copy->src, v) || st->copy->src.limit) continue;  // its own range
        if (!copy_bound(s, st->copy, v, st->copy->src.base, &own) || !same_end(s, &own, b))
            return &st->copy->src;
    }
    return NULL;
}

static void warn_late(struct session *s, const struct kernel *k, int axis, const struct reach *b) {
    diag_warn(s, W_IDLE_BLOCKS, k->grid_at[axis],
              "axis '%c' of the grid has %s blocks, and the last writes no element: it begins "
              "beyond all %s",
              "xyz"[axis], lay_int_text(&s->lay, k->grid[axis]), lay_int_text(&s->lay, b->of));
    diag_note(s, k->grid_at[axis],
              "the first begins at element %s of '%s', and none writes those before it; is the "
              "coordinate meant?",
              ix_text(s, b->from), b->base->name);
}

static void grid_waste(struct lint *l, int axis) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    struct reach b;
    if (!k->block[axis] || !grid_bound(s, k, k->block[axis], &b)) return;
    bool number = needs_number(l, k->grid[axis], &b);
    bool larger = counts_larger(l, k->grid[axis], &b);
    if (!number && !larger && !too_many(s, k->grid[axis], &b) &&
        !one_more(l, written_out(s, k->grid[axis]), &b) && !counts_others(s, k->grid[axis], &b)) {
        if (begins_late(l, k->grid[axis], &b)) warn_late(s, k, axis, &b);
        return;
    }
    int mode;
    const struct tensor *read =
        larger ? NULL : coverage_counted_by(s, k, k->block[axis], k->grid[axis], NULL, &mode);
    const struct view *other = reads_beyond(s, k, k->block[axis], &b);
    const char *enough = enough_text(s, &b);
    bool one = strcmp(enough, "1") == 0;
    diag_warn(s, W_IDLE_BLOCKS, k->grid_at[axis],
              "axis '%c' of the grid has %s blocks, and only the first %s%s: %s %" PRId64 " of %s",
              "xyz"[axis], lay_int_text(&s->lay, k->grid[axis]), one ? "" : enough,
              one ? "writes elements" : " write elements", each_text(s, &b), b.by,
              lay_int_text(&s->lay, b.of));
    if (read)
        diag_note(
            s, k->grid_at[axis],
            "there is one for each tile of '%s' along %s, so that fewer would not read all of it; "
            "is its coordinate meant?",
            read->name, view_mode_text(s, read, mode));
    else if (other)
        diag_note(s, other->at,
                  "a block beyond them reads other elements of '%s', which then come to nothing; "
                  "is the coordinate of what is written meant?",
                  other->base->name);
    else if (!note_elements(s, &b) && !note_gap(s, &b, k->grid_at[axis]) &&
             !note_exchanged(s, k, k->block[axis]) && !number)
        diag_fixit(s, k->grid_at[axis], enough);
}

// -- steps ----------------------------------------------------------------------------------------

// Iterations are judged by what they move to or from global memory.  "alone": they must do nothing
// else, as a few more iterations may be necessary for what is still in flight.
static bool loop_bound(struct session *s, const struct stmt *loop, bool alone, struct reach *out) {
    bool any = false;
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        const struct copy *c = st->copy;
        struct reach b;
        if (stmt_nests(st)) continue;
        bool global = c && (c->src.base->space == MEM_GLOBAL || c->dst.base->space == MEM_GLOBAL);
        if (!global && alone) return false;
        if (!global) continue;
        bool found = copy_bound(s, c, loop->var, NULL, &b);
        if (!found && loop->pipe && loop->pipe->load_var != loop->var)
            found = copy_bound(s, c, loop->pipe->load_var, NULL, &b);
        if (!found || !join(out, &b, !any)) return false;
        any = true;
    }
    return any;
}

static void loop_waste(struct lint *l, const struct stmt *loop) {
    struct session *s = l->s;
    struct reach b;
    struct lay_int n;
    int64_t from;
    bool plain = ix_monomial(loop->end, &n);
    if (!ix_static(loop->begin, &from) || from != 0 || !ix_constant(loop->end)) return;
    if (!loop_bound(s, loop, false, &b)) return;
    bool alone = loop_bound(s, loop, true, &b) || keeps_nothing(loop);
    if (!alone && (!plain || lay_int_static(n))) return;
    loop_bound(s, loop, false, &b);
    const struct ix *steps = plain ? written_out(s, n) : loop->end;
    if (!(plain && (too_many(s, n, &b) || more_and_more(l, n, &b))) &&
        !(alone && (one_more(l, steps, &b) ||
                    (plain && (counts_larger(l, n, &b) || counts_others(s, n, &b))))))
        return;
    const char *enough = enough_text(s, &b);
    bool one = strcmp(enough, "1") == 0;
    diag_warn(s, W_IDLE_BLOCKS, loop->end_at,
              "this loop has %s steps, and only the first%s%s elements of global memory: "
              "%s %" PRId64 " of %s",
              ix_text(s, loop->end), one ? "" : arena_printf(&s->arena, " %s", enough),
              one ? " moves" : " move", each_text(s, &b), b.by, lay_int_text(&s->lay, b.of));
    if (!note_elements(s, &b) && !note_gap(s, &b, loop->end_at))
        diag_fixit(s, loop->end_at, enough);
}

void lint_idle_blocks(struct lint *l) {
    const struct kernel *k = l->k;
    for (int axis = 0; axis < 3 && !k->device; ++axis) grid_waste(l, axis);
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (stmt_loops(st)) loop_waste(l, st);
}
