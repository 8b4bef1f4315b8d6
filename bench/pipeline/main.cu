// Column sums of a f16 matrix of 1 GiB in two shapes: tcpc's emitted pipelines beside CuTe's, for 1
// to 4 stages and 1, 2 and the most blocks a multiprocessor, in alternating rounds of one run;
// medians.  A cell below 0.99 is measured again, with AGAIN rounds of its own, and that counts.
// Prints Markdown; exits with 1 when a sum is wrong.
//
// usage: program [ROUNDS [AGAIN]]        default: 51 rounds, 15 again
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "peer.h"

extern const peer tcpc_peer_1_128, tcpc_peer_2_128, tcpc_peer_3_128, tcpc_peer_4_128;
extern const peer tcpc_peer_1_0, tcpc_peer_2_0, tcpc_peer_3_0, tcpc_peer_4_0;
extern const peer tcpc_peer_1_roles, tcpc_peer_2_roles, tcpc_peer_3_roles, tcpc_peer_4_roles;
extern const peer tcpc_peer_1_tma, tcpc_peer_2_tma, tcpc_peer_3_tma, tcpc_peer_4_tma;
extern const peer tcpc_peer_1_tma_roles, tcpc_peer_2_tma_roles, tcpc_peer_3_tma_roles,
    tcpc_peer_4_tma_roles;
extern const peer cute_peer_1, cute_peer_2, cute_peer_3, cute_peer_4;
extern const peer cute_tma_peer_1, cute_tma_peer_2, cute_tma_peer_3, cute_tma_peer_4;

// tcpc with the L2 hint that CuTe's cp.async has, CuTe, tcpc without the hint, and with it and a warp
// of its own that loads; then both with TMA, tcpc's without and with such a warp.
enum { TCPC, CUTE, NO_HINT, ROLES, TMA, CUTE_TMA, TMA_ROLES, WAYS };
static const peer *const peers[WAYS][4] = {
    {&tcpc_peer_1_128, &tcpc_peer_2_128, &tcpc_peer_3_128, &tcpc_peer_4_128},
    {&cute_peer_1, &cute_peer_2, &cute_peer_3, &cute_peer_4},
    {&tcpc_peer_1_0, &tcpc_peer_2_0, &tcpc_peer_3_0, &tcpc_peer_4_0},
    {&tcpc_peer_1_roles, &tcpc_peer_2_roles, &tcpc_peer_3_roles, &tcpc_peer_4_roles},
    {&tcpc_peer_1_tma, &tcpc_peer_2_tma, &tcpc_peer_3_tma, &tcpc_peer_4_tma},
    {&cute_tma_peer_1, &cute_tma_peer_2, &cute_tma_peer_3, &cute_tma_peer_4},
    {&tcpc_peer_1_tma_roles, &tcpc_peer_2_tma_roles, &tcpc_peer_3_tma_roles,
     &tcpc_peer_4_tma_roles}};

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t error_of_call = (call);                                                  \
        if (error_of_call != cudaSuccess) {                                                        \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_of_call));            \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

struct shape {
    int rows, columns;
};
static const shape shapes[] = {{131072, 4096}, {8388608, 64}};
static const int64_t elements = (int64_t)131072 * 4096;

// 0, 1, 2 or 3, so that all sums are exact.
static __global__ void fill(uint16_t *a, int64_t n) {
    const uint16_t bits[4] = {0, 0x3c00, 0x4000, 0x4200};
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += step) {
        uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u;
        x ^= x >> 29;
        x *= 0xbf58476d1ce4e5b9u;
        a[i] = bits[x >> 62];
    }
}

// The sums as integers: blockDim.x columns a block, blockIdx.y's share of the rows.
static __global__ void reference(const uint16_t *a, int rows, int columns,
                                 unsigned long long *sums) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, each = rows / gridDim.y;
    unsigned long long sum = 0;
    for (int64_t row = (int64_t)blockIdx.y * each; row < (int64_t)(blockIdx.y + 1) * each; ++row) {
        const uint16_t bits = a[row * columns + column];
        sum += bits == 0 ? 0 : bits == 0x3c00 ? 1 : bits == 0x4000 ? 2 : 3;
    }
    atomicAdd(&sums[column], sum);
}

// Keeps the device busy while the host queues what is to be timed.
static __global__ void delay(long long cycles) {
    const long long from = clock64();
    while (clock64() - from < cycles) {
    }
}

struct run {
    const peer *who;
    int parts, more_shared;
    std::vector<float> ms;
};

struct cell {
    shape of;
    int stages, blocks;  // a multiprocessor
    bool most;
    run by[WAYS];
};

static void *a;
static float *p;
static unsigned long long *expected;
static int processors, shared_of_processor, shared_of_block;

