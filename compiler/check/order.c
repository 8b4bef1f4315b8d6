// The race checker (see order.h).
//
// The threads of a block execute a node together.  The time between two barriers is an epoch.  Two
// accesses of different threads to one piece of memory are ordered if their epochs differ.  An
// asynchronous copy belongs to a group.  It counts as an access in the epoch in which its thread waits for the group, or where all threads
// wait as one before; accesses before that are not ordered with it.  A piece is as long as the narrowest access to its buffer; every access
// consists of complete pieces.  Accesses of roles have the times of their clocks (clocks.h).
#include "check/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "check/arrivals.h"
#include "check/clocks.h"
#include "check/groups.h"
#include "check/order_steps.h"
#include "check/shadow.h"
#include "hw/sizes.h"
#include "layout/algebra.h"
#include "machine/machine.h"

enum { FIRST_EVENTS = 64 };

// A node, executed by all threads together.
struct event {
    const struct kir_node *node;
    int32_t epoch;
    int32_t group;  // 0: not asynchronous
    int role;       // of the machine, with its time
    int32_t time;
};

struct order {
    struct machine machine;
    struct shadows shadows;
    int32_t epoch, calls;
    int32_t fenced;       // what was done up to this epoch comes before copies that others issue
    struct event *event;  // entry 0 means "none"
    int32_t nevents, cap_events;
    struct reader *reader;  // entry 0 means "none"
    int32_t nreaders, cap_readers, free_readers;
    struct groups groups;
    struct clocks clocks;
    struct order_fault *fault;
};

static int32_t add_event(struct order *r, const struct kir_node *n, bool async) {
    if (r->nevents == r->cap_events) {
        r->cap_events *= 2;
        r->event = memory_again(r->event, sizeof *r->event * (size_t)r->cap_events);
    }
    const struct machine *m = &r->machine;
    r->event[r->nevents] = (struct event){n, r->epoch, async ? groups_join(&r->groups, m) : 0,
                                          m->role, clocks_now(&r->clocks, m)};
    return r->nevents++;
}

// -- order ----------------------------------------------------------------------------------------

struct touch {
    const struct mark *at;
    bool writes;
};

static bool report(struct order *r, enum order_missing missing, struct touch a, struct touch b,
                   const struct shadow *x, int64_t piece) {
    const struct event *first = &r->event[a.at->event], *second = &r->event[b.at->event];
    *r->fault = (struct order_fault){
        missing,
        {first->node, a.at->thread, a.writes, first->group > 0},
        {second->node, b.at->thread, b.writes, second->group > 0},
        x->buf,
        piece * x->piece,
        x->piece,
        first->group ? groups_younger(&r->groups, &r->machine, first->group) : 0,
        NULL,
    };
    return false;
}

// The group of "a" if a barrier in memory says that it is there, and its own thread has not waited for it; or NULL.
static const struct group *in_memory(const struct order *r, struct touch a) {
    const struct event *e = &r->event[a.at->event];
    const struct group *g = &r->groups.at[e->group];
    if (!e->group || g->end[a.writes && kir_stores(e->node)].epoch >= 0) return NULL;
    return e->node->align > 0 || e->time < g->counted ? g : NULL;
}

// When "a" is complete.
static struct group_end end_of(const struct order *r, struct touch a) {
    const struct event *e = &r->event[a.at->event];
    const struct group_end itself = {e->epoch, e->role, e->time};
    const struct group *g = in_memory(r, a);
    if (g) return g->there;
    return e->group ? r->groups.at[e->group].end[a.writes && kir_stores(e->node)] : itself;
}

// Whether the present role has passed the barrier of group "g", or knows of one that did; with "fences", and that has fenced since.
static bool knows_of(const struct order *r, const struct group *g, bool fences) {
    const struct machine *m = &r->machine;
    for (int i = 1; i < MACHINE_ROLES; ++i) {
        int32_t time = g->passed[i] - 1;
        if (time >= 0 && (fences ? clocks_fenced(&r->clocks, m, i, time, false)
                                 : i == m->role || clocks_after(&r->clocks, m, i, time)))
            return true;
    }
    return false;
}

