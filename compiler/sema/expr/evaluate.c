// Evaluates an expression outside of a plan.  No names are declared; unknown ones are params.
#include <stdlib.h>
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/tile/tile.h"

static bool stands_for_something(struct sema *c, const char *name) {
    return scope_find(c, name) || elem_type_find(name) || builtin_known(name) || atom_known(name) ||
           atom_family(c, name);
}

// Recognizes CuTe's names of values: LayoutRight, true, 16b.
static bool named_value(const char *name, struct calc_value *out) {
    static const char left[] = "LayoutLeft", right[] = "LayoutRight";
    *out = (struct calc_value){.kind = CALC_NAME};
    if (strcmp(name, left) == 0 || strcmp(name, "GenColMajor") == 0) out->name = left;
    if (strcmp(name, right) == 0 || strcmp(name, "GenRowMajor") == 0) out->name = right;
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) *out = calc_of_bool(*name == 't');
    size_t digits = strspn(name, "0123456789");
    if (digits > 0 && digits < 10 && strcmp(name + digits, "b") == 0)
        *out = (struct calc_value){.kind = CALC_BITS, .bits = strtoll(name, NULL, 10)};
    return out->kind != CALC_NAME || out->name;
}

// The places found so far where params are named.
struct names {
    struct ast_ident *at;
    int n, room;
};

static void add_name(struct sema *c, struct names *x, struct ast_ident id) {
    if (x->n == x->room) {
        struct ast_ident *more = ARENA_ROOM(&c->s->arena, struct ast_ident, 2 * x->room + 8);
        for (int i = 0; i < x->n; ++i) more[i] = x->at[i];
        x->at = more;
        x->room = 2 * x->room + 8;
    }
    x->at[x->n++] = id;
}

// Declares CuTe's values in "e", and finds the params.
static void find_names(struct sema *c, const struct ast_expr *e, struct names *params) {
    if (!e) return;
    struct calc_value known;
    const struct ast_ident id = {.name = e->name, .at = e->at};
    if (e->kind == E_NAME && !scope_find(c, e->name) && named_value(e->name, &known))
        scope_declare(c, id, SYM_CONST, value_calc(c, known));
    if (e->kind == E_NAME && !stands_for_something(c, e->name)) add_name(c, params, id);
    if (e->kind == E_MEMBER) return;  // part of an atom's name
    // a called name is not a number
    if (e->kind != E_CALL || e->lhs->kind != E_NAME) find_names(c, e->lhs, params);
    if (e->kind != E_MAP) find_names(c, e->rhs, params);
    for (int i = 0; i < e->nargs; ++i) find_names(c, e->arg[i].value, params);
}

static int by_name(const void *a, const void *b) {
    const struct ast_ident *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->at.begin > y->at.begin) - (x->at.begin < y->at.begin);
}

// Declares params sorted by name, which is the order in which products are printed.  So a printed
// value is printed the same after it is read again.
static void declare_params(struct sema *c, const struct ast_expr *e) {
    struct names params = {0};
    find_names(c, e, &params);
    if (params.n > 1) qsort(params.at, (size_t)params.n, sizeof *params.at, by_name);
    for (int i = 0; i < params.n; ++i) {
        const struct ast_ident id = params.at[i];
        if (i > 0 && id.name == params.at[i - 1].name) continue;
        const struct lay_sym *sym = lay_param(c->lay, id.name, 1, 1, (int64_t)1 << 40);
        if (sym) scope_declare(c, id, SYM_PARAM, value_lay_int(c, lay_int_sym(c->lay, sym)));
    }
}

static void trace(void *user, const char *rule, const char *result) {
    struct sema *c = user;
    c->options->step(c->options->user, c->nested + 1, rule, result);
}

void evaluate_step(struct sema *c, const struct ast_expr *e, const struct value *v) {
    if (v->kind == VAL_INT || v->kind == VAL_TUPLE || v->kind == VAL_CALC)
        c->options->step(c->options->user, c->nested + 1, ast_expr_text(c->s, e), value_text(c, v));
}

struct calc_value sema_evaluate(struct session *s, const struct ast_expr *e,
                                const struct calc_options *options) {
    struct plan *p = ARENA_NEW(&s->arena, struct plan);
    struct sema c = {.s = s, .lay = &s->lay, .plan = p, .errors_before = s->diags.nerrors};
    struct calc_value out = calc_of_tuple(&s->lay, NULL);
    lay_trace_fn *old = s->lay.trace;
    void *old_user = s->lay.trace_user;
    p->path = s->sources.file[e->at.file].path;
    p->arch = 90;
    p->arch_name = "sm_90";
    c.alone = true;
    c.options = options && options->step ? options : NULL;
    scope_init(&c);
    declare_params(&c, e);
    if (c.options) {
        s->lay.trace = trace;
        s->lay.trace_user = &c;
    }
    const struct value *v = eval(&c, e);
    s->lay.trace = old;
    s->lay.trace_user = old_user;
    bool given = value_to_calc(&c, v, e->at, "the expression", &out);
    return given ? out : calc_of_tuple(&s->lay, NULL);
}
