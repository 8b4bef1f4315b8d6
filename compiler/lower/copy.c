// Lowering one copy: the loops around its loads and stores, and what is asked before them.
//
// A batch is as many accesses as fit in BATCH_BITS of registers, BATCH_MAX at most: all its loads
// come before its stores, so that they are in flight together (64 loads of 32 bits a batch read at
// twice the rate of 32: bench/results/naive_copy.md).  What is more than a batch becomes loops
// around it. A side in registers needs no batch: the fragment is one, and each instruction moves
// between it and memory; a copy that converts needs one, which holds what was loaded.
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "lower/private.h"
#include "plan/view.h"

enum { BATCH_BITS = 2048, BATCH_MAX = 64, INLINE_COLUMNS = 30, UNROLL_MAX = 64 };
// Before which accesses a predicate is asked; SOURCE: within what is asked before the store.
enum { LOAD, STORE, SOURCE };

// -- loops ----------------------------------------------------------------------------------------

// One way to execute a copy: whole tiles, or the edge with its predicates.
struct way {
    const struct copy_mode *mode;
    int nmodes, bits;
    const struct ix *from, *to;                // what a swizzle may change
    const struct ix *from_beyond, *to_beyond;  // and what lies beyond it, to be added
    const struct predicate *pred;              // none where the tile is whole
    const struct ix **at;                      // of each predicate, as it is lowered
    int npred;
    struct ix_var *each;         // of the loop over the runs of an index map, or NULL
    const struct constant *pad;  // what takes the place of a source that is not there, or NULL
};

struct axis {
    struct ix_var *var;
    int64_t extent;
    int mode;       // of the way's
    int64_t times;  // its strides
};

struct nest {
    const struct way *way;
    struct axis batch[64], outer[64];
    int nbatch, nouter;
    int64_t batch_size;
};

static int64_t largest_divisor(int64_t n, int64_t cap) {
    for (int64_t d = cap < n ? cap : n; d > 1; --d) {
        if (n % d == 0) return d;
    }
    return 1;
}

static void divide(const struct way *y, bool all, struct nest *nest) {
    int64_t room = BATCH_BITS / y->bits;
    if (room > BATCH_MAX) room = BATCH_MAX;
    nest->way = y;
    nest->batch_size = 1;
    bool full = false;
    for (int i = 0; i < y->nmodes; ++i) {
        int64_t extent = y->mode[i].extent;
        int64_t in = all ? extent : full ? 1 : largest_divisor(extent, room / nest->batch_size);
        if (in < extent) full = true;
        if (nest->nbatch == 64 || nest->nouter == 64) BUG("a copy of more than 64 loops");
        if (in > 1) {
            nest->batch[nest->nbatch++] = (struct axis){NULL, in, i, 1};
            nest->batch_size *= in;
        }
        if (in < extent) nest->outer[nest->nouter++] = (struct axis){NULL, extent / in, i, in};
    }
}

// Opens loops over "axis", the last one outermost, so that the fastest runs innermost.
static void open_loops(struct lowering *w, struct axis *axis, int n, bool unroll) {
    for (int i = n - 1; i >= 0; --i) {
        const char *name = names_take_index(&w->names);
        axis[i].var = lower_var(w, IX_LOOP, name, axis[i].extent);
        struct kir_node *loop = lower_node(w, KIR_FOR);
        loop->var = axis[i].var;
        loop->begin = ix_int(w->s, 0);
        loop->end = ix_int(w->s, axis[i].extent);
        loop->unroll = unroll;
        lower_open(w, loop);
    }
}

static void close_loops(struct lowering *w, struct axis *axis, int n, struct kir_node **outside) {
    for (int i = 0; i < n; ++i) names_release(&w->names, axis[i].var->c_name);
    w->tail = outside;
}

// "base" and, for the variable of each loop, its stride: of a side, or of predicate "p".
static const struct ix *along(struct lowering *w, const struct ix *base, const struct nest *nest,
                              bool src, const struct predicate *p) {
    struct session *s = w->s;
    const struct ix *e = base;
    for (int k = 0; k < 2; ++k) {
        const struct axis *a = k ? nest->batch : nest->outer;
        for (int i = 0; i < (k ? nest->nbatch : nest->nouter); ++i) {
            const struct copy_mode *m = &nest->way->mode[a[i].mode];
            struct lay_int d = p ? p->edge_stride[a[i].mode] : src ? m->src : m->dst;
            d = lay_int_mul(&s->lay, d, lay_int(a[i].times));
            e = ix_add(s, e, ix_scale(s, ix_var(s, a[i].var), d));
        }
    }
    return e;
}

