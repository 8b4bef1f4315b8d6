// Distributes the threads of a tile: divisors of its modes.
#include <string.h>

#include "base/trap.h"
#include "planner/private.h"

enum { MOST_THREADS = 1024, WORDS = MOST_THREADS / 64 + 1 };

struct shares {
    int rank;
    const int *order;
    const int64_t *units;
    int best;
    int64_t now[RELAYOUT_MODES], *out;
    int64_t wanted;
    // by mode and number of threads before it: already tried
    uint64_t tried[RELAYOUT_MODES][WORDS];
};

// Tries the divisors of mode "i" of the order, the largest first, when earlier modes have "have"
// threads.  Returns whether no better distribution is possible.
static bool try_mode(struct shares *s, int i, int64_t have) {
    while (i < s->rank && s->units[s->order[i]] == 1) s->now[s->order[i++]] = 1;
    if (i == s->rank) {
        if (have <= s->best) return false;
        s->best = (int)have;
        for (int m = 0; m < s->rank; ++m) s->out[m] = s->now[m];
        return have == s->wanted;
    }
    int64_t all = have;
    for (int k = i; k < s->rank && all <= s->best; ++k) all *= s->units[s->order[k]];
    if (all <= s->best) return false;
    uint64_t *tried = &s->tried[i][have / 64], bit = (uint64_t)1 << have % 64;
    if (*tried & bit) return false;
    *tried |= bit;
    int m = s->order[i];
    int64_t most = s->wanted / have;
    for (int64_t d = most < s->units[m] ? most : s->units[m]; d >= 1; --d) {
        if (s->units[m] % d) continue;
        s->now[m] = d;
        if (try_mode(s, i + 1, have * d)) return true;
    }
    return false;
}

int share_units(int rank, const int order[], const int64_t units[], int threads, int64_t out[]) {
    struct shares s;
    s.rank = rank;
    s.order = order;
    s.units = units;
    s.out = out;
    s.best = 0;
    memset(s.tried, 0, sizeof s.tried[0] * (size_t)rank);
    int64_t all = 1;
    for (int m = 0; m < rank; ++m) all *= units[m];
    if (threads > MOST_THREADS) BUG("a block of %d threads", threads);
    s.wanted = all < threads ? all : threads;
    try_mode(&s, 0, 1);
    return s.best;
}
