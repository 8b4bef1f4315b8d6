// Counts groups within one loop.  It considers an asynchronous access and a wait in the same
// iteration of all loops but the innermost one.  Each commit of that loop ends as many groups
// between the two as there are steps between them.
//
// groups.c finds more, for example if other loops commit too, or if the wait is elsewhere.  But
// this is often enough, and needs no lexicographic minimum for each group.
#include "base/session.h"
#include "prove/order_private.h"

// When an event happens, in terms of its innermost loop: step + shift, then places.
struct place {
    int at;  // index of the step in the vector of time
    int64_t shift;
};

static bool is_constant(struct lin e) {
    return e.n == 0 && e.den == 1;
}

// Finds the entry of "x" that counts the innermost loop; false if there is none.
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

// Whether "a" and "b" are in the same loops, and at the same place in all but the innermost one.
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

// Compares "a" and "b" within one step: < 0, 0, > 0.
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

// A condition: "of" has a step that is "shift" steps after the access, or with "last" after the
// wait.
struct end {
    const struct qset *of;
    int64_t shift;
    bool last;
};

// The result for a wait and an access; it holds for all with the same shapes.  If the wait is at
// least "least" steps after the access, and all "end" exist, the wait completes the access.
struct order_count {
    int access, sync;  // their shapes
    int64_t least;
    int n;
    const struct end *end;
    isl_set *set;
    struct order_count *next;
};

static void add_end(struct order_count *x, struct end *end, struct end new) {
    for (int i = 0; i < x->n; ++i)
        if (end[i].shift == new.shift && end[i].last == new.last &&order_alike(end[i].of, new.of))
            return;
    end[x->n++] = new;
}

void order_step_loops(struct prove_order *o) {
    const struct prove_program *p = o->program;
    const struct qset **first = ARENA_ARRAY(&o->q.s->arena, const struct qset *, p->nsteps + 1);
    o->step_loop = ARENA_ARRAY(&o->q.s->arena, int, p->nsteps + 1);
    for (int i = 0, k; i < p->nsteps; ++i) {
        for (k = 0; k < o->nloops; ++k)
            if (same_loop(first[k], &o->step[i]) && order_alike(first[k], &o->step[i])) break;
        if (k == o->nloops) first[o->nloops++] = &o->step[i];
        o->step_loop[i] = k;
    }
}

// The commits of one loop that differ only in their places.
struct commits {
    bool looked, same;  // same: in the loop of the access and the wait
    int64_t shift;
    bool seen[2][2];  // [after the access][before the wait]: the ends are already added
};

static int64_t round_up(int64_t a, int64_t b) {
    return a / b + (a % b > 0);
}

static void look(struct commits *y, const struct qset *x, const struct qset *c) {
    struct place pc;
    y->looked = true;
    y->same = same_loop(x, c) && find_place(c, &pc);
    if (y->same) y->shift = pc.shift;
}

// Finds the conditions under which more than "pending" groups are committed between access "a" and
// wait "w" of one loop.  Each commit of the loop ends a group in the steps from "first" after the
// access to "last" after the wait.  These are as many groups as the wait is steps after the access,
// plus last - first + 1; the count must be at least 0.
static void find_ends(const struct prove_order *o, int a, const struct qset *w, int pending,
                      struct order_count *out, struct end *end) {
    enum { FAR = 1 << 30 };
    const struct qset *x = &o->access[a].when;
    struct commits *of = ARENA_ARRAY(&o->q.s->arena, struct commits, o->nloops + 1);
    struct place pa, pw;
    int64_t commits = 0, more = 0, least = -FAR;
    out->end = end;
    out->n = 0;
    if (!same_loop(x, w)) return;
    find_place(x, &pa);
    find_place(w, &pw);
    for (int i = 0; i < o->program->nsteps; ++i) {
        const struct qset *c = &o->step[i];
        struct commits *y = &of[o->step_loop[i]];
        if (!y->looked) look(y, x, c);
        if (!y->same || !order_concerns(o->program, o->program->step_role[i], a)) continue;
        bool behind = compare(c, x, pa.at) > 0, before = compare(c, w, pa.at) < 0;
        // the first step of "c" after the access, and its last step before the wait
        int64_t first = pa.shift - y->shift + (behind ? 0 : 1);
        int64_t last = pw.shift - y->shift - (before ? 0 : 1);
        if (first < -FAR || first > FAR || last < -FAR || last > FAR) {
            out->n = 0;
            return;
        }
        if (!y->seen[behind][before]) {
            add_end(out, end, (struct end){c, first, false});
            add_end(out, end, (struct end){c, last, true});
            y->seen[behind][before] = true;
        }
        if (first - last - 1 > least) least = first - last - 1;
        more += last - first + 1;
        ++commits;
    }
    if (commits == 0) return;
    out->least = round_up(pending + 1 - more, commits);
    if (least > out->least) out->least = least;
}

