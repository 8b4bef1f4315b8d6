// Integers with symbols: a rational coefficient times a product of symbols, always a whole number.
//
// All of the algebra depends on what is decided here: which leaves are equal, and which divide
// which. Arithmetic never wraps.
#include "layout/impl.h"

#include <string.h>

typedef __int128 wide;

enum { MAX_NESTED_CEIL = 8, MAX_CEIL_SIZE = 64 };

void lay_init(struct lay_ctx *ctx, lay_alloc_fn *alloc, void *user) {
    *ctx = (struct lay_ctx){.alloc = alloc, .user = user};
}

void lay_clear_error(struct lay_ctx *ctx) {
    ctx->error = NULL;
}

void *lay_new(struct lay_ctx *ctx, size_t bytes) {
    return ctx->alloc(ctx->user, bytes);
}

int64_t lay_gcd(int64_t a, int64_t b) {
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t r = x % y;
        x = y;
        y = r;
    }
    return x > INT64_MAX ? (int64_t)1 << 62 : (int64_t)x;  // 2^63 itself does not fit
}

static struct lay_int overflow(struct lay_ctx *ctx) {
    lay_fail(ctx, "the result does not fit into 64 bits");
    return LAY_INT_INVALID;
}

struct lay_int lay_int(int64_t value) {
    if (value == INT64_MIN) return LAY_INT_INVALID;
    return lay_static_int(value);
}

bool lay_int_valid(struct lay_int a) {
    return a.den > 0;
}

bool lay_int_static(struct lay_int a) {
    return lay_plain(a);
}

bool lay_int_is_param(struct lay_int x) {
    return x.num == 1 && x.den == 1 && x.nsyms == 1 && x.basis < 0 && x.syms[0]->name;
}

bool lay_int_is(struct lay_int a, int64_t value) {
    return lay_is_value(a, value);
}

bool lay_is_unit(struct lay_int a) {
    return lay_is_value(a, 1);
}

// -- symbols --------------------------------------------------------------------------------------

struct lay_int lay_int_sum(struct lay_ctx *ctx, const char *name, const void *sum, int64_t mul,
                           int64_t lo, int64_t hi) {
    struct lay_sym *s = lay_new(ctx, sizeof *s);
    *s = (struct lay_sym){.name = name,
                          .id = ctx->next_sym++,
                          .mul = mul < 1 ? 1 : mul,
                          .declared = mul < 1 ? 1 : mul,
                          .lo = lo,
                          .hi = hi,
                          .by = 1,
                          .sum = sum};
    return lay_int_sym(ctx, s);
}

const struct lay_sym *lay_find_param(struct lay_ctx *ctx, const char *name, size_t len) {
    for (const struct lay_sym *s = ctx->params; s; s = s->prev)
        if (strlen(s->name) == len && memcmp(s->name, name, len) == 0) return s;
    return NULL;
}

static int compare_leaves(struct lay_int a, struct lay_int b) {
    if (a.num != b.num) return a.num < b.num ? -1 : 1;
    if (a.den != b.den) return a.den < b.den ? -1 : 1;
    if (a.basis != b.basis) return a.basis < b.basis ? -1 : 1;
    if (a.nsyms != b.nsyms) return a.nsyms < b.nsyms ? -1 : 1;
    for (int i = 0; i < a.nsyms; ++i) {
        int c = lay_sym_compare(a.syms[i], b.syms[i]);
        if (c) return c;
    }
    return 0;
}

int lay_sym_compare(const struct lay_sym *a, const struct lay_sym *b) {
    if (a == b) return 0;
    if (a->name || b->name) {
        if (!a->name || !b->name) return a->name ? -1 : 1;
        return a->id < b->id ? -1 : a->id > b->id;
    }
    if (a->by != b->by) return a->by < b->by ? -1 : 1;
    return compare_leaves(a->of, b->of);
}

