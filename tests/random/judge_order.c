// A judge of the order of accesses (see judge_order.h).
//
// Each access has the number of the event before it as its time. Of each actor, a warp or its first lane alone, warps
// know up to which time its accesses are over, and up to which it has fenced them.
#include "judge_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/session.h"
#include "hw/sizes.h"
#include "machine/machine.h"

enum {
    WARPS = 8,
    ACTORS = 2 * WARPS,
    GROUPS = 1 << 14,
    PLACES = MACHINE_NAMED + ARRIVAL_RINGS * ARRIVAL_BARRIERS
};

// What a warp knows, or is told at a barrier. Times from 1 on; 0: none.
struct knows {
    int32_t over[ACTORS];    // accesses
    int32_t fenced[ACTORS];  // .. by who made them
    int32_t passed[ACTORS];  // .. by anybody who knew of them
    int32_t issued[ACTORS];  // .. by its own thread that issues copies
    int32_t phase[PLACES];   // so many phases of barriers in memory
};

// Asynchronous copies that end together.
struct group {
    int role, number;               // -1: not ended
    bool all;                       // all threads have waited for it
    int32_t own;                    // when the threads that issued it had; 0: not
    int32_t passed[MACHINE_ROLES];  // when a role had, at a barrier in memory
    int32_t counted;  // .. where copies that no bytes count arrive if they were issued before
    bool bulk;
};

struct mark {
    int32_t time;  // 0: none
    int16_t thread;
    int16_t group;  // 0: not asynchronous
    bool bulk;
};

// The latest accesses of an actor: of its last thread, and of another one.
struct reads {
    struct mark at[2];
};

struct cell {
    struct mark write;
    bool bulk;             // .. which is a copy that one thread issues
    struct reads *read;    // by actor; NULL: none
    int32_t *overwritten;  // by actor: accesses before "write"
    struct mark late[4];   // copies that read
};

struct judge {
    struct machine m;
    struct knows warp[WARPS], told[PLACES], told_before[PLACES];
    int32_t now;
    int32_t passes
        [PLACES][2]
        [MACHINE_ROLES];  // when roles passed a barrier in memory, an even phase or an odd one
    struct group *group;
    int ngroups, open[MACHINE_ROLES];
    int32_t waited, met;   // groups that all threads have waited for, and before they met
    struct cell **buffer;  // by number of the buffer
    const char *why;
    bool cannot_tell;
};

static bool wrong(struct judge *j, const char *why) {
    if (!j->why) j->why = why;
    return machine_fail(&j->m, why);
}

static int warp_of(int64_t thread) {
    return (int)(thread / LANES);
}

// The first lane of a warp is an actor of its own: it may speak for itself.
static int actor_of(int64_t thread) {
    return warp_of(thread) + (thread % LANES == 0 ? WARPS : 0);
}

static void most(int32_t *to, const int32_t *from, int n) {
    for (int i = 0; i < n; ++i)
        if (to[i] < from[i]) to[i] = from[i];
}

static void join(struct knows *to, const struct knows *from) {
    most(to->over, from->over, ACTORS);
    most(to->fenced, from->fenced, ACTORS);
    most(to->passed, from->passed, ACTORS);
    most(to->phase, from->phase, PLACES);
}

// The warps of the role that executes now.
static void warps_of(const struct judge *j, int *first, int *end) {
    const struct machine *m = &j->m;
    *first = m->role ? warp_of(m->role_first[m->role - 1]) : 0;
    int64_t threads = m->role ? m->role_threads[m->role - 1] : m->k->threads;
    *end = *first + (int)((threads + LANES - 1) / LANES);
}

static void fence(struct judge *j, struct knows *x, int warp) {
    x->fenced[warp] = x->fenced[WARPS + warp] = j->now;
    most(x->passed, x->over, ACTORS);
    x->passed[warp] = x->passed[WARPS + warp] = j->now;
}

