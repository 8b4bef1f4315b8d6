// Makes views: of complete tensors, by layout functions, and by slices.  Each function keeps
// layout, offset and coordinates together, so a view always knows which elements of its tensor it
// has.
#ifndef TCPC_PLAN_VIEW_H
#define TCPC_PLAN_VIEW_H

#include "plan/plan.h"

struct view view_of_tensor(struct session *s, struct tensor *t, struct range at);

// A coordinate: a tuple whose leaves are index expressions, ranges or _ (the mode is kept).
struct coord {
    int rank;                 // -1: a leaf
    const struct ix *ix;      // leaf: NULL for _
    const struct ix *end;     // of a range that begins at "ix", else NULL
    const struct coord *kid;  // rank of them
};

// The part of "v" at coordinate "c".  Modes with _ are kept; the others are added to the offset, so
// a complete coordinate gives a view of rank 0. As in CuTe, an integer for a mode that is a tuple
// is its colexicographic index.  On failure, reports an error at "at" and returns a view with an
// invalid layout.
struct view view_slice(struct session *s, struct view v, const struct coord *c, struct range at);

// A view divided by partition_src or partition_dst with a tiled copy whose lanes make accesses
// together.  It is kept because the elements of one thread do not show which elements an access
// moves.
struct divided {
    const struct tiled_copy *by;
    bool src;
    // the undivided view of a block or warp; mode i is the tiler's part, then the tiles
    struct view all;
    struct coord at;  // coordinate (value,tiles of mode 0,tiles of mode 1,..) of later slices
};
// The result of slicing "d" at "c"; NULL if it does not consist of whole tiles.
const struct divided *divided_slice(struct session *s, const struct divided *d,
                                    const struct coord *c);
// The remaining tiles of "d".  On failure, reports an error at "at" and returns a view with an
// invalid layout.
struct view divided_tiles(struct session *s, const struct divided *d, struct range at);

// "v", restricted to the ranges in "c".  Sets "*rest" to the coordinate with '_' in their place.
// On failure, reports an error at "at" and returns a view with an invalid layout.
struct view view_cut(struct session *s, struct view v, const struct coord *c, struct range at,
                     const struct coord **rest);

// The end of "v" along mode "mode" of its tensor: no coordinate >= this is accessed.
const struct ix *view_limit(struct session *s, const struct view *v, int mode);

// A bound of the coordinates of a view along a mode of its tensor: coordinate < at, or with "front"
// at <= coordinate.
struct edge_of {
    const struct ix *at;
    bool front;
    bool shorter, product;  // see struct halo
};
enum { VIEW_EDGES = 3 };
// Sets "out" to the bounds of "v" along mode "mode", and returns their number.
int view_edges(struct session *s, const struct view *v, int mode, struct edge_of *out);
// "e" is >= 0 where coordinate "c" is outside bound "b".
const struct ix *view_beyond(struct session *s, struct edge_of b, const struct ix *c);

// "mode 1", or "mode 1 ('s')" where it has a name: a mode of "t" by flattened mode.
const char *view_mode_text(struct session *s, const struct tensor *t, int leaf);
// Whether the text of "v" is a select.
bool view_is_select(struct session *s, const struct view *v);
// The text of "v", which has two modes, with these in the other order: "select(V, (1,0))", or V if it is that.
const char *view_turned_text(struct session *s, const struct view *v);

// Ends "v" where shorter parts of its tensor end, if it has a part of each mode that has such.
void view_shorten(struct session *s, struct view *v);
// "e" is >= 0 where "x" says that there is no element.  "digit" and "part" are the coordinates.
const struct ix *view_absent(struct session *s, const struct shorter *x, const struct ix *digit,
                             const struct ix *part);

// Whether the shape or the place of "v" needs the extent of a range that is a sum, M - 10: tiles of
// it do not.
bool view_is_open(const struct view *v);

// The offset of "i", an index or a coordinate, in a layout, in elements: the sum of ((i / p) % s) *
// d.
const struct ix *view_crd2idx(struct session *s, const struct ix *i, const struct lay_tuple *shape,
                              const struct lay_tuple *stride);

// tid in code that only threads below "n" execute: the same variable with a shorter range.
const struct ix *view_tid(struct session *s, const struct kernel *k, int64_t n);

// Sets "*place" to the place of value "v" of thread "t" in the tile of "tc", counted along the
// first mode first, for the source or the destination.
bool tiled_place(struct session *s, const struct tiled_copy *tc, bool src, int64_t t, int64_t v,
                 int64_t *place);

// The lane in code that only lanes below "n" execute: the same variable with a shorter range.
const struct ix *view_lane(struct session *s, const struct kernel *k, int64_t n);

// "e" with lane replaced by tid % 32 and warp by tid / 32.
const struct ix *view_by_tid(struct session *s, const struct kernel *k, const struct ix *e);

// Whether the part "v" differs from thread to thread, or from warp to warp.
bool view_of_thread(const struct view *v);
bool view_of_warp(const struct view *v);

// Whether every warp of "k", including the last one, has at least "n" lanes.
bool view_has_lanes(const struct kernel *k, int64_t n);

// How many lanes of each warp take part in a copy between thread parts; 0: all.
int64_t view_lanes(const struct copy *c);

// The number of the thread (in its block or warp) that selects a thread's part of a tile in copy
// "c".
const struct ix *view_thread(struct session *s, const struct kernel *k, const struct copy *c);

// How many of "all" threads take part in a copy between thread parts.
int64_t view_threads(const struct copy *c, int64_t all);

// The layout with the shape (s0,s1..) of "v" and stride k@i for leaf i.  Applying a layout function
// to it shows, for any view of that shape, where the function takes each element from.
struct lay view_identity(struct session *s, const struct view *v);

// "l" without trailing modes of one element in nested modes, which tile_to_shape makes.  A tile
// that reaches beyond such a mode reaches beyond the last mode with several elements.
struct lay view_trimmed(struct session *s, struct lay l);

// The view whose element at c is the element of "v" at f(c).  @pre "f" was made from
// view_identity(v): each stride is 0 or k@i.
struct view view_map(struct session *s, struct view v, struct lay f, struct range at);

// The same for a divide.  "f" is CuTe's result, in which a mode of one tile has the stride 0. "on"
// has the stride from tile to tile there too (lay_divide_on).  The view gets the strides of "f" and
// the coordinates of "on".  A fragment has no coordinates and gets the strides of "on".
struct view view_divide(struct session *s, struct view v, struct lay f, struct lay on,
                        struct range at);
// Whether a leaf of extent "extent" in the shape of "v", with stride "step" in v->coord, ends where
// "v" ends along a mode of its tensor (view_limit).
bool view_leaf_is_whole(struct session *, const struct view *v, struct lay_int extent,
                        struct lay_int step);
// Whether an argument with layout "have" has the layout that a function declares.  Missing trailing
// modes count as modes of one element.
bool view_layout_fits(struct lay_ctx *x, struct lay have, struct lay declared);
// Adds the note that "v" has too few modes because the tile that divided it has too few.
void view_note_tile(struct session *s, const struct view *v);
// Marks leaves "from" .. "end" - 1 of the layout of "v", which "of" was divided into, as counting
// tiles, if what is beyond the last tile is beyond the end of "of".  Otherwise it is another part of
// the tensor, and a coordinate has to be inside.
void view_counts_tiles(struct session *s, const struct view *of, struct view *v, int from, int end);

#endif
