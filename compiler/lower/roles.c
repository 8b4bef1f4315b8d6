// Lowers a pipeline with roles.  Its warps divide, and wait for each other by named barriers:
//
//     use:   for each step n: wait until its slot is full; use it; say that it is empty, if a later
//            step fills it
//     (of several consumers each does that)
//     load:  for each step n: wait until its slot is empty, if an earlier step filled it; fill it; say
//            that the slot of step n - behind is full, when these loads have completed
//
// If the ring goes on from one pipeline to the next, each step waits for "empty" and says it, whatever
// step comes later: before the first pipeline, "use" says that all slots are empty, and after the last
// one, "load" waits for that.
//
// The numbers are those that pass "sync" has proven (struct handover).  So each barrier opens as often
// as it is waited for, whatever the number of steps.
#include "base/session.h"
#include "lower/private.h"

static void remark(struct lowering *w, const char *text) {
    lower_comment_on(w, lower_node(w, KIR_COMMENT), text);
}

static void take(struct lowering *w, struct ix_var *v, const char *name) {
    v->c_name = names_take(&w->names, name);
    v->name = v->c_name;
}

// A variable that counts the slots of a loop of "p", from "first" on.
static struct kir_ring ring(struct lowering *w, const struct pipeline *p, const struct ix_var *v,
                            int64_t first) {
    return (struct kir_ring){v, first % p->stages, p->stages, w->first_slot[p->handover.ring]};
}

// Opens "a < b", or with "least" "a >= b", and returns where to go on behind it.  NULL: it always
// holds, and nothing is opened.
static struct kir_node **open_if(struct lowering *w, const struct ix *a, const struct ix *b,
                                 bool least) {
    struct kir_cond *cond = ARENA_NEW(&w->s->arena, struct kir_cond);
    *cond = (struct kir_cond){a, b, least};
    struct kir_node *n = lower_node(w, KIR_IF);
    n->cond = cond;
    n->nconds = 1;
    return lower_open(w, n);
}

static struct kir_node *named(struct lowering *w, int first, const struct ix_var *slot,
                              int64_t threads, bool arrives) {
    struct kir_node *n = lower_node(w, arrives ? KIR_ARRIVE : KIR_WAIT);
    n->index = ix_add(w->s, ix_int(w->s, first), ix_var(w->s, slot));
    n->arrival = arrival_named(first, (int)threads);
    return n;
}

static void fence_for(struct kir_node *arrive, bool fence, const char *why) {
    arrive->arrival.fence = fence;
    arrive->fenced = fence ? why : NULL;
}

// The arrivals of a step at the ring's barriers in memory, by each thread that loads; the last one ends the group.
static void announce(struct lowering *w, const struct handover *h) {
    const enum arrival_by by[] = {BY_COPIES, BY_EACH, BY_LEADER};
    const bool who[] = {h->copies, h->each, true};
    for (int i = 0; i < 3; ++i) {
        if (!who[i]) continue;
        struct kir_node *n = lower_node(w, KIR_ARRIVE);
        n->arrival = arrival_memory(h->ring, h->arrivals);
        n->by = by[i];
        n->ends = by[i] == BY_LEADER;
        n->after_reads = n->ends && h->issuer;
        if (by[i] == BY_EACH) fence_for(n, h->full_fence, "a copy reads the slot");
    }
}

static void declared_memory(const struct kernel *k, struct kir_kernel *out) {
    for (const struct stmt *x = k->body; x; x = stmt_next(k->body, x)) {
        const struct barrier *b = x->barrier;
        if (!stmt_awaits(x) || b->ring <= out->nmemory) continue;
        out->memory[out->nmemory++] = (struct kir_memory){b->ring, b->memory_at, b->leader,
                                                          (int)b->threads, ARRIVAL_BARRIERS};
    }
}

void lower_memory(const struct kernel *k, struct kir_kernel *out) {
    for (const struct stmt *x = k->body; x; x = stmt_next(k->body, x)) {
        if (x->kind != STMT_PIPELINE || !x->pipe->memory_at) continue;
        const struct pipeline *p = x->pipe;
        bool there = false;
        for (int i = 0; i < out->nmemory; ++i) there |= out->memory[i].ring == p->handover.ring;
        if (there) continue;
        out->memory[out->nmemory++] =
            (struct kir_memory){p->handover.ring, p->memory_at, p->use_threads,
                                p->handover.arrivals, arrival_barriers(p->stages)};
    }
    declared_memory(k, out);
}