// What warp "w" tells when it arrives, or "alone" its first lane, or "nobody".
static struct knows tells(struct judge *j, int w, bool fences, bool alone, bool nobody) {
    struct knows x = j->warp[w];
    if (!alone && !nobody) x.over[w] = j->now;
    if (!nobody) x.over[WARPS + w] = j->now;
    if (fences) fence(j, &x, w);
    return x;
}

// -- groups ---------------------------------------------------------------------------------------

static int group_of(struct judge *j, bool bulk) {
    int *open = &j->open[j->m.role];
    if (!*open && j->ngroups < GROUPS) {
        j->group[j->ngroups] = (struct group){.role = j->m.role, .number = -1};
        *open = j->ngroups++;
    }
    j->group[*open].bulk |= bulk;
    return *open;
}

static void end_groups(struct judge *j) {
    for (int role = 0; role < MACHINE_ROLES; ++role) {
        if ((j->m.role && role != j->m.role) || !j->open[role]) continue;
        j->group[j->open[role]].number = j->m.commits[role] - 1;
        j->open[role] = 0;
    }
}

// Whether the thread knows that the group of "a" is over.
static bool is_over(const struct judge *j, const struct mark *a, int64_t thread) {
    const struct machine *m = &j->m;
    const struct group *g = &j->group[a->group];
    int64_t issuer = a->thread;
    const struct knows *x = &j->warp[warp_of(thread)];
    if (g->all) return true;
    if (g->own && (issuer == thread || x->over[actor_of(issuer)] >= g->own)) return true;
    for (int i = 0; i < m->nroles && (a->bulk || a->time < g->counted); ++i) {
        int64_t first = m->role_first[i];
        if (!g->passed[i + 1]) continue;
        if (thread >= first && thread < first + m->role_threads[i]) return true;
        if (x->over[warp_of(first)] >= g->passed[i + 1]) return true;
    }
    return false;
}

// Whether who knows that it is over has fenced since.
static bool group_fenced(const struct judge *j, const struct group *g, int64_t issuer, int64_t by) {
    const struct knows *x = &j->warp[warp_of(by)];
    if (g->own && x->fenced[actor_of(issuer)] >= g->own) return true;
    for (int i = 0; i < j->m.nroles; ++i)
        if (g->passed[i + 1] && x->fenced[warp_of(j->m.role_first[i])] >= g->passed[i + 1])
            return true;
    return false;
}

// -- accesses -------------------------------------------------------------------------------------

static bool before(struct judge *j, const struct mark *a, int64_t thread) {
    if (!a->time) return true;
    if (a->group) return is_over(j, a, thread);
    return a->thread == thread || j->warp[warp_of(thread)].over[actor_of(a->thread)] >= a->time;
}

static bool fenced(struct judge *j, const struct mark *a, int64_t by) {
    if (!a->time || a->thread == by) return true;
    if (a->group) return group_fenced(j, &j->group[a->group], a->thread, by);
    return j->warp[warp_of(by)].fenced[actor_of(a->thread)] >= a->time;
}

static void note_overwritten(struct cell *c, const struct mark *a) {
    int32_t *at = &c->overwritten[actor_of(a->thread)];
    if (*at < a->time) *at = a->time;
}

static bool write(struct judge *j, struct cell *c, const struct mark *now, bool bulk) {
    if (!before(j, &c->write, now->thread)) return wrong(j, "a write before another one is over");
    if (bulk && !c->bulk && !fenced(j, &c->write, now->thread))
        return wrong(j, "a copy that may overtake a write");
    for (int i = 0; i < 4; ++i)
        if (!before(j, &c->late[i], now->thread)) return wrong(j, "a write before a copy has read");
    for (int i = 0; c->read && i < 2 * ACTORS; ++i) {
        const struct mark *a = &c->read[i / 2].at[i % 2];
        if (!before(j, a, now->thread)) return wrong(j, "a write before a read");
        bool later = j->warp[warp_of(now->thread)].issued[actor_of(a->thread)] >= a->time;
        if (bulk && !later && !fenced(j, a, now->thread))
            return wrong(j, "a copy that may overtake a read");
        if (a->time && !bulk) note_overwritten(c, a);
    }
    const struct knows *x = &j->warp[warp_of(now->thread)];
    for (int i = 0; bulk && i < ACTORS; ++i)
        if (c->overwritten[i] > x->passed[i] && i != actor_of(now->thread))
            return wrong(j, "a copy that may overtake what was overwritten");
    if (bulk)
        memset(c->overwritten, 0, ACTORS * sizeof *c->overwritten);
    else if (c->write.time && !c->bulk)
        note_overwritten(c, &c->write);
    if (c->read) memset(c->read, 0, ACTORS * sizeof *c->read);
    memset(c->late, 0, sizeof c->late);
    c->write = *now;
    c->bulk = bulk;
    return true;
}

