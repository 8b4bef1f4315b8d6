// Launches the kernels of tma-reduce.tcp, and compares each element and the room behind each row.
#include "tcp_runtime.h"
#include <stdio.h>
#include <stdlib.h>
TCP_EXTERN_C tcp_status sums_launch(const float *, float *, int64_t, int64_t, int64_t, int64_t,
                                    tcp_stream);
TCP_EXTERN_C tcp_status least_launch(const void *, void *, int64_t, int64_t, int64_t, tcp_stream);
TCP_EXTERN_C tcp_status twice_launch(int32_t *, int64_t, int64_t, int64_t, tcp_stream);
TCP_EXTERN_C tcp_status most_launch(int32_t *, int64_t, int64_t, int64_t, tcp_stream);
enum { K = 3, M = 33, N = 104, P = 120, PLACES = (M - 1) * P + N };
static void must(tcp_status s) {
    if (s) {
        printf("%s\n", tcp_last_error());
        exit(1);
    }
}
template <typename T, size_t Size> static T *sent(const T (&from)[Size]) {
    void *at;
    must(tcp_alloc(&at, sizeof from));
    must(tcp_upload(at, from, sizeof from, nullptr));
    return (T *)at;
}
template <typename T, typename F> static int differ(const T (&old)[PLACES], const T *at, F joined) {
    static T got[PLACES];
    int bad = 0;
    must(tcp_wait(nullptr));
    must(tcp_download(got, at, sizeof got, nullptr));
    for (int i = 0; i < PLACES; ++i)
        bad += got[i] != (i % P < N ? joined(i / P, i % P, old[i]) : old[i]);
    return bad;
}
int main() {
    static float v[K * M * N], w[PLACES];
    for (int i = 0; i < K * M * N; ++i) v[i] = (float)(i * 7 % 101);
    for (int i = 0; i < PLACES; ++i) w[i] = (float)i;
    float *V = sent(v), *W = sent(w);
    must(sums_launch(V, W, K, M, N, P, nullptr));
    int bad = differ(w, W, [](int m, int n, float x) {
        for (int k = 0; k < K; ++k) x += v[(k * M + m) * N + n];
        return x;
    });
    // small integers as f16: 0x6400 + i is 1024 + i
    static uint16_t h[M * N], g[PLACES];
    for (int i = 0; i < M * N; ++i) h[i] = (uint16_t)(0x6400 + i * 13 % 1000);
    for (int i = 0; i < PLACES; ++i) g[i] = (uint16_t)(0x6400 + i * 29 % 1000);
    uint16_t *H = sent(h), *G = sent(g);
    must(least_launch(H, G, M, N, P, nullptr));
    bad +=
        differ(g, G, [](int m, int n, uint16_t x) { return h[m * N + n] < x ? h[m * N + n] : x; });
    static int32_t t[PLACES];
    for (int i = 0; i < PLACES; ++i) t[i] = i % 20 - 6;
    int32_t *T = sent(t);
    must(most_launch(T, M, N, P, nullptr));
    bad += differ(t, T, [](int, int, int32_t x) { return x > 7 ? x : 7; });
    static int32_t u[PLACES];
    for (int i = 0; i < PLACES; ++i) u[i] = i * 31 % 200 - 100;
    int32_t *U = sent(u);
    must(twice_launch(U, M, N, P, nullptr));
    bad += differ(u, U, [](int, int n, int32_t x) { return x + (n < 64 ? 18 : 0); });
    printf("%d wrong\n", bad);
    return bad != 0;
}
