// Converts values to what their context requires, with errors that name what was required and
// given.
#include "sema/expr/expr.h"

// "wanted" is what the context requires: "an integer".
static void mismatch(struct sema *c, const struct value *v, struct range at, const char *what,
                     const char *wanted) {
    if (v->kind == VAL_NONE) return;
    diag_error(c->s, at, "%s must be %s, not %s", what, wanted, value_kind_text(v));
}

bool value_to_int64(struct sema *c, const struct value *v, struct range at, const char *what,
                    int64_t *out) {
    const struct value *u = value_unwrap(v);
    if (u->kind != VAL_INT) {
        mismatch(c, v, at, what, "an integer");
        return false;
    }
    if (ix_static(u->ix, out)) return true;
    diag_error(c->s, at, "%s is '%s', which is not known when compiling", what,
               ix_text(c->s, u->ix));
    return false;
}

bool value_to_lay_int(struct sema *c, const struct value *v, struct range at, const char *what,
                      struct lay_int *out) {
    const struct value *u = value_unwrap(v);
    if (u->kind == VAL_CALC && u->calc.kind == CALC_INT) {
        *out = u->calc.tuple->leaf;
        return true;
    }
    if (u->kind != VAL_INT) {
        mismatch(c, v, at, what, "an integer");
        return false;
    }
    if (ix_monomial(u->ix, out)) return true;
    if (!ix_constant(u->ix))
        diag_error(c->s, at, "%s is '%s', which is known only when the kernel runs", what,
                   ix_text(c->s, u->ix));
    else
        return sum_of_params(c, u->ix, at, what, out);
    return false;
}

bool value_to_lay_sum(struct sema *c, const struct value *v, struct range at, const char *what,
                      struct lay_sum *out) {
    const struct value *u = value_unwrap(v);
    struct lay_int i;
    *out = (struct lay_sum){0, NULL};
    if (u->kind != VAL_INT || u->ix->op != IX_SUM || !ix_constant(u->ix)) {
        if (!value_to_lay_int(c, v, at, what, &i)) return false;
        *out = lay_sum_of(c->lay, i);
        return true;
    }
    for (int k = 0; k < u->ix->nterms; ++k) {
        // for M/3, reports an error
        if (u->ix->term[k].atom) return value_to_lay_int(c, v, at, what, &i);
        *out = lay_sum_add(c->lay, *out, lay_sum_of(c->lay, u->ix->term[k].coef));
    }
    return true;
}

const struct lay_tuple *value_to_tuple(struct sema *c, const struct value *v, struct range at,
                                       const char *what) {
    if (v->kind == VAL_WILD) return lay_any(c->lay);
    if (v->kind == VAL_TUPLE) {
        const struct lay_tuple *kid[LAY_MAX_RANK];
        if (!names_none(c, v, at, what)) return NULL;
        for (int i = 0; i < v->rank; ++i)
            if (!(kid[i] = value_to_tuple(c, v->kid[i], at, what))) return NULL;
        return lay_tuple(c->lay, v->rank, kid);
    }
    if (v->kind == VAL_INT || (v->kind == VAL_CALC && v->calc.kind == CALC_INT)) {
        struct lay_int i;
        return value_to_lay_int(c, v, at, what, &i) ? lay_leaf(c->lay, i) : NULL;
    }
    mismatch(c, v, at, what, "a tuple of integers");
    return NULL;
}

static bool has_wild(const struct value *v) {
    bool found = v->kind == VAL_WILD;
    for (int i = 0; v->kind == VAL_TUPLE && i < v->rank; ++i) found |= has_wild(v->kid[i]);
    return found;
}

void tensor_layout_read(struct sema *c, struct tensor *t) {
    t->layout_read = true;
    if (!t->swizzle_auto) return;
    if (!c->asks.end || (c->asks_of && c->asks_of != t)) {
        t->layout_used = true;
        if (c->asks_of) c->asks_of->layout_used = true;
        return;
    }
    if (c->asks_of) return;
    struct layout_asked *x = ARENA_NEW(&c->s->arena, struct layout_asked);
    *x = (struct layout_asked){c->asks, t->asked};
    t->asked = x;
    c->asks_of = t;
}

