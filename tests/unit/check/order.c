// The race checker on small Kernel IR, written as text, with the exact verdict on each: which two
// accesses, which bytes, and what is missing between them.
//
// A program is a list of statements, its nodes numbered as they stand there from 1 on:
//   w BUF E      write, r BUF E  read; w4, r4: four elements in one access
//   a GLOBAL E BUF E   asynchronous copy, a4 of four elements;  m BUF E BUF E  a copy at once
//   .. where E E    only where first below second;  a4 .. cut E E  its first (second - first) alone
//   bar  com  wait N
//   for V E E { }   most N for .. (iterations)   if E E { } else { }  (first below second)   lt N {
//   }   let V E   box { } wide for ..     a loop with a ring that goes up from 5 below 8 in 'q',
//   and a carried offset of
//                   16 an iteration from 0 on in 'p'
//   in E N { }      if E < N, as a guard with an index
//   steps V E S M [from B]   let V be E, where a pipeline of S stages ends that starts at 0, or B,
//                   and has M steps at most
//   call BUF E N rw [BUF E N rw]   an extern function that reads or writes N elements
// E: a sum, "8i+2t-3", of numbers and the variables; t is the thread, N the param.
#include "check/order.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/session.h"
#include "check.h"
#include "image/sample.h"
#include "layout/algebra.h"

enum { THREADS = 8, NAMES = 128, BUFFERS = 7 };

struct test {
    struct session s;
    const char *at;  // in the text
    int nodes;
    struct ix_var var[NAMES];  // by letter
    const struct lay_sym *param;
    struct kir_buffer buf[BUFFERS];
    struct kir_kernel k;
    const struct kir_node *node[256];
};

// s, q: shared, of 64 floats and 64 KiB floats; h: shared, of 64 halves; g: global, read and
// written; c: global, only read; x: a shared buffer of the caller's; b: shared bytes.
static const struct kir_buffer buffers[BUFFERS] = {
    {.space = KIR_SHARED, .name = "s", .elem_bits = 32, .count = 64},
    {.space = KIR_SHARED, .name = "q", .elem_bits = 32, .count = 65536},
    {.space = KIR_SHARED, .name = "h", .elem_bits = 16, .count = 64},
    {.space = KIR_GLOBAL, .name = "g", .elem_bits = 32, .read = true, .written = true},
    {.space = KIR_GLOBAL, .name = "c", .elem_bits = 32, .read = true},
    {.space = KIR_SHARED, .name = "x", .elem_bits = 32, .count = 64, .outside = true},
    {.space = KIR_SHARED, .name = "b", .elem_bits = 8, .count = 64},
};

static void begin(struct test *x) {
    session_init(&x->s);
    x->param = lay_param(&x->s.lay, "N", 1, 0, 200);
    memcpy(x->buf, buffers, sizeof buffers);
    for (int i = 0; i < NAMES; ++i)
        x->var[i] = (struct ix_var){.kind = i == 't' ? IX_TID : IX_LOOP,
                                    .name = arena_printf(&x->s.arena, "%c", i),
                                    .c_name = "v",
                                    .id = x->s.next_var++,
                                    .lo = lay_int(INT64_MIN),
                                    .end = LAY_INT_INVALID};
    x->k = (struct kir_kernel){.name = "k", .threads = THREADS, .tid = &x->var['t']};
}

// -- text -----------------------------------------------------------------------------------------

static const char *skip(struct test *x) {
    while (*x->at == ' ' || *x->at == '\n' || *x->at == ';') ++x->at;
    return x->at;
}

static bool take(struct test *x, const char *word) {
    size_t n = strlen(word);
    if (strncmp(skip(x), word, n) != 0 || (isalpha(word[0]) && isalnum(x->at[n]))) return false;
    x->at += n;
    return true;
}

static int64_t number(struct test *x) {
    char *end;
    int64_t n = strtoll(skip(x), &end, 10);
    x->at = end;
    return n;
}

static const struct ix *expression(struct test *x) {
    const struct ix *sum = ix_int(&x->s, 0);
    skip(x);
    for (bool first = true; first || *x->at == '+' || *x->at == '-'; first = false) {
        int64_t sign = *x->at == '-' ? -1 : 1, n = 1;
        if (*x->at == '-' || *x->at == '+') ++x->at;
        bool digits = isdigit(*x->at);
        if (digits) n = strtoll(x->at, (char **)&x->at, 10);
        const struct ix *atom = ix_int(&x->s, 1);
        if (*x->at == 'N') {
            atom = ix_lay(&x->s, lay_int_sym(&x->s.lay, x->param));
            ++x->at;
        } else if (isalpha(*x->at)) {
            atom = ix_var(&x->s, &x->var[(int)*x->at++]);
        }
        sum = ix_add(&x->s, sum, ix_scale(&x->s, atom, lay_int(sign * n)));
    }
    return sum;
}

static struct kir_buffer *buffer(struct test *x) {
    for (int i = 0; i < BUFFERS; ++i) {
        if (take(x, x->buf[i].name)) return &x->buf[i];
    }
    fprintf(stderr, "no buffer: %s\n", x->at);
    exit(2);
}

static const struct ix_var *variable(struct test *x) {
    skip(x);
    return &x->var[(int)*x->at++];
}

static struct kir_node *list(struct test *x);

static struct kir_node *braces(struct test *x) {
    if (!take(x, "{")) {
        fprintf(stderr, "no body: %s\n", x->at);
        exit(2);
    }
    struct kir_node *n = list(x);
    take(x, "}");
    return n;
}

static void call(struct test *x, struct kir_node *n) {
    struct kir_arg *arg = ARENA_ARRAY(&x->s.arena, struct kir_arg, 4);
    n->kind = KIR_CALL;
    n->arg = arg;
    for (; strchr("sqhgcxb", *skip(x)) && x->at[1] == ' '; ++n->nargs) {
        struct kir_arg *a = &arg[n->nargs];
        a->buf = buffer(x);
        a->at = expression(x);
        int64_t count = number(x);
        a->layout = lay_make(&x->s.lay, lay_leaf(&x->s.lay, lay_int(count)),
                             lay_leaf(&x->s.lay, lay_int(1)));
        skip(x);
        for (; *x->at == 'r' || *x->at == 'w'; ++x->at)
            *(*x->at == 'r' ? &a->read : &a->written) = true;
        if (!*skip(x)) return (void)++n->nargs;
    }
}

