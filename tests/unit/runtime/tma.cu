// Rings of TMA and bulk loads in the form that the compiler is to emit: right ones, and one for each
// failure that the host runtime reports. Compiled for the host and, where there is an nvcc, for GPUs.
#include "tcp_device.cuh"
#include "tcp_tma.cuh"
#include "tcp_tma_launch.h"

enum { ROWS = 16, COLUMNS = 32, TILE = ROWS * COLUMNS * 2, THREADS = 64 };

// Column blocks of 32 halves of a (rows,columns) tensor, block.x * 16 rows of them, by a ring of
// STAGES boxes, into "out" of (rows,columns) at a pitch: columns and rows beyond are zeros. The sum of
// all steps of an element goes out, so that each step is seen.
template <int STAGES, int SWIZZLE, int FAULT>
static __global__ void __launch_bounds__(THREADS)
    ring_kernel(const __grid_constant__ tcp_tensor_map map, tcp_b16 *__restrict__ out, int steps,
                int begin) {
    TCP_SHARED_BUFFER(smem);
    tcp_b16 *const s = (tcp_b16 *)(smem + 0);
    tcp_mbarrier *const full = (tcp_mbarrier *)(smem + STAGES * TILE), *const empty = full + STAGES;
    const int tid = (int)threadIdx.x, row0 = (int)blockIdx.x * ROWS;
    if (tid == 0) {
        for (int i = 0; i < STAGES; ++i) {
            if (FAULT != 12) tcp_mbarrier_init(full + i, FAULT == 4 ? 2 : 1);
            tcp_mbarrier_init(empty + i, THREADS);
        }
        if (FAULT != 5) tcp_mbarrier_init_fence();
    }
    if (FAULT == 7) tcp_st_shared_16(s + tid, 0);
    if (FAULT == 13) {
        tcp_st_shared_16(s + tid, 0);
        tcp_fence_async();
    }
    if (FAULT != 14) tcp_sync();
    int slot = 0, parity = 0;
    int fill_slot = 0, fill_parity = 1;
    const auto fill = [&](int n) {
        if (FAULT != 6) tcp_mbarrier_wait(empty + fill_slot, fill_parity);
        tcp_mbarrier_expect(full + fill_slot, TILE + (FAULT == 2 ? 16 : FAULT == 3 ? -16 : 0));
        if (FAULT == 11) tcp_mbarrier_arrive(full + fill_slot);
        tcp_tma_load(s + fill_slot * (TILE / 2), map, full + fill_slot,
                     begin + n * COLUMNS + (FAULT == 8 ? 4 : 0), row0);
        if (++fill_slot == STAGES) fill_slot = 0, fill_parity ^= 1;
    };
    if (tid == 0)
        for (int n = 0; n < STAGES && n < steps; ++n) fill(n);
    for (int n = 0; n < steps; ++n) {
        if (FAULT != 1 && !(FAULT == 10 && n == steps - 1))
            tcp_mbarrier_wait(full + slot, FAULT == 9 ? parity ^ 1 : parity);
        for (int i = tid; !(FAULT == 10 && n == steps - 1) && i < ROWS * COLUMNS; i += THREADS) {
            const int at = SWIZZLE == TCP_TMA_SWIZZLE_64 ? tcp_swizzle<2, 3, 3>(i) : i;
            tcp_st_global_16(
                &out[((int64_t)(row0 + i / COLUMNS) * steps + n) * COLUMNS + i % COLUMNS],
                tcp_ld_shared_16(s + slot * (TILE / 2) + at));
        }
        tcp_mbarrier_arrive(empty + slot);
        if (tid == 0 && n + STAGES < steps) fill(n + STAGES);
        if (++slot == STAGES) slot = 0, parity ^= 1;
    }
}

// A tensor of (rows,columns) halves with a pitch in elements, from column "begin" on; out has whole
// tiles.
TCP_EXTERN_C tcp_status ring_launch(const tcp_b16 *src, tcp_b16 *out, int64_t rows, int64_t columns,
                                    int64_t pitch, int begin, int steps, int stages, int swizzle,
                                    int fault, tcp_stream stream) {
    tcp_tensor_map map;
    const tcp_tma_box box = {
        src, 2, 2, {columns, rows}, {2, 2 * pitch}, {COLUMNS, ROWS}, (tcp_tma_swizzle)swizzle};
    TCP_CHECK(tcp_make_map("ring", "src", &box, &map));
    const tcp_grid grid = tcp_blocks((rows + ROWS - 1) / ROWS, 1, 1);
#define RING(STAGES, SWIZZLE, FAULT)                                                               \
    if (stages == STAGES && swizzle == SWIZZLE && fault == FAULT)                                  \
    return TCP_LAUNCH((ring_kernel<STAGES, SWIZZLE, FAULT>), grid, THREADS, STAGES * (TILE + 16),  \
                      stream, map, out, steps, begin)
    RING(1, TCP_TMA_SWIZZLE_NONE, 0);
    RING(2, TCP_TMA_SWIZZLE_64, 0);
    RING(3, TCP_TMA_SWIZZLE_NONE, 0);
    RING(4, TCP_TMA_SWIZZLE_64, 0);
    RING(2, TCP_TMA_SWIZZLE_NONE, 13);
#ifndef __CUDACC__
    RING(2, TCP_TMA_SWIZZLE_NONE, 1);
    RING(2, TCP_TMA_SWIZZLE_NONE, 2);
    RING(2, TCP_TMA_SWIZZLE_NONE, 3);
    RING(2, TCP_TMA_SWIZZLE_NONE, 4);
    RING(2, TCP_TMA_SWIZZLE_NONE, 5);
    RING(2, TCP_TMA_SWIZZLE_NONE, 6);
    RING(2, TCP_TMA_SWIZZLE_NONE, 7);
    RING(2, TCP_TMA_SWIZZLE_NONE, 8);
    RING(2, TCP_TMA_SWIZZLE_NONE, 9);
    RING(2, TCP_TMA_SWIZZLE_NONE, 10);
    RING(2, TCP_TMA_SWIZZLE_NONE, 11);
    RING(2, TCP_TMA_SWIZZLE_NONE, 12);
    RING(2, TCP_TMA_SWIZZLE_NONE, 14);
#endif
    return tcp_fail(TCP_ERR_PRECONDITION, "there is no such ring");
}

