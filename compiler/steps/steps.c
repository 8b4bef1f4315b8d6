// Doing the steps of a compilation (see steps.h).
#include "steps/steps.h"

#include "base/session.h"
#include "steps/fallback.h"
#include "steps/fixits.h"

void steps_begin(struct compiled *c, struct session *s, const char *path,
                 const struct step_list *list) {
    *c = (struct compiled){.s = s, .path = path, .list = list};
}

void steps_again(const struct compiled *c, struct session *t, struct compiled *out) {
    session_like(t, c->s);
    for (int i = 0; i < c->s->sources.n; ++i) {
        const struct source *f = &c->s->sources.file[i];
        if (f->copied) continue;
        struct given *g = ARENA_NEW(&t->arena, struct given);
        *g = (struct given){f->path, f->text, f->size, t->sources.given};
        t->sources.given = g;
    }
    t->trial = true;
    steps_begin(out, t, c->path, c->list);
    out->as_it_is = true;
}

int steps_until(struct compiled *c, enum step last) {
    while (c->next <= last && !c->status) {
        enum step i = c->next;
        bool ok =
            c->list->row[i].pass ? c->list->row[i].pass(c->s, c->plan) : c->list->row[i].run(c);
        if ((!ok || c->s->diags.nerrors) && fallback_begin(c)) continue;
        if (!c->as_it_is) fixits_try(c);
        if (i == STEP_PARSE && !ok)
            c->status = 2;
        else if (!ok || c->s->diags.nerrors)
            c->status = 1;
        if (c->ast && (i == STEP_PARSE || !c->status)) c->list->done(c, i);
        if (!c->status) ++c->next;
    }
    return c->status;
}
