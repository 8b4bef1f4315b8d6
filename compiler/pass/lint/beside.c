// Reads of an input that stand still where what is made of them moves: a block or a step is missing in a
// coordinate.  Nothing reads the elements beside them, or every block reads the same and writes it to
// another part.  fixed_tile.c sees tensors that are read in one place alone.
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"
#include "plan/view.h"

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// -- where elements go ----------------------------------------------------------------------------

enum { MOST_HELD = 64 };

// The buffers that have elements of a read, or what functions make of them.
struct flow {
    int n;
    bool called;  // through a function
    const struct tensor *at[MOST_HELD];
};

static bool holds(const struct flow *x, const struct tensor *t) {
    for (int i = 0; i < x->n; ++i)
        if (x->at[i] == t) return true;
    return false;
}

static void put(struct flow *x, const struct tensor *t) {
    if (t->space != MEM_GLOBAL && x->n < MOST_HELD && !holds(x, t)) x->at[x->n++] = t;
}

// Adds what the call "y" gets from "x".
static void put_call(struct flow *x, const struct plan_call *y) {
    bool any = false;
    for (int i = 0; i < y->fn->nformals && !y->fill; ++i)
        any |= y->fn->formal[i].dir != ARG_OUT && holds(x, y->view[i].base);
    if (any) x->called = true;
    for (int i = 0; i < y->fn->nformals && any; ++i)
        if (y->fn->formal[i].dir != ARG_IN) put(x, y->view[i].base);
}

// Follows the elements that access "a" reads.
static struct flow flow_of(const struct reads *r, const struct access *a) {
    struct flow x = {0};
    int before = -1;
    if (a->copy) put(&x, a->copy->dst.base);
    if (a->call) x.called = true;
    for (int i = 0; a->call && i < a->call->fn->nformals; ++i)
        if (a->call->fn->formal[i].dir != ARG_IN) put(&x, a->call->view[i].base);
    while (x.n != before) {
        before = x.n;
        for (const struct stmt *st = r->k->body; st; st = stmt_next(r->k->body, st)) {
            if (st->kind == STMT_COPY && holds(&x, st->copy->src.base)) put(&x, st->copy->dst.base);
            if (st->kind == STMT_CALL) put_call(&x, st->call);
        }
    }
    return x;
}

// Whether the write "b" gets elements of the read "a".
static bool goes_to(const struct flow *x, const struct access *a, const struct access *b) {
    if (!b->copy) return false;
    return b->copy == a->copy || holds(x, b->copy->src.base);
}

static bool is_output(const struct reads *r, const struct access *b) {
    const struct formal *f = b->write && b->copy ? kernel_formal(r->k, b->view->base) : NULL;
    return f && f->dir != ARG_IN && b->view->base->space == MEM_GLOBAL && lay_valid(b->view->coord);
}

// -- what moves an output -------------------------------------------------------------------------

// A block or a step that has several values.
struct index {
    const struct ix_var *v, *load;  // "load": in a "load" part; otherwise "v" again
    struct lay_int n;               // how many; invalid: that is not known
};

