// Arguments that no statement names.
#include "base/session.h"
#include "pass/waste/waste.h"

static bool names(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_COPY && (st->copy->src.base == t || st->copy->dst.base == t))
            return true;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t) return true;
    }
    return false;
}

void waste_arguments(struct session *s, const struct kernel *k) {
    if (!k->body || (k->first_case && k->first_case != k)) return;
    for (int i = 0; i < k->nformals; ++i) {
        bool named = names(k, k->formal[i].tensor);
        for (const struct kernel *c = k->next_case; c && !named; c = c->next_case)
            named = names(c, c->formal[i].tensor);
        if (!named)
            diag_warn(s, W_UNUSED, k->formal[i].at, "no statement of '%s' uses its argument '%s'",
                      k->name, k->formal[i].tensor->name);
    }
}
