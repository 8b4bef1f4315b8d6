// Which blocks cost the same (see classes.h).
#include "base/session.h"
#include "counters/classes_private.h"
#include "hw/sizes.h"

#define NOWHERE (INT64_MIN / 2)
enum { MOST_DEEP = 64, MOST_LETS = 64 };
enum { NOT_KNOWN, FREE, DEPENDS };

// -- what depends on a block ----------------------------------------------------------------------

static int axis_of(const struct classes *x, const struct ix_var *v) {
    for (int i = 0; i < 3; ++i)
        if (x->k->block[i] == v) return i;
    return -1;
}

static bool depends(struct classes *x, const struct ix *e);

static bool var_depends(struct classes *x, const struct ix_var *v) {
    if (axis_of(x, v) >= 0) return true;
    char *state = &x->state[v->id];
    if (*state == NOT_KNOWN) {
        // provisional: the definitions of a variable carried around a loop refer to it
        *state = FREE;
        bool is = false;
        for (const struct definition *g = x->given[v->id]; g && !is; g = g->next)
            is = depends(x, g->e) || (g->step && depends(x, g->step));
        *state = is ? DEPENDS : FREE;
    }
    return *state == DEPENDS;
}

static bool depends_itself(const struct ix *e, const void *x) {
    return e->op == IX_VAR && var_depends(*(struct classes *const *)x, e->var);
}

static bool depends(struct classes *x, const struct ix *e) {
    return ix_has(e, depends_itself, &x);
}

static bool is_not_of_block(const struct ix *e, const void *user) {
    const struct classes *x = user;
    return e->op == IX_VAR && axis_of(x, e->var) < 0 && !x->of_block[e->var->id];
}

// Whether "e" depends on nothing but the block's coordinates and params.
static bool is_of_block(const struct classes *x, const struct ix *e) {
    return !ix_has(e, is_not_of_block, x);
}

// -- facts ----------------------------------------------------------------------------------------

static void add_fact(struct classes *x, struct fact f) {
    struct fact *new = ARENA_NEW(&x->s->arena, struct fact);
    *new = f;
    *x->end = new;
    x->end = &new->next;
}

static void add_to(struct classes *x, int64_t *to, int64_t a, int64_t times) {
    if (__builtin_mul_overflow(a, times, &a) || __builtin_add_overflow(*to, a, to))
        x->failed = true;
}

static void add_term(struct classes *x, struct part *p, const struct ix *atom, int64_t times) {
    for (int i = 0; i < p->n; ++i) {
        if (!ix_equal(p->term[i].atom, atom)) continue;
        add_to(x, &p->term[i].times, times, 1);
        return;
    }
    x->failed |= p->n == MOST_TERMS;
    if (p->n == MOST_TERMS) return;
    p->term[p->n].atom = atom;
    p->term[p->n++].times = times;
}

static void same(struct classes *x, const struct ix *e);
static void same_but_for(struct classes *x, const struct ix *e, int64_t times, int64_t modulus);

// Adds the bounds of times * e to "*lo" and "*hi", or makes them NOWHERE if "e" has none.
static void add_bounds(struct classes *x, const struct ix *e, int64_t times, int64_t *lo,
                       int64_t *hi) {
    if (e->lo == INT64_MIN || e->hi == INT64_MAX) {
        *lo = NOWHERE;
        *hi = -NOWHERE;
    }
    if (*lo == NOWHERE) return;
    add_to(x, lo, times < 0 ? e->hi : e->lo, times);
    add_to(x, hi, times < 0 ? e->lo : e->hi, times);
}

// Whether a variable has one value, whose definition is "g".
static bool is_let(const struct definition *g) {
    return g && !g->next && !g->step;
}

