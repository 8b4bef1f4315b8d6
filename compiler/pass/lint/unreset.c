// Sums that are stored in each step of a loop and go on in the next one: the fill stands before the loop, and not in
// it.
#include "base/session.h"
#include "pass/lint/flow.h"

static bool is_in(const struct stmt *st, const struct stmt *loop) {
    while (st && st != loop) st = st->up;
    return st != NULL;
}

// The call in an inner loop of "loop" that adds to "acc", if it writes nothing else, and nothing else in "loop" writes
// "acc"; or NULL.
static const struct stmt *added_in(const struct stmt *loop, const struct tensor *acc) {
    const struct stmt *found = NULL;
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        int others = 0;
        bool adds = false;
        if (st->kind == STMT_COPY && st->copy->dst.base == acc) return NULL;
        if (st->kind != STMT_CALL) continue;
        for (int i = 0; i < st->call->fn->nformals; ++i) {
            enum dir dir = st->call->fn->formal[i].dir;
            if (dir == ARG_IN) continue;
            if (st->call->view[i].base != acc)
                ++others;
            else if (dir == ARG_OUT || found || st->call->fill)
                return NULL;
            else
                adds = true;
        }
        if (adds && (others || st->up == loop)) return NULL;
        if (adds) found = st;
    }
    return found;
}

// What sets "acc" before "loop"; or NULL.
static const struct stmt *set_before(const struct kernel *k, const struct stmt *loop,
                                     const struct tensor *acc) {
    for (const struct stmt *st = k->body; st && st != loop; st = stmt_next(k->body, st))
        if (st->kind == STMT_CALL && st->call->fill && st->call->view[0].base == acc) return st;
    return NULL;
}

// A read of an input in "loop" that goes to "acc", and that steps inside "loop" move and "loop" does not; or NULL.
static const struct access *kept(const struct reads *r, const struct stmt *loop,
                                 const struct tensor *acc) {
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        bool inside = false, moved = false;
        if (a->write || !a->copy || a->view->base->space != MEM_GLOBAL) continue;
        for (int j = 0; j < a->around.n; ++j) {
            const struct stmt *st = a->around.stmt[j];
            const struct ix_var *x = st->pipe && st->pipe->load_var ? st->pipe->load_var : st->var;
            moved |= inside && stmt_loops(st) && x && view_depends(a->view, x);
            inside |= st == loop;
        }
        if (!moved || view_depends(a->view, loop->var)) continue;
        struct flow flow = flow_of(r, a);
        if (flow_has(&flow, acc)) return a;
    }
    return NULL;
}

static bool check(struct reads *r, const struct stmt *st, const struct stmt *loop) {
    struct session *s = r->s;
    const struct tensor *acc = st->copy->src.base;
    const struct stmt *call = added_in(loop, acc);
    const struct stmt *set = call ? set_before(r->k, loop, acc) : NULL;
    const struct access *a = set ? kept(r, loop, acc) : NULL;
    if (!a || !is_in(call, loop)) return false;
    diag_warn(s, W_STALE, st->at,
              "each step of '%s' stores '%s' to another part of '%s', and what '%s' has added "
              "stays in it for the next step",
              loop->var->name, acc->name, st->copy->dst.base->name, call->call->fn->name);
    diag_note(s, set->at, "this is done once, before the loop over '%s'; is it meant in each step?",
              loop->var->name);
    return true;
}

void lint_unreset(struct lint *l) {
    const struct kernel *k = l->k;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_COPY || st->copy->dst.base->space != MEM_GLOBAL ||
            st->copy->src.base->space == MEM_GLOBAL)
            continue;
        for (const struct stmt *loop = st->up; loop; loop = loop->up) {
            if (!stmt_loops(loop) || !loop->var || !has_many_steps(l->s, loop) ||
                !view_depends(&st->copy->dst, loop->var))
                continue;
            struct reads *r = reads_of(l);
            if (!r->more && check(r, st, loop)) break;
        }
    }
}
