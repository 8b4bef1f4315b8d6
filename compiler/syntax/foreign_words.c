// Words of other languages (see foreign.h): a row has all words that one answer fits.
#include <stdio.h>
#include <string.h>

#include "base/session.h"
#include "base/words.h"
#include "syntax/foreign.h"

static const char
    packed[] = "an element has at least 8 bits; 'u8' holds two of 4",
    eights[] = "there are 'f8e4m3' and 'f8e5m2'",
    swizzled[] =
        "rows of 128 bytes are 'Sw<3,4,3> o 0 o (8,128):(128,1)' of 8-bit elements, 'Sw<3,3,3> o 0 "
        "o (8,64):(64,1)' of 16-bit ones and 'Sw<3,2,3> o 0 o (8,32):(32,1)' of 32-bit ones",
    bits[] = "an atom is written with its bits, such as 'universal(128)'",
    tma[] = "TMA is 'copy A -> s with tma.load', without a tile, on sm_90",
    shares[] = "'partition_src(tc, A)' and 'partition_dst(tc, A)' are the share of a thread",
    from_tensor[] = "'size(A)', 'shape(A)' and 'stride(A)' describe a tensor",
    turned[] = "'select(A, (1,0))' is A with its modes in that order",
    barriers[] = "the compiler places the barriers",
    commits[] = "the compiler commits asynchronous copies",
    waits[] = "the compiler waits for asynchronous copies",
    no_conditions[] = "a plan has no conditions; elements of a tile that are outside the tensor "
                      "are guarded, as in 'local_tile(A, (128), (block.x))'",
    guards[] = "elements outside a tensor are guarded by the compiler",
    asynchronous[] = "an asynchronous copy has the atom 'cp_async.cg(16)', as in 'copy A -> s with "
                     "tile(cp_async.cg(16), ..);'",
    prints[] = "'tcpc run PLAN --print NAME' prints a tensor",
    threads[] = "'threads N' after the kernel's list sets the threads of a block",
    constants[] = "a constant is 'const NAME = VALUE;'";

#define KERNELS "a kernel is 'kernel NAME(A, out B) grid (..) threads N { .. }'"
#define DEVICES "'device NAME(A, out s : f16 shared (64)) { .. }'"

static const struct foreign types[] = {
    {"half __half half_t float16 float16_t Float16 fp16 __half_raw", "f16", NULL},
    {"__nv_bfloat16 bfloat16 bfloat16_t BFloat16 nv_bfloat16", "bf16", NULL},
    {"float float32 Float32 fp32 tf32 tfloat32_t", "f32", NULL},
    {"double float64 fp64", "f64", NULL},
    {"e4m3 float_e4m3_t __nv_fp8_e4m3 float8_e4m3 float8_e4m3fn float8_e4m3_t f8e4m3fn fp8e4nv "
     "fp8_e4m3 e4m3fn",
     "f8e4m3", NULL},
    {"e5m2 float_e5m2_t __nv_fp8_e5m2 float8_e5m2 fp8e5 fp8_e5m2", "f8e5m2", NULL},
    {"char int8_t int8 i8 schar", "s8", NULL},
    {"uint8_t uint8 uchar byte", "u8", NULL},
    {"int16_t short int16 i16", "s16", NULL},
    {"uint16_t uint16 ushort", "u16", NULL},
    {"int int32_t int32 Int32 i32", "s32", NULL},
    {"uint32_t unsigned uint uint32", "u32", NULL},
    {"int64_t i64 int64 long longlong intptr_t ptrdiff_t", "s64", NULL},
    {"uint64_t uint64 size_t ulong ulonglong uintptr_t", "u64", NULL},
    {"uint128_t", "b128", NULL},
};

static const struct foreign bits_only[] = {
    {"bool bool_ _Bool f8e4m3fnuz float8_e4m3fnuz float8_e5m2fnuz f8e8m0 f8e8m0fnu float8_e8m0fnu "
     "ue8m0",
     "b8", NULL},
    {"chalf complex32", "b32", NULL},
    {"c64 cfloat complex64 Complex64 cuComplex cuFloatComplex", "b64", NULL},
    {"c128 cdouble complex128 Complex128 cuDoubleComplex int128 __int128 int128_t uint128", "b128",
     NULL},
};

