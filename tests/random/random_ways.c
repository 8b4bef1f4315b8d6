// random_ways [--first SEED] [--ways N] [--misses N]: random partitions, each written three times,
// as an index map, as a TV layout and as a chain of layout algebra; the kernels must be equivalent,
// and their Kernel IR the same but for names. Then the partition is changed a little: the kernels
// must be told apart, and the element and the threads that are named must be right.  Partitions of
// what a warp has are written four times, index maps that are no layout too: they must move what a
// loop over the same expressions moves.  All in this process.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "check/equivalent.h"
#include "compile/compile.h"
#include "in_process.h"
#include "kernel/kernel_ir.h"
#include "plan/plan.h"

// A tile of (thr m * val m, thr n * val n) elements; "by_row": threads are numbered along n first.
struct way {
    int thr[2], val[2];
    bool by_row;
};

static uint64_t state;

static int below(int n) {
    return (int)chance_below(&state, n);
}

static struct way draw(void) {
    static const int thr[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16}, val[] = {1, 2, 3, 4, 5, 6, 8};
    struct way w = {{thr[below(10)], thr[below(10)]}, {val[below(7)], val[below(7)]}, below(2)};
    return w;
}

static int threads(const struct way *w) {
    return w->thr[0] * w->thr[1];
}

// The thread that has element (m,n).
static int owner(const struct way *w, int m, int n) {
    int a = m / w->val[0], b = n / w->val[1];
    return w->by_row ? a * w->thr[1] + b : a + w->thr[0] * b;
}

// -- as plans -------------------------------------------------------------------------------------

static void put_map(struct buf *b, const char *name, const struct way *w) {
    const char *fast = w->by_row ? "t / %d * %d + v %% %d" : "t %% %d * %d + v %% %d";
    const char *slow = w->by_row ? "t %% %d * %d + v / %d" : "t / %d * %d + v / %d";
    int split = w->by_row ? w->thr[1] : w->thr[0];
    buf_printf(b, "tiled_copy %s = tile(auto(128), map=(t:%d, v:%d) -> (", name, threads(w),
               w->val[0] * w->val[1]);
    buf_printf(b, fast, split, w->val[0], w->val[0]);
    buf_puts(b, ", ");
    buf_printf(b, slow, split, w->val[1], w->val[0]);
    buf_puts(b, "));\n");
}

static void put_tv(struct buf *b, const char *name, const struct way *w) {
    int m = w->thr[0] * w->val[0], step[2] = {w->val[0], m * w->val[1]}, i = w->by_row,
        j = !w->by_row;
    buf_printf(
        b,
        "tiled_copy %s = tile(auto(128), tv=((%d,%d),(%d,%d)):((%d,%d),(1,%d)), tile=(%d,%d));\n",
        name, w->thr[i], w->thr[j], w->val[0], w->val[1], step[i], step[j], m, m,
        w->thr[1] * w->val[1]);
}

static void put_chain(struct buf *b, const char *kernel, const struct way *w) {
    buf_printf(b, "kernel %s(src, out dst) grid (1) threads %d {\n", kernel, threads(w));
    for (int side = 0; side < 2; ++side) {
        buf_printf(b, "  let %s = group_modes(select(flat_divide(%s, (%d,%d)), %s), 2, 4);\n",
                   side ? "to" : "from", side ? "dst" : "src", w->val[0], w->val[1],
                   w->by_row ? "(0,1,3,2)" : "(0,1,2,3)");
    }
    buf_puts(b, "  copy from(_,_,tid) -> to(_,_,tid) with auto(128);\n}\n");
}

static void put_tiled(struct buf *b, const char *kernel, const char *tc, const struct way *w) {
    buf_printf(b, "kernel %s(src, out dst) grid (1) threads %d { copy src -> dst with %s; }\n",
               kernel, threads(w), tc);
}

static void put_tensors(struct buf *b, const struct way *w) {
    static const char *const names[] = {"src", "dst"};
    int m = w->thr[0] * w->val[0], n = w->thr[1] * w->val[1];
    buf_puts(b, "tcp 1;\n");
    for (int i = 0; i < 2; ++i) {
        int pad = below(3);
        if (below(2))
            buf_printf(b, "tensor %s : f32 global (%d,%d):(1,%d);\n", names[i], m, n, m + pad);
        else
            buf_printf(b, "tensor %s : f32 global (%d,%d):(%d,1);\n", names[i], m, n, n + pad);
    }
}

// -- in process -----------------------------------------------------------------------------------

