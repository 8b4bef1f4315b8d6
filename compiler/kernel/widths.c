// The widths of integers (see widths.h).
//
// Expressions are copied with their widths.  One that several nodes share is copied only once, so
// that the machine still recognizes it.
#include "kernel/widths.h"

#include <stdlib.h>

#include "base/session.h"

enum { FIRST_PLACES = 16, HASH_SHIFT = 20 };  // of the table of expressions
#define HASH_FACTOR ((uint64_t)0x9e3779b97f4a7c15u)

struct decided {
    const struct ix *of, *as;
    bool wide;
};

struct widths {
    struct session *s;
    bool host;
    struct decided *table;
    uint64_t cap, used;  // cap: a power of two
};

// -- bounds ---------------------------------------------------------------------------------------

static bool narrow(struct ix_bounds r) {
    return r.lo >= INT32_MIN && r.hi <= INT32_MAX;
}

static int bits_of(struct ix_bounds r) {
    return narrow(r) ? 32 : 64;
}

// -- variables and params -------------------------------------------------------------------------

static int var_bits(const struct ix_var *v) {
    if (ix_is_thread(v->kind) || ix_is_block(v->kind))
        return 32;  // tid, and block coordinates, which fit an int
    if (!lay_int_valid(v->end)) return 64;
    int64_t lo, hi, unused;
    lay_int_range(v->lo, &lo, &unused);
    lay_int_range(v->end, &unused, &hi);
    return bits_of((struct ix_bounds){lo, hi});
}

static int sym_bits(const struct widths *w, const struct lay_sym *y) {
    bool rounded = !y->name;  // it is computed in 64 bits
    return rounded || w->host ? 64 : bits_of((struct ix_bounds){y->lo, y->hi});
}

// -- expressions ----------------------------------------------------------------------------------

static struct decided *place_of(const struct widths *w, const struct ix *e, bool wide) {
    uint64_t i = ((uint64_t)(uintptr_t)e + wide) * HASH_FACTOR >> HASH_SHIFT, mask = w->cap - 1;
    while (w->table[i & mask].of && (w->table[i & mask].of != e || w->table[i & mask].wide != wide))
        ++i;
    return &w->table[i & mask];
}

static void remember(struct widths *w, const struct ix *e, bool wide, const struct ix *as) {
    if (2 * ++w->used > w->cap) {
        struct decided *old = w->table;
        uint64_t n = w->cap;
        w->cap = n ? 2 * n : FIRST_PLACES;
        w->table = memory_zeroed(w->cap, sizeof *w->table);
        for (uint64_t i = 0; i < n; ++i) {
            if (old[i].of) *place_of(w, old[i].of, old[i].wide) = old[i];
        }
        memory_free(old);
    }
    *place_of(w, e, wide) = (struct decided){e, as, wide};
}

static bool may_vary(const struct ix *e, const void *unused) {
    (void)unused;
    if (e->op != IX_VAR) return false;
    const struct ix_var *v = e->var;
    return !ix_is_block_or_loop(v->kind) && v->kind != IX_FORMAL && !v->uniform;
}

// Whether "e" is known to be the same for all threads of a block.
static bool is_uniform(const struct ix *e) {
    return !ix_has(e, may_vary, NULL);
}

// Whether term "t" makes a sum a 64-bit one.  The first term does.  Products of params that are the
// same for all threads are computed in 64 bits too: they are computed once for a warp and added
// directly, while each thread would have to extend an int before each access.
static bool in_64_bits(struct ix_term t, bool first) {
    return first || (t.coef.nsyms > 0 && (!t.atom || is_uniform(t.atom)));
}

// Whether the divisor of "e" fits an int because it is a part of the grid: for c % k and c / k, also
// of a quotient of c, where an axis of the grid counts a multiple of k.
static bool divides_grid(struct widths *w, const struct ix *e) {
    struct lay_int by = e->k;
    const struct ix *a = e->a;
    for (; a->op == IX_DIV; a = a->a) by = lay_int_mul(&w->s->lay, by, a->k);
    bool is = a->op == IX_VAR && ix_is_block(a->var->kind) && lay_int_valid(a->var->end) &&
              lay_int_valid(by);
    struct lay_int others = is ? lay_int_div(&w->s->lay, a->var->end, by) : LAY_INT_INVALID;
    lay_clear_error(&w->s->lay);
    return lay_int_valid(others) && others.den == 1;
}

static const struct ix *decide(struct widths *w, const struct ix *e, bool wide);

static void decide_sum(struct widths *w, const struct ix *e, bool wide, struct ix *as) {
    struct ix_term *term = ARENA_ARRAY(&w->s->arena, struct ix_term, e->nterms + 1);
    as->bits = bits_of(ix_sum_bounds(e));
    bool far = wide || as->bits == 64;
    for (int i = 0; i < e->nterms; ++i) {
        int at = ix_written(e, i);
        struct ix_term t = e->term[at];
        ix_take_minus(&t.coef);
        bool is_far = (far && in_64_bits(t, i == 0)) || !narrow(ix_term_bounds(t));
        term[at] = (struct ix_term){e->term[at].coef, decide(w, t.atom, wide), is_far ? 64 : 32};
    }
    as->term = term;
}

