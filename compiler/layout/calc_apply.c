// Applies operations of the table to values: finds them, and checks and converts their arguments.
#include "layout/calc_impl.h"

#include <stdlib.h>
#include <string.h>

static const struct op *find(const char *name, size_t len) {
    int lo = 0, hi = calc_n_ops;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2, d = strncmp(name, calc_ops[mid].name, len);
        if (d == 0 && !calc_ops[mid].name[len]) return &calc_ops[mid];
        if (d <= 0)  // equal so far: the name in the table is longer
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

static const struct op *find_op(const char *name, size_t len) {
    const struct op *op = find(name, len);
    return op && op->fn ? op : NULL;
}

static int most_args(const struct op *op) {
    int n = 0;
    while (n < MAX_ARGS && op->arg[n] != ARG_END) ++n;
    return n > 0 && op->arg[n - 1] == ARG_MORE ? LAY_MAX_RANK : n;
}

bool calc_operation(int i, struct calc_operation *out) {
    if (i < 0 || i >= calc_n_ops) return false;
    const struct op *op = &calc_ops[i];
    *out =
        (struct calc_operation){op->name, op->args,
                                op->help, op->where,
                                op->min,  op->arg[0] == ARG_MODES ? LAY_MAX_RANK : most_args(op)};
    return true;
}

bool calc_known(const char *name, struct calc_operation *out) {
    struct calc_operation unused;
    const struct op *op = find(name, strlen(name));
    return op && calc_operation((int)(op - calc_ops), out ? out : &unused);
}

// The name of a kind of argument in messages.
static const char *arg_name(unsigned char k) {
    static const char name[][10] = {"",        "layout", "tiler", "tuple",  "integer",
                                    "swizzle", "width",  "value", "tuple.."};
    return name[k];
}

// -- composition ----------------------------------------------------------------------------------

static struct calc_value merge_swizzles(struct lay_ctx *ctx, struct lay_swizzle a,
                                        struct lay_swizzle b) {
    struct lay one = lay_make(ctx, lay_leaf_of(ctx, 2), lay_leaf_of(ctx, 1));
    struct lay_int zero = lay_int(0);
    if (b.b == 0) return calc_of_swizzle(a);
    struct lay both = lay_swizzled(ctx, a, zero, lay_swizzled(ctx, b, zero, one));
    return both.shape ? calc_of_swizzle(both.composed ? both.sw : (struct lay_swizzle){0, 0, a.s})
                      : calc_none();
}

struct calc_value calc_compose(struct lay_ctx *ctx, int n, const struct calc_value *term) {
    if (n == 1) return term[0];
    // the result begins where the first operand began
    if (term[0].kind == CALC_VIEW && n <= LAY_MAX_RANK) {
        struct calc_value at_0[LAY_MAX_RANK];
        memcpy(at_0, term, (size_t)n * sizeof *term);
        at_0[0] = calc_of_layout(term[0].layout);
        struct calc_value out = calc_compose(ctx, n, at_0);
        if (out.kind != CALC_LAYOUT) return calc_none();
        return calc_of_view((struct lay_view){term[0].offset, out.layout});
    }
    if (term[0].kind == CALC_SWIZZLE) {
        struct lay_int offset = lay_int(0);
        int skip = 1;
        if (!lay_swizzle_valid(ctx, term[0].swizzle)) return calc_none();
        if (n > 2 && term[1].kind == CALC_INT) {
            offset = term[1].tuple->leaf;
            skip = 2;
        }
        struct calc_value rest = calc_compose(ctx, n - skip, term + skip);
        if (rest.kind == CALC_SWIZZLE && skip == 1)
            return merge_swizzles(ctx, term[0].swizzle, rest.swizzle);
        return calc_of_layout(lay_swizzled(ctx, term[0].swizzle, offset, calc_layout(ctx, rest)));
    }
    struct lay l = calc_layout(ctx, term[0]);
    for (int i = 1; i < n && l.shape; ++i) {
        if (term[i].kind == CALC_SWIZZLE) {
            struct calc_value rest = calc_compose(ctx, n - i, term + i);
            return calc_of_layout(lay_compose(ctx, l, calc_layout(ctx, rest)));
        }
        l = lay_compose_tiler(ctx, l, calc_tiler(ctx, term[i]));
    }
    return calc_of_layout(l);
}

// -- arguments ------------------------------------------------------------------------------------

// The width in bits of an element type by its name, such as f16, bf16, b128 or f8e4m3; 0 for other
// names.
static int64_t type_width(const char *name) {
    static const char widths[][6] = {"8", "8e4m3", "8e5m2", "16", "32", "64", "128"};
    size_t letters = strspn(name, "bfsu");
    for (size_t i = 0; letters > 0 && i < sizeof widths / sizeof *widths; ++i)
        if (strcmp(name + letters, widths[i]) == 0) return strtoll(widths[i], NULL, 10);
    return 0;
}

// Whether "op" accepts "v" as its argument "i"; converts "v".  "place" is the number of the
// argument in messages.
static bool fits(struct lay_ctx *ctx, const struct op *op, int i, int place, struct calc_value *v) {
    switch (op->arg[i]) {
    case ARG_LAYOUT: {
        struct lay l = calc_layout(ctx, *v);
        if (l.shape) *v = calc_of_layout(l);
        return l.shape != NULL;
    }
    case ARG_TILER: return v->kind == CALC_LAYOUT || calc_tiler(ctx, *v) != NULL;
    case ARG_TUPLE:
    case ARG_MODES: return calc_tuple(ctx, *v) != NULL;
    case ARG_INT:
        if (v->kind == CALC_TUPLE && v->tuple->rank == 1) *v = calc_of_tuple(ctx, v->tuple->kid[0]);
        if (v->kind == CALC_INT && lay_plain(v->tuple->leaf)) return true;
        break;
    case ARG_SWIZZLE:
        if (v->kind == CALC_SWIZZLE) return lay_swizzle_valid(ctx, v->swizzle);
        break;
    case ARG_BITS:
        if (v->kind == CALC_INT) {
            bool plain = lay_plain(v->tuple->leaf);
            int64_t bits =
                plain ? v->tuple->leaf.num : type_width(lay_int_text(ctx, v->tuple->leaf));
            if (plain || bits) *v = (struct calc_value){.kind = CALC_BITS, .bits = bits};
        }
        if (v->kind == CALC_BITS) return true;
        break;
    default: return v->kind != CALC_NONE;
    }
    if (v->kind != CALC_NONE)
        lay_fail(ctx, "argument %d of '%s' is '%s', not a static %s", place + 1, op->name,
                 calc_text(ctx, *v, CALC_STYLE_TCP), arg_name(op->arg[i]));
    return false;
}

// Whether "op" accepts a view as its argument "i": only its first layout may be one, unless the
// operation handles offsets.
static bool takes_view(const struct op *op, int i) {
    return i == 0 || op->offset == OFFSET_OWN || (op->arg[0] == ARG_ANY && op->arg[1] == ARG_ANY);
}

static bool set_view_aside(struct args *a, const struct op *op, int i) {
    struct lay_ctx *ctx = a->ctx;
    if (op->offset == OFFSET_NONE && a->v[i].offset.n) {
        lay_fail(ctx, "'%s' takes a layout that begins at 0, but '%s' begins at %s", op->name,
                 calc_text(ctx, a->v[i], CALC_STYLE_TCP), lay_sum_text(ctx, a->v[i].offset));
        return false;
    }
    a->offset = a->v[i].offset;
    a->v[i] = calc_of_layout(a->v[i].layout);
    return true;
}

// Joins "n" layouts to one with "n" modes.
static struct calc_value join(struct lay_ctx *ctx, int n, const struct calc_value *arg) {
    struct lay mode[LAY_MAX_RANK];
    if (n > LAY_MAX_RANK) {
        lay_fail(ctx, "a layout of more than %d modes", LAY_MAX_RANK);
        return calc_none();
    }
    for (int i = 0; i < n; ++i)
        if (!(mode[i] = calc_layout(ctx, arg[i])).shape) return calc_none();
    return calc_of_layout(lay_join(ctx, n, mode));
}

struct calc_value calc_apply(struct lay_ctx *ctx, const struct op *op, int n,
                             const struct calc_value *arg) {
    struct args a = {.ctx = ctx, .n = n, .offset = {0, NULL}};
    if (op->fn && strcmp(op->name, "composition") == 0) {
        if (n < 2) {
            lay_fail(ctx, "'composition' takes at least 2 arguments, not %d", n);
            return calc_none();
        }
        return calc_compose(ctx, n, arg);
    }
    bool layouts = n > 0 && (arg[0].kind == CALC_LAYOUT || arg[0].kind == CALC_VIEW);
    if (op->fn == op_make_layout && (n > 2 || layouts)) return join(ctx, n, arg);
    struct calc_value modes;
    // row(8) has one mode, like row((8))
    bool listed = n > 1 || (n == 1 && arg[0].kind == CALC_INT);
    if (op->arg[0] == ARG_MODES && listed && n <= LAY_MAX_RANK) {
        const struct lay_tuple *kid[LAY_MAX_RANK];
        for (int i = 0; i < n; ++i)
            if (!(kid[i] = calc_tuple(ctx, arg[i]))) return calc_none();
        modes = calc_of_tuple(ctx, lay_tuple(ctx, n, kid));
        arg = &modes;
        n = 1;
    }
    if (n < op->min || n > most_args(op)) {
        if (op->min == most_args(op))
            lay_fail(ctx, "'%s' takes %d argument%s, not %d", op->name, op->min,
                     op->min == 1 ? "" : "s", n);
        else
            lay_fail(ctx, "'%s' takes %d to %d arguments, not %d", op->name, op->min, most_args(op),
                     n);
        return calc_none();
    }
    struct calc_value turned[3];
    int shift = 0;
    if (n == 3 && op->arg[0] == ARG_BITS &&
        (arg[0].kind == CALC_LAYOUT || arg[0].kind == CALC_VIEW ||
         arg[0].kind == CALC_TUPLE)) {  // recast(L, from, to)
        for (int i = 0; i < 3; ++i) turned[i] = arg[(i + 1) % 3];
        arg = turned;
        shift = 1;
    }
    for (int i = 0; i < n; ++i) {
        a.v[i] = arg[i];
        if (arg[i].kind == CALC_VIEW && takes_view(op, i) && !set_view_aside(&a, op, i))
            return calc_none();
        if (!fits(ctx, op, i, (i + shift) % n, &a.v[i])) return calc_none();
    }
    struct calc_value out = op->fn(&a);
    if (ctx->error) return calc_none();
    if (!a.offset.n || op->offset != OFFSET_STAYS) return out;
    if (out.kind != CALC_LAYOUT && out.kind != CALC_VIEW) return out;
    struct lay_sum sum = out.kind == CALC_VIEW ? lay_sum_add(ctx, a.offset, out.offset) : a.offset;
    return calc_of_view((struct lay_view){sum, out.layout});
}

struct calc_value lay_calc(struct lay_ctx *ctx, const char *name, int n,
                           const struct calc_value *arg) {
    const struct op *op = find_op(name, strlen(name));
    if (!op) {
        lay_fail(ctx, "there is no operation '%.40s'", name);
        return calc_none();
    }
    return calc_apply(ctx, op, n, arg);
}
