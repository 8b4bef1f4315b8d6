// Texts of messages about costs.
#include "cost/copy.h"

#include <inttypes.h>

#include "base/session.h"

const char *cost_range_text(struct session *s, struct cost_range r) {
    if (cost_exact(r)) return arena_printf(&s->arena, "%" PRId64, r.most);
    return arena_printf(&s->arena, "%" PRId64 " to %" PRId64, r.least, r.most);
}

const char *cost_conflict_text(struct session *s, enum cost_class c, int64_t times) {
    const char *what = c == COST_CP_ASYNC_CG ? " times as many" : "-way bank conflict";
    return arena_printf(&s->arena, "%" PRId64 "%s", times, what);
}

int cost_percent(struct cost_range least, struct cost_range have) {
    if (have.most <= least.most) return 100;
    int64_t percent = 100 * least.most / have.most;
    return percent < 1 ? 1 : (int)percent;
}
