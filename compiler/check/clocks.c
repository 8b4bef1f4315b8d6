#include "check/clocks.h"

int32_t clocks_now(struct clocks *c, const struct machine *m) {
    // new roles know nothing of each other yet
    if (c->parted != m->parted) *c = (struct clocks){.parted = m->parted};
    return c->time[m->role];
}

static void join(struct clock *a, const struct clock *b) {
    for (int i = 0; i < CLOCKS_ROLES; ++i)
        if (a->of[i] < b->of[i]) a->of[i] = b->of[i];
}

void clocks_arrive(struct clocks *c, const struct machine *m, int id, bool first) {
    int32_t now = clocks_now(c, m) + 1;
    struct clock tells = c->knows[m->role];
    tells.of[m->role] = c->time[m->role] = now;
    if (first) c->named[id] = (struct clock){{0}};
    join(&c->named[id], &tells);
}

void clocks_pass(struct clocks *c, const struct machine *m, int id) {
    join(&c->knows[m->role], &c->named[id]);
}

bool clocks_after(const struct clocks *c, const struct machine *m, int role, int32_t time) {
    return m->role && time < c->knows[m->role].of[role];
}
