// Tables of words of other languages (see foreign.h).
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/session.h"
#include "syntax/foreign.h"

#define ROWS(table)       (sizeof(table) / sizeof *(table))
#define FIND(table, name) find(table, ROWS(table), name)

static const struct foreign *find(const struct foreign *all, size_t n, const char *name) {
    for (size_t i = 0; i < n; ++i)
        if (strcmp(name, all[i].name) == 0) return &all[i];
    return NULL;
}

static const char *ours(const struct foreign *all, size_t n, const char *name) {
    const struct foreign *w = find(all, n, name);
    return w ? w->ours : NULL;
}

const char *foreign_type(const char *name) {
    static const struct foreign types[] = {
        {"half", "f16", NULL},
        {"__half", "f16", NULL},
        {"half_t", "f16", NULL},
        {"float16", "f16", NULL},
        {"float16_t", "f16", NULL},
        {"Float16", "f16", NULL},
        {"fp16", "f16", NULL},
        {"__nv_bfloat16", "bf16", NULL},
        {"bfloat16", "bf16", NULL},
        {"bfloat16_t", "bf16", NULL},
        {"BFloat16", "bf16", NULL},
        {"float", "f32", NULL},
        {"float32", "f32", NULL},
        {"Float32", "f32", NULL},
        {"fp32", "f32", NULL},
        {"tf32", "f32", NULL},
        {"tfloat32_t", "f32", NULL},
        {"double", "f64", NULL},
        {"float64", "f64", NULL},
        {"fp64", "f64", NULL},
        {"e4m3", "f8e4m3", NULL},
        {"e5m2", "f8e5m2", NULL},
        {"float_e4m3_t", "f8e4m3", NULL},
        {"__nv_fp8_e4m3", "f8e4m3", NULL},
        {"float_e5m2_t", "f8e5m2", NULL},
        {"__nv_fp8_e5m2", "f8e5m2", NULL},
        {"char", "s8", NULL},
        {"int8_t", "s8", NULL},
        {"uint8_t", "u8", NULL},
        {"int16_t", "s16", NULL},
        {"short", "s16", NULL},
        {"uint16_t", "u16", NULL},
        {"int", "s32", NULL},
        {"int32_t", "s32", NULL},
        {"uint32_t", "u32", NULL},
        {"unsigned", "u32", NULL},
        {"uint", "u32", NULL},
        {"int64_t", "s64", NULL},
        {"uint64_t", "u64", NULL},
        {"uint128_t", "b128", NULL},
        {"int8", "s8", NULL},
        {"uint8", "u8", NULL},
        {"int16", "s16", NULL},
        {"uint16", "u16", NULL},
        {"int32", "s32", NULL},
        {"Int32", "s32", NULL},
        {"uint32", "u32", NULL},
        {"i32", "s32", NULL},
        {"i8", "s8", NULL},
        {"i16", "s16", NULL},
        {"i64", "s64", NULL},
        {"int64", "s64", NULL},
        {"uint64", "u64", NULL},
        {"size_t", "u64", NULL},
        {"nv_bfloat16", "bf16", NULL},
        {"__half_raw", "f16", NULL},
        {"long", "s64", NULL},
        {"longlong", "s64", NULL},
        {"ulong", "u64", NULL},
        {"ulonglong", "u64", NULL},
        {"uintptr_t", "u64", NULL},
        {"intptr_t", "s64", NULL},
        {"ptrdiff_t", "s64", NULL},
        {"ushort", "u16", NULL},
        {"uchar", "u8", NULL},
        {"byte", "u8", NULL},
        {"schar", "s8", NULL},
        {"float8_e4m3", "f8e4m3", NULL},
        {"float8_e4m3fn", "f8e4m3", NULL},
        {"float8_e4m3_t", "f8e4m3", NULL},
        {"f8e4m3fn", "f8e4m3", NULL},
        {"fp8e4nv", "f8e4m3", NULL},
        {"fp8_e4m3", "f8e4m3", NULL},
        {"e4m3fn", "f8e4m3", NULL},
        {"float8_e5m2", "f8e5m2", NULL},
        {"fp8e5", "f8e5m2", NULL},
        {"fp8_e5m2", "f8e5m2", NULL},
    };
    return ours(types, ROWS(types), name);
}

