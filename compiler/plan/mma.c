// The table of mma.sync's instructions, and their operands (see mma.h).
#include "plan/mma.h"

#include <stdio.h>
#include <string.h>

#include "base/session.h"
#include "hw/sizes.h"
#include "layout/algebra.h"
#include "plan/tensor.h"

#define C_OF_16 "((4,8),(2,2)):((32,1),(16,8))"  // of shape (16,8), like the 16-bit A of k8
#define C_OF_8  "((4,8),2):((16,1),8)"           // of shape (8,8)

static const struct mma_shape shapes[] = {
    {"m16n8k8", 16, 8, 8, 16, {C_OF_16, C_OF_8, C_OF_16}},
    {"m16n8k16",
     16,
     8,
     16,
     16,
     {"((4,8),(2,2,2)):((32,1),(16,8,128))", "((4,8),(2,2)):((16,1),(8,64))", C_OF_16}},
    {"m16n8k4", 16, 8, 4, 32, {C_OF_8, "((4,8),1):((8,1),0)", C_OF_16}},
    {"m16n8k8", 16, 8, 8, 32, {"((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)", C_OF_16}},
    {"m8n8k4", 8, 8, 4, 64, {"((4,8),1):((8,1),0)", "((4,8),1):((8,1),0)", C_OF_8}},
    {"m8n8k16", 8, 8, 16, 8, {"((4,8),4):((32,1),8)", "((4,8),4):((32,1),8)", C_OF_8}},
    {"m16n8k16", 16, 8, 16, 8, {"((4,8),(4,2)):((64,1),(16,8))", "((4,8),4):((32,1),8)", C_OF_16}},
    {"m16n8k32",
     16,
     8,
     32,
     8,
     {"((4,8),(4,2,2)):((64,1),(16,8,256))", "((4,8),(4,2)):((32,1),(8,128))", C_OF_16}},
};

#define INTEGERS(a, b)                                                                             \
    {"m8n8k16", "s32", a, b, "s32", 80}, {"m16n8k16", "s32", a, b, "s32", 80}, {                   \
        "m16n8k32", "s32", a, b, "s32", 80                                                         \
    }
#define FP8(a, b)                                                                                  \
    {"m16n8k32", "f32", a, b, "f32", 89}, {                                                        \
        "m16n8k32", "f16", a, b, "f16", 89                                                         \
    }

// CUTLASS: include/cute/atom/mma_traits_sm75.hpp, _sm80.hpp and _sm89.hpp.
const struct mma_row mma_rows[] = {
    {"m16n8k8", "f16", "f16", "f16", "f16", 80},
    {"m16n8k16", "f16", "f16", "f16", "f16", 80},
    {"m16n8k8", "f32", "f16", "f16", "f32", 75},
    {"m16n8k16", "f32", "f16", "f16", "f32", 80},
    {"m16n8k8", "f32", "bf16", "bf16", "f32", 80},
    {"m16n8k16", "f32", "bf16", "bf16", "f32", 80},
    {"m16n8k4", "f32", "tf32", "tf32", "f32", 80},
    {"m16n8k8", "f32", "tf32", "tf32", "f32", 80},
    {"m8n8k4", "f64", "f64", "f64", "f64", 80},
    INTEGERS("s8", "s8"),
    INTEGERS("s8", "u8"),
    INTEGERS("u8", "s8"),
    INTEGERS("u8", "u8"),
    FP8("f8e4m3", "f8e4m3"),
    FP8("f8e4m3", "f8e5m2"),
    FP8("f8e5m2", "f8e4m3"),
    FP8("f8e5m2", "f8e5m2"),
};
_Static_assert(sizeof mma_rows / sizeof mma_rows[0] <= MMA_MOST_ROWS, "");
const int n_mma_rows = sizeof mma_rows / sizeof mma_rows[0];

static const struct elem_type *type_of(const char *name) {
    return elem_type_find(strcmp(name, "tf32") == 0 ? "f32" : name);
}

const struct mma_row *mma_find(const char *name) {
    for (int i = 0; i < n_mma_rows; ++i) {
        const struct mma_row *x = &mma_rows[i];
        char text[64];
        snprintf(text, sizeof text, "%s.%s.%s.%s.%s", x->shape, x->d, x->a, x->b, x->c);
        if (strcmp(text, name) == 0) return x;
    }
    return NULL;
}

const char *mma_name(struct session *s, const struct mma_row *x) {
    return arena_printf(&s->arena, "%s.%s.%s.%s.%s", x->shape, x->d, x->a, x->b, x->c);
}

const struct mma_shape *mma_shape_of(const struct mma_row *row) {
    int bits = type_of(row->a)->bits;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i)
        if (shapes[i].bits == bits && strcmp(shapes[i].name, row->shape) == 0) return &shapes[i];
    BUG("'%s' of %d bits has no shape", row->shape, bits);
}

const struct elem_type *mma_elem(const struct tiled_mma *x, enum mma_operand which) {
    return type_of(which == MMA_A ? x->row->a : which == MMA_B ? x->row->b : x->row->c);
}

// -- the operands of several warps ----------------------------------------------------------------

// The modes of (m,n,k) that each operand has.
static const int along[MMA_OPERANDS][2] = {{0, 2}, {1, 2}, {0, 1}};