static const struct foreign no_types[] = {
    {"u4 s4 i4 f4e2m1 e2m1 float4_e2m1fn_x2", NULL, packed},
    {"f8 fp8 float8", NULL, eights},
    {"complex", NULL, "'b64' moves the bits of two f32, and 'b128' those of two f64"},
};

static const struct foreign keywords[] = {
    {"gmem", "global", NULL},
    {"smem shmem", "shared", NULL},
    {"rmem reg regs register registers fragment", "frag", NULL},
    {"using via", "with", NULL},
    {"func", "device", NULL},
    {"produce producer", "load", NULL},
    {"consume consumer", "use", NULL},
    {"include", "import", NULL},
    {"blocks gridDim", "grid", NULL},
    {"blockDim block_dim block_size block num_threads", "threads", NULL},
    {"aligned", "align", NULL},
    {"num_stages", "stages", NULL},
    {"const_expr", "const", NULL},
    {"move memcpy", "copy", NULL},
    {"parameter", "param", NULL},
    {"version", "tcp", NULL},
    {"target", "arch", NULL},
};

static const struct foreign arguments[] = {
    {"thread threads thr_layout", "thr", NULL},
    {"value values val_layout", "val", NULL},
    {"layout_tv tv_layout", "tv", NULL},
    {"tiler_mn tiler", "tile", NULL},
};