static void loop(struct test *x, struct kir_node *n) {
    n->kind = KIR_FOR;
    n->var = variable(x);
    n->begin = expression(x);
    n->end = expression(x);
    n->most = INT64_MAX;
    n->body = braces(x);
}

static bool access(struct test *x, struct kir_node *n) {
    static const struct {
        const char *word;
        enum kir_kind kind;
        int elements;
    } all[] = {{"w", KIR_STORE, 1}, {"w4", KIR_STORE, 4}, {"r", KIR_LOAD, 1}, {"r4", KIR_LOAD, 4},
               {"a", KIR_ASYNC, 1}, {"a4", KIR_ASYNC, 4}, {"m", KIR_MOVE, 1}, {"m4", KIR_MOVE, 4}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (!take(x, all[i].word)) continue;
        n->kind = all[i].kind;
        n->buf = buffer(x);
        n->at = expression(x);
        n->bits = all[i].elements * n->buf->elem_bits;
        if (n->kind == KIR_ASYNC || n->kind == KIR_MOVE) {
            n->to_buf = buffer(x);
            n->to_at = expression(x);
        }
        bool where = take(x, "where");
        if (where || take(x, "cut")) {
            struct kir_cond *c = ARENA_NEW(&x->s.arena, struct kir_cond);
            c->a = expression(x);
            c->b = expression(x);
            *(where ? &n->cond : &n->cut) = c;
            n->nconds = where;
        }
        return true;
    }
    return false;
}

static struct kir_node *statement(struct test *x) {
    struct kir_node *n = ARENA_NEW(&x->s.arena, struct kir_node);
    x->node[++x->nodes] = n;
    if (access(x, n)) return n;
    if (take(x, "bar")) {
        n->kind = KIR_BARRIER;
    } else if (take(x, "com")) {
        n->kind = KIR_COMMIT;
    } else if (take(x, "wait")) {
        n->kind = KIR_WAIT;
        n->pending = (int)number(x);
    } else if (take(x, "for")) {
        loop(x, n);
    } else if (take(x, "most")) {
        int64_t most = number(x);
        take(x, "for");
        loop(x, n);
        n->most = most;
    } else if (take(x, "wide for")) {
        struct kir_ring *ring = ARENA_NEW(&x->s.arena, struct kir_ring);
        struct kir_carry *carry = ARENA_NEW(&x->s.arena, struct kir_carry);
        *ring = (struct kir_ring){&x->var['q'], 5, 8};
        *carry = (struct kir_carry){&x->var['p'], ix_int(&x->s, 0), ix_int(&x->s, 16)};
        n->ring = ring;
        n->carry = carry;
        n->nrings = n->ncarries = 1;
        n->whole = true;
        loop(x, n);
    } else if (take(x, "if")) {
        struct kir_cond *c = ARENA_NEW(&x->s.arena, struct kir_cond);
        c->a = expression(x);
        c->b = expression(x);
        n->kind = KIR_IF;
        n->cond = c;
        n->nconds = 1;
        n->body = braces(x);
        if (take(x, "else")) n->orelse = braces(x);
    } else if (take(x, "lt")) {
        n->kind = KIR_GUARD;
        n->count = number(x);
        n->body = braces(x);
    } else if (take(x, "in")) {
        n->kind = KIR_GUARD;
        n->index = expression(x);
        n->count = number(x);
        n->body = braces(x);
    } else if (take(x, "box")) {
        n->kind = KIR_BLOCK;
        n->body = braces(x);
    } else if (take(x, "let")) {
        n->kind = KIR_LET;
        n->var = variable(x);
        n->index = expression(x);
    } else if (take(x, "steps")) {
        n->kind = KIR_LET;
        n->var = variable(x);
        n->index = expression(x);
        n->count = number(x);
        n->most = number(x);
        n->sampled = ix_int(&x->s, sample_steps(n->count) + (take(x, "from") ? number(x) : 0));
    } else if (take(x, "call")) {
        call(x, n);
    } else {
        fprintf(stderr, "no statement: %s\n", x->at);
        exit(2);
    }
    return n;
}

static struct kir_node *list(struct test *x) {
    struct kir_node *first = NULL, **to = &first;
    while (*skip(x) && *x->at != '}') {
        *to = statement(x);
        to = &(*to)->next;
    }
    return first;
}

static int number_of(const struct test *x, const struct kir_node *n) {
    for (int i = 1; i <= x->nodes; ++i)
        if (x->node[i] == n) return i;
    return 0;
}

// "3r1 after 1w0: s 4..7, barrier": node 3 of thread 1 reads these bytes, which node 1 of thread 0
// writes; "c" for a call; "wait -1" has the groups that may stay in flight.
static const char *verdict(struct test *x, bool ok, const struct order_fault *f) {
    const char *who[2];
    if (ok) return "ok";
    if (f->trouble) return f->trouble;
    for (int i = 0; i < 2; ++i) {
        const struct order_access *a = i ? &f->first : &f->second;
        who[i] = !a->node ? "end"
                 : a->thread < 0
                     ? arena_printf(&x->s.arena, "%d%cc", number_of(x, a->node), "rw"[a->write])
                     : arena_printf(&x->s.arena, "%d%c%" PRId64 "%s", number_of(x, a->node),
                                    "rw"[a->write], a -> thread, a -> async ? "~" : "");
    }
    const char *text = arena_printf(&x->s.arena, "%s after %s: %s %" PRId64 "..%" PRId64 ", ",
                                    who[0], who[1], f->buf->name, f->at, f->at + f->bytes - 1);
    if (f->missing == ORDER_BARRIER) return arena_printf(&x->s.arena, "%sbarrier", text);
    return arena_printf(&x->s.arena, "%swait %d", text, f->younger);
}

static void check(const char *program, int64_t param, bool beyond, bool device, const char *want) {
    struct test x = {.at = program};
    struct order_fault f;
    int64_t sym[8] = {0};
    begin(&x);
    x.k.device = device;
    x.k.body = list(&x);
    sym[x.param->id] = param;
    bool ok = order_check(&x.s, &x.k, sym, beyond, &f);
    const char *got = verdict(&x, ok, &f);
    CHECK(strcmp(got, want) == 0, "%s (N %d)\n  is  %s\n  not %s", program, (int)param, got, want);
    // without pipelines no step is left out that would touch something else
    if (!beyond && !strstr(program, "steps"))
        CHECK(order_confirm(&x.s, &x.k, sym, &f) == ok, "%s (N %d): otherwise step by step",
              program, (int)param);
    session_release(&x.s);
}

