// Does the check that every compile makes notice code that does something else?  The Kernel IR of
// small plans is spoilt, one node at a time: an access goes one access further, for all blocks and
// iterations or for one of them, or is left out; a loop, a guard, a condition, a ring or a carried
// offset is off by one; a wait is for less.  Each must be refused.
#include <sys/wait.h>
#include <unistd.h>

#include "driver/golden.h"
#include "plan/plan.h"

static const char *const plans[] = {
    // extents that are no multiples, with predicates
    "tcp 1;\ntensor A : f32 global (103) align 16;\ntensor B : f32 global (103) align 16;\n"
    "tiled_copy v = tile(universal(32), thr=32, val=2);\n"
    "kernel k(A, out B) grid (2) { copy local_tile(A,(64),(block.x)) -> "
    "local_tile(B,(64),(block.x)) with v; }\n",
    // through shared memory, by other threads
    "tcp 1;\ntensor A : f16 global row(64,64) align 16;\ntensor B : f16 global row(64,64) align "
    "16;\n"
    "tiled_copy to = tile(universal(64), thr=(8,8):(8,1), val=(1,4));\n"
    "tiled_copy fro = tile(universal(64), thr=(16,4):(4,1), val=(1,4));\n"
    "kernel k(A, out B) grid (2,2) { shared s : f16 Sw<2,3,3> o 0 o row(32,32);\n"
    "  copy local_tile(A,(32,32),(block.x,block.y)) -> s with to;\n"
    "  copy s -> local_tile(B,(32,32),(block.x,block.y)) with fro; }\n",
    // a pipeline of asynchronous copies
    "tcp 1;\nparam T : index in 1 .. 20;\n"
    "tensor A : f32 global (64,T) align 16;\ntensor B : f32 global (64,T) align 16;\n"
    "tiled_copy g2s = tile(cp_async.cg(16), thr=(16,1), val=(4,1));\n"
    "tiled_copy s2g = tile(universal(32), thr=(16,1), val=(4,1));\n"
    "kernel k(A, out B) { shared s : f32 (64,1) stages 3;\n"
    "  pipeline i in 0 .. T {\n"
    "    load { copy local_tile(A,(64,1),(0,i)) -> s with g2s; }\n"
    "    use { copy s -> local_tile(B,(64,1),(0,i)) with s2g; } } }\n",
    // an edge that cuts asynchronous accesses
    "tcp 1;\nparam M : index;\nparam N : index;\nparam ld : index % 8 where ld >= N;\n"
    "tensor A : f16 global (M,N):(ld,1) align 16;\n"
    "tensor B : f16 global row(8*ceil_div(M,8),32*ceil_div(N,32)) align 16;\n"
    "tiled_copy g2s = tile(cp_async.cg(16), thr=(8,4):(4,1), val=(1,8));\n"
    "tiled_copy s2g = tile(universal(128), thr=(8,4):(4,1), val=(1,8));\n"
    "kernel k(A, out B) grid (ceil_div(M,8),ceil_div(N,32)) { shared s : f16 row(8,32);\n"
    "  copy local_tile(A,(8,32),(block.x,block.y)) -> s with g2s pad 0;\n"
    "  copy s -> local_tile(B,(8,32),(block.x,block.y)) with s2g; }\n",
    // asynchronous copies that fill where there is nothing to read
    "tcp 1;\ntensor A : f32 global (103) align 16;\ntensor B : f32 global (128) align 16;\n"
    "tiled_copy g2s = tile(cp_async.ca(4), thr=32, val=2);\n"
    "tiled_copy v = tile(universal(128), thr=16, val=4);\n"
    "kernel k(A, out B) grid (2) { shared s : f32 (64);\n"
    "  copy local_tile(A,(64),(block.x)) -> s with g2s pad 0;\n"
    "  copy s -> local_tile(B,(64),(block.x)) with v; }\n",
    // fragments, a fill and a loop, more threads than a copy has
    "tcp 1;\ntensor A : f32 global (64,6) align 16;\ntensor B : f32 global (64,6) align 16;\n"
    "tensor Z : f32 global (32) align 16;\n"
    "tiled_copy v = tile(universal(128), thr=(16,1), val=(4,1));\n"
    "tiled_copy z = tile(universal(32), thr=32, val=1);\n"
    "kernel k(A, out B, out Z) threads 64 { frag q : f32 like z; fill q = 3; copy q -> Z with z;\n"
    "  for i in 0 .. 6 { frag r : f32 like v; copy local_tile(A,(64,1),(0,i)) -> r with v;\n"
    "    copy r -> local_tile(B,(64,1),(0,i)) with v; } }\n",
    // more than is executed wholly: blocks and iterations are chosen
    "tcp 1;\ntensor A : f32 global (64,9,300) align 16;\ntensor B : f32 global (64,9,300) align "
    "16;\n"
    "tiled_copy v = tile(universal(128), thr=(16,1,1), val=(4,1,1));\n"
    "kernel k(A, out B) grid (300) { for i in 0 .. 9 {\n"
    "  copy local_tile(A,(64,1,1),(0,i,block.x)) -> local_tile(B,(64,1,1),(0,i,block.x)) with v; } "
    "}\n",
};