static const struct ix *address(struct lowering *w, const struct nest *nest, bool src,
                                struct lay_swizzle sw) {
    const struct way *y = nest->way;
    const struct ix *e = along(w, src ? y->from : y->to, nest, src, NULL);
    return ix_add(w->s, src ? y->from_beyond : y->to_beyond, ix_swizzle(w->s, e, sw));
}

// Whether predicate "p" is asked before an access of "side", which may be both.
static bool is_asked(const struct way *y, const struct predicate *p, int side) {
    if (!y->pad) return true;  // what has no source is not stored, what is not stored not loaded
    return side == STORE ? p->dst : side == LOAD ? p->src : p->src && !p->dst;
}

static struct kir_cond question(struct lowering *w, const struct nest *nest, int i) {
    const struct way *y = nest->way;
    return (struct kir_cond){along(w, y->at[i], nest, false, &y->pred[i]),
                             lower_index(w, y->pred[i].limit)};
}

// The questions whether the elements at hand are there, before an access of "side".
static const struct kir_cond *questions(struct lowering *w, const struct nest *nest, int side,
                                        int *n) {
    const struct way *y = nest->way;
    struct kir_cond *cond = ARENA_ARRAY(&w->s->arena, struct kir_cond, y->npred + 1);
    *n = 0;
    for (int i = 0; i < y->npred; ++i) {
        if (is_asked(y, &y->pred[i], side) && !y->pred[i].cuts) cond[(*n)++] = question(w, nest, i);
    }
    return cond;
}

// The question how many of the elements at hand are there; NULL where one answer is for all.
static const struct kir_cond *question_of_size(struct lowering *w, const struct nest *nest) {
    const struct way *y = nest->way;
    for (int i = 0; i < y->npred; ++i) {
        if (!y->pred[i].cuts) continue;
        struct kir_cond *cut = ARENA_NEW(&w->s->arena, struct kir_cond);
        *cut = question(w, nest, i);
        return cut;
    }
    return NULL;
}

// Opens these questions; NULL when there is none.
static struct kir_node *open_predicates(struct lowering *w, const struct nest *nest, int side) {
    int n;
    const struct kir_cond *cond = questions(w, nest, side, &n);
    if (n == 0) return NULL;
    struct kir_node *ask = lower_node(w, KIR_IF);
    ask->cond = cond;
    ask->nconds = n;
    lower_open(w, ask);
    return ask;
}

// The other way of "ask": the pad.
static struct kir_node *open_pad(struct lowering *w, const struct nest *nest, struct kir_node *ask,
                                 int bits) {
    w->tail = &ask->orelse;
    struct kir_node *n = lower_node(w, KIR_FILL);
    const struct constant *pad = nest->way->pad;
    n->bits = bits;
    n->value = pad->bits;
    n->elem_bits = pad->elem->bits;
    n->constant = pad->id;
    return n;
}

static const struct ix *stage_index(struct lowering *w, const struct nest *nest) {
    const struct ix *e = ix_int(w->s, 0);
    int64_t step = 1;
    for (int i = 0; i < nest->nbatch; ++i) {
        e = ix_add(w->s, e, ix_scale(w->s, ix_var(w->s, nest->batch[i].var), lay_int(step)));
        step *= nest->batch[i].extent;
    }
    return e;
}

// A name for an offset that several accesses share, or that is too long to stand in a call; none
// for one as short as a name.
static const struct ix *let(struct lowering *w, const char *name, const struct ix *e, bool shared) {
    int64_t value;
    if (ix_static(e, &value) || e->op == IX_VAR ||
        (!shared && strlen(ix_text(w->s, e)) <= INLINE_COLUMNS))
        return e;
    struct ix_var *v = ARENA_NEW(&w->s->arena, struct ix_var);
    *v = (struct ix_var){IX_NAMED, name, name, w->s->next_var++, lay_int(0), LAY_INT_INVALID};
    if (e->lo >= 0 && e->hi < INT64_MAX) v->end = lay_int(e->hi + 1);
    struct kir_node *n = lower_node(w, KIR_LET);
    n->var = v;
    n->index = e;
    return ix_var(w->s, v);
}

