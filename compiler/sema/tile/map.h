// An index map, (t:128, v:8) -> (t / 16, ...).  map.c reads it and map_points.c evaluates it.
#ifndef TCPC_SEMA_TILE_MAP_H
#define TCPC_SEMA_TILE_MAP_H

#include "sema/tile/tile.h"

// An integer in a map's coordinate, and its extent.
struct map_leaf {
    const struct ix *ix;
    int64_t extent;
};

enum { MAP_NAMES = 32 };

struct index_map {
    const struct ast_expr *e;
    const struct ix_var *var[MAP_NAMES];  // those of threads first; each the fastest first
    int64_t extent[MAP_NAMES];            // of var
    int nvars, nthr;
    int64_t threads, values;
    const struct value *coord;
    struct map_leaf leaf[LAY_MAX_LEAVES];
    int nleaves;
    // shape of the tile; structured like the coordinate if the map determines it
    const struct lay_tuple *tile;
    int64_t size;  // of the tile
};

// Evaluates "m" at all its points.  Finds the tile that they fill, if "m" has none yet, checks that
// each element of it is taken once, and finds the (thread, value) layout of the map.  Sets "tv",
// "map" and "tiler" of "tc".  If the map is not a layout, "tv" is invalid and there is a warning.
// Reports errors and returns false.
bool map_points(struct sema *c, struct index_map *m, struct tiled_copy *tc);

#endif
