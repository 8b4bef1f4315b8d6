// A quick test, without isl, of whether two accesses touch different elements.
//
// For n copies in a loop without barriers there are n * n pairs of accesses.  In nearly all pairs,
// remainders or bounds show that the elements differ.
#include <isl/mat.h>

#include "base/session.h"
#include "prove/order_private.h"

enum { MOST_PARTS = 8 };

// Constraints of a part of a set.  Columns: params, dimensions, quotients, constant.
struct order_part {
    int nequal, n, ndivs;
    int64_t *at;
    struct order_part *next;
};

struct gather {
    struct prove_order *o;
    int n, ncols;
    struct order_part *first;
};

static bool take_rows(struct prove_order *o, isl_mat *m, int ncols, int64_t *at) {
    bool ok = m != NULL;
    int rows = ok ? (int)isl_mat_rows(m) : 0;
    for (int i = 0; i < rows && ok; ++i) {
        for (int j = 0; j < ncols && ok; ++j) {
            isl_val *v = isl_mat_get_element_val(m, i, j);
            int64_t *x = &at[i * ncols + j];
            ok = val_number(v, x) && -(int64_t)UINT32_MAX <= *x && *x <= UINT32_MAX;
            isl_val_free(v);
        }
    }
    (void)o;
    isl_mat_free(m);
    return ok;
}

static isl_stat take_part(isl_basic_set *part, void *user) {
    struct gather *g = user;
    struct arena *a = &g->o->q.s->arena;
    isl_mat *eq =
        isl_basic_set_equalities_matrix(part, isl_dim_param, isl_dim_set, isl_dim_div, isl_dim_cst);
    isl_mat *ineq = isl_basic_set_inequalities_matrix(part, isl_dim_param, isl_dim_set, isl_dim_div,
                                                      isl_dim_cst);
    int ndivs = (int)isl_basic_set_dim(part, isl_dim_div), ncols = g->ncols + ndivs + 1;
    isl_basic_set_free(part);
    bool ok = eq && ineq && ++g->n <= MOST_PARTS;
    if (!ok) {
        isl_mat_free(eq);
        isl_mat_free(ineq);
        return isl_stat_error;
    }
    struct order_part *x = ARENA_NEW(a, struct order_part);
    x->nequal = (int)isl_mat_rows(eq);
    x->n = x->nequal + (int)isl_mat_rows(ineq);
    x->ndivs = ndivs;
    x->at = ARENA_ARRAY(a, int64_t, x->n * ncols + 1);
    x->next = g->first;
    g->first = x;
    ok = take_rows(g->o, eq, ncols, x->at);
    return take_rows(g->o, ineq, ncols, x->at + x->nequal * ncols) && ok ? isl_stat_ok
                                                                         : isl_stat_error;
}

// Finds and keeps the parts of "open".  False if there are too many, or if one has large numbers.
static bool find_parts(struct prove_order *o, struct order_open *open) {
    if (open->parted) return open->parted > 0;
    int ncols = (int)(isl_set_dim(open->set, isl_dim_param) + isl_set_dim(open->set, isl_dim_set));
    struct gather g = {o, 0, ncols, NULL};
    bool ok = isl_set_foreach_basic_set(open->set, take_part, &g) == isl_stat_ok;
    if (prover_gave_up(o->q.p)) return false;
    open->part = g.first;
    open->parted = ok ? 1 : -1;
    return ok;
}

// Adds the constraints of "x" to "y".  The set of a pair has the first "la" and "lb" dimensions of
// the two accesses.
static void add_part(struct system *y, const struct order_part *x, int nx, int la, int lb) {
    int nparams = y->q->nparams, ncols = nparams + la + lb + x->ndivs + 1;
    int divs = y->ndims - x->ndivs;
    for (int i = 0; i < x->n; ++i) {
        const int64_t *at = x->at + i * ncols;
        struct system_row *r = system_row(y, i < x->nequal, at[ncols - 1]);
        for (int j = 0; r && j + 1 < ncols; ++j) {
            int d = j - nparams;
            if (at[j] == 0) continue;
            if (d < 0)
                system_term(y, r, COL_PARAM, j, at[j]);
            else
                system_term(y, r, COL_DIM,
                            d < la        ? d
                            : d < la + lb ? nx + d - la
                                          : divs + d - la - lb,
                            at[j]);
        }
    }
}

static bool apart_in(struct prove_order *o, int a, int b, const struct order_part *part,
                     bool bounds) {
    struct question *q = &o->q;
    const struct order_access *x = &o->access[a], *y = &o->access[b];
    int da[MOST_DIMS], db[MOST_DIMS];
    struct arena_mark mark = arena_mark(&q->s->arena);
    struct system *all = ARENA_ROOM(&q->s->arena, struct system, 1);
    bool failed = q->failed;
    question_sequence(da, x->what.ndims, 0);
    question_sequence(db, y->what.ndims, x->what.ndims);
    system_init(all, q, x->what.ndims + y->what.ndims + (part ? part->ndivs : 0));
    if (part) add_part(all, part, x->what.ndims, x->when.ndims, y->when.ndims);
    system_same(all, &x->what, da, &y->what, db);
    bool apart = !q->failed && system_never(all, false);
    if (!apart && bounds) {
        system_context(all);
        system_instances(all, &x->what, da);
        system_instances(all, &y->what, db);
        apart = !q->failed && system_never(all, true);
    }
    q->failed = failed;  // what is too large here may fit into isl's numbers
    arena_rewind(&q->s->arena, mark);
    return apart;
}

bool order_apart(struct prove_order *o, int a, int b, struct order_open *open) {
    if (o->q.failed) return false;
    if (!open) return apart_in(o, a, b, NULL, false);
    if (!open->set || !find_parts(o, open)) return false;
    for (const struct order_part *x = open->part; x; x = x->next)
        if (!apart_in(o, a, b, x, true)) return false;
    return true;
}
