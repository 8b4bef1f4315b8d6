// The builtins: the operations of layout/calc_table.c in a plan.  An operation is the calculator's,
// unless it has a row here.
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/tile/tile.h"
#include "sema/view/viewfn.h"
#include "syntax/foreign.h"

enum { MOST_ARGS = 64 };

typedef const struct value *builtin_fn(struct sema *c, const struct call *call);

struct row {
    char name[20];
    builtin_fn *fn;
    bool lazy;  // gets the expression instead of values: tile(..)
    int names;  // the argument whose names the modes get: 1 the first, -1 the last; 0: none
};

// Applies the calculator's operation of the same name to static values.
static const struct value *calc_call(struct sema *c, const struct call *call) {
    struct calc_value arg[MOST_ARGS];
    for (int i = 0; i < call->n; ++i) {
        struct range at = call->e->arg[i].value->at;
        const char *what = sema_text(c, "argument %d of '%s'", i + 1, call->name);
        if (!value_to_calc(c, call->arg[i], at, what, &arg[i])) return &value_none;
    }
    lay_clear_error(c->lay);
    struct calc_value r = lay_calc(c->lay, call->name, call->n, arg);
    if (r.kind != CALC_NONE) return value_calc(c, r);
    if (suggest_failed(c, call)) return &value_none;
    const char *what = sema_text(c, "'%s'", call->name);
    if (c->lay->error && strstr(c->lay->error, what))  // the message already names it
        return FAIL(c, call->e->at, "%s", c->lay->error);
    sema_lay_error(c, call->e->at, what);
    return &value_none;
}

// The shape in row(4,8) or row((4,8)).
static const struct lay_tuple *shape_of_args(struct sema *c, const struct call *call) {
    const struct value *v = call->arg[0];
    if (call->n > 1 || v->kind != VAL_TUPLE || call->e->arg[0].key.name)
        v = value_tuple(c, call->n, call->arg, call->e->at);
    if (v->kind == VAL_NONE) return NULL;
    return value_to_tuple(c, names_drop(c, v), call->e->at,
                          sema_text(c, "the shape of '%s'", call->name));
}

static const struct value *compact(struct sema *c, const struct call *call, bool row) {
    const struct lay_tuple *shape = shape_of_args(c, call);
    if (!shape) return &value_none;
    lay_clear_error(c->lay);
    struct lay l = row ? lay_make_row(c->lay, shape) : lay_make_col(c->lay, shape);
    if (!lay_valid(l)) sema_lay_error(c, call->e->at, sema_text(c, "'%s'", call->name));
    const char *const *names;
    if (!names_of_args(c, call->e, &names)) return &value_none;
    if (!names && call->n == 1 && call->arg[0]->kind == VAL_TUPLE)
        return names_give(c, value_layout(c, l), call->arg[0]->names, call->arg[0]->rank);
    return names_give(c, value_layout(c, l), names, call->n);
}

static const struct value *row_call(struct sema *c, const struct call *call) {
    return compact(c, call, true);
}

static const struct value *col_call(struct sema *c, const struct call *call) {
    return compact(c, call, false);
}

// make_layout(S), make_layout(S, D), or make_layout of layouts, one for each mode.
static const struct value *make_layout_call(struct sema *c, const struct call *call) {
    bool named = call->n == 2 && call->arg[1]->kind == VAL_CALC &&
                 call->arg[1]->calc.kind == CALC_NAME;  // LayoutRight
    if (named) return calc_call(c, call);
    if (call->n == 2 && !value_is_layout(call->arg[0])) {
        struct range s_at = call->e->arg[0].value->at, d_at = call->e->arg[1].value->at;
        const struct lay_tuple *shape =
            value_to_tuple(c, names_drop(c, call->arg[0]), s_at, "the shape");
        const struct lay_tuple *stride = value_to_tuple(c, call->arg[1], d_at, "the stride");
        if (!shape || !stride) return &value_none;
        lay_clear_error(c->lay);
        struct lay l = lay_make(c->lay, shape, stride);
        if (!lay_valid(l)) sema_lay_error(c, call->e->at, "the layout");
        return names_from(c, value_layout(c, l), call->arg[0]);
    }
    struct lay mode[MOST_ARGS];
    for (int i = 0; i < call->n; ++i) {
        const struct value *v = call->n == 1 ? names_drop(c, call->arg[i]) : call->arg[i];
        mode[i] = value_to_layout(c, v, call->e->arg[i].value->at,
                                  sema_text(c, "argument %d of 'make_layout'", i + 1));
        if (!lay_valid(mode[i])) return &value_none;
    }
    if (call->n == 1 && !value_is_layout(call->arg[0]))
        return names_from(c, value_layout(c, mode[0]), call->arg[0]);
    lay_clear_error(c->lay);
    struct lay l = lay_join(c->lay, call->n, mode);
    if (!lay_valid(l)) sema_lay_error(c, call->e->at, "'make_layout'");
    return value_layout(c, l);
}

