// Choosing values of params: a short search over multiples of what each is promised to be, guided
// by the relations.
#include "plan/plan_bind.h"

#include <string.h>

#include "base/session.h"

enum { CANDIDATES = 24, STEPS = 20000 };

static bool holds(const char *op, int64_t a, int64_t b) {
    switch (op[0]) {
    case '=': return a == b;
    case '!': return a != b;
    case '<': return op[1] ? a <= b : a < b;
    default: return op[1] ? a >= b : a > b;
    }
}

// Whether all symbols of an integer, or of an expression, have values.
static bool int_bound(struct lay_int x, const int64_t *value) {
    for (int i = 0; i < x.nsyms; ++i) {
        const struct lay_sym *y = x.syms[i];
        if (y->name ? value[y->id] == PLAN_UNBOUND : !int_bound(y->of, value)) return false;
    }
    return true;
}

static bool is_bound(const struct ix *e, const int64_t *value) {
    if (e->op == IX_SUM) {
        for (int i = 0; i < e->nterms; ++i)
            if (!int_bound(e->term[i].coef, value) ||
                (e->term[i].atom && !is_bound(e->term[i].atom, value)))
                return false;
        return true;
    }
    return e->op != IX_VAR && is_bound(e->a, value) && (e->op == IX_SWZ || int_bound(e->k, value));
}

static bool evaluate(const struct ix *e, const int64_t *value, int64_t *out) {
    struct ix_env env = {NULL, value};
    return is_bound(e, value) && ix_eval(e, &env, out);
}

// A side that is too large a number keeps no relation.
static bool relation_broken(const struct relation *r, const int64_t *value) {
    int64_t a, b;
    if (!is_bound(r->a, value) || !is_bound(r->b, value)) return false;
    return !evaluate(r->a, value, &a) || !evaluate(r->b, value, &b) || !holds(r->op, a, b);
}

