// every_extent [--every N]: compiles copies of every extent from 1 to 4 tiles, by each width and
// policy of a copy of two modes; each compilation compares the Kernel IR with what the plan means.
// With N, each N-th extent.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "driver/compile.h"

struct width {
    int bits;
    const char *elem;
    int vec;  // elements
};
static const struct width widths[] = {
    {8, "u8", 1}, {16, "u16", 1}, {32, "f16", 2}, {64, "f32", 2}, {128, "f16", 8}};

enum { ROWS = 2, THREADS = 4, TILES = 4 };

// Compiles "text"; says what is wrong with it.
static bool compiles(const char *text) {
    struct session s;
    struct compiled made;
    char path[64];
    size_t len = strlen(text);
    int fd = memfd_create("plan", 0);
    if (fd < 0 || write(fd, text, len) != (ssize_t)len) {
        perror("memfd");
        exit(2);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    session_init(&s);
    bool ok = compile_plan(&s, path, &made) == 0;
    if (!ok) {
        diag_print(&s, stdout);
        printf("%s\n", text);
    }
    session_release(&s);
    close(fd);
    return ok;
}

// The kernels of a tensor of m by n, whose rows begin at multiples of 16 bytes; the tile is ROWS by
// 2 * w->vec, and a block's twice as many rows.
static void put_plan(struct buf *b, const struct width *w, const char *policy, int m, int n,
                     bool column_major) {
    int tn = 2 * w->vec, bm = 2 * ROWS, pitch = ((column_major ? m : n) + 63) / 64 * 64;
    char at[64];
    snprintf(at, sizeof at, column_major ? "(1,%d)" : "(%d,1)", pitch);
    buf_puts(b, "tcp 1;\n");
    for (int i = 0; i < 2; ++i)
        buf_printf(b, "tensor %c : %s global (%d,%d):%s align 16;\n", "AB"[i], w -> elem, m, n, at);
    int up = (m + bm - 1) / bm * bm, right = (n + tn - 1) / tn * tn;
    buf_printf(b, "tensor W : %s global row(%d,%d) align 16;\n", w->elem, up, right);
    buf_printf(b, "tiled_copy tc = tile(%s(%d), thr=(%d,2), val=(1,%d));\n", policy, w->bits, ROWS,
               w->vec);
    char tile[96], grid[64];
    snprintf(tile, sizeof tile, "(%d,%d), (block.x,block.y))", bm, tn);
    snprintf(grid, sizeof grid, "grid (%d,%d)", (m + bm - 1) / bm, (n + tn - 1) / tn);
    buf_printf(b,
               "kernel direct(A, out B) %s {\n  copy local_tile(A, %s -> local_tile(B, %s with "
               "tc;\n}\n",
               grid, tile, tile);
    buf_printf(b,
               "kernel by_shared(A, out B) %s {\n  shared s : %s row(%d,%d);\n"
               "  copy local_tile(A, %s -> s with tc;\n  copy s -> local_tile(B, %s with tc;\n}\n",
               grid, w->elem, bm, tn, tile, tile);
    buf_printf(b,
               "kernel padded(A, out W) %s {\n  shared s : %s row(%d,%d);\n"
               "  copy local_tile(A, %s -> s with tc pad 3;\n"
               "  copy s -> local_tile(W, %s with tc;\n}\n",
               grid, w->elem, bm, tn, tile, tile);
    buf_printf(b,
               "kernel by_registers(A, out W) grid (%d) threads 7 {\n"
               "  for j in 0 .. %d {\n    frag r : %s like tc;\n"
               "    copy local_tile(A, (%d,%d), (block.x,j)) -> r with tc pad 1;\n"
               "    copy r -> local_tile(W, (%d,%d), (block.x,j)) with tc;\n  }\n}\n",
               (m + bm - 1) / bm, (n + tn - 1) / tn, w->elem, bm, tn, bm, tn);
}

// What needs no exact width: tiles that no block has wholly, and a thread's own views.
static void put_loose(struct buf *b, const struct width *w) {
    buf_puts(b, "kernel at_once(A, out B) { copy A -> B with tc; }\n");
    buf_printf(b,
               "kernel by_threads(A, out B) threads %d {\n  copy local_partition(A, (2,2), tid) -> "
               "local_partition(B, (2,2), tid) with auto(%d);\n}\n",
               THREADS, w->bits);
}

int main(int argc, char **argv) {
    int every = argc == 3 && strcmp(argv[1], "--every") == 0 ? atoi(argv[2]) : 1;
    long count = 0, made = 0, failed = 0;
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
        const struct width *w = &widths[i];
        int tn = 2 * w->vec;
        for (int m = 1; m <= TILES * ROWS; ++m) {
            for (int n = 1; n <= TILES * tn; ++n) {
                for (int major = 0; major < 2; ++major) {
                    if (count++ % every) continue;
                    // exact accesses need whole tiles, or an extent that they divide
                    bool exact = !major && (n % w->vec == 0 || (m >= 2 * ROWS && n >= tn));
                    buf_clear(&b);
                    put_plan(&b, w, exact ? "universal" : "auto", m, n, major);
                    if (!exact) put_loose(&b, w);
                    ++made;
                    failed += !compiles(b.text);
                    if (failed >= 5) goto end;
                }
            }
        }
    }
end:
    buf_release(&b);
    printf("%ld plans of every extent, %ld failed\n", made, failed);
    return failed != 0;
}
