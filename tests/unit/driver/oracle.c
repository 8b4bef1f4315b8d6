// The oracle on plans whose meaning is written down here by hand, and on plans that are wrong in
// one way each.  The passes refuse the wrong ones in a compilation; here only sema has seen them.
#include "oracle/oracle.h"
#include "base/session.h"
#include "check.h"
#include "plan/bind.h"
#include "sema/sema.h"
#include "syntax/parse.h"

static const struct sample_set everything = {true, true};

struct ran {
    struct session s;
    struct plan *p;
    const int64_t *sym;
    struct image *img;
    struct oracle_report report;
    bool ok;
};

// Runs the first kernel of the plan "text" with the "choice"-th values of its params.
static bool run_text(struct ran *r, const char *text, int choice) {
    session_init(&r->s);
    r->img = image_new();
    int file = source_add(&r->s, "test.tcp", text, strlen(text));
    struct ast_file *tree = parse_source(&r->s, file);
    r->p = tree ? sema_file(&r->s, tree) : NULL;
    if (!CHECK(r->p != NULL, "the plan is not accepted:\n%s", text)) {
        diag_print(&r->s, stderr);
        return false;
    }
    r->sym = plan_choose(&r->s, r->p, NULL, choice);
    if (!CHECK(r->sym != NULL, "no values of the params were found:\n%s", text)) return false;
    r->ok = oracle_run(&r->s, r->p, r->p->kernels, r->sym, &everything, r->img, &r->report);
    return true;
}

static void end_run(struct ran *r) {
    image_free(r->img);
    session_release(&r->s);
}

// The id of a tensor that the first kernel uses.
static int id_of(const struct ran *r, const char *name) {
    const struct kernel *k = r->p->kernels;
    for (int i = 0; i < k->nformals; ++i)
        if (strcmp(k->formal[i].tensor->name, name) == 0) return k->formal[i].tensor->id;
    for (int i = 0; i < k->nlocal; ++i)
        if (strcmp(k->local[i]->name, name) == 0) return k->local[i]->id;
    return -1;
}

// -- plans that are right -------------------------------------------------------------------------

// Column-major to row-major: element (i,j) stands at i + 8j in A and at 5i + j in B.
static void test_transposed(void) {
    struct ran r;
    if (run_text(&r,
                 "tcp 1; tensor A : u8 global (8,5); tensor B : u8 global row(8,5);"
                 "tiled_copy tc = tile(universal(8), thr=(8,5), val=(1,1));"
                 "kernel k(A, out B) grid (1) threads 40 { copy A -> B with tc; }",
                 0)) {
        CHECK(r.ok, "%s", r.report.text);
        HOLDS(r.report.moved == 40);
        for (int i = 0; i < 8; ++i)
            for (int j = 0; j < 5; ++j)
                HOLDS(image_load(r.img, image_global(id_of(&r, "B")), 5 * i + j) ==
                      image_tag(id_of(&r, "A"), i + 8 * j));
    }
    end_run(&r);
}

// Element (i,j) of the swizzled tile stands at x ^ (x / 8 % 2 * 2) for x = i + 4j: bit 1 takes the
// exclusive or with bit 3.
static void test_swizzled(void) {
    struct ran r;
    if (run_text(
            &r,
            "tcp 1; tensor A : u32 global row(4,8); tensor S : u32 shared Sw<1,1,2> o 0 o (4,8);"
            "tensor B : u32 global (4,8);"
            "tiled_copy tc = tile(universal(32), thr=(4,8), val=(1,1));"
            "kernel k(A, out B) grid (1) threads 32 { copy A -> S with tc; copy S -> B with tc; }",
            0)) {
        CHECK(r.ok, "%s", r.report.text);
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 8; ++j) {
                int x = i + 4 * j;
                int64_t tag = image_tag(id_of(&r, "A"), 8 * i + j);
                HOLDS(image_load(r.img, image_shared(id_of(&r, "S")), x ^ x / 8 % 2 * 2) == tag);
                HOLDS(image_load(r.img, image_global(id_of(&r, "B")), x) == tag);
            }
        }
    }
    end_run(&r);
}