// A pipeline's last steps touch nothing, so that no barrier is needed behind it.  With steps left
// out the last one that is gone through reads; step by step it does not, unless all do.
static void check_confirmed(void) {
    static const struct {
        const char *program;
        bool in_order;
    } row[] = {
        {"steps v N 2 200; for i 0 2 { w s t; wide for j 0 v { bar; if j N-2 { r s t+1 } } }",
         true},
        {"steps v N 2 200; for i 0 2 { w s t; wide for j 0 v { bar; if j N { r s t+1 } } }", false},
    };
    for (int i = 0; i < 2; ++i) {
        struct test x = {.at = row[i].program};
        struct order_fault f;
        int64_t sym[8] = {0};
        begin(&x);
        x.k.body = list(&x);
        sym[x.param->id] = 9;
        CHECK(!order_check(&x.s, &x.k, sym, false, &f), "%s", row[i].program);
        CHECK(order_confirm(&x.s, &x.k, sym, &f) == row[i].in_order, "%s", row[i].program);
        session_release(&x.s);
    }
}

// -- verdicts -------------------------------------------------------------------------------------

struct row {
    const char *program, *want;
};

static const struct row rows[] = {
    // a thread and its own, and another one's, with a barrier or without
    {"w s t; r s t; w s t", "ok"},
    {"w s t; r s t+1", "2r0 after 1w1: s 4..7, barrier"},
    {"w s t; bar; r s t+1", "ok"},
    {"r s t+1; w s t", "2w1 after 1r0: s 4..7, barrier"},
    {"r s t+1; bar; w s t", "ok"},
    {"w s t; w s 7-t", "2w0 after 1w7: s 28..31, barrier"},
    {"w s t; bar; w s 7-t; bar; r s 3-t+4", "ok"},
    {"bar; w s t; r s t+1; bar", "3r0 after 2w1: s 4..7, barrier"},
    {"w s t; bar; bar; r s t+1; bar; w s t", "ok"},
    {"r c t+1; r c t; w s t; r s t", "ok"},
    // the first and the last element; the first and last thread
    {"lt 1 { w s 0 } in 7-t 1 { r s 0 }", "4r7 after 2w0: s 0..3, barrier"},
    {"lt 1 { w s 63 } in 7-t 1 { r s 63 }", "4r7 after 2w0: s 252..255, barrier"},
    {"lt 1 { w s 63 } in 7-t 1 { r s 62 }", "ok"},
    {"in 7-t 1 { w s 5 } lt 1 { r s 5 }", "4r0 after 2w7: s 20..23, barrier"},
    {"w s 57+t", "an access outside 's'"},
    {"w s 56+t", "ok"},
    {"r s t-1", "an access outside 's'"},
    // two readers: the one that does not write is in the way; older ones are not
    {"lt 2 { r s 0 } lt 1 { w s 0 }", "4w0 after 2r1: s 0..3, barrier"},
    {"lt 2 { r s 0 } if 0 t { lt 2 { w s 0 } }", "5w1 after 2r0: s 0..3, barrier"},
    {"lt 2 { r s 0 } bar; lt 1 { r s 0; w s 0 }", "ok"},
    {"lt 2 { r s 0 } bar; if 0 t { lt 2 { r s 0; w s 0 } }", "ok"},
    {"lt 1 { r s 0 } bar; lt 2 { r s 0 } lt 1 { w s 0 }", "7w0 after 5r1: s 0..3, barrier"},
    {"lt 2 { r s 0 } bar; lt 1 { r s 0 } lt 1 { w s 0 }", "ok"},
    {"lt 3 { r s 0 } lt 1 { w s 0 }", "4w0 after 2r2: s 0..3, barrier"},
    {"lt 1 { r s 0 } if 0 t { r s 0 } lt 1 { r s 0; w s 0 }", "7w0 after 4r7: s 0..3, barrier"},
    {"lt 1 { w s 0; r s 0 } bar; in 7-t 1 { r s 0; w s 0 } bar; lt 1 { r s 0 }", "ok"},
    // a write forgets the readers before it
    {"lt 2 { r s 0 } bar; lt 1 { w s 0 } bar; in 7-t 1 { w s 0 }", "ok"},
    // pieces: accesses of several widths, halves
    {"w4 s 4t; bar; r s t", "ok"},
    {"w4 s 4t; r4 s 4t", "ok"},
    {"m4 c 4t s 4t; m4 s 4t q 4t", "ok"},
    {"a4 c 4t s 4t; com; wait 0; r4 s 4t", "ok"},
    {"w4 b 4t; r b 4t", "ok"},
    {"w4 b 4t; r b 4t+4", "2r0 after 1w1: b 4..4, barrier"},
    {"w4 s 4t; r s 4t+3", "ok"},
    {"w4 s 4t; r s 4t+4", "2r0 after 1w1: s 16..19, barrier"},
    {"w4 s 4t; r s 4t-1+1", "ok"},
    {"lt 2 { w4 s 4t } lt 1 { r s 3; r s 7 }", "5r0 after 2w1: s 28..31, barrier"},
    {"lt 2 { w s 4t+3 } lt 1 { r4 s 0; r4 s 4 }", "5r0 after 2w1: s 28..31, barrier"},
    {"lt 2 { w s 4t+3 } lt 1 { r4 s 0; r4 s 8 }", "ok"},
    {"w h t; r h t", "ok"},
    {"w h t; r h t+1", "2r0 after 1w1: h 2..3, barrier"},
    {"w h 56+t; r h 63-t", "2r0 after 1w7: h 126..127, barrier"},
    {"w4 h 4t; r4 h 28-4t", "2r0 after 1w7: h 56..63, barrier"},
    {"w4 q 65504+4t; r q 65535-t", "2r0 after 1w7: q 262140..262143, barrier"},
    {"m c t s t; bar; r s 7-t", "ok"},
    {"m c t s t; r s 7-t", "2r0 after 1w7: s 28..31, barrier"},
    {"w s t; bar; m s 7-t q t; r q t", "ok"},
    {"w s t; m s 7-t q t", "2r0 after 1w7: s 28..31, barrier"},
    // asynchronous copies: committed, waited for, by whom
    {"a c t s t; com; wait 0; r s t", "ok"},
    {"a c t s t; r s t", "2r0 after 1w0~: s 0..3, wait -1"},
    {"a c t s t; com; r s t", "3r0 after 1w0~: s 0..3, wait 0"},
    {"a c t s t; com; w s t", "3w0 after 1w0~: s 0..3, wait 0"},
    {"a c t s t; com; wait 0; r s t+1", "4r0 after 1w1~: s 4..7, barrier"},
    {"a c t s t; com; bar; wait 0; r s t+1", "5r0 after 1w1~: s 4..7, barrier"},
    {"a c t s t; com; wait 0; bar; r s t+1", "ok"},
    {"a c t s t; com; wait 0; bar; r s t+1; bar; a c t s t; com; wait 0; r s t", "ok"},
    {"a c t s t; com; wait 0; bar; r s t+1; a c t s t; com; wait 0; r s t",
     "6w1~ after 5r0: s 4..7, barrier"},
    {"a c t s t; com; a c t q t; com; wait 1; r s t", "ok"},
    {"a c t s t; com; a c t q t; com; wait 1; r s t; r q t", "7r0 after 3w0~: q 0..3, wait 0"},
    {"a c t s t; com; a c t q t; com; wait 2; r s t", "6r0 after 1w0~: s 0..3, wait 1"},
    {"a c t s t; com; a c t q t; com; wait 0; r q t; r s t", "ok"},
    {"a c t s t; wait 0; com; r s t", "4r0 after 1w0~: s 0..3, wait 0"},
    {"a c t s t; com; a c t q t; wait 0; r s t; r q t", "6r0 after 3w0~: q 0..3, wait -1"},
    {"a c t s t; com; com; com; wait 2; r s t", "ok"},
    {"a c t s t; com; com; com; wait 3; r s t", "6r0 after 1w0~: s 0..3, wait 2"},
    {"a c t s t; com; wait 0; a c t s t; com; wait 0; bar; r s t+1", "ok"},
    {"a c t s t; com; a c t s t; com; wait 0", "3w0~ after 1w0~: s 0..3, wait 0"},
    {"a4 c 4t s 4t; com; wait 0; r4 s 4t; bar; r s t", "ok"},
    // what is read, where an edge cuts it; all is written
    {"a4 g 4t s 4t cut 0 4; w g 4t+7", "2w0 after 1r1~: g 28..31, wait -1"},
    {"a4 g 4t s 4t cut 0 3; w g 4t+7", "ok"},
    {"a4 g 4t s 4t cut 0 3; w g 4t+6", "2w0 after 1r1~: g 24..27, wait -1"},
    {"a4 g 4t s 4t cut 0 9; w g 4t+7", "2w0 after 1r1~: g 28..31, wait -1"},
    {"a4 g 4t s 4t cut t 1; w g 4t+4", "ok"},
    {"a4 g 4t s 4t cut t 2; w g 4t+4", "2w0 after 1r1~: g 16..19, wait -1"},
    {"a4 g 4t s 4t cut t 2; w g 4t+5", "ok"},
    {"a4 g 1-2t s 4t cut t 1; w g 99", "ok"},
    {"a4 g 4t s 4t cut 0 1; com; wait 0; r s 4t+7", "4r0 after 1w1~: s 28..31, barrier"},
    {"for i 0 9 { a4 g 4t q 4t+32i cut 0 i-7; w g 4t+4 }", "2r1~ after 3w0: g 16..19, barrier"},
    {"a4 c 4t s 4t; com; wait 0; r s 4t+4", "4r0 after 1w1~: s 16..19, barrier"},
    // a wait is for the groups that are committed then, and stays so
    {"a c t s t; com; wait 0; com; com; r s t", "ok"},
    {"a c t s t; com; wait 0; bar; wait 0; r s t+1", "ok"},
    // asynchronous readers, several of a piece
    {"a g t s t; r g t; w g t", "3w0 after 1r0~: g 0..3, wait -1"},
    {"a g t s t; com; r g t; w g t", "4w0 after 1r0~: g 0..3, wait 0"},
    {"a g 0 s t; com; wait 0; if 6 t { w g 0 }", "5w7 after 1r0~: g 0..3, barrier"},
    {"a g 0 s t; com; wait 0; lt 1 { w g 0 }", "5w0 after 1r7~: g 0..3, barrier"},
    {"a g 0 s t; com; wait 0; bar; lt 1 { w g 0 }", "ok"},
    {"lt 1 { a g 0 s 0 } bar; if 6 t { a g 0 s 1 } com; wait 0; if 6 t { w g 0 }",
     "9w7 after 2r0~: g 0..3, barrier"},
    {"lt 1 { a g 0 s 0 } com; wait 0; bar; lt 6 { if 4 t { a g 0 s 1 } } if 6 t { a g 0 s 2 } com; "
     "wait 0; if 6 t { w g 0 }",
     "14w7 after 8r5~: g 0..3, barrier"},
    {"lt 1 { a g 0 s 0 } com; wait 0; bar; if 6 t { a g 0 s 2 } com; wait 0; if 6 t { w g 0 }",
     "ok"},
    // many groups
    {"a c t s t; com; wait 0; for i 0 300 { a c t q t+8i; com } wait 299; r q t; r s t", "ok"},
    {"for i 0 300 { a c t q t+8i; com } wait 299; r q t; r q t+8",
     "6r0 after 2w0~: q 32..35, wait 298"},
    {"for i 0 300 { a c t q t+8i; com } wait 0; for i 0 300 { r q t+8i }", "ok"},
    {"for i 0 300 { a c t q t+8i; com } wait 1; r q t+2384", "ok"},
    {"for i 0 300 { a c t q t+8i; com } wait 1; r q t+2392",
     "5r0 after 2w0~: q 9568..9571, wait 0"},
    // what reads asynchronously reads until it is waited for
    {"a g t s t; com; wait 0; w g t", "ok"},
    {"a g t s t; com; w g t", "3w0 after 1r0~: g 0..3, wait 0"},
    {"a g t s t; w g t", "2w0 after 1r0~: g 0..3, wait -1"},
    {"a g t s t; com; wait 0; w g t+1", "4w0 after 1r1~: g 4..7, barrier"},
    {"a g t s t; com; wait 0; bar; w g t+1", "ok"},
    {"a g t s t where t 8; com; wait 0; w g t+1", "4w0 after 1r1~: g 4..7, barrier"},
    {"a g t s t where t 1; com; wait 0; w g t+1", "ok"},
    {"a g t s t where t 2; com; wait 0; w g t", "ok"},
    {"a g t s t where 6 t; com; wait 0; bar; w g t+1", "ok"},
    {"a g t s t where 6 t; com; wait 0; w g t+1", "4w6 after 1r7~: g 28..31, barrier"},
    // global memory: writes of several threads are of different elements, reads are not
    {"w g t; w g 7-t", "ok"},
    {"w g t; r g 7-t", "2r0 after 1w7: g 28..31, barrier"},
    {"w g t; bar; r g 7-t", "ok"},
    {"r g 7-t; w g t", "2w0 after 1r7: g 0..3, barrier"},
    {"for i 0 2000 { w g t+8i } bar; for i 0 2000 { r g t+8i+1 }", "ok"},
    {"for i 0 2000 { w g t+8i } for i 0 2000 { r g t+8i }", "ok"},
    {"for i 0 2000 { w g t+8i } r g t+15992; r g t+8+7976; r g t+15985",
     "5r0 after 2w1: g 63940..63943, barrier"},
    {"for i 0 2000 { w g t+8i } r g 7-t", "3r0 after 2w7: g 28..31, barrier"},
    {"for i 0 2000 { w g t+8i } in 7-t 1 { r g 0 }", "4r7 after 2w0: g 0..3, barrier"},
    {"r c t; w c t; r c 7-t", "ok"},
    // a buffer of the caller's
    {"w x t; r x t+1", "2r0 after 1w1: x 4..7, barrier"},
    {"w x t; bar; r x t+1", "ok"},
    {"for i 0 600 { w x t+8i } bar; for i 0 600 { r x 4799-t-8i }", "ok"},
    {"for i 0 600 { w x t+8i } r x 4799-t", "3r0 after 2w7: x 19196..19199, barrier"},
    // functions that are called: all threads, who knows which
    {"call s 0 8 r; r s t", "ok"},
    {"call s 0 8 w; r s t", "2r0 after 1wc: s 0..3, barrier"},
    {"call s 0 8 w; bar; r s t", "ok"},
    {"call s 0 8 w; r s t+7", "2r0 after 1wc: s 28..31, barrier"},
    {"call s 0 8 w; r s t+8", "ok"},
    {"call s 8 8 w; r s t+1", "2r7 after 1wc: s 32..35, barrier"},
    {"call s 8 8 w; r s t", "ok"},
    {"call s 7 2 w; r s t", "2r7 after 1wc: s 28..31, barrier"},
    {"call s 0 8 r; w s t", "2w0 after 1rc: s 0..3, barrier"},
    {"call s 0 8 r; bar; w s t", "ok"},
    {"call s 0 8 w s 0 8 r", "ok"},
    {"call s 0 8 w; call s 7 8 r", "2rc after 1wc: s 28..31, barrier"},
    {"call s 0 8 w; bar; call s 0 8 r; call s 0 8 r", "ok"},
    {"w s t; call s 7 8 rw", "2rc after 1w7: s 28..31, barrier"},
    {"w s t; bar; call s 7 8 rw; bar; w s t", "ok"},
    {"w s t; call q 0 9 rw s 8 9 w", "ok"},
    {"w s t; call q 0 9 rw s 7 9 w", "2wc after 1w7: s 28..31, barrier"},
    {"call c 0 9 r s 60 5 w", "an access outside 's'"},
    {"call c 0 9 r s 60 4 w", "ok"},
    {"w h t; call h 8 8 w", "ok"},
    {"w b t; call b 8 8 w", "ok"},
    {"w b t; call b 7 8 w", "2wc after 1w7: b 7..7, barrier"},
    {"w h t; call h 7 8 w", "2wc after 1w7: h 14..15, barrier"},
    {"a c t s t; com; call s 0 8 r", "3rc after 1w0~: s 0..3, wait 0"},
    {"a c t s t; com; wait 0; call s 0 8 r", "4rc after 1w0~: s 0..3, barrier"},
    {"a c t s t; com; wait 0; bar; call s 0 8 r", "ok"},
    // conditions: who goes which way
    {"if t 4 { w s t } else { w s t } bar; r s 7-t", "ok"},
    {"if t 4 { w s t } else { w s 7-t }", "3w4 after 2w3: s 12..15, barrier"},
    {"if t 4 { w s t } else { r s 7-t }", "3r4 after 2w3: s 12..15, barrier"},
    {"if t 4 { w s t } else { r s t }", "ok"},
    {"if t 8 { w s t } else { w s 0 }", "ok"},
    {"if t 0 { w s 0 } else { w s t }", "ok"},
    {"if t 1 { w s 0 } else { w s t }", "ok"},
    {"if t 2 { w s 0 }", "2w1 after 2w0: s 0..3, barrier"},
    {"if 6 t { w s 0 }", "ok"},
    {"if 5 t { w s 0 }", "2w7 after 2w6: s 0..3, barrier"},
    {"if t 4 { if t 2 { w s t } else { w s t } } else { w s 3 } ",
     "5w4 after 4w3: s 12..15, barrier"},
    {"if t 4 { if 2 t { r s 2 } else { w s t } }", "4w2 after 3r3: s 8..11, barrier"},
    {"if t 4 { if 2 t { r s 3 } else { w s t } }", "ok"},
    {"lt 4 { if t 2 { w s t } else { w s t } } r s t", "ok"},
    {"lt 4 { if t 2 { r s t } else { w s 4 } }", "4w3 after 4w2: s 16..19, barrier"},
    {"lt 4 { lt 9 { w s 4+t } } r s 8+t; lt 4 { r s 4+t }", "ok"},
    {"lt 1 { lt 9 { w s 0 } }", "ok"},
    {"in t 1 { in t 8 { w s 0 } }", "ok"},
    {"in t 4 { w s t } if 3 t { w s t } r s t", "ok"},
    {"lt 4 { w s t } r s 8-t", "3r5 after 2w3: s 12..15, barrier"},
    {"box { w s t } box { r s 7-t }", "4r0 after 2w7: s 28..31, barrier"},
    {"box { w s t; bar } box { r s 7-t }", "ok"},
    {"if t 4 { bar } w s t", "ok"},
    {"w s t; if t 8 { com } else { bar } r s t+1", "5r0 after 1w1: s 4..7, barrier"},
    {"w s t; if t 7 { com } else { bar } r s t+1", "ok"},
    {"w s t; if t 0 { bar } r s t+1", "4r0 after 1w1: s 4..7, barrier"},
    {"w s t; lt 4 { if t 4 { com } else { bar } } r s t+1", "6r0 after 1w1: s 4..7, barrier"},
    // variables
    {"let v t+3; w s v; r s t+3", "ok"},
    {"let v t+3; w s v; r s t+4", "3r0 after 2w1: s 16..19, barrier"},
    {"let v 2; if t 4 { let v 3 } w s 8v+t; r s 31-t", "5r4 after 4w3: s 108..111, barrier"},
    {"let v 2; if t 4 { let v 3 } w s 8v+t; if 3 t { r s 16+t } else { r s 24+t }", "ok"},
    // loops: an iteration after another, and as many as it takes
    {"for i 0 1 { w s t; bar; r s t+1 }", "ok"},
    {"for i 0 2 { w s t; bar; r s t+1 }", "2w1 after 4r0: s 4..7, barrier"},
    {"for i 0 2 { bar; w s t; bar; r s t+1 }", "ok"},
    {"for i 5 6 { w s t; bar; r s t+1 }", "ok"},
    {"for i 5 7 { w s t; bar; r s t+1 }", "2w1 after 4r0: s 4..7, barrier"},
    {"for i 0 0 { w s t; r s t+1 }", "ok"},
    {"for i 3 2 { w s t; r s t+1 }", "ok"},
    {"for i 0 90 { w s t; r s t } r s t", "ok"},
    {"for i 0 8 { w s t+8i } bar; for i 0 8 { r s 7-t+8i }", "ok"},
    {"for i 0 8 { w s t+8i } r s 63-t", "3r0 after 2w7: s 252..255, barrier"},
    {"for i 0 3 { r s t; a c t s t+8i; com; wait 2 }", "2r0 after 3w0~: s 0..3, wait 0"},
    // what comes only in its seventh iteration, by what depends on it
    {"lt 1 { r s 55 } for i 0 8 { w s t+8i }", "4w7 after 2r0: s 220..223, barrier"},
    {"lt 1 { r s 63 } for i 0 8 { w s t+8i }", "4w7 after 2r0: s 252..255, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { r s t+8i }", "4r7 after 2w0: s 220..223, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { a c t s t+8i }", "4w7~ after 2w0: s 220..223, barrier"},
    {"lt 1 { r g 55 } for i 0 8 { m c t g t+8i }", "4w7 after 2r0: g 220..223, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { m s t+8i q t }", "4r7 after 2w0: s 220..223, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { let v 8i+t; r s v }", "5r7 after 2w0: s 220..223, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { let v 8i; let p v+t; r s p }",
     "6r7 after 2w0: s 220..223, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { call s 8i 8 r }", "4rc after 2w0: s 220..223, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { call c 0 4 r s 8i 8 r }", "4rc after 2w0: s 220..223, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { for j i 8 { r s t+48 } }", "5r7 after 2w0: s 220..223, barrier"},
    {"lt 1 { w s 1 } for i 0 8 { for j 6 i { r s t } }", "5r1 after 2w0: s 4..7, barrier"},
    {"lt 1 { w s 0 } for i 0 8 { for j i 1 { r s t+8 } for j i 1 { bar } }", "ok"},
    {"lt 1 { w s 1 } for i 0 8 { if 5 i { r s t } }", "5r1 after 2w0: s 4..7, barrier"},
    {"lt 1 { w s 1 } for i 0 8 { if -i -5 { r s t } }", "5r1 after 2w0: s 4..7, barrier"},
    {"lt 1 { w s 1 } for i 0 8 { if i 6 { r s 8+t } else { r s t } }",
     "6r1 after 2w0: s 4..7, barrier"},
    {"lt 1 { w s 1 } for i 0 8 { box { r q t } if i 6 { r s 8+t } else { r s t } }",
     "8r1 after 2w0: s 4..7, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { if t 9 { r s t+8i } }", "5r7 after 2w0: s 220..223, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { if t 0 { bar } else { r s t+8i } }",
     "6r7 after 2w0: s 220..223, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { box { r s t+8i } }", "5r7 after 2w0: s 220..223, barrier"},
    {"lt 1 { w s 55 } for i 0 8 { in t 8 { r s t+8i } }", "5r7 after 2w0: s 220..223, barrier"},
    {"lt 1 { w g 1 } for i 0 8 { a g t s t where 5 i; com; wait 0 }",
     "4r1~ after 2w0: g 4..7, barrier"},
    {"lt 2 { r s 0 } for i 0 8 { bar; for j 0 2 { if 0 i+j { lt 1 { w s 0 } } } }", "ok"},
    {"for i 0 8 { for j 0 8 { w s t+8j } bar; for j 0 8 { r s 63-t-8j } bar }", "ok"},
    {"for i 0 8 { for j 0 8 { w s t+8j } bar; for j 0 8 { r s 63-t-8j } }",
     "3w0 after 6r7: s 0..3, barrier"},
    // rings and offsets that go along
    {"wide for i 0 9 { w q t+8q; bar; r q 7-t+8q; bar }", "ok"},
    {"wide for i 0 3 { w q t+8q } w q 7-t+40", "3w0 after 2w7: q 188..191, barrier"},
    {"wide for i 0 3 { w q t+8q } w q 7-t+48", "3w0 after 2w7: q 220..223, barrier"},
    {"wide for i 0 3 { w q t+8q } w q 7-t+56", "3w0 after 2w7: q 252..255, barrier"},
    {"wide for i 0 3 { w q t+8q } w q 7-t+0; w q 7-t+32; w q 7-t+64", "ok"},
    {"wide for i 0 4 { w q t+8q } w q 7-t+32; w q 7-t+8; w q 7-t",
     "5w0 after 2w7: q 28..31, barrier"},
    {"wide for i 2 5 { w q t+8q } w q 7-t+0; w q 7-t+32; w q 7-t+64", "ok"},
    {"wide for i 2 5 { w q t+8q } w q 7-t+40", "3w0 after 2w7: q 188..191, barrier"},
    {"wide for i 0 9 { w q t+p; w q t+p+8 } r q t+136", "ok"},
    {"wide for i 0 9 { w q t+p } r q 7-t+136; r q 7-t+144; r q 7-t+8; r q 7-t+128",
     "6r0 after 2w7: q 540..543, barrier"},
    {"wide for i 0 9 { w q t+p } r q 7-t", "3r0 after 2w7: q 28..31, barrier"},
    {"wide for i 4 9 { w q t+p } r q 7-t+72", "ok"},
    {"wide for i 4 9 { w q t+p } r q 7-t+64", "3r0 after 2w7: q 284..287, barrier"},
    // what takes too long is left
    {"for i 0 140 { call q 0 65536 r; if 135 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 0 1000 { call s 0 64 r; if 990 i { lt 2 { w s 0 } } }",
     "5w0 after 2rc: s 0..3, barrier"},
    {"for i 0 1100000 { r s t; if 1099990 i { lt 2 { w s 32 } } }", "ok"},
    {"for i 0 270000 { if 269990 i { lt 2 { w s 32 } } }", "ok"},
    {"for i 0 130000 { if 129990 i { lt 2 { w s 32 } } }", "4w1 after 4w0: s 128..131, barrier"},
    {"for i 0 140 { call q 0 1024 r; if 135 i { lt 2 { w s 0 } } }",
     "5w1 after 5w0: s 0..3, barrier"},
    {"for i 0 20000 { r s t; if 19990 i { lt 2 { w s 32 } } }",
     "5w1 after 5w0: s 128..131, barrier"},
};

