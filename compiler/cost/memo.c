// The cache of costs (see memo.h).
#include "cost/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "base/trap.h"
#include "hw/sizes.h"

// MOST_NUMBERS: larger requests are not cached
enum { KEPT = 32, MOST_NUMBERS = 1 << 12 };

struct key {
    int64_t *number;
    int64_t n;
    uint64_t hash;
};

struct cost_memo {
    struct key asked;  // the last request; "n" is 0 if it is not cached
    int kept, next;
    struct {
        struct key key;
        struct cost_counted counted;
    } at[KEPT];
};

struct cost_memo *cost_memo_new(void) {
    struct cost_memo *m = memory_new(sizeof *m);
    memset(m, 0, sizeof *m);
    m->asked.number = memory_new(MOST_NUMBERS * sizeof *m->asked.number);
    return m;
}

void cost_memo_free(struct cost_memo *m) {
    if (!m) return;
    for (int i = 0; i < m->kept; ++i) memory_free(m->at[i].key.number);
    memory_free(m->asked.number);
    memory_free(m);
}

struct cost_memo *cost_memo_begin(struct session *s) {
    return s->costs ? NULL : (s->costs = cost_memo_new());
}

void cost_memo_end(struct session *s, struct cost_memo *begun) {
    if (!begun) return;
    cost_memo_free(begun);
    s->costs = NULL;
}

// -- keys -----------------------------------------------------------------------------------------

static void put(struct key *k, int64_t x) {
    k->number[k->n++] = x;
    k->hash = (k->hash ^ (uint64_t)x) * 0x9e3779b97f4a7c15u;
    k->hash ^= k->hash >> 29;
}

static int64_t numbers_of(const struct accesses *a) {
    int64_t lanes = a->threads * a->neach;
    return 24 + lanes * (1 + (a->group != NULL) + a->nlimits) + a->nrounds * (1 + a->nlimits) +
           a->nlimits;
}

// By which distances all lanes can be moved without changing the cost: whole lines, and what a
// swizzle looks at.
static int64_t unit_of(const struct accesses *a) {
    int64_t block = a->sw.b ? (int64_t)1 << (a->sw.m + a->sw.b + abs(a->sw.s)) : 1;
    return block > LINE ? block : LINE;
}

static void put_side(struct key *k, const struct accesses *a) {
    int64_t lanes = a->threads * a->neach, unit = unit_of(a);
    int64_t moved = lanes > 0 ? a->lane[0] & ~(unit - 1) : 0;
    int64_t head[] = {a->sw.b,      a->sw.m,          a->sw.s,      a->elem_bytes,  a->bytes,
                      a->threads,   a->neach,         a->nrounds,   a->base % LINE, a->inner,
                      a->inner_end, a->outer,         a->outer_end, a->by_round,    a->scattered,
                      a->nlimits,   a->group != NULL, a->ngroups};
    for (unsigned i = 0; i < sizeof head / sizeof *head; ++i) put(k, head[i]);
    for (int64_t i = 0; i < lanes; ++i) put(k, a->lane[i] - moved);
    for (int64_t i = 0; a->group && i < lanes; ++i) put(k, a->group[i]);
    for (int64_t i = 0; i < a->nrounds; ++i) put(k, a->round[i]);
    for (int j = 0; j < a->nlimits; ++j) {
        const struct lane_limit *x = &a->limit[j];
        put(k, x->limit);
        put(k, x->front);
        for (int64_t i = 0; i < lanes; ++i) put(k, x->at[i]);
        for (int64_t i = 0; i < a->nrounds; ++i) put(k, x->round[i]);
    }
}

static bool make_key(struct key *k, const struct cost_asked *q) {
    int64_t n = 8;
    k->n = 0;
    k->hash = 0;
    for (int i = 0; i < 2; ++i)
        if (q->side[i]) n += numbers_of(q->side[i]);
    if (n > MOST_NUMBERS) return false;
    put(k, q->arch);
    put(k, q->class);
    put(k, q->matrices);
    put(k, q->lanes);
    put(k, q->enough);
    for (int i = 0; i < 2; ++i) {
        put(k, q->side[i] != NULL);
        if (q->side[i]) put_side(k, q->side[i]);
    }
    return true;
}

// -- the table ------------------------------------------------------------------------------------

const struct cost_counted *cost_memo_find(struct cost_memo *m, const struct cost_asked *q) {
    if (!m || !make_key(&m->asked, q)) return NULL;
    for (int i = 0; i < m->kept; ++i) {
        const struct key *k = &m->at[i].key;
        if (k->hash == m->asked.hash && k->n == m->asked.n &&
            memcmp(k->number, m->asked.number, (size_t)k->n * sizeof *k->number) == 0)
            return &m->at[i].counted;
    }
    return NULL;
}

void cost_memo_keep(struct cost_memo *m, const struct cost_counted *x) {
    if (!m || !m->asked.n) return;
    int i = m->next++ % KEPT;
    struct key *k = &m->at[i].key;
    if (i < m->kept)
        memory_free(k->number);
    else
        m->kept = i + 1;
    size_t bytes = (size_t)m->asked.n * sizeof *k->number;
    *k = m->asked;
    k->number = memory_new(bytes);
    memcpy(k->number, m->asked.number, bytes);
    m->at[i].counted = *x;
}
