// Walks through copies, for all passes.
#include "pass/pass.h"

#include "base/session.h"
#include "layout/algebra.h"
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

bool copy_note_beyond(struct session *s, const struct copy *c) {
    struct lay_ctx *x = &s->lay;
    const struct view *v = copy_side(c, c->src.base->space != MEM_FRAG);
    if (!c->tc || !lay_valid(v->layout) || v->base->space == MEM_FRAG) return false;
    const struct lay_tuple *part = lay_product_each(x, v->layout.shape), *tile = c->tc->tiler;
    bool beyond = false;
    for (int i = 0; i < lay_tuple_rank(tile) && i < lay_tuple_rank(part); ++i) {
        struct lay_int have = lay_tuple_get(x, part, i)->leaf;
        beyond |= lay_int_static(have) && have.num % lay_tuple_get(x, tile, i)->leaf.num != 0;
    }
    if (beyond)
        diag_note(s, c->tc->at,
                  "its tile %s does not divide this part of '%s', %s, and reaches beyond it",
                  lay_tuple_text(x, tile), v->base->name, lay_tuple_text(x, part));
    return beyond;
}