int lay_int_compare_syms(struct lay_int a, struct lay_int b) {
    if (a.basis != b.basis) return a.basis < b.basis ? -1 : 1;
    if (a.nsyms != b.nsyms) return a.nsyms < b.nsyms ? -1 : 1;
    for (int i = 0; i < a.nsyms; ++i) {
        int c = lay_sym_compare(a.syms[i], b.syms[i]);
        if (c) return c;
    }
    return 0;
}

struct lay_int lay_int_sym(struct lay_ctx *ctx, const struct lay_sym *s) {
    if (!s) return LAY_INT_INVALID;
    if (s->lo == s->hi && s->lo != INT64_MIN) return lay_int(s->lo);
    const struct lay_sym **list = lay_new(ctx, sizeof *list);
    list[0] = s;
    return (struct lay_int){1, 1, list, 1, -1};
}

bool lay_int_equal(struct lay_int a, struct lay_int b) {
    if (a.nsyms == 0 && b.nsyms == 0)
        return a.num == b.num && a.den == b.den && a.basis == b.basis && a.den > 0;
    return a.den > 0 && compare_leaves(a, b) == 0;
}

// -- what is known --------------------------------------------------------------------------------

static wide clamp(wide v) {
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : v;
}

void lay_int_range(struct lay_int a, int64_t *lo, int64_t *hi) {
    wide l = a.num, h = a.num;
    for (int i = 0; i < a.nsyms; ++i) {
        wide p[4] = {l * a.syms[i]->lo, l * a.syms[i]->hi, h * a.syms[i]->lo, h * a.syms[i]->hi};
        l = h = p[0];
        for (int k = 1; k < 4; ++k) {
            l = p[k] < l ? p[k] : l;
            h = p[k] > h ? p[k] : h;
        }
        l = clamp(l);
        h = clamp(h);
    }
    if (a.den > 1) {  // a range that saturated says nothing about the quotient
        if (l > INT64_MIN) l = l / a.den + (l % a.den > 0);
        if (h < INT64_MAX) h = h / a.den - (h % a.den < 0);
    }
    *lo = (int64_t)l;
    *hi = (int64_t)h;
}

// "f" times the known divisors of the symbols of "a" that are not in "by"; at most 2^62, so that it
// can be divided further.  Returns 0 if "by" has other symbols.
static int64_t factor_without(struct lay_int a, struct lay_int by, wide f) {
    int j = 0;
    for (int i = 0; i < a.nsyms; ++i) {
        if (j < by.nsyms && lay_sym_compare(a.syms[i], by.syms[j]) == 0)
            ++j;
        else if (f * a.syms[i]->mul <= ((wide)1 << 62))
            f *= a.syms[i]->mul;
    }
    return j < by.nsyms || f > ((wide)1 << 62) ? 0 : (int64_t)f;
}

// The largest known divisor of num * product of symbols; at most 2^62.
static int64_t known_factor(struct lay_int a) {
    wide num = a.num < 0 ? -(wide)a.num : a.num;
    int64_t f = factor_without(a, lay_static_int(1), num);
    for (int i = 0; i + 1 < a.nsyms; ++i)
        for (const struct lay_product *p = a.syms[i]->product; p; p = p->next) {
            int64_t more = factor_without(a, p->of, num * p->by);
            wide all = more ? (wide)(more / lay_gcd(f, more)) * f : 0;
            if (all > f && all <= ((wide)1 << 62)) f = (int64_t)all;
        }
    return f;
}

int64_t lay_int_divisor(struct lay_int a) {
    if (a.den == 0) return 1;
    int64_t f = known_factor(a);
    if (f == 0) return 0;
    return f / lay_gcd(f, a.den);
}

bool lay_int_divisible(struct lay_int a, int64_t by) {
    if (a.den == 0 || by == 0) return false;
    return lay_int_divisor(a) % by == 0;
}

