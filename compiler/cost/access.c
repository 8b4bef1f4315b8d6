// Addresses of a copy (see access.h).
#include "cost/access.h"

#include <stdlib.h>

#include "base/session.h"
#include "cost/lanes.h"
#include "plan/align.h"

// An offset in elements that makes all addresses positive and separates groups; a multiple of
// everything that swizzles and moduli look at.
#define MOVED_UP ((int64_t)1 << 32)
enum { MOST_ROUNDS = 1 << 14, MOST_LANES = 1 << 18, MOST_RESTS = 8 };

struct parts {
    const struct ix *lane;   // depends on the thread and the run of an index map
    const struct ix *group;  // the same, with params
    int64_t group_by;        // divisor of "group"; 0: there is none
    int64_t fixed;           // known, and the same for all lanes
    int64_t free;            // divisor of the rest; 0: there is none
    const struct param *group_param, *free_param;
    struct rest {
        int64_t by, lo, hi;
    } rest[MOST_RESTS];  // the terms of the rest; incomplete if there are more
    int nrests;
};

struct reading {
    struct session *s;
    const struct plan *p;
    const struct copy_facts *f;
    const int64_t *values;
};

static const struct param *param_of(const struct plan *p, const struct ix *e) {
    for (int i = 0; i < p->nparams; ++i)
        if (ix_speaks_of(e, p->param[i]->sym)) return p->param[i];
    return NULL;
}

static int64_t power_of_two(int64_t divisor) {
    return divisor & -divisor;
}

// A divisor of the term coef * atom that is a power of two.
static int64_t term_divisor(const struct reading *r, struct ix_term t) {
    int64_t coef, at = t.atom ? power_of_two(ix_divisor(t.atom)) : 1, product;
    if (!r->values || !lay_int_eval(t.coef, r->values, &coef)) coef = lay_int_divisor(t.coef);
    if (__builtin_mul_overflow(power_of_two(coef), at, &product)) return power_of_two(coef);
    return product;
}

// Adds a term of an offset to the part that it belongs to.
static const char *take(const struct reading *r, struct ix_term t, struct parts *x) {
    struct session *s = r->s;
    const struct ix *e = t.atom ? ix_scale(s, t.atom, t.coef) : ix_lay(s, t.coef);
    const struct param *param = param_of(r->p, e);
    bool each = r->f->each && ix_depends_on(e, r->f->each);
    bool others =
        ix_depends_if(each ? ix_substitute(s, e, r->f->each, ix_int(s, 0)) : e, ix_is_no_thread);
    int64_t value;
    const struct ix_env env = {NULL, r->values};
    if (ix_depends_if(e, ix_is_thread) || each) {
        if (others)
            return arena_printf(&s->arena,
                                "what a thread adds to its address, %s, is another in "
                                "each block or iteration",
                                ix_text(s, e));
        if (!param || r->values) {
            x->lane = ix_add(s, x->lane, e);
            return NULL;
        }
        x->group = x->group ? ix_add(s, x->group, e) : e;
        x->group_by = lay_gcd(x->group_by, term_divisor(r, t));
        x->group_param = param;
    } else if (!others && (!param || r->values)) {
        if (!ix_eval(e, &env, &value)) return "a number of its address has no value";
        x->fixed += value;
    } else {
        int64_t by = term_divisor(r, t);
        if (param && (!x->free || by < x->free)) x->free_param = param;
        x->free = lay_gcd(x->free, by);
        if (x->nrests < MOST_RESTS) x->rest[x->nrests] = (struct rest){by, e->lo, e->hi};
        ++x->nrests;
    }
    return NULL;
}

static const char *sort_terms(const struct reading *r, const struct ix *e, struct parts *x) {
    *x = (struct parts){.lane = ix_int(r->s, 0)};
    if (e->op != IX_SUM) return take(r, (struct ix_term){lay_int(1), e, 0}, x);
    const char *why = NULL;
    for (int i = 0; !why && i < e->nterms; ++i) why = take(r, e->term[i], x);
    return why;
}

