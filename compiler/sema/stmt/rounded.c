// Quotients in the text that may lose a remainder.
#include "plan/rounded.h"

#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

const struct ast_expr *expr_inside(const struct ast_expr *e) {
    while (e->kind == E_TUPLE && e->nargs == 1) e = e->arg[0].value;
    return e;
}

// What "sum" adds the number "over" to; NULL: it adds something else.
static const struct ast_expr *added_to(struct sema *c, const struct ast_expr *sum, int64_t *over) {
    const struct ast_expr *of = sum;
    while (of->kind == E_BINARY && (of->op == OP_ADD || of->op == OP_SUB)) of = of->lhs;
    int64_t n = 0;
    *over = 0;
    for (const struct ast_expr *x = sum; x != of; x = x->lhs) {
        const struct value *v = eval(c, x->rhs);
        if (v->kind != VAL_INT || !ix_static(v->ix, &n)) return NULL;
        *over += x->op == OP_ADD ? n : -n;
    }
    return of;
}

const struct ast_expr *rounded_up(struct sema *c, const struct ast_expr *e) {
    const struct ast_expr *sum = expr_inside(e->lhs), *by = expr_inside(e->rhs);
    int64_t n = 0, over = 0;
    const struct ast_expr *of = sum->kind == E_BINARY ? added_to(c, sum, &over) : NULL;
    if (!of) return NULL;
    const struct value *v = eval(c, by);
    return v->kind == VAL_INT && ix_static(v->ix, &n) && over == n - 1 ? of : NULL;
}

static const struct param *param_of(const struct sema *c, const struct symbol *sym) {
    for (int i = 0; sym && sym->kind == SYM_PARAM && i < c->plan->nparams; ++i)
        if (c->param[i]->name == sym->name) return c->param[i];
    return NULL;
}

const struct rounded *rounded_quotient(struct sema *c, const struct ast_expr *e) {
    const struct ast_expr *a = expr_inside(e->lhs), *b = expr_inside(e->rhs);
    const struct value *of = eval(c, a), *by = eval(c, b);
    struct rounded *r = ARENA_NEW(&c->s->arena, struct rounded);
    *r = (struct rounded){.at = e->at, .least = 1};
    r->a = ast_expr_text(c->s, a);
    r->b = ast_expr_text(c->s, b);
    r->up = sema_text(c, "ceil_div(%s, %s)", r->a, r->b);
    if (of->kind == VAL_INT) {
        r->of = of->ix;
        r->least = ix_divisor(of->ix);
    }
    if (by->kind != VAL_INT || !ix_static(by->ix, &r->by)) r->by = 0;
    int64_t over;
    const struct ast_expr *n = added_to(c, a, &over);
    if (n && over > 0 && over == r->by) {  // "(N + 64) / 64" has a tile more than N needs
        r->up = sema_text(c, "ceil_div(%s, %s)", ast_expr_text(c->s, n), r->b);
        r->least = 1;
    }
    if (e->lhs->kind == E_NAME) r->param = param_of(c, scope_find(c, e->lhs->name));
    return r;
}

// Whether "e" is a quotient that may have a remainder, and not the idiom of rounding up.
static bool loses(struct sema *c, const struct ast_expr *e) {
    if (e->kind != E_BINARY || e->op != OP_DIV) return false;
    const struct value *a = eval(c, expr_inside(e->lhs)), *b = eval(c, expr_inside(e->rhs));
    int64_t by;
    return a->kind == VAL_INT && b->kind == VAL_INT && ix_constant(a->ix) &&
           ix_static(b->ix, &by) && by > 1 && ix_divisor(a->ix) % by != 0 && !rounded_up(c, e);
}

const struct rounded *rounded_find(struct sema *c, const struct ast_expr *e) {
    const struct rounded *r = NULL;
    if (!e) return NULL;
    if (e->kind == E_NAME) {
        const struct symbol *sym = scope_find(c, e->name);
        return sym ? sym->rounded : NULL;
    }
    if (e->kind == E_MEMBER) return NULL;
    if (loses(c, e)) return rounded_quotient(c, e);
    // the name of what is called is no number
    if (e->kind != E_CALL && e->kind != E_MAP) r = rounded_find(c, e->lhs);
    if (!r && e->kind != E_MAP) r = rounded_find(c, e->rhs);
    for (int i = 0; !r && i < e->nargs; ++i) r = rounded_find(c, e->arg[i].value);
    return r;
}
