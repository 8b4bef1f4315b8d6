// Threads of a tile's modes: the most that divide them, compared with all divisions of a few modes;
// of many modes, in steps that do not multiply with each one.
#include <stdint.h>

#include "check.h"
#include "planner/private.h"

static int best_of(int rank, const int64_t units[], int threads, int64_t have) {
    if (have > threads) return 0;
    if (rank == 0) return (int)have;
    int best = 0;
    for (int64_t d = 1; d <= units[0]; ++d) {
        int n = units[0] % d ? 0 : best_of(rank - 1, units + 1, threads, have * d);
        if (n > best) best = n;
    }
    return best;
}

static void check_shares(int rank, const int64_t units[], int threads, int want) {
    int order[RELAYOUT_MODES] = {0};
    int64_t out[RELAYOUT_MODES], product = 1;
    for (int m = 0; m < rank; ++m) order[m] = rank - 1 - m;
    int n = share_units(rank, order, units, threads, out);
    for (int m = 0; m < rank; ++m) {
        product *= out[m];
        CHECK(units[m] % out[m] == 0, "mode %d of %d units has %d threads", m, (int)units[m],
              (int)out[m]);
    }
    CHECK(n == product && n == want, "%d threads of %d, %d are possible", n, threads, want);
}

int main(void) {
    int64_t units[RELAYOUT_MODES];
    uint32_t seed = 1;
    for (int i = 0; i < 3000; ++i) {
        int rank = 1 + i % 5;
        for (int m = 0; m < rank; ++m) {
            seed = seed * 1664525 + 1013904223;
            units[m] = 1 + seed / 65536 % 24;
        }
        int threads = 1 + (int)(seed / 256 % 512);
        check_shares(rank, units, threads, best_of(rank, units, threads, 1));
    }
    // no division comes to so many threads: were each tried, it would take minutes
    for (int m = 0; m < RELAYOUT_MODES; ++m) units[m] = 2;
    for (int threads = 513; threads < 1024; ++threads)
        check_shares(RELAYOUT_MODES, units, threads, 512);
    for (int m = 0; m < RELAYOUT_MODES; ++m) units[m] = m % 2 ? 2 : 3;
    check_shares(RELAYOUT_MODES, units, 1021, 972);
    return check_done();
}
