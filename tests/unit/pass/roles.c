// How the roles of a pipeline hand over slots: what the pass calls right is right in every order of
// execution that is tried, and what it calls wrong is wrong in one of them.
#include "pass/sync/private.h"

#include <stdlib.h>

#include "check.h"

enum { STAGES = 4, STEPS = 14, EVENTS = 8 * STEPS, LOAD = 0, USE = 1, FULL = 0, EMPTY = 1 };
enum { ROLES = 1 + MOST_CONSUMERS };

static uint32_t state = 99;
static int draw(int n) {
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

struct event {
    enum { SYNC, ARRIVE, FILL, DONE, READ } is;
    int barrier, slot, step;
};

struct role {
    struct event event[EVENTS];
    int n, at;
    bool *waits;  // at this barrier, or NULL
};

static void add(struct role *r, struct event e) {
    r->event[r->n++] = e;
}

static void make(struct role role[ROLES], const struct pipeline *p, int steps) {
    const struct handover *h = &p->handover;
    int s = (int)p->stages, ahead = (int)h->ahead, behind = (int)h->behind;
    role[LOAD] = role[USE] = (struct role){.n = 0};
    for (int i = 0; i < steps + behind; ++i) {
        if (i < steps) {
            if (i >= ahead) add(&role[LOAD], (struct event){SYNC, EMPTY, i % s, i});
            add(&role[LOAD], (struct event){FILL, 0, i % s, i});
        }
        if (i < behind) continue;
        // after the wait all but "pending" of the steps up to i have completed
        add(&role[LOAD], (struct event){DONE, 0, 0, h->pending < 0 ? i : i - (int)h->pending});
        add(&role[LOAD], (struct event){ARRIVE, FULL, (i + s * behind - behind) % s, i});
    }
    for (int n = 0; n < steps; ++n) {
        add(&role[USE], (struct event){SYNC, FULL, n % s, n});
        add(&role[USE], (struct event){READ, 0, n % s, n});
        if (n + ahead < steps) add(&role[USE], (struct event){ARRIVE, EMPTY, n % s, n});
    }
    for (int i = 1; i < p->nuses; ++i) role[USE + i] = role[USE];
}

// Pipelines one after another, with "steps" each, as one ring that goes on.  "carries": each at the slot
// after the last one of the one before, otherwise at slot 0.
static void make_ring(struct role role[ROLES], const struct pipeline *p, const int *steps, int n,
                      bool carries) {
    const struct handover *h = &p->handover;
    int s = (int)p->stages, behind = (int)h->behind, g = 0, first = 0;
    role[LOAD] = role[USE] = (struct role){.n = 0};
    for (int i = 0; i < s; ++i) add(&role[USE], (struct event){ARRIVE, EMPTY, i, 0});
    for (int k = 0; k < n; g += steps[k++]) {
        for (int i = 0; i < steps[k] + behind; ++i) {
            int slot = (first + i) % s;
            if (i < steps[k]) {
                add(&role[LOAD], (struct event){SYNC, EMPTY, slot, g + i});
                add(&role[LOAD], (struct event){FILL, 0, slot, g + i});
            }
            if (i < behind) continue;
            int done = i - (h->pending < 0 ? 0 : (int)h->pending);
            add(&role[LOAD], (struct event){DONE, 0, 0, g + done});
            add(&role[LOAD], (struct event){ARRIVE, FULL, (first + i - behind) % s, g + i});
        }
        for (int i = 0; i < steps[k]; ++i) {
            int slot = (first + i) % s;
            add(&role[USE], (struct event){SYNC, FULL, slot, g + i});
            add(&role[USE], (struct event){READ, 0, slot, g + i});
            add(&role[USE], (struct event){ARRIVE, EMPTY, slot, g + i});
        }
        if (carries) first = (first + steps[k]) % s;
    }
    for (int i = 0; i < s; ++i) add(&role[LOAD], (struct event){SYNC, EMPTY, i, 0});
    for (int i = 1; i < p->nuses; ++i) role[USE + i] = role[USE];
}

// Whether all of "n" roles came.
static bool all_came(const bool *at, int n) {
    while (n > 0 && at[n - 1]) --n;
    return n == 0;
}

// Whether an order of execution of "made" gives each use its step: of the roles that can go on, "first" does, or
// (-1) a random one.  "late": loads complete when they are waited for, otherwise at once.  Consumers read in
// the same step at most side by side.
static bool goes_well(const struct pipeline *p, const struct role made[ROLES], int steps, int first,
                      bool late) {
    struct role role[ROLES];
    bool came[2][STAGES][ROLES] = {{{false}}};
    int n = 1 + p->nuses, slot[STAGES], done = -1, filled[STEPS], read[ROLES] = {0};
    for (int i = 0; i < STAGES; ++i) slot[i] = -1;
    for (int i = 0; i < n; ++i) role[i] = made[i];
    for (;;) {
        int can[ROLES], k = 0, now = -1;
        for (int i = 0; i < n; ++i) {
            if (role[i].waits || role[i].at == role[i].n) continue;
            if (i == first) now = i;
            can[k++] = i;
        }
        if (k == 0) break;
        if (now < 0) now = can[draw(k)];
        struct role *r = &role[now];
        struct event e = r->event[r->at++];
        bool *at = came[e.barrier][e.slot];
        switch (e.is) {
        case FILL:
            filled[e.step] = e.slot;
            if (!late || p->handover.pending < 0) slot[e.slot] = e.step;
            break;
        case DONE:
            for (; late && done < e.step && done + 1 < steps; ++done)
                slot[filled[done + 1]] = done + 1;
            break;
        case READ:
            if (slot[e.slot] != e.step) return false;
            for (int i = USE; i < n; ++i)
                if (read[now] > read[i]) return false;
            ++read[now];
            break;
        case SYNC:
        case ARRIVE:
            if (at[now]) return false;  // twice, before the other roles came
            at[now] = true;
            if (e.is == SYNC) r->waits = at;
            if (!all_came(at, n)) break;
            for (int i = 0; i < n; ++i) {
                at[i] = false;
                if (role[i].waits == at) role[i].waits = NULL;
            }
            break;
        }
    }
    for (int i = 0; i < n; ++i)
        if (role[i].at < role[i].n) return false;
    for (int i = 0; i < 2 * STAGES * ROLES; ++i)
        if ((&came[0][0][0])[i]) return false;
    return true;
}

static bool in_every_order(const struct pipeline *p, const struct role made[ROLES], int steps) {
    for (int first = -1; first < 1 + p->nuses; ++first)
        for (int k = 0; k < (first < 0 ? 12 : 2); ++k)
            if (!goes_well(p, made, steps, first, k % 2)) return false;
    return true;
}

static bool always_goes_well(const struct pipeline *p) {
    static struct role made[ROLES];
    for (int steps = 0; steps < STEPS - STAGES - 1; ++steps) {
        make(made, p, steps);
        if (!in_every_order(p, made, steps)) return false;
    }
    return true;
}

static struct pipeline right(int stages, bool async, int uses) {
    struct pipeline p = {.stages = stages, .use_threads = 128, .load_threads = 32, .nuses = uses};
    int behind = async ? stages - 1 : 0;
    p.handover = (struct handover){1, 1 + stages, 160, stages, behind, async ? behind : -1};
    return p;
}

static void all_numbers(int uses) {
    int good = 0, bad = 0;
    for (int s = 1; s <= STAGES; ++s)
        for (int ahead = 1; ahead <= 2 * s + 1; ++ahead)
            for (int behind = 0; behind <= s + 1; ++behind)
                for (int pending = -1; pending <= s + 1; ++pending) {
                    struct pipeline p = right(s, true, uses);
                    p.handover.ahead = ahead;
                    p.handover.behind = behind;
                    p.handover.pending = pending;
                    const char *fault = sync_ring_fault(&p);
                    bool well = always_goes_well(&p);
                    CHECK(!fault == well, "%d uses, %d stages, ahead %d, behind %d, pending %d: %s",
                          uses, s, ahead, behind, pending, fault ? fault : "right");
                    *(well ? &good : &bad) += 1;
                }
    HOLDS(good > 10 && bad > 10);
}

// Each number changed by one is noticed.
static void changed(void) {
    for (int s = 1; s <= 7; ++s)
        for (int async = 0; async < 2; ++async)
            for (int by = -1; by < 2; by += 2) {
                struct pipeline p = right(s, async, 1 + s % MOST_CONSUMERS), q = p;
                HOLDS(!sync_ring_fault(&p));
                q.handover.full += by * (by < 0 ? 1 : s);
                HOLDS(sync_ring_fault(&q));
                q = p;
                q.handover.empty -= by > 0 ? by : 16 - 2 * s > 0 ? -(16 - 2 * s) : 1;
                HOLDS(sync_ring_fault(&q));
                q = p;
                q.handover.threads += 32 * by;
                HOLDS(sync_ring_fault(&q));
                q = p;
                q.handover.ahead += by;
                if (s > 1 || by < 0) HOLDS(sync_ring_fault(&q));
                q = p;
                q.handover.pending += by;
                if (async && by > 0) HOLDS(sync_ring_fault(&q));
                q = p;
                q.handover.own[0] = 1 + (by > 0 ? s : 0);
                HOLDS(sync_ring_fault(&q));
                q = p;
                if (2 * s < 14) {
                    q.handover.own[0] = q.handover.own[1] = 15;
                    HOLDS(sync_ring_fault(&q));
                }
            }
    struct pipeline p = right(3, true, 1);
    p.handover.behind = p.handover.pending = 3;
    CHECK_STR(sync_ring_fault(&p), "the roles wait for each other");
}

// Rings that go on: pipelines of up to 5 steps each.
static void several(void) {
    static struct role made[ROLES];
    for (int i = 0; i < 400; ++i) {
        struct pipeline p = right(1 + draw(STAGES), draw(2), 1 + draw(MOST_CONSUMERS));
        int steps[3], n = 1 + draw(3), sum = 0;
        for (int k = 0; k < n; ++k) sum += steps[k] = draw(6);
        bool carries = draw(2);
        if (sum >= STEPS) continue;
        make_ring(made, &p, steps, n, carries);
        CHECK(in_every_order(&p, made, sum), "%d stages, %d pipelines, %d steps, %d", (int)p.stages,
              n, sum, carries);
    }
}

int main(void) {
    for (int uses = 1; uses <= 3; ++uses) all_numbers(uses);
    several();
    changed();
    return check_done();
}
