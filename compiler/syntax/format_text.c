// The second half of the formatter: one declaration or statement as text, and line breaking.
#include "syntax/format_text.h"

#include <string.h>

#include "base/buf.h"

#define BREAK "\1"

static void clause(struct buf *b, const char *before, const struct ast_expr *e) {
    if (!e) return;
    buf_puts(b, before);
    ast_print_expr_breakable(b, e);
}

static void args_text(struct buf *b, const struct ast_arg *arg, int n) {
    for (int i = 0; i < n; i++) {
        if (i) buf_puts(b, "," BREAK);
        if (arg[i].key.name) buf_printf(b, "%s=", arg[i].key.name);
        ast_print_expr_breakable(b, arg[i].value);
    }
}

static void type_text(struct buf *b, const struct ast_type *t, bool with_space) {
    buf_printf(b, "%s%s%s", t->elem.name, with_space ? " " : "",
               with_space ? space_name(t->space) : "");
    clause(b, t->like ? " like " : " ", t->shape);
    if (t->over_at.end) {
        buf_puts(b, BREAK "over (");
        args_text(b, t->over, t->nover);
        buf_char(b, ')');
    }
    if (t->align) buf_printf(b, BREAK "align %lld", (long long)t->align);
}

static void expect_text(struct buf *b, const struct ast_expect *e) {
    clause(b, "expect ", e->cond);
    if (e->message) {
        buf_puts(b, "," BREAK);
        ast_print_string(b, e->message);
    }
    buf_char(b, ';');
}

static void copy_text(struct buf *b, const struct ast_stmt *st) {
    if (st->name.name) buf_printf(b, "%s: ", st->name.name);
    clause(b, "copy ", st->copy.src);
    clause(b, BREAK "-> ", st->copy.dst);
    clause(b, st->copy.how == HOW_WITH ? BREAK "with " : BREAK "by ", st->copy.with);
    clause(b, BREAK "pad ", st->copy.pad);
    buf_char(b, ';');
}

static void allow_text(struct buf *b, const struct ast_allow *a) {
    for (int i = 0; i < a->n; i++) {
        buf_puts(b, i ? "," BREAK : "allow ");
        ast_print_string(b, a->name[i].name);
    }
    if (a->n) buf_puts(b, BREAK);
}

void format_stmt_text(struct buf *b, const struct ast_stmt *st) {
    allow_text(b, &st->allow);
    switch (st->kind) {
    case S_SHARED:
    case S_FRAG:
        buf_printf(b, "%s %s : ", space_name(st->buffer.type.space), st->name.name);
        type_text(b, &st->buffer.type, false);
        if (st->buffer.swizzle_at.end) buf_puts(b, BREAK "swizzle auto");
        clause(b, BREAK "stages ", st->buffer.stages);
        buf_char(b, ';');
        break;
    case S_COPY: copy_text(b, st); break;
    case S_FOR:
    case S_PIPELINE:
        buf_printf(b, "%s %s in ",
                   st->kind == S_FOR ? "for"
                   : st->loop.roles  ? "roles"
                                     : "pipeline",
                   st->name.name);
        ast_print_expr_breakable(b, st->loop.lo);
        clause(b, " .. ", st->loop.hi);
        if (!ast_has_roles(st)) break;
        buf_puts(b, BREAK "warps (");
        args_text(b, st->loop.warps, st->loop.nwarps);
        buf_char(b, ')');
        break;
    case S_LET:
        buf_printf(b, "let %s", st->name.name);
        clause(b, " = ", st->value);
        buf_char(b, ';');
        break;
    case S_CALL:
        buf_printf(b, "call %s(", st->name.name);
        args_text(b, st->call.arg, st->call.nargs);
        buf_puts(b, ");");
        break;
    case S_FILL:
        clause(b, "fill ", st->fill.target);
        clause(b, " = ", st->fill.value);
        buf_char(b, ';');
        break;
    case S_EXPECT: expect_text(b, &st->expect); break;
    case S_BARRIER:
        buf_printf(b, "barrier %s", st->name.name);
        clause(b, BREAK "stages ", st->stages);
        buf_char(b, ';');
        break;
    case S_ARRIVE:
    case S_AWAIT:
    case S_BYTES:
    case S_SYNC:
        buf_puts(b, ast_word(st->kind));
        if (st->named.of) buf_printf(b, " %s", st->name.name);
        clause(b, " of ", st->named.of);
        clause(b, ", ", st->named.bytes);
        buf_char(b, ';');
        break;
    case S_FENCE: buf_puts(b, "fence;"); break;
    case S_COMMIT: buf_puts(b, "commit;"); break;
    case S_WAIT: buf_printf(b, "wait %lld;", (long long)st->wait); break;
    }
}

void format_part_text(struct buf *b, const struct ast_part *part) {
    if (!part->warps) {
        buf_puts(b, part->load ? "load" : "use");
        return;
    }
    buf_printf(b, "%s (", part->role.name);
    ast_print_expr_breakable(b, part->warps);
    buf_char(b, ')');
}

