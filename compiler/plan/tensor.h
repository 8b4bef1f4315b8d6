// The operands of copies: params, tensors, tiled copies, and views, which are tensors or parts of
// them.
#ifndef TCPC_PLAN_TENSOR_H
#define TCPC_PLAN_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "hw/space.h"
#include "image/elem.h"
#include "index/ix.h"
#include "layout/lay.h"
#include "plan/atoms.h"

struct param;
// A relation in a where clause of a param: a OP b.
struct relation {
    const struct ix *a, *b;
    const char *op;  // "==" "!=" "<" "<=" ">" ">="
    const char *text;
    // the params in it; a kernel that has all of them checks it
    const struct param **param;
    int nparams;
    bool of_sum;  // it is "N + K == N + K", of the param that is the sum and what it is a sum of
    struct range at;
};

// A param of the plan, or a sum of params that is an extent or a stride: "N + K".  The launcher
// computes a sum, and the caller does not pass it.
struct param {
    const char *name;
    const struct ix *sum;       // NULL: the caller passes it
    const struct lay_sym *sym;  // has the promised divisor and range
    struct range at;
    struct range mod_at;  // where "% N" can be inserted
    bool mod_free;        // nothing is there yet, and the declaration is only of this param
    bool apart;           // of a tensor's parts on devices (struct spread): no caller passes it
    bool numbered;        // .. on one of several numbers of devices
};

// An `expect` or `let` that reads a tensor's layout, directly or through another `let`.
struct layout_asked {
    struct range at;
    struct layout_asked *next;
};

// The devices of a mesh, in axes.  Their numbers count the last axis fastest.
enum {
    MESH_AXES = 4,
    MESH_DEVICES = 16,
    MESH_CUTS = 2 * MESH_AXES
};  // cuts: of both sides of a copy
struct mesh {
    int naxes;
    const char *axis[MESH_AXES];
    int64_t size[MESH_AXES], step[MESH_AXES];  // step: of numbers along an axis
    int64_t devices;
    // the param that is the size of an axis; NULL: it is a number
    const struct param *by[MESH_AXES];
    // As it is declared, a mesh with such params is one for each number of devices that they allow, and
    // has no size, step and devices of its own.  "of": the declared one of such a mesh.
    const struct mesh *const *number;
    int nnumbers;
    const struct mesh *of;
    struct range at;
};

// How the parts of a tensor lie on devices.  The part of device n begins n * "apart" elements after that
// of device 0.  This is so in proofs and tests; in emitted code each part has an address of its own, and
// "apart" is 0.
struct spread {
    const struct mesh *mesh;
    const struct param *apart;
    int mode[MESH_AXES];  // the mode that an axis cuts into parts; -1: each device has a copy
    struct lay part;      // of one device
    struct lay_int whole[LAY_MAX_RANK];  // the extents of the tensor; the last parts may be shorter
    // of a mesh whose sizes are params: the tensor for each number of devices, and nothing of the above
    struct tensor *const *number;
};

// Elements that a tensor has not, though its shape has them, as the last parts of a mode are shorter: an
// element exists if its coordinate along "part", and "each" for every part before, are less than "all".
struct shorter {
    int digit,
        part;  // flattened modes: the number of the part, and within it; -1: it is one element
    struct lay_int each, all;
    const struct shorter *next;
};

// A tensor: a formal, a shared tensor or a fragment.
struct tensor {
    const char *name;
    const struct elem_type *elem;
    enum space space;
    struct lay layout;      // invalid for a frag "like" a tiled copy until pass "partition" sets it
    int align;              // promised by "align" in bytes, or 0; only plan/align.h reads it
    struct range align_at;  // where "align N" can be inserted
    struct range elem_at;   // the text of its element type
    struct range layout_at;      // the text of its layout
    bool swizzle_auto;           // .. which says that the compiler chooses the swizzle
    bool layout_read;            // sema: an expression uses the layout
    bool layout_used;            // .. for more than an `expect` about this tensor
    struct layout_asked *asked;  // sema: where the layout is read; only if swizzle_auto
    // number among the plan's tensors; a kernel's own tensors come after the top-level ones
    int id;
    const char *const *names;  // names of its modes; NULL if they have none
    int stages;                // extent of the last mode, if "stages" added it; 0: it did not
    // A frag declared "like" a tiled copy gets its layout from it: its modes (v, rest...) are those
    // of the first tile that is copied to or from it.
    const struct tiled_copy *like;
    // frag, pass "partition": the tiled copy whose (thread, value) parts it holds
    const struct tiled_copy *dist;
    bool dist_src;  // .. parts of the source; otherwise of the destination
    // .. and the number of tiles by mode; NULL: slices of the frag are copied
    const struct lay_tuple *dist_rest;
    // Frag: register i of a thread is value i of this tile.  Set by sema if the frag is "like" an
    // operand, otherwise by pass "partition" from the first copy to it; NULL if unknown.
    const struct tiled_copy *holds;
    int smem_offset;                // pass "shared": bytes
    int64_t smem_elements;          // pass "shared": how many elements are reserved from there on
    bool outside;                   // memory of the device function's caller (shared or frag)
    const struct spread *spread;    // over the devices of a mesh; NULL: it is on one
    const struct shorter *shorter;  // of the planner's text between devices: what it has not
    struct range at;
};

