// A row of tests/golden/tiled_copy.tsv, a tiled copy of CuTe with what it does to two tensors,
// written as plans.
#ifndef TCPC_TESTS_UNIT_DRIVER_TILED_ROW_H
#define TCPC_TESTS_UNIT_DRIVER_TILED_ROW_H

#include "base/buf.h"
#include "driver/golden.h"
#include "plan/golden_mma.h"

enum column {
    FORM,
    ATOM,
    TYPE,
    PARAMS,
    SPACE,
    SRC,
    DST,
    TILER,
    TV,
    SRC_TV,
    DST_TV,
    SIZES,
    SRC_ATOM,
    DST_ATOM,
    REF_ATOM,
    SRC_PART,
    DST_PART,
    RETILE,
    START_ALIGN,
    SRC_OWNER,
    DST_OWNER,
    VERDICT,
    FLAGS,
    N_COLUMNS
};

static inline bool layout_tiler(char **row) {
    return row[TILER][0] == '<';
}
static inline bool row_loads(char **row) {
    return strcmp(row[SPACE], "smem->rmem") == 0;
}
static inline bool row_stores(char **row) {
    return strcmp(row[SPACE], "rmem->smem") == 0;
}
static inline bool row_is_collective(char **row) {
    return row_loads(row) || row_stores(row);
}
static inline bool row_is_async(char **row) {
    return strstr(row[ATOM], "CP_ASYNC") != NULL;
}
// Of a side, "t:v/t:v,..": the destination's are "=" where they are the source's.
static inline const char *row_owners(char **row, bool src) {
    return src || strcmp(row[DST_OWNER], "=") == 0 ? row[SRC_OWNER] : row[DST_OWNER];
}
// Whether threads share elements of the tile, beside lanes that address one row for ldmatrix or
// stmatrix.
static inline bool repeated(char **row) {
    return strchr(row_owners(row, !row_loads(row)), '/') != NULL;
}
static inline int row_threads(char **row) {
    return atoi(row[SIZES]);
}

