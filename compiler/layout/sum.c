// Sums of leaves, basis elements and values of leaves.  Uses the arithmetic in int.c and makes no
// decisions itself.
#include "layout/impl.h"

typedef __int128 wide;

bool lay_int_eval(struct lay_int a, const int64_t *value_of_sym, int64_t *out) {
    if (a.den == 0 || a.basis != -1) return false;
    wide v = a.num;
    int64_t den = a.den;
    for (int i = 0; i < a.nsyms; ++i) {
        const struct lay_sym *s = a.syms[i];
        int64_t x;
        if (s->name)
            x = value_of_sym[s->id];
        else if (lay_int_eval(s->of, value_of_sym, &x))
            x = x / s->by + (x % s->by > 0);
        else
            return false;
        v *= x;
        if (den > 1 && v) {  // keep the product small
            int64_t g = lay_gcd((int64_t)(v % den), den);
            v /= g;
            den /= g;
        }
        if (v > INT64_MAX || v < -(wide)INT64_MAX) return false;
    }
    if (den != 1 && v) return false;
    *out = (int64_t)v;
    return true;
}

static const struct lay_tuple *substitute(struct lay_ctx *ctx, const struct lay_tuple *t,
                                          const int64_t *value_of_sym) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    if (!t) return NULL;
    if (t->rank < 0) {
        struct lay_int a = t->leaf;
        int64_t v;
        if (a.nsyms == 0) return t;
        a.basis = -1;
        if (!lay_int_eval(a, value_of_sym, &v)) {
            lay_fail(ctx, "'%s' has no value for these numbers", lay_int_text(ctx, a));
            return NULL;
        }
        a = lay_int(v);
        if (v != 0 && a.den) a.basis = t->leaf.basis;
        return lay_leaf(ctx, a);
    }
    for (int i = 0; i < t->rank; ++i) kid[i] = substitute(ctx, t->kid[i], value_of_sym);
    return lay_tuple(ctx, t->rank, kid);
}

struct lay lay_substitute(struct lay_ctx *ctx, struct lay l, const int64_t *value_of_sym) {
    const struct lay_tuple *off = substitute(ctx, lay_leaf(ctx, l.offset), value_of_sym);
    l.shape = substitute(ctx, l.shape, value_of_sym);
    l.stride = substitute(ctx, l.stride, value_of_sym);
    if (!l.shape || !l.stride || !off) return lay_layout_invalid();
    l.offset = off->leaf;
    return l;
}

// -- bases ----------------------------------------------------------------------------------------
// A path (p0,p1,p2) of modes is encoded as p0 + 32*(p1+1) + 1024*(p2+1).

struct lay_int lay_int_basis(struct lay_ctx *ctx, struct lay_int scale, int depth,
                             const int *path) {
    if (scale.den == 0) return scale;
    int code = 0;
    bool fits = depth >= 1 && depth <= 3 && scale.basis == -1;
    for (int i = 0, unit = 1; fits && i < depth; ++i, unit *= 32) {
        fits = path[i] >= 0 && path[i] < (i ? 31 : 32);
        code += (path[i] + (i > 0)) * unit;
    }
    if (!fits) {
        lay_fail(ctx, "a basis element names at most three nested modes, each below 31");
        return LAY_INT_INVALID;
    }
    if (scale.num == 0) return lay_static_int(0);
    scale.basis = (int16_t)code;
    return scale;
}

int lay_int_basis_path(struct lay_int a, int path[3]) {
    if (a.basis < 0) return 0;
    int n = 0;
    path[n++] = a.basis % 32;
    if (a.basis / 32) path[n++] = a.basis / 32 % 32 - 1;
    if (a.basis / 1024) path[n++] = a.basis / 1024 - 1;
    return n;
}

// -- sums -----------------------------------------------------------------------------------------

bool lay_sum_valid(struct lay_sum s) {
    return s.n >= 0;
}

struct lay_sum lay_sum_of(struct lay_ctx *ctx, struct lay_int a) {
    if (a.den == 0) return LAY_SUM_INVALID;
    if (lay_is_value(a, 0)) return (struct lay_sum){0, NULL};
    struct lay_int *term = lay_new(ctx, sizeof *term);
    *term = a;
    return (struct lay_sum){1, term};
}

// The order of the terms of a sum.  It is the same for all sums, so that a printed sum is printed
// the same after it is read again.  The static term is last.
static int compare_terms(struct lay_int a, struct lay_int b) {
    bool last = lay_plain(a);
    return last != lay_plain(b) ? (last ? 1 : -1) : lay_int_compare_syms(a, b);
}

struct lay_sum lay_sum_add(struct lay_ctx *ctx, struct lay_sum a, struct lay_sum b) {
    if (a.n < 0 || b.n < 0) return LAY_SUM_INVALID;
    if (a.n == 0 || b.n == 0) return a.n ? a : b;
    struct lay_int *term = lay_new(ctx, sizeof *term * (size_t)(a.n + b.n));
    int n = 0, i = 0, j = 0;
    while (i < a.n || j < b.n) {
        int c = i == a.n ? 1 : j == b.n ? -1 : compare_terms(a.term[i], b.term[j]);
        struct lay_int next = c < 0   ? a.term[i++]
                              : c > 0 ? b.term[j++]
                                      : lay_int_add(ctx, a.term[i++], b.term[j++]);
        if (next.den == 0) return LAY_SUM_INVALID;
        if (next.num != 0) term[n++] = next;
    }
    return (struct lay_sum){n, term};
}

struct lay_int lay_sum_int(struct lay_ctx *ctx, struct lay_sum s) {
    if (s.n < 0) return LAY_INT_INVALID;
    if (s.n == 0) return lay_static_int(0);
    if (s.n == 1) return s.term[0];
    lay_fail(ctx, "'%s' is a sum, not one term", lay_sum_text(ctx, s));
    return LAY_INT_INVALID;
}
