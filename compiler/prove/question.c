// A question: its columns, its sets in isl, and what an answer means for the plan.
#include <isl/ilp.h>
#include <isl/point.h>
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

// -- the question ---------------------------------------------------------------------------------

void question_init(struct question *q, struct prover *p) {
    memset(q, 0, offsetof(struct question, param));
    q->p = p;
    q->s = p->s;
    trap_poll();
    trap_work_begin();
    prover_begin(p);
}

void question_release(struct question *q) {
    isl_basic_set_free(q->context);
    isl_space_free(q->space);
    prover_again(q->p);
    trap_work_end();
}

enum prove_answer question_unknown(struct question *q) {
    struct arena *a = &q->s->arena;
    if (isl_ctx_last_error(q->p->ctx) == isl_error_alloc) memory_out();
    if (q->failed)
        q->p->why = "it has more terms than can be analysed";
    else if (q->p->term)
        q->p->why = arena_printf(a, "'%s' is not affine", ix_text(q->s, q->p->term));
    else if (isl_ctx_last_error(q->p->ctx) == isl_error_quota)
        q->p->why = prover_steps(q->p);
    else
        q->p->why = "the numbers are too large";
    bool settled = q->failed || q->p->term || prover_out_of_steps(q->p);
    for (int i = 0; i < q->nparams && !settled; ++i) {
        const struct lay_int x = q->param[i].value;
        if (lay_int_valid(x) && x.nsyms > 1)
            q->p->why = arena_printf(a, "only the bounds of the product '%s' are known",
                                     lay_int_text(&q->s->lay, x));
    }
    return PROVE_UNKNOWN;
}

static void add_dim(struct question *q, struct qset *set, const struct ix_var *v, int digit,
                    int place) {
    if (set->ndims == MOST_DIMS)
        q->failed = true;
    else
        set->dim[set->ndims++] = (struct qdim){v, digit, NULL, place};
}

static void add_cond(struct question *q, struct lin e) {
    struct qset *set = q->set;
    if (!lin_ok(e) || set->nconds == MOST_CONDS)
        q->failed = true;
    else
        set->cond[set->nconds++] = e;
}

static void add_bounds(struct question *q, const struct prove_var *v) {
    const struct split *x = rewrite_find(q, v->var);
    struct session *s = q->s;
    if (!x) {
        const struct ix *self = ix_var(s, v->var);
        add_cond(q, lin_of(q, ix_sub(s, self, v->begin)));
        if (v->end) add_cond(q, lin_of(q, ix_sub(s, ix_sub(s, v->end, ix_int(s, 1)), self)));
        return;
    }
    for (int i = 0; i < x->n; ++i) {
        struct lin self = {1, ARENA_NEW(&s->arena, struct lin_term), 0, 1};
        for (int j = 0; j < q->set->ndims; ++j) {
            const struct qdim *d = &q->set->dim[j];
            if (d->var == v->var && d->digit == i) self.term[0] = (struct lin_term){COL_DIM, j, 1};
        }
        add_cond(q, self);
        struct lin last = lin_add(q, lin_monomial(q, x->extent[i]), lin_int(q, 1), -1);
        add_cond(q, lin_add(q, last, self, -1));
    }
}

void question_set(struct question *q, const struct prove_set *in, struct qset *set) {
    struct arena *a = &q->s->arena;
    struct replaced *replaced = set->replaced;
    memset(set, 0, sizeof *set);
    set->replaced = replaced;
    set->exact = true;
    set->cond = ARENA_ROOM(a, struct lin, MOST_CONDS + 1);
    set->out = ARENA_ARRAY(a, struct lin, in->nouts + 1);
    set->var = ARENA_ARRAY(a, struct prove_var, in->nvars + 1);
    set->nvars = in->nvars;
    if (in->nvars) memcpy(set->var, in->var, sizeof *set->var * (size_t)in->nvars);
    q->set = set;
    for (int i = 0; i < in->nvars; ++i) {
        const struct split *x = rewrite_find(q, in->var[i].var);
        // the most significant digit comes first, so that the least witness has the least value
        for (int j = x ? x->n - 1 : -1; j >= 0; --j) add_dim(q, set, in->var[i].var, j, i);
        if (!x) add_dim(q, set, in->var[i].var, -1, i);
    }
    for (int i = 0; i < in->nvars; ++i) add_bounds(q, &in->var[i]);
    for (int i = 0; i < in->nconds; ++i) add_cond(q, lin_of(q, in->cond[i]));
    for (int i = 0; i < in->nouts; ++i) {
        set->out[set->nouts++] = lin_of(q, in->out[i]);
        if (!lin_ok(set->out[i])) q->failed = true;
    }
    q->set = NULL;
}