const char *foreign_bits(const char *name) {
    static const struct foreign types[] = {
        {"bool", "b8", NULL},
        {"bool_", "b8", NULL},
        {"_Bool", "b8", NULL},
        {"f8e4m3fnuz", "b8", NULL},
        {"float8_e4m3fnuz", "b8", NULL},
        {"float8_e5m2fnuz", "b8", NULL},
        {"f8e8m0", "b8", NULL},
        {"f8e8m0fnu", "b8", NULL},
        {"float8_e8m0fnu", "b8", NULL},
        {"ue8m0", "b8", NULL},
        {"chalf", "b32", NULL},
        {"complex32", "b32", NULL},
        {"c64", "b64", NULL},
        {"cfloat", "b64", NULL},
        {"complex64", "b64", NULL},
        {"Complex64", "b64", NULL},
        {"cuComplex", "b64", NULL},
        {"cuFloatComplex", "b64", NULL},
        {"c128", "b128", NULL},
        {"cdouble", "b128", NULL},
        {"complex128", "b128", NULL},
        {"Complex128", "b128", NULL},
        {"cuDoubleComplex", "b128", NULL},
        {"int128", "b128", NULL},
        {"__int128", "b128", NULL},
        {"int128_t", "b128", NULL},
        {"uint128", "b128", NULL},
    };
    return ours(types, ROWS(types), name);
}

const char *foreign_type_help(struct session *s, const char *name, const char **ours) {
    static const char packed[] = "an element has at least 8 bits; 'u8' holds two of 4",
                      eights[] = "there are 'f8e4m3' and 'f8e5m2'";
    static const struct foreign none[] = {
        {"u4", NULL, packed},
        {"s4", NULL, packed},
        {"i4", NULL, packed},
        {"f4e2m1", NULL, packed},
        {"e2m1", NULL, packed},
        {"float4_e2m1fn_x2", NULL, packed},
        {"f8", NULL, eights},
        {"fp8", NULL, eights},
        {"float8", NULL, eights},
        {"complex", NULL, "'b64' moves the bits of two f32, and 'b128' those of two f64"},
    };
    const struct foreign *w = FIND(none, name);
    *ours = foreign_type(name);
    if (w) return w->help;
    if (*ours) return arena_printf(&s->arena, "did you mean '%s'?", *ours);
    *ours = foreign_bits(name);
    return *ours ? arena_printf(&s->arena, "'%s' moves the same bits", *ours) : NULL;
}

const char *foreign_vector(const char *name, int *parts) {
    char element[16];
    size_t length = strlen(name);
    if (foreign_type(name) || length < 2 || length > sizeof element ||
        !strchr("248", name[length - 1]))
        return NULL;
    *parts = name[length - 1] - '0';
    memcpy(element, name, length - 1);
    element[length - 1] = '\0';
    return foreign_type(element);
}

