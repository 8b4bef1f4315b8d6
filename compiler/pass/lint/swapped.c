// Arguments of a call in another order than their names suggest: "call mm(acc, b, a)" of a function
// whose arguments are called acc, a and b; or "call mm(acc, sA, sB)" where A was copied to sB, and B to sA; or two copies
// that are crossed in this way.
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

// Whether a word of "name" of one letter is the first one of "formal": of "sB" and "bm".
static bool begins_like(const char *name, const char *formal) {
    char first[2] = {formal[0], '\0'};
    return has_word(name, first);
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
    if (are_alike(at_i, of_i) || are_alike(at_j, of_j)) return false;
    bool one = are_alike(at_i, of_j), two = are_alike(at_j, of_i);
    at_i = y->view[i].base->name;
    at_j = y->view[j].base->name;
    return (one && two) || (one && begins_like(at_j, of_i) && !begins_like(at_i, of_i)) ||
           (two && begins_like(at_i, of_j) && !begins_like(at_j, of_j));
}

// The tensor in global memory whose elements alone are copied to "t", perhaps through other buffers; or NULL.
static const struct tensor *origin_of(const struct kernel *k, const struct tensor *t) {
    const struct tensor *from = filled_from(k, t);
    for (int i = 0; i < k->nlocal && from && from->space != MEM_GLOBAL; ++i)
        from = filled_from(k, from);
    return from && from->space == MEM_GLOBAL ? from : NULL;
}

// Whether "a" and "b" are named like what is copied to the other one, and not like what is copied to them.
static bool holds_other(const struct kernel *k, const struct tensor *a, const struct tensor *b) {
    const struct tensor *to_a = origin_of(k, a), *to_b = origin_of(k, b);
    return to_a && to_b && are_alike(a->name, to_b->name) && are_alike(b->name, to_a->name) &&
           !are_alike(a->name, to_a->name) && !are_alike(b->name, to_b->name);
}

static bool same_kind(const struct function *f, int i, int j) {
    const struct formal *a = &f->formal[i], *b = &f->formal[j];
    return a->tensor->elem == b->tensor->elem && a->tensor->space == b->tensor->space &&
           lay_equal(a->tensor->layout, b->tensor->layout);
}

// Whether only fills write to "t".
static bool is_only_filled(const struct kernel *k, const struct tensor *t) {
    bool filled = false;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_COPY && st->copy->dst.base == t) return false;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i) {
            if (st->call->view[i].base != t || st->call->fn->formal[i].dir == ARG_IN) continue;
            if (!st->call->fill) return false;
            filled = true;
        }
    }
    return filled;
}

// Whether arguments "i" and "j" of "y" may be taken for each other: both are read, or both written.  A sum
// may be added to what was read, and the reverse; but what is only filled is meant to be changed.
static bool are_exchangeable(const struct kernel *k, const struct plan_call *y, int i, int j) {
    enum dir of_i = y->fn->formal[i].dir, of_j = y->fn->formal[j].dir;
    if (!same_kind(y->fn, i, j)) return false;
    return of_i == of_j || (of_i == ARG_IN && is_only_filled(k, y->view[i].base)) ||
           (of_j == ARG_IN && is_only_filled(k, y->view[j].base));
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

static void warn_other(struct session *s, const struct kernel *k, const struct plan_call *y,
                       const struct view *a, const struct view *b) {
    const struct tensor *to_a = origin_of(k, a->base), *to_b = origin_of(k, b->base);
    diag_warn(s, W_SWAPPED_ARGUMENTS, y->at,
              "'%s' gets '%s', which has elements of '%s', and '%s', which has those of '%s'; are "
              "the two copies swapped?",
              y->fn->name, a->base->name, to_a->name, b->base->name, to_b->name);
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && st->copy->dst.base->space != MEM_GLOBAL &&
            (st->copy->src.base == to_a || st->copy->src.base == to_b))
            diag_note(s, st->copy->at, "'%s' is copied to '%s' here", st->copy->src.base->name,
                      st->copy->dst.base->name);
}

