// every_extent [--every N]: compiles copies of every extent from 1 to 4 tiles, by each width and
// policy of a copy of two modes, and by asynchronous copies that fill with zeros; each compilation
// compares the Kernel IR with what the plan means, and must find what is wrong where an
// asynchronous copy reads an element more or less than is there.  With N, each N-th extent.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "check/verify.h"
#include "compile/compile.h"
#include "in_process.h"
#include "kernel/kernel_ir.h"

struct width {
    int bits;
    const char *elem;
    int vec;            // elements
    const char *async;  // an atom for as many bytes or more
    int async_vec;
};
static const struct width widths[] = {{8, "u8", 1, "cp_async.ca(16)", 16},
                                      {16, "u16", 1, "cp_async.ca(8)", 4},
                                      {32, "f16", 2, "cp_async.ca(4)", 2},
                                      {64, "f32", 2, "cp_async.ca(8)", 2},
                                      {128, "f16", 8, "cp_async.cg(16)", 8}};

enum { ROWS = 2, THREADS = 4, TILES = 4, SPOILT = 5 };  // each fifth plan is spoilt

static long spoilt, unnoticed;

// Whether the compiler's own check refuses "made" as it is now, in a process of its own.
static bool is_noticed(struct session *s, const struct compiled *made) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        if (!freopen("/dev/null", "w", stderr)) _exit(0);
        _exit(!verify_kernels(s, made->plan, made->kir));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status != 0;
}

// Lets each asynchronous copy that an edge may cut read one element less, and one more.
static void spoil(struct session *s, const struct compiled *made, struct kir_node *list,
                  const char *text) {
    for (struct kir_node *n = list; n; n = n->next) {
        spoil(s, made, n->body, text);
        spoil(s, made, n->orelse, text);
        const struct kir_cond *right = n->cut;
        for (int by = -1; right && by <= 1; by += 2) {
            struct kir_cond wrong = {right->a, ix_add(s, right->b, ix_int(s, by))};
            n->cut = &wrong;
            ++spoilt;
            if (!is_noticed(s, made) && ++unnoticed)
                printf("%+d elements unnoticed in\n%s\n", by, text);
        }
        n->cut = right;
    }
}

// Compiles "text"; says what is wrong with it.  "spoils": and with the compiler's check of it.
static bool compiles(const char *text, bool spoils) {
    struct session s;
    struct compiled made;
    char path[PLAN_PATH];
    int fd = plan_file(text, path);
    session_init(&s);
    bool ok = compile_product(&s, path, PRODUCT_CUDA, &made) == 0;
    if (!ok) {
        diag_print(&s, stdout);
        printf("%s\n", text);
    }
    for (struct kir_kernel *k = ok && spoils ? made.kir->kernels : NULL; k; k = k->next)
        spoil(&s, &made, k->body, text);
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

// A copy whose accesses have their width also where an edge cuts them.
static void put_filled(struct buf *b, const struct width *w, int m, int n) {
    int tn = 2 * w->async_vec, bm = 2 * ROWS, gm = (m + bm - 1) / bm, gn = (n + tn - 1) / tn;
    buf_printf(b, "tensor F : %s global row(%d,%d) align 16;\n", w->elem, gm * bm, gn * tn);
    buf_printf(b, "tiled_copy filling = tile(%s, thr=(%d,2), val=(1,%d));\n", w->async, ROWS,
               w->async_vec);
    buf_printf(b,
               "kernel filled(A, out F) grid (%d,%d) {\n  shared s : %s row(%d,%d);\n"
               "  copy local_tile(A, (%d,%d), (block.x,block.y)) -> s with filling pad 0;\n"
               "  copy s -> local_tile(F, (%d,%d), (block.x,block.y)) with tc;\n}\n",
               gm, gn, w->elem, bm, tn, bm, tn, bm, tn);
}

// The same where extents are params.
static void put_params(struct buf *b, const struct width *w) {
    int tn = 2 * w->async_vec, bm = 2 * ROWS;
    buf_printf(b,
               "tcp 1;\nparam M : index;\nparam N : index;\nparam ld : index %% 16 where ld >= N;\n"
               "tensor A : %s global (M,N):(ld,1) align 16;\n"
               "tensor F : %s global row(%d*ceil_div(M,%d),%d*ceil_div(N,%d)) align 16;\n"
               "tiled_copy filling = tile(%s, thr=(%d,2), val=(1,%d));\n"
               "tiled_copy back = tile(auto(%d), thr=(%d,2), val=(1,%d));\n"
               "kernel filled(A, out F) grid (ceil_div(M,%d),ceil_div(N,%d)) {\n"
               "  shared s : %s row(%d,%d);\n"
               "  copy local_tile(A, (%d,%d), (block.x,block.y)) -> s with filling pad 0;\n"
               "  copy s -> local_tile(F, (%d,%d), (block.x,block.y)) with back;\n}\n",
               w->elem, w->elem, bm, bm, tn, tn, w->async, ROWS, w->async_vec, w->bits, ROWS,
               w->vec, bm, tn, w->elem, bm, tn, bm, tn, bm, tn);
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
        buf_clear(&b);
        put_params(&b, w);
        failed += !compiles(b.text, true);
        for (int m = 1; m <= TILES * ROWS; ++m) {
            for (int n = 1; n <= TILES * tn; ++n) {
                for (int major = 0; major < 2; ++major) {
                    if (count++ % every) continue;
                    // exact accesses need whole tiles, or an extent that they divide
                    bool exact = !major && (n % w->vec == 0 || (m >= 2 * ROWS && n >= tn));
                    buf_clear(&b);
                    put_plan(&b, w, exact ? "universal" : "auto", m, n, major);
                    if (!exact) put_loose(&b, w);
                    if (!major) put_filled(&b, w, m, n);
                    failed += !compiles(b.text, made++ % SPOILT == 0);
                    if (failed >= 5) goto end;
                }
            }
        }
    }
end:
    buf_release(&b);
    printf("%ld plans of every extent, %ld failed; %ld sizes spoilt, %ld of them unnoticed\n", made,
           failed, spoilt, unnoticed);
    return failed || unnoticed || !spoilt;
}