// Each block turns over "bytes" of "src" that a bulk copy brings, and adds a cp.async that arrives at
// the same barrier.
template <int FAULT>
static __global__ void __launch_bounds__(THREADS)
    bulk_kernel(const tcp_b32 *__restrict__ src, tcp_b32 *__restrict__ out, int words) {
    TCP_SHARED_BUFFER(smem);
    tcp_b32 *const s = (tcp_b32 *)(smem + 0), *const t = s + 1024;
    tcp_mbarrier *const full = (tcp_mbarrier *)(smem + 8192);
    const int tid = (int)threadIdx.x;
    src += (int64_t)blockIdx.x * words;
    out += (int64_t)blockIdx.x * words;
    if (tid == 0) {
        tcp_mbarrier_init(full, THREADS + 1);
        tcp_mbarrier_init_fence();
    }
    tcp_sync();
    if (tid < 32 && tcp_elect()) {
        tcp_mbarrier_expect(full, 4 * words);
        tcp_bulk_load(s + (FAULT == 1 ? 1 : 0), src, 4 * words - (FAULT == 2 ? 4 : 0), full);
    }
    tcp_cp_async_ca_4(t + tid, src + tid);
    if (FAULT == 3) tcp_mbarrier_arrive(full);
    if (FAULT != 3) tcp_mbarrier_arrive_cp_async(full);
    tcp_mbarrier_wait(full, 0);
    for (int i = tid; i < words; i += THREADS)
        tcp_st_global_32(out + i, tcp_ld_shared_32(s + words - 1 - i) +
                                      (i < THREADS ? tcp_ld_shared_32(t + THREADS - 1 - i) : 0));
}

TCP_EXTERN_C tcp_status bulk_launch(const tcp_b32 *src, tcp_b32 *out, int words, int64_t blocks,
                                    int fault, tcp_stream stream) {
    const tcp_grid grid = tcp_blocks(blocks, 1, 1);
    if (fault == 0) return TCP_LAUNCH(bulk_kernel<0>, grid, THREADS, 8200, stream, src, out, words);
#ifndef __CUDACC__
    if (fault == 1) return TCP_LAUNCH(bulk_kernel<1>, grid, THREADS, 8200, stream, src, out, words);
    if (fault == 2) return TCP_LAUNCH(bulk_kernel<2>, grid, THREADS, 8200, stream, src, out, words);
    if (fault == 3) return TCP_LAUNCH(bulk_kernel<3>, grid, THREADS, 8200, stream, src, out, words);
#endif
    return tcp_fail(TCP_ERR_PRECONDITION, "there is no such kernel");
}

// Boxes of a rank from 1 to 5, one a block, as they lie in shared memory.
struct tcp_at {
    int x[5];
};
static __global__ void __launch_bounds__(32)
    box_kernel(const __grid_constant__ tcp_tensor_map map, tcp_b8 *__restrict__ out, int rank,
               int bytes, const tcp_at at) {
    TCP_SHARED_BUFFER(smem);
    tcp_mbarrier *const full = (tcp_mbarrier *)(smem + bytes);
    const int tid = (int)threadIdx.x;
    if (tid == 0) {
        tcp_mbarrier_init(full, 1);
        tcp_mbarrier_init_fence();
    }
    tcp_sync();
    if (tid == 0) {
        tcp_mbarrier_expect(full, bytes);
        if (rank == 1) tcp_tma_load(smem, map, full, at.x[0]);
        if (rank == 2) tcp_tma_load(smem, map, full, at.x[0], at.x[1]);
        if (rank == 3) tcp_tma_load(smem, map, full, at.x[0], at.x[1], at.x[2]);
        if (rank == 4)
            tcp_tma_load<TCP_L2_EVICT_FIRST>(smem, map, full, at.x[0], at.x[1], at.x[2], at.x[3]);
        if (rank == 5) tcp_tma_load(smem, map, full, at.x[0], at.x[1], at.x[2], at.x[3], at.x[4]);
    }
    tcp_mbarrier_wait(full, 0);
    for (int i = tid; i < bytes; i += 32) tcp_st_global_8(out + i, tcp_ld_shared_8(smem + i));
}

TCP_EXTERN_C tcp_status box_launch(const tcp_tma_box *box, tcp_b8 *out, const int *x,
                                   tcp_stream stream) {
    tcp_tensor_map map;
    tcp_at at = {};
    int bytes = box->bytes;
    for (int i = 0; i < box->rank && i < 5; ++i) {
        at.x[i] = x[i];
        bytes *= box->box[i];
    }
    TCP_CHECK(tcp_make_map("box", "src", box, &map));
    return TCP_LAUNCH(box_kernel, tcp_blocks(1, 1, 1), 32, bytes + 8, stream, map, out, box->rank,
                      bytes, at);
}
