// Copies and fills of parts of shared memory that nobody reads: other parts are read, or all of it is
// written again first.  Each element is looked at by itself; dead_copy.c sees whole buffers.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/lint/dead.h"
#include "pass/walk.h"
#include "plan/view.h"

static void add(struct dead_list *x, const struct stmt *st, const struct view *v, bool read,
                bool write) {
    if (v->base != x->t) return;
    if (x->n == DEAD_ACCESSES || !lay_valid(v->coord)) {
        x->more = true;
        return;
    }
    x->at[x->n++] = (struct dead_access){st, v, x->around, read, write};
}

static void gather(struct dead_list *x, const struct stmt *list) {
    for (const struct stmt *st = list; st; st = st->next) {
        if (stmt_nests(st)) {
            x->around.stmt[x->around.n++] = st;
            gather(x, st->body);
            --x->around.n;
        }
        if (st->kind == STMT_COPY) {
            add(x, st, &st->copy->src, true, false);
            add(x, st, &st->copy->dst, false, true);
        }
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i) {
            enum dir dir = st->call->fn->formal[i].dir;
            add(x, st, &st->call->view[i], !st->call->fill, st->call->fill && dir != ARG_IN);
        }
    }
}

// The elements of "a" in all iterations; NULL: they are not known.
static const struct prove_set *set_of(struct dead_list *x, struct dead_access *a) {
    struct session *s = x->l->s;
    if (!a->tried) {
        struct instances *in = ARENA_NEW(&s->arena, struct instances);
        a->tried = true;
        if (a->stmt->kind == STMT_COPY) {
            a->set = instances_access(s, x->l->k, &a->around, a->stmt->copy, a->read, false, in);
        } else {
            instances_begin(s, x->l->k, &a->around, false, in);
            instances_of(in, NULL, a->view);
            a->set = instances_settled(in, &a->around, a->view);
        }
        a->full = in->full;
    }
    return a->full ? NULL : &a->set;
}

static bool is_apart(struct dead_list *x, struct dead_access *w, struct dead_access *r) {
    const struct prove_set *a = set_of(x, w), *b = set_of(x, r);
    struct prove_witness found;
    return a && b && prove_apart(lint_prover(x->l), a, b, 0, 0, &found) == PROVE_YES;
}

static const struct stmt *outermost(const struct stmt *st) {
    while (st->up) st = st->up;
    return st;
}

static bool is_in(const struct stmt *st, const struct stmt *outer) {
    while (st && st != outer) st = st->up;
    return st != NULL;
}

// Whether "a" and "b" are the same elements in each step, neither with guards.
static bool same_place(const struct dead_access *a, const struct dead_access *b) {
    const struct view *v = a->view, *w = b->view;
    bool same = lay_equal(v->coord, w->coord) && !v->limit && !w->limit && !v->overhang &&
                !w->overhang && a->stmt->kind == STMT_COPY &&
                (!a->stmt->copy->facts.npred || a->stmt->copy->pad);
    for (int i = 0; same && i < lay_tuple_leaves(v->base->layout.shape); ++i)
        same = ix_equal(v->coord_off[i], w->coord_off[i]);
    return same;
}

// Whether "r", in a loop that "w" is not in, reads only what a copy before it in the same step wrote.
static bool reads_own(struct dead_list *x, const struct dead_access *w,
                      const struct dead_access *r) {
    const struct stmt *up = r->stmt->up;
    if (!up || !stmt_loops(up) || is_in(w->stmt, up)) return false;
    for (const struct stmt *st = up->body; st != r->stmt; st = st->next)
        for (int i = 0; i < x->n; ++i)
            if (x->at[i].write && !x->at[i].read && x->at[i].stmt == st && same_place(&x->at[i], r))
                return true;
    return false;
}

// Whether all that "r" reads is written between "w", which is in no loop, and the statement of "r".
static bool written_between(struct dead_list *x, const struct dead_access *w,
                            struct dead_access *r) {
    struct prove_write between[DEAD_ACCESSES];
    struct prove_witness found;
    int n = 0;
    if (w->stmt->up) return false;
    for (const struct stmt *st = w->stmt->next; st && st != outermost(r->stmt); st = st->next)
        for (int i = 0; i < x->n; ++i) {
            struct dead_access *a = &x->at[i];
            const struct prove_set *set =
                a->write && !a->read && is_in(a->stmt, st) ? set_of(x, a) : NULL;
            if (set) between[n++] = (struct prove_write){set, 0, 0, true};
        }
    const struct prove_set *read = n ? set_of(x, r) : NULL;
    return read && prove_written(lint_prover(x->l), read, between, n, &found) == PROVE_YES;
}

