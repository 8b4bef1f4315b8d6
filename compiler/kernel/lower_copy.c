// Lowering one copy: its comment, its barrier, and the loops around its loads and stores.
//
// A batch is as many accesses as fit in BATCH_BITS of registers: all its loads come before its
// stores, so that they are in flight together.  What is more than a batch becomes loops around it.
// A side in registers needs no batch: the fragment is one, and each instruction moves between it
// and memory.
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "kernel/lower_private.h"
#include "layout/algebra.h"
#include "plan/view.h"

enum { BATCH_BITS = 2048, BATCH_MAX = 32, INLINE_COLUMNS = 30 };

static bool sym_known(const struct kernel *k, const struct lay_sym *y) {
    for (int i = 0; i < k->nparams; ++i) {
        if (k->param[i]->sym == y) return true;
    }
    if (y->name) return false;
    for (int i = 0; i < y->of.nsyms; ++i) {
        if (!sym_known(k, y->of.syms[i])) return false;
    }
    return true;
}

static bool int_known(const struct kernel *k, struct lay_int x) {
    for (int i = 0; i < x.nsyms; ++i) {
        if (!sym_known(k, x.syms[i])) return false;
    }
    return true;
}

bool lower_known(const struct kernel *k, const struct ix *e) {
    switch (e->op) {
    case IX_VAR: return true;
    case IX_DIV:
    case IX_MOD: return int_known(k, e->k) && lower_known(k, e->a);
    case IX_SWZ: return lower_known(k, e->a);
    case IX_SUM:
        for (int i = 0; i < e->nterms; ++i) {
            if (!int_known(k, e->term[i].coef)) return false;
            if (e->term[i].atom && !lower_known(k, e->term[i].atom)) return false;
        }
    }
    return true;
}

// -- the comment ----------------------------------------------------------------------------------

static void comment(struct lowering *w, const struct copy *c) {
    struct session *s = w->s;
    const struct copy_facts *f = &c->facts;
    const char **line = ARENA_ARRAY(&s->arena, const char *, 6);
    struct kir_node *n = lower_node(w, KIR_COMMENT);
    int nlines = 0, col;
    const struct view *tile = c->src.base->space == MEM_FRAG ? &c->dst : &c->src;
    const char *elem = tile->base->elem->name;
    int64_t lanes = c->tc ? c->tc->threads : f->lanes;
    bool by_warp = f->level == LEVEL_WARP || f->lanes;
    line[nlines++] =
        arena_printf(&s->arena, "%s%scopy %s -> %s", c->label ? c->label : "", c->label ? ": " : "",
                     source_line(s, c->src.at), source_line(s, c->dst.at));
    line[nlines++] =
        arena_printf(&s->arena, "  %-7s %s %s   threads %ld%s   atom %s", c->tc ? "tile" : "values",
                     lay_tuple_text(&s->lay, tile->layout.shape), elem,
                     by_warp ? (long)lanes : (long)f->threads, by_warp ? " of each warp" : "",
                     atom_text(s, c->tc ? &c->tc->atom : c->atom));
    if (c->tc) {
        line[nlines++] =
            arena_printf(&s->arena, "  tiler   %s   rounds %s   TV %s",
                         lay_tuple_text(&s->lay, c->tc->tiler), lay_tuple_text(&s->lay, f->rounds),
                         lay_text(&s->lay, c->tc->tv));
    }
    line[nlines++] = arena_printf(&s->arena, "  vector  %d x %s = %d bit  (limited by: %s)", f->vec,
                                  elem, f->bits, bound_name(f->won));
    n->line = line;
    n->nlines = nlines;
    n->path = s->sources.file[c->at.file].path;
    source_place(s, c->at, &n->plan_line, &col);
}

// -- loops ----------------------------------------------------------------------------------------

struct axis {
    const struct ix_var *var;
    int64_t extent;
    struct lay_int src, dst;
};

