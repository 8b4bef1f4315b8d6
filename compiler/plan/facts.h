// The facts of a copy: what passes find out about it.  Only the pass that a section names writes
// its fields.
#ifndef TCPC_PLAN_FACTS_H
#define TCPC_PLAN_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/boxes.h"
#include "index/ix.h"
#include "layout/lay.h"

struct copy;
struct tensor;

enum level { LEVEL_GRID, LEVEL_BLOCK, LEVEL_WARP, LEVEL_THREAD };

// Bounds of the width of an access, in the order in which explain prints them.
enum bound {
    BOUND_ATOM,
    BOUND_CONVERSION,
    BOUND_SRC_RUN,
    BOUND_DST_RUN,
    BOUND_COMMON_RUN,
    BOUND_SRC_ALIGN,
    BOUND_DST_ALIGN,
    BOUND_SRC_DIVIDES,
    BOUND_DST_DIVIDES,
    BOUND_SRC_SWIZZLE,
    BOUND_DST_SWIZZLE,
    BOUND_PREDICATE,
    N_BOUNDS
};
const char *bound_name(enum bound b);
// Converts "bits", the bound "b" of the side that it is about, to bits of the side of "c" with
// wider elements.
int64_t bound_as_wider(const struct copy *c, enum bound b, int64_t bits);

// in bits, for a bound that does not limit the width; more than any access has
enum { BOUND_NONE = 1 << 20 };

// The greatest common divisors that make up an alignment, in bytes; 0 if there is no such term.
// Terms with params are kept apart from terms that are known.
struct align_terms {
    int64_t base;          // of the tensor's first element
    int64_t offset;        // of the known terms in the offset of the thread's first element
    int64_t run;           // between vectors within the contiguous run
    int64_t stride;        // of all other known strides of the thread's elements
    struct lay_int worst;  // the least aligned of those strides; elements
    int64_t promised;      // of all strides and offsets that contain a param
    struct lay_int loose;  // the least aligned of those; elements
};

// One side of a copy, as one thread sees it.  Offsets and strides are in elements.
struct part {
    const struct ix *offset;  // of this thread's value 0, before the swizzle
    struct lay layout;        // its values, with CuTe's shape: (val, rest...) or the view's own
    struct lay_swizzle sw;
    // (thr, val) -> element offset in the view's first tile; invalid if there are no tiles
    struct lay tv;
};

// A mode of a thread's values, after the modes of both sides were split to match.
struct copy_mode {
    int64_t extent;
    struct lay_int src, dst;  // strides, elements
    bool rest;                // one of the tile's rest modes (a round)
};

// A condition for an element of a copy to exist: at + sum of stride * coordinate < limit, or with
// "front" >= limit, over the modes of a thread's values.  The coordinate is along one mode of the
// tensor "of".  If "of" is NULL, it is along a mode of the view, whose extent a tile does not divide.
struct predicate {
    bool src, dst;  // the sides whose elements it bounds
    bool front;
    int mode;
    const struct tensor *of;
    const struct ix *at;  // coordinate of this thread's value 0
    // the largest (with "front" the smallest) coordinate of any thread of this block; NULL: beyond
    // the limit
    const struct ix *last;
    const struct ix *limit;
    const struct lay_int *stride;  // by modes of copy_facts.raw
    // by modes of copy_facts.edge_mode; written by pass "vectorize"
    const struct lay_int *edge_stride;
    // The limit may be within an access at the edge.  The elements of that access are consecutive
    // coordinates, so the source size of a cp.async says how many of them are read.  Written by
    // pass "vectorize".
    bool cuts;
};

// Which blocks and threads have elements that do not exist.
enum edge {
    EDGE_NEVER,  // none; proven
    EDGE_SOME,   // two ways: whole tiles without guards, and edges with guards
    EDGE_ALWAYS  // only the way with guards
};

