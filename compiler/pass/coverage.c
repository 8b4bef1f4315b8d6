// Pass "coverage": each element once, and nothing outside.
//
// Requires: facts of partition (tiles divide, threads and values cover each tile once: tile() has
// proven that).  Fills kernel.enumerate; refuses what is not proven.  Four questions, for all
// values of the params:
//
// 1. Does every coordinate of a view lie inside its tensor?  By bounds on each mode's coordinate.
// 2. Do different coordinates of the destination tensor name different elements?  By its strides.
// 3. Do a copy's own writes, by all threads, iterations and blocks, have different coordinates?
// 4. Is an `out` tensor written wholly?
//
// 3 and 4 are read off the digits of which a coordinate consists (coverage_digits.c).  What the
// digits cannot decide and is small is enumerated when the compilation checks itself.
#include "pass/coverage.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/pass.h"
#include "pass/walk.h"
#include "pass/witness.h"
#include "plan/view.h"

struct walk {
    const struct plan *plan;
    const struct stmt *loop[16];  // enclosing, outermost first
    int nloops;
    struct written *several;
};

// -- 1: inside ------------------------------------------------------------------------------------

static void add_span(struct session *s, const struct lay_tuple *shape,
                     const struct lay_tuple *stride, int mode, const struct ix **lo,
                     const struct ix **hi) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i) {
            add_span(s, shape->kid[i], stride->kid[i], mode, lo, hi);
        }
        return;
    }
    int path[3];
    if (stride->leaf.num == 0 || lay_int_basis_path(stride->leaf, path) < 1 || path[0] != mode)
        return;
    struct lay_int d = stride->leaf;
    d.basis = -1;
    const struct ix *last = ix_sub(s, ix_lay(s, shape->leaf), ix_int(s, 1));
    const struct ix *span = ix_scale(s, last, d);
    int64_t dlo, dhi;
    lay_int_range(d, &dlo, &dhi);
    if (dhi <= 0)
        *lo = ix_add(s, *lo, span);
    else
        *hi = ix_add(s, *hi, span);
}

void view_reach(struct session *s, const struct view *v, int mode, const struct ix **lo,
                const struct ix **hi) {
    *lo = *hi = v->coord_off[mode];
    add_span(s, v->coord.shape, v->coord.stride, mode, lo, hi);
}

static bool of_formals(const struct ix *e) {
    return e && ix_depends(e, IX_FORMAL);
}

// "a" <= "b" becomes a duty of the caller of device function "k".
static void add_duty(struct session *s, struct kernel *k, const struct ix *a, const struct ix *b,
                     const struct tensor *t) {
    struct duty **end = &k->duties;
    for (; *end; end = &(*end)->next) {
        if (ix_equal((*end)->a, a) && ix_equal((*end)->b, b)) return;
    }
    *end = ARENA_NEW(&s->arena, struct duty);
    **end = (struct duty){a, b, t, NULL};
}

static bool below(struct session *s, const struct ix *max, const struct ix *n) {
    const struct ix *room = max ? ix_sub(s, ix_sub(s, n, ix_int(s, 1)), max) : NULL;
    return room && ix_provably_nonnegative(s, room);
}

