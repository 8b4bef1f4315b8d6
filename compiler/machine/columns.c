// Columns of indices (see columns.h).
//
// Each change of a column gives it a new version number.  A result is valid as long as its operands
// are the same columns with the same versions.  Sums separate the common part of their terms, so
// that a change of a loop variable costs one addition.  If this could overflow, the expression is
// evaluated thread by thread.
#include "machine/columns.h"

#include <stdlib.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "machine/typed.h"

enum { FIRST_PLACES = 64, HASH_SHIFT = 20 };    // of the table of expressions
enum { PAGE_BITS = 6, PAGE = 1 << PAGE_BITS };  // of the table of variables
#define HASH_FACTOR ((uint64_t)0x9e3779b97f4a7c15u)

// A variable, or an expression that was evaluated.
struct kept {
    const struct ix *of;  // NULL: a variable, or a free entry
    int64_t *own;         // a number for each thread; NULL: none yet
    int bits;             // of a variable: its width; 0: unlimited
    struct column value;
    // operands at the last evaluation
    const int64_t *from;
    int64_t from_version, from_base;
    uint64_t made;  // for a sum: which terms were included
};

struct columns {
    struct session *s;
    const int64_t *sym;
    int64_t threads, clock;
    struct kept *
        // pages of variables by ix_var.id, as a kernel uses few of the session's; NULL: all are 0
        *page;
    int npages;
    struct kept *expr;  // hash table by expression
    int64_t cap, used;  // cap: a power of two
    int64_t *number;    // values of variables for a single thread
    int *number_bits;   // and their widths
    int *sym_bits;
    bool overflow_32;
    struct kept tid;  // the numbers of the threads
};

static struct kept *variable(struct columns *c, const struct ix_var *v) {
    struct kept **page = &c->page[v->id >> PAGE_BITS];
    if (!*page) *page = memory_zeroed(PAGE, sizeof **page);
    return &(*page)[v->id & (PAGE - 1)];
}

static int64_t *own_column(struct columns *c, struct kept *k) {
    if (!k->own) k->own = memory_zeroed((size_t)c->threads, sizeof *k->own);
    return k->own;
}

// The entry of "e" in the table, or a free one for it.
static struct kept *place_of(const struct columns *c, const struct ix *e) {
    uint64_t i = (uint64_t)(uintptr_t)e * HASH_FACTOR >> HASH_SHIFT, mask = (uint64_t)c->cap - 1;
    while (c->expr[i & mask].of && c->expr[i & mask].of != e) ++i;
    return &c->expr[i & mask];
}

static struct kept *keep(struct columns *c, const struct ix *e) {
    struct kept *k = place_of(c, e);
    if (k->of) return k;
    if (2 * ++c->used > c->cap) {
        struct kept *old = c->expr, *end = old + c->cap;
        c->cap *= 2;
        c->expr = memory_zeroed((size_t)c->cap, sizeof *c->expr);
        for (k = old; k != end; ++k) {
            if (k->of) *place_of(c, k->of) = *k;
        }
        memory_free(old);
        k = place_of(c, e);
    }
    k->of = e;
    return k;
}

// Records that the column owned by "k" has new numbers.
static void renew(struct columns *c, struct kept *k) {
    struct column *v = &k->value;
    *v = (struct column){.at = k->own, .lo = k->own[0], .hi = k->own[0], .version = ++c->clock};
    for (int64_t t = 1; t < c->threads; ++t) {
        if (k->own[t] < v->lo) v->lo = k->own[t];
        if (k->own[t] > v->hi) v->hi = k->own[t];
    }
}

struct columns *columns_new(struct session *s, int64_t threads, const int64_t *sym) {
    struct columns *c = memory_new(sizeof *c);
    *c = (struct columns){.s = s, .sym = sym, .threads = threads, .cap = FIRST_PLACES};
    c->npages = (s->next_var >> PAGE_BITS) + 1;
    c->page = memory_zeroed((size_t)c->npages, sizeof(struct kept *));
    c->expr = memory_zeroed((size_t)c->cap, sizeof *c->expr);
    c->sym_bits = memory_zeroed((size_t)s->lay.next_sym + 1, sizeof *c->sym_bits);
    for (int i = 0; i < s->lay.next_sym; ++i) c->sym_bits[i] = 64;
    int64_t *own = own_column(c, &c->tid);
    for (int64_t t = 0; t < threads; ++t) own[t] = t;
    renew(c, &c->tid);
    return c;
}

