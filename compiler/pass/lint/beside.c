// Reads of an input that stand still where what is made of them moves: a block or a step is missing in a
// coordinate.  Nothing reads the elements beside them, or every block reads the same and writes it to
// another part.  fixed_tile.c sees tensors that are read in one place alone.
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/flow.h"
#include "pass/lint/reads.h"
#include "plan/view.h"

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
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
        if (!flow_goes_to(&flow, p->b)) continue;
        for (int m = 0; m < lay_tuple_leaves(c->view->base->layout.shape); ++m)
            if (index_moves_along(&p->x, c->view, m) &&
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
        if (flow_has(y, x->at[i])) return true;
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
                if (!index_moves_along(&x, c->view, m) || index_moves(&x, v)) continue;
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

// -- all ------------------------------------------------------------------------------------------

// Warns of the read and the write of "p", which an index moves along a mode, and not the read.
static bool check(struct reads *r, const struct pair *p) {
    for (int m = 0; m < lay_tuple_leaves(p->a->view->base->layout.shape); ++m)
        if (left_beside(r, p, m)) return true;
    return alike_by(r, p);
}

bool beside(struct reads *r, const struct tensor *t) {
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        if (a->view->base != t || a->write || !lay_valid(a->view->coord)) continue;
        struct flow flow = flow_of(r, a);
        if (left_alone(r, a, &flow)) return true;
        if (pairs_any(r, a, &flow, check)) return true;
    }
    return false;
}
