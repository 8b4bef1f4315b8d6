// A quick test, without isl, of whether a system has no integer solutions.
//
// First it tests equations by divisibility: 4*i - 6*j + 1 is never 0. Quotients count as unknowns,
// so this also decides remainders: (3*i + 1) % 64 and (5*i + 2) % 64 are equal only if 64*a - 64*b
// + 2*i + 1 is 0. Then it derives bounds for each unknown from those of others.
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

enum { EQUATIONS = 24, UNKNOWNS = 64, ROUNDS = 3 };
#define LARGE ((int64_t)1 << 40)  // larger sums are not examined

// Equations: the sum over j of at[i][j] * unknown j, plus at[i][UNKNOWNS], is 0.
struct table {
    int n, ncols;
    int col[UNKNOWNS];  // the system's unknown of each column
    int64_t at[EQUATIONS][UNKNOWNS + 1];
};

struct bounds {
    bool below, above;  // the bounds exist
    int64_t lo, hi;
};

// -- equations ------------------------------------------------------------------------------------

static int column(const struct system *y, const struct system_term *t) {
    return t->kind == COL_DIM   ? t->at
           : t->kind == COL_DIV ? y->ndims + t->at
                                : y->ndims + y->ndivs + t->at;
}

static int find_column(struct table *t, int col) {
    for (int i = 0; i < t->ncols; ++i)
        if (t->col[i] == col) return i;
    if (t->ncols == UNKNOWNS) return -1;
    for (int i = 0; i < t->n; ++i) t->at[i][t->ncols] = 0;
    t->col[t->ncols] = col;
    return t->ncols++;
}

static bool make_table(const struct system *y, struct table *t) {
    t->n = t->ncols = 0;
    for (int i = 0; i < y->n; ++i) {
        const struct system_row *r = &y->row[i];
        if (!r->equal) continue;
        if (t->n == EQUATIONS) return false;
        int64_t *at = t->at[t->n++];
        memset(at, 0, sizeof t->at[0]);
        at[UNKNOWNS] = r->constant;
        for (int j = 0; j < r->n; ++j) {
            if (r->term[j].coef == 0) continue;
            int col = find_column(t, column(y, &r->term[j]));
            if (col < 0) return false;
            at[col] = r->term[j].coef;
        }
    }
    return true;
}

static bool add_times(int64_t *to, int64_t x, int64_t times) {
    int64_t product;
    return !__builtin_mul_overflow(x, times, &product) && !__builtin_add_overflow(*to, product, to);
}

// Adds "times" row "from" to row "to".
static bool add_row(struct table *t, int to, int from, int64_t times) {
    for (int j = 0; j < t->ncols; ++j)
        if (t->at[from][j] && !add_times(&t->at[to][j], t->at[from][j], times)) return false;
    return add_times(&t->at[to][UNKNOWNS], t->at[from][UNKNOWNS], times);
}

// Substitutes x + c for y where an equation says y = x + c, and numbers where an equation gives
// one.  Returns false if numbers get too large.
static bool replace(struct table *t) {
    for (int i = 0; i < t->n; ++i) {
        int terms = 0, pivot = -1;
        for (int j = 0; j < t->ncols; ++j) {
            if (!t->at[i][j]) continue;
            ++terms;
            if (t->at[i][j] == 1 || t->at[i][j] == -1) pivot = j;
        }
        if (terms > 2 || pivot < 0) continue;
        for (int k = 0; k < t->n; ++k) {
            int64_t x = t->at[k][pivot];
            if (k == i || x == 0) continue;
            if (x == INT64_MIN) return false;
            if (!add_row(t, k, i, t->at[i][pivot] == 1 ? -x : x)) return false;
        }
    }
    return true;
}

// Applies unimodular changes of unknowns until row "i" has at most one coefficient that is not 0.
// Returns its column; -1 if there is none, -2 if numbers get too large.
static int reduce(struct table *t, int i, const bool *done) {
    for (;;) {
        int least = -1;
        bool others = false;
        for (int j = 0; j < t->ncols; ++j) {
            int64_t x = t->at[i][j];
            if (!x || done[j]) continue;
            if (x == INT64_MIN) return -2;
            others |= least >= 0;
            if (least < 0 || llabs(x) < llabs(t->at[i][least])) least = j;
        }
        if (!others) return least;
        for (int j = 0; j < t->ncols; ++j) {
            if (j == least || !t->at[i][j] || done[j]) continue;
            int64_t times = -(t->at[i][j] / t->at[i][least]);
            for (int k = i; k < t->n; ++k)
                if (!add_times(&t->at[k][j], t->at[k][least], times)) return -2;
        }
    }
}

