// Kernels by hand for the named cases.  hand_launch looks at the layouts, not at names, and has
// variants where it is not plain what is the fastest.
#include <cstdint>
#include <cuda_runtime.h>

#include "relayout.h"
#include "turn.cuh"

namespace {

template <bool HINT> __device__ uint4 load(const uint4 *p) {
    if constexpr (!HINT) return *p;
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
    return v;
}

template <bool HINT> __device__ void store(uint4 *p, uint4 v) {
    if constexpr (HINT)
        __stcs(p, v);
    else
        *p = v;
}

// ---- streams and rows

template <bool HINT> __global__ void __launch_bounds__(256) stream(const uint4 *src, uint4 *dst) {
    const long long i = blockIdx.x * 256ll + threadIdx.x;
    store<HINT>(dst + i, load<HINT>(src + i));
}

// Rows of 'n' items of type T; PER of them a thread.
template <class T, int PER>
__global__ void __launch_bounds__(256)
    rows(const T *src, T *dst, int n, long long from_pitch, long long to_pitch) {
    const int first = blockIdx.x * 256 * PER + threadIdx.x;
    src += blockIdx.y * from_pitch;
    dst += blockIdx.y * to_pitch;
    T held[PER];
#pragma unroll
    for (int i = 0; i < PER; ++i)
        if (first + i * 256 < n) held[i] = src[first + i * 256];
#pragma unroll
    for (int i = 0; i < PER; ++i)
        if (first + i * 256 < n) dst[first + i * 256] = held[i];
}

// Every second float: PER times a vector in and half a vector out.
template <int PER> __global__ void __launch_bounds__(256) halved(const uint4 *src, uint2 *dst) {
    const long long first = blockIdx.x * (256ll * PER) + threadIdx.x;
    uint4 v[PER];
#pragma unroll
    for (int i = 0; i < PER; ++i) v[i] = load<true>(src + first + 256 * i);
#pragma unroll
    for (int i = 0; i < PER; ++i) __stcs(dst + first + 256 * i, make_uint2(v[i].x, v[i].z));
}

// The same, two vectors in and one out.
__global__ void __launch_bounds__(256) halved_pairs(const uint4 *src, uint4 *dst) {
    const long long i = blockIdx.x * 256ll + threadIdx.x;
    const uint4 a = __ldg(src + 2 * i), b = __ldg(src + 2 * i + 1);
    __stcs(dst + i, make_uint4(a.x, a.z, b.x, b.z));
}

// ---- turned matrices

// Matrices of M by N elements, both multiples of 16 V.  A tile is 16 V rows of 16 vectors; a thread
// turns one block.  Shared memory holds the tile turned, a row of 16 vectors, vector c of row r at
// c ^ (r / V % 8): 8 threads that follow one another meet all banks both ways.
template <int SIZE, bool DOWN, bool HINT>
__global__ void __launch_bounds__(256) turned(const uint4 *src, uint4 *dst, int M, int N) {
    constexpr int V = 16 / SIZE;
    extern __shared__ uint4 tile[];
    const int down = M / (16 * V), across = N / (16 * V);
    const int row = DOWN ? blockIdx.x % down : blockIdx.x / across,
              column = DOWN ? blockIdx.x / down : blockIdx.x % across;
    const int y = threadIdx.x / 16, x = threadIdx.x % 16;
    const long long matrix = blockIdx.y * ((long long)M * (N / V));
    src += matrix + (row * 16ll + y) * V * (N / V) + column * 16 + x;
    dst += matrix + (column * 16ll * V + y) * (M / V) + row * 16 + x;
    block<SIZE> b;
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const uint4 v = load<HINT>(src + (long long)i * (N / V));
        b.w[i][0] = v.x, b.w[i][1] = v.y, b.w[i][2] = v.z, b.w[i][3] = v.w;
    }
    b.turn();
#pragma unroll
    for (int i = 0; i < V; ++i)
        tile[(x * V + i) * 16 + (y ^ x % 8)] =
            make_uint4(b.w[i][0], b.w[i][1], b.w[i][2], b.w[i][3]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const int r = i * 16 + y;
        store<HINT>(dst + i * 16ll * (M / V), tile[r * 16 + (x ^ r / V % 8)]);
    }
}

