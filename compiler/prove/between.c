// Finds the instances of two accesses that a wait and a barrier between them put in order.
#include <string.h>

#include "base/session.h"
#include "prove/order_private.h"

// -- before ---------------------------------------------------------------------------------------

isl_set *order_before(struct prove_order *o, isl_basic_set *base, const struct qset *a,
                      const int *da, const struct qset *b, const int *db) {
    struct question *q = &o->q;
    isl_set *all = isl_set_empty(isl_basic_set_get_space(base));
    isl_local_space *ls = isl_local_space_from_space(isl_basic_set_get_space(base));
    for (int i = 0; i < a->nouts && i < b->nouts; ++i) {
        struct lin x = a->out[i], y = b->out[i];
        if (x.n == 0 && y.n == 0) {
            int64_t d = y.constant - x.constant;
            if (d == 0) continue;
            if (d > 0) all = isl_set_union(all, isl_set_from_basic_set(isl_basic_set_copy(base)));
            break;
        }
        isl_aff *d = isl_aff_sub(question_aff(q, ls, y, db), question_aff(q, ls, x, da));
        isl_basic_set *less = isl_basic_set_add_constraint(
            isl_basic_set_copy(base),
            isl_inequality_from_aff(isl_aff_add_constant_si(isl_aff_copy(d), -1)));
        all = isl_set_union(all, isl_set_from_basic_set(less));
        base = isl_basic_set_add_constraint(base, isl_equality_from_aff(d));
    }
    isl_local_space_free(ls);
    isl_basic_set_free(base);
    return all;
}

struct refine {
    struct prove_order *o;
    const struct qset *a, *b;
    const int *da, *db;
    isl_set *all;
};

static isl_stat refine_one(isl_basic_set *base, void *user) {
    struct refine *r = user;
    r->all = isl_set_union(r->all, order_before(r->o, base, r->a, r->da, r->b, r->db));
    return isl_stat_ok;
}

isl_set *order_refine(struct prove_order *o, isl_set *base, const struct qset *a, const int *da,
                      const struct qset *b, const int *db) {
    struct refine r = {o, a, b, da, db, isl_set_empty(isl_set_get_space(base))};
    if (isl_set_foreach_basic_set(base, refine_one, &r) != isl_stat_ok) {
        isl_set_free(r.all);
        r.all = NULL;
    }
    isl_set_free(base);
    return r.all;
}

// -- what is in between -------------------------------------------------------------------------

// Restricts "base" to the instance of "event" in the iteration of "a".  All loops around the event
// must be around "a"; otherwise returns false.
static bool in_iteration_of(const struct qset *event, const int *de, const struct qset *a,
                            const int *da, isl_basic_set **base) {
    if (event->nvars > a->nvars) return false;
    for (int i = 0; i < event->nvars; ++i)
        if (event->var[i].var->id != a->var[i].var->id) return false;
    for (int i = 0; i < event->nvars; ++i) *base = question_equal(*base, de[i], da[i]);
    return true;
}

// isl's work for a set grows with its parts and with the square of its dimensions.  This is the
// amount that counts as one question about a few loops (0.4 ms).  For n nested loops there are
// about n * n parts of 3 * n dimensions.
enum { WORTH_A_QUESTION = 600 };

int order_worth(isl_set *x) {
    int dims = x ? (int)isl_set_dim(x, isl_dim_set) : 0;
    int parts = x ? isl_set_n_basic_set(x) : 0;
    return parts > 0 ? parts * dims * dims / WORTH_A_QUESTION : 0;
}

