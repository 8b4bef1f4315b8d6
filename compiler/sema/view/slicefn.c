// Slices: converts values to coordinates, and handles what is before the parentheses.
#include "sema/expr/expr.h"
#include "sema/view/viewfn.h"

struct coord *coord_of_value(struct sema *c, const struct value *v, struct range at) {
    struct coord *r = ARENA_NEW(&c->s->arena, struct coord);
    r->rank = -1;
    if (v->kind == VAL_WILD) return r;
    if (v->kind == VAL_INT) {
        r->ix = v->ix;
        return r;
    }
    if (v->kind == VAL_RANGE) {
        r->ix = v->ix;
        r->end = v->end;
        return r;
    }
    if (v->kind != VAL_TUPLE) {
        if (v->kind != VAL_NONE)
            diag_error(c->s, at, "a coordinate consists of integers and '_', not of %s",
                       value_kind_text(v));
        if (v->kind == VAL_VIEW)
            diag_note(c->s, at,
                      "which elements a copy reads cannot depend on what a tensor holds: there is "
                      "no gather");
        return NULL;
    }
    if (!names_none(c, v, at, "a coordinate")) return NULL;
    struct coord *kid = ARENA_ARRAY(&c->s->arena, struct coord, v->rank + 1);
    for (int i = 0; i < v->rank; ++i) {
        struct coord *one = coord_of_value(c, v->kid[i], at);
        if (!one) return NULL;
        kid[i] = *one;
    }
    r->rank = v->rank;
    r->kid = kid;
    return r;
}

// What "e" slices from "v", if a copy of all of "v" can be written instead.
static const struct sliced *slice_written(struct sema *c, const struct view *v,
                                          const struct coord *crd, const struct ast_expr *e) {
    for (int i = 0; i < crd->rank; ++i)
        if (crd->kid[i].rank >= 0 || crd->kid[i].end) return NULL;
    if (e->kind != E_CALL || crd->rank < 2) return NULL;
    struct view *of = ARENA_NEW(&c->s->arena, struct view);
    struct sliced *x = ARENA_NEW(&c->s->arena, struct sliced);
    *of = *v;
    *x = (struct sliced){of, crd, e->lhs->at};
    return x;
}

const struct value *view_sliced(struct sema *c, struct view v, const struct coord *crd,
                                const struct ast_expr *e) {
    struct view part = crd ? view_slice(c->s, v, crd, e->at) : v;
    if (crd && !lay_valid(part.layout) && v.base->stages && lay_valid(v.layout) &&
        crd->rank == lay_rank(v.base->layout) && crd->rank == lay_rank(v.layout) + 1)
        diag_note(c->s, e->at, "in a pipeline '%s' is the slot of its step, without a coordinate",
                  v.base->name);
    if (!crd || !lay_valid(part.layout)) return &value_none;
    part.sliced = slice_written(c, &v, crd, e);
    return value_view(c, part);
}

bool view_closed(struct sema *c, const struct view *v, struct range at) {
    if (!view_is_open(v)) return true;
    diag_error(
        c->s, at,
        "the extent of this range of '%s' is known only at run time; cut it with local_tile and "
        "a grid or a loop first",
        v->base->name);
    return false;
}

static bool has_range(const struct value *v) {
    bool found = v->kind == VAL_RANGE;
    for (int i = 0; v->kind == VAL_TUPLE && i < v->rank; ++i) found |= has_range(v->kid[i]);
    return found;
}

// Handles "X(b: 3)" and "X(b == 3)" for a mode named b.
static bool for_named(struct sema *c, const struct view *v, const struct ast_expr *x) {
    bool said = x->kind == E_LAYOUT || (x->kind == E_BINARY && x->op == OP_EQ), has = false;
    if (!said || x->lhs->kind != E_NAME || !v->names || !lay_valid(v->layout)) return false;
    for (int i = 0; i < lay_rank(v->layout); ++i) has |= v->names[i] == x->lhs->name;
    if (!has) return false;
    diag_error(c->s, x->at, "the coordinate of a named mode is '%s=%s'", x->lhs->name,
               ast_expr_text(c->s, x->rhs));
    diag_fixit(c->s, (struct range){x->at.file, x->lhs->at.end, x->rhs->at.begin}, "=");
    return true;
}

// Handles "A(10:60, _)", other languages' notation of a range.
static bool colon_for_range(struct sema *c, const struct view *v, const struct ast_expr *e) {
    bool found = false;
    for (int i = 0; i < e->nargs; ++i) {
        const struct ast_expr *x = e->arg[i].value;
        bool named = for_named(c, v, x);
        found |= named;
        const struct ast_expr *l = x;  // "a:b + 1" is the sum of the layout "a:b" and 1
        while (l->kind == E_BINARY) l = l->lhs;
        if (l->kind != E_LAYOUT || named) continue;
        found = true;
        struct range colon = {x->at.file, l->lhs->at.end, l->rhs->at.begin};
        const char *text = c->s->sources.file[x->at.file].text;
        diag_error(c->s, x->at, "'%s' is a layout; the range of a mode is '%s .. %.*s'",
                   ast_expr_text(c->s, l), ast_expr_text(c->s, l->lhs),
                   (int)(x->at.end - colon.end), text + colon.end);
        diag_fixit(c->s, colon, " .. ");
    }
    return found;
}

// Whether "e" is a number times one variable, so that it reaches its maximum.
static bool of_one_variable(const struct ix *e) {
    if (e->op == IX_SUM && e->nterms == 1) e = e->term[0].atom;
    return e && e->op == IX_VAR;
}

