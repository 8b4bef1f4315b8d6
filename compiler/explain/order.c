// What `tcpc explain` tells about order: pipelines with their buffers and the schedule of a step,
// and every wait and barrier with the accesses that need it.
#include <string.h>

#include "base/session.h"
#include "explain/private.h"
#include "layout/algebra.h"
#include "plan/handover.h"

// -- reasons --------------------------------------------------------------------------------------

static int line_of(struct session *s, struct range at) {
    int line, column;
    source_place(s, at, &line, &column);
    return line;
}

// Such as "it reads 's', which other threads write in line 14"; "it" is the copy "self".
static const char *reason_text(struct session *s, const struct sync_reason *r,
                               const struct copy *self) {
    int earlier = line_of(s, r->earlier_at), later = line_of(s, r->later_at);
    const char *who = self && r->later == self ? "it" : arena_printf(&s->arena, "line %d", later);
    const char *does = arena_printf(&s->arena, "%s %s '%s', which", who,
                                    r->later_writes ? "writes" : "reads", r->buffer->name);
    if (r->wait && r->earlier)
        return arena_printf(&s->arena, "%s group %d %s, the copy in line %d", does,
                            r->earlier->facts.group, r->earlier_writes ? "fills" : "reads",
                            earlier);
    if (!r->earlier)
        return arena_printf(&s->arena, "%s a function called in line %d may %s", does, earlier,
                            r->earlier_writes ? "write" : "read");
    return arena_printf(&s->arena, "%s other threads %s in line %d%s", does,
                        r->earlier_writes ? "write" : "read", earlier,
                        r->earlier == r->later ? " in the iteration before" : "");
}

// The first reason of a wait (or a barrier) that "c" itself has, otherwise the first one.
static const struct sync_reason *reason_of(const struct sync_point *p, bool wait,
                                           const struct copy *c) {
    const struct sync_reason *first = NULL;
    for (const struct sync_reason *r = p->why; r; r = r->next) {
        if (r->wait != wait) continue;
        if (r->later == c) return r;
        if (!first) first = r;
    }
    return first;
}

static const char too_many[] =
    "too many accesses to shared memory came before it to tell them apart";

// The wait or barrier before "c" itself; NULL: none.
static const struct sync_point *point_before(const struct kernel *k, const struct copy *c) {
    for (const struct sync_point *x = k->sync; x; x = x->next)
        if (x->at->kind == STMT_COPY && x->at->copy == c) return x;
    return NULL;
}

const char *explain_barrier(struct session *s, const struct kernel *k, const struct copy *c) {
    const struct sync_point *p = point_before(k, c);
    if (!p || !arrival_is(p->wait.threads)) return NULL;
    const struct sync_reason *r = reason_of(p, false, c);
    return r ? reason_text(s, r, c) : too_many;
}

const char *explain_wait(struct session *s, const struct kernel *k, const struct copy *c,
                         int *pending, bool *at_head) {
    const struct sync_point *p = point_before(k, c);
    if (p && !arrival_is(p->wait.copies)) p = NULL;
    *at_head = false;
    for (const struct sync_point *x = k->sync; x && !p; x = x->next) {
        if (x->place != SYNC_AT_PART || !arrival_is(x->wait.copies)) continue;
        const struct sync_reason *r = reason_of(x, true, c);
        if (!r || r->later != c) continue;
        p = x;
        *at_head = true;
    }
    *pending = p ? p->wait.copies.count : -1;
    const struct sync_reason *r = p ? reason_of(p, true, c) : NULL;
    return r ? reason_text(s, r, c) : NULL;
}

// -- waits and barriers ---------------------------------------------------------------------------