// -- isl ------------------------------------------------------------------------------------------

static isl_val *val(struct question *q, int64_t x) {
    return val_of(q->p->ctx, x);
}

isl_aff *question_aff(struct question *q, isl_local_space *ls, struct lin e, const int *dim) {
    isl_aff *r = isl_aff_zero_on_domain(isl_local_space_copy(ls));
    r = isl_aff_set_constant_val(r, val(q, e.constant));
    for (int i = 0; i < e.n; ++i) {
        const struct lin_term *t = &e.term[i];
        if (t->kind == COL_PARAM) {
            r = isl_aff_add_coefficient_val(r, isl_dim_param, t->at, val(q, t->coef));
        } else if (t->kind == COL_DIM) {
            r = isl_aff_add_coefficient_val(r, isl_dim_in, dim[t->at], val(q, t->coef));
        } else {
            const struct quotient *d = &q->quotient[t->at];
            isl_aff *a = question_aff(q, ls, d->of, dim);
            a = isl_aff_floor(isl_aff_scale_down_val(a, val(q, d->by)));
            r = isl_aff_add(r, isl_aff_scale_val(a, val(q, t->coef)));
        }
    }
    if (e.den > 1) r = isl_aff_scale_down_val(r, val(q, e.den));
    return r;
}

isl_basic_set *question_universe(struct question *q, int ndims) {
    isl_space *space = isl_space_set_from_params(isl_space_copy(q->space));
    space = isl_space_add_dims(space, isl_dim_set, (unsigned)ndims);
    return isl_basic_set_universe(space);
}

isl_basic_set *question_equal(isl_basic_set *x, int a, int b) {
    isl_local_space *ls = isl_local_space_from_space(isl_basic_set_get_space(x));
    isl_aff *d = isl_aff_var_on_domain(isl_local_space_copy(ls), isl_dim_set, (unsigned)a);
    d = isl_aff_sub(d, isl_aff_var_on_domain(ls, isl_dim_set, (unsigned)b));
    return isl_basic_set_add_constraint(x, isl_equality_from_aff(d));
}

isl_basic_set *question_same(struct question *q, isl_basic_set *x, const struct qset *a,
                             const int *da, const struct qset *b, const int *db) {
    isl_local_space *ls = isl_local_space_from_space(isl_basic_set_get_space(x));
    for (int i = 0; i < a->nouts; ++i) {
        isl_aff *e = question_aff(q, ls, a->out[i], da);
        e = isl_aff_sub(e, question_aff(q, ls, b->out[i], db));
        x = isl_basic_set_add_constraint(x, isl_equality_from_aff(e));
    }
    isl_local_space_free(ls);
    return x;
}

isl_basic_set *question_context(struct question *q, int ndims) {
    if (!q->context) {
        struct system *y = ARENA_ROOM(&q->s->arena, struct system, 1);
        system_init(y, q, 0);
        system_context(y);
        q->context = isl_basic_set_remove_redundancies(system_basic(y));
    }
    return isl_basic_set_add_dims(isl_basic_set_copy(q->context), isl_dim_set, (unsigned)ndims);
}

isl_basic_set *question_basic(struct question *q, struct qset *set) {
    if (!set->basic) {
        int dim[MOST_DIMS];
        struct system *y = ARENA_ROOM(&q->s->arena, struct system, 1);
        question_sequence(dim, set->ndims, 0);
        system_init(y, q, set->ndims);
        system_instances(y, set, dim);
        set->basic = system_basic(y);
        set->width = system_width(y);
    }
    prover_widens(q->p, set->width);
    return isl_basic_set_copy(set->basic);
}

int question_dims(const struct qset *set, int n) {
    int dims = 0;
    while (dims < set->ndims && set->dim[dims].place >= 0 && set->dim[dims].place < n) ++dims;
    return dims;
}

void question_sequence(int *dim, int n, int from) {
    for (int i = 0; i < n; ++i) dim[i] = from + i;
}

void question_close(struct question *q) {
    lin_context(q);
    q->space = isl_space_params_alloc(q->p->ctx, (unsigned)q->nparams);
    for (int i = 0; i < q->nparams; ++i) {
        char name[24];
        snprintf(name, sizeof name, "p%d", i);
        q->space = isl_space_set_dim_id(q->space, isl_dim_param, (unsigned)i,
                                        isl_id_alloc(q->p->ctx, name, NULL));
    }
}

