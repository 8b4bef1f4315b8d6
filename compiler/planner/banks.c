// Bank conflicts in shared memory, from the addresses of a warp.
#include "planner/private.h"

int64_t bank_passes(const int64_t *at, int from, int end, int bytes) {
    int most = 1;
    uint64_t word[BANKS][LANES];
    int n[BANKS] = {0};
    for (int l = from; l < end; ++l) {
        uint64_t last = (uint64_t)(at[l] + bytes - 1) / WORD;
        for (uint64_t w = (uint64_t)at[l] / WORD; w <= last; ++w) {
            int bank = (int)(w % BANKS), k = n[bank];
            while (k > 0 && word[bank][k - 1] != w) --k;  // usually the last one
            if (k > 0) continue;
            word[bank][n[bank]++] = w;
            if (n[bank] > most) most = n[bank];
        }
    }
    return most;
}
