// Decides whether a layout is injective by computing its values, up to 2^22 of them.
#include "layout/algebra.h"

enum { MAX_BITS = 22 };

static const int64_t NONE = INT64_MIN;  // no value

// Puts "x" into the table of 2^bits places; false if it is there already.
static bool put(int64_t *table, int bits, int64_t x) {
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    uint64_t at = (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
    for (; table[at] != NONE; at = (at + 1) & mask)
        if (table[at] == x) return false;
    table[at] = x;
    return true;
}

bool lay_is_injective(struct lay_ctx *c, struct lay l) {
    struct lay_int size = lay_size(c, l);
    int bits = 1;
    if (!lay_int_static(size) || size.num > 1 << MAX_BITS) return false;
    while (size.num >> (bits - 1)) ++bits;  // at least half of the places stay free
    int64_t places = (int64_t)1 << bits, x;
    int64_t *table = c->alloc(c->user, sizeof(int64_t) * (size_t)places);
    for (int64_t i = 0; i < places; ++i) table[i] = NONE;
    for (int64_t i = 0; i < size.num; ++i)
        if (!lay_eval(c, l, i, &x) || x == NONE || !put(table, bits, x)) return false;
    return true;
}
