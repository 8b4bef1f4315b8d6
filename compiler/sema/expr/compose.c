// "o": compositions of layouts, tensors, tilers and swizzles.
#include "sema/expr/expr.h"
#include "sema/view/viewfn.h"

static bool is_swizzle(const struct value *v) {
    return v->kind == VAL_CALC && v->calc.kind == CALC_SWIZZLE;
}

// "a o b", computed by the calculator; it is term "i".
static const struct value *both(struct sema *c, const struct ast_expr *e, const struct value *a,
                                const struct value *b, int i) {
    struct calc_value arg[2];
    const struct ast_expr *end = e->arg[e->nargs - 1].value;
    if (!value_to_calc(c, a, e->at, "the left side of 'o'", &arg[0]) ||
        !value_to_calc(c, b, e->arg[i].value->at, "the right side of 'o'", &arg[1]))
        return &value_none;
    lay_clear_error(c->lay);
    struct calc_value r = lay_calc(c->lay, "composition", 2, arg);
    if (r.kind == CALC_NONE && e->nargs > 2 && end->kind == E_SWIZZLE)
        return FAIL(c, e->at, "a swizzle comes before its layout: '%s o 0 o %s'",
                    ast_expr_text(c->s, end), ast_expr_text(c->s, e->arg[0].value));
    if (r.kind != CALC_NONE) return value_calc(c, r);
    if (is_swizzle(b) && (value_is_layout(a) || a->kind == VAL_TUPLE) && e->nargs == 2) {
        const char *ours = sema_text(c, "%s o 0 o %s", ast_expr_text(c->s, end),
                                     ast_expr_text(c->s, e->arg[0].value));
        diag_error(c->s, e->at, "a swizzle comes before its layout: '%s'", ours);
        diag_fixit(c->s, e->at, ours);
        return &value_none;
    }
    sema_lay_error(c, e->at, "the composition");
    return &value_none;
}

static const struct value *compose_from(struct sema *c, const struct ast_expr *e, int i,
                                        const struct value *first);

// Applies the swizzle "w", which is term "*i", to the offset and the layout after it.  Sets "*i" to
// the next term.
static const struct value *swizzled(struct sema *c, const struct ast_expr *e, int *i,
                                    const struct value *w) {
    struct lay_int offset = lay_int(0);
    const struct value *next = eval(c, e->arg[++*i].value);
    bool between = value_unwrap(next)->kind == VAL_INT && *i + 1 < e->nargs;
    if (between) {
        if (!value_to_lay_int(c, next, e->arg[*i].value->at, "the offset", &offset))
            return &value_none;
        next = eval(c, e->arg[++*i].value);
    }
    int at = *i;
    if (is_swizzle(next)) {
        next = compose_from(c, e, at, next);
        *i = e->nargs - 1;
    }
    if (next->kind == VAL_NONE) return next;
    ++*i;
    if (is_swizzle(next) && !between) return both(c, e, w, next, at);
    struct lay l =
        value_to_layout(c, names_drop(c, next), e->arg[at].value->at, "what a swizzle precedes");
    if (!lay_valid(l)) return &value_none;
    lay_clear_error(c->lay);
    l = lay_swizzled(c->lay, w->calc.swizzle, offset, l);
    if (lay_valid(l)) return names_from(c, value_layout(c, l), next);
    sema_lay_error(c, e->at, "the swizzled layout");
    return &value_none;
}

// Composes the terms of "e" from "i" on; "first" is the value of the first one.
static const struct value *compose_from(struct sema *c, const struct ast_expr *e, int i,
                                        const struct value *first) {
    const struct value *v = first;
    if (v->kind != VAL_NONE && is_swizzle(v) && i + 1 < e->nargs)
        v = swizzled(c, e, &i, v);
    else
        ++i;
    while (i < e->nargs) {
        const struct value *next = eval(c, e->arg[i].value);
        int at = i++;
        if (v->kind == VAL_NONE || next->kind == VAL_NONE) return &value_none;
        bool rest = is_swizzle(next) && i < e->nargs;
        if (rest) {
            next = compose_from(c, e, at, next);
            i = e->nargs;
        }
        if (next->kind == VAL_TUPLE) next = names_sort(c, next, v, e->arg[at].value, "the tile");
        if (next->kind == VAL_NONE) return next;
        if (v->kind == VAL_VIEW) {
            v = names_from(c, view_compose(c, v, next, e), next);
            continue;
        }
        const struct value *made = both(c, e, v, next, at);
        v = names_from(c, made, next->kind == VAL_TUPLE ? v : next);
    }
    return v;
}

// Composes from the left, but a swizzle takes the layout after it, with an offset between them.
const struct value *eval_compose(struct sema *c, const struct ast_expr *e) {
    if (e->nargs > LAY_MAX_RANK)
        return FAIL(c, e->at, "a composition of %d parts; the limit is %d", e->nargs, LAY_MAX_RANK);
    const struct ast_expr *first = e->arg[0].value;
    if (first->kind != E_BINARY || first->op != OP_ADD || first->rhs->kind != E_SWIZZLE)
        return compose_from(c, e, 0, eval(c, first));
    // 3 + Sw<..> o 0 o L: the offset 3 belongs to the complete layout
    const struct value *l = compose_from(c, e, 0, eval(c, first->rhs));
    if (l->kind == VAL_NONE || value_is_layout(l)) return eval_with_offset(c, first->lhs, l);
    return FAIL(c, e->at, "'+' takes a layout after an offset, not %s", value_kind_text(l));
}
