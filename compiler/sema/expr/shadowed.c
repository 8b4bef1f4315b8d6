// Declared names that hide an operation or an atom, and are called: with a tensor 'tile',
// 'tile(A, thr=(4,8), val=(4,1))' is the operation, and 'tile(0, _)' a slice.
#include <inttypes.h>
#include <string.h>

#include "base/warnings.h"
#include "sema/expr/expr.h"
#include "sema/tile/tile.h"

enum { MOST_CALLS = 256 };  // that are kept; each is compared with each error

// A call of "sym", which hides an operation; it may also be meant as a coordinate.
struct shadowed_call {
    const struct symbol *sym;
    struct range call, name;
    struct shadowed_call *next;
};

static const char *operation_text(const struct symbol *sym) {
    return builtin_known(sym->name) ? "operation" : "atom";
}

// Whether an argument of "e" has a name, as for modes or as the arguments of 'tile'.
static bool has_keys(const struct ast_expr *e) {
    for (int i = 0; i < e->nargs; ++i)
        if (e->arg[i].key.name) return true;
    return false;
}

// Whether "f" is an atom, or an operation that returns a tensor.
static bool gives_tensor(struct sema *c, const struct ast_expr *f) {
    static const char names[][16] = {"local_tile", "local_partition", "flatten"};
    if (f->kind == E_MEMBER) return atom_member(c, f) != NULL;
    if (f->kind != E_NAME || scope_find(c, f->name)) return false;
    bool gives = atom_known(f->name);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        gives |= strcmp(f->name, names[i]) == 0;
    return gives;
}

// Whether an argument of "e" is named like something that a coordinate cannot contain: a tensor, an
// atom.
static bool has_tensor(struct sema *c, const struct ast_expr *e) {
    for (int i = 0; i < e->nargs; ++i) {
        const struct ast_expr *x = e->arg[i].value;
        if (x->kind == E_CALL && gives_tensor(c, x->lhs)) return true;
        const struct symbol *sym = x->kind == E_NAME ? scope_find(c, x->name) : NULL;
        if (!sym) continue;
        bool view = sym->tensor || (sym->value && sym->value->kind == VAL_VIEW);
        if (view || sym->kind == SYM_ATOM || sym->kind == SYM_TILED) return true;
    }
    return false;
}

bool shadowed_operation(struct sema *c, const struct ast_expr *e) {
    const struct symbol *sym = scope_find(c, e->lhs->name);
    const struct value *v = sym->value;
    if (sym->kind == SYM_BUILTIN) return false;
    if (!builtin_has(c, sym->name) && !atom_known(sym->name)) return false;
    bool view = v && v->kind == VAL_VIEW, tuple = v && v->kind == VAL_TUPLE;
    bool swizzle = v && v->kind == VAL_CALC && v->calc.kind == CALC_SWIZZLE;
    bool sliced = sym->kind == SYM_TENSOR || view || tuple || swizzle || (v && value_is_layout(v));
    bool named = sym->tensor ? sym->tensor->names != NULL
                 : view      ? v->view.names != NULL
                             : v && v->names != NULL;
    if (!sliced || (has_keys(e) && !named) || has_tensor(c, e)) return true;
    // the planner's text slices nothing but arguments
    return c->s->sources.file[e->at.file].made && !(sym->kind == SYM_TENSOR && sym->depth > 0);
}

void shadowed_called(struct sema *c, const struct ast_expr *e) {
    struct symbol *sym = e->lhs->kind == E_NAME ? scope_find(c, e->lhs->name) : NULL;
    if (!sym || sym->kind == SYM_BUILTIN) return;
    if (!builtin_known(sym->name) && !atom_known(sym->name)) return;
    if (c->nshadowed_calls++ >= MOST_CALLS) return;
    struct shadowed_call *h = ARENA_NEW(&c->s->arena, struct shadowed_call);
    *h = (struct shadowed_call){sym, e->at, e->lhs->at, c->shadowed_calls};
    c->shadowed_calls = h;
}

