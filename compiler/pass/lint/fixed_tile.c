// A tensor of which one tile is read in every block or step: a block or a step is missing in the
// coordinate of the source.  Tiles of an output of its shape are written by blocks or steps, or there
// are as many blocks or steps as the tensor has tiles.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "pass/lint/reads.h"
#include "plan/view.h"

// How a kernel reads a tensor.
struct uses {
    int n;
    const struct stmt *copy;  // the last one that reads it
    int number;               // of that copy, in the order of the text
};

static struct uses uses_of(const struct kernel *k, const struct tensor *t) {
    struct uses x = {0};
    int copies = 0;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            x.n += st->call->view[i].base == t && !st->call->fill;
        if (st->kind != STMT_COPY) continue;
        if (st->copy->src.base == t) {
            ++x.n;
            x.copy = st;
            x.number = copies;
        }
        ++copies;
    }
    return x;
}

static int ncoords(const struct view *v) {
    return lay_valid(v->coord) ? lay_tuple_leaves(v->base->layout.shape) : 0;
}

// Whether "v" is the same in all blocks, threads and steps.
static bool is_fixed(const struct view *v) {
    for (int i = 0; i < ncoords(v); ++i)
        if (!v->coord_off[i] || !ix_constant(v->coord_off[i])) return false;
    return ncoords(v) > 0;
}

// Whether "v" is all of its tensor.
static bool is_whole(struct session *s, const struct view *v) {
    return lay_int_equal(lay_size(&s->lay, v->layout), lay_size(&s->lay, v->base->layout));
}

// The mode along which "b" moves, by blocks, warps or steps, and "a" does not; -1: there is none.
static int mode_apart(const struct view *a, const struct view *b) {
    for (int i = 0; i < ncoords(a) && i < ncoords(b); ++i) {
        const struct ix *of_a = a->coord_off[i], *of_b = b->coord_off[i];
        if (of_a && of_b && ix_constant(of_a) && !ix_constant(of_b) && !ix_depends(of_b, IX_TID) &&
            !ix_depends(of_b, IX_LANE))
            return i;
    }
    return -1;
}

// Whether "b" is a tile of an output like "a" of an input: same shape, or with a halo, in tensors of
// the same shape.
static bool is_alike(const struct view *a, const struct view *b) {
    return lay_valid(a->layout) && lay_valid(b->layout) && lay_valid(a->base->layout) &&
           lay_valid(b->base->layout) &&
           (a->halo || lay_tuple_equal(a->layout.shape, b->layout.shape)) &&
           lay_tuple_equal(a->base->layout.shape, b->base->layout.shape);
}

// The part of "t" to which elements that "c" reads go, if it is alike and moves.
static const struct view *written_alike(struct session *s, const struct kernel *k,
                                        const struct tensor *t, const struct copy *c) {
    const struct view *a = &c->src;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && st->copy->dst.base == t && is_alike(a, &st->copy->dst) &&
            mode_apart(a, &st->copy->dst) >= 0 && flow_reaches(s, k, c, st->copy))
            return &st->copy->dst;
    return NULL;
}

// "local_tile(B, ..)" with the name of "a"; NULL if "b" is written in another way.
static const char *as_tile_of(struct session *s, const struct view *a, const struct view *b) {
    const char *text = source_line(s, b->at), *begin = "local_tile(";
    size_t head = strlen(begin), name = strlen(b->base->name);
    if (strncmp(text, begin, head) != 0 || strncmp(text + head, b->base->name, name) != 0 ||
        text[head + name] != ',' || strncmp(source_line(s, a->at), begin, head) != 0)
        return NULL;
    return arena_printf(&s->arena, "%s%s%s", begin, a->base->name, text + head + name);
}

// -- as many blocks or steps as tiles -------------------------------------------------------------

