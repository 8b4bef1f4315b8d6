// Calls in the tree: finds them, and copies the text of a function for a call of it, with all places
// in another source.
#include "base/session.h"
#include "syntax/ast.h"

struct copier {
    struct session *s;
    uint32_t file;
};

static struct ast_expr *copy_expr(const struct copier *c, const struct ast_expr *e);

static struct ast_arg *copy_args(const struct copier *c, const struct ast_arg *arg, int n) {
    struct ast_arg *r = ARENA_ARRAY(&c->s->arena, struct ast_arg, n + 1);
    for (int i = 0; i < n; ++i) {
        r[i] = arg[i];
        r[i].key.at.file = c->file;
        r[i].value = copy_expr(c, arg[i].value);
    }
    return r;
}

static struct ast_expr *copy_expr(const struct copier *c, const struct ast_expr *e) {
    if (!e) return NULL;
    struct ast_expr *r = ARENA_NEW(&c->s->arena, struct ast_expr);
    *r = *e;
    r->at.file = r->name_at.file = c->file;
    r->lhs = copy_expr(c, e->lhs);
    r->rhs = copy_expr(c, e->rhs);
    r->arg = copy_args(c, e->arg, e->nargs);
    return r;
}

static struct ast_block *copy_block(const struct copier *c, const struct ast_block *b);

static void copy_loop(const struct copier *c, struct ast_stmt *r) {
    r->loop.lo = copy_expr(c, r->loop.lo);
    r->loop.hi = copy_expr(c, r->loop.hi);
    r->loop.body = copy_block(c, r->loop.body);
    r->loop.warps_at.file = c->file;
    r->loop.warps = copy_args(c, r->loop.warps, r->loop.nwarps);
    const struct ast_part *part = r->loop.part;
    r->loop.part = ARENA_ARRAY(&c->s->arena, struct ast_part, r->loop.nparts + 1);
    for (int i = 0; i < r->loop.nparts; ++i) {
        r->loop.part[i] = part[i];
        r->loop.part[i].at.file = r->loop.part[i].role.at.file = c->file;
        r->loop.part[i].warps = copy_expr(c, part[i].warps);
        r->loop.part[i].body = copy_block(c, part[i].body);
    }
}

static struct ast_stmt *copy_stmt(const struct copier *c, const struct ast_stmt *s) {
    struct ast_stmt *r = ARENA_NEW(&c->s->arena, struct ast_stmt);
    *r = *s;
    r->at.file = r->name.at.file = c->file;
    switch (s->kind) {
    case S_SHARED:
    case S_FRAG: {
        struct ast_type *t = &r->buffer.type;
        t->at.file = t->elem.at.file = t->align_at.file = c->file;
        t->shape = copy_expr(c, t->shape);
        r->buffer.stages = copy_expr(c, s->buffer.stages);
        break;
    }
    case S_COPY:
        r->copy.src = copy_expr(c, s->copy.src);
        r->copy.dst = copy_expr(c, s->copy.dst);
        r->copy.with = copy_expr(c, s->copy.with);
        r->copy.pad = copy_expr(c, s->copy.pad);
        break;
    case S_FOR:
    case S_PIPELINE: copy_loop(c, r); break;
    case S_LET: r->value = copy_expr(c, s->value); break;
    case S_CALL: r->call.arg = copy_args(c, s->call.arg, s->call.nargs); break;
    case S_FILL:
        r->fill.target = copy_expr(c, s->fill.target);
        r->fill.value = copy_expr(c, s->fill.value);
        break;
    case S_EXPECT: r->expect.cond = copy_expr(c, s->expect.cond); break;
    case S_BARRIER: r->stages = copy_expr(c, s->stages); break;
    case S_ARRIVE:
    case S_AWAIT:
    case S_BYTES:
    case S_SYNC:
        r->named.of = copy_expr(c, s->named.of);
        r->named.bytes = copy_expr(c, s->named.bytes);
        break;
    case S_FENCE:
    case S_COMMIT:
    case S_WAIT: break;
    }
    return r;
}

static struct ast_block *copy_block(const struct copier *c, const struct ast_block *b) {
    if (!b) return NULL;
    struct ast_block *r = ARENA_NEW(&c->s->arena, struct ast_block);
    *r = *b;
    r->at.file = c->file;
    r->stmt = ARENA_ARRAY(&c->s->arena, struct ast_stmt *, b->nstmts + 1);
    for (int i = 0; i < b->nstmts; ++i) r->stmt[i] = copy_stmt(c, b->stmt[i]);
    return r;
}

struct ast_block *ast_block_again(struct session *s, const struct ast_block *b, int file) {
    struct copier c = {s, (uint32_t)file};
    return copy_block(&c, b);
}

static bool block_calls(const struct ast_block *b, const char *name) {
    for (int i = 0; b && i < b->nstmts; ++i) {
        const struct ast_stmt *s = b->stmt[i];
        if (s->kind == S_CALL && s->name.name == name) return true;
        bool loop = s->kind == S_FOR || s->kind == S_PIPELINE;
        if (loop && block_calls(s->loop.body, name)) return true;
        for (int k = 0; loop && k < s->loop.nparts; ++k)
            if (block_calls(s->loop.part[k].body, name)) return true;
    }
    return false;
}

bool ast_is_called(const struct ast_file *f, const char *name) {
    for (int i = 0; i < f->ndecls; ++i)
        if (f->decl[i]->kind == D_FN && block_calls(f->decl[i]->fn.body, name)) return true;
    return false;
}
