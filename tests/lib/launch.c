// Launchers as data: what they say of tensors, params, checks and variants, that they outlive their
// result, and how small they are.  tests/emit/launchers-evaluated.test compares them with the
// emitted launchers.
//
//   launch [--time]
//
// prints how long an evaluation takes.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "tcpc.h"

static struct tcpc_result *compile(const char *text) {
    struct tcpc_options o = {.size = sizeof o, .emit = TCPC_EMIT_DEVICE};
    struct tcpc_result *r;
    tcpc_compile("a.tcp", text, strlen(text), &o, &r);
    CHECK(r->status == TCPC_OK, "%s", r->nmessages ? r->message[0]->text : "");
    return r;
}

// The launch of the only kernel of "text", whose result is freed; NULL after a failed check.
static const struct tcpc_launch *launch_of(const char *text) {
    struct tcpc_result *r = compile(text);
    const struct tcpc_launch *l = r->nlaunches == 1 ? tcpc_launch_keep(r->launch[0]) : NULL;
    if (!HOLDS(l != NULL)) exit(1);
    tcpc_free(r);
    return l;
}

static int is(const struct tcpc_value *v, const int64_t *param, int64_t want) {
    int64_t got;
    return tcpc_value_at(v, param, &got) && got == want;
}

static const char tiles[] = "tcp 1;\nparam M : index % 128 in 128 .. 4096;\nparam ld : index in 1 "
                            ".. 1000000000000000000 where ld >= M;\n"
                            "tensor X : f16 global (rows=64, cols=M):(ld, 1) align 16;\n"
                            "tensor Y : f16 global row(64, M) align 32;\n"
                            "tiled_copy tc = tile(auto(128), thr=(16), val=(8));\n"
                            "kernel one(X, out Y) grid (M / 128, 64) threads 16 {\n"
                            "  shared s : f16 (128);\n"
                            "  copy local_tile(X(block.y, _), (128), (block.x)) -> s with tc;\n"
                            "  copy s -> local_tile(Y(block.y, _), (128), (block.x)) with tc;\n}\n";

static void tensors_are_data(void) {
    const struct tcpc_launch *l = launch_of(tiles);
    const int64_t param[] = {256, 300};
    CHECK_STR(l->name, "one");
    CHECK_STR(l->launcher, "one_launch");
    HOLDS(l->size == sizeof *l && l->ntensors == 2 && l->nparams == 2 && l->ncomputed == 0);
    const struct tcpc_tensor *x = l->tensor[0], *y = l->tensor[1];
    CHECK_STR(x->name, "X");
    CHECK_STR(x->element, "f16");
    CHECK_STR(x->layout, "(64,M):(ld,1)");
    HOLDS(x->element_bits == 16 && x->direction == TCPC_IN && x->align == 16 && !x->swizzled);
    HOLDS(y->direction == TCPC_OUT && y->align == 32 && x->nmodes == 2);
    HOLDS(x->offset.number == 0 && !x->offset.expression);
    const struct tcpc_mode *rows = x->mode[0], *cols = x->mode[1];
    CHECK_STR(rows->name, "rows");
    HOLDS(rows->size == sizeof *rows && rows->extent.number == 64 && !rows->extent.expression);
    CHECK_STR(rows->extent.text, "64");
    CHECK_STR(cols->extent.text, "M");
    const struct tcpc_expression *m_of_plan = cols->extent.expression;
    HOLDS(m_of_plan && is(&cols->extent, param, 256));
    HOLDS(is(&rows->stride, param, 300) && cols->stride.number == 1 && !y->mode[0]->name);
    HOLDS(is(&x->bytes, param, 2 * (63 * 300 + 256)) && is(&y->bytes, param, 2 * 64 * 256));
    const struct tcpc_param *m = l->param[0];
    CHECK_STR(m->name, "M");
    HOLDS(m->least == 128 && m->most == 4096 && m->multiple == 128 && is(&m->value, param, 256));
    int64_t value;
    const int64_t far[] = {4096, INT64_MAX / 2};
    HOLDS(!tcpc_value_at(&x->bytes, far, &value));
    tcpc_launch_free(l);
    l = launch_of(
        "tcp 1;\nparam N, K : index in 1 .. 1000;\n"
        "tensor A : f32 global 8+(64):(1);\ntensor B : f32 global Sw<2,2,3> o 0 o (128);\n"
        "tensor C : f32 global (N + K);\n"
        "kernel half(A, inout B, inout C) grid (1) threads 64 {\n"
        "  copy A -> B(0 .. 64) with tile(auto(32), thr=(64), val=(1));\n"
        "  copy B(0 .. 1) -> C(0 .. 1) with tile(auto(32), thr=(1), val=(1));\n}\n");
    HOLDS(l->tensor[1]->direction == TCPC_INOUT && l->tensor[1]->swizzled);
    HOLDS(l->tensor[0]->offset.number == 8 && l->tensor[0]->bytes.number == 4 * 72);
    HOLDS(l->nparams == 2 && l->ncomputed == 1);
    CHECK_STR(l->param[2]->name, "N + K");
    HOLDS(is(&l->param[2]->value, (const int64_t[]){30, 12}, 42));
    HOLDS(is(&l->tensor[2]->mode[0]->extent, (const int64_t[]){30, 12}, 42));
    tcpc_launch_free(l);
}

