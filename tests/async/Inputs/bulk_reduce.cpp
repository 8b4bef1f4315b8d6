// Launches the kernels of bulk-reduce.tcp, and compares each element.
#include "tcp_runtime.h"
#include <stdio.h>
#include <stdlib.h>
TCP_EXTERN_C tcp_status sums_launch(const float *, float *, int64_t, tcp_stream);
TCP_EXTERN_C tcp_status least_launch(const void *, void *, tcp_stream);
TCP_EXTERN_C tcp_status most_launch(int32_t *, tcp_stream);
static void must(tcp_status s) {
    if (s) {
        printf("%s\n", tcp_last_error());
        exit(1);
    }
}
int main() {
    enum { K = 3, N = 4096 };
    static float v[K * N], w[N], got[N];
    void *V, *W, *H, *G, *T;
    for (int i = 0; i < K * N; ++i) v[i] = (float)(i * 7 % 101);
    for (int i = 0; i < N; ++i) w[i] = (float)i;
    must(tcp_alloc(&V, sizeof v));
    must(tcp_alloc(&W, sizeof w));
    must(tcp_upload(V, v, sizeof v, nullptr));
    must(tcp_upload(W, w, sizeof w, nullptr));
    must(sums_launch((float *)V, (float *)W, K, nullptr));
    must(tcp_wait(nullptr));
    must(tcp_download(got, W, sizeof got, nullptr));
    int bad = 0;
    for (int i = 0; i < N; ++i) {
        float x = w[i];
        for (int k = 0; k < K; ++k) x += v[k * N + i];
        bad += got[i] != x;
    }
    // small integers as f16: 0x6400 + i is 1024 + i
    static uint16_t h[N], g[N], low[N];
    for (int i = 0; i < N; ++i)
        h[i] = (uint16_t)(0x6400 + i * 13 % 1000), g[i] = (uint16_t)(0x6400 + i * 29 % 1000);
    must(tcp_alloc(&H, sizeof h));
    must(tcp_alloc(&G, sizeof g));
    must(tcp_upload(H, h, sizeof h, nullptr));
    must(tcp_upload(G, g, sizeof g, nullptr));
    must(least_launch(H, G, nullptr));
    must(tcp_wait(nullptr));
    must(tcp_download(low, G, sizeof low, nullptr));
    for (int i = 0; i < N; ++i) bad += low[i] != (h[i] < g[i] ? h[i] : g[i]);
    static int32_t t[N], high[N];
    for (int i = 0; i < N; ++i) t[i] = i % 20 - 6;
    must(tcp_alloc(&T, sizeof t));
    must(tcp_upload(T, t, sizeof t, nullptr));
    must(most_launch((int32_t *)T, nullptr));
    must(tcp_wait(nullptr));
    must(tcp_download(high, T, sizeof high, nullptr));
    for (int i = 0; i < N; ++i) bad += high[i] != (t[i] > 7 ? t[i] : 7);
    printf("%d wrong\n", bad);
    return bad != 0;
}
