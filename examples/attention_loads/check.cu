// Runs attention_loads for several lengths and compares each element of O with what plain loops
// make of Q, K and V.
//
// On a GPU:
//   tcpc attention_loads.tcp -o attention_loads.cu
//   nvcc -std=c++17 -arch=sm_80 -DD=64 -I. -I../../runtime attention_loads.cu check.cu
//       ../../runtime/tcp_cuda.cu -o check
// Without one:
//   c++ -std=c++17 -Wno-unknown-pragmas -DD=64 -I. -I../../runtime -x c++ attention_loads.cu
//       check.cu ../../runtime/host/*.cpp -o check
// For heads of 128 give tcpc -D D=128, and the compiler -DD=128.
#include <cstdio>
#include <vector>

#include "fold.cuh"
#include "tcp_runtime.h"

TCP_EXTERN_C tcp_status attention_loads_launch(const tcp_f16 *Q, const tcp_f16 *K, const tcp_f16 *V,
                                               tcp_f16 *O, int64_t M, int64_t N, tcp_stream stream);

#define CHECK(call)                                                                                \
    if (const tcp_status status = (call); status != TCP_OK) {                                      \
        std::printf("%s: %s\n", tcp_status_text(status), tcp_last_error());                        \
        return 1;                                                                                  \
    }

static void fill(std::vector<tcp_f16> &x, uint32_t seed) {
    for (tcp_f16 &e : x) {
        seed = seed * 1664525u + 1013904223u;
        e.bits = (uint16_t)(seed >> 16);
    }
}

// The steps are of 64 rows: all of K's in a step, then all of V's.
static uint16_t want(const std::vector<tcp_f16> &k, const std::vector<tcp_f16> &v, uint16_t q,
                     int64_t column, int64_t N) {
    uint32_t sum = 0;
    for (int64_t n = 0; n < N; n += 64) {
        const int64_t end = n + 64 < N ? n + 64 : N;
        for (int64_t r = n; r < end; ++r) sum = fold_key(sum, q, k[r * D + column].bits);
        for (int64_t r = n; r < end; ++r) sum = fold_value(sum, v[r * D + column].bits);
    }
    return fold_end(sum);
}

static int run(int64_t M, int64_t N) {
    std::vector<tcp_f16> q(M * D), k(N * D), v(N * D), o(M * D);
    fill(q, 1);
    fill(k, 2);
    fill(v, 3);
    const int64_t rows = sizeof(tcp_f16) * D;
    void *Q, *K, *V, *O;
    CHECK(tcp_alloc(&Q, rows * M));
    CHECK(tcp_alloc(&K, rows * N));
    CHECK(tcp_alloc(&V, rows * N));
    CHECK(tcp_alloc(&O, rows * M));
    CHECK(tcp_upload(Q, q.data(), rows * M, 0));
    CHECK(tcp_upload(K, k.data(), rows * N, 0));
    CHECK(tcp_upload(V, v.data(), rows * N, 0));
    CHECK(attention_loads_launch((const tcp_f16 *)Q, (const tcp_f16 *)K, (const tcp_f16 *)V,
                                 (tcp_f16 *)O, M, N, 0));
    CHECK(tcp_download(o.data(), O, rows * M, 0));
    CHECK(tcp_free(Q));
    CHECK(tcp_free(K));
    CHECK(tcp_free(V));
    CHECK(tcp_free(O));
    for (int64_t i = 0; i < M * D; ++i) {
        const uint16_t expected = want(k, v, q[i].bits, i % D, N);
        if (o[i].bits != expected) {
            std::printf("M = %lld, N = %lld: O(%lld,%lld) is %04x, not %04x\n", (long long)M,
                        (long long)N, (long long)(i / D), (long long)(i % D), o[i].bits, expected);
            return 1;
        }
    }
    return 0;
}

int main() {
    static const int64_t length[][2] = {{1, 1},     {128, 64}, {127, 63},  {129, 65},
                                        {128, 128}, {5, 192},  {256, 130}, {300, 320},
                                        {64, 1000}, {1, 191},  {2, 193},   {131, 449}};
    int n = 0;
    for (const auto &x : length) {
        if (run(x[0], x[1])) return 1;
        ++n;
    }
    std::printf("attention_loads, D = %d: %d pairs of lengths, all right\n", D, n);
    return 0;
}