// An index map: which element of the tile each value of each thread is.
struct tiled_map {
    const struct ix_var *thread, *value;
    const struct ix *const *mode;  // the coordinate in the tile, an expression of thread and value
    int nmodes;
    // the same as a number; value v of thread t is at index t + threads * v
    const int32_t *place;
    // each run of this many values, from a multiple of it on, is consecutive along mode "along"
    int64_t run;
    int along;
    // the tile's shape, structured like the coordinate or as in tile=
    const struct lay_tuple *tile;
    const char *text;
};

struct tiled_copy {
    const char *name;  // NULL for an unnamed one
    struct atom atom;
    const struct lay_tuple *tiler;  // extents by mode, static
    // (thr, val) -> colexicographic index in the tile "tiler"; invalid if "map" is not a layout
    struct lay tv;
    // What a thread reads and what it writes.  Equal to tv except for collective atoms, whose
    // threads have different values on each side.
    struct lay tv_src, tv_dst;
    int elem_bits;                // collective atom: bits of the elements that the layouts count
    const struct tiled_map *map;  // or NULL
    int64_t threads, values;      // sizes of the modes of tv; tiled_values has those of each side
    struct lay thr, val;          // as written; invalid for tv=
    bool by_atoms;                // written with atoms= and along=
    bool by;                      // written after "by"; "at" is then the map or TV layout
    int along;
    struct range at, val_at, thr_at;  // val_at: the value of val=, for fix-its
    struct range val_arg_at;          // the argument val= with its name
};

// (thread, value) -> place in the tile, for one side.
static inline struct lay tiled_tv(const struct tiled_copy *tc, bool src) {
    return src ? tc->tv_src : tc->tv_dst;
}
// Values of a thread on one side.  For a collective atom, a lane that addresses rows may hold fewer
// values than it addresses.
static inline int64_t tiled_values(const struct tiled_copy *tc, bool src) {
    return tc->values * atom_side_bits(&tc->atom, src) / tc->atom.bits;
}

struct view;

// The arguments of local_partition, for a fix-it that writes it in another way.
struct partitioned {
    const struct view *of;
    struct lay thr;
    struct range of_at, thr_at;  // ranges of its arguments
    const struct ix *thread;
};

struct coord;

// The arguments of a slice, for a fix-it that copies the complete view.
struct sliced {
    const struct view *of;
    const struct coord *at;  // has no ranges
    struct range of_at;
};

// -- views ----------------------------------------------------------------------------------------
// A set of leaves of a shape, by number.
struct leaf_set {
    uint64_t word[LAY_MAX_LEAVES / 64];
};

// What a bound of a range is about: its first coordinate, its last one, or its length.
enum range_bound { RANGE_BEGIN, RANGE_LAST, RANGE_EXTENT };

// A coordinate of a slice, which must be proven to be inside its mode.
struct slice_bound {
    const struct ix *at;
    struct lay_int extent;  // of the mode; invalid if "at" is proven to be less, or may exceed it
    bool of_tensor;         // the mode is a complete mode of the tensor
    const char *range;      // text of the range that "at" belongs to; or NULL
    enum range_bound what;
    int halo;  // 1 + the mode of the tensor along which the range is a halo; 0: it is none
    const struct slice_bound *next;
};

// What a range is taken from that may begin before it or end beyond it: a tensor, or a range of one.
// Its elements have coordinates begin <= c < end.
struct halo {
    const struct ix *begin, *end;  // NULL: there is no such bound
    const struct ix *first;        // where the last other range begins; NULL: there is none
    // Pass "predicate" has proven each range to be inside, or guards it where it is not.
    bool settled;
    bool shorter;  // the end is that of a shorter part, which is guarded
    bool
        product;  // .. and a product of a param and a variable: proofs leave it out (instances_cond_inside)
};

// A tensor, or a part of one: its element at coordinate c is base[sw(offset + layout(c))].
struct view {
    struct tensor *base;
    const struct ix *offset;  // elements; before the swizzle, if there is one
    struct lay layout;        // shape and strides; its swizzle is layout.sw, and layout.offset is 0
    // Maps a coordinate of the view to one of the tensor.  The coordinate along flattened mode i is
    // coord_off[i] + the values of the strides k@i in coord, which has the shape of layout.  Bounds
    // and coverage are proven on it.  A frag has none (coord is invalid).
    struct lay coord;
    const struct ix *const *coord_off;
    // End of the part along each mode of the tensor; tiles of it may reach beyond.  NULL: the ends
    // of the tensor.  Set by ranges (see view_limit).
    const struct ix *const *limit;
    bool range_of_range;  // .. and a range of such a part was taken
    // By mode of the tensor; NULL: no range may be outside.
    const struct halo *halo;
    // A mode of a padded divide has coordinates outside the tensor.
    bool overhang;
    // Made by a divide of complete modes without a remainder.  A tile beyond the last one is
    // outside the tensor, as if the divide were padded; pass "predicate" then sets "overhang".
    bool tiled;
    // .. and some of those are in the tensor, but outside the divided view.
    bool overhangs_part;
    // leaves of layout that count tiles; their coordinates may exceed the extent
    struct leaf_set tiles;
    const struct slice_bound *bounds;  // from the slices that made the view
    const char *const *names;  // names of modes, NULL for a mode without one; NULL: no mode has one
    bool part;                 // one thread's part, made by partition_src, partition_dst or retile
    int64_t threads;           // of a partition: how many threads have a part; otherwise 0
    int64_t lanes;             // the same for a partition of a warp's view: lanes of each warp
    struct range at;
    const struct partitioned *partitioned;  // if local_partition made the view; or NULL
    const struct sliced *sliced;            // if a slice made the view; or NULL
    const struct divided *divided;          // if it is a partition, or a slice of one; or NULL
};

#endif
