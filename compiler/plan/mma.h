// Instructions that multiply matrices, D = A * B + C, and which thread holds which elements of
// their operands.
//
// tcpc emits no such instruction.  A plan brings fragments to the user's code in the order that
// mma.sync requires (PTX ISA, "Matrix multiply-accumulate operation using mma instruction").  As in
// CuTe, A has the extents (M,K), B (N,K) and C (M,N).
#ifndef TCPC_PLAN_MMA_H
#define TCPC_PLAN_MMA_H

#include "base/source.h"
#include "layout/lay.h"

struct session;
struct elem_type;
struct tiled_copy;

enum mma_operand { MMA_A, MMA_B, MMA_C, MMA_OPERANDS };

// The operands of a shape, for elements of "bits": (lane, value) -> coordinate in the operand,
// counted along the first mode first.
struct mma_shape {
    const char *name;  // "m16n8k16"
    int m, n, k;
    int bits;  // of an element of A and of B
    const char *layout[MMA_OPERANDS];
};

// A table row: one instruction.
struct mma_row {
    // element types as in a plan; "tf32" is an f32 in memory
    const char *shape, *d, *a, *b, *c;
    int min_arch;  // 80 for sm_80
};
enum { MMA_MOST_ROWS = 40 };
extern const struct mma_row mma_rows[];
extern const int n_mma_rows;
// Finds the row of a name such as "m16n8k16.f32.f16.f16.f32"; NULL if there is none.
const struct mma_row *mma_find(const char *name);
const struct mma_shape *mma_shape_of(const struct mma_row *row);
// The name of a row in plans: "m16n8k16.f32.f16.f16.f32".
const char *mma_name(struct session *s, const struct mma_row *row);

// Several instructions side by side.  "warps" maps (m,n,k) to the number of a warp; "tile" is the
// part of the matrices that all of them compute.
struct tiled_mma {
    const char *name;  // NULL for an unnamed one
    const struct mma_row *row;
    struct lay warps;
    int64_t tile[3];  // extents (M,N,K)
    // the order in which instructions take the tile's coordinates; invalid: ascending
    struct lay order[3];
    int64_t threads;
    // (thread, value) -> coordinate in the operand's tile: CuTe's get_layoutA_TV and its like
    struct lay tv[MMA_OPERANDS];
    const struct lay_tuple *shape[MMA_OPERANDS];  // of that tile
    struct range at;
};
// The element type of the operand in memory.
const struct elem_type *mma_elem(const struct tiled_mma *x, enum mma_operand which);
// The operand's name in plans: "operand_A(NAME)".
const char *mma_operand_name(struct session *s, const struct tiled_mma *x, enum mma_operand which);
// The tile of the operand, as a tiled copy.
const struct tiled_copy *mma_operand_tile(struct session *s, const struct tiled_mma *x,
                                          enum mma_operand which);
// A thread's fragment of the operand, compact: (values of an instruction, instructions along the
// first mode, along the second mode).
struct lay mma_fragment(struct session *s, const struct tiled_mma *x, enum mma_operand which);
// Sets threads, tv and shape.  @pre "tile" is a multiple of what the warps cover.  On failure
// returns false, with the reason in s->lay.error.
bool mma_make(struct session *s, struct tiled_mma *x);

#endif
