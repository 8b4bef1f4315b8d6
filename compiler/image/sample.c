// The choices (see sample.h).
#include "image/sample.h"

#include <string.h>

int sample_axis(int64_t n, int64_t pick[SAMPLE_AXIS]) {
    if (n <= SAMPLE_AXIS) {
        for (int64_t i = 0; i < n; ++i) pick[i] = i;
        return n > 0 ? (int)n : 0;
    }
    pick[0] = 0;
    pick[1] = 1;
    pick[2] = n / 2;
    pick[3] = n - 1;
    return 4;
}

int64_t sample_steps(int64_t stages) {
    return 2 * stages + 2;
}

// Whether the reduced choice includes the combination of picks number "i".
static bool is_kept(const int i[3], const int count[3]) {
    int steps = i[0] + i[1] + i[2], from_last = 0, from_middle = 0;
    for (int a = 0; a < 3; ++a) {
        from_last += i[a] != count[a] - 1;
        from_middle += i[a] != count[a] / 2;
    }
    return steps <= 1 || from_middle == 0 || from_last == 0;
}

int sample_blocks(const int64_t n[3], int64_t block[SAMPLE_BLOCKS][3]) {
    int64_t pick[3][SAMPLE_AXIS];
    int count[3], total = 1, kept = 0;
    for (int a = 0; a < 3; ++a) {
        count[a] = sample_axis(n[a], pick[a]);
        total *= count[a];
    }
    for (int z = 0; z < count[2]; ++z) {
        for (int y = 0; y < count[1]; ++y) {
            for (int x = 0; x < count[0]; ++x) {
                const int i[3] = {x, y, z};
                if (total > SAMPLE_BLOCKS && !is_kept(i, count)) continue;
                block[kept][0] = pick[0][x];
                block[kept][1] = pick[1][y];
                block[kept][2] = pick[2][z];
                ++kept;
            }
        }
    }
    return kept;
}

int sample_chosen(const struct sample_set *what, const int64_t n[3],
                  int64_t block[SAMPLE_BLOCKS][3]) {
    int count = sample_blocks(n, block), kept = 0;
    if (!what->first_block && !what->last_block) return count;
    for (int i = 0; i < count; ++i) {
        if (!(what->first_block && i == 0) && !(what->last_block && i == count - 1)) continue;
        memmove(block[kept++], block[i], sizeof block[i]);
    }
    return kept;
}