// Adds the part of times * e that depends only on the block to "p", and the bounds of the rest to
// "lo" and "hi". A mixed part becomes a fact of its own. Multiples of "modulus" (0: none) drop out.
static void divide(struct classes *x, const struct ix *e, int64_t times, int64_t modulus,
                   struct part *p, int64_t *lo, int64_t *hi) {
    int64_t number;
    if (x->failed || (modulus && times % modulus == 0)) return;
    if (e->op == IX_SUM) {
        for (int i = 0; i < e->nterms; ++i) {
            const struct ix_term *t = &e->term[i];
            int64_t coef;
            if (!lay_int_eval(t->coef, x->sym, &coef) ||
                __builtin_mul_overflow(coef, times, &coef)) {
                x->failed = true;
                return;
            }
            if (t->atom)
                divide(x, t->atom, coef, modulus, p, lo, hi);
            else
                add_to(x, &p->number, coef, 1);
        }
    } else if (ix_constant(e) && ix_eval(e, &(struct ix_env){x->value, x->sym}, &number)) {
        add_to(x, &p->number, number, times);
    } else if (!depends(x, e)) {
        add_bounds(x, e, times, lo, hi);
    } else if (e->op == IX_VAR && is_let(x->given[e->var->id])) {
        if (++x->deep > MOST_DEEP) x->failed = true;
        divide(x, x->given[e->var->id]->e, times, modulus, p, lo, hi);
        --x->deep;
    } else if (is_of_block(x, e)) {
        add_term(x, p, e, times);
    } else {
        if (modulus)
            same_but_for(x, e, times, modulus);
        else
            same(x, e);
        add_bounds(x, e, times, lo, hi);
    }
}

static void all_given(struct classes *x, const struct ix_var *v, int64_t times, int64_t modulus) {
    if (++x->deep > MOST_DEEP) x->failed = true;
    for (const struct definition *g = x->given[v->id]; g && !x->failed; g = g->next) {
        const struct ix *e[] = {g->e, g->step};
        for (int i = 0; i < 2 && e[i]; ++i) {
            if (modulus)
                same_but_for(x, e[i], times, modulus);
            else
                same(x, e[i]);
        }
    }
    --x->deep;
}

// Adds the facts that determine the value of "e" for each thread.
static void same(struct classes *x, const struct ix *e) {
    if (x->failed || !depends(x, e)) return;
    if (e->op == IX_SUM || is_of_block(x, e)) {
        struct fact f = {.is = EXACT};
        int64_t lo = 0, hi = 0;
        divide(x, e, 1, 0, &f.of, &lo, &hi);
        if (f.of.n) add_fact(x, f);
    } else if (e->op == IX_VAR) {
        all_given(x, e->var, 1, 0);
    } else if (e->op == IX_MOD) {
        int64_t by;
        if (!lay_int_eval(e->k, x->sym, &by) || by < 1)
            x->failed = true;
        else
            same_but_for(x, e->a, 1, by);
    } else {
        same(x, e->a);
    }
}

// Adds the facts that determine "e", which is no sum, up to a multiple of "by" for each thread.
static void same_digit(struct classes *x, const struct ix *e, int64_t by) {
    int64_t k, whole;
    bool digit = e->op == IX_DIV || e->op == IX_MOD;
    if (!digit || !lay_int_eval(e->k, x->sym, &k) || k < 1 || __builtin_mul_overflow(k, by, &whole))
        same(x, e);
    else
        same_but_for(x, e->a, 1, e->op == IX_DIV ? whole : k % by == 0 ? by : k);
}

// Adds the facts that determine times * e, up to a common multiple of "modulus", for each thread.
static void same_but_for(struct classes *x, const struct ix *e, int64_t times, int64_t modulus) {
    if (x->failed || times % modulus == 0 || !depends(x, e)) return;
    if (e->op == IX_VAR && axis_of(x, e->var) < 0) {
        all_given(x, e->var, times, modulus);
    } else if (e->op == IX_SUM || is_of_block(x, e)) {
        struct fact f = {.is = REMAINDER, .modulus = modulus};
        int64_t lo = 0, hi = 0;
        divide(x, e, times, modulus, &f.of, &lo, &hi);
        if (f.of.n) add_fact(x, f);
    } else {
        same_digit(x, e, modulus / lay_gcd(times, modulus));
    }
}

