// An expression outside of a plan: no name is declared, and those that stand for nothing are
// params.
#include "sema/expr/expr.h"
#include "sema/tile/tile.h"

static bool stands_for_something(struct sema *c, const char *name) {
    return scope_find(c, name) || elem_type_find(name) || builtin_known(name) || atom_known(name) ||
           atom_later(name) || atom_family(c, name);
}

static void declare_params(struct sema *c, const struct ast_expr *e) {
    if (!e) return;
    if (e->kind == E_NAME && !stands_for_something(c, e->name)) {
        const struct lay_sym *sym = lay_param(c->lay, e->name, 1, 1, (int64_t)1 << 40);
        const struct ast_ident name = {.name = e->name, .at = e->at};
        if (sym) scope_declare(c, name, SYM_PARAM, value_lay_int(c, lay_int_sym(c->lay, sym)));
    }
    if (e->kind == E_MEMBER) return;  // of an atom
    // what is called is no number
    if (e->kind != E_CALL || e->lhs->kind != E_NAME) declare_params(c, e->lhs);
    if (e->kind != E_MAP) declare_params(c, e->rhs);
    for (int i = 0; i < e->nargs; ++i) declare_params(c, e->arg[i].value);
}

struct calc_value sema_evaluate(struct session *s, const struct ast_expr *e) {
    struct plan *p = ARENA_NEW(&s->arena, struct plan);
    struct sema c = {.s = s, .lay = &s->lay, .plan = p, .errors_before = s->diags.nerrors};
    struct calc_value out = calc_of_tuple(&s->lay, NULL);
    p->path = s->sources.file[e->at.file].path;
    p->arch = 90;
    p->arch_name = "sm_90";
    scope_init(&c);
    declare_params(&c, e);
    const struct value *v = eval(&c, e);
    if (!value_to_calc(&c, v, e->at, "the expression", &out)) return calc_of_tuple(&s->lay, NULL);
    return out;
}

bool sema_calls(const char *name) {
    return builtin_known(name) || atom_known(name);
}
