// Keeps results for one pair of accesses, and reuses them for pairs with the same parts.
//
// For n accesses in a loop there are n * n pairs, but most of them differ only in the elements.
// Sets are compared by address: the difference of the same two sets is computed only once, for
// whatever pair.
#include <string.h>

#include "base/session.h"
#include "prove/order_private.h"

static unsigned hash(const struct order_key *key) {
    unsigned h = (unsigned)((uintptr_t)key->open / sizeof(void *)) * 31;
    h += (unsigned)((uintptr_t)key->cover / sizeof(void *));
    for (int i = 0; i < 4; ++i) h = h * 31 + (unsigned)key->of[i];
    return h % ORDER_COVERS;
}

struct order_memo *order_find(const struct prove_order *o, const struct order_key *key) {
    for (struct order_memo *x = o->kept[hash(key)]; x; x = x->next)
        if (memcmp(&x->key, key, sizeof *key) == 0) return x;
    return NULL;
}

void order_keep(struct prove_order *o, const struct order_key *key, struct order_open *open,
                enum prove_answer answer) {
    if (prover_gave_up(o->q.p) || (open && !open->set)) return;
    struct order_memo **first = &o->kept[hash(key)];
    struct order_memo *x = ARENA_NEW(&o->q.s->arena, struct order_memo);
    *x = (struct order_memo){*key, open, answer, *first};
    *first = x;
}

struct order_open *order_open_of(struct prove_order *o, isl_set *set) {
    struct order_open *x = ARENA_NEW(&o->q.s->arena, struct order_open);
    *x = (struct order_open){.set = set, .next = o->opens};
    return o->opens = x;
}

isl_set *order_one_of(struct prove_order *o, isl_set *set) {
    if (!set || prover_gave_up(o->q.p)) return set;
    const struct order_key key = {NULL, NULL, {(int)isl_set_get_hash(set), 0, 0, OF_SET}};
    for (struct order_memo *x = o->kept[hash(&key)]; x; x = x->next) {
        if (memcmp(&x->key, &key, sizeof key) != 0) continue;
        if (isl_set_plain_is_equal(x->open->set, set) != isl_bool_true) continue;
        isl_set_free(set);
        return isl_set_copy(x->open->set);
    }
    order_keep(o, &key, order_open_of(o, isl_set_copy(set)), PROVE_UNKNOWN);
    return set;
}

void order_forget_opens(struct prove_order *o) {
    for (struct order_open *x = o->opens; x; x = x->next) isl_set_free(x->set);
}