// Where a side of a copy begins, named: "*inside" takes part in swizzle "sw"; "*beyond" is what a
// loop around the copy adds and the swizzle lets through, so that the rest is the same in each
// iteration.
static void begin_side(struct lowering *w, const char *name, const struct ix *e, bool shared,
                       struct lay_swizzle sw, const struct ix **inside, const struct ix **beyond) {
    struct session *s = w->s;
    const struct ix *apart = ix_int(s, 0);
    int64_t block = (int64_t)1 << (sw.m + sw.b + abs(sw.s));
    for (int i = 0; sw.b && e->op == IX_SUM && i < e->nterms; ++i) {
        const struct ix_term *t = &e->term[i];
        if (!t->atom || !ix_depends(t->atom, IX_LOOP)) continue;
        const struct ix *x = ix_scale(s, t->atom, t->coef);
        if (ix_divisor(x) % block == 0) apart = ix_add(s, apart, x);
    }
    if (ix_sub(s, e, apart)->lo < 0) apart = ix_int(s, 0);  // a swizzle has no value there
    *inside = let(w, name, ix_sub(s, e, apart), shared);
    *beyond = let(w, arena_printf(&s->arena, "%s_tile", name), apart, false);
}

// -- the copy -------------------------------------------------------------------------------------

// Bits of an access of way "y" to "t", which may hold narrower elements than the other side.
static int bits_of(const struct copy *c, const struct way *y, const struct tensor *t) {
    return y->bits / copy_wider(c)->bits * t->elem->bits;
}

// One access from memory to memory, or between it and a fragment, with what is asked before it.
static struct kir_node *move(struct lowering *w, const struct copy *c, const struct nest *nest,
                             enum kir_kind kind) {
    struct kir_node *ask = NULL;
    if (nest->way->pad) {
        open_predicates(w, nest, STORE);
        // a cp.async fills with 0 itself where it reads nothing
        if (kind != KIR_ASYNC) ask = open_predicates(w, nest, SOURCE);
    } else {
        open_predicates(w, nest, STORE);
    }
    struct kir_node *n = lower_node(w, kind);
    const struct atom *atom = copy_atom(c);
    if (atom_is_collective(atom->row)) {
        n->function = atom_function(w->s, atom, nest->way->bits, false);
        const struct atom_exchange *x = atom_exchange(w->s, atom, c->src.base->elem->bits);
        struct kir_together *t = ARENA_NEW(&w->s->arena, struct kir_together);
        *t = (struct kir_together){x->src_bits, x->dst_bits, x->src_lanes, x->dst_lanes, x->from};
        n->together = t;
    }
    n->buf = lower_buffer(w, c->src.base);
    n->to_buf = lower_buffer(w, c->dst.base);
    n->bits = nest->way->bits;
    n->at = address(w, nest, true, c->facts.src.sw);
    n->to_at = address(w, nest, false, c->facts.dst.sw);
    if (nest->way->pad && kind == KIR_ASYNC) {
        n->cond = questions(w, nest, SOURCE, &n->nconds);
        n->cut = question_of_size(w, nest);
        n->constant = nest->way->pad->id;
    }
    if (!ask) return n;
    struct kir_node *fill = open_pad(w, nest, ask, n->bits);
    fill->to_buf = n->to_buf;
    fill->to_at = n->to_at;
    return n;
}

// Asynchronous copies need no registers: as many stand in a row as a batch has.
static void move_async(struct lowering *w, const struct copy *c, const struct way *y) {
    const struct atom *atom = copy_atom(c);
    struct nest *nest = ARENA_NEW(&w->s->arena, struct nest);
    divide(y, false, nest);
    struct kir_node **outside = w->tail;
    *outside = NULL;
    open_loops(w, nest->outer, nest->nouter, false);
    open_loops(w, nest->batch, nest->nbatch, true);
    struct kir_node *n = move(w, c, nest, KIR_ASYNC);
    n->function = atom_function(w->s, atom, y->bits, n->nconds || n->cut);
    n->cache = atom_for_width(atom->row, y->bits)->cache;
    n->l2 = atom->l2;
    close_loops(w, nest->batch, nest->nbatch, w->tail);
    close_loops(w, nest->outer, nest->nouter, &(*outside)->next);
}

