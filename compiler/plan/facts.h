// The facts of a copy: what passes find out about it.  Each field is written by the pass that its
// section names, and by nobody else.
#ifndef TCPC_PLAN_FACTS_H
#define TCPC_PLAN_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "index/ix.h"
#include "layout/lay.h"

struct copy;
struct tensor;

enum level { LEVEL_GRID, LEVEL_BLOCK, LEVEL_WARP, LEVEL_THREAD };

// Why a width is what it is: the bounds, in the order in which explain prints them.
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
// "bits" that bound "b" allows, of the side that it is about, as bits of the side of "c" whose
// elements are wider.
int64_t bound_as_wider(const struct copy *c, enum bound b, int64_t bits);

enum { BOUND_NONE = 1 << 20 };  // bits: what does not limit a width; more than any access has

// What an alignment is the greatest common divisor of, bytes; 0 where nothing is added.  What a
// param enters is told apart from what is known.
struct align_terms {
    int64_t base;          // of the tensor's first element
    int64_t offset;        // divides the known terms of the thread's first element's offset
    int64_t run;           // between vectors within the contiguous run
    int64_t stride;        // divides every other known stride of the thread's elements
    struct lay_int worst;  // of those strides, the least aligned; elements
    int64_t promised;      // divides every stride and offset that a param enters
    struct lay_int loose;  // of those, the least aligned; elements
};

// One side of a copy as one thread sees it; elements.
struct part {
    const struct ix *offset;  // of value 0 for this thread, under the swizzle
    struct lay layout;        // its values, with CuTe's shape: (val, rest...) or the view's own
    struct lay_swizzle sw;
    // (thr, val) -> element offset in the view's first tile; invalid where no tile is cut
    struct lay tv;
};

// One mode of a thread's values after both sides were brought to common modes.
struct copy_mode {
    int64_t extent;
    struct lay_int src, dst;  // strides, elements
    bool rest;                // comes from a tile's rest modes (a round)
};

// What an element of a copy must keep to be there: at + the sum of stride times coordinate, over
// the modes of a thread's values, is less than limit.  Coordinates are the tensor's along one of
// its modes, or with "of" NULL those of the view, whose extent a tile does not divide.
struct predicate {
    bool src, dst;  // whose elements it bounds
    int mode;
    const struct tensor *of;
    const struct ix *at;    // of value 0 of this thread
    const struct ix *last;  // the greatest that a thread of this block has; NULL: beyond the limit
    const struct ix *limit;
    const struct lay_int *stride;       // by copy_facts.raw
    const struct lay_int *edge_stride;  // by copy_facts.edge_mode; written by pass "vectorize"
    // Its limit may be within an access at the edge, whose elements are consecutive coordinates,
    // so that the source size of a cp.async says how many of them are read; by "vectorize", too.
    bool cuts;
};

// Which blocks and threads have elements that are not there.
enum edge {
    EDGE_NEVER,  // proven
    EDGE_SOME,   // two ways: whole tiles without predicates, and the edge
    EDGE_ALWAYS  // the edge alone
};

// How the registers of a fragment come from those that were loaded: accesses between registers,
// whose elements follow one another in the fragment.
struct copy_turn {
    int vec;
    const struct copy_mode *mode;  // src: elements of what was loaded
    int nmodes;
    const int64_t *step;  // between the elements of an access in what was loaded
};

// What depends on the width of an access.
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

struct copy_facts {
    // partition
    enum level level;
    int64_t threads;  // that take part; the block's others skip the copy
    int64_t lanes;    // of each warp, that take part, when they are fewer than a warp; 0: all
    struct part src, dst;
    // of a collective atom's access: elements of one thread that follow one another; else 0
    int64_t src_run, dst_run;
    // fastest first; once vectorize has run, the modes of an access first
    const struct copy_mode *mode;
    int nmodes;
    const struct lay_tuple *rounds;  // rest extents by mode of the tile, NULL for a thread's copy
    int64_t nrounds;
    bool by_map;                // the map says where each run of values is, no layout does
    const struct ix_var *each;  // by_map: which of a thread's runs; NULL: it has one
    int64_t neach, run;         // by_map: runs, and values of one
    // predicate
    enum edge edge;
    const struct predicate *pred;  // none when edge is EDGE_NEVER
    int npred;
    const struct copy_mode *raw;  // the modes before vectorize, where predicates count along them
    int nraw;
    // vectorize
    int64_t pred_vec;      // the most elements that are there, or not, together; 1 << k
    const char *why_pred;  // what bounds that, as a sentence; NULL where there is no predicate
    // The predicate whose limit may be within an access, so that it bounds no width: its number
    // in "pred" + 1; 0: there is none.  "uncut": the most elements that it keeps or drops together.
    int may_cut;
    int64_t uncut;
    const struct copy_mode *edge_mode;  // of the edge, the vector's modes taken out
    int nedge;
    int edge_vec, edge_bits;  // of an access at the edge
    int bits;                 // an access, on the side whose elements are wider
    int vec;                  // elements an access
    // How far apart the elements of an access are in a fragment, by the binary digits of their
    // number, whole ways and at the edge; NULL: they follow one another from a multiple of vec on.
    const int64_t *step, *edge_step;
    const struct copy_turn *turn;  // of whole ways into a fragment of narrow elements; NULL: none
    int64_t bound[N_BOUNDS];       // bits that each would allow, of the side that it is about
    enum bound won;
    const char *why[N_BOUNDS];  // each bound as a sentence without a stop; NULL where there is none
    struct align_terms src_align, dst_align;
    // by the kernel's variants, when it has any; the facts above are those of the first, the widest
    const struct copy_width *variant;
    int nvariants;
    // sync
    bool async;         // its atom is asynchronous
    bool commit_after;  // ends the group of asynchronous copies that is open
    int group;          // of an asynchronous copy: which of its function's, from 1 on; else 0
};

#endif
