// Executes the roles of a block: one until it waits at a named barrier, then the next one.
//
// What a role executes does not depend on what is moved, and an arrival never waits.  So if one such
// order comes to its end, all do.
#include "base/session.h"
#include "base/trap.h"
#include "machine/private.h"
#include "machine/typed.h"

enum { ROLES = 2, DEPTH = 16 };

// A list of nodes that contains named barriers, where the role goes on.
struct frame {
    const struct kir_node *next;
    const struct kir_node *loop;  // the loop whose body it is, or NULL
    int64_t begin, end, i;
};

struct role {
    const bool *off;  // the threads of other roles
    int64_t threads;
    struct frame frame[DEPTH];
    int n;
    int waits;  // for this barrier; -1: it can go on
};

struct block {
    struct machine *m;
    struct role role[ROLES];
    int first;  // number of the first role in the machine
};

static bool is_named(const struct kir_node *n) {
    return (n->kind == KIR_WAIT || n->kind == KIR_ARRIVE) && n->arrival.kind == ARRIVAL_NAMED;
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
    b->m->role = b->first + role;
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
    for (int i = 0; i < ROLES; ++i) {
        if (b->role[i].waits != id) continue;
        b->role[i].waits = -1;
        tell_pass(b, i, (int)id);
    }
    m->role = b->first + role;
    return true;
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
    if (is_named(n)) return come(b, role, n);
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
    m->role = b->first + role;
    m->off = r->off;
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

// The number of the first of the two roles into which "first" threads and the others divide the block.
static int number_of(struct machine *m, int64_t first) {
    int i = 0;
    while (i < m->ndivisions && m->division[i] != first) ++i;
    if (i == MACHINE_DIVISIONS) return 0;
    if (i == m->ndivisions) m->division[m->ndivisions++] = first;
    return 1 + ROLES * i;
}

bool machine_roles(struct machine *m, const struct kir_node *n) {
    struct arena_mark mark = arena_mark(&m->s->arena);
    struct block *b = ARENA_NEW(&m->s->arena, struct block);
    bool *off = machine_left_out(m), *other = machine_left_out(m), ok = true, more = true;
    const bool *before = m->off;
    b->m = m;
    if (m->role) return machine_fail(m, "roles within roles");
    if (!machine_leave_out(m, n, off)) return false;
    for (int64_t t = 0; t < m->k->threads; ++t) other[t] |= !off[t];
    int second = off[0];  // whether the conditions hold for the others
    b->role[second].off = off;
    b->role[!second].off = other;
    for (int64_t t = 0; t < m->k->threads; ++t)
        for (int i = 0; i < ROLES; ++i) b->role[i].threads += !b->role[i].off[t];
    b->role[0].waits = b->role[1].waits = -1;
    b->first = number_of(m, b->role[0].threads);
    if (!b->first) return machine_fail(m, "a block that divides in too many ways");
    ok = push(b, &b->role[second], (struct frame){.next = n->body}) &&
         push(b, &b->role[!second], (struct frame){.next = n->orelse});
    while (ok && more && m->operations < m->schedule->limit) {
        more = false;
        for (int i = 0; ok && i < ROLES; ++i) {
            int at = m->schedule->last_first ? ROLES - 1 - i : i;
            if (b->role[at].n == 0 || b->role[at].waits >= 0) continue;
            more = true;
            ok = run(b, at);
        }
    }
    m->off = before;
    m->role = 0;
    for (int i = 0; ok && m->operations < m->schedule->limit && i < ROLES; ++i)
        if (b->role[i].n > 0) return machine_fail(m, "roles that wait for each other for ever");
    if (ok) arena_rewind(&m->s->arena, mark);
    return ok;
}
