// The choices of the planner; shared by its files.
#ifndef TCPC_PLANNER_PRIVATE_H
#define TCPC_PLANNER_PRIVATE_H

#include "hw/sizes.h"
#include "image/elem.h"
#include "planner/planner.h"

static inline const struct elem_type *type_of(const struct relayout *r, bool src) {
    return src || !r->to ? r->type : r->to;
}
static inline int bytes_of(const struct relayout *r, bool src) {
    return type_of(r, src)->bits / 8;
}
// The type in fragments and shared memory: the narrower of both, so that an element is converted
// right after the load from global memory, or right before the store to it.
static inline const struct elem_type *held_type(const struct relayout *r) {
    return bytes_of(r, true) < bytes_of(r, false) ? r->type : type_of(r, false);
}
static inline int wider_bytes(const struct relayout *r) {
    int a = bytes_of(r, true), b = bytes_of(r, false);
    return a > b ? a : b;
}
static inline int held_bytes(const struct relayout *r) {
    return held_type(r)->bits / 8;
}

// What the planned text promises of the tensor's first element, in bytes.
static inline int tensor_align(const struct relayout *r, bool src) {
    const struct relayout_begin *b = &r->begin[!src];
    int align = src ? r->src_align : r->dst_align;
    return b->text && b->align > align ? b->align : align;
}

// Of the GPU that costs were measured on: SMs; a clock in units of a cost; bytes that an SM reads and
// writes in a clock, if all are busy with memory.
enum { SMS = 132, COST_CLOCK = 256, COST_BYTES = 18 };
// In percent: what a cost of the bytes alone would be faster by, for forms whose cost is measured.
enum { COST_FASTER = 108 };

// How a tile is moved.  All arrays are by mode, in the order of the relayout's modes.
enum way {
    WAY_STRAIGHT,  // from global memory to global memory by one tiled copy
    WAY_STAGED,    // through a fragment and shared memory
};

// The threads and values of a tiled copy.
struct share {
    int64_t thr[RELAYOUT_MODES], val[RELAYOUT_MODES];
    int vector;  // elements of an access to global memory
    int threads;
};

// The order of tiles: the next block has the next tile along the fast modes of the destination, or
// of the source.  If "lead" >= 0, "lead_tiles" tiles of mode "lead" come first.
struct grid {
    bool by_src;
    int lead;
    int64_t lead_tiles;
};

struct choice {
    enum way way;
    int64_t tile[RELAYOUT_MODES];
    struct share rd, wr;  // if straight, only rd
    int threads;
    // if staged: strides of the tile in shared memory.  Mode "split" (-1: none) is split into
    // (part, rest), and "rest" is the stride of its second part.
    int64_t room[RELAYOUT_MODES];
    int split;
    int64_t part, rest;
    int64_t shared;   // elements in shared memory
    int block;        // elements of an access from the fragment to shared memory
    bool along_runs;  // accesses are those of runs.h or shift.h
    struct grid grid;
};

// What an access of a warp needs on average, times AVERAGE.
enum { AVERAGE = 16 };
struct access {
    int64_t lines;   // cache lines
    int64_t passes;  // passes of shared memory
};
struct traffic {
    struct access read, write, put, get;
};

// The parts of a block's time that cost_of compares.
enum cost_part { COST_MEMORY, COST_CACHES, COST_SHARED, COST_PHASES, COST_PARTS };

// The cost of a choice, and its components.
struct cost {
    int64_t part[COST_PARTS];
    int64_t cuts[2];  // what runs of the source and the destination add to their bytes
    int64_t copied;   // the part of caches that any copy of these bytes has
    int64_t blocks;
    int64_t lines;     // cache lines that the warps of a tile touch
    int64_t conflict;  // passes of shared memory for a tile beyond those without conflicts
    int64_t per_sm;    // blocks on an SM at a time
    int64_t total;
};

// meant.c: the names in the order that "text" has, "n h w c" of "NHWC", of "(0,2,3,1)" or of
// "permute(0,2,3,1)"; NULL: it has none.  "*digits": by numbers.
const char *relayout_order(struct session *s, const char *const *name, int n, const char *text,
                           bool *digits);
// What to write instead, where the two sides are not layouts but say what is meant; or NULL.
const char *relayout_meant(struct session *s, const char *src, const char *dst);
// What is said of a side whose extents are not all numbers; or NULL.
const char *relayout_sizes(struct session *s, const char *text, struct lay l, const char *side);
// Of two modes of "l", of numbers, that meet at an element besides the first one: "(1,0) and (0,64) are
// both element 64"; or NULL.
const char *relayout_meets(struct session *s, struct lay l);
// What is to be noted of a relayout between two layouts, which may be meant otherwise; or NULL.
const char *relayout_note(struct session *s, struct lay a, struct lay b, const struct relayout *r);

// Whether all elements of a side are within 2^62 of the first one.
bool relayout_fits(const struct relayout *r, bool src);

// Sets the typical values of numbers that params give ("run").  "torn": strides are multiples of
// only what is promised or a condition of the case.  Returns NULL, or why it cannot.
const char *relayout_size(struct session *s, struct relayout *r, bool torn);

