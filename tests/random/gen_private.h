// What the files of the generator share.
#ifndef TCPC_TESTS_GEN_PRIVATE_H
#define TCPC_TESTS_GEN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "gen_plans.h"

// A slice adds a mode to the tensors of four.
enum {
    MAX_RANK = 5,
    MAX_LEAVES = 10,
    MAX_TILE = 4096,
    MAX_WHOLE = 16384,
    VIEW_TEXT = 512,
    PART_TEXT = 640
};

struct gen {
    uint64_t state;
    unsigned features;
    char *text;
    size_t len, cap;
    int kernel;              // its number
    unsigned cut[MAX_RANK];  // of the kernel's modes: bit n where a tensor's mode is (n,..)
};

// A layout of the tile or of a whole tensor: leaves by mode.
struct shape {
    int rank;
    int64_t extent[MAX_RANK];
    const char *symbol[MAX_RANK];  // the extent is this param
    int64_t inner[MAX_RANK];       // > 1: the mode is (inner, extent / inner)
};

struct tiled {
    char name[16];
    int rank;
    int thr[MAX_RANK], val[MAX_RANK];
    int thr_order[MAX_RANK], val_order[MAX_RANK];  // fastest mode first
    int along;   // of the access; the mode that must be contiguous
    int across;  // of an access to the other side; "along" where that is the same
    int bits;    // an access
    bool exact;  // universal, and more than one element an access
    int threads;
    bool bare;  // stands for local_partition: the threads alone count
    bool once;  // laid once in the tile: it can stand after "by"
};

// Where a mode's tiles are counted: the text of the tile's coordinate.
struct axis {
    int64_t tiles, extent;
    char coord[48];
    char param[16];  // or ""
    bool looped;     // a loop counts them alone
    bool done;       // the coordinate is chosen
};

struct kernel {
    int elem_bits;
    const char *elem;
    const char *into;  // of the tensors that are written: the same, or one to convert to
    int rank;
    int64_t tile[MAX_RANK];
    struct tiled a, b;  // into the middle, out of it
    bool two;           // b is another one than a
    struct axis axis[MAX_RANK];
    bool tails;            // extents are what they are
    bool small[MAX_RANK];  // of the view: less than a tile of the copies
    bool sliced;
    struct axis batch;
    int block_axes;
    char grid[3][32];
    int loops;
    char loop[MAX_RANK + 1][64];
    char ld[16];  // a param that is a leading dimension, or ""
};

// Chance, from the seed alone: a number, one below "n", whether "p" times in a hundred, the same
// when a feature is wanted.
uint64_t draw(struct gen *g);
int below(struct gen *g, int n);
bool percent(struct gen *g, int p);
bool may(struct gen *g, enum gen_feature f, int p);
void shuffle(struct gen *g, int *v, int n);
void put(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define PICK(g, ...)                                                                               \
    (((const int[]){                                                                               \
        __VA_ARGS__})[below(g, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))])

// gen_tile.c: tiled copies.  The first one fixes the tile; the second one is another one of the
// same tile.
void choose_first(struct gen *g, struct kernel *k, bool turned);
void choose_second(struct gen *g, struct kernel *k);
void put_tiled(struct gen *g, const struct kernel *k, const struct tiled *t);
void put_ints(struct gen *g, const int *v, int n);

// gen_tensor.c: the axes of a kernel's tensors, and the params that they need.
void choose_axes(struct gen *g, struct kernel *k);
void put_params(struct gen *g, struct kernel *k);
// Declares global tensor "name" and writes to "view" the text of its tile that the kernel works on.
// "t" is the copy that touches it.
void put_global(struct gen *g, const struct kernel *k, const char *name, const struct tiled *t,
                char *view);

// gen_map.c: the same tiled copies as TV layouts and index maps.
void put_tv(struct gen *g, const struct tiled *t);
void put_map(struct gen *g, const struct tiled *t);

// gen_matrix.c: a kernel with ldmatrix or stmatrix.
void put_matrix_kernel(struct gen *g);

// gen_elem.c: what the tensors hold.
void choose_elem(struct gen *g, struct kernel *k);
void choose_into(struct gen *g, struct kernel *k);

// gen_tail.c: extents that are no multiples.
void choose_small(struct gen *g, struct kernel *k);
void choose_extents(struct gen *g, struct kernel *k);

// gen_layout.c: layouts.
void nest(struct gen *g, const struct kernel *k, struct shape *s, int contiguous, int per_access);
void put_shape(struct gen *g, const struct shape *s);
int64_t put_layout(struct gen *g, const struct shape *s, int contiguous, int64_t unit, bool gaps);
void put_swizzle(struct gen *g, int64_t unit);
void put_shared_layout(struct gen *g, const struct kernel *k, int contiguous, int64_t unit);

#endif