// ceil_div of integers, including params.  That of tuples is the calculator's.
static const struct value *ceil_div_call(struct sema *c, const struct call *call) {
    const struct value *a = value_unwrap(call->arg[0]), *b = value_unwrap(call->arg[1]);
    if (a->kind != VAL_INT || b->kind != VAL_INT) return calc_call(c, call);
    struct lay_int x, by;
    if (!value_to_lay_int(c, a, call->e->arg[0].value->at, "the dividend", &x) ||
        !value_to_lay_int(c, b, call->e->arg[1].value->at, "the divisor", &by))
        return &value_none;
    if (lay_int_static(by) && by.num <= 0)
        return FAIL(c, call->e->arg[1].value->at,
                    by.num ? "the divisor must be positive" : "division by zero");
    lay_clear_error(c->lay);
    struct lay_int q = lay_int_ceil_div(c->lay, x, by);
    if (lay_int_valid(q)) return value_lay_int(c, q);
    sema_lay_error(c, call->e->at, "'ceil_div'");
    return &value_none;
}

static const struct value *crd2idx_call(struct sema *c, const struct call *call) {
    // a coordinate known only at run time needs an index expression
    const struct value *i = value_unwrap(call->arg[0]);
    if (call->n == 2 && i->kind == VAL_INT && !ix_constant(i->ix)) {
        struct range at = call->e->arg[1].value->at;
        struct lay l = value_to_layout(c, call->arg[1], at, "argument 2 of 'crd2idx'");
        if (!lay_valid(l)) return &value_none;
        const struct ix *r = view_crd2idx(c->s, i->ix, l.shape, l.stride);
        if (l.sw.b || !r)
            return FAIL(c, call->e->at, "the offset of '%s' cannot be formed",
                        ix_text(c->s, i->ix));
        return value_written_out(c, r, call->e->at);
    }
    return calc_call(c, call);
}

// recast(L, f16, f32): a layout of f16 elements as one of f32.
static const struct value *recast_call(struct sema *c, const struct call *call) {
    bool view = call->arg[0]->kind == VAL_CALC && call->arg[0]->calc.kind == CALC_VIEW;
    struct lay l = {0};
    if (!view)
        l = value_to_layout(c, call->arg[0], call->e->arg[0].value->at, "argument 1 of 'recast'");
    if (!view && !lay_valid(l)) return &value_none;
    for (int i = 1; i < 3; ++i) {
        if (call->arg[i]->kind == VAL_ELEM) continue;
        const char *text = ast_expr_text(c->s, call->e->arg[i].value), *near = foreign_type(text);
        if (near)
            return FAIL(c, call->e->arg[i].value->at,
                        "'%s' is not an element type; did you mean '%s'?", text, near);
        return FAIL(c, call->e->arg[i].value->at,
                    "argument %d of 'recast' must be an element type, not %s", i + 1,
                    value_kind_text(call->arg[i]));
    }
    if (view) return calc_call(c, call);
    lay_clear_error(c->lay);
    l = lay_recast(c->lay, l, call->arg[1]->elem->bits, call->arg[2]->elem->bits);
    if (!lay_valid(l)) sema_lay_error(c, call->e->at, "'recast'");
    return value_layout(c, l);
}

static const struct value *tile_lazy(struct sema *c, const struct call *call) {
    return tile_call(c, call->e);
}

