// Constructors of the tree.  They know nothing of meaning; what they refuse is what the grammar
// cannot say without conflicts: a clause that is given twice, a zero where none makes sense, and
// trees so deep that a walk could overflow the stack.
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

// -- lists
// ---------------------------------------------------------------------------------------------------------

// Makes room for one more item of "size" bytes and returns it; "l" then counts it.
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

// -- expressions
// ---------------------------------------------------------------------------------------------------

// A node of "kind" above subtrees of which the deepest has "depth".
static struct ast_expr *node(struct parser *p, enum ast_expr_kind kind, struct range at,
                             int depth) {
    struct ast_expr *e = ARENA_NEW(&p->s->arena, struct ast_expr);
    e->kind = kind;
    e->at = at;
    e->depth = depth + 1;
    if (e->depth > AST_MAX_DEPTH) {
        expected_too_deep(p, at);
        e->kind = E_WILD;  // a leaf, so that the tree keeps within its depth
        e->depth = 1;
    }
    return e;
}

static struct ast_expr *pair(struct parser *p, enum ast_expr_kind kind, struct range at,
                             struct ast_expr *lhs, struct ast_expr *rhs) {
    int depth = lhs->depth;
    if (rhs && rhs->depth > depth) depth = rhs->depth;
    struct ast_expr *e = node(p, kind, at, depth);
    if (e->kind != kind) return e;
    e->lhs = lhs;
    e->rhs = rhs;
    return e;
}

