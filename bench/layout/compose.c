// How many compositions of nested rank-3 layouts a second the library makes on one core, and that
// its memory goes back to its mark.
//
// usage: bench_layout [SECONDS] [FILE]   FILE gets the pairs as "A | B", for
// bench/layout/pycute_compose.py
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout/lay.h"

struct memory {
    char *base;
    size_t used, size;
};

static void *take(void *user, size_t bytes) {
    struct memory *m = user;
    size_t at = (m->used + 15) & ~(size_t)15;
    if (at + bytes > m->size) abort();
    m->used = at + bytes;
    return m->base + at;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Nested layouts of rank 3 and the compositions that are made of them.
static const char *const left[] = {
    "((4,8),(2,4),8):((1,64),(4,8),512)",
    "((2,4),(4,2),(8,8)):((32,1),(4,16),(64,512))",
    "((8,2),4,(4,4)):((1,256),8,(32,512))",
    "(16,(4,4),(2,8)):(1,(16,64),(256,512))",
};
static const char *const right[] = {
    "((2,4),(2,4),4):((1,2),(8,16),64)",
    "((4,2),(2,4),8):((8,1),(2,32),128)",
    "(8,(4,2),(2,2)):(1,(8,32),(64,128))",
    "((2,2,2),4,(2,8)):((1,2,4),8,(32,64))",
};
enum { N = 4 };

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    struct memory m = {malloc(1 << 20), 0, 1 << 20};
    struct lay_ctx ctx;
    lay_init(&ctx, take, &m);
    struct lay a[N], b[N];
    FILE *pairs = argc > 2 ? fopen(argv[2], "w") : NULL;
    for (int i = 0; i < N; ++i) {
        a[i] = lay_parse(&ctx, left[i]);
        b[i] = lay_parse(&ctx, right[i]);
    }
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            struct lay r = lay_compose(&ctx, a[i], b[j]);
            if (!r.shape) {
                fprintf(stderr, "%s\n", ctx.error);
                return 1;
            }
            if (pairs) fprintf(pairs, "%s | %s | %s\n", left[i], right[j], lay_text(&ctx, r));
        }
    if (pairs) fclose(pairs);
    size_t mark = m.used, most = 0;
    long count = 0;
    double start = now(), end;
    do {
        for (int k = 0; k < 64; ++k)
            for (int i = 0; i < N; ++i)
                for (int j = 0; j < N; ++j) {
                    if (!lay_compose(&ctx, a[i], b[j]).shape) return 1;
                    most = m.used > most ? m.used : most;
                    m.used = mark;
                }
        count += 64 * N * N;
        end = now();
    } while (end - start < seconds);
    printf("tcpc    %10.0f compositions/s  (%ld in %.2f s; %zu bytes at most for one, then back to "
           "the mark)\n",
           (double)count / (end - start), count, end - start, most - mark);
    free(m.base);
    return m.used != mark;
}
