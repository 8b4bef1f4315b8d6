#include "check/groups.h"

#include "base/session.h"

enum { FIRST_GROUPS = 64 };

void groups_init(struct groups *g) {
    *g = (struct groups){.n = 1, .cap = FIRST_GROUPS};
    g->at = memory_zeroed(FIRST_GROUPS, sizeof *g->at);
}

void groups_release(struct groups *g) {
    memory_free(g->at);
}

int32_t groups_join(struct groups *g, const struct machine *m) {
    int32_t *open = &g->open[m->role];
    if (*open) return *open;
    if (g->n == g->cap) {
        g->cap *= 2;
        g->at = memory_again(g->at, sizeof *g->at * (size_t)g->cap);
    }
    g->at[g->n] =
        (struct group){m->role, -1, 0, {{.epoch = -1}, {.epoch = -1}}, {.epoch = -1}, {0}, 0};
    return *open = g->n++;
}

static void end(struct groups *g, const struct machine *m, int role) {
    int32_t i = g->open[role];
    if (!i) return;
    g->at[i].number = m->commits[role] - 1;
    g->at[i].older = g->last[role];
    g->last[role] = i;
    g->open[role] = 0;
}

void groups_commit(struct groups *g, const struct machine *m) {
    for (int role = 0; role < MACHINE_ROLES; ++role)
        if (m->role == 0 || role == m->role) end(g, m, role);
}

void groups_wait(struct groups *g, const struct machine *m, struct arrival a, int32_t epoch,
                 const int32_t *time) {
    for (int role = 0; role < MACHINE_ROLES; ++role) {
        const struct group_end done = {epoch, role, time[role]};
        if (m->role != 0 && role != m->role) continue;
        for (int32_t i = g->last[role]; i && g->at[i].end[a.written].epoch < 0;
             i = g->at[i].older) {
            if (g->at[i].number >= m->commits[role] - a.count) continue;
            for (int w = 0; w <= a.written; ++w)
                if (g->at[i].end[w].epoch < 0) g->at[i].end[w] = done;
        }
    }
}

void groups_count(struct groups *g, const struct machine *m, int32_t time) {
    int32_t i = g->open[m->role];
    if (i) g->at[i].counted = time;
}

void groups_arrived(struct groups *g, const struct machine *m, struct group_end done) {
    int32_t i = g->last[m->arrived_by];
    while (i && g->at[i].number > m->arrived) i = g->at[i].older;
    if (!i || g->at[i].number != m->arrived) return;
    if (g->at[i].there.epoch < 0) g->at[i].there = done;
    g->at[i].passed[m->role] = done.time + 1;
}

int groups_younger(const struct groups *g, const struct machine *m, int32_t i) {
    const struct group *x = &g->at[i];
    return x->number < 0 ? -1 : m->commits[x->role] - x->number - 1;
}
