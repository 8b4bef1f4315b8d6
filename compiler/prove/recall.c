// Keeps answers from one compilation to the next (see recall.h).
#include "prove/recall.h"

#include <string.h>

#include "base/kept.h"
#include "base/session.h"
#include "prove/private.h"

enum {
    MOST_SIZE = 1 << 15,  // of a question, in integers of its expressions
    MOST_NAMED = 1 << 10  // variables and params, which are looked for one after the other
};

_Static_assert(sizeof((struct recall_bytes *)0)->byte == KEPT_MOST, "room for any result");
// Of what a digest has all members: for a new one, look at the functions below.
RECALL_SIZE(struct prove_set, 56);
RECALL_SIZE(struct prove_var, 24);
RECALL_SIZE(struct prove_promise, 24);
RECALL_SIZE(struct ix, 112);
RECALL_SIZE(struct ix_term, 48);
RECALL_SIZE(struct ix_var, 104);
RECALL_SIZE(struct lay_int, 32);
RECALL_SIZE(struct lay_sym, 120);
RECALL_SIZE(struct lay_product, 48);

// -- digests --------------------------------------------------------------------------------------

void recall_int(struct recall *x, int64_t value) {
    if (--x->left >= 0) digest_int(&x->sum, value);
}

static void put_int(struct recall *x, struct lay_int v);

// A param or another symbol: its number here, and what it is where it is named first.
static void put_symbol(struct recall *x, const struct lay_sym *y) {
    int i = 0;
    while (i < x->nsyms && x->sym[i] != y) ++i;
    recall_int(x, i);
    if (i < x->nsyms) return;
    if (i == MOST_NAMED) x->left = -1;
    if (x->left < 0) return;
    if (i == x->cap_syms)
        x->sym = memory_again(x->sym, sizeof *x->sym * (size_t)(x->cap_syms = 2 * i + 16));
    x->sym[x->nsyms++] = y;
    digest_text(&x->sum, y->name);
    const int64_t number[] = {y->mul, y->declared, y->lo, y->hi, y->by, y->size};
    for (size_t k = 0; k < sizeof number / sizeof *number; ++k) recall_int(x, number[k]);
    put_int(x, y->of);
    recall_ix(x, y->sum);
    for (const struct lay_product *m = y->product; m; m = m->next) {
        recall_int(x, m->by);
        put_int(x, m->of);
    }
    recall_int(x, 0);
}

static void put_int(struct recall *x, struct lay_int v) {
    recall_int(x, v.num);
    recall_int(x, v.den);
    recall_int(x, v.basis);
    recall_int(x, v.nsyms);
    for (int i = 0; i < v.nsyms && x->left >= 0; ++i) put_symbol(x, v.syms[i]);
}

static void put_var(struct recall *x, const struct ix_var *v) {
    int i = 0;
    while (i < x->nvars && x->var[i] != v) ++i;
    recall_int(x, i);
    if (i < x->nvars) return;
    if (i == MOST_NAMED) x->left = -1;
    if (x->left < 0) return;
    if (i == x->cap_vars)
        x->var = memory_again(x->var, sizeof *x->var * (size_t)(x->cap_vars = 2 * i + 16));
    x->var[x->nvars++] = v;
    digest_text(&x->sum, v->name);
    recall_int(x, v->kind);
    recall_int(x, v->uniform);
    put_int(x, v->lo);
    put_int(x, v->end);
}

void recall_ix(struct recall *x, const struct ix *e) {
    recall_int(x, e ? (int64_t)e->op : -1);
    if (!e || x->left < 0) return;
    switch (e->op) {
    case IX_SUM:
        recall_int(x, e->nterms);
        for (int i = 0; i < e->nterms && x->left >= 0; ++i) {
            put_int(x, e->term[i].coef);
            recall_ix(x, e->term[i].atom);
        }
        return;
    case IX_VAR: put_var(x, e->var); return;
    case IX_SWZ:
        recall_int(x, e->sw.b);
        recall_int(x, e->sw.m);
        recall_int(x, e->sw.s);
        break;
    default: put_int(x, e->k);
    }
    recall_ix(x, e->a);
}

void recall_set(struct recall *x, const struct prove_set *set) {
    recall_int(x, set->nvars);
    for (int i = 0; i < set->nvars && x->left >= 0; ++i) {
        put_var(x, set->var[i].var);
        recall_ix(x, set->var[i].begin);
        recall_ix(x, set->var[i].end);
    }
    recall_int(x, set->nconds);
    for (int i = 0; i < set->nconds && x->left >= 0; ++i) recall_ix(x, set->cond[i]);
    recall_int(x, set->nouts);
    for (int i = 0; i < set->nouts && x->left >= 0; ++i) recall_ix(x, set->out[i]);
}

void recall_restart(struct recall *x, const struct prover *p, enum recall_kind kind) {
    x->nvars = x->nsyms = 0;
    x->left = MOST_SIZE;
    digest_begin(&x->sum);
    recall_int(x, (int64_t)kind);
    recall_int(x, (int64_t)p->limit);
    recall_int(x, p->lean);
    recall_int(x, p->left_out);
    recall_int(x, p->npromises);
    for (int i = 0; i < p->npromises; ++i) {
        recall_ix(x, p->promise[i].a);
        recall_ix(x, p->promise[i].b);
        digest_text(&x->sum, p->promise[i].op);
    }
}

bool recall_begin(struct prover *p, enum recall_kind kind, struct prove_witness *w) {
    struct recall *x = &p->recall;
    if (!p->s->options.kept) return false;
    if (w) *w = (struct prove_witness){0};
    recall_restart(x, p, kind);
    recall_int(x, w != NULL);
    return true;
}