// Matrices whose rows begin at any element: tiles of TM by TN elements, read and written by
// coalesced elements, through rows of an odd number of words.
template <class T, int TM, int TN, bool DOWN>
__global__ void __launch_bounds__(256) turned_elements(const T *src, T *dst, int M, int N) {
    constexpr int PITCH = sizeof(T) == 4 ? TN + 1 : TN + 4 / sizeof(T);
    __shared__ T tile[TM * PITCH];
    const int down = (M + TM - 1) / TM, across = (N + TN - 1) / TN;
    const int m0 = (DOWN ? blockIdx.x % down : blockIdx.x / across) * TM;
    const int n0 = (DOWN ? blockIdx.x / down : blockIdx.x % across) * TN;
    T held[TM * TN / 256];
    const int nx = threadIdx.x % TN, ny = threadIdx.x / TN, mx = threadIdx.x % TM,
              my = threadIdx.x / TM;
#pragma unroll
    for (int i = 0; i < TM * TN / 256; ++i) {
        const int m = ny + i * (256 / TN);
        if (m0 + m < M && n0 + nx < N) held[i] = src[(m0 + m) * (long long)N + n0 + nx];
    }
#pragma unroll
    for (int i = 0; i < TM * TN / 256; ++i) tile[(ny + i * (256 / TN)) * PITCH + nx] = held[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TM * TN / 256; ++i) {
        const int n = my + i * (256 / TM);
        if (n0 + n < N && m0 + mx < M)
            dst[(n0 + n) * (long long)M + m0 + mx] = tile[mx * PITCH + n];
    }
}

// The same for elements of less than a word: aligned words are read, of which the first and the
// last of a row hold strangers, and aligned words are written.  A tile writes, of each row, the
// words that begin TM / E words one after another, E elements a word; the elements in front of a
// row's first whole word, and behind its last, are written one by one.  Rows r, r + E, .. of the
// tile are neighbours in shared memory, and a row is an odd number of words: what a warp reads of a
// column is in different banks.
template <class T, int TM, int TN, bool DOWN>
__global__ void __launch_bounds__(256) turned_words(const T *src, T *dst, int M, int N) {
    constexpr int E = 4 / sizeof(T), ROWS = TM + E, PITCH = TN / E + 1,
                  READS = (ROWS * PITCH + 255) / 256, WORDS = TM / E;
    static_assert(PITCH % 2 == 1 && 256 % WORDS == 0, "");
    extern __shared__ uint32_t lines[];
    const int down = (M + TM - 1) / TM, across = (N + TN - 1) / TN;
    const int m0 = (DOWN ? blockIdx.x % down : blockIdx.x / across) * TM,
              n0 = (DOWN ? blockIdx.x / down : blockIdx.x % across) * TN;
    const uint32_t *words = (const uint32_t *)src;
    const long long last = ((long long)M * N - 1) / E;
    uint32_t held[READS];
#pragma unroll
    for (int i = 0; i < READS; ++i) {
        const int at = i * 256 + threadIdx.x, r = at / PITCH, c = at % PITCH;
        const long long word = ((long long)(m0 + r) * N + n0) / E + c;
        if (r < ROWS && m0 + r < M && n0 + c * E < N + E && word <= last) held[i] = words[word];
    }
#pragma unroll
    for (int i = 0; i < READS; ++i) {
        const int at = i * 256 + threadIdx.x, r = at / PITCH, c = at % PITCH;
        if (r < ROWS) lines[(r % E * (ROWS / E) + r / E) * PITCH + c] = held[i];
    }
    __syncthreads();
    // A thread's rows of the destination are a multiple of E apart: all of them begin at the same
    // place of a word.
    constexpr int STEP = 256 / WORDS;
    static_assert(STEP % E == 0, "");
    const int k = threadIdx.x % WORDS, first = threadIdx.x / WORDS;
    const int head = (0u - (unsigned)(n0 + first) * (unsigned)M) % E, r = head + k * E;
    const auto column = [&](int r) {
        const int odd = ((unsigned)(m0 + r) * (unsigned)N + n0) % E;
        return (const T *)lines + (r % E * (ROWS / E) + r / E) * (PITCH * E) + odd + first;
    };
    const T *from[E];
#pragma unroll
    for (int e = 0; e < E; ++e) from[e] = column(r + e);
    T *row = dst + (long long)(n0 + first) * M + m0 + r;
    const long long step = (long long)STEP * M;
    const bool whole = m0 + r + E <= M, front = m0 == 0 && k == 0;
    const int count = N - n0 - first;
#pragma unroll 8
    for (int i = 0; i < TN / STEP; ++i, row += step) {
        if (i * STEP >= count) break;
        if (whole) {
            uint32_t word = 0;
#pragma unroll
            for (int e = 0; e < E; ++e) word |= (uint32_t)from[e][i * STEP] << 8 * sizeof(T) * e;
            *(uint32_t *)row = word;
        } else {
            for (int e = 0; e < E && m0 + r + e < M; ++e) row[e] = column(r + e)[i * STEP];
        }
        if (front)
            for (int m = 0; m < head; ++m) row[m - head] = column(m)[i * STEP];
    }
}