static void move_through_frag(struct lowering *w, const struct copy *c, const struct way *y) {
    struct nest *nest = ARENA_NEW(&w->s->arena, struct nest);
    divide(y, true, nest);
    struct kir_node **outside = w->tail;
    *outside = NULL;
    open_loops(w, nest->batch, nest->nbatch, true);
    move(w, c, nest, KIR_MOVE);
    close_loops(w, nest->batch, nest->nbatch, &(*outside)->next);
}

// Whether a side is in registers, which have no address: all loops are unrolled.
static bool through_frag(const struct copy *c) {
    return c->src.base->space == MEM_FRAG || c->dst.base->space == MEM_FRAG;
}

static void move_through_stage(struct lowering *w, const struct copy *c, const struct way *y) {
    struct nest *nest = ARENA_NEW(&w->s->arena, struct nest);
    divide(y, false, nest);
    struct kir_node **place = w->tail;
    *place = NULL;
    bool staged = nest->batch_size > 1 || c->src.base->elem != c->dst.base->elem;
    open_loops(w, nest->outer, nest->nouter, through_frag(c));
    if (!staged) {
        move(w, c, nest, KIR_MOVE);
    } else {
        struct kir_buffer *stage = ARENA_NEW(&w->s->arena, struct kir_buffer);
        stage->space = KIR_STAGE;
        stage->name = stage->c_name = "v";
        // what is filled in where nothing is loaded is of the destination's type
        const struct tensor *held = y->pad ? c->dst.base : c->src.base;
        stage->elem = held->elem->name;
        stage->elem_c = held->elem->c_name;
        stage->elem_bits = held->elem->bits;
        stage->access_bits = bits_of(c, y, held);
        stage->c_type = arena_printf(&w->s->arena, "tcp_b%d", stage->access_bits);
        stage->count = nest->batch_size;
        lower_node(w, KIR_STAGE_DECL)->stage = stage;
        for (int store = 0; store < 2; ++store) {
            struct kir_node **outside = w->tail;
            open_loops(w, nest->batch, nest->nbatch, true);
            struct kir_node *ask = open_predicates(w, nest, store ? STORE : LOAD);
            struct kir_node *n = lower_node(w, store ? KIR_STORE : KIR_LOAD);
            n->stage = stage;
            n->stage_at = stage_index(w, nest);
            n->buf = lower_buffer(w, store ? c->dst.base : c->src.base);
            n->at = address(w, nest, !store, store ? c->facts.dst.sw : c->facts.src.sw);
            n->bits = bits_of(c, y, store ? c->dst.base : c->src.base);
            if (ask && !store && y->pad) {
                struct kir_node *fill = open_pad(w, nest, ask, stage->access_bits);
                fill->stage = stage;
                fill->stage_at = n->stage_at;
            }
            close_loops(w, nest->batch, nest->nbatch, &(*outside)->next);
        }
    }
    struct kir_node *first = *place;
    bool one = nest->nouter || !staged;
    close_loops(w, nest->outer, nest->nouter, one ? &first->next : w->tail);
}

static void move_by(struct lowering *w, const struct copy *c, const struct way *y) {
    if (c->facts.async)
        move_async(w, c, y);
    else if (through_frag(c) && c->src.base->elem == c->dst.base->elem)
        move_through_frag(w, c, y);
    else
        move_through_stage(w, c, y);
}