void columns_free(struct columns *c) {
    if (!c) return;
    for (int i = 0; i < c->npages; ++i) {
        for (int k = 0; c->page[i] && k < PAGE; ++k) memory_free(c->page[i][k].own);
        memory_free(c->page[i]);
    }
    for (int64_t i = 0; i < c->cap; ++i) memory_free(c->expr[i].own);
    memory_free((void *)c->page);
    memory_free(c->expr);
    memory_free(c->number);
    memory_free(c->number_bits);
    memory_free(c->sym_bits);
    memory_free(c->tid.own);
    memory_free(c);
}

// -- expressions ----------------------------------------------------------------------------------

static bool part_of(struct columns *c, const struct ix *e, struct column *out);

static bool is_made_of(const struct kept *k, const struct column *a, int64_t base) {
    return k->value.at && a->version && k->from == a->at && a->version <= k->from_version &&
           k->from_base == base;
}

static void made_of(struct kept *k, const struct column *a, int64_t base) {
    k->from = a->at;
    k->from_version = a->version;
    k->from_base = base;
}

static int64_t floor_mod(int64_t x, int64_t k) {
    int64_t r = x % k;
    return r < 0 ? r + k : r;
}

static bool quotient(struct columns *c, const struct ix *e, struct column *out) {
    struct column a;
    int64_t k;
    bool mod = e->op == IX_MOD;
    if (!part_of(c, e->a, &a) || !lay_int_eval(e->k, c->sym, &k) || k < 1) return false;
    if (!typed_fits(k, e->divisor_bits)) return false;
    // multiples of the divisor in the common part do not affect the column
    int64_t rest = floor_mod(a.base, k), whole = (a.base - rest) / k, end;
    *out = (struct column){.base = mod ? rest : whole};
    if (!a.at) return true;
    struct kept *x = keep(c, e);
    if (!is_made_of(x, &a, rest)) {
        if (__builtin_add_overflow(a.hi, rest, &end) || __builtin_sub_overflow(a.lo, k, &end))
            return false;
        int64_t *own = own_column(c, x);
        bool power = __builtin_popcountll((uint64_t)k) == 1;
        int shift = __builtin_ctzll((uint64_t)k);
        for (int64_t t = 0; t < c->threads; ++t) {
            int64_t n = a.at[t] + rest;
            int64_t r = power ? n & (k - 1) : floor_mod(n, k);
            own[t] = mod ? r : power ? n >> shift : (n - r) / k;
        }
        renew(c, x);
        made_of(x, &a, rest);
    }
    *out = x->value;
    out->base = mod ? 0 : whole;
    return true;
}

static bool swizzled(struct columns *c, const struct ix *e, struct column *out) {
    struct column a;
    if (!part_of(c, e->a, &a)) return false;
    *out = (struct column){0};
    if (!a.at) {
        out->base = lay_swizzle_apply(e->sw, a.base);
        return true;
    }
    struct kept *x = keep(c, e);
    if (!is_made_of(x, &a, a.base)) {
        int64_t begin, end;
        if (__builtin_add_overflow(a.lo, a.base, &begin) ||
            __builtin_add_overflow(a.hi, a.base, &end))
            return false;
        int64_t *own = own_column(c, x);
        for (int64_t t = 0; t < c->threads; ++t)
            own[t] = lay_swizzle_apply(e->sw, a.at[t] + a.base);
        renew(c, x);
        made_of(x, &a, a.base);
    }
    *out = x->value;
    return true;
}

enum { MOST_TERMS = 32 };