static bool same_count(const struct order_count *a, const struct order_count *b) {
    if (a->access != b->access || a->sync != b->sync || a->n != b->n || a->least != b->least)
        return false;
    for (int i = 0; i < a->n; ++i)
        if (a->end[i].shift != b->end[i].shift || a->end[i].last != b->end[i].last ||
            !order_alike(a->end[i].of, b->end[i].of))
            return false;
    return true;
}

// The pairs of instances of "x" and of the wait "w" that "c" describes.
static isl_set *count(struct prove_order *o, const struct qset *x, const struct qset *w,
                      const struct order_count *c) {
    struct question *q = &o->q;
    int n = x->ndims + w->ndims, ahead = x->nvars - 1;
    int self[MOST_DIMS], da[MOST_DIMS], dw[MOST_DIMS], dims[MOST_DIMS][MOST_DIMS];
    if (c->n == 0 || n + c->n > MOST_DIMS) {
        isl_basic_set *b = question_universe(q, n);
        isl_set *none = isl_set_empty(isl_basic_set_get_space(b));
        isl_basic_set_free(b);
        return none;
    }
    struct arena_mark mark = arena_mark(&q->s->arena);
    struct system *y = ARENA_ROOM(&q->s->arena, struct system, 1);
    question_sequence(self, MOST_DIMS, 0);
    question_sequence(da, x->ndims, 0);
    question_sequence(dw, w->ndims, x->ndims);
    system_init(y, q, n + c->n);
    system_instances(y, x, da);
    system_instances(y, w, dw);
    for (int i = 0; i < ahead; ++i) system_equal(y, da[i], dw[i]);
    for (int i = 0; i < c->n; ++i) {
        const struct end *e = &c->end[i];
        question_sequence(dims[i], ahead, 0);
        dims[i][ahead] = n + i;
        struct lin step = dim_plus(q, e->last ? dw[ahead] : da[ahead], e->shift);
        system_is_0(y, lin_add(q, step, dim_plus(q, n + i, 0), -1), self);
        system_instances(y, e->of, dims[i]);
    }
    system_exceeds(y, dw[ahead], da[ahead], c->least);
    isl_set *all = isl_set_from_basic_set(system_basic(y));
    arena_rewind(&q->s->arena, mark);
    all = isl_set_project_out(all, isl_dim_set, (unsigned)n, (unsigned)c->n);
    return question_divs(q, all);
}

isl_set *order_counted(struct prove_order *o, int a, int sync) {
    struct arena *arena = &o->q.s->arena;
    const struct qset *x = &o->access[a].when, *w = &o->sync[sync];
    struct arena_mark mark = arena_mark(arena);
    struct end *end = ARENA_ARRAY(arena, struct end, 2 * o->program->nsteps + 1);
    struct order_count new = {.access = o->access[a].shape, .sync = o->sync_shape[sync]};
    find_ends(o, a, w, o->program->sync[sync].arrival.count, &new, end);
    for (struct order_count *c = o->counts; c; c = c->next) {
        if (!same_count(c, &new)) continue;
        arena_rewind(arena, mark);
        return isl_set_copy(c->set);
    }
    ++o->asked;
    new.set = order_one_of(o, count(o, x, w, &new));
    if (!new.set) return NULL;
    new.next = o->counts;
    o->counts = ARENA_NEW(arena, struct order_count);
    *o->counts = new;
    return isl_set_copy(new.set);
}

void order_forget_counts(struct prove_order *o) {
    for (struct order_count *c = o->counts; c; c = c->next) isl_set_free(c->set);
}
