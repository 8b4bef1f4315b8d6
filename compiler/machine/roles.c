// Executes the roles of a block: one until it waits for another one, then the next one.
//
// What a role executes does not depend on what is moved, and an arrival never waits.  So if one such
// order comes to its end, all do.
#include "base/session.h"
#include "base/trap.h"
#include "machine/private.h"
#include "machine/typed.h"

enum { ROLES = 8, DEPTH = 16 };

// A list of nodes that contains barriers of roles, where the role goes on.
struct frame {
    const struct kir_node *next;
    const struct kir_node *loop;  // the loop whose body it is, or NULL
    int64_t begin, end, i;
};

struct role {
    int number;       // in the machine
    const bool *off;  // the threads of other roles
    int64_t threads;
    struct frame frame[DEPTH];
    int n;
    int waits;  // for this barrier, or MACHINE_NAMED and a ring in memory; -1: it can go on
};

struct block {
    struct machine *m;
    struct role role[ROLES];
    int nroles;
};

// Whether "n" is for other roles: at a named barrier, or at one in memory.
static bool is_named(const struct kir_node *n) {
    return (n->kind == KIR_WAIT || n->kind == KIR_ARRIVE) &&
           (n->arrival.kind == ARRIVAL_NAMED || n->arrival.kind == ARRIVAL_MEMORY);
}

static bool has_named(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next)
        if (is_named(n) || has_named(n->body) || has_named(n->orelse)) return true;
    return false;
}

static bool push(struct block *b, struct role *r, struct frame f) {
    if (r->n == DEPTH) return machine_fail(b->m, "roles that are nested too deep");
    r->frame[r->n++] = f;
    return true;
}

// -- named barriers -------------------------------------------------------------------------------

static void tell_pass(struct block *b, int role, int id) {
    b->m->role = b->role[role].number;
    for (int i = 0; i < b->m->nobservers; ++i) {
        const struct observer *o = &b->m->observer[i];
        if (o->wait) o->wait(o->user, b->m, arrival_named(id, (int)b->m->named[id].count));
    }
}

static bool come(struct block *b, int role, const struct kir_node *n) {
    struct machine *m = b->m;
    int64_t id;
    if (!machine_common(m, n->index, &id)) return false;
    if (id < 0 || id >= MACHINE_NAMED) return machine_fail(m, "a named barrier that there is not");
    struct machine_named *x = &m->named[id];
    if (x->came == 0) *x = (struct machine_named){.count = n->arrival.count};
    if (x->count != n->arrival.count)
        return machine_fail(m, "a named barrier that waits for two numbers of threads");
    if (x->role[m->role])
        return machine_fail(m, "a role that comes to a named barrier again before the others");
    for (int i = 0; i < m->nobservers; ++i) {
        const struct observer *o = &m->observer[i];
        if (o->come) o->come(o->user, m, (int)id, x->came == 0);
    }
    if (m->error) return false;
    x->role[m->role] = true;
    x->came += b->role[role].threads;
    if (n->kind == KIR_WAIT) b->role[role].waits = (int)id;
    if (x->came > x->count) return machine_fail(m, "more threads than a named barrier waits for");
    if (x->came < x->count) return true;
    x->came = 0;
    for (int i = 0; i < b->nroles; ++i) {
        if (b->role[i].waits != id) continue;
        b->role[i].waits = -1;
        tell_pass(b, i, (int)id);
    }
    m->role = b->role[role].number;
    return true;
}

// -- barriers in memory ---------------------------------------------------------------------------

static const struct kir_memory *memory_of(const struct machine *m, int ring) {
    for (int i = 0; i < m->k->nmemory; ++i)
        if (m->k->memory[i].ring == ring) return &m->k->memory[i];
    BUG("a ring that the kernel has not");
}

// Lets a role go on that waits for a group of ring "ring", if it is there.
static bool pass(struct block *b, int role, int ring) {
    struct machine *m = b->m;
    struct machine_memory *x = &m->memory[ring];
    int n = memory_of(m, ring)->barriers;
    int64_t *waited = &x->waited[b->role[role].number], phase = *waited / n;
    int at = (int)(*waited % n);
    if (x->over[at] <= phase) return true;
    if (x->over[at] > phase + 1) return machine_fail(m, "a barrier in memory two phases ahead");
    ++*waited;
    b->role[role].waits = -1;
    m->role = b->role[role].number;
    m->barrier = ring * ARRIVAL_BARRIERS + at;
    m->arrived = x->group[at];
    m->arrived_by = x->by;
    for (int i = 0; i < m->nobservers; ++i) {
        const struct observer *o = &m->observer[i];
        if (o->wait) o->wait(o->user, m, arrival_memory(ring, 0));
    }
    return true;
}

