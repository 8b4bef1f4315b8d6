// What a block does as data: a memory that follows nothing but the events has to hold what the plan means.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tcpc.h"

enum { COLUMNS = 48, MOST_ROWS = 80, THREADS = 64, MOST_EACH = 4096, EMPTY = -1 };

// Transposed by tiles, which reach beyond the matrix: asynchronously to shared memory, where 0 is what is
// beyond, from there to registers, and guarded to B.  By another kernel without registers of its own.
static const char plan[] =
    "tcp 1;\narch sm_90;\nparam M : index % 4 in 4 .. 4096;\n"
    "tensor A : f32 global row(M,48) align 16;\ntensor B : f32 global row(48,M) align 16;\n"
    "tiled_copy load = tile(cp_async.cg(16), thr=(8,8):(8,1), val=(1,4));\n"
    "tiled_copy turn = tile(auto(128), thr=(8,8):(8,1), val=(4,4):(4,1));\n"
    "kernel transpose(A, out B) grid (ceil_div(M,32), 2) threads 64 {\n"
    "  shared s : f32 (32,32):(36,1);\n  frag r : f32 like turn;\n"
    "  copy local_tile(A, (32,32), (block.x, block.y)) -> s with load pad 0;\n"
    "  copy s -> r with turn;\n"
    "  copy r -> select(local_tile(B, (32,32), (block.y, block.x)), (1,0)) with turn;\n}\n"
    "tiled_copy plain = tile(universal(32), thr=(8,8):(8,1), val=(1,4));\n"
    "extern device look(x : f32 shared row(32,32)) from \"look.cuh\";\n"
    "kernel staged(A, out B) grid (ceil_div(M,32), 2) threads 64 {\n"
    "  shared s : f32 row(32,32);\n"
    "  copy local_tile(A, (32,32), (block.x, block.y)) -> s with plain pad 0;\n"
    "  call look(s);\n"
    "  copy select(s, (1,0)) -> local_tile(B, (32,32), (block.y, block.x)) with plain;\n}\n";

// -- a memory -------------------------------------------------------------------------------------

struct buffer {
    char name[64];
    int64_t value[MOST_EACH * THREADS];
    int own;  // each thread has a part of MOST_EACH
};

struct move {  // an asynchronous one that did not arrive
    struct buffer *to;
    int64_t at, value;
};

struct memory {
    struct buffer buffer[8];
    int n;
    struct move move[MOST_EACH];
    int nmoves, events[TCPC_EVENT_WAIT + 1];
};

static struct buffer *find(struct memory *m, const struct tcpc_place_of *p) {
    for (int i = 0; i < m->n; ++i)
        if (strcmp(m->buffer[i].name, p->buffer) == 0) return &m->buffer[i];
    struct buffer *b = &m->buffer[m->n++];
    snprintf(b->name, sizeof b->name, "%s", p->buffer);
    b->own = p->space == TCPC_REGISTERS;
    for (int64_t i = 0; i < MOST_EACH * THREADS; ++i) b->value[i] = EMPTY;
    return b;
}

// Where element "k" of thread number "i" of the event is in "b".
static int64_t place(const struct buffer *b, const struct tcpc_place_of *p, int64_t thread,
                     size_t i, int k) {
    int64_t at = p->at[i] + p->element[k];
    if (!HOLDS(at >= 0 && at < MOST_EACH)) exit(1);
    return b->own ? thread * MOST_EACH + at : at;
}

static void follow(struct memory *m, const struct tcpc_event *e) {
    ++m->events[e->kind];
    if (e->kind == TCPC_EVENT_WAIT && strcmp(e->text, "wait 0") == 0) {
        for (int i = 0; i < m->nmoves; ++i) m->move[i].to->value[m->move[i].at] = m->move[i].value;
        m->nmoves = 0;
    }
    if (e->kind != TCPC_EVENT_ACCESS) return;
    struct buffer *to = find(m, e->to), *from = e->from ? find(m, e->from) : NULL;
    int elements = e->bits / e->to->element_bits;
    for (size_t i = 0; i < e->nthreads; ++i)
        for (int k = 0; k < elements; ++k) {
            int64_t t = e->thread[i], at = place(to, e->to, t, i, k), value = 0;
            if (k < e->reads[i]) value = from->value[place(from, e->from, t, i, k)];
            HOLDS(value != EMPTY);
            if (e->asynchronous)
                m->move[m->nmoves++] = (struct move){to, at, value};
            else
                to->value[at] = value;
        }
}

// -- tests ----------------------------------------------------------------------------------------

static struct tcpc_result *trace(const struct tcpc_block *block, enum tcpc_status want) {
    struct tcpc_result *r;
    enum tcpc_status status = tcpc_trace_block("a.tcp", plan, strlen(plan), NULL, block, &r);
    CHECK(status == want, "status %d: %s", (int)status, r->nmessages ? r->message[0]->text : "");
    return r;
}

