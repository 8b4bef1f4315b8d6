// The accesses of a kernel by tensor, and whether they have all of a mode.
#include "pass/lint/reads.h"

#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "plan/view.h"

enum { MOST_EMPTY = 32 };

// -- accesses -------------------------------------------------------------------------------------

static void add(struct reads *r, const struct view *v, const struct copy *copy,
                const struct plan_call *call, bool write) {
    if (r->n == MOST_READS) {
        r->more = true;
        return;
    }
    r->at[r->n++] = (struct access){v, copy, call, r->around, write};
}

static void add_copy(struct reads *r, const struct copy *c) {
    add(r, &c->src, c, NULL, false);
    add(r, &c->dst, c, NULL, true);
}

static void gather(struct reads *r, const struct stmt *list) {
    for (const struct stmt *st = list; st; st = st->next) {
        if (stmt_nests(st)) {
            r->around.stmt[r->around.n++] = st;
            gather(r, st->body);
            --r->around.n;
        }
        if (st->kind == STMT_COPY) add_copy(r, st->copy);
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            add(r, &st->call->view[i], NULL, st->call, st->call->fn->formal[i].dir == ARG_OUT);
    }
}

bool reads_count(const struct access *a, const struct tensor *t, enum dir dir) {
    return a->view->base == t && (dir == ARG_INOUT || a->write == (dir == ARG_OUT));
}

// -- one mode of one tensor -----------------------------------------------------------------------

// The instances of "a" by their coordinates; false: there are too many, or they are ordered.
static bool all_modes(struct reads *r, const struct access *a, struct prove_set *out) {
    struct session *s = r->s;
    struct instances *x = ARENA_NEW(&s->arena, struct instances);
    struct prove_set set;
    if (a->copy) {
        set = instances_access(s, r->k, &a->around, a->copy, !a->write, true, x);
    } else {
        instances_begin(s, r->k, &a->around, true, x);
        instances_of(x, NULL, a->view);
        set = instances_settled(x, &a->around, a->view);
    }
    *out = set;
    return !x->full && !set.time;
}

// The coordinates along "mode" where those along some other modes are in bounds: NULL where there is none.
struct slice {
    int mode, rank;
    const struct ix **lo, **hi;
};

// .. by those of "only".
static bool along_mode(struct reads *r, const struct access *a, const struct slice *only,
                       struct prove_set *out) {
    struct session *s = r->s;
    if (!all_modes(r, a, out)) return false;
    const struct ix **cond =
        ARENA_ARRAY(&s->arena, const struct ix *, out->nconds + 2 * only->rank + 1);
    int n = out->nconds;
    for (int i = 0; i < n; ++i) cond[i] = out->cond[i];
    for (int i = 0; i < only->rank; ++i) {
        if (!only->lo[i]) continue;
        cond[n++] = ix_sub(s, out->out[i], only->lo[i]);
        cond[n++] = ix_sub(s, only->hi[i], out->out[i]);
    }
    out->cond = cond;
    out->nconds = n;
    out->out += only->mode;
    out->nouts = 1;
    return true;
}

// A set that names all coordinates of "rank" modes from "begin" (NULL: 0) to below "end" where "cond" is at
// least 0: of mode "which" plus or minus its coordinate.
struct box {
    const struct ix *const *begin, *const *end;
    int rank;
};

static struct prove_set box_where(struct session *s, const struct box *b, const struct ix *cond,
                                  int which, int sign) {
    struct prove_var *var = ARENA_ARRAY(&s->arena, struct prove_var, b->rank);
    const struct ix **out = ARENA_ARRAY(&s->arena, const struct ix *, b->rank + 1);
    for (int i = 0; i < b->rank; ++i) {
        struct ix_var *v = ARENA_NEW(&s->arena, struct ix_var);
        *v = (struct ix_var){IX_NAMED, "e", "e", s->next_var++, lay_int(0), LAY_INT_INVALID};
        var[i] = (struct prove_var){v, b->begin ? b->begin[i] : ix_int(s, 0), b->end[i]};
        out[i] = ix_var(s, v);
    }
    if (sign) cond = ix_add(s, cond, ix_scale(s, out[which], lay_int(sign)));
    out[b->rank] = cond;
    return (struct prove_set){var, b->rank, out + b->rank, cond != NULL, out, b->rank, NULL};
}

