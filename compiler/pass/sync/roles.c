// Pipelines with roles in pass "sync": named barriers hand over the slots, and the accesses of the two
// roles need no other order.  Each role's own accesses are walked like those of a kernel.
#include "base/session.h"
#include "live/live.h"
#include "pass/sync/private.h"

enum { NAMED = 16 };  // barriers that a block has; number 0 is that of all its threads

// -- the ring -------------------------------------------------------------------------------------

// The statements of a step: the load waits for "empty", fills, announces "full"; each consumer comes to
// "full", has passed it, uses, announces "empty".  FILLED: all is there, which the load need not wait for.
enum { WAIT_EMPTY, FILL, SAY_FULL, FILLED, COME_FULL };
enum { PASS_FULL = COME_FULL + MOST_CONSUMERS, USE = PASS_FULL + MOST_CONSUMERS };
enum { SAY_EMPTY = USE + MOST_CONSUMERS, STATEMENTS = SAY_EMPTY + MOST_CONSUMERS };

static void make_graph(struct live_graph *g, const struct handover *h, int uses) {
    *g = (struct live_graph){0};
    for (int i = 0; i < STATEMENTS; ++i) live_node(g);
    live_edge(g, WAIT_EMPTY, FILL, 0);
    live_edge(g, WAIT_EMPTY, SAY_FULL, 0);
    live_edge(g, SAY_FULL, WAIT_EMPTY, 1);
    if (h->arrivals) {  // a phase ends when the bytes are there, and all arrivals
        live_edge(g, FILL, SAY_FULL, 0);
        live_edge(g, SAY_FULL, FILLED, 0);
    } else {
        live_edge(g, FILL, FILLED, h->pending < 0 ? 0 : h->pending);
        live_edge(g, FILLED, SAY_FULL, 0);
    }
    for (int i = 0; i < uses; ++i) {
        live_edge(g, COME_FULL + i, PASS_FULL + i, 0);
        live_edge(g, PASS_FULL + i, USE + i, 0);
        live_edge(g, USE + i, SAY_EMPTY + i, 0);
        live_edge(g, SAY_EMPTY + i, COME_FULL + i, 1);
        live_edge(g, h->arrivals ? FILLED : SAY_FULL, PASS_FULL + i, -h->behind);
        live_edge(g, SAY_EMPTY + i, WAIT_EMPTY, h->ahead);
        for (int j = 0; j < uses && !h->arrivals;
             ++j)  // at one in memory nobody waits for another one
            if (j != i) live_edge(g, COME_FULL + j, PASS_FULL + i, 0);
    }
}

static bool within(const struct live_graph *g, int from, int to, int64_t most) {
    return live_path(g, from, to) <= most;
}

static bool in_block(int id, int n) {
    return id >= 1 && id + n <= NAMED;
}

// Whether the barriers of ring "p" are different ones of the block's.
static const char *number_fault(const struct pipeline *p) {
    const struct handover *h = &p->handover;
    int stages = (int)p->stages;
    bool memory = h->arrivals > 0;  // then "full" is no named one
    bool apart = memory || h->full + stages <= h->empty || h->empty + stages <= h->full;
    bool there = (memory || in_block(h->full, stages)) && in_block(h->empty, stages);
    for (int i = 0; i < pipeline_sides(p); ++i) {
        if (!h->own[i]) continue;
        there &= in_block(h->own[i], 1);
        apart &= memory || h->own[i] < h->full || h->own[i] >= h->full + stages;
        apart &= h->own[i] < h->empty || h->own[i] >= h->empty + stages;
        for (int j = 0; j < i; ++j) apart &= h->own[i] != h->own[j];
    }
    if (!there) return "a named barrier has a number that there is not";
    return apart ? NULL : "two named barriers have the same number";
}

