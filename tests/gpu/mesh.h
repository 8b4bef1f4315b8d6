// For the tests of meshes on GPUs: the kernels, and what the tests and the benchmark share.
#ifndef MESH_H
#define MESH_H

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "tcp_mesh.cuh"
#include "tcp_mesh_launch.h"

#define MUST(call)                                                                                 \
    do {                                                                                           \
        const int status_of_call = (int)(call);                                                    \
        if (status_of_call == 0) break;                                                            \
        printf("%s:%d: %s: %d: %s %s\n", __FILE__, __LINE__, #call, status_of_call,                \
               tcp_last_error(), cudaGetErrorString(cudaGetLastError()));                          \
        exit(1);                                                                                   \
    } while (0)

// Word "i" that device "rank" has in round "round".
__device__ inline unsigned word_of(unsigned rank, unsigned round, size_t i) {
    unsigned x = (unsigned)i * 2654435761u ^ rank * 0x9e3779b9u ^ round * 0x85ebca6bu;
    return x ^ x >> 15;
}

// Starts a new round, whose number is in memory, so that a graph may hold this.
static __global__ void next_round(unsigned *round) {
    ++*round;
}

static __global__ void fill(uint4 *to, size_t n, unsigned rank, const unsigned *round) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) {
        const unsigned r = *round;
        to[i] = make_uint4(word_of(rank, r, 4 * i), word_of(rank, r, 4 * i + 1),
                           word_of(rank, r, 4 * i + 2), word_of(rank, r, 4 * i + 3));
    }
}

// Counts the words of "out" that are not those which the devices of the mesh have sent.
static __global__ void check(const uint4 *out, size_t piece, unsigned rank, unsigned size,
                             const unsigned *round, unsigned long long *wrong) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < piece * size; i += step) {
        const unsigned from = (unsigned)(i / piece), r = *round;
        const size_t at = 4 * (rank * piece + i % piece);
        const uint4 v = out[i];
        const bool good = v.x == word_of(from, r, at) && v.y == word_of(from, r, at + 1) &&
                          v.z == word_of(from, r, at + 2) && v.w == word_of(from, r, at + 3);
        if (!good) atomicAdd(wrong, 1ull);
    }
}

static __global__ void meet(const tcp_mesh_call g) {
    if (!tcp_mesh_begin(g)) return;
    tcp_mesh_end(g);
}

// Sends piece p of "in" to device p, which has it as piece "rank" of "out". Each device begins with
// the one after it.
static __global__ void __launch_bounds__(512)
    push(const uint4 *in, uint4 *out, size_t piece, const tcp_mesh_call g) {
    if (!tcp_mesh_begin(g)) return;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    const size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (unsigned k = 1; k <= g.size; ++k) {
        const unsigned p = (g.rank + k) % g.size;
        const uint4 *const from = in + p * piece;
        uint4 *const to = tcp_mesh_at(g, 0, p, out) + g.rank * piece;
        size_t i = first;
        for (; i + 3 * step < piece; i += 4 * step) {
            const uint4 a = from[i], b = from[i + step], c = from[i + 2 * step],
                        d = from[i + 3 * step];
            to[i] = a;
            to[i + step] = b;
            to[i + 2 * step] = c;
            to[i + 3 * step] = d;
        }
        for (; i < piece; i += step) to[i] = from[i];
    }
    tcp_mesh_end(g);
}

static __global__ void sleep_ns(unsigned long long ns) {
    const uint64_t start = tcp_mesh_time();
    while (tcp_mesh_time() - start < ns) {
    }
}

static inline tcp_status meet_launch(int blocks, tcp_mesh *end, tcp_stream stream) {
    tcp_mesh_call call;
    TCP_CHECK(tcp_mesh_enter("meet", end, 0, &call));
    return TCP_MESH_LAUNCH(meet, tcp_blocks(blocks, 1, 1), 256, 0, stream, end, call);
}

// "bytes" a device; "salt" goes into the hash.
static inline tcp_status push_launch(const void *in, void *out, size_t bytes, int blocks,
                                     tcp_mesh *end, tcp_stream stream, uint64_t salt = 0) {
    tcp_mesh_call call;
    TCP_CHECK(tcp_mesh_enter("push", end, 0, &call));
    TCP_CHECK(tcp_mesh_tensor("push", "out", end, &call, out, bytes));
    tcp_mesh_mix(&call, bytes);
    tcp_mesh_mix(&call, salt);
    return TCP_MESH_LAUNCH(push, tcp_blocks(blocks, 1, 1), 512, 0, stream, end, (const uint4 *)in,
                           (uint4 *)out, bytes / 16 / (size_t)tcp_mesh_size(end), call);
}

// What one device has for a test.
struct side {
    tcp_mesh *end;
    int device;
    cudaStream_t stream, other;
    void *in, *out;
    size_t bytes;
    unsigned *round;
    unsigned long long *wrong;

    void prepare() {  // after "end" and "device"
        MUST(cudaSetDevice(device));
        MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        MUST(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        MUST(cudaMalloc((void **)&round, sizeof *round));
        MUST(cudaMalloc((void **)&wrong, sizeof *wrong));
        MUST(cudaMemset(round, 0, sizeof *round));
        MUST(cudaMemset(wrong, 0, sizeof *wrong));
        in = out = nullptr;
        bytes = 0;
    }
    void allocate(size_t n) {
        MUST(cudaSetDevice(device));
        if (in) MUST(cudaFree(in));
        if (out) MUST(tcp_mesh_free(end, out));
        bytes = n;
        MUST(cudaMalloc(&in, n));
        out = tcp_mesh_alloc(end, n);
        if (!out) MUST(TCP_ERR_MEMORY);
        MUST(cudaMemset(out, 0xee, n));
        MUST(cudaDeviceSynchronize());
    }
    void begin_round() {
        MUST(cudaSetDevice(device));
        next_round<<<1, 1, 0, stream>>>(round);
        fill<<<264, 256, 0, stream>>>((uint4 *)in, bytes / 16, (unsigned)tcp_mesh_rank(end), round);
    }
    void check_round() {
        MUST(cudaSetDevice(device));
        const size_t size = (size_t)tcp_mesh_size(end);
        check<<<264, 256, 0, stream>>>((const uint4 *)out, bytes / 16 / size,
                                       (unsigned)tcp_mesh_rank(end), (unsigned)size, round, wrong);
    }
    tcp_status launch(int blocks, uint64_t salt = 0) {
        MUST(cudaSetDevice(device));
        return push_launch(in, out, bytes, blocks, end, stream, salt);
    }
    void wait() {
        MUST(cudaSetDevice(device));
        MUST(cudaDeviceSynchronize());
    }
    unsigned long long mistakes() {
        unsigned long long n = 0;
        wait();
        MUST(cudaMemcpy(&n, wrong, sizeof n, cudaMemcpyDeviceToHost));
        MUST(cudaMemset(wrong, 0, sizeof n));
        MUST(cudaDeviceSynchronize());
        return n;
    }
    // Whether "out" has been written since it was allocated.
    bool touched() {
        std::vector<unsigned char> copy(bytes);
        wait();
        MUST(cudaMemcpy(copy.data(), out, bytes, cudaMemcpyDeviceToHost));
        return std::any_of(copy.begin(), copy.end(), [](unsigned char c) { return c != 0xee; });
    }
};

static inline double seconds_of(const std::function<void()> &work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static inline double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

#endif