// Adds to "set" what no question is about: params that are 0, and what the conditions of a case exclude.
// Returns how many sets there are, or -1: there is no room.
static int add_excluded(struct reads *r, const struct box *all, struct prove_set *set, int n) {
    struct session *s = r->s;
    const struct kernel *k = r->k;
    int room = n + MOST_EMPTY;
    for (int i = 0; i < k->nparams; ++i) {
        const struct lay_sym *y = k->param[i]->sym;
        if (y->lo >= 1) continue;
        if (n == room) return -1;
        const struct ix *none = ix_scale(s, ix_lay(s, lay_int_sym(&s->lay, y)), lay_int(-1));
        set[n++] = box_where(s, all, none, 0, 0);
    }
    for (int i = 0; i < k->nwhen; ++i) {
        const struct condition *w = &k->when[i];
        if (w->tensor) continue;
        if (n == room) return -1;
        const struct ix *rest = ix_mod(s, ix_lay(s, w->value), lay_int(w->by));
        set[n++] = box_where(s, all, ix_sub(s, rest, ix_int(s, 1)), 0, 0);
    }
    return n;
}

// The loop whose variable alone moves "a" along "mode" from the first element on, and by how much; or NULL.
static const struct ix_var *loop_of(struct reads *r, const struct access *a, int mode,
                                    int64_t *step) {
    struct mover m;
    int64_t from;
    const struct ix *first = a->view->coord_off[mode];
    if (!a->copy || a->view->limit || !coverage_outermost(r->s, r->k, &a->around, first, &m) ||
        !m.loop || !ix_static(m.begin, NULL))
        return NULL;
    first = ix_min(r->s, first);
    *step = m.step;
    return first && ix_static(first, &from) && from == 0 ? m.v : NULL;
}

static bool is_in_loop(const struct access *a, const struct ix_var *x) {
    for (int i = 0; i < a->around.n; ++i) {
        const struct stmt *st = a->around.stmt[i];
        if (st->var == x || (st->pipe && st->pipe->load_var == x)) return true;
    }
    return false;
}

bool reads_other_pass(struct reads *r, const struct access *a, const struct access *c, int mode) {
    int64_t by, to;
    if (!a || c == a || c->view->base != a->view->base) return false;
    const struct ix_var *x = loop_of(r, a, mode, &by), *y = loop_of(r, c, mode, &to);
    return x && y && by == to && !is_in_loop(a, y) && !is_in_loop(c, x);
}

static enum prove_answer whole(struct reads *r, const struct tensor *t, enum dir dir,
                               const struct slice *only, struct skipped skip, const struct ix *end,
                               struct prove_witness *found) {
    struct session *s = r->s;
    struct prove_set set[MOST_READS + MOST_EMPTY + 2];
    int n = 0;
    for (int i = 0; i < r->n; ++i)
        if (reads_count(&r->at[i], t, dir) &&
            !reads_other_pass(r, r->pass, &r->at[i], r->pass_mode) &&
            !along_mode(r, &r->at[i], only, &set[n++]))
            return PROVE_UNKNOWN;
    n = add_excluded(r, &(struct box){NULL, &end, 1}, set, n);
    if (n < 0) return PROVE_UNKNOWN;
    if (skip.end) set[n++] = box_where(s, &(struct box){&skip.begin, &skip.end, 1}, NULL, 0, 0);
    if (skip.from) set[n++] = box_where(s, &(struct box){&skip.from, &end, 1}, NULL, 0, 0);
    return prove_whole(r->prover, &end, 1, set, n, found);
}

