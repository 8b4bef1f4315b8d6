// copy A -> B by an index map: a tiled copy whose tile is the complete side that is not a fragment.
#include "sema/tile/map.h"

const struct value *map_copy(struct sema *c, const struct ast_expr *e, const struct copy *y) {
    for (struct memo *m = c->memo; m; m = m->next)
        if (m->e == e) return m->value;
    // a fragment has the values of one thread; the other side is the tile
    const struct view *v = copy_tiled_side(y);
    struct lay_int size = lay_size(c->lay, v->layout);
    if (!lay_int_static(size))
        return FAIL(c, v->at,
                    "a map goes through all %s elements of '%s', which is known only at run time; "
                    "cut the tensor with local_tile first",
                    lay_int_valid(size) ? lay_int_text(c->lay, size) : "its", v->base->name);
    struct tiled_copy *tc = ARENA_NEW(&c->s->arena, struct tiled_copy);
    *tc = (struct tiled_copy){.at = e->at, .by = true};
    tc->atom = atom_auto(e->at);
    if (!tile_by_map(c, e, v->layout.shape, v->at, tc) || !tile_sides(c, tc, NULL, e->at))
        return &value_none;
    struct value *r = ARENA_NEW(&c->s->arena, struct value);
    r->kind = VAL_TILED;
    r->tc = tc;
    return r;
}
