// The expression printer: from tree back to source text in one canonical spelling, for messages,
// for the comments in emitted code, and for the formatter.  What it prints parses back to the same
// tree.
#include "base/buf.h"
#include "base/session.h"
#include "syntax/ast.h"

const char *ast_op_text(enum ast_op op) {
    static const char text[][3] = {"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">="};
    return text[op];
}

const char *ast_space_text(enum ast_space space) {
    static const char text[][7] = {"global", "shared", "frag"};
    return text[space];
}

static void print_arg(struct buf *b, const struct ast_arg *arg) {
    if (arg->key.name) buf_printf(b, "%s=", arg->key.name);
    ast_print_expr(b, arg->value);
}

// "spaced" asks for ", " between the arguments: calls have it, tuples of numbers read better
// without.
static void print_args(struct buf *b, const struct ast_expr *e, bool spaced) {
    for (int i = 0; i < e->nargs; i++) {
        if (i) buf_puts(b, spaced ? ", " : ",");
        print_arg(b, &e->arg[i]);
    }
}

static bool is_call_like(const struct ast_expr *e) {
    return e->kind == E_CALL || e->kind == E_BINARY || e->kind == E_COMPOSE || e->kind == E_MAP ||
           (e->kind == E_TUPLE && e->nargs > 0 && e->arg[0].key.name);
}

// Whether the elements of a tuple or tiler are more than numbers and names.
static bool is_wordy(const struct ast_expr *e) {
    for (int i = 0; i < e->nargs; i++)
        if (e->arg[i].key.name || is_call_like(e->arg[i].value)) return true;
    return false;
}

void ast_print_expr(struct buf *b, const struct ast_expr *e) {
    switch (e->kind) {
    case E_INT:
    case E_FLOAT: buf_puts(b, e->text); break;
    case E_NAME: buf_puts(b, e->name); break;
    case E_WILD: buf_char(b, '_'); break;
    case E_TUPLE:
        buf_char(b, '(');
        print_args(b, e, is_wordy(e));
        buf_char(b, ')');
        break;
    case E_TILER:
        buf_char(b, '<');
        print_args(b, e, true);
        buf_char(b, '>');
        break;
    case E_SWIZZLE:
        buf_puts(b, "Sw<");
        print_args(b, e, false);
        buf_char(b, '>');
        break;
    case E_CALL:
        ast_print_expr(b, e->lhs);
        buf_char(b, '(');
        print_args(b, e, true);
        buf_char(b, ')');
        break;
    case E_MEMBER:
        ast_print_expr(b, e->lhs);
        buf_printf(b, ".%s", e->name);
        break;
    case E_NEG:
        buf_char(b, '-');
        ast_print_expr(b, e->lhs);
        break;
    case E_BINARY:
        ast_print_expr(b, e->lhs);
        buf_printf(b, e->op == OP_DIV || e->op == OP_MUL ? "%s" : " %s ", ast_op_text(e->op));
        ast_print_expr(b, e->rhs);
        break;
    case E_LAYOUT:
        ast_print_expr(b, e->lhs);
        buf_char(b, ':');
        ast_print_expr(b, e->rhs);
        break;
    case E_BASIS: buf_printf(b, "%lld@%lld", (long long)e->ival, (long long)e->basis); break;
    case E_COMPOSE:
        for (int i = 0; i < e->nargs; i++) {
            if (i) buf_puts(b, " o ");
            ast_print_expr(b, e->arg[i].value);
        }
        break;
    case E_MAP:
        ast_print_expr(b, e->lhs);
        buf_puts(b, " -> ");
        ast_print_expr(b, e->rhs);
        break;
    }
}

const char *ast_expr_text(struct session *s, const struct ast_expr *e) {
    struct buf b;
    buf_init(&b);
    ast_print_expr(&b, e);
    return buf_finish(&b, &s->arena);
}

bool ast_expr_equal(const struct ast_expr *a, const struct ast_expr *b) {
    if (!a || !b) return a == b;
    if (a->kind != b->kind || a->name != b->name || a->ival != b->ival || a->basis != b->basis)
        return false;
    if (a->nargs != b->nargs || (a->kind == E_BINARY && a->op != b->op)) return false;
    if (a->kind == E_FLOAT && a->fval != b->fval) return false;
    for (int i = 0; i < a->nargs; i++)
        if (a->arg[i].key.name != b->arg[i].key.name ||
            !ast_expr_equal(a->arg[i].value, b->arg[i].value))
            return false;
    return ast_expr_equal(a->lhs, b->lhs) && ast_expr_equal(a->rhs, b->rhs);
}