// Adds the columns of "n" terms.
static bool sum_columns(struct columns *c, const struct ix *e, const struct column *term,
                        const int64_t *times, int n, struct column *out) {
    int64_t version = term[0].version, base = out->base;
    uint64_t made = 1469598103934665603u;
    for (int i = 0; i < n; ++i) {
        if (term[i].version > version) version = term[i].version;
        made = (made ^ (uint64_t)(uintptr_t)term[i].at) * 1099511628211u;
        made = (made ^ (uint64_t)times[i]) * 1099511628211u;
    }
    struct kept *x = keep(c, e);
    if (!x->value.at || x->made != made || version > x->value.version) {
        int64_t most = 0;
        for (int i = 0; i < n; ++i) {  // no partial sum overflows
            int64_t far;
            if (times[i] == INT64_MIN ||
                __builtin_add_overflow(llabs(term[i].lo), llabs(term[i].hi), &far) ||
                __builtin_mul_overflow(far, llabs(times[i]), &far) ||
                __builtin_add_overflow(most, far, &most))
                return false;
        }
        int64_t *own = own_column(c, x);
        for (int64_t t = 0; t < c->threads; ++t) own[t] = term[0].at[t] * times[0];
        for (int i = 1; i < n; ++i) {
            for (int64_t t = 0; t < c->threads; ++t) own[t] += term[i].at[t] * times[i];
        }
        renew(c, x);
        x->made = made;
    }
    *out = x->value;
    out->base = base;
    return true;
}

// The minimum and maximum of all partial sums.
struct partial {
    int64_t lo, hi;
};

// Adds "k" times "a", a term of 32 bits; false if one of its factors may not fit.
static bool add_narrow(struct partial *p, const struct ix_term *x, int64_t k,
                       const struct column *a) {
    int64_t lo, hi;
    // a factor that is 0, or a divisor, may hide the size of others
    bool hidden = x->coef.den != 1 || (k == 0 && x->coef.nsyms > 1);
    if (hidden || !typed_fits(k, 32) || __builtin_add_overflow(a->base, a->lo, &lo) ||
        __builtin_add_overflow(a->base, a->hi, &hi) || !typed_fits(lo, 32) || !typed_fits(hi, 32))
        return false;
    lo *= k;
    hi *= k;
    if (!typed_fits(lo, 32) || !typed_fits(hi, 32)) return false;
    p->lo += lo < 0 || hi < 0 ? (lo < hi ? lo : hi) : 0;
    p->hi += lo > 0 || hi > 0 ? (lo > hi ? lo : hi) : 0;
    return true;
}

// Whether the first printed term has 64 bits, and therefore all partial sums.
static bool begins_wide(const struct ix *e) {
    return e->nterms == 0 || e->term[ix_written(e, 0)].bits == 64;
}

static bool sum(struct columns *c, const struct ix *e, struct column *out) {
    struct column term[MOST_TERMS];
    struct partial narrow = {0, 0};
    int64_t times[MOST_TERMS], base = 0;
    int n = 0;
    if (e->bits == 64 && !begins_wide(e)) return false;
    for (int i = 0; i < e->nterms; ++i) {
        const struct ix_term *x = &e->term[i];
        struct column a = {.base = 1};
        int64_t k, part;
        if (!lay_int_eval(x->coef, c->sym, &k)) return false;
        if (x->atom && !part_of(c, x->atom, &a)) return false;
        if (x->bits == 32 && !add_narrow(&narrow, x, k, &a)) return false;
        if (__builtin_mul_overflow(a.base, k, &part) || __builtin_add_overflow(base, part, &base))
            return false;
        if (!a.at) continue;
        if (n == MOST_TERMS || a.lo == INT64_MIN) return false;
        term[n] = a;
        times[n++] = k;
    }
    *out = (struct column){.base = base};
    if (e->bits == 32 && (!typed_fits(narrow.lo, 32) || !typed_fits(narrow.hi, 32))) return false;
    if (n == 0) return true;
    if (n > 1 || times[0] != 1) return sum_columns(c, e, term, times, n, out);
    *out = term[0];
    out->base = base;
    return true;
}

static bool part_of(struct columns *c, const struct ix *e, struct column *out) {
    if (!e) return false;
    switch (e->op) {
    case IX_VAR: *out = variable(c, e->var)->value; return true;
    case IX_DIV:
    case IX_MOD: return quotient(c, e, out);
    case IX_SWZ: return swizzled(c, e, out);
    case IX_SUM: return sum(c, e, out);
    }
    return false;
}

static void number_of(struct columns *c, int page, int place, int64_t thread) {
    const struct kept *x = &c->page[page][place];
    c->number[page * PAGE + place] = column_value(&x->value, thread);
    c->number_bits[page * PAGE + place] = x->bits;
}