// Whether there was a barrier between the completion of "a" and now.
static bool is_over(const struct order *r, struct touch a) {
    const struct group_end end = end_of(r, a);
    const struct group *g = in_memory(r, a);
    if (end.epoch < 0) return false;
    if (end.epoch < r->epoch || (g && knows_of(r, g, false))) return true;
    return !g && end.by && clocks_after(&r->clocks, &r->machine, end.by, end.time);
}

static bool is_fenced(const struct order *r, struct touch a) {
    const struct group_end end = end_of(r, a);
    const struct group *g = in_memory(r, a);
    if (end.epoch <= r->fenced || (g && knows_of(r, g, true))) return true;
    return !g && end.by && clocks_fenced(&r->clocks, &r->machine, end.by, end.time, !a.writes);
}

static bool is_under_way(const struct order *r, struct touch a) {
    return r->event[a.at->event].group && end_of(r, a).epoch < 0;
}

// Whether "b" is ordered after "a", an access to the same piece; reports a fault otherwise.
static bool in_order(struct order *r, struct touch a, struct touch b, const struct shadow *x,
                     int64_t piece) {
    if (!a.at->event) return true;
    if (is_under_way(r, a)) return report(r, ORDER_WAIT, a, b, x, piece);
    // a call counts as a thread of its own: it orders its own accesses
    if (a.at->thread == b.at->thread) return true;
    bool fenced = order_by_copy(r->event[a.at->event].node, a.writes) ||
                  !order_by_copy(r->event[b.at->event].node, b.writes) || is_fenced(r, a),
         over = is_over(r, a);
    if (over && fenced) return true;
    return report(r, over ? ORDER_FENCE : ORDER_BARRIER, a, b, x, piece);
}

static int32_t new_reader(struct order *r) {
    int32_t i = r->free_readers;
    if (i) {
        r->free_readers = r->reader[i].next;
        return i;
    }
    if (r->nreaders == r->cap_readers) {
        r->cap_readers *= 2;
        r->reader = memory_again(r->reader, sizeof *r->reader * (size_t)r->cap_readers);
    }
    return r->nreaders++;
}

// Two readers of a role are enough, and two copies that read: a later writer can be only one of them.
static void add_reader(struct order *r, struct cell *c, const struct mark *m) {
    const struct event *e = &r->event[m->event];
    int32_t kept = 0;
    for (int32_t i = c->readers; i; i = r->reader[i].next) {
        const struct mark *a = &r->reader[i].at;
        const struct event *was = &r->event[a->event];
        if (was->role != e->role || (was->group > 0) != (e->group > 0)) continue;
        if (kept || a->thread == m->thread || is_over(r, (struct touch){a, false})) {
            r->reader[i].at = *m;
            return;
        }
        kept = i;
    }
    int32_t i = new_reader(r), *link = kept ? &r->reader[kept].next : &c->readers;
    r->reader[i] = (struct reader){*m, *link};
    *link = i;
}

static bool touch_piece(struct order *r, struct shadow *x, int64_t piece, const struct mark *m,
                        bool write) {
    struct cell *c = shadow_cell(x, piece);
    if (!c)
        return machine_fail(&r->machine, arena_printf(&r->machine.s->arena,
                                                      "an access outside '%s'", x->buf->name));
    // several threads write different elements of a global tensor
    bool ordered = write && x->buf->space == MEM_GLOBAL;
    const struct touch now = {m, write};
    if (!ordered && !in_order(r, (struct touch){&c->write, true}, now, x, piece)) return false;
    if (!write) {
        add_reader(r, c, m);
        return true;
    }
    for (int32_t i = c->readers, next; i; i = next) {
        if (!in_order(r, (struct touch){&r->reader[i].at}, now, x, piece)) return false;
        next = r->reader[i].next;
        r->reader[i].next = r->free_readers;
        r->free_readers = i;
    }
    *c = (struct cell){.write = *m};
    return true;
}

// Records an access to "bytes" bytes from element "at" on; "x" NULL: the buffer is not tracked.
static bool touch(struct order *r, int32_t event, struct shadow *x, int64_t at, int64_t bytes,
                  int64_t thread, bool write) {
    if (!x) return true;
    struct mark m = {event, (int32_t)thread};
    int64_t first = at * (x->buf->elem->bits / 8);
    for (int64_t i = first / x->piece; i * x->piece < first + bytes; ++i) {
        if (!touch_piece(r, x, i, &m, write)) return false;
    }
    return true;
}

