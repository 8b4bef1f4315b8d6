// Where elements that a kernel reads go, and what moves them.
#include "pass/lint/flow.h"

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/dead.h"
#include "plan/view.h"

// -- where elements go ----------------------------------------------------------------------------

bool flow_has(const struct flow *x, const struct tensor *t) {
    for (int i = 0; i < x->n; ++i)
        if (x->at[i] == t) return true;
    return false;
}

static int number_of(const struct flow *x, const struct tensor *t) {
    int i = 0;
    while (i < x->n && x->at[i] != t) ++i;
    return i;
}

// "t" has elements of "x" from here on.
static void put(struct flow *x, const struct tensor *t) {
    int i = number_of(x, t);
    if (t->space == MEM_GLOBAL || i == MOST_HELD) return;
    if (i == x->n) x->at[x->n++] = t;
    x->held |= UINT64_C(1) << i;
}

// .. has none from here on.
static void clear(struct flow *x, const struct tensor *t) {
    int i = number_of(x, t);
    if (i < x->n) x->held &= ~(UINT64_C(1) << i);
}

static bool is_held(const struct flow *x, const struct tensor *t) {
    int i = number_of(x, t);
    return i < x->n && x->held >> i & 1;
}

static void follow_copy(struct flow *x, const struct stmt *st) {
    const struct copy *c = st->copy;
    if (c == x->copy || is_held(x, c->src.base)) {
        put(x, c->dst.base);
        bool known = c->dst.base->space != MEM_GLOBAL || x->nto == MOST_READS;
        for (int i = 0; i < x->nto; ++i) known |= x->to[i] == c;
        if (!known) x->to[x->nto++] = c;
    } else if (is_held(x, c->dst.base) && !c->dst.base->stages && dead_written(st) &&
               dead_writes_all(x->s, x->k, st)) {
        clear(x, c->dst.base);
    }
}

static void follow_call(struct flow *x, const struct stmt *st) {
    const struct plan_call *y = st->call;
    bool any = y == x->call;
    for (int i = 0; i < y->fn->nformals && !y->fill; ++i)
        any |= y->fn->formal[i].dir != ARG_OUT && is_held(x, y->view[i].base);
    x->called |= any;
    for (int i = 0; i < y->fn->nformals; ++i) {
        const struct view *v = &y->view[i];
        if (any && y->fn->formal[i].dir != ARG_IN)
            put(x, v->base);
        else if (!any && y->fn->formal[i].dir == ARG_OUT && is_held(x, v->base) &&
                 !v->base->stages && dead_is_all(x->s, v))
            clear(x, v->base);
    }
}

// Follows "x" through a list of statements.
static void follow(struct flow *x, const struct stmt *list) {
    for (const struct stmt *st = list; st; st = st->next) {
        if (st->kind == STMT_COPY) follow_copy(x, st);
        if (st->kind == STMT_CALL) follow_call(x, st);
        for (uint64_t before = ~x->held; st->body && before != x->held;) {
            before = x->held;
            follow(x, st->body);
            if (stmt_loops(st)) x->held |= before;  // perhaps without a step
            if (!stmt_loops(st)) break;
        }
    }
}

struct flow flow_of(const struct reads *r, const struct access *a) {
    struct flow x = {.s = r->s, .k = r->k, .copy = a->copy, .call = a->call};
    follow(&x, r->k->body);
    return x;
}

bool flow_reaches(struct session *s, const struct kernel *k, const struct copy *a,
                  const struct copy *b) {
    struct flow x = {.s = s, .k = k, .copy = a};
    follow(&x, k->body);
    return flow_goes_to(&x, &(struct access){.copy = b});
}

bool flow_goes_to(const struct flow *x, const struct access *b) {
    bool to = b->copy && b->copy == x->copy;
    for (int i = 0; i < x->nto; ++i) to |= x->to[i] == b->copy;
    return to;
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
        if (!flow_is_output(r, b) || !flow_goes_to(flow, b)) continue;
        struct pair p = {.a = a, .b = b, .flow = flow};
        for (int x = 0; index_at(r, b, x, &p.x); ++x) {
            if (!p.x.v || index_moves(&p.x, a->view)) continue;
            for (p.mode = 0; p.mode < lay_tuple_leaves(b->view->base->layout.shape); ++p.mode)
                if (index_moves_along(&p.x, b->view, p.mode) && is(r, &p)) return true;
        }
    }
    return false;
}
