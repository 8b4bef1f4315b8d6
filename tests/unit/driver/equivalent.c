// Pairs of kernels that differ in one thing, and what is said of each: that they move the same,
// that it is not known, or the first difference.
#include "check/equivalent.h"

#include "driver/golden.h"

static const char head[] = "tcp 1;\n"
                           "tensor A : f32 global (64) align 16;\n"
                           "tensor B : f32 global (64) align 16;\n"
                           "tensor C : f32 global (64) align 16;\n"
                           "tensor D : f16 global (64) align 16;\n"
                           "tensor E : f32 global (4,16):(1,8) align 16;\n"
                           "tensor F : f32 global Sw<1,2,2> o 0 o (64) align 16;\n"
                           "param M : index % 8;\n"
                           "tensor X : f32 global (M) align 16;\n"
                           "tensor Y : f32 global (M) align 16;\n"
                           "tiled_copy one = tile(universal(32), thr=32, val=1);\n"
                           "tiled_copy all = tile(universal(32), thr=64, val=1);\n"
                           "tiled_copy async = tile(cp_async.ca(4), thr=64, val=1);\n"
                           "extern device f(inout a : f32 frag (1,1)) from \"f.cuh\";\n";

static const struct {
    const char *a, *b;
    const char *want;  // "": equivalent
} pairs[] = {
    {"k1(A, out B) threads 64 { copy A -> B with all; }",
     "k2(A, out B) threads 64 { copy A -> B with all; }", ""},
    // the same by other code
    {"k1(A, out B) threads 64 { copy A -> B with all; }",
     "k2(A, out B) threads 64 { frag r : f32 like all; copy A -> r with all; copy r -> B with all; "
     "}",
     ""},
    // threads and blocks
    {"k1(A, out B) threads 64 { copy A -> B with all; }",
     "k2(A, out B) threads 32 { copy A -> B with one; }", "'k1' has 64 threads, 'k2' has 32"},
    {"k1(A, out B) grid (2) threads 32 { copy local_tile(A,(32),(block.x)) -> "
     "local_tile(B,(32),(block.x)) with one; }",
     "k2(A, out B) grid (1,2) threads 32 { copy local_tile(A,(32),(block.y)) -> "
     "local_tile(B,(32),(block.y)) with one; }",
     "'k1' has 2 blocks along x, 'k2' has 1"},
    {"k1(A, out B) grid (1,2) threads 32 { copy local_tile(A,(32),(block.y)) -> "
     "local_tile(B,(32),(block.y)) with one; }",
     "k2(A, out B) grid (1,1,2) threads 32 { copy local_tile(A,(32),(block.z)) -> "
     "local_tile(B,(32),(block.z)) with one; }",
     "'k1' has 2 blocks along y, 'k2' has 1"},
    {"k1(A, out B) grid (1,1,2) threads 32 { copy local_tile(A,(32),(block.z)) -> "
     "local_tile(B,(32),(block.z)) with one; }",
     "k2(A, out B) threads 32 { copy A -> B with one; }", "'k1' has 2 blocks along z, 'k2' has 1"},
    // who writes: in the last block alone, and its last threads
    {"k1(A, out B) grid (2) threads 32 { copy local_tile(A,(32),(block.x)) -> "
     "local_tile(B,(32),(block.x)) with one; }",
     "k2(A, out B) grid (2) threads 32 { let t = (tid + 16 * block.x) % 32; copy "
     "local_partition(local_tile(A,(32),(block.x)), 32, t) -> "
     "local_partition(local_tile(B,(32),(block.x)), 32, t) with universal(32); }",
     "element 32 of 'B', at (32), is written by thread 0 of block 1 in 'k1', by thread 16 of block "
     "1 in 'k2'"},
    {"k1(A, out B) grid (2) threads 32 { copy local_tile(A,(32),(block.x)) -> "
     "local_tile(B,(32),(block.x)) with one; }",
     "k2(A, out B) grid (2) threads 32 { copy local_tile(A,(32),(1 - block.x)) -> "
     "local_tile(B,(32),(1 - block.x)) with one; }",
     "element 0 of 'B', at (0), is written by thread 0 of block 0 in 'k1', by thread 0 of block 1 "
     "in 'k2'"},
    {"k1(A, out B) grid (4) threads 16 { copy local_tile(A,(16),(block.x)) -> "
     "local_tile(B,(16),(block.x)) with tile(universal(32), thr=16, val=1); }",
     "k2(A, out B) grid (4) threads 16 { copy local_tile(A,(16),(2*(block.x/2) + (block.x%2 + "
     "block.x/2)%2)) -> local_tile(B,(16),(2*(block.x/2) + (block.x%2 + block.x/2)%2)) with "
     "tile(universal(32), thr=16, val=1); }",
     "element 32 of 'B', at (32), is written by thread 0 of block 2 in 'k1', by thread 0 of block "
     "3 in 'k2'"},
    {"k1(A, out B) threads 64 { copy A -> B with all; }",
     "k2(A, out B) threads 64 { let t = 2*(tid/2) + (tid%2 + tid/62)%2; copy local_partition(A, "
     "64, t) -> local_partition(B, 64, t) with universal(32); }",
     "element 62 of 'B', at (62), is written by thread 62 of block 0 in 'k1', by thread 63 of "
     "block 0 in 'k2'"},
    // who reads, and how often
    {"k1(A, out B) threads 64 { copy A -> B with all; }",
     "k2(A, out B) threads 64 { frag r : f32 like all; copy A -> r with all; copy A -> B with all; "
     "}",
     "element 0 of 'A', at (0), is read by different threads, or more often, in 'k1' than in 'k2'"},
    {"k1(A, out B) threads 64 { frag r : f32 like all; copy A -> r with all; copy A -> B with all; "
     "}",
     "k2(A, out B) threads 64 { copy A -> B with all; }",
     "element 0 of 'A', at (0), is read by different threads, or more often, in 'k1' than in 'k2'"},
    {"k1(A, C, out B) threads 64 { copy A -> B with all; }",
     "k2(A, C, out B) threads 64 { frag r : f32 like all; copy C -> r with all; copy A -> B with "
     "all; }",
     "element 0 of 'C', at (0), is read by different threads, or more often, in 'k2' than in 'k1'"},
    {"k1(A, out B) threads 64 { copy A -> B with all; }",
     "k2(A, C, out B) threads 64 { frag r : f32 like all; copy C -> r with all; copy A -> B with "
     "all; }",
     "element 0 of 'C', at (0), is read by different threads, or more often, in 'k2' than in 'k1'"},
    {"k1(A, out B) threads 64 { shared s : f32 (64); copy A -> s with all; copy s -> B with all; }",
     "k2(A, out B) threads 64 { shared s : f32 (64); copy A -> s with async; copy s -> B with all; "
     "}",
     ""},
    {"k1(A, out B) threads 64 { shared s : f32 (64); let t = 63 - tid; copy local_partition(A, 64, "
     "t) -> local_partition(s, 64, t) with universal(32); copy s -> B with all; }",
     "k2(A, out B) threads 64 { shared s : f32 (64); copy A -> s with async; copy s -> B with all; "
     "}",
     "element 0 of 'A', at (0), is read by different threads, or more often, in 'k1' than in 'k2'"},
    // what is written
    {"k1(A, out B) threads 64 { copy A -> B with all; }",
     "k2(A, out B, out C) threads 64 { copy A -> B with all; copy A -> C with all; }",
     "element 0 of 'A', at (0), is read by different threads, or more often, in 'k1' than in 'k2'"},
    {"k1(A, out B, out C) threads 64 { copy A -> B with all; copy A -> C with all; }",
     "k2(A, out B) threads 64 { copy A -> B with all; }",
     "element 0 of 'C', at (0), is written by thread 0 of block 0 in 'k1', by nobody in 'k2'"},
    {"k1(A, C, out B) threads 64 { frag r : f32 like all; copy C -> r with all; copy A -> B with "
     "all; }",
     "k2(A, C, out B) threads 64 { frag r : f32 like all; copy A -> r with all; copy C -> B with "
     "all; }",
     "element 0 of 'B', at (0), becomes element 0 of 'A' in 'k1', element 0 of 'C' in 'k2'"},
    {"k1(A, out D) threads 64 { copy A -> D with tile(auto(32), thr=64, val=1); }",
     "k2(A, out D) threads 64 { frag r : bf16 like all; copy A -> r with all; copy r -> D with "
     "tile(auto(32), thr=64, val=1); }",
     "element 0 of 'D', at (0), becomes element 0 of 'A', once f32 in 'k1', element 0 of 'A', once "
     "f32, once bf16 in 'k2'"},
    {"k1(out B) threads 64 { frag r : f32 like all; fill r = 1; copy r -> B with all; }",
     "k2(out B) threads 64 { frag r : f32 like all; fill r = 2; copy r -> B with all; }",
     "element 0 of 'B', at (0), becomes the number 1 of f32 in 'k1', the number 2 of f32 in 'k2'"},
    {"k1(out B) threads 64 { frag r : f32 like all; fill r = 1; copy r -> B with all; }",
     "k2(A, out B) threads 64 { copy A -> B with all; }",
     "element 0 of 'B', at (0), becomes the number 1 of f32 in 'k1', element 0 of 'A' in 'k2'"},
    {"k1(A, out B) threads 64 { copy A -> B with all; }",
     "k2(A, out B) threads 64 { frag r : f32 like all; copy A -> r with all; call f(r); copy r -> "
     "B with all; }",
     "element 0 of 'B', at (0), becomes element 0 of 'A' in 'k1', what a function gave in 'k2'"},
    {"k1(A, out B) threads 64 { frag r : f32 like all; copy A -> r with all; call f(r); copy r -> "
     "B with all; }",
     "k2(A, out B) threads 64 { frag r : f32 like all; copy A -> r with all; call f(r); copy r -> "
     "B with tile(universal(32), thr=64, val=1); }",
     ""},
    // where an element lies: strides with gaps, a swizzle
    {"k1(A, out E) threads 64 { copy with_shape(A, (4,16)) -> E with tile(universal(32), "
     "thr=(4,16), val=(1,1)); }",
     "k2(A, out E) threads 64 { let t = 2*(tid/2) + (tid%2 + tid/62)%2; copy "
     "local_partition(with_shape(A, (4,16)), (4,16), t) -> local_partition(E, (4,16), t) with "
     "universal(32); }",
     "element 122 of 'E', at (2,15), is written by thread 62 of block 0 in 'k1', by thread 63 of "
     "block 0 in 'k2'"},
    {"k1(A, out F) threads 64 { copy A -> F with all; }",
     "k2(A, out F) threads 64 { let t = 2*(tid/2) + (tid%2 + tid/62)%2; copy local_partition(A, "
     "64, t) -> local_partition(F, 64, t) with universal(32); }",
     "element 58 of 'F', at (62), is written by thread 62 of block 0 in 'k1', by thread 63 of "
     "block 0 in 'k2'"},
    // with params the code decides, or it is open
    {"k1(X, out Y) grid (M/8) threads 8 { copy local_tile(X,(8),(block.x)) -> "
     "local_tile(Y,(8),(block.x)) with tile(universal(32), thr=8, val=1); }",
     "k2(X, out Y) grid (M/8) threads 8 { copy local_tile(X,(8),(block.x)) -> "
     "local_tile(Y,(8),(block.x)) with tile(universal(32), thr=8, val=1); }",
     ""},
    {"k1(X, out Y) grid (M/8) threads 8 { copy local_tile(X,(8),(block.x)) -> "
     "local_tile(Y,(8),(block.x)) with tile(universal(32), thr=8, val=1); }",
     "k2(X, out Y) grid (M/8) threads 8 { frag r : f32 (1); copy local_tile(X,(8),(block.x)) -> r "
     "with tile(universal(32), thr=8, val=1); copy r -> local_tile(Y,(8),(block.x)) with "
     "tile(universal(32), thr=8, val=1); }",
     "the code of 'k1' and 'k2' differs, but nothing differs when both are executed for a few "
     "values of 'M'; a const in its place decides it"},
};