const struct foreign *foreign_word(const char *name) {
    static const char swizzled[] =
        "rows of 128 bytes are 'Sw<3,4,3> o 0 o (8,128):(128,1)' of 8-bit elements, 'Sw<3,3,3> o 0 "
        "o (8,64):(64,1)' of 16-bit ones and 'Sw<3,2,3> o 0 o (8,32):(32,1)' of 32-bit ones";
    static const char
        bits[] = "an atom is written with its bits, such as 'universal(128)'",
        tma[] = "there is no TMA; 'cp_async.cg(16)' copies to shared memory asynchronously";
    static const struct foreign words[] = {
        {"stage", NULL,
         "in 'load' and 'use', the name of a buffer with stages means the slot of the step"},
        {"slot", NULL,
         "in 'load' and 'use', the name of a buffer with stages means the slot of the step"},
        {"__ldg", NULL, "the atom of a tiled copy says how it reads: 'universal(128)'"},
        {"__ldcg", NULL, "the atom of a tiled copy says how it reads: 'universal(128)'"},
        {"blockDim", NULL, "'threads N' after the kernel's list sets the threads of a block"},
        {"gridDim", NULL, "'grid (..)' after the kernel's list sets the number of blocks"},
        {"warpSize", "32", NULL},
        {"thread", "tid", NULL},
        {"thread_id", "tid", NULL},
        {"thread_idx", "tid", NULL},
        {"block_id", "block.x", NULL},
        {"block_idx", "block.x", NULL},
        {"bid", "block.x", NULL},
        {"bidx", "block.x", NULL},
        {"bidy", "block.y", NULL},
        {"bidz", "block.z", NULL},
        {"tidx", "tid", NULL},
        {"pid", "block.x", NULL},
        {"pid_m", "block.x", NULL},
        {"pid_n", "block.y", NULL},
        {"program_id", "block.x", NULL},
        {"num_programs", NULL, "'grid (..)' after the kernel's list sets the number of blocks"},
        {"dim3", NULL, "blocks are 'grid (4,2)', threads are 'threads 128'"},
        {"arange", NULL, "a range is '0 .. 64', written in place of a coordinate"},
        {"load", NULL, "a copy is 'copy A -> B with tc;'"},
        {"store", NULL, "a copy is 'copy A -> B with tc;'"},
        {"sizeof", NULL,
         "the width of an access is in bits, 'universal(128)', of cp_async in bytes"},
        {"Step", NULL, "a projection is a tuple, '(1,_,1)' for 'Step<_1,X,_1>'"},
        {"SW128", NULL, swizzled},
        {"Layout_K_SW128_Atom", NULL, swizzled},
        {"bank_conflicts", NULL,
         "'wavefronts(st.dst) == 1' holds where no access has a bank conflict"},
        {"vector_bytes", NULL, "'vector_bits(ld.src) == 128' is an access of 16 bytes"},
        {"laneId", "lane", NULL},
        {"lane_id", "lane", NULL},
        {"lane_idx", "lane", NULL},
        {"warpId", "warp", NULL},
        {"warp_id", "warp", NULL},
        {"warp_idx", "warp", NULL},
        {"None", "_", NULL},
        {"LayoutRight", NULL,
         "'row(SHAPE)' is the compact layout whose last mode is contiguous; the order of "
         "'tile_to_shape' that starts with the last mode is '(1,0)'"},
        {"LayoutLeft", NULL, "a shape alone is the compact layout whose first mode is contiguous"},
        {"GenRowMajor", NULL, "'row(SHAPE)' is the compact layout whose last mode is contiguous"},
        {"GenColMajor", NULL, "a shape alone is the compact layout whose first mode is contiguous"},
        {"RowMajor", NULL, "'row(SHAPE)' is the compact layout whose last mode is contiguous"},
        {"ColMajor", NULL, "a shape alone is the compact layout whose first mode is contiguous"},
        {"grid", NULL,
         "the extents of the grid have no name; 'block.x' is the number of the block"},
        {"make_tensor", NULL,
         "a tensor is declared: 'tensor A : f16 global (M,N);', 'shared s : f16 (64,64);', 'frag r "
         ": f16 (8);'"},
        {"make_fragment_like", NULL, "a fragment is declared: 'frag r : f16 like TILED_COPY;'"},
        {"make_rmem_tensor", NULL, "a fragment is declared: 'frag r : f16 like TILED_COPY;'"},
        {"make_tiled_copy", NULL, "a tiled copy is 'tile(ATOM, thr=LAYOUT, val=LAYOUT)'"},
        {"make_tiled_copy_tv", NULL, "a tiled copy is 'tile(ATOM, thr=LAYOUT, val=LAYOUT)'"},
        {"make_tiled_copy_A", NULL,
         "a tiled copy for an operand is 'tile(ATOM, like=operand_A(M))'"},
        {"make_tiled_copy_B", NULL,
         "a tiled copy for an operand is 'tile(ATOM, like=operand_B(M))'"},
        {"make_tiled_copy_C", NULL,
         "a tiled copy for an operand is 'tile(ATOM, like=operand_C(M))'"},
        {"UniversalCopy", NULL, bits},
        {"Copy_Atom", NULL, bits},
        {"CopyUniversalOp", NULL, bits},
        {"uint4", NULL, bits},
        {"vec4", NULL, bits},
        {"LDG", NULL, bits},
        {"LDSM", "ldmatrix.x4", NULL},
        {"SM75_U32x4_LDSM_T", "ldmatrix.x4.trans", NULL},
        {"SM80_CP_ASYNC_CACHEGLOBAL", "cp_async.cg(16)", NULL},
        {"SM80_CP_ASYNC_CACHEALWAYS", "cp_async.ca(16)", NULL},
        {"CopyG2SOp", "cp_async.cg(16)", NULL},
        {"SM90_BULK_COPY_G2S", NULL, tma},
        {"cp_async_bulk_tensor", NULL, tma},
        {"TiledCopy", NULL, "a tiled copy is 'tile(ATOM, thr=LAYOUT, val=LAYOUT)'"},
        {"Layout", NULL, "a layout is 'SHAPE:STRIDE', such as '(8,64):(64,1)'"},
        {"make_composed_layout", NULL, "a swizzled layout is 'Sw<3,3,3> o 0 o LAYOUT'"},
        {"make_coord", NULL, "a coordinate is a tuple, '(block.x,0)'"},
        {"elem_less", NULL, "elements outside a tensor are guarded by the compiler"},
        {"print_latex", NULL, "'tcpc draw PLAN NAME' draws a layout or a tiled copy"},
        {"warpgroup", NULL, "a warpgroup is four warps, 'warp / 4'"},
        {"blockIdx_x", "block.x", NULL},
        {"blockIdx_y", "block.y", NULL},
        {"threadIdx_x", "tid", NULL},
        {"rmem", NULL, "a fragment has no space: 'frag r : f16 (8);'"},
        {"make_copy_atom", NULL, "an atom is written with its bits, such as 'universal(128)'"},
        {"make_tiled_mma", NULL, "a tiled MMA is 'mma(m16n8k16.f32.f16.f16.f32, warps=(2,2,1))'"},
        {"make_identity_tensor", NULL, "elements outside a tensor are guarded by the compiler"},
        {"partition_S", "partition_src", NULL},
        {"partition_D", "partition_dst", NULL},
        {"operand_D", "operand_C", NULL},
        {"get_slice", NULL,
         "'partition_src(tc, A)' and 'partition_dst(tc, A)' are the share of a thread"},
        {"compose", "composition", NULL},
        {"column", "col", NULL},
        {"INT_MAX", "2147483647", NULL},
        {"evict_first", NULL, "a hint names its side and its cache: 'ld=L1.evict_first'"},
        {"ceil", NULL, "'ceil_div(M, BM)' is a quotient that is rounded up"},
        {"cdiv", "ceil_div", NULL},
        {"ceildiv", "ceil_div", NULL},
        {"div_up", "ceil_div", NULL},
        {"divup", "ceil_div", NULL},
        {"min", NULL, "elements outside a tensor are guarded, so no size needs to be clipped"},
        {"max", NULL, "a plan has no maximum; 'ceil_div' counts the tiles that cover a mode"},
        {"transpose", "select(%s, (1,0))", NULL},
        {"permute", NULL, "'select(A, (1,0))' is A with its modes in that order"},
        {"swapaxes", NULL, "'select(A, (1,0))' is A with its modes in that order"},
        {"reshape", NULL, "'with_shape(A, SHAPE)' is A on another shape"},
        {"print_layout", NULL, "'tcpc eval --table LAYOUT' prints a layout"},
        {"wgmma", NULL,
         "there is no wgmma; an instruction is written like m16n8k16.f32.f16.f16.f32"},
        {"TMA", NULL, tma},
        {"tma_load", NULL, tma},
        {"tma_store", NULL, "there is no TMA; 'universal(128)' stores 16 bytes"},
        {"SM90_TMA_LOAD", NULL, tma},
        {"SM90_TMA_STORE", NULL, "there is no TMA; 'universal(128)' stores 16 bytes"},
        {"SM75_U32x1_LDSM_N", "ldmatrix.x1", NULL},
        {"SM75_U32x2_LDSM_N", "ldmatrix.x2", NULL},
        {"SM75_U32x4_LDSM_N", "ldmatrix.x4", NULL},
        {"SM75_U16x2_LDSM_T", "ldmatrix.x1.trans", NULL},
        {"SM75_U16x4_LDSM_T", "ldmatrix.x2.trans", NULL},
        {"SM75_U16x8_LDSM_T", "ldmatrix.x4.trans", NULL},
        {"SM90_U32x1_STSM_N", "stmatrix.x1", NULL},
        {"SM90_U32x2_STSM_N", "stmatrix.x2", NULL},
        {"SM90_U32x4_STSM_N", "stmatrix.x4", NULL},
        {"SM90_U16x2_STSM_T", "stmatrix.x1.trans", NULL},
        {"SM90_U16x4_STSM_T", "stmatrix.x2.trans", NULL},
        {"SM90_U16x8_STSM_T", "stmatrix.x4.trans", NULL},
        {"DefaultCopy", "auto(128)", NULL},
        {"AutoVectorizingCopy", "auto(128)", NULL},
    };
    return FIND(words, name);
}

