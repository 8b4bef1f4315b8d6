// Chooses values of params by a short search over multiples of their promised divisors, guided by
// the relations.
#include "plan/bind.h"

#include <string.h>

#include "base/session.h"
#include "plan/relation.h"

enum { CANDIDATES = 24, STEPS = 20000 };

// "'ld' is 80, 'N' is 100" of the params of "r".
static const char *values_in(struct session *s, const struct plan *p, const struct relation *r,
                             const int64_t *value) {
    int64_t *without = ARENA_ARRAY(&s->arena, int64_t, p->nsyms + 1);
    const char *text = "";
    for (int i = 0; i < p->nsyms; ++i) without[i] = value[i];
    for (int i = 0; i < p->nparams; ++i) {
        int at = p->param[i]->sym->id;
        without[at] = PLAN_UNBOUND;
        if (!relation_bound(r->a, without) || !relation_bound(r->b, without))
            text = arena_printf(&s->arena, "%s%s'%s' is %lld", text, *text ? ", " : "",
                                p->param[i]->name, (long long)value[at]);
        without[at] = value[at];
    }
    return text;
}

const char *plan_broken_promise(struct session *s, const struct plan *p,
                                const int64_t *sym_values) {
    for (int i = 0; i < p->nparams; ++i) {
        const struct lay_sym *y = p->param[i]->sym;
        int64_t v = sym_values[y->id];
        if (v == PLAN_UNBOUND) continue;
        if (v < y->lo || v > y->hi)
            return arena_printf(&s->arena, "'%s' is %lld, the plan promises %lld .. %lld",
                                p->param[i]->name, (long long)v, (long long)y->lo,
                                (long long)y->hi);
        if (y->mul > 1 && v % y->mul != 0)
            return arena_printf(&s->arena, "'%s' is %lld, the plan promises a multiple of %lld",
                                p->param[i]->name, (long long)v, (long long)y->mul);
    }
    for (int i = 0; i < p->nrelations; ++i)
        if (relation_broken(p->relation[i], sym_values))
            return arena_printf(&s->arena, "the plan promises %s, and %s", p->relation[i]->text,
                                values_in(s, p, p->relation[i], sym_values));
    return NULL;
}

struct search {
    struct session *s;
    const struct plan *p;
    int64_t *value;
    int choice;
    int64_t most;  // of plan_choose_great; else 0
    int steps;
    const struct condition *when;
    int nwhen;
    bool when_first;       // params in conditions are taken before others
    int *number;           // of a param, by its symbol
    int *first, *related;  // the relations of param i: related[first[i] .. first[i + 1])
    int *missing;          // for each relation: how many params have no value
    int *asked;            // for each param: equations in which only it has no value
    uint64_t *is_asked;    // a bit for each param whose "asked" is not 0
    int64_t *tile;         // by symbol, the result of tile_of; NULL: not computed yet
};

struct candidates {
    int n;
    int64_t v[CANDIDATES];
};

static void offer(struct candidates *c, const struct lay_sym *y, int64_t v) {
    if (v < y->lo || v > y->hi || v % y->mul != 0 || c->n == CANDIDATES) return;
    for (int i = 0; i < c->n; ++i)
        if (c->v[i] == v) return;
    c->v[c->n++] = v;
}

// Which side of "r" is greater if "y" is "v": -1, 0 or 1; 2 if that is not known yet, or on
// overflow.
static int compare_at(const struct search *q, const struct relation *r, const struct lay_sym *y,
                      int64_t v) {
    int64_t a, b;
    q->value[y->id] = v;
    bool known = relation_value(r->a, q->value, &a) && relation_value(r->b, q->value, &b);
    q->value[y->id] = PLAN_UNBOUND;
    return known ? (a > b) - (a < b) : 2;
}

// Offers multiples of "by" at which the sides of a relation cross, and their neighbours, for
// relations in which only "y" has no value.  Sides that rise or fall cross only once.
static void offer_related(const struct search *q, struct candidates *c, const struct lay_sym *y,
                          int64_t by) {
    int64_t least = y->lo / by + (y->lo % by > 0), most = y->hi / by;  // in steps of "by"
    int param = q->number[y->id];
    for (int i = q->first[param]; i < q->first[param + 1]; ++i) {
        const struct relation *r = q->p->relation[q->related[i]];
        if (least > most || q->missing[q->related[i]] != 1) continue;
        int before = compare_at(q, r, y, least * by);
        int64_t low = least, high = most;
        // binary search for the first step at which the comparison changes
        while (before != 0 && low < high) {
            int64_t middle = low + (high - low) / 2;
            if (compare_at(q, r, y, middle * by) == before)
                low = middle + 1;
            else
                high = middle;
        }
        if (before != 0 && compare_at(q, r, y, low * by) == before)
            continue;  // the sides do not cross
        int64_t up = low * by, down = compare_at(q, r, y, up) ? up - by : up;
        if (q->choice > 0) offer(c, y, up + by);
        offer(c, y, up);
        offer(c, y, up + by);
        offer(c, y, down - by);
        offer(c, y, down);
    }
}