static void lower_role(struct lowering *w, const struct stmt *st, int side) {
    for (const struct stmt *part = st->body; part; part = part->next)
        if (stmt_side(part) == side) lower_list(w, part->body);
}

// Whose groups there are in the parts of a side: a bit for each kind; 0: none, or those of memory alone.
static unsigned counts_of(const struct stmt *st, int side) {
    unsigned counts = 0;
    for (const struct stmt *part = st->body; part; part = part->next)
        for (const struct stmt *x = part->body; x; x = stmt_next(part->body, x)) {
            if (stmt_side(part) != side || x->kind != STMT_COPY || !x->copy->facts.async) continue;
            const struct atom_row *row = copy_atom(x->copy)->row;
            if (!row->counter) counts |= row->reads_late ? COUNTS_STORED : COUNTS_PLAIN;
        }
    return counts;
}

// What the threads of a side are to statements.  All but the first ones of the block count theirs anew;
// the variable for that, or NULL.
static struct ix_var *take_side(struct lowering *w, const struct stmt *st, int side) {
    const struct pipeline *pipe = st->pipe;
    bool load = side == pipe->nuses;
    int64_t first = pipeline_first(pipe, side);
    w->role_tid = w->kernel->tid;
    w->role_counts = counts_of(st, side);
    w->role_threads = load ? pipe->load_threads : pipe->use[side].threads;
    w->role_barrier = pipe->handover.own[side];
    if (first == 0) return NULL;
    const char *name = load ? "load_tid" : arena_printf(&w->s->arena, "use%d_tid", side + 1);
    struct ix_var *tid = lower_var(w, IX_NAMED, names_take(&w->names, name), w->role_threads);
    struct kir_node *n = lower_node(w, KIR_LET);
    n->var = tid;
    n->index = ix_sub(w->s, ix_var(w->s, w->kernel->tid), ix_int(w->s, first));
    w->role_tid = tid;
    return tid;
}

// A loop over the steps, with "rings", which is opened.
static struct kir_node *loop_over(struct lowering *w, const struct ix_var *var,
                                  const struct ix *begin, const struct ix *end,
                                  struct kir_ring *rings, int n) {
    struct kir_node *loop = lower_node(w, KIR_FOR);
    loop->var = (struct ix_var *)var;
    loop->begin = begin;
    loop->end = end;
    loop->whole = true;
    loop->ring = rings;
    loop->nrings = n;
    lower_open(w, loop);
    return loop;
}

static void lower_use(struct lowering *w, const struct stmt *st, int side, const struct steps *x) {
    struct session *s = w->s;
    struct pipeline *pipe = st->pipe;
    const struct handover *h = &pipe->handover;
    struct kir_ring *rings = ARENA_ARRAY(&s->arena, struct kir_ring, 1);
    struct ix_var *tid = take_side(w, st, side);
    take(w, st->var, st->var->name);
    take(w, pipe->slot, "slot");
    rings[0] = ring(w, pipe, pipe->slot, 0);
    struct kir_node *loop = loop_over(w, st->var, x->begin, x->end, rings, 1);
    if (h->arrivals)
        lower_wait(w, arrival_memory(h->ring, h->arrivals));
    else
        named(w, h->full, pipe->slot, h->threads, false);
    lower_role(w, st, side);
    const struct ix *refill = ix_add(s, ix_var(s, st->var), ix_int(s, h->ahead));
    if (!h->goes_on) open_if(w, refill, x->end, false);
    if (h->waits & 1u << side) lower_wait(w, arrival_groups(0));
    fence_for(named(w, h->empty, pipe->slot, h->threads, true), h->fence,
              "a copy fills the slot again");
    carry_offsets(w, loop, st->var, x->begin, "step", 1);
    w->tail = &loop->next;
    carry_release(w, loop);
    names_release(&w->names, pipe->slot->c_name);
    names_release(&w->names, st->var->c_name);
    if (tid) names_release(&w->names, tid->c_name);
}