const char *foreign_argument(const char *name) {
    static const struct foreign words[] = {
        {"thread", "thr", NULL},   {"threads", "thr", NULL},  {"thr_layout", "thr", NULL},
        {"value", "val", NULL},    {"values", "val", NULL},   {"val_layout", "val", NULL},
        {"layout_tv", "tv", NULL}, {"tv_layout", "tv", NULL}, {"tiler_mn", "tile", NULL},
        {"tiler", "tile", NULL},
    };
    return ours(words, ROWS(words), name);
}

const struct foreign *foreign_part(const char *name) {
    static const char slice[] =
        "'partition_src(tc, A)' and 'partition_dst(tc, A)' are the share of a thread";
    static const char from_tensor[] = "'size(A)', 'shape(A)' and 'stride(A)' describe a tensor";
    static const struct foreign words[] = {
        {"T", "select(%s, (1,0))", NULL},
        {"mT", "select(%s, (1,0))", NULL},
        {"get_slice", NULL, slice},
        {"get_thread_slice", NULL, slice},
        {"partition_S", NULL, slice},
        {"partition_D", NULL, slice},
        {"retile_S", NULL, "'retile(tc, r)' is a fragment in the modes of the copy's shares"},
        {"retile_D", NULL, "'retile(tc, r)' is a fragment in the modes of the copy's shares"},
        {"shape", "shape(%s)", NULL},
        {"stride", "stride(%s)", NULL},
        {"strides", "stride(%s)", NULL},
        {"ndim", "rank(%s)", NULL},
        {"numel", "size(%s)", NULL},
        {"transpose", NULL, "'select(A, (1,0))' is A with its modes in that order"},
        {"permute", NULL, "'select(A, (1,0))' is A with its modes in that order"},
        {"view", NULL, "'with_shape(A, SHAPE)' is A on another shape"},
        {"reshape", NULL, "'with_shape(A, SHAPE)' is A on another shape"},
        {"isel", NULL, "names go in the coordinate: 'A(b=0)'"},
        {"sel", NULL, "names go in the coordinate: 'A(b=0)'"},
        {"size", "size(%s)", NULL},
        {"retile", NULL, "'retile(tc, r)' is a fragment in the modes of the copy's shares"},
        {"compose", NULL, "'composition(A, B)' is A after B"},
        {"iterator", NULL, from_tensor},
        {"layout", NULL, from_tensor},
        {"data", NULL, from_tensor},
    };
    return FIND(words, name);
}

