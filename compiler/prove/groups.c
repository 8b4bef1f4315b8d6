// Groups of asynchronous copies: when has the program waited for an access?
//
// A wait that leaves "n" groups in flight completes an access if there are n + 1 commits between
// the two; the first of these ends the access's own group.  The next commit after each instance is
// a lexicographic minimum, and so is the one after that.  The first execution of a wait after the
// last commit is one too.
//
// order.c uses the result.
#include "base/session.h"
#include "prove/order_private.h"

#include <isl/point.h>

// For each point of the first "na" dimensions of "x", the least of the others.
static isl_set *earliest(isl_set *x, int na) {
    isl_map *m = isl_map_from_range(x);
    m = isl_map_move_dims(m, isl_dim_in, 0, isl_dim_out, 0, (unsigned)na);
    m = isl_map_lexmin(m);
    m = isl_map_move_dims(m, isl_dim_out, 0, isl_dim_in, 0, (unsigned)na);
    return isl_set_coalesce(isl_map_range(m));
}

// Instances of "event" that come after a point in time that "from" has for instances of "a".  With
// "itself", those that come after the instances of "a".  The result has the instances of "a", then
// those of "event", or with "time" the times of "event".  Like all functions here, it returns NULL
// if isl gave up.
static isl_set *after(struct prove_order *o, struct qset *a, bool itself, isl_set *from,
                      struct qset *event, bool time) {
    if (!itself && !from) return NULL;
    struct question *q = &o->q;
    int na = a->ndims, ne = event->ndims, nt = time ? o->ntime : 0, np = itself ? 0 : o->ntime;
    int da[MOST_DIMS], de[MOST_DIMS], dt[MOST_DIMS], dp[MOST_DIMS];
    question_sequence(da, na, 0);
    question_sequence(dt, nt, na);
    question_sequence(de, ne, na + nt);
    question_sequence(dp, np, na + nt + ne);
    isl_basic_set *b = question_basic(q, a);
    b = isl_basic_set_add_dims(b, isl_dim_set, (unsigned)nt);
    b = isl_basic_set_flat_product(b, question_basic(q, event));
    b = isl_basic_set_add_dims(b, isl_dim_set, (unsigned)np);
    if (time) b = question_same(q, b, &o->point, dt, event, de);
    isl_set *x = isl_set_from_basic_set(b);
    if (from) {
        isl_set *f =
            isl_set_insert_dims(isl_set_copy(from), isl_dim_set, (unsigned)na, (unsigned)(nt + ne));
        x = isl_set_intersect(x, f);
    }
    x = from ? order_refine(o, x, &o->point, dp, event, de) : order_refine(o, x, a, da, event, de);
    x = isl_set_project_out(x, isl_dim_set, (unsigned)(na + nt + ne), (unsigned)np);
    return time ? isl_set_project_out(x, isl_dim_set, (unsigned)(na + nt), (unsigned)ne) : x;
}

// Whether a commit concerns access "a".
static bool has_commit(const struct prove_program *p, int a) {
    for (int i = 0; i < p->ncommits; ++i)
        if (order_concerns(p, p->commit_role[i], a)) return true;
    return false;
}

// The ("n" + 1)-th commit after each instance of access "a", as a time.  The program must have a
// commit that concerns it.
static isl_set *committed(struct prove_order *o, int a, int n) {
    struct order_access *x = &o->access[a];
    while (x->ncommitted <= n) {
        int k = x->ncommitted;
        isl_set *from = k ? x->committed[k - 1] : NULL;
        isl_set *next = NULL;
        for (int i = 0; i < o->program->ncommits; ++i) {
            if (!order_concerns(o->program, o->program->commit_role[i], a)) continue;
            isl_set *one = after(o, &x->when, k == 0, from, &o->commit[i], true);
            next = next ? isl_set_union(next, one) : one;
            if (!next) return NULL;
        }
        next = earliest(next, x->when.ndims);
        ++o->asked;
        if (!next) return NULL;
        x->committed[x->ncommitted++] = next;
    }
    return x->committed[n];
}

// The first execution of wait "sync", with its present "pending", that completes access "a"; NULL
// if not known.
static isl_set *first_wait(struct prove_order *o, int a, int sync) {
    struct order_access *x = &o->access[a];
    int pending = o->program->sync[sync].arrival.count;
    for (struct order_first *f = x->firsts; f; f = f->next)
        if (f->sync == sync && f->pending == pending && f->quick == o->quick) return f->set;
    struct order_first *f = ARENA_NEW(&o->q.s->arena, struct order_first);
    isl_set *all = o->quick
                       ? order_counted(o, a, sync)
                       : after(o, &x->when, false, committed(o, a, pending), &o->sync[sync], false);
    if (!o->quick) all = earliest(all, x->when.ndims);
    if (!all) return NULL;
    *f = (struct order_first){sync, pending, o->quick, all, x->firsts};
    x->firsts = f;
    return f->set;
}

isl_set *order_first_wait(struct prove_order *o, int a, int sync) {
    const struct prove_program *p = o->program;
    const struct prove_sync *s = &p->sync[sync];
    if (s->arrival.kind != ARRIVAL_GROUP || s->arrival.count + 1 >= ORDER_GROUPS) return NULL;
    // a commit that may not exist proves nothing
    if (!o->sync[sync].exact || !o->access[a].when.exact || !has_commit(p, a)) return NULL;
    if (!order_concerns(p, s->role, a) || (p->access[a].late && !s->arrival.written)) return NULL;
    for (int i = 0; i < p->ncommits; ++i)
        if (!o->commit[i].exact) return NULL;
    return first_wait(o, a, sync);
}

// Whether time "t" is before access "b" in the instance of "w".
static bool comes_before(const struct prove_order *o, isl_point *t, int from, int b,
                         const struct prove_witness *w) {
    const struct prove_set *when = &o->program->access[b].when;
    struct ix_env env = {w->var[1], w->sym};
    for (int i = 0; i < o->ntime && i < when->nouts; ++i) {
        int64_t at;
        isl_val *v = isl_point_get_coordinate_val(t, isl_dim_set, from + i);
        int64_t x;
        bool known = val_number(v, &x);
        isl_val_free(v);
        if (!known || !ix_eval(when->out[i], &env, &at)) return false;
        if (x != at) return x < at;
    }
    return false;
}

int order_younger(struct prove_order *o, int a, int b, const struct prove_witness *w) {
    struct question *q = &o->q;
    const struct order_access *x = &o->access[a];
    int n = -1;
    if (!has_commit(o->program, a)) return n;
    for (int k = 0; k + 1 < ORDER_GROUPS; ++k, ++n) {
        isl_set *all = isl_set_copy(committed(o, a, k));
        for (int i = 0; i < q->nparams; ++i) {
            int64_t value;
            if (question_param(q, i, w, &value))
                all = isl_set_fix_val(all, isl_dim_param, (unsigned)i, val_of(q->p->ctx, value));
        }
        for (int i = 0; i < x->when.ndims; ++i)
            all = isl_set_fix_val(all, isl_dim_set, (unsigned)i,
                                  val_of(q->p->ctx, w->var[0][x->when.dim[i].var->id]));
        isl_point *t = isl_set_sample_point(all);
        bool before = t && !isl_point_is_void(t) && comes_before(o, t, x->when.ndims, b, w);
        isl_point_free(t);
        if (!before) break;
    }
    return n;
}