// Whether what "w" writes is never read afterwards, in this iteration or in a later one.  With "over",
// reads of what is written over by then do not count.
static bool is_unread(struct dead_list *x, struct dead_access *w, bool over) {
    const struct stmt *first = w->stmt->up ? outermost(w->stmt) : w->stmt->next;
    bool any = false;
    for (int i = 0; i < x->n; ++i) {
        struct dead_access *r = &x->at[i];
        if (!r->read) continue;
        any = true;
        bool later = false;
        for (const struct stmt *st = first; st && !later; st = st->next) later = is_in(r->stmt, st);
        if (!later || is_apart(x, w, r)) continue;
        if (!over || (!reads_own(x, w, r) && !written_between(x, w, r))) return false;
    }
    return any;
}

// The last of the statements after "w", in the same list, that write all of it again before one reads
// of it; NULL: there are none.
static const struct stmt *written_again(struct dead_list *x, struct dead_access *w) {
    struct prove_write again[DEAD_ACCESSES];
    struct prove_witness found;
    int n = 0;
    for (const struct stmt *st = w->stmt->next; st; st = st->next) {
        bool writes = false;
        for (int i = 0; i < x->n; ++i)
            if (x->at[i].read && is_in(x->at[i].stmt, st) && !is_apart(x, w, &x->at[i]))
                return NULL;
        for (int i = 0; i < x->n; ++i) {
            struct dead_access *a = &x->at[i];
            const struct prove_set *set = a->write && is_in(a->stmt, st) ? set_of(x, a) : NULL;
            if (!set) continue;
            again[n++] = (struct prove_write){set, 0, 0, true};
            writes = true;
        }
        if (writes && prove_written(lint_prover(x->l), set_of(x, w), again, n, &found) == PROVE_YES)
            return st;
    }
    return NULL;
}

// Whether "v" is all of its buffer.
static bool is_all(struct session *s, const struct view *v) {
    struct lay_int all = lay_size(&s->lay, v->base->layout), part = lay_size(&s->lay, v->layout);
    lay_clear_error(&s->lay);
    return lay_int_valid(part) && lay_int_equal(all, part) && !v->limit && !v->overhang;
}

static bool is_of_pipeline(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        for (int i = 0; st->kind == STMT_PIPELINE && i < st->pipe->ntensors; ++i)
            if (st->pipe->tensor[i] == t) return true;
    return false;
}

// The first and the last coordinate along "mode" that "v" can have in any step; false: not known.
static bool reach_of(struct session *s, const struct view *v, int mode, int64_t *from,
                     int64_t *to) {
    const struct ix *lo = NULL, *hi = NULL;
    if (v->coord_off[mode]) view_reach(s, v, mode, &lo, &hi);
    lo = lo ? ix_min(s, lo) : NULL;
    hi = hi ? ix_max(s, hi) : NULL;
    return lo && hi && ix_static(lo, from) && ix_static(hi, to);
}

// Whether "r" takes tile after tile along "mode" from "first" on, of which "left" elements are a whole number.
static bool is_by_tiles(struct dead_list *x, const struct dead_access *r, int mode, int64_t first,
                        int64_t left) {
    const struct view *v = r->view;
    const struct ix *lo, *hi;
    struct mover m;
    int64_t from, span;
    if (!coverage_outermost(x->l->s, x->l->k, &r->around, v->coord_off[mode], &m) || !m.loop)
        return false;
    view_reach(x->l->s, v, mode, &lo, &hi);
    const struct ix *more = lo && hi ? ix_sub(x->l->s, hi, lo) : NULL;
    return more && ix_static(more, &span) && span + 1 == m.step && ix_static(m.begin, &from) &&
           from * m.step == first && left % m.step == 0;
}

// Whether "c" has a source with as many elements as its destination, for some size: it always has no
// guards, or guards by params that may be as large.
static bool is_full(const struct copy *c, int64_t n) {
    for (int i = 0; i < c->facts.npred; ++i) {
        const struct ix *limit = c->facts.pred[i].limit;
        if (!limit || ix_static(limit, NULL) || limit->hi < n) return false;
    }
    return true;
}

// Whether the copy "a" writes to the buffer from its beginning to its end along "mode", perhaps warp by warp.
static bool writes_all(struct dead_list *x, const struct dead_access *a, int mode, int64_t n) {
    struct session *s = x->l->s;
    const struct ix *at = a->view->coord_off[mode], *lo, *hi, *more;
    int64_t from, to, span;
    if (!a->write || a->stmt->kind != STMT_COPY || !reach_of(s, a->view, mode, &from, &to) ||
        from != 0 || to != n - 1)
        return false;
    view_reach(s, a->view, mode, &lo, &hi);
    if (ix_constant(at)) return true;
    if (!x->l->k->warp || !lo || !hi || !ix_static(ix_sub(s, hi, lo), &span)) return false;
    more = ix_sub(s, at, ix_scale(s, ix_var(s, x->l->k->warp), lay_int(span + 1)));
    return more && ix_constant(more);
}

// The outermost statement that writes all of the buffer again after "w", which is in no loop; NULL: none does.
static const struct stmt *next_all(struct dead_list *x, const struct dead_access *w) {
    for (const struct stmt *st = w->stmt->up ? NULL : w->stmt->next; st; st = st->next)
        for (int i = 0; i < x->n; ++i)
            if (x->at[i].stmt == st && x->at[i].write && !x->at[i].read && st->kind == STMT_COPY &&
                is_all(x->l->s, x->at[i].view) && (!st->copy->facts.npred || st->copy->pad))
                return st;
    return NULL;
}