// Threads (2,4) counted along mode 1 first, values (2,2) likewise, tiles (2,2) of (4,8): the slots
// of a thread's fragment are its values, then the tiles along mode 0, then those along mode 1.
static void test_fragment(void) {
    struct ran r;
    if (run_text(&r,
                 "tcp 1; tensor A : u16 global (8,16); tensor B : u16 global (8,16);"
                 "tiled_copy tc = tile(universal(16), thr=(2,4):(4,1), val=(2,2):(2,1));"
                 "kernel k(A, out B) grid (1) threads 8 {"
                 "  frag f : u16 like tc; copy A -> f with tc; copy f -> B with tc; }",
                 0)) {
        CHECK(r.ok, "%s", r.report.text);
        HOLDS(r.report.moved == 256);
        for (int x = 0; x < 128; ++x)
            HOLDS(image_load(r.img, image_global(id_of(&r, "B")), x) ==
                  image_tag(id_of(&r, "A"), x));
        for (int t = 0; t < 8; ++t) {
            for (int slot = 0; slot < 16; ++slot) {
                int v1 = slot % 2, v0 = slot / 2 % 2, r0 = slot / 4 % 2, r1 = slot / 8;
                int m = 4 * r0 + 2 * (t / 4) + v0, n = 8 * r1 + 2 * (t % 4) + v1;
                int64_t at = image_own(t, IMAGE_OUTSIDE, slot);  // no pass has said how many
                HOLDS(image_load(r.img, image_frag(id_of(&r, "f")), at) ==
                      image_tag(id_of(&r, "A"), m + 8 * n));
            }
        }
    }
    end_run(&r);
}

// Blocks, loops and params: whatever their values, B is A.
static void test_params(void) {
    for (int choice = 0; choice < 3; ++choice) {
        struct ran r;
        if (run_text(&r,
                     "tcp 1; param M : index % 4; param K : index % 8; param ld : index % 2 where "
                     "ld >= K;"
                     "tensor A : f32 global (M,K):(ld,1); tensor B : f32 global (M,K);"
                     "tiled_copy tc = tile(universal(32), thr=(4,8), val=(1,1));"
                     "kernel k(A, out B) grid (M/4) threads 32 { for n in 0 .. K/8 {"
                     "  copy local_tile(A, (4,8), (block.x, n)) -> local_tile(B, (4,8), (block.x, "
                     "n)) with tc; } }",
                     choice)) {
            int64_t M = r.sym[r.p->param[0]->sym->id], K = r.sym[r.p->param[1]->sym->id];
            int64_t ld = r.sym[r.p->param[2]->sym->id];
            CHECK(r.ok, "%s", r.report.text);
            HOLDS(M % 4 == 0 && K % 8 == 0 && ld >= K && M > 0 && K > 0);
            HOLDS(plan_broken_promise(&r.s, r.p, r.sym) == NULL);
            HOLDS(choice == 0 || M > 4 || K > 8);
            HOLDS(image_count(r.img, image_global(id_of(&r, "B"))) == M * K);
            for (int64_t i = 0; i < M; ++i)
                for (int64_t j = 0; j < K; ++j)
                    HOLDS(image_load(r.img, image_global(id_of(&r, "B")), i + M * j) ==
                          image_tag(id_of(&r, "A"), ld * i + j));
        }
        end_run(&r);
    }
}

// -- plans that are wrong -------------------------------------------------------------------------

struct wrong {
    const char *text;
    enum oracle_kind kind;
    const char *says;
};

static const struct wrong wrong_plans[] = {
    {"tensor A : u8 global (8); tensor B : u8 global (8):(0);"
     "kernel k(A, out B) grid (1) threads 8 { copy A -> B with tile(universal(8), thr=(8), "
     "val=(1)); }",
     ORACLE_TWICE,
     "element (1) of 'B' is written twice, by value 0 of thread 0 in block (0,0,0) and by value 0 "
     "of thread 1 in block (0,0,0)"},
    {"tensor A : u8 global (8); tensor B : u8 global (8);"
     "kernel k(A, out B) grid (2) threads 8 { copy A -> B with tile(universal(8), thr=(8), "
     "val=(1)); }",
     ORACLE_COLLISION,
     "element (0) of 'B' is written twice, by value 0 of thread 0 in block (0,0,0) and by value 0 "
     "of thread 0 in block (1,0,0)"},
    {"tensor A : u8 global (8); tensor B : u8 global (8);"
     "kernel k(A, out B) grid (1) threads 8 { for i in 0 .. 2 {"
     "  copy A -> B with tile(universal(8), thr=(8), val=(1)); } }",
     ORACLE_COLLISION,
     "in block (0,0,0) with i = 0 and by value 0 of thread 0 in block (0,0,0) with i = 1"},
    {"tensor A : u8 global (8); tensor B : u8 global (8);"
     "kernel k(A, out B) grid (3) threads 4 {"
     "  copy local_tile(A, (4), (block.x)) -> local_tile(B, (4), (block.x)) with "
     "tile(universal(8), thr=(4), val=(1)); }",
     ORACLE_OUTSIDE, "in block (2,0,0), outside 0 .. 8"},
    {"tensor A : u8 global (8); tensor B : u8 global (8);"
     "kernel k(A, out B) grid (1) threads 4 {"
     "  copy local_tile(A, (4), (1)) -> local_tile(B, (4), (1)) with tile(universal(8), thr=(4), "
     "val=(1)); }",
     ORACLE_NEVER_WRITTEN, "element (0) of 'out B' is never written"},
    {"tensor S : u8 shared (8); tensor B : u8 global (8);"
     "kernel k(out B) grid (1) threads 8 { copy S -> B with tile(universal(8), thr=(8), val=(1)); "
     "}",
     ORACLE_POISON, "element 0 of 'S' is read in block (0,0,0) before anything was written to it"},
    {"tensor A : u8 global (8); tensor S : u8 shared (8); tensor B : u8 global (8);"
     "kernel k(A, out B) grid (1) threads 4 {"
     "  copy local_tile(A, (4), (1)) -> local_tile(S, (4), (1)) with tile(universal(8), thr=(4), "
     "val=(1));"
     "  copy S -> B with tile(universal(8), thr=(4), val=(1)); }",
     ORACLE_POISON, "element 0 of 'S'"},
};