const char *sync_ring_fault(const struct pipeline *p) {
    const struct handover *h = &p->handover;
    int stages = (int)p->stages, barriers = arrival_barriers(stages), cycle[LIVE_NODES];
    struct live_graph g;
    bool memory = h->arrivals > 0;
    const char *fault = number_fault(p);
    if (fault) return fault;
    if (h->overtaken && !h->fence && (h->written || !h->issuer))
        return "a copy may overtake accesses to the slot that it fills";
    if (h->shown && !h->full_fence) return "a copy may overtake what filled the slot that it reads";
    if (h->kept & ~h->waits) return "a slot is filled again before a copy has read it";
    if (h->threads != p->use_threads + p->load_threads)
        return "other threads come to a named barrier than it waits for";
    // a wait and the arrival that it is for name the same slot
    if (h->ahead < 1 || h->ahead % stages != 0) return "a wait is for another slot";
    if (h->behind < 0 || h->pending > h->behind) return "a slot is announced before it is filled";
    make_graph(&g, h, p->nuses);
    if (live_stuck(&g, cycle)) return "the roles wait for each other";
    // a barrier in memory is for every step by "barriers": nobody arrives in a phase before the last one is over,
    // and no phase ends before everybody has waited for the last one, so that two are told apart by parity
    int64_t threads = p->load_threads;
    if (memory && h->arrivals != 1 + threads * h->each + threads * h->copies)
        return "other arrivals come to a barrier in memory than it was initialised for";
    if (memory && (h->behind != 0 || h->pending >= 0 || !within(&g, FILLED, FILL, barriers)))
        return "a barrier in memory is two phases ahead of a wait";
    for (int i = 0; i < p->nuses; ++i) {
        if (!within(&g, FILL, USE + i, 0)) return "a slot is used before it is filled";
        if (!within(&g, USE + i, FILL, stages)) return "a slot is filled again before it was used";
        if (memory && !within(&g, PASS_FULL + i, FILLED, barriers))
            return "a barrier in memory is two phases ahead of a wait";
        // no thread arrives at a barrier twice before the others came to it once
        if ((!memory && !within(&g, PASS_FULL + i, SAY_FULL, stages + h->behind)) ||
            !within(&g, WAIT_EMPTY, SAY_EMPTY + i, stages - h->ahead))
            return "an announcement comes before the last one was noticed";
        // what sync_consumers_apart rests on: consumers are never in different steps, or where "full" is in
        // memory never in different steps of one slot
        for (int j = 0; j < p->nuses; ++j)
            if (j != i && !within(&g, USE + i, USE + j, memory ? stages : 1))
                return "two consumers may be in different steps";
    }
    return NULL;
}

// Whether the "load" parts have asynchronous copies.
static bool loads_async(const struct stmt *st) {
    for (const struct stmt *part = st->body; part; part = part->next)
        for (const struct stmt *x = part->body; part->load && x; x = stmt_next(part->body, x))
            if (x->kind == STMT_COPY && x->copy->facts.async) return true;
    return false;
}

// What fills slots in the "load" of "st" beside copies that barriers in memory count: each thread
// itself, and its asynchronous copies.
static void beside_counted(const struct stmt *st, bool *each, bool *copies) {
    for (const struct stmt *part = st->body; part; part = part->next)
        for (const struct stmt *x = part->body; part->load && x; x = stmt_next(part->body, x)) {
            bool async = x->kind == STMT_COPY && x->copy->facts.async;
            *each |= !async && (x->kind == STMT_COPY || x->kind == STMT_CALL);
            *copies |= async && !copy_atom(x->copy)->row->counter;
        }
}

// Whether a copy that barriers in memory count fills "t".
static bool is_counted(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *x = k->body; x; x = stmt_next(k->body, x))
        if (x->kind == STMT_COPY && x->copy->dst.base == t && copy_atom(x->copy) &&
            copy_atom(x->copy)->row->counter)
            return true;
    return false;
}

// Whether the "use" parts of "st" touch what such copies fill, or write there.
static bool uses_counted(const struct kernel *k, const struct stmt *st, bool write) {
    for (const struct stmt *part = st->body; part; part = part->next)
        for (const struct stmt *x = part->body; !part->load && x; x = stmt_next(part->body, x)) {
            bool late = x->kind == STMT_COPY && copy_atom(x->copy) &&
                        copy_atom(x->copy)->row->reads_late;  // it reads as the others fill
            bool is =
                x->kind == STMT_COPY && ((!write && !late && is_counted(k, x->copy->src.base)) ||
                                         is_counted(k, x->copy->dst.base));
            for (int i = 0; x->kind == STMT_CALL && i < x->call->fn->nformals; ++i)
                is |= (!write || x->call->fn->formal[i].dir != ARG_IN) &&
                      is_counted(k, x->call->view[i].base);
            if (is) return true;
        }
    return false;
}

