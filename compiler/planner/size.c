// Relayouts whose extents and strides are params: assumes typical sizes for the search.
#include <inttypes.h>

#include "base/session.h"
#include "planner/private.h"

enum { MOST_PARAMS = 64, GRAIN = 16 };
static const int64_t most_elements = (int64_t)1 << 36;  // of a typical relayout

// Adds the params in "v" that are not yet in "found".
static int collect(struct lay_int v, const struct lay_sym *found[], int n) {
    for (int i = 0; i < v.nsyms; ++i) {
        const struct lay_sym *y = v.syms[i];
        if (!y->name) {
            n = collect(y->of, found, n);
            continue;
        }
        int k = 0;
        while (k < n && found[k] != y) ++k;
        if (k == n && n < MOST_PARAMS) found[n++] = y;
    }
    return n;
}

// A size of "y" in its range: about "size", which has many divisors, and as it is promised.  Where
// "by" is not 0, it is a multiple of that, and of no more than has to be.
static int64_t usual(const struct lay_sym *y, int64_t size, int64_t by) {
    int64_t grain = size < GRAIN ? size : GRAIN, step = y->mul / lay_gcd(y->mul, grain), n;
    if (__builtin_mul_overflow(step, grain, &step)) step = y->mul;
    // A range may be too small for a multiple of the grain.
    while (step > y->mul && (y->hi < step || y->hi / step * step < y->lo)) step /= 2;
    n = size > step ? size / step * step : step;
    if (n > y->hi) n = y->hi / step * step;
    if (n < y->lo) n = (y->lo - 1) / step * step + step;
    by *= y->mul / lay_gcd(y->mul, by ? by : 1);
    if (by % GRAIN != 0) {
        if (n + by > y->hi && n - step + by >= y->lo) n -= step;
        if (n + by <= y->hi) n += by;
    }
    return n > y->hi ? y->hi : n < y->lo ? y->lo : n;
}

// The divisor that the case requires of "y"; for a product, it is required of its last param.
static int64_t asked(const struct relayout *r, const struct lay_sym *y) {
    int64_t by = 1;
    for (int i = 0; i < r->nwhen; ++i) {
        const struct relayout_when *w = &r->when[i];
        if (w->value.syms[w->value.nsyms - 1] == y) by = by / lay_gcd(by, w->by) * w->by;
    }
    return by;
}

static int64_t *number(struct relayout_mode *m, enum relayout_number k) {
    return k == RELAYOUT_EXTENT ? &m->extent : k == RELAYOUT_SRC ? &m->src : &m->dst;
}

// Sets the numbers of "r" that are given by params with these values; NULL, or the one that has no
// value.  "torn" and a condition: extents stay, which have many divisors, so that the tile of a case
// does not suit just one size.
static struct lay_int evaluate(const struct relayout *r, const int64_t *value, bool torn,
                               struct relayout_mode mode[]) {
    for (int i = 0; i < r->rank; ++i)
        for (int k = 0; k < RELAYOUT_NUMBERS; ++k) {
            struct lay_int x = r->mode[i].run[k];
            if (!lay_int_valid(x) || (torn && r->nwhen && k == RELAYOUT_EXTENT)) continue;
            if (!lay_int_eval(x, value, number(&mode[i], k))) return x;
        }
    return LAY_INT_INVALID;
}

// Whether a relayout with these values is none that no machine could hold.
static bool moderate(const struct relayout *r, const int64_t *value) {
    struct relayout x = *r;
    int64_t n = 1;
    if (lay_int_valid(evaluate(r, value, false, x.mode))) return false;
    for (int i = 0; i < r->rank; ++i)
        if (__builtin_mul_overflow(n, x.mode[i].extent, &n) || n > most_elements) return false;
    return relayout_fits(&x, true) && relayout_fits(&x, false);
}

const char *relayout_size(struct session *s, struct relayout *r, bool torn) {
    // by the number of params in the extents, for about 2^24 elements
    static const int64_t sizes[] = {65536, 65536, 4096, 512, 64, 64, 64, 16};
    const struct lay_sym *found[MOST_PARAMS];
    int n = 0, factors = 0, most = sizeof sizes / sizeof sizes[0] - 1;
    for (int i = 0; i < r->rank; ++i) factors += r->mode[i].run[RELAYOUT_EXTENT].nsyms;
    for (int i = 0; i < r->rank; ++i)
        for (int k = 0; k < RELAYOUT_NUMBERS; ++k) n = collect(r->mode[i].run[k], found, n);
    if (n == MOST_PARAMS) return "its layouts depend on too many params";
    int64_t *value = ARENA_ARRAY(&s->arena, int64_t, s->lay.next_sym);
    for (int64_t size = 2 * sizes[factors < most ? factors : most]; n > 0 && size > 1;) {
        size /= 2;
        for (int i = 0; i < n; ++i) value[found[i]->id] = usual(found[i], size, 0);
        if (size > 1 && !moderate(r, value)) continue;
        for (int i = 0; torn && i < n; ++i)
            value[found[i]->id] = usual(found[i], size, asked(r, found[i]));
        break;
    }
    for (int i = 0; i < n; ++i)
        r->usual = arena_printf(&s->arena, "%s%s%s = %" PRId64, i ? r->usual : "", i ? ", " : "",
                                found[i]->name, value[found[i]->id]);
    struct lay_int none = evaluate(r, value, torn, r->mode);
    if (lay_int_valid(none))
        return arena_printf(&s->arena, "%s has no value where %s", lay_int_text(&s->lay, none),
                            r->usual);
    for (int i = 0; i < r->rank; ++i)
        for (int k = 0; k < RELAYOUT_NUMBERS; ++k)
            if (lay_int_valid(r->mode[i].run[k]) && lay_int_static(r->mode[i].run[k]))
                r->mode[i].run[k] = LAY_INT_INVALID;
    return NULL;
}

const char *relayout_resize(struct session *s, struct relayout *r) {
    r->usual = NULL;
    return relayout_size(s, r, false);
}