// -- the threads ----------------------------------------------------------------------------------

// Values of the params that have the promised divisors.  What is equal for two such choices is
// assumed to be equal for all values.
static const int64_t *any_values(struct session *s, const struct plan *p, int64_t prime) {
    int64_t *v = ARENA_ARRAY(&s->arena, int64_t, s->lay.next_sym + 1);
    for (int i = 0; i < s->lay.next_sym; ++i) v[i] = 1;
    for (int i = 0; i < p->nparams; ++i)
        v[p->param[i]->sym->id] = p->param[i]->sym->mul * (prime + 2 * i * i);
    return v;
}

static bool find_groups(const struct reading *r, const struct kernel *k, const struct ix *e,
                        int64_t *var, struct accesses *out) {
    struct session *s = r->s;
    int64_t n = out->threads * out->neach;
    const struct ix_env one = {var, any_values(s, r->p, 10007)},
                        two = {var, any_values(s, r->p, 20011)};
    int64_t *a = ARENA_ARRAY(&s->arena, int64_t, n), *b = ARENA_ARRAY(&s->arena, int64_t, n);
    out->group = ARENA_ARRAY(&s->arena, int, n);
    for (int64_t i = 0; i < n; ++i) {
        int64_t x, y;
        int g = 0;
        var[k->tid->id] = i % out->threads;
        if (r->f->each) var[r->f->each->id] = i / out->threads;
        if (!ix_eval(e, &one, &x) || !ix_eval(e, &two, &y)) return false;
        while (g < out->ngroups && (a[g] != x || b[g] != y)) ++g;
        if (g == out->ngroups) {
            a[g] = x;
            b[g] = y;
            if (++out->ngroups > 4096) return false;
        }
        out->group[i] = g;
    }
    return true;
}

static bool find_lanes(const struct reading *r, const struct kernel *k, const struct parts *x,
                       struct accesses *out, int64_t **lane) {
    struct session *s = r->s;
    int64_t *var = ARENA_ARRAY(&s->arena, int64_t, s->next_var + 1);
    const struct ix_env env = {var, r->values};
    *lane = ARENA_ARRAY(&s->arena, int64_t, out->threads * out->neach);
    for (int i = 0; i <= s->next_var; ++i) var[i] = 0;
    for (int64_t e = 0; e < out->neach; ++e) {
        if (r->f->each) var[r->f->each->id] = e;
        int64_t *at = *lane + out->threads * e;
        if (!lanes_eval(s, k, x->lane, &env, out->threads, at)) return false;
        for (int64_t t = 0; t < out->threads; ++t) at[t] += x->fixed;
    }
    return !x->group || find_groups(r, k, x->group, var, out);
}

// -- the rounds -----------------------------------------------------------------------------------

// The sum of "step" times coordinate, for each round.
static int64_t *by_round(const struct reading *r, const int64_t *step, int64_t n) {
    int64_t *sum = ARENA_ARRAY(&r->s->arena, int64_t, n);
    for (int64_t i = 0; i < n; ++i) {
        int64_t at = i;
        sum[i] = 0;
        for (int m = 0; m < r->f->nmodes; ++m) {
            sum[i] += at % r->f->mode[m].extent * step[m];
            at /= r->f->mode[m].extent;
        }
    }
    return sum;
}

static const char *find_rounds(const struct reading *r, bool src, struct accesses *out,
                               struct parts *x) {
    const struct copy_facts *f = r->f;
    struct session *s = r->s;
    int64_t step[64], n = 1, by = 0;
    if (f->nmodes > 64) return "it has too many loops";
    for (int i = 0; i < f->nmodes; ++i) {
        struct lay_int d = src ? f->mode[i].src : f->mode[i].dst;
        n *= f->mode[i].extent;
        if (n > MOST_ROUNDS) return "a thread makes too many accesses to count them";
        step[i] = 0;
        if (lay_int_static(d) || r->values) {
            if (!lay_int_eval(d, r->values, &step[i])) return "a stride of it has no value";
        } else if (f->mode[i].extent > 1) {
            by = lay_gcd(by, power_of_two(lay_int_divisor(d)));
            x->free_param = param_of(r->p, ix_lay(s, d));
        }
    }
    out->nrounds = n;
    out->round = by_round(r, step, n);
    out->by_round = by != 0;
    x->free = lay_gcd(x->free, by);
    return NULL;
}