// ---- (B,S,H,D) to (B,H,S,D), a row of D is VECTORS vectors: 16 s by PER h a block of 256 threads

template <int VECTORS, int PER>
__global__ void __launch_bounds__(256) heads(const uint4 *src, uint4 *dst, int S, int H) {
    constexpr int ROWS = 256 / VECTORS;
    const int s = blockIdx.x * ROWS + threadIdx.x / VECTORS, d = threadIdx.x % VECTORS,
              h = blockIdx.y * PER;
    const long long batch = blockIdx.z * ((long long)S * H * VECTORS);
    uint4 held[PER];
#pragma unroll
    for (int i = 0; i < PER; ++i)
        held[i] = load<true>(src + batch + ((long long)s * H + h + i) * VECTORS + d);
#pragma unroll
    for (int i = 0; i < PER; ++i)
        __stcs(dst + batch + ((long long)(h + i) * S + s) * VECTORS + d, held[i]);
}

// ---- five modes (a,f,c,d,g) to (g,c,a,d,f) of floats: g and f are the fast ones of the two sides,
// d is next on both

// One block takes all of f and g, and K of d: runs of K*G floats are read, and of K*F written, by
// 16 bytes.  Blocks of 4 by 4 floats are turned on the way into shared memory.  There row r = 4 q +
// j stands at j * (K*G / 4) + q, so that the rows that 8 threads write are neighbours, 4 times an
// odd number of words apart.
struct five {
    long long from_a, from_f, from_c, to_a, to_c, to_g;
};

template <int F, int G, int K, int THREADS, bool HINT>
__global__ void __launch_bounds__(THREADS) five_modes(const float *src, float *dst, const five s) {
    constexpr int PITCH = F + 4;
    extern __shared__ float words[];
    constexpr int RUN = K * G / 4, BLOCKS = (F / 4) * RUN;
    static_assert(BLOCKS % THREADS == 0, "each thread turns as many blocks");
    const long long d0 = blockIdx.x * K, c = blockIdx.y, a = blockIdx.z;
    src += a * s.from_a + c * s.from_c + d0 * G;
    dst += a * s.to_a + c * s.to_c + d0 * F;
    block<4> b[BLOCKS / THREADS];
#pragma unroll
    for (int i = 0; i < BLOCKS / THREADS; ++i) {
        const int at = i * THREADS + threadIdx.x, q = at % RUN, f = at / RUN * 4;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const uint4 v = load<HINT>((const uint4 *)(src + (f + j) * s.from_f) + q);
            b[i].w[j][0] = v.x, b[i].w[j][1] = v.y, b[i].w[j][2] = v.z, b[i].w[j][3] = v.w;
        }
    }