static void follow_all(const char *kernel, int64_t rows) {
    const struct tcpc_setting m = {"M", rows};
    struct memory *x = calloc(1, sizeof *x);
    struct buffer *a = find(x, &(struct tcpc_place_of){.buffer = "A"}),
                  *b = find(x, &(struct tcpc_place_of){.buffer = "B"});
    for (int64_t i = 0; i < rows * COLUMNS; ++i) a->value[i] = 1000 + i;
    for (int64_t block = 0; block < (rows + 31) / 32 * 2; ++block) {
        struct tcpc_block q = {.size = sizeof q,
                               .kernel = kernel,
                               .setting = &m,
                               .nsettings = 1,
                               .block = {block / 2, block % 2}};
        struct tcpc_result *r = trace(&q, TCPC_OK);
        const struct tcpc_trace *t = r->trace;
        HOLDS(t && !t->cut && t->threads == THREADS && t->grid[0] == (rows + 31) / 32);
        HOLDS(strcmp(t->kernel, kernel) == 0 && strstr(t->symbol, kernel));
        for (size_t i = 0; i < t->nevents; ++i) {
            follow(x, t->event[i]);
            HOLDS(t->event[i]->at.line > 8 && strcmp(t->event[i]->at.file, "a.tcp") == 0);
            HOLDS(!t->event[i]->together);
        }
        tcpc_free(r);
    }
    for (int64_t i = 0; i < rows * COLUMNS; ++i)
        CHECK(b->value[i] == 1000 + i % rows * COLUMNS + i / rows, "%s, %d rows: element %d is %d",
              kernel, (int)rows, (int)i, (int)b->value[i]);
    HOLDS(b->value[rows * COLUMNS] == EMPTY && a->value[rows * COLUMNS] == EMPTY);
    HOLDS(x->events[TCPC_EVENT_WAIT] > 0);
    if (strcmp(kernel, "staged") == 0)
        HOLDS(x->events[TCPC_EVENT_CALL] > 0 && x->events[TCPC_EVENT_REGISTERS] > 0);
    else
        HOLDS(x->events[TCPC_EVENT_ARRIVE] > 0);
    free(x);
}

static void bounded(void) {
    struct tcpc_block q = {.size = sizeof q, .most = 100};
    struct tcpc_result *whole = trace(&(struct tcpc_block){.size = sizeof q}, TCPC_OK),
                       *part = trace(&q, TCPC_OK);
    const struct tcpc_trace *t = part->trace;
    size_t threads = 0;
    HOLDS(!whole->trace->cut && t->cut && t->nevents > 0 && t->nevents < whole->trace->nevents);
    for (size_t i = 0; i < t->nevents; ++i) {
        const struct tcpc_event *e = t->event[i];
        threads += e->nthreads ? e->nthreads : 1;
        HOLDS(e->kind == whole->trace->event[i]->kind);
        if (e->from) HOLDS(e->from->space == TCPC_GLOBAL && e->to->space == TCPC_SHARED);
    }
    CHECK(threads <= q.most, "%zu threads", threads);
    tcpc_free(part);
    tcpc_free(whole);
}

static void refused(void) {
    struct tcpc_block q = {.size = sizeof q, .block = {1000, 0, 0}};
    struct tcpc_result *r = trace(&q, TCPC_BAD_OPTION);
    CHECK_STR(r->message[0]->text, "block (1000,0,0) is not in the grid (2,2,1)");
    HOLDS(!r->trace);
    tcpc_free(r);
    r = trace(&(struct tcpc_block){.size = sizeof q, .kernel = "transposed"}, TCPC_BAD_OPTION);
    CHECK_STR(r->message[0]->text, "the plan has no kernel 'transposed'");
    tcpc_free(r);
    r = trace(&(struct tcpc_block){.size = 1}, TCPC_BAD_OPTION);
    tcpc_free(r);
    static const char large[] =
        "tcp 1;\nparam M : index;\ntensor A : f32 global (M);\n"
        "tensor B : f32 global (M);\nkernel k(A, out B) grid (M) threads 1 {\n"
        "  copy A(block.x) -> B(block.x) with universal(32);\n}\n";
    static const struct tcpc_setting m = {"M", INT64_C(1) << 40};
    q = (struct tcpc_block){.size = sizeof q, .setting = &m, .nsettings = 1};
    tcpc_trace_block("a.tcp", large, strlen(large), NULL, &q, &r);
    CHECK(r->status == TCPC_BAD_OPTION && r->nmessages >= 1 &&
              strncmp(r->message[0]->text, "nothing is launched: ", 21) == 0,
          "%s", r->nmessages ? r->message[0]->text : "");
    tcpc_free(r);
    static const char none[] = "tcp 1;\nconst N = 1;\n";
    tcpc_trace_block("a.tcp", none, strlen(none), NULL, &(struct tcpc_block){.size = sizeof q}, &r);
    CHECK_STR(r->message[r->nmessages - 1]->text, "the plan has no kernel");
    tcpc_free(r);
}

int main(void) {
    follow_all("transpose", 36);
    follow_all("transpose", MOST_ROWS);
    follow_all("staged", 36);
    bounded();
    refused();
    return check_done();
}
