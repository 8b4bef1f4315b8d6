// The loops around the accesses of a copy (see nest.h).
//
// A batch has as many accesses as fit in BATCH_BITS of registers, at most BATCH_MAX.  Its loads all
// come before its stores, so that they are in flight together.  (Batches of 64 loads of 32 bits
// read at twice the rate of 32: bench/results/naive_copy.md.)  Further iterations become loops
// around it.
#include "lower/nest.h"

#include "base/session.h"

enum { BATCH_BITS = 2048, BATCH_MAX = 64 };

static int64_t largest_divisor(int64_t n, int64_t cap) {
    for (int64_t d = cap < n ? cap : n; d > 1; --d) {
        if (n % d == 0) return d;
    }
    return 1;
}

void nest_divide(const struct way *y, bool all, struct nest *nest) {
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

void nest_open(struct lowering *w, struct axis *axis, int n, bool unroll) {
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

void nest_close(struct lowering *w, struct axis *axis, int n, struct kir_node **outside) {
    for (int i = 0; i < n; ++i) names_release(&w->names, axis[i].var->c_name);
    w->tail = outside;
}

// "base", plus stride * variable for each loop: the strides of a side, or of predicate "p".
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

const struct ix *nest_address(struct lowering *w, const struct nest *nest, bool src,
                              struct lay_swizzle sw) {
    const struct way *y = nest->way;
    const struct ix *e = along(w, src ? y->from : y->to, nest, src, NULL);
    return ix_add(w->s, src ? y->from_beyond : y->to_beyond, ix_swizzle(w->s, e, sw));
}

// Whether predicate "p" is tested before an access of "side"; it may be tested before both.
static bool is_asked(const struct way *y, const struct predicate *p, int side) {
    // an element without a source is not stored, and one that is not stored is not loaded
    if (!y->pad) return true;
    return side == STORE ? p->dst : side == LOAD ? p->src : p->src && !p->dst;
}

static struct kir_cond question(struct lowering *w, const struct nest *nest, int i) {
    const struct way *y = nest->way;
    return (struct kir_cond){along(w, y->at[i], nest, false, &y->pred[i]),
                             lower_index(w, y->pred[i].limit), y->pred[i].front};
}

const struct kir_cond *nest_questions(struct lowering *w, const struct nest *nest, int side,
                                      int *n) {
    const struct way *y = nest->way;
    struct kir_cond *cond = ARENA_ARRAY(&w->s->arena, struct kir_cond, y->npred + 1);
    *n = 0;
    for (int i = 0; i < y->npred; ++i) {
        if (is_asked(y, &y->pred[i], side) && !y->pred[i].cuts) cond[(*n)++] = question(w, nest, i);
    }
    return cond;
}

const struct kir_cond *nest_question_of_size(struct lowering *w, const struct nest *nest) {
    const struct way *y = nest->way;
    for (int i = 0; i < y->npred; ++i) {
        if (!y->pred[i].cuts) continue;
        struct kir_cond *cut = ARENA_NEW(&w->s->arena, struct kir_cond);
        *cut = question(w, nest, i);
        return cut;
    }
    return NULL;
}

struct kir_node *nest_ask(struct lowering *w, const struct nest *nest, int side) {
    int n;
    const struct kir_cond *cond = nest_questions(w, nest, side, &n);
    if (n == 0) return NULL;
    struct kir_node *ask = lower_node(w, KIR_IF);
    ask->cond = cond;
    ask->nconds = n;
    lower_open(w, ask);
    return ask;
}

struct kir_node *nest_pad(struct lowering *w, const struct nest *nest, struct kir_node *ask,
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

const struct ix *nest_stage_index(struct lowering *w, const struct nest *nest) {
    const struct ix *e = ix_int(w->s, 0);
    int64_t step = 1;
    for (int i = 0; i < nest->nbatch; ++i) {
        e = ix_add(w->s, e, ix_scale(w->s, ix_var(w->s, nest->batch[i].var), lay_int(step)));
        step *= nest->batch[i].extent;
    }
    return e;
}