bool foreign_module(const char *name) {
    static const char modules[][10] = {"cute",  "cutlass", "tl",     "triton", "np",
                                       "numpy", "torch",   "pycute", "nvgpu",  "arch"};
    for (size_t i = 0; i < ROWS(modules); ++i)
        if (strcmp(name, modules[i]) == 0) return true;
    return false;
}

const char *foreign_mma(struct session *s, const char *name) {
    static const struct foreign types[] = {
        {"F16", "f16", NULL},     {"BF16", "bf16", NULL}, {"TF32", "tf32", NULL},
        {"F32", "f32", NULL},     {"F64", "f64", NULL},   {"S32", "s32", NULL},
        {"S8", "s8", NULL},       {"U8", "u8", NULL},     {"E4M3", "f8e4m3", NULL},
        {"E5M2", "f8e5m2", NULL}, {"S4", "s4", NULL},     {"U4", "u4", NULL},
    };
    int m, n, k, at = 0;
    if (sscanf(name, "SM%*2d_%dx%dx%d_%n", &m, &n, &k, &at) != 3 || at == 0) return NULL;
    const char *text = arena_printf(&s->arena, "m%dn%dk%d", m, n, k), *rest = name + at;
    for (int i = 0; i < 4; ++i) {
        const struct foreign *type = NULL;
        for (size_t j = 0; j < ROWS(types); ++j)
            if (strncmp(rest, types[j].name, strlen(types[j].name)) == 0) type = &types[j];
        if (!type) return NULL;
        text = arena_printf(&s->arena, "%s.%s", text, type->ours);
        rest += strlen(type->name);
    }
    return text;
}