// The index number "i" around access "b": axes of the grid, then loops.  False: there is none.
static bool index_at(const struct reads *r, const struct access *b, int i, struct index *out) {
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

static bool is_moved(const struct view *v, const struct index *x) {
    return view_depends(v, x->v) || view_depends(v, x->load);
}

// Whether "x" moves "v" along "mode".
static bool is_moved_along(const struct view *v, const struct index *x, int mode) {
    const struct ix *at = v->coord_off[mode];
    return at && (ix_depends_on(at, x->v) || ix_depends_on(at, x->load));
}

// The elements along "mode" of the tensor of "v", or of the part of it that the plan names: those from
// "begin" to "end".  Returns how many; NULL: that is not known.
static const struct ix *part_along(struct session *s, const struct view *v, int mode,
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

// A read, and a write of what it reads, which "x" moves along "mode" and not the read.
struct pair {
    const struct access *a, *b;
    const struct flow *flow;
    struct index x;
    int mode;
};

// Whether "lo" to "hi" is all of the tensor of "v" along "mode".
static bool is_all_along(struct session *s, const struct view *v, int mode, const struct ix *lo,
                         const struct ix *hi) {
    const struct ix *end = view_limit(s, &(struct view){.base = v->base}, mode);
    int64_t from;
    return ix_static(lo, &from) && from <= 0 && end && ix_equal(ix_add(s, hi, ix_int(s, 1)), end);
}

// -- elements beside ------------------------------------------------------------------------------

// Whether "x", which moves the write of "p" among "n" elements, moves another read of as many that goes
// there: then the read of "p" may be the same for all.
static bool is_moved_elsewhere(struct reads *r, const struct pair *p, const struct ix *n) {
    for (int i = 0; i < r->n; ++i) {
        const struct access *c = &r->at[i];
        const struct ix *begin, *end, *of;
        if (c->write || c->view->base->space != MEM_GLOBAL || !lay_valid(c->view->coord)) continue;
        if (c->view->base == p->a->view->base) continue;  // of another slice
        struct flow flow = flow_of(r, c);
        if (!goes_to(&flow, c, p->b)) continue;
        for (int m = 0; m < lay_tuple_leaves(c->view->base->layout.shape); ++m)
            if (is_moved_along(c->view, &p->x, m) &&
                (of = part_along(r->s, c->view, m, &begin, &end)) && reads_equal(r, of, n))
                return true;
    }
    return false;
}

// The place of "q", or of the name of it, in the text of "v"; NULL: it is not there.
static const char *place_in(const struct vanished *q, const struct view *v, const char *text) {
    if (q->at.file == v->at.file && q->at.begin >= v->at.begin && q->at.end <= v->at.end)
        return text + (q->at.begin - v->at.begin);
    size_t n = q->let ? strlen(q->let) : 0;
    for (const char *at = n ? strstr(text, q->let) : NULL; at; at = strstr(at + 1, q->let))
        if (at > text && !is_word(at[-1]) && !is_word(at[n])) return at;
    return NULL;
}

// Whether "q" is the coordinate along "mode" in the text of "v": "K(q,_,_)" or "local_tile(K, .., (q,0))".
static bool is_coordinate(struct session *s, const struct vanished *q, const struct view *v,
                          int mode) {
    if (!source_known(s, v->at)) return false;
    const char *text = arena_printf(&s->arena, "%.*s", (int)(v->at.end - v->at.begin),
                                    s->sources.file[v->at.file].text + v->at.begin);
    const char *at = place_in(q, v, text);
    const char *name = v->base->name, *tile = arena_printf(&s->arena, "local_tile(%s,", name);
    size_t n = strlen(name);
    int depth = 0, before = 0;
    while (at && at > text && depth >= 0) {
        --at;
        depth += (*at == ')') - (*at == '(');
        before += depth == 0 && *at == ',';
    }
    if (!at || depth >= 0 || before != mode) return false;
    if (at - text >= (ptrdiff_t)n && strncmp(at - n, name, n) == 0 &&
        (at - n == text || !is_word(at[-(ptrdiff_t)n - 1])))
        return true;
    return strncmp(text, tile, strlen(tile)) == 0 && at > text && at[1] != 0;
}

// The quotient of a sum with the index of "p" that is the coordinate of its read along "mode", and that is
// always the same; NULL: there is none.
static const struct vanished *quotient_of(struct reads *r, const struct pair *p, int mode) {
    for (const struct vanished *q = r->plan->vanished; q; q = q->next)
        if ((ix_depends_on(q->of, p->x.v) || ix_depends_on(q->of, p->x.load)) &&
            is_coordinate(r->s, q, p->a->view, mode))
            return q;
    return NULL;
}

// "QKV(_,0,1,_)": the elements of the tensor of "v" with "at" along "mode", where "v" is along those modes
// that do not move it.
static const char *elements_text(struct session *s, const struct view *v, int mode, int64_t at) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *lo, *hi;
        bool stands = i != mode && reads_stand(s, v, i, &lo, &hi);
        const char *text = "_";
        if (stands && ix_equal(lo, hi))
            text = ix_text(s, lo);
        else if (stands && !is_all_along(s, v, i, lo, hi))
            text = arena_printf(&s->arena, "%s .. %s", ix_text(s, lo),
                                ix_text(s, ix_add(s, hi, ix_int(s, 1))));
        if (i == mode) text = arena_printf(&s->arena, "%lld", (long long)at);
        buf_printf(&b, "%s%s", i ? "," : "", text);
    }
    return arena_printf(&s->arena, "%s(%s)", v->base->name, buf_finish(&b, &s->arena));
}