static bool no_less(struct lay_int a, struct lay_int b, bool strict) {
    if (a.den == 0 || b.den == 0 || a.basis != b.basis) return false;
    if (!strict && lay_int_equal(a, b)) return true;
    int64_t alo, ahi, blo, bhi;
    lay_int_range(a, &alo, &ahi);
    lay_int_range(b, &blo, &bhi);
    if (ahi < INT64_MAX && blo > INT64_MIN && (strict ? ahi < blo : ahi <= blo)) return true;
    // with the same nonnegative symbols, the coefficients decide
    if (a.nsyms == 0 || a.nsyms != b.nsyms) return false;
    for (int i = 0; i < a.nsyms; ++i)
        if (lay_sym_compare(a.syms[i], b.syms[i]) || a.syms[i]->lo < (strict ? 1 : 0)) return false;
    wide l = (wide)a.num * b.den, r = (wide)b.num * a.den;
    return strict ? l < r : l <= r;
}

bool lay_int_less(struct lay_int a, struct lay_int b) {
    if (lay_plain(a) && lay_plain(b)) return a.num < b.num;
    return no_less(a, b, true);
}

bool lay_int_less_equal(struct lay_int a, struct lay_int b) {
    if (lay_plain(a) && lay_plain(b)) return a.num <= b.num;
    return no_less(a, b, false);
}

// -- arithmetic -----------------------------------------------------------------------------------

// num/den times the symbols of a and b, sorted.
static struct lay_int make(struct lay_ctx *ctx, wide num, wide den, struct lay_int a,
                           struct lay_int b, int basis) {
    if (num == 0) return lay_static_int(0);
    wide x = num < 0 ? -num : num, y = den;
    while (y) {
        wide r = x % y;
        x = y;
        y = r;
    }
    num /= x;
    den /= x;
    if (num > INT64_MAX || num < -(wide)INT64_MAX || den > INT64_MAX) return overflow(ctx);
    int n = a.nsyms + b.nsyms;
    if (n > LAY_MAX_SYMS) {
        lay_fail(ctx, "a product of more than %d symbols", LAY_MAX_SYMS);
        return LAY_INT_INVALID;
    }
    struct lay_int out = {(int64_t)num, (int64_t)den, a.nsyms ? a.syms : b.syms, (int16_t)n,
                          (int16_t)basis};
    if (a.nsyms && b.nsyms) {
        const struct lay_sym **list = lay_new(ctx, sizeof *list * (size_t)n);
        int i = 0, j = 0, k = 0;
        while (i < a.nsyms || j < b.nsyms)
            list[k++] = j == b.nsyms || (i < a.nsyms && lay_sym_compare(a.syms[i], b.syms[j]) <= 0)
                            ? a.syms[i++]
                            : b.syms[j++];
        out.syms = list;
    }
    return out;
}

struct lay_int lay_int_mul(struct lay_ctx *ctx, struct lay_int a, struct lay_int b) {
    if (lay_plain(a) && lay_plain(b)) {
        int64_t v;
        if (__builtin_mul_overflow(a.num, b.num, &v) || v == INT64_MIN) return overflow(ctx);
        return lay_static_int(v);
    }
    if (a.den == 0 || b.den == 0) return LAY_INT_INVALID;
    if (a.basis == LAY_ANY_BASIS || b.basis == LAY_ANY_BASIS) {
        lay_fail(ctx, "'_' is not a number");
        return LAY_INT_INVALID;
    }
    if (a.basis >= 0 && b.basis >= 0) {
        lay_fail(ctx, "two basis elements cannot be multiplied");
        return LAY_INT_INVALID;
    }
    int64_t g = lay_gcd(a.num, b.den), h = lay_gcd(b.num, a.den);
    if (g == 0 || h == 0) return lay_static_int(0);
    return make(ctx, (wide)(a.num / g) * (b.num / h), (wide)(a.den / h) * (b.den / g), a, b,
                a.basis >= 0 ? a.basis : b.basis);
}

struct lay_int lay_int_neg(struct lay_ctx *ctx, struct lay_int a) {
    return lay_int_mul(ctx, a, lay_static_int(-1));
}

