// Pass "races": nothing is read and written at once.
//
// Requires: facts of partition; coverage has proven that writes are different elements.  Fills
// nothing.  Three questions that no barrier could answer:
//
// 1. Are the two sides of a copy apart, when they are of one tensor?  A copy does not say in which
// order its elements
//    move.
// 2. Does a block read what another block writes, in an `inout` tensor?  Blocks run in no order.
// 3. Does a pipeline load into a part of a slot that a step uses before?  Loads run ahead.
//
// All are answered by coordinates: two views are apart when along some mode of their tensor the
// coordinates of one end before those of the other begin; and what blocks touch is apart when the
// coordinates, divided by what a block takes, tell the block.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage.h"
#include "pass/pass.h"
#include "pass/walk.h"
#include "plan/plan.h"

enum { MAX_ACCESSES = 64, MAX_TOLD = 64, MAX_REGISTERS = 1 << 16 };

// "e" where another thread, block or iteration evaluates it: each variable of a kind from "first"
// to "last" is replaced by one of the same range.
static const struct ix *elsewhere(struct session *s, const struct ix *e, enum ix_var_kind first,
                                  enum ix_var_kind last) {
    switch (e->op) {
    case IX_VAR: {
        if (e->var->kind < first || e->var->kind > last) return e;
        struct ix_var *v = ARENA_NEW(&s->arena, struct ix_var);
        *v = *e->var;
        v->id = s->next_var++;
        return ix_var(s, v);
    }
    case IX_DIV: return ix_div(s, elsewhere(s, e->a, first, last), e->k);
    case IX_MOD: return ix_mod(s, elsewhere(s, e->a, first, last), e->k);
    case IX_SWZ: return ix_swizzle(s, elsewhere(s, e->a, first, last), e->sw);
    case IX_SUM: break;
    }
    const struct ix *sum = ix_int(s, 0);
    for (int i = 0; sum && i < e->nterms; ++i) {
        const struct ix *atom = e->term[i].atom;
        const struct ix *term = atom ? ix_scale(s, elsewhere(s, atom, first, last), e->term[i].coef)
                                     : ix_lay(s, e->term[i].coef);
        sum = ix_add(s, sum, term);
    }
    return sum;
}

static bool is_before(struct session *s, const struct ix *last, const struct ix *first) {
    return last && first &&
           ix_provably_nonnegative(s, ix_sub(s, ix_sub(s, first, last), ix_int(s, 1)));
}

// Whether "a" and "b", views of one tensor, are apart also when "b" is another thread's, or with
// "all" another block's and iteration's.
static bool apart(struct session *s, const struct view *a, const struct view *b, bool all) {
    int rank = lay_tuple_leaves(a->base->layout.shape);
    for (int i = 0; i < rank; ++i) {
        const struct ix *alo, *ahi, *blo, *bhi;
        view_reach(s, a, i, &alo, &ahi);
        view_reach(s, b, i, &blo, &bhi);
        if (!alo || !ahi || !blo || !bhi) continue;
        enum ix_var_kind last = all ? IX_LOOP : IX_WARP;
        blo = elsewhere(s, blo, IX_TID, last);
        bhi = elsewhere(s, bhi, IX_TID, last);
        if (is_before(s, ahi, blo) || is_before(s, bhi, alo)) return true;
    }
    return false;
}

// -- 1: the sides of one copy ---------------------------------------------------------------------

// Marks the registers of "v"; false when one is marked already, or when they are not known.
static bool mark(struct session *s, const struct view *v, bool *used, int64_t n) {
    int64_t at, offset;
    if (!lay_valid(v->layout) || !ix_static(v->offset, &offset)) return false;
    struct lay_int size = lay_size(&s->lay, v->layout);
    for (int64_t i = 0; lay_int_static(size) && i < size.num; ++i) {
        if (!lay_eval(&s->lay, lay_inner(v->layout), i, &at)) return false;
        at = lay_swizzle_apply(v->layout.sw, at + offset);
        if (at < 0 || at >= n || used[at]) return false;
        used[at] = true;
    }
    return lay_int_static(size);
}

static bool registers_apart(struct session *s, const struct copy *c) {
    struct lay_int n = lay_cosize(&s->lay, c->src.base->layout);
    if (!lay_int_static(n) || n.num > MAX_REGISTERS) return false;
    struct arena_mark start = arena_mark(&s->arena);
    bool *used = ARENA_ARRAY(&s->arena, bool, n.num + 1);
    bool ok = mark(s, &c->src, used, n.num) && mark(s, &c->dst, used, n.num);
    arena_rewind(&s->arena, start);
    return ok;
}

