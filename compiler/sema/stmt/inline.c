// Calls of device functions of the plan: the function's statements stand for the call, with the
// arguments in place of its names, so that every promise is proven of them where they are.
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

enum { MOST_CALLS = 32 };  // nested

// Whether the function of "sym" can be called at "at"; reports an error otherwise.
static bool callable(struct sema *c, const struct symbol *sym, struct range at) {
    const struct kernel *k = c->kernel, *f = sym->value->kernel;
    int depth = 0;
    for (const struct inlining *x = c->call; x; x = x->outer) ++depth;
    if (f == k) {
        diag_error(c->s, at, "'%s' calls itself; a loop repeats statements: for i in 0 .. n { }",
                   f->name);
        return false;
    }
    if (!sym->function) return false;  // it has an error
    if (f->manual != k->manual) {
        diag_error(c->s, at,
                   f->manual ? "'%s' is a manual function, and '%s' is not; only manual functions "
                               "can call it"
                             : "'%s' is a manual function, which places all barriers itself, and "
                               "'%s' is not; declare it 'manual device'",
                   f->manual ? f->name : k->name, f->manual ? k->name : f->name);
        diag_note(c->s, f->at, "'%s' is declared here", f->name);
        return false;
    }
    if (f->threads != k->threads) {
        diag_error(c->s, at,
                   "'%s' is for %lld threads, and '%s' has %lld; declare it 'threads %lld'",
                   f->name, (long long)f->threads, k->name, (long long)k->threads,
                   (long long)k->threads);
        diag_note(c->s, f->at, "'%s' is declared here", f->name);
        return false;
    }
    if (depth >= MOST_CALLS) {
        diag_error(c->s, at, "calls nested %d deep; the limit is %d", depth + 1, MOST_CALLS);
        return false;
    }
    return true;
}

// Declares what the statements of the function see: its arguments and the threads.
static void bind(struct sema *c, const struct plan_call *y, uint32_t file) {
    const struct function *fn = y->fn;
    const struct kernel *k = c->kernel;
    for (int i = 0; i < fn->nformals; ++i) {
        struct view v = y->view[i];
        struct ast_ident id = {fn->formal[i].tensor->name, fn->formal[i].at};
        id.at.file = file;
        v.names = fn->formal[i].tensor->names;
        scope_bind(c, id, SYM_TENSOR, value_view(c, v));
    }
    for (int i = 0; i < fn->nindexes; ++i) {
        struct ast_ident id = {fn->index[i].var->name, fn->index[i].at};
        id.at.file = file;
        scope_bind(c, id, SYM_LET, value_int(c, y->index[i]));
    }
    const struct ix_var *var[] = {k->tid, k->lane, k->warp};
    scope_enter(c);
    for (int i = 0; i < 3; ++i)
        scope_bind(c, (struct ast_ident){var[i]->name, k->at}, SYM_BUILTIN,
                   value_int(c, ix_var(c->s, var[i])));
    scope_bind(c, (struct ast_ident){intern(c->s, "block"), k->at}, SYM_BUILTIN, NULL);
}

static struct stmt *inline_call(struct sema *c, const struct symbol *sym,
                                const struct plan_call *y) {
    const struct ast_fn *fn = sym->fn;
    if (!statements_fit(c, fn->body, y->at)) return NULL;
    int file = source_add_call(c->s, sym->at.file, y->at);
    struct inlining *x = ARENA_NEW(&c->s->arena, struct inlining);
    *x = (struct inlining){sym, c->depth, c->call};
    c->call = x;
    scope_enter(c);
    bind(c, y, (uint32_t)file);
    scope_enter(c);
    struct stmt *list = check_block(c, ast_block_again(c->s, fn->body, file), NULL);
    scope_leave(c);
    scope_leave(c);
    scope_leave(c);
    c->call = x->outer;
    return list;
}

struct stmt *check_inline(struct sema *c, struct symbol *sym, const struct ast_stmt *s) {
    if (!callable(c, sym, s->name.at)) return NULL;
    struct plan_call *y = call_arguments(c, s, sym->function);
    if (!y) return NULL;
    bool fits = true;
    for (int i = 0; i < y->fn->nformals; ++i) {
        struct lay have = y->view[i].layout, want = y->fn->formal[i].tensor->layout;
        fits &= !lay_valid(have) || !lay_valid(want) || view_layout_fits(&c->s->lay, have, want);
    }
    struct inlined *x = ARENA_NEW(&c->s->arena, struct inlined);
    *x = (struct inlined){y, c->kernel->inlined};
    c->kernel->inlined = x;
    return fits ? inline_call(c, sym, y) : NULL;  // pass "calls" reports what does not fit
}
