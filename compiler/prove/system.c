// Builds systems of linear equations and inequalities, and converts them to an isl basic set at
// once.
//
// If constraints were added to a set one by one, isl would simplify it each time.  A quotient
// becomes an unknown d with bounds: by * d <= of < by * (d + 1).
#include <isl/mat.h>

#include "base/session.h"
#include "prove/private.h"

void system_init(struct system *y, struct question *q, int ndims) {
    y->q = q;
    y->ndims = ndims;
    y->ndivs = y->n = 0;
    y->context = false;
}

struct system_row *system_row(struct system *y, bool equal, int64_t constant) {
    if (y->n == MOST_ROWS) {
        y->q->failed = true;
        return NULL;
    }
    struct system_row *r = &y->row[y->n++];
    *r = (struct system_row){.equal = equal, .context = y->context, .constant = constant};
    r->term = ARENA_ROOM(&y->q->s->arena, struct system_term, SYSTEM_TERMS);
    return r;
}

void system_term(struct system *y, struct system_row *r, enum col_kind kind, int at, int64_t coef) {
    for (int i = 0; i < r->n; ++i) {
        if (r->term[i].kind != kind || r->term[i].at != at) continue;
        if (__builtin_add_overflow(r->term[i].coef, coef, &r->term[i].coef)) y->q->failed = true;
        return;
    }
    if (r->n == SYSTEM_TERMS)
        y->q->failed = true;
    else
        r->term[r->n++] = (struct system_term){kind, at, coef};
}

static void add_lin(struct system *y, struct system_row *r, struct lin e, const int *dim,
                    int64_t times);

static int find_div(struct system *y, int quotient, const int *dim) {
    for (int i = 0; i < y->ndivs; ++i)
        if (y->div[i].quotient == quotient && y->div[i].dim == dim) return i;
    if (y->ndivs == MOST_DIVS) {
        y->q->failed = true;
        return 0;
    }
    int at = y->ndivs++;
    y->div[at].quotient = quotient;
    y->div[at].dim = dim;
    const struct quotient *x = &y->q->quotient[quotient];
    // of / of.den - by * d in 0 .. by - 1, times of.den
    for (int last = 0; last < 2; ++last) {
        struct system_row *r = system_row(y, false, 0);
        int64_t sign = last ? -1 : 1, by;
        if (!r || __builtin_mul_overflow(x->by, x->of.den, &by)) {
            y->q->failed = true;
            return at;
        }
        struct lin whole = x->of;
        whole.den = 1;
        add_lin(y, r, whole, dim, sign);
        system_term(y, r, COL_DIV, at, -sign * by);
        if (last && __builtin_add_overflow(r->constant, by - 1, &r->constant)) y->q->failed = true;
    }
    return at;
}

// Adds times * (e * e.den) to row "r".
static void add_lin(struct system *y, struct system_row *r, struct lin e, const int *dim,
                    int64_t times) {
    int64_t c;
    for (int i = 0; i < e.n; ++i) {
        const struct lin_term *t = &e.term[i];
        int at = t->kind == COL_DIM   ? dim[t->at]
                 : t->kind == COL_DIV ? find_div(y, t->at, dim)
                                      : t->at;
        if (t->kind == COL_DIM && (at < 0 || at >= y->ndims))
            BUG("dimension %d of a system of %d", at, y->ndims);
        if (__builtin_mul_overflow(t->coef, times, &c))
            y->q->failed = true;
        else
            system_term(y, r, t->kind, at, c);
    }
    if (__builtin_mul_overflow(e.constant, times, &c) ||
        __builtin_add_overflow(r->constant, c, &r->constant))
        y->q->failed = true;
}

void system_at_least_0(struct system *y, struct lin e, const int *dim) {
    struct system_row *r = lin_ok(e) ? system_row(y, false, 0) : NULL;
    if (r)
        add_lin(y, r, e, dim, 1);
    else
        y->q->failed = true;
}

void system_is_0(struct system *y, struct lin e, const int *dim) {
    struct system_row *r = lin_ok(e) ? system_row(y, true, 0) : NULL;
    if (r)
        add_lin(y, r, e, dim, 1);
    else
        y->q->failed = true;
}

void system_context(struct system *y) {
    y->context = true;
    for (int i = 0; i < y->q->nlemmas; ++i) system_at_least_0(y, y->q->lemma[i], NULL);
    y->context = false;
}

void system_instances(struct system *y, const struct qset *set, const int *dim) {
    for (int i = 0; i < set->nconds; ++i) system_at_least_0(y, set->cond[i], dim);
}

void system_same(struct system *y, const struct qset *a, const int *da, const struct qset *b,
                 const int *db) {
    for (int i = 0; i < a->nouts; ++i) {
        struct system_row *r = system_row(y, true, 0);
        if (!r || !lin_ok(a->out[i]) || !lin_ok(b->out[i])) {
            y->q->failed = true;
            return;
        }
        add_lin(y, r, a->out[i], da, b->out[i].den);
        add_lin(y, r, b->out[i], db, -a->out[i].den);
    }
}