// What has no value or leaves its buffer cannot be checked.
static const struct row troubles[] = {
    {"r s t-1", "an access outside 's'"},
    {"r s t+64", "an access outside 's'"},
    {"w h t+57", "an access outside 'h'"},
    {"w4 s 4t+36", "an access outside 's'"},
    {"w4 s 4t+32", "ok"},
    {"r s t+9223372036854775807", "'t + 9223372036854775807' has no value"},
    {"let v 9223372036854775807; r s t+v", "'t + v' has no value"},
    {"let v 9223372036854775807; w s t+v", "'t + v' has no value"},
    {"let v 9223372036854775807; a g t s t where t v+t", "'t + v' has no value"},
    {"let v 9223372036854775807; a g t+v s t where t 3", "'t + v' has no value"},
    {"let v 9223372036854775807; if t+v 3 { w s t }", "'t + v' has no value"},
    {"let v 9223372036854775807; if 3 t+v { w s t }", "'t + v' has no value"},
    {"let v 9223372036854775807; let j v+t; r s t", "'t + v' has no value"},
    {"let v 9223372036854775807; for i v+8 9 { }; r s t", "'v + 8' has no value"},
    {"let v 9223372036854775807; for i 0 v+8 { }; r s t", "'v + 8' has no value"},
    {"let v 9223372036854775807; call s v+8 1 r; r s t", "'v + 8' has no value"},
    {"let v 9223372036854775807; steps j v+8 2 9; r s t", "'v + 8' has no value"},
    {"let v 9223372036854775807; in t+v 3 { w s t }", "'t + v' has no value"},
};

