// Was every element that is read written before?  Answers by listing all instances, if these are
// few and depend on numbers alone, like those of one tile.  Quotients of sums, as in the digits of
// a place in a row, take isl long.
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

enum { MOST_LISTED = 1 << 19, MOST_VARS = 16 };

struct list {
    const struct prove_set *set;
    int nouts;
    const int64_t *weight;  // of each coordinate in the place of an element
    int64_t *value;         // of variables, by their number
    uint8_t *written;       // by place
    bool reads;
    int64_t listed;
};

// The number of variables of the set, from the first one on, that "e" needs; MOST_VARS + 1: it needs
// something else.
static int level(const struct prove_set *set, const struct ix *e) {
    int at = 0;
    if (!e) return MOST_VARS + 1;
    if (e->op == IX_VAR) {
        while (at < set->nvars && set->var[at].var != e->var) ++at;
        return at < set->nvars ? at + 1 : MOST_VARS + 1;
    }
    if (e->op != IX_SUM) {
        bool number = e->op == IX_SWZ || lay_int_static(e->k);
        return number ? level(set, e->a) : MOST_VARS + 1;
    }
    for (int i = 0; i < e->nterms; ++i) {
        if (!lay_int_static(e->term[i].coef)) return MOST_VARS + 1;
        int n = e->term[i].atom ? level(set, e->term[i].atom) : 0;
        if (n > at) at = n;
    }
    return at;
}

static bool eval(const struct list *x, const struct ix *e, int64_t *out) {
    const struct ix_env env = {x->value, NULL};
    return ix_eval(e, &env, out);
}

// The terms of the place that the first "n" variables decide, and those before them do not.
static bool add_terms(const struct list *x, int n, int64_t *place) {
    for (int m = 0; m < x->nouts; ++m) {
        const struct ix *e = x->set->out[m];
        struct ix_term self = {lay_int(1), e};
        const struct ix_term *term = e->op == IX_SUM ? e->term : &self;
        int terms = e->op == IX_SUM ? e->nterms : 1;
        for (int i = 0; i < terms; ++i) {
            int64_t v = 1;
            if ((term[i].atom ? level(x->set, term[i].atom) : 0) != n) continue;
            if (term[i].atom && !eval(x, term[i].atom, &v)) return false;
            *place += v * term[i].coef.num * x->weight[m];
        }
    }
    return true;
}

// Lists the instances with these values of the first "n" variables.
static bool list(struct list *x, int n, int64_t place) {
    const struct prove_set *set = x->set;
    int64_t begin, end, v;
    if (!add_terms(x, n, &place)) return false;
    for (int i = 0; i < set->nconds && !x->reads; ++i) {
        if (level(set, set->cond[i]) != n) continue;
        if (!eval(x, set->cond[i], &v)) return false;
        if (v < 0) return true;
    }
    if (n == set->nvars) {
        if (x->reads && !x->written[place]) return false;
        x->written[place] = true;
        return ++x->listed <= MOST_LISTED;
    }
    const struct prove_var *var = &set->var[n];
    if (!eval(x, var->begin, &begin) || !eval(x, var->end, &end)) return false;
    for (v = begin; v < end; ++v) {
        x->value[var->var->id] = v;
        if (!list(x, n + 1, place)) return false;
    }
    return true;
}

// Whether the values of the variable are those from which the bounds of expressions were computed.
static bool as_declared(const struct prove_var *v) {
    int64_t first, last, ignored;
    lay_int_range(v->var->lo, &first, &ignored);
    if (v->begin->lo < first) return false;
    if (!lay_int_valid(v->var->end)) return true;
    lay_int_range(v->var->end, &ignored, &last);
    return v->end->hi <= last;
}

// Whether its instances can be listed.  Reads may be more than there are, so that their conditions
// do not count.
static bool suits(const struct prove_set *set, bool reads) {
    int64_t n = 1;
    if (set->nvars > MOST_VARS) return false;
    for (int i = 0; i < set->nvars; ++i) {
        const struct prove_var *v = &set->var[i];
        if (level(set, v->begin) > i || level(set, v->end) > i || !as_declared(v)) return false;
        int64_t steps;
        if (__builtin_sub_overflow(v->end->hi, v->begin->lo, &steps) || steps > MOST_LISTED)
            return false;
        if (steps > 0) n *= steps;
        if (n > MOST_LISTED) return false;
    }
    for (int i = 0; i < set->nconds && !reads; ++i)
        if (level(set, set->cond[i]) > set->nvars) return false;
    for (int i = 0; i < set->nouts; ++i)
        if (level(set, set->out[i]) > set->nvars || set->out[i]->lo < 0) return false;
    return true;
}

static bool divides_sum(const struct ix *e, const void *unused) {
    (void)unused;
    return e->op != IX_VAR && e->op != IX_SUM && e->a->op == IX_SUM;
}

static int most_id(const struct prove_set *set, int most) {
    for (int i = 0; i < set->nvars; ++i)
        if (set->var[i].var->id > most) most = set->var[i].var->id;
    return most;
}

bool listed_written(struct prover *p, const struct prove_set *read, const struct prove_write *write,
                    int n) {
    struct session *s = p->s;
    int64_t all = 1, *weight = ARENA_ARRAY(&s->arena, int64_t, read->nouts + 1);
    bool sums = false;
    int most = most_id(read, 0);
    if (!suits(read, true)) return false;
    for (int i = 0; i < n; ++i) {
        const struct prove_set *w = write[i].set;
        if (!write[i].before || write[i].common || write[i].equal || !suits(w, false)) return false;
        for (int m = 0; m < w->nouts; ++m) sums |= ix_has(w->out[m], divides_sum, NULL);
        most = most_id(w, most);
    }
    for (int m = 0; m < read->nouts; ++m) {
        int64_t hi = read->out[m]->hi;
        for (int i = 0; i < n; ++i)
            if (write[i].set->out[m]->hi > hi) hi = write[i].set->out[m]->hi;
        weight[m] = all;
        if (hi >= MOST_LISTED || all * (hi + 1) > MOST_LISTED) return false;
        all *= hi + 1;
    }
    if (!sums) return false;
    struct list x = {.nouts = read->nouts, .weight = weight};
    x.value = ARENA_ARRAY(&s->arena, int64_t, most + 1);
    x.written = ARENA_ARRAY(&s->arena, uint8_t, (size_t)all);
    memset(x.written, 0, (size_t)all);
    for (int i = 0; i <= n; ++i) {
        x.set = i < n ? write[i].set : read;
        x.reads = i == n;
        if (!list(&x, 0, 0)) return false;
    }
    return true;
}
