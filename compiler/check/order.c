// The race checker (see order.h).
//
// The threads of a block go through a node together; what stands between two barriers is an epoch,
// and two accesses of different threads to one piece are in order when their epochs differ.  An
// asynchronous copy belongs to a group; it is an access of the epoch in which its thread has waited
// for the group, and none before that is in order with it.  A piece is as long as the narrowest
// access to its buffer, and every access is a multiple of it at a multiple of it.
//
// A loop whose variable no address depends on takes a few iterations: the third finds what the
// second did.  The block is gone through in several turns, one for each number of steps that a
// pipeline of S stages is tried with: 0, 1, S and S + 2 or 3, as far as it can have so many.  One
// that stands within another one takes another of these numbers in each turn, so that nested ones
// multiply few steps, and each is seen with many.  A turn ends after OPERATIONS, and what it has
// not come to is left: how much is executed depends on the Kernel IR alone.
#include "check/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "image/sample.h"
#include "layout/algebra.h"
#include "machine/columns.h"

enum { SAME_STEPS = 4 };               // of a loop whose steps touch the same
enum { FEW_STEPS = 2 };                // of a loop that may have more than the params say
enum { TURNS = 4 };                    // see steps_in
#define OPERATIONS ((int64_t)1 << 18)  // of threads in a turn: then the rest is left
enum { FIRST_PIECES = 1024, FIRST_GROUPS = 64, HASH_SHIFT = 20 };
#define HASH_FACTOR ((uint64_t)0x9e3779b97f4a7c15u)

struct mark {
    const struct kir_node *node;  // NULL: none
    int32_t thread, epoch;
    int32_t group;  // -1: not asynchronous
};

struct cell {
    struct mark write, read[2], async_read[2];
};

// What is known of a buffer; of one whose size is not this function's in a table by piece.
struct shadow {
    const struct kir_buffer *buf;
    int64_t piece;  // bytes
    int64_t cells, used;
    struct cell *cell;
    int64_t *key;  // in a table: the piece of each place, -1: free; else NULL
};

struct run {
    struct session *s;
    const struct kir_kernel *k;
    struct columns *columns;
    int64_t active;
    const bool *off;  // threads that a condition leaves out, NULL: none
    struct shadow *shadow;
    int nshadows;
    int32_t epoch, commits;
    int32_t *done;  // by group: the epoch in which it was waited for, -1: it was not
    int32_t cap_done;
    int32_t calls;
    int turn;
    int depth;    // pipelines around what runs
    bool beyond;  // see order_check
    bool exact;   // see order_confirm
    bool *same;   // the turns before this one that go through the same steps, as far as is known
    int64_t operations;
    struct order_fault *fault;
    bool failed;
};

static bool trouble(struct run *r, const char *why) {
    r->failed = true;
    *r->fault = (struct order_fault){.trouble = why};
    return false;
}

// The value for each thread below "active" that is not "off".
static bool value_for(struct run *r, const struct ix *e, int64_t active, const bool *off,
                      struct column *out) {
    if (columns_eval(r->columns, e, active, off, out)) return true;
    trouble(r, arena_printf(&r->s->arena, "'%s' has no value", ix_text(r->s, e)));
    r->fault->no_value = true;
    return false;
}

// The value that all threads have.
static bool value_of(struct run *r, const struct ix *e, int64_t *out) {
    struct column x;
    if (!value_for(r, e, r->k->threads, NULL, &x)) return false;
    *out = column_value(&x, 0);
    return true;
}

// Adds to "off" the threads for which a condition does not hold.
static bool leave_out(struct run *r, const struct kir_cond *cond, int nconds, bool *off) {
    for (int i = 0; i < nconds; ++i) {
        struct column a, b;
        if (!value_for(r, cond[i].a, r->k->threads, off, &a) ||
            !value_for(r, cond[i].b, r->k->threads, off, &b))
            return false;
        for (int64_t t = 0; t < r->k->threads; ++t)
            off[t] = off[t] || column_value(&a, t) >= column_value(&b, t);
    }
    return true;
}

