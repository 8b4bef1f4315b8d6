// Random kernels with ldmatrix and stmatrix: a tile goes from shared memory to a fragment or back,
// and by a plain copy with the same threads and values from or to global memory.
#include "gen_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// An arrangement of threads and values: an operand's, or of 8x8 matrices in any order.
struct matrices {
    char arrangement[160];  // the text behind the atom
    int count;              // matrices an access; 0: elements that no matrix has
    int tile[2], threads;
    bool like;   // an operand's
    bool pairs;  // 16 bits: what one copy reads along one mode, .trans reads along the other one
    bool trans;  // of the copy
    int along;   // the mode that must be contiguous in shared memory
};

static const struct {
    const char *name;
    int bits;
} elems[] = {{"f16", 16},   {"bf16", 16}, {"u16", 16}, {"b16", 16}, {"u8", 8},  {"s8", 8},
             {"f8e4m3", 8}, {"f32", 32},  {"u32", 32}, {"b32", 32}, {"f64", 64}};

static const struct {
    const char *name;
    int bits, m, n, k;
} instructions[] = {
    {"m16n8k16.f32.f16.f16.f32", 16, 16, 8, 16},   {"m16n8k8.f16.f16.f16.f16", 16, 16, 8, 8},
    {"m16n8k16.f32.bf16.bf16.f32", 16, 16, 8, 16}, {"m16n8k32.s32.u8.s8.s32", 8, 16, 8, 32},
    {"m16n8k16.s32.s8.s8.s32", 8, 16, 8, 16},      {"m16n8k8.f32.tf32.tf32.f32", 32, 16, 8, 8},
    {"m16n8k4.f32.tf32.tf32.f32", 32, 16, 8, 4},   {"m8n8k16.s32.u8.s8.s32", 8, 8, 8, 16},
    {"m8n8k4.f64.f64.f64.f64", 64, 8, 8, 4}};

// Operand A, B or C of an instruction.  Each element has one owner, since the tile is stored too.
static void choose_operand(struct gen *g, const struct kernel *k, struct matrices *x) {
    int i, id = g->kernel;
    do i = below(g, (int)(sizeof instructions / sizeof instructions[0]));
    while (instructions[i].bits != k->elem_bits);
    char operand = "ABC"[below(g, k->elem_bits == 16 || k->elem_bits == 64 ? 3 : 2)];
    int m = operand == 'B' ? 1 : PICK(g, 1, 2), n = operand == 'A' ? 1 : PICK(g, 1, 2);
    int mm = operand == 'B' ? 1 : PICK(g, 1, 1, 2), nn = operand == 'A' ? 1 : PICK(g, 1, 2, 2, 4);
    int kk = operand == 'C' ? 1 : PICK(g, 1, 1, 2), deep = operand == 'C' ? 1 : PICK(g, 1, 1, 2);
    int tile[] = {instructions[i].m * m * mm, instructions[i].n * n * nn,
                  instructions[i].k * deep * kk};
    put(g, "tiled_mma mma%d = mma(%s, warps=(%d,%d,%d), tile=(%d,%d,%d));\n", id,
        instructions[i].name, m, n, deep, tile[0], tile[1], tile[2]);
    snprintf(x->arrangement, sizeof x->arrangement, "like=operand_%c(mma%d)", operand, id);
    x->threads = 32 * m * n * deep;
    x->tile[0] = tile[operand == 'B'];
    x->tile[1] = tile[operand == 'C' ? 1 : 2];
    x->like = true;
    x->along = 1;
    if (k->elem_bits == 64) return;
    // the matrices that a thread has of one instruction; two side by side have twice as many
    int of_one = operand == 'A'   ? instructions[i].m * instructions[i].k
                 : operand == 'B' ? 8 * instructions[i].k
                                  : 128;
    of_one = of_one * k->elem_bits / 1024;
    int beside = operand == 'A' ? (instructions[i].m == 8 ? mm : 1) : nn;
    of_one *= beside % 2 == 0 ? 2 : 1;
    do x->count = PICK(g, 1, 2, 4, 4);
    while (of_one % x->count != 0);
    x->pairs = k->elem_bits == 16;
    x->trans = x->pairs && percent(g, 40);
    x->along = x->trans ? 0 : 1;
}

