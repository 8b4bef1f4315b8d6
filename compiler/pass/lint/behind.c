// Roles that wait longer than their buffers need: a step waits until a later one than the last user of its slot is done, so
// that some slots stay empty, and of two roles one waits while the other one works.
#include <inttypes.h>

#include "base/session.h"
#include "pass/lint/lint.h"

// The statement of "roles" after which others go on that wait at "b"; NULL: there is none.
static const struct stmt *arrival_at(const struct stmt *roles, const struct barrier *b) {
    for (const struct stmt *st = roles->body; st; st = stmt_next(roles->body, st))
        if (st->kind == STMT_ARRIVE && st->barrier == b) return st;
    return NULL;
}

// The buffer with the fewest stages that "part" writes, if it touches only shared buffers that have some; or NULL.
static const struct tensor *fewest(const struct stmt *part) {
    const struct tensor *least = NULL;
    bool all = true;
    for (const struct stmt *st = part->body; st; st = stmt_next(part->body, st)) {
        all &= st->kind != STMT_CALL;
        for (int i = 0; st->kind == STMT_COPY && i < 2; ++i) {
            const struct tensor *t = copy_side(st->copy, i)->base;
            if (!space_is_shared(t->space)) continue;
            bool written = t == st->copy->dst.base;
            all &= written && t->stages > 1;
            if (!least || t->stages < least->stages) least = t;
        }
    }
    return all ? least : NULL;
}

void lint_behind(struct lint *l) {
    const struct kernel *k = l->k;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        const struct stmt *roles = st->kind == STMT_WAIT && st->barrier ? st->up : NULL;
        const struct stmt *part = roles;
        while (roles && !(roles->kind == STMT_PIPELINE && roles->pipe->nroles)) roles = roles->up;
        while (part && part->kind != STMT_PART) part = part->up;
        const struct stmt *arrive = roles && part ? arrival_at(roles, st->barrier) : NULL;
        const struct tensor *t = arrive ? fewest(part) : NULL;
        int64_t behind = t ? arrive->of - st->of : 0;
        if (behind < 1 || behind >= t->stages) continue;
        const char *n = roles->var->name;
        diag_warn(l->s, W_IN_ORDER, st->at,
                  "'%s' waits for the user of step %s - %" PRId64 ", and '%s' has %" PRId64
                  " stages: the last user of the slot of step %s is step %s - %" PRId64,
                  part->role->name, n, behind, t->name, (int64_t)t->stages, n, n,
                  (int64_t)t->stages);
        if (behind == 1)
            diag_note(l->s, st->at, "so no step is filled while another one is used");
        else
            diag_note(l->s, st->at, "so only %s ahead are filled",
                      arena_count(&l->s->arena, behind, "step"));
    }
}
