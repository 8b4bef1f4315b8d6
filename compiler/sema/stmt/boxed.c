// Whether the text of a kernel copies boxes of tensor maps, so that the slots of its buffers stand where
// boxes can begin. Asked before its buffers are declared, which stand above the copies.
#include "plan/atoms.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

// The words of a name with dots; NULL: it is something else.
static const char *words(struct sema *c, const struct ast_expr *e) {
    if (e->kind == E_NAME) return e->name;
    const char *first = e->kind == E_MEMBER ? words(c, e->lhs) : NULL;
    return first ? sema_text(c, "%s.%s", first, e->name) : NULL;
}

// Whether the "with" of a copy names an atom of boxes.
static bool names_boxes(struct sema *c, const struct ast_expr *e) {
    if (e && e->kind == E_CALL) e = e->lhs;
    if (!e) return false;
    const struct symbol *sym = e->kind == E_NAME ? scope_find(c, e->name) : NULL;
    if (sym) return sym->value && sym->value->kind == VAL_ATOM && sym->value->atom->row->boxes;
    const char *name = words(c, e);
    const struct atom_row *row = name ? atom_find(name) : NULL;
    return row && row->boxes;
}

bool boxed_any(struct sema *c, const struct ast_block *b) {
    for (int i = 0; b && i < b->nstmts; ++i) {
        const struct ast_stmt *s = b->stmt[i];
        if (s->kind == S_COPY && s->copy.how == HOW_WITH && names_boxes(c, s->copy.with))
            return true;
        if (s->kind != S_FOR && s->kind != S_PIPELINE) continue;
        if (boxed_any(c, s->loop.body)) return true;
        for (int k = 0; k < s->loop.nparts; ++k)
            if (boxed_any(c, s->loop.part[k].body)) return true;
    }
    return false;
}
