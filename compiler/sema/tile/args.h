// The arguments of tile(ATOM, ...) by their names; NULL: not given.
#ifndef TCPC_SEMA_TILE_ARGS_H
#define TCPC_SEMA_TILE_ARGS_H

#include "sema/tile/tile.h"

struct tile_args {
    const struct ast_arg *atom, *thr, *val, *atoms, *along, *tv, *tile, *map, *like;
};

// False after an error.
bool tile_args_sort(struct sema *c, const struct ast_expr *e, struct tile_args *out);

#endif