// Device functions, which return with their accesses done.
static const struct row devices[] = {
    {"a c t x t; com; wait 0", "ok"},
    {"a c t x t; com", "end after 1w0~: x 0..3, wait 0"},
    {"a c t x t", "end after 1w0~: x 0..3, wait -1"},
    {"a c t s t; com; wait 1", "end after 1w0~: s 0..3, wait 0"},
    {"a c t s 8+t; com; a c t x 56+t; com; wait 1", "end after 3w7~: x 252..255, wait 0"},
    {"a c t s t; com; com", "end after 1w0~: s 0..3, wait 1"},
    {"a c t s t; com; wait 0; w s t", "ok"},
    {"a g t s t; com; wait 0; r x t", "ok"},
    {"w x t", "ok"},
};

// How many steps of a pipeline are gone through: of "stages" stages, that has "steps" steps (text)
// with N, and in a loop, is entered again.
static void check_steps(const char *steps, int stages, int most, int64_t param, bool beyond,
                        bool again, int from, const char *want) {
    char got[256] = "";
    for (int m = 0; m < 60; ++m) {
        struct test x = {0};
        struct order_fault f;
        int64_t sym[8] = {0};
        begin(&x);
        x.at =
            arena_printf(&x.s.arena,
                         "for j 0 %d { steps v %s %d %d from %d; if %d v { if v %d { w s 0 } } }",
                         again ? 2 : 1, steps, stages, most, from, m - 1, m + 1);
        x.k.body = list(&x);
        if (!again) x.k.body = x.k.body->body;
        sym[x.param->id] = param;
        if (!order_check(&x.s, &x.k, sym, beyond, &f)) sprintf(got + strlen(got), "%d ", m);
        session_release(&x.s);
    }
    CHECK(strcmp(got, want) == 0, "%s steps of %d stages, %d at most, N %d%s%s\n  are %s\n  not %s",
          steps, stages, most, (int)param, beyond ? ", beyond" : "", again ? ", again" : "", got,
          want);
}