#pragma unroll
    for (int i = 0; i < BLOCKS / THREADS; ++i) {
        const int at = i * THREADS + threadIdx.x, q = at % RUN, f = at / RUN * 4;
        b[i].turn();
#pragma unroll
        for (int j = 0; j < 4; ++j)
            *(uint4 *)(words + (j * RUN + q) * PITCH + f) =
                make_uint4(b[i].w[j][0], b[i].w[j][1], b[i].w[j][2], b[i].w[j][3]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4 * BLOCKS / THREADS; ++i) {
        const int at = i * THREADS + threadIdx.x, kf = at % (K * F / 4), g = at / (K * F / 4),
                  r = kf / (F / 4) * G + g;
        store<HINT>((uint4 *)(dst + g * s.to_g) + kf,
                    *(uint4 *)(words + (r % 4 * RUN + r / 4) * PITCH + kf % (F / 4) * 4));
    }
}

// ---- which one

// Whether the source is 'count' matrices of M by N elements, one after another, and the destination
// the same ones turned.
bool turns(const relayout_case &c, long long &count, long long &M, long long &N) {
    if (!dense_source(c)) return false;
    int same = 0;
    count = 1;
    while (same < c.rank && c.src[same] == c.dst[same]) count *= c.extent[same++];
    for (int k = same + 1; k < c.rank; ++k) {
        M = N = 1;
        for (int m = same; m < c.rank; ++m) (m < k ? M : N) *= c.extent[m];
        bool turned = true;
        for (int m = same; m < c.rank; ++m)
            turned = turned && c.dst[m] == (m < k ? c.src[m] / N : c.src[m] * M);
        if (turned) return true;
    }
    return false;
}

