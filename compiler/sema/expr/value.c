// Makes values and tests their kinds.  convert.c has conversions.
#include "sema/expr/value.h"

#include "plan/print.h"
#include "sema/state.h"

const struct value value_none = {.kind = VAL_NONE};

static struct value *make(struct sema *c, enum value_kind kind) {
    struct value *v = ARENA_NEW(&c->s->arena, struct value);
    v->kind = kind;
    return v;
}

const struct value *value_int(struct sema *c, const struct ix *ix) {
    if (!ix) BUG("an integer without an expression");
    struct value *v = make(c, VAL_INT);
    v->ix = ix;
    return v;
}

// Each name in a chain may use the one before it twice, which doubles the size.
enum { MOST_SIZE = 256 };

const struct value *value_written_out(struct sema *c, const struct ix *ix, struct range at) {
    if (ix->size <= MOST_SIZE) return value_int(c, ix);
    return FAIL(
        c, at,
        "this expression is too long: with each name replaced by what it stands for, it has "
        "%s%d variables, numbers and operations; the limit is %d",
        ix->size == IX_HUGE ? "more than " : "", ix->size, MOST_SIZE);
}

const struct value *value_range(struct sema *c, const struct ix *begin, const struct ix *end) {
    struct value *v = make(c, VAL_RANGE);
    v->ix = begin;
    v->end = end;
    return v;
}

const struct value *value_static(struct sema *c, int64_t i) {
    return value_int(c, ix_int(c->s, i));
}

const struct value *value_lay_int(struct sema *c, struct lay_int i) {
    if (i.basis >= 0) {
        struct value *v = make(c, VAL_CALC);
        v->calc = calc_of_int(c->lay, i);
        return v;
    }
    return value_int(c, ix_lay(c->s, i));
}

const struct value *value_tuple(struct sema *c, int rank, const struct value *const *kid,
                                struct range at) {
    struct value *v = make(c, VAL_TUPLE);
    const struct value **copy = ARENA_ARRAY(&c->s->arena, const struct value *, rank + 1);
    for (int i = 0; i < rank; ++i) {
        if (kid[i]->kind == VAL_NONE) return &value_none;
        copy[i] = kid[i];
        bool tuple = kid[i]->kind == VAL_TUPLE;
        v->leaves += tuple ? kid[i]->leaves : 1;
        if (tuple && kid[i]->depth > v->depth) v->depth = kid[i]->depth;
    }
    v->depth++;
    v->rank = rank;
    v->kid = copy;
    if (rank > LAY_MAX_RANK || v->leaves > LAY_MAX_LEAVES)
        return FAIL(c, at,
                    "a tuple of %d modes with %d integers; the limits are %d modes and %d integers",
                    rank, v->leaves, LAY_MAX_RANK, LAY_MAX_LEAVES);
    if (v->depth > LAY_MAX_DEPTH)
        return FAIL(c, at, "tuples nested %d deep; the limit is %d", v->depth, LAY_MAX_DEPTH);
    return v;
}

const struct value *value_of_tuple(struct sema *c, const struct lay_tuple *t) {
    if (!t) return &value_none;
    if (lay_is_any(t)) return make(c, VAL_WILD);
    if (lay_is_leaf(t)) return value_lay_int(c, t->leaf);
    const struct value *kid[LAY_MAX_RANK];
    if (t->rank > LAY_MAX_RANK) BUG("a tuple of rank %d", t->rank);
    for (int i = 0; i < t->rank; ++i) kid[i] = value_of_tuple(c, t->kid[i]);
    return value_tuple(c, t->rank, kid, RANGE_NONE);
}

const struct value *value_calc(struct sema *c, struct calc_value calc) {
    switch (calc.kind) {
    case CALC_NONE: return &value_none;
    case CALC_INT: return value_lay_int(c, calc.tuple->leaf);
    case CALC_TUPLE: return value_of_tuple(c, calc.tuple);
    default: break;
    }
    struct value *v = make(c, VAL_CALC);
    v->calc = calc;
    return v;
}

const struct value *value_layout(struct sema *c, struct lay l) {
    return lay_valid(l) ? value_calc(c, calc_of_layout(l)) : &value_none;
}

const struct value *value_bool(struct sema *c, bool truth) {
    return value_calc(c, calc_of_bool(truth));
}

const struct value *value_view(struct sema *c, struct view view) {
    struct value *v = make(c, VAL_VIEW);
    v->view = view;
    return v;
}

const struct value *value_unwrap(const struct value *v) {
    while (v->kind == VAL_TUPLE && v->rank == 1 && !v->names) v = v->kid[0];
    return v;
}

bool value_is_layout(const struct value *v) {
    return v->kind == VAL_CALC && v->calc.kind == CALC_LAYOUT;
}

bool value_is_bool(const struct value *v, bool *truth) {
    if (v->kind != VAL_CALC || v->calc.kind != CALC_BOOL) return false;
    *truth = v->calc.truth;
    return true;
}

bool value_is_static(const struct value *v, int64_t *out) {
    v = value_unwrap(v);
    return v->kind == VAL_INT && ix_static(v->ix, out);
}

const char *value_kind_text(const struct value *v) {
    switch (v->kind) {
    case VAL_NONE: return "nothing";
    case VAL_INT: return "an integer";
    case VAL_WILD: return "'_'";
    case VAL_RANGE: return "a range";
    case VAL_TUPLE: return "a tuple";
    case VAL_VIEW: return "a tensor";
    case VAL_ATOM: return "an atom";
    case VAL_TILED: return "a tiled copy";
    case VAL_MMA: return "a tiled MMA";
    case VAL_ELEM: return "an element type";
    case VAL_KERNEL: return "a kernel";
    case VAL_COPY: return "a label";
    case VAL_SIDE: return "a side of a copy";
    case VAL_PROP: return "a property of a copy";
    case VAL_CALC: break;
    }
    switch (v->calc.kind) {
    case CALC_LAYOUT: return "a layout";
    case CALC_VIEW: return "a layout with an offset";
    case CALC_TILER: return "a tiler";
    case CALC_BOOL: return "a comparison";
    case CALC_SWIZZLE: return "a swizzle";
    case CALC_BITS: return "a width";
    case CALC_INT: return "a basis element";
    default: return "a value";
    }
}

static void print(struct sema *c, struct buf *b, const struct value *v) {
    switch (v->kind) {
    case VAL_INT: buf_puts(b, ix_text(c->s, v->ix)); return;
    case VAL_WILD: buf_char(b, '_'); return;
    case VAL_RANGE: buf_printf(b, "%s .. %s", ix_text(c->s, v->ix), ix_text(c->s, v->end)); return;
    case VAL_TUPLE:
        buf_char(b, '(');
        for (int i = 0; i < v->rank; ++i) {
            if (i) buf_char(b, ',');
            print(c, b, v->kid[i]);
        }
        buf_char(b, ')');
        return;
    case VAL_CALC: {
        const char *text = calc_text(c->lay, v->calc, CALC_STYLE_TCP);
        buf_puts(b, text ? text : "?");
        return;
    }
    case VAL_VIEW: plan_print_layout(c->s, v->view.offset, v->view.layout, b); return;
    case VAL_ELEM: buf_puts(b, v->elem->name); return;
    case VAL_TILED: buf_puts(b, v->tc->name ? v->tc->name : "tile(..)"); return;
    default: buf_puts(b, value_kind_text(v)); return;
    }
}

const char *value_text(struct sema *c, const struct value *v) {
    struct buf b;
    buf_init(&b);
    print(c, &b, v);
    return buf_finish(&b, &c->s->arena);
}