// Handles "A(64*block.x .. 64, _)", a begin and a count, as the begin is beyond the end.
static bool count_for_end(struct sema *c, const struct ast_expr *e) {
    for (int i = 0; i < e->nargs; ++i) {
        const struct ast_expr *x = e->arg[i].value;
        if (x->kind != E_RANGE) continue;
        const struct value *from = eval(c, x->lhs), *to = eval(c, x->rhs);
        int64_t n;
        if (from->kind != VAL_INT || to->kind != VAL_INT || !ix_static(to->ix, &n) ||
            !of_one_variable(from->ix) || from->ix->hi < n)
            continue;
        const char *begin = ast_expr_text(c->s, x->lhs), *count = ast_expr_text(c->s, x->rhs);
        diag_error(c->s, x->at, "a range has a begin and an end, not a count: '%s .. %s + %s'",
                   begin, begin, count);
        diag_fixit(c->s, (struct range){x->at.file, x->rhs->at.begin, x->rhs->at.begin},
                   sema_text(c, "%s + ", begin));
        return true;
    }
    return false;
}

const struct value *eval_slice(struct sema *c, const struct value *f, const struct ast_expr *e) {
    if (f->kind == VAL_TUPLE) {
        const struct value *shape = f;
        f = value_layout(c, value_to_layout(c, names_drop(c, f), e->lhs->at, "what is sliced"));
        if (f->kind == VAL_NONE) return f;
        f = names_from(c, f, shape);
    }
    bool view = f->kind == VAL_VIEW;
    if (!view && !value_is_layout(f) && !(f->kind == VAL_CALC && f->calc.kind == CALC_SWIZZLE))
        return FAIL(c, e->lhs->at, "%s cannot be called or sliced", value_kind_text(f));
    const struct value *arg[LAY_MAX_RANK];
    if (e->nargs > LAY_MAX_RANK || e->nargs == 0)
        return FAIL(c, e->at, "a coordinate has 1 .. %d parts, not %d", LAY_MAX_RANK, e->nargs);
    bool named = false;
    for (int i = 0; i < e->nargs; ++i) named |= e->arg[i].key.name != NULL;
    if (named && view && !view_whole(c, &f->view, e->lhs->at)) return &value_none;
    if (view && (colon_for_range(c, &f->view, e) || count_for_end(c, e))) return &value_none;
    for (int i = 0; i < e->nargs && !named; ++i) {
        arg[i] = eval(c, e->arg[i].value);
        if (arg[i]->kind == VAL_NONE) return &value_none;
    }
    const struct value *at = named           ? names_coord(c, f, e)
                             : e->nargs == 1 ? arg[0]
                                             : value_tuple(c, e->nargs, arg, e->at);
    if (at->kind == VAL_NONE) return at;
    if (view) {
        if (!view_whole(c, &f->view, e->lhs->at)) return &value_none;
        at = names_sort(c, at, f, e->nargs == 1 ? e->arg[0].value : e, NULL);
        if (at->kind == VAL_NONE) return at;
        return view_sliced(c, f->view, coord_of_value(c, at, e->at), e);
    }
    if (value_is_layout(f)) at = names_sort(c, at, f, e->nargs == 1 ? e->arg[0].value : e, NULL);
    if (at->kind == VAL_NONE) return at;
    if (has_range(at))
        return FAIL(c, e->at,
                    "a range cuts a tensor; a part of a layout is a composition: L o <4:1, _>");
    struct calc_value in[2];
    const struct value *i = value_unwrap(at);
    if (value_is_layout(f) && i->kind == VAL_INT && !ix_constant(i->ix) && !f->calc.layout.sw.b) {
        const struct ix *r = view_crd2idx(c->s, i->ix, f->calc.layout.shape, f->calc.layout.stride);
        if (!r) return FAIL(c, e->at, "the value at '%s' cannot be formed", ix_text(c->s, i->ix));
        return value_written_out(c, r, e->at);
    }
    if (!value_to_calc(c, f, e->lhs->at, "what is called", &in[0]) ||
        !value_to_calc(c, at, e->at, "the coordinate", &in[1]))
        return &value_none;
    lay_clear_error(c->lay);
    if (!value_is_layout(f)) {
        int64_t x;
        if (i->kind == VAL_TUPLE || value_is_layout(i)) {
            diag_error(
                c->s, e->at,
                "a swizzle is called with an integer; before a layout, write 'Sw<..> o 0 o'");
            diag_fixit(c->s, (struct range){e->at.file, e->lhs->at.end, e->lhs->at.end}, " o 0 o ");
            return &value_none;
        }
        if (!value_to_int64(c, at, e->at, "the argument of a swizzle", &x)) return &value_none;
        return value_static(c, lay_swizzle_apply(f->calc.swizzle, x));
    }
    struct calc_value r = lay_calc(c->lay, "slice", 2, in);
    if (r.kind == CALC_NONE) {
        sema_lay_error(c, e->at, "the slice");
        return &value_none;
    }
    if (lay_tuple_leaves(r.layout.shape) == 0 && r.offset.n <= 1)
        return value_lay_int(c, lay_sum_int(c->lay, r.offset));
    // with basis elements as strides, the value is a coordinate
    if (lay_tuple_leaves(r.layout.shape) == 0) {
        struct calc_value to[2] = {in[1], in[0]}, crd = lay_calc(c->lay, "crd2idx", 2, to);
        if (crd.kind == CALC_TUPLE) return value_calc(c, crd);
        lay_clear_error(c->lay);
    }
    return value_calc(c, r);
}
