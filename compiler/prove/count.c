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

// Whether "a" and "b" stand in the same loops, and in the same place of all but the innermost.
static bool same_loop(const struct qset *a, const struct qset *b) {
    struct place x, y;
    if (!a->exact || !b->exact || a->nvars != b->nvars || a->nvars == 0 || !find_place(a, &x) ||
        !find_place(b, &y) || x.at != y.at)
        return false;
    for (int i = 0; i < a->nvars; ++i)
        if (a->var[i].var->id != b->var[i].var->id) return false;
    for (int i = 0; i < x.at; ++i)
        if (!order_same_sum(a->out[i], b->out[i])) return false;
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

// The steps of one kind, "count" commits in each: from "first" behind that of the access to "last"
// behind that of the wait.
struct steps {
    const struct qset *of;
    int64_t first, last;
    int count;
};

// What was counted for a wait and an access, and holds for all that are alike.
struct order_count {
    int access, sync;  // their shapes
    int pending, kinds;
    const struct steps *kind;
    isl_set *set;
    struct order_count *next;
};

// The kinds of steps of the loop of "x" and "w"; how many.
static int find_steps(const struct prove_order *o, const struct qset *x, const struct qset *w,
                      struct steps *kind) {
    struct place pa, pw, pc;
    int n = 0;
    if (!same_loop(x, w)) return 0;
    find_place(x, &pa);
    find_place(w, &pw);
    for (int i = 0; i < o->program->nsteps; ++i) {
        const struct qset *c = &o->step[i];
        if (!same_loop(x, c)) continue;
        find_place(c, &pc);
        // the first step of "c" behind the access, and the last one before the wait
        int64_t first = pa.shift - pc.shift + (compare(c, x, pa.at) > 0 ? 0 : 1);
        int64_t last = pw.shift - pc.shift - (compare(c, w, pa.at) < 0 ? 0 : 1);
        int k = 0;
        while (k < n &&
               !(kind[k].first == first && kind[k].last == last && order_alike(kind[k].of, c)))
            ++k;
        if (k == n) kind[n++] = (struct steps){c, first, last, 0};
        ++kind[k].count;
    }
    return n;
}

static bool same_steps(const struct steps *a, const struct steps *b, int n) {
    for (int i = 0; i < n; ++i)
        if (a[i].first != b[i].first || a[i].last != b[i].last || a[i].count != b[i].count ||
            !order_alike(a[i].of, b[i].of))
            return false;
    return true;
}

// Instances of "x" and of the wait "w" between which more than "pending" groups end.
static isl_set *count(struct prove_order *o, const struct qset *x, const struct qset *w,
                      int pending, const struct steps *kind, int kinds) {
    struct question *q = &o->q;
    int n = x->ndims + w->ndims, ahead = x->nvars - 1, dims = n;
    int self[MOST_DIMS], da[MOST_DIMS], dw[MOST_DIMS], ends[MOST_DIMS][MOST_DIMS];
    if (kinds == 0 || n + 2 * kinds > MOST_DIMS) {
        isl_basic_set *b = question_universe(q, n);
        isl_set *none = isl_set_empty(isl_basic_set_get_space(b));
        isl_basic_set_free(b);
        return none;
    }
    struct arena_mark mark = arena_mark(&q->s->arena);
    struct system *y = ARENA_ROOM(&q->s->arena, struct system, 1);
    struct lin sum = lin_int(q, -pending - 1);
    question_sequence(self, MOST_DIMS, 0);
    question_sequence(da, x->ndims, 0);
    question_sequence(dw, w->ndims, x->ndims);
    system_init(y, q, n + 2 * kinds);
    system_instances(y, x, da);
    system_instances(y, w, dw);
    for (int i = 0; i < ahead; ++i) system_equal(y, da[i], dw[i]);
    for (int i = 0; i < kinds; ++i) {
        for (int side = 0; side < 2; ++side) {
            int *dc = ends[dims - n], d = dims++;
            question_sequence(dc, ahead, 0);
            dc[ahead] = d;
            struct lin step =
                dim_plus(q, side ? dw[ahead] : da[ahead], side ? kind[i].last : kind[i].first);
            system_is_0(y, lin_add(q, step, dim_plus(q, d, 0), -1), self);
            system_instances(y, kind[i].of, dc);
        }
        struct lin steps = lin_add(q, dim_plus(q, dims - 1, 1), dim_plus(q, dims - 2, 0), -1);
        system_at_least_0(y, steps, self);
        sum = lin_add(q, sum, steps, kind[i].count);
    }
    system_at_least_0(y, sum, self);
    isl_set *all = isl_set_from_basic_set(system_basic(y));
    arena_rewind(&q->s->arena, mark);
    all = isl_set_project_out(all, isl_dim_set, (unsigned)n, (unsigned)(2 * kinds));
    return question_divs(q, all);
}

isl_set *order_counted(struct prove_order *o, int a, int sync) {
    struct arena *arena = &o->q.s->arena;
    const struct qset *x = &o->access[a].when, *w = &o->sync[sync];
    struct arena_mark mark = arena_mark(arena);
    struct steps *kind = ARENA_ARRAY(arena, struct steps, o->program->nsteps + 1);
    struct order_count new = {o->access[a].shape, o->sync_shape[sync],
                              o->program->sync[sync].pending, find_steps(o, x, w, kind), kind};
    for (struct order_count *c = o->counts; c; c = c->next) {
        if (c->access != new.access || c->sync != new.sync || c->pending != new.pending ||
            c->kinds != new.kinds || !same_steps(c->kind, kind, new.kinds))
            continue;
        arena_rewind(arena, mark);
        return isl_set_copy(c->set);
    }
    ++o->asked;
    new.set = order_one_of(o, count(o, x, w, new.pending, kind, new.kinds));
    if (!new.set) return NULL;
    new.next = o->counts;
    o->counts = ARENA_NEW(arena, struct order_count);
    *o->counts = new;
    return isl_set_copy(new.set);
}

void order_forget_counts(struct prove_order *o) {
    for (struct order_count *c = o->counts; c; c = c->next) isl_set_free(c->set);
}
