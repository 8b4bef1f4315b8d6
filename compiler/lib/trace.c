// What a block does as data (tcpc.h): the machine's events, as far as they are wanted.
#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "compile/compile.h"
#include "counters/counters.h"
#include "lib/lib.h"
#include "machine/machine.h"
#include "tell/params.h"

enum { USUAL_MOST = 1 << 16 };
static const int64_t most_operations = INT64_C(1) << 25;

// The events so far.
struct tracing {
    struct session *s;
    struct tcpc_trace *out;
    const struct tcpc_event **event;
    int cap;
    size_t left;
    struct arena *kept;
};

// A new event of "n" threads; NULL, which stops the machine, if there may be no more.
static struct tcpc_event *add(struct tracing *x, const struct kir_node *n,
                              enum tcpc_event_kind kind, size_t threads) {
    size_t takes = threads ? threads : 1;
    if (takes > x->left) {
        x->out->cut = 1;
        x->left = 0;
        return NULL;
    }
    x->left -= takes;
    x->event = arena_more(x->kept, x->event, sizeof *x->event, (int)x->out->nevents, &x->cap);
    struct tcpc_event *e = ARENA_NEW(x->kept, struct tcpc_event);
    *e = (struct tcpc_event){.size = sizeof *e, .kind = kind, .at = lib_place(x->s, n->where)};
    x->event[x->out->nevents++] = e;
    return e;
}

static enum tcpc_space space_of(const struct kir_buffer *b) {
    return b->space == MEM_GLOBAL   ? TCPC_GLOBAL
           : b->space == MEM_SHARED ? TCPC_SHARED
                                    : TCPC_REGISTERS;
}

// One side of an access, of which nothing but the places of threads is set.
static struct tcpc_place_of *side(struct tracing *x, const struct kir_buffer *b, size_t threads) {
    struct tcpc_place_of *p = ARENA_NEW(x->kept, struct tcpc_place_of);
    *p = (struct tcpc_place_of){.size = sizeof *p,
                                .buffer = b->name,
                                .space = space_of(b),
                                .element_bits = b->elem->bits,
                                .at = ARENA_ARRAY(x->kept, int64_t, threads + 1)};
    return p;
}

// Sets how far the "n" elements are from the first one.
static void set_elements(struct tracing *x, struct tcpc_place_of *p, const int64_t *step, int n) {
    int64_t *element = ARENA_ARRAY(x->kept, int64_t, n + 1);
    for (int i = 0; i < n; ++i) element[i] = step ? kir_step_to(step, i) : i;
    p->element = element;
}

static bool access(void *user, struct machine *m, const struct machine_access *a) {
    struct tracing *x = user;
    const struct kir_node *n = a->node;
    const struct kir_buffer *from = a->from.buf, *to = a->to.buf;
    size_t threads = 0;
    for (int64_t t = 0; t < m->active; ++t) threads += machine_goes_on(m, t);
    struct tcpc_event *e = add(x, n, TCPC_EVENT_ACCESS, threads);
    if (!e) return false;
    int bits = n->kind == KIR_FILL ? n->elem_bits : n->buf->elem->bits, elements = n->bits / bits;
    struct tcpc_place_of *p[2] = {from ? side(x, from, threads) : NULL, side(x, to, threads)};
    int64_t *thread = ARENA_ARRAY(x->kept, int64_t, threads + 1),
            *reads = ARENA_ARRAY(x->kept, int64_t, threads + 1);
    for (int i = 0; i < 2; ++i) {
        const struct machine_side *of = i ? &a->to : &a->from;
        if (!p[i]) continue;
        bool steps = n->apart == of->buf;
        // otherwise the index of registers between a load and a store counts accesses
        int64_t unit = of->buf->space == MEM_STAGE && !steps ? elements : 1,
                *at = (int64_t *)p[i]->at;
        for (int64_t t = 0; t < m->active; ++t) {
            bool idle = i == 0 && a->idle && a->idle[t];
            if (machine_goes_on(m, t)) *at++ = idle ? 0 : unit * column_value(&of->at, t);
        }
        set_elements(x, p[i], steps ? n->step : NULL, elements);
    }
    for (int64_t t = 0; t < m->active; ++t) {
        if (!machine_goes_on(m, t)) continue;
        thread[e->nthreads] = t;
        reads[e->nthreads++] = from ? machine_reads(a, t, elements) : 0;
    }
    e->from = p[0];
    e->to = p[1];
    e->bits = n->bits;
    e->asynchronous = n->kind == KIR_ASYNC;
    e->together = n->together != NULL;
    e->thread = thread;
    e->reads = reads;
    return true;
}