static void test_steps(void) {
    // none, one, as many as there are stages, and more, with which another slot is the last
    check_steps("N", 1, 200, 50, false, false, 0, "0 1 3 ");
    check_steps("N", 2, 200, 50, false, false, 0, "0 1 2 5 ");
    check_steps("N", 3, 200, 50, false, false, 0, "0 1 3 5 ");
    check_steps("N", 5, 200, 50, false, false, 0, "0 1 5 7 ");
    check_steps("N", 3, 200, 50, false, true, 0, "0 1 3 5 ");
    // no more than there are, or can be
    check_steps("N", 3, 200, 4, false, false, 0, "0 1 3 4 ");
    check_steps("N", 3, 200, 2, false, true, 0, "0 1 2 ");
    check_steps("N", 3, 200, 5, false, true, 0, "0 1 3 5 ");
    check_steps("N", 3, 200, 2, true, true, 0, "0 1 3 5 ");
    check_steps("N", 3, 200, 2, true, false, 0, "0 1 3 5 ");
    check_steps("N", 3, 4, 2, true, true, 0, "0 1 3 4 ");
    check_steps("N", 3, 3, 2, true, true, 0, "0 1 3 ");
    check_steps("N-197", 3, 200, 199, true, true, 0, "0 1 3 ");
    check_steps("N-191", 3, 200, 193, true, true, 0, "0 1 3 5 ");
    // some are certain
    check_steps("N+2", 3, 200, 40, false, false, 0, "2 3 5 ");
    check_steps("N+3", 3, 200, 40, false, false, 0, "3 5 ");
    check_steps("N+4", 3, 200, 40, false, true, 0, "4 5 ");
    check_steps("N+5", 3, 200, 40, false, true, 0, "5 6 ");
    check_steps("N+20", 3, 200, 40, false, false, 0, "20 21 ");
    // of a pipeline that begins at 2
    check_steps("N+2", 3, 200, 50, false, false, 2, "2 3 5 7 ");
    check_steps("N+2", 3, 200, 3, false, false, 2, "2 3 5 ");
    check_steps("N-190", 3, 200, 193, true, false, 2, "2 3 5 7 ");
    check_steps("N-194", 3, 200, 196, true, true, 2, "2 3 5 6 ");
    // all of them are certain: the last slot is as it would be
    check_steps("4", 3, 4, 0, false, true, 0, "4 ");
    check_steps("5", 3, 5, 0, false, true, 0, "5 ");
    check_steps("20", 3, 20, 0, false, false, 0, "5 ");
    check_steps("21", 3, 21, 0, false, true, 0, "6 ");
    check_steps("22", 3, 22, 0, true, true, 0, "7 ");
}