// The place along "mode" where all reads of "t" are, each in a copy; NULL: they differ, or without
// "ranges" some are ranges, which name a part.
static const struct ix *only_place(const struct kernel *k, const struct tensor *t, int mode,
                                   bool ranges) {
    const struct ix *at = NULL;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t) return NULL;
        if (st->kind != STMT_COPY || st->copy->src.base != t) continue;
        const struct view *v = &st->copy->src;
        if (mode >= ncoords(v) || !v->coord_off[mode]) return NULL;
        if (v->limit && (!ranges || v->range_of_range)) return NULL;
        if (!ix_constant(v->coord_off[mode]) || (at && !ix_equal(at, v->coord_off[mode])))
            return NULL;
        at = v->coord_off[mode];
    }
    return at;
}

static bool depends(const struct view *v, const struct ix_var *x) {
    for (int i = 0; i < ncoords(v); ++i)
        if (v->coord_off[i] && ix_depends_on(v->coord_off[i], x)) return true;
    return false;
}

// Whether a tensor in global memory is cut by "x".
static bool moves_another(const struct kernel *k, const struct ix_var *x) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        for (int i = 0; st->kind == STMT_COPY && i < 2; ++i)
            if (copy_side(st->copy, i)->base->space == MEM_GLOBAL &&
                depends(copy_side(st->copy, i), x))
                return true;
    return false;
}

// How many steps of "loop" there are for each of "n"; 0: that is not known, or with numbers not 1.
static int64_t steps_each(struct session *s, const struct stmt *loop, struct lay_int n) {
    struct lay_int count;
    int64_t from;
    if (!ix_static(loop->begin, &from) || from != 0 || !ix_monomial(loop->end, &count)) return 0;
    if (lay_int_equal(count, n)) return 1;
    if (lay_int_static(n)) return 0;
    struct lay_int each = lay_int_div(&s->lay, count, n);
    lay_clear_error(&s->lay);
    return lay_int_valid(each) && lay_int_static(each) && each.den == 1 ? each.num : 0;
}

// The variable of "loop", if it has "n" values, or with "each" so many for each of "n", and does not move "a"; or NULL.
static const struct ix_var *counts(struct session *s, const struct stmt *loop, const struct view *a,
                                   struct lay_int n, int64_t *each) {
    int64_t m = loop->var ? steps_each(s, loop, n) : 0;
    if (each) *each = m;
    if (m < 1 || (m > 1 && !each)) return NULL;
    const struct ix_var *x = loop->pipe && loop->pipe->load_var ? loop->pipe->load_var : loop->var;
    return depends(a, loop->var) || depends(a, x) ? NULL : loop->var;
}

// How many tiles the tensor of "a" has along "mode"; invalid: it is not known.
static struct lay_int tiles_along(struct session *s, const struct view *a, int mode,
                                  struct lay_int *extent, int64_t *tile) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, a->base->layout.shape);
    const struct ix *lo, *hi;
    view_reach(s, a, mode, &lo, &hi);
    if (!lo || !hi || !ix_static(ix_sub(s, hi, lo), tile)) return LAY_INT_INVALID;
    ++*tile;
    *extent = lay_is_leaf(flat) ? flat->leaf : lay_tuple_get(&s->lay, flat, mode)->leaf;
    struct lay_int n = lay_int_ceil_div(&s->lay, *extent, lay_int(*tile));
    lay_clear_error(&s->lay);
    return n;
}

static void note_counter(struct session *s, const struct view *a, int mode, const struct ix_var *x,
                         int64_t each) {
    const char *at =
        each == 1 ? x->name : arena_printf(&s->arena, "%s / %lld", x->name, (long long)each);
    diag_note(s, a->at, "with '%s' as the coordinate along %s, all of them are read", at,
              view_mode_text(s, a->base, mode));
}

// The variable of a loop around "st" that counts the tiles of what "st" reads along "mode", and moves
// neither that nor "b"; NULL: there is none.
static const struct ix_var *idle_step(struct session *s, const struct stmt *st,
                                      const struct view *b, int mode) {
    struct lay_int extent;
    const struct ix_var *x;
    int64_t tile;
    struct lay_int n = tiles_along(s, &st->copy->src, mode, &extent, &tile);
    for (const struct stmt *up = st->up; up && lay_int_valid(n); up = up->up)
        if (stmt_loops(up) && (x = counts(s, up, &st->copy->src, n, NULL)) && !depends(b, x))
            return x;
    return NULL;
}