// Evaluates "e" for the thread whose values are set.
static bool thread_eval(struct columns *c, const struct ix *e, int64_t *out) {
    struct ix_env plain = {c->number, c->sym};
    if (!e->bits) return ix_eval(e, &plain, out);
    struct typed_env env = {c->number, c->sym, c->number_bits, c->sym_bits};
    enum typed_trouble trouble = typed_eval(e, &env, out);
    c->overflow_32 = trouble == TYPED_OVERFLOW_32;
    return trouble == TYPED_OK;
}

// Evaluates "e" thread by thread, for the threads that need it.
static bool one_by_one(struct columns *c, const struct ix *e, int64_t active, const bool *off,
                       struct column *out) {
    if (!e) return false;
    size_t places = (size_t)c->npages << PAGE_BITS;
    if (!c->number) {
        c->number = memory_zeroed(places, sizeof *c->number);
        c->number_bits = memory_zeroed(places, sizeof *c->number_bits);
    }
    struct kept *x = keep(c, e);
    int64_t *own = own_column(c, x);
    *x = (struct kept){.of = e, .own = own};  // it has no operands whose versions could be compared
    for (int64_t t = 0; t < c->threads; ++t) {
        own[t] = 0;
        if (t >= active || (off && off[t])) continue;
        for (int i = 0; i < c->npages; ++i)
            for (int k = 0; c->page[i] && k < PAGE; ++k) number_of(c, i, k, t);
        if (!thread_eval(c, e, &own[t])) return false;
    }
    renew(c, x);
    *out = x->value;
    return true;
}

bool columns_eval(struct columns *c, const struct ix *e, int64_t active, const bool *off,
                  struct column *out) {
    int64_t end;
    c->overflow_32 = false;
    if (part_of(c, e, out) && !__builtin_add_overflow(out->lo, out->base, &end) &&
        !__builtin_add_overflow(out->hi, out->base, &end))
        return true;
    return one_by_one(c, e, active, off, out);
}

bool columns_overflow_32(const struct columns *c) {
    return c->overflow_32;
}

bool columns_narrow(struct columns *c, const struct lay_sym *y) {
    c->sym_bits[y->id] = 32;
    return typed_fits(c->sym[y->id], 32);
}

// -- variables ------------------------------------------------------------------------------------

void columns_set(struct columns *c, const struct ix_var *v, int64_t value) {
    struct kept *x = variable(c, v);
    x->value = (struct column){.base = value};
}

void columns_let(struct columns *c, const struct ix_var *v, const struct column *value,
                 const bool *off) {
    struct kept *x = variable(c, v);
    if (!off && !value->at) {
        columns_set(c, v, value->base);
    } else if (!off && is_made_of(x, value, 0)) {
        x->value.base = value->base;
    } else {
        struct column before = x->value;
        int64_t *own = own_column(c, x), base = off ? 0 : value->base;
        for (int64_t t = 0; t < c->threads; ++t)
            own[t] = column_value(off && off[t] ? &before : value, t) - base;
        renew(c, x);
        x->value.base = base;
        x->from = NULL;
        if (!off) made_of(x, value, 0);
    }
}

void columns_set_thread(struct columns *c, const struct ix_var *v) {
    columns_let(c, v, &c->tid.value, NULL);
}

bool columns_add(struct columns *c, const struct ix_var *v, const struct column *by,
                 const bool *off) {
    struct kept *x = variable(c, v);
    struct column before = x->value;
    if (!off && !by->at) return !__builtin_add_overflow(before.base, by->base, &x->value.base);
    int64_t *own = own_column(c, x);
    for (int64_t t = 0; t < c->threads; ++t) {
        int64_t n = off && off[t] ? 0 : column_value(by, t);
        if (__builtin_add_overflow(column_value(&before, t), n, &own[t])) return false;
    }
    renew(c, x);
    x->from = NULL;
    return true;
}

bool columns_hold(struct columns *c, const struct ix_var *v, int bits, int64_t active,
                  const bool *off) {
    struct kept *x = variable(c, v);
    const struct column *a = &x->value;
    int64_t lo, hi;
    x->bits = bits;
    if (!__builtin_add_overflow(a->base, a->lo, &lo) && typed_fits(lo, bits) &&
        !__builtin_add_overflow(a->base, a->hi, &hi) && typed_fits(hi, bits))
        return true;
    for (int64_t t = 0; t < active; ++t) {
        if (!(off && off[t]) && !typed_fits(column_value(a, t), bits)) return false;
    }
    return true;
}