static const char *place_text(const struct sync_point *p) {
    switch (p->place) {
    case SYNC_AT_PART:
        return stmt_first_part(p->at->up) == p->at ? "at the head of each step"
                                                   : "before the loads of each step";
    case SYNC_AT_BEHIND: return "at the end of each step";
    case SYNC_AT_WRITTEN: return "as written";
    case SYNC_AT_BEFORE: break;
    }
    return p->at->kind == STMT_COPY       ? "before the copy"
           : p->at->kind == STMT_FOR      ? "before the loop"
           : p->at->kind == STMT_PIPELINE ? "before the first loads"
           : p->at->call->fill            ? "before the fill"
                                          : "before the call";
}

// How often "at" is in the emitted code: a "load" part is also in the prologue.
static int stands(const struct stmt *at) {
    int n = 1;
    for (const struct stmt *part = at->up; part; part = part->up)
        if (part->load && part->up->pipe->stages > 1) n *= 2;
    return n;
}

static struct explained_sync explain_sync(struct session *s, const struct kernel *k,
                                          const struct sync_point *p) {
    struct explained_sync x = {
        .place = place_text(p),
        .line = line_of(s, p->at->at),
        .wait = p->wait,
        .stands = stands(p->at),
        .phases = k->all_wait,
    };
    int n = 0;
    for (const struct sync_reason *r = p->why; r; r = r->next) ++n;
    x.reason = ARENA_ARRAY(&s->arena, struct explained_reason, n + 1);
    for (const struct sync_reason *r = p->why; r; r = r->next)
        x.reason[x.nreasons++] = (struct explained_reason){
            .wait = r->wait,
            .fence = p->wait.threads.fence && sync_overtakes(r),
            .buffer = r->buffer->name,
            .text = reason_text(s, r, NULL),
            .earlier_line = line_of(s, r->earlier_at),
            .later_line = line_of(s, r->later_at),
            .earlier_writes = r->earlier_writes,
            .later_writes = r->later_writes,
        };
    return x;
}

// -- pipelines ------------------------------------------------------------------------------------

// The events of a step, for the ring of buffers.  A loop that contains waits is between EVENT_OPEN
// and EVENT_CLOSE.
enum event_kind {
    EVENT_WAIT,
    EVENT_LOAD,
    EVENT_ARRIVE,
    EVENT_USE,
    EVENT_OPEN,
    EVENT_CLOSE,
    EVENT_TEXT
};

struct event {
    enum event_kind kind;
    bool load;               // in a "load" part
    struct arrival arrival;  // EVENT_WAIT, EVENT_ARRIVE
    const char *buffer;
    const struct stmt *loop;  // EVENT_OPEN
    const char *text;         // EVENT_TEXT
    int64_t bytes;            // EVENT_LOAD: asynchronous bytes of a block; -1: not known
};

struct schedule {
    struct session *s;
    const struct kernel *k;
    const struct stmt *st;
    struct event *at;
    int n, cap;
    bool load;
};

static void add_event(struct schedule *x, struct event e) {
    e.load = x->load;
    const struct event *last = x->n ? &x->at[x->n - 1] : NULL;
    if (last && e.kind == EVENT_USE && last->kind == EVENT_USE && last->buffer == e.buffer) return;
    if (x->n == x->cap) {
        x->cap = x->cap ? 2 * x->cap : 32;
        struct event *more = ARENA_ARRAY(&x->s->arena, struct event, x->cap);
        if (x->n) memcpy(more, x->at, sizeof *more * (size_t)x->n);
        x->at = more;
    }
    x->at[x->n++] = e;
}

static void add_wait(struct schedule *x, struct arrival a) {
    if (arrival_is(a)) add_event(x, (struct event){.kind = EVENT_WAIT, .arrival = a});
}

static void add_commit(struct schedule *x) {
    add_event(x, (struct event){.kind = EVENT_ARRIVE, .arrival = arrival_groups(0)});
}

static void add_point(struct schedule *x, const struct stmt *at, enum sync_place place) {
    for (const struct sync_point *p = x->k->sync; p; p = p->next) {
        if (p->at != at || p->place != place) continue;
        add_wait(x, p->wait.copies);
        add_wait(x, p->wait.threads);
    }
}