struct spoiling {
    struct session *s;
    struct kir_kernel *k;
    int ways;          // of a copy, that are chosen from around the node: not all blocks take each
    int left;          // spoilings before the one to be made
    const char *made;  // what it did
};

static bool now(struct spoiling *x, const char *what) {
    if (x->left-- != 0) return false;
    x->made = what;
    return true;
}

static const struct ix *more(struct spoiling *x, const struct ix *e, int64_t by) {
    return ix_add(x->s, e, ix_int(x->s, by));
}

// 1 where "n" is "least" or more, else 0; both are below 4096.
static const struct ix *reaches(struct spoiling *x, const struct ix *n, int64_t least) {
    return ix_div(x->s, more(x, n, 4096 - least), lay_int(4096));
}

// "by" more where variable "v" is "at".
static const struct ix *more_at(struct spoiling *x, const struct ix *e, int64_t by,
                                const struct ix_var *v, int64_t at) {
    const struct ix *n = ix_var(x->s, v);
    const struct ix *is = ix_sub(x->s, reaches(x, n, at), reaches(x, n, at + 1));
    return ix_add(x->s, e, ix_scale(x->s, is, lay_int(by)));
}

static void spoil_access(struct spoiling *x, struct kir_node *n, const struct kir_node *loop) {
    bool stores = n->kind != KIR_LOAD && n->kind != KIR_STORE && n->to_at;
    const struct kir_buffer *b = n->buf ? n->buf : n->to_buf;
    int64_t by = b ? n->bits / b->elem->bits : 1, blocks;
    if (n->at && now(x, "further")) n->at = more(x, n->at, by);
    if (n->at && now(x, "back")) n->at = more(x, n->at, -by);
    if (stores && now(x, "to further")) n->to_at = more(x, n->to_at, by);
    if (stores && now(x, "to back")) n->to_at = more(x, n->to_at, -by);
    if (n->stage_at && now(x, "another register")) n->stage_at = more(x, n->stage_at, 1);
    if (n->kind == KIR_FILL && now(x, "another number")) ++n->constant;
    blocks = lay_int_static(x->k->grid[0]) ? x->k->grid[0].num : 1;
    const int64_t some[] = {0, 1, blocks / 2, blocks - 1};
    for (int i = 0; i < 4 && blocks > 1 && n->at && !x->ways; ++i) {
        if (now(x, "in one block")) n->at = more_at(x, n->at, by, x->k->block[0], some[i]);
    }
    // an iteration is one of those that are executed, too
    int64_t begin, end;
    if (loop && n->at && ix_static(loop->begin, &begin) && ix_static(loop->end, &end)) {
        const int64_t few[] = {begin, begin + 1, begin + (end - begin) / 2, end - 1};
        for (int i = 0; i < 4; ++i)
            if (now(x, "in one iteration")) n->at = more_at(x, n->at, by, loop->var, few[i]);
    }
    if (now(x, "left out")) n->kind = KIR_COMMENT;
}

static void spoil_conditions(struct spoiling *x, struct kir_node *n) {
    for (int i = 0; i < n->nconds; ++i) {
        struct kir_cond *c = (struct kir_cond *)&n->cond[i];
        if (now(x, "one less in a condition")) c->b = more(x, c->b, -1);
        if (now(x, "one more in a condition")) c->b = more(x, c->b, 1);
    }
    struct kir_cond *cut = (struct kir_cond *)n->cut;
    if (cut && now(x, "reads one less")) cut->b = more(x, cut->b, -1);
    if (cut && now(x, "reads one more")) cut->b = more(x, cut->b, 1);
    if (cut && now(x, "reads all")) n->cut = NULL;
}

