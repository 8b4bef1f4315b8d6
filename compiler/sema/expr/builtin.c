// The builtins: one row each, and those that hand over to the layout calculator.
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/tile/tile.h"
#include "sema/view/viewfn.h"

enum { MOST_ARGS = 64 };

typedef const struct value *builtin_fn(struct sema *c, const struct call *call);

struct row {
    char name[20];
    signed char min, max;  // arguments; max -1: any number, 0: as the calculator has it
    bool lazy;             // gets the expression, not values: tile(..)
    char args[44];
    builtin_fn *fn;
    char help[88];
    int names;  // the argument whose names the modes have: 1 the first, -1 the last; 0: none
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
    sema_lay_error(c, call->e->at, sema_text(c, "'%s'", call->name));
    return &value_none;
}

// The shape that row(4,8) or row((4,8)) names.
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

// make_layout(S), make_layout(S, D), or make_layout of layouts, one a mode.
static const struct value *make_layout_call(struct sema *c, const struct call *call) {
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
    if (call->n == 1) return names_from(c, value_layout(c, mode[0]), call->arg[0]);
    lay_clear_error(c->lay);
    struct lay l = lay_join(c->lay, call->n, mode);
    if (!lay_valid(l)) sema_lay_error(c, call->e->at, "'make_layout'");
    return value_layout(c, l);
}

// ceil_div of integers, which params may be part of; of tuples it is the calculator's.
static const struct value *ceil_div_call(struct sema *c, const struct call *call) {
    const struct value *a = value_unwrap(call->arg[0]), *b = value_unwrap(call->arg[1]);
    if (a->kind != VAL_INT || b->kind != VAL_INT) return calc_call(c, call);
    struct lay_int x, by;
    if (!value_to_lay_int(c, a, call->e->arg[0].value->at, "the dividend", &x) ||
        !value_to_lay_int(c, b, call->e->arg[1].value->at, "the divisor", &by))
        return &value_none;
    if (lay_int_static(by) && by.num <= 0)
        return FAIL(c, call->e->arg[1].value->at,
                    by.num ? "the divisor has to be positive" : "division by zero");
    lay_clear_error(c->lay);
    struct lay_int q = lay_int_ceil_div(c->lay, x, by);
    if (lay_int_valid(q)) return value_lay_int(c, q);
    sema_lay_error(c, call->e->at, "'ceil_div'");
    return &value_none;
}

static const struct value *crd2idx_call(struct sema *c, const struct call *call) {
    // a coordinate that is known only when running goes through the index expressions
    const struct value *i = value_unwrap(call->arg[0]);
    if (call->n == 2 && i->kind == VAL_INT && !ix_constant(i->ix)) {
        struct range at = call->e->arg[1].value->at;
        struct lay l = value_to_layout(c, call->arg[1], at, "argument 2 of 'crd2idx'");
        if (!lay_valid(l)) return &value_none;
        const struct ix *r = view_crd2idx(c->s, i->ix, l.shape, l.stride);
        if (l.sw.b || !r)
            return FAIL(c, call->e->at, "the offset of '%s' cannot be formed",
                        ix_text(c->s, i->ix));
        return value_int(c, r);
    }
    return calc_call(c, call);
}

// recast(L, f16, f32): a layout of f16 elements as one of f32.
static const struct value *recast_call(struct sema *c, const struct call *call) {
    struct lay l =
        value_to_layout(c, call->arg[0], call->e->arg[0].value->at, "argument 1 of 'recast'");
    if (!lay_valid(l)) return &value_none;
    for (int i = 1; i < 3; ++i)
        if (call->arg[i]->kind != VAL_ELEM)
            return FAIL(c, call->e->arg[i].value->at,
                        "argument %d of 'recast' is %s; an element type is expected", i + 1,
                        value_kind_text(call->arg[i]));
    lay_clear_error(c->lay);
    l = lay_recast(c->lay, l, call->arg[1]->elem->bits, call->arg[2]->elem->bits);
    if (!lay_valid(l)) sema_lay_error(c, call->e->at, "'recast'");
    return value_layout(c, l);
}

static const struct value *tile_lazy(struct sema *c, const struct call *call) {
    return tile_call(c, call->e);
}

