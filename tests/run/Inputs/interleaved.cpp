// Launches the kernel of interleaved.tcp on parts of one matrix.
#include <stdio.h>

#include "host/tcp_host_run.h"

TCP_EXTERN_C tcp_status halves_launch(const float *A, float *B, int64_t M, int64_t ld,
                                      tcp_stream stream);

static void say(const char *what, tcp_status status) {
    printf("%s: %s\n", what, status == TCP_OK ? "ok" : tcp_last_error());
}

int main() {
    enum { M = 40, PITCH = 128 };
    void *memory = NULL;
    if (tcp_host_alloc(&memory, "both", 2 * M * PITCH * sizeof(float), 16, 64) != TCP_OK) return 1;
    float *both = (float *)memory;
    for (int i = 0; i < M * PITCH; ++i) both[i] = (float)i;
    const tcp_status status = halves_launch(both, both + 64, M, PITCH, NULL);
    bool right = true;
    for (int i = 0; i < M * PITCH; ++i) right &= both[i] == (float)(i / PITCH * PITCH + i % 64);
    printf("halves 128: %s, %s\n", status == TCP_OK ? "ok" : tcp_last_error(),
           right ? "right" : "wrong");
    say("left", halves_launch(both, both, M, PITCH, NULL));
    say("60 columns", halves_launch(both, both + 60, M, PITCH, NULL));
    say("twice the pitch", halves_launch(both, both + 64, M, 2 * PITCH, NULL));
    say("another pitch", halves_launch(both, both + 64, M, 132, NULL));
    say("no rows", halves_launch(both, both, 0, PITCH, NULL));
    return 0;
}