static bool read(struct judge *j, struct cell *c, const struct mark *now, bool bulk) {
    if (!before(j, &c->write, now->thread)) return wrong(j, "a read before a write is over");
    if (bulk && !c->bulk && !fenced(j, &c->write, now->thread))
        return wrong(j, "a copy that reads before it sees a write");
    if (bulk) {
        for (int i = 0; i < 4; ++i) {
            if (c->late[i].time && !before(j, &c->late[i], now->thread)) continue;
            c->late[i] = *now;
            return true;
        }
        j->cannot_tell = true;
        return wrong(j, "more copies that read than are counted");
    }
    if (!c->read) c->read = memory_zeroed(ACTORS, sizeof *c->read);
    struct mark *at = c->read[actor_of(now->thread)].at;
    if (at[0].time && at[0].thread != now->thread) at[1] = at[0];
    at[0] = *now;
    return true;
}

static bool touch(struct judge *j, const struct kir_buffer *b, int64_t at, int64_t bytes,
                  const struct mark *now, bool bulk, bool writes) {
    int64_t size = b->count * b->elem->bits / 8, first = at * (b->elem->bits / 8);
    int n = 0;
    while (n < j->m.k->nbuffers && j->m.k->buffer[n] != b) ++n;
    if (n == j->m.k->nbuffers || first < 0 || first + bytes > size)
        return wrong(j, "an access outside its buffer");
    if (!j->buffer[n]) j->buffer[n] = memory_zeroed((size_t)size, sizeof **j->buffer);
    for (int64_t i = first; i < first + bytes; ++i) {
        struct cell *c = &j->buffer[n][i];
        if (!c->overwritten) c->overwritten = memory_zeroed(ACTORS, sizeof *c->overwritten);
        if (!(writes ? write : read)(j, c, now, bulk)) return false;
    }
    return true;
}

static bool wants(void *user, const struct kir_buffer *b) {
    (void)user;
    return space_is_shared(b->space) || (b->space == MEM_GLOBAL && b->read && b->written);
}

static bool access(void *user, struct machine *m, const struct machine_access *a) {
    struct judge *j = user;
    const struct kir_node *n = a->node;
    bool async = n->kind == KIR_ASYNC, bulk = async && n->align > 0;
    bool global = a->from.buf && a->from.buf->space == MEM_GLOBAL;
    if (n->together || global) {
        j->cannot_tell = true;
        return wrong(j, global ? "a read of what is written" : "an access of a warp");
    }
    int group = async ? group_of(j, bulk) : 0;
    for (int64_t t = 0; t < m->active; ++t) {
        if (!machine_goes_on(m, t)) continue;
        const struct mark now = {j->now, (int16_t)t, (int16_t)group, bulk};
        int64_t reads = a->read ? (int64_t)a->read[t] * n->buf->elem->bits / 8 : n->bits / 8;
        bool stores = async && a->from.buf && space_is_shared(a->from.buf->space);
        if (a->from.buf && space_is_shared(a->from.buf->space) && !(a->idle && a->idle[t]) &&
            !touch(j, a->from.buf, column_value(&a->from.at, t), reads, &now, stores, false))
            return false;
        if (a->to.buf && space_is_shared(a->to.buf->space) &&
            !touch(j, a->to.buf, column_value(&a->to.at, t), n->bits / 8, &now, bulk, true))
            return false;
    }
    return true;
}

