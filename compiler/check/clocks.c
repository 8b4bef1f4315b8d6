#include "check/clocks.h"

#include <string.h>

#include "hw/sizes.h"

int32_t clocks_now(const struct clocks *c, const struct machine *m) {
    return c->time[m->role];
}

static void join(struct clock *a, const struct clock *b) {
    for (int i = 0; i < MACHINE_ROLES; ++i)
        if (a->of[i] < b->of[i]) a->of[i] = b->of[i];
}

// Whether an arrival comes after what all threads of the role did: each arrives itself, or waits for the one
// that does (the "expect" of a plan).  An arrival of copies says nothing of stores.  Who only ends a group speaks for
// nobody, not even for itself: where bytes are announced, it has arrived before its copies.
static bool speaks_for_role(const struct kir_node *n) {
    return n->arrival.kind != ARRIVAL_MEMORY || n->by == BY_EACH || n->index;
}

bool clocks_arrive(struct clocks *c, const struct machine *m, int id, bool first) {
    if (m->node->arrival.fence) c->fenced[m->role].of[m->role] = c->time[m->role] + 1;
    if (first) c->fenced_at[id] = (struct clock){{0}};
    join(&c->fenced_at[id], &c->fenced[m->role]);
    struct clock tells = c->knows[m->role], now = tells;
    now.of[m->role] = c->time[m->role] + 1;
    if (speaks_for_role(m->node)) tells = now;
    if (first) {
        c->before[id] = c->named[id];
        c->named[id] = (struct clock){{0}};
    }
    // what those knew who came, this role knows, and that they came
    bool after = true;
    for (int i = 0; i < MACHINE_ROLES; ++i) {
        // of its own warps a role knows only those that it met since
        bool own = i == m->role && i > 0 && m->role_threads[i - 1] > LANES;
        after &= c->before[id].of[i] <= (own ? c->knows[i].of[i] : now.of[i]) &&
                 c->passed[id].of[i] <= now.of[i];
    }
    ++c->time[m->role];
    join(&c->named[id], &tells);
    return after;
}

void clocks_pass(struct clocks *c, const struct machine *m, int id) {
    join(&c->knows[m->role], &c->named[id]);
    join(&c->fenced[m->role], &c->fenced_at[id]);
    if (id >= MACHINE_NAMED) c->passed[id].of[m->role] = c->time[m->role] + 1;
}

void clocks_meet(struct clocks *c, bool fence) {
    struct clock all = {{0}};
    for (int i = 0; i < MACHINE_ROLES; ++i) ++c->time[i];
    for (int i = 0; i < MACHINE_ROLES; ++i) {
        memcpy(c->knows[i].of, c->time, sizeof c->time);
        join(&all, fence ? &c->knows[i] : &c->fenced[i]);
    }
    for (int i = 0; i < MACHINE_ROLES; ++i) c->fenced[i] = all;
}

void clocks_fence(struct clocks *c, const struct machine *m) {
    c->reads[m->role] = c->knows[m->role];
}

bool clocks_fenced(const struct clocks *c, const struct machine *m, int role, int32_t time,
                   bool read) {
    return m->role &&
           (time < c->fenced[m->role].of[role] || (read && time < c->reads[m->role].of[role]));
}

bool clocks_after(const struct clocks *c, const struct machine *m, int role, int32_t time) {
    return m->role && time < c->knows[m->role].of[role];
}
