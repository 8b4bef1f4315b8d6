// Constructors of lists and expressions. They do not check the meaning; they refuse only trees so
// deep that a walk could overflow the stack.
#include "syntax/build.h"

#include <string.h>

#include "syntax/scan.h"

struct range build_span(const struct range *rhs, int n) {
    if (n == 0) return (struct range){rhs[0].file, rhs[0].end, rhs[0].end};
    int i = 1;
    while (i < n && rhs[i].begin == rhs[i].end) i++;
    while (n > i && rhs[n].begin == rhs[n].end) n--;
    return (struct range){rhs[i].file, rhs[i].begin, rhs[n].end};
}

// -- lists ----------------------------------------------------------------------------------------

// Makes room for one more item of "size" bytes and returns its place, already counted in "l".
static void *push(struct parser *p, struct list *l, size_t size) {
    if (l->n == l->cap) {
        int cap = l->cap ? 2 * l->cap : 4;
        void *items = arena_alloc(&p->s->arena, size * (size_t)cap);
        if (l->n) memcpy(items, l->items, size * (size_t)l->n);
        l->items = items;
        l->cap = cap;
    }
    return (char *)l->items + size * (size_t)l->n++;
}

#define PUSH(p, l, type, item) (*(type *)push((p), &(l), sizeof(type)) = (item), (l))

struct ast_ident build_ident(const char *name, struct range at) {
    return (struct ast_ident){name, at};
}

struct ast_arg build_arg(struct ast_ident key, struct ast_expr *value) {
    return (struct ast_arg){key, value};
}

struct list build_args(struct parser *p, struct list l, struct ast_arg arg) {
    return PUSH(p, l, struct ast_arg, arg);
}

struct list build_names(struct parser *p, struct list l, struct ast_ident name) {
    return PUSH(p, l, struct ast_ident, name);
}

struct list build_formals(struct parser *p, struct list l, struct ast_formal formal) {
    return PUSH(p, l, struct ast_formal, formal);
}

struct list build_stmts(struct parser *p, struct list l, struct ast_stmt *stmt) {
    return PUSH(p, l, struct ast_stmt *, stmt);
}

struct list build_parts(struct parser *p, struct list l, struct ast_part part) {
    return PUSH(p, l, struct ast_part, part);
}

void build_decl(struct parser *p, struct ast_decl *d) {
    *(struct ast_decl **)push(p, &p->decls, sizeof d) = d;
}

// -- expressions ----------------------------------------------------------------------------------

// Makes a node of "kind" above subtrees whose greatest depth is "depth".
static struct ast_expr *node(struct parser *p, enum ast_expr_kind kind, struct range at,
                             int depth) {
    struct ast_expr *e = ARENA_NEW(&p->s->arena, struct ast_expr);
    e->kind = kind;
    e->at = at;
    e->depth = depth + 1;
    if (e->depth > AST_MAX_DEPTH) {
        expected_too_deep(p, at);
        e->kind = E_WILD;  // a leaf, which keeps the tree within its depth
        e->depth = 1;
    }
    return e;
}

struct ast_expr *build_pair(struct parser *p, struct range at, enum ast_expr_kind kind,
                            struct ast_expr *lhs, struct ast_expr *rhs) {
    int depth = lhs->depth;
    if (rhs && rhs->depth > depth) depth = rhs->depth;
    struct ast_expr *e = node(p, kind, at, depth);
    if (e->kind != kind) return e;
    e->lhs = lhs;
    e->rhs = rhs;
    return e;
}

struct ast_expr *build_call(struct parser *p, struct range at, enum ast_expr_kind kind,
                            struct ast_expr *lhs, struct list args) {
    int depth = lhs ? lhs->depth : 0;
    struct ast_arg *arg = args.items;
    for (int i = 0; i < args.n; i++)
        if (arg[i].value->depth > depth) depth = arg[i].value->depth;
    struct ast_expr *e = node(p, kind, at, depth);
    if (e->kind != kind) return e;
    e->lhs = lhs;
    e->arg = arg;
    e->nargs = args.n;
    e->trailing_comma = args.trailing_comma;
    return e;
}

struct ast_expr *build_int(struct parser *p, struct range at, struct number num) {
    struct ast_expr *e = node(p, E_INT, at, 0);
    e->ival = num.value;
    e->text = num.text;
    return e;
}

struct ast_expr *build_float(struct parser *p, struct range at, struct number num) {
    struct ast_expr *e = node(p, E_FLOAT, at, 0);
    e->fval = num.real;
    e->text = num.text;
    return e;
}

struct ast_expr *build_name(struct parser *p, struct range at, struct ast_ident name) {
    struct ast_expr *e = node(p, E_NAME, at, 0);
    e->name = name.name;
    e->name_at = name.at;
    return e;
}

struct ast_expr *build_wild(struct parser *p, struct range at) {
    return node(p, E_WILD, at, 0);
}

struct ast_expr *build_swizzle(struct parser *p, struct range at, struct ast_expr *b,
                               struct ast_expr *m, struct ast_expr *s) {
    struct list args = {0};
    args = build_args(p, args, build_arg((struct ast_ident){0}, b));
    args = build_args(p, args, build_arg((struct ast_ident){0}, m));
    args = build_args(p, args, build_arg((struct ast_ident){0}, s));
    return build_call(p, at, E_SWIZZLE, NULL, args);
}

struct ast_expr *build_member(struct parser *p, struct range at, struct ast_expr *of,
                              struct ast_ident name) {
    struct ast_expr *e = build_pair(p, at, E_MEMBER, of, NULL);
    e->name = name.name;
    e->name_at = name.at;
    return e;
}

struct ast_expr *build_binary(struct parser *p, struct range at, struct range op_at, enum ast_op op,
                              struct ast_expr *lhs, struct ast_expr *rhs) {
    struct ast_expr *e = build_pair(p, at, E_BINARY, lhs, rhs);
    e->op = op;
    e->name_at = op_at;
    return e;
}

struct ast_expr *build_basis(struct parser *p, struct range at, struct ast_expr *coef,
                             struct number mode) {
    struct ast_expr *e = build_pair(p, at, E_BASIS, coef, NULL);
    e->basis = mode.value;
    return e;
}

struct ast_expr *build_compose(struct parser *p, struct range at, struct ast_expr *lhs,
                               struct ast_expr *rhs) {
    struct list args = {0};
    if (lhs->kind == E_COMPOSE)
        args = (struct list){.items = lhs->arg, .n = lhs->nargs, .cap = (int)lhs->ival};
    else
        args = build_args(p, args, build_arg((struct ast_ident){0}, lhs));
    args = build_args(p, args, build_arg((struct ast_ident){0}, rhs));
    if (lhs->kind != E_COMPOSE) {
        struct ast_expr *e = build_call(p, at, E_COMPOSE, NULL, args);
        e->ival = args.cap;
        return e;
    }
    if (rhs->depth + 1 > lhs->depth) lhs->depth = rhs->depth + 1;
    if (lhs->depth > AST_MAX_DEPTH) {
        expected_too_deep(p, at);
        return lhs;
    }
    lhs->arg = args.items;
    lhs->nargs = args.n;
    lhs->ival = args.cap;
    lhs->at = at;
    return lhs;
}
