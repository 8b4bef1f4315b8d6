// What a thread of a tiled copy reads and writes: the tile's own values, except for a collective
// atom, whose row has a layout of (thread, value) for each side.
#include <inttypes.h>

#include "sema/tile/tile.h"

// Like CuTe's tile2thrfrg: sorts what the tile distributes to the threads of one access in the
// order of that side.
static struct lay side(struct sema *c, const struct tiled_copy *tc, const char *bits) {
    const struct atom *a = &tc->atom;
    int n = a->bits / tc->elem_bits;
    const struct lay_tuple *access =
        lay_tuple2(c->lay, lay_leaf_of(c->lay, a->row->threads), lay_leaf_of(c->lay, n));
    // ((atom_t,atom_v),(rest_t,rest_v)) -> place in the tile
    struct lay zipped = lay_zipped_divide(c->lay, tc->tv, lay_tiler_shape(c->lay, access));
    struct lay dealt = atom_dealt(c->s, a, bits, tc->elem_bits);
    struct lay mine = lay_compose(c->lay, lay_mode(c->lay, zipped, 0), dealt);
    struct lay rest = lay_mode(c->lay, zipped, 1);
    if (!lay_valid(mine) || !lay_valid(rest)) return lay_layout_invalid();
    struct lay thr[] = {lay_mode(c->lay, mine, 0), lay_mode(c->lay, rest, 0)};
    struct lay val[] = {lay_coalesce(c->lay, lay_mode(c->lay, mine, 1)),
                        lay_coalesce(c->lay, lay_mode(c->lay, rest, 1))};
    // (thread,(atom_v,rest_v))
    return lay_join(c->lay, 2,
                    (struct lay[]){lay_coalesce(c->lay, lay_join(c->lay, 2, thr)),
                                   lay_join(c->lay, 2, val)});
}

bool tile_sides(struct sema *c, struct tiled_copy *tc, const struct value *like, struct range at) {
    enum { MATRIX_BITS = 16 };  // the width of ldmatrix's elements, if nothing gives their type
    const struct atom *a = &tc->atom;
    tc->tv_src = tc->tv_dst = tc->tv;
    if (!atom_is_collective(a->row)) return true;
    if (a->elem) tc->elem_bits = a->elem->bits;
    if (!tc->elem_bits) tc->elem_bits = MATRIX_BITS;
    if (!atom_takes(c, a->row, tc->elem_bits, at)) return false;
    int n = a->bits / tc->elem_bits;
    if (!lay_valid(tc->tv)) {
        diag_error(
            c->s, at,
            "'%s' is an access of %d threads together, whose tile is a layout; this map is not one",
            a->row->name, a->row->threads);
        diag_page(c->s, a->row->page);
        return false;
    }
    if (tc->threads % a->row->threads != 0 || tc->values % n != 0) {
        diag_error(c->s, at,
                   "'%s' is an access of %d threads with %d elements of %d bits each; here are "
                   "%" PRId64 " threads with %" PRId64,
                   a->row->name, a->row->threads, n, tc->elem_bits, tc->threads, tc->values);
        diag_page(c->s, a->row->page);
        if (like && n % tc->values == 0)
            mma_note_wider(c, like->mma, like->operand, tc->values, n / tc->values);
        return false;
    }
    lay_clear_error(c->lay);
    tc->tv_src = side(c, tc, a->row->src);
    tc->tv_dst = side(c, tc, a->row->dst);
    if (lay_valid(tc->tv_src) && lay_valid(tc->tv_dst)) return true;
    sema_lay_error(c, at, "the tile");
    return false;
}