// With "predicates", what lies beyond the end of a tensor is left out by predicates.
static bool check_inside(struct session *s, struct kernel *k, const struct view *v,
                         const struct walk *w, const char *what, bool predicates) {
    if (!lay_valid(v->coord)) return true;  // a fragment
    const struct lay_tuple *extent = lay_tuple_flatten(&s->lay, v->base->layout.shape);
    int rank = lay_tuple_rank(extent);
    for (int i = 0; i < rank; ++i) {
        const struct ix *lo, *hi;
        view_reach(s, v, i, &lo, &hi);
        if (k->threads % 32 && !v->lanes) {  // the last warp has not all lanes
            lo = view_by_tid(s, k, lo);
            hi = view_by_tid(s, k, hi);
        }
        const struct ix *n = ix_lay(s, lay_tuple_get(&s->lay, extent, i)->leaf);
        const struct ix *min = ix_min(s, lo), *max = ix_max(s, hi);
        if (!min || !ix_provably_nonnegative(s, min))
            min = ix_min(s, coverage_bound(s, lo, w->loop, w->nloops, false));
        if (!below(s, max, n)) max = ix_max(s, coverage_bound(s, hi, w->loop, w->nloops, true));
        if (!min || !ix_provably_nonnegative(s, min)) {
            if (of_formals(min)) {
                add_duty(s, k, ix_int(s, 0), min, v->base);
                continue;
            }
            diag_error(s, v->at,
                       "%s may lie outside '%s': its least coordinate along mode %d is %s", what,
                       v->base->name, i, min ? ix_text(s, min) : "not known");
            diag_page(s, "outside");
        } else if (predicates && v->overhang) {
            continue;
        } else if (!below(s, max, n)) {
            if (of_formals(max)) {
                add_duty(s, k, ix_add(s, max, ix_int(s, 1)), n, v->base);
                continue;
            }
            diag_error(s, v->at,
                       "%s may lie outside '%s': its greatest coordinate along mode %d is %s, the "
                       "extent is %s",
                       what, v->base->name, i, max ? ix_text(s, max) : "not known", ix_text(s, n));
            diag_page(s, "outside");
        } else {
            continue;
        }
        diag_note(s, v->base->at, "'%s' has shape %s", v->base->name,
                  lay_tuple_text(&s->lay, v->base->layout.shape));
        return false;
    }
    return true;
}

// -- 2: different coordinates, different elements -------------------------------------------------

static bool is_extent(const struct lay_tuple *shape, const struct lay_sym *y) {
    if (lay_is_leaf(shape)) return shape->leaf.nsyms == 1 && shape->leaf.syms[0] == y;
    for (int i = 0; i < shape->rank; ++i)
        if (is_extent(shape->kid[i], y)) return true;
    return false;
}

// Whether "a" is "b" times something that is at least 1.  Where an extent is zero there is no
// coordinate to tell apart, so that params which are extents of "shape" count as at least 1.
static bool is_multiple(struct session *s, const struct lay_tuple *shape, struct lay_int a,
                        struct lay_int b) {
    struct lay_int q = lay_int_div(&s->lay, a, b);
    lay_clear_error(&s->lay);
    if (!lay_int_valid(q) || q.num < q.den) return false;
    for (int i = 0; i < q.nsyms; ++i)
        if (q.syms[i]->lo < 1 && !is_extent(shape, q.syms[i])) return false;
    return true;
}

// A param of "r" that kernel "k" does not have, so that its launcher cannot check it; or NULL.
static const struct param *foreign(const struct kernel *k, const struct relation *r) {
    for (int i = 0; i < r->nparams; ++i) {
        int j = 0;
        while (j < k->nparams && k->param[j] != r->param[i]) ++j;
        if (j == k->nparams) return r->param[i];
    }
    return NULL;
}

bool at_least(struct session *s, const struct plan *p, const struct kernel *k, const struct ix *a,
              const struct ix *b) {
    const struct ix *d = ix_sub(s, a, b);
    if (ix_provably_nonnegative(s, d)) return true;
    for (int i = 0; i < p->nrelations; ++i) {
        const struct relation *r = p->relation[i];
        const struct ix *known = NULL;
        if (foreign(k, r)) continue;
        if (r->op[0] == '>') known = ix_sub(s, r->a, r->b);
        if (r->op[0] == '<') known = ix_sub(s, r->b, r->a);
        if (r->op[0] == '=') known = ix_sub(s, r->a, r->b);
        if (known && r->op[0] != '=' && r->op[1] == 0) known = ix_sub(s, known, ix_int(s, 1));
        // the relation may be needed a static number of times: 4*lda >= 4*K
        if (known && d && ix_provably_nonnegative(s, ix_sub(s, d, known))) return true;
        int64_t times = d ? ix_divisor(d) : 0;
        if (known && times > 1 &&
            ix_provably_nonnegative(s, ix_sub(s, d, ix_scale(s, known, lay_int(times))))) {
            return true;
        }
    }
    return false;
}

