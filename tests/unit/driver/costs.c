// What copies cost: FlashAttention's tile, 64 halves a row, through each class of instruction, with
// the numbers that were measured of it; what is a range, and why.
#include <time.h>

#include "cost/copy.h"
#include "driver/golden.h"
#include "plan/bind.h"

static const struct copy *copy_number(const struct kernel *k, int n) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && n-- == 0) return st->copy;
    return NULL;
}

// The costs of copy "n" of the plan "text"; with "values" for those that are chosen for its params.
static bool cost(struct golden_plan *g, const char *text, int n, bool values,
                 struct copy_cost *out) {
    golden_compile(g, text, STEP_EXPECT);
    if (!CHECK(g->ok, "%s\n%s", golden_error(g), text)) return false;
    const struct kernel *k = g->p->kernels;
    const struct copy *c = copy_number(k, n);
    const struct copy_facts f = copy_facts_in(c, c->facts.nvariants - 1);
    cost_of_copy(
        &g->s, &(struct costed){g->p, k, c, &f, values ? plan_choose(&g->s, g->p, NULL, 1) : NULL},
        out);
    return true;
}

static void check_range(int line, const char *what, struct cost_range r, int64_t least,
                        int64_t most) {
    CHECK(r.least == least && r.most == most, "line %d: %s: %ld to %ld, not %ld to %ld", line, what,
          (long)r.least, (long)r.most, (long)least, (long)most);
}
#define RANGE(r, least, most) check_range(__LINE__, #r, r, least, most)
#define IS(r, n)              RANGE(r, n, n)

// A tile of 128 rows goes to a buffer "shared" by "atom", threads in order "thr", and by "back" to
// the registers and to global memory.
static const char *tile(const char *align, const char *atom, const char *thr, const char *shared,
                        const char *more) {
    static char text[2048];
    snprintf(text, sizeof text,
             "tcp 1;\ntensor A : f16 global row(1280,64) align %s;\n"
             "tensor B : f16 global row(1280,64) align 128;\n"
             "kernel k(A, out B) grid (10) threads 128 {\n"
             "  shared s : f16 %s;\n"
             "  copy local_tile(A,(128,64),(block.x,0)) -> s with tile(%s, thr=%s, val=(1,8));\n"
             "%s  copy s -> local_tile(B,(128,64),(block.x,0))\n"
             "    with tile(universal(128), thr=(16,8):(8,1), val=(1,8)); }\n",
             align, shared, atom, thr, more);
    return text;
}

#define ROWS    "(16,8):(8,1)"
#define COLUMNS "(16,8)"
#define PLAIN   "row(128,64)"
#define PADDED  "(128,64):(72,1)"
#define SWIZZLE "Sw<3,3,3> o row(128,64)"