static void lower_load(struct lowering *w, const struct stmt *st, const struct steps *x) {
    struct session *s = w->s;
    struct pipeline *pipe = st->pipe;
    const struct handover *h = &pipe->handover;
    struct kir_ring *rings = ARENA_ARRAY(&s->arena, struct kir_ring, 2);
    struct ix_var *full = pipe->load_slot;
    const struct ix *step = ix_var(s, pipe->load_var);
    struct ix_var *tid = take_side(w, st, pipe->nuses);
    take(w, pipe->load_var, st->var->name);
    take(w, pipe->load_slot, "slot");
    rings[0] = ring(w, pipe, pipe->load_slot, 0);
    if (h->behind > 0) {
        full = lower_var(w, IX_LOOP, names_take(&w->names, "full_slot"), pipe->stages);
        rings[1] = ring(w, pipe, full, pipe->stages * h->behind - h->behind);
    }
    w->role_memory = h->arrivals ? h->ring : 0;
    // the steps after the last one load nothing
    const struct ix *end = ix_add(s, x->end, ix_int(s, h->behind));
    struct kir_node *loop = loop_over(w, pipe->load_var, x->begin, end, rings, 1 + (h->behind > 0));
    struct kir_node **behind = h->behind > 0 ? open_if(w, step, x->end, false) : NULL;
    const struct ix *ahead = ix_add(s, x->begin, ix_int(s, h->ahead));
    struct kir_node **filled = h->goes_on ? NULL : open_if(w, step, ahead, true);
    named(w, h->empty, pipe->load_slot, h->threads, false);
    if (filled) w->tail = filled;
    lower_role(w, st, pipe->nuses);
    if (behind) w->tail = behind;
    if (h->pending >= 0) lower_commit(w);
    if (h->behind > 0) open_if(w, step, ix_add(s, x->begin, ix_int(s, h->behind)), true);
    if (h->pending >= 0) lower_wait(w, arrival_groups((int)h->pending));
    if (h->arrivals)
        announce(w, h);
    else
        fence_for(named(w, h->full, full, h->threads, true), h->full_fence,
                  "a copy reads the slot");
    carry_offsets(w, loop, pipe->load_var, x->begin, "step", 1 + h->behind);
    w->tail = &loop->next;
    carry_release(w, loop);
    if (h->behind > 0) names_release(&w->names, full->c_name);
    names_release(&w->names, pipe->load_slot->c_name);
    names_release(&w->names, pipe->load_var->c_name);
    names_release(&w->names, tid->c_name);
}

static const char *warps(struct lowering *w, int64_t first, int64_t threads) {
    enum { WARP = 32 };
    long long begin = first / WARP, n = threads / WARP;
    return n == 1 ? arena_printf(&w->s->arena, "warp %lld", begin)
                  : arena_printf(&w->s->arena, "warps %lld .. %lld", begin, begin + n - 1);
}

// What the threads below "end" execute, or with "least" the others, beside the rest.
static struct kir_node *make_roles(struct lowering *w, int64_t end, bool least) {
    struct kir_cond *cond = ARENA_NEW(&w->s->arena, struct kir_cond);
    *cond = (struct kir_cond){ix_var(w->s, w->kernel->tid), ix_int(w->s, end), least};
    struct kir_node *n = lower_node(w, KIR_IF);
    n->roles = true;
    n->cond = cond;
    n->nconds = 1;
    return n;
}

// The slot at which the next pipeline of the ring begins.
static void turn(struct lowering *w, const struct stmt *st, const struct steps *x) {
    struct session *s = w->s;
    const struct pipeline *pipe = st->pipe;
    if (!pipe->handover.carries || !pipe->handover.turns) return;
    bool some = ix_provably_nonnegative(s, ix_sub(s, st->end, st->begin));
    struct kir_node **behind = some ? NULL : open_if(w, x->begin, x->end, false);
    struct kir_node *n = lower_node(w, KIR_TURN);
    n->var = (struct ix_var *)w->first_slot[pipe->handover.ring];
    n->index = ix_mod(s, ix_sub(s, x->end, x->begin), lay_int(pipe->stages));
    n->count = pipe->stages;
    if (behind) w->tail = behind;
}