static bool no_less(struct session *s, const struct plan *p, const struct kernel *k,
                    const struct lay_tuple *shape, struct lay_int a, struct lay_int b) {
    return is_multiple(s, shape, a, b) || at_least(s, p, k, ix_lay(s, a), ix_lay(s, b));
}

static void collect(const struct lay_tuple *shape, const struct lay_tuple *stride,
                    struct lay_int *n, struct lay_int *d, int *count) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i) collect(shape->kid[i], stride->kid[i], n, d, count);
        return;
    }
    if (lay_int_is(shape->leaf, 1)) return;
    n[*count] = shape->leaf;
    d[(*count)++] = stride->leaf;
}

// Sorted by stride, each stride must reach past all that the modes before it span.
static bool injective_by_strides(struct session *s, const struct plan *p, const struct kernel *k,
                                 struct lay l) {
    struct lay_int n[LAY_MAX_LEAVES], d[LAY_MAX_LEAVES];
    int count = 0;
    collect(l.shape, l.stride, n, d, &count);
    struct lay_int span = lay_int(1);  // of one more than the greatest value so far, an upper bound
    bool used[LAY_MAX_LEAVES] = {false};
    for (int taken = 0; taken < count; ++taken) {
        int best = -1;
        for (int i = 0; i < count; ++i) {
            if (used[i]) continue;
            if (best < 0 ||
                (no_less(s, p, k, l.shape, d[best], d[i]) && !lay_int_equal(d[best], d[i])))
                best = i;
        }
        used[best] = true;
        if (!no_less(s, p, k, l.shape, d[best], span)) return false;
        span = lay_int_mul(&s->lay, d[best], n[best]);
        if (!lay_int_valid(span)) {
            lay_clear_error(&s->lay);
            return false;
        }
    }
    return true;
}

// Relations of which kernel "k" has some params: why they do not help.
static void note_foreign(struct session *s, const struct plan *p, const struct kernel *k) {
    for (int i = 0; i < p->nrelations; ++i) {
        const struct relation *r = p->relation[i];
        const struct param *x = foreign(k, r);
        for (int j = 0; x && j < k->nparams; ++j) {
            if (!ix_speaks_of(r->a, k->param[j]->sym) && !ix_speaks_of(r->b, k->param[j]->sym))
                continue;
            diag_note(s, r->at,
                      "'%s' does not count here: kernel '%s' does not take '%s', so that its "
                      "launcher cannot check it",
                      r->text, k->name, x->name);
            break;
        }
    }
}

static bool check_injective(struct session *s, const struct plan *p, const struct kernel *k,
                            const struct view *v) {
    struct lay l = lay_inner(v->base->layout);
    if (!lay_valid(l)) return true;
    if (injective_by_strides(s, p, k, l)) return true;
    struct lay_int size = lay_size(&s->lay, l);
    if (lay_static(l) && lay_int_static(size) && size.num <= (1 << 22)) {
        if (lay_is_injective(&s->lay, l)) return true;
        lay_clear_error(&s->lay);
        diag_error(s, v->at, "'%s' is written, but its layout %s gives two coordinates one element",
                   v->base->name, lay_text(&s->lay, v->base->layout));
        diag_page(s, "injective");
        witness_layout(s, p, v->base);
        return false;
    }
    diag_error(
        s, v->at,
        "'%s' is written, but nothing says that different coordinates of its layout %s are "
        "different elements; relate the strides to the extents, as in 'param lda : index where "
        "lda >= K'",
        v->base->name, lay_text(&s->lay, v->base->layout));
    diag_page(s, "injective");
    witness_layout(s, p, v->base);
    note_foreign(s, p, k);
    return false;
}

// -- formals --------------------------------------------------------------------------------------

static const struct formal *formal_of(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nformals; ++i) {
        if (k->formal[i].tensor == t) return &k->formal[i];
    }
    return NULL;
}

