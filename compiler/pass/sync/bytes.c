// The bytes that barriers in memory of manual kernels expect: are they those of the copies that each counts?
//
// An "expect" of a role is for its copies since the one before.  A box counts wholly, also where it reaches
// beyond its tensor.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/sync/private.h"

enum { BITS_OF_BYTE = 8, MOST_BYTES = 1 << 20 };

// What "expect" statement "st" counts, in role "st->up" of "roles".
struct counts {
    const struct schedule *x;
    const struct stmt *st, *roles;
    const struct ix *sum;
    const struct stmt *copy;  // the first one that is counted; NULL: none
};

// How often a statement of the role is executed in a step; NULL: that is not known.
static const struct ix *rounds(const struct counts *n, const struct stmt *copy) {
    struct session *s = n->x->s;
    const struct ix *all = ix_int(s, 1);
    for (const struct stmt *up = copy->up; all && up != n->st->up; up = up->up) {
        if (!stmt_loops(up)) continue;
        const struct ix *trips = ix_sub(s, up->end, up->begin);
        if (!trips || !ix_provably_nonnegative(s, trips)) return NULL;
        all = ix_mul(s, all, trips);
    }
    return all;
}

static bool add_copy(struct counts *n, const struct stmt *st) {
    struct session *s = n->x->s;
    const struct copy *c = st->copy;
    struct lay_int elements = lay_size(&s->lay, c->src.layout);
    const struct ix *times = rounds(n, st);
    lay_clear_error(&s->lay);
    if (!n->copy) n->copy = st;
    if (!c->facts.boxes && copy_edge(&c->facts) != EDGE_NEVER) {
        diag_error(
            s, st->at,
            "how many bytes this copy has is not known: it leaves out rows beyond '%s'; take "
            "tma.load with 'pad 0', whose boxes count wholly, or a pipeline with 'warps'",
            c->src.base->name);
        diag_page(s, "barrier");
        return false;
    }
    if (!times || !lay_int_valid(elements)) {
        diag_error(s, st->at,
                   "how often this copy is made in a step is not known, nor how many bytes "
                   "it has; take loops from 0 to a number that is no less");
        diag_page(s, "barrier");
        return false;
    }
    const struct ix *bytes = ix_scale(s, times, elements);
    n->sum = ix_add(s, n->sum, ix_scale(s, bytes, lay_int(c->src.base->elem->bits / BITS_OF_BYTE)));
    return true;
}

// Adds all copies between the last "expect" of the role and this one.
static bool add_all(struct counts *n) {
    const struct stmt *first = n->st->up->body;
    for (const struct stmt *x = first; x != n->st; x = x->next)
        if (stmt_expects(x)) first = x->next;
    for (const struct stmt *x = first; x != n->st; x = stmt_next(n->st->up->body, x))
        if (x->kind == STMT_COPY && stmt_counted(x) && !add_copy(n, x)) return false;
    return true;
}

// Whether "e" is at least 0 in no step; reports an error otherwise, with "what".
static bool never(const struct counts *n, const struct ix *e, const char *what) {
    const struct schedule *x = n->x;
    struct session *s = x->s;
    struct around around = {.n = 1, .stmt = {n->roles}};
    struct instances *set = ARENA_NEW(&s->arena, struct instances);
    struct prove_witness w;
    for (const struct stmt *up = n->roles->up; up && around.n < INSTANCE_LOOPS; up = up->up) {
        for (int i = around.n++; i > 0; --i) around.stmt[i] = around.stmt[i - 1];
        around.stmt[0] = up;
    }
    instances_begin(s, x->k, &around, true, set);
    instances_cond(set, e);
    struct prove_set all = {set->var, set->nvars, set->cond, set->nconds, NULL, 0, NULL};
    enum prove_answer answer = set->full ? PROVE_UNKNOWN : prove_none(x->prover, &all, &w);
    if (answer == PROVE_YES) return true;
    const char *in = n->st->up->role->name;
    if (answer == PROVE_UNKNOWN) {
        diag_error(s, n->st->at,
                   "'%s' in '%s' is not known to expect as many bytes as are copied: %s",
                   stmt_named(s, n->st), in, instances_why(x->prover, set->full));
        instances_advice(s, x->prover, set->full, n->st->at);
    } else {
        struct ix_env env = {w.var[0], w.sym};
        int64_t expected = 0, issued = 0;
        if (!ix_eval(n->st->bytes, &env, &expected) || !ix_eval(n->sum, &env, &issued))
            BUG("a number of bytes without a value");
        diag_error(s, n->st->at,
                   "%sin step %" PRId64 " of '%s', '%s' expects %" PRId64
                   " bytes, and the copies that it counts have %" PRId64 "; %s",
                   instances_params(s, x->plan, x->k, &w), w.var[0][n->roles->var->id], in,
                   stmt_named(s, n->st), expected, issued, what);
    }
    diag_page(s, "barrier");
    if (n->copy) diag_note(s, n->copy->at, "the first of these is here");
    return false;
}

static bool bytes_agree(struct counts *n) {
    struct session *s = n->x->s;
    if (!add_all(n)) return false;
    if (!n->copy) {
        diag_error(s, n->st->at, "'%s' in '%s' counts no copy; the copies come before it",
                   stmt_named(s, n->st), n->st->up->role->name);
        diag_page(s, "barrier");
        return false;
    }
    const struct ix *more = ix_sub(s, n->st->bytes, n->sum),
                    *less = ix_sub(s, n->sum, n->st->bytes);
    const struct ix *one = ix_int(s, 1);
    const char *late = "who waits would go on before all are there";
    return never(n, ix_sub(s, more, one), "who waits would wait for ever") &&
           never(n, ix_sub(s, less, one), late) &&
           never(n, ix_sub(s, n->sum, ix_int(s, MOST_BYTES)),
                 "a barrier counts fewer than 1048576 of them; divide them between two");
}

bool sync_bytes_agree(const struct schedule *x, const struct stmt *roles) {
    for (const struct stmt *st = roles->body; st; st = stmt_next(roles->body, st)) {
        struct counts n = {x, st, roles, ix_int(x->s, 0), NULL};
        if (stmt_expects(st) && !bytes_agree(&n)) return false;
    }
    return true;
}
