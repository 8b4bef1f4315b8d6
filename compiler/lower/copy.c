// Lowering one copy: its loads and stores.
//
// A copy to or from registers needs no batch, because the fragment is one: each instruction moves
// data between it and memory.  A copy that converts needs one for the loaded values.
#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "lower/nest.h"
#include "lower/private.h"

enum { INLINE_COLUMNS = 30, UNROLL_MAX = 64 };

const char lower_coord[] = "coord";

// Makes a variable for a value that several accesses share, or that is too long for a call.  One as
// short as a name gets none.  lower_share names it, after "name" or the buffer "of".
static const struct ix *let(struct lowering *w, const char *name, const struct ix *e, bool shared,
                            const struct kir_buffer *of) {
    int64_t value;
    if (ix_static(e, &value) || e->op == IX_VAR ||
        (!shared && strlen(ix_text(w->s, e)) <= INLINE_COLUMNS))
        return e;
    struct ix_var *v = ARENA_NEW(&w->s->arena, struct ix_var);
    *v = (struct ix_var){IX_NAMED, "at", "at", w->s->next_var++, lay_int(0), LAY_INT_INVALID};
    if (e->lo < 0) v->lo = lay_int(e->lo > INT64_MIN ? e->lo : -INT64_MAX);
    if (e->lo > INT64_MIN && e->hi < INT64_MAX) v->end = lay_int(e->hi + 1);
    struct kir_node *n = lower_node(w, KIR_LET);
    n->var = v;
    n->index = e;
    n->of = of;
    n->name = name;
    return ix_var(w->s, v);
}

// Names the begin "e" of a side of "c", in "y".  A part that a loop around the copy adds and the
// swizzle does not change is apart, so that the rest is the same in each iteration.
static void begin_side(struct lowering *w, const struct copy *c, bool src, const struct ix *e,
                       bool shared, struct way *y) {
    struct session *s = w->s;
    struct lay_swizzle sw = src ? c->facts.src.sw : c->facts.dst.sw;
    const struct ix *apart = ix_int(s, 0);
    int64_t block = (int64_t)1 << (sw.m + sw.b + abs(sw.s));
    for (int i = 0; sw.b && e->op == IX_SUM && i < e->nterms; ++i) {
        const struct ix_term *t = &e->term[i];
        if (!t->atom || !ix_depends(t->atom, IX_LOOP)) continue;
        const struct ix *x = ix_scale(s, t->atom, t->coef);
        if (ix_divisor(x) % block == 0) apart = ix_add(s, apart, x);
    }
    // a swizzle is not defined for negative values
    if (ix_sub(s, e, apart)->lo < 0) apart = ix_int(s, 0);
    struct kir_buffer *of = lower_buffer(w, copy_side(c, src)->base);
    *(src ? &y->from : &y->to) = let(w, NULL, ix_sub(s, e, apart), shared, of);
    *(src ? &y->from_beyond : &y->to_beyond) =
        let(w, arena_printf(&s->arena, "at_%s_tile", of->c_name), apart, false, NULL);
}

// -- the copy -------------------------------------------------------------------------------------

// The width of an access of way "y" to "t", whose elements may be narrower than those of the other
// side.
static int bits_of(const struct copy *c, const struct way *y, const struct tensor *t) {
    return y->bits / copy_wider(c)->bits * t->elem->bits;
}

// Records the distances of the elements of access "n" within its fragment, if they are not
// consecutive.
static void stand_apart(struct kir_node *n, const struct way *y) {
    n->step = y->step;
    if (!y->step) return;
    bool from = n->buf && n->buf->space == MEM_FRAG;
    if (from || n->kind == KIR_STORE)
        n->apart = n->buf;
    else
        n->apart = n->to_buf;
}

// Adds the atom's cache hints to an access.
static void add_hints(struct lowering *w, const struct copy *c, struct kir_node *n, bool ld,
                      bool st) {
    const struct atom *atom = copy_atom(c);
    unsigned by = atom->ld;
    // the L1 cache keeps what bulk copies have overwritten
    if (w->kernel->reads_stored && kernel_stores_late(w->kernel, c->src.base))
        by = (by & HINTS_OF_L2) | HINT_CG;
    if (ld && c->src.base->space == MEM_GLOBAL) n->ld = hints_in_c(w->s, by, atom->l2);
    if (st && c->dst.base->space == MEM_GLOBAL) n->st = hints_in_c(w->s, atom->st, 0);
}