// Whether the equations have no integer solution.  Changes "t".
static bool no_integers(struct table *t) {
    bool done[UNKNOWNS] = {false};
    for (int i = 0; i < t->n; ++i) {
        int at = reduce(t, i, done);
        int64_t c = t->at[i][UNKNOWNS];
        if (at == -2 || c == INT64_MIN) return false;
        if (at < 0 ? c != 0 : c % t->at[i][at] != 0) return true;
        if (at < 0) continue;
        int64_t value = -(c / t->at[i][at]);
        done[at] = true;
        for (int k = i + 1; k < t->n; ++k) {
            if (!add_times(&t->at[k][UNKNOWNS], t->at[k][at], value)) return false;
            t->at[k][at] = 0;
        }
    }
    return false;
}

// -- bounds ---------------------------------------------------------------------------------------

static __int128 round_down(__int128 a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// Adds the bound "value" to "x": a lower one, or with "above" an upper one.  Returns false if no
// value remains.
static bool tighten(struct bounds *x, bool above, __int128 value) {
    if (value > INT64_MAX / 2 || value < INT64_MIN / 2) return true;
    if (above && (!x->above || value < x->hi)) {
        x->above = true;
        x->hi = (int64_t)value;
    } else if (!above && (!x->below || value > x->lo)) {
        x->below = true;
        x->lo = (int64_t)value;
    }
    return !(x->below && x->above && x->lo > x->hi);
}

// Derives bounds from the constraint that "sign" times (sum of coef * unknown + "constant") >= 0.
// Returns false if it has no solution.
static bool bound_by(const int *col, const int64_t *coef, int n, int64_t constant, int sign,
                     struct bounds *b) {
    __int128 most = sign * (__int128)constant;
    int open = 0;
    for (int i = 0; i < n; ++i) {
        __int128 c = sign * (__int128)coef[i];
        const struct bounds *x = &b[col[i]];
        if (c == 0) continue;
        if (c > LARGE || c < -LARGE) return true;
        if (c > 0 ? !x->above : !x->below)
            ++open;
        else
            most += c * (c > 0 ? x->hi : x->lo);
    }
    if (open > 1) return true;
    if (open == 0 && most < 0) return false;
    for (int i = 0; i < n; ++i) {
        __int128 c = sign * (__int128)coef[i], rest = most;
        struct bounds *x = &b[col[i]];
        if (c == 0) continue;
        bool is_open = c > 0 ? !x->above : !x->below;
        if (open == 1 && !is_open) continue;
        if (!is_open) rest -= c * (c > 0 ? x->hi : x->lo);
        // c * x >= -rest
        __int128 value = c > 0 ? -round_down(rest, (int64_t)c) : round_down(-rest, (int64_t)c);
        if (!tighten(x, c < 0, value)) return false;
    }
    return true;
}

static bool bound_by_row(const struct system *y, const struct system_row *r, struct bounds *b) {
    int col[SYSTEM_TERMS];
    int64_t coef[SYSTEM_TERMS];
    for (int i = 0; i < r->n; ++i) {
        col[i] = column(y, &r->term[i]);
        coef[i] = r->term[i].coef;
    }
    return bound_by(col, coef, r->n, r->constant, 1, b) &&
           (!r->equal || bound_by(col, coef, r->n, r->constant, -1, b));
}

static bool no_values(const struct system *y, const struct table *t) {
    struct arena *a = &y->q->s->arena;
    int n = y->ndims + y->ndivs + y->q->nparams;
    struct arena_mark mark = arena_mark(a);
    struct bounds *b = ARENA_ARRAY(a, struct bounds, n + 1);
    bool some = true;
    for (int round = 0; round < ROUNDS && some; ++round) {
        for (int i = 0; i < y->n && some; ++i) some = bound_by_row(y, &y->row[i], b);
        for (int i = 0; i < t->n && some; ++i)
            for (int sign = -1; sign <= 1 && some; sign += 2)
                some = bound_by(t->col, t->at[i], t->ncols, t->at[i][UNKNOWNS], sign, b);
    }
    arena_rewind(a, mark);
    return !some;
}

bool system_never(const struct system *y, bool by_bounds) {
    struct table t;
    if (!make_table(y, &t) || !replace(&t)) return false;
    return by_bounds ? no_values(y, &t) : no_integers(&t);
}