// -- memory ---------------------------------------------------------------------------------------

// Whether accesses to "b" have to be in order: shared memory, and what is both read and written.
static bool is_tracked(const struct kir_buffer *b) {
    return b && (b->space == KIR_SHARED || (b->space == KIR_GLOBAL && b->read && b->written));
}

static struct shadow *shadow_of(struct run *r, const struct kir_buffer *b) {
    for (int i = 0; i < r->nshadows; ++i) {
        if (r->shadow[i].buf == b) return &r->shadow[i];
    }
    return NULL;
}

static void add_shadow(struct run *r, const struct kir_buffer *b, int64_t bytes) {
    if (!is_tracked(b)) return;
    struct shadow *x = shadow_of(r, b);
    if (!x) {
        x = &r->shadow[r->nshadows++];
        *x = (struct shadow){.buf = b, .piece = bytes};
    }
    if (bytes < x->piece) x->piece = bytes;
}

static int count_nodes(const struct kir_node *list) {
    int n = 0;
    for (const struct kir_node *x = list; x; x = x->next)
        n += 2 + x->nargs + count_nodes(x->body) + count_nodes(x->orelse);
    return n;
}

static void find_buffers(struct run *r, const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->bits) {
            add_shadow(r, n->buf, n->bits / 8);
            add_shadow(r, n->to_buf, n->bits / 8);
        }
        for (int i = 0; i < n->nargs; ++i) {
            if (n->arg[i].buf) add_shadow(r, n->arg[i].buf, n->arg[i].buf->elem_bits / 8);
        }
        find_buffers(r, n->body);
        find_buffers(r, n->orelse);
    }
}

static void make_cells(struct shadow *x) {
    if (x->buf->space == KIR_GLOBAL || x->buf->outside) {
        x->cells = FIRST_PIECES;
        x->key = memory_new(sizeof *x->key * (size_t)x->cells);
        for (int64_t i = 0; i < x->cells; ++i) x->key[i] = -1;
    } else {
        int64_t bytes = x->buf->count * x->buf->elem_bits / 8;
        x->cells = (bytes + x->piece - 1) / x->piece;
    }
    x->cell = memory_zeroed((size_t)x->cells, sizeof *x->cell);
}

static int64_t slot_of(const struct shadow *x, int64_t piece) {
    uint64_t i = (uint64_t)piece * HASH_FACTOR >> HASH_SHIFT, mask = (uint64_t)x->cells - 1;
    while (x->key[i & mask] >= 0 && x->key[i & mask] != piece) ++i;
    return (int64_t)(i & mask);
}

static void grow(struct shadow *x) {
    struct shadow old = *x;
    x->cells *= 2;
    x->key = memory_new(sizeof *x->key * (size_t)x->cells);
    x->cell = memory_zeroed((size_t)x->cells, sizeof *x->cell);
    for (int64_t i = 0; i < x->cells; ++i) x->key[i] = -1;
    for (int64_t i = 0; i < old.cells; ++i) {
        if (old.key[i] < 0) continue;
        int64_t to = slot_of(x, old.key[i]);
        x->key[to] = old.key[i];
        x->cell[to] = old.cell[i];
    }
    memory_free(old.key);
    memory_free(old.cell);
}

static struct cell *cell_of(struct run *r, struct shadow *x, int64_t piece) {
    if (!x->key) {
        if (piece >= 0 && piece < x->cells) return &x->cell[piece];
        trouble(r, arena_printf(&r->s->arena, "an access outside '%s'", x->buf->name));
        return NULL;
    }
    if (2 * x->used >= x->cells) grow(x);
    int64_t i = slot_of(x, piece);
    if (x->key[i] < 0) {
        x->key[i] = piece;
        ++x->used;
    }
    return &x->cell[i];
}

// -- order ----------------------------------------------------------------------------------------