enum prove_answer reads_whole(struct reads *r, const struct tensor *t, enum dir dir, int mode,
                              struct skipped skip, const struct ix *end,
                              struct prove_witness *found) {
    return whole(r, t, dir, &(struct slice){.mode = mode}, skip, end, found);
}

enum prove_answer reads_whole_pass(struct reads *r, const struct access *a, enum dir dir, int mode,
                                   const struct ix *end, struct prove_witness *found) {
    r->pass = a;
    r->pass_mode = mode;
    enum prove_answer answer =
        reads_whole(r, a->view->base, dir, mode, (struct skipped){0}, end, found);
    r->pass = NULL;
    return answer;
}

bool reads_stand(struct session *s, const struct view *v, int mode, const struct ix **lo,
                 const struct ix **hi) {
    const struct ix *at = v->coord_off[mode];
    if (!at || ix_depends_if(at, ix_is_block_or_loop)) return false;
    view_reach(s, v, mode, lo, hi);
    *lo = *lo ? ix_min(s, *lo) : NULL;
    *hi = *hi ? ix_max(s, *hi) : NULL;
    return *lo && *hi && ix_constant(*lo) && ix_constant(*hi);
}

enum prove_answer reads_beside(struct reads *r, const struct view *v, int mode, struct skipped skip,
                               const struct ix *end, struct prove_witness *found) {
    struct session *s = r->s;
    int rank = lay_tuple_leaves(v->base->layout.shape);
    struct slice only = {mode, rank, ARENA_ARRAY(&s->arena, const struct ix *, rank),
                         ARENA_ARRAY(&s->arena, const struct ix *, rank)};
    for (int i = 0; i < rank; ++i)
        if (i == mode || !reads_stand(s, v, i, &only.lo[i], &only.hi[i])) only.lo[i] = NULL;
    return whole(r, v->base, ARG_IN, &only, skip, end, found);
}

static bool is_in_any(const struct access *a, const struct stmt *const *loop, int n) {
    for (int i = 0; i < a->around.n; ++i)
        for (int j = 0; j < n; ++j)
            if (a->around.stmt[i] == loop[j]) return true;
    return false;
}

enum prove_answer reads_every(struct reads *r, const struct tensor *t, const struct view *v,
                              int mode, const struct stmt *const *but, int nbut,
                              struct prove_witness *found) {
    struct session *s = r->s;
    int rank = lay_tuple_leaves(t->layout.shape), n = 0;
    const struct ix **extent = ARENA_ARRAY(&s->arena, const struct ix *, rank + 1);
    struct prove_set set[MOST_READS + MOST_EMPTY + 2 * LAY_MAX_RANK];
    struct box all = {NULL, extent, rank};
    if (r->more || rank > LAY_MAX_RANK) return PROVE_UNKNOWN;
    for (int i = 0; i < rank; ++i) extent[i] = ix_lay(s, reads_extent(s, t, i));
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        if (!reads_count(a, t, ARG_IN) || is_in_any(a, but, nbut)) continue;
        if (!lay_valid(a->view->coord) || !all_modes(r, a, &set[n++])) return PROVE_UNKNOWN;
    }
    n = add_excluded(r, &all, set, n);
    for (int i = 0; i < rank && n >= 0 && v; ++i) {
        const struct ix *lo, *hi;
        if (i == mode || !reads_stand(s, v, i, &lo, &hi)) continue;
        set[n++] = box_where(s, &all, ix_sub(s, lo, ix_int(s, 1)), i, -1);
        set[n++] = box_where(s, &all, ix_scale(s, ix_add(s, hi, ix_int(s, 1)), lay_int(-1)), i, 1);
    }
    return n < 0 ? PROVE_UNKNOWN : prove_whole(r->prover, extent, rank, set, n, found);
}

