// The grid of a kernel.
#include <inttypes.h>
#include <string.h>

#include "sema/decl.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

// Removes parentheses around "e".
static const struct ast_expr *inside(const struct ast_expr *e) {
    while (e->kind == E_TUPLE && e->nargs == 1) e = e->arg[0].value;
    return e;
}

// The M in "(M + 63) / 64" and "(M + 64 - 1) / 64", or NULL.
static const struct ast_expr *rounded_up(struct sema *c, const struct ast_expr *e) {
    const struct ast_expr *sum = inside(e->lhs), *by = inside(e->rhs);
    if (sum->kind != E_BINARY) return NULL;
    const struct ast_expr *of = sum;
    while (of->kind == E_BINARY && (of->op == OP_ADD || of->op == OP_SUB)) of = of->lhs;
    int64_t n = 0, over = 0;
    for (const struct ast_expr *x = sum; x != of; x = x->lhs) {
        const struct value *v = eval(c, x->rhs);
        if (v->kind != VAL_INT || !ix_static(v->ix, &n)) return NULL;
        over += x->op == OP_ADD ? n : -n;
    }
    const struct value *v = eval(c, by);
    return v->kind == VAL_INT && ix_static(v->ix, &n) && over == n - 1 ? of : NULL;
}

// Reports a grid "M / 64" whose division may have a remainder.
static bool rounds_down(struct sema *c, const struct value *v, const struct ast_expr *e) {
    struct lay_int out;
    if (v->kind != VAL_INT || e->kind != E_BINARY || e->op != OP_DIV || !ix_constant(v->ix) ||
        ix_monomial(v->ix, &out))
        return false;
    const char *b = ast_expr_text(c->s, inside(e->rhs));
    const struct ast_expr *up = rounded_up(c, e);
    const char *a = ast_expr_text(c->s, up ? up : inside(e->lhs));
    if (up) {
        diag_error(c->s, e->at,
                   "'%s' counts the tiles of '%s', rounded up; write 'ceil_div(%s, %s)'",
                   ast_expr_text(c->s, e), a, a, b);
        diag_fixit(c->s, e->at, sema_text(c, "ceil_div(%s, %s)", a, b));
        return true;
    }
    int64_t least = 1, by = 0;
    const struct value *of = eval(c, e->lhs), *tile = eval(c, inside(e->rhs));
    if (of->kind == VAL_INT) least = ix_divisor(of->ix);
    bool smaller = tile->kind == VAL_INT && ix_static(tile->ix, &by) && least > 1 && least < by &&
                   by % least == 0;  // the tile may be as large as that
    const char *up_text = sema_text(c, "ceil_div(%s, %s)", a, b);
    const struct symbol *param = e->lhs->kind == E_NAME ? scope_find(c, e->lhs->name) : NULL;
    if (param && param->kind != SYM_PARAM) param = NULL;
    diag_error(
        c->s, e->at,
        "nothing promises that '%s' is a multiple of %s, so the block for the last, incomplete "
        "tile may be missing%s%s%s",
        a, b, smaller ? "" : "; write '", smaller ? "" : up_text, smaller ? "" : "'");
    if (smaller)
        diag_note(c->s, e->at,
                  "'%s' is a multiple of %" PRId64 "; for tiles of %" PRId64 " write '%s / %" PRId64
                  "', for tiles of %s '%s'",
                  a, least, least, a, least, b, up_text);
    else
        diag_fixit(c->s, e->at, up_text);
    if (!param || by <= 0) return true;
    const char *number = sema_text(c, "%" PRId64, by);  // a promise takes no name
    diag_note(c->s, param->at, "or declare that it is: 'param %s : index %% %s;'", a, number);
    return true;
}

// The axis of a grid with the name "name".
static int grid_axis(struct sema *c, const char *name, struct range at) {
    static const char axes[3][2] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i)
        if (strcmp(name, axes[i]) == 0) return i;
    diag_error(c->s, at, "a grid has no axis called '%s'; it has x, y and z", name);
    return -1;
}

void kernel_make_grid(struct sema *c, const struct ast_expr *e) {
    struct kernel *k = c->kernel;
    for (int i = 0; i < 3; ++i) k->grid[i] = lay_int(1);
    if (!e) return;
    if (k->device) {
        diag_error(c->s, e->at, "'%s' is a device function; its caller's kernel has the grid",
                   k->name);
        return;
    }
    c->sought.sizes = true;
    const struct value *v = eval(c, e);
    c->sought.sizes = false;
    if (v->kind == VAL_NONE) return;
    const struct value *one[1] = {v};
    const struct value *const *axis = one;
    int n = 1;
    if (v->kind == VAL_TUPLE) {
        axis = v->kid;
        n = v->rank;
    }
    if (n < 1 || n > 3) {
        diag_error(c->s, e->at, "a grid has 1 .. 3 axes, not %d", n);
        return;
    }
    static const int64_t most[3] = {INT32_MAX, 65535, 65535};
    for (int part = 0; part < n; ++part) {
        bool written = e->kind == E_TUPLE && part < e->nargs;
        const struct ast_expr *one_axis = written ? e->arg[part].value : e;
        struct range name_at = written ? e->arg[part].key.at : e->at;
        int i = v->names ? grid_axis(c, v->names[part], name_at) : part;
        if (i < 0) return;
        struct range at = one_axis->at;
        struct lay_int b;
        if (rounds_down(c, axis[part], one_axis)) return;
        if (!value_to_lay_int(c, axis[part], at, sema_text(c, "axis %d of the grid", i), &b))
            return;
        int64_t lo, hi;
        lay_int_range(b, &lo, &hi);
        if (b.basis >= 0 || hi < 1 || lo < 0 || lo > most[i]) {
            diag_error(c->s, at, "axis %d of the grid has %s blocks; it must have 1 .. %" PRId64, i,
                       lay_int_text(c->lay, b), most[i]);
            return;
        }
        k->grid[i] = b;
        k->grid_at[i] = at;
    }
}