static struct ast_expr *with_args(struct parser *p, enum ast_expr_kind kind, struct range at,
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

struct ast_expr *build_tuple(struct parser *p, struct range at, struct list args) {
    return with_args(p, E_TUPLE, at, NULL, args);
}

struct ast_expr *build_tiler(struct parser *p, struct range at, struct list args) {
    return with_args(p, E_TILER, at, NULL, args);
}

struct ast_expr *build_swizzle(struct parser *p, struct range at, struct ast_expr *b,
                               struct ast_expr *m, struct ast_expr *s) {
    struct list args = {0};
    args = build_args(p, args, build_arg((struct ast_ident){0}, b));
    args = build_args(p, args, build_arg((struct ast_ident){0}, m));
    args = build_args(p, args, build_arg((struct ast_ident){0}, s));
    return with_args(p, E_SWIZZLE, at, NULL, args);
}

struct ast_expr *build_call(struct parser *p, struct range at, struct ast_expr *callee,
                            struct list args) {
    return with_args(p, E_CALL, at, callee, args);
}

struct ast_expr *build_member(struct parser *p, struct range at, struct ast_expr *of,
                              struct ast_ident name) {
    struct ast_expr *e = pair(p, E_MEMBER, at, of, NULL);
    e->name = name.name;
    e->name_at = name.at;
    return e;
}

struct ast_expr *build_neg(struct parser *p, struct range at, struct ast_expr *of) {
    return pair(p, E_NEG, at, of, NULL);
}

struct ast_expr *build_binary(struct parser *p, struct range at, struct range op_at, enum ast_op op,
                              struct ast_expr *lhs, struct ast_expr *rhs) {
    struct ast_expr *e = pair(p, E_BINARY, at, lhs, rhs);
    e->op = op;
    e->name_at = op_at;
    return e;
}

struct ast_expr *build_layout(struct parser *p, struct range at, struct ast_expr *shape,
                              struct ast_expr *stride) {
    return pair(p, E_LAYOUT, at, shape, stride);
}

struct ast_expr *build_basis(struct parser *p, struct range at, struct number coef,
                             struct number mode) {
    struct ast_expr *e = node(p, E_BASIS, at, 0);
    e->ival = coef.value;
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
        struct ast_expr *e = with_args(p, E_COMPOSE, at, NULL, args);
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

struct ast_expr *build_map(struct parser *p, struct range at, struct ast_expr *from,
                           struct ast_expr *to) {
    return pair(p, E_MAP, at, from, to);
}

// -- parts of declarations
// -----------------------------------------------------------------------------------------

struct number build_positive(struct parser *p, struct number num, const char *what) {
    if (num.value == 0) {
        diag_error(p->s, num.at, "%s of 0: it must be at least 1", what);
        num.value = 1;
    }
    return num;
}

static struct ast_type make_type(struct range at, struct ast_ident elem, enum ast_space space,
                                 struct ast_expr *shape, struct number align) {
    return (struct ast_type){.elem = elem,
                             .space = space,
                             .shape = shape,
                             .align = align.value,
                             .align_at = align.at,
                             .at = at};
}

struct ast_type build_type(struct range at, struct ast_ident elem, enum ast_space space,
                           struct ast_expr *shape, struct number align) {
    return make_type(at, elem, space, shape, align);
}

struct ast_type build_like(struct range at, struct ast_ident elem, enum ast_space space,
                           struct ast_expr *shape, struct number align) {
    struct ast_type t = make_type(at, elem, space, shape, align);
    t.like = true;
    return t;
}

struct ast_formal build_formal(struct range at, enum ast_dir dir, struct ast_ident name) {
    return (struct ast_formal){.dir = dir, .name = name, .kind = FORMAL_NAME, .at = at};
}

struct ast_formal build_formal_index(struct range at, struct ast_ident name) {
    return (struct ast_formal){.name = name, .kind = FORMAL_INDEX, .at = at};
}

struct ast_formal build_formal_tensor(struct range at, enum ast_dir dir, struct ast_ident name,
                                      struct ast_type type) {
    return (
        struct ast_formal){.dir = dir, .name = name, .kind = FORMAL_TENSOR, .type = type, .at = at};
}

static void clause_once(struct parser *p, const struct ast_expr *earlier, struct range at,
                        const char *name) {
    if (!earlier) return;
    diag_error(p->s, at, "'%s' is given twice", name);
    diag_note(p->s, earlier->at, "the first is here");
}

struct clauses build_grid(struct parser *p, struct clauses c, struct range at, struct ast_expr *e) {
    clause_once(p, c.grid, at, "grid");
    c.grid = e;
    return c;
}

struct clauses build_threads(struct parser *p, struct clauses c, struct range at,
                             struct ast_expr *e) {
    clause_once(p, c.threads, at, "threads");
    c.threads = e;
    return c;
}

// -- statements
// ----------------------------------------------------------------------------------------------------

struct ast_block *build_block(struct parser *p, struct range at, struct list stmts) {
    struct ast_block *b = ARENA_NEW(&p->s->arena, struct ast_block);
    *b = (struct ast_block){at, stmts.items, stmts.n};
    return b;
}

static struct ast_stmt *statement(struct parser *p, enum ast_stmt_kind kind, struct range at,
                                  struct ast_ident name) {
    struct ast_stmt *st = ARENA_NEW(&p->s->arena, struct ast_stmt);
    st->kind = kind;
    st->at = at;
    st->name = name;
    return st;
}

struct ast_stmt *build_plain(struct parser *p, struct range at, enum ast_stmt_kind kind,
                             int64_t wait) {
    struct ast_stmt *st = statement(p, kind, at, (struct ast_ident){0});
    st->wait = wait;
    return st;
}

struct ast_stmt *build_buffer(struct parser *p, struct range at, enum ast_stmt_kind kind,
                              struct ast_ident name, struct ast_type type,
                              struct ast_expr *stages) {
    struct ast_stmt *st = statement(p, kind, at, name);
    type.space = kind == S_SHARED ? SPACE_SHARED : SPACE_FRAG;
    st->buffer.type = type;
    st->buffer.stages = stages;
    return st;
}

struct ast_stmt *build_copy(struct parser *p, struct range at, struct ast_ident label,
                            struct ast_expr *src, struct ast_expr *dst, struct how how,
                            struct ast_expr *pad) {
    struct ast_stmt *st = statement(p, S_COPY, at, label);
    st->copy.src = src;
    st->copy.dst = dst;
    st->copy.how = how.kind;
    st->copy.with = how.expr;
    st->copy.pad = pad;
    return st;
}

struct ast_stmt *build_for(struct parser *p, struct range at, struct ast_ident name,
                           struct ast_expr *lo, struct ast_expr *hi, struct ast_block *body) {
    struct ast_stmt *st = statement(p, S_FOR, at, name);
    st->loop.lo = lo;
    st->loop.hi = hi;
    st->loop.body = body;
    return st;
}

struct ast_stmt *build_pipeline(struct parser *p, struct range at, struct ast_ident name,
                                struct ast_expr *lo, struct ast_expr *hi, struct list parts) {
    struct ast_stmt *st = statement(p, S_PIPELINE, at, name);
    st->loop.lo = lo;
    st->loop.hi = hi;
    st->loop.part = parts.items;
    st->loop.nparts = parts.n;
    return st;
}

struct ast_stmt *build_let(struct parser *p, struct range at, struct ast_ident name,
                           struct ast_expr *value) {
    struct ast_stmt *st = statement(p, S_LET, at, name);
    st->value = value;
    return st;
}

struct ast_stmt *build_call_stmt(struct parser *p, struct range at, struct ast_ident name,
                                 struct list args) {
    struct ast_stmt *st = statement(p, S_CALL, at, name);
    st->call.arg = args.items;
    st->call.nargs = args.n;
    return st;
}

struct ast_stmt *build_fill(struct parser *p, struct range at, struct ast_expr *target,
                            struct ast_expr *value) {
    struct ast_stmt *st = statement(p, S_FILL, at, (struct ast_ident){0});
    st->fill.target = target;
    st->fill.value = value;
    return st;
}

struct ast_stmt *build_expect(struct parser *p, struct range at, struct ast_expect expect) {
    struct ast_stmt *st = statement(p, S_EXPECT, at, (struct ast_ident){0});
    st->expect = expect;
    return st;
}

// -- declarations
// --------------------------------------------------------------------------------------------------

static struct ast_decl *declaration(struct parser *p, enum ast_decl_kind kind, struct range at,
                                    struct ast_ident name) {
    struct ast_decl *d = ARENA_NEW(&p->s->arena, struct ast_decl);
    d->kind = kind;
    d->at = at;
    d->name = name;
    return d;
}

struct ast_decl *build_tcp(struct parser *p, struct range at, struct number version) {
    struct ast_decl *d = declaration(p, D_TCP, at, (struct ast_ident){0});
    d->version = version.value;
    return d;
}

struct ast_decl *build_arch(struct parser *p, struct range at, struct ast_ident name) {
    return declaration(p, D_ARCH, at, name);
}

struct ast_decl *build_import(struct parser *p, struct range at, const char *path,
                              struct range path_at) {
    struct ast_decl *d = declaration(p, D_IMPORT, at, (struct ast_ident){0});
    d->import.path = path;
    d->import.path_at = path_at;
    return d;
}

struct ast_decl *build_value(struct parser *p, struct range at, enum ast_decl_kind kind,
                             struct ast_ident name, struct ast_expr *value) {
    struct ast_decl *d = declaration(p, kind, at, name);
    d->value = value;
    return d;
}

struct ast_decl *build_param(struct parser *p, struct range at, struct list names,
                             struct number mod, struct bounds bounds, struct ast_expr *where) {
    struct ast_decl *d = declaration(p, D_PARAM, at, (struct ast_ident){0});
    d->param = (struct ast_param){.name = names.items,
                                  .nnames = names.n,
                                  .mod = mod.value,
                                  .mod_at = mod.at,
                                  .lo = bounds.lo,
                                  .hi = bounds.hi,
                                  .where = where};
    return d;
}

struct ast_decl *build_tensor(struct parser *p, struct range at, struct ast_ident name,
                              struct ast_type type) {
    struct ast_decl *d = declaration(p, D_TENSOR, at, name);
    d->type = type;
    return d;
}

struct ast_decl *build_expect_decl(struct parser *p, struct range at, struct ast_expect expect) {
    struct ast_decl *d = declaration(p, D_EXPECT, at, (struct ast_ident){0});
    d->expect = expect;
    return d;
}

struct ast_decl *build_fn(struct parser *p, struct range at, struct range head_at,
                          struct fn_kind kind, struct ast_ident name, struct list formals,
                          struct clauses clauses, struct ast_block *body) {
    struct ast_decl *d = declaration(p, D_FN, at, name);
    d->fn = (struct ast_fn){.kernel = kind.kernel,
                            .async = kind.async,
                            .manual = kind.manual,
                            .formal = formals.items,
                            .nformals = formals.n,
                            .grid = clauses.grid,
                            .threads = clauses.threads,
                            .body = body,
                            .head_at = head_at};
    return d;
}

struct ast_decl *build_extern(struct parser *p, struct range at, struct range head_at,
                              struct ast_ident name, struct list formals, const char *from) {
    struct ast_decl *d = declaration(p, D_FN, at, name);
    d->fn = (struct ast_fn){.external = true,
                            .formal = formals.items,
                            .nformals = formals.n,
                            .from = from,
                            .head_at = head_at};
    return d;
}