static void index_text(struct buf *b, const struct ast_param *p) {
    buf_puts(b, "index");
    if (p->mod) buf_printf(b, " %% %lld", (long long)p->mod);
    clause(b, " in ", p->lo);
    clause(b, " .. ", p->hi);
    clause(b, BREAK "where ", p->where);
}

static void fn_text(struct buf *b, const struct ast_decl *d) {
    static const char dir[][7] = {"", "out ", "inout "};
    const struct ast_fn *fn = &d->fn;
    buf_printf(b, "%s%s%s%s %s(", fn->external ? "extern " : "", fn->async ? "async " : "",
               fn->manual ? "manual " : "", fn->kernel ? "kernel" : "device", d->name.name);
    for (int i = 0; i < fn->nformals; i++) {
        const struct ast_formal *f = &fn->formal[i];
        buf_printf(b, "%s%s%s%s", i ? "," BREAK : "", f->readonly ? "readonly " : "", dir[f->dir],
                   f->name.name);
        if (f->kind != FORMAL_NAME) buf_puts(b, " : ");
        if (f->kind == FORMAL_INDEX) index_text(b, f->param);
        if (f->kind == FORMAL_TENSOR) type_text(b, &f->type, true);
    }
    buf_char(b, ')');
    clause(b, BREAK "when ", fn->when);
    clause(b, BREAK "grid ", fn->grid);
    clause(b, BREAK "threads ", fn->threads);
    if (fn->external) {
        buf_puts(b, BREAK "from ");
        ast_print_string(b, fn->from);
        buf_char(b, ';');
    }
}

static void param_text(struct buf *b, const struct ast_param *p) {
    buf_puts(b, "param ");
    for (int i = 0; i < p->nnames; i++) buf_printf(b, "%s%s", i ? "," BREAK : "", p->name[i].name);
    buf_puts(b, " : ");
    index_text(b, p);
    buf_char(b, ';');
}

static void mesh_text(struct buf *b, const struct ast_decl *d) {
    bool several = d->mesh.nnames > 1;
    buf_puts(b, several ? "mesh (" : "mesh ");
    for (int i = 0; i < d->mesh.nnames; i++)
        buf_printf(b, "%s%s", i ? "," BREAK : "", d->mesh.name[i].name);
    buf_puts(b, several ? ") (" : " (");
    args_text(b, d->mesh.size, d->mesh.nsizes);
    buf_puts(b, ");");
}

void format_decl_text(struct buf *b, const struct ast_decl *d) {
    allow_text(b, &d->allow);
    switch (d->kind) {
    case D_TCP: buf_printf(b, "tcp %lld;", (long long)d->version); break;
    case D_ARCH: buf_printf(b, "arch %s;", d->name.name); break;
    case D_IMPORT:
        buf_puts(b, "import ");
        ast_print_string(b, d->import.path);
        buf_char(b, ';');
        break;
    case D_CONST:
    case D_LAYOUT:
    case D_ATOM:
    case D_TILED_COPY:
    case D_TILED_MMA:
        buf_printf(b, "%s %s", ast_value_word(d->kind), d->name.name);
        clause(b, " = ", d->value);
        buf_char(b, ';');
        break;
    case D_PARAM: param_text(b, &d->param); break;
    case D_TENSOR:
        buf_printf(b, "tensor %s : ", d->name.name);
        type_text(b, &d->type, true);
        buf_char(b, ';');
        break;
    case D_MESH: mesh_text(b, d); break;
    case D_EXPECT: expect_text(b, &d->expect); break;
    case D_FN: fn_text(b, d); break;
    }
}

int format_columns(const char *text, size_t len) {
    int n = 0;
    for (size_t i = 0; i < len; i++) n += (text[i] & 0xc0) != 0x80;
    return n;
}

void format_fill(struct buf *out, const char *text, int indent, int width) {
    enum { DEEPEST = 2 * AST_MAX_DEPTH };
    int open[DEEPEST], depth = 0, col = indent;
    bool quoted = false;
    for (const char *p = text; *p; p++) {
        if (*p != '\1') {
            if (*p == '"' && (p == text || p[-1] != '\\')) quoted = !quoted;
            if (*p == '(' && !quoted && depth < DEEPEST) open[depth++] = col + 1;
            if (*p == ')' && !quoted && depth > 0) depth--;
            buf_char(out, *p);
            col += (*p & 0xc0) != 0x80;
            continue;
        }
        size_t piece = strcspn(p + 1, "\1");
        if (col + 1 + format_columns(p + 1, piece) <= width) {
            buf_char(out, ' ');
            col++;
            continue;
        }
        int hang = depth > 0 ? open[depth - 1] : indent + 4;
        if (hang > width / 2) hang = indent + 4;
        buf_char(out, '\n');
        buf_fill(out, ' ', hang);
        col = hang;
    }
}
