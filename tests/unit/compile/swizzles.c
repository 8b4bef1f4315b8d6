// What 'swizzle auto' chooses by the copies of its buffer alone is what it chooses when the function
// is compiled with each candidate: random plans, with tiles of many forms, slots, params that are
// promised or not, buffers that are copied to one another, swizzles of one's own, and what asks for
// layouts: expectations, constants and functions.
#include <stdarg.h>

#include "autoswizzle/autoswizzle.h"
#include "driver/golden.h"

enum { PLANS = 24, MOST = 8, TEXT = 8192 };

struct writer {
    uint64_t seed;
    char text[TEXT];
    size_t n;
};

static int draw(struct writer *w, int n) {
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((w->seed >> 33) % (uint64_t)n);
}
#define PICK(w, ...)                                                                               \
    ((const int[]){__VA_ARGS__})[draw(w, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))]

static void put(struct writer *w, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(w->text + w->n, TEXT - w->n, format, ap);
    va_end(ap);
    w->n += (size_t)n < TEXT - w->n ? (size_t)n : TEXT - w->n - 1;
}

// A tile of "threads" over "rows" times "columns" elements of "bits".
static void put_tile(struct writer *w, int bits, int threads, int rows, int columns, bool load) {
    int width = PICK(w, bits, bits, 32, 64, 128), across = 1 << draw(w, 6);
    if (width < bits) width = bits;
    int values = width / bits;
    while (across > 1 && across * values > columns) across /= 2;
    int down = threads / across;
    while (down > rows) down /= 2;
    bool async = load && width >= 32 && draw(w, 4) == 0;
    if (async)
        put(w, "tile(cp_async.ca(%d), ", width / 8);
    else
        put(w, "tile(%s(%d), ", draw(w, 3) ? "auto" : "universal", width);
    put(w, draw(w, 2) ? "thr=(%d,%d)" : "thr=(%d,%d):(%d,1)", down, across, across);
    put(w, ", val=(1,%d))", values);
}

static void put_buffer(struct writer *w, int i, const char *type, int rows, int columns) {
    put(w, "  shared s%d : %s ", i, type);
    switch (draw(w, 8)) {
    case 0: put(w, "(%d,%d)", rows, columns); break;
    case 1: put(w, "(r=%d,c=%d)", rows, columns); break;
    case 2: put(w, "(%d,%d):(%d,1)", rows, columns, columns + 4); break;
    case 3: put(w, "Sw<2,3,3> o 0 o row(%d,%d)", rows, columns); break;
    default: put(w, "row(%d,%d)", rows, columns);
    }
    put(w, " swizzle auto");
}

// What else depends on how buffer "i" is arranged, which not every arrangement suits.
static void put_question(struct writer *w, int i, int rows, int columns) {
    int other = i > 0 ? i - 1 : i;
    switch (draw(w, 12)) {
    case 0: put(w, "  expect cosize(s%d) == %d;\n", i, rows * columns); break;
    case 1: put(w, "  expect crd2idx((1,1), s%d) == %d;\n", i, columns + 1); break;
    case 2: put(w, "  expect crd2idx((0,1), s%d) == 1;\n", i); break;
    case 3: put(w, "  expect crd2idx((3,5), s%d) != %d;\n", i, 3 * columns + 5); break;
    case 4: put(w, "  expect cosize(s%d) == cosize(s%d);\n", i, other); break;
    case 5: put(w, "  let n%d = cosize(s%d);\n  expect n%d >= %d;\n", i, i, i, rows); break;
    case 6: put(w, "  call whole(s%d);\n", i); break;
    case 7:
        put(w, "  let o%d = crd2idx((1,1), s%d);\n  expect o%d == %d;\n", i, i, i, columns + 1);
        break;
    case 8:
        put(w,
            "  let o%d = crd2idx((1,0), s%d);\n  let p%d = 64 / (o%d - %d);\n  expect p%d != 3;\n",
            i, i, i, i, columns + 4, i);
        break;
    case 9:
        put(w,
            "  let o%d = crd2idx((2,3), s%d);\n  let p%d = o%d + cosize(s%d);\n  expect p%d > 9;\n",
            i, i, i, i, other, i);
        break;
    case 10:
        put(w, "  let o%d = crd2idx((1,1), s%d);\n  for j%d in 0 .. o%d %% 8 { }\n", i, i, i, i);
        break;
    default: put(w, "  call first(s%d(0,_));\n", i);
    }
}