static int most_blocks(const peer *w) {
    int blocks;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, w->kernel, w->threads, w->shared));
    return blocks;
}

static bool right(const cell &c, const run &r) {
    const int rows = 16 * r.parts, columns = c.of.columns;
    const size_t bytes = sizeof(float) * rows * columns;
    CHECK(cudaMemset(p, 0xff, bytes));
    const char *error = r.who->launch(a, p, c.of.rows, columns, r.parts, r.more_shared, 0);
    if (error) {
        std::fprintf(stderr, "%s: %s\n", r.who->name, error);
        std::exit(2);
    }
    std::vector<float> partial((size_t)rows * columns);
    std::vector<unsigned long long> want(columns);
    CHECK(cudaMemcpy(partial.data(), p, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(want.data(), expected, sizeof want[0] * columns, cudaMemcpyDeviceToHost));
    for (int j = 0; j < columns; ++j) {
        double sum = 0;
        for (int i = 0; i < rows; ++i) sum += partial[(size_t)i * columns + j];
        if (sum != (double)want[j]) {
            std::printf("%s, %d stages, %d blocks, %d x %d: column %d is %.1f, not %llu\n",
                        r.who->name, c.stages, c.blocks, c.of.rows, columns, j, sum, want[j]);
            return false;
        }
    }
    return true;
}

static double median(std::vector<float> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}
static double speed(double ms) {
    return 2.0 * elements / ms / 1e6;
}

static cudaEvent_t from, to;

// A round of "cells": each way once, in another order each time. The first rounds are not counted.
static void measure(std::vector<cell> &cells, int rounds) {
    for (int round = -2; round < rounds; ++round) {
        for (cell &c : cells) {
            for (int k = 0; k < WAYS; ++k) {
                run &r = c.by[(k + round + 2) % WAYS];
                float ms;
                delay<<<1, 1>>>(60000);
                CHECK(cudaEventRecord(from));
                r.who->launch(a, p, c.of.rows, c.of.columns, r.parts, r.more_shared, 0);
                CHECK(cudaEventRecord(to));
                CHECK(cudaEventSynchronize(to));
                CHECK(cudaEventElapsedTime(&ms, from, to));
                if (round >= 0) r.ms.push_back(ms);
            }
        }
    }
    CHECK(cudaGetLastError());
}

// What is compared: cp.async, TMA, TMA with roles, each over CuTe's.
enum { KINDS = 3 };
static const char *const kinds[KINDS] = {"cp.async", "TMA", "TMA roles"};
struct ratios {
    double of[KINDS];
};

static ratios compare(const cell &c) {
    double mid[WAYS];
    for (int w = 0; w < WAYS; ++w) mid[w] = speed(median(c.by[w].ms));
    return {{mid[TCPC] / mid[CUTE], mid[TMA] / mid[CUTE_TMA], mid[TMA_ROLES] / mid[CUTE_TMA]}};
}

// Measures "c" again where it is below 0.99; returns what counts.
static ratios again(const cell &c, int rounds) {
    const ratios first = compare(c);
    ratios result = first;
    bool below = false;
    for (double x : first.of) below |= x < 0.99;
    if (!below || rounds == 0) return result;
    std::vector<cell> alone(1, c);
    for (run &r : alone[0].by) r.ms.clear();
    measure(alone, rounds);
    const ratios second = compare(alone[0]);
    for (int i = 0; i < KINDS; ++i) {
        if (first.of[i] >= 0.99) continue;
        result.of[i] = second.of[i];
        std::printf("%d x %d, %d stages, %d blocks, %s: %.3f, again with %d rounds %.3f\n",
                    c.of.rows, c.of.columns, c.stages, c.blocks, kinds[i], first.of[i], rounds,
                    second.of[i]);
    }
    return result;
}

int main(int argc, char **argv) {
    if (argc > 1 && std::strcmp(argv[1], "--starts") == 0) return 0;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 51;
    const int more_rounds = argc > 2 ? std::atoi(argv[2]) : 15;
    const int waves = std::getenv("WAVES") ? std::atoi(std::getenv("WAVES")) : 1;
    cudaDeviceProp device;
    int driver, runtime;
    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    processors = device.multiProcessorCount;
    shared_of_processor = (int)device.sharedMemPerMultiprocessor;
    shared_of_block = (int)device.sharedMemPerBlockOptin;
    std::printf("%s, %d multiprocessors, CUDA %d.%d (driver: %d.%d); GB/s, medians of %d "
                "alternating rounds\n",
                device.name, processors, runtime / 1000, runtime % 1000 / 10, driver / 1000,
                driver % 1000 / 10, rounds);

    const size_t p_bytes = sizeof(float) * 16 * 64 * 16 * (size_t)processors * waves;
    CHECK(cudaMalloc(&a, 2 * elements));
    CHECK(cudaMalloc((void **)&p, p_bytes));
    CHECK(cudaMalloc((void **)&expected, sizeof *expected * 4096));
    fill<<<4096, 256>>>((uint16_t *)a, elements);
    // no multiprocessor is to change how it divides its memory while the clock runs
    CHECK(cudaFuncSetAttribute(delay, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));

    std::printf(
        "\n| stages | registers: tcpc | CuTe | without hint | roles | TMA | CuTe TMA | TMA roles "
        "| spilled bytes of all |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int s = 0; s < 4; ++s) {
        cudaFuncAttributes f[WAYS];
        for (int w = 0; w < WAYS; ++w) {
            const peer *x = peers[w][s];
            CHECK(cudaFuncGetAttributes(&f[w], x->kernel));
            CHECK(cudaFuncSetAttribute(x->kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                       cudaSharedmemCarveoutMaxShared));
            CHECK(cudaFuncSetAttribute(x->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       shared_of_block));
        }
        std::printf("| %d |", s + 1);
        int spilled = 0;
        for (int w = 0; w < WAYS; ++w) {
            std::printf(" %d |", f[w].numRegs);
            spilled += (int)f[w].localSizeBytes;
        }
        std::printf(" %d |\n", spilled);
    }

    int wrong = 0, cells = 0, reached[KINDS] = {};
    double least[KINDS] = {1e9, 1e9, 1e9};
    for (const shape &of : shapes) {
        CHECK(cudaMemset(expected, 0, sizeof *expected * 4096));
        reference<<<dim3(of.columns / 64, 1024), 64>>>((const uint16_t *)a, of.rows, of.columns,
                                                       expected);
        std::vector<cell> table;
        for (int s = 3; s >= 0; --s) {
            int most = most_blocks(peers[TCPC][s]);
            for (int w = 1; w < WAYS; ++w)
                if (w != ROLES && w != TMA_ROLES) most = std::min(most, most_blocks(peers[w][s]));
            for (int blocks : {1, 2, most}) {
                cell c = {of, s + 1, blocks, blocks == most, {}};
                for (int w = 0; w < WAYS; ++w) {
                    // room for this many blocks and no more; 1 KiB of each is the system's
                    const int there = std::min(blocks, most_blocks(peers[w][s]));
                    int room = std::min(shared_of_processor / there - 1024, shared_of_block);
                    room = room / 128 * 128 - peers[w][s]->shared;
                    c.by[w].who = peers[w][s];
                    c.by[w].more_shared = there == most_blocks(peers[w][s]) ? 0 : room;
                    c.by[w].parts = std::max(1, processors * there * waves / (of.columns / 64));
                }
                table.push_back(c);
            }
        }
        for (cell &c : table) {
            for (run &r : c.by) wrong += !right(c, r);
        }
        measure(table, rounds);
        std::printf("\n%d x %d\n\n| stages | blocks | grid | tcpc | CuTe | tcpc / CuTe | without "
                    "hint | roles | roles / tcpc | TMA | CuTe TMA | TMA / CuTe TMA | TMA "
                    "roles | TMA roles / CuTe TMA |\n| --- | --- | --- | --- | --- | --- | --- | "
                    "--- | --- | --- | --- | --- | --- | --- |\n",
                    of.rows, of.columns);
        for (cell &c : table) {
            double mid[WAYS];
            for (int w = 0; w < WAYS; ++w) mid[w] = speed(median(c.by[w].ms));
            const ratios x = compare(c);
            std::printf("| %d | %d%s | %d x %d | %.0f | %.0f | %.3f | %.0f | %.0f | %.3f | %.0f | "
                        "%.0f | %.3f | "
                        "%.0f | %.3f |\n",
                        c.stages, c.blocks, c.most ? " (most)" : "", of.columns / 64, c.by[0].parts,
                        mid[TCPC], mid[CUTE], x.of[0], mid[NO_HINT], mid[ROLES],
                        mid[ROLES] / mid[TCPC], mid[TMA], mid[CUTE_TMA], x.of[1], mid[TMA_ROLES],
                        x.of[2]);
        }
        std::printf("\n");
        for (const cell &c : table) {
            const ratios x = again(c, more_rounds);
            ++cells;
            for (int i = 0; i < KINDS; ++i) {
                reached[i] += x.of[i] >= 0.99;
                least[i] = std::min(least[i], x.of[i]);
            }
        }
    }
    std::printf("\n%d of %d cells at 0.99 of CuTe or more, the least at %.3f; with TMA %d, the "
                "least at %.3f; with TMA and "
                "roles %d, the least at %.3f; sums %s\n",
                reached[0], cells, least[0], reached[1], least[1], reached[2], least[2],
                wrong ? "WRONG" : "all exact");
    return wrong != 0;
}