static bool compile(struct session *s, const char *text, struct compiled *made) {
    char path[PLAN_PATH];
    int fd = plan_file(text, path);
    compile_begin(made, s, path);
    bool ok = steps_until(made, STEP_EQUIVALENT) == 0;
    close(fd);
    if (ok) return true;
    printf("%s", text);
    diag_print(s, stdout);
    return false;
}

static const char *differ(struct session *s, const struct compiled *c, const char *a,
                          const char *b) {
    int64_t left = equivalent_steps(s);
    const char *open, *why = kernels_differ(s, c->plan, c->kir, plan_find_kernel(c->plan, a),
                                            plan_find_kernel(c->plan, b), &left, &open);
    return why ? why : open;
}

// The Kernel IR of "name" without its head and comments.
static char *body_of(struct session *s, const struct compiled *c, const char *name) {
    struct buf all, body;
    buf_init(&all);
    buf_init(&body);
    for (const struct kir_kernel *x = c->kir->kernels; x; x = x->next) {
        if (strcmp(x->name, name) != 0) continue;
        struct kir_kernel alone = *x;
        alone.next = NULL;
        struct kir only = {.kernels = &alone};
        kir_print(s, &only, &all);
    }
    for (char *line = all.text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        const char *first = line + strspn(line, " ");
        if (*first != ';' && first != line) buf_write(&body, line, (size_t)(next - line));
    }
    buf_release(&all);
    return buf_finish(&body, &s->arena);
}

static bool check_same(void) {
    struct way w = draw();
    struct session s;
    struct buf b;
    struct compiled made;
    session_init(&s);
    s.diags.off_all = true;
    buf_init(&b);
    put_tensors(&b, &w);
    put_map(&b, "m", &w);
    put_tv(&b, "l", &w);
    put_tiled(&b, "by_map", "m", &w);
    put_tiled(&b, "by_tv", "l", &w);
    put_chain(&b, "by_chain", &w);
    bool ok = compile(&s, b.text, &made);
    for (int i = 0; ok && i < 2; ++i) {
        const char *other = i ? "by_chain" : "by_tv", *why = differ(&s, &made, "by_map", other);
        if (!why && strcmp(body_of(&s, &made, "by_map"), body_of(&s, &made, other)) != 0)
            why = "other Kernel IR";
        if (!why) continue;
        printf("%sby_map and another are not the same: %s\n", b.text, why);
        ok = false;
    }
    buf_release(&b);
    session_release(&s);
    return ok;
}

// -- maps that are no layout ----------------------------------------------------------------------

// The elements of "w", turned along one mode by what the other one is; by "t" and "v".
static void turned(struct buf *b, const struct way *w, const char *t, int along, int by, int per) {
    char mode[2][160];
    int i = w->by_row, split = w->thr[i];
    snprintf(mode[i], sizeof mode[i], "(%s %% %d * %d + %s)", t, split, w->val[i],
             i ? "v / VAL0" : "v % VAL0");
    snprintf(mode[!i], sizeof mode[!i], "(%s / %d * %d + %s)", t, split, w->val[!i],
             i ? "v % VAL0" : "v / VAL0");
    buf_puts(b, "(");
    for (int k = 0; k < 2; ++k) {
        if (k) buf_puts(b, ", ");
        if (k == along)
            buf_printf(b, "(%s + %s / %d * %d) %% %d", mode[k], mode[!k], per, by,
                       w->thr[k] * w->val[k]);
        else
            buf_puts(b, mode[k]);
    }
    buf_puts(b, ")");
}

