// The named arguments of tile(ATOM, ...); NULL if not given.
#ifndef TCPC_SEMA_TILE_ARGS_H
#define TCPC_SEMA_TILE_ARGS_H

#include "sema/tile/tile.h"

struct tile_args {
    const struct ast_arg *atom, *thr, *val, *atoms, *along, *tv, *tile, *map, *like;
};

// Returns false after an error.
bool tile_args_sort(struct sema *c, const struct ast_expr *e, struct tile_args *out);

#endif
