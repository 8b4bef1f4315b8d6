// A kernel written by hand calls device functions that store out of shared memory, and reads what they have written.
// NO_FENCE: without the fence that it owes.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "stores.cuh"
#include "tcp_launch.h"

enum { ROWS = 32, COLUMNS = 64, TILE = ROWS * COLUMNS, THREADS = box_THREADS };

static __global__ void __launch_bounds__(THREADS)
    all_of(const __grid_constant__ tcp_tensor_map map_B,
           const __grid_constant__ tcp_tensor_map map_S, tcp_f16 *R, uint32_t *S, uint32_t *out,
           int64_t steps) {
    TCP_SHARED_BUFFER(smem);
    tcp_f16 *const s = (tcp_f16 *)smem;
    uint32_t *const u = (uint32_t *)smem;
    const int tid = (int)threadIdx.x;
    for (int64_t j = 0; j < steps; ++j) {
        for (int i = tid; i < TILE; i += THREADS)
            tcp_st_shared_16(s + tcp_swizzle<3, 3, 3>(i), (tcp_b16)(i + 7 * j + 100 * blockIdx.x));
#ifndef NO_FENCE
        tcp_fence_async();
#endif
        tcp_sync();
        box(tid, s, blockIdx.x, j, map_B);
        tcp_sync();
    }
    for (int i = tid; i < TILE; i += THREADS) tcp_st_shared_16(s + i, (tcp_b16)(3 * i));
    tcp_fence_async();
    tcp_sync();
    rows(tid, s, R + (int64_t)blockIdx.x * TILE);
    tcp_sync();
    for (int i = tid; i < TILE; i += THREADS) tcp_st_shared_32(u + i, (tcp_b32)(i + 5));
    tcp_fence_async();
    tcp_sync();
    add(tid, u, map_S);
    tcp_sync();
    by_hand(tid, u, S);
    tcp_sync();
    // another thread reads what thread 0 stored
    for (int i = tid; i < TILE; i += THREADS)
        tcp_st_global_32(out + (int64_t)blockIdx.x * TILE + i,
                         tcp_ld_global_16(R + (int64_t)blockIdx.x * TILE + i));
}

static void must(tcp_status s, const char *what) {
    if (s == TCP_OK) return;
    std::printf("%s: %s\n", what, tcp_last_error());
    std::exit(1);
}

template <typename T> static T *take(const std::vector<T> &from) {
    void *at;
    must(tcp_alloc(&at, from.size() * sizeof(T)), "tcp_alloc");
    must(tcp_upload(at, from.data(), from.size() * sizeof(T), nullptr), "tcp_upload");
    return (T *)at;
}

template <typename T> static std::vector<T> fetch(const T *at, size_t n) {
    std::vector<T> to(n);
    must(tcp_download(to.data(), at, n * sizeof(T), nullptr), "tcp_download");
    return to;
}

int main() {
    enum { M = 50, N = 136, BLOCKS = 2, STEPS = 3 };
    std::vector<uint16_t> b(M * N, 9), r(BLOCKS * TILE, 9);
    std::vector<uint32_t> u(TILE), o(BLOCKS * TILE, 9);
    for (int i = 0; i < TILE; ++i) u[(size_t)i] = (uint32_t)(1000 * i);
    uint16_t *B = take(b), *R = take(r);
    uint32_t *S = take(u), *O = take(o);
    tcp_tensor_map map_B, map_S;
    must(box_map_B((tcp_f16 *)B, M, N, &map_B), "box_map_B");
    must(add_map_D(S, &map_S), "add_map_D");
    must(TCP_LAUNCH(all_of, tcp_blocks(BLOCKS, 1, 1), THREADS, 4 * TILE, nullptr, map_B, map_S,
                    (tcp_f16 *)R, S, O, (int64_t)STEPS),
         "launch");
    must(tcp_wait(nullptr), "tcp_wait");
    b = fetch(B, b.size());
    r = fetch(R, r.size());
    u = fetch(S, u.size());
    o = fetch(O, o.size());
    int bad = 0;
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n)
            bad += b[(size_t)(m * N + n)] != (uint16_t)(m % ROWS * COLUMNS + n % COLUMNS +
                                                        7 * (n / COLUMNS) + 100 * (m / ROWS));
    for (int i = 0; i < BLOCKS * TILE; ++i) {
        bad += r[(size_t)i] != (uint16_t)(3 * (i % TILE));
        bad += o[(size_t)i] != r[(size_t)i];
    }
    for (int i = 0; i < TILE; ++i)
        bad += u[(size_t)i] != (uint32_t)(1000 * i + BLOCKS * (i + 5) + BLOCKS);
    std::printf(bad ? "%d wrong\n" : "all right\n", bad);
    return bad != 0;
}