static const struct lay_tuple *pair(struct lay_ctx *x, int64_t a, int64_t b) {
    const struct lay_tuple *const kid[] = {lay_leaf_of(x, a), lay_leaf_of(x, b)};
    return lay_tuple(x, 2, kid);
}

static int64_t extent(struct lay_ctx *x, struct lay l, int mode) {
    return lay_size(x, lay_mode(x, l, mode)).num;
}

// Converts the number of a warp to that of its first thread.
static struct lay scaled(struct lay_ctx *x, struct lay l) {
    return lay_compose(x, lay_make(x, lay_leaf_of(x, 1 << 20), lay_leaf_of(x, LANES)), l);
}

// Follows CuTe's TiledMMA (include/cute/atom/mma_atom.hpp, thrfrg_A and get_layoutA_TV): divides
// the tile into instructions and distributes these to the warps.  Warps that differ only in the
// mode that the operand does not have get the same instructions.
static struct lay operand(struct session *s, const struct tiled_mma *x, enum mma_operand which) {
    struct lay_ctx *c = &s->lay;
    const struct mma_shape *shape = mma_shape_of(x->row);
    const int size[] = {shape->m, shape->n, shape->k}, *at = along[which];
    struct lay l = lay_make_col(c, x->shape[which]);
    const struct lay_tiler *order[2];
    for (int i = 0; i < 2; ++i) {
        struct lay o = x->order[at[i]];
        order[i] = lay_valid(o) ? lay_tiler_layout(c, o) : lay_tiler_any(c);
    }
    l = lay_compose_tiler(c, l, lay_tiler_modes(c, 2, order));
    // ((m,k),(rest m,rest k))
    l = lay_zipped_divide(c, l, lay_tiler_shape(c, pair(c, size[at[0]], size[at[1]])));
    // (lane,value)
    struct lay one = lay_compose(c, lay_mode(c, l, 0), lay_parse(c, shape->layout[which]));
    // ((warp m,warp k),(rest m,rest k))
    const struct lay_tuple *warps = pair(c, extent(c, x->warps, at[0]), extent(c, x->warps, at[1]));
    struct lay rest = lay_zipped_divide(c, lay_mode(c, l, 1), lay_tiler_shape(c, warps));
    if (!lay_valid(one) || !lay_valid(rest)) return lay_layout_invalid();
    // (lane,warp m,warp n,warp k)
    struct lay thread[4] = {lay_mode(c, one, 0)}, number[4];
    number[0] = lay_make(c, lay_leaf_of(c, LANES), lay_leaf_of(c, 1));
    for (int i = 0; i < 3; ++i) {
        thread[1 + i] =
            i == at[0]   ? lay_mode(c, lay_mode(c, rest, 0), 0)
            : i == at[1] ? lay_mode(c, lay_mode(c, rest, 0), 1)
                         : lay_make(c, lay_leaf_of(c, extent(c, x->warps, i)), lay_leaf_of(c, 0));
        number[1 + i] = lay_mode(c, x->warps, i);
        number[1 + i] = scaled(c, number[1 + i]);
    }
    struct lay of = lay_right_inverse(c, lay_join(c, 4, number));
    struct lay threads = lay_compose(c, lay_join(c, 4, thread), of);
    struct lay values = lay_join(c, 2, (struct lay[]){lay_mode(c, one, 1), lay_mode(c, rest, 1)});
    return lay_join(c, 2, (struct lay[]){threads, values});
}

bool mma_make(struct session *s, struct tiled_mma *x) {
    struct lay_ctx *c = &s->lay;
    x->threads = LANES * lay_size(c, x->warps).num;
    for (int i = 0; i < MMA_OPERANDS; ++i) {
        x->shape[i] = pair(c, x->tile[along[i][0]], x->tile[along[i][1]]);
        x->tv[i] = operand(s, x, (enum mma_operand)i);
        if (!lay_valid(x->tv[i])) return false;
    }
    return true;
}

const char *mma_operand_name(struct session *s, const struct tiled_mma *x, enum mma_operand which) {
    const char *name = x->name ? x->name : mma_name(s, x->row);
    return arena_printf(&s->arena, "operand_%c(%s)", "ABC"[which], name);
}

const struct tiled_copy *mma_operand_tile(struct session *s, const struct tiled_mma *x,
                                          enum mma_operand which) {
    struct tiled_copy *tc = ARENA_NEW(&s->arena, struct tiled_copy);
    tc->name = mma_operand_name(s, x, which);
    tc->atom = atom_auto(x->at);
    tc->tiler = x->shape[which];
    tc->tv = tc->tv_src = tc->tv_dst = x->tv[which];
    tc->thr = tc->val = lay_layout_invalid();
    tc->threads = x->threads;
    tc->values = lay_size(&s->lay, lay_mode(&s->lay, x->tv[which], 1)).num;
    tc->at = x->at;
    return tc;
}

struct lay mma_fragment(struct session *s, const struct tiled_mma *x, enum mma_operand which) {
    struct lay_ctx *c = &s->lay;
    struct lay values = lay_mode(c, x->tv[which], 1), rest = lay_mode(c, values, 1);
    const struct lay_tuple *const kid[] = {lay_mode(c, values, 0).shape, lay_mode(c, rest, 0).shape,
                                           lay_mode(c, rest, 1).shape};
    return lay_make_col(c, lay_tuple(c, 3, kid));
}