static void write_plan(struct writer *w) {
    static const struct {
        const char *name;
        int bits;
    } types[] = {{"u8", 8}, {"f16", 16}, {"f32", 32}, {"f64", 64}};
    int type = draw(w, 4), bits = types[type].bits, buffers = 1 + draw(w, 3);
    const char *name = types[type].name;
    int rows = PICK(w, 8, 16, 32, 33, 24), columns = PICK(w, 16, 32, 40, 48);
    int threads = PICK(w, 32, 64, 128);
    bool ragged = draw(w, 6) == 0;
    const char *align = draw(w, 2) ? " align 16" : "", *at = ragged ? "block.x" : "0";
    const char *pad = ragged && draw(w, 2) ? " pad 0" : "", *order = draw(w, 4) ? "row" : "col";
    w->n = 0;
    put(w, "tcp 1;\narch sm_90;\nparam M : index in 1 .. 1000;\n");
    for (const char *x = "AB"; *x; ++x)
        put(w,
            ragged ? "tensor %c : %s global %s(M,%d)%s;\n" : "tensor %c : %s global %s(64,%d)%s;\n",
            *x, name, order, columns, align);
    put(w, "tensor D : %s global row(%d,64)%s;\n", name, columns, align);
    put(w, "extern device whole(x : %s shared row(%d,%d)) from \"f.cuh\";\n", name, rows, columns);
    put(w, "extern device first(x : %s shared (%d)) from \"f.cuh\";\n", name, columns);
    put(w, "kernel k(A, inout B, inout D) grid (%s) threads %d {\n", ragged ? "ceil_div(M,8)" : "1",
        threads);
    for (int i = 0; i < buffers; ++i) {
        put_buffer(w, i, name, rows, columns);
        bool slots = draw(w, 6) == 0;
        put(w, slots ? " stages %d;\n" : ";\n", 1 + draw(w, 3));
        if (slots) put(w, "  pipeline p%d in 0 .. 4 { load {\n", i);
        put(w, "  copy local_tile(A, (%d,%d), (%s,0)) -> s%d with ", rows, columns, at, i);
        put_tile(w, bits, threads, rows, columns, true);
        put(w, "%s;\n", pad);
        if (slots) put(w, "  } use {\n");
        int how = slots ? 3 : draw(w, 5);
        if (how == 0 && i > 0) {
            put(w, "  copy s%d -> s%d with ", i, i - 1);
            put_tile(w, bits, threads, rows, columns, false);
            put(w, ";\n");
        }
        if (how == 1 || how == 2)
            put(w, "  copy select(s%d, (1,0)) -> local_tile(D, (%d,%d), (0,0)) with ", i, columns,
                rows);
        else
            put(w, "  copy s%d -> local_tile(B, (%d,%d), (%s,0)) with ", i, rows, columns, at);
        put_tile(w, bits, threads, how == 1 || how == 2 ? columns : rows,
                 how == 1 || how == 2 ? rows : columns, false);
        put(w, slots ? "; } }\n" : ";\n");
        if (draw(w, 3) == 0) put_question(w, i, rows, columns);
    }
    put(w, "}\n");
}

struct chosen {
    int status, n;
    struct swizzle_choice at[MOST];
    char pad[MOST][64];
};

// What is chosen; plans need not be right, as that is asked of what has been chosen.
static void choose(const char *text, bool one_by_one, struct chosen *out) {
    struct session s;
    struct compiled c;
    struct given given = {"plan.tcp", text, strlen(text), NULL};
    session_init(&s);
    s.diags.off_all = true;
    s.sources.given = &given;
    compile_begin(&c, &s, "plan.tcp");
    c.as_it_is = true;
    c.one_by_one = one_by_one;
    memset(out, 0, sizeof *out);
    out->status = steps_until(&c, STEP_SEMA);
    out->n = c.nswizzles < MOST ? c.nswizzles : MOST;
    for (int i = 0; i < out->n; ++i) {
        out->at[i] = c.swizzle[i];
        snprintf(out->pad[i], sizeof out->pad[i], "%s", c.swizzle[i].text ? c.swizzle[i].text : "");
    }
    session_release(&s);
}

static bool same(const struct chosen *a, const struct chosen *b) {
    bool all = a->status == b->status && a->n == b->n;
    for (int i = 0; i < a->n && all; ++i)
        all = a->at[i].b == b->at[i].b && a->at[i].m == b->at[i].m && a->at[i].s == b->at[i].s &&
              strcmp(a->pad[i], b->pad[i]) == 0;
    return all;
}