static bool check_sides(struct session *s, const struct copy *c) {
    if (c->src.base != c->dst.base) return true;
    if (c->src.base->space == MEM_FRAG ? registers_apart(s, c) : apart(s, &c->src, &c->dst, false))
        return true;
    diag_error(s, c->at,
               "both sides of %s may be the same elements of '%s'; a copy does not say in which "
               "order its elements move",
               copy_name(s, c), c->src.base->name);
    diag_note(s, c->src.base->at, "'%s' is declared here", c->src.base->name);
    return false;
}

// -- 2: blocks ------------------------------------------------------------------------------------

struct accesses {
    const struct tensor *t;
    int n;
    bool more;
    const struct copy *copy[MAX_ACCESSES];
    bool write[MAX_ACCESSES];
};

static bool gather(struct session *s, struct kernel *k, struct copy *c, void *user) {
    (void)s;
    (void)k;
    struct accesses *a = user;
    for (int side = 0; side < 2; ++side) {
        if ((side ? c->dst.base : c->src.base) != a->t) continue;
        if (a->n == MAX_ACCESSES) {
            a->more = true;
            return true;
        }
        a->copy[a->n] = c;
        a->write[a->n++] = side;
    }
    return true;
}

static const struct view *view_of(const struct accesses *a, int i) {
    return a->write[i] ? &a->copy[i]->dst : &a->copy[i]->src;
}

static bool of_blocks(const struct ix *e) {
    return ix_depends(e, IX_BLOCK_X) || ix_depends(e, IX_BLOCK_Y) || ix_depends(e, IX_BLOCK_Z);
}

// What each coordinate that a block touches tells of the block: quotients that all accesses agree
// on.
struct told {
    int n;
    const struct ix *at[MAX_TOLD];
};

static void tell(struct told *t, const struct ix *e) {
    for (int i = 0; i < t->n; ++i) {
        if (ix_equal(t->at[i], e)) return;
    }
    if (t->n < MAX_TOLD) t->at[t->n++] = e;
}

// The quotient of all coordinates along "mode" by "c", when it is the same for all accesses and a
// matter of blocks alone.
static const struct ix *common_quotient(struct session *s, const struct accesses *a, int mode,
                                        struct lay_int c) {
    const struct ix *q = NULL;
    for (int i = 0; i < a->n; ++i) {
        const struct ix *lo, *hi;
        view_reach(s, view_of(a, i), mode, &lo, &hi);
        lo = ix_div(s, lo, c);
        hi = ix_div(s, hi, c);
        lay_clear_error(&s->lay);
        if (!lo || !hi || !ix_equal(lo, hi) || (q && !ix_equal(q, lo))) return NULL;
        q = lo;
    }
    for (int kind = 0; q && kind <= IX_NAMED; ++kind) {
        bool block = kind >= IX_BLOCK_X && kind <= IX_BLOCK_Z;
        if (!block && ix_depends(q, (enum ix_var_kind)kind)) return NULL;
    }
    return q;
}

static void tell_by_mode(struct session *s, const struct accesses *a, int mode, struct told *out) {
    const struct ix *e = view_of(a, 0)->coord_off[mode];
    struct ix_term self = {lay_int(1), e};
    const struct ix_term *term = e->op == IX_SUM ? e->term : &self;
    int n = e->op == IX_SUM ? e->nterms : 1;
    for (int i = 0; i < n; ++i) {
        int64_t lo, hi;
        lay_int_range(term[i].coef, &lo, &hi);
        if (!term[i].atom || !of_blocks(term[i].atom) || lo < 1) continue;
        const struct ix *q = common_quotient(s, a, mode, term[i].coef);
        if (q) tell(out, q);
    }
}

// Whether what is told determines "v": it is it, or gives it by a quotient or remainder, or gives
// both of these.
static bool is_told(struct session *s, const struct told *t, const struct kernel *k,
                    const struct ix_var *v) {
    const struct ix *want = ix_var(s, v);
    for (int i = 0; i < t->n; ++i) {
        const struct ix *e = t->at[i];
        if (ix_equal(e, want)) return true;
        for (int j = 0; j < 3; ++j) {
            int64_t lo, hi;
            lay_int_range(k->grid[j], &lo, &hi);
            if (lo < 1) continue;
            const struct ix *q = ix_div(s, e, k->grid[j]), *r = ix_mod(s, e, k->grid[j]);
            lay_clear_error(&s->lay);
            if ((q && ix_equal(q, want)) || (r && ix_equal(r, want))) return true;
        }
        for (int j = 0; e->op == IX_MOD && ix_equal(e->a, want) && j < t->n; ++j) {
            const struct ix *d = t->at[j];
            if (d->op == IX_DIV && ix_equal(d->a, want) && lay_int_equal(d->k, e->k)) return true;
        }
    }
    return false;
}

