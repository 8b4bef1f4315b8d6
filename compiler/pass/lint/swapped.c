// Arguments of a call in another order than their names suggest: "call mm(acc, b, a)" of a function
// whose arguments are called acc, a and b.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/lint.h"

static bool begins_word(const char *name, const char *at) {
    return at == name || at[-1] == '_' || isupper((unsigned char)*at);
}

static bool ends_word(const char *at) {
    return !islower((unsigned char)*at);
}

// Whether "word" is a word of "name": of "sA", "a_tile", "tileA", "A".
static bool has_word(const char *name, const char *word) {
    size_t n = strlen(word);
    for (const char *at = name; strlen(at) >= n; ++at)
        if (strncasecmp(at, word, n) == 0 && begins_word(name, at) && ends_word(at + n))
            return true;
    return false;
}

static bool are_alike(const char *a, const char *b) {
    return has_word(a, b) || has_word(b, a);
}

// The tensor that alone is copied to "t"; or NULL.
static const struct tensor *filled_from(const struct kernel *k, const struct tensor *t) {
    const struct tensor *from = NULL;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind != STMT_COPY || st->copy->dst.base != t) continue;
        if (from && from != st->copy->src.base) return NULL;
        from = st->copy->src.base;
    }
    return from;
}

// The name that says what "v" is: its own, if it has to do with argument "i" or "j" of "f", or that of
// what is copied to it.
static const char *name_of(const struct kernel *k, const struct function *f, const struct view *v,
                           int i, int j) {
    const char *own = v->base->name;
    const struct tensor *from = filled_from(k, v->base);
    bool says =
        are_alike(own, f->formal[i].tensor->name) || are_alike(own, f->formal[j].tensor->name);
    return says || !from ? own : from->name;
}

// Whether the names of arguments "i" and "j" of "y" are those of each other's formals.
static bool is_crossed(const struct kernel *k, const struct plan_call *y, int i, int j) {
    const char *at_i = name_of(k, y->fn, &y->view[i], i, j);
    const char *at_j = name_of(k, y->fn, &y->view[j], i, j);
    const char *of_i = y->fn->formal[i].tensor->name, *of_j = y->fn->formal[j].tensor->name;
    return are_alike(at_i, of_j) && are_alike(at_j, of_i) && !are_alike(at_i, of_i) &&
           !are_alike(at_j, of_j);
}

static bool same_kind(const struct function *f, int i, int j) {
    const struct formal *a = &f->formal[i], *b = &f->formal[j];
    return a->dir == b->dir && a->tensor->elem == b->tensor->elem &&
           a->tensor->space == b->tensor->space && lay_equal(a->tensor->layout, b->tensor->layout);
}

// Whether "y" has the same tensors as "x" at "i" and "j", in the other order: they take turns.
static bool is_turn(const struct plan_call *x, const struct plan_call *y, int i, int j) {
    return x->fn == y->fn && x->view[i].base == y->view[j].base &&
           x->view[j].base == y->view[i].base;
}

static bool takes_turns(const struct kernel *k, const struct plan_call *y, int i, int j) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_CALL && is_turn(st->call, y, i, j)) return true;
    for (const struct inlined *x = k->inlined; x; x = x->next)
        if (is_turn(x->call, y, i, j)) return true;
    return false;
}

static void look_at(struct session *s, const struct kernel *k, const struct plan_call *y) {
    const struct function *f = y->fn;
    for (int i = 0; i < f->nformals && !y->fill; ++i) {
        for (int j = i + 1; j < f->nformals; ++j) {
            const struct view *a = &y->view[i], *b = &y->view[j];
            if (a->base == b->base || !same_kind(f, i, j) || !is_crossed(k, y, i, j)) continue;
            if (takes_turns(k, y, i, j)) continue;
            const char *of_a = f->formal[i].tensor->name, *of_b = f->formal[j].tensor->name;
            diag_warn(s, W_SWAPPED_ARGUMENTS, y->at,
                      "'%s' gets '%s' as its '%s' and '%s' as its '%s'; are the two swapped?",
                      f->name, a->base->name, of_a, b->base->name, of_b);
            for (int n = 0; n < 2; ++n) {
                const struct view *v = n ? b : a;
                const char *name = name_of(k, f, v, i, j);
                if (name != v->base->name)
                    diag_note(s, v->at, "'%s' has elements of '%s'", v->base->name, name);
            }
            diag_note(s, f->at, "'%s' is declared here", f->name);
            return;
        }
    }
}

void lint_swapped(struct lint *l) {
    for (const struct stmt *st = l->k->body; st; st = stmt_next(l->k->body, st))
        if (st->kind == STMT_CALL) look_at(l->s, l->k, st->call);
    for (const struct inlined *x = l->k->inlined; x; x = x->next) look_at(l->s, l->k, x->call);
}
