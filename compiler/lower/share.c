// Computes once what several copies compute: the begins of their accesses, and whether their tile
// is whole.  Then gives these values their names.
//
// Copies are lowered one by one, each with its own values.  Equal ones become one in the innermost
// list of statements that contains all of them and where all their variables are known.  A guard
// restricts tid, and a condition a loop: what depends on these stays inside.  Coordinates at an edge
// stay where they are used: nvcc makes more instructions of shared ones.
#include <string.h>

#include "base/session.h"
#include "lower/private.h"

enum { MOST = 512, LONG = 24 };  // values in a list; characters of a name

struct value {
    struct kir_node *n;
    int part;  // number of the node in the list that contains it
};

struct sharing {
    struct lowering *w;
    bool *inside;  // by variable: whether it is declared within a node of the list
    struct value found[MOST];
    int nfound;
    int nwholes;  // constants that were made
    // the variables of values, several with one id after equal ones became one
    struct ix_var **var;
    int nvars, cap;
};

// -- what a list contains -------------------------------------------------------------------------

// Marks the variables that "list" declares.
static void mark(struct sharing *x, const struct kir_node *list, bool as) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->var) x->inside[n->var->id] = as;
        for (int i = 0; i < n->nrings; ++i) x->inside[n->ring[i].var->id] = as;
        for (int i = 0; i < n->ncarries; ++i) x->inside[n->carry[i].var->id] = as;
        mark(x, n->body, as);
        mark(x, n->orelse, as);
    }
}

// The same for the nodes of "list", whose own lets are known in all of it.
static void mark_within(struct sharing *x, const struct kir_node *list, bool as) {
    for (const struct kir_node *n = list; n; n = n->next) {
        struct kir_node alone = *n;
        alone.next = NULL;
        if (n->kind == KIR_LET) alone.var = NULL;
        mark(x, &alone, as);
    }
}

static bool is_inside(const struct ix *e, const void *x) {
    return e->op == IX_VAR && ((const struct sharing *)x)->inside[e->var->id];
}

static bool may_move(const struct sharing *x, const struct ix *e, bool asked) {
    return !ix_has(e, is_inside, x) && !(asked && ix_depends(e, IX_LOOP));
}

static bool is_whole(const struct kir_node *n) {
    return n->kind == KIR_IF && n->name && !n->told;
}

// Collects what is computed in "list", a part of the list.  "asked": a condition is around it.
static void collect(struct sharing *x, struct kir_node *list, int part, bool asked) {
    for (struct kir_node *n = list; n; n = n->next) {
        bool moves = is_whole(n) || (n->kind == KIR_LET && n->of);
        if (moves && n->kind == KIR_LET) moves = may_move(x, n->index, asked);
        for (int i = 0; moves && i < n->nconds; ++i)
            moves = may_move(x, n->cond[i].a, asked) && may_move(x, n->cond[i].b, asked);
        if (moves && x->nfound < MOST) x->found[x->nfound++] = (struct value){n, part};
        if (n->kind == KIR_GUARD) continue;
        collect(x, n->body, part, asked || n->kind == KIR_IF);
        collect(x, n->orelse, part, asked || n->kind == KIR_IF);
    }
}

static bool same_ix(const struct ix *a, const struct ix *b) {
    return a->op == b->op && a->lo == b->lo && a->hi == b->hi && ix_equal(a, b);
}

static bool same(const struct kir_node *a, const struct kir_node *b) {
    if (a->kind != b->kind || a->nconds != b->nconds) return false;
    if (a->kind == KIR_LET) return same_ix(a->index, b->index);
    for (int i = 0; i < a->nconds; ++i)
        if (a->cond[i].least != b->cond[i].least || !same_ix(a->cond[i].a, b->cond[i].a) ||
            !same_ix(a->cond[i].b, b->cond[i].b))
            return false;
    return true;
}

// -- constants ------------------------------------------------------------------------------------

const char *lower_name_in(struct session *s, const char *name, const struct kir_buffer *b) {
    const char *more = arena_printf(&s->arena, "%s_%s", name, b->c_name);
    return strlen(more) <= LONG || strcmp(name, "at") == 0 ? more : NULL;
}

// Adds "b" to the name of the offset "made".
static void tell(struct lowering *w, struct kir_node *made, const struct kir_buffer *b) {
    const char *name = lower_name_in(w->s, made->name, b);
    if (name)
        made->name = name;
    else
        lower_comment_on(w, made,
                         made->nlines ? arena_printf(&w->s->arena, "%s, %s", made->line[0], b->name)
                                      : arena_printf(&w->s->arena, "and in %s", b->name));
}

// Makes value "i" use the constant "made".
static void use(struct sharing *x, int i, struct kir_node *made) {
    struct kir_node *n = x->found[i].n;
    x->found[i].n = NULL;
    if (n->kind == KIR_IF) {
        n->told = true;
        n->name = made->name;
        return;
    }
    n->var->id = made->var->id;  // accesses refer to a variable by its id
    *n = (struct kir_node){.kind = KIR_BLOCK, .where = n->where, .next = n->next};
}

