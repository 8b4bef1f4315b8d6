// Instructions that multiply matrices, D = A * B + C, and which thread holds which elements of
// their operands.
//
// tcpc emits no such instruction: a plan brings fragments to the user's code in the order that
// mma.sync (PTX ISA, "Matrix multiply-accumulate operation using mma instruction") asks for.  A has
// extents (M,K), B (N,K) and C (M,N), as CuTe has them.
#ifndef TCPC_PLAN_MMA_H
#define TCPC_PLAN_MMA_H

#include "base/source.h"
#include "layout/lay.h"

struct session;
struct elem_type;
struct tiled_copy;

enum mma_operand { MMA_A, MMA_B, MMA_C, MMA_OPERANDS };

// The operands of a shape for elements of "bits": (lane, value) -> coordinate number of the
// operand, the first mode the fastest.
struct mma_shape {
    const char *name;  // "m16n8k16"
    int m, n, k;
    int bits;  // of an element of A and of B
    const char *layout[MMA_OPERANDS];
};

// An instruction is a row.
struct mma_row {
    const char *shape, *d, *a, *b, *c;  // types as a plan names them; "tf32" is an f32
    int min_arch;                       // 80 for sm_80
};
enum { MMA_MOST_ROWS = 40 };
extern const struct mma_row mma_rows[];
extern const int n_mma_rows;
// The row of "m16n8k16.f32.f16.f16.f32"; NULL: there is none.
const struct mma_row *mma_find(const char *name);
const struct mma_shape *mma_shape_of(const struct mma_row *row);
// "m16n8k16.f32.f16.f16.f32", as in a plan.
const char *mma_name(struct session *s, const struct mma_row *row);

// Instructions side by side: "warps" gives a warp of (m,n,k) its number, "tile" is what all of them
// work on.
struct tiled_mma {
    const char *name;  // NULL for an unnamed one
    const struct mma_row *row;
    struct lay warps;
    int64_t tile[3];  // extents (M,N,K)
    // the tile's coordinates in the order in which instructions take them; not valid: as they are
    struct lay order[3];
    int64_t threads;
    // (thread, value) -> coordinate number in the operand's tile, CuTe's get_layoutA_TV and its
    // like
    struct lay tv[MMA_OPERANDS];
    const struct lay_tuple *shape[MMA_OPERANDS];  // of that tile
    struct range at;
};
// The element type of the operand, as memory holds it.
const struct elem_type *mma_elem(const struct tiled_mma *x, enum mma_operand which);
// "operand_A(NAME)".
const char *mma_operand_name(struct session *s, const struct tiled_mma *x, enum mma_operand which);
// The operand's tile as that of a tiled copy.
const struct tiled_copy *mma_operand_tile(struct session *s, const struct tiled_mma *x,
                                          enum mma_operand which);
// A thread's fragment of the operand: (values of an instruction, instructions along the first mode,
// along the second), compact.
struct lay mma_fragment(struct session *s, const struct tiled_mma *x, enum mma_operand which);
// Fills in threads, tv and shape.  @pre "tile" is a multiple of what the warps cover.  Returns
// false with the reason in s->lay.error.
bool mma_make(struct session *s, struct tiled_mma *x);

#endif
