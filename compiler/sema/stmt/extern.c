// extern device functions, their calls, and fills: names, kinds and types.  Pass "calls" checks
// whether layouts fit.
#include <string.h>

#include "sema/decl.h"
#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"
#include "sema/view/viewfn.h"

enum { MOST_FORMALS = 64 };

static enum dir dir_of(enum ast_dir d) {
    return d == DIR_OUT ? ARG_OUT : d == DIR_INOUT ? ARG_INOUT : ARG_IN;
}

static struct tensor *formal_of(struct sema *c, const struct ast_formal *f) {
    if (f->kind == FORMAL_TENSOR)
        return spread_nowhere(c, &f->type) ? make_tensor(c, f->name, &f->type, NULL) : NULL;
    struct symbol *sym = scope_find(c, f->name.name);
    if (!sym) {
        scope_unknown(c, f->name.name, f->name.at);
        return NULL;
    }
    scope_use(c, sym, f->name.at);
    if (sym->kind == SYM_TENSOR) return sym->tensor;
    diag_error(c->s, f->name.at, "'%s' is %s; a function's arguments are tensors and indexes",
               f->name.name, symbol_kind_text(sym->kind));
    return NULL;
}

void declare_extern(struct sema *c, const struct ast_decl *d) {
    const struct ast_fn *fn = &d->fn;
    struct function *x = ARENA_NEW(&c->s->arena, struct function);
    *x = (struct function){
        .name = d->name.name, .from = fn->from, .at = d->name.at, .id = c->plan->nfunctions};
    struct symbol *sym = scope_declare(c, d->name, SYM_EXTERN, &value_none);
    if (!sym) return;
    check_c_name(c, d->name, true);
    sym->function = x;
    x->broken = true;
    if (fn->nformals > MOST_FORMALS) {
        diag_error(c->s, fn->head_at, "%d arguments; the limit is %d", fn->nformals, MOST_FORMALS);
        return;
    }
    if (!*x->from) {
        diag_error(c->s, fn->head_at, "'%s' has an empty file name after 'from'", x->name);
        return;
    }
    source_also(c->s, file_beside(c, c->s->sources.file[d->at.file].path, x->from));
    source_also(c->s, file_beside(c, c->plan->path, x->from));
    for (const char *p = x->from; *p; ++p) {
        if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ') {
            diag_error(c->s, fn->head_at,
                       "the file of '%s' has a character that no #include can name", x->name);
            return;
        }
    }
    x->formal = ARENA_ARRAY(&c->s->arena, struct formal, fn->nformals + 1);
    x->index = ARENA_ARRAY(&c->s->arena, struct index_formal, fn->nformals + 1);
    for (int i = 0; i < fn->nformals; ++i) {
        const struct ast_formal *f = &fn->formal[i];
        if (f->kind == FORMAL_INDEX && !index_promises_nothing(c, f)) continue;
        if (f->kind == FORMAL_INDEX) {
            uses_add_argument(c, f, NULL);
            x->index[x->nindexes++] = (struct index_formal){f->name.name, NULL, i, f->at};
            continue;
        }
        struct tensor *t = formal_of(c, f);
        if (!t) continue;
        if (f->kind == FORMAL_TENSOR) uses_add_argument(c, f, t);
        if (f->readonly) check_readonly(c, f, false, t);
        enum dir dir = dir_of(f->dir);
        if (!lay_valid(t->layout)) {
            sema_not_yet(c, f->at,
                         "a fragment of an extern function 'like' a tiled copy; give its shape");
            continue;
        }
        x->formal[x->nformals++] = (struct formal){t, dir, i, f->at};
    }
    x->broken = x->nformals + x->nindexes != fn->nformals;
    GROW(c, c->function, c->plan->nfunctions, c->cap_function);
    c->function[c->plan->nfunctions++] = x;
}

static bool check_view(struct sema *c, const struct formal *f, const struct value *v,
                       const struct ast_expr *e, struct view *out) {
    if (v->kind == VAL_NONE) return false;
    if (v->kind != VAL_VIEW) {
        diag_error(c->s, e->at, "'%s' takes a tensor, not %s", f->tensor->name, value_kind_text(v));
        diag_note(c->s, f->at, "it is declared here");
        return false;
    }
    if (!view_closed(c, &v->view, e->at)) return false;
    const struct tensor *have = v->view.base, *want = f->tensor;
    struct view formal = {.base = f->tensor, .layout = want->layout, .names = want->names};
    if (!names_agree(c, v, value_view(c, formal), e->at)) {
        diag_note(c->s, f->at, "it is declared here");
        return false;
    }
    if (have->space != want->space || have->elem != want->elem) {
        diag_error(c->s, e->at,
                   "the argument '%s' is %s %s, but the function declares '%s' as %s %s",
                   have->name, have->elem->name, space_place(have->space), want->name,
                   want->elem->name, space_place(want->space));
        diag_note(c->s, f->at, "it is declared here");
        return false;
    }
    *out = v->view;
    out->at = e->at;
    return true;
}