#define TURN                                                                                       \
    "tcp 1;\narch sm_90;\ntensor A : f32 global row(64,64) align 128;\n"                           \
    "tensor B : f32 global row(64,64) align 128;\n"                                                \
    "tiled_copy words = tile(universal(32), thr=(8,32):(32,1), val=(1,1));\n"                      \
    "tiled_copy wide = tile(auto(128), thr=(16,16):(16,1), val=(1,4));\n"                          \
    "kernel k(A, inout B) threads 256 {\n  shared s : f32 row(64,64) swizzle auto;\n"
static const char *const fixed[] = {
    TURN "  copy A -> s with words;\n  copy select(s, (1,0)) -> B with words;\n}\n",
    // no swizzle keeps what is asked of the layout
    TURN "  copy A -> s with words;\n  copy select(s, (1,0)) -> B with words;\n"
         "  expect crd2idx((3,5), s) == 197;\n}\n",
    // the swizzle of 's' leaves words of the copy to 't'
    TURN
    "  shared t : f32 row(64,64) swizzle auto;\n  copy A -> s with words;\n"
    "  copy select(s, (1,0)) -> B with words;\n"
    "  copy select(s, (1,0)) -> select(t, (1,0)) with tile(auto(128), thr=(16,16), val=(4,1));\n"
    "  copy select(t, (1,0)) -> B with tile(universal(32), thr=(16,16):(16,1), val=(1,1));\n}\n",
    // what is asked of 's' refuses swizzles that 't' takes, and one asks for both
    TURN "  shared t : f32 row(64,32) swizzle auto;\n  copy A -> s with words;\n"
         "  copy select(s, (1,0)) -> B with words;\n"
         "  copy local_tile(A, (64,32), (0,0)) -> t with words;\n"
         "  copy select(t, (1,0)) -> local_tile(B, (32,64), (0,0)) with words;\n"
         "  expect crd2idx((3,5), s) == 197;\n  expect crd2idx((3,5), t) != 101;\n}\n",
    TURN "  shared t : f32 row(64,64) swizzle auto;\n  copy A -> s with words;\n"
         "  copy select(s, (1,0)) -> B with words;\n  copy A -> t with words;\n"
         "  copy select(t, (1,0)) -> B with words;\n"
         "  expect crd2idx((3,5), s) == crd2idx((3,5), t);\n}\n",
    // a constant is asked for by an `expect`, by another constant, and by a loop
    TURN "  let at = crd2idx((3,5), s);\n  copy A -> s with words;\n"
         "  copy select(s, (1,0)) -> B with words;\n  expect at == 197;\n}\n",
    TURN
    "  let at = crd2idx((1,0), s);\n  copy A -> s with words;\n"
    "  copy select(s, (1,0)) -> B with words;\n  let p = 64 / (at - 65);\n  expect p < 0;\n}\n",
    TURN "  shared t : f32 row(64,64) swizzle auto;\n  copy A -> s with words;\n"
         "  copy select(s, (1,0)) -> B with words;\n  copy A -> t with words;\n"
         "  copy select(t, (1,0)) -> B with words;\n"
         "  let at = crd2idx((3,5), s);\n  expect at == crd2idx((3,5), t);\n}\n",
    TURN "  copy A -> s with words;\n  copy select(s, (1,0)) -> B with words;\n"
         "  let at = crd2idx((1,1), s);\n  for j in 0 .. at - 60 { }\n}\n",
};

int main(void) {
    int swizzled = 0, padded = 0, nfixed = (int)(sizeof fixed / sizeof *fixed);
    static struct writer w = {.seed = 1};
    for (int i = 0; i < PLANS + nfixed; ++i) {
        struct chosen fast, slow;
        if (i >= PLANS)
            snprintf(w.text, sizeof w.text, "%s", fixed[i - PLANS]);
        else
            write_plan(&w);
        choose(w.text, false, &fast);
        choose(w.text, true, &slow);
        CHECK(same(&fast, &slow), "plan %d\n%s", i, w.text);
        for (int k = 0; k < slow.n; ++k) {
            swizzled += slow.at[k].b > 0;
            padded += slow.at[k].text != NULL;
        }
    }
    CHECK(swizzled > 5 && padded > 1, "%d swizzles and %d paddings", swizzled, padded);
    return check_done();
}