// The edge: names for where the predicates begin, and the accesses that are there.
static void move_edge(struct lowering *w, const struct copy *c, struct way y) {
    const struct copy_facts *f = &c->facts;
    y.mode = f->edge_mode;
    y.nmodes = f->nedge;
    y.bits = f->edge_bits;
    y.pred = f->pred;
    y.npred = f->npred;
    y.pad = c->pad;
    y.at = ARENA_ARRAY(&w->s->arena, const struct ix *, f->npred);
    const char **name = ARENA_ARRAY(&w->s->arena, const char *, f->npred);
    bool named = y.nmodes > 0;
    for (int i = 0; i < f->npred; ++i) named |= f->pred[i].cuts;  // what asks for a size is long
    for (int i = 0; i < f->npred; ++i) {
        name[i] = names_take(&w->names, arena_printf(&w->s->arena, "c%d", i));
        const struct ix *at = lower_index(w, f->pred[i].at);
        if (y.each) at = ix_substitute(w->s, at, f->each, ix_var(w->s, y.each));
        y.at[i] = let(w, name[i], at, named);
    }
    move_by(w, c, &y);
    for (int i = 0; i < f->npred; ++i) names_release(&w->names, name[i]);
}

// The question whether all of the block's tile is there.
static struct kir_node *ask_whole(struct lowering *w, const struct copy_facts *f) {
    struct kir_node *n = lower_node(w, KIR_IF);
    struct kir_cond *cond = ARENA_ARRAY(&w->s->arena, struct kir_cond, f->npred);
    for (int i = 0; i < f->npred; ++i)
        cond[n->nconds++] =
            (struct kir_cond){lower_index(w, f->pred[i].last), lower_index(w, f->pred[i].limit)};
    n->cond = cond;
    n->name = "whole";
    return n;
}

// Opens the loop over the runs of values of an index map, of which "from" and "to" then speak.
static void open_each(struct lowering *w, const struct copy *c, struct way *y,
                      const struct ix **from, const struct ix **to) {
    const struct copy_facts *f = &c->facts;
    bool frag = c->src.base->space == MEM_FRAG || c->dst.base->space == MEM_FRAG;
    y->each = lower_var(w, IX_LOOP, names_take(&w->names, f->each->name), f->neach);
    struct kir_node *loop = lower_node(w, KIR_FOR);
    loop->var = y->each;
    loop->begin = ix_int(w->s, 0);
    loop->end = ix_int(w->s, f->neach);
    loop->unroll = frag || f->neach <= UNROLL_MAX;  // registers have no address
    lower_open(w, loop);
    *from = ix_substitute(w->s, *from, f->each, ix_var(w->s, y->each));
    *to = ix_substitute(w->s, *to, f->each, ix_var(w->s, y->each));
}

void lower_copy(struct lowering *w, const struct copy *c) {
    const struct copy_facts *f = &c->facts;
    lower_comment(w, c);
    // the tid of a guarded copy is below its threads, which its offsets have taken for granted
    const struct ix *from = lower_index(w, f->src.offset), *to = lower_index(w, f->dst.offset);
    struct kir_node *scope = lower_node(w, f->threads < w->kernel->threads ? KIR_GUARD : KIR_BLOCK);
    scope->count = f->threads;
    struct kir_node **outside = lower_open(w, scope);
    if (f->lanes) {
        struct kir_node *lanes = scope;
        if (scope->kind == KIR_GUARD)
            lower_open(w, lanes = lower_node(w, KIR_GUARD));
        else
            lanes->kind = KIR_GUARD;
        lanes->count = f->lanes;
        const struct ix *lane = ix_mod(w->s, ix_var(w->s, w->kernel->tid), lay_int(32));
        lanes->index = lower_index(w, lane);
    }
    struct way y = {.mode = f->mode, .nmodes = f->nmodes, .bits = f->bits};
    if (f->by_map && f->each) open_each(w, c, &y, &from, &to);
    enum edge edge = copy_edge(f);
    bool shared = f->nmodes > 0 || edge == EDGE_SOME;
    begin_side(w, "from", from, shared, f->src.sw, &y.from, &y.from_beyond);
    begin_side(w, "to", to, shared, f->dst.sw, &y.to, &y.to_beyond);
    if (edge == EDGE_SOME) {
        struct kir_node *whole = ask_whole(w, f);
        lower_open(w, whole);
        move_by(w, c, &y);
        w->tail = &whole->orelse;
    }
    if (edge == EDGE_NEVER)
        move_by(w, c, &y);
    else
        move_edge(w, c, y);
    if (y.each) names_release(&w->names, y.each->c_name);
    w->tail = outside;
    if (f->commit_after && !w->hold_commits) lower_node(w, KIR_COMMIT);
}