// -- what the machine reports ---------------------------------------------------------------------

static bool wants(void *user, const struct kir_buffer *b) {
    (void)user;
    return order_tracks(b);
}

static bool access(void *user, struct machine *m, const struct machine_access *a) {
    struct order *r = user;
    const struct kir_node *n = a->node;
    struct shadow *source = a->from.buf ? shadow_of(&r->shadows, a->from.buf) : NULL;
    struct shadow *target = a->to.buf ? shadow_of(&r->shadows, a->to.buf) : NULL;
    int32_t event = add_event(r, n, n->kind == KIR_ASYNC);
    // which lane of a warp moves an element is not distinguished
    const struct kir_together *warp = n->together;
    int32_t together = warp ? -++r->calls : 0;
    for (int64_t t = 0; t < m->active; ++t) {
        if (!machine_goes_on(m, t)) continue;
        int64_t who = warp ? together : t;
        int64_t reads = (warp ? warp->src_bits : n->bits) / 8;
        int64_t writes = (warp ? warp->dst_bits : n->bits) / 8;
        if (a->read) reads = (int64_t)a->read[t] * n->buf->elem->bits / 8;
        if (warp && t % LANES >= warp->src_lanes) reads = 0;
        if (warp && t % LANES >= warp->dst_lanes) writes = 0;
        if (source && reads && !(a->idle && a->idle[t]) &&
            !touch(r, event, source, column_value(&a->from.at, t), reads, who, false))
            return false;
        if (target && writes &&
            !touch(r, event, target, column_value(&a->to.at, t), writes, who, true))
            return false;
    }
    return true;
}

// A call may touch all elements of its arguments, by any thread.
static bool call(void *user, struct machine *m, const struct kir_node *n) {
    struct order *r = user;
    int32_t who = -++r->calls, event = add_event(r, n, false);
    for (int i = 0; i < n->nargs; ++i) {
        const struct kir_arg *a = &n->arg[i];
        struct machine_elements x;
        if (!order_tracks(a->buf)) continue;
        if (!machine_elements(m, a, &x)) return false;
        struct shadow *of = shadow_of(&r->shadows, a->buf);
        int64_t at = column_value(&x.at, 0), bytes = a->buf->elem->bits / 8;
        for (int64_t e = 0; e < x.count; ++e) {
            int64_t off = lay_swizzle_apply(a->layout.sw, at + x.off[e]);
            if (a->read && !touch(r, event, of, off, bytes, who, false)) return false;
            if (a->written && !touch(r, event, of, off, bytes, who, true)) return false;
        }
    }
    return true;
}

static void arrive(void *user, struct machine *m, struct arrival a) {
    struct order *r = user;
    if (a.kind == ARRIVAL_GROUP || a.kind == ARRIVAL_MEMORY) groups_commit(&r->groups, m);
}

static void wait(void *user, struct machine *m, struct arrival a) {
    struct order *r = user;
    if (a.kind == ARRIVAL_NAMED) {
        clocks_pass(&r->clocks, m, a.of);
    } else if (a.kind == ARRIVAL_MEMORY) {
        int id = MACHINE_NAMED + m->barrier;
        clocks_pass(&r->clocks, m, id);
        groups_arrived(&r->groups, m, (struct group_end){r->epoch, 0, clocks_now(&r->clocks, m)});
    } else if (arrival_row(a)->joins) {  // all threads of the block
        if (a.fence) r->fenced = r->epoch;
        ++r->epoch;
        clocks_meet(&r->clocks, a.fence);
    }
    if (a.kind != ARRIVAL_GROUP) return;
    groups_wait(&r->groups, m, a, r->epoch - m->k->all_wait, r->clocks.time);
}

static void come(void *user, struct machine *m, int id, bool first) {
    struct order *r = user;
    if (!clocks_arrive(&r->clocks, m, id, first))
        machine_fail(m, "a role that may come to a barrier again before the others");
    bool copies = m->node->arrival.kind == ARRIVAL_MEMORY && m->node->by == BY_COPIES;
    if (copies) groups_count(&r->groups, m, clocks_now(&r->clocks, m));
}