// Of a planned copy: the planner's layouts, and behind them the plan's.
static void declared_tensors_are_data(void) {
    const struct tcpc_launch *l =
        launch_of("tcp 1;\nparam N, K : index in 1 .. 1000;\n"
                  "tensor A : f32 global (r=8, c=6, one=1, n=N):(6, 1, K, 48);\n"
                  "tensor ceil_div : f32 global 47+(8, 6):(-6, 1);\n"
                  "kernel turned(out ceil_div, A) { copy A(_, _, 0, 0) -> ceil_div; }\n");
    const struct tcpc_tensor *to = l->tensor[0], *a = l->tensor[1], *d = to->declared;
    HOLDS(l->ntensors == 2 && d && a->declared && !d->declared && !a->declared->declared);
    CHECK_STR(d->name, "ceil_div");
    CHECK_STR(d->layout, "47+(8,6):(-6,1)");
    HOLDS(d->nmodes == 2 && d->offset.number == 47 && d->direction == TCPC_OUT);
    HOLDS(d->mode[0]->stride.number == -6 && to->element_bits == d->element_bits);
    CHECK_STR(a->name, "A");
    HOLDS(a->declared->nmodes == 4 && a->declared->mode[3]->stride.number == 48);
    CHECK_STR(a->declared->mode[2]->name, "one");
    CHECK_STR(a->declared->mode[3]->extent.text, "N");
    tcpc_launch_free(l);
    l = launch_of("tcp 1;\ntensor A : f32 global (8, 6):(6, 1);\n"
                  "tensor B : f32 global (8, 6):(6, 1);\n"
                  "kernel copied(A, out B) grid (1) threads 48 {\n"
                  "  copy A -> B with tile(auto(32), thr=(8,6), val=(1,1));\n}\n");
    HOLDS(!l->tensor[0]->declared && !l->tensor[1]->declared);
    tcpc_launch_free(l);
}