// -- what is there --------------------------------------------------------------------------------

// Whether predicate "p" is the same in each block and iteration, for given values of params.
static bool is_limit(const struct reading *r, const struct predicate *p, int64_t *limit) {
    const struct ix_env env = {NULL, NULL};
    const struct ix *at = p->at;
    if (r->f->each) at = ix_substitute(r->s, at, r->f->each, ix_int(r->s, 0));
    if (ix_depends_if(at, ix_is_no_thread) || param_of(r->p, at)) return false;
    for (int i = 0; i < r->f->nmodes; ++i)
        if (!lay_int_static(p->edge_stride[i])) return false;
    return ix_static(p->limit, NULL) && ix_eval(p->limit, &env, limit);
}

// Reads the predicates of an edge that every block has.  @pre the modes are the edge's
static bool find_limits(const struct reading *r, const struct kernel *k, const struct copy *c,
                        bool src, struct accesses *out) {
    struct session *s = r->s;
    const struct copy_facts *f = r->f;
    out->limit = ARENA_ARRAY(&s->arena, struct lane_limit, f->npred);
    for (int i = 0; i < f->npred; ++i) {
        const struct predicate *p = &f->pred[i];
        int64_t limit, step[64];
        if ((c->pad && !(src ? p->src : p->dst)) || p->cuts || !is_limit(r, p, &limit)) continue;
        struct lane_limit *x = &out->limit[out->nlimits++];
        const struct parts parts = {.lane = p->at};
        for (int m = 0; m < f->nmodes; ++m) step[m] = p->edge_stride[m].num;
        *x = (struct lane_limit){NULL, by_round(r, step, out->nrounds), limit, p->front};
        if (!find_lanes(r, k, &parts, out, &x->at)) return false;
    }
    return true;
}

static bool is_there(const struct accesses *a, int64_t thread, int64_t round) {
    for (int i = 0; i < a->nlimits; ++i) {
        const struct lane_limit *x = &a->limit[i];
        if ((x->at[thread] + x->round[round] < x->limit) == x->front) return false;
    }
    return true;
}

// -- the shifts -----------------------------------------------------------------------------------

// Sets the reason for several shifts, and the condition that would leave one.
static void set_loose(struct session *s, const struct part *part, const struct parts *x,
                      int64_t base_by, int64_t inner_by, int modulus, struct accesses *a) {
    const char *name = a->tensor->name;
    const struct param *param = a->scattered ? x->group_param : x->free_param;
    long long by = (long long)((a->scattered ? x->group_by : inner_by) * a->elem_bytes);
    if (a->scattered || (param && by < modulus)) {
        a->loose = arena_printf(
            &s->arena,
            "its addresses depend on '%s', so they are only known to be multiples of %lld bytes",
            param->name, by);
        a->missing.value = lay_int_sym(&s->lay, param->sym);
        a->missing.by = modulus / a->elem_bytes;
    } else if (base_by < modulus) {
        a->loose = arena_printf(&s->arena, "'%s' is only known to be aligned to %lld bytes", name,
                                (long long)base_by);
        a->missing = (struct condition){.tensor = a->tensor, .by = modulus};
    } else {
        a->loose =
            arena_printf(&s->arena,
                         "its place in '%s', %s, is known to be a multiple of %lld bytes only",
                         name, ix_text(s, part->offset), by);
    }
}