static bool call(void *user, struct machine *m, const struct kir_node *n) {
    struct judge *j = user;
    (void)m, (void)n;
    j->cannot_tell = true;
    return wrong(j, "a call");
}

// -- barriers -------------------------------------------------------------------------------------

// All threads of the block meet.
static void meet(struct judge *j, bool fences) {
    int n = warp_of(j->m.k->threads + LANES - 1);
    struct knows all = {{0}};
    for (int w = 0; w < n; ++w) {
        const struct knows x = tells(j, w, fences, false, false);
        join(&all, &x);
    }
    for (int w = 0; w < n; ++w) j->warp[w] = all;
    j->met = j->waited;
}

// Phase "last" of a barrier in memory has ended: that must be after all have passed the one before it.
static void check_passes(struct judge *j, int id, int64_t last) {
    int32_t *at = j->passes[id][(last + 1) % 2];
    for (int i = 1; i < MACHINE_ROLES; ++i)
        if (at[i] && j->told[id].over[warp_of(j->m.role_first[i - 1])] < at[i])
            wrong(j, "a wait that may come two phases late");
    memset(at, 0, sizeof j->passes[id][0]);
}

static void come(void *user, struct machine *m, int id, bool first) {
    struct judge *j = user;
    int w, end, place = id - MACHINE_NAMED;
    bool memory = place >= 0, leader = memory && m->node->by == BY_LEADER;
    bool copies = memory && m->node->by == BY_COPIES;
    warps_of(j, &w, &end);
    if (leader) end = w + 1;
    int64_t phase = memory ? m->memory[place / ARRIVAL_BARRIERS].over[place % ARRIVAL_BARRIERS] : 0;
    if (first && phase) check_passes(j, id, phase - 1);
    if (first) {
        j->told_before[id] = j->told[id];
        j->told[id] = (struct knows){{0}};
    }
    for (; w < end; ++w) {
        const struct knows x =
            tells(j, w, m->node->arrival.fence, leader && !m->node->index, copies);
        if (memory && x.phase[id] < phase)
            wrong(j, "an arrival that may come before the last phase is over");
        for (int i = 0; !memory && i < ACTORS; ++i)
            if (j->told_before[id].over[i] > x.over[i])
                wrong(j, "an arrival that may come before the last ones");
        join(&j->told[id], &x);
        if (m->node->arrival.fence) fence(j, &j->warp[w], w);
    }
    ++j->now;
    if (copies && j->open[m->role]) j->group[j->open[m->role]].counted = j->now;
}

static void pass(struct judge *j, int id) {
    struct machine *m = &j->m;
    int w, end;
    warps_of(j, &w, &end);
    for (; w < end; ++w) {
        join(&j->warp[w], &j->told[id]);
        if (id < MACHINE_NAMED) continue;
        j->warp[w].over[w] = j->warp[w].over[WARPS + w] = j->now;  // its threads meet there
        int ring = (id - MACHINE_NAMED) / ARRIVAL_BARRIERS, barriers = ARRIVAL_BARRIERS;
        for (int i = 0; i < m->k->nmemory; ++i)
            if (m->k->memory[i].ring == ring) barriers = m->k->memory[i].barriers;
        j->warp[w].phase[id] = (int32_t)(1 + (m->memory[ring].waited[m->role] - 1) / barriers);
    }
    if (id >= MACHINE_NAMED) j->passes[id][(j->warp[w - 1].phase[id] + 1) % 2][m->role] = j->now;
}

static void arrive(void *user, struct machine *m, struct arrival a) {
    struct judge *j = user;
    int32_t before = m->commits[0] - 1 - m->k->barriers;
    if (a.kind == ARRIVAL_GROUP && m->k->all_wait && before >= j->met)
        wrong(j, "a thread that may be two phases behind");
    if (a.kind == ARRIVAL_GROUP || a.kind == ARRIVAL_MEMORY) end_groups(j);
    ++j->now;
}