static void spoil(struct spoiling *x, struct kir_node *list, const struct kir_node *loop) {
    for (struct kir_node *n = list; n; n = n->next) {
        switch (n->kind) {
        case KIR_LOAD:
        case KIR_STORE:
        case KIR_MOVE:
        case KIR_ASYNC:
        case KIR_FILL: spoil_access(x, n, loop); break;
        case KIR_FOR:
            if (now(x, "a loop begins late")) n->begin = more(x, n->begin, 1);
            if (now(x, "a loop ends early")) n->end = more(x, n->end, -1);
            if (now(x, "a loop ends late")) n->end = more(x, n->end, 1);
            for (int i = 0; i < n->nrings; ++i) {
                struct kir_ring *r = (struct kir_ring *)&n->ring[i];
                if (now(x, "a ring's first")) r->first = (r->first + 1) % r->size;
                if (now(x, "a ring's size")) ++r->size;
            }
            for (int i = 0; i < n->ncarries; ++i) {
                struct kir_carry *c = (struct kir_carry *)&n->carry[i];
                if (now(x, "a carried offset's first")) c->first = more(x, c->first, 4);
                if (now(x, "a carried offset's step")) c->step = more(x, c->step, 4);
            }
            break;
        case KIR_GUARD:
            if (now(x, "a thread less")) --n->count;
            break;
        case KIR_LET:
            if (now(x, "a let")) n->index = more(x, n->index, 4);
            break;
        case KIR_WAIT:
            if (arrival_row(n->arrival)->most) {
                if (now(x, "a wait for less")) ++n->arrival.count;
            } else if (now(x, "no barrier")) {
                n->kind = KIR_COMMENT;
            }
            break;
        default: break;
        }
        // one with two ways chooses between two that do the same
        if ((n->kind == KIR_IF && !n->orelse) || n->kind == KIR_ASYNC) spoil_conditions(x, n);
        x->ways += n->orelse != NULL;
        spoil(x, n->body, n->kind == KIR_FOR ? n : loop);
        spoil(x, n->orelse, loop);
        x->ways -= n->orelse != NULL;
    }
}

// The first access of "list" that has an index goes further in block "block" of axis "axis" alone,
// or with axis 3 in that iteration of its loop.
static bool spoil_one(struct spoiling *x, struct kir_node *list, const struct kir_node *loop,
                      int axis, int64_t at) {
    for (struct kir_node *n = list; n; n = n->next) {
        const struct kir_node *in = n->kind == KIR_FOR && !n->unroll ? n : loop;
        if (n->kind == KIR_LOAD || n->kind == KIR_MOVE) {
            n->at = more_at(x, n->at, n->bits / n->buf->elem->bits,
                            axis < 3 ? x->k->block[axis] : loop->var, at);
            x->made = "one";
            return true;
        }
        if (spoil_one(x, n->body, in, axis, at)) return true;
    }
    return false;
}

// Whether the check refuses the "i"-th spoiling, or with an axis that in block "i" alone; "none"
// when there are not so many.
static bool is_found(struct golden_plan *g, int axis, int i, bool *none) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct kir *ir = lower_plan(&g->s, g->p);
        struct spoiling x = {.s = &g->s, .k = ir->kernels, .left = i};
        if (axis < 0)
            spoil(&x, ir->kernels->body, NULL);
        else
            spoil_one(&x, ir->kernels->body, NULL, axis, i);
        if (!x.made) _exit(77);
        FILE *quiet = freopen("/dev/null", "w", stderr);
        bool ok = quiet && verify_kernels(&g->s, g->p, ir) && !g->s.diags.nerrors;
        if (ok && axis < 0) printf("spoiling %d: %s\n", i, x.made);
        fflush(stdout);
        _exit(ok ? 0 : 1);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fork");
        exit(2);
    }
    *none = WIFEXITED(status) && WEXITSTATUS(status) == 77;
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

// -- what is executed -----------------------------------------------------------------------------