static void warn(struct session *s, const struct kernel *k, const struct uses *x,
                 const struct view *b) {
    const struct view *a = &x->copy->copy->src;
    int mode = mode_apart(a, b);
    const char *at = ix_text(s, b->coord_off[mode]);
    bool block = ix_depends_if(b->coord_off[mode], ix_is_block);
    if (block && is_fixed(a))
        diag_warn(s, W_FIXED_TILE, a->at,
                  "every block reads the same part of '%s', and '%s', which has the same shape, is "
                  "written by parts of the blocks",
                  a->base->name, b->base->name);
    else
        diag_warn(s, W_FIXED_TILE, a->at,
                  "'%s' is only read at %s along mode %d, and '%s', which has the same shape, is "
                  "written at %s",
                  a->base->name, ix_text(s, a->coord_off[mode]), mode, b->base->name, at);
    const struct ix_var *step = idle_step(s, x->copy, b, mode);
    const char *text = step ? NULL : as_tile_of(s, a, b);
    if (block)
        diag_note(s, b->at, "this part of '%s' depends on the block", b->base->name);
    else
        diag_note(s, b->at, "this part of '%s' begins at %s along mode %d", b->base->name, at,
                  mode);
    if (step) note_counter(s, a, mode, step, 1);
    if (!text || strcmp(text, source_line(s, a->at)) == 0) return;
    diag_note(s, a->at, "'%s' is the part of '%s' at the same place", text, a->base->name);
    diag_fixit(s, a->at, text);
    diag_claim(s, (struct claim){k->name, x->number, 0, CHEAPER_NOT, false, false, false});
}

// Whether a function gets elements of "t" in "loop".
static bool is_passed_in(const struct stmt *loop, const struct tensor *t) {
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st))
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t) return true;
    return false;
}

// A variable of the grid, of a loop around "st", or of one in which a function gets what "st" copies,
// that has "n" values, or "each" for each of them, and does not move what "st" reads; NULL: there is none.
static const struct ix_var *idle_counter(struct session *s, const struct kernel *k,
                                         const struct stmt *st, struct lay_int n, int64_t *each) {
    const struct view *a = &st->copy->src;
    const struct ix_var *found;
    *each = 1;
    for (int i = 0; i < 3; ++i) {
        const struct ix_var *x = k->block[i];
        if (x && lay_int_equal(k->grid[i], n) && !depends(a, x) && moves_another(k, x)) return x;
    }
    for (const struct stmt *up = st->up; up; up = up->up)
        if (stmt_loops(up) && (found = counts(s, up, a, n, each))) return found;
    // with numbers, as many steps of another loop may be a coincidence
    for (const struct stmt *x = k->body; x && !lay_int_static(n); x = stmt_next(k->body, x))
        if (stmt_loops(x) && x != st->up && is_passed_in(x, st->copy->dst.base) &&
            (found = counts(s, x, a, n, each)))
            return found;
    return NULL;
}

static bool warn_counted(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct view *a = &st->copy->src;
    const struct tensor *t = a->base;
    for (int i = 0; i < ncoords(a); ++i) {
        const struct ix *at;
        struct lay_int extent;
        int64_t tile, each;
        if (!a->coord_off[i]) continue;
        struct lay_int n = tiles_along(s, a, i, &extent, &tile);
        if (!lay_int_valid(n) || lay_int_is(n, 1)) continue;
        // of numbers, as many tiles as blocks may be a coincidence
        at = only_place(k, t, i, !lay_int_static(n));
        if (!at) continue;
        const struct ix_var *x = idle_counter(s, k, st, n, &each);
        if (!x) continue;
        diag_warn(
            s, W_FIXED_TILE, a->at,
            "'%s' is only read at %s along %s, where it has %s tiles, and '%s' counts %s", t->name,
            ix_text(s, at), view_mode_text(s, t, i), coverage_tiles(s, extent, tile), x->name,
            each == 1 ? "as many" : arena_printf(&s->arena, "%lld for each", (long long)each));
        note_counter(s, a, i, x, each);
        return true;
    }
    return false;
}

// -- steps that are alike -------------------------------------------------------------------------

