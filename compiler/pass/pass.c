// Walks through copies, for all passes.
#include "pass/pass.h"

#include "base/session.h"
#include "pass/walk.h"

bool walk_copies(struct session *s, struct kernel *k, copy_visitor *visit, void *user) {
    for (struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && !visit(s, k, st->copy, user)) return false;
    return true;
}

struct all {
    copy_visitor *visit;
    void *user;
    bool ok;
};

static bool visit_all(struct session *s, struct kernel *k, struct copy *c, void *user) {
    struct all *a = user;
    lay_clear_error(&s->lay);  // drop errors of the algebra about the previous copy
    if (!a->visit(s, k, c, a->user)) a->ok = false;
    return true;
}

bool walk_plan(struct session *s, struct plan *p, copy_visitor *visit, void *user) {
    struct all a = {visit, user, true};
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        walk_copies(s, k, visit_all, &a);
    return a.ok;
}

const char *copy_name(struct session *s, const struct copy *c) {
    return c->label ? arena_printf(&s->arena, "copy '%s'", c->label) : "this copy";
}
