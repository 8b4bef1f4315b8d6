// The expression printer: from the tree back to source text in canonical spelling, for messages,
// for the comments in emitted code, and for the formatter. The text parses back to the same tree.
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "syntax/ast.h"

const char *ast_op_text(enum ast_op op) {
    static const char text[][3] = {"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">="};
    return text[op];
}

const char *ast_word(enum ast_stmt_kind kind) {
    return kind == S_SYNC    ? "sync"
           : kind == S_AWAIT ? "wait"
           : kind == S_BYTES ? "expect"
                             : "arrive";
}

const char *ast_value_word(enum ast_decl_kind kind) {
    static const char words[][11] = {[D_CONST] = "const",
                                     [D_LAYOUT] = "layout",
                                     [D_ATOM] = "atom",
                                     [D_TILED_COPY] = "tiled_copy",
                                     [D_TILED_MMA] = "tiled_mma"};
    return words[kind];
}

void ast_print_string(struct buf *b, const char *text) {
    buf_char(b, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') buf_char(b, '\\');
        buf_char(b, *text);
    }
    buf_char(b, '"');
}

// Products of two plain operands may be written without blanks: 2*K, M/64.
static bool is_plain_product(const struct ast_expr *e) {
    return e->kind == E_BINARY && (e->op == OP_MUL || e->op == OP_DIV) &&
           (e->lhs->kind == E_INT || e->lhs->kind == E_NAME) &&
           (e->rhs->kind == E_INT || e->rhs->kind == E_NAME);
}

// Whether a tuple has elements other than numbers, names and tuples of these: then blanks between
// the elements help the reader.
static bool is_wordy(const struct ast_expr *e) {
    for (int i = 0; i < e->nargs; i++) {
        const struct ast_expr *v = e->arg[i].value;
        if (e->arg[i].key.name) return true;
        if (v->kind == E_CALL || v->kind == E_MEMBER || v->kind == E_COMPOSE || v->kind == E_MAP ||
            v->kind == E_RANGE)
            return true;
        if (v->kind == E_BINARY && !is_plain_product(v)) return true;
    }
    return false;
}

// Whether "e" is a call such as row(8,32), which means a shape with strides and is printed like
// one.
static bool is_shape_call(const struct ast_expr *e) {
    static const char names[][10] = {"row", "col", "row_major", "col_major"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (e->lhs->kind == E_NAME && strcmp(e->lhs->name, names[i]) == 0) return !is_wordy(e);
    return false;
}

static void print(struct buf *b, const struct ast_expr *e, const char *comma, bool tight);

// Prints the arguments of "e" with "between" between them; passes "comma" and "tight" on to print.
static void print_args(struct buf *b, const struct ast_expr *e, const char *between,
                       const char *comma, bool tight) {
    for (int i = 0; i < e->nargs; i++) {
        if (i) buf_puts(b, between);
        if (e->arg[i].key.name) buf_printf(b, "%s=", e->arg[i].key.name);
        print(b, e->arg[i].value, comma, tight);
    }
}

static void print_binary(struct buf *b, const struct ast_expr *e, const char *comma, bool tight) {
    bool inner = e->op >= OP_EQ;  // the two sides of a comparison are printed independently
    print(b, e->lhs, comma, inner);
    buf_printf(b, tight && is_plain_product(e) ? "%s" : " %s ", ast_op_text(e->op));
    print(b, e->rhs, comma, inner);
}

// Prints "e" with "comma" between the arguments of calls; "tight" allows products without blanks.
static void print(struct buf *b, const struct ast_expr *e, const char *comma, bool tight) {
    switch (e->kind) {
    case E_INT:
    case E_FLOAT: buf_puts(b, e->text); break;
    case E_NAME: buf_puts(b, e->name); break;
    case E_WILD: buf_char(b, '_'); break;
    case E_TUPLE:
        buf_char(b, '(');
        print_args(b, e, is_wordy(e) ? comma : ",", comma, !is_wordy(e));
        buf_char(b, ')');
        break;
    case E_TILER:
        buf_char(b, '<');
        print_args(b, e, comma, comma, true);
        buf_char(b, '>');
        break;
    case E_SWIZZLE:
        buf_puts(b, "Sw<");
        print_args(b, e, ",", comma, true);
        buf_char(b, '>');
        break;
    case E_CALL:
        print(b, e->lhs, comma, tight);
        buf_char(b, '(');
        print_args(b, e, is_shape_call(e) ? "," : comma, comma, true);
        buf_char(b, ')');
        break;
    case E_MEMBER:
        print(b, e->lhs, comma, tight);
        buf_printf(b, ".%s", e->name);
        break;
    case E_NEG:
        buf_char(b, '-');
        print(b, e->lhs, comma, false);
        break;
    case E_BINARY: print_binary(b, e, comma, tight); break;
    case E_LAYOUT:
        print(b, e->lhs, comma, tight);
        buf_char(b, ':');
        print(b, e->rhs, comma, tight);
        break;
    case E_BASIS:
        print(b, e->lhs, comma, true);
        buf_printf(b, "@%lld", (long long)e->basis);
        break;
    case E_COMPOSE: print_args(b, e, " o ", comma, true); break;
    case E_MAP:
        print(b, e->lhs, comma, true);
        buf_puts(b, " -> ");
        print(b, e->rhs, comma, true);
        break;
    case E_RANGE:
        print(b, e->lhs, comma, tight);
        buf_puts(b, " .. ");
        print(b, e->rhs, comma, tight);
        break;
    }
}

void ast_print_expr(struct buf *b, const struct ast_expr *e) {
    print(b, e, ", ", true);
}

void ast_print_expr_breakable(struct buf *b, const struct ast_expr *e) {
    print(b, e, ",\1", true);
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
