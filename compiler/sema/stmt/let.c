// A let, which names a value.
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

// Keeps the name of a value for emitted code.
static void keep_let(struct sema *c, const char *name, const struct ix *is) {
    enum { MOST_KEPT = 64 };
    if (!is || ix_constant(is) || is->lo < 0) return;
    if (ix_depends_if(is, ix_is_thread)) return;
    struct kernel *k = c->kernel;
    if (k->nlets == MOST_KEPT) return;
    struct let *more = ARENA_ARRAY(&c->s->arena, struct let, k->nlets + 1);
    if (k->nlets) memcpy(more, k->let, sizeof *more * (size_t)k->nlets);
    more[k->nlets++] = (struct let){name, is};
    k->let = more;
}

void check_let(struct sema *c, const struct ast_stmt *s) {
    c->asks = s->at;
    c->asks_of = NULL;
    struct symbol *sym = scope_declare(c, s->name, SYM_LET, eval(c, s->value));
    if (sym) sym->asks_of = c->asks_of;
    if (sym && sym->value->kind == VAL_INT) {
        sym->rounded = rounded_find(c, s->value);
        keep_let(c, s->name.name, sym->value->ix);
        struct vanished *v = c->plan->vanished;
        if (v && v->at.begin == s->value->at.begin && v->at.end == s->value->at.end)
            v->let = s->name.name;
    }
    c->asks = (struct range){0, 0, 0};
    c->asks_of = NULL;
}
