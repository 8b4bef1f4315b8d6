// Is a type noticed that is too narrow?  In the Kernel IR of small plans each width of 64 bits is
// made one of 32, one at a time.  The check must find a number that does not fit, but where C
// computes the same: another factor or term has 64 bits already.
#include "driver/golden.h"
#include "plan/plan.h"

enum { MOST_DECIDED = 256 };

static const struct {
    const char *text;
    const char *same;  // the widths that change nothing, one a line
} plans[] = {
    // products of params, rows by blocks
    {"tcp 1;\nparam M : index in 1 .. 2000000;\nparam N : index % 4 in 4 .. 2000000;\n"
     "tensor A : f32 global row(M,N) align 16;\ntensor B : f32 global row(M,N) align 16;\n"
     "kernel k(A, out B) grid (M,ceil_div(N,128)) {\n"
     "  copy local_tile(A,(1,128),(block.x,block.y)) -> local_tile(B,(1,128),(block.x,block.y))\n"
     "    with tile(universal(128), thr=(1,32), val=(1,4)); }\n",
     "term 0 of 4*tid + N*block.x + 128*block.y\n"},  // N*block.x has 64 bits, and comes next
    // no param: a tensor of more than 2^31 elements, by blocks and a loop
    {"tcp 1;\ntensor A : f32 global (64,9,8000000) align 16;\n"
     "tensor B : f32 global (64,9,8000000) align 16;\n"
     "tiled_copy v = tile(universal(128), thr=(16,1,1), val=(4,1,1));\n"
     "kernel k(A, out B) grid (8000000) { for i in 0 .. 9 {\n"
     "  copy local_tile(A,(64,1,1),(0,i,block.x)) -> local_tile(B,(64,1,1),(0,i,block.x)) with v;\n"
     "} }\n",
     "term 0 of 4*tid + 576*block.x + 64*i\n"
     "term 0 of 4*tid + 576*block.x + 64*i\n"},
    // terms of which each fits, and their sum does not
    {"tcp 1;\ntensor A : f32 global (64,2,2):(1,1400000000,1400000064) align 16;\n"
     "tensor B : f32 global (64,2,2):(1,64,128) align 16;\n"
     "tiled_copy v = tile(universal(128), thr=(16,1,1), val=(4,1,1));\n"
     "kernel k(A, out B) grid (2,2) {\n"
     "  copy local_tile(A,(64,1,1),(0,block.x,block.y)) -> "
     "local_tile(B,(64,1,1),(0,block.x,block.y)) with v; }\n",
     ""},
    // a param that no int holds
    {"tcp 1;\nparam L : index in 1 .. 5000000000;\nparam P : index in 1 .. 1000;\n"
     "tensor A : f32 global (L,32);\ntensor B : f32 global (L,32);\n"
     "kernel k(A, out B) grid (P) threads 32 {\n"
     "  for i in block.x * L / P .. (block.x + 1) * L / P {\n"
     "    copy A(i, tid) -> B(i, tid) with universal(32); } }\n",
     "term 0 of L*block.x\nterm 0 of L*block.x + L\nterm 1 of L*block.x + L\n"  // L has 64 bits
     "term 0 of L*tid + i\nterm 1 of L*tid + i\n"
     "term 0 of L*tid + i\nterm 1 of L*tid + i\n"},
    // a pipeline, whose offsets go along with it
    {"tcp 1;\nparam T : index in 1 .. 20000;\nparam N : index % 4 in 64 .. 1000000;\n"
     "tensor A : f32 global (64,T):(1,N) align 16;\ntensor B : f32 global (64,T):(1,N) align 16;\n"
     "tiled_copy g2s = tile(cp_async.cg(16), thr=(16,1), val=(4,1));\n"
     "tiled_copy s2g = tile(universal(32), thr=(16,1), val=(4,1));\n"
     "kernel k(A, out B) { shared s : f32 (64,1) stages 3;\n"
     "  pipeline i in 0 .. T {\n"
     "    load { copy local_tile(A,(64,1),(0,i)) -> s with g2s; }\n"
     "    use { copy s -> local_tile(B,(64,1),(0,i)) with s2g; } } }\n",
     "term 0 of 4*tid + N*i_load\nterm 1 of 4*tid + N*i_load\n"  // the first loads: of few steps
     "term 0 of 4*tid + N*i_load\nterm 0 of 4*tid + N*i\nterm 0 of at_B + j\n"},
    // roles, each of which counts its own steps
    {"tcp 1;\nparam T : index in 1 .. 2147483647;\nparam N : index % 4 in 128 .. 1000000;\n"
     "tensor A : f32 global (128,T):(1,N) align 16;\ntensor B : f32 global (128,T):(1,N) align "
     "16;\n"
     "tiled_copy g2s = tile(cp_async.cg(16), thr=(32,1), val=(4,1));\n"
     "tiled_copy s2g = tile(universal(128), thr=(32,1), val=(4,1));\n"
     "kernel k(A, out B) grid (1) threads 64 { shared s : f32 (128,1) stages 3;\n"
     "  pipeline i in 0 .. T warps (load = 1, use = 1) {\n"
     "    load { copy local_tile(A,(128,1),(0,i)) -> s with g2s; }\n"
     "    use { copy s -> local_tile(B,(128,1),(0,i)) with s2g; } } }\n",
     "variable i_end\nterm 0 of 4*tid + N*i\nterm 1 of i_end + 2\n"
     "term 0 of N*i + 4*load_tid\n"},  // this i counts two steps more, and has 64 bits
};

