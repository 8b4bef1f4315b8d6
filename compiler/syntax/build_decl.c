// Constructors of types, statements and declarations. They refuse what the grammar cannot without
// conflicts: a clause given twice, or a zero where it makes no sense.
#include <string.h>

#include "base/session.h"
#include "syntax/build.h"
#include "syntax/scan.h"

// -- parts of declarations ------------------------------------------------------------------------

struct number build_positive(struct parser *p, struct number num, const char *what) {
    if (num.value == 0) {
        diag_error(p->s, num.at, "%s of 0; it must be at least 1", what);
        num.value = 1;
    }
    return num;
}

struct ast_type build_type(struct range at, struct ast_ident elem, enum space space,
                           struct ast_expr *shape, bool like, struct number align) {
    return (struct ast_type){.elem = elem,
                             .space = space,
                             .shape = shape,
                             .like = like,
                             .align = align.value,
                             .align_at = align.at,
                             .at = at};
}

struct ast_type build_over(struct ast_type type, struct range at, struct list over) {
    type.over = over.items;
    type.nover = over.n;
    type.over_at = at;
    return type;
}

struct ast_formal build_formal(struct range at, struct access access, struct ast_ident name) {
    return (struct ast_formal){.dir = access.dir,
                               .readonly = access.readonly,
                               .readonly_at = access.at,
                               .name = name,
                               .kind = FORMAL_NAME,
                               .at = at};
}

static struct ast_param promises(struct range index_at, struct number mod, struct bounds bounds,
                                 struct ast_expr *where) {
    return (struct ast_param){.index_at = index_at,
                              .mod = mod.value,
                              .mod_at = mod.at,
                              .lo = bounds.lo,
                              .hi = bounds.hi,
                              .where = where};
}

struct ast_formal build_formal_index(struct parser *p, struct range at, struct ast_ident name,
                                     struct range index_at, struct number mod, struct bounds bounds,
                                     struct ast_expr *where) {
    struct ast_formal f = {.name = name, .kind = FORMAL_INDEX, .at = at};
    struct list one = build_names(p, (struct list){0}, name);
    struct ast_param *param = ARENA_NEW(&p->s->arena, struct ast_param);
    *param = promises(index_at, mod, bounds, where);
    param->name = one.items;
    param->nnames = 1;
    f.param = param;
    return f;
}

struct ast_formal build_formal_tensor(struct range at, struct access access, struct ast_ident name,
                                      struct ast_type type) {
    struct ast_formal f = build_formal(at, access, name);
    f.kind = FORMAL_TENSOR;
    f.type = type;
    return f;
}

struct clauses build_clause(struct parser *p, struct clauses c, enum clause which, struct range at,
                            struct ast_expr *e) {
    static const char *const names[] = {"grid", "threads", "when"};
    if (c.of[which]) {
        diag_error(p->s, at, "'%s' is given twice", names[which]);
        diag_note(p->s, c.of[which]->at, "the first is here");
    }
    c.of[which] = e;
    return c;
}

// -- statements -----------------------------------------------------------------------------------

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

struct range build_swizzle_auto(struct parser *p, struct range at, struct range word_at,
                                const char *word) {
    if (strcmp(word, "auto") == 0) return at;
    diag_error(p->s, word_at,
               "'swizzle' is followed by 'auto', which chooses one; write your own swizzle before "
               "the layout: Sw<3,3,3> o 0 o row(64,64)");
    return (struct range){0};
}