void lower_roles(struct lowering *w, const struct stmt *st) {
    struct session *s = w->s;
    const struct pipeline *pipe = st->pipe;
    lower_before(w, &st->before);
    struct kir_node *scope = lower_node(w, KIR_BLOCK);
    struct kir_node **outside = lower_open(w, scope);
    struct steps x;
    lower_begin_steps(w, st, &x);
    const char *told = "side by side:";
    for (int i = 0; i < pipe->nuses; ++i) {
        const char *who = warps(w, pipe->use[i].first, pipe->use[i].threads);
        bool one = pipe->use[i].threads == 32;
        told = arena_printf(&s->arena, "%s %s use%s the slots,", told, who, one ? "s" : "");
    }
    remark(w, arena_printf(&s->arena, "%s %s load%s them", told,
                           warps(w, pipe->use_threads, pipe->load_threads),
                           pipe->load_threads == 32 ? "s" : ""));
    struct kir_node *first = NULL;
    for (int i = 0; i < pipe->nuses; ++i) {
        struct kir_node *n = make_roles(w, pipe->use[i].first + pipe->use[i].threads, false);
        if (!first) first = n;
        lower_open(w, n);
        lower_use(w, st, i, &x);
        w->tail = &n->orelse;
    }
    lower_load(w, st, &x);
    w->role_tid = NULL;
    w->role_counts = 0;
    w->role_memory = 0;
    w->tail = &first->next;
    turn(w, st, &x);
    w->tail = outside;
    lower_end_steps(w, &x);
}

// -- rings that go on -----------------------------------------------------------------------------

// The next pipeline from "x" on, in list "in", of ring "ring" that goes on.
static const struct stmt *going_on(const struct stmt *in, const struct stmt *x, int ring) {
    for (; x; x = stmt_next(in, x))
        if (x->kind == STMT_PIPELINE && x->pipe->handover.goes_on && x->pipe->handover.ring == ring)
            return x;
    return NULL;
}

// The statement of the kernel that "x" is in.
static const struct stmt *outermost(const struct stmt *x) {
    while (x->up) x = x->up;
    return x;
}

static void slots_of_ring(struct lowering *w, const struct pipeline *pipe, bool begin) {
    const struct handover *h = &pipe->handover;
    struct kir_node **behind = lower_open(w, make_roles(w, pipe->use_threads, !begin));
    for (int64_t slot = 0; slot < pipe->stages; ++slot) {
        struct kir_node *e = lower_node(w, begin ? KIR_ARRIVE : KIR_WAIT);
        e->index = ix_int(w->s, h->empty + slot);
        e->arrival = arrival_named(h->empty, (int)h->threads);
    }
    w->tail = behind;
}

void lower_begin_rings(struct lowering *w, const struct stmt *st) {
    const struct stmt *list = w->kernel->body;
    for (int ring = 1; ring < MOST_RINGS; ++ring) {
        const struct stmt *first = going_on(list, list, ring);
        if (!first || outermost(first) != st) continue;
        remark(w, "all slots are empty");
        slots_of_ring(w, first->pipe, true);
        if (!first->pipe->handover.carries) continue;
        struct ix_var *at =
            lower_var(w, IX_NAMED, names_take(&w->names, "first_slot"), first->pipe->stages);
        at->uniform = true;
        w->first_slot[ring] = at;
        struct kir_node *n = lower_node(w, KIR_TURN);
        n->var = at;
        n->count = first->pipe->stages;
    }
}

void lower_end_rings(struct lowering *w, const struct stmt *st) {
    const struct stmt *list = w->kernel->body;
    for (int ring = 1; ring < MOST_RINGS; ++ring) {
        const struct stmt *last = NULL;
        for (const struct stmt *x = going_on(list, list, ring); x;
             x = going_on(list, stmt_next(list, x), ring))
            last = x;
        if (!last || outermost(last) != st) continue;
        remark(w, "until all slots have been used");
        slots_of_ring(w, last->pipe, false);
        if (w->first_slot[ring]) names_release(&w->names, w->first_slot[ring]->c_name);
        w->first_slot[ring] = NULL;
    }
}

// -- roles of manual kernels ----------------------------------------------------------------------

