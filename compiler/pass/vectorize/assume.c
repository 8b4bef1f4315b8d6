// Divisors of addresses: from promises, and from the facts that variants of a kernel check at
// launch.
//
// Not promised are the alignment of a global tensor declared without "align", and divisors of a
// product with a param declared without "%".
#include "pass/vectorize/assume.h"

#include "base/session.h"
#include "plan/align.h"

// The product if it fits 64 bits, otherwise the largest power of two in it, at most 2^62.
int64_t assume_times(int64_t a, int64_t b) {
    int64_t r;
    if (!__builtin_mul_overflow(a, b, &r)) return r;
    if (!__builtin_mul_overflow(a & -a, b & -b, &r)) return r;
    return (int64_t)1 << 62;
}

// -- the list -------------------------------------------------------------------------------------

// Whether "b" is "a"; both may be missing.
static bool same_extent(struct lay_int a, struct lay_int b) {
    return lay_int_valid(a) ? lay_int_equal(a, b) : !lay_int_valid(b);
}

static bool same_subject(const struct condition *a, const struct condition *b) {
    if (a->tensor || b->tensor) return a->tensor == b->tensor;
    return lay_int_equal(a->value, b->value) && same_extent(a->unless, b->unless);
}

// Whether all factors of "x" are factors of "y"; both are sorted.
static bool divides(struct lay_int x, struct lay_int y) {
    int i = 0;
    for (int j = 0; i < x.nsyms && j < y.nsyms; ++j)
        i += lay_sym_compare(x.syms[i], y.syms[j]) == 0;
    return i == x.nsyms;
}

// Whether condition "a" implies "b".
static bool implies(const struct condition *a, const struct condition *b) {
    if (a->tensor || b->tensor) return a->tensor == b->tensor && a->by % b->by == 0;
    return divides(a->value, b->value) && a->by % b->by == 0 &&
           (!lay_int_valid(a->unless) || same_extent(a->unless, b->unless));
}

static void ask(const struct assumption *a, struct condition c) {
    struct conditions *l = a->list;
    for (int i = 0; i < l->n; ++i) {
        if (same_subject(&l->at[i], &c))
            c.by = assume_times(c.by / lay_gcd(c.by, l->at[i].by), l->at[i].by);
    }
    for (int i = 0; i < l->n; ++i) {
        if (implies(&l->at[i], &c)) return;
    }
    int n = 0;
    for (int i = 0; i < l->n; ++i) {
        if (!implies(&c, &l->at[i])) l->at[n++] = l->at[i];
    }
    l->n = n;
    l->at = arena_more(&a->s->arena, l->at, sizeof *l->at, l->n, &l->cap);
    l->at[l->n++] = c;
}

// -- divisors -------------------------------------------------------------------------------------

// Whether values may be assumed to be multiples: in a device function, whose caller checks none,
// only in order to say what to promise.
static bool may_assume(const struct assumption *a) {
    return a->bytes != 0 && (!a->kernel->device || a->list);
}

int64_t assume_base(const struct assumption *a, const struct tensor *t) {
    int64_t known = align_counted_on(a->kernel, t);
    if (t->align || t->space != MEM_GLOBAL || !may_assume(a) || known >= a->bytes) return known;
    if (a->list) ask(a, (struct condition){.tensor = t, .by = a->bytes});
    return a->bytes;
}

const struct lay_sym *assume_unpromised(struct lay_int x) {
    for (int i = 0; i < x.nsyms; ++i) {
        const struct lay_sym *y = x.syms[i];
        if (!y->name) y = assume_unpromised(y->of);
        if (y && y->declared == 1) return y;
    }
    return NULL;
}