// Pipelines with N steps, of 200 at most.
static const struct row pipelines[] = {
    // one within another one: as many as there are stages, two more, and none
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if -1 j { if j 1 { w s 0 } } }",
     "6w1 after 6w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 0 j { if j 3 { w s 0 } } }", "ok"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 2 j { if j 4 { w s 0 } } }",
     "6w1 after 6w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 3 j { if j 5 { w s 0 } } }", "ok"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 4 j { if j 6 { w s 0 } } }",
     "6w1 after 6w0: s 0..3, barrier"},
    // with as many as the outer one has none
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if v 2 { if 2 j { w s 0 } } }",
     "6w1 after 6w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if v 2 { if 3 j { w s 0 } } }", "ok"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 2 v { if v 4 { if 4 j { w s 0 } } } }",
     "7w1 after 7w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; if 4 v { if 0 j { w s 0 } } }", "ok"},
    // one behind the loop of another one is not within it
    {"steps v N 3 200; wide for i 0 v { bar } steps j N 3 200; if 0 j { if j 2 { w s 0 } }",
     "7w1 after 7w0: s 0..3, barrier"},
    // and one deeper
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; wide for k 0 j { steps l N 3 200; "
     "if 4 l { w s 0 } } }",
     "7w1 after 7w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; wide for k 0 j { steps l N 3 200; "
     "if 0 l { if l 2 { w s 0 } } } }",
     "8w1 after 8w0: s 0..3, barrier"},
    {"steps v N 3 200; wide for i 0 v { steps j N 3 200; wide for k 0 j { steps l N 3 200; "
     "if 1 l { if l 5 { w s 0 } } } }",
     "ok"},
    // of each thread its own
    {"steps v 4t 3 200; if 4 v { w s 0 }", "3w3 after 3w2: s 0..3, barrier"},
    {"steps v 4t 3 200; if 5 v { w s 0 }", "ok"},
    // loops that may have more iterations than the params say
    {"for i 0 N { w s 0 }", "2w1 after 2w0: s 0..3, barrier"},
    // global memory is at stake: no more steps than the params say
    {"steps v N-38 3 200; if 3 v { w s 0 }", "ok"},
};