static bool arrive(struct block *b, int role, const struct kir_node *n) {
    struct machine *m = b->m;
    struct machine_memory *x = &m->memory[n->arrival.of];
    int64_t *begun = &x->begun[m->role];
    const struct kir_memory *memory = memory_of(m, n->arrival.of);
    int at = (int)(*begun % memory->barriers), id = n->arrival.of * ARRIVAL_BARRIERS + at;
    int64_t count = memory->arrivals;
    if (x->over[at] != *begun / memory->barriers)
        return machine_fail(m, "an arrival in memory before the last phase is over");
    m->commits[m->role] += n->by == BY_LEADER;
    for (int i = 0; i < m->nobservers; ++i) {
        const struct observer *o = &m->observer[i];
        if (o->come) o->come(o->user, m, MACHINE_NAMED + id, x->came[at] == 0);
        if (o->arrive && n->by == BY_LEADER) o->arrive(o->user, m, n->arrival);
    }
    if (m->error) return false;
    x->came[at] += n->by == BY_LEADER ? 1 : b->role[role].threads;
    if (x->came[at] > count)
        return machine_fail(m, "more arrivals than a barrier in memory counts");
    if (n->by == BY_LEADER) {
        x->group[at] = m->commits[m->role] - 1;
        x->by = m->role;
    }
    *begun += n->ends;
    if (x->came[at] < count) return true;
    x->came[at] = 0;
    ++x->over[at];
    for (int i = 0; i < b->nroles; ++i)
        if (b->role[i].waits == MACHINE_NAMED + n->arrival.of && !pass(b, i, n->arrival.of))
            return false;
    m->role = b->role[role].number;
    return true;
}

bool machine_memory_over(struct machine *m) {
    for (int ring = 0; ring < ARRIVAL_RINGS; ++ring) {
        const struct machine_memory *x = &m->memory[ring];
        int64_t waited = 0, begun = 0, came = 0;
        for (int i = 0; i < MACHINE_ROLES; ++i) {
            if (x->waited[i] > waited) waited = x->waited[i];
            if (x->begun[i] > begun) begun = x->begun[i];
        }
        for (int i = 0; i < ARRIVAL_BARRIERS; ++i) came += x->came[i];
        if (came) return machine_fail(m, "a barrier in memory at which arrivals are missing");
        if (waited < begun) return machine_fail(m, "copies that nobody waits for");
    }
    return true;
}

static bool at_memory(struct block *b, int role, const struct kir_node *n) {
    if (n->kind == KIR_ARRIVE) return arrive(b, role, n);
    b->role[role].waits = MACHINE_NAMED + n->arrival.of;
    return pass(b, role, n->arrival.of);
}

// -- one role -------------------------------------------------------------------------------------

// The threads of a role take the same way.
static bool choose(struct block *b, struct role *r, const struct kir_node *n) {
    struct machine *m = b->m;
    struct arena_mark mark = arena_mark(&m->s->arena);
    bool *off = machine_left_out(m);
    int64_t hold = 0;
    if (!machine_leave_out(m, n, off)) return false;
    for (int64_t t = 0; t < m->k->threads; ++t) hold += !off[t];
    arena_rewind(&m->s->arena, mark);
    if (hold != 0 && hold != r->threads) return machine_fail(m, "threads of a role that part");
    return push(b, r, (struct frame){.next = hold ? n->body : n->orelse});
}

static bool begin_loop(struct block *b, struct role *r, const struct kir_node *n) {
    struct frame f = {.loop = n, .i = -1};
    if (!machine_common(b->m, n->begin, &f.begin) || !machine_common(b->m, n->end, &f.end))
        return false;
    if (f.begin < f.end && !typed_fits(f.end, n->var_bits)) {
        b->m->too_narrow = !b->m->error;
        return machine_fail(b->m, "the end of a role's steps does not fit into its 32 bits");
    }
    return push(b, r, f);
}