// Whether each column has its real meaning: none is for a non-affine expression or a product.
static bool is_exact(const struct question *q) {
    for (int i = 0; i < q->nparams; ++i) {
        const struct qparam *x = &q->param[i];
        if (x->opaque || (lay_int_valid(x->value) && x->value.nsyms > 1)) return false;
    }
    return !q->p->term;
}

// Applies "of" to "x" with limit/"part" operations.
static isl_set *in_part(struct question *q, isl_set *x, isl_set *of(isl_set *), unsigned part) {
    isl_ctx_reset_operations(q->p->ctx);
    prover_allow(q->p, q->p->limit / part);
    isl_set *r = of(x);
    prover_allow(q->p, q->p->limit);
    if (prover_gave_up(q->p)) r = isl_set_free(r);
    return r;
}

// Expresses dimensions that were projected out by quotients of the others.  This is a parametric
// minimum, whose operations are slow for large numbers.
isl_set *question_divs(struct question *q, isl_set *x) {
    return in_part(q, x, isl_set_compute_divs, 8);
}

// The least point, or NULL if a part of the operations is not enough, as for large numbers; any
// other point will then do.  If the question is not exact, the point may be no witness.
static isl_set *least_point(struct question *q, isl_set *x) {
    return in_part(q, x, isl_set_lexmin, is_exact(q) ? 25 : 200);
}

static bool coordinates(struct question *q, isl_set *x, int64_t *param, int64_t *dim) {
    int n = (int)isl_set_dim(x, isl_dim_set);
    x = isl_set_move_dims(isl_set_copy(x), isl_dim_set, 0, isl_dim_param, 0, (unsigned)q->nparams);
    isl_set *first = least_point(q, isl_set_copy(x));
    if (!first && isl_ctx_last_error(q->p->ctx) == isl_error_quota) {  // any point will do
        isl_ctx_reset_error(q->p->ctx);
        isl_ctx_reset_operations(q->p->ctx);
    } else {
        isl_set_free(x);
        x = first;
    }
    isl_point *at = isl_set_sample_point(x);
    bool ok = at && !isl_point_is_void(at);
    for (int i = 0; ok && i < q->nparams + n; ++i) {
        isl_val *v = isl_point_get_coordinate_val(at, isl_dim_set, i);
        int64_t value;
        ok = val_number(v, &value);
        if (i < q->nparams)
            param[i] = value;
        else
            dim[i - q->nparams] = value;
        isl_val_free(v);
    }
    isl_point_free(at);
    return ok;
}

enum prove_answer question_empty(struct question *q, isl_set *x, int64_t *param, int64_t *dim) {
    isl_bool empty = q->failed ? isl_bool_error : isl_bool_false;
    // where nobody asks for a witness
    if (!q->failed && (dim || !sample_found(q->s, x))) empty = isl_set_is_empty(x);
    if (prover_gave_up(q->p)) empty = isl_bool_error;
    enum prove_answer r = PROVE_YES;
    if (empty == isl_bool_false && !dim) {  // the caller does not need a witness
        isl_set_free(x);
        return is_exact(q) ? PROVE_NO : question_unknown(q);
    }
    if (empty == isl_bool_error || (empty == isl_bool_false && !coordinates(q, x, param, dim)))
        r = question_unknown(q);
    else if (empty == isl_bool_false)
        r = PROVE_NO;
    isl_set_free(x);
    return r;
}

// -- witnesses ------------------------------------------------------------------------------------

// Computes the value of the variable of a chain: the last one for which "begin" <= the value of
// "of".
static bool along_chain(struct question *q, const struct replaced *r, struct ix_env *env,
                        int64_t *var) {
    int64_t at = var[r->of->id], lo, hi, x;
    if (!ix_eval(r->first, env, &lo) || !ix_eval(r->last, env, &hi)) return false;
    (void)q;
    while (hi - lo > 1) {
        int64_t middle = lo + (hi - lo) / 2;
        var[r->var->id] = middle;
        if (!ix_eval(r->begin, env, &x)) return false;
        if (x <= at)
            lo = middle;
        else
            hi = middle;
    }
    var[r->var->id] = lo;
    return true;
}

static int64_t digit_value(const struct split *x, int digit, const int64_t *sym, int64_t value) {
    int64_t w;
    return lay_int_eval(x->weight[digit], sym, &w) ? w * value : 0;
}

