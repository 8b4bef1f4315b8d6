// Prepares, launches and breaks rules; prints what each call returns.
#include <stdio.h>

#include "plan.h"

static void say(const char *what, tcp_status status) {
    printf("%s: %d '%s'\n", what, (int)status, status ? tcp_last_error() : "");
}

enum { ROWS = 20, PITCH = 24, COLUMNS = 16, TILE = 32 };
static float from[ROWS * PITCH], to[TILE * COLUMNS];

static void launch(const char *what, const float *a, float *b, int rows, int pitch) {
    int wrong = 0;
    say(what, k_launch(a, b, rows, pitch / 4, nullptr));
    if (tcp_wait(nullptr) || tcp_download(to, b, sizeof to, nullptr)) return;
    for (int r = 0; r < TILE; ++r)
        for (int c = 0; c < COLUMNS; ++c)
            wrong += to[r * COLUMNS + c] != (r < rows ? from[r * pitch + c] : 0);
    printf("%d elements, %d wrong\n", TILE * COLUMNS, wrong);
}

int main() {
    void *at[2];
    for (int i = 0; i < ROWS * PITCH; ++i) from[i] = (float)(i + 1);
    if (tcp_alloc(&at[0], sizeof from) || tcp_alloc(&at[1], sizeof to) ||
        tcp_upload(at[0], from, sizeof from, nullptr))
        return 1;
    const float *const a = (const float *)at[0];
    float *const b = (float *)at[1];
    say("prepared", k_prepare(a, b, ROWS, PITCH / 4));
    launch("launched", a, b, ROWS, PITCH);
    launch("no rows", nullptr, b, 0, PITCH);
    say("far rows", k_prepare(a, b, 2, 100000000000));
    say("one far row", k_prepare(a, b, 1, 100000000000));
    say("odd", k_prepare(a + 1, b, ROWS, PITCH / 4));
    tcp_free(at[0]);
    tcp_free(at[1]);
}
