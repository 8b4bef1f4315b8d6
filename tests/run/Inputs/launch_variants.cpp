// Launches the kernels of launch-variants.tcp with arguments of every alignment.
#include <stdio.h>
#include <string.h>

#include "host/tcp_host_run.h"

TCP_EXTERN_C int rows_variant(const tcp_f16 *A, tcp_f16 *B, int64_t p);
TCP_EXTERN_C tcp_status rows_launch(const tcp_f16 *A, tcp_f16 *B, int64_t p, tcp_stream stream);
TCP_EXTERN_C tcp_status promised_launch(const tcp_f16 *C, tcp_f16 *B, int64_t q, tcp_stream stream);

static tcp_f16 *alloc(const char *name, int64_t elements, size_t align) {
    void *p = NULL;
    if (tcp_host_alloc(&p, name, (size_t)elements * sizeof(tcp_f16), align, 64) != TCP_OK)
        return NULL;
    memset(p, 0, (size_t)elements * sizeof(tcp_f16));
    return (tcp_f16 *)p;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

int main() {
    const int64_t stride[] = {64, 68, 66, 65};
    int launches = 0, taken[129] = {0};
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
            for (int k = 0; k < 4; ++k) {
                const int64_t p = stride[k], count = 15 * p + 64;
                tcp_f16 *A = alloc("A", count, 16u >> a), *B = alloc("B", 16 * 64, 16u >> b);
                if (!A || !B) return 1;
                for (int64_t i = 0; i < count; ++i) A[i].bits = (uint16_t)(i + 1);
                const int want = least(128 >> a, least(128 >> b, 128 >> k)),
                          bits = rows_variant(A, B, p);
                if (bits != want) printf("variant %d, not %d\n", bits, want);
                if (rows_launch(A, B, p, NULL) != TCP_OK) printf("%s\n", tcp_last_error());
                for (int64_t i = 0; i < 16 * 64; ++i) {
                    if (B[i].bits != A[i / 64 * p + i % 64].bits) {
                        printf("element %d of B is wrong\n", (int)i);
                        break;
                    }
                }
                ++launches;
                ++taken[bits];
                tcp_free(A);
                tcp_free(B);
            }
        }
    }
    printf("%d launches: %d 128-bit, %d 64-bit, %d 32-bit, %d 16-bit\n", launches, taken[128],
           taken[64], taken[32], taken[16]);
    tcp_f16 *C = alloc("C", 4096, 16), *D = alloc("B", 16 * 64, 2);
    printf("%s\n", tcp_status_text(promised_launch(C + 4, D, 64, NULL)));
    printf("%s\n", tcp_last_error());
    printf("%s\n", tcp_status_text(promised_launch(C, D, 68, NULL)));
    printf("%s\n", tcp_last_error());
    printf("%s\n", tcp_status_text(promised_launch(C, D, 4104, NULL)));
    printf("%s\n", tcp_last_error());
    printf("%s\n", tcp_status_text(promised_launch(C, D, 64, NULL)));
    return 0;
}