// Divides "a" by the symbols of "b".  The result, a.num/(a.den*b.num/b.den) times the remaining
// symbols, may not be an integer.
static bool cancel(struct lay_ctx *ctx, struct lay_int a, struct lay_int b, struct lay_int *out) {
    int n = 0, j = 0;
    struct lay_int rest = {1, 1, NULL, 0, -1};
    if (b.nsyms) {
        const struct lay_sym **list = lay_new(ctx, sizeof *list * (size_t)(a.nsyms + 1));
        for (int i = 0; i < a.nsyms; ++i) {
            if (j < b.nsyms && lay_sym_compare(a.syms[i], b.syms[j]) == 0)
                ++j;
            else
                list[n++] = a.syms[i];
        }
        if (j < b.nsyms) return false;
        rest.syms = list;
        rest.nsyms = (int16_t)n;
    } else {
        rest.syms = a.syms;
        rest.nsyms = a.nsyms;
    }
    int64_t g = lay_gcd(a.num, b.num), h = lay_gcd(a.den, b.den);
    wide num = (wide)(a.num / g) * (b.den / h), den = (wide)(a.den / h) * (b.num / g);
    if (den < 0) {
        num = -num;
        den = -den;
    }
    *out = make(ctx, num, den, rest, (struct lay_int){1, 1, NULL, 0, -1}, a.basis);
    return out->den > 0;
}

bool lay_int_divides(struct lay_int by, struct lay_int a) {
    if (lay_plain(by)) return by.num != 0 && lay_int_divisible(a, by.num);
    if (a.den == 0 || by.den == 0 || by.basis != -1) return false;
    if (lay_is_value(a, 0)) return true;
    int64_t f = factor_without(a, by, a.num < 0 ? -(wide)a.num : a.num);
    if (f == 0 || by.num == 0) return false;
    int64_t g = lay_gcd(f, a.den), k = lay_gcd(by.num, by.den);  // f/a.den * by.den/by.num
    wide num = (wide)(f / g) * (by.den / k), den = (wide)(a.den / g) * (by.num / k);
    return num % (den < 0 ? -den : den) == 0;
}

struct lay_int lay_int_div(struct lay_ctx *ctx, struct lay_int a, struct lay_int b) {
    if (a.den == 0 || b.den == 0) return LAY_INT_INVALID;
    struct lay_int out;
    if (b.basis == -1 && lay_int_divides(b, a)) {
        if (lay_plain(a) && lay_plain(b)) return lay_static_int(a.num / b.num);
        if (lay_is_value(a, 0)) return a;
        if (cancel(ctx, a, b, &out)) return out;
    }
    lay_fail(ctx, "'%s' does not divide '%s'%s", lay_int_text(ctx, b), lay_int_text(ctx, a),
             lay_plain(a) && lay_plain(b) ? "" : " for all values of the symbols");
    return LAY_INT_INVALID;
}

static int ceil_depth(struct lay_int a) {
    int most = 0;
    for (int i = 0; i < a.nsyms; ++i)
        if (!a.syms[i]->name) {
            int d = 1 + ceil_depth(a.syms[i]->of);
            most = d > most ? d : most;
        }
    return most;
}

// How many params and ceil_divs a ceil_div of "of" contains, repeated ones counted each time: the
// cost of walking through it.
static int ceil_size(struct lay_int of) {
    int size = 1;
    for (int i = 0; i < of.nsyms; ++i) size += of.syms[i]->size ? of.syms[i]->size : 1;
    return size;
}

