// Which params something depends on: a kernel's launcher takes those and no others.  And which of
// its own tensors a kernel touches.
#include "sema/check.h"

// A set of params by index into the plan's.
struct uses {
    struct sema *c;
    bool *used;
};

static void use_int(struct uses *u, struct lay_int i) {
    for (int k = 0; k < i.nsyms; ++k) {
        const struct lay_sym *sym = i.syms[k];
        if (!sym->name) {
            use_int(u, sym->of);
            continue;
        }
        for (int p = 0; p < u->c->plan->nparams; ++p)
            if (u->c->param[p]->sym == sym) u->used[p] = true;
    }
}

static void use_ix(struct uses *u, const struct ix *e) {
    if (!e) return;
    switch (e->op) {
    case IX_SUM:
        for (int i = 0; i < e->nterms; ++i) {
            use_int(u, e->term[i].coef);
            use_ix(u, e->term[i].atom);
        }
        return;
    case IX_VAR:
        use_int(u, e->var->lo);
        use_int(u, e->var->end);
        return;
    case IX_DIV:
    case IX_MOD: use_int(u, e->k); break;
    case IX_SWZ: break;
    }
    use_ix(u, e->a);
}

static void use_tuple(struct uses *u, const struct lay_tuple *t) {
    if (!t) return;
    if (lay_is_leaf(t)) {
        use_int(u, t->leaf);
        return;
    }
    for (int i = 0; i < t->rank; ++i) use_tuple(u, t->kid[i]);
}

static void use_view(struct uses *u, const struct view *v) {
    use_ix(u, v->offset);
    use_tuple(u, v->layout.shape);
    use_tuple(u, v->layout.stride);
    int n = lay_valid(v->coord) ? lay_tuple_leaves(v->base->layout.shape) : 0;
    for (int i = 0; i < n; ++i) use_ix(u, v->coord_off[i]);
}

static void use_stmts(struct uses *u, const struct stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STMT_COPY) {
            use_view(u, &s->copy->src);
            use_view(u, &s->copy->dst);
        } else if (s->kind == STMT_CALL) {
            for (int i = 0; i < s->call->fn->nformals; ++i) use_view(u, &s->call->view[i]);
            for (int i = 0; i < s->call->fn->nindexes; ++i) use_ix(u, s->call->index[i]);
        } else if (stmt_nests(s)) {
            if (stmt_loops(s)) {
                use_ix(u, s->begin);
                use_ix(u, s->end);
            }
            use_stmts(u, s->body);
        }
    }
}

static const struct param **gather(struct uses *u, int *n) {
    struct sema *c = u->c;
    const struct param **list =
        ARENA_ARRAY(&c->s->arena, const struct param *, c->plan->nparams + 1);
    *n = 0;
    for (int p = 0; p < c->plan->nparams; ++p)
        if (u->used[p]) list[(*n)++] = c->param[p];
    return list;
}

void collect_params(struct sema *c, struct kernel *k) {
    struct uses u = {c, ARENA_ARRAY(&c->s->arena, bool, c->plan->nparams + 1)};
    for (int i = 0; i < 3; ++i) use_int(&u, k->grid[i]);
    for (int i = 0; i < k->nformals; ++i) {
        use_tuple(&u, k->formal[i].tensor->layout.shape);
        use_tuple(&u, k->formal[i].tensor->layout.stride);
        use_int(&u, k->formal[i].tensor->layout.offset);
    }
    use_stmts(&u, k->body);
    k->param = gather(&u, &k->nparams);
}

static bool touches(const struct stmt *list, const struct tensor *t) {
    for (const struct stmt *s = list; s; s = s->next) {
        if (s->body && touches(s->body, t)) return true;
        if (s->kind == STMT_COPY && (s->copy->src.base == t || s->copy->dst.base == t)) return true;
        for (int i = 0; s->kind == STMT_CALL && i < s->call->fn->nformals; ++i)
            if (s->call->view[i].base == t) return true;
    }
    return false;
}

void drop_untouched(struct kernel *k) {
    int n = 0;
    for (int i = 0; i < k->nlocal; ++i)
        if (touches(k->body, k->local[i])) k->local[n++] = k->local[i];
    k->nlocal = n;
}

void collect_relation(struct sema *c, struct relation *r) {
    struct uses u = {c, ARENA_ARRAY(&c->s->arena, bool, c->plan->nparams + 1)};
    use_ix(&u, r->a);
    use_ix(&u, r->b);
    r->param = gather(&u, &r->nparams);
}