void reads_note(struct reads *r, const struct tensor *t, int mode, const struct access *a,
                bool pass, const struct prove_witness *found) {
    struct session *s = r->s;
    diag_note(s, a->view->at, "%scoordinate %lld of '%s' along %s is never %s%s",
              instances_params(s, r->plan, r->k, found), (long long)found->out[0], t->name,
              view_mode_text(s, t, mode), a->write ? "written" : "read",
              pass ? " in these steps" : "");
}

// -- what has to be read --------------------------------------------------------------------------

// Whether what "k" writes is complete by itself, so that it reads what it needs.
static bool is_bounded(const struct reads *r, const struct access *a) {
    const struct formal *f = a->copy ? kernel_formal(r->k, a->copy->dst.base) : NULL;
    return f && f->tensor->space == MEM_GLOBAL;
}

bool reads_unrelated(struct session *s, struct lay_int a, struct lay_int b) {
    struct lay_int rate = lay_int_div(&s->lay, a, b);
    lay_clear_error(&s->lay);
    return !lay_int_valid(rate) || rate.nsyms > 0;
}

bool reads_rounded_up(struct lay_int n) {
    return n.nsyms == 1 && !n.syms[0]->name && !n.syms[0]->sum && n.num == 1 && n.den == 1;
}

bool reads_equal(struct reads *r, const struct ix *n, const struct ix *m) {
    if (ix_equal(n, m)) return true;
    bool sum = (n->op == IX_SUM && n->nterms > 1) != (m->op == IX_SUM && m->nterms > 1);
    return sum && prove_at_least(r->prover, n, m) == PROVE_YES &&
           prove_at_least(r->prover, m, n) == PROVE_YES;
}

struct lay_int reads_extent(struct session *s, const struct tensor *t, int mode) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, t->layout.shape);
    return lay_is_leaf(flat) ? flat->leaf : flat->kid[mode]->leaf;
}

// The only block or step on which "at" depends, if a param says how many there are; or NULL.
static const struct ix_var *counted(const struct reads *r, const struct access *a,
                                    const struct ix *at) {
    const struct ix_var *found = NULL;
    for (int i = 0; i < 3 + a->around.n; ++i) {
        const struct stmt *st = i < 3 ? NULL : a->around.stmt[i - 3];
        const struct ix_var *x = st ? st->var : r->k->block[i];
        if (!x || !ix_depends_on(at, x)) continue;
        if (found || (st ? ix_static(st->end, NULL) : lay_int_static(r->k->grid[i]))) return NULL;
        found = x;
    }
    return found;
}

bool reads_with_more(struct reads *r, const struct access *a, int mode, const struct ix *end) {
    enum { MOST = 256 };
    const struct ix *at = instances_step(r->s, &a->around, a->view->coord_off[mode]);
    const struct ix_var *x = at ? counted(r, a, at) : NULL;
    int64_t n, tile = view_along(r->s, a->view, mode);
    bool read[MOST] = {false};
    if (!x || !ix_static(end, &n) || n > MOST) return false;
    for (int i = 0; i < 2 * MOST; ++i) {
        const struct ix *e = ix_substitute(r->s, at, x, ix_int(r->s, i));
        int64_t from;
        if (!e || !ix_static(e, &from)) return false;
        for (int64_t j = from < 0 ? 0 : from; j < from + tile && j < n; ++j) read[j] = true;
    }
    bool all = true;
    for (int64_t j = 0; j < n; ++j) all &= read[j];
    return all;
}

// Whether formal "i" is an `inout` tensor that is not written completely.
static bool is_partial(struct reads *r, int i) {
    const struct tensor *t = r->k->formal[i].tensor;
    struct prove_witness found;
    if (r->part[i]) return r->part[i] > 0;
    r->part[i] = -1;
    if (r->k->formal[i].dir != ARG_INOUT || t->space != MEM_GLOBAL) return false;
    for (int m = 0; m < lay_tuple_leaves(t->layout.shape) && r->part[i] < 0; ++m) {
        const struct ix *end = ix_lay(r->s, reads_extent(r->s, t, m));
        if (!end || reads_whole(r, t, ARG_OUT, m, (struct skipped){0}, end, &found) != PROVE_YES)
            r->part[i] = 1;
    }
    return r->part[i] > 0;
}