// If there are too many shifts, keeps those that the range of the offset allows.
static void keep_within(const struct parts *x, struct accesses *a) {
    int64_t lo = 0, hi = 0;
    if (accesses_shifts(a) <= ACCESS_SHIFTS || x->nrests > MOST_RESTS) return;
    for (int i = 0; i < x->nrests; ++i) {
        const struct rest *r = &x->rest[i];
        if (r->by % a->inner_end == 0) continue;
        if (r->lo < -MOVED_UP || r->hi > MOVED_UP) return;
        lo += r->lo;
        hi += r->hi;
    }
    if (lo >= 0 && hi < a->inner_end) a->inner_end = hi / a->inner * a->inner + a->inner;
}

static void find_shifts(struct session *s, const struct kernel *k, const struct part *part,
                        const struct parts *x, int modulus, struct accesses *a) {
    const struct tensor *t = a->tensor;
    bool placed = space_is_shared(t->space) && !t->outside;
    int64_t end = modulus > a->elem_bytes ? modulus / a->elem_bytes : 1, block = 1;
    if (a->sw.b) block = (int64_t)1 << (a->sw.m + a->sw.b + abs(a->sw.s));
    if (end < block) end = block;
    int64_t base_by = placed ? modulus : lay_gcd(align_counted_on(k, t), modulus);
    int64_t by = x->free ? lay_gcd(x->free, end) : end;
    int64_t known = by;
    a->base = placed ? t->smem_offset : 0;
    a->outer = a->outer_end = modulus;
    if (a->sw.b) {
        a->outer = base_by;
    } else {
        int64_t base_elements = base_by > a->elem_bytes ? base_by / a->elem_bytes : 1;
        by = lay_gcd(by, base_elements);
    }
    // accesses are aligned at least to their width
    int64_t least = a->bytes > a->elem_bytes ? a->bytes / a->elem_bytes : 1;
    a->inner = by < least ? least : by;
    if (a->outer < a->bytes && a->outer < modulus) a->outer = a->bytes;
    a->inner_end = end;
    if (a->inner > end) a->inner = end;
    a->by_round &= a->inner < end;
    if (placed && !a->by_round && !a->group) keep_within(x, a);
    a->scattered = a->group && x->group_by % end != 0;
    if (a->scattered && x->group_by < a->inner)
        a->inner = x->group_by < least ? least : x->group_by;
    if (a->inner < a->inner_end || a->outer < a->outer_end || a->scattered)
        set_loose(s, part, x, base_by, known, modulus, a);
}

// The facts that describe the accesses: those of the edge, if every block has one.
static struct copy_facts of_code(const struct copy_facts *facts) {
    struct copy_facts f = *facts;
    if (copy_edge(facts) != EDGE_ALWAYS) return f;
    f.mode = f.edge_mode;
    f.nmodes = f.nedge;
    f.vec = f.edge_vec;
    f.bits = f.edge_bits;
    return f;
}

const char *accesses_of(struct session *s, const struct costed *y, bool src, int modulus,
                        struct accesses *out) {
    const struct copy *c = y->c;
    const struct copy_facts code = of_code(y->f), *f = &code;
    const struct part *part = copy_part(f, src);
    const struct reading r = {s, y->p, f, y->values};
    struct parts x;
    *out = (struct accesses){.tensor = copy_side(c, src)->base,
                             .sw = part->sw,
                             .bytes = copy_side_bits(c, src, f->vec) / 8,
                             .threads = f->threads,
                             .neach = f->by_map && f->each ? f->neach : 1};
    out->elem_bytes = out->tensor->elem->bits / 8;
    if (!part->offset || out->bytes < 1) return "it has no accesses";
    if (out->threads * out->neach > MOST_LANES) return "it has too many accesses to count them";
    const char *why = sort_terms(&r, part->offset, &x);
    if (!why) why = find_rounds(&r, src, out, &x);
    if (why) return why;
    if (!find_lanes(&r, y->k, &x, out, &out->lane) ||
        (copy_edge(y->f) == EDGE_ALWAYS && !find_limits(&r, y->k, c, src, out)))
        return "an address of it has no value";
    find_shifts(s, y->k, part, &x, modulus, out);
    return NULL;
}