void recall_end(struct recall *x) {
    if (x->left < 0) return;
    // sums are sorted by variables and params, in the order in which they were made
    for (int i = 0; i < x->nvars; ++i) {
        int before = 0;
        for (int k = 0; k < x->nvars; ++k) before += x->var[k]->id < x->var[i]->id;
        recall_int(x, before);
    }
    for (int i = 0; i < x->nsyms; ++i) {
        int before = 0;
        for (int k = 0; k < x->nsyms; ++k) before += x->sym[k]->id < x->sym[i]->id;
        recall_int(x, before);
    }
    x->key = digest_end(&x->sum);
}

// -- results --------------------------------------------------------------------------------------

void recall_put(struct recall_bytes *b, int64_t v) {
    uint64_t rest = (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
    for (bool more = true; more; rest >>= 7) {
        more = rest >> 7 != 0;
        if (b->n == KEPT_MOST) b->bad = true;
        if (b->bad) return;
        b->byte[b->n++] = (uint8_t)((rest & 0x7f) | (more ? 0x80 : 0));
    }
}

int64_t recall_get(struct recall_bytes *b) {
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (b->n == b->end) break;
        uint8_t c = b->byte[b->n++];
        v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) return (int64_t)(v >> 1 ^ (0 - (v & 1)));
    }
    BUG("a kept result is broken");
}

void recall_put_state(struct recall_bytes *b, const struct prover *p) {
    int kind = prover_why_kind(p);
    recall_put(b, (int64_t)p->limit);
    recall_put(b, kind);
    if (kind >= 0) return;
    size_t n = strlen(p->why);
    recall_put(b, n > KEPT_MOST ? KEPT_MOST : (int64_t)n);
    for (size_t i = 0; i < n && !b->bad; ++i) recall_put(b, p->why[i]);
}

void recall_get_state(struct recall_bytes *b, struct prover *p) {
    p->limit = (unsigned long)recall_get(b);
    p->term = NULL;
    int kind = (int)recall_get(b);
    if (kind >= 0) {
        prover_set_why_kind(p, kind);
        return;
    }
    int64_t n = recall_get(b);
    char *why = ARENA_ARRAY(&p->s->arena, char, n + 1);
    for (int64_t i = 0; i < n; ++i) why[i] = (char)recall_get(b);
    why[n] = 0;
    p->why = why;
}

void recall_put_witness(struct recall_bytes *b, const struct recall *x,
                        const struct prove_witness *w) {
    b->bad |= !w->sym || !w->var[0] || !w->var[1];
    for (int k = 0; k < 2 && !b->bad; ++k) {
        recall_put(b, w->set[k]);
        for (int i = 0; i < x->nvars; ++i) recall_put(b, w->var[k][x->var[i]->id]);
    }
    for (int i = 0; i < x->nsyms && !b->bad; ++i) recall_put(b, w->sym[x->sym[i]->id]);
    recall_put(b, w->nouts);
    for (int i = 0; i < w->nouts; ++i) recall_put(b, w->out[i]);
}

void recall_get_witness(struct recall_bytes *b, struct prover *p, const struct recall *x,
                        struct prove_witness *w) {
    struct session *s = p->s;
    w->sym = ARENA_ARRAY(&s->arena, int64_t, s->lay.next_sym + 1);
    for (int i = 0; i <= s->lay.next_sym; ++i) w->sym[i] = INT64_MIN;
    for (int k = 0; k < 2; ++k) {
        w->var[k] = ARENA_ARRAY(&s->arena, int64_t, s->next_var + 1);
        w->set[k] = (int)recall_get(b);
        for (int i = 0; i < x->nvars; ++i) w->var[k][x->var[i]->id] = recall_get(b);
    }
    for (int i = 0; i < x->nsyms; ++i) w->sym[x->sym[i]->id] = recall_get(b);
    w->nouts = (int)recall_get(b);
    w->out = ARENA_ARRAY(&s->arena, int64_t, w->nouts + 1);
    for (int i = 0; i < w->nouts; ++i) w->out[i] = recall_get(b);
}

bool recall_look(struct prover *p, const struct recall *x, const struct digest *key,
                 struct recall_bytes *b) {
    struct kept *kept = p->s->options.kept;
    b->n = 0;
    b->bad = false;
    b->end = x->left < 0 ? -1 : kept->find(kept, key, b->byte);
    struct kept_count *count = p->s->count;
    if (count) ++*(b->end < 0 ? &count->done : &count->kept);
    return b->end >= 0;
}

void recall_store(struct prover *p, const struct digest *key, const struct recall_bytes *b) {
    struct kept *kept = p->s->options.kept;
    trap_poll();  // what was given up has no answer
    if (!b->bad) kept->keep(kept, key, b->byte, (size_t)b->n);
}

// -- one question ---------------------------------------------------------------------------------

bool recall_find(struct prover *p, enum prove_answer *r, struct prove_witness *w) {
    struct recall *x = &p->recall;
    struct recall_bytes b;
    recall_end(x);
    if (!recall_look(p, x, &x->key, &b)) return false;
    *r = (enum prove_answer)recall_get(&b);
    recall_get_state(&b, p);
    if (*r == PROVE_NO && w) recall_get_witness(&b, p, x, w);
    return true;
}

enum prove_answer recall_keep(struct prover *p, enum prove_answer r,
                              const struct prove_witness *w) {
    struct recall *x = &p->recall;
    struct recall_bytes b;
    b.n = 0;
    b.bad = false;
    if (x->left < 0) return r;
    recall_put(&b, (int64_t)r);
    recall_put_state(&b, p);
    if (r == PROVE_NO && w) recall_put_witness(&b, x, w);
    recall_store(p, &x->key, &b);
    return r;
}

void recall_release(struct recall *x) {
    memory_free(x->var);
    memory_free(x->sym);
}