// A permutation between registers: what was loaded is copied to the fragment by accesses whose
// elements are consecutive in the fragment.
struct copy_turn {
    int vec;
    const struct copy_mode *mode;  // src: strides in what was loaded
    int nmodes;
    const int64_t *step;  // distances, in what was loaded, of the elements of an access
};

// The facts that depend on the width of an access; see struct copy_facts.
struct copy_width {
    int bits, vec;
    enum bound won;
    const struct copy_mode *mode;
    int nmodes;
    const struct predicate *pred;
    int64_t pred_vec;
    const struct copy_mode *edge_mode;
    int nedge, edge_vec, edge_bits;
    const int64_t *step, *edge_step;
    const struct copy_turn *turn;
};

// The boxes of a tensor that a copy consists of.  Dimensions of the map are listed with the contiguous
// one first.
struct copy_boxes {
    int rank;
    int mode[BOX_RANK];                 // flattened mode of the source's tensor
    int64_t box[BOX_RANK];              // elements
    const struct ix *at[BOX_RANK];      // coordinate of the first box
    const struct ix *extent[BOX_RANK];  // elements from there on are 0
    int swizzle;                        // bytes of a row: 0 for none, 32, 64 or 128
    struct box_loop loop[BOX_LOOPS];    // the innermost first
    int nloops;
};

struct copy_facts {
    // partition
    enum level level;
    int64_t threads;  // that take part; the others of the block skip the copy
    int64_t lanes;    // lanes of each warp that take part, if fewer than a warp; 0: all
    struct part src, dst;
    // consecutive elements of one thread in an access of a collective atom; otherwise 0
    int64_t src_run, dst_run;
    // fastest first; after pass "vectorize", the modes of an access come first
    const struct copy_mode *mode;
    int nmodes;
    // extents of rest by mode of the tile; NULL for a copy between parts of one thread
    const struct lay_tuple *rounds;
    int64_t nrounds;
    bool by_map;  // an index map gives the place of each run of values, instead of a layout
    const struct ix_var *each;  // by_map: counts a thread's runs; NULL: there is one
    int64_t neach, run;         // by_map: number of runs, and values in each
    // predicate
    enum edge edge;
    const struct predicate *pred;  // none if edge is EDGE_NEVER
    int npred;
    // the modes before pass "vectorize", which the strides of predicates refer to
    const struct copy_mode *raw;
    int nraw;
    // vectorize
    int64_t pred_vec;      // the most elements that exist together or not at all; a power of 2
    const char *why_pred;  // what bounds pred_vec, as a sentence; NULL if there is no predicate
    // 1 + index in "pred" of the predicate whose limit may be within an access; it does not bound
    // the width.  0: none.  "uncut": most elements that it keeps or drops together.
    int may_cut;
    int64_t uncut;
    const struct copy_mode *edge_mode;  // modes of the edge, without those of an access
    int nedge;
    int edge_vec, edge_bits;  // of an access at the edge
    // of an access, on the side with wider elements
    int bits;
    int vec;  // elements of an access
    // Distances of the elements of an access within a fragment, by the binary digits of the
    // element's number, for whole tiles and for the edge.  NULL: the elements are consecutive and
    // begin at a multiple of vec.
    const int64_t *step, *edge_step;
    // for whole tiles into a fragment of narrow elements; NULL: none
    const struct copy_turn *turn;
    // bits that each bound allows, of the side that it is about
    int64_t bound[N_BOUNDS];
    enum bound won;
    // each bound as a sentence without a full stop; NULL if it does not apply
    const char *why[N_BOUNDS];
    struct align_terms src_align, dst_align;
    // by the kernel's variants, if it has any; the fields above are those of the first, widest one
    const struct copy_width *variant;
    int nvariants;
    const struct copy_boxes *boxes;  // vectorize; NULL: it is no copy of boxes
    // sync
    bool async;         // its atom is asynchronous
    bool commit_after;  // ends the open group of asynchronous copies
    // of an asynchronous copy: number of its group in the function, from 1 on; otherwise 0
    int group;
};

#endif