// One factor of a mode: how many, and how far apart along the mode; the next one begins further on.
static int factor(int n, int *reach) {
    int step = *reach;
    *reach *= n;
    return step;
}

// Matrices side by side in any order, of one warp or several.
static void choose_tv(struct gen *g, const struct kernel *k, struct matrices *x) {
    int per_lane = 32 / k->elem_bits;
    x->count = PICK(g, 1, 2, 4, 4);
    x->trans = k->elem_bits < 32 && percent(g, 40);
    x->along = below(g, 2);
    x->pairs = k->elem_bits == 16;
    // "reach": along the contiguous mode, and along the other one
    bool turned = x->trans && k->elem_bits == 8;
    int reach[2] = {x->trans ? 8 * 16 / k->elem_bits : 4 * per_lane, 8};
    int dim[5], n[5], step[5], order[5] = {0, 1, 2, 3, 4};
    for (int i = 0; i < 5; ++i) {  // two of the matrices, one of warps, two of accesses
        dim[i] = below(g, 2);
        n[i] = i == 0 ? (x->count > 1 ? 2 : 1) : i == 1 ? x->count / 2 : PICK(g, 1, 1, 2);
        if (n[i] == 0) n[i] = 1;
    }
    shuffle(g, order, 5);
    for (int i = 0; i < 5; ++i) step[order[i]] = factor(n[order[i]], &reach[dim[order[i]]]);
    x->tile[x->along] = reach[0];
    x->tile[1 - x->along] = reach[1];
    x->threads = 32 * n[2];
    const int unit[2] = {x->along == 0 ? 1 : x->tile[0], x->along == 0 ? x->tile[0] : 1};
    int t = x->trans ? 2 * unit[1] : per_lane * unit[0], l = x->trans ? unit[0] : unit[1];
    if (turned) l *= 2;
    for (int i = 0; i < 5; ++i) step[i] *= unit[dim[i]];
    char own[32], own_step[32];
    if (turned) {
        snprintf(own, sizeof own, "(2,2)");
        snprintf(own_step, sizeof own_step, "(%d,%d)", unit[0], unit[1]);
    } else {
        snprintf(own, sizeof own, "%d", per_lane);
        snprintf(own_step, sizeof own_step, "%d", unit[x->trans]);
    }
    snprintf(x->arrangement, sizeof x->arrangement,
             "tv=((4,8,%d),(%s,%d,%d,%d,%d)):((%d,%d,%d),(%s,%d,%d,%d,%d)), tile=(%d,%d)", n[2],
             own, n[0], n[1], n[3], n[4], t, l, step[2], own_step, step[0], step[1], step[3],
             step[4], x->tile[0], x->tile[1]);
}

static void put_matrix_copy(struct gen *g, const struct kernel *k, const struct matrices *x,
                            const char *name, const char *atom, bool trans) {
    if (x->count == 0) {
        put(g, "tiled_copy %s%d = tile(auto(%d), %s);\n", name, g->kernel, PICK(g, 64, 128),
            x->arrangement);
        return;
    }
    put(g, "tiled_copy %s%d = tile(%s.x%d%s", name, g->kernel, atom, x->count,
        trans ? ".trans" : "");
    if ((!x->like && k->elem_bits != 16) || percent(g, 20)) put(g, "(%s)", k->elem);
    put(g, ", %s);\n", x->arrangement);
}

static void put_steps(struct gen *g, const struct kernel *k, const char *const *step, int n) {
    int depth = 1;
    for (int i = 0; i < k->loops; ++i) put(g, "%*sfor %s {\n", 2 * depth, "", k->loop[i]), ++depth;
    for (int i = 0; i < n; ++i) put(g, "%*scopy %s;\n", 2 * depth, "", step[i]);
    while (depth-- > 1) put(g, "%*s}\n", 2 * depth, "");
    put(g, "}\n\n");
}

