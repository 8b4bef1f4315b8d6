// Keeps answers about the order of accesses from one compilation to the next (recall.h).
//
// An answer about a pair depends on the questions before it: they use up the limit, and what they found
// is used again.  So a question is known by the program and by all that was asked of it before.  Nothing
// is made for isl while all answers are known.  At the first one that is not, the questions before it are
// asked again.
#include <string.h>

#include "base/session.h"
#include "prove/order_private.h"

// A question that was asked, with what may change between questions.
struct order_call {
    int a, b;  // b == -1: prove_order_ends
    bool fault, soon;
    unsigned long limit;
    const struct prove_sync *sync;  // a copy
    struct order_call *next;
};

struct order_past {
    struct recall about;  // the program
    struct digest of;     // the program, and all calls
    unsigned long limit;  // before all calls
    struct order_call *first, **end;
};

RECALL_SIZE(struct prove_program, 80);
RECALL_SIZE(struct prove_access, 200);
RECALL_SIZE(struct prove_sync, 80);
RECALL_SIZE(struct arrival, 16);

static void put_sets(struct recall *x, const struct prove_set *set, int n) {
    recall_int(x, n);
    for (int i = 0; i < n; ++i) recall_set(x, &set[i]);
}

void order_past_begin(struct prove_order *o) {
    struct order_past *past = ARENA_NEW(&o->p->s->arena, struct order_past);
    const struct prove_program *y = o->program;
    struct recall *x = &past->about;
    recall_restart(x, o->p, RECALL_ORDER);
    recall_int(x, y->naccesses);
    for (int i = 0; i < y->naccesses; ++i) {
        const struct prove_access *a = &y->access[i];
        put_sets(x, &a->when, 1);
        put_sets(x, &a->what, 1);
        put_sets(x, &a->by_thread, a->threads);
        recall_int(x, a->write | a->async << 1 | a->once << 2 | a->all << 3 | a->proxy << 4 |
                          a->late << 5);
        recall_int(x, a->buffer);
        recall_int(x, a->role);
        recall_int(x, a->first);
    }
    put_sets(x, y->commit, y->ncommits);
    put_sets(x, y->step, y->nsteps);
    for (int i = 0; i < y->ncommits; ++i) recall_int(x, y->commit_role[i]);
    for (int i = 0; i < y->nsteps; ++i) recall_int(x, y->step_role[i]);
    recall_int(x, y->nsyncs);
    for (int i = 0; i < y->nsyncs; ++i) recall_set(x, &y->sync[i].when);
    recall_end(x);
    past->of = x->key;
    past->limit = o->p->limit;
    past->end = &past->first;
    o->past = past;
    if (x->left >= 0) return;
    order_past_end(o);
    order_build(o);
}

void order_past_end(struct prove_order *o) {
    if (o->past) recall_release(&o->past->about);
    o->past = NULL;
}

// Adds a call to the past; its key is then that of the past.
static void add_call(struct prove_order *o, int a, int b, bool fault) {
    const struct prove_program *y = o->program;
    struct order_past *past = o->past;
    struct order_call *c = ARENA_NEW(&o->p->s->arena, struct order_call);
    struct prove_sync *sync = ARENA_ARRAY(&o->p->s->arena, struct prove_sync, y->nsyncs + 1);
    if (y->nsyncs) memcpy(sync, y->sync, sizeof *sync * (size_t)y->nsyncs);
    *c = (struct order_call){a, b, fault, y->soon, o->p->limit, sync, NULL};
    struct digesting d;
    digest_begin(&d);
    digest_bytes(&d, past->of.byte, sizeof past->of.byte);
    digest_int(&d, a);
    digest_int(&d, b);
    digest_int(&d, fault);
    digest_int(&d, y->soon);
    digest_int(&d, (int64_t)o->p->limit);
    for (int i = 0; i < y->nsyncs; ++i) {
        digest_int(&d, (int64_t)sync[i].arrival.kind);
        digest_int(&d, sync[i].arrival.of);
        digest_int(&d, sync[i].arrival.count);
        digest_int(&d, sync[i].arrival.fence);
        digest_int(&d, sync[i].arrival.written);
        digest_int(&d, sync[i].role);
    }
    past->of = digest_end(&d);
    *past->end = c;
    past->end = &c->next;
}

