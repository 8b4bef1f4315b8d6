// Kernels in CuTe C++ for the named cases, with 128-bit copies on both sides where the layouts let
// them.  They differ from those by hand in that all of it is said by layouts, tiled copies and a
// swizzle.
#include <cstdint>
#include <cute/tensor.hpp>

#include "relayout.h"
#include "turn.cuh"

namespace cute_relayouts {

using namespace cute;

// 128 bits as one number: of a struct nvcc makes several stores.
using vector = __uint128_t;
template <class T> using Wide = Copy_Atom<UniversalCopy<vector>, T>;

// Rows of contiguous elements, a row of them each blockIdx.y.
template <class T>
__global__ void __launch_bounds__(256)
    rows(const T *src, T *dst, int n, int64_t from_pitch, int64_t to_pitch) {
    constexpr int V = 16 / sizeof(T);
    const auto copying = make_tiled_copy(Wide<T>{}, Layout<Shape<_256>>{}, Layout<Shape<Int<V>>>{});
    const Tensor S = make_tensor(make_gmem_ptr(src + blockIdx.y * from_pitch), make_layout(n));
    Tensor D = make_tensor(make_gmem_ptr(dst + blockIdx.y * to_pitch), make_layout(n));
    const Tensor s = local_tile(S, Shape<Int<256 * V>>{}, blockIdx.x);
    Tensor d = local_tile(D, Shape<Int<256 * V>>{}, blockIdx.x);
    const auto mine = copying.get_slice(threadIdx.x);
    const Tensor from = mine.partition_S(s);
    Tensor held = make_fragment_like(from);
    copy(copying, from, held);
    copy(copying, held, mine.partition_D(d));
}

// The same by elements, guarded: rows that begin anywhere.
template <class T, int PER>
__global__ void __launch_bounds__(256)
    row_elements(const T *src, T *dst, int n, int64_t from_pitch, int64_t to_pitch) {
    const Tensor S = make_tensor(make_gmem_ptr(src + blockIdx.y * from_pitch), make_layout(n));
    Tensor D = make_tensor(make_gmem_ptr(dst + blockIdx.y * to_pitch), make_layout(n));
    const Tensor at = make_identity_tensor(make_shape(n));
    const Shape<Int<256 * PER>> tile;
    const Tensor from =
        local_partition(local_tile(S, tile, blockIdx.x), Layout<_256>{}, threadIdx.x);
    Tensor to = local_partition(local_tile(D, tile, blockIdx.x), Layout<_256>{}, threadIdx.x);
    const Tensor where =
        local_partition(local_tile(at, tile, blockIdx.x), Layout<_256>{}, threadIdx.x);
    Tensor inside = make_tensor<bool>(shape(where));
    for (int i = 0; i < size(inside); ++i) inside(i) = get<0>(where(i)) < n;
    Tensor held = make_fragment_like(from);
    copy_if(inside, from, held);
    copy_if(inside, held, to);
}

// Matrices of M by N elements, multiples of a tile of 16 V by 16 V: a thread turns a block of V by
// V in registers.
template <class T, bool DOWN>
__global__ void __launch_bounds__(256) turned(const T *src, T *dst, int M, int N) {
    constexpr int V = 16 / sizeof(T), TILE = 16 * V,
                  BITS = sizeof(T) == 4   ? 2
                         : sizeof(T) == 2 ? 3
                                          : 4;
    extern __shared__ uint4 storage[];
    const int down = M / TILE, across = N / TILE;
    const int row = DOWN ? blockIdx.x % down : blockIdx.x / across,
              column = DOWN ? blockIdx.x / down : blockIdx.x % across;
    const int64_t matrix = blockIdx.y * (int64_t(M) * N);
    const Tensor S =
        make_tensor(make_gmem_ptr(src + matrix), make_shape(M, N), make_stride(int64_t(N), _1{}));
    Tensor D =
        make_tensor(make_gmem_ptr(dst + matrix), make_shape(N, M), make_stride(int64_t(M), _1{}));
    const Shape<Int<TILE>, Int<TILE>> tile;
    const Tensor s = local_tile(S, tile, make_coord(row, column));
    Tensor d = local_tile(D, tile, make_coord(column, row));

    using Rows = Layout<Shape<Int<TILE>, Int<TILE>>, Stride<Int<TILE>, _1>>;
    Tensor shared =
        make_tensor(make_smem_ptr((T *)storage), composition(Swizzle<3, BITS, BITS + 4>{}, Rows{}));
    const Shape<Int<V>, Int<V>> block;
    using Block = Layout<Shape<Int<V>, Int<V>>, Stride<Int<V>, _1>>;
    const int y = threadIdx.x / 16, x = threadIdx.x % 16;

    const auto vectors = [&](auto &&tensor, auto coord) {
        return recast<vector>(local_tile(tensor, block, coord));
    };
    Tensor held = make_tensor<T>(Block{});
    copy(vectors(s, make_coord(y, x)), recast<vector>(held));
    Tensor words = recast<uint32_t>(held);
    ::block<sizeof(T)> turning;
    CUTE_UNROLL
    for (int i = 0; i < size(words); ++i) turning.w[i % V][i / V] = words(i);
    turning.turn();
    CUTE_UNROLL
    for (int i = 0; i < size(words); ++i) words(i) = turning.w[i % V][i / V];
    copy(recast<vector>(held), vectors(shared, make_coord(x, y)));
    __syncthreads();

    const auto writing = make_tiled_copy(Wide<T>{}, Layout<Shape<_16, _16>, Stride<_16, _1>>{},
                                         Layout<Shape<_1, Int<V>>>{});
    const auto mine = writing.get_slice(threadIdx.x);
    const Tensor from = mine.partition_S(shared);
    Tensor out = make_fragment_like(from);
    copy(writing, from, out);
    copy(writing, out, mine.partition_D(d));
}

// Matrices of any extents: coalesced elements on both sides, guarded; padded rows in shared memory.
template <class T, int TM, int TN>
__global__ void __launch_bounds__(256) turned_elements(const T *src, T *dst, int M, int N) {
    constexpr int PITCH = TN + (sizeof(T) == 4 ? 1 : 4 / sizeof(T));
    __shared__ T storage[TM * PITCH];
    const int down = ceil_div(M, TM), row = blockIdx.x % down, column = blockIdx.x / down;
    const Tensor S =
        make_tensor(make_gmem_ptr(src), make_shape(M, N), make_stride(int64_t(N), _1{}));
    Tensor D = make_tensor(make_gmem_ptr(dst), make_shape(M, N), make_stride(_1{}, int64_t(M)));
    const Tensor at = make_identity_tensor(make_shape(M, N));
    const Shape<Int<TM>, Int<TN>> tile;
    const auto coord = make_coord(row, column);
    Tensor shared = make_tensor(make_smem_ptr(storage),
                                Layout<Shape<Int<TM>, Int<TN>>, Stride<Int<PITCH>, _1>>{});

    const Layout<Shape<Int<256 / TN>, Int<TN>>, Stride<Int<TN>, _1>> reading;
    const Tensor from = local_partition(local_tile(S, tile, coord), reading, threadIdx.x);
    const Tensor read_at = local_partition(local_tile(at, tile, coord), reading, threadIdx.x);
    Tensor readable = make_tensor<bool>(make_shape(size<0>(from), size<1>(from)));
    CUTE_UNROLL
    for (int i = 0; i < size(readable); ++i) readable(i) = elem_less(read_at(i), make_shape(M, N));
    Tensor held = make_tensor<T>(shape(from));
    copy_if(readable, from, held);
    copy(held, local_partition(shared, reading, threadIdx.x));
    __syncthreads();

    const Layout<Shape<Int<TM>, Int<256 / TM>>> writing;
    Tensor to = local_partition(local_tile(D, tile, coord), writing, threadIdx.x);
    const Tensor write_at = local_partition(local_tile(at, tile, coord), writing, threadIdx.x);
    Tensor writable = make_tensor<bool>(shape(to));
    CUTE_UNROLL
    for (int i = 0; i < size(writable); ++i) writable(i) = elem_less(write_at(i), make_shape(M, N));
    copy_if(writable, local_partition(shared, writing, threadIdx.x), to);
}

// (B,S,H,D) to (B,H,S,D) with rows of 16 vectors: 16 s and PER h a block.
template <class T, int PER>
__global__ void __launch_bounds__(256) heads(const T *src, T *dst, int B, int S, int H) {
    constexpr int V = 16 / sizeof(T), ROW = 16 * V;
    const int64_t row = ROW;
    const Tensor from = make_tensor(make_gmem_ptr(src), make_shape(S, H, Int<ROW>{}, B),
                                    make_stride(H * row, row, _1{}, S * H * row));
    Tensor to = make_tensor(make_gmem_ptr(dst), make_shape(S, H, Int<ROW>{}, B),
                            make_stride(row, S * row, _1{}, S * H * row));
    const Shape<_16, Int<PER>, Int<ROW>> tile;
    const auto coord = make_coord(blockIdx.x, blockIdx.y, 0);
    const auto copying =
        make_tiled_copy(Wide<T>{}, Layout<Shape<_16, _1, _16>, Stride<_16, _0, _1>>{},
                        Layout<Shape<_1, _1, Int<V>>>{});
    const auto mine = copying.get_slice(threadIdx.x);
    const Tensor read = mine.partition_S(local_tile(from(_, _, _, blockIdx.z), tile, coord));
    Tensor held = make_fragment_like(read);
    copy(copying, read, held);
    copy(copying, held, mine.partition_D(local_tile(to(_, _, _, blockIdx.z), tile, coord)));
}

template <class T>
int turned_launch(const T *from, T *to, long long count, int M, int N, int variant) {
    constexpr int TILE = 256 / sizeof(T), BYTES = TILE * TILE * sizeof(T);
    if (variant > 1) return NO_KERNEL;
    const auto kernel = variant == 0 ? turned<T, true> : turned<T, false>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    kernel<<<dim3(M / TILE * (N / TILE), (unsigned)count), 256, BYTES>>>(from, to, M, N);
    return launched();
}

template <class T, int TM, int TN> int elements_launch(const T *from, T *to, int M, int N) {
    turned_elements<T, TM, TN><<<ceil_div(M, TM) * ceil_div(N, TN), 256>>>(from, to, M, N);
    return launched();
}

template <class T>
int launch(const relayout_case &c, const void *source, void *destination, int variant) {
    constexpr int V = 16 / sizeof(T), TILE = 16 * V;
    const T *from = (const T *)source + c.skip;
    T *to = (T *)destination;
    const long long *e = c.extent;
    if (c.rank <= 2 && c.src[c.rank - 1] == 1 && c.dst[c.rank - 1] == 1) {
        const bool flat = c.rank == 1;
        const long long n = flat ? e[0] : e[1], from_pitch = flat ? 0 : c.src[0],
                        to_pitch = flat ? 0 : c.dst[0];
        const unsigned count = flat ? 1 : (unsigned)e[0];
        if (n % (256 * V) == 0 && from_pitch % V == 0 && to_pitch % V == 0 && c.skip % V == 0) {
            if (variant > 0) return NO_KERNEL;
            rows<T><<<dim3((unsigned)(n / (256 * V)), count), 256>>>(from, to, (int)n, from_pitch,
                                                                     to_pitch);
            return launched();
        }
        if (variant > 2 || flat) return NO_KERNEL;
        const int per = 1 << variant;
        const auto kernel = variant == 0   ? row_elements<T, 1>
                            : variant == 1 ? row_elements<T, 2>
                                           : row_elements<T, 4>;
        kernel<<<dim3((unsigned)ceil_div(n, 256 * per), count), 256>>>(from, to, (int)n, from_pitch,
                                                                       to_pitch);
        return launched();
    }
    if (c.rank == 2 && dense_source(c) && c.dst[0] == 1 && c.dst[1] == e[0]) {
        const int M = (int)e[0], N = (int)e[1];
        if (M % TILE == 0 && N % TILE == 0) return turned_launch(from, to, 1, M, N, variant);
        switch (variant) {
        case 0: return elements_launch<T, 32, 32>(from, to, M, N);
        case 1: return elements_launch<T, 64, 32>(from, to, M, N);
        case 2: return elements_launch<T, 64, 64>(from, to, M, N);
        case 3: return elements_launch<T, 128, 64>(from, to, M, N);
        default: return NO_KERNEL;
        }
    }
    if (c.rank == 4 && dense_source(c)) {
        const long long pixels = e[1] * e[2];
        const bool first = c.dst[0] == c.src[0];
        if (first && c.dst[3] == e[1] && c.dst[1] == 1 && c.dst[2] == e[1] * e[3] &&
            e[1] % TILE == 0 && e[2] * e[3] % TILE == 0)
            return turned_launch(from, to, e[0], (int)e[1], (int)(e[2] * e[3]), variant);
        if (first && c.dst[3] == pixels && c.dst[2] == 1 && c.dst[1] == e[2] &&
            pixels % TILE == 0 && e[3] % TILE == 0)
            return turned_launch(from, to, e[0], (int)pixels, (int)e[3], variant);
        if (first && c.dst[3] == 1 && e[3] == TILE && c.dst[1] == e[3] && c.dst[2] == e[1] * e[3] &&
            e[1] % 16 == 0 && e[2] % 4 == 0) {
            if (variant > 1) return NO_KERNEL;
            const int per = variant == 0 ? 1 : 4;
            const auto kernel = variant == 0 ? heads<T, 1> : heads<T, 4>;
            kernel<<<dim3((unsigned)e[1] / 16, (unsigned)e[2] / per, (unsigned)e[0]), 256>>>(
                from, to, (int)e[0], (int)e[1], (int)e[2]);
            return launched();
        }
    }
    return NO_KERNEL;
}

}  // namespace cute_relayouts

extern "C" int cute_launch(const relayout_case *c, const void *source, void *to, int variant) {
    if (c->size == 1) return cute_relayouts::launch<uint8_t>(*c, source, to, variant);
    if (c->size == 2) return cute_relayouts::launch<uint16_t>(*c, source, to, variant);
    if (c->size == 4) return cute_relayouts::launch<uint32_t>(*c, source, to, variant);
    return NO_KERNEL;
}