// @post the result is ceil(a / b).  @pre "b" is positive.  A quotient that is always exact has no
// ceil_div, one that is always in (0, 1] is 1, and nested ceil_divs are merged.
struct lay_int lay_int_ceil_div(struct lay_ctx *ctx, struct lay_int a, struct lay_int b) {
    if (a.den == 0 || b.den == 0) return LAY_INT_INVALID;
    if (a.basis != -1 || b.basis != -1) {
        lay_fail(ctx, "ceil_div needs two numbers, not '%s' and '%s'", lay_int_text(ctx, a),
                 lay_int_text(ctx, b));
        return LAY_INT_INVALID;
    }
    int64_t blo, bhi, alo, ahi;
    lay_int_range(b, &blo, &bhi);
    lay_int_range(a, &alo, &ahi);
    if (blo < 1) {
        lay_fail(ctx, "the divisor '%s' of ceil_div is not positive", lay_int_text(ctx, b));
        return LAY_INT_INVALID;
    }
    if (lay_plain(a) && lay_plain(b)) return lay_static_int(a.num / b.num + (a.num % b.num > 0));
    if (lay_int_divides(b, a)) return lay_int_div(ctx, a, b);
    if (alo >= 1 && lay_int_less_equal(a, b)) return lay_static_int(1);
    struct lay_int q;
    if (!lay_plain(b)) {
        if (cancel(ctx, a, b, &q) && q.nsyms == 0)
            return lay_static_int(q.num / q.den + (q.num % q.den > 0));
        lay_fail(ctx, "the divisor of ceil_div(%s,%s) must be a number or a const",
                 lay_int_text(ctx, a), lay_int_text(ctx, b));
        return LAY_INT_INVALID;
    }
    // ceil((n/d * S) / b) = ceil(n * S / (d * b)), in lowest terms
    if (!cancel(ctx, a, b, &q)) return LAY_INT_INVALID;
    struct lay_int of = {q.num, 1, q.syms, q.nsyms, -1};
    int64_t by = q.den;
    while (of.num == 1 && of.nsyms == 1 && !of.syms[0]->name) {  // a ceil_div that is divided again
        wide w = (wide)by * of.syms[0]->by;
        if (w > INT64_MAX) return overflow(ctx);
        by = (int64_t)w;
        of = of.syms[0]->of;
        int64_t g = lay_gcd(of.num, by);
        of.num /= g;
        by /= g;
    }
    if (lay_int_divisible(of, by)) return lay_int_div(ctx, of, lay_static_int(by));
    if (ceil_depth(of) >= MAX_NESTED_CEIL) {
        lay_fail(ctx, "more than %d nested ceil_div", MAX_NESTED_CEIL);
        return LAY_INT_INVALID;
    }
    int size = ceil_size(of);
    if (size > MAX_CEIL_SIZE) {
        lay_fail(ctx, "written out, this has %d params and ceil_divs; the limit is %d", size,
                 MAX_CEIL_SIZE);
        return LAY_INT_INVALID;
    }
    struct lay_sym *s = lay_new(ctx, sizeof *s);
    *s = (struct lay_sym){.id = ctx->next_sym++, .mul = 1, .of = of, .by = by, .size = size};
    lay_int_range(of, &alo, &ahi);
    s->lo = alo == INT64_MIN ? alo : alo / by + (alo % by > 0);
    s->hi = ahi == INT64_MAX ? ahi : ahi / by + (ahi % by > 0);
    return lay_int_sym(ctx, s);
}

struct lay_int lay_int_add(struct lay_ctx *ctx, struct lay_int a, struct lay_int b) {
    if (lay_plain(a) && lay_plain(b)) {
        int64_t v;
        if (__builtin_add_overflow(a.num, b.num, &v) || v == INT64_MIN) return overflow(ctx);
        return lay_static_int(v);
    }
    if (a.den == 0 || b.den == 0) return LAY_INT_INVALID;
    if (lay_is_value(a, 0)) return b;
    if (lay_is_value(b, 0)) return a;
    if (a.basis == LAY_ANY_BASIS || b.basis == LAY_ANY_BASIS || lay_int_compare_syms(a, b)) {
        lay_fail(ctx, "'%s' and '%s' do not add up to one term", lay_int_text(ctx, a),
                 lay_int_text(ctx, b));
        return LAY_INT_INVALID;
    }
    int64_t g = lay_gcd(a.den, b.den);
    wide den = (wide)(a.den / g) * b.den;
    wide l = (wide)a.num * (b.den / g), r = (wide)b.num * (a.den / g);
    if (l > INT64_MAX || l < INT64_MIN || r > INT64_MAX || r < INT64_MIN || den > INT64_MAX)
        return overflow(ctx);
    return make(ctx, l + r, den, a, (struct lay_int){1, 1, NULL, 0, -1}, a.basis);
}
