// Are all writes of a copy different, and do they fill the tensor?  Read off digits.
//
// A coordinate of the destination is, mode by mode, a sum of digits with weights: the copy's own
// coordinates, and the digits (v / d) % n of the variables that run in parallel or in turn: blocks,
// threads, loops.  Writes are different when each such variable's digits are all there, and when in
// each mode the weights, in ascending order, reach past all that stands below them.  They fill a
// mode when each weight is just the product of the extents below it, as in a number system of mixed
// radix, and the whole product is the mode's extent.  Several copies that write the same from
// evenly spaced places are one digit more.
//
// Separate from coverage.c, which asks the other questions and knows the statements around a copy.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage.h"
#include "pass/walk.h"
#include "plan/view.h"

enum { MAX_DIGITS = 128 };

struct digit {
    const struct ix_var *var;  // NULL: a coordinate of the copy itself
    struct lay_int div;        // of the variable
    struct lay_int extent, weight;
    int mode;
};

struct digits {
    int n;
    bool unknown;  // something that is no digit
    bool partly;   // not each value of each digit may be there
    bool shared;   // of a buffer that each iteration may write again
    bool moves;    // and which are hangs on variables that are no digits
    struct digit at[MAX_DIGITS];
    const struct ix *base[LAY_MAX_LEAVES];  // constant part a mode
};

static void add(struct session *s, struct digits *d, struct digit x) {
    if (lay_int_is(x.extent, 1)) return;
    if (x.weight.num < 0) {  // counted down: the same from its other end
        const struct ix *last = ix_sub(s, ix_lay(s, x.extent), ix_int(s, 1));
        d->base[x.mode] = ix_add(s, d->base[x.mode], ix_scale(s, last, x.weight));
        x.weight = lay_int_mul(&s->lay, x.weight, lay_int(-1));
    }
    if (d->n == MAX_DIGITS)
        d->unknown = true;
    else
        d->at[d->n++] = x;
}

static void add_coords(struct session *s, struct digits *d, const struct lay_tuple *shape,
                       const struct lay_tuple *stride) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i) add_coords(s, d, shape->kid[i], stride->kid[i]);
        return;
    }
    int path[3];
    int depth = lay_int_basis_path(stride->leaf, path);
    struct lay_int weight = stride->leaf;
    weight.basis = -1;
    add(s, d, (struct digit){NULL, lay_int(1), shape->leaf, weight, depth > 0 ? path[0] : 0});
}

static struct lay_int var_extent(struct session *s, const struct ix_var *v) {
    struct lay_int n;
    const struct ix *e = ix_sub(s, ix_lay(s, v->end), ix_lay(s, v->lo));
    return lay_int_valid(v->end) && ix_monomial(e, &n) ? n : LAY_INT_INVALID;
}

static void add_atom(struct session *s, struct digits *d, const struct ix *a, struct lay_int weight,
                     int mode) {
    struct lay_int div = lay_int(1), extent = LAY_INT_INVALID;
    const struct ix *atom = a;
    if (a->op == IX_MOD) {
        extent = a->k;
        a = a->a;
    }
    if (a->op == IX_DIV) {
        div = a->k;
        a = a->a;
    }
    if (a->op == IX_VAR && a->var->kind == IX_FORMAL && lay_int_is(div, 1) &&
        !lay_int_valid(extent)) {
        return;  // where the caller puts it
    }
    bool by_threads = ix_depends(a, IX_TID) || ix_depends(a, IX_LANE) || ix_depends(a, IX_WARP);
    if (a->op != IX_VAR && d->shared && !by_threads) {  // the same for all who write at once
        d->base[mode] = ix_add(s, d->base[mode], ix_scale(s, atom, weight));
        return;
    }
    if (a->op != IX_VAR) {
        d->unknown = true;
        return;
    }
    if (!lay_int_valid(extent)) {
        struct lay_int n = var_extent(s, a->var);
        extent = lay_int_valid(n) ? lay_int_ceil_div(&s->lay, n, div) : n;
    }
    if (!lay_int_valid(extent) || (!lay_int_is(a->var->lo, 0) && (!lay_int_is(div, 1)))) {
        lay_clear_error(&s->lay);
        d->unknown = true;
        return;
    }
    if (!lay_int_is(a->var->lo, 0)) {
        d->base[mode] =
            ix_add(s, d->base[mode], ix_lay(s, lay_int_mul(&s->lay, weight, a->var->lo)));
    }
    add(s, d, (struct digit){a->var, div, extent, weight, mode});
}

