// The model of one warp's access against what the hardware counted of it, line by line.
#include <stdlib.h>

#include "check.h"
#include "cost/warp.h"

static bool addresses(char *text, int64_t *out) {
    if (strcmp(text, "-") == 0) return false;
    char *end = text;
    for (int i = 0; i < LANES; ++i) out[i] = strtoll(end, &end, 16);
    return *end == 0;
}

static int find_class(const char *name) {
    for (int c = COST_NONE + 1; c < N_COST_CLASSES; ++c)
        if (strncmp(name, cost_class_name(c), strlen(cost_class_name(c))) == 0) return c;
    return -1;
}

// Whether two lanes that take part write one place: no plan that compiles does that.
static bool collides(const struct warp_access *a) {
    for (int i = 0; i < LANES; ++i)
        for (int j = 0; j < i; ++j)
            if (a->lanes >> i & a->lanes >> j & 1 && a->shared[i] == a->shared[j]) return true;
    return false;
}

static long certain, ranges[N_COST_CLASSES], lines[N_COST_CLASSES];

static void compare(int line, const char *what, const char *text, struct cost_range r,
                    struct cost_range least) {
    if (strcmp(text, "-") == 0) return;
    long n = strtol(text, NULL, 10);
    CHECK(least.least == least.most && least.most <= n, "line %d: %ld %s, at least %ld", line, n,
          what, (long)least.most);
    certain += r.least == r.most;
    CHECK(r.least <= n && n <= r.most, "line %d: %ld %s, the model has %ld to %ld", line, n, what,
          (long)r.least, (long)r.most);
}

int main(void) {
    static char text[4096];
    FILE *f = fopen(TEST_SOURCE_DIR "/tests/cost/probes.tsv", "r");
    if (!CHECK(f, "no probes")) return 1;
    for (int line = 1; fgets(text, sizeof text, f); ++line) {
        char *field[8], *at = text;
        struct warp_access a = {0};
        struct warp_cost cost, least;
        if (*text == '#') continue;
        text[strcspn(text, "\n")] = 0;
        for (int i = 0; i < 8; ++i) {
            field[i] = at;
            at += strcspn(at, "\t");
            if (*at) *at++ = 0;
        }
        int class = find_class(field[0]);
        if (!CHECK(class >= 0, "line %d: class '%s'", line, field[0])) continue;
        a.class = class;
        bool matrix = class == COST_LDMATRIX || class == COST_STMATRIX;
        a.bits = matrix ? 128 : (int)strtol(field[1], NULL, 10);
        a.matrices = matrix ? (int)strtol(field[1], NULL, 10) : 0;
        a.lanes = (uint32_t)strtoul(field[2], NULL, 16);
        bool shared = addresses(field[3], a.shared), global = addresses(field[4], a.global);
        cost_of_warp(90, &a, &cost);
        cost_least(90, &a, &least);
        if (shared && global && collides(&a)) continue;
        compare(line, "requests", field[5], cost.requests, least.requests);
        compare(line, "sectors", field[6], cost.sectors, least.sectors);
        compare(line, "wavefronts", field[7], cost.wavefronts, least.wavefronts);
        ++lines[class];
        ranges[class] += cost.wavefronts.least != cost.wavefronts.most;
    }
    fclose(f);
    for (int c = COST_NONE + 1; c < N_COST_CLASSES; ++c) {
        printf("%-12s %4ld lines, %ld of them as a range\n", cost_class_name(c), lines[c],
               ranges[c]);
        // a range is for disorderly accesses alone, of three classes
        bool may = c == COST_LD_SHARED || c == COST_CP_ASYNC_CA || c == COST_CP_ASYNC_CG;
        CHECK(may || ranges[c] == 0, "%s", cost_class_name(c));
        if (c == COST_BULK) continue;  // not measured
        CHECK(lines[c] > 100 && ranges[c] * 5 < lines[c], "%s", cost_class_name(c));
    }
    HOLDS(certain > 4000);
    return check_done();
}
