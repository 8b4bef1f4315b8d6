// What the cost of a candidate means: its share of memcpy, and what takes most of its time.
#include "planner/form.h"

enum {
    // The share of memcpy falls with the root of the cost; in percent of that root, the mean of 127
    // plans that were timed, half of which are within 5 % of it.
    NEAR = 102,
    NEAR_SHIFTED = 92,
    HUNDRED = 100,
    PART = 16,  // so that squares fit
    LITTLE = 50,
    LARGE = 16 << 20  // bytes; for fewer the launch counts, which is not predicted
};

// The cost with the work of accesses and instructions, where that is known.
static int64_t cost_with_work(const struct text *t) {
    const struct candidate *c = t->of;
    if (c->form == &form_runs) return c->runs.cost;
    if (c->form == &form_shift) return c->shifted.cost;
    if ((c->form != &form_tile && c->form != &form_flat) || held_bytes(t->r) > 2) return c->cost;
    const struct flat *row = c->form == &form_flat ? t->row : NULL;
    return runs_cost(row ? &row->r : t->r, &c->tile.c, c->cost, row ? row->parts : 0);
}

static int64_t square(int64_t n) {
    return n * n;
}

// What costs most of the time that "cost" has beyond that of the bytes, where accesses and
// instructions make it "with_work"; NULL: nothing costs much.
static const char *most_of(const struct cost *cost, int64_t with_work) {
    static const char *const name[] = {
        "runs of the source that are short or begin inside sectors",
        "runs of the destination that are short or begin inside sectors",
        "accesses to lines of the caches",
        "accesses to shared memory",
        "the latency of a block's loads",
        "instructions",
    };
    enum { SOURCE, DESTINATION, CACHES, SHARED, PHASES, WORK, N };
    int64_t of[N], sum = 0, cuts = cost->cuts[0] + cost->cuts[1];
    int most = 0;
    for (int i = 0; i < COST_PARTS; ++i) sum += square(cost->part[i] / PART);
    int64_t memory = cost->part[COST_MEMORY] / PART;
    int64_t torn = square(memory) - square(memory * COST_CLOCK / (COST_CLOCK + cuts));
    for (int i = 0; i < 2; ++i) of[i] = cuts ? torn / (COST_CLOCK + cuts) * cost->cuts[i] : 0;
    of[CACHES] = square(cost->part[COST_CACHES] / PART) - square(cost->copied / PART);
    of[SHARED] = square(cost->part[COST_SHARED] / PART);
    of[PHASES] = square(cost->part[COST_PHASES] / PART);
    of[WORK] = cost->total < 100 ? 0 : sum / 10000 * square(with_work / (cost->total / 100)) - sum;
    for (int i = 1; i < N; ++i)
        if (of[i] > of[most]) most = i;
    return of[most] > sum / LITTLE ? name[most] : NULL;
}

const char *predicted_text(const struct text *t, struct relayout_chosen *out) {
    const struct relayout *r = t->r;
    const struct candidate *c = t->of;
    out->share = 0;
    out->most = NULL;
    int64_t bytes = bytes_of(r, true) + bytes_of(r, false), cost = c->cost ? cost_with_work(t) : 0;
    for (int m = 0; m < r->rank; ++m)
        if (__builtin_mul_overflow(bytes, r->mode[m].extent, &bytes)) return "";
    if (cost < 100 || bytes < LARGE || bytes > INT64_MAX / COST_CLOCK) return "";
    int64_t near = c->form == &form_shift ? NEAR_SHIFTED : NEAR;
    int64_t part = bytes * COST_CLOCK / COST_BYTES / SMS * HUNDRED / (cost / HUNDRED);
    out->share = (int)(c->form == &form_torn ? part * COST_FASTER / HUNDRED / HUNDRED
                                             : root_of(part) * near / HUNDRED);
    bool tile = c->form == &form_tile || c->form == &form_flat;
    const struct cost *of = tile ? &c->tile.cost : c->form == &form_runs ? &c->runs.of : NULL;
    if (of) out->most = most_of(of, cost);
    return text_print(t, "// Predicted for one H200: %d%% of memcpy%s%s.\n", out->share,
                      out->most ? "; what costs most besides the bytes: " : "",
                      out->most ? out->most : "");
}
