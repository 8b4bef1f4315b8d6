// Tiled copies as TV layouts and as index maps, worked out from what thr and val mean.
#include "gen_private.h"

#include <inttypes.h>
#include <stdio.h>

// The TV layout of "t", worked out from what thr and val mean: thread and value modes, fastest
// first, and for each the step that it makes in the tile.
void put_tv(struct gen *g, const struct tiled *t) {
    int64_t step[MAX_RANK], below_mode = 1;
    for (int i = 0; i < t->rank; ++i) {
        step[i] = below_mode;
        below_mode *= (int64_t)t->thr[i] * t->val[i];
    }
    put(g, "((");
    for (int i = 0; i < t->rank; ++i) put(g, "%s%d", i ? "," : "", t->thr[t->thr_order[i]]);
    put(g, "),(");
    for (int i = 0; i < t->rank; ++i) put(g, "%s%d", i ? "," : "", t->val[t->val_order[i]]);
    put(g, ")):((");
    for (int i = 0; i < t->rank; ++i) {
        int m = t->thr_order[i];
        put(g, "%s%" PRId64, i ? "," : "", t->thr[m] == 1 ? 0 : step[m] * t->val[m]);
    }
    put(g, "),(");
    for (int i = 0; i < t->rank; ++i) {
        int m = t->val_order[i];
        put(g, "%s%" PRId64, i ? "," : "", t->val[m] == 1 ? 0 : step[m]);
    }
    put(g, "))");
}

// Where "name", which counts "n" things with the modes in "order" fastest first, stands in mode
// "m".
static void put_digit(struct gen *g, const char *name, const int *n, const int *order, int rank,
                      int m) {
    int faster = 1, slower = 1;
    bool before = true;
    for (int i = 0; i < rank; ++i) {
        if (order[i] == m)
            before = false;
        else if (before)
            faster *= n[order[i]];
        else
            slower *= n[order[i]];
    }
    if (n[m] == 1) {
        put(g, "0");
        return;
    }
    put(g, "%s", name);
    if (faster > 1) put(g, " / %d", faster);
    if (slower > 1 || percent(g, 20)) put(g, " %% %d", n[m]);
}

void put_map(struct gen *g, const struct tiled *t) {
    int values = 1;
    for (int i = 0; i < t->rank; ++i) values *= t->val[i];
    put(g, "(t:%d, v:%d) -> (", t->threads, values);
    for (int m = 0; m < t->rank; ++m) {
        put(g, m ? ", " : "");
        if (t->val[m] == 1) {
            put_digit(g, "t", t->thr, t->thr_order, t->rank, m);
            continue;
        }
        put_digit(g, "v", t->val, t->val_order, t->rank, m);
        if (t->thr[m] == 1) continue;
        put(g, " + ");
        put_digit(g, "t", t->thr, t->thr_order, t->rank, m);
        put(g, " * %d", t->val[m]);
    }
    put(g, ")");
}