// The code is compared while there is a step left: kernels of one code are equivalent with one, and
// it is open with none.
static void test_steps(void) {
    static const char *const copy = "(A, out B) threads 64 { copy A -> B with all; }";
    for (int64_t given = 0; given < 2; ++given) {
        char text[8192];
        struct golden_plan g;
        snprintf(text, sizeof text, "%skernel k1%s\nkernel k2%s\nexpect equivalent(k1, k2);\n",
                 head, copy, copy);
        golden_compile(&g, text, STEP_VERIFY);
        if (CHECK(g.ok, "%s", golden_error(&g))) {
            const struct expectation *e = g.p->expects;
            const char *open = NULL;
            int64_t left = given;
            const char *why = kernels_differ(&g.s, g.p, lower_plan(&g.s, g.p), e->kernel,
                                             e->kernel2, &left, &open);
            CHECK(!why && !open == (given == 1), "%d steps: %s", (int)given,
                  why    ? why
                  : open ? open
                         : "equivalent");
        }
        golden_end(&g);
    }
}

int main(void) {
    test_steps();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        char text[8192];
        struct golden_plan g;
        snprintf(text, sizeof text, "%skernel %s\nkernel %s\nexpect equivalent(k1, k2);\n", head,
                 pairs[i].a, pairs[i].b);
        golden_compile(&g, text, STEP_VERIFY);
        const char *why = NULL, *open = NULL;
        if (CHECK(g.ok, "%s\n%s\n  %s", pairs[i].a, pairs[i].b, golden_error(&g))) {
            const struct expectation *e = g.p->expects;
            int64_t left = equivalent_steps(&g.s);
            why = kernels_differ(&g.s, g.p, lower_plan(&g.s, g.p), e->kernel, e->kernel2, &left,
                                 &open);
            if (!why) why = open ? open : "";
            CHECK(strcmp(why, pairs[i].want) == 0, "%s\n%s\n  is  %s\n  not %s", pairs[i].a,
                  pairs[i].b, why, pairs[i].want);
        }
        golden_end(&g);
    }
    return check_done();
}
