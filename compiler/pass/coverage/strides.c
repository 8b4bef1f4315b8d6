// Whether different coordinates of a layout with run-time strides are different elements.
//
// They are if, in some order of the modes, each stride is at least the span of the mode before it. So products of numbers, params and rounded quotients are compared, by their factors or by a
// proof.  If an extent is 0 there are no coordinates at all, so extents count as at least 1.
#include <string.h>

#include "base/session.h"
#include "pass/coverage/coverage.h"

struct order {
    struct session *s;
    struct prover *p;
    const struct lay_tuple *shape;
};

// Whether "y" is a factor of "a", or of the dividend of a rounded quotient in "a", with no negative
// factor beside it: then "y" is at least 1 if "a" is.
static bool rests_on(struct lay_int a, const struct lay_sym *y) {
    bool found = false;
    for (int i = 0; i < a.nsyms; ++i) {
        const struct lay_sym *x = a.syms[i];
        if (x->lo < 0) return false;
        found |= lay_sym_compare(x, y) == 0 || (!x->name && rests_on(x->of, y));
    }
    return found;
}

static bool extents_rest_on(const struct lay_tuple *shape, const struct lay_sym *y) {
    if (lay_is_leaf(shape)) return rests_on(shape->leaf, y);
    for (int i = 0; i < shape->rank; ++i)
        if (extents_rest_on(shape->kid[i], y)) return true;
    return false;
}

static bool at_least_1(const struct order *o, const struct lay_sym *y) {
    if (y->lo >= 1 || extents_rest_on(o->shape, y)) return true;
    bool all = !y->name && y->of.num > 0;  // ceil(x/n) is at least 1 if x is
    for (int i = 0; all && i < y->of.nsyms; ++i) all = at_least_1(o, y->of.syms[i]);
    return all;
}

// The smallest known n with n * x >= y, for ceil(z/c) and ceil(z/d) of the same z >= 0; a divisor
// may be 1. 0: none is known.
static int64_t times(const struct lay_sym *x, const struct lay_sym *y) {
    struct lay_int z = {1, 1, &x, 1, -1}, z2 = {1, 1, &y, 1, -1};
    int64_t c = 1, d = 1, lo, hi;
    if (!x->name) {
        z = x->of;
        c = x->by;
    }
    if (!y->name) {
        z2 = y->of;
        d = y->by;
    }
    if (!lay_int_equal(z, z2)) return 0;
    lay_int_range(z, &lo, &hi);
    if (lo < 0) return 0;
    return c <= d ? 1 : c / d + (c % d > 0);  // z <= c * x, so ceil(z/d) <= ceil(c/d) * x
}

enum { MOST_BELOW = 3 };  // for most factors without an equal one
_Static_assert(LAY_MAX_SYMS <= 32, "a bit of 'taken' for each factor");

// Whether "x" is at least "den" times "y", without the factors of "x" that are "taken" and those of "y"
// before number "i".  Each of these must be equal to one of "x", or for at most "below" of them
// within a known multiple of it (see times).  The remaining factors of "x" must be at least 1.
static bool factors_reach(const struct order *o, const struct lay_int *x, const struct lay_int *y,
                          int i, unsigned taken, int below, __int128 den) {
    if (den > INT64_MAX || below < 0) return false;
    if (i == y->nsyms) {
        for (int k = 0; k < x->nsyms; ++k)
            if (!(taken >> k & 1) && !at_least_1(o, x->syms[k])) return false;
        return (__int128)x->num * y->den >= den;
    }
    for (int k = 0; k < x->nsyms; ++k)
        if (!(taken >> k & 1) && lay_sym_compare(x->syms[k], y->syms[i]) == 0)
            return factors_reach(o, x, y, i + 1, taken | 1U << k, below, den);
    for (int k = 0; k < x->nsyms; ++k) {
        int64_t n = taken >> k & 1 ? 0 : times(x->syms[k], y->syms[i]);
        if (n > 0 && factors_reach(o, x, y, i + 1, taken | 1U << k, below - 1, den * n))
            return true;
    }
    return false;
}

static bool no_less(const struct order *o, struct lay_int a, struct lay_int b) {
    if (lay_int_static(a) && lay_int_static(b)) return a.num >= b.num;
    bool plain = a.num > 0 && b.num > 0 && a.basis == b.basis && b.nsyms <= a.nsyms;
    if (plain && factors_reach(o, &a, &b, 0, 0, MOST_BELOW, (__int128)b.num * a.den)) return true;
    return prove_at_least(o->p, ix_lay(o->s, a), ix_lay(o->s, b)) == PROVE_YES;
}

// The modes of a layout, and an order of them that is looked for.
struct nesting {
    const struct order *o;
    struct lay_int n[LAY_MAX_LEAVES], d[LAY_MAX_LEAVES];
    int count, steps;
    bool used[LAY_MAX_LEAVES];
    // mode "lacking" may follow "lacking_after", though nothing says so; -1: none yet, -2: none may
    int lacking, lacking_after;
    // by mode, and by the mode before it plus 1: whether it may follow; -1: not asked yet
    signed char follows[LAY_MAX_LEAVES][LAY_MAX_LEAVES + 1];
};

