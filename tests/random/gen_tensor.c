// The generator's whole tensors: their extents, params and layouts, and the grid over their tiles.
#include "gen_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_tiled(const struct kernel *k) {
    if (k->tails) return true;
    for (int i = 0; i < k->rank; ++i)
        if (k->axis[i].tiles > 1 || k->axis[i].param[0]) return true;
    return false;
}

static bool has_params(const struct kernel *k) {
    for (int i = 0; i < k->rank; ++i)
        if (k->axis[i].param[0]) return true;
    return false;
}

// Writes tile "k->tile" of "whole" as a range of each mode.
static void write_ranges(const struct kernel *k, const char *whole, char *view, size_t size) {
    size_t n = (size_t)snprintf(view, size, "%s(", whole);
    for (int i = 0; i < k->rank && n < size; ++i) {
        int64_t t = k->tile[i];
        n += (size_t)snprintf(view + n, size - n,
                              "%s%" PRId64 "*(%s) .. %" PRId64 "*(%s) + %" PRId64, i ? ", " : "", t,
                              k->axis[i].coord, t, k->axis[i].coord, t);
    }
    if (n < size) snprintf(view + n, size - n, ")");
}

void put_global(struct gen *g, const struct kernel *k, const char *name, const struct tiled *t,
                char *view) {
    struct shape s = {.rank = k->rank};
    int contiguous = t->exact ? t->along : -1, unit = t->exact ? t->bits / k->elem_bits : 1;
    int batch = -1;
    for (int i = 0; i < k->rank; ++i) {
        s.extent[i] = k->axis[i].extent;
        s.symbol[i] = k->axis[i].param[0] ? k->axis[i].param : NULL;
    }
    bool row = contiguous == k->rank - 1 && (contiguous != 0 || percent(g, 50));
    if (contiguous < 0) row = percent(g, 50);
    if (k->sliced) {
        batch = row ? 0 : k->rank;
        memmove(s.extent + batch + 1, s.extent + batch,
                sizeof s.extent[0] * (size_t)(k->rank - batch));
        memmove(s.symbol + batch + 1, s.symbol + batch,
                sizeof s.symbol[0] * (size_t)(k->rank - batch));
        s.extent[batch] = k->batch.tiles;
        s.symbol[batch] = NULL;
        ++s.rank;
        if (contiguous >= batch) ++contiguous;
    }
    put(g, "tensor %s : %s global ", name, k->elem);
    if (has_params(k)) {
        if (row && s.rank == 2 && k->ld[0])
            put_shape(g, &s), put(g, ":(%s,1)", k->ld);
        else if (row)
            put(g, "row"), put_shape(g, &s);
        else
            put_shape(g, &s);
    } else if (percent(g, 40) && (contiguous < 0 || row || contiguous == 0) &&
               (contiguous < 0 || s.extent[contiguous] % unit == 0)) {
        put(g, "%s", row ? "row" : "");
        put_shape(g, &s);
    } else {
        if (!is_tiled(k) && !k->sliced && may(g, GEN_NESTED, 40)) nest(g, k, &s, contiguous, unit);
        if (may(g, GEN_SWIZZLE, 15)) put_swizzle(g, unit);
        put_layout(g, &s, contiguous, unit, true);
    }
    int bytes = t->exact ? t->bits / 8 : k->elem_bits / 8;
    // an access that is demanded needs a promise, unless it is of single elements
    bool bare = !t->exact || t->bits == k->elem_bits;
    if (!may(g, GEN_UNALIGNED, 12) || !bare)
        put(g, " align %d", bytes < 16 && percent(g, 70) ? 16 : bytes);
    put(g, ";\n");

    char sliced[160];
    int n = snprintf(sliced, sizeof sliced, "%s", name);
    if (k->sliced) {
        n += snprintf(sliced + n, sizeof sliced - (size_t)n, "(");
        for (int i = 0; i < s.rank; ++i)
            n += snprintf(sliced + n, sizeof sliced - (size_t)n, "%s%s", i ? "," : "",
                          i == batch ? k->batch.coord : "_");
        snprintf(sliced + n, sizeof sliced - (size_t)n, ")");
    }
    if (!is_tiled(k)) {
        strcpy(view, sliced);
        return;
    }
    // one looped mode may be kept by local_tile and sliced afterwards
    int kept = -1;
    for (int i = 0; i < k->rank && kept < 0; ++i)
        if (k->axis[i].looped && percent(g, 25)) kept = i;
    // whole tiles; not by a number of its own, so that each seed keeps its other choices
    if (!k->tails && (g->features & GEN_RANGES) && g->len / 4 % 6 == 0) {
        write_ranges(k, sliced, view, VIEW_TEXT);
        return;
    }
    n = sprintf(view, "local_tile(%s, (", sliced);
    for (int i = 0; i < k->rank; ++i)
        n += sprintf(view + n, "%s%" PRId64, i ? "," : "", k->tile[i]);
    n += sprintf(view + n, "), (");
    for (int i = 0; i < k->rank; ++i)
        n += sprintf(view + n, "%s%s", i ? "," : "", i == kept ? "_" : k->axis[i].coord);
    n += sprintf(view + n, "))");
    if (kept < 0) return;
    n += sprintf(view + n, "(");
    for (int i = 0; i < k->rank; ++i) n += sprintf(view + n, "_,");
    sprintf(view + n, "%s)", k->axis[kept].coord);
}