static void unknown_function(struct sema *c, const struct ast_ident *id) {
    enum { MOST_NAMES = 256 };
    const char *names[MOST_NAMES];
    int n = 0;
    for (const struct symbol *x = c->last; x && n < MOST_NAMES; x = x->prev)
        if (x->function) names[n++] = x->name;
    for (const struct imported_fn *x = c->imported_fns; x; x = x->next) {
        if (x->name.name != id->name && strcmp(x->name.name, id->name) != 0) continue;
        diag_error(c->s, id->at,
                   "not yet supported: a call of '%s', a function of an imported file; write the "
                   "function in this file",
                   id->name);
        diag_note(c->s, x->name.at, "'%s' is declared here", id->name);
        return;
    }
    const char *near = diag_did_you_mean(id->name, names, n);
    diag_error(c->s, id->at,
               near ? "no device function above is called '%s'; did you mean '%s'?"
                    : "no device function above is called '%s': 'extern device %s(..) from "
                      "\"FILE.cuh\";' declares one that is written elsewhere",
               id->name, near ? near : id->name);
    if (near) diag_fixit(c->s, id->at, near);
}

struct plan_call *call_arguments(struct sema *c, const struct ast_stmt *s,
                                 const struct function *fn) {
    int want = fn->nformals + fn->nindexes;
    if (s->call.nargs != want) {
        diag_error(c->s, s->at, "'%s' takes %d argument%s; given: %d", fn->name, want,
                   want == 1 ? "" : "s", s->call.nargs);
        diag_note(c->s, fn->at, "it is declared here");
        return NULL;
    }
    struct plan_call *y = ARENA_NEW(&c->s->arena, struct plan_call);
    y->fn = fn;
    y->at = s->at;
    y->view = ARENA_ARRAY(&c->s->arena, struct view, fn->nformals + 1);
    y->index = ARENA_ARRAY(&c->s->arena, const struct ix *, fn->nindexes + 1);
    bool ok = true;
    for (int i = 0, f = 0, n = 0; i < want; ++i) {
        const struct ast_arg *a = &s->call.arg[i];
        if (a->key.name) {
            diag_error(c->s, a->key.at, "'%s' takes its arguments by position, not by name",
                       fn->name);
            ok = false;
        }
        if (f < fn->nformals && (n == fn->nindexes || fn->formal[f].place < fn->index[n].place)) {
            ok &= check_view(c, &fn->formal[f], eval(c, a->value), a->value, &y->view[f]);
            ++f;
        } else {
            y->index[n] = eval_ix(c, a->value, "an argument of a call");
            ok &= y->index[n++] != NULL;
        }
    }
    return ok ? y : NULL;
}

// Whether the global memory that "y" writes is the same for all threads; reports an error otherwise.
static bool of_the_block(struct sema *c, const struct plan_call *y) {
    for (int i = 0; i < y->fn->nformals; ++i) {
        const struct view *v = &y->view[i];
        if (v->base->space != MEM_GLOBAL || y->fn->formal[i].dir == ARG_IN) continue;
        if (!v->part && !ix_depends_if(v->offset, ix_is_thread)) continue;
        sema_not_yet(c, v->at,
                     "an extern function that writes global memory by thread; give it the part of "
                     "the block, which its threads write together");
        diag_note(c->s, y->fn->formal[i].at, "it is declared here");
        return false;
    }
    return true;
}

void check_call(struct sema *c, const struct ast_stmt *s, struct stmt **out) {
    struct symbol *sym = scope_find(c, s->name.name);
    if (!sym) {
        unknown_function(c, &s->name);
        return;
    }
    uses_add(c, sym, s->name.at);
    if (sym->kind == SYM_KERNEL && sym->value->kernel->device) {
        *out = check_inline(c, sym, s);
        return;
    }
    if (sym->kind != SYM_EXTERN) {
        diag_error(c->s, s->name.at, "'%s' is %s; a device function can be called", s->name.name,
                   symbol_kind_text(sym->kind));
        diag_note(c->s, sym->at, "it is declared here");
        return;
    }
    sym->used = true;
    struct plan_call *y = sym->function->broken ? NULL : call_arguments(c, s, sym->function);
    if (!y || !of_the_block(c, y)) return;
    *out = ARENA_NEW(&c->s->arena, struct stmt);
    **out = (struct stmt){.kind = STMT_CALL, .call = y, .at = s->at};
}

void check_fill(struct sema *c, const struct ast_stmt *s, struct stmt **out) {
    const struct ast_expr *e = s->fill.target;
    const struct value *v = eval(c, e);
    if (v->kind == VAL_NONE) return;
    if (v->kind != VAL_VIEW) {
        diag_error(c->s, e->at, "'fill' writes to a tensor, not to %s", value_kind_text(v));
        return;
    }
    if (!view_closed(c, &v->view, e->at)) return;
    struct tensor *t = v->view.base;
    if (t->space == MEM_GLOBAL) {
        diag_error(c->s, e->at,
                   "'fill' writes to shared memory and fragments; '%s' is in global memory",
                   t->name);
        diag_note(c->s, t->at, "it is declared here");
        return;
    }
    const struct constant *value = constant_of(c, s->fill.value, t->elem, "the value of 'fill'");
    if (!value) return;
    struct formal *f = ARENA_NEW(&c->s->arena, struct formal);
    *f = (struct formal){t, ARG_OUT, 0, s->at};
    struct function *fn = ARENA_NEW(&c->s->arena, struct function);
    *fn = (struct function){.name = "fill", .formal = f, .nformals = 1, .at = s->at};
    struct plan_call *y = ARENA_NEW(&c->s->arena, struct plan_call);
    *y = (struct plan_call){.fn = fn, .fill = value, .at = s->at};
    y->view = ARENA_NEW(&c->s->arena, struct view);
    *y->view = v->view;
    y->view->at = e->at;
    *out = ARENA_NEW(&c->s->arena, struct stmt);
    **out = (struct stmt){.kind = STMT_CALL, .call = y, .at = s->at};
}
