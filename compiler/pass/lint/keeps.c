// What the steps of a loop keep from each other (see lint.h).
#include "pass/lint/lint.h"

// Whether a statement of "loop" writes "t" that reads no old element of it.
static bool is_filled_by(const struct stmt *st, const struct tensor *t) {
    if (st->kind == STMT_COPY) return st->copy->dst.base == t;
    for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
        if (st->call->view[i].base == t && st->call->fn->formal[i].dir == ARG_OUT) return true;
    return false;
}

// Whether "v", which "at" in "loop" reads, holds the same in each step, or what the step itself has written.
static bool is_of_step(const struct stmt *loop, const struct stmt *at, const struct view *v) {
    bool before = true, written = false;
    if (v->base->space == MEM_GLOBAL) return at->kind == STMT_COPY;
    if (!loop->pipe && view_depends(v, loop->var)) return false;
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        before &= st != at;
        if (!is_filled_by(st, v->base)) continue;
        if (before) return true;
        written = true;
    }
    return !written;
}

bool keeps_nothing(const struct stmt *loop) {
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        if (st->kind == STMT_COPY && !is_of_step(loop, st, &st->copy->src)) return false;
        if (st->kind != STMT_CALL) continue;
        for (int i = 0; i < st->call->fn->nindexes; ++i)
            if (ix_depends_on(st->call->index[i], loop->var)) return false;
        for (int i = 0; i < st->call->fn->nformals; ++i)
            if (st->call->fn->formal[i].dir != ARG_OUT && !is_of_step(loop, st, &st->call->view[i]))
                return false;
    }
    return true;
}