// Gives the tiles along an axis to blocks, to a loop, or to both.
static void choose_axis(struct gen *g, struct kernel *k, struct axis *x, int mode) {
    static const char *const axes[] = {"block.x", "block.y", "block.z"};
    bool loops = g->features & GEN_LOOPS;
    char count[48];
    if (x->tiles == 1 && !x->param[0]) {
        strcpy(x->coord, "0");
        return;
    }
    if (x->param[0] && k->tails)
        snprintf(count, sizeof count, "ceil_div(%s,%" PRId64 ")", x->param, k->tile[mode]);
    else if (x->param[0])
        snprintf(count, sizeof count, "%s/%" PRId64, x->param, k->tile[mode]);
    else
        snprintf(count, sizeof count, "%" PRId64, x->tiles);
    if (!x->param[0] && x->tiles == 4 && loops && k->block_axes < 3 && percent(g, 40)) {
        snprintf(x->coord, sizeof x->coord, "%s*2 + k%d", axes[k->block_axes], k->loops);
        strcpy(k->grid[k->block_axes++], "2");
        sprintf(k->loop[k->loops], "k%d in 0 .. 2", k->loops);
        ++k->loops;
    } else if (k->block_axes < 3 && (!loops || percent(g, 65))) {
        strcpy(x->coord, axes[k->block_axes]);
        strcpy(k->grid[k->block_axes++], count);
    } else if (loops) {
        bool from_one = !x->param[0] && percent(g, 20);
        sprintf(x->coord, from_one ? "k%d - 1" : "k%d", k->loops);
        snprintf(k->loop[k->loops], sizeof k->loop[0],
                 from_one ? "k%d in 1 .. %s + 1" : "k%d in 0 .. %s", k->loops, count);
        ++k->loops;
        x->looped = true;
    } else {  // no way to count is left
        x->tiles = 1;
        x->param[0] = 0;
        strcpy(x->coord, "0");
    }
}

static bool is_inside(const struct kernel *k, int mode) {
    return mode > 0 && mode < k->rank - 1;
}

void choose_axes(struct gen *g, struct kernel *k) {
    int64_t size = 1;
    for (int i = 0; i < k->rank; ++i) size *= k->tile[i];
    if (k->rank >= 2 && size * 6 <= MAX_WHOLE && !k->small[0] && !k->small[1] &&
        percent(g, 15)) {  // one axis of blocks counts two modes
        struct axis *x = &k->axis[0], *y = &k->axis[1];
        x->tiles = 3;
        y->tiles = 2;
        x->done = y->done = true;
        strcpy(x->coord, "block.x % 3");
        strcpy(y->coord, "block.x / 3");
        strcpy(k->grid[k->block_axes++], "6");
        size *= 6;
    }
    for (int i = 0; i < k->rank; ++i) {
        struct axis *x = &k->axis[i];
        if (x->done) continue;
        x->tiles = PICK(g, 1, 1, 2, 3, 4);
        if (size * x->tiles > MAX_WHOLE || k->small[i]) x->tiles = 1;
        // compact layouts alone have params in them: their contiguous mode is the first or the last
        bool inside = k->a.exact && (is_inside(k, k->a.along) || is_inside(k, k->a.across));
        if (size <= MAX_TILE / 8 && !inside && !k->small[i] && may(g, GEN_PARAMS, 20)) {
            sprintf(x->param, "%c%d", 'M' + i, g->kernel);
            x->tiles = 1;
        }
        size *= x->tiles;
        choose_axis(g, k, x, i);
    }
    choose_extents(g, k);
    k->batch.tiles = 2 + below(g, 3);
    if (size * k->batch.tiles <= MAX_WHOLE && may(g, GEN_SLICES, 20) &&
        (k->block_axes < 3 || (g->features & GEN_LOOPS))) {
        k->sliced = true;
        choose_axis(g, k, &k->batch, -1);
    }
}

void put_params(struct gen *g, struct kernel *k) {
    for (int i = 0; i < k->rank; ++i)
        if (k->axis[i].param[0]) {
            bool moved = k->a.exact && (k->a.along == i || k->a.across == i);
            int unit = moved ? k->a.bits / k->elem_bits : 1;
            put(g, "param %s : index", k->axis[i].param);
            if (!k->tails || unit > 1) put(g, " %% %" PRId64, k->tails ? unit : k->tile[i]);
            put(g, "%s;\n", percent(g, 30) ? " in 0 .. 65536" : "");
        }
    if (has_params(k) && k->rank == 2 && !k->sliced && percent(g, 60)) {
        sprintf(k->ld, "ld%d", g->kernel);
        put(g, "param %s : index %% 16 where %s >= ", k->ld, k->ld);
        if (k->axis[1].param[0])
            put(g, "%s;\n", k->axis[1].param);
        else
            put(g, "%" PRId64 ";\n", k->axis[1].extent);
    }
}
