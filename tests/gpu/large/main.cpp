// Runs the kernels of large.tcp and asks of each byte whether it arrived.
#include <stdio.h>

#include "tcp_runtime.h"

TCP_EXTERN_C tcp_status by_blocks_launch(const uint8_t *A, uint8_t *B, tcp_stream stream);
TCP_EXTERN_C tcp_status by_steps_launch(const uint8_t *A, uint8_t *B, tcp_stream stream);
TCP_EXTERN_C tcp_status by_rows_launch(const uint8_t *C, uint8_t *D, tcp_stream stream);
TCP_EXTERN_C tcp_status at_run_time_launch(const uint8_t *E, uint8_t *F, int64_t M, int64_t ld,
                                           tcp_stream stream);
TCP_EXTERN_C int at_run_time_variant(const uint8_t *E, uint8_t *F, int64_t M, int64_t ld);
void large_fill(uint8_t *a, int64_t n);
void large_count_wrong(const uint8_t *b, int64_t n, unsigned long long *wrong);

static const int64_t N = 5000000000;
static int failed;

static void check(const char *name, tcp_status status, const uint8_t *b, int64_t n,
                  unsigned long long *counter) {
    unsigned long long wrong = 0;
    if (status != TCP_OK) {
        printf("%s: %s\n", name, tcp_last_error());
    } else {
        large_count_wrong(b, n, counter);
        status = tcp_download(&wrong, counter, sizeof wrong, NULL);
        if (status != TCP_OK) printf("%s: %s\n", name, tcp_status_text(status));
    }
    bool ok = status == TCP_OK && wrong == 0;
    printf("%s: %s, %llu of %lld bytes wrong\n", name, ok ? "ok" : "FAILED", wrong, (long long)n);
    failed += !ok;
}

int main() {
    void *a = NULL, *b = NULL, *counter = NULL;
    if (tcp_alloc(&a, (size_t)N + 16) != TCP_OK || tcp_alloc(&b, (size_t)N + 16) != TCP_OK ||
        tcp_alloc(&counter, sizeof(unsigned long long)) != TCP_OK) {
        printf("memory for 2 x %lld bytes is out\n", (long long)N);
        return 1;
    }
    uint8_t *A = (uint8_t *)a, *B = (uint8_t *)b;
    unsigned long long *wrong = (unsigned long long *)counter;
    const struct {
        const char *name;
        tcp_status (*launch)(const uint8_t *, uint8_t *, tcp_stream);
    } fixed[] = {{"by_blocks", by_blocks_launch},
                 {"by_steps", by_steps_launch},
                 {"by_rows", by_rows_launch}};
    large_fill(A, N);
    for (const auto &k : fixed) {
        tcp_memset(B, 0xff, (size_t)N, NULL);
        tcp_memset(counter, 0, sizeof(unsigned long long), NULL);
        check(k.name, k.launch(A, B, NULL), B, N, wrong);
    }
    // each variant: by the tensors' addresses, and by a stride
    const int past[] = {0, 8, 4, 2, 1};
    for (int i = 0; i < 5; ++i) {
        const int want = i == 0 ? 128 : 8 * past[i];
        const int64_t M = N / 2;
        large_fill(A + past[i], N);
        tcp_memset(B, 0xff, (size_t)N + 16, NULL);
        tcp_memset(counter, 0, sizeof(unsigned long long), NULL);
        const int bits = at_run_time_variant(A + past[i], B + past[i], M, M);
        if (bits != want) {
            printf("at_run_time: variant %d, not %d\n", bits, want);
            ++failed;
        }
        check("at_run_time", at_run_time_launch(A + past[i], B + past[i], M, M, NULL), B + past[i],
              N, wrong);
    }
    return failed != 0;
}
