// Barriers in memory of manual kernels, which count bytes:
//
//     barrier full;
//     roles n in 0 .. N { load (1) { copy .. with bulk; expect full of n, 4096; } use (4) { wait full of n; .. } }
//
// A barrier that a role waits for, and does not come to itself, is one in memory.  Phase g / 8 of barrier
// g % 8 is that of step g, which is named; the number of arrivals follows from who names it.
#include <inttypes.h>

#include "plan/arch.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

enum { WARP = 32, MIN_ARCH = 90 };

static struct stmt *next_named(const struct stmt *st, struct stmt *x, const struct barrier *b) {
    for (x = stmt_next(st->body, x); x; x = stmt_next(st->body, x))
        if (x->barrier == b) return x;
    return NULL;
}

bool memory_is(const struct stmt *st, struct stmt *first) {
    bool is = false;
    for (struct stmt *x = first; x; x = next_named(st, x, first->barrier)) is |= stmt_awaits(x);
    return is;
}

// Whether "x" and "y", which is above, may name the same barrier; reports an error otherwise.
static bool go_together(struct sema *c, const struct stmt *y, const struct stmt *x) {
    const char *name = x->barrier->name;
    if (x->up == y->up && (x->kind == STMT_WAIT || y->kind == STMT_WAIT || x->by == y->by)) {
        diag_error(
            c->s, x->at,
            "'%s' names '%s' twice; in each step a role waits for a barrier in memory once, or "
            "arrives there once, of what its threads did themselves, and once, by 'expect', "
            "of what it copies",
            x->up->role->name, name);
    } else if (x->kind == y->kind && x->of != y->of) {
        diag_error(
            c->s, x->at,
            "'%s' and '%s' name '%s' of different steps; all that wait for a barrier name the "
            "same, and all that arrive there",
            y->up->role->name, x->up->role->name, name);
    } else if (stmt_expects(x) && stmt_expects(y)) {
        diag_error(
            c->s, x->at,
            "'%s' and '%s' both expect bytes at '%s'; the copies of a barrier are those of one "
            "role; declare another barrier",
            y->up->role->name, x->up->role->name, name);
    } else {
        return true;
    }
    diag_note(c->s, y->at, "the other one is here");
    return false;
}

// Whether "x" alone may name its barrier; reports an error otherwise.
static bool may_name(struct sema *c, const struct stmt *x, const struct stmt *wait) {
    const struct barrier *b = x->barrier;
    if (x->kind == STMT_WAIT && !stmt_awaits(x)) {
        diag_error(
            c->s, x->at,
            "'sync' comes to a barrier and waits there, but '%s' is one in memory, for which "
            "roles only wait; write 'wait %s of ..;'",
            b->name, b->name);
        if (wait) diag_note(c->s, wait->at, "it is in memory because of this");
        return false;
    }
    if (stmt_expects(x) && x->up->role->threads != WARP) {
        diag_error(c->s, x->at,
                   "'%s' expects bytes and has %" PRId64 " warps; one thread issues the copies, so "
                   "such a role has one warp",
                   x->up->role->name, x->up->role->threads / WARP);
        return false;
    }
    return true;
}

// Reports what a barrier in memory lacks altogether.
static bool may_be(struct sema *c, const struct stmt *first, const struct stmt *wait,
                   const struct stmt *arrive) {
    const struct barrier *b = first->barrier;
    if (!arch_has(c->plan->arch_name, MIN_ARCH, 0)) {
        diag_error(
            c->s, first->at,
            "a barrier in memory needs sm_%d; this plan is for sm_%d; 'sync' and 'arrive' are "
            "for named barriers",
            MIN_ARCH, c->plan->arch);
        return false;
    }
    if (b->staged) {
        diag_error(c->s, b->at,
                   "'%s' is a barrier in memory, which has 8 places, whatever the slots are; leave "
                   "out 'stages'",
                   b->name);
        return false;
    }
    if (!wait || !arrive) {
        diag_error(
            c->s, first->at,
            wait ? "nobody arrives at '%s', so that this wait never ends; 'arrive' or 'expect' "
                   "is missing"
                 : "nobody waits for '%s', so that nobody knows when the copies are there; "
                   "'wait' is missing",
            b->name);
        return false;
    }
    if (c->kernel->counted) return true;
    diag_error(
        c->s, first->at,
        "a barrier in memory is for copies by 'bulk' or 'tma.load', of which kernel '%s' has "
        "none up to here; take 'sync' and 'arrive' alone",
        c->kernel->name);
    return false;
}

bool memory_settle(struct sema *c, const struct stmt *st, struct stmt *first) {
    struct barrier *b = first->barrier;
    const struct stmt *wait = NULL, *arrive = NULL, *expect = NULL;
    b->roles = st;
    for (struct stmt *x = first; x; x = next_named(st, x, b)) {
        for (struct stmt *y = first; y != x; y = next_named(st, y, b))
            if (!go_together(c, y, x)) return false;
        if (x->kind == STMT_WAIT && stmt_awaits(x)) wait = x;
        if (x->kind == STMT_ARRIVE) arrive = x;
        if (stmt_expects(x)) expect = x;
    }
    for (struct stmt *x = first; x; x = next_named(st, x, b))
        if (!may_name(c, x, wait)) return false;
    if (!may_be(c, first, wait, arrive)) return false;
    b->skip = arrive->of - wait->of;
    if (b->skip < 0 || (expect && b->skip > 0)) {
        diag_error(
            c->s, wait->at,
            b->skip < 0
                ? "this waits for a step of '%s' at which '%s' arrives only %" PRId64
                  " later, which is after the end for the last one"
                : "this waits for a step of '%s' of which '%s' issued the copies %" PRId64
                  " before, so that nobody waits for those of the last one; wait for the step "
                  "in which they are issued",
            b->name, arrive->up->role->name, b->skip < 0 ? -b->skip : b->skip);
        diag_page(c->s, "barrier");
        diag_note(c->s, arrive->at, "it arrives here");
        return false;
    }
    b->ring = ++c->kernel->rings;
    b->leader = expect ? expect->up->role->first : first->up->role->first;
    for (struct stmt *x = first; x; x = next_named(st, x, b))
        if (x->kind == STMT_ARRIVE) b->threads += x->by == BY_LEADER ? 1 : x->up->role->threads;
    for (struct stmt *x = first; x; x = next_named(st, x, b)) {
        x->arrival.kind = ARRIVAL_MEMORY;
        x->arrival.of = b->ring;
        x->arrival.count = (int)b->threads;
        x->ends = x->kind == STMT_ARRIVE;
        for (struct stmt *y = next_named(st, x, b); y; y = next_named(st, y, b))
            x->ends &= y->up != x->up;
    }
    if (b->ring < ARRIVAL_RINGS) return true;
    diag_error(c->s, b->at, "kernel '%s' has more than %d barriers in memory", c->kernel->name,
               ARRIVAL_RINGS - 1);
    return false;
}