struct nest {
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

static void divide(struct session *s, const struct copy_facts *f, bool all, struct nest *nest) {
    int64_t room = BATCH_BITS / f->bits;
    if (room > BATCH_MAX) room = BATCH_MAX;
    nest->batch_size = 1;
    bool full = false;
    for (int i = 0; i < f->nmodes; ++i) {
        const struct copy_mode *m = &f->mode[i];
        int64_t in = all    ? m->extent
                     : full ? 1
                            : largest_divisor(m->extent, room / nest->batch_size);
        if (in < m->extent) full = true;
        if (nest->nbatch == 64 || nest->nouter == 64) BUG("a copy of more than 64 loops");
        if (in > 1) {
            nest->batch[nest->nbatch++] = (struct axis){NULL, in, m->src, m->dst};
            nest->batch_size *= in;
        }
        if (in < m->extent) {
            nest->outer[nest->nouter++] =
                (struct axis){NULL, m->extent / in, lay_int_mul(&s->lay, m->src, lay_int(in)),
                              lay_int_mul(&s->lay, m->dst, lay_int(in))};
        }
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

static const struct ix *address(struct lowering *w, const struct ix *base, const struct nest *nest,
                                bool src, struct lay_swizzle sw) {
    struct session *s = w->s;
    const struct ix *e = base;
    for (int k = 0; k < 2; ++k) {
        const struct axis *a = k ? nest->batch : nest->outer;
        for (int i = 0; i < (k ? nest->nbatch : nest->nouter); ++i) {
            e = ix_add(s, e, ix_scale(s, ix_var(s, a[i].var), src ? a[i].src : a[i].dst));
        }
    }
    return ix_swizzle(s, e, sw);
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

// -- the copy -------------------------------------------------------------------------------------

static void move_through_frag(struct lowering *w, const struct copy *c, struct kir_buffer *src,
                              struct kir_buffer *dst, const struct ix *from, const struct ix *to) {
    const struct copy_facts *f = &c->facts;
    struct nest *nest = ARENA_NEW(&w->s->arena, struct nest);
    divide(w->s, f, true, nest);
    struct kir_node **outside = w->tail;
    struct kir_node *first = NULL;
    *outside = NULL;
    open_loops(w, nest->batch, nest->nbatch, true);
    struct kir_node *n = lower_node(w, KIR_MOVE);
    n->buf = src;
    n->to_buf = dst;
    n->bits = f->bits;
    n->at = address(w, from, nest, true, f->src.sw);
    n->to_at = address(w, to, nest, false, f->dst.sw);
    first = *outside;
    close_loops(w, nest->batch, nest->nbatch, &first->next);
}

// Asynchronous copies need no registers: as many stand in a row as a batch has.
static void move_async(struct lowering *w, const struct copy *c, struct kir_buffer *src,
                       struct kir_buffer *dst, const struct ix *from, const struct ix *to) {
    const struct copy_facts *f = &c->facts;
    const struct atom *atom = c->tc ? &c->tc->atom : c->atom;
    struct nest *nest = ARENA_NEW(&w->s->arena, struct nest);
    divide(w->s, f, false, nest);
    struct kir_node **outermost = w->tail;
    open_loops(w, nest->outer, nest->nouter, false);
    struct kir_node **outside = w->tail;
    open_loops(w, nest->batch, nest->nbatch, true);
    struct kir_node *n = lower_node(w, KIR_ASYNC);
    n->buf = src;
    n->to_buf = dst;
    n->bits = f->bits;
    n->past_l1 = strcmp(atom->row->name, "cp_async.cg") == 0;
    n->l2 = atom->l2;
    n->at = address(w, from, nest, true, f->src.sw);
    n->to_at = address(w, to, nest, false, f->dst.sw);
    close_loops(w, nest->batch, nest->nbatch, &(*outside)->next);
    close_loops(w, nest->outer, nest->nouter, nest->nouter ? &(*outermost)->next : w->tail);
}

static void move_through_stage(struct lowering *w, const struct copy *c, struct kir_buffer *src,
                               struct kir_buffer *dst, const struct ix *from, const struct ix *to) {
    const struct copy_facts *f = &c->facts;
    struct nest *nest = ARENA_NEW(&w->s->arena, struct nest);
    divide(w->s, f, false, nest);
    struct kir_node **place = w->tail;
    open_loops(w, nest->outer, nest->nouter, false);
    if (nest->batch_size == 1) {
        struct kir_node *n = lower_node(w, KIR_MOVE);
        n->buf = src;
        n->to_buf = dst;
        n->bits = f->bits;
        n->at = address(w, from, nest, true, f->src.sw);
        n->to_at = address(w, to, nest, false, f->dst.sw);
    } else {
        struct kir_buffer *stage = ARENA_NEW(&w->s->arena, struct kir_buffer);
        stage->space = KIR_STAGE;
        stage->name = stage->c_name = "v";
        stage->c_type = stage->elem = arena_printf(&w->s->arena, "tcp_b%d", f->bits);
        stage->elem_bits = src->elem_bits;
        stage->access_bits = f->bits;
        stage->tensor = -1;
        stage->count = nest->batch_size;
        lower_node(w, KIR_STAGE_DECL)->stage = stage;
        for (int store = 0; store < 2; ++store) {
            struct kir_node **outside = w->tail;
            open_loops(w, nest->batch, nest->nbatch, true);
            struct kir_node *n = lower_node(w, store ? KIR_STORE : KIR_LOAD);
            n->stage = stage;
            n->stage_at = stage_index(w, nest);
            n->buf = store ? dst : src;
            n->at = address(w, store ? to : from, nest, !store, store ? f->dst.sw : f->src.sw);
            n->bits = f->bits;
            close_loops(w, nest->batch, nest->nbatch, &(*outside)->next);
        }
    }
    close_loops(w, nest->outer, nest->nouter, nest->nouter ? &(*place)->next : w->tail);
}

void lower_copy(struct lowering *w, const struct copy *c) {
    const struct copy_facts *f = &c->facts;
    lower_wait(w, f->wait_before);
    if (f->barrier_before) lower_node(w, KIR_BARRIER);
    comment(w, c);
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
    struct kir_buffer *src = lower_buffer(w, c->src.base), *dst = lower_buffer(w, c->dst.base);
    bool shared = f->nmodes > 0;
    from = let(w, "from", from, shared);
    to = let(w, "to", to, shared);
    if (f->async)
        move_async(w, c, src, dst, from, to);
    else if (src->space == KIR_FRAG || dst->space == KIR_FRAG)
        move_through_frag(w, c, src, dst, from, to);
    else
        move_through_stage(w, c, src, dst, from, to);
    w->tail = outside;
    if (f->commit_after) lower_node(w, KIR_COMMIT);
}

void lower_wait(struct lowering *w, int pending) {
    if (pending >= 0) lower_node(w, KIR_WAIT)->pending = pending;
}

// -- calls ----------------------------------------------------------------------------------------

void lower_call(struct lowering *w, const struct plan_call *y) {
    const struct function *fn = y->fn;
    lower_wait(w, y->wait_before);
    if (y->barrier_before) lower_node(w, KIR_BARRIER);
    struct kir_node *n = lower_node(w, KIR_CALL);
    struct kir_arg *arg =
        ARENA_ARRAY(&w->s->arena, struct kir_arg, fn->nformals + fn->nindexes + 1);
    n->callee = fn->name;
    n->callee_id = fn->id;
    n->arg = arg;
    for (int f = 0, i = 0; f + i < fn->nformals + fn->nindexes;) {
        struct kir_arg *a = &arg[n->nargs++];
        if (f < fn->nformals && (i == fn->nindexes || fn->formal[f].place < fn->index[i].place)) {
            const struct view *v = &y->view[f];
            enum dir dir = fn->formal[f].dir;
            *a = (struct kir_arg){lower_buffer(w, v->base),
                                  lower_index(w, view_by_tid(w->s, w->kernel, v->offset)),
                                  dir != ARG_OUT,
                                  dir != ARG_IN,
                                  v->layout,
                                  f};
            ++f;
        } else {
            const struct ix *x = view_by_tid(w->s, w->kernel, y->index[i++]);
            *a = (struct kir_arg){NULL, lower_index(w, x), true, false, lay_layout_invalid(), 0};
        }
    }
}