// Whether "m", of "a", moves an access to "t": as the step of "load" or of "use".
static bool moves(const struct reads *r, const struct access *a, const struct mover *m,
                  const struct tensor *t) {
    const struct ix_var *x = m->v, *y = m->v;
    for (int i = 0; i < a->around.n; ++i) {
        const struct stmt *st = a->around.stmt[i];
        if (!st->pipe || (st->var != m->v && st->pipe->load_var != m->v)) continue;
        x = st->var;
        y = st->pipe->load_var;
    }
    for (int i = 0; i < r->n; ++i)
        if (r->at[i].view->base == t &&
            (view_depends(r->at[i].view, x) || view_depends(r->at[i].view, y)))
            return true;
    return false;
}

// Whether a part of a tensor is updated, so that nobody knows how much has to be read of "a" along a
// mode of "extent" elements.  A sum over a mode that the tensor does not have, or in steps "m" that do
// not move it, needs all of it.
static bool writes_parts(struct reads *r, const struct access *a, struct lay_int extent,
                         const struct mover *m) {
    for (int i = 0; i < r->k->nformals; ++i) {
        const struct tensor *t = r->k->formal[i].tensor;
        if (!is_partial(r, i) || (m && !moves(r, a, m, t))) continue;
        for (int m = 0; m < lay_tuple_leaves(t->layout.shape); ++m)
            if (!reads_unrelated(r->s, extent, reads_extent(r->s, t, m))) return true;
    }
    return false;
}

bool reads_all(struct reads *r, const struct access *a, int mode, const struct mover *m) {
    const struct tensor *t = a->view->base;
    return t->space == MEM_GLOBAL && !r->k->device && !is_bounded(r, a) &&
           !writes_parts(r, a, reads_extent(r->s, t, mode), m);
}

const struct ix *reads_end(struct session *s, const struct view *v, int mode) {
    const struct ix *limit = view_limit(s, v, mode);
    if (!v->limit || !limit || ix_constant(limit)) return limit;
    if (v->range_of_range) return NULL;
    return view_limit(s, &(struct view){.base = v->base}, mode);
}

bool reads_written(struct reads *r, const struct tensor *t) {
    struct session *s = r->s;
    int rank = lay_tuple_leaves(t->layout.shape), n = 0;
    const struct ix **extent = ARENA_ARRAY(&s->arena, const struct ix *, rank + 1);
    struct prove_set set[MOST_READS];
    struct prove_witness found;
    for (int i = 0; i < rank; ++i) extent[i] = ix_lay(s, reads_extent(s, t, i));
    for (int i = 0; i < r->n; ++i) {
        if (r->at[i].view->base != t) continue;
        if (!r->at[i].write || !lay_valid(r->at[i].view->coord)) return false;
        if (!all_modes(r, &r->at[i], &set[n++])) return false;
    }
    return n && !r->more && prove_whole(r->prover, extent, rank, set, n, &found) == PROVE_YES;
}

struct reads *reads_of(struct lint *l) {
    struct session *s = l->s;
    struct reads *r = ARENA_ROOM(&s->arena, struct reads, 1);
    memset(r, 0, offsetof(struct reads, at));
    r->s = s;
    r->plan = l->p;
    r->k = l->k;
    r->prover = lint_prover(l);
    r->part = ARENA_ARRAY(&s->arena, signed char, l->k->nformals + 1);
    if (!l->k->planned) gather(r, l->k->body);
    for (int i = 0; i < l->k->nwanted; ++i) add_copy(r, &l->k->wanted[i]);
    return r;
}