// Blocks along an axis, or iterations (axis 3), in which a wrong access is found: those that the
// check executes.
static const struct {
    const char *extents, *kernel;  // after the tensors' type; behind the kernel's name
    int axis, n;
    const char *want;
} sets[] = {
    // a small kernel wholly
    {"(64,20)",
     "(A, out B) grid (20) { copy local_tile(A,(64,1),(0,block.x)) -> "
     "local_tile(B,(64,1),(0,block.x)) with v; }",
     0, 20, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "},
    {"(64,12)",
     "(A, out B) grid (1) { for i in 0 .. 12 { copy local_tile(A,(64,1),(0,i)) -> "
     "local_tile(B,(64,1),(0,i)) with v; } }",
     3, 12, "0 1 2 3 4 5 6 7 8 9 10 11 "},
    // the largest that is, and the next one
    {"(64,128)",
     "(A, out B) grid (128) { copy local_tile(A,(64,1),(0,block.x)) -> "
     "local_tile(B,(64,1),(0,block.x)) with v; }",
     0, 7, "0 1 2 3 4 5 6 "},
    {"(64,129)",
     "(A, out B) grid (129) { copy local_tile(A,(64,1),(0,block.x)) -> "
     "local_tile(B,(64,1),(0,block.x)) with v; }",
     0, 7, "0 1 "},
    {"(64,129)",
     "(A, out B) grid (1) { for i in 0 .. 129 { copy local_tile(A,(64,1),(0,i)) -> "
     "local_tile(B,(64,1),(0,i)) with v; } }",
     3, 7, "0 1 "},
    // of a larger one first, second, middle and last
    {"(64,1100)",
     "(A, out B) grid (11,100) { copy local_tile(A,(64,1),(0,block.x + 11*block.y)) -> "
     "local_tile(B,(64,1),(0,block.x + 11*block.y)) with v; }",
     0, 11, "0 1 5 10 "},
    {"(64,1100)",
     "(A, out B) grid (100,11) { copy local_tile(A,(64,1),(0,block.x + 100*block.y)) -> "
     "local_tile(B,(64,1),(0,block.x + 100*block.y)) with v; }",
     1, 11, "0 1 5 10 "},
    {"(64,1100)",
     "(A, out B) grid (100) { for i in 0 .. 11 { copy "
     "local_tile(A,(64,1),(0,i + 11*block.x)) -> "
     "local_tile(B,(64,1),(0,i + 11*block.x)) with v; } }",
     3, 11, "0 1 5 10 "},
    // all iterations where a loop has no more than its sample
    {"(64,1100)",
     "(A, out B) grid (275) { for i in 0 .. 4 { copy "
     "local_tile(A,(64,1),(0,i + 4*block.x)) -> "
     "local_tile(B,(64,1),(0,i + 4*block.x)) with v; } }",
     3, 4, "0 1 2 3 "},
    {"(64,1100)",
     "(A, out B) grid (220) { for i in 0 .. 5 { copy "
     "local_tile(A,(64,1),(0,i + 5*block.x)) -> "
     "local_tile(B,(64,1),(0,i + 5*block.x)) with v; } }",
     3, 5, "0 1 2 4 "},
};

static void test_sets(void) {
    for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i) {
        char text[2048], got[256] = "";
        struct golden_plan g;
        bool none;
        snprintf(text, sizeof text,
                 "tcp 1;\ntensor A : f32 global %s align 16;\ntensor B : f32 global %s align 16;\n"
                 "tiled_copy v = tile(universal(128), thr=(16,1), val=(4,1));\nkernel k%s\n",
                 sets[i].extents, sets[i].extents, sets[i].kernel);
        golden_compile(&g, text, STEP_VERIFY);
        if (CHECK(g.ok, "%s%s", text, golden_error(&g))) {
            for (int b = 0; b < sets[i].n; ++b)
                if (is_found(&g, sets[i].axis, b, &none)) sprintf(got + strlen(got), "%d ", b);
            CHECK(strcmp(got, sets[i].want) == 0, "%s\n  executes %s\n  not      %s", text, got,
                  sets[i].want);
        }
        golden_end(&g);
    }
}

// A refusal names what is there and what is meant.
static void test_words(void) {
    struct golden_plan g;
    golden_compile(
        &g,
        "tcp 1;\ntensor Z : f32 global (64) align 16;\ntensor A : f32 global (128) align 16;\n"
        "tensor B : f32 global (64) align 16;\ntensor C : f32 global (64) align 16;\n"
        "tiled_copy v = tile(universal(128), thr=16, val=4);\n"
        "kernel k(Z, A, out B, out C) grid (1) { copy local_tile(A, 64, 0) -> B with v; copy Z -> "
        "C with v; }\n",
        STEP_VERIFY);
    FILE *said = tmpfile();
    if (!CHECK(g.ok && said, "%s", golden_error(&g))) return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct kir *ir = lower_plan(&g.s, g.p);
        struct spoiling x = {.s = &g.s, .k = ir->kernels};
        spoil(&x, ir->kernels->body, NULL);
        dup2(fileno(said), STDERR_FILENO);
        verify_kernels(&g.s, g.p, ir);
        _exit(0);
    }
    char text[512] = "";
    waitpid(child, NULL, 0);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = 0;
    const char *want =
        "puts element 4 of 'A' into element 0 of 'B', where the plan means element 0 of 'A'";
    CHECK(strstr(text, want) != NULL, "%s\n  is not said, but\n%s", want, text);
    fclose(said);
    golden_end(&g);
}

int main(void) {
    for (size_t i = 0; i < sizeof plans / sizeof *plans; ++i) {
        struct golden_plan g;
        golden_compile(&g, plans[i], STEP_VERIFY);
        bool none = !CHECK(g.ok, "%s%s", plans[i], golden_error(&g));
        int n = 0;
        for (; !none; ++n) CHECK(is_found(&g, -1, n, &none), "%s\n  spoiling %d", plans[i], n);
        if (g.ok) CHECK(n > 8, "%s\n  can be spoilt %d times", plans[i], n);
        golden_end(&g);
    }
    test_sets();
    test_words();
    return check_done();
}