static void fence(void *user, struct machine *m) {
    clocks_fence(&((struct order *)user)->clocks, m);
}

// -- one block ------------------------------------------------------------------------------------

// A device function must return with its accesses complete, and a kernel's bulk copies must be.
static bool nothing_under_way(struct order *r) {
    const struct mark end = {0};
    for (int i = 0; i < r->shadows.n; ++i) {
        const struct shadow *x = &r->shadows.of[i];
        for (int64_t c = 0; c < x->cells; ++c) {
            const struct mark *m = &x->cell[c].write;
            const struct kir_node *n = r->event[m->event].node;
            // what a kernel stores is there when it has ended
            bool lasts = m->event && (r->machine.k->device || (n->align && !kir_stores(n))) &&
                         is_under_way(r, (struct touch){m, true});
            for (int32_t k = x->cell[c].readers; k && !lasts; k = r->reader[k].next) {
                m = &r->reader[k].at;
                lasts = kir_stores(r->event[m->event].node) &&
                        is_under_way(r, (struct touch){m, false});
            }
            if (lasts)
                return report(r, ORDER_WAIT, (struct touch){m, m == &x->cell[c].write},
                              (struct touch){&end}, x, x->key ? x->key[c] : c);
        }
    }
    return true;
}

static bool run_block(struct order *r, struct order_steps *steps) {
    const struct kir_kernel *k = r->machine.k;
    shadows_init(&r->shadows, k->body);
    if (r->shadows.n == 0) return true;
    steps->beyond = steps->beyond && !order_reads_global(k->body);
    const int64_t first[3] = {0};
    return machine_run(&r->machine, first) &&
           (k->leaves_group || r->machine.operations >= r->machine.schedule->limit ||
            nothing_under_way(r));
}

static bool check_turn(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                       struct order_steps *steps, struct order_fault *fault) {
    struct order r = {.fault = fault,
                      .fenced = -1,
                      .epoch = 1,
                      .cap_events = FIRST_EVENTS,
                      .nreaders = 1,
                      .cap_readers = FIRST_EVENTS};
    struct arena_mark mark = arena_mark(&s->arena);
    struct schedule schedule = order_schedule(s, steps);
    struct observer observer = {&r, wants, access, call, NULL, arrive, wait, come, fence};
    machine_init(&r.machine, s, k, sym, &schedule, &observer, 1);
    groups_init(&r.groups);
    r.event = memory_new(sizeof *r.event * (size_t)r.cap_events);
    r.reader = memory_new(sizeof *r.reader * (size_t)r.cap_readers);
    add_event(&r, NULL, false);
    *fault = (struct order_fault){0};
    bool ok = run_block(&r, steps);
    shadows_release(&r.shadows);
    groups_release(&r.groups);
    memory_free(r.event);
    memory_free(r.reader);
    machine_release(&r.machine);
    fault->trouble = ok ? arrivals_trouble(s, k, sym, steps) : r.machine.error;
    fault->no_value = r.machine.no_value;
    fault->too_narrow = r.machine.too_narrow;
    if (!fault->trouble) arena_rewind(&s->arena, mark);
    return ok && !fault->trouble;
}

bool order_check(struct session *s, const struct kir_kernel *k, const int64_t *sym, bool beyond,
                 struct order_fault *fault) {
    int n = order_turns(k->body);
    bool same[ORDER_TURNS], done[ORDER_TURNS] = {0};
    for (int i = n - 1; i >= 0; --i) {
        if (done[i]) continue;  // a later turn executes the same steps
        struct order_steps steps = {.turn = i, .alone = n == 1, .beyond = beyond, .same = same};
        memset(same, true, sizeof same);
        if (!check_turn(s, k, sym, &steps, fault)) return false;
        for (int j = 0; j < i; ++j) done[j] |= same[j];
    }
    return true;
}

bool order_confirm(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                   struct order_fault *fault) {
    struct order_steps exact = {0};
    return check_turn(s, k, sym, &exact, fault);
}
