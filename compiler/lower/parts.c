// Names for parts of indices: quotients and remainders of tid, and the lets of the plan.
#include <string.h>

#include "base/session.h"
#include "lower/private.h"

static bool is_not_tid(enum ix_var_kind k) {
    return k != IX_TID;
}

static bool of_tid_alone(const struct ix *e) {
    return !ix_depends_if(e, is_not_tid) && ix_depends(e, IX_TID);
}

static bool names_loop(const struct stmt *list, const char *name) {
    for (const struct stmt *st = list; st; st = stmt_next(list, st))
        if (st->var && strcmp(st->var->name, name) == 0) return true;
    return false;
}

const char *lower_name_at_top(struct lowering *w, const char *name) {
    // loops have the same names in all variants of a kernel
    while (names_loop(w->kernel->body, name)) name = arena_printf(&w->s->arena, "%s_", name);
    return names_take(&w->names, name);
}

static const struct ix *lower_parts(struct lowering *w, const struct ix *e);

static struct lay_int end_of(const struct ix *e) {
    return e->hi < INT64_MAX ? lay_int(e->hi + 1) : LAY_INT_INVALID;
}

// The variable for "e", or NULL.
static const struct ix *part(struct lowering *w, const struct ix *e) {
    for (int i = 0; i < w->nparts; ++i) {
        if (w->part[i].is->op != e->op || !ix_equal(w->part[i].is, e)) continue;
        // the same name, with the range that it has here: at its first use, fewer threads may have
        // passed a guard
        struct ix_var *v = ARENA_NEW(&w->s->arena, struct ix_var);
        *v = *w->part[i].var;
        v->end = end_of(e);
        if (!v->uniform) lower_tell_along(w, &w->part[i]);
        return ix_var(w->s, v);
    }
    return NULL;
}

// Adds a variable for "e" with the declaration "n", which has the value "is".
static struct named_part *add_part(struct lowering *w, const struct ix *e, const char *name,
                                   enum ix_var_kind kind, struct kir_node *n, const struct ix *is) {
    struct ix_var *v = lower_var(w, kind, lower_name_at_top(w, name), 0);
    v->end = end_of(e);
    v->uniform = kind == IX_LOOP;
    n->kind = KIR_LET;
    n->var = v;
    n->index = is;
    w->part[w->nparts] = (struct named_part){.is = e, .var = v, .let = n};
    return &w->part[w->nparts++];
}

// A variable at the top of the kernel for "e": a digit of tid, or with "name" a "let" of the plan.
static const struct ix *named(struct lowering *w, const struct ix *e, const char *name) {
    const struct ix *known = part(w, e);
    if (known) return known;
    bool digit = of_tid_alone(e);
    const struct ix *is = digit ? e : lower_parts(w, e);
    if (w->nparts == MAX_PARTS) return is;
    if (!name && w->warps && e->a->op == IX_VAR && lay_int_is(e->k, 32))
        name = e->op == IX_DIV ? "warp" : "lane";
    if (!name) name = arena_printf(&w->s->arena, "t%d", w->ndigits);
    w->ndigits += digit;
    // at the top, in the order of first use
    struct kir_node *n = ARENA_NEW(&w->s->arena, struct kir_node);
    *w->top = n;
    w->top = &n->next;
    struct named_part *x = add_part(w, e, name, IX_NAMED, n, is);
    n->var->uniform = !digit;
    if (digit) lower_tell_along(w, x);
    return ix_var(w->s, n->var);
}

// "e", a sum, as a multiple of a "let" that is a sum too, and the rest; or NULL.
static const struct ix *with_let(struct lowering *w, const struct ix *e) {
    struct session *s = w->s;
    for (int i = w->nparts; i-- > 0;) {
        const struct named_part *x = &w->part[i];
        if (x->is->op != IX_SUM) continue;
        // the term of "let" with coefficient 1, and that of "e" with the same variables
        const struct ix_term *one = x->is->term, *same = e->term;
        while (one < x->is->term + x->is->nterms && !(one->atom && lay_int_is(one->coef, 1))) ++one;
        if (one == x->is->term + x->is->nterms) continue;
        while (same < e->term + e->nterms && !(same->atom && ix_equal(same->atom, one->atom)))
            ++same;
        if (same == e->term + e->nterms) continue;
        const struct ix *rest = ix_sub(s, e, ix_scale(s, x->is, same->coef));
        if (rest && rest->nterms + 2 <= e->nterms)
            return ix_add(s, ix_scale(s, ix_var(s, x->var), same->coef), lower_index(w, rest));
    }
    return NULL;
}

static const struct ix *lower_part(struct session *s, const struct ix *e, const void *w) {
    (void)s;
    return lower_index(*(struct lowering *const *)w, e);
}

// "e" with names for its parts.
static const struct ix *lower_parts(struct lowering *w, const struct ix *e) {
    for (int i = 0; e->op == IX_VAR && e->var->kind == IX_FORMAL && i < w->kernel->nindexes; ++i)
        if (w->index[i]->id == e->var->id) return ix_var(w->s, w->index[i]);
    return ix_made_of(w->s, e, lower_part, &w);
}

const struct ix *lower_index(struct lowering *w, const struct ix *e) {
    if (w->role_tid && w->role_tid != w->kernel->tid)
        e = ix_substitute(w->s, e, w->kernel->tid, ix_var(w->s, w->role_tid));
    const struct ix *made = part(w, e);
    if (!made && (e->op == IX_DIV || e->op == IX_MOD) && of_tid_alone(e)) return named(w, e, NULL);
    if (!made && e->op == IX_SUM) made = with_let(w, e);
    return made ? made : lower_parts(w, e);
}

void lower_name_lets(struct lowering *w) {
    for (int i = 0; i < w->kernel->nlets; ++i)
        if (!ix_depends(w->kernel->let[i].is, IX_LOOP))
            named(w, w->kernel->let[i].is, w->kernel->let[i].name);
}

// Whether "e" is the variable of a loop that is not around the current statement.
static bool is_elsewhere(const struct ix *e, const void *w) {
    const struct around *x = ((const struct lowering *)w)->loops;
    if (e->op != IX_VAR || e->var->kind != IX_LOOP) return false;
    while (x && x->var->id != e->var->id) x = x->next;
    return !x;
}

int lower_name_lets_of(struct lowering *w, const struct ix_var *v) {
    int n = 0;
    for (int i = 0; i < w->kernel->nlets && w->nparts < MAX_PARTS; ++i) {
        const struct let *x = &w->kernel->let[i];
        if (!ix_depends_on(x->is, v) || ix_has(x->is, is_elsewhere, w) || part(w, x->is)) continue;
        const struct ix *is = lower_parts(w, x->is);
        add_part(w, x->is, x->name, IX_LOOP, lower_node(w, KIR_LET), is)->of = v;
        ++n;
    }
    return n;
}

void lower_forget_lets_of(struct lowering *w, const struct ix_var *v) {
    int n = 0;
    for (int i = 0; i < w->nparts; ++i) {
        if (w->part[i].of == v)
            names_release(&w->names, w->part[i].var->c_name);
        else
            w->part[n++] = w->part[i];
    }
    w->nparts = n;
}