static enum prove_answer ask(struct prove_order *o, const struct order_call *c, bool *used,
                             struct prove_fault *f) {
    return c->b < 0 ? order_ask_ends(o, c->a, f) : order_ask_pair(o, c->a, c->b, used, f);
}

// Brings what may change between questions to what it was at "c".
static void set_back(struct prove_order *o, const struct order_call *c) {
    struct prove_program *y = (struct prove_program *)o->program;
    for (int i = 0; i < y->nsyncs; ++i) y->sync[i].arrival = c->sync[i].arrival;
    y->soon = c->soon;
    o->p->limit = c->limit;
}

// Asks all questions again but the last one, each as it was asked.
static void ask_again(struct prove_order *o, const struct order_call *last) {
    bool *used = ARENA_ARRAY(&o->p->s->arena, bool, o->program->nsyncs + 1);
    struct prove_fault f;
    o->p->limit = o->past->limit;
    order_build(o);
    o->asked = 0;
    for (const struct order_call *c = o->past->first; c != last; c = c->next) {
        set_back(o, c);
        memset(used, 0, sizeof *used * (size_t)o->program->nsyncs);
        ask(o, c, used, c->fault ? &f : NULL);
    }
    set_back(o, last);
}

static void put_fault(struct recall_bytes *b, const struct order_past *past, enum prove_answer r,
                      const struct prove_fault *f) {
    recall_put(b, (int64_t)f->missing);
    recall_put(b, f->younger);
    recall_put(b, f->threads);
    if (r == PROVE_NO) recall_put_witness(b, &past->about, &f->at);
}

static void get_fault(struct recall_bytes *b, struct prove_order *o, enum prove_answer r,
                      struct prove_fault *f) {
    f->missing = (enum prove_missing)recall_get(b);
    f->younger = (int)recall_get(b);
    f->threads = recall_get(b) != 0;
    if (r == PROVE_NO) recall_get_witness(b, o->p, &o->past->about, &f->at);
}

static enum prove_answer asked(struct prove_order *o, int a, int b, bool *used,
                               struct prove_fault *f) {
    struct order_past *past = o->past;
    struct prover *p = o->p;
    int nsyncs = b < 0 ? 0 : o->program->nsyncs;
    struct order_call **last = past->end;
    add_call(o, a, b, f != NULL);
    struct recall_bytes bytes;
    enum prove_answer r;
    if (f) *f = (struct prove_fault){.missing = PROVE_WAIT};
    if (recall_look(p, &past->about, &past->of, &bytes)) {
        r = (enum prove_answer)recall_get(&bytes);
        recall_get_state(&bytes, p);
        o->asked = (int)recall_get(&bytes);
        for (int i = 0; i < nsyncs; ++i) used[i] = recall_get(&bytes) != 0;
        if (f) get_fault(&bytes, o, r, f);
        return r;
    }
    if (!o->built) ask_again(o, *last);
    r = ask(o, *last, used, f);
    bytes.n = 0;
    bytes.bad = false;
    recall_put(&bytes, (int64_t)r);
    recall_put_state(&bytes, p);
    recall_put(&bytes, o->asked);
    for (int i = 0; i < nsyncs; ++i) recall_put(&bytes, used[i]);
    if (f) put_fault(&bytes, past, r, f);
    recall_store(p, &past->of, &bytes);
    return r;
}

enum prove_answer order_past_pair(struct prove_order *o, int a, int b, bool *used,
                                  struct prove_fault *f) {
    return asked(o, a, b, used, f);
}

enum prove_answer order_past_ends(struct prove_order *o, int a, struct prove_fault *f) {
    return asked(o, a, -1, NULL, f);
}