// -- values that come and go ----------------------------------------------------------------------

static void count_asked(struct search *q, int param, int by) {
    uint64_t bit = (uint64_t)1 << param % 64;
    q->asked[param] += by;
    if (q->asked[param])
        q->is_asked[param / 64] |= bit;
    else
        q->is_asked[param / 64] &= ~bit;
}

// Adds "by" to the number of equations that ask for the only param that relation "r" has without a
// value.
static void count_missing(struct search *q, const struct relation *r, int by) {
    for (int i = 0; i < r->nparams; ++i) {
        const struct lay_sym *y = r->param[i]->sym;
        if (q->value[y->id] == PLAN_UNBOUND) count_asked(q, q->number[y->id], by);
    }
}

static void bind(struct search *q, int param, int64_t value) {
    q->value[q->p->param[param]->sym->id] = value;
    for (int i = q->first[param]; i < q->first[param + 1]; ++i) {
        const struct relation *r = q->p->relation[q->related[i]];
        int left = --q->missing[q->related[i]];
        if (r->op[0] == '=' && left == 0) count_asked(q, param, -1);
        if (r->op[0] == '=' && left == 1) count_missing(q, r, 1);
    }
}

static void unbind(struct search *q, int param) {
    for (int i = q->first[param]; i < q->first[param + 1]; ++i) {
        const struct relation *r = q->p->relation[q->related[i]];
        int left = ++q->missing[q->related[i]];
        if (r->op[0] == '=' && left == 2) count_missing(q, r, -1);
        if (r->op[0] == '=' && left == 1) count_asked(q, param, 1);
    }
    q->value[q->p->param[param]->sym->id] = PLAN_UNBOUND;
}

// The param to take next.  It is the first one that an equation asks for; with "when_first" the
// first one in a condition, preferably in one with no other param; otherwise the first one without
// a value.  All params before "from" have values.  Returns -1 if all have.
static int next_param(const struct search *q, int *from) {
    int n = q->p->nparams;
    for (int i = 0; i * 64 < n; ++i)
        if (q->is_asked[i]) return i * 64 + __builtin_ctzll(q->is_asked[i]);
    for (int alone = 1; q->when_first && alone >= 0; --alone) {
        for (int i = 0; i < q->nwhen; ++i) {
            const struct lay_int x = q->when[i].value;
            for (int k = 0; !q->when[i].tensor && (x.nsyms == 1) == alone && k < x.nsyms; ++k)
                if (x.syms[k]->name && q->value[x.syms[k]->id] == PLAN_UNBOUND)
                    return q->number[x.syms[k]->id];
        }
    }
    while (*from < n && q->value[q->p->param[*from]->sym->id] != PLAN_UNBOUND) ++*from;
    return *from < n ? *from : -1;
}

static int64_t common_multiple(int64_t a, int64_t b) {
    int64_t x = a, y = b, m;
    while (y) {
        int64_t r = x % y;
        x = y;
        y = r;
    }
    return __builtin_mul_overflow(a / x, b, &m) ? a : m;
}

// A divisor that values should have, for the promises and the conditions.
static int64_t step_of(const struct search *q, const struct lay_sym *y) {
    int64_t step = y->mul;
    for (int i = 0; i < q->nwhen; ++i) {
        const struct condition *c = &q->when[i];
        for (int k = 0; !c->tensor && k < c->value.nsyms; ++k)
            if (c->value.syms[k] == y) step = common_multiple(step, c->by);
    }
    return step;
}

// What each value of "y" must be a multiple of, given the values of the others.  For a product in a
// condition, that is the part that the other factors leave.  A product with another factor without
// a value is ignored.
static int64_t least_step(const struct search *q, const struct lay_sym *y) {
    int64_t step = y->mul, rest;
    q->value[y->id] = 1;
    for (int i = 0; i < q->nwhen; ++i) {
        const struct condition *c = &q->when[i];
        int times = 0;
        for (int k = 0; !c->tensor && k < c->value.nsyms; ++k) times += c->value.syms[k] == y;
        if (times != 1 || !relation_int_bound(c->value, q->value)) continue;
        if (!lay_int_eval(c->value, q->value, &rest)) continue;
        step = common_multiple(step, c->by / lay_gcd(c->by, rest));
    }
    q->value[y->id] = PLAN_UNBOUND;
    return step;
}