// The sides of "st" whose copies read slots until they are waited for: a bit for each.
static unsigned keeps_slots(const struct stmt *st) {
    unsigned sides = 0;
    for (const struct stmt *part = st->body; part; part = part->next)
        for (const struct stmt *x = part->body; !part->load && x; x = stmt_next(part->body, x))
            if (x->kind == STMT_COPY && copy_atom(x->copy) && copy_atom(x->copy)->row->reads_late &&
                pipeline_fills(st->pipe, x->copy->src.base))
                sides |= 1u << stmt_side(part);
    return sides;
}

// Whether a barrier is in the parts of one side.
static bool own_barrier(const struct stmt *st, int side) {
    for (const struct stmt *part = st->body; part; part = part->next)
        for (const struct stmt *x = part->body; stmt_side(part) == side && x;
             x = stmt_next(part->body, x))
            if (arrival_is(x->before.wait.threads) || arrival_is(x->behind.wait.threads))
                return true;
    return false;
}

// The next pipeline with roles from "x" on.
static struct stmt *with_roles(const struct kernel *k, struct stmt *x) {
    while (x && !(x->kind == STMT_PIPELINE && pipeline_has_roles(x->pipe)))
        x = stmt_next(k->body, x);
    return x;
}

static struct stmt *next_with_roles(const struct kernel *k, struct stmt *x) {
    return with_roles(k, stmt_next(k->body, x));
}

// Whether statement "x" names the slots of buffer "t" as a whole: in no part of a pipeline that fills it.
static bool names_slots(const struct stmt *x, const struct tensor *t) {
    bool names = x->kind == STMT_COPY && (x->copy->src.base == t || x->copy->dst.base == t);
    for (int i = 0; x->kind == STMT_CALL && i < x->call->fn->nformals; ++i)
        names |= x->call->view[i].base == t;
    for (const struct stmt *y = x->up; names && y; y = y->up)
        if (y->kind == STMT_PIPELINE && pipeline_fills(y->pipe, t)) return false;
    return names;
}

static bool slots_are_named(const struct kernel *k, const struct pipeline *p) {
    for (const struct stmt *x = k->body; x; x = stmt_next(k->body, x))
        for (int i = 0; i < p->ntensors; ++i)
            if (names_slots(x, p->tensor[i])) return true;
    return false;
}

// Whether pipeline "st" may end at another slot than it begins at.
static bool ends_elsewhere(struct session *s, const struct stmt *st) {
    const struct ix *trips = ix_sub(s, st->end, st->begin);
    return !trips || ix_divisor(trips) % st->pipe->stages != 0;
}

void sync_rings(struct session *s, struct kernel *k) {
    int rings = 0;
    for (struct stmt *x = with_roles(k, k->body); x; x = next_with_roles(k, x)) {
        struct handover *h = &x->pipe->handover;
        bool before = true, named = false, turns = false;
        *h = (struct handover){.goes_on = x->up != NULL, .turns = ends_elsewhere(s, x)};
        for (struct stmt *y = with_roles(k, k->body); y; y = next_with_roles(k, y)) {
            before &= y != x;
            if (!pipeline_same_ring(x->pipe, y->pipe)) continue;
            if (before) h->ring = y->pipe->handover.ring;
            h->goes_on |= y != x;
            named |= slots_are_named(k, y->pipe);
            turns |= ends_elsewhere(s, y);
        }
        if (!h->ring) h->ring = ++rings;
        h->carries = h->goes_on && turns && !named;
    }
}

// Whether pipeline "x" of the ring of "first" may fill a slot that was used before.
static bool refills(struct session *s, const struct stmt *first, const struct stmt *x) {
    const struct ix *trips = ix_sub(s, x->end, x->begin);
    int64_t n;
    bool few = trips && ix_static(trips, &n) && n <= x->pipe->stages;
    return !few || x != first || x->up;
}