static const struct foreign values[] = {
    {"stage slot", NULL,
     "in 'load' and 'use', the name of a buffer with stages means the slot of the step"},
    {"__ldg __ldcg", NULL, "the atom of a tiled copy says how it reads: 'universal(128)'"},
    {"blockDim", NULL, threads},
    {"gridDim num_programs", NULL, "'grid (..)' after the kernel's list sets the number of blocks"},
    {"warpSize", "32", NULL},
    {"thread thread_id thread_idx tidx threadIdx_x", "tid", NULL},
    {"block_id block_idx bid bidx pid pid_m program_id blockIdx_x", "block.x", NULL},
    {"bidy pid_n blockIdx_y", "block.y", NULL},
    {"bidz", "block.z", NULL},
    {"dim3", NULL, "blocks are 'grid (4,2)', threads are 'threads 128'"},
    {"arange", NULL, "a range is '0 .. 64', written in place of a coordinate"},
    {"load store", NULL, "a copy is 'copy A -> B with tc;'"},
    {"sizeof", NULL, "the width of an access is in bits, 'universal(128)', of cp_async in bytes"},
    {"Step", NULL, "a projection is a tuple, '(1,_,1)' for 'Step<_1,X,_1>'"},
    {"SW128 Layout_K_SW128_Atom", NULL, swizzled},
    {"bank_conflicts", NULL, "'wavefronts(st.dst) == 1' holds where no access has a bank conflict"},
    {"vector_bytes", NULL, "'vector_bits(ld.src) == 128' is an access of 16 bytes"},
    {"laneId lane_id lane_idx", "lane", NULL},
    {"warpId warp_id warp_idx", "warp", NULL},
    {"None", "_", NULL},
    {"LayoutRight", NULL,
     "'row(SHAPE)' is the compact layout whose last mode is contiguous; the order of "
     "'tile_to_shape' that starts with the last mode is '(1,0)'"},
    {"LayoutLeft GenColMajor ColMajor", NULL,
     "a shape alone is the compact layout whose first mode is contiguous"},
    {"GenRowMajor RowMajor", NULL,
     "'row(SHAPE)' is the compact layout whose last mode is contiguous"},
    {"grid", NULL, "the extents of the grid have no name; 'block.x' is the number of the block"},
    {"make_tensor", NULL,
     "a tensor is declared: 'tensor A : f16 global (M,N);', 'shared s : f16 (64,64);', 'frag r : "
     "f16 (8);'"},
    {"make_fragment_like make_rmem_tensor", NULL,
     "a fragment is declared: 'frag r : f16 like TILED_COPY;'"},
    {"make_tiled_copy make_tiled_copy_tv TiledCopy", NULL,
     "a tiled copy is 'tile(ATOM, thr=LAYOUT, val=LAYOUT)'"},
    {"make_tiled_copy_A", NULL, "a tiled copy for an operand is 'tile(ATOM, like=operand_A(M))'"},
    {"make_tiled_copy_B", NULL, "a tiled copy for an operand is 'tile(ATOM, like=operand_B(M))'"},
    {"make_tiled_copy_C", NULL, "a tiled copy for an operand is 'tile(ATOM, like=operand_C(M))'"},
    {"UniversalCopy Copy_Atom CopyUniversalOp uint4 vec4 LDG", NULL, bits},
    {"LDSM SM75_U32x4_LDSM_N", "ldmatrix.x4", NULL},
    {"SM75_U32x4_LDSM_T SM75_U16x8_LDSM_T", "ldmatrix.x4.trans", NULL},
    {"SM80_CP_ASYNC_CACHEGLOBAL CopyG2SOp", "cp_async.cg(16)", NULL},
    {"SM80_CP_ASYNC_CACHEALWAYS", "cp_async.ca(16)", NULL},
    {"SM90_BULK_COPY_G2S", "bulk", NULL},
    {"SM90_BULK_COPY_S2G", "bulk.store", NULL},
    {"cp_async_bulk_tensor TMA tma_load SM90_TMA_LOAD", NULL, tma},
    {"tma_store SM90_TMA_STORE", NULL,
     "TMA is 'copy s -> TILE with tma.store', without a tile, on sm_90"},
    {"Layout", NULL, "a layout is 'SHAPE:STRIDE', such as '(8,64):(64,1)'"},
    {"make_composed_layout", NULL, "a swizzled layout is 'Sw<3,3,3> o 0 o LAYOUT'"},
    {"make_coord", NULL, "a coordinate is a tuple, '(block.x,0)'"},
    {"elem_less make_identity_tensor", NULL,
     "elements outside a tensor are guarded by the compiler"},
    {"print_latex", NULL, "'tcpc draw PLAN NAME' draws a layout or a tiled copy"},
    {"warpgroup", NULL, "a warpgroup is four warps, 'warp / 4'"},
    {"rmem", NULL, "a fragment has no space: 'frag r : f16 (8);'"},
    {"make_copy_atom", NULL, "an atom is written with its bits, such as 'universal(128)'"},
    {"make_tiled_mma", NULL, "a tiled MMA is 'mma(m16n8k16.f32.f16.f16.f32, warps=(2,2,1))'"},
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
    {"cdiv ceildiv div_up divup", "ceil_div", NULL},
    {"len", "size(%s)", NULL},
    {"min", NULL, "elements outside a tensor are guarded, so no size needs to be clipped"},
    {"max", NULL, "a plan has no maximum; 'ceil_div' counts the tiles that cover a mode"},
    {"transpose", "select(%s, (1,0))", NULL},
    {"permute swapaxes", NULL, turned},
    {"reshape", NULL, "'with_shape(A, SHAPE)' is A on another shape"},
    {"print_layout", NULL, "'tcpc eval --table LAYOUT' prints a layout"},
    {"wgmma", NULL, "there is no wgmma; an instruction is written like m16n8k16.f32.f16.f16.f32"},
    {"SM75_U32x1_LDSM_N", "ldmatrix.x1", NULL},
    {"SM75_U32x2_LDSM_N", "ldmatrix.x2", NULL},
    {"SM75_U16x2_LDSM_T", "ldmatrix.x1.trans", NULL},
    {"SM75_U16x4_LDSM_T", "ldmatrix.x2.trans", NULL},
    {"SM90_U32x1_STSM_N", "stmatrix.x1", NULL},
    {"SM90_U32x2_STSM_N", "stmatrix.x2", NULL},
    {"SM90_U32x4_STSM_N", "stmatrix.x4", NULL},
    {"SM90_U16x2_STSM_T", "stmatrix.x1.trans", NULL},
    {"SM90_U16x4_STSM_T", "stmatrix.x2.trans", NULL},
    {"SM90_U16x8_STSM_T", "stmatrix.x4.trans", NULL},
    {"DefaultCopy AutoVectorizingCopy", "auto(128)", NULL},
};