void shadowed_shape(struct sema *c, const struct value *v, const struct ast_expr *e) {
    if (e->kind != E_CALL || e->lhs->kind != E_NAME || c->imported) return;
    struct symbol *sym = scope_find(c, e->lhs->name);
    if (!sym || !builtin_known(sym->name)) return;
    bool view = v->kind == VAL_VIEW && lay_valid(v->view.layout);
    if (v->kind != VAL_INT && !(view && lay_rank(v->view.layout) == 0)) return;
    diag_warn(c->s, W_SHADOW, e->at,
              "'%s' is one element of '%s', which is %s here and hides the operation '%s(..)'",
              ast_expr_text(c->s, e), sym->name, symbol_kind_text(sym->kind), sym->name);
    diag_note(c->s, sym->at, "'%s' is %s here; rename it", sym->name, symbol_kind_text(sym->kind));
}

static bool same(struct range a, struct range b) {
    return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

void shadowed_explain(struct sema *c) {
    if (!c->shadowed_calls || c->s->diags.nerrors == 0) return;
    for (struct diag *d = c->s->diags.first; d; d = d->next) {
        if (d->severity != SEV_ERROR || d->warning) continue;
        const struct shadowed_call *h = c->shadowed_calls;
        while (h && !same(h->call, d->at) && !same(h->name, d->at)) h = h->next;
        if (!h) continue;
        const struct symbol *sym = h->sym;
        diag_note_of(c->s, d, sym->at,
                     "'%s' is %s here, which hides the %s '%s(..)'; where that is meant, rename "
                     "this",
                     sym->name, symbol_kind_text(sym->kind), operation_text(sym), sym->name);
    }
}

bool call_lacks_colon(struct sema *c, const struct ast_expr *e, const struct value *v) {
    bool outside = false;
    if (e->lhs->kind != E_TUPLE || v->kind != VAL_TUPLE || v->rank < 2 || v->rank != e->nargs)
        return false;
    for (int64_t i = 0, extent; i < e->nargs; ++i) {
        if (e->arg[i].value->kind != E_INT || e->arg[i].key.name) return false;
        outside |= value_is_static(v->kid[i], &extent) && e->arg[i].value->ival >= extent;
    }
    if (!outside) return false;
    diag_error(
        c->s, e->at,
        "a coordinate outside of the shape '%s'; a layout has a ':' between its shape and its "
        "stride",
        ast_expr_text(c->s, e->lhs));
    diag_fixit(c->s, (struct range){e->at.file, e->lhs->at.end, e->lhs->at.end}, ":");
    return true;
}

// Whether all of "e" is a number: no '_', no range, no name of a mode.
static bool whole_coordinate(const struct ast_expr *e) {
    if (e->kind == E_WILD || e->kind == E_RANGE) return false;
    for (int i = 0; e->kind == E_TUPLE && i < e->nargs; ++i)
        if (e->arg[i].key.name || !whole_coordinate(e->arg[i].value)) return false;
    return true;
}

bool layout_lacks_colon(struct sema *c, const struct ast_expr *e, const struct value *v) {
    if (e->kind != E_CALL || e->lhs->kind != E_TUPLE || e->nargs == 0 || has_keys(e)) return false;
    for (int i = 0; i < e->nargs; ++i)
        if (!whole_coordinate(e->arg[i].value)) return false;
    int64_t offset;
    const char *text = sema_text(c, "%.*s", (int)(e->at.end - e->at.begin),
                                 c->s->sources.file[e->at.file].text + e->at.begin);
    if (value_is_static(v, &offset))
        diag_error(c->s, e->at,
                   "'%s' is the offset of a coordinate, the number %" PRId64
                   "; a layout has a ':' between its shape and its stride",
                   text, offset);
    else
        diag_error(c->s, e->at,
                   "'%s' is the offset of a coordinate; a layout has a ':' between its shape and "
                   "its stride",
                   text);
    diag_fixit(c->s, (struct range){e->at.file, e->lhs->at.end, e->lhs->at.end}, ":");
    return true;
}