static void wait(void *user, struct machine *m, struct arrival a) {
    struct judge *j = user;
    ++j->now;
    if (a.kind == ARRIVAL_BLOCK) meet(j, a.fence);
    if (a.kind == ARRIVAL_NAMED) pass(j, a.of);
    if (a.kind == ARRIVAL_MEMORY) pass(j, MACHINE_NAMED + m->barrier);
    for (int i = 1; i < j->ngroups; ++i) {
        struct group *g = &j->group[i];
        bool own = m->role == 0 || g->role == m->role;
        if (a.kind == ARRIVAL_MEMORY && g->role == m->arrived_by && g->number == m->arrived)
            g->passed[m->role] = j->now;
        if (a.kind != ARRIVAL_GROUP || !own || g->number < 0 ||
            g->number >= m->commits[g->role] - a.count)
            continue;
        if (m->k->all_wait) g->all = true;
        if (!g->own) g->own = j->now;
    }
    if (a.kind == ARRIVAL_GROUP && m->commits[0] - a.count > j->waited)
        j->waited = m->commits[0] - a.count;
    ++j->now;
}

// The thread that issues copies fences: what its warp knows to be read comes before them.
static void issuer_fences(void *user, struct machine *m) {
    struct judge *j = user;
    int w, end;
    (void)m;
    warps_of(j, &w, &end);
    memcpy(j->warp[w].issued, j->warp[w].over, sizeof j->warp[w].issued);
    most(j->warp[w].passed, j->warp[w].over, ACTORS);
}

// -- a block --------------------------------------------------------------------------------------

static bool copies_over(struct judge *j) {
    for (int i = 1; i < j->ngroups; ++i) {
        const struct group *g = &j->group[i];
        bool over = !g->bulk || g->all || g->own;
        for (int r = 0; r < MACHINE_ROLES; ++r) over |= g->passed[r] > 0;
        if (!over) return wrong(j, "a copy that nobody waits for");
    }
    return true;
}

enum judge_answer judge_order(struct session *s, const struct kir_kernel *k, const int64_t *sym,
                              const char **why) {
    const int64_t block[3] = {0};
    if (k->threads > WARPS * LANES || k->device) return JUDGE_CANNOT_TELL;
    struct judge *j = memory_zeroed(1, sizeof *j);
    struct schedule schedule = {.limit = INT64_MAX};
    struct observer observer = {j, wants, access, call, NULL, arrive, wait, come, issuer_fences};
    struct arena_mark mark = arena_mark(&s->arena);
    j->now = 1;
    j->ngroups = 1;
    j->group = memory_zeroed(GROUPS, sizeof *j->group);
    j->buffer = memory_zeroed((size_t)k->nbuffers + 1, sizeof *j->buffer);
    machine_init(&j->m, s, k, sym, &schedule, &observer, 1);
    bool right = machine_run(&j->m, block) && copies_over(j) && !j->m.error;
    for (int i = MACHINE_NAMED; right && i < PLACES; ++i) {
        int64_t over =
            j->m.memory[(i - MACHINE_NAMED) / ARRIVAL_BARRIERS].over[i % ARRIVAL_BARRIERS];
        if (over) check_passes(j, i, over - 1);
    }
    right = right && !j->why && j->ngroups < GROUPS;
    *why = j->why ? j->why : "it does not run to its end";
    enum judge_answer answer = j->cannot_tell ? JUDGE_CANNOT_TELL
                               : right        ? JUDGE_RIGHT
                                              : JUDGE_WRONG;
    for (int i = 0; i < k->nbuffers; ++i) {
        int64_t size = j->buffer[i] ? k->buffer[i]->count * k->buffer[i]->elem->bits / 8 : 0;
        for (int64_t e = 0; e < size; ++e) {
            memory_free(j->buffer[i][e].read);
            memory_free(j->buffer[i][e].overwritten);
        }
        memory_free(j->buffer[i]);
    }
    memory_free(j->buffer);
    memory_free(j->group);
    machine_release(&j->m);
    memory_free(j);
    arena_rewind(&s->arena, mark);
    return answer;
}
