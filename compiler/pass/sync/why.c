// Finds the reasons of each wait and barrier: what is not in order without it.
//
// Removes one after the other, or loosens a wait by one group, and walks through the function
// again. The accesses that then meet too early are its reasons.  This is done after all are in
// place, so that a barrier that serves several purposes, as at the beginning of a pipeline's step,
// has all its reasons.
#include "base/session.h"
#include "pass/sync/private.h"

struct points {
    struct walk *w;
    const struct sync_point **end;
};

static struct range place_of(struct access a) {
    return a.copy ? a.copy->at : a.call->at;
}

struct sync_noted {
    const struct sync_reason *reason;
    struct sync_noted *next;
};

static bool same_side(struct range a, bool a_writes, struct range b, bool b_writes) {
    return a.begin == b.begin && a_writes == b_writes;
}

static struct sync_noted **list_of(struct sync_reasons *why, const struct sync_reason *r) {
    size_t hash = (size_t)r->earlier_at.begin * 2 + r->earlier_writes;
    if (!why->wait) hash = hash * 31 + (size_t)r->later_at.begin * 2 + r->later_writes;
    return &why->noted[hash % SYNC_NOTED];
}

static void add_reason(struct walk *w, const struct sync_pair *pair) {
    struct sync_reasons *why = w->why;
    struct access a = pair->earlier.a, b = pair->later;
    struct sync_reason new = {
        .wait = why->wait,
        .buffer = b.buffer,
        .earlier = a.copy,
        .later = b.copy,
        .earlier_at = place_of(a),
        .later_at = place_of(b),
        .earlier_writes = a.write,
        .later_writes = b.write,
    };
    struct sync_noted **first = list_of(why, &new);
    for (const struct sync_noted *i = *first; i; i = i->next) {
        const struct sync_reason *x = i->reason;
        // without a wait, everything later is too early as well
        if (x->buffer == new.buffer &&
            same_side(x->earlier_at, x->earlier_writes, new.earlier_at, new.earlier_writes) &&
            (why->wait || same_side(x->later_at, x->later_writes, new.later_at, new.later_writes)))
            return;
    }
    struct sync_reason *r = ARENA_NEW(&w->s->arena, struct sync_reason);
    *r = new;
    struct sync_noted *noted = ARENA_NEW(&w->s->arena, struct sync_noted);
    *noted = (struct sync_noted){r, *first};
    *first = noted;
    *why->end = r;
    why->end = &r->next;
}

void sync_note(struct walk *w, struct need *need, struct sync_wait there) {
    bool orders = arrival_serves(there.threads, need->wait.threads);
    struct sync_pair *in_order = NULL;
    for (struct sync_pair *pair = need->pairs, *next; pair; pair = next) {
        next = pair->next;
        pair->next = in_order;
        in_order = pair;
    }
    for (struct sync_pair *pair = in_order, *next; pair; pair = next) {
        const struct entry *e = &pair->earlier;
        bool done = !e->async || arrival_serves(there.copies, sync_done(e));
        if (w->why->wait ? !done : !orders && pair->barrier) add_reason(w, pair);
        next = pair->next;
        pair->next = w->spare;
        w->spare = pair;
    }
    need->pairs = NULL;
}

// Adds what is now not in order to the list that ends at "end"; returns its new end.
static const struct sync_reason **add_reasons(struct walk *w, bool wait,
                                              const struct sync_reason **end) {
    struct sync_reasons why = {.wait = wait, .end = end};
    w->why = &why;
    if (!w->large) sync_enough(w);
    w->why = NULL;
    return why.end;
}

// Adds the point of "b", which is at "place" of "at", if it is a wait or a barrier.
static void add_point(struct points *p, enum sync_place place, const struct stmt *at,
                      struct sync_before *b) {
    if (!sync_waits(b->wait)) return;
    struct sync_point *x = ARENA_NEW(&p->w->s->arena, struct sync_point);
    *x = (struct sync_point){place, at, b->wait, NULL, NULL};
    const struct sync_reason **end = &x->why;
    if (arrival_is(b->wait.copies) && place != SYNC_AT_WRITTEN) {
        ++b->wait.copies.count;
        end = add_reasons(p->w, true, end);
        --b->wait.copies.count;
    }
    if (arrival_is(b->wait.threads) && place != SYNC_AT_WRITTEN) {
        b->wait.threads = arrival_none;
        add_reasons(p->w, false, end);
        b->wait.threads = x->wait.threads;
    }
    *p->end = x;
    p->end = &x->next;
    b->point = x;
}

static void add_points(struct points *p, struct stmt *list) {
    for (struct stmt *x = list; x; x = x->next) {
        if (stmt_orders(x)) {
            struct sync_before written = {0};
            if (x->kind == STMT_WAIT) *sync_place_of(&written.wait, x->arrival) = x->arrival;
            add_point(p, SYNC_AT_WRITTEN, x, &written);
            continue;
        }
        add_point(p, x->kind == STMT_PART ? SYNC_AT_PART : SYNC_AT_BEFORE, x, &x->before);
        if (stmt_nests(x)) add_points(p, x->body);
        if (x->kind == STMT_PIPELINE) add_point(p, SYNC_AT_BEHIND, x, &x->behind);
    }
}

void sync_points(struct walk *w) {
    struct points p = {w, &w->k->sync};
    add_points(&p, w->k->body);
}
