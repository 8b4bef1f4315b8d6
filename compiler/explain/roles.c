// Explains the roles of a pipeline: who they are, and what they tell each other.
#include "base/session.h"
#include "explain/private.h"
#include "plan/handover.h"

const char *explain_full(struct session *s, const struct stmt *st) {
    const struct handover *h = &st->pipe->handover;
    if (h->arrivals)
        return arena_printf(&s->arena, "say full in memory with %s, %d arrival%s",
                            handover_bytes(s, st), h->arrivals, h->arrivals == 1 ? "" : "s");
    if (h->behind == 0) return "say full";
    return arena_printf(&s->arena, "say full, %lld step%s before", (long long)h->behind,
                        h->behind == 1 ? "" : "s");
}

const char *explain_roles(struct session *s, const struct pipeline *p) {
    const struct handover *h = &p->handover;
    const char *told = "side by side";
    for (int i = 0; i < p->nroles; ++i)
        told = arena_printf(&s->arena, "%s%s %lld threads '%s'", told, i ? "," : ":",
                            (long long)p->role[i].threads, p->role[i].name);
    if (p->nroles) return told;
    int named = (1 + !h->arrivals) * (int)p->stages, n = arrival_barriers(p->stages);
    const char *memory = arena_printf(&s->arena, ", %d barrier%s in memory", n, n == 1 ? "" : "s");
    if (!h->arrivals) memory = "";
    for (int i = 0; i < pipeline_sides(p); ++i) named += h->own[i] > 0;
    told = arena_printf(&s->arena, "the first %lld threads use", (long long)p->use[0].threads);
    for (int i = 1; i < p->nuses; ++i)
        told = arena_printf(&s->arena, "%s, the next %lld use", told, (long long)p->use[i].threads);
    return arena_printf(&s->arena,
                        "%s, the other %lld load, side by side; the loads "
                        "are at most %lld step%s ahead%s; %d named barriers%s",
                        told, (long long)p->load_threads, (long long)h->ahead,
                        h->ahead == 1 ? "" : "s", h->goes_on ? ", also into the next pipeline" : "",
                        named, memory);
}