// Executes a node of the role, which may contain named barriers.
static bool step(struct block *b, int role, const struct kir_node *n) {
    struct role *r = &b->role[role];
    b->m->node = n;
    if (is_named(n))
        return n->arrival.kind == ARRIVAL_NAMED ? come(b, role, n) : at_memory(b, role, n);
    if (!has_named(n->body) && !has_named(n->orelse)) return machine_node(b->m, n);
    ++b->m->operations;
    if (n->kind == KIR_BLOCK) return push(b, r, (struct frame){.next = n->body});
    if (n->kind == KIR_IF) return choose(b, r, n);
    if (n->kind == KIR_FOR) return begin_loop(b, r, n);
    return machine_fail(b->m, "a named barrier for some threads of a role");
}

// Executes a role until it waits or ends.
static bool run(struct block *b, int role) {
    struct machine *m = b->m;
    struct role *r = &b->role[role];
    m->role = b->role[role].number;
    m->off = r->off;
    // roles may share the variables of their steps and slots
    for (int i = 0; i < r->n; ++i) {
        const struct frame *f = &r->frame[i];
        if (f->loop && f->i >= 0 && !machine_iteration(m, f->loop, f->begin, f->i)) return false;
    }
    while (r->n > 0 && r->waits < 0 && m->operations < m->schedule->limit) {
        struct frame *f = &r->frame[r->n - 1];
        const struct kir_node *n = f->next;
        trap_poll();
        if (n) {
            f->next = n->next;
            if (!step(b, role, n)) return false;
            continue;
        }
        if (!f->loop || f->begin + ++f->i >= f->end) {
            --r->n;
            continue;
        }
        f->next = f->loop->body;
        m->operations += 1 + m->active / 16;
        if (!machine_iteration(m, f->loop, f->begin, f->i) || !machine_carry(m, f->loop, f->i == 0))
            return false;
    }
    return true;
}

// The number of the role of the threads that are not "off", in the block.
static int number_of(struct machine *m, const bool *off, int64_t threads) {
    int64_t first = 0;
    while (first < m->k->threads && off[first]) ++first;
    for (int i = 0; i < m->nroles; ++i)
        if (m->role_first[i] == first && m->role_threads[i] == threads) return 1 + i;
    if (1 + m->nroles == MACHINE_ROLES) return 0;
    m->role_first[m->nroles] = first;
    m->role_threads[m->nroles] = threads;
    return ++m->nroles;
}

// Adds a role, of the threads that are not "off", with its "list".
static bool add_role(struct block *b, const bool *off, const struct kir_node *list) {
    if (b->nroles == ROLES) return machine_fail(b->m, "more roles than there may be");
    struct role *r = &b->role[b->nroles++];
    r->off = off;
    r->waits = -1;
    for (int64_t t = 0; t < b->m->k->threads; ++t) r->threads += !off[t];
    r->number = number_of(b->m, off, r->threads);
    if (!r->number) return machine_fail(b->m, "a block that divides in too many ways");
    return push(b, r, (struct frame){.next = list});
}

// Adds the roles of "n": of two lists, the second one may have further roles.
static bool add_roles(struct block *b, const struct kir_node *n) {
    struct machine *m = b->m;
    for (;; n = n->orelse) {
        bool *off = machine_left_out(m), *other = machine_left_out(m);
        if (!machine_leave_out(m, n, off)) return false;
        for (int64_t t = 0; t < m->k->threads; ++t) other[t] |= !off[t];
        if (!add_role(b, off, n->body)) return false;
        m->off = other;
        if (!n->orelse || !n->orelse->roles || n->orelse->next)
            return add_role(b, other, n->orelse);
    }
}

bool machine_roles(struct machine *m, const struct kir_node *n) {
    struct arena_mark mark = arena_mark(&m->s->arena);
    struct block *b = ARENA_NEW(&m->s->arena, struct block);
    const bool *before = m->off;
    b->m = m;
    if (m->role) return machine_fail(m, "roles within roles");
    bool ok = add_roles(b, n), more = true;
    while (ok && more && m->operations < m->schedule->limit) {
        more = false;
        for (int i = 0; ok && i < b->nroles; ++i) {
            int at = m->schedule->last_first ? b->nroles - 1 - i : i;
            if (b->role[at].n == 0 || b->role[at].waits >= 0) continue;
            more = true;
            ok = run(b, at);
        }
    }
    m->off = before;
    m->role = 0;
    for (int i = 0; ok && m->operations < m->schedule->limit && i < b->nroles; ++i)
        if (b->role[i].n > 0) return machine_fail(m, "roles that wait for each other for ever");
    if (ok) arena_rewind(&m->s->arena, mark);
    return ok;
}
