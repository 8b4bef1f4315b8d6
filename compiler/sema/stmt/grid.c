// The grid of a kernel.
#include <inttypes.h>
#include <string.h>

#include "plan/rounded.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

// The condition of this case by which "r" would have no remainder; or NULL.
static const struct condition *condition_of(struct sema *c, const struct rounded *r) {
    const struct kernel *k = c->kernel;
    for (int i = 0; i < k->nwhen && r->by > 0 && r->of; ++i)
        if (!k->when[i].tensor && k->when[i].by % r->by == 0 &&
            ix_equal(ix_lay(c->s, k->when[i].value), r->of))
            return &k->when[i];
    return NULL;
}

// Reports a grid "M / 64" whose division may have a remainder.
static bool rounds_down(struct sema *c, const struct value *v, const struct ast_expr *e) {
    if (v->kind != VAL_INT || e->kind != E_BINARY || e->op != OP_DIV || !ix_constant(v->ix))
        return false;
    bool exact = v->ix->op == IX_SUM;  // a sum of products, such as (M + 64) / 64
    for (int i = 0; exact && i < v->ix->nterms; ++i) exact = !v->ix->term[i].atom;
    if (exact) return false;
    const struct ast_expr *up = rounded_up(c, e);
    if (!up) {
        struct rounded r = *rounded_quotient(c, e);
        const struct condition *when = condition_of(c, &r);
        if (when) r.param = NULL;
        rounded_grid(c->s, &r);
        if (when)
            diag_note(c->s, c->kernel->at,
                      "the condition '%s %% %" PRId64
                      " == 0' of this case counts for the widths of accesses, not for its grid",
                      lay_int_text(c->lay, when->value), (int64_t)when->by);
        return true;
    }
    const char *a = ast_expr_text(c->s, up), *b = ast_expr_text(c->s, expr_inside(e->rhs));
    diag_error(c->s, e->at, "'%s' counts the tiles of '%s', rounded up; write 'ceil_div(%s, %s)'",
               ast_expr_text(c->s, e), a, a, b);
    diag_fixit(c->s, e->at, sema_text(c, "ceil_div(%s, %s)", a, b));
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
        k->grid_rounded[i] = rounded_find(c, one_axis);
    }
}
