// What copies refer to: params, tensors, tiled copies, and views, which are tensors or parts of
// them.
#ifndef TCPC_PLAN_TENSOR_H
#define TCPC_PLAN_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "index/ix.h"
#include "layout/lay.h"
#include "plan/atoms.h"
#include "plan/types.h"

struct param;
struct relation {  // where A op B, of a param
    const struct ix *a, *b;
    const char *op;  // "==" "!=" "<" "<=" ">" ">="
    const char *text;
    const struct param *
        *param;  // those that it is about; a kernel has to check it when it has all of them
    int nparams;
    struct range at;
};

struct param {
    const char *name;
    const struct lay_sym *sym;  // divisibility and range are there
    struct range at;
    struct range mod_at;  // where "% N" can be put in
    bool mod_free;        // nothing is there, and the declaration is of this param alone
    struct range asked;   // the N % 8 == 0 of its 'where', or nothing
};

// An `expect` or a `let` that reads a tensor's layout, or names a `let` that does.
struct layout_asked {
    struct range at;
    struct layout_asked *next;
};

// What a frag's layout is taken from, when it was declared "like" a tiled copy: its own modes (v,
// rest...) follow the first tile that is copied to or from it.
struct tensor {
    const char *name;
    const struct elem_type *elem;
    enum space space;
    struct lay layout;  // invalid for a frag "like" a tiled copy until pass "partition" sets it
    int align;  // bytes that "align" promises of the first element, or 0; plan/align.h reads it
    struct range align_at;       // where "align N" can be put in
    struct range elem_at;        // its element type as it is written
    struct range layout_at;      // its layout as it is written
    bool swizzle_auto;           // .. followed by these words
    bool layout_read;            // by sema: an expression has it as a value
    bool layout_used;            // .. for more than what is expected of this tensor alone
    struct layout_asked *asked;  // by sema: where it is read; of a tensor with swizzle_auto
    int id;                      // index into plan.tensors, or beyond it for a kernel's own
    const char *const *names;    // of its modes; NULL when they have none
    int stages;                  // extent of the last mode, which "stages" has added; 0: none was
    const struct tiled_copy *like;
    const struct tiled_copy
        *dist;      // of a frag: whose (thread, value) parts it holds; written by pass "partition"
    bool dist_src;  // ..: as a source; else as a destination
    const struct lay_tuple *dist_rest;  // ..: and how many tiles by mode; NULL: of slices of it
    // Of a frag: the tile of which register i of a thread is value i.  By sema where the frag is
    // "like" an operand, else by pass "partition" of what it is given; NULL: nobody has said it.
    const struct tiled_copy *holds;
    int smem_offset;        // bytes; written by pass "shared"
    int64_t smem_elements;  // from there on; written by pass "shared"
    bool outside;           // shared or frag memory of a device function's caller
    struct range at;
};

// An index map: which element of the tile is which value of which thread.
struct tiled_map {
    const struct ix_var *thread, *value;
    const struct ix *const *mode;  // the coordinate in the tile, made of these two
    int nmodes;
    const int32_t *place;  // the same as one number, of value v of thread t at t + threads * v
    int64_t run;  // from each multiple of it on, so many values follow one another in mode "along"
    int along;
    const struct lay_tuple *tile;  // in the form of the coordinate, or as tile= gives it
    const char *text;
};

struct tiled_copy {
    const char *name;  // NULL for an unnamed one
    struct atom atom;
    const struct lay_tuple *tiler;  // extents by mode, static
    // (thr, val) -> colexicographic index in the tile "tiler"; invalid when "map" is no layout
    struct lay tv;
    // Of what a thread reads, and of what it writes: tv, but for collective atoms, whose threads
    // have other values on each side.
    struct lay tv_src, tv_dst;
    int elem_bits;                // with a collective atom: of the elements that these count
    const struct tiled_map *map;  // or NULL
    int64_t threads, values;      // sizes of tv's modes; of each side: tiled_values
    struct lay thr, val;          // as given, invalid for tv=
    bool by_atoms;                // given as atoms=, along=
    bool by;                      // comes after "by", where "at" is the map or TV layout
    int along;
    struct range at, val_at, thr_at;  // val_at: the argument val= (value only), for fix-its
    struct range val_arg_at;          // the whole argument, with its name
};

// (thread, value) -> place in the tile, of one side.
static inline struct lay tiled_tv(const struct tiled_copy *tc, bool src) {
    return src ? tc->tv_src : tc->tv_dst;
}
// Of a thread on one side: lanes that address rows for a collective atom hold fewer than they
// address.
static inline int64_t tiled_values(const struct tiled_copy *tc, bool src) {
    return tc->values * atom_side_bits(&tc->atom, src) / tc->atom.bits;
}

struct view;

// What local_partition was given, for a fix that writes it in another way.
struct partitioned {
    const struct view *of;
    struct lay thr;
    struct range of_at, thr_at;  // its arguments
    const struct ix *thread;
};

struct coord;

// What a slice was given, for a fix that copies all of it.
struct sliced {
    const struct view *of;
    const struct coord *at;  // without ranges
    struct range of_at;
};

// -- views ----------------------------------------------------------------------------------------
// A tensor, or a part of one: element at coordinate c is base[sw(offset + layout(c))], elements.
// Leaves of a shape, by number.
struct leaf_set {
    uint64_t word[LAY_MAX_LEAVES / 64];
};

// What of a range a bound is about: its first and its last coordinate, or how many there are.
enum range_bound { RANGE_BEGIN, RANGE_LAST, RANGE_EXTENT };

// A coordinate by which a mode was sliced, and which must be there.
struct slice_bound {
    const struct ix *at;
    struct lay_int extent;  // of the mode; invalid where "at" is less, or may be more
    bool of_tensor;         // the mode is one of the tensor
    const char *range;      // that "at" is of; or NULL
    enum range_bound what;
    const struct slice_bound *next;
};

struct view {
    struct tensor *base;
    const struct ix *offset;  // elements; under the swizzle when there is one
    struct lay layout;  // shape and plain strides (layout.offset is 0; its swizzle is layout.sw)
    // The same coordinate as a coordinate of the tensor, by flattened mode: coord_off[i] + the part
    // of coord's stride with basis i.  coord has the shape of layout; a stride leaf of it is k@i.
    // This is what bounds and coverage are proven on.  A frag has none (coord invalid).
    struct lay coord;
    const struct ix *const *coord_off;
    // Where the part ends along each mode of the tensor, which tiles of it may be beyond; NULL:
    // where the tensor ends.  Ranges move it (view_limit).
    const struct ix *const *limit;
    // A mode of a padded divide has coordinates that are outside the tensor.
    bool overhang;
    // Made by a divide that comes out, of whole modes: a tile beyond the last one is outside the
    // tensor, as if the divide were padded; pass "predicate" then sets "overhang".
    bool tiled;
    bool
        overhangs_part;  // .. some of which are in the tensor, but not in the view that was divided
    struct leaf_set tiles;  // leaves of layout that count tiles; there may be more than fit
    const struct slice_bound *bounds;  // by the slices that made the view
    const char *const *names;          // of the modes, NULL for one that has none; NULL: none has
    bool part;        // made by partition_src, partition_dst or retile: one thread's
    int64_t threads;  // of a partition: those that have one; 0 else
    int64_t lanes;    // of a partition of what a warp has: likewise, of each warp
    struct range at;
    const struct partitioned *partitioned;  // made by local_partition alone; or NULL
    const struct sliced *sliced;            // made by a slice alone; or NULL
    const struct divided *divided;          // of a partition, which may be sliced; or NULL
};

#endif