// An access from memory to memory, or between memory and a fragment, with its conditions.
static struct kir_node *move(struct lowering *w, const struct copy *c, const struct nest *nest,
                             enum kir_kind kind) {
    struct kir_node *ask = NULL;
    if (nest->way->pad) {
        nest_ask(w, nest, STORE);
        // a cp.async that reads nothing fills with 0
        if (kind != KIR_ASYNC) ask = nest_ask(w, nest, SOURCE);
    } else {
        nest_ask(w, nest, STORE);
    }
    struct kir_node *n = lower_node(w, kind);
    const struct atom *atom = copy_atom(c);
    if (atom_is_collective(atom->row)) {
        n->function = atom_function(w->s, atom, nest->way->bits, false);
        const struct atom_exchange *x = atom_exchange(w->s, atom, c->src.base->elem->bits);
        struct kir_together *t = ARENA_NEW(&w->s->arena, struct kir_together);
        *t = (struct kir_together){x->src_bits, x->dst_bits, x->src_lanes, x->dst_lanes, x->from};
        n->together = t;
        n->cost = atom->row->cost;
    }
    n->buf = lower_buffer(w, c->src.base);
    n->to_buf = lower_buffer(w, c->dst.base);
    n->bits = nest->way->bits;
    n->at = nest_address(w, nest, true, c->facts.src.sw);
    n->to_at = nest_address(w, nest, false, c->facts.dst.sw);
    add_hints(w, c, n, true, true);
    stand_apart(n, nest->way);
    if (nest->way->pad && kind == KIR_ASYNC) {
        n->cond = nest_questions(w, nest, SOURCE, &n->nconds);
        n->cut = nest_question_of_size(w, nest);
        n->constant = nest->way->pad->id;
    }
    if (!ask) return n;
    struct kir_node *fill = nest_pad(w, nest, ask, n->bits);
    fill->to_buf = n->to_buf;
    fill->to_at = n->to_at;
    stand_apart(fill, nest->way);
    return n;
}

const char *lower_of_ring(const struct lowering *w, const char *function) {
    if (!w->role_memory) return function;
    return arena_printf(&w->s->arena, "tcp_ring%d%s", w->role_memory, strchr(function, '.'));
}

// Asynchronous copies need no registers; a batch of them is issued in a row.
static void move_async(struct lowering *w, const struct copy *c, const struct way *y) {
    const struct atom *atom = copy_atom(c);
    struct nest *nest = ARENA_NEW(&w->s->arena, struct nest);
    nest_divide(y, false, nest);
    struct kir_node **outside = w->tail;
    *outside = NULL;
    nest_open(w, nest->outer, nest->nouter, false);
    nest_open(w, nest->batch, nest->nbatch, true);
    struct kir_node *n = move(w, c, nest, KIR_ASYNC);
    n->function = atom_function(w->s, atom, y->bits, n->nconds || n->cut);
    if (atom->row->counter) n->function = lower_of_ring(w, n->function);
    n->cache = atom_for_width(atom->row, y->bits)->cache;
    n->cost = atom_for_width(atom->row, y->bits)->cost;
    n->align = atom->row->alone ? atom->row->align : 0;
    n->reduces = atom->row->reduces;
    n->fence = atom->row->reads_late && w->kernel->reads_stored;
    nest_close(w, nest->batch, nest->nbatch, w->tail);
    nest_close(w, nest->outer, nest->nouter, &(*outside)->next);
}

static void move_through_frag(struct lowering *w, const struct copy *c, const struct way *y) {
    struct nest *nest = ARENA_NEW(&w->s->arena, struct nest);
    nest_divide(y, true, nest);
    struct kir_node **outside = w->tail;
    *outside = NULL;
    nest_open(w, nest->batch, nest->nbatch, true);
    move(w, c, nest, KIR_MOVE);
    nest_close(w, nest->batch, nest->nbatch, &(*outside)->next);
}

// Whether a side is in registers; all loops are then unrolled, because registers have no address.
static bool through_frag(const struct copy *c) {
    return c->src.base->space == MEM_FRAG || c->dst.base->space == MEM_FRAG;
}

// Declares registers for what the accesses of "y" load, with elements as in "held".
static struct kir_buffer *declare_stage(struct lowering *w, const struct copy *c,
                                        const struct way *y, const struct tensor *held) {
    struct kir_buffer *stage = ARENA_NEW(&w->s->arena, struct kir_buffer);
    stage->space = MEM_STAGE;
    stage->name = stage->c_name = "v";
    stage->elem = held->elem;
    stage->access_bits = bits_of(c, y, held);
    lower_node(w, KIR_STAGE_DECL)->stage = stage;
    return stage;
}