template <int SIZE>
int turned_launch(const void *from, void *to, long long count, int M, int N, int variant) {
    constexpr int V = 16 / SIZE, BYTES = 16 * V * 256;
    using kernel = void (*)(const uint4 *, uint4 *, int, int);
    static const kernel kernels[] = {turned<SIZE, true, true>, turned<SIZE, false, true>,
                                     turned<SIZE, true, false>, turned<SIZE, false, false>};
    if (variant >= 4) return NO_KERNEL;
    cudaFuncSetAttribute(kernels[variant], cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    const dim3 grid((unsigned)((long long)M * N / (256 * V * V)), (unsigned)count);
    kernels[variant]<<<grid, 256, BYTES>>>((const uint4 *)from, (uint4 *)to, M, N);
    return launched();
}

template <class T, int TM, int TN, bool DOWN>
int elements_launch(const void *from, void *to, int M, int N) {
    turned_elements<T, TM, TN, DOWN>
        <<<((M + TM - 1) / TM) * ((N + TN - 1) / TN), 256>>>((const T *)from, (T *)to, M, N);
    return launched();
}

template <class T, int TM, int TN, bool DOWN>
int words_launch(const void *from, void *to, int M, int N) {
    constexpr int E = 4 / sizeof(T), BYTES = (TM + E) * (TN / E + 1) * 4;
    const auto kernel = turned_words<T, TM, TN, DOWN>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    kernel<<<((M + TM - 1) / TM) * ((N + TN - 1) / TN), 256, BYTES>>>((const T *)from, (T *)to, M,
                                                                      N);
    return launched();
}

template <class T, bool DOWN>
int ragged_launch(const void *from, void *to, int M, int N, int variant) {
    switch (variant) {
    case 0: return elements_launch<T, 32, 32, DOWN>(from, to, M, N);
    case 1: return elements_launch<T, 64, 32, DOWN>(from, to, M, N);
    case 2: return elements_launch<T, 32, 64, DOWN>(from, to, M, N);
    case 3: return elements_launch<T, 64, 64, DOWN>(from, to, M, N);
    case 4: return elements_launch<T, 128, 64, DOWN>(from, to, M, N);
    case 5: return elements_launch<T, 64, 128, DOWN>(from, to, M, N);
    default: break;
    }
    if constexpr (sizeof(T) < 4) {
        switch (variant) {
        case 6: return words_launch<T, 64, 128, DOWN>(from, to, M, N);
        case 7: return words_launch<T, 128, 128 / sizeof(T), DOWN>(from, to, M, N);
        case 8: return words_launch<T, 256, 128, DOWN>(from, to, M, N);
        case 9: return words_launch<T, 256 / sizeof(T), 256 / sizeof(T), DOWN>(from, to, M, N);
        default: break;
        }
    }
    return NO_KERNEL;
}

template <class T> int ragged_launch(const void *from, void *to, int M, int N, int variant) {
    const int other = sizeof(T) == 4 ? 6 : 10;
    if (variant < other) return ragged_launch<T, true>(from, to, M, N, variant);
    return ragged_launch<T, false>(from, to, M, N, variant - other);
}

template <class T>
int rows_launch(const char *from, void *to, const relayout_case &c, int per_vector, int variant) {
    const int n = (int)c.extent[1] / per_vector;
    const long long pitch = c.src[0] / per_vector, to_pitch = c.dst[0] / per_vector;
    const int per = variant == 0 ? 1 : variant == 1 ? 2 : 4;
    const dim3 grid((n + 256 * per - 1) / (256 * per), (unsigned)c.extent[0]);
    switch (variant) {
    case 0: rows<T, 1><<<grid, 256>>>((const T *)from, (T *)to, n, pitch, to_pitch); break;
    case 1: rows<T, 2><<<grid, 256>>>((const T *)from, (T *)to, n, pitch, to_pitch); break;
    case 2: rows<T, 4><<<grid, 256>>>((const T *)from, (T *)to, n, pitch, to_pitch); break;
    default: return NO_KERNEL;
    }
    return launched();
}

template <int F, int G, int K, int THREADS, bool HINT>
int five_launch(const void *from, void *to, const relayout_case &c) {
    constexpr int BYTES = K * G * (F + 4) * 4;
    const five s = {c.src[0], c.src[1], c.src[2], c.dst[0], c.dst[2], c.dst[4]};
    const auto kernel = five_modes<F, G, K, THREADS, HINT>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    const dim3 grid((unsigned)(c.extent[3] / K), (unsigned)c.extent[2], (unsigned)c.extent[0]);
    kernel<<<grid, THREADS, BYTES>>>((const float *)from, (float *)to, s);
    return launched();
}

}  // namespace