// With "by_tid" lane and warp are digits of tid.
static void collect(struct session *s, const struct kernel *k, const struct view *v, int rank,
                    bool by_tid, const struct stmt *const *loop, const struct counted *counted,
                    int nloops, struct digits *d) {
    for (int i = 0; i < rank; ++i) d->base[i] = ix_int(s, 0);
    add_coords(s, d, v->coord.shape, v->coord.stride);
    for (int i = 0; i < rank; ++i) {
        const struct ix *e = by_tid ? view_by_tid(s, k, v->coord_off[i]) : v->coord_off[i];
        e = coverage_counted(s, e, loop, counted, nloops);
        if (!e) {
            d->unknown = true;
            return;
        }
        if (e->op != IX_SUM) {
            add_atom(s, d, e, lay_int(1), i);
            continue;
        }
        for (int j = 0; j < e->nterms; ++j) {
            if (e->term[j].atom && !ix_constant(e->term[j].atom)) {
                add_atom(s, d, e->term[j].atom, e->term[j].coef, i);
            } else {
                const struct ix *atom = e->term[j].atom ? e->term[j].atom : ix_int(s, 1);
                d->base[i] = ix_add(s, d->base[i], ix_scale(s, atom, e->term[j].coef));
            }
        }
    }
}

// -- variables ------------------------------------------------------------------------------------

static const char *plural(const struct ix_var *v) {
    switch (v->kind) {
    case IX_TID: return "threads";
    case IX_WARP: return "warps";
    case IX_LANE: return "lanes";
    case IX_LOOP: return "iterations";
    default: return "blocks";
    }
}

// All of variable "v" is in the digits: its divisors chain from 1 up to its extent.
static bool check_var(struct session *s, const struct kernel *k, const struct copy *c,
                      struct digits *d, const struct ix_var *v) {
    struct lay_int extent = var_extent(s, v), reach = lay_int(1);
    if (lay_int_is(extent, 1)) return true;
    bool any = false;
    for (bool grew = true; grew;) {
        grew = false;
        for (int i = 0; i < d->n; ++i) {
            if (!d->at[i].var || d->at[i].var->id != v->id) continue;
            any = true;
            if (!lay_int_equal(d->at[i].div, reach)) continue;
            reach = lay_int_mul(&s->lay, reach, d->at[i].extent);
            grew = !lay_int_is(d->at[i].extent, 1);
            break;
        }
    }
    if (lay_int_valid(extent) && lay_int_equal(reach, extent)) return true;
    if (!any && d->moves) d->unknown = true;
    if (d->unknown) return true;  // to be enumerated
    if (!any) {
        diag_error(s, c->dst.at,
                   "%s 0 and 1 of kernel '%s' write the same elements of '%s': nothing in this "
                   "view depends on '%s'",
                   plural(v), k->name, c->dst.base->name, v->name);
        diag_page(s, "once");
        diag_note(s, c->dst.base->at, "'%s' is declared here", c->dst.base->name);
        return false;
    }
    int64_t lo, hi, elo, ehi;
    lay_int_range(reach, &lo, &hi);
    if (!lay_int_valid(extent)) {
        d->unknown = true;
        return true;
    }
    lay_int_range(extent, &elo, &ehi);
    if (lay_int_static(reach) && lay_int_static(extent) && reach.num >= extent.num) return true;
    if (lay_int_static(reach) && reach.num < elo) {
        diag_error(s, c->dst.at, "%s 0 and %ld of kernel '%s' write the same elements of '%s'",
                   plural(v), (long)reach.num, k->name, c->dst.base->name);
        diag_page(s, "once");
        diag_note(s, c->dst.base->at, "'%s' is declared here", c->dst.base->name);
        return false;
    }
    d->unknown = true;
    return true;
}