static bool report(struct run *r, enum order_missing missing, const struct mark *a, bool a_writes,
                   const struct mark *b, bool b_writes, const struct shadow *x, int64_t piece) {
    r->failed = true;
    *r->fault = (struct order_fault){
        missing,
        {a->node, a->thread, a_writes, a->group >= 0},
        {b->node, b->thread, b_writes, b->group >= 0},
        x->buf,
        piece * x->piece,
        x->piece,
        a->group >= 0 ? r->commits - a->group - 1 : 0,
        NULL,
    };
    return false;
}

// Whether a barrier stands between the end of "a" and what comes now.
static bool is_over(const struct run *r, const struct mark *a) {
    int32_t end = a->group >= 0 ? r->done[a->group] : a->epoch;
    return end >= 0 && end < r->epoch;
}

// Whether "b" comes after "a", an access to the same piece.
static bool in_order(struct run *r, const struct mark *a, bool a_writes, const struct mark *b,
                     bool b_writes, const struct shadow *x, int64_t piece) {
    if (!a->node) return true;
    if (a->group >= 0 && r->done[a->group] < 0)
        return report(r, ORDER_WAIT, a, a_writes, b, b_writes, x, piece);
    // a call has a number as if it were a thread: it sees to itself
    if (is_over(r, a) || a->thread == b->thread) return true;
    return report(r, ORDER_BARRIER, a, a_writes, b, b_writes, x, piece);
}

static bool touch_piece(struct run *r, struct shadow *x, int64_t piece, const struct mark *m,
                        bool write) {
    struct cell *c = cell_of(r, x, piece);
    if (!c) return false;
    // what several threads write to a global tensor are different elements
    bool ordered = write && x->buf->space == KIR_GLOBAL;
    if (!ordered && !in_order(r, &c->write, true, m, write, x, piece)) return false;
    if (!write) {
        // two readers that are not over are enough: a writer is not both of them
        struct mark *kept = m->group >= 0 ? c->async_read : c->read;
        kept[kept->node && !is_over(r, kept) && kept->thread != m->thread] = *m;
        return true;
    }
    for (int i = 0; i < 2; ++i) {
        if (!in_order(r, &c->read[i], false, m, true, x, piece) ||
            !in_order(r, &c->async_read[i], false, m, true, x, piece))
            return false;
    }
    *c = (struct cell){.write = *m};
    return true;
}

// "bytes" from element "at" on; "x" NULL: of a buffer that is not tracked.
static bool touch(struct run *r, const struct kir_node *n, struct shadow *x, int64_t at,
                  int64_t bytes, int64_t thread, bool write, bool async) {
    if (!x) return true;
    struct mark m = {n, (int32_t)thread, r->epoch, async ? r->commits : -1};
    int64_t first = at * (x->buf->elem_bits / 8);
    for (int64_t i = first / x->piece; i * x->piece < first + bytes; ++i) {
        if (!touch_piece(r, x, i, &m, write)) return false;
    }
    return true;
}

// -- nodes ----------------------------------------------------------------------------------------

// "idle": threads that read nothing.  "read": elements that each other thread reads; NULL: all.
static bool touch_by(struct run *r, const struct kir_node *n, bool reads, bool writes,
                     const bool *idle, const int *read) {
    const struct kir_buffer *to = n->kind == KIR_STORE ? n->buf : n->to_buf;
    const struct ix *to_at = n->kind == KIR_STORE ? n->at : n->to_at;
    struct shadow *source = reads ? shadow_of(r, n->buf) : NULL, *target = shadow_of(r, to);
    bool async = n->kind == KIR_ASYNC;
    struct column at, where;
    if (reads && !value_for(r, n->at, r->active, idle, &at)) return false;
    if (writes && !value_for(r, to_at, r->active, r->off, &where)) return false;
    for (int64_t t = 0; t < r->active; ++t) {
        if (r->off && r->off[t]) continue;
        int64_t bytes = read ? (int64_t)read[t] * n->buf->elem_bits / 8 : n->bits / 8;
        if (reads && !(idle && idle[t]) &&
            !touch(r, n, source, column_value(&at, t), bytes, t, false, async))
            return false;
        if (writes && !touch(r, n, target, column_value(&where, t), n->bits / 8, t, true, async))
            return false;
    }
    r->operations += r->active;
    return true;
}