static void look_at(struct session *s, const struct kernel *k, const struct plan_call *y) {
    const struct function *f = y->fn;
    for (int i = 0; i < f->nformals && !y->fill; ++i) {
        for (int j = i + 1; j < f->nformals; ++j) {
            const struct view *a = &y->view[i], *b = &y->view[j];
            if (a->base == b->base || !are_exchangeable(k, y, i, j)) continue;
            if (takes_turns(k, y, i, j)) continue;
            bool crossed = is_crossed(k, y, i, j), other = holds_other(k, a->base, b->base);
            if (other && !crossed) {
                warn_other(s, k, y, a, b);
                return;
            }
            if (other || !crossed) continue;
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

// The formal of "f" of the kind of formal "i" that has exactly the name of "t"; -1: there is none.
static int formal_named(const struct function *f, int i, const struct tensor *t) {
    for (int j = 0; j < f->nformals; ++j)
        if (same_kind(f, i, j) && strcmp(f->formal[j].tensor->name, t->name) == 0) return j;
    return -1;
}

// Whether another call of the function of "y" gets other tensors at some argument of the same names.
static bool is_called_otherwise(const struct kernel *k, const struct plan_call *y, int i) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_CALL && st->call->fn == y->fn &&
            st->call->view[i].base != y->view[i].base)
            return true;
    return false;
}

// Warns of a call whose arguments have exactly the names of each other's formals, in a circle of three or more.
static void look_around(struct session *s, const struct kernel *k, const struct plan_call *y) {
    const struct function *f = y->fn;
    for (int i = 0; i < f->nformals && !y->fill; ++i) {
        int n = 0, at = i;
        const char *text = "";
        do {
            int next = formal_named(f, at, y->view[at].base);
            if (next < 0 || next == at || ++n > f->nformals || is_called_otherwise(k, y, at)) break;
            text = arena_printf(&s->arena, "%s%s'%s' as its '%s'", text, n > 1 ? ", " : "",
                                y->view[at].base->name, f->formal[at].tensor->name);
            at = next;
        } while (at != i);
        if (at != i || n < 3) continue;
        diag_warn(s, W_SWAPPED_ARGUMENTS, y->at,
                  "'%s' gets %s; are these arguments in another order?", f->name, text);
        diag_note(s, f->at, "'%s' is declared here", f->name);
        return;
    }
}

// Whether only functions that write "t" read it.
static bool is_only_changed(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_COPY && st->copy->src.base == t) return false;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t && st->call->fn->formal[i].dir == ARG_IN) return false;
    }
    return true;
}

// A buffer of "k" that is named like formal "i" of "f" and could be its argument; or NULL.
static const struct tensor *meant_for(const struct kernel *k, const struct function *f, int i) {
    const struct tensor *t = f->formal[i].tensor;
    for (int j = 0; j < k->nlocal; ++j)
        if (are_alike(k->local[j]->name, t->name) && k->local[j]->elem == t->elem &&
            k->local[j]->space == t->space && lay_equal(k->local[j]->layout, t->layout))
            return k->local[j];
    return NULL;
}

// Warns of a call that gets a buffer as two arguments, where the name of one says that another is meant: of which it
// writes one, or where nothing else reads the other.
static void look_twice(struct session *s, const struct kernel *k, const struct plan_call *y) {
    const struct function *f = y->fn;
    for (int i = 0; i < f->nformals && !y->fill; ++i) {
        for (int j = 0; j < f->nformals; ++j) {
            const struct tensor *t = y->view[i].base, *of_i = f->formal[i].tensor;
            const struct tensor *of_j = f->formal[j].tensor, *meant;
            bool written = f->formal[i].dir != ARG_IN || f->formal[j].dir != ARG_IN;
            if (i == j || y->view[j].base != t || are_alike(t->name, of_i->name) ||
                !are_alike(t->name, of_j->name) || !(meant = meant_for(k, f, i)) ||
                (!written && !is_only_changed(k, meant)))
                continue;
            diag_warn(s, W_SWAPPED_ARGUMENTS, y->at,
                      "'%s' gets '%s' as its '%s' and as its '%s'; is '%s' meant as its '%s'?",
                      f->name, t->name, of_i->name, of_j->name, meant->name, of_i->name);
            return;
        }
    }
}

// How many arguments of "y" are of "t".
static int gets(const struct plan_call *y, const struct tensor *t) {
    int n = 0;
    for (int i = 0; i < y->fn->nformals; ++i) n += y->view[i].base == t;
    return n;
}

