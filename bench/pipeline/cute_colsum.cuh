// Column sums with CuTe: the multistage loop of CUTLASS's sm80 kernels (prologue of STAGES - 1
// groups, a wait that leaves STAGES - 2 pending, one barrier per step, the next tile's copy before
// the use of this one), with 128-bit cp.async.cg.
#pragma once

#include <cute/tensor.hpp>

#include "fold.cuh"

template <int Stages> struct cute_colsum {
    using Rows = decltype(cute::composition(
        cute::Swizzle<3, 3, 3>{},
        cute::Layout<cute::Shape<cute::_8, cute::_64>, cute::Stride<cute::_64, cute::_1>>{}));
    using Ring =
        decltype(cute::tile_to_shape(Rows{},
                                     cute::Shape<cute::_128, cute::_64, cute::Int<Stages>>{}));
    using Copy = decltype(cute::make_tiled_copy(
        cute::Copy_Atom<cute::SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>, cute::half_t>{},
        cute::Layout<cute::Shape<cute::_16, cute::_8>, cute::Stride<cute::_8, cute::_1>>{},
        cute::Layout<cute::Shape<cute::_1, cute::_8>>{}));
    static const int shared = sizeof(cute::half_t) * cute::cosize_v<Ring>;
};

template <int Stages>
static __global__ void __launch_bounds__(128)
    cute_colsum_kernel(const cute::half_t *__restrict__ A, float *__restrict__ P, int M, int N,
                       int parts) {
    using namespace cute;
    using My = cute_colsum<Stages>;
    extern __shared__ __align__(1024) unsigned char smem[];
    Tensor mA = make_tensor(make_gmem_ptr(A), make_shape(M, N), make_stride((int64_t)N, _1{}));
    Tensor gA = local_tile(mA, Shape<_128, _64>{}, make_coord(_, (int)blockIdx.x));  // (128,64,k)
    Tensor sA = make_tensor(make_smem_ptr((half_t *)smem), typename My::Ring{});     // (128,64,S)
    typename My::Copy tiled;
    auto mine = tiled.get_slice(threadIdx.x);
    Tensor from = mine.partition_S(gA);  // (CPY,CPY_M,CPY_N,k)
    Tensor to = mine.partition_D(sA);    // (CPY,CPY_M,CPY_N,S)

    float sums[8] = {};
    const int part = blockIdx.y;
    const int begin = (int)((int64_t)part * (M / 128) / parts),
              end = (int)(((int64_t)part + 1) * (M / 128) / parts);
    if constexpr (Stages == 1) {
        for (int k = begin; k < end; ++k) {
            copy(tiled, from(_, _, _, k), to(_, _, _, 0));
            cp_async_fence();
            cp_async_wait<0>();
            __syncthreads();
            fold_tile((int)threadIdx.x, sums, (const half_t *)smem);
            __syncthreads();
        }
    } else {
        int next = begin;
        CUTE_UNROLL
        for (int s = 0; s < Stages - 1; ++s) {
            if (next < end) copy(tiled, from(_, _, _, next), to(_, _, _, s));
            ++next;
            cp_async_fence();
        }
        int read = 0, write = Stages - 1;
        CUTE_NO_UNROLL
        for (int k = begin; k < end; ++k) {
            cp_async_wait<Stages - 2>();
            __syncthreads();
            if (next < end) copy(tiled, from(_, _, _, next), to(_, _, _, write));
            ++next;
            cp_async_fence();
            fold_tile((int)threadIdx.x, sums, (const half_t *)smem + 128 * 64 * read);
            write = read;
            read = read + 1 == Stages ? 0 : read + 1;
        }
    }
    const int row = 16 * part + (int)threadIdx.x / 8,
              column = 64 * blockIdx.x + 8 * ((int)threadIdx.x % 8);
    float4 *out = (float4 *)(P + (int64_t)N * row + column);
    out[0] = make_float4(sums[0], sums[1], sums[2], sums[3]);
    out[1] = make_float4(sums[4], sums[5], sums[6], sums[7]);
}

static const char *cute_colsum_launch(const cute::half_t *a, float *p, int rows, int columns,
                                      int parts, int more_shared, cudaStream_t stream) {
    const int shared = cute_colsum<STAGES>::shared + more_shared;
    cudaError_t error = cudaFuncSetAttribute(cute_colsum_kernel<STAGES>,
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    if (error != cudaSuccess) return cudaGetErrorString(error);
    cute_colsum_kernel<STAGES>
        <<<dim3(columns / 64, parts), 128, shared, stream>>>(a, p, rows, columns, parts);
    error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
