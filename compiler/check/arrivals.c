#include "check/arrivals.h"

#include "base/session.h"
#include "check/clocks.h"

enum { TIMES_THE_OPERATIONS = 16 };  // of those of the check of accesses

struct arrivals {
    struct clocks clocks;
    int32_t epoch, waited;                    // so many groups, by all threads
    int32_t waited_in[2 * ARRIVAL_BARRIERS];  // .. the last ones in these epochs
};

static void wait(void *user, struct machine *m, struct arrival a) {
    struct arrivals *x = user;
    switch (a.kind) {
    case ARRIVAL_NONE: break;
    case ARRIVAL_BLOCK:
        ++x->epoch;
        clocks_meet(&x->clocks, a.fence);
        break;
    case ARRIVAL_NAMED: clocks_pass(&x->clocks, m, a.of); break;
    case ARRIVAL_MEMORY: clocks_pass(&x->clocks, m, MACHINE_NAMED + m->barrier); break;
    case ARRIVAL_GROUP:
        for (; x->waited < m->commits[0] - a.count; ++x->waited)
            x->waited_in[x->waited % (2 * ARRIVAL_BARRIERS)] = x->epoch;
        break;
    }
}

static void arrive(void *user, struct machine *m, struct arrival a) {
    const struct arrivals *x = user;
    int32_t before = m->commits[0] - 1 - m->k->barriers;
    if (a.kind != ARRIVAL_GROUP || !m->k->all_wait || before < 0) return;
    if (before >= x->waited || x->waited_in[before % (2 * ARRIVAL_BARRIERS)] == x->epoch)
        machine_fail(m, "a thread that may be two phases behind a barrier in memory");
}

static void come(void *user, struct machine *m, int id, bool first) {
    struct arrivals *x = user;
    if (!clocks_arrive(&x->clocks, m, id, first))
        machine_fail(m, "a role that may come to a barrier again before the others");
}

static bool any_roles(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next)
        if (n->roles || any_roles(n->body) || any_roles(n->orelse)) return true;
    return false;
}

const char *arrivals_trouble(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                             const struct order_steps *steps) {
    struct arrivals x = {.epoch = 1};
    struct order_steps more = *steps;
    bool same[ORDER_TURNS];  // "steps" has those of the other check
    const int64_t first[3] = {0};
    if (!k->all_wait && !any_roles(k->body)) return NULL;
    more.parities = k->all_wait;
    if (steps->same) more.same = same;
    struct machine m;
    struct schedule schedule = order_schedule(s, &more);
    struct observer observer = {.user = &x, .arrive = arrive, .wait = wait, .come = come};
    schedule.limit *= TIMES_THE_OPERATIONS;
    machine_init(&m, s, k, sym, &schedule, &observer, 1);
    machine_run(&m, first);
    machine_release(&m);
    return m.no_value || m.too_narrow ? NULL : m.error;  // the other check says that
}