// "wide": sums have 64 bits from the first term on.
static const struct ix *decide(struct widths *w, const struct ix *e, bool wide) {
    if (!e) return NULL;
    const struct decided *known = w->cap ? place_of(w, e, wide) : NULL;
    if (known && known->of) return known->as;
    struct ix *as = ARENA_NEW(&w->s->arena, struct ix);
    *as = *e;
    if (e->op != IX_SUM && e->op != IX_VAR) as->a = decide(w, e->a, wide);
    switch (e->op) {
    case IX_VAR: as->bits = var_bits(e->var); break;
    case IX_SWZ: as->bits = as->a->bits; break;
    case IX_DIV:
    case IX_MOD:
        as->divisor_bits = bits_of(ix_int_bounds(e->k));
        if (!w->host && divides_grid(w, e)) as->divisor_bits = 32;
        as->bits = w->host && e->k.nsyms ? 64 : as->divisor_bits;
        if (as->a->bits == 64) as->bits = 64;
        break;
    case IX_SUM: decide_sum(w, e, wide, as); break;
    }
    remember(w, e, wide, as);
    return as;
}

const struct ix *kir_host_widths(struct session *s, const struct ix *e) {
    struct widths w = {.s = s, .host = true};
    const struct ix *as = decide(&w, e, false);
    memory_free(w.table);
    return as;
}

// -- nodes ----------------------------------------------------------------------------------------

static void decide_in_place(struct widths *w, const struct ix **e) {
    *e = decide(w, *e, false);
}

static const struct kir_cond *decide_conds(struct widths *w, const struct kir_cond *cond, int n) {
    struct kir_cond *as = ARENA_ARRAY(&w->s->arena, struct kir_cond, n + 1);
    for (int i = 0; i < n; ++i)
        as[i] = (struct kir_cond){decide(w, cond[i].a, false), decide(w, cond[i].b, false),
                                  cond[i].least};
    return as;
}

static bool fits_int(const struct ix *e) {
    return narrow((struct ix_bounds){e->lo, e->hi});
}

static void decide_carries(struct widths *w, struct kir_node *n) {
    struct kir_carry *as = ARENA_ARRAY(&w->s->arena, struct kir_carry, n->ncarries + 1);
    for (int i = 0; i < n->ncarries; ++i) {
        struct kir_carry *c = &as[i];
        *c = n->carry[i];
        c->bits = var_bits(c->var);
        c->first = decide(w, c->first, false);
        c->step = decide(w, c->step, c->bits == 64);
        if (c->stride) c->stride_is = decide(w, ix_lay(w->s, c->apart), true);
    }
    n->carry = as;
}

static void decide_node(struct widths *w, struct kir_node *n) {
    const struct ix **at[] = {&n->index, &n->sampled, &n->begin,   &n->end,
                              &n->at,    &n->to_at,   &n->stage_at};
    for (size_t i = 0; i < sizeof at / sizeof *at; ++i) decide_in_place(w, at[i]);
    if (n->nconds) n->cond = decide_conds(w, n->cond, n->nconds);
    if (n->cut) n->cut = decide_conds(w, n->cut, 1);
    if (n->ncarries) decide_carries(w, n);
    if (n->nargs) {
        struct kir_arg *arg = ARENA_ARRAY(&w->s->arena, struct kir_arg, n->nargs);
        for (int i = 0; i < n->nargs; ++i) {
            arg[i] = n->arg[i];
            decide_in_place(w, &arg[i].at);
        }
        n->arg = arg;
    }
    if (n->boxes) {
        struct kir_boxes *as = ARENA_NEW(&w->s->arena, struct kir_boxes);
        *as = *n->boxes;
        for (int i = 0; i < as->map->rank; ++i) decide_in_place(w, &as->at[i]);
        n->boxes = as;
    }
    if (n->var) n->var_bits = var_bits(n->var);
    // The load step of a pipeline exceeds the existing steps before it is compared with their end.
    // The begin and end of the steps have better bounds than their expressions show.
    if (n->kind == KIR_LET && n->var->kind != IX_NAMED && !fits_int(n->index)) n->var_bits = 64;
    // The first loads too: they count from the begin of the steps, even if there are none.
    if (n->kind == KIR_FOR && !fits_int(n->end)) n->var_bits = 64;
    if (n->kind == KIR_FOR) n->may_be_over = n->var_bits == 32 && !fits_int(n->begin);
}

static void decide_list(struct widths *w, struct kir_node *list) {
    for (struct kir_node *n = list; n; n = n->next) {
        decide_node(w, n);
        decide_list(w, n->body);
        decide_list(w, n->orelse);
    }
}

void kir_decide_widths(struct session *s, struct kir_kernel *list) {
    struct widths w = {.s = s};
    for (struct kir_kernel *first = list; first; first = first->next) {
        for (struct kir_kernel *k = first; k; k = k->narrower) {
            for (int i = 0; i < k->nparams; ++i)
                k->param[i].narrow = sym_bits(&w, k->param[i].sym) == 32;
            for (int i = k->ngiven; i < k->nparams; ++i)
                if (k->param[i].sum) decide_in_place(&w, &k->param[i].sum);
            for (int i = 0; i < k->ntensors; ++i)
                if (k->tensor[i].device) decide_in_place(&w, &k->tensor[i].device);
            for (int i = 0; i < k->nformals; ++i)
                if (k->formal[i].index) k->formal[i].bits = var_bits(k->formal[i].index);
            decide_list(&w, k->body);
        }
    }
    memory_free(w.table);
}
