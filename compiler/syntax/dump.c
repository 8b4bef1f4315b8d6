// Prints the tree for --emit=ast: one node per line, children two columns to the right. It leaves
// out places in the source, so that expected outputs of tests do not change with them.
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"
#include "syntax/ast.h"

static void dump_expr(struct buf *b, const struct ast_expr *e, int indent);

static void line(struct buf *b, int indent, const char *text) {
    buf_fill(b, ' ', indent);
    buf_printf(b, "%s\n", text);
}

static void named(struct buf *b, int indent, const char *what, const char *name) {
    buf_fill(b, ' ', indent);
    buf_printf(b, "%s %s\n", what, name);
}

// Prints a child that has a role: the role on a line of its own, the child below it.
static void child(struct buf *b, int indent, const char *role, const struct ast_expr *e) {
    if (!e) return;
    line(b, indent, role);
    dump_expr(b, e, indent + 2);
}

static void dump_args(struct buf *b, const struct ast_arg *arg, int n, int indent) {
    for (int i = 0; i < n; i++) {
        if (arg[i].key.name) named(b, indent, "key", arg[i].key.name);
        dump_expr(b, arg[i].value, arg[i].key.name ? indent + 2 : indent);
    }
}

static void dump_expr(struct buf *b, const struct ast_expr *e, int indent) {
    static const char kinds[][8] = {"int",     "float",   "name",   "wild", "tuple",  "tiler",
                                    "swizzle", "call",    "member", "neg",  "binary", "layout",
                                    "basis",   "compose", "map",    "range"};
    buf_fill(b, ' ', indent);
    buf_puts(b, kinds[e->kind]);
    switch (e->kind) {
    case E_INT: buf_printf(b, " %lld", (long long)e->ival); break;
    case E_FLOAT: buf_printf(b, " %s", e->text); break;
    case E_NAME:
    case E_MEMBER: buf_printf(b, " %s", e->name); break;
    case E_BINARY: buf_printf(b, " %s", ast_op_text(e->op)); break;
    case E_BASIS: buf_printf(b, " @%lld", (long long)e->basis); break;
    default: break;
    }
    buf_char(b, '\n');
    if (e->lhs) dump_expr(b, e->lhs, indent + 2);
    if (e->rhs) dump_expr(b, e->rhs, indent + 2);
    dump_args(b, e->arg, e->nargs, indent + 2);
}

static void dump_type(struct buf *b, const struct ast_type *t, bool with_space, int indent) {
    buf_fill(b, ' ', indent);
    buf_printf(b, "type %s%s%s", t->elem.name, with_space ? " " : "",
               with_space ? space_name(t->space) : "");
    if (t->align) buf_printf(b, " align %lld", (long long)t->align);
    buf_char(b, '\n');
    child(b, indent + 2, t->like ? "like" : "shape", t->shape);
    if (!t->over_at.end) return;
    line(b, indent + 2, "over");
    dump_args(b, t->over, t->nover, indent + 4);
}

static void dump_expect(struct buf *b, const struct ast_expect *e, int indent) {
    buf_fill(b, ' ', indent);
    buf_puts(b, "expect");
    if (e->message) {
        buf_char(b, ' ');
        ast_print_string(b, e->message);
    }
    buf_char(b, '\n');
    dump_expr(b, e->cond, indent + 2);
}

static void dump_allow(struct buf *b, const struct ast_allow *a, int indent) {
    for (int i = 0; i < a->n; i++) {
        buf_fill(b, ' ', indent);
        buf_puts(b, "allow ");
        ast_print_string(b, a->name[i].name);
        buf_char(b, '\n');
    }
}

static void dump_block(struct buf *b, const struct ast_block *block, int indent);

static void dump_loop(struct buf *b, const struct ast_stmt *st, int indent) {
    named(b, indent,
          st->kind == S_FOR ? "for"
          : st->loop.roles  ? "roles"
                            : "pipeline",
          st->name.name);
    child(b, indent + 2, "from", st->loop.lo);
    child(b, indent + 2, "to", st->loop.hi);
    if (ast_has_roles(st)) {
        line(b, indent + 2, "warps");
        dump_args(b, st->loop.warps, st->loop.nwarps, indent + 4);
    }
    if (st->loop.body) dump_block(b, st->loop.body, indent + 2);
    for (int i = 0; i < st->loop.nparts; i++) {
        const struct ast_part *part = &st->loop.part[i];
        if (st->loop.roles)
            named(b, indent + 2, "role", part->role.name);
        else
            line(b, indent + 2, part->load ? "load" : "use");
        child(b, indent + 4, "warps", part->warps);
        dump_block(b, st->loop.part[i].body, indent + 4);
    }
}