// Sets the barriers of the ring of "first", its first pipeline, from number "next" on.
static int number_ring(struct session *s, const struct kernel *k, struct stmt *first, int next) {
    bool memory = first->pipe->memory_at > 0, each = false, copies = false;
    int stages = (int)first->pipe->stages, full = next, own[MOST_CONSUMERS + 1] = {0};
    next += (1 + !memory) * stages;
    for (int side = 0; side < pipeline_sides(first->pipe); ++side)
        for (struct stmt *x = first; x; x = next_with_roles(k, x)) {
            if (x->pipe->handover.ring != first->pipe->handover.ring) continue;
            if (!own[side] && own_barrier(x, side)) own[side] = next++;
        }
    for (struct stmt *x = first; x; x = next_with_roles(k, x))
        if (x->pipe->handover.ring == first->pipe->handover.ring) beside_counted(x, &each, &copies);
    for (struct stmt *x = first; x; x = next_with_roles(k, x)) {
        struct pipeline *p = x->pipe;
        struct handover *h = &p->handover;
        bool async = loads_async(x) && !memory, own_each = false, own_copies = false;
        if (h->ring != first->pipe->handover.ring) continue;
        h->full = memory ? 0 : full;
        h->empty = memory ? full : full + stages;
        h->each = memory && each;
        h->copies = memory && copies;
        h->overtaken = memory && refills(s, first, x) && uses_counted(k, x, false);
        h->written = h->fence = h->overtaken && uses_counted(k, x, true);
        h->issuer = h->overtaken && !h->fence;
        beside_counted(x, &own_each, &own_copies);
        h->kept = h->waits = keeps_slots(x);
        h->shown = h->full_fence = h->kept && (own_each || own_copies);
        h->arrivals = memory ? 1 + (int)p->load_threads * (each + copies) : 0;
        h->threads = p->use_threads + p->load_threads;
        h->ahead = stages;
        h->behind = async ? stages - 1 : 0;
        h->pending = async ? stages - 1 : -1;
        for (int side = 0; side < pipeline_sides(p); ++side)
            h->own[side] = own_barrier(x, side) ? own[side] : 0;
    }
    return next;
}

static bool too_many(struct session *s, const struct stmt *st, int rings, int needed, bool own) {
    const char *others = own ? " and one for each role that orders its own accesses" : "";
    if (rings == 1)
        diag_error(s, st->at,
                   "this pipeline with roles needs %d named barriers, two for each stage%s, and a "
                   "block has %d beside the one of all its threads; take fewer stages",
                   needed, others, NAMED - 1);
    else
        diag_error(s, st->at,
                   "the pipelines with roles up to this one need %d named barriers, two for each "
                   "stage%s, and a block has %d beside the one of all its threads; give them the "
                   "same 'stages' and 'warps', so that they share these, or take fewer stages",
                   needed, others, NAMED - 1);
    diag_page(s, "barrier");
    return false;
}

// Reports what barriers in memory do not go together with yet.
static bool fit_memory(struct session *s, const struct kernel *k, const struct stmt *st) {
    bool counts = stmt_counts(k->body, true) || stmt_counts(k->body, false), each = false,
         copies = false;
    beside_counted(st, &each, &copies);
    if (counts && copies && keeps_slots(st)) {
        diag_error(s, st->at,
                   "not yet supported: a copy in 'use' that reads a slot until it is waited for, "
                   "beside cp.async in 'load', in a kernel with copies that barriers in memory "
                   "count; load by one of the two, or store from another buffer");
        diag_page(s, "tma-store");
        return false;
    }
    for (const struct stmt *part = st->body; counts && part; part = part->next)
        for (const struct stmt *x = part->body; !part->load && x; x = stmt_next(part->body, x)) {
            if (x->kind != STMT_COPY || !x->copy->facts.async) continue;
            if (copy_atom(x->copy)->row->reads_late) continue;
            diag_error(s, x->at,
                       "not yet supported: an asynchronous copy in the 'use' of a pipeline with "
                       "roles, in a kernel with copies that barriers in memory count; take "
                       "'universal'");
            return false;
        }
    return true;
}

