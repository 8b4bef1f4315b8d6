// A kernel written by hand calls device functions with bulk copies: boxes in three slots, then rows by one state and its own
// barriers.  NO_FENCE: without the fence that it owes.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "loads.cuh"
#include "tcp_launch.h"

enum { ROWS = 32, COLUMNS = 64, TILE = ROWS * COLUMNS, SLOTS = 3, THREADS = box_THREADS };

// Sums of "out": 7 times what is at (row,column) of all tiles, the step counted from 1, and C and D behind it.
static __global__ void __launch_bounds__(THREADS)
    all_of(const __grid_constant__ tcp_tensor_map map_A,
           const __grid_constant__ tcp_tensor_map map_C, const uint16_t *C, uint16_t *D,
           uint16_t *E, unsigned *out, int64_t steps_of_A) {
    TCP_SHARED_BUFFER(smem);
    uint16_t *const tiles = (uint16_t *)smem;
    const int tid = (int)threadIdx.x;
    unsigned sum[TILE / THREADS] = {};
    tcp_bulk_ring ring = box_init(tid, tiles + SLOTS * TILE);
    tcp_sync();
    for (int64_t j = 0; j < SLOTS - 1; ++j) box(tid, ring, tiles + j * TILE, blockIdx.x, j, map_A);
    for (int64_t j = 0; j < steps_of_A; ++j) {
        ring.wait<(SLOTS - 2) * box_GROUPS>();
        tcp_fence_async();
        tcp_sync();
        box(tid, ring, tiles + (j + SLOTS - 1) % SLOTS * TILE, blockIdx.x, j + SLOTS - 1, map_A);
        for (int i = tid, n = 0; i < TILE; i += THREADS)
            sum[n++] += (unsigned)(7 * (j + 1)) *
                        tcp_ld_shared_16(tiles + j % SLOTS * TILE + tcp_swizzle<3, 3, 3>(i));
    }
    ring.wait<0>();
    tcp_fence_async();
    tcp_sync();
    pieces(tid, ring, C, tiles, tiles + TILE);
    tcp_sync();
    for (int i = tid, n = 0; i < TILE; i += THREADS)
        sum[n++] += tcp_ld_shared_16(tiles + i) + 3u * tcp_ld_shared_16(tiles + TILE + i);
    mixed(tid, ring, C, tiles + 2 * TILE, tiles + SLOTS * TILE + box_STATE_BYTES / 2);
    ring.wait<0>();
    tcp_cp_async_wait<0>();
#ifndef NO_FENCE
    tcp_fence_async();  // pieces wrote to this slot by cp.async
#endif
    tcp_sync();
    if (blockIdx.x == 0) twice(tid, ring, C, tiles + TILE, D);
    tcp_fence_async();
    tcp_sync();
    if (blockIdx.x == 0) steps(tid, ring, tiles + TILE, E, map_C);
    for (int i = tid, n = 0; i < TILE; i += THREADS)
        tcp_st_global_32(out + (int64_t)blockIdx.x * TILE + i,
                         sum[n++] + 5u * tcp_ld_shared_16(tiles + 2 * TILE + i) +
                             9u * tcp_ld_shared_16(tiles + SLOTS * TILE + box_STATE_BYTES / 2 + i));
}

static void must(tcp_status s, const char *what) {
    if (s == TCP_OK) return;
    std::printf("%s: %s\n", what, tcp_last_error());
    std::exit(1);
}

static void *take(size_t bytes, const void *from) {
    void *at;
    must(tcp_alloc(&at, bytes), "alloc");
    if (from) must(tcp_upload(at, from, bytes, nullptr), "upload");
    return at;
}

static int run(int64_t M, int64_t N) {
    const int64_t blocks = (M + ROWS - 1) / ROWS, steps = (N + COLUMNS - 1) / COLUMNS;
    const size_t bytes = (SLOTS + 1) * TILE * sizeof(uint16_t) + box_STATE_BYTES;
    std::vector<uint16_t> a((size_t)(M * N)), c(2 * TILE), d(2 * TILE), e(2 * TILE);
    std::vector<unsigned> out((size_t)(blocks * TILE));
    for (size_t i = 0; i < a.size(); ++i) a[i] = (uint16_t)(i * 31 + 7);
    for (size_t i = 0; i < c.size(); ++i) c[i] = (uint16_t)(i * 17 + 3);
    void *A = take(2 * a.size(), a.data()), *C = take(2 * c.size(), c.data());
    void *D = take(2 * d.size(), nullptr), *O = take(4 * out.size(), nullptr);
    void *E = take(2 * e.size(), nullptr);
    tcp_tensor_map map, map_C;
    must(box_map_A((const uint16_t *)A, M, N, &map), "the map");
    must(steps_map_C((const uint16_t *)C, &map_C), "the map");
    must(TCP_LAUNCH(all_of, tcp_blocks(blocks, 1, 1), THREADS, bytes, nullptr, map, map_C,
                    (const uint16_t *)C, (uint16_t *)D, (uint16_t *)E, (unsigned *)O, steps),
         "the launch");
    must(tcp_wait(nullptr), "the kernel");
    must(tcp_download(out.data(), O, 4 * out.size(), nullptr), "download");
    must(tcp_download(d.data(), D, 2 * d.size(), nullptr), "download");
    must(tcp_download(e.data(), E, 2 * e.size(), nullptr), "download");
    int wrong = 0;
    for (int64_t k = 0; k < blocks * TILE; ++k) {
        const int64_t row = k / TILE * ROWS + k % TILE / COLUMNS, i = k % TILE;
        unsigned want = 6u * c[(size_t)i] + 12u * c[(size_t)(TILE + i)];
        for (int64_t j = 0; j < steps; ++j) {
            const int64_t column = j * COLUMNS + i % COLUMNS;
            if (row < M && column < N)
                want += (unsigned)(7 * (j + 1)) * a[(size_t)(row * N + column)];
        }
        wrong += out[(size_t)k] != want;
    }
    for (size_t i = 0; i < d.size(); ++i) wrong += (d[i] != c[i]) + (e[i] != c[i]);
    for (void *at : {A, C, D, E, O}) tcp_free(at);
    if (wrong) std::printf("%lld x %lld: %d wrong\n", (long long)M, (long long)N, wrong);
    return wrong;
}

int main() {
    int wrong = 0;
    static const int64_t sizes[][2] = {{1, 8}, {32, 64}, {33, 200}, {70, 136}, {64, 1000}};
    for (const auto &size : sizes) wrong += run(size[0], size[1]);
    std::printf(wrong ? "wrong\n" : "all right\n");
    return wrong != 0;
}