// How many elements each thread reads that is not "idle"; one that reads none becomes it.
static bool read_by(struct run *r, const struct kir_node *n, bool *idle, int *read) {
    struct column a, b;
    if (!value_for(r, n->cut->a, r->k->threads, idle, &a) ||
        !value_for(r, n->cut->b, r->k->threads, idle, &b))
        return false;
    for (int64_t t = 0; t < r->k->threads; ++t) {
        if (idle[t]) continue;
        read[t] = kir_cut(n, column_value(&a, t), column_value(&b, t));
        idle[t] = read[t] == 0;
    }
    return true;
}

static bool run_access(struct run *r, const struct kir_node *n) {
    bool reads = n->kind != KIR_STORE && is_tracked(n->buf);
    bool writes = n->kind != KIR_LOAD && is_tracked(n->kind == KIR_STORE ? n->buf : n->to_buf);
    if (!reads && !writes) return true;
    if (!reads || (n->nconds == 0 && !n->cut)) return touch_by(r, n, reads, writes, r->off, NULL);
    struct arena_mark mark = arena_mark(&r->s->arena);
    bool *idle = ARENA_ARRAY(&r->s->arena, bool, r->k->threads);
    for (int64_t t = 0; t < r->k->threads; ++t) idle[t] = t >= r->active || (r->off && r->off[t]);
    int *read = n->cut ? ARENA_ARRAY(&r->s->arena, int, r->k->threads) : NULL;
    if (!leave_out(r, n->cond, n->nconds, idle) || (read && !read_by(r, n, idle, read)) ||
        !touch_by(r, n, reads, writes, idle, read))
        return false;
    arena_rewind(&r->s->arena, mark);
    return true;
}

// All elements of its arguments, by who knows which thread.
static bool run_call(struct run *r, const struct kir_node *n) {
    int32_t who = -++r->calls;
    for (int i = 0; i < n->nargs; ++i) {
        const struct kir_arg *a = &n->arg[i];
        int64_t at, off;
        if (!a->buf || !is_tracked(a->buf)) continue;
        struct shadow *x = shadow_of(r, a->buf);
        struct lay_int size = lay_size(&r->s->lay, a->layout);
        if (!lay_int_static(size) || !value_of(r, a->at, &at))
            return trouble(r, "an argument whose size is not known");
        for (int64_t e = 0; e < size.num; ++e) {
            if (!lay_eval(&r->s->lay, lay_inner(a->layout), e, &off))
                return trouble(r, "an argument without values");
            off = lay_swizzle_apply(a->layout.sw, at + off);
            int64_t bytes = a->buf->elem_bits / 8;
            if (a->read && !touch(r, n, x, off, bytes, who, false, false)) return false;
            if (a->written && !touch(r, n, x, off, bytes, who, true, false)) return false;
        }
        r->operations += size.num;
    }
    return true;
}

static bool run_commit(struct run *r) {
    if (++r->commits == r->cap_done) {
        int32_t cap = 2 * r->cap_done;
        r->done = memory_again(r->done, sizeof *r->done * (size_t)cap);
        r->cap_done = cap;
    }
    r->done[r->commits] = -1;
    return true;
}

static void run_wait(struct run *r, int pending) {
    for (int32_t g = r->commits - pending - 1; g >= 0 && r->done[g] < 0; --g) r->done[g] = r->epoch;
}

// -- loops ----------------------------------------------------------------------------------------

// Marks in "on" the variables in "list" that depend on marked ones; whether a tracked address does.
static bool addresses_depend(const struct kir_node *list, bool *on);

static bool depends(const struct ix *e, const bool *on) {
    if (!e) return false;
    switch (e->op) {
    case IX_VAR: return on[e->var->id];
    case IX_DIV:
    case IX_MOD:
    case IX_SWZ: return depends(e->a, on);
    case IX_SUM: break;
    }
    for (int i = 0; i < e->nterms; ++i) {
        if (depends(e->term[i].atom, on)) return true;
    }
    return false;
}