// Puts a constant for value "i" and those that are the same before "*at".
static void make(struct sharing *x, int i, struct kir_node **at) {
    struct lowering *w = x->w;
    struct kir_node *made = ARENA_NEW(&w->s->arena, struct kir_node), *first = x->found[i].n;
    bool whole = first->kind == KIR_IF;
    made->kind = whole ? KIR_NAME : KIR_LET;
    made->where = first->where;
    made->cond = first->cond;
    made->nconds = first->nconds;
    made->index = first->index;
    made->of = first->of;
    made->var = first->var;
    made->name = first->of ? "at" : first->name;
    if (whole)
        made->name = lower_name_at_top(w, arena_printf(&w->s->arena, "whole%d", x->nwholes++));
    const struct kir_buffer *told[MOST];
    int ntold = 0;
    struct kir_node like = *first;  // "first" is changed
    for (int k = i; k < x->nfound; ++k) {
        if (!x->found[k].n || !same(&like, x->found[k].n)) continue;
        const struct kir_buffer *of = x->found[k].n->of;
        int known = 0;
        while (known < ntold && told[known] != of) ++known;
        if (of && known == ntold) tell(w, made, told[ntold++] = of);
        use(x, k, made);
    }
    made->next = *at;
    *at = made;
}

static void share_in(struct sharing *x, struct kir_node **list) {
    mark_within(x, *list, true);
    x->nfound = 0;
    int part = 0;
    for (struct kir_node *n = *list; n; n = n->next) {
        struct kir_node *next = n->next;
        n->next = NULL;
        collect(x, n, part++, false);
        n->next = next;
    }
    mark_within(x, *list, false);
    struct kir_node **at = list, **above = list;  // above the comment at "*at"
    part = 0;
    for (int i = 0; i < x->nfound; ++i) {
        const struct value *v = &x->found[i];
        if (!v->n) continue;
        int k = i + 1;
        while (k < x->nfound &&
               (!x->found[k].n || x->found[k].part == v->part || !same(v->n, x->found[k].n)))
            ++k;
        if (k == x->nfound) continue;
        for (; part < v->part; ++part) {
            bool comment = (*at)->kind == KIR_COMMENT;
            at = &(*at)->next;
            if (!comment) above = at;
        }
        make(x, i, above);
        if (at == above) at = &(*at)->next;
        above = &(*above)->next;
    }
    while (*list) {
        struct kir_node *n = *list;
        if (n->body) share_in(x, &n->body);
        if (n->orelse) share_in(x, &n->orelse);
        if (n->kind == KIR_BLOCK && !n->body)
            *list = n->next;
        else
            list = &n->next;
    }
}

static bool has_own_whole(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next)
        if (is_whole(n) || has_own_whole(n->body) || has_own_whole(n->orelse)) return true;
    return false;
}

static void rename_whole(struct kir_node *list, const char *name) {
    for (struct kir_node *n = list; n; n = n->next) {
        if (n->name && n->kind != KIR_LET) n->name = name;
        rename_whole(n->body, name);
        rename_whole(n->orelse, name);
    }
}

// -- names ----------------------------------------------------------------------------------------

static bool is_value(const struct kir_node *n) {
    return n->kind == KIR_LET && (n->of || n->name);
}

static void collect_variables(struct sharing *x, const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (is_value(n)) {
            x->var = arena_more(&x->w->s->arena, x->var, sizeof *x->var, x->nvars, &x->cap);
            x->var[x->nvars++] = n->var;
        }
        collect_variables(x, n->body);
        collect_variables(x, n->orelse);
    }
}

// Names the values in "list", of which "ncoords" coordinates around it have names.
static void name_values(struct sharing *x, struct kir_node *list, int ncoords) {
    struct lowering *w = x->w;
    for (struct kir_node *n = list; n; n = n->next) {
        if (!is_value(n)) continue;
        const char *want = n->name;
        if (want == lower_coord) want = arena_printf(&w->s->arena, "coord%d", ncoords++);
        if (!want) want = arena_printf(&w->s->arena, "at_%s", n->of->c_name);
        n->name = lower_name_at_top(w, want);
        for (int i = 0; i < x->nvars; ++i)
            if (x->var[i]->id == n->var->id) x->var[i]->name = x->var[i]->c_name = n->name;
    }
    for (struct kir_node *n = list; n; n = n->next) {
        name_values(x, n->body, ncoords);
        name_values(x, n->orelse, ncoords);
    }
    for (struct kir_node *n = list; n; n = n->next)
        if (is_value(n)) names_release(&w->names, n->name);
}

void lower_share(struct lowering *w, struct kir_node **body) {
    struct sharing *x = memory_zeroed(1, sizeof *x);
    x->w = w;
    x->inside = memory_zeroed((size_t)w->s->next_var + 1, sizeof *x->inside);
    collect_variables(x, *body);
    share_in(x, body);
    if (x->nwholes == 1 && !has_own_whole(*body)) rename_whole(*body, "whole");
    name_values(x, *body, 0);
    memory_free(x->inside);
    memory_free(x);
}
