// Prints arrivals and waits: the runtime's call for each kind of arrival.
#include <inttypes.h>

#include "base/session.h"
#include "emit/emit_private.h"
#include "emit/write.h"

// The end of a group, or a wait for groups, of each kind that there is here.
static void put_group(const struct emission *o, const struct kir_node *n, int indent) {
    const struct kir_kernel *k = o->k;
    struct arena *a = &o->s->arena;
    for (int i = 0; i < N_COUNTS; ++i) {
        if (!(n->counts & 1 << i)) continue;
        bool memory = 1 << i == COUNTS_MEMORY, stored = 1 << i == COUNTS_STORED;
        const char *wait = n->arrival.written && stored ? k->wait_written : k->wait[i];
        const char *call = n->kind == KIR_ARRIVE
                               ? arena_printf(a, "%s();", k->commit[i])
                               : arena_printf(a, "%s<%d>();", wait, n->arrival.count);
        if (memory && n->announced) call = "tcp_ring.next_all();";
        if (memory && n->one) call = "tcp_ring.take();";
        statement_write(o->b, indent, call);
    }
}

// At a barrier in memory.  What a manual kernel expects is written as it stands in the plan.
static const char *memory_call(const struct emission *o, const struct kir_node *n) {
    struct arena *a = &o->s->arena;
    const char *call = "take()";
    if (n->kind == KIR_ARRIVE && n->announced)
        call = "next()";
    else if (n->kind == KIR_ARRIVE && n->by == BY_LEADER)
        call = n->index ? arena_printf(a, "expect(%s)", emit_ix(o->s, o->k, n->index)) : "full()";
    else if (n->kind == KIR_ARRIVE)
        call = n->by == BY_EACH ? "arrive()" : "arrive_cp_async()";
    return arena_printf(a, "tcp_ring%d.%s;", n->arrival.of, call);
}

void emit_before_copies(const struct emission *o, const struct kir_node *n, int indent) {
    struct arena *a = &o->s->arena;
    const char *ring = n->arrival.kind == ARRIVAL_MEMORY
                           ? arena_printf(a, "tcp_ring%d", n->arrival.of)
                           : "tcp_ring";
    statement_write(o->b, indent,
                    n->kind == KIR_FENCE ? arena_printf(a, "%s  // %s", o->k->fence, n->fenced)
                    : n->count ? arena_printf(a, "%s.announce(%" PRId64 ");", ring, n->count)
                               : arena_printf(a, "%s.announce_nothing();", ring));
}

void emit_arrival(const struct emission *o, const struct kir_node *n, int indent) {
    struct arena *a = &o->s->arena;
    const char *call = NULL;
    switch (n->arrival.kind) {
    case ARRIVAL_NONE: break;
    case ARRIVAL_GROUP: put_group(o, n, indent); return;
    case ARRIVAL_MEMORY: call = memory_call(o, n); break;
    case ARRIVAL_BLOCK: call = "tcp_sync();"; break;
    case ARRIVAL_NAMED:
        call = arena_printf(a, "tcp_named_%s(%s, %d);", emit_named(o->k, n),
                            emit_ix(o->s, o->k, n->index), n->arrival.count);
        break;
    }
    if (!call) BUG("an arrival of no kind");
    if (n->arrival.fence)
        statement_write(o->b, indent,
                        n->fenced ? arena_printf(a, "%s  // %s", o->k->fence, n->fenced)
                                  : o->k->fence);
    statement_write(o->b, indent, call);
    if (n->ends && (n->index || n->by == BY_EACH))
        statement_write(o->b, indent, arena_printf(a, "tcp_ring%d.next();", n->arrival.of));
}