static bool addresses_depend(const struct kir_node *list, bool *on) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->kind == KIR_LET && depends(n->index, on)) on[n->var->id] = true;
        for (int i = 0; i < n->ncarries; ++i) {
            if (depends(n->carry[i].first, on) || depends(n->carry[i].step, on))
                on[n->carry[i].var->id] = true;
        }
        if (is_tracked(n->buf) && depends(n->at, on)) return true;
        if (is_tracked(n->to_buf) && depends(n->to_at, on)) return true;
        for (int i = 0; i < n->nargs; ++i) {
            if (is_tracked(n->arg[i].buf) && depends(n->arg[i].at, on)) return true;
        }
        if (depends(n->begin, on) || depends(n->end, on)) return true;
        for (int i = 0; i < n->nconds; ++i) {
            if (depends(n->cond[i].a, on) || depends(n->cond[i].b, on)) return true;
        }
        if (n->cut && (depends(n->cut->a, on) || depends(n->cut->b, on))) return true;
        if (addresses_depend(n->body, on) || addresses_depend(n->orelse, on)) return true;
    }
    return false;
}

static bool steps_are_alike(struct run *r, const struct kir_node *n) {
    struct arena_mark mark = arena_mark(&r->s->arena);
    bool *on = ARENA_ARRAY(&r->s->arena, bool, r->s->next_var);
    on[n->var->id] = true;
    bool depend = addresses_depend(n->body, on);
    arena_rewind(&r->s->arena, mark);
    return !depend;
}

static bool run_list(struct run *r, const struct kir_node *list);

// Brings the offsets that go along with loop "n" to its next iteration, or its first.
static bool run_carry(struct run *r, const struct kir_node *n, bool first) {
    for (int j = 0; j < n->ncarries; ++j) {
        const struct kir_carry *c = &n->carry[j];
        struct column by;
        if (!value_for(r, first ? c->first : c->step, r->k->threads, r->off, &by)) return false;
        if (first)
            columns_let(r->columns, c->var, &by, r->off);
        else if (!columns_add(r->columns, c->var, &by, r->off))
            return trouble(r, "an offset that goes along with a loop goes too far");
    }
    return true;
}

static bool run_loop(struct run *r, const struct kir_node *n) {
    int64_t begin, end;
    if (!value_of(r, n->begin, &begin) || !value_of(r, n->end, &end)) return false;
    bool short_cut = !n->whole && !r->exact && end - begin > SAME_STEPS;
    if (short_cut && steps_are_alike(r, n)) end = begin + SAME_STEPS;
    int64_t few = n->most < FEW_STEPS ? n->most : FEW_STEPS;
    if (few > n->end->hi - begin) few = n->end->hi - begin;
    if (r->beyond && end - begin < few) end = begin + few;
    r->depth += n->whole;
    for (int64_t i = begin; i < end && r->operations < OPERATIONS; ++i) {
        columns_set(r->columns, n->var, i);
        for (int j = 0; j < n->nrings; ++j)
            columns_set(r->columns, n->ring[j].var,
                        (n->ring[j].first + i - begin) % n->ring[j].size);
        if (!run_carry(r, n, i == begin)) return false;
        if (!run_list(r, n->body)) return false;
    }
    r->depth -= n->whole;
    return true;
}

// The threads for which all conditions hold take the body of "n", the others its other way.
static bool run_ways(struct run *r, const struct kir_node *n, const struct kir_cond *cond,
                     int nconds) {
    const bool *before = r->off;
    int64_t threads = r->k->threads, on = 0, hold = 0;
    bool *off = ARENA_ARRAY(&r->s->arena, bool, threads), ok = true;
    bool *other = ARENA_ARRAY(&r->s->arena, bool, threads);
    for (int64_t t = 0; t < threads; ++t) {
        other[t] = off[t] = t >= r->active || (before && before[t]);
        on += !off[t];
    }
    if (!leave_out(r, cond, nconds, off)) return false;
    for (int64_t t = 0; t < threads; ++t) {
        other[t] = other[t] || !off[t];
        hold += !off[t];
    }
    if (hold > 0) {
        r->off = hold == on ? before : off;
        ok = run_list(r, n->body);
    }
    if (hold < on && ok) {
        r->off = hold == 0 ? before : other;
        ok = run_list(r, n->orelse);
    }
    r->off = before;
    return ok;
}