const char *plan_broken_promise(struct session *s, const struct plan *p,
                                const int64_t *sym_values) {
    for (int i = 0; i < p->nparams; ++i) {
        const struct lay_sym *y = p->param[i]->sym;
        int64_t v = sym_values[y->id];
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
            return arena_printf(&s->arena, "the plan promises %s", p->relation[i]->text);
    return NULL;
}

struct search {
    struct session *s;
    const struct plan *p;
    int64_t *value;
    int choice;
    int steps;
    const struct condition *when;
    int nwhen;
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

// Which side of "r" is greater where "y" is "v": -1, 0 or 1; 2 where that is not known yet, or is
// too large a number.
static int compare_at(const struct search *q, const struct relation *r, const struct lay_sym *y,
                      int64_t v) {
    int64_t a, b;
    q->value[y->id] = v;
    bool known = evaluate(r->a, q->value, &a) && evaluate(r->b, q->value, &b);
    q->value[y->id] = PLAN_UNBOUND;
    return known ? (a > b) - (a < b) : 2;
}

// Whether "y" is the one param that "r" still needs a value of.
static bool needs_alone(const struct search *q, const struct relation *r, const struct lay_sym *y) {
    bool known = is_bound(r->a, q->value) && is_bound(r->b, q->value);
    q->value[y->id] = y->lo;
    bool then = is_bound(r->a, q->value) && is_bound(r->b, q->value);
    q->value[y->id] = PLAN_UNBOUND;
    return !known && then;
}

// Offers what the relations that "y" alone is still needed for ask of it: where their sides cross,
// and the neighbours. Sides that rise or fall cross once.
static void offer_related(const struct search *q, struct candidates *c, const struct lay_sym *y) {
    int64_t least = (y->lo + y->mul - 1) / y->mul, most = y->hi / y->mul;  // in steps of y->mul
    for (int i = 0; i < q->p->nrelations; ++i) {
        const struct relation *r = q->p->relation[i];
        if (least > most || !needs_alone(q, r, y)) continue;
        int before = compare_at(q, r, y, least * y->mul);
        int64_t low = least, high = most;
        while (before != 0 && low < high) {  // the first step at which it is another one
            int64_t middle = low + (high - low) / 2;
            if (compare_at(q, r, y, middle * y->mul) == before)
                low = middle + 1;
            else
                high = middle;
        }
        if (before != 0 && compare_at(q, r, y, low * y->mul) == before)
            continue;  // they do not cross
        int64_t up = low * y->mul, down = compare_at(q, r, y, up) ? up - y->mul : up;
        if (q->choice > 0) offer(c, y, up + y->mul);
        offer(c, y, up);
        offer(c, y, up + y->mul);
        offer(c, y, down - y->mul);
        offer(c, y, down);
    }
}

// The param to take next: the one that an equation asks for, or else the first one without a value;
// -1: all have one.
static int next_param(const struct search *q) {
    int first = -1;
    for (int i = 0; i < q->p->nparams; ++i) {
        const struct lay_sym *y = q->p->param[i]->sym;
        if (q->value[y->id] != PLAN_UNBOUND) continue;
        if (first < 0) first = i;
        for (int k = 0; k < q->p->nrelations; ++k)
            if (q->p->relation[k]->op[0] == '=' && needs_alone(q, q->p->relation[k], y)) return i;
    }
    return first;
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

// What is worth being a multiple of, for the promises and the conditions.
static int64_t step_of(const struct search *q, const struct lay_sym *y) {
    int64_t step = y->mul;
    for (int i = 0; i < q->nwhen; ++i) {
        const struct condition *c = &q->when[i];
        for (int k = 0; !c->tensor && k < c->value.nsyms; ++k)
            if (c->value.syms[k] == y) step = common_multiple(step, c->by);
    }
    return step;
}

bool plan_holds(const struct condition *when, int n, const int64_t *sym_values) {
    for (int i = 0; i < n; ++i) {
        int64_t v;
        if (when[i].tensor || !int_bound(when[i].value, sym_values)) continue;
        if (!lay_int_eval(when[i].value, sym_values, &v) || v % when[i].by != 0) return false;
    }
    return true;
}

// -- tiles ----------------------------------------------------------------------------------------

// What a predicate that ends at "y" goes up by from block to block or step to step; the coordinates
// of one block where there is no next one; 0 when it is about something else.
static int64_t step_to(const struct predicate *p, const struct lay_sym *y) {
    struct lay_int limit;
    if (!p->of || !p->last || !ix_monomial(p->limit, &limit) || limit.nsyms != 1 ||
        limit.syms[0] != y)
        return 0;
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

static int64_t tile_in(const struct stmt *list, const struct lay_sym *y) {
    int64_t most = 0;
    for (const struct stmt *st = list; st; st = st->next) {
        int64_t tile = tile_in(st->body, y);
        for (int i = 0; st->kind == STMT_COPY && i < st->copy->facts.npred; ++i) {
            int64_t step = step_to(&st->copy->facts.pred[i], y);
            if (step > tile) tile = step;
        }
        if (tile > most) most = tile;
    }
    return most;
}

// The largest tile that goes along an extent "y" which it need not divide; 0: none does.
static int64_t tile_of(const struct plan *p, const struct lay_sym *y) {
    int64_t most = 0;
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        int64_t tile = tile_in(k->body, y);
        if (tile > most) most = tile;
    }
    return most;
}

// Choice 1 has a whole tile and a bit of the next one, so that the blocks are whole, or at the edge
// of some modes or of all; choice 2 has whole tiles along some extents.
static void offer_tiles(const struct search *q, struct candidates *c, const struct lay_sym *y,
                        int i, int64_t step) {
    int64_t tile = q->choice > 0 ? tile_of(q->p, y) : 0;
    if (tile == 0 || tile > INT32_MAX) return;
    int64_t whole = (tile + step - 1) / step * step;
    if (q->choice > 1) offer(c, y, i % 2 ? 3 * whole + step : 2 * whole);
    offer(c, y, whole + step);
    offer(c, y, whole);
}

static bool keeps_all(const struct search *q) {
    bool ok = plan_holds(q->when, q->nwhen, q->value);
    for (int n = 0; ok && n < q->p->nrelations; ++n)
        ok = !relation_broken(q->p->relation[n], q->value);
    return ok;
}

static bool search(struct search *q) {
    int i = next_param(q);
    if (i < 0) return keeps_all(q);
    const struct lay_sym *y = q->p->param[i]->sym;
    struct candidates c = {0};
    // the smallest positive multiple in range
    int64_t base = y->lo > 1 ? y->lo : 1, step = step_of(q, y);
    base += (step - base % step) % step;
    static const int factor[][3] = {{0, 0, 0}, {1, 2, 0}, {4, 2, 6}};
    int row = q->choice < 3 ? q->choice : 2;
    offer_tiles(q, &c, y, i, step);
    if (q->choice > 0) offer_related(q, &c, y);
    offer(&c, y, base + factor[row][i % 3] * step);
    offer_related(q, &c, y);
    for (int k = 0; k < 6; ++k) offer(&c, y, base + k * step);
    offer(&c, y, 0);
    offer(&c, y, y->hi - y->hi % step);
    for (int k = 0; k < c.n; ++k) {
        if (++q->steps > STEPS) return false;
        q->value[y->id] = c.v[k];
        if (keeps_all(q) && search(q)) return true;
        q->value[y->id] = PLAN_UNBOUND;
    }
    return false;
}

static const int64_t *choose(struct session *s, const struct plan *p, const int64_t *fixed,
                             const struct condition *when, int nwhen, int choice) {
    struct search q = {s, p, ARENA_ARRAY(&s->arena, int64_t, p->nsyms + 1), choice, 0, when, nwhen};
    for (int i = 0; i < p->nsyms; ++i) q.value[i] = fixed ? fixed[i] : PLAN_UNBOUND;
    if (search(&q)) return q.value;
    // a search that the choice led astray
    return choice > 0 ? choose(s, p, fixed, when, nwhen, 0) : NULL;
}

const int64_t *plan_choose(struct session *s, const struct plan *p, const int64_t *fixed,
                           int choice) {
    return choose(s, p, fixed, NULL, 0, choice);
}

const int64_t *plan_choose_when(struct session *s, const struct plan *p, const int64_t *fixed,
                                const struct condition *when, int n, int choice) {
    return choose(s, p, fixed, when, n, choice);
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