// -- modes ----------------------------------------------------------------------------------------

enum fill { FILL_WHOLE, FILL_PART, FILL_OVERLAP, FILL_UNKNOWN };

// "reach" is what the digits of "mode" fill, from "base" on.
static enum fill fill_mode(struct session *s, const struct digits *d, int mode,
                           struct lay_int *reach) {
    bool used[MAX_DIGITS] = {false};
    enum fill fill = FILL_WHOLE;
    *reach = lay_int(1);
    for (;;) {
        int best = -1, left = 0;
        for (int i = 0; i < d->n; ++i) {
            if (used[i] || d->at[i].mode != mode) continue;
            ++left;
            if (lay_int_equal(d->at[i].weight, *reach)) best = i;
        }
        if (left == 0) return fill;
        if (best < 0) {
            // not the next one: the least that is provably beyond
            fill = FILL_PART;
            for (int i = 0; i < d->n; ++i) {
                if (used[i] || d->at[i].mode != mode) continue;
                if (lay_int_is(d->at[i].weight, 0)) return FILL_OVERLAP;
                if (best < 0 || lay_int_less(d->at[i].weight, d->at[best].weight)) best = i;
            }
            struct lay_int w = d->at[best].weight;
            if (!lay_int_less(*reach, w)) {
                return lay_int_static(w) && lay_int_static(*reach) ? FILL_OVERLAP : FILL_UNKNOWN;
            }
        }
        used[best] = true;
        *reach = lay_int_mul(&s->lay, d->at[best].weight, d->at[best].extent);
        if (!lay_int_valid(*reach)) {
            lay_clear_error(&s->lay);
            return FILL_UNKNOWN;
        }
    }
}

// "reach" >= "n", where a ceil_div of what it is of counts as the plain quotient.
static bool reaches(struct session *s, struct lay_int reach, struct lay_int n) {
    if (lay_int_less_equal(n, reach)) return true;
    for (int i = 0; i < reach.nsyms; ++i) {
        const struct lay_sym *y = reach.syms[i];
        if (y->name) continue;
        struct lay_int rest = lay_int_div(&s->lay, reach, lay_int_sym(&s->lay, y));
        struct lay_int less = lay_int_mul(&s->lay, rest, y->of);
        lay_clear_error(&s->lay);
        if (!lay_int_valid(less)) continue;
        // of >= n when reach without the quotient is at least what it was divided by
        struct lay_int by = lay_int_mul(&s->lay, n, lay_int(y->by));
        lay_clear_error(&s->lay);
        if (lay_int_valid(by) && lay_int_less_equal(by, less)) return true;
    }
    return false;
}

static bool fills(struct session *s, const struct view *v, enum fill fill, const struct ix *base,
                  struct lay_int reach, struct lay_int n) {
    int64_t from;
    if (fill != FILL_WHOLE || !ix_static(base, &from) || from != 0) return false;
    return lay_int_equal(reach, n) || (v->overhang && reaches(s, reach, n));
}

// -- several copies -------------------------------------------------------------------------------

// What one of several copies writes; of one kernel in one list.
struct written {
    const struct copy *copy;
    struct digits *d;
    const struct written *next;
};

// Whether "a" and "b" write the same coordinates, counted from their bases.
static bool same_digits(const struct digits *a, const struct digits *b) {
    bool used[MAX_DIGITS] = {false};
    for (int i = 0; i < a->n; ++i) {
        int j = 0;
        while (j < b->n && (used[j] || a->at[i].mode != b->at[j].mode ||
                            !lay_int_equal(a->at[i].extent, b->at[j].extent) ||
                            !lay_int_equal(a->at[i].weight, b->at[j].weight)))
            ++j;
        if (j == b->n) return false;
        used[j] = true;
    }
    return a->n == b->n;
}