// More steps than there are stages, so that each slot is filled again, and the last one used is
// another one than with as many steps as stages.
static int64_t many_steps(int64_t stages) {
    return stages + (stages == 2 ? 3 : 2);
}

// How many steps of a pipeline that stands within "depth" others are tried in turn "turn".
static int64_t steps_in(int turn, int depth, int64_t stages) {
    const int64_t few[TURNS] = {0, 1, stages, many_steps(stages)};
    if (depth == 0 || turn == 0) return few[turn];
    if (depth == 1 && turn == TURNS - 1) return 0;  // in a step of another one, too
    return few[1 + (turn - 1 + depth) % (TURNS - 1)];
}

// How many are gone through in "turn", of the "steps" that it has; "least" of them are certain.
static int64_t steps_of(const struct run *r, int turn, int64_t stages, int64_t steps,
                        int64_t least) {
    int64_t most = steps_in(turn, r->depth, stages);
    if (least == steps) {  // the code may count on all of them; the last slot is as it would be
        int64_t all = many_steps(stages);
        return steps <= all ? steps : all + (steps - all) % stages;
    }
    if (least > 0 && most <= least) most = turn == TURNS - 1 ? least + 1 : least;
    return most < steps ? most : steps;
}

static bool run_let(struct run *r, const struct kir_node *n) {
    int64_t threads = r->k->threads, same;
    struct column x, most;
    if (!value_for(r, n->index, threads, r->off, &x)) return false;
    if (!n->sampled || r->exact) {
        columns_let(r->columns, n->var, &x, r->off);
        return true;
    }
    if (!value_for(r, n->sampled, threads, r->off, &most)) return false;
    struct arena_mark mark = arena_mark(&r->s->arena);
    int64_t *end = ARENA_ARRAY(&r->s->arena, int64_t, threads);
    struct column column = {.at = end};
    bool is_static = ix_static(n->index, &same);
    for (int64_t t = 0; t < threads; ++t) {
        int64_t begin = column_value(&most, t) - sample_steps(n->count);
        int64_t steps = column_value(&x, t) - begin;
        int64_t many = many_steps(n->count);
        if (many > n->most) many = n->most;
        if (many > n->index->hi - begin) many = n->index->hi - begin;
        if (r->beyond && steps < many) steps = many;
        int64_t least = is_static ? steps : n->index->lo - begin;
        int64_t now = steps_of(r, r->turn, n->count, steps, least);
        end[t] = begin + now;
        for (int i = 0; i < r->turn; ++i) {
            if (steps_of(r, i, n->count, steps, least) != now) r->same[i] = false;
        }
    }
    if (!x.at && !most.at) column = (struct column){.base = end[0]};
    columns_let(r->columns, n->var, &column, r->off);
    arena_rewind(&r->s->arena, mark);
    return true;
}

static bool run_node(struct run *r, const struct kir_node *n) {
    int64_t before = r->active;
    bool ok = true;
    ++r->operations;
    switch (n->kind) {
    case KIR_COMMENT:
    case KIR_STAGE_DECL: return true;
    case KIR_BARRIER: ++r->epoch; return true;
    case KIR_COMMIT: return run_commit(r);
    case KIR_WAIT: run_wait(r, n->pending); return true;
    case KIR_LET: return run_let(r, n);
    case KIR_FOR: return run_loop(r, n);
    case KIR_IF: return run_ways(r, n, n->cond, n->nconds);
    case KIR_GUARD:
        if (n->index) {
            struct kir_cond below = {n->index, ix_int(r->s, n->count)};
            return run_ways(r, n, &below, 1);
        }
        if (n->count < r->active) r->active = n->count;
        ok = run_list(r, n->body);
        r->active = before;
        return ok;
    case KIR_BLOCK: return run_list(r, n->body);
    case KIR_CALL: return run_call(r, n);
    case KIR_LOAD:
    case KIR_STORE:
    case KIR_MOVE:
    case KIR_FILL:
    case KIR_ASYNC: return run_access(r, n);
    }
    return ok;
}