// The row's atom as a plan names it, or NULL.
static inline const char *row_atom(char **row) {
    static const char *const table[][2] = {
        {"SM80_CP_ASYNC_CACHEALWAYS<uint32_t>", "cp_async.ca(4)"},
        {"SM80_CP_ASYNC_CACHEALWAYS<uint64_t>", "cp_async.ca(8)"},
        {"SM80_CP_ASYNC_CACHEALWAYS<uint128_t>", "cp_async.ca(16)"},
        {"SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>", "cp_async.cg(16)"},
        {"SM75_U32x1_LDSM_N", "ldmatrix.x1"},
        {"SM75_U32x2_LDSM_N", "ldmatrix.x2"},
        {"SM75_U32x4_LDSM_N", "ldmatrix.x4"},
        {"SM75_U16x2_LDSM_T", "ldmatrix.x1.trans"},
        {"SM75_U16x4_LDSM_T", "ldmatrix.x2.trans"},
        {"SM75_U16x8_LDSM_T", "ldmatrix.x4.trans"},
        {"SM90_U32x1_STSM_N", "stmatrix.x1"},
        {"SM90_U32x2_STSM_N", "stmatrix.x2"},
        {"SM90_U32x4_STSM_N", "stmatrix.x4"},
        {"SM90_U16x2_STSM_T", "stmatrix.x1.trans"},
        {"SM90_U16x4_STSM_T", "stmatrix.x2.trans"},
        {"SM90_U16x8_STSM_T", "stmatrix.x4.trans"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (strcmp(table[i][0], row[ATOM]) == 0) return table[i][1];
    return golden_atom(row[ATOM]);
}

// -- texts, in the arena of "s"
// --------------------------------------------------------------------

static inline const char *view_text(struct session *s, char **row, const char *name) {
    if (!layout_tiler(row)) return name;
    return arena_printf(&s->arena, "logical_divide(%s, %s)", name, row[TILER]);
}

// Whether the row is CuTe's make_tiled_copy_S or _D: another tiled copy's threads and values, of
// one of its sides.
static inline bool row_of_other(char **row) {
    return strcmp(row[FORM], "make_tiled_copy_S") == 0 ||
           strcmp(row[FORM], "make_tiled_copy_D") == 0;
}

// tile(ATOM, ...) of the row: by its own thr and val where it is CuTe's make_tiled_copy, by the
// operand of the MMA "m" where it is make_tiled_copy_A and its like, else by TV and tile.  The tile
// of <L0,L1> is of their sizes; the views are divided by the layouts.
static inline const char *tile_text(struct session *s, char **row, const char *atom) {
    const char *cut = strstr(row[PARAMS], " ; "), *tile = row[TILER];
    const char *operand = golden_mma_operand(row[FORM], row[PARAMS]);
    if (strcmp(row[FORM], "make_tiled_copy") == 0 && cut)
        return arena_printf(&s->arena, "tile(%s, thr=%.*s, val=%s)", atom, (int)(cut - row[PARAMS]),
                            row[PARAMS], cut + 3);
    if (row_of_other(row) && !*row[TV])
        return arena_printf(&s->arena, "tile(%s, tv=tv_%s(of), tile=tiler(of))", atom,
                            strcmp(row[FORM], "make_tiled_copy_S") == 0 ? "src" : "dst");
    if (operand) return arena_printf(&s->arena, "tile(%s, like=operand_%s(m))", atom, operand);
    if (layout_tiler(row)) {
        struct lay_ctx *x = &s->lay;
        const struct lay_tiler *t = lay_parse_tiler(x, tile);
        const struct lay_tuple *kid[LAY_MAX_RANK];
        for (int i = 0; i < t->rank; ++i) kid[i] = lay_leaf(x, lay_size(x, t->kid[i]->layout));
        tile = lay_tuple_text(x, lay_tuple(x, t->rank, kid));
    }
    return arena_printf(&s->arena, "tile(%s, tv=%s, tile=%s)", atom, row[TV], tile);
}

// The head of a plan: the tensors in spaces of their own, and the tiled copy "tc" with "atom".
static inline void put_head(struct session *s, struct buf *b, char **row, const char *atom,
                            const char *src_space, const char *dst_space) {
    char name[80], warps[64], tile[64];
    buf_init(b);
    buf_puts(b, "tcp 1;\narch sm_90;\n");
    buf_printf(b, "tensor A : %s %s %s align 16;\n", row[TYPE], src_space, row[SRC]);
    buf_printf(b, "tensor B : %s %s %s align 16;\n", row[TYPE], dst_space, row[DST]);
    if (golden_mma_operand(row[FORM], row[PARAMS]) && golden_mma(row[PARAMS], name, warps, tile))
        buf_printf(b, "tiled_mma m = mma(%s, warps=%s, tile=%s);\n", name, warps, tile);
    if (row_of_other(row)) {  // "SM75_U32x4_LDSM_N ; THR ; VAL"
        char *part = arena_printf(&s->arena, "%s", row[PARAMS]), *of[N_COLUMNS] = {0};
        char *thr = strstr(part, " ; "), *val = thr ? strstr(thr + 3, " ; ") : NULL;
        if (!CHECK(val, "%s", row[PARAMS])) return;
        *thr = *val = 0;
        of[ATOM] = part;
        buf_printf(b, "tiled_copy of = tile(%s, thr=%s, val=%s);\n", row_atom(of), thr + 3,
                   val + 3);
    }
    buf_printf(b, "tiled_copy tc = %s;\n", tile_text(s, row, atom));
}

static inline void put_kernel(struct buf *b, char **row, const char *formals) {
    buf_printf(b, "kernel k(%s) grid (1) threads %d {\n", formals, row_threads(row));
}

static inline const char *finish(struct session *s, struct buf *b) {
    buf_puts(b, "}\n");
    return buf_finish(b, &s->arena);
}

// Each side for itself, to and from a fragment, since CuTe cuts sides that do not fit each other.
// With a collective atom the fragment is the other side.
static inline const char *sides_text(struct session *s, char **row, const char *atom) {
    const char *from = view_text(s, row, "A"), *to = view_text(s, row, "B");
    struct buf b;
    put_head(s, &b, row, atom, row_loads(row) ? "shared" : "global",
             row_stores(row) ? "shared" : "global");
    // a tile whose elements have several owners serves to read
    bool reads = repeated(row);
    put_kernel(&b, row, row_is_collective(row) ? "" : reads ? "A, B" : "A, out B");
    buf_printf(&b, "  frag f : %s like tc;\n", row[TYPE]);
    if (!row_stores(row)) buf_printf(&b, "  copy %s -> f with tc;\n", from);
    if (row_stores(row)) buf_printf(&b, "  copy f -> %s with tc;\n", to);
    if (!row_is_collective(row)) {
        buf_printf(&b, "  frag g : %s like tc;\n", row[TYPE]);
        buf_printf(&b, reads ? "  copy %s -> g with tc;\n" : "  copy g -> %s with tc;\n", to);
    }
    return finish(s, &b);
}

// All of a tensor of "shape", by as many of the threads as divide its first mode.
static inline void put_whole(struct session *s, struct buf *b, char **row, const char *way,
                             const struct lay_tuple *shape) {
    int64_t n = lay_tuple_product(&s->lay, shape).num;
    int64_t first = lay_tuple_product(&s->lay, lay_tuple_get(&s->lay, shape, 0)).num;
    int t = (int)lay_gcd(first, row_threads(row));
    buf_printf(b, "  copy %s by (%d,%d):(1,%d);\n", way, t, (int)(n / t), t);
}

// The copy itself.  What is read from shared memory is brought there, and what is written to it is
// taken from there.
static inline const char *copy_text(struct session *s, char **row, const char *atom) {
    const char *from = view_text(s, row, "A"), *to = view_text(s, row, "B");
    const struct lay_tuple *shape = lay_parse(&s->lay, row[row_loads(row) ? SRC : DST]).shape;
    bool shared = row_stores(row) || row_is_async(row);
    struct buf b;
    put_head(s, &b, row, atom, row_loads(row) ? "shared" : "global", shared ? "shared" : "global");
    if (shared || row_loads(row))
        buf_printf(&b, "tensor G : %s global %s;\n", row[TYPE], lay_tuple_text(&s->lay, shape));
    if (row_stores(row)) buf_printf(&b, "tiled_copy plain = %s;\n", tile_text(s, row, "auto(128)"));
    put_kernel(&b, row, row_loads(row) ? "G" : shared ? "A, out G" : "A, out B");
    if (row_is_collective(row)) buf_printf(&b, "  frag f : %s like tc;\n", row[TYPE]);
    if (row_loads(row)) put_whole(s, &b, row, "G -> A", shape);
    if (row_stores(row)) buf_printf(&b, "  copy %s -> f with plain;\n", from);
    buf_printf(&b, "  copy %s -> %s with tc;\n", row_stores(row) ? "f" : from,
               row_loads(row) ? "f" : to);
    if (shared) put_whole(s, &b, row, "B -> G", shape);
    return finish(s, &b);
}

// The layout in "T=offset+layout[..": its shape and stride.
static inline bool split_layout(struct session *s, const char *text, const char **shape,
                                const char **stride) {
    const char *from = strchr(text, '+'), *stop = strchr(text, '[');
    const char *colon = from && stop ? memchr(from, ':', (size_t)(stop - from)) : NULL;
    if (!CHECK(colon, "%.40s", text)) return false;
    *shape = arena_printf(&s->arena, "%.*s", (int)(colon - from - 1), from + 1);
    *stride = arena_printf(&s->arena, "%.*s", (int)(stop - colon - 1), colon + 1);
    return true;
}

static inline bool row_is_swizzled(char **row, bool src) {
    return strstr(row[src ? SRC : DST], "Sw") != NULL;
}

// What is expected of the tiled copy's functions: a thread's part of each side, source first, which
// is copied as it is, and, with "forms", its shape and stride and a fragment of the row in the
// modes of the tiled copy, as CuTe prints them.  The register side of CuTe's is a tensor in memory
// here.
static inline const char *parts_text(struct session *s, char **row, const char *atom, bool forms) {
    static const char *const fn[] = {"partition_dst", "partition_src"};
    const char *shape, *stride, *arrow = strstr(row[RETILE], " -> ");
    struct buf b;
    put_head(s, &b, row, atom, "global", "global");
    buf_printf(&b, "tensor A2 : %s global %s;\n", row[TYPE], row[SRC]);
    buf_printf(&b, "tensor B2 : %s global %s;\n", row[TYPE], row[DST]);
    put_kernel(&b, row, "A, B, out A2, out B2");
    for (int src = 1; src >= 0; --src) {
        const char *part =
            arena_printf(&s->arena, "%s(tc, %s)", fn[src], view_text(s, row, src ? "A" : "B"));
        buf_printf(&b, "  copy %s -> %s(tc, %s) with auto(128);\n", part, fn[src],
                   view_text(s, row, src ? "A2" : "B2"));
        // what CuTe prints of a swizzled tensor depends on the thread
        if (!forms || row_is_swizzled(row, src) ||
            !split_layout(s, row[src ? SRC_PART : DST_PART], &shape, &stride))
            continue;
        buf_printf(&b, "  expect shape(%s) == %s;\n", part, shape);
        buf_printf(&b, "  expect stride(%s) == %s;\n", part, stride);
    }
    if (arrow && forms)
        buf_printf(&b, "  frag r : %s %.*s;\n  expect retile(tc, r) == %s;\n", row[TYPE],
                   (int)(arrow - row[RETILE]), row[RETILE], arrow + 4);
    return finish(s, &b);
}
// How many views that asks for.
static inline int row_parts(char **row, bool forms) {
    return 2 + (forms && strstr(row[RETILE], " -> ") != NULL);
}

#endif