int64_t accesses_shifts(const struct accesses *a) {
    return (a->inner_end / a->inner) * (a->outer_end / a->outer);
}

// Like lay_swizzle_apply, which would be called for each lane.
struct moved {
    int64_t bits;
    int right, left;
};

static struct moved moved_by(struct lay_swizzle w) {
    int64_t ones = ((int64_t)1 << w.b) - 1;
    if (w.s >= 0) return (struct moved){ones << (w.m + w.s), w.s, 0};
    return (struct moved){ones << w.m, 0, -w.s};
}

static inline int64_t move(struct moved w, int64_t x) {
    return (int64_t)((uint64_t)x ^ ((uint64_t)(x & w.bits) >> w.right << w.left));
}

int64_t accesses_under(const struct accesses *a, int64_t n, int64_t shift) {
    int64_t ninner = a->inner_end / a->inner;
    return shift % ninner * a->inner + a->round[n / a->neach] + MOVED_UP;
}

int64_t accesses_swizzled(const struct accesses *a, int64_t at) {
    return move(moved_by(a->sw), at);
}

int64_t accesses_behind(const struct accesses *a, int64_t shift) {
    return shift / (a->inner_end / a->inner) * a->outer + a->base;
}

uint32_t accesses_there(const struct accesses *a, int64_t warp, int64_t n) {
    int64_t round = n / a->neach, first = warp * LANES;
    uint32_t lanes = UINT32_MAX;
    for (int l = 0; a->nlimits && l < LANES && first + l < a->threads; ++l)
        if (!is_there(a, first + l + a->threads * (n % a->neach), round))
            lanes &= ~((uint32_t)1 << l);
    return lanes;
}

int64_t accesses_lane(const struct accesses *a, int64_t i) {
    return a->lane[i] + (a->group ? a->group[i] * MOVED_UP : 0);
}

void accesses_get(const struct accesses *a, int64_t warp, int64_t n, int64_t shift, int group,
                  int64_t address[LANES], uint32_t *lanes) {
    int64_t inner = accesses_under(a, n, shift), outer = accesses_behind(a, shift);
    int64_t round = n / a->neach, first = a->threads * (n % a->neach);
    const struct moved sw = moved_by(a->sw);
    *lanes = 0;
    for (int l = 0; l < LANES; ++l) {
        int64_t t = warp * LANES + l, i = t + first;
        address[l] = 0;
        if (t >= a->threads || (a->nlimits && !is_there(a, i, round))) continue;
        int g = a->group ? a->group[i] : 0;
        if (group >= 0 && g != group) continue;
        int64_t at = a->lane[i] + inner + (group < 0 ? g * MOVED_UP : 0);
        address[l] = move(sw, at) * a->elem_bytes + outer;
        *lanes |= (uint32_t)1 << l;
    }
}

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t accesses_sectors(struct session *s, const struct costed *y, bool src) {
    enum { MOST_LOOKED = 1 << 14 };
    struct accesses a;
    if (accesses_of(s, y, src, SECTOR, &a) || a.by_round) return 0;
    int64_t each = a.neach * a.nrounds, n = (a.threads + LANES - 1) / LANES * each, fewest = 0;
    if (n * accesses_shifts(&a) > MOST_LOOKED) return 0;
    int64_t *sector = ARENA_ARRAY(&s->arena, int64_t, n * LANES), address[LANES];
    for (int64_t shift = 0; shift < accesses_shifts(&a); ++shift) {
        int64_t k = 0, differ = 0;
        for (int64_t i = 0; i < n; ++i) {
            uint32_t lanes;
            accesses_get(&a, i / each, i % each, shift, -1, address, &lanes);
            for (int l = 0; l < LANES; ++l)
                if (lanes >> l & 1) sector[k++] = address[l] / SECTOR;
        }
        qsort(sector, (size_t)k, sizeof *sector, ascending);
        for (int64_t i = 0; i < k; ++i) differ += i == 0 || sector[i] != sector[i - 1];
        if (differ < fewest || shift == 0) fewest = differ;
    }
    return fewest;
}