static bool instance(struct question *q, const struct qset *set, const int64_t *dim,
                     struct ix_env *env, int64_t *var) {
    for (int i = 0; i < set->ndims; ++i) {
        const struct qdim *d = &set->dim[i];
        if (d->var) var[d->var->id] = 0;
    }
    for (int i = 0; i < set->ndims; ++i) {
        const struct qdim *d = &set->dim[i];
        if (!d->var) continue;
        var[d->var->id] += d->digit < 0
                               ? dim[i]
                               : digit_value(rewrite_find(q, d->var), d->digit, env->sym, dim[i]);
    }
    for (const struct replaced *r = set->replaced; r; r = r->next) {
        int64_t x;
        if (!r->value) {
            if (!along_chain(q, r, env, var)) return false;
        } else {
            if (!ix_eval(r->value, env, &x)) return false;
            var[r->var->id] = x;
        }
    }
    // the value assumed for a non-affine expression must be its real value
    for (int i = 0; i < set->ndims; ++i) {
        int64_t x;
        if (set->dim[i].opaque && (!ix_eval(set->dim[i].opaque, env, &x) || x != dim[i]))
            return false;
    }
    return true;
}

bool question_witness(struct question *q, const int64_t *param, const int64_t *const *dim,
                      const struct qset *const *set, int nsets, struct prove_witness *w) {
    struct arena *a = &q->s->arena;
    w->sym = ARENA_ARRAY(a, int64_t, q->s->lay.next_sym + 1);
    for (int i = 0; i <= q->s->lay.next_sym; ++i) w->sym[i] = INT64_MIN;
    for (int i = 0; i < q->nparams; ++i) {
        const struct qparam *x = &q->param[i];
        if (lay_int_valid(x->value) && x->value.nsyms == 1)
            w->sym[x->value.syms[0]->id] = x->mul * param[i];
    }
    for (int k = 0; k < 2; ++k) {
        w->var[k] = ARENA_ARRAY(a, int64_t, q->s->next_var + 1);
        for (int i = 0; i < q->nparams; ++i) {
            const struct qparam *x = &q->param[i];
            if (!x->var) continue;
            int64_t *v = &w->var[k][x->var->id];
            *v += x->digit < 0 ? param[i]
                               : digit_value(rewrite_find(q, x->var), x->digit, w->sym, param[i]);
        }
        struct ix_env env = {w->var[k], w->sym};
        if (k < nsets && !instance(q, set[k], dim[k], &env, w->var[k])) return false;
    }
    struct ix_env env = {w->var[0], w->sym};
    for (int i = 0; i < q->nparams; ++i) {
        const struct qparam *x = &q->param[i];
        int64_t value;
        if (lay_int_valid(x->value) &&
            (!lay_int_eval(x->value, w->sym, &value) || value != x->mul * param[i]))
            return false;
        if (x->opaque && (!ix_eval(x->opaque, &env, &value) || value != param[i])) return false;
    }
    return true;
}

bool question_param(const struct question *q, int i, const struct prove_witness *w,
                    int64_t *value) {
    const struct qparam *x = &q->param[i];
    struct ix_env env = {w->var[0], w->sym};
    if (lay_int_valid(x->value)) {
        for (int j = 0; j < x->value.nsyms; ++j)
            if (w->sym[x->value.syms[j]->id] == INT64_MIN) return false;
        if (!lay_int_eval(x->value, w->sym, value)) return false;
        *value /= x->mul;
        return true;
    }
    if (x->opaque) return ix_eval(x->opaque, &env, value);
    if (x->digit < 0) {
        *value = w->var[0][x->var->id];
        return true;
    }
    const struct split *d = rewrite_find(q, x->var);
    int64_t weight, extent;
    if (!d || !lay_int_eval(d->weight[x->digit], w->sym, &weight) ||
        !lay_int_eval(d->extent[x->digit], w->sym, &extent))
        return false;
    *value = w->var[0][x->var->id] / weight % extent;
    return true;
}

void question_named(struct question *q, const struct prove_set *set, struct prove_witness *w) {
    struct ix_env env = {w->var[0], w->sym};
    w->nouts = set->nouts;
    w->out = ARENA_ARRAY(&q->s->arena, int64_t, set->nouts + 1);
    for (int i = 0; i < set->nouts; ++i)
        if (!ix_eval(set->out[i], &env, &w->out[i])) w->out[i] = -1;
}