// Offers the smallest positive multiples of "step" that "y" may be, and the largest one.
static void offer_multiples(struct candidates *c, const struct lay_sym *y, int64_t step) {
    int64_t base = y->lo > 1 ? y->lo : 1, v = base;
    if (__builtin_add_overflow(base, (step - base % step) % step, &v)) return;
    for (int k = 0; k < 6; ++k) {
        offer(c, y, v);
        if (__builtin_add_overflow(v, step, &v)) break;
    }
    offer(c, y, y->hi - y->hi % step);
}

bool plan_holds(const struct condition *when, int n, const int64_t *sym_values) {
    for (int i = 0; i < n; ++i) {
        int64_t v;
        if (when[i].tensor || !relation_int_bound(when[i].value, sym_values)) continue;
        if (lay_int_valid(when[i].unless) &&
            (!relation_int_bound(when[i].unless, sym_values) ||
             (lay_int_eval(when[i].unless, sym_values, &v) && v <= 1)))
            continue;
        if (!lay_int_eval(when[i].value, sym_values, &v) || v % when[i].by != 0) return false;
    }
    return true;
}

// -- tiles ----------------------------------------------------------------------------------------

// How much a predicate that ends at the monomial "limit" advances from block to block or step to
// step.  If there is only one block and step, the number of coordinates in it.
static int64_t step_to(const struct predicate *p, struct lay_int limit) {
    const struct ix *e = p->last;
    int64_t step = 1;
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) {
        const struct ix_term *t = &e->term[i];
        if (!lay_int_static(t->coef)) continue;
        int64_t k = t->atom ? t->coef.num : t->coef.num + 1;
        if (k > step) step = k;
    }
    return (step + limit.num - 1) / limit.num;
}

static void tiles_in(struct search *q, const struct stmt *list) {
    for (const struct stmt *st = list; st; st = stmt_next(list, st)) {
        for (int i = 0; st->kind == STMT_COPY && i < st->copy->facts.npred; ++i) {
            const struct predicate *p = &st->copy->facts.pred[i];
            struct lay_int limit;
            if (!p->of || p->front || !p->last || !ix_monomial(p->limit, &limit) ||
                limit.nsyms != 1)
                continue;
            int64_t step = step_to(p, limit), *tile = &q->tile[limit.syms[0]->id];
            if (step > *tile) *tile = step;
        }
    }
}

// The largest tile along an extent "y" that it need not divide; 0: none.
static int64_t tile_of(struct search *q, const struct lay_sym *y) {
    if (!q->tile) {
        q->tile = ARENA_ARRAY(&q->s->arena, int64_t, q->s->lay.next_sym + 1);
        for (const struct kernel *k = plan_next(q->p, NULL); k; k = plan_next(q->p, k))
            tiles_in(q, k->body);
    }
    return q->tile[y->id];
}

// Choice 1 has a whole tile and a part of the next one, so that some blocks are whole and others
// are at the edge, of one mode or of all.  Choice 2 has whole tiles along some extents.
static void offer_tiles(struct search *q, struct candidates *c, const struct lay_sym *y, int i,
                        int64_t step) {
    int64_t tile = q->choice > 0 ? tile_of(q, y) : 0;
    if (tile == 0 || tile > INT32_MAX) return;
    int64_t whole = (tile + step - 1) / step * step;
    if (q->choice > 1) offer(c, y, i % 2 ? 3 * whole + step : 2 * whole);
    offer(c, y, whole + step);
    offer(c, y, whole);
}

// Whether the relations of "param" hold, or still may for those in which params have no value.
static bool keeps_all(const struct search *q, int param) {
    for (int i = q->first[param]; i < q->first[param + 1]; ++i) {
        const struct relation *r = q->p->relation[q->related[i]];
        if (q->missing[q->related[i]] == 0 ? relation_broken(r, q->value)
                                           : relation_hopeless(r, q->value))
            return false;
    }
    return plan_holds(q->when, q->nwhen, q->value);
}

static bool search(struct search *q, int from) {
    int i = next_param(q, &from);
    if (i < 0) return true;
    const struct lay_sym *y = q->p->param[i]->sym;
    struct candidates c = {0};
    // the smallest positive multiple in range
    int64_t base = y->lo > 1 ? y->lo : 1, step = step_of(q, y);
    base += (step - base % step) % step;
    static const int factor[][3] = {{0, 0, 0}, {1, 2, 0}, {4, 2, 6}};
    int row = q->choice < 3 ? q->choice : 2;
    int64_t great = y->hi < q->most ? y->hi : q->most;
    if (q->most) offer(&c, y, great - great % step);
    offer_tiles(q, &c, y, i, step);
    if (q->choice > 0) offer_related(q, &c, y, y->mul);
    offer(&c, y, base + factor[row][i % 3] * step);
    offer_related(q, &c, y, y->mul);
    for (int k = 0; k < 6; ++k) offer(&c, y, base + k * step);
    int64_t least = q->nwhen ? least_step(q, y) : y->mul;
    if (q->nwhen) offer_related(q, &c, y, least);
    offer(&c, y, 0);
    offer(&c, y, y->hi - y->hi % step);
    if (q->nwhen) offer_multiples(&c, y, least);
    for (int k = 0; k < c.n; ++k) {
        if (++q->steps > STEPS) return false;
        bind(q, i, c.v[k]);
        if (keeps_all(q, i) && search(q, from)) return true;
        unbind(q, i);
    }
    return false;
}