static bool blocks_apart(struct session *s, const struct kernel *k, const struct accesses *a) {
    struct told *t = ARENA_NEW(&s->arena, struct told);
    int rank = lay_tuple_leaves(a->t->layout.shape);
    for (int i = 0; i < rank; ++i) tell_by_mode(s, a, i, t);
    for (int i = 0; i < 3; ++i) {
        if (k->block[i] && !lay_int_is(k->grid[i], 1) && !is_told(s, t, k, k->block[i]))
            return false;
    }
    return true;
}

static bool check_blocks(struct session *s, struct kernel *k, const struct tensor *t) {
    struct accesses *a = ARENA_NEW(&s->arena, struct accesses);
    a->t = t;
    walk_copies(s, k, gather, a);
    if (a->n == 0 || (!a->more && blocks_apart(s, k, a))) return true;
    for (int i = 0; i < a->n; ++i) {
        for (int j = 0; j < a->n; ++j) {
            if (a->write[i] || !a->write[j] ||
                (!a->more && apart(s, view_of(a, i), view_of(a, j), true)))
                continue;
            diag_error(s, view_of(a, i)->at,
                       "'%s' is read here where another block of kernel '%s' may write it; blocks "
                       "run in no order",
                       t->name, k->name);
            diag_note(s, view_of(a, j)->at, "it is written here");
            return false;
        }
    }
    return true;
}

// -- 3: loads that run ahead
// -----------------------------------------------------------------------

// What the statements of a part access, in order: a copy's or a call's views.
struct touched {
    int n;
    const struct view *view[MAX_ACCESSES];
    bool write[MAX_ACCESSES];
};

static void add_touched(struct touched *t, const struct view *v, bool write) {
    if (v->base->space != MEM_SHARED || t->n == MAX_ACCESSES) return;
    t->view[t->n] = v;
    t->write[t->n++] = write;
}

static void touch_all(struct touched *t, const struct stmt *list) {
    for (const struct stmt *x = list; x; x = x->next) {
        if (stmt_nests(x)) touch_all(t, x->body);
        if (x->kind == STMT_COPY) {
            add_touched(t, &x->copy->src, false);
            add_touched(t, &x->copy->dst, true);
        }
        for (int i = 0; x->kind == STMT_CALL && i < x->call->fn->nformals; ++i)
            add_touched(t, &x->call->view[i], x->call->fn->formal[i].dir != ARG_IN);
    }
}

// What "use" does to a slot above a "load" that fills the same part of it: that is filled already.
static bool check_parts(struct session *s, const struct stmt *use, const struct stmt *load,
                        int64_t ahead) {
    struct touched *above = ARENA_NEW(&s->arena, struct touched);
    struct touched *below = ARENA_NEW(&s->arena, struct touched);
    touch_all(above, use->body);
    touch_all(below, load->body);
    for (int i = 0; i < above->n; ++i) {
        for (int j = 0; j < below->n; ++j) {
            const struct view *a = above->view[i], *b = below->view[j];
            if (!below->write[j] || a->base != b->base || apart(s, a, b, true)) continue;
            diag_error(s, a->at,
                       "'%s' is %s here before 'load' fills it, and 'load' runs %ld step%s ahead: "
                       "its elements are there already; give them a buffer of their own",
                       a->base->name, above->write[i] ? "written" : "read", (long)ahead,
                       ahead == 1 ? "" : "s");
            diag_page(s, "pipeline");
            diag_note(s, b->at, "it is filled here");
            return false;
        }
    }
    return true;
}

static bool check_pipelines(struct session *s, const struct stmt *list) {
    bool ok = true;
    for (const struct stmt *x = list; x; x = x->next) {
        if (stmt_nests(x)) ok &= check_pipelines(s, x->body);
        if (x->kind != STMT_PIPELINE || x->pipe->stages == 1) continue;
        for (const struct stmt *use = x->body; use; use = use->next) {
            for (const struct stmt *load = use->next; !use->load && load; load = load->next)
                ok &= !load->load || check_parts(s, use, load, x->pipe->stages - 1);
        }
    }
    return ok;
}

// -- the pass -------------------------------------------------------------------------------------

static bool visit(struct session *s, struct kernel *k, struct copy *c, void *user) {
    (void)k;
    (void)user;
    return check_sides(s, c);
}

bool pass_races(struct session *s, struct plan *p) {
    bool ok = walk_plan(s, p, visit, NULL);
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        ok &= check_pipelines(s, k->body);
        for (int i = 0; i < k->nformals; ++i) {
            if (k->formal[i].dir == ARG_INOUT) ok &= check_blocks(s, k, k->formal[i].tensor);
        }
    }
    return ok;
}