static bool check_turned(void) {
    static const int steps[] = {1, 2, 3, 4, 8};
    struct way w = draw();
    int along = below(2), by = steps[below(5)], per = 1 + below(2);
    struct session s;
    struct buf b;
    struct compiled made;
    session_init(&s);
    s.diags.off_all = true;
    buf_init(&b);
    put_tensors(&b, &w);
    buf_printf(&b, "const VAL0 = %d;\n", w.val[0]);
    int values = w.val[0] * w.val[1], extra = 32 * below(2);
    if (threads(&w) + extra > 1024) extra = 0;
    for (int i = 0; i < (extra ? 3 : 4); ++i) {  // the loop is of all threads
        static const char *const kernel[] = {"by_map", "named", "frags", "loop"};
        if (i == 1) {
            buf_printf(&b, "tiled_copy m = tile(auto(128), map=(t:%d, v:%d) -> ", threads(&w),
                       values);
            turned(&b, &w, "t", along, by, per);
            buf_puts(&b, ");\n");
        }
        buf_printf(&b, "kernel %s(src, out dst) grid (1) threads %d {\n", kernel[i],
                   threads(&w) + extra);
        if (i == 0) {
            buf_printf(&b, "  copy src -> dst by (t:%d, v:%d) -> ", threads(&w), values);
            turned(&b, &w, "t", along, by, per);
            buf_puts(&b, ";\n}\n");
        } else if (i == 3) {
            for (int side = 0; side < 2; ++side) {
                if (!side) buf_printf(&b, "  for v in 0 .. %d {\n    copy ", values);
                buf_puts(&b, side ? " -> dst" : "src");
                turned(&b, &w, "tid", along, by, per);
            }
            buf_puts(&b, " with auto(32);\n  }\n}\n");
        } else {
            buf_puts(&b, i == 1 ? "  copy src -> dst with m;\n}\n"
                                : "  frag r : f32 like m;\n  copy src -> r with m;\n"
                                  "  copy r -> dst with m;\n}\n");
        }
    }
    bool ok = compile(&s, b.text, &made);
    for (int i = 0; ok && i < (extra ? 2 : 3); ++i) {
        const char *other = i == 0 ? "named" : i == 1 ? "frags" : "loop";
        const char *why = differ(&s, &made, "by_map", other);
        if (!why) continue;
        printf("%sby_map and %s are not the same: %s\n", b.text, other, why);
        ok = false;
    }
    buf_release(&b);
    session_release(&s);
    return ok;
}

// -- by warps -------------------------------------------------------------------------------------

// Each warp copies its (m,n) of the (warps * m, n) elements: as a tiled copy of what is a warp's,
// through fragments, by its partitions, and by a layout of (thread, value) sliced by lane.
static void put_warps(struct buf *b, const struct way *w, int warps) {
    static const char *const names[] = {"src", "dst"};
    int m = w->thr[0] * w->val[0], n = w->thr[1] * w->val[1], along = below(2), swizzle = below(2);
    int rows = along ? m : m * warps, columns = along ? n * warps : n;
    buf_puts(b, "tcp 1;\n");
    for (int i = 0; i < 2; ++i) {
        int pad = below(3);
        if (swizzle && i)
            buf_printf(b, "tensor dst : f32 global Sw<2,%d,3> o 0 o (%d,%d);\n", below(3), rows,
                       columns);
        else if (below(2))
            buf_printf(b, "tensor %s : f32 global (%d,%d):(1,%d);\n", names[i], rows, columns,
                       rows + pad);
        else
            buf_printf(b, "tensor %s : f32 global (%d,%d):(%d,1);\n", names[i], rows, columns,
                       columns + pad);
    }
    put_tv(b, "l", w);
    const char *at = along ? "(0,warp)" : "(warp,0)";
    static const char *const kernel[] = {"tiled", "frags", "parts", "sliced", "shared_too"};
    for (int i = 0; i < 5; ++i) {
        if (i == 3 && threads(w) != 32) continue;
        buf_printf(b, "kernel %s(src, out dst) grid (1) threads %d {\n", kernel[i], 32 * warps);
        buf_printf(b, "  let a = local_tile(src, (%d,%d), %s);\n", m, n, at);
        buf_printf(b, "  let b = local_tile(dst, (%d,%d), %s);\n", m, n, at);
        if (i == 0) buf_puts(b, "  copy a -> b with l;\n");
        if (i == 1)
            buf_puts(b, "  frag r : f32 like l;\n  copy a -> r with l;\n  copy r -> b with l;\n");
        if (i == 2) buf_puts(b, "  copy partition_src(l, a) -> partition_dst(l, b) with l;\n");
        if (i == 3)
            buf_puts(b, "  copy (a o tv(l))(lane,_) -> (b o tv(l))(lane,_) with auto(128);\n");
        if (i == 4) {
            // another warp reads it than wrote it
            buf_printf(b, "  shared s : f32 (%d,%d,%d);\n  copy a -> s(_,_,warp) with l;\n", m, n,
                       warps);
            buf_printf(b, "  copy s(_,_,%d - warp) -> local_tile(dst, (%d,%d), ", warps - 1, m, n);
            buf_printf(b, along ? "(0,%d - warp)) with l;\n" : "(%d - warp,0)) with l;\n",
                       warps - 1);
        }
        buf_puts(b, "}\n");
    }
}