// Notes the divisor with which "q" has as many values as the read of "p" has elements, "n".
static void note_quotient(struct session *s, const struct vanished *q, const struct pair *p,
                          const struct ix *n) {
    int64_t extent;
    bool shares = ix_static(n, &extent) && lay_int_static(p->x.n) && extent > 0 &&
                  p->x.n.num % extent == 0 && q->of->op == IX_VAR;
    if (!shares) {
        diag_note(s, p->a->view->at, "'%s' is read here", p->a->view->base->name);
        return;
    }
    const char *by = arena_printf(&s->arena, "%lld", (long long)(p->x.n.num / extent));
    diag_note(s, q->at, "'%s / %s' has a value for each of the %lld elements of '%s' there",
              p->x.v->name, by, (long long)extent, p->a->view->base->name);
    diag_fixit(s, q->by_at, by);
}

// Warns of "p" if its read stands still along "mode", and nothing reads the elements beside it: there are
// as many as the write moves among, or a quotient that should move the read is always the same.
static bool left_beside(struct reads *r, const struct pair *p, int mode) {
    struct session *s = r->s;
    const struct view *v = p->a->view, *w = p->b->view;
    const struct ix *lo, *hi, *begin, *end, *from, *to;
    struct prove_witness found;
    const struct ix *n = part_along(s, v, mode, &begin, &end);
    const struct ix *m = part_along(s, w, p->mode, &from, &to);
    bool as_many = n && m && reads_equal(r, n, m);
    const struct vanished *q = as_many ? NULL : quotient_of(r, p, mode);
    if (!n || (v->limit && v->range_of_range) || (!as_many && !q)) return false;
    bool moves =
        v->limit && !ix_constant(view_limit(s, v, mode));  // a range that another index moves
    if (!moves && (!reads_stand(s, v, mode, &lo, &hi) || is_all_along(s, v, mode, lo, hi)))
        return false;
    if (as_many && p->flow->called && is_moved_elsewhere(r, p, m)) return false;
    if (reads_beside(r, v, mode, (struct skipped){ix_int(s, 0), begin}, end, &found) != PROVE_NO)
        return false;
    const struct tensor *t = v->base, *u = w->base;
    const char *along = view_mode_text(s, t, mode);
    if (q)
        diag_warn(s, W_FIXED_TILE, q->at,
                  "this quotient is always %lld, so that '%s' moves '%s', and not what is read of "
                  "'%s' along %s; nothing reads the rest",
                  (long long)q->value, p->x.v->name, u->name, t->name, along);
    else
        diag_warn(s, W_FIXED_TILE, v->at,
                  "'%s' moves what is written to '%s' along %s, and not what is read of '%s' along "
                  "%s, where it has as many elements; nothing reads the others",
                  p->x.v->name, u->name, view_mode_text(s, u, p->mode), t->name, along);
    if (q) note_quotient(s, q, p, n);
    diag_note(s, w->at, "'%s' is written here", u->name);
    diag_note(s, v->at, "%snothing reads '%s'", instances_params(s, r->plan, r->k, &found),
              elements_text(s, v, mode, found.out[0]));
    return true;
}

// -- two inputs of one shape ----------------------------------------------------------------------