// Loads everything first, so that a word of the fragment can come from several accesses.
static void move_turned(struct lowering *w, const struct copy *c, const struct way *y) {
    const struct tensor *frag = c->dst.base;
    struct nest *nest = ARENA_NEW(&w->s->arena, struct nest);
    struct kir_buffer *stage = declare_stage(w, c, y, frag);
    nest_divide(y, true, nest);
    stage->count = nest->batch_size;
    struct kir_node **outside = w->tail;
    nest_open(w, nest->batch, nest->nbatch, true);
    struct kir_node *n = lower_node(w, KIR_LOAD);
    n->stage = stage;
    n->stage_at = nest_stage_index(w, nest);
    n->buf = lower_buffer(w, c->src.base);
    n->at = nest_address(w, nest, true, c->facts.src.sw);
    n->bits = bits_of(c, y, c->src.base);
    add_hints(w, c, n, true, false);
    nest_close(w, nest->batch, nest->nbatch, nest->nbatch ? &(*outside)->next : w->tail);

    struct way *turned = ARENA_NEW(&w->s->arena, struct way);
    *turned = *y;
    turned->mode = y->turn->mode;
    turned->nmodes = y->turn->nmodes;
    turned->from = turned->from_beyond = ix_int(w->s, 0);
    nest = ARENA_NEW(&w->s->arena, struct nest);
    nest_divide(turned, true, nest);
    outside = w->tail;
    nest_open(w, nest->batch, nest->nbatch, true);
    n = lower_node(w, KIR_STORE);
    n->stage = stage;
    n->apart = stage;
    n->stage_at = nest_address(w, nest, true, (struct lay_swizzle){0});
    n->buf = lower_buffer(w, frag);
    n->at = nest_address(w, nest, false, c->facts.dst.sw);
    n->bits = y->turn->vec * frag->elem->bits;
    n->step = y->turn->step;
    nest_close(w, nest->batch, nest->nbatch, nest->nbatch ? &(*outside)->next : w->tail);
}

static void move_through_stage(struct lowering *w, const struct copy *c, const struct way *y) {
    struct nest *nest = ARENA_NEW(&w->s->arena, struct nest);
    nest_divide(y, false, nest);
    struct kir_node **place = w->tail;
    *place = NULL;
    bool staged = nest->batch_size > 1 || c->src.base->elem != c->dst.base->elem;
    nest_open(w, nest->outer, nest->nouter, through_frag(c));
    if (!staged) {
        move(w, c, nest, KIR_MOVE);
    } else {
        // elements that are filled instead of loaded have the destination's type
        struct kir_buffer *stage = declare_stage(w, c, y, y->pad ? c->dst.base : c->src.base);
        stage->count = nest->batch_size;
        for (int store = 0; store < 2; ++store) {
            struct kir_node **outside = w->tail;
            nest_open(w, nest->batch, nest->nbatch, true);
            struct kir_node *ask = nest_ask(w, nest, store ? STORE : LOAD);
            struct kir_node *n = lower_node(w, store ? KIR_STORE : KIR_LOAD);
            n->stage = stage;
            n->stage_at = nest_stage_index(w, nest);
            n->buf = lower_buffer(w, store ? c->dst.base : c->src.base);
            n->at = nest_address(w, nest, !store, store ? c->facts.dst.sw : c->facts.src.sw);
            n->bits = bits_of(c, y, store ? c->dst.base : c->src.base);
            add_hints(w, c, n, !store, store);
            if (n->buf->space == MEM_FRAG) stand_apart(n, y);
            if (ask && !store && y->pad) {
                struct kir_node *fill = nest_pad(w, nest, ask, stage->access_bits);
                fill->stage = stage;
                fill->stage_at = n->stage_at;
            }
            nest_close(w, nest->batch, nest->nbatch, &(*outside)->next);
        }
    }
    struct kir_node *first = *place;
    bool one = nest->nouter || !staged;
    nest_close(w, nest->outer, nest->nouter, one ? &first->next : w->tail);
}

static void move_by(struct lowering *w, const struct copy *c, const struct way *y) {
    if (c->facts.async)
        move_async(w, c, y);
    else if (y->turn)
        move_turned(w, c, y);
    else if (through_frag(c) && c->src.base->elem == c->dst.base->elem)
        move_through_frag(w, c, y);
    else
        move_through_stage(w, c, y);
}

// Accesses guarded by y.pred: first their start coordinates.
static void move_guarded(struct lowering *w, const struct copy *c, struct way y) {
    const struct copy_facts *f = &c->facts;
    y.pad = c->pad;
    y.at = ARENA_ARRAY(&w->s->arena, const struct ix *, y.npred);
    bool named = y.nmodes > 0;
    for (int i = 0; i < y.npred; ++i) named |= y.pred[i].cuts;  // conditions with a size are long
    for (int i = 0; i < y.npred; ++i) {
        int same = 0;
        while (same < i && !ix_equal(y.pred[same].at, y.pred[i].at)) ++same;
        y.at[i] = y.at[same];
        if (same < i) continue;
        const struct ix *at = lower_index(w, y.pred[i].at);
        if (y.each) at = ix_substitute(w->s, at, f->each, ix_var(w->s, y.each));
        y.at[i] = let(w, lower_coord, at, named, NULL);
    }
    move_by(w, c, &y);
}

