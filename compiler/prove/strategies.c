// Asks a question in several ways until one decides it: as it is; with other coordinates of
// elements (radix.c); as several sets without quotients (expand.c).
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

// The reason why the first way decided nothing, which is the one that is reported.
struct told {
    const char *why;
    const struct ix *term;
};

static struct told keep(const struct prover *p) {
    return (struct told){p->why, p->term};
}

static enum prove_answer unknown(struct prover *p, struct told t) {
    p->why = t.why;
    p->term = t.term;
    return PROVE_UNKNOWN;
}

// -- none, at least -------------------------------------------------------------------------------

enum prove_answer strategy_none(struct prover *p, const struct prove_set *set,
                                struct prove_witness *w) {
    struct prove_set *x;
    enum prove_answer r = cover_none(p, set, w);
    int n;
    if (r != PROVE_UNKNOWN || !expand_set(p, set, &x, &n)) return r;
    r = PROVE_YES;
    for (int i = 0; i < n && r == PROVE_YES; ++i) r = cover_none(p, &x[i], w);
    return r;
}

enum prove_answer prove_none(struct prover *p, const struct prove_set *set,
                             struct prove_witness *w) {
    enum prove_answer r;
    if (!recall_begin(p, RECALL_NONE, w)) return strategy_none(p, set, w);
    recall_set(&p->recall, set);
    return recall_find(p, &r, w) ? r : recall_keep(p, strategy_none(p, set, w), w);
}

// What the param "y" is, if a promise says that it is a sum; or NULL.
static const struct ix *sum_of(const struct prover *p, const struct lay_sym *y) {
    for (int i = 0; i < p->npromises; ++i) {
        const struct prove_promise *r = &p->promise[i];
        struct lay_int x;
        if (r->op[0] != '=' || !ix_monomial(r->a, &x) || x.nsyms != 1 || x.syms[0] != y) continue;
        if (x.num == 1 && x.den == 1) return r->b;
    }
    return NULL;
}

// "e" with such sums in place of the params in its products: M*N + 2*M of M*S, where S is N + 2.
static const struct ix *written_out(struct prover *p, const struct ix *e) {
    struct session *s = p->s;
    const struct ix *all = ix_int(s, 0);
    for (int i = 0; e && e->op == IX_SUM && i < e->nterms; ++i) {
        struct lay_int k = e->term[i].coef;
        const struct ix *x = k.den == 1 && k.basis < 0 ? ix_int(s, k.num) : ix_lay(s, k);
        for (int j = 0; j < k.nsyms && k.den == 1 && k.basis < 0; ++j) {
            const struct ix *sum = sum_of(p, k.syms[j]);
            x = ix_mul(s, x, sum ? sum : ix_lay(s, lay_int_sym(&s->lay, k.syms[j])));
        }
        all = ix_add(s, all, e->term[i].atom ? ix_mul(s, x, e->term[i].atom) : x);
    }
    return e && e->op == IX_SUM ? all : e;
}

// Whether a promise says that a >= b, with "a" at least its greater side and "b" at most the other.
static bool promised(struct prover *p, const struct ix *a, const struct ix *b) {
    struct session *s = p->s;
    for (int i = 0; i < p->npromises; ++i) {
        const struct prove_promise *r = &p->promise[i];
        bool less = r->op[0] == '<';
        const struct ix *most = less ? r->b : r->a, *least = less ? r->a : r->b;
        for (int turn = r->op[0] == '!' ? 2 : 0; turn < (r->op[0] == '=' ? 2 : 1); ++turn)
            if (ix_provably_nonnegative(s, ix_sub(s, a, turn ? least : most)) &&
                ix_provably_nonnegative(s, written_out(p, ix_sub(s, turn ? most : least, b))))
                return true;
    }
    return ix_provably_nonnegative(s, written_out(p, ix_sub(s, a, b)));
}

enum prove_answer strategy_at_least(struct prover *p, const struct ix *a, const struct ix *b) {
    const struct ix *d = ix_sub(p->s, a, b);
    if (ix_provably_nonnegative(p->s, d) || promised(p, a, b)) return PROVE_YES;
    if (!d) {
        p->why = "the numbers are too large";
        return PROVE_UNKNOWN;
    }
    const struct ix *less = ix_sub(p->s, ix_int(p->s, -1), d);
    struct prove_set x = {.cond = &less, .nconds = 1};
    return strategy_none(p, &x, NULL);
}

enum prove_answer prove_at_least(struct prover *p, const struct ix *a, const struct ix *b) {
    enum prove_answer r;
    if (!recall_begin(p, RECALL_AT_LEAST, NULL)) return strategy_at_least(p, a, b);
    recall_ix(&p->recall, a);
    recall_ix(&p->recall, b);
    return recall_find(p, &r, NULL) ? r : recall_keep(p, strategy_at_least(p, a, b), NULL);
}

