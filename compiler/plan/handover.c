#include "plan/handover.h"

#include <inttypes.h>

#include "base/session.h"

const char *handover_bytes(struct session *s, const struct stmt *st) {
    int64_t all = 0;
    for (const struct stmt *y = st->body; y; y = stmt_next(st->body, y)) {
        if (y->kind != STMT_COPY || !copy_atom(y->copy)->row->counter) continue;
        const struct copy_facts *f = &y->copy->facts;
        struct lay_int n = lay_size(&s->lay, f->src.layout);
        lay_clear_error(&s->lay);
        bool once = y->up->kind == STMT_PART;
        if (!once || (f->edge != EDGE_NEVER && !f->boxes) || !lay_int_static(n))
            return "as many bytes as were asked for";
        all += n.num * y->copy->dst.base->elem->bits / 8;
    }
    return arena_printf(&s->arena, "%" PRId64 " bytes", all);
}

// Such as "'use 1' and 'use 2' wait": the names of "n" roles, and what they do.
static const char *doing(struct session *s, const char *const *name, int n, const char *verb) {
    const char *text = "";
    for (int i = 0; i < n; ++i)
        text = arena_printf(&s->arena, "%s%s'%s'", text,
                            i == 0       ? ""
                            : i == n - 1 ? " and "
                                         : ", ",
                            name[i]);
    return arena_printf(&s->arena, "%s %s%s", text, verb, n == 1 ? "s" : "");
}

static const char *numbers(struct session *s, int first, int n, int64_t threads) {
    return n == 1 ? arena_printf(&s->arena, "named barrier %d, %" PRId64 " threads", first, threads)
                  : arena_printf(&s->arena, "named barriers %d .. %d, %" PRId64 " threads", first,
                                 first + n - 1, threads);
}

// Who arrives in a phase of the barriers in memory of "st".
static const char *arrivals(struct session *s, const struct stmt *st) {
    const struct pipeline *p = st->pipe;
    const struct handover *h = &p->handover;
    const char *bytes = handover_bytes(s, st), *what = "its stores";
    long long leader = p->use_threads, loads = p->load_threads;
    if (!h->each && !h->copies)
        return arena_printf(&s->arena, "thread %lld arrives with %s", leader, bytes);
    if (h->copies) what = h->each ? "its stores, and again with its cp.async" : "its cp.async";
    return arena_printf(&s->arena,
                        "%d arrivals: thread %lld with %s, each of the %lld of 'load' with %s",
                        h->arrivals, leader, bytes, loads, what);
}

static int tell_pipeline(struct session *s, const struct stmt *st, const char **line) {
    const struct pipeline *p = st->pipe;
    const struct handover *h = &p->handover;
    const char *use[MOST_CONSUMERS], *load = "load";
    int n = 0, stages = (int)p->stages;
    for (int i = 0; i < p->nuses; ++i) use[i] = p->use[i].name;
    const char *wait = doing(s, use, p->nuses, "wait"),
               *empty = numbers(s, h->empty, stages, h->threads);
    if (h->arrivals)
        line[n++] =
            arena_printf(&s->arena,
                         "full: step g is phase g / %d of barrier g %% %d in memory; %s; %s",
                         arrival_barriers(stages), arrival_barriers(stages), arrivals(s, st), wait);
    else
        line[n++] =
            arena_printf(&s->arena, "full: %s; %s, %s", numbers(s, h->full, stages, h->threads),
                         doing(s, &load, 1, "arrive"), wait);
    line[n++] =
        arena_printf(&s->arena, "empty: %s; %s%s, %s", empty, doing(s, use, p->nuses, "arrive"),
                     h->waits ? " when copies have read the slot" : "", doing(s, &load, 1, "wait"));
    for (int i = 0; i < pipeline_sides(p); ++i)
        if (h->own[i])
            line[n++] =
                arena_printf(&s->arena,
                             "own: named barrier %d; the threads of '%s' wait for each other",
                             h->own[i], i < p->nuses ? p->use[i].name : load);
    return n;
}

static bool told_before(const struct stmt *st, const struct stmt *x) {
    for (const struct stmt *y = st->body; y != x; y = stmt_next(st->body, y))
        if (y->barrier == x->barrier) return true;
    return false;
}

static int tell_manual(struct session *s, const struct stmt *st, const char **line) {
    int n = 0;
    for (const struct stmt *x = st->body; x; x = stmt_next(st->body, x)) {
        if (!x->barrier || told_before(st, x) || n == HANDOVER_LINES) continue;
        const struct barrier *b = x->barrier;
        const char *text = numbers(s, b->first, b->stages, b->threads);
        for (const struct stmt *y = x; y; y = stmt_next(st->body, y))
            if (y->barrier == b)
                text = arena_printf(&s->arena, "%s%s '%s' %s step %s", text, y == x ? ";" : ",",
                                    y->up->role->name,
                                    y->kind == STMT_WAIT ? "waits for" : "arrives for",
                                    ix_text(s, ix_add(s, ix_var(s, st->var), ix_int(s, y->of))));
        line[n++] = arena_printf(&s->arena, "%s: %s", b->name, text);
    }
    return n;
}

int handover_tell(struct session *s, const struct stmt *st, const char *line[HANDOVER_LINES]) {
    return st->pipe->nroles ? tell_manual(s, st, line) : tell_pipeline(s, st, line);
}