static void move_edge(struct lowering *w, const struct copy *c, struct way y) {
    const struct copy_facts *f = &c->facts;
    y.mode = f->edge_mode;
    y.nmodes = f->nedge;
    y.bits = f->edge_bits;
    y.step = f->edge_step;
    y.turn = NULL;
    y.pred = f->pred;
    y.npred = f->npred;
    move_guarded(w, c, y);
}

// The condition that all of the block's tile exists, as far as the "n" predicates say.
static struct kir_node *ask_whole(struct lowering *w, const struct predicate *pred, int n) {
    struct kir_node *ask = lower_node(w, KIR_IF);
    struct kir_cond *cond = ARENA_ARRAY(&w->s->arena, struct kir_cond, n);
    for (int i = 0; i < n; ++i)
        cond[ask->nconds++] = (struct kir_cond){lower_index(w, pred[i].last),
                                                lower_index(w, pred[i].limit), pred[i].front};
    ask->cond = cond;
    return ask;
}

// A halo whose rows begin before the tensor is at the edge in every first block.  Where only rows of it
// do not exist, the accesses of the others are as wide as in a whole tile.  Opens the condition that it is
// so, and writes these accesses.
static void move_rows(struct lowering *w, const struct copy *c, struct way y) {
    const struct copy_facts *f = &c->facts;
    int more = f->nedge - f->nmodes, ncut = 0;
    struct predicate *cut = ARENA_ARRAY(&w->s->arena, struct predicate, f->npred + 1),
                     *rows = ARENA_ARRAY(&w->s->arena, struct predicate, f->npred + 1);
    bool front = false, same = more > 0 && f->edge_bits < f->bits && !y.turn && !y.each;
    for (int i = 0; same && i < f->nmodes; ++i) {
        const struct copy_mode *a = &f->mode[i], *b = &f->edge_mode[more + i];
        same = a->extent == b->extent && lay_int_equal(a->src, b->src) &&
               lay_int_equal(a->dst, b->dst);
    }
    for (int i = 0; same && i < f->npred; ++i) {
        bool cuts = false;
        for (int k = 0; k < more; ++k) cuts |= !lay_int_is(f->pred[i].edge_stride[k], 0);
        if (cuts) {
            cut[ncut++] = f->pred[i];
            continue;
        }
        struct predicate *p = &rows[y.npred++];
        *p = f->pred[i];
        p->edge_stride += more;
        front |= p->front;
    }
    if (!front || ncut == 0) return;
    struct kir_node *wide = ask_whole(w, cut, ncut);
    lower_open(w, wide);
    y.pred = rows;
    move_guarded(w, c, y);
    w->tail = &wide->orelse;
}

// Opens the loop over the runs of an index map; adds its variable to "from" and "to".
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
    w->copy = c;
    lower_comment(w, c);
    // the offsets of a guarded copy assume that tid is less than its number of threads
    const struct ix *from = lower_index(w, f->src.offset), *to = lower_index(w, f->dst.offset);
    struct kir_node *scope = lower_node(w, f->threads < lower_threads(w) ? KIR_GUARD : KIR_BLOCK);
    scope->count = f->threads;
    if (scope->kind == KIR_GUARD && w->role_tid) scope->index = ix_var(w->s, w->role_tid);
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
    y.step = f->step;
    y.turn = f->turn;
    if (f->by_map && f->each) open_each(w, c, &y, &from, &to);
    enum edge edge = f->boxes ? EDGE_NEVER : copy_edge(f);
    bool shared = f->nmodes > 0 || edge == EDGE_SOME;
    if (!f->boxes) {
        begin_side(w, c, true, from, shared, &y);
        begin_side(w, c, false, to, shared, &y);
    }
    if (edge == EDGE_SOME) {
        struct kir_node *whole = ask_whole(w, f->pred, f->npred);
        whole->name = "whole";
        lower_open(w, whole);
        move_by(w, c, &y);
        w->tail = &whole->orelse;
        move_rows(w, c, y);
    }
    if (f->boxes)
        lower_boxes(w, c, from, to);
    else if (edge == EDGE_NEVER)
        move_by(w, c, &y);
    else
        move_edge(w, c, y);
    if (y.each) names_release(&w->names, y.each->c_name);
    lower_written(w, c->dst.base);
    w->tail = outside;
    w->copy = NULL;
    if (f->commit_after && !w->hold_commits) lower_commit(w);
}