bool prove_always(struct prover *p, const struct prove_set *set, const struct ix *e) {
    struct session *s = p->s;
    if (!e) return false;
    if (ix_provably_nonnegative(s, e)) return true;
    struct prove_set x = *set;
    const struct ix **cond = ARENA_ARRAY(&s->arena, const struct ix *, x.nconds + 1);
    if (x.nconds) memcpy(cond, x.cond, sizeof *cond * (size_t)x.nconds);
    cond[x.nconds++] = ix_sub(s, ix_int(s, -1), e);
    x.cond = cond;
    x.nouts = 0;
    return strategy_none(p, &x, NULL) == PROVE_YES;
}

// -- once, apart ----------------------------------------------------------------------------------

// Splits "e": sets "*constant", and returns the largest known divisor of the rest, 0 if there is
// none.
static int64_t constant_and_divisor(const struct ix *e, int64_t *constant) {
    *constant = 0;
    if (e->op != IX_SUM) return ix_divisor(e);
    int64_t g = 0;
    for (int i = 0; i < e->nterms; ++i) {
        struct ix rest = {.op = IX_SUM, .nterms = 1, .term = &e->term[i]};
        if (!e->term[i].atom && lay_int_static(e->term[i].coef))
            *constant = e->term[i].coef.num;
        else
            g = lay_gcd(g, ix_divisor(&rest));
    }
    return g;
}

// Whether some coordinate always differs because its remainder by some number does.  Most pairs in
// a long kernel are of this kind, and need no isl.
static bool differ_by_remainder(const struct prove_set *a, const struct prove_set *b) {
    for (int i = 0; i < a->nouts && i < b->nouts; ++i) {
        int64_t x, y, d;
        if (!a->out[i] || !b->out[i]) return false;
        int64_t g =
            lay_gcd(constant_and_divisor(a->out[i], &x), constant_and_divisor(b->out[i], &y));
        if (__builtin_sub_overflow(x, y, &d)) continue;
        if (g ? d % g != 0 : d != 0) return true;
    }
    return false;
}

static enum prove_answer apart(struct prover *p, const struct prove_set *a,
                               const struct prove_set *b, int nequal, int ndiffer,
                               struct prove_witness *w) {
    struct prove_set in[] = {*a, *b}, x[2];
    if (differ_by_remainder(a, b)) return PROVE_YES;
    enum prove_answer r = cover_apart(p, a, b, nequal, ndiffer, w);
    if (r != PROVE_UNKNOWN) return r;
    struct told t = keep(p);
    if (radix_split(p, in, 2, x, NULL, NULL) &&
        cover_apart(p, &x[0], &x[1], nequal, ndiffer, NULL) == PROVE_YES)
        return PROVE_YES;
    return unknown(p, t);
}

static enum prove_answer strategy_apart(struct prover *p, const struct prove_set *a,
                                        const struct prove_set *b, int nequal, int ndiffer,
                                        struct prove_witness *w) {
    struct prove_set *x, *y;
    enum prove_answer r = apart(p, a, b, nequal, ndiffer, w);
    if (r != PROVE_UNKNOWN) return r;
    int nx, ny;
    bool any = expand_set(p, a, &x, &nx);
    any |= expand_set(p, b, &y, &ny);
    if (any) r = PROVE_YES;
    for (int i = 0; i < nx && r == PROVE_YES; ++i)
        for (int j = 0; j < ny && r == PROVE_YES; ++j)
            r = apart(p, &x[i], &y[j], nequal, ndiffer, w);
    return r;
}

enum prove_answer prove_apart(struct prover *p, const struct prove_set *a,
                              const struct prove_set *b, int nequal, int ndiffer,
                              struct prove_witness *w) {
    enum prove_answer r;
    if (differ_by_remainder(a, b)) return PROVE_YES;
    if (!recall_begin(p, RECALL_APART, w)) return strategy_apart(p, a, b, nequal, ndiffer, w);
    recall_set(&p->recall, a);
    recall_set(&p->recall, b);
    recall_int(&p->recall, nequal);
    recall_int(&p->recall, ndiffer);
    if (recall_find(p, &r, w)) return r;
    return recall_keep(p, strategy_apart(p, a, b, nequal, ndiffer, w), w);
}

static bool once_by_radix(struct prover *p, const struct prove_set *set, int nequal) {
    struct prove_set x;
    return radix_split(p, set, 1, &x, NULL, NULL) && cover_once(p, &x, nequal, NULL) == PROVE_YES;
}

static enum prove_answer once(struct prover *p, const struct prove_set *set, int nequal,
                              struct prove_witness *w) {
    struct prove_set x;
    enum prove_answer r = cover_once(p, set, nequal, w);
    if (r != PROVE_UNKNOWN) return r;
    struct told t = keep(p);
    if (once_by_radix(p, set, nequal)) return PROVE_YES;
    if (join_widen(p, set, &x) &&
        (cover_once(p, &x, nequal, NULL) == PROVE_YES || once_by_radix(p, &x, nequal)))
        return PROVE_YES;
    return unknown(p, t);
}