// An operation of the calculator's table, which knows how many arguments it takes.
#define CALCULATED 0, 0, false

static const struct row rows[] = {
    {"append", CALCULATED, "(L, M)", view_call, "a further mode at the end"},
    {"blocked_product", CALCULATED, "(A, B)", calc_call, "copies of A in blocks, mode by mode"},
    {"ceil_div", CALCULATED, "(a, b)", ceil_div_call, "a / b rounded up"},
    {"coalesce", CALCULATED, "(L [, profile])", view_call, "the same function with fewest modes"},
    {"col", CALCULATED, "(s0, s1, ..)", col_call, "compact, the first mode contiguous"},
    {"col_major", CALCULATED, "(s0, s1, ..)", col_call, "compact, the first mode contiguous"},
    {"compatible", CALCULATED, "(S, T)", calc_call, "whether each coordinate of S is one of T"},
    {"complement", CALCULATED, "(A [, n])", calc_call, "what A leaves out of 0 .. n"},
    {"composition", CALCULATED, "(A, B, ..)", view_call, "A after B", -1},
    {"congruent", CALCULATED, "(S, T)", calc_call, "whether both nest alike"},
    {"cosize", CALCULATED, "(L [, mode])", calc_call, "the greatest value and one"},
    {"crd2idx", CALCULATED, "(coord, L)", crd2idx_call, "the value at a coordinate"},
    {"depth", CALCULATED, "(L [, mode])", calc_call, "the levels of nesting"},
    {"dice", CALCULATED, "(coord, L)", calc_call, "the modes for which coord has a number"},
    {"downcast", CALCULATED, "(L, n)", calc_call, "in elements n times as narrow"},
    {"equivalent", 2, 2, false, "(k1, k2)", prop_call,
     "whether two kernels move the same by the same threads"},
    {"filter", CALCULATED, "(L [, profile])", view_filter, "without modes of size 1 or stride 0"},
    {"filter_zeros", CALCULATED, "(L)", view_filter, "with size 1 where the stride is 0"},
    {"flat_divide", CALCULATED, "(A, tiler)", view_call, "(T0,T1,..,R0,R1,..)"},
    {"flat_product", CALCULATED, "(A, tiler)", calc_call, "(A0,A1,..,B0,B1,..)"},
    {"flatten", CALCULATED, "(L)", view_call, "without nesting"},
    {"get", CALCULATED, "(L, i)", view_call, "mode i"},
    {"group_modes", CALCULATED, "(L, b, e)", view_call, "modes b to e as one"},
    {"idx2crd", CALCULATED, "(i, S)", calc_call, "the coordinate in S of number i"},
    {"instructions", 1, 1, false, "(ld)", prop_call, "accesses a thread makes in a copy"},
    {"left_inverse", CALCULATED, "(L)", calc_call, "R with R(L(i)) = i"},
    {"local_partition", CALCULATED, "(A, thr, i)", view_local_partition,
     "what thread i of the layout thr takes of A, strided"},
    {"local_tile", CALCULATED, "(A, tiler, coord)", view_local_tile, "one tile of A"},
    {"logical_divide", CALCULATED, "(A, tiler)", view_call, "((T0,R0),(T1,R1),..)"},
    {"logical_product", CALCULATED, "(A, tiler)", calc_call, "(A, copies)"},
    {"make_layout", CALCULATED, "(S [, D]) or (L0, L1, ..)", make_layout_call,
     "of a shape and a stride, or of a layout a mode"},
    {"make_ordered_layout", CALCULATED, "(S, order)", calc_call, "compact, modes in that order", 1},
    {"max_alignment", CALCULATED, "(L)", calc_call, "elements by which every run is aligned"},
    {"max_common_layout", CALCULATED, "(A, B)", calc_call, "where both are contiguous"},
    {"max_common_vector", CALCULATED, "(A, B)", calc_call, "elements contiguous in both"},
    {"mma", 1, -1, true, "(SHAPE.D.A.B.C, warps=L, tile=S)", mma_call,
     "an instruction for several warps"},
    {"nullspace", CALCULATED, "(L)", calc_call, "coordinates that change nothing"},
    {"operand_A", 1, 1, false, "(mma)", operand_call, "(thread, value) to element of A"},
    {"operand_B", 1, 1, false, "(mma)", operand_call, "(thread, value) to element of B"},
    {"operand_C", 1, 1, false, "(mma)", operand_call, "(thread, value) to element of C, and of D"},
    {"partition_dst", 2, 2, false, "(tc, D)", view_partition, "what a thread of tc writes of D"},
    {"partition_src", 2, 2, false, "(tc, S)", view_partition, "what a thread of tc reads of S"},
    {"prepend", CALCULATED, "(L, M)", view_call, "a further mode at the beginning"},
    {"product_each", CALCULATED, "(S)", calc_call, "the size of each mode"},
    {"raked_product", CALCULATED, "(A, B)", calc_call, "copies of A interleaved, mode by mode"},
    {"rank", CALCULATED, "(L [, mode])", calc_call, "the number of modes"},
    {"recast", CALCULATED, "(L, from, to)", recast_call, "in elements of another width"},
    {"replace", CALCULATED, "(L, i, M)", view_call, "with M as mode i"},
    {"requests_total", 1, 1, false, "(ld.src)", prop_call, "requests of a block to global memory"},
    {"retile", 2, 2, false, "(tc, r)", view_retile, "a fragment in the modes of tc's partitions"},
    {"right_inverse", CALCULATED, "(L)", calc_call, "R with L(R(i)) = i"},
    {"rounds", 1, 1, false, "(ld)", prop_call, "tiles of a copy by mode"},
    {"row", CALCULATED, "(s0, s1, ..)", row_call, "compact, the last mode contiguous"},
    {"row_major", CALCULATED, "(s0, s1, ..)", row_call, "compact, the last mode contiguous"},
    {"sectors", 1, 1, false, "(ld.src)", prop_call, "the most sectors of a warp's access"},
    {"sectors_total", 1, 1, false, "(ld.src)", prop_call, "sectors that a block reads or writes"},
    {"select", CALCULATED, "(L, (i, j, ..))", view_call, "some modes, in that order"},
    {"shape", CALCULATED, "(L [, mode])", calc_call, "the extents"},
    {"shape_div", CALCULATED, "(S, T)", calc_call, "S / T where it comes out"},
    {"size", CALCULATED, "(L [, mode])", calc_call, "the number of coordinates"},
    {"slice", CALCULATED, "(coord, L)", view_call, "the modes for which coord has _"},
    {"smem_bytes", 1, 1, false, "(k)", prop_call, "bytes of shared memory of a kernel"},
    {"stride", CALCULATED, "(L [, mode])", calc_call, "the strides"},
    {"take", CALCULATED, "(L, b, e)", view_call, "modes b to e"},
    {"threads", 1, 1, false, "(tc)", prop_call, "threads of a tiled copy"},
    {"tile", 1, -1, true, "(ATOM, thr=L, val=L)", tile_lazy, "a tiled copy"},
    {"tile_to_shape", CALCULATED, "(L, S [, order])", calc_call, "copies of L that fill S", 2},
    {"tiled_divide", CALCULATED, "(A, tiler)", view_call, "((T0,T1,..),R0,R1,..)"},
    {"tiled_product", CALCULATED, "(A, tiler)", calc_call, "((A0,A1,..),B0,B1,..)"},
    {"tiler", 1, 1, false, "(tc)", prop_call, "extents of the tile of a tiled copy"},
    {"tv", 1, 1, false, "(tc)", prop_call, "(thread, value) to element of the tile"},
    {"tv_dst", 1, 1, false, "(tc)", prop_call, "tv of the side that is written"},
    {"tv_src", 1, 1, false, "(tc)", prop_call, "tv of the side that is read"},
    {"upcast", CALCULATED, "(L, n)", calc_call, "in elements n times as wide"},
    {"vector_bits", 1, 1, false, "(ld.src)", prop_call, "bits of one access"},
    {"wavefronts", 1, 1, false, "(ld.dst)", prop_call, "the most wavefronts of a warp's access"},
    {"wavefronts_total", 1, 1, false, "(ld.dst)", prop_call, "wavefronts of a block"},
    {"with_shape", CALCULATED, "(L, S)", view_call, "the same function on another shape", 2},
    {"zip", CALCULATED, "(L [, M])", view_call, "((a,b),(c,d)) as ((a,c),(b,d))"},
    {"zipped_divide", CALCULATED, "(A, tiler)", view_call, "((T0,T1,..),(R0,R1,..))"},
    {"zipped_product", CALCULATED, "(A, tiler)", calc_call, "((A0,A1,..),(B0,B1,..))"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

bool sema_builtin(int i, struct sema_builtin *out) {
    if (i < 0 || i >= N_ROWS) return false;
    *out = (struct sema_builtin){rows[i].name, rows[i].args, rows[i].help};
    return true;
}

static const struct row *find(const char *name) {
    int lo = 0, hi = N_ROWS;
    while (lo < hi) {
        int mid = (lo + hi) / 2, d = strcmp(name, rows[mid].name);
        if (d == 0) return &rows[mid];
        if (d < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

bool builtin_later(const char *name) {
    static const char names[][16] = {"sectors", "wavefronts"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

bool builtin_known(const char *name) {
    return find(name) != NULL;
}

void builtin_names(const char **names, int *n, int cap) {
    for (int i = 0; i < N_ROWS && *n < cap; ++i) names[(*n)++] = rows[i].name;
    for (int i = 0; i < n_atom_rows && *n < cap; ++i) names[(*n)++] = atom_rows[i].name;
}

// make_layout(S, stride=D) and the like: arguments have no names.
static const struct value *no_keys(struct sema *c, const struct row *row, const struct ast_expr *e,
                                   int i) {
    static const struct {
        char key[8];
        int place;  // of the argument that CuTe DSL calls so
    } keys[] = {{"shape", 0}, {"stride", 1}, {"order", 1}, {"tiler", 1}, {"coord", 2}};
    const struct ast_arg *a = &e->arg[i];
    diag_error(c->s, a->key.at,
               "'%s' takes no argument called '%s', but has them in this order: %s%s", row->name,
               a->key.name, row->name, row->args);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
        if (strcmp(keys[k].key, a->key.name) == 0 && keys[k].place == i)
            diag_fixit(c->s, (struct range){a->key.at.file, a->key.at.begin, a->value->at.begin},
                       "");
    return &value_none;
}

const struct value *builtin_call(struct sema *c, const char *name, const struct ast_expr *e) {
    const struct row *row = find(name);
    struct call call = {.e = e, .name = row->name, .n = e->nargs};
    if (row->lazy) return row->fn(c, &call);
    const struct value *arg[MOST_ARGS];
    for (int i = 0; i < e->nargs; ++i)
        if (e->arg[i].key.name && row->fn != row_call && row->fn != col_call)
            return no_keys(c, row, e, i);
    int min = row->min, max = row->max < 0 ? MOST_ARGS : row->max;
    if (row->max == 0 && !calc_known(name, &min, &max)) BUG("no operation '%s'", name);
    if (e->nargs < min || e->nargs > max) {
        diag_error(c->s, e->at, "'%s' takes %s%d argument%s, %s%s; here %s %d", name,
                   min == max       ? ""
                   : e->nargs > max ? "at most "
                                    : "at least ",
                   e->nargs > max ? max : min, (e->nargs > max ? max : min) == 1 ? "" : "s", name,
                   row->args, e->nargs == 1 ? "is" : "are", e->nargs);
        return &value_none;
    }
    bool whole = true;
    for (int i = 0; i < e->nargs; ++i) {
        arg[i] = eval(c, e->arg[i].value);
        whole &= arg[i]->kind != VAL_NONE;
    }
    if (!whole || !names_sort_args(c, &call, arg)) return &value_none;
    call.arg = arg;
    int of = row->names < 0 ? e->nargs - 1 : row->names - 1;  // the argument whose names stay
    const struct value *named = row->names ? arg[of] : NULL;
    if (named && named->kind == VAL_TUPLE) arg[of] = names_drop(c, named);
    const struct value *made = row->fn(c, &call);
    return named ? names_from(c, made, named) : made;
}