static void test_wrong(void) {
    for (size_t i = 0; i < sizeof wrong_plans / sizeof *wrong_plans; ++i) {
        const struct wrong *w = &wrong_plans[i];
        struct ran r;
        char text[1024];
        snprintf(text, sizeof text, "tcp 1; %s", w->text);
        if (run_text(&r, text, 0)) {
            CHECK(!r.ok && r.report.kind == w->kind, "kind %d, %s, of\n%s", r.report.kind,
                  r.report.text ? r.report.text : "nothing wrong", w->text);
            CHECK(r.report.text && strstr(r.report.text, w->says), "says: %s", r.report.text);
        }
        end_run(&r);
    }
}

// A sample executes some blocks and iterations only, and asks for nothing that the others would
// have done.
static void test_sample(void) {
    static const struct sample_set sample = {false, false};
    struct ran r;
    if (run_text(&r,
                 "tcp 1; tensor A : u8 global (4,100,100); tensor B : u8 global (4,100,100);"
                 "kernel k(A, out B) grid (100) threads 4 { for i in 0 .. 100 {"
                 "  copy A(_,block.x,i) -> B(_,block.x,i) with tile(universal(8), thr=(4), "
                 "val=(1)); } }",
                 0)) {
        CHECK(r.ok && r.report.moved == 40000, "moved %lld", (long long)r.report.moved);
        struct image *img = image_new();
        bool ok = oracle_run(&r.s, r.p, r.p->kernels, r.sym, &sample, img, &r.report);
        CHECK(ok && r.report.moved == 4 * 4 * 4, "moved %lld", (long long)r.report.moved);
        HOLDS(image_load(img, image_global(id_of(&r, "B")), 4 * (99 + 100 * 99)) ==
              image_tag(id_of(&r, "A"), 4 * (99 + 100 * 99)));
        image_free(img);
    }
    end_run(&r);
}

// Elements that are far apart are each in a page of the image, and there are so many pages: of a
// fragment, which each block has anew, and of a tensor.
static void test_pages(void) {
    struct ran r;
    if (run_text(&r,
                 "tcp 1; tensor B : u8 global (32,4):(4096,1024);"
                 "kernel k(out B) grid (4) threads 32 { frag f : u8 (8):(256);"
                 "  fill f = 0; copy f(0) -> B(tid,block.x) with universal(8); }",
                 0)) {
        // a thread's last element is beside the next one's first
        enum { OWN = 32 * 7 + 1, PAGES = OWN + 4 * 32 };
        CHECK(r.ok && r.img->made == PAGES && r.img->begun == PAGES + 3 * OWN, "made %lld",
              (long long)r.img->made);
        for (int less = 0; less < 2; ++less) {
            struct sample_set some = {true, true, .pages = PAGES - less};
            struct image *img = image_new();
            bool ok = oracle_run(&r.s, r.p, r.p->kernels, r.sym, &some, img, &r.report);
            CHECK(less ? r.report.kind == ORACLE_TOO_LARGE : ok, "pages %d", PAGES - less);
            HOLDS(img->made <= PAGES);
            image_free(img);
        }
    }
    end_run(&r);
}

int main(void) {
    test_transposed();
    test_swizzled();
    test_fragment();
    test_params();
    test_wrong();
    test_sample();
    test_pages();
    return check_done();
}
