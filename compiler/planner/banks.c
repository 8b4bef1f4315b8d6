// Bank conflicts in shared memory: the addresses of a warp, one by one.
#include "planner/private.h"

enum { LANES = 32, BANKS = 32, WORD = 4 };

int64_t bank_passes(const int64_t *at, int from, int end, int bytes) {
    int most = 1;
    int64_t word[BANKS][LANES];
    int n[BANKS] = {0};
    for (int l = from; l < end; ++l)
        for (int64_t w = at[l] / WORD; w <= (at[l] + bytes - 1) / WORD; ++w) {
            int bank = (int)(w % BANKS), k = 0;
            while (k < n[bank] && word[bank][k] != w) ++k;
            if (k < n[bank]) continue;
            word[bank][n[bank]++] = w;
            if (n[bank] > most) most = n[bank];
        }
    return most;
}