static void dump_stmt(struct buf *b, const struct ast_stmt *st, int indent) {
    switch (st->kind) {
    case S_SHARED:
    case S_FRAG:
        named(b, indent, space_name(st->buffer.type.space), st->name.name);
        dump_type(b, &st->buffer.type, false, indent + 2);
        if (st->buffer.swizzle_at.end) line(b, indent + 2, "swizzle auto");
        child(b, indent + 2, "stages", st->buffer.stages);
        break;
    case S_COPY:
        if (st->name.name)
            named(b, indent, "copy", st->name.name);
        else
            line(b, indent, "copy");
        child(b, indent + 2, "from", st->copy.src);
        child(b, indent + 2, "to", st->copy.dst);
        child(b, indent + 2, st->copy.how == HOW_WITH ? "with" : "by", st->copy.with);
        child(b, indent + 2, "pad", st->copy.pad);
        break;
    case S_FOR:
    case S_PIPELINE: dump_loop(b, st, indent); break;
    case S_LET:
        named(b, indent, "let", st->name.name);
        dump_expr(b, st->value, indent + 2);
        break;
    case S_CALL:
        named(b, indent, "call", st->name.name);
        dump_args(b, st->call.arg, st->call.nargs, indent + 2);
        break;
    case S_FILL:
        line(b, indent, "fill");
        child(b, indent + 2, "what", st->fill.target);
        child(b, indent + 2, "value", st->fill.value);
        break;
    case S_EXPECT: dump_expect(b, &st->expect, indent); break;
    case S_BARRIER:
        named(b, indent, "barrier", st->name.name);
        child(b, indent + 2, "stages", st->stages);
        break;
    case S_ARRIVE:
    case S_AWAIT:
    case S_BYTES:
    case S_SYNC:
        if (st->named.of)
            named(b, indent, ast_word(st->kind), st->name.name);
        else
            line(b, indent, "sync");
        child(b, indent + 2, "of", st->named.of);
        child(b, indent + 2, "bytes", st->named.bytes);
        break;
    case S_FENCE: line(b, indent, "fence"); break;
    case S_COMMIT: line(b, indent, "commit"); break;
    case S_WAIT:
        buf_fill(b, ' ', indent);
        buf_printf(b, "wait %lld\n", (long long)st->wait);
        break;
    }
}

static void dump_block(struct buf *b, const struct ast_block *block, int indent) {
    line(b, indent, "block");
    for (int i = 0; i < block->nstmts; i++) {
        dump_allow(b, &block->stmt[i]->allow, indent + 2);
        dump_stmt(b, block->stmt[i], indent + 2);
    }
}

// What params promise, behind their names.
static void dump_promises(struct buf *b, const struct ast_param *p, int indent) {
    if (p->mod) buf_printf(b, " %% %lld", (long long)p->mod);
    buf_char(b, '\n');
    child(b, indent, "from", p->lo);
    child(b, indent, "to", p->hi);
    child(b, indent, "where", p->where);
}

static void dump_formal(struct buf *b, const struct ast_formal *f, int indent) {
    static const char dir[][7] = {"", "out ", "inout "};
    buf_fill(b, ' ', indent);
    buf_printf(b, "formal %s%s%s%s", f->readonly ? "readonly " : "", dir[f->dir], f->name.name,
               f->kind == FORMAL_INDEX ? " : index" : "");
    if (f->kind == FORMAL_INDEX)
        dump_promises(b, f->param, indent + 2);
    else
        buf_char(b, '\n');
    if (f->kind == FORMAL_TENSOR) dump_type(b, &f->type, true, indent + 2);
}

static void dump_fn(struct buf *b, const struct ast_decl *d) {
    const struct ast_fn *fn = &d->fn;
    buf_printf(b, "%s%s%s%s %s", fn->external ? "extern " : "", fn->async ? "async " : "",
               fn->manual ? "manual " : "", fn->kernel ? "kernel" : "device", d->name.name);
    if (fn->external) {
        buf_puts(b, " from ");
        ast_print_string(b, fn->from);
    }
    buf_char(b, '\n');
    for (int i = 0; i < fn->nformals; i++) dump_formal(b, &fn->formal[i], 2);
    child(b, 2, "when", fn->when);
    child(b, 2, "grid", fn->grid);
    child(b, 2, "threads", fn->threads);
    if (fn->body) dump_block(b, fn->body, 2);
}

static void dump_param(struct buf *b, const struct ast_param *p) {
    buf_puts(b, "param");
    for (int i = 0; i < p->nnames; i++) buf_printf(b, " %s", p->name[i].name);
    dump_promises(b, p, 2);
}

static void dump_decl(struct buf *b, const struct ast_decl *d) {
    dump_allow(b, &d->allow, 0);
    switch (d->kind) {
    case D_TCP: buf_printf(b, "tcp %lld\n", (long long)d->version); break;
    case D_ARCH: named(b, 0, "arch", d->name.name); break;
    case D_IMPORT:
        buf_puts(b, "import ");
        ast_print_string(b, d->import.path);
        buf_char(b, '\n');
        break;
    case D_CONST:
    case D_LAYOUT:
    case D_ATOM:
    case D_TILED_COPY:
    case D_TILED_MMA:
        named(b, 0, ast_value_word(d->kind), d->name.name);
        dump_expr(b, d->value, 2);
        break;
    case D_PARAM: dump_param(b, &d->param); break;
    case D_TENSOR:
        named(b, 0, "tensor", d->name.name);
        dump_type(b, &d->type, true, 2);
        break;
    case D_MESH:
        buf_puts(b, "mesh");
        for (int i = 0; i < d->mesh.nnames; i++) buf_printf(b, " %s", d->mesh.name[i].name);
        buf_char(b, '\n');
        dump_args(b, d->mesh.size, d->mesh.nsizes, 2);
        break;
    case D_EXPECT: dump_expect(b, &d->expect, 0); break;
    case D_FN: dump_fn(b, d); break;
    }
}

void ast_dump(struct buf *b, const struct session *s, const struct ast_file *f) {
    const char *path = s->sources.file[f->file].path;
    buf_puts(b, "file ");
    buf_shown(b, path, strlen(path));
    buf_char(b, '\n');
    for (int i = 0; i < f->ndecls; i++) dump_decl(b, f->decl[i]);
}