static bool run_list(struct run *r, const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (!run_node(r, n)) return false;
    }
    return true;
}

// -- one block ------------------------------------------------------------------------------------

// A device function returns with its accesses done.
static bool nothing_under_way(struct run *r) {
    for (int i = 0; i < r->nshadows; ++i) {
        const struct shadow *x = &r->shadow[i];
        for (int64_t c = 0; c < x->cells; ++c) {
            const struct mark *m = &x->cell[c].write, end = {.group = -1};
            if (m->node && m->group >= 0 && r->done[m->group] < 0)
                return report(r, ORDER_WAIT, m, true, &end, false, x, x->key ? x->key[c] : c);
        }
    }
    return true;
}

// Whether "list" reads global memory that is written too: for params that give fewer steps more of
// them may be anywhere in it.
static bool reads_global(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        bool reads = n->kind == KIR_LOAD || n->kind == KIR_MOVE || n->kind == KIR_ASYNC;
        if (reads && n->buf->space == KIR_GLOBAL && is_tracked(n->buf)) return true;
        for (int i = 0; i < n->nargs; ++i) {
            const struct kir_buffer *b = n->arg[i].buf;
            if (b && b->space == KIR_GLOBAL && is_tracked(b)) return true;
        }
        if (reads_global(n->body) || reads_global(n->orelse)) return true;
    }
    return false;
}

static bool run_block(struct run *r) {
    const struct kir_kernel *k = r->k;
    columns_set_thread(r->columns, k->tid);  // all else is 0
    find_buffers(r, k->body);
    if (r->nshadows == 0) return true;
    r->beyond = r->beyond && !reads_global(k->body);
    for (int i = 0; i < r->nshadows; ++i) {
        make_cells(&r->shadow[i]);
    }
    return run_list(r, k->body) && (!k->device || k->leaves_group || nothing_under_way(r));
}

static bool check_turn(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                       bool beyond, struct order_fault *fault, int turn, bool *same) {
    struct run r = {.s = s, .k = k, .fault = fault, .turn = turn, .beyond = beyond, .same = same};
    r.exact = !same;  // no turns
    struct arena_mark mark = arena_mark(&s->arena);
    r.columns = columns_new(s, k->threads, sym);
    r.shadow = memory_zeroed((size_t)count_nodes(k->body) + 1, sizeof *r.shadow);
    r.cap_done = FIRST_GROUPS;
    r.done = memory_zeroed((size_t)r.cap_done, sizeof *r.done);
    r.active = k->threads;
    *fault = (struct order_fault){0};
    r.done[0] = -1;
    run_block(&r);
    for (int i = 0; i < r.nshadows; ++i) {
        memory_free(r.shadow[i].cell);
        memory_free(r.shadow[i].key);
    }
    memory_free(r.shadow);
    memory_free(r.done);
    columns_free(r.columns);
    if (!fault->trouble) arena_rewind(&s->arena, mark);
    return !r.failed;
}

// How often the block is gone through for the sake of its pipelines.
static int turns(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->sampled && !ix_static(n->index, NULL)) return TURNS;
        if (turns(n->body) > 1 || turns(n->orelse) > 1) return TURNS;
    }
    return 1;
}

bool order_check(struct session *s, const struct kir_kernel *k, const int64_t *sym, bool beyond,
                 struct order_fault *fault) {
    int n = turns(k->body);
    bool same[TURNS], done[TURNS] = {0};
    for (int i = n - 1; i >= 0; --i) {
        if (done[i]) continue;  // a later one went through the same steps
        memset(same, true, sizeof same);
        if (!check_turn(s, k, sym, beyond, fault, i, same)) return false;
        for (int j = 0; j < i; ++j) done[j] |= same[j];
    }
    return true;
}

bool order_confirm(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                   struct order_fault *fault) {
    return check_turn(s, k, sym, false, fault, 0, NULL);
}
