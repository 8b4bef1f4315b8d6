// Accesses in order: a ring of slots that asynchronous copies fill ahead, right, and with one thing
// wrong each; the fault is the least one.
//
//   for j in 0 .. S - 1:  copy -> slot j; commit
//   for i in 0 .. N:      wait; barrier; copy -> slot (i + S - 1) % S; commit; read slot i % S
//
// Thread t fills element t of a slot, and reads element T - 1 - t; there may be a wait at the end.
#include "ask.h"

enum { FILL_FIRST, FILL, READ, ACCESSES };
enum { WAIT, BARRIER, LAST, SYNCS };

struct ring {
    struct ask x;
    struct prove_access access[ACCESSES];
    struct prove_set commit[2];
    struct prove_sync sync[SYNCS];
    int commit_role[2];
    struct prove_program program;
    struct prove_order *order;
};

// "slot" of the loops "loops", at time "when", by element and by thread.
static void add_access(struct ring *r, int at, const char *loops, const char *when,
                       const char *slot, const char *of_thread, bool write) {
    struct arena *a = &r->x.s.arena;
    r->access[at] = (struct prove_access){
        .when = ask_set(&r->x, arena_printf(a, "%s -> %s", loops, when)),
        .what = ask_set(&r->x, arena_printf(a, "%s x=0..8 -> %s, x", loops, slot)),
        .by_thread = ask_set(&r->x, arena_printf(a, "%s t=0..8 -> %s, %s", loops, slot, of_thread)),
        .threads = true,
        .write = write,
        .async = write,
    };
}

static void ring_begin(struct ring *r, int slots) {
    struct ask *x = &r->x;
    struct arena *a = &x->s.arena;
    ask_begin(x, "N=1..1000");
    const char *first = arena_printf(a, "j=0..%d", slots - 1);
    add_access(r, FILL_FIRST, first, "0, j, 0", "j", "t", true);
    add_access(r, FILL, "i=0..N", "1, i, 2", arena_printf(a, "(i+%d)%%%d", slots - 1, slots), "t",
               true);
    add_access(r, READ, "i=0..N", "1, i, 4", arena_printf(a, "i%%%d", slots), "7-t", false);
    r->commit[0] = ask_set(x, arena_printf(a, "%s -> 0, j, 1", first));
    r->commit[1] = ask_set(x, "i=0..N -> 1, i, 3");
    r->commit_role[0] = r->commit_role[1] = 0;
    r->sync[WAIT] = (struct prove_sync){ask_set(x, "i=0..N -> 1, i, 0"), arrival_groups(slots - 2)};
    r->sync[BARRIER] = (struct prove_sync){ask_set(x, "i=0..N -> 1, i, 1"), arrival_block};
    r->sync[LAST] = (struct prove_sync){ask_set(x, "-> 2, 0, 0"), arrival_none};
    r->program = (struct prove_program){.access = r->access,
                                        .naccesses = ACCESSES,
                                        .commit = r->commit,
                                        .commit_role = r->commit_role,
                                        .ncommits = 2,
                                        .sync = r->sync,
                                        .nsyncs = SYNCS};
    r->order = prove_order_new(x->prover, &r->program);
}

static void ring_end(struct ring *r) {
    prove_order_free(r->order);
    ask_end(&r->x);
}

static const char *fault_text(struct ring *r, enum prove_answer answer, int a, int b,
                              const struct prove_fault *f) {
    static const char *const missing[] = {"a wait", "a barrier", "a commit"};
    if (answer != PROVE_NO) return ask_answer(&r->x, answer, NULL, NULL, NULL);
    const struct prove_access *x = &r->access[a], *y = b < 0 ? NULL : &r->access[b];
    const struct prove_set *sx = f->threads ? &x->by_thread : b < 0 ? &x->when : &x->what;
    const struct prove_set *sy = !y ? NULL : f->threads ? &y->by_thread : &y->what;
    return arena_printf(&r->x.s.arena, "%s; %s", missing[f->missing],
                        ask_answer(&r->x, answer, sx, sy, &f->at));
}

static void pair(struct ring *r, int a, int b, const char *want) {
    struct prove_fault f = {0};
    bool used[SYNCS];
    enum prove_answer answer = prove_order_pair(r->order, a, b, used, &f);
    CHECK_STR(fault_text(r, answer, a, b, &f), want);
}

static void ends(struct ring *r, int a, const char *want) {
    struct prove_fault f = {0};
    enum prove_answer answer = prove_order_ends(r->order, a, &f);
    CHECK_STR(fault_text(r, answer, a, -1, &f), want);
}