// Whether the elements of "x" and "y" meet in a function.
static bool meet(const struct flow *x, const struct flow *y) {
    for (int i = 0; i < x->n && x->called && y->called; ++i)
        if (holds(y, x->at[i])) return true;
    return false;
}

// Whether "c" reads tiles of an input like "a" does, of another one with the same shape.
static bool is_like(const struct access *a, const struct access *c) {
    const struct view *v = a->view, *w = c->view;
    return !c->write && v->base != w->base && w->base->space == MEM_GLOBAL && lay_valid(w->coord) &&
           lay_tuple_equal(v->layout.shape, w->layout.shape) &&
           lay_tuple_equal(v->base->layout.shape, w->base->layout.shape);
}

// Warns of the read "a" if an index moves another input like it along a mode, and not this one, of which
// nothing reads the rest.
static bool left_alone(struct reads *r, const struct access *a, const struct flow *flow) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *lo, *hi, *begin, *end;
    struct prove_witness found;
    struct index x;
    for (int i = 0; i < r->n; ++i) {
        const struct access *c = &r->at[i];
        if (!is_like(a, c)) continue;
        struct flow other = flow_of(r, c);
        for (int j = 0; meet(flow, &other) && index_at(r, c, j, &x); ++j) {
            for (int m = 0; x.v && m < lay_tuple_leaves(v->base->layout.shape); ++m) {
                if (!is_moved_along(c->view, &x, m) || is_moved(v, &x)) continue;
                if (v->limit || !part_along(s, v, m, &begin, &end)) continue;
                if (!reads_stand(s, v, m, &lo, &hi) || is_all_along(s, v, m, lo, hi)) continue;
                if (reads_beside(r, v, m, (struct skipped){0}, end, &found) != PROVE_NO) continue;
                diag_warn(s, W_FIXED_TILE, v->at,
                          "'%s' moves '%s' along %s, and not '%s', which has the same shape and is "
                          "used with it; nothing reads the rest",
                          x.v->name, c->view->base->name, view_mode_text(s, v->base, m),
                          v->base->name);
                diag_note(s, c->view->at, "'%s' is read here", c->view->base->name);
                diag_note(s, v->at, "%snothing reads '%s'",
                          instances_params(s, r->plan, r->k, &found),
                          elements_text(s, v, m, found.out[0]));
                return true;
            }
        }
    }
    return false;
}

// -- blocks that compute the same -----------------------------------------------------------------

// Whether "x", an axis of the grid, moves nothing but what is written.
static bool moves_only_outputs(const struct reads *r, const struct index *x) {
    for (const struct stmt *st = r->k->body; st; st = stmt_next(r->k->body, st)) {
        if (stmt_loops(st) && (ix_depends_on(st->begin, x->v) || ix_depends_on(st->end, x->v)))
            return false;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nindexes; ++i)
            if (ix_depends_on(st->call->index[i], x->v)) return false;
    }
    for (int i = 0; i < r->n; ++i)
        if (!is_output(r, &r->at[i]) && is_moved(r->at[i].view, x)) return false;
    return true;
}

// How many reads of inputs that go to "b" the index "y" moves: of different tensors of rank 2 or more.
static int moved_by(const struct reads *r, const struct access *b, const struct index *y) {
    const struct tensor *first = NULL;
    int n = 0;
    for (int i = 0; i < r->n && n < 2; ++i) {
        const struct access *a = &r->at[i];
        if (a->write || a->view->base == first || a->view->base->space != MEM_GLOBAL) continue;
        if (lay_tuple_leaves(a->view->base->layout.shape) < 2 || !is_moved(a->view, y)) continue;
        struct flow flow = flow_of(r, a);
        if (!goes_to(&flow, a, b)) continue;
        first = a->view->base;
        ++n;
    }
    return n;
}

// Whether "x" moves "v" along several modes.
static bool is_moved_twice(const struct view *v, const struct index *x) {
    int n = 0;
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i) n += is_moved_along(v, x, i);
    return n > 1;
}

