// Small Kernel IR, written as text, for tests of the race checker.
//
// A program is a list of statements, its nodes numbered as they stand there from 1 on:
//   w BUF E      write, r BUF E  read; w4, r4: four elements in one access
//   a GLOBAL E BUF E   asynchronous copy, a4 of four elements;  m BUF E BUF E  a copy at once
//   l BUF E BUF E   the lanes of a warp copy together, each what others address
//   .. where E E    only where first below second;  a4 .. cut E E  its first (second - first) alone
//   bar  com  wait N
//   for V E E { }   most N for .. (iterations)   let V E   box { }   lt N { }
//   if E E { } else { }   (first below second)
//   wide for ..     a loop with a ring that goes up from 5 below 8 in 'q', and a carried offset of
//                   16 an iteration from 0 on in 'p'
//   in E N { }      if E < N, as a guard with an index
//   steps V E S M [from B]   let V be E, where a pipeline of S stages ends that starts at 0, or B,
//                   and has M steps at most
//   call BUF E N rw [BUF E N rw]   an extern function that reads or writes N elements
// E: a sum, "8i+2t-3", of numbers and the variables; t is the thread, N the param.
#ifndef TCPC_TESTS_UNIT_CHECK_PROGRAM_H
#define TCPC_TESTS_UNIT_CHECK_PROGRAM_H

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/session.h"
#include "check.h"
#include "check/order.h"
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
static const struct elem_type word = {.bits = 32}, half = {.bits = 16}, byte = {.bits = 8};
static const struct kir_buffer buffers[BUFFERS] = {
    {.space = MEM_SHARED, .name = "s", .elem = &word, .count = 64},
    {.space = MEM_SHARED, .name = "q", .elem = &word, .count = 65536},
    {.space = MEM_SHARED, .name = "h", .elem = &half, .count = 64},
    {.space = MEM_GLOBAL, .name = "g", .elem = &word, .read = true, .written = true},
    {.space = MEM_GLOBAL, .name = "c", .elem = &word, .read = true},
    {.space = MEM_SHARED, .name = "x", .elem = &word, .count = 64, .outside = true},
    {.space = MEM_SHARED, .name = "b", .elem = &byte, .count = 64},
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

static struct ix_var *variable(struct test *x) {
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
    } all[] = {{"w", KIR_STORE, 1}, {"w4", KIR_STORE, 4}, {"r", KIR_LOAD, 1},
               {"r4", KIR_LOAD, 4}, {"a", KIR_ASYNC, 1},  {"a4", KIR_ASYNC, 4},
               {"m", KIR_MOVE, 1},  {"m4", KIR_MOVE, 4},  {"l", KIR_MOVE, 1}};
    // each lane its own
    static const struct kir_together together = {32, 32, 32, 32, NULL};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (!take(x, all[i].word)) continue;
        n->kind = all[i].kind;
        if (all[i].word[0] == 'l') n->together = &together;
        n->buf = buffer(x);
        n->at = expression(x);
        n->bits = all[i].elements * n->buf->elem->bits;
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
        n->kind = KIR_WAIT;
        n->arrival = arrival_block;
    } else if (take(x, "com")) {
        n->kind = KIR_ARRIVE;
        n->arrival = arrival_groups(0);
    } else if (take(x, "wait")) {
        n->kind = KIR_WAIT;
        n->arrival = arrival_groups((int)number(x));
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

struct row {
    const char *program, *want;
};

#define CHECK_EACH(table, ...)                                                                     \
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)                                      \
    check(table[i].program, __VA_ARGS__, table[i].want)

#endif
