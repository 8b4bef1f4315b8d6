// Making views: the whole of a tensor, and what layout functions and slicing make of a view.  A
// function keeps layout, offset and coordinates together, so that each view knows which elements of
// its tensor it names.
#ifndef TCPC_PLAN_VIEW_H
#define TCPC_PLAN_VIEW_H

#include "plan/plan.h"

struct view view_of_tensor(struct session *s, struct tensor *t, struct range at);

// A coordinate: a tuple whose leaves are index expressions, ranges or _ (keep the mode).
struct coord {
    int rank;                 // -1: a leaf
    const struct ix *ix;      // leaf: NULL for _
    const struct ix *end;     // of a range that begins at "ix", else NULL
    const struct coord *kid;  // rank of them
};

// The part of "v" at "c": modes with _ stay, the others go into the offset (view(c) with all modes
// given is rank 0). An integer in the place of a tuple mode is taken as its colexicographic index,
// as in CuTe.  On failure reports at "at" and gives a view with invalid layout.
struct view view_slice(struct session *s, struct view v, const struct coord *c, struct range at);

// What partition_src or partition_dst has divided by a tiled copy whose lanes make accesses
// together.  The elements of one thread do not say which ones such an access moves.
struct divided {
    const struct tiled_copy *by;
    bool src;
    struct view all;  // as the block or warp has it; of mode i the tiler's part, then the tiles
    struct coord at;  // (value,tiles of mode 0,tiles of mode 1,..): how these were sliced
};
// What is left of "d" in a slice at "c"; NULL: no whole tiles.
const struct divided *divided_slice(struct session *s, const struct divided *d,
                                    const struct coord *c);
// The tiles that are left of it.  On failure reports at "at" and gives a view with invalid layout.
struct view divided_tiles(struct session *s, const struct divided *d, struct range at);

// "v" with the modes that "c" has ranges of cut to these, and in "*rest" the coordinate with '_' in
// their place.  On failure reports at "at" and gives a view with invalid layout.
struct view view_cut(struct session *s, struct view v, const struct coord *c, struct range at,
                     const struct coord **rest);

// Where "v" ends along mode "mode" of its tensor: no coordinate from there on is touched.
const struct ix *view_limit(struct session *s, const struct view *v, int mode);

// "mode 1", or "mode 1 ('s')" where it has a name: a mode of "t" by flattened mode.
const char *view_mode_text(struct session *s, const struct tensor *t, int leaf);

// Whether the shape or the place of "v" needs the extent of a range that is a sum, M - 10: tiles of
// it do not.
bool view_is_open(const struct view *v);

// The offset of index expression "i" (or of a coordinate) in a layout, elements: sum of ((i / p) %
// s) * d.
const struct ix *view_crd2idx(struct session *s, const struct ix *i, const struct lay_tuple *shape,
                              const struct lay_tuple *stride);

// tid where only threads below "n" go on: the same variable with a shorter range.
const struct ix *view_tid(struct session *s, const struct kernel *k, int64_t n);

// Where value "v" of thread "t", of the source or the destination, is in the tile of "tc", the
// first mode fastest.
bool tiled_place(struct session *s, const struct tiled_copy *tc, bool src, int64_t t, int64_t v,
                 int64_t *place);

// The lane where only lanes below "n" go on: the same variable with a shorter range.
const struct ix *view_lane(struct session *s, const struct kernel *k, int64_t n);

// "e" with the lane as tid % 32 and the warp as tid / 32.
const struct ix *view_by_tid(struct session *s, const struct kernel *k, const struct ix *e);

// Whether the part that "v" is differs from thread to thread, or else from warp to warp.
bool view_of_thread(const struct view *v);
bool view_of_warp(const struct view *v);

// Whether every warp of "k", the last one too, has "n" lanes.
bool view_has_lanes(const struct kernel *k, int64_t n);

// How many lanes of each warp take part in a copy between one thread's views; 0: all.
int64_t view_lanes(const struct copy *c);

// The thread, of the block or of each warp, that copy "c" gives its part of a tile.
const struct ix *view_thread(struct session *s, const struct kernel *k, const struct copy *c);

// How many of "all" threads take part in a copy between one thread's views.
int64_t view_threads(const struct copy *c, int64_t all);

// The offsets of a coordinate's modes are in a view; this is one of "v"'s layout, shape (s0,s1..)
// with stride k@i for the i-th leaf of the layout.  What a layout function makes of it says, for
// any view of that shape, which elements are where.
struct lay view_identity(struct session *s, const struct view *v);

// "l" without the modes of one element at the end of nested modes, which tile_to_shape makes: a
// tile that reaches beyond such a mode reaches beyond the last part that has several.
struct lay view_trimmed(struct session *s, struct lay l);

// The view that has at coordinate c what "v" has at f(c).  @pre "f" was made of view_identity(v):
// each stride is 0 or k@i.
struct view view_map(struct session *s, struct view v, struct lay f, struct range at);

// The same by a divide: "f" is CuTe's, and "on" has the step from tile to tile also where a mode
// has one tile, for which "f" has the stride 0 (lay_divide_on).  The view has CuTe's strides, and
// the coordinates of "on".  A fragment has no coordinates, and the strides of "on".
struct view view_divide(struct session *s, struct view v, struct lay f, struct lay on,
                        struct range at);
// Whether a leaf of the shape of "v", of that extent and with stride "step" in v->coord, ends where
// "v" ends along a mode of its tensor (view_limit).
bool view_leaf_is_whole(struct session *, const struct view *v, struct lay_int extent,
                        struct lay_int step);
// Notes that "v", which has too few modes, was cut by a tile of too few.
void view_note_tile(struct session *s, const struct view *v);
// Leaves "from" .. "end" - 1 of the layout of "v" count tiles.
void view_counts_tiles(struct view *v, int from, int end);

#endif
