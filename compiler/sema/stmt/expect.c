// expect: decides immediately what is known; a property of a copy or a kernel is compared after the
// passes.
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

static const char *op_mirrored(enum ast_op op) {
    switch (op) {
    case OP_LT: return ">";
    case OP_LE: return ">=";
    case OP_GT: return "<";
    case OP_GE: return "<=";
    default: return ast_op_text(op);
    }
}

static void defer(struct sema *c, const struct ast_expect *x, struct range at) {
    const struct ast_expr *e = x->cond;
    const struct value *a = eval(c, e->lhs), *b = eval(c, e->rhs);
    if (a->kind == VAL_NONE || b->kind == VAL_NONE) return;
    const char *op = ast_op_text(e->op);
    const struct ast_expr *value_at = e->rhs;
    bool mirrored = b->kind == VAL_PROP;
    if (a->kind == VAL_PROP && b->kind == VAL_PROP) {
        sema_not_yet(c, e->at,
                     "a comparison of two properties of copies; compare each with a value");
        return;
    }
    if (mirrored) {
        const struct value *swap = a;
        a = b;
        b = swap;
        op = op_mirrored(e->op);
        value_at = e->lhs;
    }
    if (a->prop != PROP_ROUNDS) b = value_unwrap(b);
    const struct lay_tuple *value =
        value_to_tuple(c, b, value_at->at, "what a property is compared with");
    if (!value) return;
    if (a->prop != PROP_ROUNDS && !lay_is_leaf(value)) {
        diag_error(c->s, value_at->at, "this property is a number, not %s", value_text(c, b));
        return;
    }
    if (!lay_tuple_static(value)) {
        diag_error(c->s, value_at->at,
                   "a property is compared with a number, but %s depends on a param",
                   value_text(c, b));
        return;
    }
    if (a->prop == PROP_ROUNDS && e->op != OP_EQ && e->op != OP_NE) {
        diag_error(c->s, e->at, "'rounds' is a tuple, which is compared with '==' or '!='");
        return;
    }
    struct expectation *r = ARENA_NEW(&c->s->arena, struct expectation);
    *r = (struct expectation){.prop = a->prop,
                              .dst = property_is_cost(a->prop) && a->dst,
                              .copy = a->copy,
                              .kernel = a->kernel,
                              .op = op,
                              .mirrored = mirrored,
                              .value = value,
                              .text = ast_expr_text(c->s, e),
                              .message = x->message,
                              .at = at};
    *c->expect_end = r;
    c->expect_end = &r->next;
}

// Whether "e" is a call of a builtin whose value the passes find.
static bool is_deferred(struct sema *c, const struct ast_expr *e) {
    static const char names[][20] = {"vector_bits", "rounds",           "instructions",
                                     "smem_bytes",  "sectors",          "sectors_total",
                                     "wavefronts",  "wavefronts_total", "requests_total"};
    while (e->kind == E_TUPLE && e->nargs == 1) e = e->arg[0].value;
    if (e->kind != E_CALL || e->lhs->kind != E_NAME || scope_find(c, e->lhs->name)) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (e->lhs->name == intern(c->s, names[i])) return true;
    return false;
}

// expect equivalent(k1, k2): decided after both have code.
static bool expect_equivalent(struct sema *c, const struct ast_expect *x, const struct ast_expr *e,
                              struct range at) {
    if (e->kind != E_CALL || e->lhs->kind != E_NAME || e->lhs->name != intern(c->s, "equivalent") ||
        scope_find(c, e->lhs->name) || e->nargs != 2) {
        return false;
    }
    const struct kernel *k[2];
    for (int i = 0; i < 2; ++i) {
        const struct value *v = eval(c, e->arg[i].value);
        if (v->kind == VAL_NONE) return true;
        if (v->kind != VAL_KERNEL || v->kernel->device) {
            diag_error(c->s, e->arg[i].value->at, "'equivalent' compares kernels, not %s",
                       v->kind == VAL_KERNEL ? "a device function" : value_kind_text(v));
            return true;
        }
        k[i] = v->kernel;
    }
    struct expectation *r = ARENA_NEW(&c->s->arena, struct expectation);
    *r = (struct expectation){.prop = PROP_EQUIVALENT,
                              .kernel = k[0],
                              .kernel2 = k[1],
                              .op = "==",
                              .text = ast_expr_text(c->s, e),
                              .message = x->message,
                              .at = at};
    *c->expect_end = r;
    c->expect_end = &r->next;
    return true;
}

static void check_now(struct sema *c, const struct ast_expect *x, struct range at) {
    const struct ast_expr *e = x->cond;
    while (e->kind == E_TUPLE && e->nargs == 1 && !e->arg[0].key.name) e = e->arg[0].value;
    if (e->kind == E_BINARY && e->op >= OP_EQ &&
        (is_deferred(c, e->lhs) || is_deferred(c, e->rhs))) {
        struct ast_expect inner = {(struct ast_expr *)e, x->message};
        defer(c, &inner, at);
        return;
    }
    if (expect_equivalent(c, x, e, at)) return;
    const struct value *v = eval(c, e);
    if (v->kind == VAL_NONE) return;
    bool truth;
    if (!value_is_bool(v, &truth)) {
        diag_error(c->s, e->at, "'expect' needs a comparison, not %s", value_kind_text(v));
        return;
    }
    if (truth) return;
    const char *text = ast_expr_text(c->s, e);
    if (x->message)
        diag_error(c->s, e->at, "%s: this does not hold: %s", x->message, text);
    else
        diag_error(c->s, e->at, "this does not hold: %s", text);
    if (e->kind != E_BINARY) return;
    for (int i = 0; i < 2; ++i) {
        const struct ast_expr *side = i ? e->rhs : e->lhs;
        const char *is = value_text(c, eval(c, side));
        if (strcmp(is, ast_expr_text(c->s, side)) != 0)
            diag_note(c->s, side->at, "the %s side is %s", i ? "right" : "left", is);
    }
}

void check_expect(struct sema *c, const struct ast_expect *x, struct range at) {
    c->asks = at;
    c->asks_of = NULL;
    check_now(c, x, at);
    c->asks = (struct range){0, 0, 0};
    c->asks_of = NULL;
}