// Whether "r" may read what "w" wrote, which is written again by the outermost statement "again" (or NULL).
static bool may_see(const struct dead_access *w, const struct dead_access *r,
                    const struct stmt *again) {
    if (!r->read) return false;
    if (!again) return true;
    for (const struct stmt *st = w->stmt->next; st; st = st->next) {
        if (is_in(r->stmt, st)) return true;
        if (st == again) return false;
    }
    return false;
}

// Warns of the copy "all", which writes "n" elements along "mode", if the reads of them together leave out
// half or more, or the first or last tiles of an input.  Less may be left out where copies are made wider.
static bool half_unread(struct dead_list *x, const struct dead_access *all, int mode, int64_t n) {
    struct session *s = x->l->s;
    const struct stmt *again = next_all(x, all);
    const struct dead_access *shown = NULL;
    const struct copy *c = all->stmt->copy;
    int64_t first = n, last = -1, from, to;
    for (int i = 0; i < x->n; ++i) {
        const struct dead_access *a = &x->at[i];
        if (!may_see(all, a, again)) continue;
        if (!reach_of(s, a->view, mode, &from, &to)) return false;
        if (from < first) first = from;
        if (to > last) last = to;
        if (!shown) shown = a;
    }
    if (first < 0 || last < first) return false;
    int64_t left = n - (last + 1 - first);
    bool ends = left > 0 && (first == 0 || last == n - 1) && c->src.base->space == MEM_GLOBAL &&
                is_full(c, n);
    for (int i = 0; i < x->n; ++i)
        ends &= !may_see(all, &x->at[i], again) || is_by_tiles(x, &x->at[i], mode, first, left);
    if (2 * (last + 1 - first) > n && !ends) return false;
    const char *along = view_mode_text(s, x->t, mode);
    diag_warn(s, W_DEAD_COPY, all->stmt->at,
              "%s writes %s to '%s' along %s, and nothing reads others than %" PRId64
              " .. %" PRId64,
              copy_name(s, all->stmt->copy), arena_count(&s->arena, n, "element"), x->t->name,
              along, first, last + 1);
    diag_note(s, shown->view->at, "'%s' is read here", x->t->name);
    return true;
}

static void halves_unread(struct dead_list *x) {
    struct session *s = x->l->s;
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, x->t->layout.shape);
    int rank = lay_tuple_leaves(flat) - is_of_pipeline(x->l->k, x->t);
    for (int m = 0; m < rank; ++m) {
        struct lay_int n = lay_is_leaf(flat) ? flat->leaf : lay_tuple_get(&s->lay, flat, m)->leaf;
        for (int i = 0; i < x->n && lay_int_static(n); ++i)
            if (writes_all(x, &x->at[i], m, n.num) && half_unread(x, &x->at[i], m, n.num)) return;
    }
}

void dead_parts(struct lint *l, const struct tensor *t) {
    struct session *s = l->s;
    struct dead_list x = {.l = l, .t = t};
    bool parts = false;
    if (!space_is_shared(t->space) || t->outside || fixed_tile_known(s, l->k, t)) return;
    gather(&x, l->k->body);
    int before = s->diags.nwarnings + s->diags.nerrors;
    if (!x.more) halves_unread(&x);
    if (!x.more && s->diags.nwarnings + s->diags.nerrors == before && dead_gaps(&x)) return;
    if (is_of_pipeline(l->k, t)) return;
    for (int i = 0; i < x.n; ++i) parts |= !is_all(s, x.at[i].view);
    if (x.more || !parts) return;
    before = s->diags.nwarnings + s->diags.nerrors;
    for (int i = 0; i < x.n; ++i) {
        struct dead_access *w = &x.at[i];
        const struct stmt *st = w->stmt, *again;
        if (!w->write || w->read || dead_copy_known(s, l->k, st)) continue;
        const char *what = st->kind == STMT_COPY ? copy_name(s, st->copy) : "this 'fill'";
        if (is_unread(&x, w, false)) {
            diag_warn(s, W_DEAD_COPY, st->at,
                      "%s writes to a part of '%s' that nothing reads after it", what, t->name);
        } else if ((again = written_again(&x, w))) {
            diag_warn(
                s, W_DEAD_COPY, st->at,
                "%s writes to a part of '%s', and nothing reads it before all of that part is "
                "written again",
                what, t->name);
            diag_note(s, again->at, "the last of it is written here");
        } else if (is_unread(&x, w, true)) {
            diag_warn(s, W_DEAD_COPY, st->at,
                      "%s writes to a part of '%s', and all that is read there later was written "
                      "after it",
                      what, t->name);
        }
    }
    if (s->diags.nwarnings + s->diags.nerrors == before) dead_slots(&x);
}
