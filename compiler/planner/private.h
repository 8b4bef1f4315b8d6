// A choice of the planner, between its parts.
#ifndef TCPC_PLANNER_PRIVATE_H
#define TCPC_PLANNER_PRIVATE_H

#include "image/elem.h"
#include "planner/planner.h"

static inline const struct elem_type *type_of(const struct relayout *r, bool src) {
    return src || !r->to ? r->type : r->to;
}
static inline int bytes_of(const struct relayout *r, bool src) {
    return type_of(r, src)->bits / 8;
}
// What fragments and shared memory hold: the narrower of both, so that an element is converted
// where it is loaded from global memory, or where it is stored there.
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

// The way of a tile.  All arrays are by mode, in the order of the relayout's modes.
enum way {
    WAY_STRAIGHT,  // from global memory to global memory, by one tiled copy
    WAY_STAGED,    // to a fragment, to shared memory and from there
};

// Threads and values of a tiled copy.
struct share {
    int64_t thr[RELAYOUT_MODES], val[RELAYOUT_MODES];
    int vector;  // elements of an access to global memory
    int threads;
};

// Which tile the next block has: the next one along the fast modes of the destination, or of the
// source.  With a lead, "lead_tiles" of mode "lead" come before all; -1: there is none.
struct grid {
    bool by_src;
    int lead;
    int64_t lead_tiles;
};

struct choice {
    enum way way;
    int64_t tile[RELAYOUT_MODES];
    struct share rd, wr;  // straight: rd alone
    int threads;
    // staged: strides of the tile in shared memory.  Mode "split" is cut into (part, rest), and
    // "rest" is the stride after the cut; split -1: none is.
    int64_t room[RELAYOUT_MODES];
    int split;
    int64_t part, rest;
    int64_t shared;  // elements that it takes
    int block;       // elements of an access from the fragment to shared memory
    struct grid grid;
};

// What an access of a warp needs on average, times AVERAGE.
enum { AVERAGE = 16 };
struct access {
    int64_t lines;   // of the caches
    int64_t passes;  // of shared memory
};
struct traffic {
    struct access read, write, put, get;
};

// What a choice costs, and of what that is made.
struct cost {
    int64_t blocks;
    int64_t lines;     // of the caches, that the warps of a tile touch
    int64_t conflict;  // passes of shared memory that a tile needs beyond those without conflicts
    int64_t per_sm;    // blocks at a time
    int64_t total;
};

// Fills in the numbers of modes of which "run" says what they are, and leaves there those that
// params say.  "torn": strides are multiples of nothing but what is promised, or holds in the case.
// Returns NULL, or why there are none.
// meant.c: the names in the order that "text" has, "n h w c" of "NHWC", of "(0,2,3,1)" or of
// "permute(0,2,3,1)"; NULL: it has none.  "*digits": by numbers.
const char *relayout_order(struct session *s, const char *const *name, int n, const char *text,
                           bool *digits);
// What to write instead, where the two sides are not layouts but say what is meant; or NULL.
const char *relayout_meant(struct session *s, const char *src, const char *dst);
// What is said of a side whose extents are not all numbers; or NULL.
const char *relayout_sizes(struct session *s, const char *text, struct lay l, const char *side);
// What is to be noted of a relayout between two layouts, which may be meant otherwise; or NULL.
const char *relayout_note(struct session *s, struct lay a, struct lay b, const struct relayout *r);
const char *relayout_size(struct session *s, struct relayout *r, bool torn);

// What number "k" of mode "m" is.
static inline struct lay_int exactly(const struct relayout_mode *m, enum relayout_number k) {
    if (lay_int_valid(m->run[k])) return m->run[k];
    return lay_int(k == RELAYOUT_EXTENT ? m->extent : k == RELAYOUT_SRC ? m->src : m->dst);
}

// The modes with a stride on that side, the least one first; ties by the other side.
void order_of(const struct relayout *r, bool src, int order[]);
// The greatest power of 2 of elements, up to 16 bytes, that an access along mode "m" may have on
// that side; 1 where its elements do not follow one another.
int vector_along(const struct relayout *r, int m, bool src);
// The mode with a stride that params say and that is not promised to be a multiple of "vector"
// elements; -1 where there is none.
int unpromised(const struct relayout *r, int vector, bool src);
// Whether such an access of "vector" elements is right for all that params may be.
bool vector_proven(const struct relayout *r, int vector, bool src);

// What divides "x" as it is promised, and by what holds in the case.
int64_t divisor_of(const struct relayout *r, struct lay_int x);
// " when (M % 8 == 0, N % 8 == 0)", or nothing.
void put_when(struct session *s, const struct relayout *r, struct buf *b);

// How many tiles there are along mode "m".
static inline int64_t tiles_along(const struct relayout *r, const struct choice *c, int m) {
    return (r->mode[m].extent + c->tile[m] - 1) / c->tile[m];
}

// The axes of the grid, and the modes whose tiles each counts, the first mode fastest.
enum { AXES = 3 };
struct axes {
    int axes, digits[AXES], digit[AXES][RELAYOUT_MODES];
};
// False when more modes than there are axes have tiles that params count.
bool axes_of(const struct relayout *r, const struct choice *c, struct axes *out);
// The most tiles along mode "m", whatever params are; and whether there may be more than one.
int64_t most_tiles(const struct relayout *r, const struct choice *c, int m);
bool is_tiled(const struct relayout *r, const struct choice *c, int m);

// What the atoms of its accesses to global memory say to caches, after their width, and why; NULL:
// nothing.
struct hints {
    const char *ld, *st, *why;
};
struct hints hints_of(const struct relayout *r, const struct choice *c);
// Whether it is large, and all runs of its tiles begin and end at lines of the caches, so that no
// two tiles share one.
bool whole_lines(const struct relayout *r, const struct choice *c);

// NULL for "t": as if the caches cost nothing, which is at most what it costs.
void cost_of(const struct relayout *r, const struct choice *c, const struct traffic *t,
             struct cost *out);
// How many MB are read and written until the block comes whose tile goes on where this one ends in
// the source; 0: none does.
int64_t source_gap(const struct relayout *r, const struct choice *c);
// Lets the blocks of the tile follow one another so that neighbours come soon.
void choose_grid(const struct relayout *r, struct choice *c);
// As it is when all warps are like some of them.  That of shared memory depends on where the tile
// is there.
void traffic_of_memory(const struct relayout *r, const struct choice *c, struct traffic *out);
void traffic_of_put(const struct relayout *r, const struct choice *c, struct traffic *out);
void traffic_of_get(const struct relayout *r, const struct choice *c, struct traffic *out);
// The least that both can be, and that all can be of a staged choice.
void traffic_of_shared_least(const struct relayout *r, const struct choice *c, struct traffic *out);
void traffic_least(const struct relayout *r, const struct choice *c, struct traffic *out);
// Passes of lanes "from" .. "end" at these bytes, of which each lane touches "bytes".
int64_t bank_passes(const int64_t *at, int from, int end, int bytes);

// Divides "units" of each mode among up to "threads" threads, which take equally many: as many
// threads as can be, and of those with as many as that along the first modes of "order".  Returns
// how many.
int share_units(int rank, const int order[], const int64_t units[], int threads, int64_t out[]);

struct chosen {
    struct choice c;
    struct cost cost;
};
// The "most" best choices by cost_of, the best one first, and the first one of equals.  Two of them
// differ in tile, threads, blocks turned or grid.  Returns how many there are.
// "flat": elements are read by all threads that write, and not straight.
int choose(const struct relayout *r, bool flat, struct chosen list[], int most);

#endif