static void checks_are_data(void) {
    static const enum tcpc_check_kind want[] = {TCPC_CHECK_RANGE,   TCPC_CHECK_MULTIPLE,
                                                TCPC_CHECK_RANGE,   TCPC_CHECK_RELATION,
                                                TCPC_CHECK_FITS,    TCPC_CHECK_POINTER,
                                                TCPC_CHECK_POINTER, TCPC_CHECK_APART};
    const struct tcpc_launch *l = launch_of(tiles);
    CHECK(l->nchecks == sizeof want / sizeof *want, "%zu checks", l->nchecks);
    for (size_t i = 0; i < l->nchecks; ++i)
        CHECK(l->check[i]->kind == want[i], "check %zu: %d", i, (int)l->check[i]->kind);
    HOLDS(l->check[0]->param == l->param[0] && l->check[2]->param == l->param[1]);
    const struct tcpc_check *relation = l->check[3], *fits = l->check[4], *apart = l->check[7];
    CHECK_STR(relation->text, "ld >= M");
    CHECK_STR(relation->left.text, relation->relation == TCPC_GE ? "ld" : "M");
    CHECK_STR(relation->right.text, relation->relation == TCPC_GE ? "M" : "ld");
    CHECK_STR(fits->text, "X");
    HOLDS(apart->tensor[0] == l->tensor[0] && apart->tensor[1] == l->tensor[1]);
    HOLDS(apart->interleaved && apart->nzeros == 0);
    tcpc_launch_free(l);
    // M may be 0: there is then nothing to do
    l = launch_of(
        "tcp 1;\nparam M : index in 0 .. 6400;\ntensor A : f32 global (M);\n"
        "tensor B : f32 global (M);\nkernel k(A, out B) grid (ceil_div(M, 64)) threads 64 {\n"
        "  copy local_tile(A, (64), (block.x)) -> local_tile(B, (64), (block.x))\n"
        "    with tile(auto(32), thr=(64), val=(1));\n}\n");
    const struct tcpc_check *nothing = NULL;
    for (size_t i = 0; i < l->nchecks; ++i)
        if (l->check[i]->kind == TCPC_CHECK_NOTHING) nothing = l->check[i];
    if (HOLDS(nothing && nothing->nzeros == 1 && nothing->zero[0].n == 1))
        CHECK_STR(nothing->zero[0].value[0].text, "M");
    tcpc_launch_free(l);
}

// What the relation "c" says of these params.
static int holds(const struct tcpc_check *c, const int64_t *param) {
    int64_t x, y;
    tcpc_value_at(&c->left, param, &x);
    tcpc_value_at(&c->right, param, &y);
    switch (c->relation) {
    case TCPC_EQ: return x == y;
    case TCPC_NE: return x != y;
    case TCPC_LT: return x < y;
    case TCPC_LE: return x <= y;
    case TCPC_GT: return x > y;
    case TCPC_GE: return x >= y;
    }
    return -1;
}

static void relations_are_data(void) {
    static const struct {
        const char *is;
        int64_t right, wrong;
    } rows[] = {{"==", 80, 81}, {"!=", 81, 80}, {"<", 79, 80},
                {"<=", 80, 81}, {">", 81, 80},  {">=", 80, 79}};
    for (int i = 0; i < 6; ++i) {
        char text[512];
        snprintf(text, sizeof text,
                 "tcp 1;\nparam b : index in 1 .. 1000;\nparam a : index in 1 .. 1000 where a %s "
                 "5*b;\ntensor A : f32 global (64,2,2):(1,a,b);\ntensor B : f32 global (64);\n"
                 "kernel k(A, out B) grid (1) threads 64 {\n"
                 "  copy A(_,1,1) -> B with tile(auto(32), thr=(64), val=(1));\n}\n",
                 rows[i].is);
        const struct tcpc_launch *l = launch_of(text);
        const struct tcpc_check *relation = NULL;
        for (size_t k = 0; k < l->nchecks; ++k)
            if (l->check[k]->kind == TCPC_CHECK_RELATION) relation = l->check[k];
        int first = strcmp(l->param[0]->name, "a") != 0;  // where "a" is
        for (int wrong = 0; relation && wrong < 2; ++wrong) {
            const uint64_t address[] = {1 << 20, 1 << 30};
            struct tcpc_call c = {.size = sizeof c};
            int64_t param[] = {16, 16};
            param[first] = wrong ? rows[i].wrong : rows[i].right;
            CHECK(holds(relation, param) == !wrong, "%s", relation->text);
            enum tcpc_launch_status s = tcpc_launch_evaluate(l, param, address, NULL, &c);
            CHECK(s == (wrong ? TCPC_LAUNCH_PRECONDITION : TCPC_LAUNCH_OK), "%s: %s",
                  relation->text, c.message);
        }
        CHECK(relation != NULL, "%s: no relation", rows[i].is);
        tcpc_launch_free(l);
    }
}

