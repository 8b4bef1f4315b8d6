// Explains the roles of a pipeline: who they are, and what they tell each other.
#include "base/session.h"
#include "explain/private.h"

// The bytes that barriers in memory count in a step, in words.
static const char *counted_text(struct session *s, const struct kernel *k, const struct stmt *st) {
    int64_t all = 0, bytes;
    for (const struct stmt *y = st->body; y; y = stmt_next(st->body, y)) {
        if (y->kind != STMT_COPY || !copy_atom(y->copy)->row->counter) continue;
        const struct ix *n = explain_bytes(s, k, y->copy);
        bool once = y->up->kind == STMT_PART;
        if (!once || (y->copy->facts.edge != EDGE_NEVER && !y->copy->facts.boxes) || !n ||
            !ix_static(n, &bytes))
            return "as many bytes as were asked for";
        all += bytes;
    }
    return arena_printf(&s->arena, "%lld bytes", (long long)all);
}

const char *explain_full(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct handover *h = &st->pipe->handover;
    if (h->arrivals)
        return arena_printf(&s->arena, "say full in memory with %s, %d arrival%s",
                            counted_text(s, k, st), h->arrivals, h->arrivals == 1 ? "" : "s");
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
    int own = (h->use_own > 0) + (h->load_own > 0);
    int named = (1 + !h->arrivals) * (int)p->stages + own;
    return arena_printf(
        &s->arena,
        "the first %lld threads use, the other %lld load, side by side; the loads "
        "are at most %lld step%s ahead%s; %d named barriers%s",
        (long long)p->use_threads, (long long)p->load_threads, (long long)h->ahead,
        h->ahead == 1 ? "" : "s", h->goes_on ? ", also into the next pipeline" : "", named,
        h->arrivals ? ", 8 barriers in memory: step g is phase g / 8 of barrier g % 8" : "");
}
