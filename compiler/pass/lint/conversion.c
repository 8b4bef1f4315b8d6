// Warns of copies whose conversion loses numbers, if one of the two types is an integer type: often
// bits are meant instead of numbers, or the element type is a mistake.
#include "base/session.h"
#include "pass/lint/lint.h"

static const char *what_happens(const struct elem_type *from, const struct elem_type *to) {
    if (to->cls == ELEM_FLOAT) return "large integers are rounded";
    if (from->cls == ELEM_FLOAT)
        return "fractions are dropped, and what is out of range becomes the nearest integer";
    return "an integer that is too large, or negative, keeps its low bits alone";
}

void lint_conversion(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_COPY) continue;
        const struct tensor *a = st->copy->src.base, *b = st->copy->dst.base;
        if (!elem_loses_digits(a->elem, b->elem)) continue;
        diag_warn(s, W_CONVERSION, k->planned ? k->at : st->at, "'%s' holds %s and '%s' %s: %s",
                  a->name, a->elem->name, b->name, b->elem->name, what_happens(a->elem, b->elem));
        if (a->elem->bits == b->elem->bits)
            diag_note(s, a->at, "to copy bits as they are, declare both as b%d", a->elem->bits);
        if (k->planned) return;
    }
}