struct ast_stmt *build_buffer(struct parser *p, struct range at, enum ast_stmt_kind kind,
                              struct ast_ident name, struct ast_type type, struct range swizzle_at,
                              struct ast_expr *stages) {
    struct ast_stmt *st = statement(p, kind, at, name);
    type.space = kind == S_SHARED ? MEM_SHARED : MEM_FRAG;
    st->buffer.type = type;
    st->buffer.stages = stages;
    st->buffer.swizzle_at = swizzle_at;
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

struct ast_stmt *build_loop(struct parser *p, struct range at, enum ast_stmt_kind kind,
                            struct ast_ident name, struct bounds bounds, struct ast_block *body,
                            struct list parts) {
    struct ast_stmt *st = statement(p, kind, at, name);
    st->loop.lo = bounds.lo;
    st->loop.hi = bounds.hi;
    st->loop.body = body;
    st->loop.part = parts.items;
    st->loop.nparts = parts.n;
    return st;
}

struct ast_stmt *build_warps(struct ast_stmt *st, struct range at, struct list warps) {
    st->loop.warps = warps.items;
    st->loop.nwarps = warps.n;
    st->loop.warps_at = at;
    return st;
}

struct ast_stmt *build_roles(struct ast_stmt *st) {
    st->loop.roles = true;
    return st;
}

struct ast_stmt *build_barrier(struct parser *p, struct range at, struct ast_ident name,
                               struct ast_expr *stages) {
    struct ast_stmt *st = statement(p, S_BARRIER, at, name);
    st->stages = stages;
    return st;
}

struct ast_stmt *build_named(struct parser *p, struct range at, enum ast_stmt_kind kind,
                             struct ast_ident name, struct ast_expr *of) {
    struct ast_stmt *st = statement(p, kind, at, name);
    st->named.of = of;
    return st;
}

struct ast_stmt *build_bytes(struct ast_stmt *st, struct ast_expr *bytes) {
    st->named.bytes = bytes;
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

// -- declarations ---------------------------------------------------------------------------------

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
                             struct range index_at, struct number mod, struct bounds bounds,
                             struct ast_expr *where) {
    struct ast_decl *d = declaration(p, D_PARAM, at, (struct ast_ident){0});
    d->param = promises(index_at, mod, bounds, where);
    d->param.name = names.items;
    d->param.nnames = names.n;
    return d;
}

struct ast_decl *build_mesh(struct parser *p, struct range at, struct list names,
                            struct list sizes) {
    struct ast_decl *d = declaration(p, D_MESH, at, (struct ast_ident){0});
    d->mesh.name = names.items;
    d->mesh.nnames = names.n;
    d->mesh.size = sizes.items;
    d->mesh.nsizes = sizes.n;
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

struct ast_decl *build_fn(struct parser *p, struct range head_at, struct fn_kind kind,
                          struct ast_ident name, struct list formals, struct clauses clauses,
                          struct ast_block *body) {
    struct ast_decl *d = declaration(p, D_FN, range_join(head_at, body->at), name);
    d->fn = (struct ast_fn){.kernel = kind.kernel,
                            .async = kind.async,
                            .manual = kind.manual,
                            .formal = formals.items,
                            .nformals = formals.n,
                            .grid = clauses.of[CLAUSE_GRID],
                            .threads = clauses.of[CLAUSE_THREADS],
                            .when = clauses.of[CLAUSE_WHEN],
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

// -- warnings -------------------------------------------------------------------------------------

// Adds "names" to the 'allow' that a declaration or statement already has.
static struct ast_allow allowed(struct parser *p, struct range at, struct list names,
                                const struct ast_allow *inner) {
    for (int i = 0; i < inner->n; i++) names = build_names(p, names, inner->name[i]);
    return (struct ast_allow){names.items, names.n, inner->n ? range_join(at, inner->at) : at};
}

struct ast_stmt *build_allow_stmt(struct parser *p, struct range at, struct list names,
                                  struct ast_stmt *of) {
    of->allow = allowed(p, at, names, &of->allow);
    return of;
}

struct ast_decl *build_allow_decl(struct parser *p, struct range at, struct list names,
                                  struct ast_decl *of) {
    of->allow = allowed(p, at, names, &of->allow);
    return of;
}

struct range ast_whole(struct range at, const struct ast_allow *allow) {
    return allow->n ? range_join(allow->at, at) : at;
}

int ast_cases_end(const struct ast_file *f, int first) {
    const struct ast_decl *d = f->decl[first];
    int end = first + 1;
    while (end < f->ndecls && d->kind == D_FN && f->decl[end]->kind == D_FN &&
           f->decl[end]->name.name == d->name.name)
        ++end;
    return end;
}