static const struct foreign parts[] = {
    {"T mT", "select(%s, (1,0))", NULL},
    {"get_slice get_thread_slice partition_S partition_D", NULL, shares},
    {"retile_S retile_D retile", NULL,
     "'retile(tc, r)' is a fragment in the modes of the copy's shares"},
    {"shape", "shape(%s)", NULL},
    {"stride strides", "stride(%s)", NULL},
    {"ndim", "rank(%s)", NULL},
    {"numel size", "size(%s)", NULL},
    {"transpose permute", NULL, turned},
    {"view reshape", NULL, "'with_shape(A, SHAPE)' is A on another shape"},
    {"isel sel", NULL, "names go in the coordinate: 'A(b=0)'"},
    {"compose", NULL, "'composition(A, B)' is A after B"},
    {"iterator layout data", NULL, from_tensor},
};

static const struct foreign statements[] = {
    {"__syncthreads __syncwarp sync_threads syncthreads barrier bar.sync barrier.sync block.sync",
     "sync", barriers},
    {"cp_async_fence cp_async_commit cp_async_commit_group commit_group __pipeline_commit",
     "commit", commits},
    {"__pipeline_wait_prior cp_async_wait cp_async_wait_group wait_group", "wait %s", waits},
    {"cp_async_wait_all", "wait 0", waits},
    {"__shared__", NULL, "shared memory is declared by 'shared NAME : TYPE LAYOUT;'"},
    {"if switch else goto", NULL, no_conditions},
    {"while do loop repeat until foreach forall", NULL, "a loop is 'for i in 0 .. 4 { .. }'"},
    {"def fn func function void", NULL, "a device function stands at the top level: " DEVICES},
    {"return", NULL, "a function ends at its '}'"},
    {"break continue", NULL, "a loop runs from the start of its range to the end"},
    {"asm", NULL, "an instruction is the atom of a copy, such as 'cp_async.cg(16)'"},
    {"mbarrier.init fence_view_async_shared __threadfence __threadfence_block", NULL, barriers},
    {"fill memset cudaMemset", NULL, "'fill s = 0;' writes to shared memory and fragments"},
    {"autovec_copy memcpy cudaMemcpy", NULL, "a copy is 'copy A -> s with tc;'"},
    {"__ldg", NULL, "a copy reads: 'copy A -> s with tc;', and its atom says how"},
    {"print_layout", NULL, "'tcpc eval --table LAYOUT' prints a layout"},
    {"print printf", NULL, prints},
    {"copy_if", NULL, "a copy is 'copy A -> s with tc;', and elements outside are guarded"},
    {"gemm", NULL,
     "a plan copies; 'copy s -> r with tile(ldmatrix.x4, like=operand_A(M));' loads an operand"},
    {"auto var", "let", NULL},
    {"parallel", "for", NULL},
    {"clear", "fill %s = 0", NULL},
    {"assert static_assert", "expect %s", NULL},
    {"store", NULL, "a copy is 'copy A -> B with tc;'"},
    {"cp memcpy_async __pipeline_memcpy_async cudaMemcpyAsync", NULL, asynchronous},
    {"ldmatrix", NULL, "it is an atom: 'copy s -> r with tile(ldmatrix.x4, like=operand_A(M));'"},
    {"stmatrix", NULL, "it is an atom: 'copy r -> s with tile(stmatrix.x4, like=operand_C(M));'"},
    {"unroll", NULL, "nvcc unrolls loops; write only the loop"},
};

static const struct foreign declarations[] = {
    {"__global__ def void", NULL, KERNELS},
    {"__device__", NULL, "a device function is " DEVICES},
    {"func fn function inline", NULL, KERNELS ", a device function " DEVICES},
    {"namespace", NULL, "a plan has no namespaces"},
    {"CUTE_STATIC_ASSERT_V static_assert assert", NULL, "what has to hold is 'expect CONDITION;'"},
    {"__shared__", NULL, "shared memory is declared in a kernel: 'shared NAME : TYPE LAYOUT;'"},
    {"__launch_bounds__", NULL, threads},
    {"constexpr static", NULL, constants},
    {"auto", NULL, "the kind comes first: 'const', 'layout', 'atom', 'tiled_copy' NAME = ..;"},
    {"else", NULL, "the last case of a kernel has no 'when'; there is no 'else'"},
    {"using", NULL, "the kind comes first: 'layout', 'atom', 'tiled_copy' NAME = ..;"},
    {"typedef", NULL, "an element type has only its own name, such as 'f16'"},
    {"template", NULL, "a const replaces a template argument; -D overrides it"},
};

