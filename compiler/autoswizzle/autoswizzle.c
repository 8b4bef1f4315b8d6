// Finds the buffers with `swizzle auto`, and writes into the tree what is chosen (see autoswizzle.h).
#include "autoswizzle/autoswizzle.h"

#include "autoswizzle/choose.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "steps/steps.h"
#include "syntax/ast.h"

// -- the buffers ----------------------------------------------------------------------------------

static void find(const struct ast_block *block, struct range fn, struct buffers *out) {
    for (int i = 0; block && i < block->nstmts; ++i) {
        struct ast_stmt *st = block->stmt[i];
        if (st->kind == S_SHARED && st->buffer.swizzle_at.end) {
            if (out->stmt) {
                out->stmt[out->n] = st;
                out->fn[out->n] = fn;
            }
            ++out->n;
        }
        if (st->kind == S_FOR) find(st->loop.body, fn, out);
        for (int k = 0; st->kind == S_PIPELINE && k < st->loop.nparts; ++k)
            find(st->loop.part[k].body, fn, out);
    }
}

static void find_all(struct session *s, const struct ast_file *f, struct buffers *out) {
    *out = (struct buffers){NULL, NULL, 0};
    for (int pass = 0; pass < 2; ++pass) {
        if (pass) {
            out->stmt = ARENA_ARRAY(&s->arena, struct ast_stmt *, out->n + 1);
            out->fn = ARENA_ARRAY(&s->arena, struct range, out->n + 1);
        }
        out->n = 0;
        for (int i = 0; i < f->ndecls;) {
            int end = ast_cases_end(f, i);
            struct range fn = f->decl[i]->at;
            fn.end = f->decl[end - 1]->at.end;
            for (; i < end; ++i)
                if (f->decl[i]->kind == D_FN) find(f->decl[i]->fn.body, fn, out);
        }
    }
}

// -- what is chosen, in the tree ------------------------------------------------------------------

static struct ast_expr *integer(struct session *s, int64_t n, struct range at) {
    struct ast_expr *e = ARENA_NEW(&s->arena, struct ast_expr);
    *e = (struct ast_expr){.kind = E_INT, .depth = 1, .at = at, .ival = n};
    e->text = arena_printf(&s->arena, "%lld", (long long)n);
    return e;
}

static struct ast_expr *several(struct session *s, enum ast_expr_kind kind, struct range at, int n,
                                struct ast_expr *const *part) {
    struct ast_expr *e = ARENA_NEW(&s->arena, struct ast_expr);
    *e = (struct ast_expr){.kind = kind, .at = at, .nargs = n};
    e->arg = ARENA_ARRAY(&s->arena, struct ast_arg, n);
    for (int i = 0; i < n; ++i) {
        e->arg[i] = (struct ast_arg){.value = part[i]};
        if (part[i]->depth >= e->depth) e->depth = part[i]->depth + 1;
    }
    return e;
}

static struct ast_expr *tuple_of(struct session *s, const struct lay_tuple *t, struct range at) {
    struct ast_expr *part[8];
    int n = lay_tuple_rank(t);
    if (lay_is_leaf(t)) return integer(s, t->leaf.num, at);
    for (int i = 0; i < n; ++i) part[i] = integer(s, lay_tuple_get(&s->lay, t, i)->leaf.num, at);
    return several(s, E_TUPLE, at, n, part);
}

static void put(struct session *s, struct ast_stmt *st, const struct swizzle_choice *x) {
    struct ast_expr **shape = &st->buffer.type.shape;
    struct range at = (*shape)->at;
    if (x->text) {
        struct lay l = lay_parse(&s->lay, x->text);
        struct ast_expr *e = ARENA_NEW(&s->arena, struct ast_expr);
        *e = (struct ast_expr){.kind = E_LAYOUT, .depth = 3, .at = at};
        e->lhs = tuple_of(s, l.shape, at);
        e->rhs = tuple_of(s, l.stride, at);
        *shape = e;
    }
    if (x->b) {
        struct ast_expr *number[] = {integer(s, x->b, at), integer(s, x->m, at),
                                     integer(s, x->s, at)};
        struct ast_expr *part[] = {several(s, E_SWIZZLE, at, 3, number), integer(s, 0, at), *shape};
        *shape = several(s, E_COMPOSE, at, 3, part);
        st->buffer.chosen = true;
    }
}

// -- all ------------------------------------------------------------------------------------------

static bool is_asked_for(const struct compiled *c, const struct ast_decl *d) {
    struct buffers b = {NULL, NULL, 0};
    if (!c->only_chosen) return c->only_at >= d->at.begin && c->only_at < d->at.end;
    find(d->fn.body, d->at, &b);
    return b.n > 0;
}

// Whether a kernel may need "d" to be compiled.
static bool called(const struct ast_file *f, const struct ast_decl *d) {
    return !d->fn.kernel && ast_is_called(f, d->name.name);
}

// Removes the functions that "c" does not compile, and every `expect` declaration.
static void keep_only(const struct compiled *c) {
    struct ast_file *f = c->ast;
    int n = 0;
    for (int i = 0; i < f->ndecls;) {
        bool keep = false;
        int end = ast_cases_end(f, i);
        for (int k = i; k < end && !keep; ++k)
            keep = f->decl[k]->kind == D_FN && is_asked_for(c, f->decl[k]);
        for (struct ast_decl *d; i < end; ++i) {
            d = f->decl[i];
            if (d->kind == D_FN ? keep || !d->fn.body || called(f, d) : d->kind != D_EXPECT)
                f->decl[n++] = d;
        }
    }
    f->ndecls = n;
}

bool swizzles_choose(struct compiled *c) {
    struct session *s = c->s;
    struct buffers b;
    find_all(s, c->ast, &b);
    if (b.n > 0 && (!c->swizzle || c->nswizzles != b.n)) {  // a fix-it may have brought one more
        struct swizzle_choice *choice = ARENA_ARRAY(&s->arena, struct swizzle_choice, b.n);
        if (!buffers_choose(c, &b, choice)) return false;
        c->swizzle = choice;
        c->nswizzles = b.n;
    }
    for (int i = 0; i < b.n && i < c->nswizzles; ++i) put(s, b.stmt[i], &c->swizzle[i]);
    if (c->only_at || c->only_chosen) keep_only(c);
    return true;
}