// A statement that names a barrier, "x", with the variable "slot" for its stage, or NULL.
static void lower_named(struct lowering *w, const struct stmt *x, const struct ix_var *slot,
                        const struct steps *steps) {
    struct session *s = w->s;
    const struct barrier *b = x->barrier;
    const struct ix *step = ix_var(s, b->roles->var), *skip = ix_int(s, b->skip);
    bool arrives = x->kind == STMT_ARRIVE;
    struct kir_node **behind = NULL;
    w->at = x->at;
    if (b->skip > 0 && arrives) behind = open_if(w, ix_add(s, step, skip), steps->end, false);
    if (b->skip > 0 && !arrives) behind = open_if(w, step, ix_add(s, steps->begin, skip), true);
    struct kir_node *n = lower_node(w, arrives ? KIR_ARRIVE : KIR_WAIT);
    n->arrival = x->arrival;
    n->by = x->by;
    n->ends = x->ends;
    n->index = !b->ring ? ix_int(s, b->first) : x->bytes ? lower_index(w, x->bytes) : NULL;
    if (slot) n->index = ix_add(s, n->index, ix_var(s, slot));
    if (behind) w->tail = behind;
    if (arrives) return;
    w->nfresh = 0;
    w->was_barrier = true;
}

// The ring that counts the copies of "x", a statement of a role; 0: it has none.
static int ring_of(const struct stmt *x) {
    while (x && !stmt_expects(x)) x = x->next;
    return x ? x->barrier->ring : 0;
}

static void lower_manual_role(struct lowering *w, const struct stmt *part, const struct steps *x) {
    struct session *s = w->s;
    struct ix_var *var = part->up->var, *tid = NULL;
    int n = 0, slots = 0;
    for (const struct stmt *y = part->body; y; y = y->next) slots += y->barrier != NULL;
    struct kir_ring *rings = ARENA_ARRAY(&s->arena, struct kir_ring, slots + 1);
    const struct ix_var **slot = ARENA_ARRAY(&s->arena, const struct ix_var *, slots + 1);
    w->role_tid = w->kernel->tid;
    if (part->role->first > 0) {
        const char *name = arena_printf(&s->arena, "%s_tid", part->role->name);
        tid = lower_var(w, IX_NAMED, names_take(&w->names, name), part->role->threads);
        struct kir_node *let = lower_node(w, KIR_LET);
        let->var = tid;
        let->index = ix_sub(s, ix_var(s, w->kernel->tid), ix_int(s, part->role->first));
        w->role_tid = tid;
    }
    w->role_threads = part->role->threads;
    take(w, var, var->name);
    for (const struct stmt *y = part->body; y; y = y->next) {
        if (!y->barrier || y->barrier->stages == 1) continue;
        const char *name = arena_printf(&s->arena, "%s_slot", y->barrier->name);
        int64_t stages = y->barrier->stages, skip = y->kind == STMT_WAIT ? y->barrier->skip : 0;
        struct ix_var *v = lower_var(w, IX_LOOP, names_take(&w->names, name), stages);
        rings[n] = (struct kir_ring){v, (stages * skip - skip) % stages, stages, NULL};
        slot[n++] = v;
    }
    struct kir_node *loop = loop_over(w, var, x->begin, x->end, rings, n);
    int next = 0;
    for (const struct stmt *y = part->body; y; y = y->next) {
        w->role_memory = ring_of(y);
        if (!y->barrier)
            lower_statement(w, y);
        else
            lower_named(w, y, y->barrier->stages > 1 ? slot[next++] : NULL, x);
    }
    carry_offsets(w, loop, var, x->begin, "step", 1);
    w->tail = &loop->next;
    carry_release(w, loop);
    for (int i = 0; i < n; ++i) names_release(&w->names, slot[i]->c_name);
    names_release(&w->names, var->c_name);
    if (tid) names_release(&w->names, tid->c_name);
    w->role_tid = NULL;
    w->role_memory = 0;
}

void lower_manual_roles(struct lowering *w, const struct stmt *st) {
    struct session *s = w->s;
    struct kir_node *scope = lower_node(w, KIR_BLOCK);
    struct kir_node **outside = lower_open(w, scope);
    const char *told = "side by side:";
    struct steps x;
    lower_begin_steps(w, st, &x);
    for (const struct stmt *part = st->body; part; part = part->next)
        told = arena_printf(&s->arena, "%s %s '%s'%s", told,
                            warps(w, part->role->first, part->role->threads), part->role->name,
                            part->next ? "," : "");
    remark(w, told);
    for (const struct stmt *part = st->body; part; part = part->next) {
        if (!part->next) {
            lower_manual_role(w, part, &x);
            break;
        }
        struct kir_node *n = make_roles(w, part->role->first + part->role->threads, false);
        lower_open(w, n);
        lower_manual_role(w, part, &x);
        w->tail = &n->orelse;
    }
    w->tail = outside;
    lower_end_steps(w, &x);
}