// Warns of the axis of "p", which moves only its write, if the read has as many elements along a mode that
// another axis moves: as that of C = A * B for both factors.
static bool all_alike(struct reads *r, const struct pair *p) {
    struct session *s = r->s;
    const struct view *v = p->a->view, *w = p->b->view;
    const struct ix *begin, *end, *from, *to;
    const struct ix *m = part_along(s, w, p->mode, &from, &to);
    int rank = lay_tuple_leaves(v->base->layout.shape);
    bool same = lay_tuple_equal(v->base->layout.shape, w->base->layout.shape);
    if (rank < 2 || !p->flow->called || !m) return false;
    for (int i = 0; i < rank; ++i) {
        const struct ix *n = part_along(s, v, i, &begin, &end);
        struct index y;
        for (int j = 0; n && ix_equal(n, m) && index_at(r, p->a, j, &y); ++j) {
            if (!y.v || y.v == p->x.v || !is_moved_along(v, &y, i)) continue;
            if (y.v->kind == IX_LOOP ? !is_moved_twice(v, &y) : !same && moved_by(r, p->b, &y) < 2)
                continue;
            diag_warn(s, W_FIXED_TILE, w->at,
                      "blocks that differ in '%s' alone read the same and compute the same, and "
                      "write it to different parts of '%s'",
                      p->x.v->name, w->base->name);
            diag_note(s, v->at,
                      "'%s' moves '%s' along %s, where it has as many elements as '%s' "
                      "moves '%s' among; is '%s' meant?",
                      y.v->name, v->base->name, view_mode_text(s, v->base, i), p->x.v->name,
                      w->base->name, p->x.v->name);
            return true;
        }
    }
    return false;
}

// Warns of the read of "p" in a loop that moves nothing but what is written, to an output of the same shape.
static bool same_in_steps(struct reads *r, const struct pair *p) {
    const struct view *v = p->a->view, *w = p->b->view;
    bool inside = false;
    for (int i = 0; i < p->a->around.n; ++i) inside |= p->a->around.stmt[i]->var == p->x.v;
    if (!inside || !lay_tuple_equal(v->base->layout.shape, w->base->layout.shape) ||
        !lay_tuple_equal(v->layout.shape, w->layout.shape) || !moves_only_outputs(r, &p->x))
        return false;
    diag_warn(r->s, W_FIXED_TILE, v->at,
              "each step of '%s' reads the same part of '%s', and writes another part of '%s', "
              "which has the same shape: nothing else depends on '%s'",
              p->x.v->name, v->base->name, w->base->name, p->x.v->name);
    diag_note(r->s, w->at, "'%s' is written here", w->base->name);
    return true;
}

// -- all ------------------------------------------------------------------------------------------

// Warns of the read and the write of "p", which an index moves along a mode, and not the read.
static bool check(struct reads *r, const struct pair *p) {
    for (int m = 0; m < lay_tuple_leaves(p->a->view->base->layout.shape); ++m)
        if (left_beside(r, p, m)) return true;
    if (p->x.v->kind == IX_LOOP) return same_in_steps(r, p);
    return moves_only_outputs(r, &p->x) && all_alike(r, p);
}

bool beside(struct reads *r, const struct tensor *t) {
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        if (a->view->base != t || a->write || !lay_valid(a->view->coord)) continue;
        struct flow flow = flow_of(r, a);
        if (left_alone(r, a, &flow)) return true;
        for (int j = 0; j < r->n; ++j) {
            const struct access *b = &r->at[j];
            if (!is_output(r, b) || !goes_to(&flow, a, b)) continue;
            struct pair p = {.a = a, .b = b, .flow = &flow};
            for (int x = 0; index_at(r, b, x, &p.x); ++x) {
                if (!p.x.v || is_moved(a->view, &p.x)) continue;
                for (p.mode = 0; p.mode < lay_tuple_leaves(b->view->base->layout.shape); ++p.mode)
                    if (is_moved_along(b->view, &p.x, p.mode) && check(r, &p)) return true;
            }
        }
    }
    return false;
}
