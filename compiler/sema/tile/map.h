// An index map as map.c reads it and map_points.c evaluates it: (t:128, v:8) -> (t / 16, ...).
#ifndef TCPC_SEMA_TILE_MAP_H
#define TCPC_SEMA_TILE_MAP_H

#include "sema/tile/tile.h"

// One integer of a map's coordinate, and the extent that it runs through.
struct map_leaf {
    const struct ix *ix;
    int64_t extent;
};

enum { MAP_NAMES = 32 };

struct index_map {
    const struct ast_expr *e;
    const struct ix_var *var[MAP_NAMES];  // the threads' first; each the fastest first
    int64_t extent[MAP_NAMES];            // of var
    int nvars, nthr;
    int64_t threads, values;
    const struct value *coord;
    struct map_leaf leaf[LAY_MAX_LEAVES];
    int nleaves;
    const struct lay_tuple *tile;  // its shape; of the coordinate's form when the map says it
    int64_t size;                  // of the tile
};

// Finds out by going through all points of "m" which tile they fill, when "m" has none yet, that
// each element of it is taken once, and the layout of (thread, value) that the map is.  Returns
// false when there was an error, which is reported.  Fills "tv", "map" and "tiler" of "tc"; "tv" is
// invalid when the map is no layout, which is warned of.
bool map_points(struct sema *c, struct index_map *m, struct tiled_copy *tc);

#endif
