// Pass "defined": what a copy reads from shared memory or a fragment was written before, in every
// run.
//
// Requires: statements as sema made them.  Fills nothing.  A tensor counts as a whole here: a copy
// that writes to any part of it defines it, a loop only when it is sure to run.  That each element
// that is read was written is found out by executing one block when the compilation checks itself
// (kernel/verify.c), as far as that is little enough.
#include <string.h>

#include "base/session.h"
#include "pass/pass.h"
#include "plan/plan.h"

struct defined {
    const struct kernel *k;
    bool *is;                  // by place in kernel.local
    const struct stmt **loop;  // that wrote it, but may not have run
};

// The place of "t" in the kernel's own tensors; -1 when its memory comes from elsewhere.
static int place_of(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nlocal; ++i) {
        if (k->local[i] == t && !t->outside) return i;
    }
    return -1;
}

static bool check_read(struct session *s, const struct defined *d, const struct view *v) {
    int i = place_of(d->k, v->base);
    if (i < 0 || d->is[i]) return true;
    diag_error(s, v->at, "'%s' is read here before anything is written to it", v->base->name);
    if (d->loop[i])
        diag_note(s, d->loop[i]->at, "this loop writes to it, but may not run at all");
    else
        diag_note(s, v->base->at, "'%s' is declared here", v->base->name);
    return false;
}

static void define(struct defined *d, const struct view *v) {
    int i = place_of(d->k, v->base);
    if (i >= 0) d->is[i] = true;
}

static bool check_call(struct session *s, struct defined *d, const struct plan_call *y) {
    for (int i = 0; i < y->fn->nformals; ++i) {
        if (y->fn->formal[i].dir != ARG_OUT && !check_read(s, d, &y->view[i])) return false;
    }
    for (int i = 0; i < y->fn->nformals; ++i) {
        if (y->fn->formal[i].dir != ARG_IN) define(d, &y->view[i]);
    }
    return true;
}

static bool surely_runs(struct session *s, const struct stmt *loop) {
    return ix_provably_nonnegative(s, ix_sub(s, ix_sub(s, loop->end, loop->begin), ix_int(s, 1)));
}

static bool check_list(struct session *s, struct defined *d, const struct stmt *list) {
    size_t n = (size_t)d->k->nlocal;
    bool ok = true;
    for (const struct stmt *x = list; x && ok; x = x->next) {
        if (x->kind == STMT_COPY) {
            ok = check_read(s, d, &x->copy->src);
            define(d, &x->copy->dst);
            continue;
        }
        if (x->kind == STMT_CALL) {
            ok = check_call(s, d, x->call);
            continue;
        }
        bool *before = ARENA_ARRAY(&s->arena, bool, n + 1);
        memcpy(before, d->is, n * sizeof *before);
        ok = check_list(s, d, x->body);
        if (surely_runs(s, x)) continue;
        for (size_t i = 0; i < n; ++i) {
            if (d->is[i] && !before[i]) d->loop[i] = x;
            d->is[i] = before[i];
        }
    }
    return ok;
}

bool pass_defined(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        struct defined d = {k, ARENA_ARRAY(&s->arena, bool, k->nlocal + 1),
                            ARENA_ARRAY(&s->arena, const struct stmt *, k->nlocal + 1)};
        ok &= check_list(s, &d, k->body);
    }
    return ok;
}
