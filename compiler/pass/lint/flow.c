// Where elements that a kernel reads go, and what moves them.
#include "pass/lint/flow.h"

#include "base/session.h"
#include "layout/algebra.h"
#include "plan/view.h"

// -- where elements go ----------------------------------------------------------------------------

bool flow_has(const struct flow *x, const struct tensor *t) {
    for (int i = 0; i < x->n; ++i)
        if (x->at[i] == t) return true;
    return false;
}

static void put(struct flow *x, const struct tensor *t) {
    if (t->space != MEM_GLOBAL && x->n < MOST_HELD && !flow_has(x, t)) x->at[x->n++] = t;
}

// Adds what the call "y" gets from "x".
static void put_call(struct flow *x, const struct plan_call *y) {
    bool any = false;
    for (int i = 0; i < y->fn->nformals && !y->fill; ++i)
        any |= y->fn->formal[i].dir != ARG_OUT && flow_has(x, y->view[i].base);
    if (any) x->called = true;
    for (int i = 0; i < y->fn->nformals && any; ++i)
        if (y->fn->formal[i].dir != ARG_IN) put(x, y->view[i].base);
}

struct flow flow_of(const struct reads *r, const struct access *a) {
    struct flow x = {0};
    int before = -1;
    if (a->copy) put(&x, a->copy->dst.base);
    if (a->call) x.called = true;
    for (int i = 0; a->call && i < a->call->fn->nformals; ++i)
        if (a->call->fn->formal[i].dir != ARG_IN) put(&x, a->call->view[i].base);
    while (x.n != before) {
        before = x.n;
        for (const struct stmt *st = r->k->body; st; st = stmt_next(r->k->body, st)) {
            if (st->kind == STMT_COPY && flow_has(&x, st->copy->src.base))
                put(&x, st->copy->dst.base);
            if (st->kind == STMT_CALL) put_call(&x, st->call);
        }
    }
    return x;
}

bool flow_goes_to(const struct flow *x, const struct access *a, const struct access *b) {
    if (!b->copy) return false;
    return b->copy == a->copy || flow_has(x, b->copy->src.base);
}

bool flow_is_output(const struct reads *r, const struct access *b) {
    const struct formal *f = b->write && b->copy ? kernel_formal(r->k, b->view->base) : NULL;
    return f && f->dir != ARG_IN && b->view->base->space == MEM_GLOBAL && lay_valid(b->view->coord);
}

// -- what moves an output -------------------------------------------------------------------------

bool index_at(const struct reads *r, const struct access *b, int i, struct index *out) {
    struct session *s = r->s;
    *out = (struct index){.n = LAY_INT_INVALID};
    if (i < 3) {
        out->v = out->load = r->k->block[i];
        out->n = r->k->grid[i];
        if (out->v && lay_int_is(out->n, 1)) out->v = NULL;
        return true;
    }
    if (i - 3 >= b->around.n) return false;
    const struct stmt *st = b->around.stmt[i - 3];
    if (!stmt_loops(st) || !st->var || !has_many_steps(s, st)) return true;
    out->v = st->var;
    out->load = st->pipe && st->pipe->load_var ? st->pipe->load_var : st->var;
    if (!ix_monomial(st->end, &out->n)) out->n = LAY_INT_INVALID;
    return true;
}

bool index_moves(const struct index *x, const struct view *v) {
    return view_depends(v, x->v) || view_depends(v, x->load);
}

bool index_moves_along(const struct index *x, const struct view *v, int mode) {
    const struct ix *at = v->coord_off[mode];
    return at && (ix_depends_on(at, x->v) || ix_depends_on(at, x->load));
}

const struct ix *part_along(struct session *s, const struct view *v, int mode,
                            const struct ix **begin, const struct ix **end) {
    *end = view_limit(s, v, mode);
    *begin = ix_int(s, 0);
    if (!*end || !v->coord_off[mode]) return NULL;
    const struct ix *n = v->limit ? ix_sub(s, *end, v->coord_off[mode]) : *end;
    if (v->limit) *begin = ix_min(s, v->coord_off[mode]);
    if (v->limit && n && !ix_constant(n) && *begin) n = ix_sub(s, *end, *begin);
    *end = ix_max(s, *end);
    return *begin && *end && n && ix_constant(*begin) && ix_constant(*end) && ix_constant(n) ? n
                                                                                             : NULL;
}

bool is_all_along(struct session *s, const struct view *v, int mode, const struct ix *lo,
                  const struct ix *hi) {
    const struct ix *end = view_limit(s, &(struct view){.base = v->base}, mode);
    int64_t from;
    return ix_static(lo, &from) && from <= 0 && end && ix_equal(ix_add(s, hi, ix_int(s, 1)), end);
}

bool pairs_any(struct reads *r, const struct access *a, const struct flow *flow, pair_fn *is) {
    for (int j = 0; j < r->n; ++j) {
        const struct access *b = &r->at[j];
        if (!flow_is_output(r, b) || !flow_goes_to(flow, a, b)) continue;
        struct pair p = {.a = a, .b = b, .flow = flow};
        for (int x = 0; index_at(r, b, x, &p.x); ++x) {
            if (!p.x.v || index_moves(&p.x, a->view)) continue;
            for (p.mode = 0; p.mode < lay_tuple_leaves(b->view->base->layout.shape); ++p.mode)
                if (index_moves_along(&p.x, b->view, p.mode) && is(r, &p)) return true;
        }
    }
    return false;
}
