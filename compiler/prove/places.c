// Orders accesses by the places of their statements, without isl.
//
// Most pairs of accesses in a long function are in lists of statements inside the same loops, with
// a barrier between them.  This decides such pairs: for the same iteration of these loops, and for
// a later one if the barrier is inside the loops too.  order.c asks about the others.
#include "base/session.h"
#include "index/ix.h"
#include "prove/order_private.h"

enum place { PLACE_BEFORE, PLACE_BEHIND, PLACE_SAME, PLACE_OTHER };

void order_times(struct session *s, struct prove_set *event) {
    struct prove_time *time = ARENA_ARRAY(&s->arena, struct prove_time, event->nouts + 1);
    for (int i = 0; i < event->nouts; ++i) {
        const struct ix *x = event->out[i];
        time[i].is = TIME_OTHER;
        if (ix_static(x, &time[i].number)) {
            time[i].is = TIME_NUMBER;
        } else if (x && x->op == IX_VAR) {
            time[i].is = TIME_VARIABLE;
            time[i].var = x->var;
        }
    }
    event->time = time;
}

// Compares the times of two events within one iteration of the loops around both.  Sets "*loops" to
// the number of these loops.
static enum place compare(const struct prove_set *a, const struct prove_set *b, int *loops) {
    *loops = 0;
    for (int i = 0; i < a->nouts && i < b->nouts; ++i) {
        const struct prove_time *x = &a->time[i], *y = &b->time[i];
        if (x->is != y->is || x->is == TIME_OTHER) return PLACE_OTHER;
        if (x->is == TIME_VARIABLE) {
            if (x->var != y->var) return PLACE_OTHER;
            ++*loops;
        } else if (x->number != y->number) {
            return x->number < y->number ? PLACE_BEFORE : PLACE_BEHIND;
        }
    }
    return PLACE_SAME;
}

static bool comes_before(const struct prove_set *a, const struct prove_set *b) {
    int loops;
    return compare(a, b, &loops) == PLACE_BEFORE;
}

// Whether every instance of "a" comes before every instance of "b".
static bool always_before(const struct prove_set *a, const struct prove_set *b) {
    int loops;
    return compare(a, b, &loops) == PLACE_BEFORE && loops == 0;
}

bool order_outside(const struct prove_set *event, const struct prove_set *a,
                   const struct prove_set *b) {
    return always_before(event, a) || always_before(b, event);
}

// Whether "event" happens once in each iteration of its loops in which "x" happens.
static bool goes_along(const struct prove_set *event, const struct prove_set *x) {
    if (event->nconds || event->nvars > x->nvars) return false;
    for (int i = 0; i < event->nvars; ++i) {
        const struct prove_var *v = &event->var[i], *w = &x->var[i];
        if (v->var != w->var || !v->begin || !v->end || !w->begin || !w->end) return false;
        if (!ix_equal(v->begin, w->begin) || !ix_equal(v->end, w->end)) return false;
    }
    return true;
}

// If "event" comes after each instance of "a" in the same iteration of all loops around "event",
// returns the number of these loops, otherwise -1.
static int behind(const struct prove_set *a, const struct prove_set *event) {
    int loops;
    bool is = compare(a, event, &loops) == PLACE_BEFORE && loops == event->nvars;
    return is && goes_along(event, a) ? loops : -1;
}

// Likewise, if "event" comes before each instance of "b".
static int ahead(const struct prove_set *event, const struct prove_set *b) {
    int loops;
    bool is = compare(event, b, &loops) == PLACE_BEFORE && loops == event->nvars;
    return is && goes_along(event, b) ? loops : -1;
}

// Whether the range of "v" is not empty, whatever the params are.
static bool has_values(const struct prove_var *v) {
    int64_t begin, end;
    return v->begin && v->end && ix_static(v->begin, &begin) && ix_static(v->end, &end) &&
           begin < end;
}