bool sync_number_rings(struct session *s, struct kernel *k) {
    int next = 1, rings = 0, twice = 0;
    for (struct stmt *x = with_roles(k, k->body); x; x = next_with_roles(k, x)) {
        if (!fit_memory(s, k, x)) return false;
        if (x->pipe->handover.ring > rings) {
            next = number_ring(s, k, x, next);
            ++rings;
            twice += (1 + !x->pipe->memory_at) * (int)x->pipe->stages;
        }
        if (next > NAMED) return too_many(s, x, rings, next - 1, next - 1 > twice);
        const char *fault = sync_ring_fault(x->pipe);
        if (fault) BUG("a pipeline with roles is not in order: %s", fault);
    }
    return true;
}

bool sync_by_ring(struct access a, struct access b) {
    if (!a.by || !b.by || !pipeline_same_ring(a.by, b.by)) return false;
    bool load_a = a.first == a.by->use_threads, load_b = b.first == b.by->use_threads;
    // before each step the threads of a role wait together, and so do those of all consumers
    return (load_a == load_b && pipeline_meets(a.by, load_a)) ||
           (pipeline_fills(a.by, a.buffer) && pipeline_fills(b.by, a.buffer));
}

// -- the walk -------------------------------------------------------------------------------------

// From here on, what is walked is executed by a side of "pipe", or with NULL by all threads.
static void take_side(struct walk *w, const struct pipeline *pipe, int side) {
    w->by = pipe;
    w->first = pipe ? pipeline_first(pipe, side) : 0;
    w->loads = pipe && side == pipe->nuses;
}

// Walks the parts of one side for all steps, beginning with "st".
static void run_role(struct walk *w, struct stmt *pipe, int side, struct state *st) {
    struct state *enter = memory_zeroed(2, sizeof *enter), *leave = enter + 1;
    struct where here = {pipe->pipe, 0, -1, w->here};
    sync_copy(enter, st);
    sync_enter(w, NULL);
    w->here = &here;
    take_side(w, pipe->pipe, side);
    do {
        sync_copy(leave, enter);
        if (pipeline_meets(pipe->pipe, w->loads)) sync_role_barrier(leave);
        for (struct stmt *part = pipe->body; part; part = part->next)
            if (stmt_side(part) == side) sync_list(w, part->body, leave);
        sync_next(w, leave);
    } while (sync_merge(enter, leave) && !sync_decided(w));
    take_side(w, NULL, 0);
    w->here = here.outer;
    sync_leave(w);
    sync_copy(st, enter);
    st->mixed = true;
    for (int i = 0; i < st->n; ++i) {
        if (st->at[i].a.pipe != pipe->pipe) continue;
        st->at[i].a.pipe = NULL;  // the step is not known
        st->at[i].a.ahead = st->at[i].a.slot = 0;
    }
    memory_free(enter);
}

void sync_roles(struct walk *w, struct stmt *st, struct state *state) {
    struct need need = sync_need(w, &st->before);
    int sides = pipeline_sides(st->pipe);
    struct state *of = memory_zeroed((size_t)sides, sizeof *of);
    struct where here = {st->pipe, 0, -1, w->here};
    w->here = &here;
    w->enters = true;
    for (int side = 0; side < sides; ++side) {
        take_side(w, st->pipe, side);
        for (const struct stmt *part = st->body; part; part = part->next)
            if (stmt_side(part) == side) sync_ask(w, state, part->body, &need);
    }
    take_side(w, NULL, 0);
    w->enters = false;
    w->here = here.outer;
    // the groups of one role do not count for the other, and its next steps not for these
    for (int i = 0; i < state->n && need.copies; ++i)
        if (state->at[i].async) need.wait.copies = arrival_groups(0);
    sync_satisfy(w, state, &need, &st->before);
    for (int side = 0; side < sides; ++side) {
        sync_copy(&of[side], state);
        run_role(w, st, side, &of[side]);
    }
    for (int side = 0; side < sides; ++side) sync_merge(state, &of[side]);
    memory_free(of);
}