// Pairs of instances of "a" and "b" between which the "n" events "event" come in this order.
// "when", unless NULL, restricts instances of "a" and of the first event.  If it is not known when
// an event happens, only its instance in the iteration of "a" (with "late": of "b") counts.
static isl_set *between(struct prove_order *o, struct qset *a, struct qset *b,
                        struct qset *const *event, int n, isl_set *when, bool late) {
    struct question *q = &o->q;
    int na = a->ndims, nb = b->ndims, da[MOST_DIMS], db[MOST_DIMS], de[2][MOST_DIMS],
        dims = na + nb;
    bool there = true;
    question_sequence(da, na, 0);
    question_sequence(db, nb, na);
    isl_basic_set *base = isl_basic_set_flat_product(question_basic(q, a), question_basic(q, b));
    for (int i = 0; i < n; ++i) {
        question_sequence(de[i], event[i]->ndims, dims);
        dims += event[i]->ndims;
        base = isl_basic_set_flat_product(base, question_basic(q, event[i]));
    }
    for (int i = 0; i < n && there; ++i)
        there = event[i]->exact ||
                in_iteration_of(event[i], de[i], late ? b : a, late ? db : da, &base);
    isl_set *x = isl_set_from_basic_set(base);
    if (!there) {
        isl_set *none = isl_set_empty(isl_set_get_space(x));
        isl_set_free(x);
        return isl_set_project_out(none, isl_dim_set, (unsigned)(na + nb),
                                   (unsigned)(dims - na - nb));
    }
    if (when) {
        isl_set *w =
            isl_set_insert_dims(isl_set_copy(when), isl_dim_set, (unsigned)na, (unsigned)nb);
        w = isl_set_add_dims(w, isl_dim_set, (unsigned)(dims - na - nb - event[0]->ndims));
        x = isl_set_intersect(x, w);
    } else {
        x = order_refine(o, x, a, da, event[0], de[0]);
    }
    for (int i = 1; i < n; ++i) x = order_refine(o, x, event[i - 1], de[i - 1], event[i], de[i]);
    x = order_refine(o, x, event[n - 1], de[n - 1], b, db);
    o->asked += order_worth(x);
    x = isl_set_project_out(x, isl_dim_set, (unsigned)(na + nb), (unsigned)(dims - na - nb));
    return question_divs(q, x);
}

// What the result for "a", "b" and the events between depends on.
static struct order_places find_places(const struct prove_order *o, int a, int b, int wait,
                                       int barrier) {
    const struct order_access *x = &o->access[a], *y = &o->access[b];
    const struct qset *in_time[4] = {&x->when};
    int n = 1;
    struct order_places p = {.shape = {x->shape, y->shape, wait < 0 ? -1 : o->sync_shape[wait],
                                       barrier < 0 ? -1 : o->sync_shape[barrier]}};
    if (wait >= 0) in_time[n++] = &o->sync[wait];
    if (barrier >= 0) in_time[n++] = &o->sync[barrier];
    in_time[n++] = &y->when;
    bool known = true;
    for (int i = 0; i + 1 < n && known; ++i)
        known = order_relation(in_time[i], in_time[i + 1], &p.relation[i]);
    if (known) return p;
    return (struct order_places){.shape = {-2 - a, -2 - b, -2 - wait, -2 - barrier}};
}

static unsigned hash(const struct order_places *p, const isl_set *when) {
    unsigned h = (unsigned)((uintptr_t)when / sizeof(void *));
    for (int i = 0; i < 4; ++i) h = h * 31 + (unsigned)p->shape[i];
    for (int i = 0; i < 3; ++i) h = h * 31 + (unsigned)p->relation[i];
    return h % ORDER_COVERS;
}

isl_set *order_covered(struct prove_order *o, int a, int b, int wait, int barrier) {
    struct order_access *x = &o->access[a], *y = &o->access[b];
    isl_set *when = wait < 0 ? NULL : order_first_wait(o, a, wait);
    struct order_places places = find_places(o, a, b, wait, barrier);
    struct order_cover **first = &o->covers[hash(&places, when)];
    for (struct order_cover *c = *first; c; c = c->next)
        if (c->when == when && memcmp(&c->places, &places, sizeof places) == 0) return c->set;
    struct qset *event[2];
    int n = 0;
    if (wait >= 0) event[n++] = &o->sync[wait];
    if (barrier >= 0) event[n++] = &o->sync[barrier];
    struct order_cover *c = ARENA_NEW(&o->q.s->arena, struct order_cover);
    *c = (struct order_cover){places, when, NULL, *first};
    ++o->asked;
    c->set = between(o, &x->when, &y->when, event, n, when, false);
    if (barrier >= 0 && !o->sync[barrier].exact)
        c->set = isl_set_union(c->set, between(o, &x->when, &y->when, event, n, when, true));
    if (c->set) *first = c;  // if isl gave up, the question may be asked again
    return c->set;
}