// The same where the params say two of them, and there may be more.
static const struct row beyond[] = {
    {"steps v N-38 3 200; if 3 v { w s 0 }", "3w1 after 3w0: s 0..3, barrier"},
    {"steps v N-38 3 200; if 3 v { w s 0; r c t }", "3w1 after 3w0: s 0..3, barrier"},
    {"steps v N-38 3 200; if 3 v { w s 0; r g t }", "ok"},
    {"steps v N-38 3 200; if 3 v { w s 0; w g t }", "3w1 after 3w0: s 0..3, barrier"},
    {"steps v N-38 3 200; if 3 v { w s 0 } m g t s t", "ok"},
    {"steps v N-38 3 200; if 3 v { w s 0 } a g t s t", "ok"},
    {"steps v N-38 3 200; if 3 v { w s 0 } call g 0 4 r", "ok"},
    {"steps v N-38 3 200; if 3 v { w s 0 } call c 0 4 r", "3w1 after 3w0: s 0..3, barrier"},
    {"steps v N-38 3 200; if 3 v { w s 0 } if t 0 { } else { r g t }", "ok"},
    {"steps v N-38 3 200; if 3 v { w s 0 } m s t g t", "3w1 after 3w0: s 0..3, barrier"},
    {"for i 0 N-39 { if 0 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"for i 0 N-39 { if 1 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 5 N-35 { if 5 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"for i 5 N-194 { if 5 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 5 N-194 { if 4 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"for i 0 N-40 { if -1 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"most 2 for i 0 N-39 { if 0 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"most 1 for i 0 N-39 { if 0 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 0 N-199 { if 0 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 0 N-199 { if -1 i { lt 2 { w s 0 } } }", "4w1 after 4w0: s 0..3, barrier"},
    {"for i 0 1 { if 0 i { lt 2 { w s 0 } } }", "ok"},
    {"for i 0 N-39 { if 0 i { lt 2 { w s 0 } } } r g t", "ok"},
};

int main(void) {
#define EACH(table, ...)                                                                           \
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)                                      \
    check(table[i].program, __VA_ARGS__, table[i].want)
    EACH(rows, 3, false, false);
    EACH(troubles, 3, false, false);
    EACH(devices, 3, false, true);
    EACH(pipelines, 40, false, false);
    EACH(beyond, 40, true, false);
    test_steps();
    check_confirmed();
    return check_done();
}