// Operations that a plan handles differently from the calculator, or that only plans have; sorted
// by name.
static const struct row rows[] = {
    {"append", view_call, false, 0},
    {"ceil_div", ceil_div_call, false, 0},
    {"coalesce", view_call, false, 0},
    {"col", col_call, false, 0},
    {"col_major", col_call, false, 0},
    {"composition", view_call, false, -1},
    {"crd2idx", crd2idx_call, false, 0},
    {"equivalent", prop_call, false, 0},
    {"filter", view_filter, false, 0},
    {"filter_zeros", view_filter, false, 0},
    {"flat_divide", view_call, false, 0},
    {"flatten", view_call, false, 0},
    {"get", view_call, false, 0},
    {"group_modes", view_call, false, 0},
    {"instructions", prop_call, false, 0},
    {"local_partition", view_local_partition, false, 0},
    {"local_tile", view_local_tile, false, 0},
    {"logical_divide", view_call, false, 0},
    {"make_layout", make_layout_call, false, 0},
    {"make_layout_like", calc_call, false, 1},
    {"make_ordered_layout", calc_call, false, 1},
    {"mma", mma_call, true, 0},
    {"operand_A", operand_call, false, 0},
    {"operand_B", operand_call, false, 0},
    {"operand_C", operand_call, false, 0},
    {"partition_dst", view_partition, false, 0},
    {"partition_src", view_partition, false, 0},
    {"prepend", view_call, false, 0},
    {"recast", recast_call, false, 0},
    {"replace", view_call, false, 0},
    {"requests_total", prop_call, false, 0},
    {"retile", view_retile, false, 0},
    {"rounds", prop_call, false, 0},
    {"row", row_call, false, 0},
    {"row_major", row_call, false, 0},
    {"sectors", prop_call, false, 0},
    {"sectors_total", prop_call, false, 0},
    {"select", view_call, false, 0},
    {"slice", view_call, false, 0},
    {"smem_bytes", prop_call, false, 0},
    {"take", view_call, false, 0},
    {"threads", prop_call, false, 0},
    {"tile", tile_lazy, true, 0},
    {"tile_to_shape", calc_call, false, 2},
    {"tiled_divide", view_call, false, 0},
    {"tiler", prop_call, false, 0},
    {"tv", prop_call, false, 0},
    {"tv_dst", prop_call, false, 0},
    {"tv_src", prop_call, false, 0},
    {"vector_bits", prop_call, false, 0},
    {"wavefronts", prop_call, false, 0},
    {"wavefronts_total", prop_call, false, 0},
    {"with_shape", view_call, false, 2},
    {"zip", view_call, false, 0},
    {"zipped_divide", view_call, false, 0},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

// Finds the operation "name" if plans have it.
static bool find(const char *name, struct calc_operation *out) {
    return calc_known(name, out) && out->where != IN_CUTE;
}

static const struct row *find_row(const char *name) {
    static const struct row calculated = {"", calc_call, false, 0};
    int lo = 0, hi = N_ROWS;
    while (lo < hi) {
        int mid = (lo + hi) / 2, d = strcmp(name, rows[mid].name);
        if (d == 0) return &rows[mid];
        if (d < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return &calculated;
}

bool builtin_later(const char *name) {
    static const char names[][16] = {"sectors", "wavefronts"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

bool builtin_has(const struct sema *c, const char *name) {
    return c->alone ? calc_known(name, NULL) : builtin_known(name);
}

bool builtin_known(const char *name) {
    struct calc_operation op;
    return find(name, &op);
}

void builtin_names(const char **names, int *n, int cap) {
    struct calc_operation op;
    for (int i = 0; *n < cap && calc_operation(i, &op); ++i)
        if (op.where != IN_CUTE) names[(*n)++] = op.name;
    for (int i = 0; i < n_atom_rows && *n < cap; ++i) names[(*n)++] = atom_rows[i].name;
}

// Reports keyword arguments, as in make_layout(S, stride=D).
static const struct value *no_keys(struct sema *c, const struct calc_operation *op,
                                   const struct ast_expr *e, int i) {
    static const struct {
        char key[8];
        int place;  // of the argument with this name in CuTe DSL
    } keys[] = {{"shape", 0}, {"stride", 1}, {"order", 1}, {"tiler", 1}, {"coord", 2}};
    const struct ast_arg *a = &e->arg[i];
    diag_error(c->s, a->key.at,
               "'%s' has no argument called '%s'; its arguments are, in this order, %s%s", op->name,
               a->key.name, op->name, op->args);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
        if (strcmp(keys[k].key, a->key.name) == 0 && keys[k].place == i)
            diag_fixit(c->s, (struct range){a->key.at.file, a->key.at.begin, a->value->at.begin},
                       "");
    return &value_none;
}

const struct value *builtin_call(struct sema *c, const char *name, const struct ast_expr *e) {
    struct calc_operation op;
    if (!builtin_has(c, name) || !calc_known(name, &op)) BUG("no operation '%s'", name);
    const struct row *row = find_row(name);
    struct call call = {.e = e, .name = name, .n = e->nargs};
    if (row->lazy) return row->fn(c, &call);
    const struct value *arg[MOST_ARGS];
    for (int i = 0; i < e->nargs; ++i)
        if (e->arg[i].key.name && row->fn != row_call && row->fn != col_call)
            return no_keys(c, &op, e, i);
    int most = op.max < MOST_ARGS ? op.max : MOST_ARGS;
    if (e->nargs < op.min || e->nargs > most) {
        bool over = e->nargs > most;
        diag_error(c->s, e->at, "'%s' takes %s%d argument%s, %s%s; here %s %d", name,
                   op.min == most ? ""
                   : over         ? "at most "
                                  : "at least ",
                   over ? most : op.min, (over ? most : op.min) == 1 ? "" : "s", name, op.args,
                   e->nargs == 1 ? "is" : "are", e->nargs);
        return &value_none;
    }
    bool whole = true;
    for (int i = 0; i < e->nargs; ++i) {
        arg[i] = eval(c, e->arg[i].value);
        if (row->fn == row_call || row->fn == col_call)
            arg[i] = empty_extents(c, arg[i], e->arg[i].value->at);
        whole &= arg[i]->kind != VAL_NONE;
    }
    call.arg = arg;
    if (!whole || suggest_exchanged(c, &call) || !names_sort_args(c, &call, arg))
        return &value_none;
    int of = row->names < 0 ? e->nargs - 1 : row->names - 1;  // the argument whose names are kept
    const struct value *named = row->names ? arg[of] : NULL;
    if (named && named->kind == VAL_TUPLE) arg[of] = names_drop(c, named);
    const struct value *made = row->fn(c, &call);
    return named ? names_from(c, made, named) : made;
}
