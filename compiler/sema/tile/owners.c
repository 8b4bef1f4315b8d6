// The owners of a tile's elements: proves that each element has one, or equally many if a tile only
// reads.  Separate from making tiles, because it uses only the points of the TV layout.
#include <inttypes.h>
#include <stdlib.h>

#include "sema/tile/tile.h"

// Limits for the steps of a plan's tiles, and for more steps per byte of its text: tiles are
// examined element by element.
enum { PLAN_STEPS = 1 << 23, STEPS_A_BYTE = 1 << 10 };

bool tile_spend(struct sema *c, int64_t steps, struct range at) {
    int64_t most = PLAN_STEPS + STEPS_A_BYTE * source_bytes(c->s);
    if (steps <= most - c->steps) {
        c->steps += steps;
        return true;
    }
    diag_error(c->s, at,
               "the tiles up to here have %" PRId64 " elements together, and each is checked, "
               "those of 'map=' at least twice; a plan of this length may have %" PRId64,
               c->steps + steps, most);
    return false;
}

// Whether each of the tile's "size" elements belongs to equally many threads, more than one, and
// once to each of them.  This is so for operands of an MMA that several warps need.
static bool is_repeated(struct sema *c, const struct tiled_copy *tc, int64_t size) {
    int64_t n = tc->threads * tc->values;
    if (size < 1 || size >= n || n % size != 0) return false;
    int32_t *times = memory_zeroed((size_t)size, sizeof *times),
            *last = memory_zeroed((size_t)size, sizeof *last);
    bool ok = true;
    for (int64_t t = 0; t < tc->threads && ok; ++t) {
        for (int64_t v = 0; v < tc->values && ok; ++v) {
            int64_t to;
            ok = lay_eval(c->lay, tc->tv, t + tc->threads * v, &to) && to >= 0 && to < size &&
                 last[to] != t + 1 && times[to] < n / size;
            if (!ok) break;
            last[to] = (int32_t)t + 1;
            ++times[to];
        }
    }
    memory_free(times);
    memory_free(last);
    lay_clear_error(c->lay);
    return ok;
}

bool tile_check_writes(struct sema *c, const struct copy *y) {
    struct lay_int size = lay_tuple_product(c->lay, y->tc->tiler);
    int64_t n = y->tc->threads * y->tc->values, first, to;
    if (y->dst.base->space == MEM_FRAG || size.num == n || !lay_eval(c->lay, y->tc->tv, 0, &first))
        return true;
    int64_t i = 1;
    while (i < n && (!lay_eval(c->lay, y->tc->tv, i, &to) || to != first)) ++i;
    diag_error(c->s, y->dst.at,
               "each element of the tile belongs to %" PRId64
               " threads, so '%s' would be written more than once: value 0 of thread 0 is also "
               "value %" PRId64 " of thread %" PRId64,
               n / size.num, y->dst.base->name, i / y->tc->threads, i % y->tc->threads);
    diag_note(c->s, y->tc->at, "this tile can only be read into fragments");
    diag_page(c->s, "injective");
    return false;
}

bool tile_check_owners(struct sema *c, const struct tiled_copy *tc, struct range at) {
    int64_t n = tc->threads * tc->values;
    struct lay_int size = lay_tuple_product(c->lay, tc->tiler);
    if (lay_int_static(size) && is_repeated(c, tc, size.num)) return true;
    if (!lay_int_static(size) || size.num != n) {
        diag_error(c->s, at,
                   "%" PRId64 " threads of %" PRId64 " values are %" PRId64
                   " elements; the tile %s has %s",
                   tc->threads, tc->values, n, lay_tuple_text(c->lay, tc->tiler),
                   lay_int_valid(size) ? lay_int_text(c->lay, size) : "too many");
        return false;
    }
    int32_t *owner = memory_zeroed((size_t)n, sizeof *owner);
    bool ok = true;
    for (int64_t i = 0; i < n && ok; ++i) {
        int64_t to, t = i % tc->threads, v = i / tc->threads;
        ok = lay_eval(c->lay, tc->tv, i, &to);
        if (!ok) {
            sema_lay_error(c, at, "'tv='");
        } else if (to < 0 || to >= n) {
            diag_error(c->s, at,
                       "thread %" PRId64 ", value %" PRId64 " is element %" PRId64
                       ", outside the tile %s of %" PRId64 " elements",
                       t, v, to, lay_tuple_text(c->lay, tc->tiler), n);
            ok = false;
        } else if (owner[to]) {
            int64_t first = owner[to] - 1;
            const struct lay_tuple *crd =
                lay_idx2crd(c->lay, lay_leaf_of(c->lay, to), tc->tiler, NULL);
            diag_error(c->s, at,
                       "element %s of the tile belongs to thread %" PRId64 ", value %" PRId64
                       " and to thread %" PRId64 ", value %" PRId64,
                       crd ? lay_tuple_text(c->lay, crd) : "?", first % tc->threads,
                       first / tc->threads, t, v);
            diag_page(c->s, "injective");
            ok = false;
        } else {
            owner[to] = (int32_t)i + 1;
        }
    }
    memory_free(owner);
    return ok;
}