void system_exceeds(struct system *y, int a, int b, int64_t least) {
    struct system_row *r = system_row(y, false, 0);
    if (!r) return;
    system_term(y, r, COL_DIM, a, 1);
    system_term(y, r, COL_DIM, b, -1);
    r->constant = -least;
}

void system_equal(struct system *y, int a, int b) {
    struct system_row *r = system_row(y, true, 0);
    if (!r) return;
    system_term(y, r, COL_DIM, a, 1);
    system_term(y, r, COL_DIM, b, -1);
}

static isl_mat *fill(const struct system *y, bool equal) {
    isl_ctx *ctx = y->q->p->ctx;
    int rows = 0, n = y->ndims + y->ndivs + y->q->nparams + 1, at = 0;
    for (int i = 0; i < y->n; ++i) rows += y->row[i].equal == equal;
    isl_mat *m = isl_mat_alloc(ctx, (unsigned)rows, (unsigned)n);
    for (int i = 0; i < y->n; ++i) {
        const struct system_row *r = &y->row[i];
        if (r->equal != equal) continue;
        for (int j = 0; j < n; ++j) m = isl_mat_set_element_si(m, at, j, 0);
        for (int j = 0; j < r->n; ++j) {
            const struct system_term *t = &r->term[j];
            int col = t->kind == COL_DIM   ? t->at
                      : t->kind == COL_DIV ? y->ndims + t->at
                                           : y->ndims + y->ndivs + t->at;
            m = isl_mat_set_element_val(m, at, col, val_of(ctx, t->coef));
        }
        m = isl_mat_set_element_val(m, at, n - 1, val_of(ctx, r->constant));
        ++at;
    }
    return m;
}

int system_width(const struct system *y) {
    int width = 0;
    for (int i = 0; i < y->n; ++i) {
        int most = 0;
        for (int j = 0; j < y->row[i].n; ++j) {
            int64_t c = y->row[i].term[j].coef;
            int bits = c ? 63 - __builtin_clzll(c < 0 ? 0 - (uint64_t)c : (uint64_t)c) : 0;
            if (bits > most) most = bits;
        }
        width += most;
    }
    return width;
}

isl_basic_set *system_basic(const struct system *y) {
    prover_widens(y->q->p, system_width(y));
    isl_space *space = isl_space_set_from_params(isl_space_copy(y->q->space));
    space = isl_space_add_dims(space, isl_dim_set, (unsigned)y->ndims);
    isl_mat *eq = fill(y, true), *ineq = fill(y, false);
    return isl_basic_set_from_constraint_matrices(space, eq, ineq, isl_dim_set, isl_dim_div,
                                                  isl_dim_param, isl_dim_cst);
}

static void find_params(const struct system_row *r, bool *used) {
    for (int i = 0; i < r->n; ++i)
        if (r->term[i].kind == COL_PARAM && r->term[i].coef) used[r->term[i].at] = true;
}

struct system *system_about(const struct system *y, const struct system *also) {
    bool used[MOST_PARAMS] = {false};
    struct system *x = ARENA_ROOM(&y->q->s->arena, struct system, 1);
    *x = *y;
    x->n = 0;
    for (int i = 0; i < y->n; ++i)
        if (!y->row[i].context) find_params(&y->row[i], used);
    for (int i = 0; also && i < also->n; ++i) find_params(&also->row[i], used);
    for (int i = 0; i < y->n; ++i) {
        bool of[MOST_PARAMS] = {false}, keeps = true;
        if (y->row[i].context) find_params(&y->row[i], of);
        for (int j = 0; j < y->q->nparams; ++j) keeps = keeps && (!of[j] || used[j]);
        if (keeps) x->row[x->n++] = y->row[i];
    }
    return x->n < y->n ? x : NULL;
}

static bool none(const struct system *y) {
    struct prover *p = y->q->p;
    int width = prover_tries(p, 0);
    isl_basic_set *all = system_basic(y);
    bool is = isl_basic_set_is_empty(all) == isl_bool_true && !prover_gave_up(p);
    isl_basic_set_free(all);
    prover_tries(p, width);
    return is;
}

bool system_none(const struct system *y) {
    if (y->q->failed) return false;
    const struct system *x = system_about(y, NULL);
    return (x && none(x)) || none(y);
}

enum prove_answer system_empty(struct system *y, int64_t *param, int64_t *dim) {
    const struct system *x = y->q->failed ? NULL : system_about(y, NULL);
    if (x && none(x)) return PROVE_YES;
    return question_empty(y->q, isl_set_from_basic_set(system_basic(y)), param, dim);
}