static enum prove_answer strategy_once(struct prover *p, const struct prove_set *set, int nequal,
                                       struct prove_witness *w) {
    struct prove_set *x;
    enum prove_answer r = once(p, set, nequal, w);
    int n;
    if (r != PROVE_UNKNOWN || !expand_set(p, set, &x, &n)) return r;
    r = PROVE_YES;
    for (int i = 0; i < n && r == PROVE_YES; ++i) {
        r = once(p, &x[i], nequal, w);
        // an instance of the original set is in only one of the new sets
        for (int j = 0; j < i && r == PROVE_YES; ++j) r = apart(p, &x[i], &x[j], nequal, 0, w);
    }
    return r;
}

enum prove_answer prove_once(struct prover *p, const struct prove_set *set, int nequal,
                             struct prove_witness *w) {
    enum prove_answer r;
    if (!recall_begin(p, RECALL_ONCE, w)) return strategy_once(p, set, nequal, w);
    recall_set(&p->recall, set);
    recall_int(&p->recall, nequal);
    return recall_find(p, &r, w) ? r : recall_keep(p, strategy_once(p, set, nequal, w), w);
}

static bool all_once(struct prover *p, const struct prove_set *x, int n) {
    for (int i = 0; i < n; ++i) {
        if (strategy_once(p, &x[i], 0, NULL) != PROVE_YES) return false;
        for (int j = 0; j < i; ++j)
            if (strategy_apart(p, &x[i], &x[j], 0, 0, NULL) != PROVE_YES) return false;
    }
    return true;
}

static bool strategy_all_once(struct prover *p, const struct prove_set *set, int n) {
    struct prove_set *x = ARENA_ARRAY(&p->s->arena, struct prove_set, n + 1);
    struct told t = keep(p);
    int joined = join_sets(p, set, n, x);
    if (joined < n && all_once(p, x, joined)) return true;
    int fewer = join_widely(p, set, n, x);
    if (fewer < n && all_once(p, x, fewer)) return true;
    unknown(p, t);
    return false;
}

bool prove_all_once(struct prover *p, const struct prove_set *set, int n) {
    enum prove_answer r;
    if (!recall_begin(p, RECALL_ALL_ONCE, NULL)) return strategy_all_once(p, set, n);
    recall_int(&p->recall, n);
    for (int i = 0; i < n; ++i) recall_set(&p->recall, &set[i]);
    if (recall_find(p, &r, NULL)) return r == PROVE_YES;
    r = strategy_all_once(p, set, n) ? PROVE_YES : PROVE_UNKNOWN;
    return recall_keep(p, r, NULL) == PROVE_YES;
}

// -- whole ----------------------------------------------------------------------------------------

static bool whole_by_radix(struct prover *p, const struct ix *const *extent,
                           const struct prove_set *set, int n) {
    struct prove_set *x = ARENA_ARRAY(&p->s->arena, struct prove_set, n + 1);
    const struct ix *extents[RADIX_MODES];
    return radix_split(p, set, n, x, extent, extents) &&
           cover_whole(p, extents, x[0].nouts, x, n, NULL) == PROVE_YES;
}

static enum prove_answer whole(struct prover *p, const struct ix *const *extent, int rank,
                               const struct prove_set *set, int n, struct prove_witness *w) {
    enum prove_answer r = cover_whole(p, extent, rank, set, n, w);
    if (r != PROVE_UNKNOWN) return r;
    struct told t = keep(p);
    if (whole_by_radix(p, extent, set, n)) return PROVE_YES;
    return unknown(p, t);
}

static enum prove_answer strategy_whole(struct prover *p, const struct ix *const *extent, int rank,
                                        const struct prove_set *set, int n,
                                        struct prove_witness *w) {
    struct prove_set **x = ARENA_ARRAY(&p->s->arena, struct prove_set *, n + 1);
    int *count = ARENA_ARRAY(&p->s->arena, int, n + 1), all = 0;
    struct prove_set *parts = ARENA_ARRAY(&p->s->arena, struct prove_set, n + 1);
    int joined = join_sets(p, set, n, parts);
    if (joined < n && whole(p, extent, rank, parts, joined, NULL) == PROVE_YES) return PROVE_YES;
    enum prove_answer r = whole(p, extent, rank, set, n, w);
    if (r != PROVE_UNKNOWN) return r;
    bool any = false;
    for (int i = 0; i < n; ++i) {
        any |= expand_set(p, &set[i], &x[i], &count[i]);
        all += count[i];
    }
    if (!any) return r;
    struct prove_set *each = ARENA_ARRAY(&p->s->arena, struct prove_set, all + 1);
    all = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < count[i]; ++j) each[all++] = x[i][j];
    return whole(p, extent, rank, each, all, w);
}

enum prove_answer prove_whole(struct prover *p, const struct ix *const *extent, int rank,
                              const struct prove_set *set, int n, struct prove_witness *w) {
    enum prove_answer r;
    if (!recall_begin(p, RECALL_WHOLE, w)) return strategy_whole(p, extent, rank, set, n, w);
    recall_int(&p->recall, rank);
    for (int i = 0; i < rank; ++i) recall_ix(&p->recall, extent[i]);
    recall_int(&p->recall, n);
    for (int i = 0; i < n; ++i) recall_set(&p->recall, &set[i]);
    if (recall_find(p, &r, w)) return r;
    return recall_keep(p, strategy_whole(p, extent, rank, set, n, w), w);
}
