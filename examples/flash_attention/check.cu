// Runs flash_attention for several lengths and compares O with attention in double precision.
//
//   tcpc flash_attention.tcp -o flash_attention.cu
//   nvcc -std=c++17 -arch=sm_90a -DD=64 -I. -I../../runtime flash_attention.cu check.cu
//       ../../runtime/tcp_cuda.cu -o check
// Without a GPU:
//   c++ -std=c++17 -O1 -Wno-unknown-pragmas -DD=64 -I. -I../../runtime -x c++ flash_attention.cu
//       check.cu ../../runtime/host/*.cpp -o check
// For heads of 128 give tcpc -D D=128, and the compiler -DD=128.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tcp_numeric.h"
#include "tcp_runtime.h"

TCP_EXTERN_C tcp_status flash_attention_launch(const tcp_f16 *Q, const tcp_f16 *K, const tcp_f16 *V,
                                               tcp_f16 *O, int64_t H, int64_t M, int64_t N,
                                               tcp_stream stream);
TCP_EXTERN_C tcp_status flash_attention_causal_launch(const tcp_f16 *Q, const tcp_f16 *K,
                                                      const tcp_f16 *V, tcp_f16 *O, int64_t H,
                                                      int64_t M, int64_t N, tcp_stream stream);

#define CHECK(call)                                                                                \
    if (const tcp_status status = (call); status != TCP_OK) {                                      \
        std::printf("%s: %s\n", tcp_status_text(status), tcp_last_error());                        \
        return 1;                                                                                  \
    }

// Numbers from -2 to 2.
static void fill(std::vector<tcp_f16> &x, uint32_t seed) {
    for (tcp_f16 &e : x) {
        seed = seed * 1664525u + 1013904223u;
        e = tcp_f16_of((double)(int32_t)seed / (1 << 30));
    }
}

// One row of O; the row of Q uses "seen" rows of K and V.
static void attend(const tcp_f16 *q, const tcp_f16 *k, const tcp_f16 *v, int64_t seen,
                   double *out) {
    std::vector<double> p(seen);
    double most = -INFINITY, sum = 0;
    for (int64_t n = 0; n < seen; ++n) {
        double dot = 0;
        for (int d = 0; d < D; ++d) dot += tcp_f16_value(q[d]) * tcp_f16_value(k[n * D + d]);
        p[n] = dot / std::sqrt((double)D);
        most = std::fmax(most, p[n]);
    }
    for (int d = 0; d < D; ++d) out[d] = 0;
    for (int64_t n = 0; n < seen; ++n) {
        const double w = std::exp(p[n] - most);
        sum += w;
        for (int d = 0; d < D; ++d) out[d] += w * tcp_f16_value(v[n * D + d]);
    }
    for (int d = 0; d < D; ++d) out[d] /= sum;
}

static int run(int64_t H, int64_t M, int64_t N, bool causal) {
    std::vector<tcp_f16> q(H * M * D), k(H * N * D), v(H * N * D), o(H * M * D);
    fill(q, 1);
    fill(k, 2);
    fill(v, 3);
    void *Q, *K, *V, *O;
    CHECK(tcp_alloc(&Q, 2 * q.size()));
    CHECK(tcp_alloc(&K, 2 * k.size()));
    CHECK(tcp_alloc(&V, 2 * v.size()));
    CHECK(tcp_alloc(&O, 2 * o.size()));
    CHECK(tcp_upload(Q, q.data(), 2 * q.size(), 0));
    CHECK(tcp_upload(K, k.data(), 2 * k.size(), 0));
    CHECK(tcp_upload(V, v.data(), 2 * v.size(), 0));
    CHECK((causal ? flash_attention_causal_launch : flash_attention_launch)(
        (const tcp_f16 *)Q, (const tcp_f16 *)K, (const tcp_f16 *)V, (tcp_f16 *)O, H, M, N, 0));
    CHECK(tcp_download(o.data(), O, 2 * o.size(), 0));
    CHECK(tcp_free(Q));
    CHECK(tcp_free(K));
    CHECK(tcp_free(V));
    CHECK(tcp_free(O));
    double wrong = 0, all = 0, want[D];
    for (int64_t h = 0; h < H; ++h) {
        for (int64_t m = 0; m < M; ++m) {
            const int64_t seen = causal && m + 1 < N ? m + 1 : N;
            attend(&q[(h * M + m) * D], &k[h * N * D], &v[h * N * D], seen, want);
            for (int d = 0; d < D; ++d) {
                const double off = tcp_f16_value(o[(h * M + m) * D + d]) - want[d];
                wrong += off * off;
                all += want[d] * want[d];
            }
        }
    }
    if (std::sqrt(wrong / all) < 2e-3) return 0;  // not for a NaN either
    std::printf("H = %lld, M = %lld, N = %lld%s: off by %g\n", (long long)H, (long long)M,
                (long long)N, causal ? ", causal" : "", std::sqrt(wrong / all));
    return 1;
}

int main() {
    static const int64_t sizes[][3] = {{1, 1, 1},   {1, 64, 64},   {2, 127, 129}, {3, 129, 63},
                                       {1, 5, 200}, {1, 200, 333}, {2, 300, 257}};
    int n = 0;
    for (const auto &x : sizes) {
        for (int causal = 0; causal < 2; ++causal, ++n)
            if (run(x[0], x[1], x[2], causal != 0)) return 1;
    }
    std::printf("flash_attention, D = %d: %d cases, all right\n", D, n);
    return 0;
}