static bool statement_depends(const struct stmt *st, const struct ix_var *x) {
    if (stmt_loops(st)) return ix_depends_on(st->begin, x) || ix_depends_on(st->end, x);
    if (st->kind == STMT_COPY)
        return view_depends(&st->copy->src, x) || view_depends(&st->copy->dst, x);
    if (st->kind != STMT_CALL) return false;
    bool depends = false;
    for (int i = 0; i < st->call->fn->nformals; ++i) depends |= view_depends(&st->call->view[i], x);
    for (int i = 0; i < st->call->fn->nindexes; ++i)
        depends |= ix_depends_on(st->call->index[i], x);
    return depends;
}

// Warns of a loop or a pipeline that reads the same part of an input in each step, and in which nothing
// depends on the step.
static void alike(struct session *s, const struct kernel *k, const struct stmt *loop) {
    const struct view *v = NULL;
    if (!has_many_steps(s, loop) || (loop->kind == STMT_FOR && repeats(loop))) return;
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        if (statement_depends(st, loop->var)) return;
        if (loop->pipe && loop->pipe->load_var && statement_depends(st, loop->pipe->load_var))
            return;
        const struct formal *f =
            st->kind == STMT_COPY ? kernel_formal(k, st->copy->src.base) : NULL;
        if (!v && f && st->copy->src.base->space == MEM_GLOBAL && formal_is_constant(k, f))
            v = &st->copy->src;
    }
    if (!v) return;
    diag_warn(s, W_FIXED_TILE, v->at,
              "each step of the loop over '%s' reads the same part of '%s': nothing in the loop "
              "depends on '%s'",
              loop->var->name, v->base->name, loop->var->name);
    diag_note(s, loop->at, "'%s' should be in a coordinate, or '%s' be read before the loop",
              loop->var->name, v->base->name);
}

// The part of an output that is written where "x", the only read of "t", stands still; or NULL.
static const struct view *output_alike(struct session *s, const struct kernel *k,
                                       const struct tensor *t, struct uses *x) {
    const struct view *b = NULL;
    *x = uses_of(k, t);
    if (!x->copy || x->n != 1 || is_whole(s, &x->copy->copy->src)) return NULL;
    for (int j = 0; j < k->nformals && !b; ++j)
        if (k->formal[j].dir == ARG_OUT)
            b = written_alike(s, k, k->formal[j].tensor, x->copy->copy);
    return b;
}

bool fixed_tile_known(struct session *s, const struct kernel *k, const struct tensor *t) {
    struct uses x;
    return !k->device && !t->stages && !s->diags.off[W_FIXED_TILE] && output_alike(s, k, t, &x);
}

// Whether "st" alone writes to the buffer that it fills, in "loop".
static bool fills_alone(const struct stmt *loop, const struct stmt *st) {
    const struct tensor *t = st->copy->dst.base;
    for (const struct stmt *x = loop->body; x; x = stmt_next(loop->body, x)) {
        if (x->kind == STMT_COPY && x != st && x->copy->dst.base == t) return false;
        for (int i = 0; x->kind == STMT_CALL && i < x->call->fn->nformals; ++i)
            if (x->call->view[i].base == t && x->call->fn->formal[i].dir != ARG_IN) return false;
    }
    return true;
}

// Whether "loop" moves a part of an output to which go elements of "st", a read of a part like it.  No function gets the
// step: it might choose by it.
static bool writes_alike(struct session *s, const struct kernel *k, const struct stmt *loop,
                         const struct stmt *st) {
    bool alike = false;
    for (const struct stmt *x = loop->body; x; x = stmt_next(loop->body, x)) {
        const struct view *b = x->kind == STMT_COPY ? &x->copy->dst : NULL;
        if (x->kind == STMT_CALL && statement_depends(x, loop->var)) return false;
        alike |= b && b->base->space == MEM_GLOBAL && is_alike(&st->copy->src, b) &&
                 view_depends(b, loop->var) && flow_reaches(s, k, st->copy, x->copy);
    }
    return alike;
}