static const struct foreign clauses[] = {
    {"mask pred predicate if", NULL, guards},
    {"step", NULL, "a loop counts by one; multiply its variable"},
    {"smem shared_memory", NULL, "the shared memory of a kernel follows from its buffers"},
    {"cluster", NULL, "there are no clusters of blocks"},
    {"num_warps warps", NULL, "'threads N' says how many threads a block has, 32 per warp"},
    {"num_stages", NULL, "'stages N' comes after a shared buffer"},
    {"mod", NULL, "the remainder is '%'"},
    {"stream", NULL, "the launcher takes a stream"},
    {"multiple multiple_of divisible_by", NULL, "'index % 8' promises a multiple of 8"},
};

static const struct foreign modules[] = {
    {"cute cutlass tl triton np numpy torch pycute nvgpu arch", NULL, NULL},
};

#define TABLE(rows)                                                                                \
    { rows, sizeof(rows) / sizeof *(rows) }

const struct foreign *foreign_find(enum foreign_place place, const char *word) {
    static const struct {
        const struct foreign *row;
        size_t n;
    } tables[] = {
        [FOREIGN_TYPE] = TABLE(types),
        [FOREIGN_BITS] = TABLE(bits_only),
        [FOREIGN_NO_TYPE] = TABLE(no_types),
        [FOREIGN_KEYWORD] = TABLE(keywords),
        [FOREIGN_ARGUMENT] = TABLE(arguments),
        [FOREIGN_VALUE] = TABLE(values),
        [FOREIGN_PART] = TABLE(parts),
        [FOREIGN_STATEMENT] = TABLE(statements),
        [FOREIGN_DECLARATION] = TABLE(declarations),
        [FOREIGN_CLAUSE] = TABLE(clauses),
        [FOREIGN_MODULE] = TABLE(modules),
    };
    for (size_t i = 0; i < tables[place].n; ++i)
        if (word_listed(tables[place].row[i].words, word, strlen(word)))
            return &tables[place].row[i];
    return NULL;
}

const char *foreign_ours(enum foreign_place place, const char *word) {
    const struct foreign *w = foreign_find(place, word);
    return w ? w->ours : NULL;
}

const char *foreign_type_help(struct session *s, const char *name, const char **ours) {
    const struct foreign *w = foreign_find(FOREIGN_NO_TYPE, name);
    *ours = foreign_type(name);
    if (w) return w->help;
    if (*ours) return arena_printf(&s->arena, "did you mean '%s'?", *ours);
    *ours = foreign_ours(FOREIGN_BITS, name);
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

const char *foreign_mma(struct session *s, const char *name) {
    static const char types[][2][8] = {{"F16", "f16"}, {"BF16", "bf16"},   {"TF32", "tf32"},
                                       {"F32", "f32"}, {"F64", "f64"},     {"S32", "s32"},
                                       {"S8", "s8"},   {"U8", "u8"},       {"S4", "s4"},
                                       {"U4", "u4"},   {"E4M3", "f8e4m3"}, {"E5M2", "f8e5m2"}};
    int m, n, k, at = 0;
    if (sscanf(name, "SM%*2d_%dx%dx%d_%n", &m, &n, &k, &at) != 3 || at == 0) return NULL;
    const char *text = arena_printf(&s->arena, "m%dn%dk%d", m, n, k), *rest = name + at;
    for (int i = 0; i < 4; ++i) {
        size_t j = 0;
        while (j < sizeof types / sizeof *types &&
               strncmp(rest, types[j][0], strlen(types[j][0])) != 0)
            ++j;
        if (j == sizeof types / sizeof *types) return NULL;
        text = arena_printf(&s->arena, "%s.%s", text, types[j][1]);
        rest += strlen(types[j][0]);
    }
    return text;
}
