// Column sums with CuTe and TMA: the loop of its tutorial for TMA (examples/cute/tutorial/hopper, in CUTLASS): all
// stages are filled first; in each step all threads wait for the full barrier, fold, and arrive at the empty one, and
// the elected thread waits for that and fills the stage again.
#pragma once

#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>
#include <cutlass/cutlass.h>

#include "fold.cuh"

template <int Stages> struct cute_tma_colsum {
    using Rows = cute::GMMA::Layout_K_SW128_Atom<cute::half_t>;
    using Ring =
        decltype(cute::tile_to_shape(Rows{},
                                     cute::Shape<cute::_128, cute::_64, cute::Int<Stages>>{}));
    static const int data = sizeof(cute::half_t) * cute::cosize_v<Ring>;
    static const int shared = data + 16 * Stages;  // and the barriers
    static auto map(const cute::half_t *a, int rows, int columns) {
        using namespace cute;
        return make_tma_atom(SM90_TMA_LOAD{},
                             make_tensor(make_gmem_ptr(a), make_shape(rows, columns),
                                         make_stride((int64_t)columns, _1{})),
                             Ring{}(_, _, 0), Shape<_128, _64>{});
    }
};

template <int Stages, typename Map>
static __global__ void __launch_bounds__(128)
    cute_tma_kernel(const __grid_constant__ Map map, float *__restrict__ P, int M, int N,
                    int parts) {
    using namespace cute;
    using full_barrier = cutlass::arch::ClusterTransactionBarrier;
    using empty_barrier = cutlass::arch::ClusterBarrier;
    extern __shared__ __align__(1024) unsigned char smem[];
    uint64_t *const full = (uint64_t *)(smem + cute_tma_colsum<Stages>::data), *const empty =
                                                                                   full + Stages;
    Tensor mA = map.get_tma_tensor(make_shape(M, N));
    Tensor gA = local_tile(mA, Shape<_128, _64>{}, make_coord(_, (int)blockIdx.x));
    Tensor sA =
        make_tensor(make_smem_ptr((half_t *)smem), typename cute_tma_colsum<Stages>::Ring{});
    auto [from, to] = tma_partition(map, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA),
                                    group_modes<0, 2>(gA));  // (TMA,k), (TMA,S)
    const int bytes = sizeof(half_t) * 128 * 64;
    const bool elected = cutlass::canonical_warp_idx_sync() == 0 && elect_one_sync();
    if (elected) {
        for (int s = 0; s < Stages; ++s) {
            full_barrier::init(&full[s], 1);
            empty_barrier::init(&empty[s], 128);
        }
        cutlass::arch::fence_barrier_init();
    }
    __syncthreads();

    float sums[8] = {};
    const int part = blockIdx.y;
    const int begin = (int)((int64_t)part * (M / 128) / parts),
              end = (int)(((int64_t)part + 1) * (M / 128) / parts);
    int next = begin;
    CUTE_UNROLL
    for (int s = 0; s < Stages; ++s, ++next)
        if (elected && next < end) {
            full_barrier::arrive_and_expect_tx(&full[s], bytes);
            copy(map.with(full[s]), from(_, next), to(_, s));
        }
    int slot = 0, phase = 0;
    CUTE_NO_UNROLL
    for (int k = begin; k < end; ++k, ++next) {
        full_barrier::wait(&full[slot], phase);
        fold_tile((int)threadIdx.x, sums, (const half_t *)smem + 128 * 64 * slot);
        empty_barrier::arrive(&empty[slot]);
        if (elected && next < end) {
            empty_barrier::wait(&empty[slot], phase);
            full_barrier::arrive_and_expect_tx(&full[slot], bytes);
            copy(map.with(full[slot]), from(_, next), to(_, slot));
        }
        if (++slot == Stages) {
            slot = 0;
            phase ^= 1;
        }
    }
    const int row = 16 * part + (int)threadIdx.x / 8,
              column = 64 * blockIdx.x + 8 * ((int)threadIdx.x % 8);
    float4 *out = (float4 *)(P + (int64_t)N * row + column);
    out[0] = make_float4(sums[0], sums[1], sums[2], sums[3]);
    out[1] = make_float4(sums[4], sums[5], sums[6], sums[7]);
}

using cute_tma_map = decltype(cute_tma_colsum<STAGES>::map(nullptr, 0, 0));

static const char *cute_tma_launch(const cute::half_t *a, float *p, int rows, int columns,
                                   int parts, int more_shared, cudaStream_t stream) {
    const int shared = cute_tma_colsum<STAGES>::shared + more_shared;
    cudaError_t error = cudaFuncSetAttribute(cute_tma_kernel<STAGES, cute_tma_map>,
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    if (error != cudaSuccess) return cudaGetErrorString(error);
    static cute_tma_map map;
    static const void *of;
    static int its_rows;
    if (of != a || its_rows != rows) map = cute_tma_colsum<STAGES>::map(a, rows, columns);
    of = a;
    its_rows = rows;
    cute_tma_kernel<STAGES>
        <<<dim3(columns / 64, parts), 128, shared, stream>>>(map, p, rows, columns, parts);
    error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