// The widths of 64 bits, each once.
struct widths {
    struct session *s;
    int *at[MOST_DECIDED];
    const char *what[MOST_DECIDED];
    int n;
};

static void add(struct widths *w, const int *bits, const char *what, const struct ix *e) {
    for (int i = 0; i < w->n; ++i)
        if (w->at[i] == bits) return;
    if (*bits != 64 || !CHECK(w->n < MOST_DECIDED, "too many widths")) return;
    w->at[w->n] = (int *)bits;
    w->what[w->n++] = e ? arena_printf(&w->s->arena, "%s of %s", what, ix_text(w->s, e)) : what;
}

static void add_ix(struct widths *w, const struct ix *e) {
    if (!e) return;
    if (e->op == IX_DIV || e->op == IX_MOD) add(w, &e->divisor_bits, "divisor", e);
    if (e->op != IX_SUM && e->op != IX_VAR) add_ix(w, e->a);
    for (int i = 0; e->op == IX_SUM && i < e->nterms; ++i) {
        add(w, &e->term[i].bits, arena_printf(&w->s->arena, "term %d", i), e);
        add_ix(w, e->term[i].atom);
    }
}

static void add_list(struct widths *w, struct kir_node *list) {
    for (struct kir_node *n = list; n; n = n->next) {
        const struct ix *all[] = {n->index, n->begin, n->end, n->at, n->to_at, n->stage_at};
        for (size_t i = 0; i < sizeof all / sizeof *all; ++i) add_ix(w, all[i]);
        for (int i = 0; i < n->nconds; ++i) {
            add_ix(w, n->cond[i].a);
            add_ix(w, n->cond[i].b);
        }
        for (int i = 0; i < n->ncarries; ++i) {
            const struct kir_carry *c = &n->carry[i];
            add(w, &c->bits, arena_printf(&w->s->arena, "variable %s", c->var->name), NULL);
            add_ix(w, c->first);
            add_ix(w, c->step);
        }
        if (n->var)
            add(w, &n->var_bits, arena_printf(&w->s->arena, "variable %s", n->var->name), NULL);
        add_list(w, n->body);
        add_list(w, n->orelse);
    }
}

static void test_plan(const char *text, const char *same) {
    struct golden_plan g;
    golden_compile(&g, text, STEP_EXPECT);
    if (CHECK(g.ok, "%s%s", text, golden_error(&g))) {
        struct kir *ir = lower_plan(&g.s, g.p);
        struct kir_kernel *x = ir->kernels;
        const struct kernel *k = plan_next(g.p, NULL);
        struct widths w = {.s = &g.s};
        const char *got = "", *why = widths_trouble(&g.s, g.p, k, x);
        CHECK(!why, "%s%s", text, why);
        add_list(&w, x->body);
        CHECK(w.n > 0, "nothing has 64 bits: %s", text);
        for (int i = 0; i < w.n; ++i) {
            *w.at[i] = 32;
            why = widths_trouble(&g.s, g.p, k, x);
            *w.at[i] = 64;
            if (why)
                CHECK(strstr(why, "32 bits"), "%s: %s", w.what[i], why);
            else
                got = arena_printf(&g.s.arena, "%s%s\n", got, w.what[i]);
        }
        for (int i = 0; i < x->nparams; ++i) {
            struct kir_param *p = &x->param[i];
            if (p->narrow || p->hi <= INT32_MAX) continue;
            p->narrow = true;
            CHECK(widths_trouble(&g.s, g.p, k, x), "param %s", p->name);
            p->narrow = false;
        }
        CHECK(strcmp(got, same) == 0, "%sof %d widths these change nothing:\n%s  not\n%s", text,
              w.n, got, same);
    }
    golden_end(&g);
}

int main(void) {
    for (size_t i = 0; i < sizeof plans / sizeof *plans; ++i)
        test_plan(plans[i].text, plans[i].same);
    return check_done();
}
