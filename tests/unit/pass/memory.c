// How the roles of a pipeline hand over slots by barriers in memory: what the pass calls right is right in every order of
// execution that is tried, by the rules of the hardware (a phase, its parity), and what it calls wrong is wrong in one of them.
#include "pass/sync/private.h"

#include <stdlib.h>

#include "check.h"

// Stages beyond those that a plan may have, so that a wait may lag.
enum { STAGES = 11, STEPS = 30, MOST = ARRIVAL_BARRIERS };

static uint32_t state = 7;
static int draw(int n) {
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

struct memory {
    int missing, bytes, phase;  // arrivals and bytes that have not come, of the present phase
};

struct run {
    const struct pipeline *p;
    int steps, init;  // "init": the arrivals that the barriers were initialised for
    struct memory at[MOST];
    int slot[STAGES];                     // the step that it holds; -1: bytes are on their way
    int said[MOST_CONSUMERS][STAGES];     // how often each consumer said that it is empty
    int flight[STEPS], nflight;           // steps whose bytes have not come
    int load, came, use[MOST_CONSUMERS];  // steps; arrivals of the load's step
    bool filled;                          // the load's step has been issued
    bool announced;  // its bytes are said with the first arrival, which comes before
};

static int barriers(const struct run *r) {
    return arrival_barriers(r->p->stages);
}

static void end_phase(struct run *r, struct memory *m) {
    if (m->missing > 0 || m->bytes != 0) return;
    m->missing = r->init;
    ++m->phase;
}

static void deliver(struct run *r, int i) {
    int step = r->flight[i];
    struct memory *m = &r->at[step % barriers(r)];
    r->flight[i] = r->flight[--r->nflight];
    r->slot[step % (int)r->p->stages] = step;
    --m->bytes;
    end_phase(r, m);
}

// Lets the load do one thing, if it can; returns whether it did.  "wrong" is set if that is an error.
static bool load(struct run *r, bool *wrong) {
    const struct handover *h = &r->p->handover;
    int g = r->load, s = g % (int)r->p->stages, ahead = (int)h->ahead;
    struct memory *m = &r->at[g % barriers(r)];
    if (g == r->steps) return false;
    if (!r->filled) {
        for (int i = 0; i < r->p->nuses; ++i)
            if (g >= ahead && r->said[i][s] < 1) return false;
        for (int i = 0; i < r->p->nuses; ++i) r->said[i][s] -= g >= ahead;
        r->slot[s] = -1;
        r->flight[r->nflight++] = g;
        ++m->bytes;  // if said with the last arrival, what comes before that is less than none
        r->filled = true;
        if (!r->announced) return true;
    }
    if (m->missing == 0) *wrong = true;
    --m->missing;
    end_phase(r, m);
    if (++r->came < 1 + (int)r->p->load_threads * (h->each + h->copies)) return true;
    r->came = 0;
    r->filled = false;
    ++r->load;
    return true;
}

static bool use(struct run *r, int i, bool *wrong) {
    int g = r->use[i], s = g % (int)r->p->stages;
    if (g == r->steps || (r->at[g % barriers(r)].phase & 1) == (g / barriers(r) & 1)) return false;
    if (r->slot[s] != g) *wrong = true;
    if (g + (int)r->p->handover.ahead < r->steps && ++r->said[i][s] > 1) *wrong = true;
    ++r->use[i];
    return true;
}

// Lets one of the consumers do one thing, if it can: "last" the last one that can, or the first one.
static bool one_use(struct run *r, bool last, bool *wrong) {
    for (int i = 0; i < r->p->nuses; ++i)
        if (use(r, last ? r->p->nuses - 1 - i : i, wrong)) return true;
    return false;
}

// "first": 0: the load while it can, 1: the use, -1: at random.  "way", odd: bytes come when nobody can go on; in two of
// four they are announced.
static bool goes_well(const struct pipeline *p, int init, int steps, int first, int way) {
    struct run *r = calloc(1, sizeof *r);
    bool wrong = false, well, late = way % 2;
    *r = (struct run){.p = p, .steps = steps, .init = init, .announced = way / 2 % 2};
    for (int i = 0; i < MOST; ++i) r->at[i].missing = init;
    for (int i = 0; i < STAGES; ++i) r->slot[i] = -1;
    for (;;) {
        int who = first >= 0 ? first : draw(2);
        if (r->nflight && !late && draw(3) == 0) deliver(r, draw(r->nflight));
        bool last = draw(2);
        bool did = who ? one_use(r, last, &wrong) || load(r, &wrong)
                       : load(r, &wrong) || one_use(r, last, &wrong);
        if (wrong) break;
        if (did) continue;
        if (!r->nflight) break;
        deliver(r, draw(r->nflight));
    }
    well = !wrong && r->load == steps && r->nflight == 0;
    for (int i = 0; i < p->nuses; ++i) well &= r->use[i] == steps;
    for (int i = 0; i < MOST; ++i) well &= r->at[i].missing == init;
    free(r);
    return well;
}

static bool always_goes_well(const struct pipeline *p, int init) {
    for (int steps = 0; steps < STEPS; ++steps)
        for (int first = -1; first < 2; ++first)
            for (int k = 0; k < 6; ++k)
                if (!goes_well(p, init, steps, first, k)) return false;
    return true;
}

static void all_numbers(int uses) {
    int good = 0, bad = 0;
    for (int s = 1; s <= STAGES; ++s)
        for (int ahead = 1; ahead <= 2 * s; ++ahead)
            for (int beside = 0; beside < 4; ++beside)
                for (int by = -1; by < 2; ++by) {
                    struct pipeline p = {
                        .stages = s, .use_threads = 2, .load_threads = 3, .nuses = uses};
                    int right = 1 + 3 * (beside % 2) + 3 * (beside / 2);
                    p.handover = (struct handover){.empty = 1,
                                                   .threads = 5,
                                                   .ahead = ahead,
                                                   .pending = -1,
                                                   .each = beside % 2,
                                                   .copies = beside / 2,
                                                   .overtaken = true,
                                                   .fence = true,
                                                   .arrivals = right + by};
                    if (right + by < 1) continue;
                    const char *fault = sync_ring_fault(&p);
                    p.handover.fence = false;
                    HOLDS(sync_ring_fault(&p));
                    bool well = always_goes_well(&p, right + by);
                    CHECK(!fault == well, "%d stages, ahead %d, beside %d, %d arrivals: %s", s,
                          ahead, beside, right + by, fault ? fault : "right");
                    *(well ? &good : &bad) += 1;
                }
    HOLDS(good == 8 * 4 && bad > 100);
}

int main(void) {
    for (int uses = 1; uses <= 3; ++uses) all_numbers(uses);
    return check_done();
}