struct lay value_to_layout(struct sema *c, const struct value *v, struct range at,
                           const char *what) {
    if (value_is_layout(v)) return v->calc.layout;
    if (v->kind == VAL_VIEW) {
        if (!lay_valid(v->view.layout))
            diag_error(c->s, at, "the layout of '%s' is known only once its copy is partitioned",
                       v->view.base->name);
        tensor_layout_read(c, v->view.base);
        return v->view.layout;
    }
    if ((v->kind == VAL_TUPLE && !has_wild(v)) || v->kind == VAL_INT) {
        const struct lay_tuple *shape = value_to_tuple(c, v, at, what);
        if (!shape) return lay_layout_invalid();
        lay_clear_error(c->lay);
        struct lay l = lay_make_col(c->lay, shape);
        if (!lay_valid(l)) sema_lay_error(c, at, what);
        return l;
    }
    mismatch(c, v, at, what, "a layout");
    return lay_layout_invalid();
}

static bool plain_shape(const struct value *v) {
    if (v->kind == VAL_INT || (v->kind == VAL_CALC && v->calc.kind == CALC_INT)) return true;
    if (v->kind != VAL_TUPLE) return false;
    for (int i = 0; i < v->rank; ++i)
        if (!plain_shape(v->kid[i])) return false;
    return true;
}

static const struct lay_tiler *checked(struct sema *c, const struct lay_tiler *t, struct range at,
                                       const char *what) {
    if (!t) sema_lay_error(c, at, what);
    return t;
}

const struct lay_tiler *value_to_tiler(struct sema *c, const struct value *v, struct range at,
                                       const char *what) {
    if (v->kind == VAL_WILD) return lay_tiler_any(c->lay);
    if (v->kind == VAL_CALC && v->calc.kind == CALC_TILER) return v->calc.tiler;
    if (!names_none(c, v, at, what)) return NULL;
    if (value_is_layout(v)) return lay_tiler_layout(c->lay, v->calc.layout);
    if (plain_shape(v)) {
        const struct lay_tuple *t = value_to_tuple(c, v, at, what);
        return t ? checked(c, lay_tiler_shape(c->lay, t), at, what) : NULL;
    }
    if (v->kind == VAL_TUPLE) {
        const struct lay_tiler *kid[LAY_MAX_RANK];
        for (int i = 0; i < v->rank; ++i)
            if (!(kid[i] = value_to_tiler(c, v->kid[i], at, what))) return NULL;
        return checked(c, lay_tiler_modes(c->lay, v->rank, kid), at, what);
    }
    mismatch(c, v, at, what, "a tiler");
    return NULL;
}

bool value_to_calc(struct sema *c, const struct value *v, struct range at, const char *what,
                   struct calc_value *out) {
    switch (v->kind) {
    case VAL_NONE: return false;
    case VAL_CALC: *out = v->calc; return true;
    case VAL_INT: {
        struct lay_int i;
        if (!value_to_lay_int(c, v, at, what, &i)) return false;
        *out = calc_of_int(c->lay, i);
        return true;
    }
    case VAL_WILD: *out = calc_of_tuple(c->lay, lay_any(c->lay)); return true;
    case VAL_TUPLE: {
        if (!plain_shape(v) && !has_wild(v)) break;
        const struct lay_tuple *t = value_to_tuple(c, v, at, what);
        if (t) *out = calc_of_tuple(c->lay, t);
        return t != NULL;
    }
    case VAL_VIEW: {
        struct lay l = value_to_layout(c, v, at, what);
        *out = calc_of_layout(l);
        return lay_valid(l);
    }
    case VAL_ELEM:
        *out = (struct calc_value){.kind = CALC_BITS, .bits = v->elem->bits};
        return true;
    default: break;
    }
    if (v->kind == VAL_TUPLE) {  // it contains layouts: a tiler, mode by mode
        const struct lay_tiler *t = value_to_tiler(c, v, at, what);
        if (t) *out = calc_of_tiler(t);
        return t != NULL;
    }
    mismatch(c, v, at, what, "a layout, a tuple or an integer");
    return false;
}