enum { MOST_STEPS = 4096 };

static void collect(const struct lay_tuple *shape, const struct lay_tuple *stride,
                    struct nesting *x) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i) collect(shape->kid[i], stride->kid[i], x);
        return;
    }
    if (lay_int_is(shape->leaf, 1)) return;
    x->n[x->count] = shape->leaf;
    x->d[x->count] = stride->leaf;
    // the other direction names the same elements
    if (stride->leaf.num < 0) x->d[x->count].num = -stride->leaf.num;
    ++x->count;
}

// Whether stride "a" is tried before "b": it is likely to be the smaller one.
static bool sooner(struct lay_int a, struct lay_int b) {
    int64_t alo, ahi, blo, bhi;
    lay_int_range(a, &alo, &ahi);
    lay_int_range(b, &blo, &bhi);
    return alo != blo ? alo < blo : a.nsyms != b.nsyms ? a.nsyms < b.nsyms : ahi < bhi;
}

static void exchange(struct nesting *x, int i, int j) {
    struct lay_int n = x->n[i], d = x->d[i];
    x->n[i] = x->n[j], x->d[i] = x->d[j];
    x->n[j] = n, x->d[j] = d;
}

static void sort(struct nesting *x) {
    for (int i = 1; i < x->count; ++i)
        for (int j = i; j > 0 && sooner(x->d[j], x->d[j - 1]); --j) exchange(x, j, j - 1);
}

// The order in which people nest modes: away from the contiguous one, the first or the last.
static bool sort_as_written(struct nesting *x) {
    bool last = x->count > 0 && lay_int_is(x->d[x->count - 1], 1);
    for (int i = 0; last && i < x->count / 2; ++i) exchange(x, i, x->count - 1 - i);
    return x->count > 0 && lay_int_is(x->d[0], 1);
}

// Whether the stride of mode "i" is at least the span of mode "last"; -1: at least 1.
static bool may_follow(struct nesting *x, int i, int last) {
    struct session *s = x->o->s;
    signed char *known = &x->follows[i][last + 1];
    if (*known >= 0) return *known;
    struct lay_int span = last < 0 ? lay_int(1) : lay_int_mul(&s->lay, x->d[last], x->n[last]);
    lay_clear_error(&s->lay);
    *known = lay_int_valid(span) && no_less(x->o, x->d[i], span);
    return *known;
}

// Whether the modes not yet used can come after mode "last".
static bool nests(struct nesting *x, int last, int left) {
    if (left == 0) return true;
    for (int i = 0; i < x->count; ++i) {
        if (x->used[i] || x->steps == MOST_STEPS) continue;
        bool follows = may_follow(x, i, last);
        bool lacks = x->lacking == -1 && last >= 0 && lay_int_is_param(x->d[i]);
        if (!follows && !lacks) continue;
        if (!follows) {
            x->lacking = i;
            x->lacking_after = last;
        }
        ++x->steps;
        x->used[i] = true;
        if (nests(x, i, left - 1)) return true;
        x->used[i] = false;
        if (!follows) x->lacking = -1;
    }
    return false;
}

static bool finds_order(struct session *s, struct prover *p, struct lay l, int lacking,
                        struct nesting *x) {
    const struct order o = {s, p, l.shape};
    *x = (struct nesting){.o = &o, .lacking = lacking};
    memset(x->follows, -1, sizeof x->follows);
    collect(l.shape, l.stride, x);
    if (lacking == -1 && !sort_as_written(x)) return false;
    if (lacking != -1) sort(x);
    return nests(x, -1, x->count);
}

bool coverage_injective(struct session *s, struct prover *p, struct lay l) {
    struct session_mark mark = session_mark(s);
    bool found = finds_order(s, p, l, -2, ARENA_NEW(&s->arena, struct nesting));
    session_rewind(s, mark);
    return found;
}

const char *coverage_apart(struct session *s, struct prover *p, struct lay l, struct lay_int *step,
                           struct lay_int *span) {
    struct nesting *x = ARENA_NEW(&s->arena, struct nesting);
    if (!finds_order(s, p, l, -1, x) || x->lacking < 0) return NULL;
    *step = x->d[x->lacking];
    *span = lay_int_mul(&s->lay, x->d[x->lacking_after], x->n[x->lacking_after]);
    lay_clear_error(&s->lay);
    for (int i = 0; lay_int_valid(*span) && i < span->nsyms; ++i)
        if (span->syms[i] == step->syms[0]) return NULL;  // C >= 64*C
    const char *name = step->syms[0]->name, *promise = "";
    if (step->syms[0]->mul > 1)
        promise = arena_printf(&s->arena, " %% %lld", (long long)step->syms[0]->mul);
    return arena_printf(&s->arena, ": 'param %s : index%s where %s >= %s'", name, promise, name,
                        lay_int_text(&s->lay, *span));
}

bool coverage_differs(struct session *s, struct lay l) {
    struct arena_mark mark = arena_mark(&s->arena);  // the table of values may be large
    bool differ = lay_is_injective(&s->lay, l);
    arena_rewind(&s->arena, mark);
    return differ;
}