// Warns of a call that reads a buffer as an argument whose very name another buffer has, which functions change and
// nothing reads.
static void look_for_named(struct session *s, const struct kernel *k, const struct plan_call *y) {
    const struct function *f = y->fn;
    for (int i = 0; i < f->nformals && !y->fill; ++i) {
        const struct tensor *t = y->view[i].base, *of = f->formal[i].tensor;
        const struct tensor *meant = meant_for(k, f, i);
        if (f->formal[i].dir != ARG_IN || !meant || strcmp(meant->name, of->name) != 0 ||
            are_alike(t->name, of->name) || gets(y, t) > 1 || gets(y, meant) ||
            is_only_filled(k, meant) || !is_only_changed(k, meant))
            continue;
        diag_warn(s, W_SWAPPED_ARGUMENTS, y->view[i].at,
                  "'%s' gets '%s' as its '%s', and nothing reads '%s'; is that one meant?", f->name,
                  t->name, of->name, meant->name);
        diag_note(s, meant->at, "'%s' is declared here", meant->name);
        return;
    }
}

// The buffer of the copy "st" from or to global memory, and the tensor there; false: it is no such copy.
static bool sides(const struct stmt *st, bool store, const struct tensor **own,
                  const struct tensor **other) {
    if (st->kind != STMT_COPY) return false;
    *own = store ? st->copy->src.base : st->copy->dst.base;
    *other = store ? st->copy->dst.base : st->copy->src.base;
    return (*own)->space != MEM_GLOBAL && (*other)->space == MEM_GLOBAL;
}

// Whether a copy moves elements between "t" and "other".
static bool is_moved(const struct kernel *k, const struct tensor *t, const struct tensor *other) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && ((st->copy->src.base == t && st->copy->dst.base == other) ||
                                      (st->copy->dst.base == t && st->copy->src.base == other)))
            return true;
    return false;
}

static bool is_argument(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            if (st->call->view[i].base == t && !st->call->fill) return true;
    return false;
}

// Warns of the copies "st" and "other", both loads or both stores, if the name of each buffer is that of the tensor in
// the other one, and the two never meet.  What a function gets is reported at its call.
static bool crossed_copies(struct lint *l, const struct stmt *st, const struct stmt *other,
                           bool store) {
    const struct tensor *t, *u, *at, *to;
    if (!sides(st, store, &t, &at) || !sides(other, store, &u, &to)) return false;
    if (t == u || at == to || t->elem != u->elem || t->space != u->space || at->elem != to->elem ||
        !lay_equal(t->layout, u->layout) || is_moved(l->k, t, to) || is_moved(l->k, u, at) ||
        (!store && (is_argument(l->k, t) || is_argument(l->k, u))))
        return false;
    if (!are_alike(t->name, to->name) || !are_alike(u->name, at->name) ||
        are_alike(t->name, at->name) || are_alike(u->name, to->name))
        return false;
    diag_warn(l->s, W_SWAPPED_ARGUMENTS, other->at,
              store ? "'%s' is stored to '%s' here, and '%s' to '%s'; are the two swapped?"
                    : "'%s' is loaded with '%s' here, and '%s' with '%s'; are the two swapped?",
              u->name, to->name, t->name, at->name);
    diag_note(l->s, st->at, "the other copy is here");
    return true;
}

static void look_at_copies(struct lint *l, bool store) {
    for (const struct stmt *st = l->k->body; st; st = stmt_next(l->k->body, st))
        for (const struct stmt *i = stmt_next(l->k->body, st); i; i = stmt_next(l->k->body, i))
            if (crossed_copies(l, st, i, store)) return;
}

void lint_swapped(struct lint *l) {
    int before = l->s->diags.nwarnings + l->s->diags.nerrors;
    for (const struct stmt *st = l->k->body; st; st = stmt_next(l->k->body, st))
        if (st->kind == STMT_CALL) {
            look_at(l->s, l->k, st->call);
            look_twice(l->s, l->k, st->call);
            look_around(l->s, l->k, st->call);
            look_for_named(l->s, l->k, st->call);
        }
    for (const struct inlined *x = l->k->inlined; x; x = x->next) look_at(l->s, l->k, x->call);
    if (l->s->diags.nwarnings + l->s->diags.nerrors == before) look_at_copies(l, false);
    look_at_copies(l, true);
}