// The copies that write what "first" does, as one digit more: they write the same coordinates from
// bases that stand equally far apart along one mode.  False when they do not.
static bool add_copies(struct session *s, const struct written *first, int rank,
                       struct digits *out) {
    int64_t far[MAX_DIGITS], least = 0, step = 0;
    int n = 0, mode = -1;
    *out = *first->d;
    for (const struct written *x = first; x; x = x->next) {
        if (x->copy->dst.base != first->copy->dst.base) continue;
        if (n == MAX_DIGITS || !same_digits(first->d, x->d)) return false;
        far[n] = 0;
        for (int i = 0; i < rank; ++i) {
            int64_t apart;
            if (!ix_static(ix_sub(s, x->d->base[i], first->d->base[i]), &apart)) return false;
            if (apart == 0) continue;
            if (mode >= 0 && mode != i) return false;
            mode = i;
            far[n] = apart;
        }
        if (far[n] < least) least = far[n];
        ++n;
    }
    // the least distance, of which the others are multiples, each once
    for (int i = 0; i < n; ++i) {
        if (far[i] > least && (step == 0 || far[i] - least < step)) step = far[i] - least;
    }
    bool seen[MAX_DIGITS] = {false};
    for (int i = 0; i < n; ++i) {
        int64_t at = step ? (far[i] - least) / step : n;
        if (at >= n || seen[at] || (far[i] - least) % step) return false;
        seen[at] = true;
    }
    out->base[mode] = ix_add(s, out->base[mode], ix_int(s, least));
    add(s, out, (struct digit){NULL, lay_int(1), lay_int(n), lay_int(step), mode});
    return !out->unknown;
}

static const struct formal *formal_of(const struct kernel *k, const struct tensor *t);

void coverage_several(struct session *s, struct kernel *k, const struct written *several) {
    struct digits *d = ARENA_NEW(&s->arena, struct digits);
    for (const struct written *x = several; x; x = x->next) {
        const struct tensor *t = x->copy->dst.base;
        const struct written *before = several;
        while (before->copy->dst.base != t) before = before->next;
        if (before != x) continue;  // the tensor was looked at with its first copy
        const struct lay_tuple *extent = lay_tuple_flatten(&s->lay, t->layout.shape);
        const struct formal *f = formal_of(k, t);
        int rank = lay_tuple_rank(extent);
        bool proven = add_copies(s, x, rank, d);
        for (int i = 0; i < rank && proven; ++i) {
            struct lay_int reach, n = lay_tuple_get(&s->lay, extent, i)->leaf;
            enum fill fill = fill_mode(s, d, i, &reach);
            proven = fill == FILL_WHOLE || fill == FILL_PART;
            if (f && f->dir == ARG_OUT && !k->device)
                proven =
                    proven && !d->partly && fills(s, &x->copy->dst, fill, d->base[i], reach, n);
        }
        if (!proven) k->enumerate = true;
    }
}

// -- the question ---------------------------------------------------------------------------------

static bool depends_on_tid(const struct view *v, int rank) {
    for (int i = 0; i < rank; ++i)
        if (ix_depends(v->coord_off[i], IX_TID)) return true;
    return false;
}

struct writers {
    const struct tensor *t;
    int n;
};

static bool count_writer(struct session *s, struct kernel *k, struct copy *c, void *user) {
    (void)s;
    (void)k;
    struct writers *w = user;
    if (c->dst.base == w->t) ++w->n;
    return true;
}

static const struct formal *formal_of(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nformals; ++i) {
        if (k->formal[i].tensor == t) return &k->formal[i];
    }
    return NULL;
}