// Makes the fact of how many of at most "most" elements lie between the sides of "c" (b NULL:
// "number"). Its value is the block's part of b - a (with "least": of a + 1 - b), limited to the
// range where it matters. False when neither depends on the block.
static bool between(struct classes *x, const struct kir_cond *c, int64_t number, int64_t most,
                    struct fact *f) {
    const struct ix *a = c->least ? c->b : c->a, *b = c->least ? c->a : c->b;
    int64_t lo = 0, hi = 0;
    *f = (struct fact){.is = BETWEEN};
    if (!depends(x, a) && (!b || !depends(x, b))) return false;
    if (b)
        divide(x, b, 1, 0, &f->of, &lo, &hi);
    else
        f->of.number = number;
    divide(x, a, -1, 0, &f->of, &lo, &hi);
    f->of.number += c->least;
    // "of" plus the rest gives no element if it is <= 0, and all of them from "most" on
    if (lo == NOWHERE || lo < NOWHERE / 2 || hi > -(NOWHERE / 2)) {
        f->is = EXACT;
    } else {
        f->lo = -hi;
        f->hi = most - lo;
    }
    return true;
}

static void walk(struct classes *x, const struct kir_node *list);

// Collects the facts of "list" in a list of their own.
static struct fact *facts_of(struct classes *x, const struct kir_node *list) {
    struct fact *first = NULL, **end = x->end;
    x->end = &first;
    walk(x, list);
    x->end = end;
    return first;
}

static void walk_ways(struct classes *x, const struct kir_node *n) {
    struct fact f = {.is = WAYS}, **end = &f.cond, one;
    const struct kir_cond guard = {n->index, NULL, false};
    bool is_guard = n->kind == KIR_GUARD;
    for (int i = 0; i < (is_guard ? 1 : n->nconds); ++i) {
        const struct kir_cond *c = is_guard ? &guard : &n->cond[i];
        if (!between(x, c, n->count, 1, &one)) {
            f.others = true;
            continue;
        }
        *end = ARENA_NEW(&x->s->arena, struct fact);
        **end = one;
        end = &(*end)->next;
    }
    if (!f.cond) {
        walk(x, n->body);
        walk(x, n->orelse);
        return;
    }
    f.body = facts_of(x, n->body);
    f.otherwise = facts_of(x, n->orelse);
    add_fact(x, f);
}

static void walk_address(struct classes *x, const struct kir_buffer *b, const struct ix *at) {
    if (!b || !at) return;
    if (b->space == MEM_GLOBAL) same_but_for(x, at, b->elem->bits / 8, LINE);
    if (space_is_shared(b->space)) same(x, at);
}

static void walk_access(struct classes *x, const struct kir_node *n) {
    struct fact f;
    walk_address(x, n->buf, n->at);
    walk_address(x, n->to_buf, n->to_at);
    for (int i = 0; i < n->nconds; ++i)
        if (between(x, &n->cond[i], 0, 1, &f)) add_fact(x, f);
    if (n->cut && between(x, n->cut, 0, n->bits / n->buf->elem->bits, &f)) add_fact(x, f);
}

static void walk(struct classes *x, const struct kir_node *list) {
    for (const struct kir_node *n = list; n && !x->failed; n = n->next) {
        switch (n->kind) {
        case KIR_FOR:
            same(x, n->begin);
            same(x, n->end);
            walk(x, n->body);
            break;
        case KIR_IF: walk_ways(x, n); break;
        case KIR_GUARD: n->index ? walk_ways(x, n) : walk(x, n->body); break;
        case KIR_BOXES: x->failed = true; break;  // what they cost is not known
        case KIR_BLOCK: walk(x, n->body); break;
        case KIR_LOAD:
        case KIR_STORE:
        case KIR_MOVE:
        case KIR_FILL:
        case KIR_ASYNC: walk_access(x, n); break;
        case KIR_LET:
        case KIR_TURN:
        case KIR_NAME:
        case KIR_CALL:
        case KIR_STAGE_DECL:
        case KIR_ANNOUNCE:
        case KIR_FENCE:
        case KIR_ARRIVE:
        case KIR_WAIT:
        case KIR_COMMENT: break;
        }
    }
}

// -- all ------------------------------------------------------------------------------------------

static void add_given(struct classes *x, const struct ix_var *v, const struct ix *e,
                      const struct ix *step) {
    struct definition *g = ARENA_NEW(&x->s->arena, struct definition);
    *g = (struct definition){e, step, x->given[v->id]};
    x->given[v->id] = g;
}

