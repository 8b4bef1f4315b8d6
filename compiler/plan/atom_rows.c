// The table of copy atoms, in the order in which messages list them.
#include "plan/atoms.h"

#define IN(space) (1u << MEM_##space)
#define ANYWHERE  (IN(GLOBAL) | IN(SHARED) | IN(FRAG))

// Columns that are the same in all rows of cp.async.
#define CP_ASYNC                                                                                   \
    .family = "cp.async", .page = "cp_async", .min_arch = 80, .src_spaces = IN(GLOBAL),            \
    .dst_spaces = IN(SHARED), .completes = COMPLETES_BY_GROUP, .threads = 1, .exact = true,        \
    .in_bytes = true, .raw = true, .fills = true, .prefetches = true, .ld = HINTS_OF_L2,           \
    .function = "tcp_cp_async", .commit = "tcp_cp_async_commit", .wait = "tcp_cp_async_wait"

// What one thread copies, counted by a barrier in shared memory.
#define BULK                                                                                       \
    .min_arch = 90, .src_spaces = IN(GLOBAL), .dst_spaces = IN(SHARED),                            \
    .completes = COMPLETES_BY_GROUP, .threads = 1, .fixed = true, .alone = true, .raw = true,      \
    .align = 128, .commit = "tcp_ring.commit", .wait = "tcp_ring.wait",                            \
    .all_commit = "tcp_ring.commit_all", .all_wait = "tcp_ring.wait_all",                          \
    .counter = "tcp_bulk_ring", .header = "tcp_bulk.cuh", .counter_bytes = 64, .cost = COST_BULK,  \
    .ld = HINTS_OF_L2

// What one thread copies out of shared memory, in groups of its own that the hardware counts.
#define BULK_STORE                                                                                 \
    .min_arch = 90, .src_spaces = IN(SHARED), .dst_spaces = IN(GLOBAL),                            \
    .completes = COMPLETES_BY_GROUP, .threads = 1, .fixed = true, .alone = true, .raw = true,      \
    .reads_late = true, .align = 128, .commit = "tcp_bulk_commit", .wait = "tcp_bulk_wait_read",   \
    .wait_written = "tcp_bulk_wait", .header = "tcp_bulk.cuh", .cost = COST_BULK

// The same, joined with what is there.
#define BULK_REDUCE                                                                                \
    .family = "bulk.reduce", .page = "bulk", BULK_STORE,                                           \
    .widths = {128,     256,     512,     1 << 10, 1 << 11, 1 << 12,                               \
               1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18}

// .. of boxes.  A reduction's type is that of the tensor map.
#define TMA_REDUCE                                                                                 \
    .family = "tma.reduce", .page = "tma-store", BULK_STORE, .widths = {128}, .boxes = true

// The types that a reduction has (PTX ISA, "cp.reduce.async.bulk").
#define ADDED_ELEMS   "u32 s32 u64 f16 bf16 f32 f64"
#define ORDERED_ELEMS "u32 s32 u64 s64 f16 bf16"

// Hints of plain loads and stores.
#define PLAIN_HINTS .prefetches = true, .ld = HINTS_OF_LD, .st = HINTS_OF_ST

// (thread, value) -> bit of CuTe's SM75_U32x1_LDSM_N .. SM75_U16x8_LDSM_T and SM90_U32x1_STSM_N ..
// (cute/atom/copy_traits_sm75.hpp, copy_traits_sm90.hpp).  ROWS: the rows that lanes address.
// PAIRS: the pairs of elements that each lane holds.  The others are for transposed matrices.
#define ROWS_1   "((8,4),128):((128,0),1)"
#define ROWS_2   "((16,2),128):((128,0),1)"
#define ROWS_4   "(32,128):(128,1)"
#define PAIRS_1  "(32,32):(32,1)"
#define PAIRS_2  "(32,(32,2)):(32,(1,1024))"
#define PAIRS_4  "(32,(32,4)):(32,(1,1024))"
#define TURNED_1 "((4,8),(16,2)):((256,16),(1,128))"
#define TURNED_2 "((4,8),(16,2,2)):((256,16),(1,128,1024))"
#define TURNED_4 "((4,8),(16,2,4)):((256,16),(1,128,1024))"

// The suffixes of an atom's name and of the runtime's function for .trans being 0 or 1.
#define IN_NAME_0
#define IN_NAME_1 ".trans"
#define IN_FUNCTION_0
#define IN_FUNCTION_1  "_trans"
#define IN_NAME(t)     IN_NAME_##t
#define IN_FUNCTION(t) IN_FUNCTION_##t
#define MATRIX(kind, n, turned, bits, least)                                                       \
    .name = kind "." n IN_NAME(turned), .family = kind, .page = "matrix", .min_arch = least,       \
    .widths = {bits}, .row_bits = 128, .fixed = true, .completes = COMPLETES_AT_ONCE,              \
    .threads = 32, .exact = true, .raw = true, .function = "tcp_" kind "_" n IN_FUNCTION(turned)
#define LDMATRIX(n, turned, bits, rows, lanes, most)                                               \
    {                                                                                              \
        MATRIX("ldmatrix", n, turned, bits, 75), .cost = COST_LDMATRIX, .src_spaces = IN(SHARED),  \
                                                 .dst_spaces = IN(FRAG), .src = rows,              \
                                                 .dst = lanes, .ref = lanes, .most_elem = most     \
    }
