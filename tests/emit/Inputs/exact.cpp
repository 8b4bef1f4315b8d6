// Calls the launchers of exact.tcp with params whose products are beyond 64 bits, and prints what
// they return.
#include <stdio.h>

#include "tcp_runtime.h"

TCP_EXTERN_C tcp_status bytes_launch(const float *A, float *B, int64_t M, int64_t N,
                                     tcp_stream stream);
TCP_EXTERN_C tcp_status relation_launch(const float *A, float *B, int64_t M, int64_t N, int64_t ld,
                                        tcp_stream stream);
TCP_EXTERN_C tcp_status blocks_launch(const float *A, float *B, int64_t M, int64_t N,
                                      tcp_stream stream);

static void show(const char *what, tcp_status status) {
    printf("%s: %d '%s'\n", what, status, status == TCP_OK ? "" : tcp_last_error());
}

int main() {
    void *from, *to;
    if (tcp_alloc(&from, 256) || tcp_alloc(&to, 256)) return 1;
    const float *a = (const float *)from;
    float *b = (float *)to;
    const int64_t huge = (int64_t)1 << 40;
    show("bytes", bytes_launch(a, b, 8, 8, nullptr));
    show("bytes", bytes_launch(a, b, huge, huge, nullptr));
    show("relation", relation_launch(a, b, huge, huge, huge, nullptr));
    show("blocks", blocks_launch(a, b, huge, huge, nullptr));
    return tcp_free(from) || tcp_free(to);
}