static void all_in_order(struct ring *r) {
    for (int a = 0; a < ACCESSES; ++a)
        for (int b = 0; b < ACCESSES; ++b) pair(r, a, b, "yes");
}

static void test_right(void) {
    for (int slots = 2; slots <= 4; ++slots) {
        struct ring r;
        ring_begin(&r, slots);
        all_in_order(&r);
        ring_end(&r);
    }
}

static void test_used(void) {
    struct ring r;
    struct prove_fault f;
    bool used[SYNCS];
    ring_begin(&r, 3);
    HOLDS(prove_order_pair(r.order, READ, FILL, used, &f) == PROVE_YES);
    HOLDS(used[BARRIER] && !used[WAIT]);
    HOLDS(prove_order_pair(r.order, FILL, READ, used, &f) == PROVE_YES);
    HOLDS(used[BARRIER] && used[WAIT]);
    HOLDS(prove_order_pair(r.order, READ, READ, used, &f) == PROVE_YES);
    HOLDS(!used[BARRIER] && !used[WAIT]);
    ring_end(&r);
}

static void test_no_barrier(void) {
    struct ring r;
    ring_begin(&r, 3);
    r.sync[BARRIER].arrival = arrival_none;
    pair(&r, READ, FILL, "a barrier; no: N=2 | i=0 t=0 | i=1 t=7 : (0,7)");
    pair(&r, FILL_FIRST, READ, "a barrier; no: N=1 | j=0 t=0 | i=0 t=7 : (0,0)");
    pair(&r, FILL, READ, "a barrier; no: N=3 | i=0 t=0 | i=2 t=7 : (2,0)");
    ring_end(&r);
}

// The wait leaves one group more in flight: the slot that is read may be filled still.
static void test_loose(void) {
    struct ring r;
    ring_begin(&r, 3);
    r.sync[WAIT].arrival.count = 2;
    pair(&r, FILL_FIRST, READ, "a wait; no: N=1 | j=0 x=0 | i=0 x=0 : (0,0)");
    pair(&r, FILL, READ, "a wait; no: N=3 | i=0 x=0 | i=2 x=0 : (2,0)");
    pair(&r, READ, FILL, "yes");
    r.sync[WAIT].arrival.count = 0;  // a tighter one is right too
    all_in_order(&r);
    r.sync[WAIT].arrival = arrival_none;
    pair(&r, FILL_FIRST, READ, "a wait; no: N=1 | j=0 x=0 | i=0 x=0 : (0,0)");
    ring_end(&r);
}

// A group that is in flight at the end.
static void test_ends(void) {
    struct ring r;
    ring_begin(&r, 3);
    ends(&r, FILL_FIRST, "a wait; no: N=1 | j=1");
    ends(&r, FILL, "a wait; no: N=1 | i=0");
    r.sync[LAST].arrival = arrival_groups(0);
    ends(&r, FILL_FIRST, "yes");
    ends(&r, FILL, "yes");
    r.sync[LAST].arrival.count = 1;
    ends(&r, FILL_FIRST, "yes");
    ends(&r, FILL, "a wait; no: N=1 | i=0");
    ring_end(&r);
}

// A barrier, or a wait, in a loop of its own, of which it is not known whether it has an iteration: of 3 there is none.
static void test_some(void) {
    for (int at = WAIT; at <= BARRIER; ++at) {
        struct ring r;
        struct prove_fault f = {0};
        bool used[SYNCS];
        char when[] = "i=0..N k=0..3*i%N -> 1, i, 0";
        when[strlen(when) - 1] = at == WAIT ? '0' : '1';
        ring_begin(&r, 3);
        prove_order_free(r.order);
        r.sync[at].when = ask_set(&r.x, when);
        r.order = prove_order_new(r.x.prover, &r.program);
        int a = at == WAIT ? FILL : READ, b = at == WAIT ? READ : FILL;
        HOLDS(prove_order_pair(r.order, a, b, used, &f) != PROVE_YES);
        HOLDS(prove_order_pair(r.order, READ, READ, used, &f) == PROVE_YES);
        ring_end(&r);
    }
}

// Accesses to other buffers, and reads, need no order.
static void test_apart(void) {
    struct ring r;
    ring_begin(&r, 3);
    r.sync[BARRIER].arrival = r.sync[WAIT].arrival = arrival_none;
    pair(&r, READ, READ, "yes");
    r.access[READ].buffer = 1;
    pair(&r, READ, FILL, "yes");
    pair(&r, FILL, READ, "yes");
    ring_end(&r);
}

int main(void) {
    test_right();
    test_used();
    test_no_barrier();
    test_loose();
    test_ends();
    test_some();
    test_apart();
    return check_done();
}
