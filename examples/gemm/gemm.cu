// C = A * B^T for matrices of f16, summed in f32: C is (M,N), A is (M,K), B is (N,K), each with its
// rows contiguous.  The functions of gemm.cuh, which tcpc generates from gemm.tcp, move the data.
// This file has the computation, and the order of computation and data movement.
//
//   tcpc gemm.tcp --emit=header -o gemm.cuh
//   nvcc -std=c++17 -arch=sm_90a -O3 -I . -I ../../runtime -c gemm.cu
#include "gemm.h"

#include "gemm.cuh"
#include "mma.cuh"
#include "tcp_launch.h"

namespace {

constexpr int BM = 128, BN = 128, BK = 64, STAGES = 3;
constexpr int MM = mma_M, NN = mma_N;
constexpr int SLICES = BK / 16;
constexpr int A_ELEMENTS = BM * BK, STAGE_ELEMENTS = (BM + BN) * BK;
constexpr int LAST_STAGE = (STAGES - 1) * STAGE_ELEMENTS;
constexpr int SMEM_BYTES = STAGES * STAGE_ELEMENTS * (int)sizeof(tcp_f16);

static_assert(SMEM_BYTES == STAGES * load_tiles_SMEM_BYTES &&
              SMEM_BYTES >= convert_sums_SMEM_BYTES);

// The work of a block, and its current state.
struct work {
    const tcp_f16 *A, *B;
    int bm, bn, M, N, K;
    tcp_f16 *stages;
    tcp_f16 *read, *write;  // the stage that is read, and the next one to fill
};

// Multiplies tile k of A and B.  Meanwhile the loads of tiles k + 1 and k + 2 to shared memory are in
// flight.  While a slice of 16 along K is multiplied, the next slice is loaded to registers.
// WHOLE: tile k + 2 is complete, so the loads have no branches, and nvcc can mix them with the MMAs.
template <bool WHOLE>
__device__ __forceinline__ void step(int tid, work &w, int k, float *acc, tcp_f16 (*a)[8 * MM],
                                     tcp_f16 (*b)[4 * NN]) {
#pragma unroll
    for (int slice = 0; slice < SLICES; ++slice) {
        if (slice == SLICES - 1) {  // the next slice is of the next tile
            w.write = w.read;
            w.read = w.read == w.stages + LAST_STAGE ? w.stages : w.read + STAGE_ELEMENTS;
            tcp_cp_async_wait<(STAGES - 2) * load_tiles_GROUPS>();
            tcp_sync();
        }
        if (WHOLE || slice < SLICES - 1 || BK * (k + (int64_t)1) < w.K)
            load_slice(tid, w.read, w.read + A_ELEMENTS, a[(slice + 1) % 2], b[(slice + 1) % 2],
                       (slice + 1) % SLICES);
        if (slice == 0) {
            const int64_t next = k + STAGES - 1;
            if (WHOLE && !(BM * (int64_t)w.bm + BM - 1 < w.M && BN * (int64_t)w.bn + BN - 1 < w.N &&
                           BK * next + BK - 1 < w.K))
                __builtin_unreachable();  // a condition of load_tiles, not tested there
            int K = w.K, t = tid;
            // computes the conditions of the edge here, to keep none in registers over the steps
            if (!WHOLE) asm volatile("" : "+r"(t), "+r"(K));
            if (WHOLE || BK * next < K)
                load_tiles(t, w.A, w.B, w.write, w.write + A_ELEMENTS, w.bm, w.bn, next, w.M, w.N,
                           K);
            else
                tcp_cp_async_commit();  // an empty group: each step waits for as many
        }
        mma_multiply(tid, acc, a[slice % 2], b[slice % 2]);
    }
}

// A block computes a tile of BM x BN.
__global__ void __launch_bounds__(load_tiles_THREADS)
    gemm_kernel(const tcp_f16 *__restrict__ A, const tcp_f16 *__restrict__ B, tcp_f16 *C, int M,
                int N, int K) {
    TCP_SHARED_BUFFER(smem);
    tcp_f16 *const stages = (tcp_f16 *)smem;
    const int tid = (int)threadIdx.x, bm = (int)blockIdx.x, bn = (int)blockIdx.y;
    work w = {A, B, bm, bn, M, N, K, stages, stages, stages + LAST_STAGE};
    for (int k = 0; k < STAGES - 1; ++k) {
        tcp_f16 *const to = stages + k * STAGE_ELEMENTS;
        load_tiles(tid, A, B, to, to + A_ELEMENTS, bm, bn, k, M, N, K);
    }
    float acc[4 * MM * NN] = {};
    alignas(16) tcp_f16 a[2][8 * MM], b[2][4 * NN];
    tcp_cp_async_wait<(STAGES - 2) * load_tiles_GROUPS>();
    tcp_sync();
    load_slice(tid, stages, stages + A_ELEMENTS, a[0], b[0], 0);
    int k = 0;
    if (BM * (int64_t)bm + BM - 1 < M && BN * (int64_t)bn + BN - 1 < N) {
        const int whole = K / BK - (STAGES - 1);
#pragma unroll 1
        for (; k < whole; ++k) step<true>(tid, w, k, acc, a, b);
    }
    const int steps = (K + BK - 1) / BK;
#pragma unroll 1
    for (; k < steps; ++k) step<false>(tid, w, k, acc, a, b);
    tcp_cp_async_wait<0>();
    tcp_sync();
    convert_sums(tid, acc, stages);
    tcp_sync();
    if (N % 8 == 0)
        store_tile(tid, stages, C, bm, bn, M, N);
    else
        store_tile_narrow(tid, stages, C, bm, bn, M, N);
}

}  // namespace

extern "C" tcp_status gemm_launch(const void *A, const void *B, void *C, int64_t M, int64_t N,
                                  int64_t K, tcp_stream stream) {
    TCP_CHECK(tcp_check_tensor("gemm", "A", A, 16));
    TCP_CHECK(tcp_check_tensor("gemm", "B", B, 16));
    TCP_CHECK(tcp_check_tensor("gemm", "C", C, 16));
    TCP_CHECK(tcp_check_range("gemm", "M", M, 1, 2000000000));
    TCP_CHECK(tcp_check_range("gemm", "N", N, 1, 65535 * BN));
    TCP_CHECK(tcp_check_range("gemm", "K", K, 8, 2000000000));
    TCP_CHECK(tcp_check_multiple("gemm", "K", K, 8));
    return TCP_LAUNCH(gemm_kernel, tcp_blocks((M + BM - 1) / BM, (N + BN - 1) / BN, 1),
                      load_tiles_THREADS, SMEM_BYTES, stream, (const tcp_f16 *)A,
                      (const tcp_f16 *)B, (tcp_f16 *)C, (int)M, (int)N, (int)K);
}
