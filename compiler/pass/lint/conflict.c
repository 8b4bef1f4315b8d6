#include "pass/lint/conflict.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/session.h"
#include "hw/sizes.h"

enum { MOST_NAMED = 8 };

// -- lanes that go together -----------------------------------------------------------------------

static bool on(const struct warp_access *a, int lane) {
    return a->lanes >> lane & 1 && (!a->matrices || lane < 8 * a->matrices);
}

static int group_of(const struct warp_access *a) {
    return a->bits <= 32 ? LANES : LINE * 8 / a->bits;
}

// The first word of bank "bank" that "lane" accesses, with lane addresses "at"; -1: none.
static int64_t word_in(const struct warp_access *a, const int64_t *at, int lane, int bank) {
    int64_t first = at[lane] / WORD, k = (bank - first % BANKS + BANKS) % BANKS;
    int words = a->bits <= 32 ? 1 : a->bits / 32;
    return k < words ? first + k : -1;
}

struct conflict {
    int bank, lanes;  // how many lanes conflict
    uint32_t set;     // .. and which ones
};

// The bank with the most conflicting lanes of a group.  "each": lanes that want the same word count
// too.
static struct conflict find(const struct warp_access *a, const int64_t *at, bool each) {
    struct conflict most = {0, 0, 0};
    int n = group_of(a);
    for (int begin = 0; begin < LANES; begin += n) {
        for (int b = 0; b < BANKS; ++b) {
            struct conflict x = {b, 0, 0};
            for (int l = begin; l < begin + n; ++l) {
                int64_t w = on(a, l) ? word_in(a, at, l, b) : -1;
                bool first = w >= 0;
                for (int i = begin; first && !each && i < l; ++i)
                    first = !(x.set >> i & 1) || word_in(a, at, i, b) != w;
                x.set |= (uint32_t)first << l;
                x.lanes += first;
            }
            if (x.lanes > most.lanes) most = x;
        }
    }
    return most;
}

// -- texts ----------------------------------------------------------------------------------------

static const char *lanes_text(struct session *s, uint32_t lanes) {
    struct buf b;
    buf_init(&b);
    int n = __builtin_popcount(lanes), named = 0;
    for (int l = 0; l < LANES; ++l) {
        if (!(lanes >> l & 1)) continue;
        if (named == MOST_NAMED && n > MOST_NAMED) {
            buf_printf(&b, " and %d more", n - named);
            break;
        }
        buf_printf(&b, "%s%d", !named ? "" : named == n - 1 ? " and " : ", ", l);
        ++named;
    }
    return buf_finish(&b, &s->arena);
}

// Counts the different lines of global memory, those of shared memory, and the pairs of both.
static void count_lines(const struct warp_access *a, int *from, int *to, int *pairs) {
    *from = *to = *pairs = 0;
    for (int l = 0; l < LANES; ++l) {
        bool first[3] = {on(a, l), on(a, l), on(a, l)};
        for (int i = 0; i < l; ++i) {
            bool g = on(a, i) && a->global[i] / LINE == a->global[l] / LINE;
            bool s = on(a, i) && a->shared[i] / LINE == a->shared[l] / LINE;
            first[0] &= !g;
            first[1] &= !s;
            first[2] &= !(g && s);
        }
        *from += first[0];
        *to += first[1];
        *pairs += first[2];
    }
}

static const char *lines_text(struct session *s, const struct warp_access *a, int64_t warp) {
    int from, to, pairs;
    count_lines(a, &from, &to, &pairs);
    return arena_printf(&s->arena,
                        "the lanes of warp %" PRId64
                        " move from %d line%s of 128 bytes of global memory to %d of shared "
                        "memory, and each of the %d pair%s is served separately",
                        warp, from, from == 1 ? "" : "s", to, pairs, pairs == 1 ? "" : "s");
}

const char *conflict_text(struct session *s, const struct warp_access *a, int64_t warp) {
    if (a->class == COST_CP_ASYNC_CG) return lines_text(s, a, warp);
    bool cached = a->class == COST_CP_ASYNC_CA;
    struct conflict x = find(a, a->shared, cached), source = {0, 0, 0};
    if (cached) source = find(a, a->global, true);
    bool of_source = source.lanes > x.lanes;
    if (of_source) x = source;
    if (x.lanes < 2) return NULL;
    const char *together = a->matrices    ? ", which have the rows of one matrix,"
                           : a->bits > 32 ? ", which go together,"
                                          : "";
    if (of_source)
        return arena_printf(&s->arena,
                            "lanes %s of warp %" PRId64 "%s read from bank %d of the L1 cache",
                            lanes_text(s, x.set), warp, together, x.bank);
    return arena_printf(&s->arena, "lanes %s of warp %" PRId64 "%s want %s of bank %d",
                        lanes_text(s, x.set), warp, together, cached ? "words" : "different words",
                        x.bank);
}