// Whether "loop" moves another copy from global memory, by "tile" elements along a mode of "extent".
static bool moves_as_many(struct session *s, const struct stmt *loop, struct lay_int extent,
                          int64_t tile) {
    const struct ix_var *x = loop->pipe && loop->pipe->load_var ? loop->pipe->load_var : loop->var;
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        const struct view *a = st->kind == STMT_COPY ? &st->copy->src : NULL;
        for (int i = 0; a && a->base->space == MEM_GLOBAL && i < ncoords(a); ++i) {
            struct lay_int other;
            int64_t by;
            if (!a->coord_off[i] || !ix_depends_on(a->coord_off[i], x)) continue;
            struct lay_int n = tiles_along(s, a, i, &other, &by);
            if (lay_int_valid(n) && lay_int_equal(other, extent) && by == tile) return true;
        }
    }
    return false;
}

// Warns of the copy "st" in "loop" if it fills a buffer with the same part of an input in each step,
// and the input has as many tiles as the loop has steps.
static void filled_again(struct session *s, const struct kernel *k, const struct stmt *loop,
                         const struct stmt *st) {
    const struct view *a = &st->copy->src;
    const struct formal *f = kernel_formal(k, a->base);
    const struct stmt *up = st->up && st->up->kind == STMT_PART ? st->up->up : st->up;
    if (up != loop || !f || !formal_is_constant(k, f)) return;
    if (st->copy->dst.base->space == MEM_GLOBAL) return;
    if (view_depends(&st->copy->dst, loop->var)) return;
    bool alike = writes_alike(s, k, loop, st);
    if (!alike && !fills_alone(loop, st)) return;
    for (int i = 0; i < ncoords(a); ++i) {
        struct lay_int extent;
        int64_t tile;
        if (!a->coord_off[i] || (!alike && ix_constant(a->coord_off[i]))) continue;
        struct lay_int n = tiles_along(s, a, i, &extent, &tile);
        if (!lay_int_valid(n) || lay_int_is(n, 1) || !counts(s, loop, a, n, NULL)) continue;
        // with numbers, as many steps may be a coincidence
        if (lay_int_static(n) && !moves_as_many(s, loop, extent, tile)) continue;
        diag_warn(s, W_FIXED_TILE, a->at,
                  "each step of the loop over '%s' copies the same part of '%s' to '%s'; along %s "
                  "'%s' has %s tiles, and '%s' counts as many",
                  loop->var->name, a->base->name, st->copy->dst.base->name,
                  view_mode_text(s, a->base, i), a->base->name, coverage_tiles(s, extent, tile),
                  loop->var->name);
        diag_note(s, loop->at,
                  "'%s' should be in the coordinate, or the copy stand before the loop",
                  loop->var->name);
        return;
    }
}

// Warns of "t" if what is read of it stands still along a mode.
static bool look_at(struct reads *r, const struct tensor *t) {
    struct session *s = r->s;
    const struct kernel *k = r->k;
    struct uses x;
    if (t->stages) return false;
    const struct view *b = output_alike(s, k, t, &x);
    if (b) warn(s, k, &x, b);
    if (b || t->space != MEM_GLOBAL) return b;
    return (x.copy && !is_whole(s, &x.copy->copy->src) && warn_counted(s, k, x.copy)) ||
           beside(r, t);
}

void lint_fixed_tile(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    bool warned = false;
    if (k->device) return;
    struct reads *r = reads_of(l);
    for (int i = 0; i < k->nformals; ++i) {
        const struct tensor *t = k->formal[i].tensor;
        if (k->formal[i].dir == ARG_IN && t && t->space == MEM_GLOBAL) warned |= look_at(r, t);
    }
    for (int i = 0; i < k->nlocal; ++i)
        if (space_is_shared(k->local[i]->space)) warned |= look_at(r, k->local[i]);
    warned = warned || alike_sums(r);
    for (const struct stmt *st = k->body; st && !warned && !has_no_output(k);
         st = stmt_next(k->body, st)) {
        if (stmt_loops(st) && st->var) alike(s, k, st);
        for (const struct stmt *x = st->body; x && stmt_loops(st) && st->var;
             x = stmt_next(st->body, x))
            if (x->kind == STMT_COPY) filled_again(s, k, st, x);
    }
    lay_clear_error(&s->lay);
}
