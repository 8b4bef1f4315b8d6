// Runs gemm.cu on odd sizes, on a GPU or on a CPU, and compares every element with the exact result:
// the integers are so small that no sum is rounded.
#include <cstdio>
#include <vector>

#include "gemm.h"
#include "tcp_launch.h"

#define CHECK(call)                                                                                \
    if (const tcp_status status = (call); status != TCP_OK) {                                      \
        std::printf("%s: %s\n", tcp_status_text(status), tcp_last_error());                        \
        return false;                                                                              \
    }

// The bits of an integer in -2048 .. 2048 as f16.
static uint16_t half(int x) {
    if (x == 0) return 0;
    const unsigned size = (unsigned)(x < 0 ? -x : x);
    int top = 0;
    while (size >> (top + 1)) ++top;
    return (uint16_t)((x < 0 ? 0x8000u : 0u) | (unsigned)(top + 15) << 10 |
                      ((size << 11 >> top) & 0x7ffu) >> 1);
}

static unsigned state = 1;
static int digit() {  // -2 .. 2
    state = state * 1664525u + 1013904223u;
    return (int)(state >> 16) % 5 - 2;
}

static bool check(int M, int N, int K) {
    std::vector<int> a((size_t)M * K), b((size_t)N * K);
    std::vector<uint16_t> x(a.size()), y(b.size()), c((size_t)M * N, 0xffff);
    for (size_t i = 0; i < a.size(); ++i) x[i] = half(a[i] = digit());
    for (size_t i = 0; i < b.size(); ++i) y[i] = half(b[i] = digit());
    void *A, *B, *C;
    CHECK(tcp_alloc(&A, 2 * x.size()));
    CHECK(tcp_alloc(&B, 2 * y.size()));
    CHECK(tcp_alloc(&C, 2 * c.size()));
    CHECK(tcp_upload(A, x.data(), 2 * x.size(), 0));
    CHECK(tcp_upload(B, y.data(), 2 * y.size(), 0));
    CHECK(tcp_upload(C, c.data(), 2 * c.size(), 0));
    CHECK(gemm_launch(A, B, C, M, N, K, 0));
    CHECK(tcp_download(c.data(), C, 2 * c.size(), 0));
    CHECK(tcp_free(A));
    CHECK(tcp_free(B));
    CHECK(tcp_free(C));
    for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) {
            int want = 0;
            for (int k = 0; k < K; ++k) want += a[(size_t)m * K + k] * b[(size_t)n * K + k];
            if (c[(size_t)m * N + n] == half(want)) continue;
            std::printf("(%d,%d) of %d x %d x %d: %04x, not %04x\n", m, n, M, N, K,
                        c[(size_t)m * N + n], half(want));
            return false;
        }
    return true;
}

int main() {
    const int sizes[][3] = {{1, 1, 8},      {129, 8, 72},    {131, 257, 136},
                            {128, 128, 64}, {136, 128, 328}, {256, 128, 320}};
    int count = 0;
    for (const auto &size : sizes) {
        if (!check(size[0], size[1], size[2])) return 1;
        ++count;
    }
    std::printf("%d products, all right\n", count);
    return 0;
}