// The real value of number "k" of mode "m".
static inline struct lay_int exactly(const struct relayout_mode *m, enum relayout_number k) {
    if (lay_int_valid(m->run[k])) return m->run[k];
    return lay_int(k == RELAYOUT_EXTENT ? m->extent : k == RELAYOUT_SRC ? m->src : m->dst);
}

// Sets "order" to the modes sorted by stride on that side, the smallest first; ties are decided by
// the other side.
void order_of(const struct relayout *r, bool src, int order[]);
// The largest number of elements, a power of 2 and up to 16 bytes, of an access along mode "m" on
// that side; 1 if its elements are not contiguous.
int vector_along(const struct relayout *r, int m, bool src);
// The mode with a stride given by params that is not promised to be a multiple of "vector"
// elements; -1: none.
int unpromised(const struct relayout *r, int vector, bool src);
// Whether accesses of "vector" elements are valid for all values of params.
bool vector_proven(const struct relayout *r, int vector, bool src);

// A divisor of "x", by promises and by the conditions of the case.
int64_t divisor_of(const struct relayout *r, struct lay_int x);
// " when (M % 8 == 0, N % 8 == 0)".  Without conditions it is nothing if this is the last case, and
// otherwise " when aligned".
const char *when_text(struct session *s, const struct relayout *r, bool last);

// A divisor of the distances between elements along a mode.
static inline int64_t step_along(const struct relayout_mode *m, bool src) {
    return !src ? m->dst : m->step ? m->step : m->src;
}

// The number of tiles along mode "m".
static inline int64_t tiles_along(const struct relayout *r, const struct choice *c, int m) {
    return (r->mode[m].extent + c->tile[m] - 1) / c->tile[m];
}

// The axes of the grid, and for each the modes whose tiles it counts, the first mode fastest.
enum { AXES = 3 };
struct axes {
    int axes, digits[AXES], digit[AXES][RELAYOUT_MODES];
};
void axes_of(const struct relayout *r, const struct choice *c, struct axes *out);
// Whether the number of tiles along mode "m" is at least 1 for all params.
bool is_divisor(const struct relayout *r, const struct choice *c, int m);
// The maximum number of tiles along mode "m" for any params, and whether there may be several.
int64_t most_tiles(const struct relayout *r, const struct choice *c, int m);
bool is_tiled(const struct relayout *r, const struct choice *c, int m);

// Cache hints of the atoms for accesses to global memory, written after their width, and the
// reason; NULL: none.
struct hints {
    const char *ld, *st, *why;
};
struct hints hints_of(const struct relayout *r, const struct choice *c);
// Whether the relayout is large, and all runs of its tiles begin and end at cache lines, so that no
// two tiles share a line.
bool whole_lines(const struct relayout *r, const struct choice *c);

// The integer square root.
int64_t root_of(int64_t n);
// "t" NULL: as if the caches cost nothing, which is a lower bound.
void cost_of(const struct relayout *r, const struct choice *c, const struct traffic *t,
             struct cost *out);
// "// Predicted ..", what the cost of candidate t->of means, as a comment; or nothing.  Sets "share"
// and "most" of "out".
struct text;
const char *predicted_text(const struct text *t, struct relayout_chosen *out);
// How many MB are read and written until a block has the tile that continues this one in the
// source; 0: there is none.
int64_t source_gap(const struct relayout *r, const struct choice *c);
// Chooses the order of tiles so that neighbours come soon.
void choose_grid(const struct relayout *r, struct choice *c);
// Traffic estimated from some warps.  That of shared memory depends on the tile's place there.
void traffic_of_memory(const struct relayout *r, const struct choice *c, struct traffic *out);
void traffic_of_put(const struct relayout *r, const struct choice *c, struct traffic *out);
void traffic_of_get(const struct relayout *r, const struct choice *c, struct traffic *out);
// Lower bounds: for both accesses to shared memory, and for all accesses of a staged choice.
void traffic_of_shared_least(const struct relayout *r, const struct choice *c, struct traffic *out);
void traffic_least(const struct relayout *r, const struct choice *c, struct traffic *out);
// For a warp whose lanes access "bytes" bytes at "at": the lines on a side, on average over the
// begins of tiles and times AVERAGE; and the passes of shared memory.
int64_t warp_lines(const struct relayout *r, const struct choice *c, const int64_t at[], int lanes,
                   int bytes, bool src);
int64_t warp_passes(const int64_t at[], int lanes, int bytes);
// Passes for lanes "from" .. "end" - 1, each of which accesses "bytes" bytes at "at".
int64_t bank_passes(const int64_t *at, int from, int end, int bytes);

// Divides "units" of each mode equally among at most "threads" threads.  Uses as many threads as
// possible, and of those distributions the one with most threads along the first modes of "order".
// Returns the number of threads.
int share_units(int rank, const int order[], const int64_t units[], int threads, int64_t out[]);

struct chosen {
    struct choice c;
    struct cost cost;
};
// Sets "list" to the "most" best choices by cost_of, the best first; equal ones in the order
// found.  Any two of them differ in tile, threads, transposed blocks or grid.  Returns their
// number. "flat": all threads that write also read; not straight.
int choose(const struct relayout *r, bool flat, struct chosen list[], int most);

#endif
