// Groups counted in one loop: for an asynchronous access and a wait of the same iteration of all
// loops but the innermost, as many groups are committed between the two as steps lie between them,
// for each commit of the loop.
//
// That is less than groups.c finds, where other loops commit too or a wait stands elsewhere, and
// most often enough, without a lexicographic minimum for each group.
#include "base/session.h"
#include "prove/order_private.h"

// When an event of a loop happens in the time of the loop: step + shift, then places.
struct place {
    int at;  // of the step in the vector of time
    int64_t shift;
};

static bool is_constant(struct lin e) {
    return e.n == 0 && e.den == 1;
}

// The entry of "x" that counts the innermost loop; false when there is no such.
static bool find_place(const struct qset *x, struct place *out) {
    for (int i = 0; i < x->nouts; ++i) {
        const struct lin *e = &x->out[i];
        if (e->n != 1 || e->term[0].kind != COL_DIM || e->term[0].at != x->nvars - 1) continue;
        *out = (struct place){i, e->constant};
        if (e->term[0].coef != 1 || e->den != 1) return false;
        for (int j = i + 1; j < x->nouts; ++j)
            if (!is_constant(x->out[j])) return false;
        return true;
    }
    return false;
}

static bool same_lin(struct lin a, struct lin b) {
    if (a.n != b.n || a.constant != b.constant || a.den != b.den) return false;
    for (int i = 0; i < a.n; ++i)
        if (a.term[i].kind != b.term[i].kind || a.term[i].at != b.term[i].at ||
            a.term[i].coef != b.term[i].coef)
            return false;
    return true;
}

// Whether "a" and "b" stand in the same loops, and in the same place of all but the innermost.
static bool same_loop(const struct qset *a, const struct qset *b) {
    struct place x, y;
    if (!a->exact || !b->exact || a->nvars != b->nvars || a->nvars == 0 || !find_place(a, &x) ||
        !find_place(b, &y) || x.at != y.at)
        return false;
    for (int i = 0; i < a->nvars; ++i)
        if (a->var[i].var->id != b->var[i].var->id) return false;
    for (int i = 0; i < x.at; ++i)
        if (!same_lin(a->out[i], b->out[i])) return false;
    return true;
}

// < 0, 0, > 0: where "a" and "b" stand in one step.
static int compare(const struct qset *a, const struct qset *b, int at) {
    for (int i = at + 1; i < a->nouts && i < b->nouts; ++i) {
        int64_t d = a->out[i].constant - b->out[i].constant;
        if (d) return d < 0 ? -1 : 1;
    }
    return 0;
}

static struct lin dim_plus(struct question *q, int dim, int64_t constant) {
    struct lin e = {1, ARENA_NEW(&q->s->arena, struct lin_term), constant, 1};
    e.term[0] = (struct lin_term){COL_DIM, dim, 1};
    return e;
}

isl_set *order_counted(struct prove_order *o, int a, int sync) {
    struct question *q = &o->q;
    const struct qset *x = &o->access[a].when, *w = &o->sync[sync];
    const struct prove_program *p = o->program;
    int n = x->ndims + w->ndims, ahead = x->nvars - 1, dims = n;
    int self[MOST_DIMS], da[MOST_DIMS], dw[MOST_DIMS], ends[2][MOST_DIMS][MOST_DIMS], found = 0;
    struct session_mark mark = session_mark(q->s);
    struct system *y = ARENA_ROOM(&q->s->arena, struct system, 1);
    struct lin sum = lin_int(q, -p->sync[sync].pending - 1);
    struct place pa, pw, pc;
    if (same_loop(x, w)) {
        find_place(x, &pa);
        find_place(w, &pw);
        question_sequence(self, MOST_DIMS, 0);
        question_sequence(da, x->ndims, 0);
        question_sequence(dw, w->ndims, x->ndims);
        for (int i = 0; i < p->nsteps; ++i) found += same_loop(x, &o->step[i]);
    }
    if (found == 0 || n + 2 * found > MOST_DIMS) {
        isl_basic_set *b = question_universe(q, n);
        isl_set *none = isl_set_empty(isl_basic_set_get_space(b));
        isl_basic_set_free(b);
        session_rewind(q->s, mark);
        return none;
    }
    system_init(y, q, n + 2 * found);
    system_instances(y, x, da);
    system_instances(y, w, dw);
    for (int i = 0; i < ahead; ++i) system_equal(y, da[i], dw[i]);
    for (int i = 0; i < p->nsteps; ++i) {
        const struct qset *c = &o->step[i];
        if (!same_loop(x, c)) continue;
        find_place(c, &pc);
        // the first step of "c" behind the access, and the last one before the wait
        int64_t first = pa.shift - pc.shift + (compare(c, x, pa.at) > 0 ? 0 : 1);
        int64_t last = pw.shift - pc.shift - (compare(c, w, pa.at) < 0 ? 0 : 1);
        for (int side = 0; side < 2; ++side) {
            int *dc = ends[side][i % MOST_DIMS], d = dims++;
            question_sequence(dc, ahead, 0);
            dc[ahead] = d;
            struct lin step = dim_plus(q, side ? dw[ahead] : da[ahead], side ? last : first);
            system_is_0(y, lin_add(q, step, dim_plus(q, d, 0), -1), self);
            system_instances(y, c, dc);
        }
        struct lin count = lin_add(q, dim_plus(q, dims - 1, 1), dim_plus(q, dims - 2, 0), -1);
        system_at_least_0(y, count, self);
        sum = lin_add(q, sum, count, 1);
    }
    system_at_least_0(y, sum, self);
    isl_set *all = isl_set_from_basic_set(system_basic(y));
    session_rewind(q->s, mark);  // isl has the system; this is asked for each wait of each access
    all = isl_set_project_out(all, isl_dim_set, (unsigned)n, (unsigned)(2 * found));
    return question_divs(q, all);
}