bool coverage_digits(struct session *s, struct kernel *k, const struct copy *c,
                     const struct stmt *const *loop, int nloops, struct written **several) {
    const struct tensor *t = c->dst.base;
    if (t->space == MEM_FRAG || !lay_valid(c->dst.coord)) return true;
    struct digits *d = ARENA_NEW(&s->arena, struct digits);
    const struct lay_tuple *extent = lay_tuple_flatten(&s->lay, t->layout.shape);
    int rank = lay_tuple_rank(extent);
    const struct copy_facts *g = &c->facts;
    bool by_tid = g->level == LEVEL_THREAD && !g->lanes;
    d->shared = t->space == MEM_SHARED;
    struct counted *counted = ARENA_ARRAY(&s->arena, struct counted, nloops + 1);
    for (int i = 0; i < nloops && t->space == MEM_GLOBAL; ++i) {
        counted[i] = coverage_count(s, loop[i]);
        d->partly |= !counted[i].exact;
        d->moves |= counted[i].moves;
    }
    collect(s, k, &c->dst, rank, by_tid, loop, counted, nloops, d);

    // the variables for each value of which the copy writes
    if (!by_tid && g->level != LEVEL_BLOCK) {
        struct ix_var lane = *k->lane;
        lane.end = lay_int(g->lanes ? g->lanes : lane.end.num);
        // divided among other lanes than take part, or by tid and lane at once
        if (g->level == LEVEL_THREAD && (g->lanes != c->dst.lanes || c->dst.threads))
            d->unknown = true;
        if (depends_on_tid(&c->dst, rank)) d->unknown = true;
        if (g->level == LEVEL_THREAD && !check_var(s, k, c, d, &lane)) return false;
        if (!check_var(s, k, c, d, k->warp)) return false;
    }
    if (by_tid) {
        struct ix_var tid = *k->tid;
        tid.end = lay_int(c->facts.threads);
        // this side is divided among more threads than take part
        if (c->facts.threads != (c->dst.threads ? c->dst.threads : k->threads)) d->unknown = true;
        if (!check_var(s, k, c, d, &tid)) return false;
    }
    if (t->space == MEM_GLOBAL) {
        for (int i = 0; i < 3; ++i) {
            if (k->block[i] && !check_var(s, k, c, d, k->block[i])) return false;
        }
        for (int i = 0; i < nloops; ++i) {
            if (!check_var(s, k, c, d, counted[i].var)) return false;
        }
    }
    bool whole = true;
    for (int i = 0; i < rank; ++i) {
        struct lay_int reach, n = lay_tuple_get(&s->lay, extent, i)->leaf;
        enum fill fill = fill_mode(s, d, i, &reach);
        if (fill == FILL_UNKNOWN) d->unknown = true;
        if (d->unknown) break;
        if (fill == FILL_OVERLAP) {
            diag_error(s, c->dst.at,
                       "the writes to '%s' overlap along mode %d: two coordinates of this view are "
                       "one element",
                       t->name, i);
            diag_page(s, "once");
            diag_note(s, t->at, "'%s' is declared here", t->name);
            return false;
        }
        whole = whole && fills(s, &c->dst, fill, d->base[i], reach, n);
    }
    const struct formal *f = formal_of(k, t);
    struct writers w = {t, 0};
    walk_copies(s, k, count_writer, &w);
    if (d->unknown) {
        k->enumerate = true;
        return true;
    }
    if (t->space == MEM_GLOBAL && w.n > 1) {
        struct written *x = ARENA_NEW(&s->arena, struct written);
        *x = (struct written){c, d, *several};
        *several = x;
        return true;
    }
    // what a device function writes of a global tensor, its other calls complete
    if (f && f->dir == ARG_OUT && d->partly && !k->device) {
        k->enumerate = true;
        return lay_static(t->layout) || coverage_refuse_partly(s, k, c, f);
    }
    if (f && f->dir == ARG_OUT && !whole && !(k->device && t->space == MEM_GLOBAL)) {
        for (int i = 0; i < rank; ++i) {
            struct lay_int reach, n = lay_tuple_get(&s->lay, extent, i)->leaf;
            enum fill fill = fill_mode(s, d, i, &reach);
            if (fills(s, &c->dst, fill, d->base[i], reach, n)) continue;
            diag_error(s, c->dst.at,
                       "'%s' is not written wholly: along mode %d, of extent %s, kernel '%s' "
                       "writes %s%s from %s on",
                       t->name, i, lay_int_text(&s->lay, n), k->name, lay_int_text(&s->lay, reach),
                       fill == FILL_PART ? " with gaps" : "", ix_text(s, d->base[i]));
            diag_page(s, "once");
            diag_note(s, f->at, "listed as 'out' here; 'inout %s' keeps what is not written",
                      t->name);
            return false;
        }
    }
    return true;
}
