// Splits a set into parts that share no dimension.  What holds for each part holds for the set.
#include "base/session.h"
#include "prove/private.h"

static int root(const int *up, int i) {
    while (up[i] != i) i = up[i];
    return i;
}

// Joins the dimensions of "e" into one part; returns one of them, or -1 if there is none.
static int join(const struct question *q, struct lin e, int *up) {
    int one = -1;
    for (int i = 0; i < e.n; ++i) {
        int d = e.term[i].kind == COL_DIM   ? e.term[i].at
                : e.term[i].kind == COL_DIV ? join(q, q->quotient[e.term[i].at].of, up)
                                            : -1;
        if (d < 0) continue;
        if (one >= 0) up[root(up, d)] = root(up, one);
        one = d;
    }
    return one;
}

void parts_find(const struct question *q, const struct qset *set, struct parts *x) {
    int up[MOST_DIMS], number[MOST_DIMS];
    for (int i = 0; i < set->ndims; ++i) {
        up[i] = i;
        number[i] = -1;
    }
    for (int i = 0; i < set->nconds; ++i) x->cond[i] = join(q, set->cond[i], up);
    for (int i = 0; i < set->nouts; ++i) x->out[i] = join(q, set->out[i], up);
    x->n = 0;
    for (int i = 0; i < set->ndims; ++i) {
        int r = root(up, i);
        if (number[r] < 0) number[r] = x->n++;
        x->of[i] = number[r];
    }
    for (int i = 0; i < set->nconds; ++i)
        if (x->cond[i] >= 0) x->cond[i] = x->of[x->cond[i]];
    for (int i = 0; i < set->nouts; ++i)
        if (x->out[i] >= 0) x->out[i] = x->of[x->out[i]];
}

// The new places of a part's dimensions, and of its quotients.
struct moves {
    const int *place;
    int quotient[MOST_DIVS];  // -1: not moved yet
};

static struct lin moved(struct question *q, struct lin e, struct moves *to) {
    struct lin_term *term = ARENA_ROOM(&q->s->arena, struct lin_term, e.n + 1);
    for (int i = 0; i < e.n; ++i) {
        term[i] = e.term[i];
        if (term[i].kind == COL_DIM) term[i].at = to->place[term[i].at];
        if (term[i].kind != COL_DIV) continue;
        int old = term[i].at;
        if (to->quotient[old] < 0) {
            struct quotient x = q->quotient[old];
            x.of = moved(q, x.of, to);
            if (q->nquotients == MOST_DIVS) {
                q->failed = true;
                return e;
            }
            q->quotient[q->nquotients] = x;
            to->quotient[old] = q->nquotients++;
        }
        term[i].at = to->quotient[old];
    }
    e.term = term;
    return e;
}

void parts_take(struct question *q, const struct qset *set, const struct parts *x, int part,
                struct qset *out, int *place) {
    *out = *set;
    out->ndims = out->nconds = out->nouts = 0;
    out->cond = ARENA_ARRAY(&q->s->arena, struct lin, set->nconds + 1);
    out->out = ARENA_ARRAY(&q->s->arena, struct lin, set->nouts + 1);
    for (int i = 0; i < set->ndims; ++i) {
        place[i] = -1;
        if (x->of[i] != part) continue;
        place[i] = out->ndims;
        out->dim[out->ndims++] = set->dim[i];
    }
    struct moves *to = ARENA_ROOM(&q->s->arena, struct moves, 1);
    to->place = place;
    for (int i = 0; i < MOST_DIVS; ++i) to->quotient[i] = -1;
    for (int i = 0; i < set->nconds; ++i)
        if (x->cond[i] < 0 || x->cond[i] == part)
            out->cond[out->nconds++] = moved(q, set->cond[i], to);
    for (int i = 0; i < set->nouts; ++i)
        if (x->out[i] == part) out->out[out->nouts++] = moved(q, set->out[i], to);
}