static void variants_are_data(void) {
    const struct tcpc_launch *l =
        launch_of("tcp 1;\nparam N, R : index in 1 .. 100000;\nparam ld : index where ld >= N;\n"
                  "tensor A : f32 global (N,R):(1,ld);\ntensor B : f32 global (N,R):(1,ld);\n"
                  "kernel k(A, out B) grid (ceil_div(N, 128), R) threads 32 {\n"
                  "  copy local_tile(A(_, block.y), (128), (block.x))\n"
                  "    -> local_tile(B(_, block.y), (128), (block.x))\n"
                  "    with tile(auto(128), thr=(32), val=(4));\n}\n");
    if (!CHECK(l->nvariants > 1, "%zu variants", l->nvariants)) exit(1);
    const struct tcpc_variant *v = l->variant[0], *last = l->variant[l->nvariants - 1];
    HOLDS(v->bits == 128 && v->number == 128 && v->when && v->nconditions > 0);
    HOLDS(last->nconditions == 0 && last->threads == 32);
    CHECK_STR(v->symbol, "k_kernel_128");
    int addresses = 0, values = 0, idle = 0;  // idle: not asked of one block or one step
    for (size_t i = 0; i < v->nconditions; ++i) {
        const struct tcpc_condition *c = v->condition[i];
        addresses += c->tensor && c->multiple == 16;
        values += !c->tensor && c->value.expression && c->multiple > 1;
        idle += c->unless != NULL;
    }
    HOLDS(addresses == 2 && values > 0 && idle > 0);
    HOLDS(v->shared_bytes == 0 && v->shared_to_set == 0);
    CHECK_STR(v->grid[0]->text, "ceil_div(N,128)");
    HOLDS(v->narguments >= 2 && v->argument[0]->tensor == l->tensor[0]);
    HOLDS(v->argument[1]->offset == 8 && v->argument[1]->bytes == 8 && !v->argument[1]->param);
    HOLDS(v->argument_bytes <= l->argument_bytes && l->argument_align == 8 && l->devices == 0);
    uint64_t address[] = {1 << 20, 1 << 30};
    const int64_t wide[] = {1000, 16, 1000}, narrow[] = {1000, 16, 1001};
    uint64_t arguments[8];
    struct tcpc_call c = {.size = sizeof c};
    HOLDS(sizeof arguments >= l->argument_bytes);
    HOLDS(tcpc_launch_evaluate(l, wide, address, arguments, &c) == TCPC_LAUNCH_OK);
    HOLDS(c.status == TCPC_LAUNCH_OK && c.variant == v && c.grid[0] == 8 && c.grid[1] == 16);
    HOLDS(arguments[0] == address[0] && arguments[1] == address[1] && c.message[0] == 0);
    HOLDS(tcpc_launch_variant(l, narrow, address) != v);
    const int64_t row[] = {1000, 1, 1001};
    HOLDS(tcpc_launch_variant(l, row, address) == v);
    address[0] += 4;
    HOLDS(tcpc_launch_variant(l, wide, address) != v);
    tcpc_launch_free(l);
}