static void find_given(struct classes *x, const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->kind == KIR_LET) add_given(x, n->var, n->index, NULL);
        if (n->kind == KIR_FOR) add_given(x, n->var, n->begin, n->end);
        for (int i = 0; i < n->ncarries; ++i)
            add_given(x, n->carry[i].var, n->carry[i].first, n->carry[i].step);
        find_given(x, n->body);
        find_given(x, n->orelse);
    }
}

// Finds those "let" that depend only on the block.
static void find_lets(struct classes *x, const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->kind == KIR_LET && is_let(x->given[n->var->id]) && x->nlets < MOST_LETS &&
            is_of_block(x, n->index)) {
            x->let[x->nlets++] = n;
            x->of_block[n->var->id] = true;
        }
        find_lets(x, n->body);
        find_lets(x, n->orelse);
    }
}

struct classes *classes_new(struct session *s, const struct kir_kernel *k, const int64_t *sym) {
    struct classes *x = ARENA_NEW(&s->arena, struct classes);
    *x = (struct classes){.s = s, .k = k, .sym = sym, .period = {1, 1, 1}};
    x->given = ARENA_ARRAY(&s->arena, struct definition *, s->next_var + 1);
    x->state = ARENA_ARRAY(&s->arena, char, s->next_var + 1);
    x->value = ARENA_ARRAY(&s->arena, int64_t, s->next_var + 1);
    x->of_block = ARENA_ARRAY(&s->arena, bool, s->next_var + 1);
    x->let = ARENA_ARRAY(&s->arena, const struct kir_node *, MOST_LETS);
    x->end = &x->first;
    find_given(x, k->body);
    find_lets(x, k->body);
    walk(x, k->body);
    classes_find_periods(x, x->first);
    return x->failed ? NULL : x;
}

static bool value_of(const struct classes *x, const struct part *p, int64_t *out) {
    const struct ix_env env = {x->value, x->sym};
    *out = p->number;
    for (int i = 0; i < p->n; ++i) {
        int64_t v;
        if (!ix_eval(p->term[i].atom, &env, &v) ||
            __builtin_mul_overflow(v, p->term[i].times, &v) || __builtin_add_overflow(*out, v, out))
            return false;
    }
    return true;
}

// Adds the values of "list" to the "n" in "fact". Returns their number; -1: too many or unknown.
static int collect(const struct classes *x, const struct fact *list, int n,
                   int64_t fact[CLASS_FACTS]) {
    for (const struct fact *f = list; f && n >= 0; f = f->next) {
        if (f->is == WAYS) {
            int from = n;
            bool all = !f->others, none = false;
            n = collect(x, f->cond, n, fact);
            const struct fact *c = f->cond;
            for (int i = from; i < n; ++i, c = c->next) {
                all &= c->is == BETWEEN && fact[i] == c->hi;
                none |= c->is == BETWEEN && fact[i] == c->lo;
            }
            if (n >= 0 && !none) n = collect(x, f->body, n, fact);
            if (n >= 0 && !all) n = collect(x, f->otherwise, n, fact);
            continue;
        }
        int64_t v;
        if (n == CLASS_FACTS || !value_of(x, &f->of, &v)) return -1;
        if (f->is == REMAINDER) v %= f->modulus;
        if (f->is == REMAINDER && v < 0) v += f->modulus;
        if (f->is == BETWEEN && v < f->lo) v = f->lo;
        if (f->is == BETWEEN && v > f->hi) v = f->hi;
        fact[n++] = v;
    }
    return n;
}

int classes_facts(const struct classes *x, const int64_t block[3], int64_t fact[CLASS_FACTS]) {
    for (int i = 0; i < 3; ++i)
        if (x->k->block[i]) x->value[x->k->block[i]->id] = block[i];
    const struct ix_env env = {x->value, x->sym};
    for (int i = 0; i < x->nlets; ++i)
        if (!ix_eval(x->let[i]->index, &env, &x->value[x->let[i]->var->id])) return -1;
    return collect(x, x->first, 0, fact);
}