static void test_tile(void) {
    static const struct {
        const char *align, *atom, *thr, *shared;
        int64_t sectors, wavefronts;
    } rows[] = {
        {"128", "universal(128)", ROWS, PLAIN, 16, 4},
        {"128", "universal(128)", ROWS, PADDED, 16, 4},
        {"128", "universal(128)", ROWS, SWIZZLE, 16, 4},
        {"128", "universal(128)", COLUMNS, PLAIN, 16, 32},
        {"128", "universal(128)", COLUMNS, PADDED, 16, 4},
        {"128", "universal(128)", COLUMNS, SWIZZLE, 16, 4},
        {"128", "cp_async.cg(16)", ROWS, SWIZZLE, 16, 4},
        {"128", "cp_async.cg(16)", ROWS, PADDED, 18,
         11},  // warps 1 and 3; of warps 0 and 2 it is 10
        {"128", "cp_async.cg(16)", COLUMNS, PLAIN, 16, 16},
        {"128", "cp_async.cg(16)", COLUMNS, SWIZZLE, 16, 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct golden_plan g;
        struct copy_cost c;
        const char *text = tile(rows[i].align, rows[i].atom, rows[i].thr, rows[i].shared, "");
        if (cost(&g, text, 0, false, &c)) {
            IS(c.dst.most.wavefronts, rows[i].wavefronts);
        }
        golden_end(&g);
    }
}

// Of all accesses: 4 warps make 8 each, and what they differ in counts.
static void test_totals(void) {
    struct golden_plan g;
    struct copy_cost c;
    if (cost(&g, tile("128", "cp_async.cg(16)", ROWS, PADDED, ""), 0, false, &c)) {
        IS(c.src.total.requests, 32);
        IS(c.src.total.sectors, 32 * 18);
        IS(c.src.least_total.sectors, 32 * 16);
        IS(c.dst.total.wavefronts, 16 * 10 + 16 * 11);
        IS(c.dst.least_total.wavefronts, 32 * 4);
        HOLDS(c.dst.worst_warp == 1 && c.dst.instructions == 32);
        HOLDS(cost_percent(c.dst.least_total.wavefronts, c.dst.total.wavefronts) == 38);
        IS(c.src.total.wavefronts, 0);
        IS(c.dst.total.sectors, 0);
    }
    golden_end(&g);
    // the load of 's' and the store of 'B'
    if (cost(&g, tile("128", "cp_async.cg(16)", ROWS, PADDED, ""), 1, false, &c)) {
        IS(c.src.total.wavefronts, 32 * 4);
        IS(c.dst.total.sectors, 32 * 16);
        HOLDS(c.src.class == COST_LD_SHARED && c.dst.class == COST_ST_GLOBAL);
    }
    golden_end(&g);
}

// A pointer that is known to be aligned to 16 bytes lies at the beginning or in the middle of a
// sector.
static void test_alignment(void) {
    struct golden_plan g;
    struct copy_cost c;
    if (cost(&g, tile("16", "universal(128)", ROWS, PLAIN, ""), 0, false, &c)) {
        RANGE(c.src.most.sectors, 16, 17);  // 512 bytes, which follow one another
        CHECK_STR(c.src.loose, "'A' is only known to be aligned to 16 bytes");
        IS(c.dst.most.wavefronts, 4);
    }
    golden_end(&g);
    if (cost(&g, tile("16", "cp_async.cg(16)", ROWS, SWIZZLE, ""), 0, false, &c)) {
        HOLDS(c.src.loose != NULL && c.src.most.sectors.least == 16);
        HOLDS(c.src.most.sectors.most >= 20);
    }
    golden_end(&g);
    if (cost(&g, tile("32", "universal(128)", ROWS, PLAIN, ""), 0, false, &c)) {
        IS(c.src.most.sectors, 16);
        HOLDS(c.src.loose == NULL);
    }
    golden_end(&g);
}

// ldmatrix reads 8 rows of 16 bytes at a time, which lie in the same banks of plain rows.
static void test_matrices(void) {
    static const struct {
        const char *shared, *atom;
        int64_t wavefronts, least;
    } rows[] = {
        {"row(64,64)", "ldmatrix.x4", 32, 4},
        {"Sw<3,3,3> o row(64,64)", "ldmatrix.x4", 4, 4},
        {"(64,64):(72,1)", "ldmatrix.x4", 4, 4},
        {"row(64,64)", "ldmatrix.x2", 16, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char text[2048];
        struct golden_plan g;
        struct copy_cost c;
        snprintf(text, sizeof text,
                 "tcp 1;\narch sm_90;\ntensor A : f16 global row(64,64) align 128;\n"
                 "tensor O : f16 global row(64,64) align 128;\n"
                 "tiled_mma m = mma(m16n8k16.f32.f16.f16.f32, warps=(4,1,1), tile=(64,8,16));\n"
                 "tiled_copy read = tile(%s, like=operand_A(m));\n"
                 "tiled_copy rows = tile(universal(128), thr=(16,8):(8,1), val=(1,8));\n"
                 "extern device use(a : f16 frag (8,1,1)) from \"use.cuh\";\n"
                 "kernel k(A, out O) threads 128 {\n  shared s : f16 %s;\n"
                 "  copy A -> s with rows;\n"
                 "  for i in 0 .. 4 {\n    frag a : f16 like operand_A(m);\n"
                 "    copy local_tile(s, (64,16), (0,i)) -> a with read;\n    call use(a);\n  }\n"
                 "  copy s -> O with rows; }\n",
                 rows[i].atom, rows[i].shared);
        if (cost(&g, text, 1, false, &c)) {
            IS(c.src.most.wavefronts, rows[i].wavefronts);
            IS(c.src.least.wavefronts, rows[i].least);
            HOLDS(!c.dst.there);
        }
        golden_end(&g);
    }
}

// A tile of 128 x 128 in the narrowest accesses, whose tensor may begin at each element of a
// sector.
static void test_time(void) {
    static const char text[] =
        "tcp 1;\ntensor A : f16 global row(1280,128);\ntensor B : f16 global row(1280,128);\n"
        "kernel k(A, out B) grid (10) threads 128 {\n  shared s : f16 row(128,128);\n"
        "  copy local_tile(A,(128,128),(block.x,0)) -> s"
        " with tile(universal(16), thr=(128,1), val=(1,1));\n"
        "  copy s -> local_tile(B,(128,128),(block.x,0))"
        " with tile(universal(16), thr=(2,64):(64,1), val=(1,1)); }\n";
    struct golden_plan g;
    struct copy_cost c;
    if (cost(&g, text, 0, false, &c)) {
        const struct kernel *k = g.p->kernels;
        double least = 1;
        for (int i = 0; i < 5; ++i) {
            clock_t begin = clock();
            cost_of_copy(
                &g.s, &(struct costed){g.p, k, copy_number(k, 0), &copy_number(k, 0)->facts, NULL},
                &c);
            double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
            if (seconds < least) least = seconds;
        }
        printf("128 x 128 in accesses of 16 bits: %.2f ms\n", 1000 * least);
        RANGE(c.src.most.sectors, 32, 32);
        IS(c.dst.most.wavefronts, 32);
#if defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
        HOLDS(least < 0.100);  // ten times what it may take: a loaded machine is no failure
#endif
    }
    golden_end(&g);
}

// What choosing arrangements for the plan "text" adds to its compilation is told; it may take 100 ms.
static void test_choice(const char *name, const char *text) {
    double least = 1;
    for (int i = 0; i < 3; ++i) {
        struct golden_plan g;
        clock_t begin = clock();
        golden_compile(&g, text, STEP_SEMA);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        CHECK(g.ok, "%s", golden_error(&g));
        golden_end(&g);
        if (seconds < least) least = seconds;
    }
    printf("swizzle auto, %s: %.2f ms\n", name, 1000 * least);
#if defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    HOLDS(least < 1.000);  // likewise
#endif
}

#define HEAD "tcp 1;\narch sm_90;\n"
#define TURNED(name)                                                                               \
    "kernel " name "(A, out B) {\n"                                                                \
    "  shared s : f32 row(64,64) swizzle auto;\n"                                                  \
    "  copy A -> s with t;\n"                                                                      \
    "  copy select(s, (1,0)) -> B with t; }\n"

static void test_choices(void) {
    test_choice("128 x 128 bytes that are turned", HEAD
                "tensor A : u8 global row(128,128) align 128;\n"
                "tensor B : u8 global row(128,128) align 128;\n"
                "kernel k(A, out B) {\n"
                "  shared s : u8 row(128,128) swizzle auto;\n"
                "  copy A -> s with tile(universal(32), thr=(8,32):(32,1), val=(1,4));\n"
                "  copy select(s, (1,0)) -> B with tile(universal(8), thr=(8,32):(32,1)); }\n");
    test_choice("five kernels",
                HEAD "tensor A : f32 global row(64,64) align 128;\n"
                     "tensor B : f32 global row(64,64) align 128;\n"
                     "tiled_copy t = tile(universal(32), thr=(8,32):(32,1));\n" TURNED("k1")
                         TURNED("k2") TURNED("k3") TURNED("k4") TURNED("k5"));
}

int main(void) {
    test_time();
    test_choices();
    test_tile();
    test_totals();
    test_alignment();
    test_matrices();
    return check_done();
}