static bool check_direction(struct session *s, const struct kernel *k, const struct copy *c) {
    const struct formal *f = formal_of(k, c->dst.base);
    if (f && f->dir == ARG_IN) {
        diag_error(s, c->dst.at,
                   "'%s' is written here, so the list of kernel '%s' must say 'out %s'",
                   c->dst.base->name, k->name, c->dst.base->name);
        diag_note(s, f->at, "it is listed as an input here");
        diag_fixit(s, f->at, arena_printf(&s->arena, "out %s", c->dst.base->name));
        return false;
    }
    f = formal_of(k, c->src.base);
    if (f && f->dir == ARG_OUT) {
        diag_error(
            s, c->src.at,
            "'%s' is read here, but kernel '%s' lists it as 'out'; its elements hold nothing yet",
            c->src.base->name, k->name);
        diag_note(s, f->at, "it is listed here");
        return false;
    }
    return true;
}

// -- the pass -------------------------------------------------------------------------------------

// What is divided, or swizzled, must not be negative: C rounds towards zero.
static bool check_rounding(struct session *s, const struct ix *e, struct range at) {
    if (ix_rounds_down(e)) return true;
    diag_error(s, at, "'%s' divides something that may be negative", ix_text(s, e));
    return false;
}

static bool check_copy(struct session *s, struct kernel *k, const struct copy *c, struct walk *w) {
    if (!check_direction(s, k, c)) return false;
    if (!check_rounding(s, c->facts.src.offset, c->src.at) ||
        !check_rounding(s, c->facts.dst.offset, c->dst.at)) {
        return false;
    }
    if (!check_inside(s, k, &c->src, w, "the source", true) ||
        !check_inside(s, k, &c->dst, w, "the destination", true))
        return false;
    if (!check_injective(s, w->plan, k, &c->dst)) return false;
    if (coverage_digits(s, k, c, w->loop, w->nloops, &w->several)) return true;
    witness_writes(s, w->plan, k, c->at);
    return false;
}

static bool check_list(struct session *s, struct kernel *k, const struct stmt *list,
                       struct walk *w) {
    bool ok = true;
    for (const struct stmt *st = list; st; st = st->next) {
        if (st->kind == STMT_COPY) {
            ok &= check_copy(s, k, st->copy, w);
        } else if (st->kind == STMT_CALL) {
            for (int i = 0; i < st->call->fn->nformals; ++i) {
                ok &= check_rounding(s, st->call->view[i].offset, st->call->view[i].at) &&
                      check_inside(s, k, &st->call->view[i], w, "the argument", false);
            }
        } else if (stmt_orders(st)) {
            continue;
        } else if (st->kind == STMT_PART) {
            ok &= check_list(s, k, st->body, w);
        } else if (w->nloops == (int)(sizeof w->loop / sizeof w->loop[0])) {
            diag_error(s, st->at, "loops are nested more than %d deep", w->nloops);
            ok = false;
        } else {
            if (!check_rounding(s, st->begin, st->at) || !check_rounding(s, st->end, st->at))
                return false;
            w->loop[w->nloops++] = st;
            ok &= check_list(s, k, st->body, w);
            --w->nloops;
        }
    }
    return ok;
}

static bool count_writes(struct session *s, struct kernel *k, struct copy *c, void *user) {
    (void)s;
    (void)k;
    struct {
        const struct tensor *t;
        int n;
    } *count = user;
    if (c->dst.base == count->t) ++count->n;
    return true;
}

static bool check_outputs(struct session *s, struct kernel *k) {
    bool ok = true;
    for (int i = 0; i < k->nformals; ++i) {
        struct {
            const struct tensor *t;
            int n;
        } count = {k->formal[i].tensor, 0};
        walk_copies(s, k, count_writes, &count);
        if (k->formal[i].dir != ARG_IN && count.n == 0) {
            diag_error(s, k->formal[i].at,
                       "'%s' is listed as an output of kernel '%s', which never writes it",
                       k->formal[i].tensor->name, k->name);
            ok = false;
        }
    }
    return ok;
}

bool pass_coverage(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        struct walk w = {p};
        ok &= check_outputs(s, k) && check_list(s, k, k->body, &w);
        coverage_several(s, k, w.several);
    }
    return ok;
}