#define STMATRIX(n, turned, bits, rows, lanes, most)                                               \
    {                                                                                              \
        MATRIX("stmatrix", n, turned, bits, 90), .cost = COST_STMATRIX, .src_spaces = IN(FRAG),    \
                                                 .dst_spaces = IN(SHARED), .src = lanes,           \
                                                 .dst = rows, .ref = lanes, .most_elem = most      \
    }

const struct atom_row atom_rows[] = {
    {.name = "universal",  // CuTe's UniversalCopy<uintN_t>
     .widths = {8, 16, 32, 64, 128},
     .src_spaces = ANYWHERE,
     .dst_spaces = ANYWHERE,
     .completes = COMPLETES_AT_ONCE,
     .threads = 1,
     .exact = true,
     PLAIN_HINTS},
    {.name = "auto",  // AutoVectorizingCopyWithAssumedAlignment<N>
     .widths = {8, 16, 32, 64, 128},
     .src_spaces = ANYWHERE,
     .dst_spaces = ANYWHERE,
     .completes = COMPLETES_AT_ONCE,
     .threads = 1,
     PLAIN_HINTS},
    {.name = "cp_async.ca",  // SM80_CP_ASYNC_CACHEALWAYS<uintN_t>
     CP_ASYNC,
     .widths = {32, 64, 128},
     .cost = COST_CP_ASYNC_CA,
     .cache = "ca"},
    {.name = "cp_async.cg",  // SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>
     CP_ASYNC,
     .widths = {128},
     .why_widths = "accesses that bypass the L1 cache have 16 bytes",
     .narrower = "cp_async.ca",
     .cost = COST_CP_ASYNC_CG,
     .cache = "cg"},
    // cp.async.bulk: 16 bytes or more of a row.  A group is a phase of a barrier in shared memory.
    {.name = "bulk",
     .family = "bulk",
     .page = "bulk",
     BULK,
     .widths = {128, 256, 512, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16,
                1 << 17, 1 << 18},
     .function = "tcp_ring.load"},
    // cp.async.bulk.tensor: boxes of a tensor.  A row of a box is one or more accesses of 16 bytes.
    {.name = "tma.load",
     .family = "tma.load",
     .page = "tma",
     BULK,
     .widths = {128},
     .boxes = true,
     .prefetches = true,  // a property of the map
     .fills = true,
     .function = "tcp_ring.load_box"},
    {.name = "bulk.store",
     .family = "bulk.store",
     .page = "bulk",
     BULK_STORE,
     .widths = {128, 256, 512, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16,
                1 << 17, 1 << 18},
     .function = "tcp_store_bulk"},
    {.name = "bulk.reduce.add",
     BULK_REDUCE,
     .function = "tcp_reduce_add",
     .reduces = REDUCE_ADD,
     .elems = ADDED_ELEMS},
    {.name = "bulk.reduce.min",
     BULK_REDUCE,
     .function = "tcp_reduce_min",
     .reduces = REDUCE_MIN,
     .elems = ORDERED_ELEMS},
    {.name = "bulk.reduce.max",
     BULK_REDUCE,
     .function = "tcp_reduce_max",
     .reduces = REDUCE_MAX,
     .elems = ORDERED_ELEMS},
    {.name = "tma.store",
     .family = "tma.store",
     .page = "tma-store",
     BULK_STORE,
     .widths = {128},
     .boxes = true,
     .function = "tcp_store_box"},
    {.name = "tma.reduce.add",
     TMA_REDUCE,
     .function = "tcp_add_box",
     .reduces = REDUCE_ADD,
     .elems = ADDED_ELEMS},
    {.name = "tma.reduce.min",
     TMA_REDUCE,
     .function = "tcp_min_box",
     .reduces = REDUCE_MIN,
     .elems = ORDERED_ELEMS},
    {.name = "tma.reduce.max",
     TMA_REDUCE,
     .function = "tcp_max_box",
     .reduces = REDUCE_MAX,
     .elems = ORDERED_ELEMS},
    // ldmatrix and stmatrix move 8x8 matrices of 16-bit elements.  Lane 8*i + r addresses row r of
    // matrix i.  .trans transposes each matrix (PTX ISA, "ldmatrix" and "stmatrix").
    LDMATRIX("x1", 0, 32, ROWS_1, PAIRS_1, 32),
    LDMATRIX("x2", 0, 64, ROWS_2, PAIRS_2, 32),
    LDMATRIX("x4", 0, 128, ROWS_4, PAIRS_4, 32),
    LDMATRIX("x1", 1, 32, ROWS_1, TURNED_1, 16),
    LDMATRIX("x2", 1, 64, ROWS_2, TURNED_2, 16),
    LDMATRIX("x4", 1, 128, ROWS_4, TURNED_4, 16),
    STMATRIX("x1", 0, 32, ROWS_1, PAIRS_1, 32),
    STMATRIX("x2", 0, 64, ROWS_2, PAIRS_2, 32),
    STMATRIX("x4", 0, 128, ROWS_4, PAIRS_4, 32),
    STMATRIX("x1", 1, 32, ROWS_1, TURNED_1, 16),
    STMATRIX("x2", 1, 64, ROWS_2, TURNED_2, 16),
    STMATRIX("x4", 1, 128, ROWS_4, TURNED_4, 16),
#ifdef TRIAL_ROWS  // of a test, which includes this file
    TRIAL_ROWS
#endif
};
const int n_atom_rows = sizeof atom_rows / sizeof atom_rows[0];
