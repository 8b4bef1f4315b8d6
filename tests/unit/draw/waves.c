// The wavefronts that are drawn, for each access that was measured: as many as the model counts, no
// bank with two words in one of them, and none of them empty.
#include "draw/waves.h"

#include <stdlib.h>

#include "check.h"

static bool addresses(char *text, int64_t *out) {
    char *end = text;
    for (int i = 0; i < LANES && *text != '-'; ++i) out[i] = strtoll(end, &end, 16);
    return *text != '-';
}

static int find_class(const char *name) {
    for (int c = COST_NONE + 1; c < N_COST_CLASSES; ++c)
        if (strcmp(name, cost_class_name((enum cost_class)c)) == 0) return c;
    return -1;
}

// Whether two lanes get different words of one bank of shared memory in one wavefront, or write
// the same place, which no plan that compiles does.
static bool clash(const struct warp_access *a, const int *wave, bool *collides) {
    bool any = false;
    for (int l = 0; l < LANES; ++l) {
        for (int k = 0; k < l; ++k) {
            if (wave[l] < 0 || wave[k] < 0) continue;
            *collides |= a->shared[l] == a->shared[k];
            for (int i = 0; i < (a->bits + 31) / 32; ++i)
                for (int j = 0; j < (a->bits + 31) / 32; ++j) {
                    int64_t x = a->shared[l] / 4 + i, y = a->shared[k] / 4 + j;
                    any |= wave[l] == wave[k] && x != y && x % 32 == y % 32;
                }
        }
    }
    return any;
}

static long drawn[N_COST_CLASSES], merged, ranges;

static void compare(int line, const struct warp_access *a) {
    struct warp_cost cost;
    int wave[LANES], n = waves_of(a, wave);
    uint32_t used = 0;
    bool collides = false, bad = clash(a, wave, &collides);
    bool async = a->class == COST_CP_ASYNC_CA || a->class == COST_CP_ASYNC_CG;
    if (async && collides) return;
    cost_of_warp(90, a, &cost);
    CHECK(cost.wavefronts.least <= n && n <= cost.wavefronts.most, "line %d: %d of %ld to %ld",
          line, n, (long)cost.wavefronts.least, (long)cost.wavefronts.most);
    for (int l = 0; l < LANES; ++l) {
        CHECK(a->lanes >> l & 1 ? wave[l] >= 0 && wave[l] < n : wave[l] == -1, "line %d: lane %d",
              line, l);
        if (wave[l] >= 0) used |= UINT32_C(1) << wave[l];
    }
    CHECK(n == 32 ? used == UINT32_MAX : used == (UINT32_C(1) << n) - 1, "line %d: %x", line, used);
    CHECK(!bad, "line %d: a bank has two words", line);
    merged += waves_merge(a);
    ranges += cost.wavefronts.least != cost.wavefronts.most;
    ++drawn[a->class];
}

int main(void) {
    static char text[4096];
    FILE *f = fopen(TEST_SOURCE_DIR "/tests/cost/probes.tsv", "r");
    if (!CHECK(f, "no probes")) return 1;
    for (int line = 1; fgets(text, sizeof text, f); ++line) {
        char *field[8], *at = text;
        struct warp_access a = {0};
        if (*text == '#') continue;
        text[strcspn(text, "\n")] = 0;
        for (int i = 0; i < 8; ++i) {
            field[i] = at;
            at += strcspn(at, "\t");
            if (*at) *at++ = 0;
        }
        int class = find_class(strncmp(field[0], "ldmatrix", 8) ? field[0] : "ldmatrix");
        if (!CHECK(class >= 0, "line %d: class '%s'", line, field[0])) continue;
        bool matrix = class == COST_LDMATRIX || class == COST_STMATRIX;
        a.class = (enum cost_class) class;
        a.bits = matrix ? 128 : (int)strtol(field[1], NULL, 10);
        a.matrices = matrix ? (int)strtol(field[1], NULL, 10) : 0;
        a.lanes = matrix ? (uint32_t)((UINT64_C(1) << 8 * a.matrices) - 1)
                         : (uint32_t)strtoul(field[2], NULL, 16);
        addresses(field[4], a.global);
        if (addresses(field[3], a.shared)) compare(line, &a);
    }
    fclose(f);
    for (int c = COST_NONE + 1; c < N_COST_CLASSES; ++c)
        CHECK(c == COST_LD_GLOBAL || c == COST_ST_GLOBAL || c == COST_BULK || drawn[c] > 100,
              "%s: %ld", cost_class_name((enum cost_class)c), drawn[c]);
    CHECK(merged > 20 && ranges > 20, "%ld merged, %ld ranges", merged, ranges);
    return check_done();
}