static bool is_ring(const struct pipeline *pipe, const struct tensor *t) {
    for (int i = 0; i < pipe->ntensors; ++i)
        if (pipe->tensor[i] == t) return true;
    return false;
}

static void add_use(struct schedule *x, const struct tensor *t) {
    if (!x->load && is_ring(x->st->pipe, t))
        add_event(x, (struct event){.kind = EVENT_USE, .buffer = t->name});
}

// Whether "list" contains a wait, a barrier or the end of a group.
static bool orders(const struct kernel *k, const struct stmt *list) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x)) {
        for (const struct sync_point *p = k->sync; p; p = p->next)
            if (p->at == x) return true;
        if (x->commit_after || (x->kind == STMT_COPY && x->copy->facts.commit_after)) return true;
    }
    return false;
}

// "times": how often the statements run in a step; -1: not known.
static void add_events(struct schedule *x, const struct stmt *list, int64_t times) {
    const struct stmt *first = list && list->kind == STMT_PART ? stmt_first_part(list->up) : list;
    for (const struct stmt *st = first; st;
         st = st->kind == STMT_PART ? stmt_part_after(st) : st->next) {
        if (st->kind == STMT_PART) {
            bool outer = x->load;
            add_point(x, st, SYNC_AT_PART);
            x->load = outer || (st->load && st->up == x->st);
            add_events(x, st->body, times);
            x->load = outer;
            continue;
        }
        add_point(x, st, SYNC_AT_BEFORE);
        if (st->kind == STMT_COPY) {
            const struct copy *c = st->copy;
            add_use(x, c->src.base);
            add_use(x, c->dst.base);
            int64_t bytes = -1;
            if (x->load) {
                const struct ix *n = explain_bytes(x->s, x->k, c);
                if (!n || times < 0 || !ix_static(n, &bytes)) bytes = -1;
                if (bytes >= 0) bytes = c->facts.async ? bytes * times : 0;
                add_event(x,
                          (struct event){EVENT_LOAD, .buffer = c->dst.base->name, .bytes = bytes});
            }
            if (c->facts.commit_after) add_commit(x);
        }
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            add_use(x, st->call->view[i].base);
        if (stmt_nests(st)) {
            const struct ix *n = ix_sub(x->s, st->end, st->begin);
            int64_t trips;
            if (!n || times < 0 || !ix_static(n, &trips)) trips = -1;
            bool shown = orders(x->k, st->body);
            if (shown) add_event(x, (struct event){.kind = EVENT_OPEN, .loop = st});
            add_events(x, st->body, trips < 0 ? -1 : times * trips);
            add_point(x, st, SYNC_AT_BEHIND);
            if (shown) add_event(x, (struct event){.kind = EVENT_CLOSE});
        }
        if (st->commit_after) add_commit(x);
    }
}

// The groups in flight, oldest first, with their bytes.
struct under_way {
    int64_t *bytes, open;
    int n;
    int most;            // at the same time
    int64_t most_bytes;  // -1: not known
};

static void follow(struct under_way *u, const struct event *e) {
    if (e->kind == EVENT_LOAD) {
        u->open = u->open < 0 || e->bytes < 0 ? -1 : u->open + e->bytes;
    } else if (e->arrival.kind != ARRIVAL_GROUP) {
        // no other arrival is of groups
    } else if (e->kind == EVENT_ARRIVE) {
        u->bytes[u->n++] = u->open;
        u->open = 0;
    } else if (u->n > e->arrival.count) {
        int left = e->arrival.count;
        memmove(u->bytes, u->bytes + u->n - left, sizeof *u->bytes * (size_t)left);
        u->n = left;
    }
    int64_t sum = 0;
    for (int i = 0; i < u->n; ++i) sum = sum < 0 || u->bytes[i] < 0 ? -1 : sum + u->bytes[i];
    if (u->n > u->most) u->most = u->n;
    if (u->most_bytes >= 0 && (sum < 0 || sum > u->most_bytes)) u->most_bytes = sum;
}