static void wrong_calls_are_told(void) {
    const struct tcpc_launch *l = launch_of(
        "tcp 1;\nparam N : index % 4 in 0 .. 1099511627776;\ntensor A : f32 global (N) align 16;\n"
        "tensor B : f32 global (N) align 16;\n"
        "kernel k(A, out B) grid (1, ceil_div(N, 128)) threads 32 {\n"
        "  copy local_tile(A, (128), (block.y)) -> local_tile(B, (128), (block.y))\n"
        "    with tile(auto(128), thr=(32), val=(4));\n}\n");
    static const struct {
        int64_t n;
        uint64_t a, b;
        enum tcpc_launch_status status;
        const char *message;
    } rows[] = {
        {1024, 4096, 65536, TCPC_LAUNCH_OK, ""},
        {1024, 0, 65536, TCPC_LAUNCH_NULL, "k: 'A' is a null pointer"},
        {1024, 4096, 65540, TCPC_LAUNCH_ALIGNMENT,
         "k: 'B' must be aligned to 16 bytes, but its address 0x10004 is 4 bytes past a multiple "
         "of 16"},
        {1026, 4096, 65536, TCPC_LAUNCH_PRECONDITION, "k: 'N' = 1026 must be a multiple of 4"},
        {1024, 4096, 4160, TCPC_LAUNCH_OVERLAP, "k: the address ranges of 'A' and 'B' overlap"},
        {65536 * 128, 4096, 1 << 30, TCPC_LAUNCH_GRID,
         "k_kernel: the grid (1,65536,1) is too large; the most is (2147483647,65535,65535)"},
        {0, 0, 0, TCPC_LAUNCH_OK, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        uint64_t address[] = {rows[i].a, rows[i].b};
        struct tcpc_call c = {.size = sizeof c};
        enum tcpc_launch_status s = tcpc_launch_evaluate(l, &rows[i].n, address, NULL, &c);
        CHECK(s == rows[i].status && c.status == s, "row %zu: %d", i, (int)s);
        CHECK_STR(c.message, rows[i].message);
        CHECK((c.variant != NULL) == (i == 0), "row %zu", i);
    }
    struct tcpc_call c = {.size = 0, .status = TCPC_LAUNCH_GRID};
    HOLDS(tcpc_launch_evaluate(l, &rows[0].n, NULL, NULL, &c) == TCPC_LAUNCH_BAD_CALL);
    HOLDS(c.status == TCPC_LAUNCH_GRID);  // nothing else is read or written
    tcpc_launch_free(l);
    tcpc_launch_free(NULL);
    l = launch_of("tcp 1;\ntensor A : f16 global (64);\ntensor B : f16 global (64);\n"
                  "kernel k(A, out B) grid (1) threads 32 {\n"
                  "  copy A -> B with tile(universal(16), thr=(32), val=(2));\n}\n");
    const uint64_t odd[] = {4096, 65537};
    c.size = sizeof c;
    HOLDS(tcpc_launch_evaluate(l, NULL, odd, NULL, &c) == TCPC_LAUNCH_ALIGNMENT);
    CHECK_STR(c.message,
              "k: 'B' must be aligned to 2 bytes, but its address 0x10001 is 1 byte past "
              "a multiple of 2");
    tcpc_launch_free(l);
}

static void shared_memory_is_to_be_set(void) {
    const struct tcpc_launch *l =
        launch_of("tcp 1;\narch sm_90;\ntensor A : f32 global (128,128) align 16;\n"
                  "tensor B : f32 global (128,128) align 16;\n"
                  "kernel k(A, out B) grid (1) threads 128 {\n  shared s : f32 (128,128);\n"
                  "  copy A -> s with tile(auto(128), thr=(32,4), val=(4,1));\n"
                  "  copy s -> B with tile(auto(128), thr=(32,4), val=(4,1));\n}\n");
    HOLDS(l->variant[0]->shared_bytes == 65536 && l->variant[0]->shared_to_set == 65536);
    tcpc_launch_free(l);
}

static const char numbers[] =
    "tcp 1;\narch sm_90;\ntensor A : f16 global row(2,8,16,4,12,10) align 16;\n"
    "tensor B : f16 global row(10,4,16,12,2,8) align 16;\n"
    "kernel k(A, out B) { copy A -> select(B, (4,5,2,1,3,0)); }\n";

static void numbers_are_small(void) {
    struct tcpc_result *r = compile(numbers);
    if (!HOLDS(r->nlaunches == 1)) exit(1);
    const struct tcpc_launch *l = tcpc_launch_keep(r->launch[0]);
    tcpc_free(r);
    size_t before = mallinfo2().uordblks;
    tcpc_launch_free(l);
    size_t bytes = before - mallinfo2().uordblks;  // 0 under the address sanitizer
    CHECK(bytes <= 8192, "%zu bytes", bytes);
    printf("%zu bytes of a launch by numbers\n", bytes);
}

static const char boxes[] =
    "tcp 1;\narch sm_90;\nparam M : index in 1 .. 4096;\nparam ld : index in 64 .. 1000000;\n"
    "tensor X : f16 global 8*ld+(M,64):(8*ld,1) align 16;\n"
    "tensor Y : f16 global row(64*ceil_div(M,64),64) align 16;\n"
    "kernel boxes(X, out Y) grid (ceil_div(M,64)) threads 128 {\n"
    "  shared s : f16 Sw<3,3,3> o row(64,64);\n"
    "  copy local_tile(X, (64,64), (block.x, 0)) -> s with tma.load pad 0;\n"
    "  copy s -> local_tile(Y, (64,64), (block.x, 0)) with tile(universal(128), thr=(16,8):(8,1), "
    "val=(1,8));\n}\n";

static void devices_are_told(void) {
    const struct tcpc_launch *l = launch_of("tcp 1;\nmesh g (4);\n"
                                            "tensor A : f16 global row(m=64, n=64) over (g: m);\n"
                                            "tensor B : f16 global row(m=64, n=64) over (g: n);\n"
                                            "kernel k(A, out B) { copy A -> B; }\n");
    HOLDS(TCPC_HAS(l, devices) && l->devices == 4);
    HOLDS(l->variant[0]->narguments == 2 && l->variant[0]->argument_bytes == 16);
    tcpc_launch_free(l);
}

static void maps_are_data(void) {
    const struct tcpc_launch *l = launch_of(boxes);
    const int64_t param[] = {100, 66};
    const uint64_t address[] = {1 << 20, 1 << 30}, odd[] = {(1 << 20) + 8, 1 << 30};
    const struct tcpc_variant *v = l->variant[0];
    const struct tcpc_argument *a = v->argument[v->narguments - 1];
    const struct tcpc_map *m = a->map;
    if (!HOLDS(m && !a->tensor && !a->param)) return;
    HOLDS(a->bytes == TCPC_MAP_BYTES && a->offset % TCPC_MAP_BYTES == 0);
    HOLDS(l->argument_align == TCPC_MAP_BYTES && l->argument_bytes == a->offset + a->bytes);
    HOLDS(m->tensor == l->tensor[0] && m->rank == 2 && m->element_bytes == 2);
    HOLDS(m->swizzle_bytes == 128 && m->box[0] == 64 && m->box[1] == 64 && m->l2_bytes == 128 &&
          m->type == 1);
    HOLDS(is(&m->extent[1], param, 100) && is(&m->stride[1], param, 1056));
    struct tcpc_call c = {.size = sizeof c};
    struct tcpc_map_call x = {.size = sizeof x};
    HOLDS(tcpc_launch_map(l, m, param, address, &x, &c) == TCPC_LAUNCH_OK);
    HOLDS(x.type == 1 && x.rank == 2 && x.address == (1 << 20) + 16 * 66 && x.swizzle == 3 &&
          x.promotion == 2);
    HOLDS(x.extent[0] == 64 && x.extent[1] == 100 && x.stride[0] == 1056);
    HOLDS(x.box[0] == 64 && x.box[1] == 64 && x.step[0] == 1 && x.step[1] == 1 && x.clear);
    const int64_t far[] = {4096, 1000000};
    HOLDS(tcpc_launch_map(l, m, far, address, &x, &c) == TCPC_LAUNCH_OK && !x.clear);
    HOLDS(tcpc_launch_map(l, m, param, odd, &x, &c) == TCPC_LAUNCH_ALIGNMENT);
    HOLDS(strstr(c.message, "boxes: the tensor map of 'X'") != NULL);
    struct tcpc_map_call none = {.size = 0};
    HOLDS(tcpc_launch_map(l, m, param, address, &none, &c) == TCPC_LAUNCH_BAD_CALL);
    tcpc_launch_free(l);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void time_of(const char *what, const char *text, const int64_t *param) {
    enum { CALLS = 2000000 };
    const struct tcpc_launch *l = launch_of(text);
    const uint64_t address[] = {1 << 20, 1 << 30};
    struct tcpc_call c = {.size = sizeof c};
    uint64_t arguments[32];
    double start = seconds();
    for (int i = 0; i < CALLS; ++i) tcpc_launch_evaluate(l, param, address, arguments, &c);
    printf("%s: %.0f ns, status %d\n", what, (seconds() - start) / CALLS * 1e9, (int)c.status);
    tcpc_launch_free(l);
}

int main(int argc, char **argv) {
    const int64_t param[] = {1024, 1024};
    if (argc > 1 && strcmp(argv[1], "--time") == 0) {
        time_of("numbers", numbers, NULL);
        time_of("params", tiles, param);
        return 0;
    }
    tensors_are_data();
    declared_tensors_are_data();
    checks_are_data();
    relations_are_data();
    variants_are_data();
    wrong_calls_are_told();
    shared_memory_is_to_be_set();
    numbers_are_small();
    devices_are_told();
    maps_are_data();
    return check_done();
}