void put_matrix_kernel(struct gen *g) {
    struct kernel k = {.rank = 2};
    memset(g->cut, 0, sizeof g->cut);
    struct matrices x = {0};
    int id = g->kernel, i = below(g, (int)(sizeof elems / sizeof elems[0]));
    k.elem = k.into = elems[i].name;
    k.elem_bits = elems[i].bits;
    if (k.elem_bits == 64 || percent(g, 50))
        choose_operand(g, &k, &x);
    else
        choose_tv(g, &k, &x);
    for (int m = 0; m < 2; ++m) k.tile[m] = x.tile[m] * PICK(g, 1, 1, 1, 2);
    // the fragment's side of global memory goes element by element, or as wide as can be proven
    struct tiled own = {.rank = 2, .thr = {1, 1}, .val = {1, 1}, .bits = k.elem_bits};
    own.val_order[1] = own.thr_order[1] = 1;
    k.a = own;
    choose_second(g, &k);
    snprintf(k.b.name, sizeof k.b.name, "tc%db", id);
    k.tails = may(g, GEN_TAILS, 40);
    choose_axes(g, &k);
    put_params(g, &k);
    char src[16], dst[16], from[VIEW_TEXT], to[VIEW_TEXT];
    snprintf(src, sizeof src, "src%d", id);
    snprintf(dst, sizeof dst, "dst%d", id);
    bool loads = percent(g, 70), stores = !loads || percent(g, 30);
    put_global(g, &k, src, loads ? &k.b : &own, from);
    put_global(g, &k, dst, stores ? &k.b : &own, to);
    put_tiled(g, &k, &k.b);
    if (percent(g, 70))
        put(g, "tiled_copy own%d = tile(auto(%d), %s);\n", id, PICK(g, 32, 32, 64, 128),
            x.arrangement);
    else
        put(g, "tiled_copy own%d = tile(universal(%d), %s);\n", id, k.elem_bits, x.arrangement);
    // back the same way, or along the other mode with the other form
    bool other = loads && x.pairs && percent(g, 50);
    if (loads) put_matrix_copy(g, &k, &x, "load", "ldmatrix", x.trans);
    if (stores) put_matrix_copy(g, &k, &x, "store", "stmatrix", x.trans != other);
    put(g, "kernel matrices%d(%s, out %s) grid (", id, src, dst);
    for (int b = 0; b < k.block_axes; ++b) put(g, "%s%s", b ? ", " : "", k.grid[b]);
    int threads = x.threads > k.b.threads ? x.threads : k.b.threads;
    put(g, "%s) threads %d {\n", k.block_axes ? "" : "1", (threads + 31) / 32 * 32);
    int64_t row = 128 / k.elem_bits;
    if (loads) {
        put(g, "  shared sh%d : %s ", id, k.elem);
        put_shared_layout(g, &k, x.along, row);
        put(g, ";\n");
    }
    if (stores) {
        put(g, "  shared mid%d : %s ", id, k.elem);
        put_shared_layout(g, &k, other ? 1 - x.along : x.along, row);
        put(g, ";\n");
    }
    put(g, "  frag reg%d : %s like own%d;\n", id, k.elem, id);
    char in[PART_TEXT], load[96], store[96], out[PART_TEXT];
    const char *const pad = k.tails ? " pad 0" : "";
    bool parts = x.count > 0 && percent(g, 40);  // what the lanes address, of the same tiles
    if (parts) {
        snprintf(load, sizeof load, "partition_src(load%d, sh%d) -> reg%d with load%d", id, id, id,
                 id);
        snprintf(store, sizeof store, "reg%d -> partition_dst(store%d, mid%d) with store%d", id, id,
                 id, id);
    } else {
        snprintf(load, sizeof load, "sh%d -> reg%d with load%d", id, id, id);
        snprintf(store, sizeof store, "reg%d -> mid%d with store%d", id, id, id);
    }
    if (loads)
        snprintf(in, sizeof in, "%s -> sh%d with %s%s", from, id, k.b.name, pad);
    else
        snprintf(in, sizeof in, "%s -> reg%d with own%d%s", from, id, id, pad);
    if (stores)
        snprintf(out, sizeof out, "mid%d -> %s with %s", id, to, k.b.name);
    else
        snprintf(out, sizeof out, "reg%d -> %s with own%d", id, to, id);
    const char *step[4];
    int n = 0;
    step[n++] = in;
    if (loads) step[n++] = load;
    if (stores) step[n++] = store;
    step[n++] = out;
    put_steps(g, &k, step, n);
}
