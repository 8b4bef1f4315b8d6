// Finds the params that something depends on: these are the parameters of a kernel's launcher.
// Also finds which of its own tensors a kernel touches.
#include <stdlib.h>
#include <string.h>

#include "sema/expr/expr.h"
#include "sema/stmt/stmt.h"

// A list of params, with repetitions.
struct uses {
    struct sema *c;
    const struct param **param;
    int n, cap;
};

// The plan's param with symbol "sym", or NULL.  Params are sorted by symbol.
static const struct param *param_of(const struct sema *c, const struct lay_sym *sym) {
    int lo = 0, hi = c->plan->nparams;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (c->param[mid]->sym->id < sym->id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->plan->nparams && c->param[lo]->sym == sym ? c->param[lo] : NULL;
}

static void use_ix(struct uses *u, const struct ix *e);

static void use_param(struct uses *u, const struct param *p) {
    if (!p || (u->n && u->param[u->n - 1] == p)) return;
    use_ix(u, p->sum);
    GROW(u->c, u->param, u->n, u->cap);
    u->param[u->n++] = p;
}

static void use_int(struct uses *u, struct lay_int i) {
    for (int k = 0; k < i.nsyms; ++k) {
        const struct lay_sym *sym = i.syms[k];
        if (!sym->name) {
            use_int(u, sym->of);
            continue;
        }
        use_param(u, param_of(u->c, sym));
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
    for (int i = 0; i < n && v->limit; ++i) use_ix(u, v->limit[i]);
    for (int i = 0; i < n && v->halo; ++i) {
        use_ix(u, v->halo[i].begin);
        use_ix(u, v->halo[i].end);
    }
}

static void use_stmts(struct uses *u, const struct stmt *list) {
    for (const struct stmt *s = list; s; s = stmt_next(list, s)) {
        if (s->kind == STMT_COPY) {
            use_view(u, &s->copy->src);
            use_view(u, &s->copy->dst);
        } else if (s->kind == STMT_CALL) {
            for (int i = 0; i < s->call->fn->nformals; ++i) use_view(u, &s->call->view[i]);
            for (int i = 0; i < s->call->fn->nindexes; ++i) use_ix(u, s->call->index[i]);
        } else if (stmt_loops(s)) {
            use_ix(u, s->begin);
            use_ix(u, s->end);
        }
        use_ix(u, s->bytes);
    }
}

static int by_symbol(const void *a, const void *b) {
    const struct param *x = *(const struct param *const *)a, *y = *(const struct param *const *)b;
    int a_last = x->sum ? 2 : x->apart, b_last = y->sum ? 2 : y->apart;
    if (a_last != b_last) return a_last > b_last ? 1 : -1;
    return (x->sym->id > y->sym->id) - (x->sym->id < y->sym->id);
}

// Removes repetitions and sorts by declaration, what the caller does not pass last.
static const struct param **gather(struct uses *u, int *n) {
    if (u->n > 1) qsort(u->param, (size_t)u->n, sizeof *u->param, by_symbol);
    *n = 0;
    for (int i = 0; i < u->n; ++i)
        if (i == 0 || u->param[i] != u->param[i - 1]) u->param[(*n)++] = u->param[i];
    return u->param;
}

static bool has_param(const struct kernel *k, const struct param *p) {
    for (int i = 0; i < k->nparams; ++i)
        if (k->param[i] == p) return true;
    return false;
}

// Uses the sums in relations whose other params "k" has, so that its launcher checks them.
static bool use_related(struct uses *u, const struct kernel *k) {
    bool any = false;
    u->n = k->nparams;
    for (int i = 0; i < u->c->nrelations; ++i) {
        const struct relation *r = u->c->relation[i];
        bool all = !r->of_sum && r->nparams > 0 && r->param[r->nparams - 1]->sum;
        for (int j = 0; all && j < r->nparams; ++j)
            all = r->param[j]->sum || has_param(k, r->param[j]);
        for (int j = 0; all && j < r->nparams; ++j)
            if (r->param[j]->sum) use_param(u, r->param[j]);
        any |= all;
    }
    return any;
}

void collect_params(struct sema *c, struct kernel *k) {
    struct uses u = {.c = c};
    for (int i = 0; i < 3; ++i) use_int(&u, k->grid[i]);
    for (int i = 0; i < k->nformals; ++i) {
        use_tuple(&u, k->formal[i].tensor->layout.shape);
        use_tuple(&u, k->formal[i].tensor->layout.stride);
        use_int(&u, k->formal[i].tensor->layout.offset);
    }
    for (int i = 0; i < k->nformals && c->text && c->text->parts; ++i) {
        const struct lay *whole = &k->formal[i].declared->layout;  // its promises are needed
        use_tuple(&u, whole->shape);
        use_tuple(&u, whole->stride);
    }
    for (int i = 0; i < k->nwhen; ++i) use_int(&u, k->when[i].value);
    use_stmts(&u, k->body);
    for (int i = c->first_own; i < c->plan->nparams; ++i)
        if (!c->param[i]->sum) use_param(&u, c->param[i]);
    k->param = gather(&u, &k->nparams);
    if (use_related(&u, k)) k->param = gather(&u, &k->nparams);
    while (k->ngiven < k->nparams && !k->param[k->ngiven]->sum && !k->param[k->ngiven]->apart)
        ++k->ngiven;
}

// Tensors that statements touch, with repetitions.
struct touched {
    struct session *s;
    const struct tensor **tensor;
    int n, cap;
};

static void touch(struct touched *x, const struct tensor *t) {
    if (x->n == x->cap) {
        const struct tensor **old = x->tensor;
        x->cap = 2 * x->cap + 16;
        x->tensor = ARENA_ARRAY(&x->s->arena, const struct tensor *, x->cap);
        if (x->n) memcpy(x->tensor, old, sizeof(*old) * (size_t)x->n);
    }
    x->tensor[x->n++] = t;
}

static void touch_all(struct touched *x, const struct stmt *list) {
    for (const struct stmt *s = list; s; s = stmt_next(list, s)) {
        if (s->kind == STMT_COPY) {
            touch(x, s->copy->src.base);
            touch(x, s->copy->dst.base);
        }
        for (int i = 0; s->kind == STMT_CALL && i < s->call->fn->nformals; ++i)
            touch(x, s->call->view[i].base);
    }
}

static int by_place(const void *a, const void *b) {
    uintptr_t x = (uintptr_t) * (const struct tensor *const *)a;
    uintptr_t y = (uintptr_t) * (const struct tensor *const *)b;
    return (x > y) - (x < y);
}

void drop_untouched(struct sema *c, struct kernel *k) {
    struct touched x = {.s = c->s};
    int n = 0;
    if (k->nlocal == 0) return;
    touch_all(&x, k->body);
    if (x.n > 1) qsort(x.tensor, (size_t)x.n, sizeof(*x.tensor), by_place);
    for (int i = 0; i < k->nlocal; ++i) {
        const struct tensor *t = k->local[i];
        if (x.n && bsearch(&t, x.tensor, (size_t)x.n, sizeof(*x.tensor), by_place))
            k->local[n++] = k->local[i];
    }
    k->nlocal = n;
}

void collect_relation(struct sema *c, struct relation *r) {
    struct uses u = {.c = c};
    use_ix(&u, r->a);
    use_ix(&u, r->b);
    r->param = gather(&u, &r->nparams);
}