// Fills in the relations of each param, and how many params each is missing.
static void relate(struct search *q) {
    const struct plan *p = q->p;
    struct arena *a = &q->s->arena;
    q->number = ARENA_ARRAY(a, int, p->nsyms + 1);
    q->first = ARENA_ARRAY(a, int, p->nparams + 2);
    q->missing = ARENA_ARRAY(a, int, p->nrelations + 1);
    q->asked = ARENA_ARRAY(a, int, p->nparams + 1);
    q->is_asked = ARENA_ARRAY(a, uint64_t, p->nparams / 64 + 1);
    for (int i = 0; i < p->nparams; ++i) q->number[p->param[i]->sym->id] = i;
    int n = 0;
    for (int r = 0; r < p->nrelations; ++r) {
        for (int i = 0; i < p->relation[r]->nparams; ++i, ++n) {
            const struct lay_sym *y = p->relation[r]->param[i]->sym;
            ++q->first[q->number[y->id] + 2];
            q->missing[r] += q->value[y->id] == PLAN_UNBOUND;
        }
    }
    q->related = ARENA_ARRAY(a, int, n + 1);
    for (int i = 2; i < p->nparams + 2; ++i) q->first[i] += q->first[i - 1];
    for (int r = 0; r < p->nrelations; ++r) {
        const struct relation *x = p->relation[r];
        for (int i = 0; i < x->nparams; ++i)
            q->related[q->first[q->number[x->param[i]->sym->id] + 1]++] = r;
        if (x->op[0] == '=' && q->missing[r] == 1) count_missing(q, x, 1);
    }
}

static bool start(struct search *q) {
    relate(q);
    for (int r = 0; r < q->p->nrelations; ++r)
        if (q->missing[r] == 0 && relation_broken(q->p->relation[r], q->value)) return false;
    return plan_holds(q->when, q->nwhen, q->value) && search(q, 0);
}

static const int64_t *choose(struct session *s, const struct plan *p, const int64_t *fixed,
                             const struct condition *when, int nwhen, int choice, bool when_first) {
    struct search q = {.s = s, .p = p, .choice = choice, .when = when, .nwhen = nwhen};
    q.when_first = when_first;
    q.value = ARENA_ARRAY(&s->arena, int64_t, p->nsyms + 1);
    for (int i = 0; i < p->nsyms; ++i) q.value[i] = fixed ? fixed[i] : PLAN_UNBOUND;
    if (start(&q)) return q.value;
    // the choice led nowhere
    if (choice > 0) return choose(s, p, fixed, when, nwhen, 0, false);
    // for example, M == 2 * N is promised, and N must be a multiple of 7
    return nwhen > 0 && !when_first ? choose(s, p, fixed, when, nwhen, 0, true) : NULL;
}

const int64_t *plan_choose(struct session *s, const struct plan *p, const int64_t *fixed,
                           int choice) {
    return choose(s, p, fixed, NULL, 0, choice, false);
}

const int64_t *plan_choose_when(struct session *s, const struct plan *p, const int64_t *fixed,
                                const struct condition *when, int n, int choice) {
    return choose(s, p, fixed, when, n, choice, false);
}

const int64_t *plan_choose_great(struct session *s, const struct plan *p,
                                 const struct condition *when, int n, int64_t most) {
    struct search q = {.s = s, .p = p, .when = when, .nwhen = n, .most = most};
    q.value = ARENA_ARRAY(&s->arena, int64_t, p->nsyms + 1);
    for (int i = 0; i < p->nsyms; ++i) q.value[i] = PLAN_UNBOUND;
    return start(&q) ? q.value : NULL;
}

int plan_choices(struct session *s, const struct plan *p, int max, const int64_t **choice) {
    int n = 0;
    for (int k = 0; k < max; ++k) {
        const int64_t *v = plan_choose(s, p, NULL, k);
        bool seen = !v;
        for (int i = 0; i < n && !seen; ++i)
            seen = memcmp(choice[i], v, (size_t)p->nsyms * sizeof *v) == 0;
        if (!seen) choice[n++] = v;
    }
    return n;
}