static const char *event_text(struct session *s, const struct event *e) {
    char text[ARRIVAL_TEXT];
    switch (e->kind) {
    case EVENT_ARRIVE:
    case EVENT_WAIT:
        return arena_printf(&s->arena, "%s",
                            arrival_text(e->arrival, e->kind == EVENT_ARRIVE, text));
    case EVENT_LOAD: return arena_printf(&s->arena, "load %s", e->buffer);
    case EVENT_USE: return arena_printf(&s->arena, "use %s", e->buffer);
    case EVENT_OPEN:
        return arena_printf(&s->arena, "%s %s {", e->loop->kind == STMT_FOR ? "for" : "pipeline",
                            e->loop->var->name);
    case EVENT_CLOSE: return "}";
    case EVENT_TEXT: return e->text;
    }
    BUG("no such event");
}

static void say(struct schedule *x, const char *text) {
    add_event(x, (struct event){.kind = EVENT_TEXT, .text = text});
}

// What the roles of a pipeline do in a step, one after the other: first the one that loads.
static void add_roles(struct schedule *x) {
    struct session *s = x->s;
    const struct pipeline *p = x->st->pipe;
    const struct handover *h = &p->handover;
    for (int i = 0; i < pipeline_sides(p); ++i) {
        bool load = i == 0;
        int side = load ? p->nuses : i - 1;
        say(x, load ? "load {" : arena_printf(&s->arena, "%s {", p->use[side].name));
        say(x, load ? "until empty" : h->arrivals ? "until full in memory" : "until full");
        if (load && h->issuer) say(x, "fence");
        x->load = load;
        for (const struct stmt *part = x->st->body; part; part = part->next)
            if (stmt_side(part) == side) add_events(x, part->body, 1);
        if (load && h->pending >= 0) {
            add_event(x, (struct event){.kind = EVENT_ARRIVE, .arrival = arrival_groups(0)});
            add_event(x, (struct event){.kind = EVENT_WAIT,
                                        .arrival = arrival_groups((int)h->pending)});
        }
        x->load = false;
        if (!load && h->fence) say(x, "fence");
        if (!load && h->waits & 1u << side) say(x, "wait 0");
        say(x, load ? explain_full(s, x->st) : "say empty");
        say(x, "}");
    }
}

// The same of a manual kernel.
static void add_manual_roles(struct schedule *x) {
    struct session *s = x->s;
    for (const struct stmt *part = x->st->body; part; part = part->next) {
        say(x, arena_printf(&s->arena, "%s {", part->role->name));
        for (const struct stmt *y = part->body; y; y = y->next) {
            if (y->arrival.fence) say(x, "fence");
            if (y->barrier)
                say(x, arena_printf(&s->arena, "%s%s%s", stmt_named(s, y), y->bytes ? ", " : "",
                                    y->bytes ? ix_text(s, y->bytes) : ""));
            if (y->kind == STMT_COPY)
                say(x, arena_printf(&s->arena, "copy %s -> %s", y->copy->src.base->name,
                                    y->copy->dst.base->name));
        }
        say(x, "}");
    }
}

static struct explained_ring explain_ring(struct session *s, const struct tensor *t,
                                          int64_t stages) {
    struct explained_ring r = {.name = t->name};
    struct lay_int all = lay_span(&s->lay, t->layout);
    if (lay_int_static(all)) r.bytes = all.num * t->elem->bits / 8;
    r.stage_bytes = r.bytes;
    const struct lay_tuple *d = t->layout.stride;
    if (stages > 1 && d->rank > 0 && lay_int_static(d->kid[d->rank - 1]->leaf))
        r.stage_bytes = d->kid[d->rank - 1]->leaf.num * t->elem->bits / 8;
    lay_clear_error(&s->lay);
    return r;
}