static bool check_warps(void) {
    struct way w = draw();
    while (threads(&w) > 32) w = draw();
    int warps = 1 + below(5);
    struct session s;
    struct buf b;
    struct compiled made;
    session_init(&s);
    s.diags.off_all = true;
    buf_init(&b);
    put_warps(&b, &w, warps);
    bool ok = compile(&s, b.text, &made);
    for (int i = 0; ok && i < 3; ++i) {
        const char *other = i == 0 ? "frags" : i == 1 ? "parts" : "sliced", *why = NULL;
        if (i == 2 && threads(&w) != 32) break;
        why = differ(&s, &made, "tiled", other);
        if (!why) continue;
        printf("%stiled and %s are not the same: %s\n", b.text, other, why);
        ok = false;
    }
    buf_release(&b);
    session_release(&s);
    return ok;
}

// The named element must have the named owners in the two partitions.
static bool true_witness(const char *why, const struct way *a, const struct way *b) {
    long long m, n, one, two;
    const char *at = strstr(why, "at ("), *by = strstr(why, "written by thread "),
               *other = by ? strstr(by, "by thread ") : NULL;
    if (!at || !by || !other) return false;
    other = strstr(other + 3, "by thread ");
    if (!other || sscanf(at, "at (%lld,%lld)", &m, &n) != 2 ||
        sscanf(by, "written by thread %lld", &one) != 1 ||
        sscanf(other, "by thread %lld", &two) != 1) {
        return false;
    }
    return owner(a, (int)m, (int)n) == one && owner(b, (int)m, (int)n) == two && one != two;
}

// 1: told apart; 0: the change changes nothing; -1: wrong.
static int check_miss(void) {
    struct way w = draw(), x = w;
    int i = below(2);
    switch (below(3)) {  // one number or one order
    case 0: x.by_row = !x.by_row; break;
    case 1:  // a factor goes from the values of a mode to its threads, and back in the other mode
        if (w.val[i] % 2 || w.thr[!i] % 2) return 0;
        x.thr[i] *= 2;
        x.val[i] /= 2;
        x.thr[!i] /= 2;
        x.val[!i] *= 2;
        break;
    default:
        x.thr[0] = w.thr[1];
        x.thr[1] = w.thr[0];
        x.val[0] = w.val[1];
        x.val[1] = w.val[0];
        if (x.thr[0] * x.val[0] != w.thr[0] * w.val[0] ||
            x.thr[1] * x.val[1] != w.thr[1] * w.val[1])
            return 0;
    }
    bool different = false;
    for (int m = 0; m < w.thr[0] * w.val[0]; ++m) {
        for (int n = 0; n < w.thr[1] * w.val[1]; ++n)
            different |= owner(&w, m, n) != owner(&x, m, n);
    }
    struct session s;
    struct buf b;
    struct compiled made;
    session_init(&s);
    s.diags.off_all = true;
    buf_init(&b);
    put_tensors(&b, &w);
    put_map(&b, "m", &w);
    put_tiled(&b, "one", "m", &w);
    put_chain(&b, "two", &x);
    int found = compile(&s, b.text, &made) ? 0 : -1;
    const char *why = found == 0 ? differ(&s, &made, "one", "two") : NULL;
    if (found == 0 && (why != NULL) != different) found = -1;
    if (found == 0 && why) found = true_witness(why, &w, &x) ? 1 : -1;
    if (found < 0)
        printf("%s%s, but the partitions are %s\n", b.text, why ? why : "equivalent",
               different ? "different" : "the same");
    buf_release(&b);
    session_release(&s);
    return found;
}

int main(int argc, char **argv) {
    long first = 1, ways = 10000, misses = 1000;
    for (int i = 1; i + 1 < argc; i += 2) {
        long *to = strcmp(argv[i], "--first") == 0  ? &first
                   : strcmp(argv[i], "--ways") == 0 ? &ways
                                                    : &misses;
        *to = atol(argv[i + 1]);
    }
    long failures = 0, apart = 0;
    for (long i = 0; i < ways && failures < 5; ++i) {
        state = (uint64_t)(first + i) * 0x9e3779b97f4a7c15u;
        if (!check_same()) printf("seed %ld\n", first + i), ++failures;
    }
    for (long i = 0; i < ways && failures < 5; ++i) {
        state = (uint64_t)(first + i) * 0xaf251af3b0f025b5u;
        if (!check_warps()) printf("seed %ld\n", first + i), ++failures;
        if (!check_turned()) printf("seed %ld\n", first + i), ++failures;
    }
    for (long i = 0; apart < misses && failures < 5; ++i) {
        state = (uint64_t)(first + i) * 0xd1b54a32d192ed03u;
        int found = check_miss();
        if (found < 0) printf("seed %ld\n", first + i), ++failures;
        if (found > 0) ++apart;
    }
    printf("%ld partitions written three ways, and as many of warps and maps, %ld near misses told "
           "apart, "
           "%ld failures\n",
           ways, apart, failures);
    return failures != 0;
}