extern "C" int hand_launch(const relayout_case *p, const void *source, void *to, int variant) {
    const relayout_case &c = *p;
    const char *from = (const char *)source + c.skip * c.size;
    long long count, M, N;
    if (c.rank == 1 && c.src[0] == 1 && c.dst[0] == 1) {
        const long long vectors = c.extent[0] * c.size / 16;
        if (variant > 1 || c.extent[0] * c.size % 4096 != 0) return NO_KERNEL;
        if (variant == 0)
            stream<false><<<(unsigned)(vectors / 256), 256>>>((const uint4 *)from, (uint4 *)to);
        else
            stream<true><<<(unsigned)(vectors / 256), 256>>>((const uint4 *)from, (uint4 *)to);
        return launched();
    }
    if (turns(c, count, M, N)) {
        const long long tile = 16 * (16 / c.size);
        if (M % tile == 0 && N % tile == 0 && count < 65536) {
            if (c.size == 1) return turned_launch<1>(from, to, count, (int)M, (int)N, variant);
            if (c.size == 2) return turned_launch<2>(from, to, count, (int)M, (int)N, variant);
            if (c.size == 4) return turned_launch<4>(from, to, count, (int)M, (int)N, variant);
        } else if (count == 1) {
            if (c.size == 1) return ragged_launch<uint8_t>(from, to, (int)M, (int)N, variant);
            if (c.size == 2) return ragged_launch<uint16_t>(from, to, (int)M, (int)N, variant);
            if (c.size == 4) return ragged_launch<uint32_t>(from, to, (int)M, (int)N, variant);
        }
        return NO_KERNEL;
    }
    if (c.rank == 2 && c.src[1] == 1 && c.dst[1] == 1 && c.size == 4) {
        const bool wide =
            c.skip % 4 == 0 && c.extent[1] % 4 == 0 && c.src[0] % 4 == 0 && c.dst[0] % 4 == 0;
        if (wide) return rows_launch<uint4>(from, to, c, 4, variant);
        return rows_launch<uint32_t>(from, to, c, 1, variant);
    }
    if (c.rank == 2 && c.size == 4 && c.src[1] == 2 && c.src[0] == 2 * c.extent[1] &&
        c.dst[1] == 1 && c.dst[0] == c.extent[1] && c.extent[0] * c.extent[1] % 4096 == 0 &&
        c.skip % 4 == 0) {
        const unsigned blocks = (unsigned)(c.extent[0] * c.extent[1] / 512);
        if (variant == 0)
            halved<1><<<blocks, 256>>>((const uint4 *)from, (uint2 *)to);
        else if (variant == 1)
            halved<2><<<blocks / 2, 256>>>((const uint4 *)from, (uint2 *)to);
        else if (variant == 2)
            halved<4><<<blocks / 4, 256>>>((const uint4 *)from, (uint2 *)to);
        else if (variant == 3)
            halved_pairs<<<blocks / 2, 256>>>((const uint4 *)from, (uint4 *)to);
        else
            return NO_KERNEL;
        return launched();
    }
    if (c.rank == 4 && c.size == 2 && c.extent[3] == 128 && c.dst[3] == 1 && c.dst[1] == 128 &&
        dense_source(c) && c.dst[0] == c.src[0] && c.extent[1] % 16 == 0 && c.extent[2] % 4 == 0) {
        const unsigned S = (unsigned)c.extent[1], H = (unsigned)c.extent[2],
                       B = (unsigned)c.extent[0];
        const uint4 *src = (const uint4 *)from;
        if (variant == 0)
            heads<16, 4><<<dim3(S / 16, H / 4, B), 256>>>(src, (uint4 *)to, S, H);
        else if (variant == 1)
            heads<16, 2><<<dim3(S / 16, H / 2, B), 256>>>(src, (uint4 *)to, S, H);
        else if (variant == 2)
            heads<16, 1><<<dim3(S / 16, H, B), 256>>>(src, (uint4 *)to, S, H);
        else
            return NO_KERNEL;
        return launched();
    }
    if (c.rank == 5 && c.size == 4 && c.extent[1] == 48 && c.extent[4] == 56 && dense_source(c) &&
        c.dst[1] == 1 && c.dst[3] == 48 && c.extent[3] % 40 == 0) {
        switch (variant) {
        case 0: return five_launch<48, 56, 2, 168, true>(from, to, c);
        case 1: return five_launch<48, 56, 2, 336, true>(from, to, c);
        case 2: return five_launch<48, 56, 2, 336, false>(from, to, c);
        case 3: return five_launch<48, 56, 4, 224, true>(from, to, c);
        case 4: return five_launch<48, 56, 4, 336, false>(from, to, c);
        case 5: return five_launch<48, 56, 5, 420, true>(from, to, c);
        case 6: return five_launch<48, 56, 5, 420, false>(from, to, c);
        case 7: return five_launch<48, 56, 8, 448, true>(from, to, c);
        default: return NO_KERNEL;
        }
    }
    return NO_KERNEL;
}
