// Pass "coverage": each element is written once, and nothing is outside.
//
// Requires: facts of predicate.  (Threads and values cover each tile once: tile() has proven that.)
// Fills kernel.duties.  Rejects the plan if one of four questions is not proven for all values of
// the params:
//
// 1. Is every coordinate of a view inside its tensor?
// 2. Do different coordinates of the destination tensor name different elements, by its strides?
// 3. Do all writes of a kernel to a tensor, by all copies, threads, iterations and blocks, have
// different coordinates?
// 4. Is an `out` tensor written completely, by all copies together?
//
// 1, 3 and 4 are proven on sets of instances (instances.h, prove/prove.h), 3 and 4 in writes.c.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/instances/witness.h"
#include "pass/pass.h"
#include "plan/view.h"

struct walk {
    struct session *s;
    const struct plan *plan;
    struct kernel *k;
    struct prover *prover;
    struct around around;
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

int64_t view_along(struct session *s, const struct view *v, int mode) {
    const struct ix *lo, *hi;
    int64_t n;
    view_reach(s, v, mode, &lo, &hi);
    const struct ix *span = lo && hi ? ix_sub(s, hi, lo) : NULL;
    return span && ix_static(span, &n) ? n + 1 : 0;
}

static bool of_formals(const struct ix *e) {
    return e && ix_depends(e, IX_FORMAL);
}

// Makes "a" <= "b" a duty of the caller of a device function.
static void add_duty(const struct walk *w, const struct ix *a, const struct ix *b,
                     const struct tensor *t) {
    struct duty **end = &w->k->duties;
    for (; *end; end = &(*end)->next) {
        if (ix_equal((*end)->a, a) && ix_equal((*end)->b, b)) return;
    }
    *end = ARENA_NEW(&w->s->arena, struct duty);
    **end = (struct duty){a, b, t, NULL};
}

static bool below(struct session *s, const struct ix *max, const struct ix *n) {
    const struct ix *room = max ? ix_sub(s, ix_sub(s, n, ix_int(s, 1)), max) : NULL;
    return room && ix_provably_nonnegative(s, room);
}

// Why a coordinate may be outside: a witness, or that it is not known; and where it is.
struct outside {
    const char *with;  // NULL: not known
    bool full;
    const struct ix *least;       // what is less than 0, or NULL:
    const struct ix *most, *end;  // what is not less than "end"; NULL: not known
};

// Asks whether the coordinate of "v" along mode "mode" is >= 0 ("end" NULL), or less than "end".
static enum prove_answer bounded(const struct walk *w, const struct copy *c, const struct view *v,
                                 int mode, const struct ix *end, struct outside *why) {
    struct session *s = w->s;
    struct instances *x = ARENA_NEW(&s->arena, struct instances);
    struct prove_witness found;
    instances_begin(s, w->k, &w->around, true, x);
    instances_of(x, c, v);
    const struct ix *at = instances_coord(x, v, mode);
    instances_cond(x, end ? ix_sub(s, at, end) : ix_sub(s, ix_int(s, -1), at));
    struct prove_set set = instances_settled(x, &w->around, v);
    enum prove_answer r = x->full ? PROVE_UNKNOWN : prove_none(w->prover, &set, &found);
    *why = (struct outside){.full = x->full};
    if (r == PROVE_NO)
        why->with =
            arena_printf(&s->arena, "%sit is %lld, %s", instances_params(s, w->plan, w->k, &found),
                         (long long)found.out[mode], instances_where(x, &w->around, c, &found, 0));
    return r;
}

// Asks whether "at", a coordinate of the slice "v", is >= 0 ("end" NULL), or less than "end".
static enum prove_answer slice_bounded(const struct walk *w, const struct copy *c,
                                       const struct view *v, const struct slice_bound *b,
                                       const struct ix *end, struct outside *why) {
    struct session *s = w->s;
    const struct kernel *k = w->k;
    struct instances *x = ARENA_NEW(&s->arena, struct instances);
    struct prove_witness found;
    const struct ix *at = b->at, *one[] = {at};
    instances_begin(s, k, &w->around, true, x);
    bool each = v->base->space == MEM_FRAG && !(c && c->facts.level == LEVEL_THREAD);
    instances_of(x, each ? NULL : c, v);  // for each thread
    if (each && c && c->facts.level == LEVEL_BLOCK && c->facts.threads < k->threads)
        instances_cond(x, ix_sub(s, ix_int(s, c->facts.threads - 1), ix_var(s, k->tid)));
    int cond = x->nconds;
    instances_cond(x, at);
    struct prove_set set = instances_settled(x, &w->around, v);
    if (x->nconds > cond) {
        one[0] = x->cond[cond];  // with settled variables
        x->cond[cond] = one[0] && end ? ix_sub(s, one[0], end)
                        : one[0]      ? ix_sub(s, ix_int(s, -1), one[0])
                                      : NULL;
    }
    set.out = one;
    set.nouts = 1;
    bool full = x->full || x->nconds == cond || !x->cond[cond];
    enum prove_answer r = full ? PROVE_UNKNOWN : prove_none(w->prover, &set, &found);
    *why = (struct outside){.full = full};
    if (r == PROVE_NO)
        why->with =
            arena_printf(&s->arena, "%s%s is %lld, %s", instances_params(s, w->plan, k, &found),
                         !b->range                 ? "it"
                         : b->what == RANGE_BEGIN  ? "its first coordinate"
                         : b->what == RANGE_EXTENT ? "its extent"
                                                   : "its last coordinate",
                         (long long)found.out[0],
                         instances_where(x, &w->around, each ? NULL : c, &found, 0));
    return r;
}

// Whether each coordinate of the slice "v" is inside its mode.  This is required even if other
// elements of the tensor are next to it.
static bool check_slices(const struct walk *w, const struct copy *c, const struct view *v,
                         bool predicates) {
    struct session *s = w->s;
    for (const struct slice_bound *b = v->bounds; b; b = b->next) {
        // check_inside asks about complete modes of the tensor, unless guards exclude what is
        // beyond them
        if (b->of_tensor && !(predicates && v->overhang)) continue;
        if (b->halo && predicates && v->halo[b->halo - 1].settled) continue;
        for (int high = 0; high < 2; ++high) {
            struct outside why;
            const struct ix *n = high ? ix_lay(s, b->extent) : NULL;
            if (high ? !lay_int_valid(b->extent)
                     : b->what == RANGE_LAST || ix_provably_nonnegative(s, b->at))
                continue;
            if (slice_bounded(w, c, v, b, n, &why) == PROVE_YES) continue;
            const struct ix *most = coverage_bound(s, b->at, &w->around, high);
            if (of_formals(most)) {
                add_duty(w, high ? ix_add(s, most, ix_int(s, 1)) : ix_int(s, 0), high ? n : most,
                         v->base);
                continue;
            }
            if (b->range && b->what == RANGE_EXTENT)
                diag_error(s, v->at, "the range '%s' of '%s' may end before it begins", b->range,
                           v->base->name);
            else if (b->range)
                diag_error(s, v->at, "the range '%s' may %s a mode of this part of '%s'%s%s",
                           b->range, high ? "end beyond" : "begin before", v->base->name,
                           high ? ", which has extent " : "", high ? ix_text(s, n) : "");
            else
                diag_error(s, v->at,
                           "the coordinate '%s' may be outside a mode of this part of '%s'%s%s",
                           ix_text(s, b->at), v->base->name, high ? ", which has extent " : "",
                           high ? ix_text(s, n) : "");
            diag_page(s, "outside");
            diag_note(s, v->at, "%s%s", why.with ? "" : "it is not known: ",
                      why.with ? why.with : instances_why(w->prover, why.full));
            if (!why.with) instances_advice(s, w->prover, why.full, v->at);
            if (high) coverage_note_bound(s, w->plan, w->k, &w->around, v, b);
            return false;
        }
    }
    return true;
}

static void refuse_outside(const struct walk *w, const struct view *v, const char *what, int mode,
                           struct outside why) {
    struct session *s = w->s;
    const char *along = view_mode_text(s, v->base, mode);
    if (why.least)
        diag_error(s, v->at, "%s may be outside '%s': its smallest coordinate along %s is %s", what,
                   v->base->name, along, ix_text(s, why.least));
    else
        diag_error(s, v->at,
                   "%s may be outside '%s': its largest coordinate along %s is %s, the %s %s", what,
                   v->base->name, along, why.most ? ix_text(s, why.most) : "not known",
                   v->limit ? "range ends at" : "extent is", ix_text(s, why.end));
    diag_page(s, "outside");
    diag_note(s, v->at, "%s%s", why.with ? "" : "it is not known: ",
              why.with ? why.with : instances_why(w->prover, why.full));
    if (!why.with) instances_advice(s, w->prover, why.full, v->at);
    if (!why.least && !v->limit && v->offset && ix_depends(v->offset, IX_TID))
        diag_note(s, v->at,
                  "a coordinate of one thread has no guard; where a tiled copy copies tiles of "
                  "'local_tile', what is beyond the tensor is guarded");
    for (const struct slice_bound *b = v->bounds; b && why.least; b = b->next)
        if (b->range && b->what == RANGE_BEGIN && !b->halo)
            diag_note(s, v->at,
                      "a range that begins before a tensor must have a number of elements: from i "
                      "to i + 18, and not to the end; this is '%s'",
                      b->range);
    diag_note(s, v->base->at, "'%s' has shape %s", v->base->name,
              lay_tuple_text(&s->lay, v->base->layout.shape));
}

// Whether each register of the fragment exists that "v" accesses; "v" is a side of "c" or an
// argument.
static bool check_registers(const struct walk *w, const struct copy *c, const struct view *v) {
    struct session *s = w->s;
    const struct kernel *k = w->k;
    struct lay_int n = lay_span(&s->lay, v->base->layout), m = LAY_INT_INVALID;
    int64_t offset;
    if (lay_valid(v->layout)) m = lay_span(&s->lay, v->layout);
    lay_clear_error(&s->lay);
    if (!lay_int_static(n) || !lay_int_static(m)) return true;  // no shape yet
    if (v->offset && ix_static(v->offset, &offset) && offset >= 0 && offset + m.num <= n.num)
        return true;
    struct prove_witness found;
    for (int low = 0; low < 2; ++low) {
        struct instances *x = ARENA_NEW(&s->arena, struct instances);
        struct prove_set set = c ? instances_registers(s, k, &w->around, c, v == &c->src, x)
                                 : instances_argument(s, k, &w->around, v, x);
        const struct ix *at = set.out[0];
        instances_cond(x, low ? ix_sub(s, ix_int(s, -1), at) : ix_sub(s, at, ix_int(s, n.num)));
        set.nconds = x->nconds;
        enum prove_answer r = x->full ? PROVE_UNKNOWN : prove_none(w->prover, &set, &found);
        if (r == PROVE_YES) continue;
        diag_error(s, v->at,
                   "this may be outside fragment '%s', which has %lld elements per thread",
                   v->base->name, (long long)n.num);
        diag_page(s, "outside");
        if (r == PROVE_NO)
            diag_note(s, v->at, "%sit is element %lld in thread %lld of %s",
                      instances_params(s, w->plan, k, &found), (long long)found.out[0],
                      (long long)found.var[0][k->tid->id],
                      instances_where(x, &w->around, NULL, &found, 0));
        else {
            diag_note(s, v->at, "it is not known: %s", instances_why(w->prover, x->full));
            instances_advice(s, w->prover, x->full, v->at);
        }
        return false;
    }
    return true;
}

// "predicates": guards exclude what is beyond the end of a tensor.
static bool check_inside(const struct walk *w, const struct copy *c, const struct view *v,
                         const char *what, bool predicates) {
    struct session *s = w->s;
    const struct kernel *k = w->k;
    if (!lay_valid(v->coord)) return check_registers(w, c, v) && check_slices(w, c, v, false);
    int rank = lay_tuple_leaves(v->base->layout.shape);
    for (int i = 0; i < rank; ++i) {
        const struct ix *lo, *hi;
        struct outside why = {0};
        view_reach(s, v, i, &lo, &hi);
        if (k->threads % 32 && !v->lanes) {  // the last warp is incomplete
            lo = view_by_tid(s, k, lo);
            hi = view_by_tid(s, k, hi);
        }
        const struct ix *n = view_limit(s, v, i);
        const struct ix *min = ix_min(s, lo), *max = ix_max(s, hi);
        bool halo = predicates && v->halo && v->halo[i].settled;
        if (!halo && !(min && ix_provably_nonnegative(s, min)) &&
            bounded(w, c, v, i, NULL, &why) != PROVE_YES) {
            min = ix_min(s, coverage_bound(s, lo, &w->around, false));
            if (!of_formals(min)) {
                why.least = min ? min : lo;
                refuse_outside(w, v, what, i, why);
                return false;
            }
            add_duty(w, ix_int(s, 0), min, v->base);
        }
        if ((predicates && v->overhang) || below(s, max, n) ||
            bounded(w, c, v, i, n, &why) == PROVE_YES)
            continue;
        max = ix_max(s, coverage_bound(s, hi, &w->around, true));
        if (!of_formals(max)) {
            why.most = max;
            why.end = n;
            refuse_outside(w, v, what, i, why);
            return false;
        }
        add_duty(w, ix_add(s, max, ix_int(s, 1)), n, v->base);
    }
    return check_slices(w, c, v, predicates);
}

// -- 2: different coordinates, different elements -------------------------------------------------

// A param in "r" that kernel "k" does not have, so its launcher cannot check "r"; or NULL.
static const struct param *foreign(const struct kernel *k, const struct relation *r) {
    for (int i = 0; i < r->nparams; ++i) {
        int j = 0;
        while (j < k->nparams && k->param[j] != r->param[i]) ++j;
        if (j == k->nparams) return r->param[i];
    }
    return NULL;
}

// Notes why relations do not help of which kernel "k" has only some params.
static void note_foreign(struct session *s, const struct plan *p, const struct kernel *k) {
    for (int i = 0; i < p->nrelations; ++i) {
        const struct relation *r = p->relation[i];
        const struct param *x = foreign(k, r);
        for (int j = 0; x && !r->of_sum && j < k->nparams; ++j) {
            if (!ix_speaks_of(r->a, k->param[j]->sym) && !ix_speaks_of(r->b, k->param[j]->sym))
                continue;
            diag_note(s, r->at,
                      "'%s' is not used here: kernel '%s' does not take '%s', so its launcher "
                      "cannot check it",
                      r->text, k->name, x->name);
            break;
        }
    }
}

static bool check_injective(const struct walk *w, const struct view *v) {
    struct session *s = w->s;
    const struct plan *p = w->plan;
    const struct kernel *k = w->k;
    struct lay l = lay_inner(v->base->layout);
    if (!lay_valid(l)) return true;
    // the parts that the planner's text has elements of are compact, and apart
    if (v->base->shorter) return true;
    if (coverage_injective(s, w->prover, l)) return true;
    struct lay_int size = lay_size(&s->lay, l);
    const struct tensor *t = v->base;
    // the planner's text has no such mistake, and may have the modes in another order
    for (int i = 0; k->planned && i < p->ntensors; ++i)
        if (strcmp(p->tensor[i]->name, v->base->name) == 0) t = p->tensor[i];
    if (lay_static(l) && lay_int_static(size) && size.num <= (1 << 22)) {
        if (coverage_differs(s, l)) return true;
        lay_clear_error(&s->lay);
        diag_error(s, k->planned ? k->at : v->at,
                   "'%s' is written, but its layout %s gives two coordinates the same element",
                   t->name, lay_text(&s->lay, t->layout));
        diag_page(s, "injective");
        witness_layout(s, p, t);
        return false;
    }
    diag_error(s, k->planned ? k->at : v->at,
               "'%s' is written, but nothing says that different coordinates of its layout %s are "
               "different elements; %s",
               t->name, lay_text(&s->lay, t->layout), coverage_mend_strides(s, p, w->prover, t));
    diag_page(s, "injective");
    witness_layout(s, p, t);
    note_foreign(s, p, k);
    return false;
}

// -- the pass -------------------------------------------------------------------------------------

static bool check_rounding(const struct walk *w, const struct ix *e, struct range at) {
    return coverage_negative(w->s, w->plan, w->k, w->prover, &w->around, e, at);
}

static bool check_copy(const struct walk *w, const struct copy *c) {
    return coverage_direction(w->s, w->k, c) && check_rounding(w, c->facts.src.offset, c->src.at) &&
           check_rounding(w, c->facts.dst.offset, c->dst.at) &&
           check_inside(w, c, &c->src, "the source", true) &&
           check_inside(w, c, &c->dst, "the destination", true) && check_injective(w, &c->dst);
}

static bool check_call(const struct walk *w, const struct plan_call *y) {
    bool ok = coverage_call_direction(w->s, w->k, y);
    for (int i = 0; i < y->fn->nformals && ok; ++i) {
        const struct view *v = &y->view[i];
        bool global = v->base->space == MEM_GLOBAL && y->fn->formal[i].dir != ARG_IN;
        ok &=
            check_rounding(w, v->offset, v->at) && check_inside(w, NULL, v, "the argument", false);
        // several threads write; whether they write different elements depends on the layout
        if (ok && (global || y->fill)) ok &= check_injective(w, v);
    }
    return ok;
}

static bool check_list(struct walk *w, const struct stmt *list) {
    bool ok = true;
    for (const struct stmt *st = list; st; st = st->next) {
        if (st->kind == STMT_COPY) {
            lay_clear_error(&w->s->lay);
            ok &= check_copy(w, st->copy);
        } else if (st->kind == STMT_CALL) {
            ok &= check_call(w, st->call);
        } else if (stmt_nests(st)) {
            if (stmt_loops(st) &&
                (!check_rounding(w, st->begin, st->at) || !check_rounding(w, st->end, st->at)))
                return false;
            w->around.stmt[w->around.n++] = st;
            ok &= check_list(w, st->body);
            --w->around.n;
        }
    }
    return ok;
}

bool pass_coverage(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        struct session_mark mark = session_mark(s);
        struct walk w = {s, p, k, instances_prover(s, p, k)};
        ok &= check_list(&w, k->body) && coverage_writes(s, p, k, w.prover);
        prover_free(w.prover);
        if (!k->duties) session_rewind(s, mark);
    }
    return ok;
}