static bool call(void *user, struct machine *m, const struct kir_node *n) {
    struct tracing *x = user;
    for (int i = 0; i < n->nargs; ++i) {
        struct column at_of;
        const struct kir_arg *a = &n->arg[i];
        size_t threads = 0;
        if (!a->buf) continue;
        if (!machine_value(m, a->at, &at_of)) return false;
        for (int64_t t = 0; t < m->active; ++t) threads += machine_goes_on(m, t);
        struct tcpc_event *e = add(x, n, TCPC_EVENT_CALL, threads);
        if (!e) return false;
        struct tcpc_place_of *p = side(x, a->buf, threads);
        int64_t *thread = ARENA_ARRAY(x->kept, int64_t, threads + 1), *at = (int64_t *)p->at;
        for (int64_t t = 0; t < m->active; ++t) {
            if (!machine_goes_on(m, t)) continue;
            thread[e->nthreads++] = t;
            *at++ = column_value(&at_of, t);
        }
        e->text = n->callee;
        e->thread = thread;
        e->from = a->read ? p : NULL;
        e->to = a->written ? p : NULL;
    }
    return true;
}

static void registers(void *user, struct machine *m, const struct kir_buffer *stage) {
    struct tracing *x = user;
    struct tcpc_event *e = add(x, m->node, TCPC_EVENT_REGISTERS, 0);
    if (e) e->to = side(x, stage, 0);
}

static void tell(struct tracing *x, const struct machine *m, struct arrival a, bool arrives) {
    char text[ARRIVAL_TEXT];
    struct tcpc_event *e = add(x, m->node, arrives ? TCPC_EVENT_ARRIVE : TCPC_EVENT_WAIT, 0);
    if (e) e->text = arena_printf(x->kept, "%s", arrival_text(a, arrives, text));
}

static void arrive(void *user, struct machine *m, struct arrival a) {
    tell(user, m, a, true);
}

static void wait(void *user, struct machine *m, struct arrival a) {
    tell(user, m, a, false);
}

static bool wants(void *user, const struct kir_buffer *b) {
    (void)user, (void)b;
    return true;
}

// -- the call -------------------------------------------------------------------------------------

// The kernel that is asked about; NULL after an error.
static const struct kir_kernel *find(struct session *s, const struct kir *kir, const char *name) {
    for (const struct kir_kernel *k = kir->kernels; k; k = k->next)
        if (!k->device && k->first_case && (!name || strcmp(k->name, name) == 0)) return k;
    if (name)
        diag_error(s, RANGE_NONE, "the plan has no kernel '%s'", name);
    else
        diag_error(s, RANGE_NONE, "the plan has no kernel");
    return NULL;
}

static bool is_inside(struct session *s, const struct tcpc_block *b, const int64_t grid[3]) {
    for (int i = 0; i < 3; ++i) {
        if (b->block[i] >= 0 && b->block[i] < grid[i]) continue;
        diag_error(s, RANGE_NONE,
                   "block (%" PRId64 ",%" PRId64 ",%" PRId64 ") is not in the grid (%" PRId64
                   ",%" PRId64 ",%" PRId64 ")",
                   b->block[0], b->block[1], b->block[2], grid[0], grid[1], grid[2]);
        return false;
    }
    return true;
}

static void run(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                const struct tcpc_block *b, struct tcpc_trace *out) {
    // not the session's, of which the machine gives back what it took
    struct tracing x = {
        .s = s, .out = out, .left = b->most ? b->most : USUAL_MOST, .kept = &s->diags.arena};
    const struct schedule schedule = {.limit = most_operations};
    const struct observer observer = {&x, wants, access, call, registers, arrive, wait};
    struct machine m;
    machine_init(&m, s, k, sym, &schedule, &observer, 1);
    machine_run(&m, b->block);
    out->event = x.event;
    out->cut |= m.operations >= most_operations;
    if (m.error) BUG("kernel '%s' is not executed: %s", k->name, m.error);
    machine_release(&m);
}

enum tcpc_status lib_trace(struct session *s, const char *path, const struct tcpc_block *block,
                           struct tcpc_result *result) {
    struct tcpc_block b;
    struct param_settings params;
    struct compiled c;
    if (!lib_copy(s, "tcpc_block", block, &b, sizeof b) ||
        !lib_settings(s, b.setting, b.nsettings, &params))
        return TCPC_BAD_OPTION;
    compile_begin(&c, s, path);
    if (steps_until(&c, STEP_EQUIVALENT)) return TCPC_WRONG;
    const int64_t *sym = tell_params(s, c.plan, &params);
    const struct kir_kernel *k = sym ? find(s, c.kir, b.kernel) : NULL;
    if (!k) return TCPC_BAD_OPTION;
    struct tcpc_trace *out = ARENA_NEW(&s->arena, struct tcpc_trace);
    const char *why;
    k = counters_variant(s, k, sym, out->grid, &why);
    if (why) diag_error(s, RANGE_NONE, "nothing is launched: %s", why);
    if (why) return TCPC_BAD_OPTION;
    if (!k) return TCPC_OK;
    if (!is_inside(s, &b, out->grid)) return TCPC_BAD_OPTION;
    out->size = sizeof *out;
    out->kernel = k->name;
    out->symbol = k->variant->function;
    out->threads = k->threads;
    run(s, k, sym, &b, out);
    result->trace = out;
    return TCPC_OK;
}