static struct explained_pipeline explain_pipeline(struct session *s, const struct kernel *k,
                                                  const struct stmt *st) {
    const struct pipeline *pipe = st->pipe;
    struct explained_pipeline x = {
        .text = arena_printf(&s->arena, "%s %s in %s .. %s", pipe->nroles ? "roles" : "pipeline",
                             st->var->name, ix_text(s, st->begin), ix_text(s, st->end)),
        .line = line_of(s, st->at),
        .stages = pipe->stages,
        .ahead = pipeline_ahead(pipe),
        .ring = ARENA_ARRAY(&s->arena, struct explained_ring, pipe->ntensors + 1),
    };
    for (int i = 0; i < pipe->ntensors; ++i)
        x.ring[x.nrings++] = explain_ring(s, pipe->tensor[i], pipe->stages);
    struct schedule all = {.s = s, .k = k, .st = st};
    if (pipe->nroles) {
        x.manual = true;
        x.roles = explain_roles(s, pipe);
        add_manual_roles(&all);
    } else if (pipeline_has_roles(pipe)) {
        x.roles = explain_roles(s, pipe);
        add_roles(&all);
    } else {
        add_events(&all, st->body, 1);
        add_point(&all, st, SYNC_AT_BEHIND);
    }
    if (x.roles) {
        x.handover = ARENA_ARRAY(&s->arena, const char *, HANDOVER_LINES);
        x.nhandover = handover_tell(s, st, x.handover);
    }
    x.step = ARENA_ARRAY(&s->arena, const char *, all.n + 1);
    x.prologue = ARENA_ARRAY(&s->arena, const char *, all.n + 1);
    struct under_way u = {.bytes = ARENA_ARRAY(&s->arena, int64_t, 2 * pipe->stages * all.n + 1)};
    for (int64_t step = 1 - pipeline_ahead(pipe); step <= pipe->stages; ++step) {
        for (int i = 0; i < all.n; ++i) {
            const struct event *e = &all.at[i];
            if (e->load || (step > 0 && !x.roles)) follow(&u, e);
        }
    }
    for (int i = 0; i < all.n; ++i) {
        const struct event *e = &all.at[i];
        x.step[x.nsteps++] = event_text(s, e);
        if (e->load && pipe->stages > 1 && !x.roles) x.prologue[x.nprologue++] = event_text(s, e);
        bool waits = e->kind == EVENT_WAIT;
        // of roles, those that load: who uses counts the groups that it stores by itself
        x.groups +=
            e->kind == EVENT_ARRIVE && e->arrival.kind == ARRIVAL_GROUP && (e->load || !x.roles);
        x.waits += waits && arrival_row(e->arrival)->completes;
        x.barriers += waits && arrival_row(e->arrival)->joins;
    }
    x.under_way = u.most;
    x.bytes_under_way = u.most_bytes;
    return x;
}

static int count_pipelines(const struct stmt *list) {
    int n = 0;
    for (const struct stmt *x = list; x; x = stmt_next(list, x)) n += x->kind == STMT_PIPELINE;
    return n;
}

static void explain_pipelines(struct session *s, const struct kernel *k, const struct stmt *list,
                              struct explained_kernel *out) {
    for (const struct stmt *x = list; x; x = stmt_next(list, x))
        if (x->kind == STMT_PIPELINE) out->pipeline[out->npipelines++] = explain_pipeline(s, k, x);
}

void explain_order(struct session *s, const struct kernel *k, struct explained_kernel *x) {
    int n = 0;
    for (const struct sync_point *p = k->sync; p; p = p->next) ++n;
    x->sync = ARENA_ARRAY(&s->arena, struct explained_sync, n + 2);
    for (const struct sync_point *p = k->sync; p; p = p->next)
        x->sync[x->nsyncs++] = explain_sync(s, k, p);
    if (k->wait_last)  // a device function returns with its copies complete
        x->sync[x->nsyncs++] = (struct explained_sync){.place = "at the end of the function",
                                                       .line = line_of(s, k->at),
                                                       .wait.copies = arrival_groups(0),
                                                       .stands = 1};
    x->pipeline = ARENA_ARRAY(&s->arena, struct explained_pipeline, count_pipelines(k->body) + 1);
    explain_pipelines(s, k, k->body, x);
}
