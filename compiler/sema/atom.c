// Atoms: universal(128), auto(128, f32); the others of the language are refused by name.
#include <string.h>

#include "sema/check.h"

bool atom_known(const char *name) {
    return atom_find(name) != NULL;
}

bool atom_later(const char *name) {
    static const char names[][12] = {"cp_async", "ldmatrix", "stmatrix", "bulk", "tma"};
    if (atom_find(name)) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i], name) == 0) return true;
    static const char functions[][12] = {"operand_A", "operand_B", "operand_C", "tiled_mma"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
        if (strcmp(functions[i], name) == 0) return true;
    return false;
}

static const char *width_list(struct sema *c, const struct atom_row *row) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < 8 && row->widths[i]; ++i)
        buf_printf(&b, "%s%d", i ? ", " : "", row->widths[i]);
    return buf_finish(&b, &c->s->arena);
}

const struct value *atom_call(struct sema *c, const char *name, const struct ast_expr *e) {
    const struct atom_row *row = atom_find(name);
    if (e->nargs < 1 || e->nargs > 2)
        return FAIL(c, e->at,
                    "'%s' takes the bits of an access and, if wanted, an element type; "
                    "here %s %d argument%s",
                    name, e->nargs == 1 ? "is" : "are", e->nargs, e->nargs == 1 ? "" : "s");
    for (int i = 0; i < e->nargs; ++i)
        if (e->arg[i].key.name)
            return FAIL(c, e->arg[i].key.at, "'%s' takes no argument called '%s'", name,
                        e->arg[i].key.name);
    int64_t bits;
    struct range bits_at = e->arg[0].value->at;
    if (!eval_int64(c, e->arg[0].value, sema_text(c, "the width of '%s'", name), &bits))
        return &value_none;
    bool listed = false;
    for (int i = 0; i < 8 && row->widths[i]; ++i) listed |= row->widths[i] == bits;
    if (!listed) {
        diag_error(c->s, bits_at, "'%s' has no access of %lld bits; it has %s", name,
                   (long long)bits, width_list(c, row));
        return &value_none;
    }
    struct atom *a = ARENA_NEW(&c->s->arena, struct atom);
    *a = (struct atom){.row = row, .bits = (int)bits, .at = e->at};
    if (e->nargs == 2) {
        const struct value *v = eval(c, e->arg[1].value);
        if (v->kind == VAL_NONE) return v;
        if (v->kind != VAL_ELEM)
            return FAIL(c, e->arg[1].value->at,
                        "the second argument of '%s' is %s; an element type is expected", name,
                        value_kind_text(v));
        a->elem = v->elem;
        if (row->exact && (bits < a->elem->bits || bits % a->elem->bits != 0))
            return FAIL(c, e->at, "'%s' of %lld bits moves no whole '%s', which has %d", name,
                        (long long)bits, a->elem->name, a->elem->bits);
    }
    struct value *v = ARENA_NEW(&c->s->arena, struct value);
    v->kind = VAL_ATOM;
    v->atom = a;
    return v;
}