// Whether "event" happens between each instance of "a" and each of "b" in the same iteration of the
// "loops" loops around both.  It may be in further loops, if these are not empty.
static bool happens_between(const struct prove_set *a, const struct prove_set *event,
                            const struct prove_set *b, int loops) {
    int x, y;
    if (event->nconds || event->nvars < loops) return false;
    if (compare(a, event, &x) != PLACE_BEFORE || compare(event, b, &y) != PLACE_BEFORE)
        return false;
    if (x != loops || y != loops) return false;
    for (int i = loops; i < event->nvars; ++i)
        if (!has_values(&event->var[i])) return false;
    struct prove_set around = *event;
    around.nvars = loops;
    return goes_along(&around, a);
}

bool order_concerns(const struct prove_program *p, int role, int a) {
    return role == 0 || role == p->access[a].role;
}

bool order_is_for(const struct prove_program *p, int i, int a, int b) {
    return order_concerns(p, p->sync[i].role, a) && order_concerns(p, p->sync[i].role, b);
}

bool order_reaches(const struct prove_program *p, int i, int a, int b) {
    bool overtakes = p->access[b].proxy && !p->access[a].proxy;
    return order_is_for(p, i, a, b) && (!overtakes || p->sync[i].arrival.fence);
}

// Whether there is a barrier of accesses "of" between "a" and a later "b", in the same iteration of the loops around
// both and in later ones.  Uses the last barriers that suffice, because callers try to remove the
// first ones first.
static bool barriers_between(const struct prove_program *p, const int of[2],
                             const struct prove_set *a, const struct prove_set *b, bool *used) {
    int loops;
    enum place place = compare(a, b, &loops);
    if (place == PLACE_OTHER) return false;
    bool same = place != PLACE_BEFORE, later = loops == 0;
    for (int i = p->nsyncs - 1; i >= 0 && !(same && later); --i) {
        const struct prove_sync *y = &p->sync[i];
        if (!arrival_row(y->arrival)->joins || !order_reaches(p, i, of[0], of[1])) continue;
        int from = behind(a, &y->when), to = ahead(&y->when, b);
        bool here = !same && ((from >= 0 && comes_before(&y->when, b)) ||
                              (to >= 0 && comes_before(a, &y->when)) ||
                              (place == PLACE_BEFORE && happens_between(a, &y->when, b, loops)));
        bool next = !later && (from >= loops || to >= loops);
        same |= here;
        later |= next;
        if (here || next) used[i] = true;
    }
    return same && later;
}

// Whether "wait", in the iteration of access "of", completes it: more groups were committed between
// them than it leaves in flight, the first of them that of the access.
static bool completes(const struct prove_program *p, int of, const struct prove_sync *wait) {
    const struct prove_set *a = &p->access[of].when;
    int groups = 0, pending = wait->arrival.count;
    if (wait->arrival.kind != ARRIVAL_GROUP || !order_concerns(p, wait->role, of)) return false;
    if (p->access[of].late && !wait->arrival.written) return false;
    for (int i = 0; i < p->ncommits && groups <= pending; ++i)
        groups += order_concerns(p, p->commit_role[i], of) &&
                  comes_before(&p->commit[i], &wait->when) && behind(a, &p->commit[i]) >= 0;
    return groups > pending;
}

static void forget(const struct prove_program *p, bool *used) {
    for (int i = 0; i < p->nsyncs; ++i) used[i] = false;
}

bool order_by_places(const struct prove_program *p, int a, int b, bool own, bool *used) {
    const struct prove_set *x = &p->access[a].when, *y = &p->access[b].when;
    int loops, of[] = {a, b};
    enum place place = compare(x, y, &loops);
    forget(p, used);
    if (place == PLACE_OTHER) return false;
    if (place != PLACE_BEFORE && loops == 0) return true;
    if (!p->access[a].async) return own || barriers_between(p, of, x, y, used);
    for (int i = p->nsyncs - 1; i >= 0; --i) {
        const struct prove_sync *w = &p->sync[i];
        if (!arrival_row(w->arrival)->completes ||
            (place == PLACE_BEFORE && !comes_before(&w->when, y)))
            continue;
        if (behind(x, &w->when) < loops || !completes(p, a, w)) continue;
        forget(p, used);
        if (!own && !p->access[a].all && !barriers_between(p, of, &w->when, y, used)) continue;
        return used[i] = true;
    }
    return false;
}