// The extent that makes "atom" 0 if it is at most 1: that of a loop or of the grid, of whose
// coordinate "atom" is a digit.  Invalid if there is none.
static struct lay_int idle_extent(struct session *s, const struct ix *atom) {
    while (atom && atom->op != IX_VAR && atom->op != IX_SUM) atom = atom->a;
    if (atom && atom->op == IX_SUM && atom->nterms == 1) return idle_extent(s, atom->term[0].atom);
    const struct ix_var *v = atom && atom->op == IX_VAR ? atom->var : NULL;
    bool counts = v && ix_is_block_or_loop(v->kind);
    int64_t lo = 2, hi;
    if (counts && lay_int_is(v->lo, 0) && lay_int_valid(v->end)) lay_int_range(v->end, &lo, &hi);
    if (lo > 1 || ix_may_overflow(ix_lay(s, v->end))) return (struct lay_int){0};
    return v->end;
}

// A divisor of "x" by these conditions and by "d", which divides it.  "unless" is idle_extent of
// what "x" is multiplied by.
static int64_t divisor_when(const struct condition *when, int n, struct lay_int x,
                            struct lay_int unless, int64_t d) {
    for (int i = 0; i < n; ++i) {
        const struct condition *c = &when[i];
        if (c->tensor || !divides(c->value, x)) continue;
        if (lay_int_valid(c->unless) && !same_extent(c->unless, unless)) continue;
        int64_t by = assume_times(x.num < 0 ? -x.num : x.num, c->by);
        if (by % x.den == 0) d = assume_times(d / lay_gcd(d, by / x.den), by / x.den);
    }
    return d;
}

// The same for the terms of a sum that is a param: 8 for 5*M + 8*N if M is a multiple of 8.
static int64_t divisor_of_sum(const struct kernel *k, struct lay_int x, int64_t d) {
    const struct ix *sum = NULL;
    int64_t g = 0;
    for (int i = 0; i < k->nparams && x.nsyms == 1 && x.den == 1; ++i)
        if (k->param[i]->sym == x.syms[0]) sum = k->param[i]->sum;
    for (int i = 0; sum && sum->op == IX_SUM && i < sum->nterms; ++i) {
        struct lay_int y = sum->term[i].coef;
        g = lay_gcd(g, divisor_when(k->when, k->nwhen, y, (struct lay_int){0}, lay_int_divisor(y)));
    }
    if (g == 0) return d;
    g = assume_times(x.num < 0 ? -x.num : x.num, g);
    return assume_times(d / lay_gcd(d, g), g);
}

int64_t assume_int(const struct assumption *a, struct lay_int x, const struct ix *atom,
                   int64_t unit) {
    int64_t d = lay_int_divisor(x);
    struct lay_int unless = idle_extent(a->s, atom);
    if (d != 0) d = divisor_when(a->kernel->when, a->kernel->nwhen, x, unless, d);
    if (d != 0 && a->kernel->nwhen > 0) d = divisor_of_sum(a->kernel, x, d);
    if (a->bytes == 0 && d != 0) d = divisor_when(a->when, a->nwhen, x, unless, d);
    d = assume_times(d, unit);
    if (!may_assume(a) || d % a->bytes == 0 || !assume_unpromised(x)) return d;
    if (a->list) {
        // num * S / den is a multiple of g if S is one of g * den / lay_gcd(num, g * den)
        int64_t g = assume_times(x.den, a->bytes / lay_gcd(a->bytes, unit));
        struct lay_int s = x;
        s.num = s.den = 1;
        ask(a, (struct condition){NULL, s, g / lay_gcd(x.num, g), unless});
    }
    return assume_times(d / lay_gcd(d, a->bytes), a->bytes);
}

bool assume_is_zero(const struct ix *atom) {
    return atom && atom->lo == 0 && atom->hi <= 0;
}

int64_t assume_ix(const struct assumption *a, const struct ix *e, int64_t unit) {
    if (e->op != IX_SUM) return assume_times(unit, ix_divisor(e));
    int64_t g = 0;
    for (int i = 0; i < e->nterms; ++i) {
        const struct ix *atom = e->term[i].atom;
        if (assume_is_zero(atom)) continue;
        int64_t by = assume_times(unit, atom ? ix_divisor(atom) : 1);
        g = lay_gcd(g, assume_int(a, e->term[i].coef, atom, by));
    }
    return g;
}
