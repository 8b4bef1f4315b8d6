// Blocks that share the steps of a loop: those of a block begin where those of the block before end.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"
#include "plan/bind.h"
#include "plan/view.h"

// A loop of which each block of an axis takes a part of the steps, and what holds at some size.
struct share {
    const struct stmt *loop;
    const struct ix_var *x;
    struct lay_int n;
    const int64_t *sym;  // values of params
};

static bool is_quotient(const struct ix *e, const void *x) {
    return e->op == IX_DIV && ix_depends_on(e->a, (const struct ix_var *)x);
}

// Whether "x" moves nothing but outputs and the bounds of loops.
static bool moves_only_bounds(const struct reads *r, const struct ix_var *x) {
    for (int i = 0; i < r->n; ++i)
        if (!(r->at[i].write && r->at[i].view->base->space == MEM_GLOBAL) &&
            view_depends(r->at[i].view, x))
            return false;
    for (const struct stmt *st = r->k->body; st; st = stmt_next(r->k->body, st))
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nindexes; ++i)
            if (ix_depends_on(st->call->index[i], x)) return false;
    return true;
}

// The only loop whose bounds depend on "x"; or NULL.
static const struct stmt *loop_of(const struct kernel *k, const struct ix_var *x) {
    const struct stmt *found = NULL;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (!stmt_loops(st) || (!ix_depends_on(st->begin, x) && !ix_depends_on(st->end, x)))
            continue;
        if (found) return NULL;
        found = st;
    }
    return found;
}

const struct ix *reads_step_by(struct session *s, const struct ix *e, const struct ix_var *x) {
    const struct ix *next = ix_substitute(s, e, x, ix_add(s, ix_var(s, x), ix_int(s, 1)));
    return next ? ix_sub(s, next, e) : NULL;
}

// A part of a size: "x*T/S".  "x/32" is another index.
struct dividend {
    struct session *s;
    const struct ix_var *x;
};

static bool is_part(const struct ix *e, const void *of) {
    const struct dividend *d = of;
    const struct ix *by = is_quotient(e, d->x) ? reads_step_by(d->s, e->a, d->x) : NULL;
    return by && ix_constant(by) && !ix_static(by, NULL);
}

// Whether blocks are apart by a number of elements, or of steps, that depends on params.
static bool is_apart(struct session *s, const struct ix *e, const struct ix_var *x) {
    const struct ix *by = reads_step_by(s, e, x);
    return by && !ix_static(by, NULL) &&
           (ix_constant(by) || ix_has(e, is_part, &(struct dividend){s, x}));
}

// Whether its bounds are shares: both depend on the block, or one does and is a quotient, or a part of a size apart.
static bool is_shared(struct session *s, const struct share *h) {
    const struct ix *begin = h->loop->begin, *end = h->loop->end;
    return (ix_depends_on(begin, h->x) && ix_depends_on(end, h->x)) ||
           ix_has(begin, is_quotient, h->x) || ix_has(end, is_quotient, h->x) ||
           is_apart(s, begin, h->x) || is_apart(s, end, h->x);
}

// The value of "e" in block "at"; false: it is not known, or depends on more than that.
static bool value_of(struct session *s, const struct share *h, const struct ix *e, int64_t at,
                     int64_t *out) {
    e = ix_substitute(s, e, h->x, ix_int(s, at));
    return e && ix_constant(e) && ix_eval(e, &(struct ix_env){NULL, h->sym}, out);
}

// Warns if what the loop of "h" has in one block and in the next one does not meet.
static bool check_next(struct session *s, const struct share *h, int64_t blocks) {
    const struct ix *next =
        ix_substitute(s, h->loop->begin, h->x, ix_add(s, ix_var(s, h->x), ix_int(s, 1)));
    if (!next || ix_equal(next, h->loop->end)) return false;
    for (int64_t i = 0; i + 1 < blocks && i < 64; ++i) {
        int64_t end, begin;
        if (!value_of(s, h, h->loop->end, i, &end) || !value_of(s, h, next, i, &begin))
            return false;
        if (begin == end) continue;
        diag_warn(s, W_UNREAD, h->loop->end_at,
                  "the blocks of '%s' share the steps of '%s', and %s: they end at %s, and those "
                  "of the next block begin at %s",
                  h->x->name, h->loop->var->name,
                  begin > end ? "some belong to none" : "some belong to several",
                  ix_text(s, h->loop->end), ix_text(s, next));
        if (ix_equal(h->loop->begin, h->loop->end))
            diag_note(s, h->loop->end_at,
                      "this loop ends where it begins, and has no step in any block");
        return true;
    }
    return false;
}

// Warns if the first of the blocks does not begin at 0, of a tensor that is read nowhere else.
static bool check_first(struct session *s, const struct share *h) {
    int64_t from;
    if (!value_of(s, h, h->loop->begin, 0, &from) || from <= 0) return false;
    diag_warn(s, W_UNREAD, h->loop->end_at,
              "the blocks of '%s' share the steps of '%s', and the first of them begins at %lld: "
              "no block takes those before",
              h->x->name, h->loop->var->name, (long long)from);
    return true;
}

// Whether the steps of the loop of "h" move "v".
static bool reads_step(const struct share *h, const struct view *v) {
    const struct pipeline *p = h->loop->pipe;
    return view_depends(v, h->loop->var) || (p && p->load_var && view_depends(v, p->load_var));
}

static bool is_step(const struct stmt *loop, const struct ix_var *v) {
    return loop->var == v || (loop->pipe && loop->pipe->load_var == v);
}

// Whether the loop of "h" is the only one that reads what it reads of global memory, and sums it: copies to global
// memory say themselves what they write.
static bool sums_alone(const struct reads *r, const struct share *h) {
    bool moved = false;
    for (int i = 0; i < r->n; ++i) {
        const struct access *a = &r->at[i];
        bool inside = false;
        if (a->write || a->view->base->space != MEM_GLOBAL) continue;
        for (int j = 0; j < a->around.n; ++j) inside |= a->around.stmt[j] == h->loop;
        moved |= inside && reads_step(h, a->view);
        if (!inside || (a->copy && a->copy->dst.base->space == MEM_GLOBAL)) return false;
    }
    return moved;
}

// The elements along a mode that the steps of a loop read in one block of an axis, "begin" to below "end".
struct stretch {
    const struct access *a;
    int mode;
    struct share of;
    const struct ix *begin, *end;
};

static bool is_of_block(struct session *s, const struct ix *e, const struct ix_var *x) {
    const struct ix *first = e ? ix_substitute(s, e, x, ix_int(s, 0)) : NULL;
    return first && ix_constant(first);
}

// Sets "out" to what the steps of "loop" read along "mode" of "a" in a block of "x", if these share the steps.
static bool stretch_of(const struct reads *r, const struct access *a, const struct stmt *loop,
                       const struct ix_var *x, int mode, struct stretch *out) {
    struct session *s = r->s;
    const struct ix *at = instances_step(s, &a->around, a->view->coord_off[mode]), *lo, *hi;
    int64_t one, tile;
    if (!at || !ix_depends_on(at, loop->var)) return false;
    const struct ix *each = reads_step_by(s, at, loop->var);
    view_reach(s, a->view, mode, &lo, &hi);
    const struct ix *span = lo && hi ? ix_sub(s, hi, lo) : NULL;
    if (!each || !ix_static(each, &one) || !span || !ix_static(span, &tile) || tile >= one)
        return false;
    *out = (struct stretch){.a = a, .mode = mode, .of = {.loop = loop, .x = x}};
    out->begin = ix_substitute(s, at, loop->var, loop->begin);
    out->end = ix_substitute(s, at, loop->var, loop->end);
    return is_of_block(s, out->begin, x) && is_of_block(s, out->end, x) &&
           (is_apart(s, out->begin, x) ||
            (is_apart(s, loop->begin, x) && is_apart(s, loop->end, x)));
}

// Whether at some sizes a block of "h" ends where the next one does not begin, and both are inside of the tensor.
static bool is_torn(struct reads *r, const struct stretch *h) {
    struct session *s = r->s;
    const struct ix *limit = view_limit(s, h->a->view, h->mode);
    for (int choice = 1; choice <= 2; ++choice) {
        struct share of = h->of;
        int64_t blocks, end, begin, most;
        of.sym = plan_choose_when(s, r->plan, NULL, r->k->when, r->k->nwhen, choice);
        if (!of.sym || !limit || !value_of(s, &of, limit, 0, &most) ||
            !value_of(s, &of, ix_lay(s, of.n), 0, &blocks))
            continue;
        for (int64_t i = 0; i + 1 < blocks && i < 64; ++i) {
            if (!value_of(s, &of, h->end, i, &end) || !value_of(s, &of, h->begin, i + 1, &begin))
                break;
            if ((end < most ? end : most) != (begin < most ? begin : most)) return true;
        }
    }
    return false;
}

// Whether all reads of the tensor of "h" are where its access is.
static bool is_only_read(const struct reads *r, const struct stretch *h) {
    for (int i = 0; i < r->n; ++i)
        if (reads_count(&r->at[i], h->a->view->base, ARG_IN) &&
            !ix_equal(r->at[i].view->coord_off[h->mode], h->a->view->coord_off[h->mode]))
            return false;
    return true;
}

// Whether "to" is less than "limit" at some sizes; a product of params is looked at by numbers.
static bool is_short(struct reads *r, const struct stretch *h, const struct ix *to,
                     const struct ix *limit) {
    struct session *s = r->s;
    if (coverage_short(r->prover, to, limit)) return true;
    for (int choice = 0; choice <= 2; ++choice) {
        struct share of = h->of;
        int64_t at, end;
        of.sym = plan_choose_when(s, r->plan, NULL, r->k->when, r->k->nwhen, choice);
        if (of.sym && value_of(s, &of, to, 0, &at) && value_of(s, &of, limit, 0, &end) && at < end)
            return true;
    }
    return false;
}

// Warns if the blocks together do not begin and end where the tensor does.
static bool check_ends(struct reads *r, const struct stretch *h) {
    struct session *s = r->s;
    const struct view *v = h->a->view;
    const struct ix *limit = reads_end(s, v, h->mode), *one = ix_int(s, 1);
    const struct ix *last = ix_sub(s, ix_lay(s, h->of.n), one);
    if (!limit || !last || !is_only_read(r, h)) return false;
    const struct ix *first = ix_substitute(s, h->begin, h->of.x, ix_int(s, 0));
    const struct ix *from = ix_substitute(s, h->begin, h->of.x, last);
    const struct ix *to = ix_substitute(s, h->end, h->of.x, last);
    const char *what = view_mode_text(s, v->base, h->mode), *of = v->base->name;
    if (!first || !from || !to) return false;
    if (!v->limit && !ix_static(first, NULL) && prove_at_least(r->prover, first, one) == PROVE_YES)
        diag_warn(s, W_UNREAD, v->at,
                  "the blocks of '%s' share '%s' along %s, and the first of them begins at %s: "
                  "nothing reads what is before",
                  h->of.x->name, of, what, ix_text(s, first));
    else if (prove_at_least(r->prover, from, limit) == PROVE_YES)
        diag_warn(s, W_UNREAD, v->at,
                  "the blocks of '%s' share '%s' along %s, and the last of them begins at %s, "
                  "where it has ended: at %s",
                  h->of.x->name, of, what, ix_text(s, from), ix_text(s, limit));
    else if (!(is_apart(s, h->begin, h->of.x) && is_apart(s, h->of.loop->begin, h->of.x)) &&
             is_short(r, h, to, limit))
        diag_warn(s, W_UNREAD, v->at,
                  "the blocks of '%s' share '%s' along %s, and the last of them ends at %s: "
                  "nothing reads what is behind it, up to %s",
                  h->of.x->name, of, what, ix_text(s, to), ix_text(s, limit));
    else
        return false;
    diag_note(s, h->of.loop->end_at, "there are %s blocks, and each takes these steps",
              ix_text(s, ix_lay(s, h->of.n)));
    return true;
}

// Warns if the parts of the blocks of "h" leave gaps or overlap, or are not all of the tensor.
static bool check_stretch(struct reads *r, const struct stretch *h) {
    struct session *s = r->s;
    const struct view *v = h->a->view;
    const struct ix *apart = reads_step_by(s, h->begin, h->of.x),
                    *all = ix_sub(s, h->end, h->begin);
    if (ix_equal(ix_sub(s, h->begin, h->end), apart)) return false;  // from the last to the first
    bool same = ix_static(apart, NULL) || ix_equal(apart, all) || !ix_depends_on(h->end, h->of.x);
    if (same || !((ix_constant(apart) && ix_constant(all)) || is_torn(r, h)))
        return check_ends(r, h);
    if (ix_constant(apart))
        diag_warn(s, W_UNREAD, v->at,
                  "the blocks of '%s' are %s elements apart along %s of '%s', and the steps of "
                  "'%s' take %s",
                  h->of.x->name, ix_text(s, apart), view_mode_text(s, v->base, h->mode),
                  v->base->name, h->of.loop->var->name, ix_text(s, all));
    else
        diag_warn(s, W_UNREAD, v->at,
                  "the steps of '%s' end at %s along %s of '%s', and those of the next block of "
                  "'%s' do not always begin there: at %s",
                  h->of.loop->var->name, ix_text(s, h->end), view_mode_text(s, v->base, h->mode),
                  v->base->name, h->of.x->name, ix_text(s, ix_add(s, h->begin, apart)));
    diag_note(s, h->of.loop->end_at, "the steps end here");
    return true;
}

// The first of the blocks and loops that share what "a" reads along "mode", as a stretch; false: there are none.
static bool first_stretch(const struct reads *r, const struct access *a, int mode,
                          struct stretch *out) {
    for (int j = 0; j < a->around.n; ++j)
        for (int x = 0; x < 3; ++x) {
            const struct stmt *loop = a->around.stmt[j];
            if (!stmt_loops(loop) || !loop->var || !r->k->block[x] || !a->view->coord_off[mode] ||
                !stretch_of(r, a, loop, r->k->block[x], mode, out))
                continue;
            out->of.n = r->k->grid[x];
            return true;
        }
    return false;
}

static bool is_summed(const struct access *a) {
    return !a->write && a->copy && a->view->base->space == MEM_GLOBAL &&
           a->copy->dst.base->space != MEM_GLOBAL && lay_valid(a->view->coord);
}

static bool check_stretches(struct reads *r) {
    for (int i = 0; i < r->n && !r->more; ++i) {
        const struct access *a = &r->at[i];
        if (!is_summed(a)) continue;
        for (int m = 0; m < lay_tuple_leaves(a->view->base->layout.shape); ++m) {
            struct stretch h;
            if (first_stretch(r, a, m, &h) ? check_stretch(r, &h) : turns_overlap(r, a, m))
                return true;
        }
    }
    return false;
}

bool shares_note(struct reads *r, const struct access *a, const struct mover *m) {
    struct session *s = r->s;
    struct stretch h;
    for (int i = 0; i < r->n; ++i) {
        const struct access *c = &r->at[i];
        if (!is_summed(c)) continue;
        for (int j = 0; j < lay_tuple_leaves(c->view->base->layout.shape); ++j) {
            if (!first_stretch(r, c, j, &h) || !is_step(h.of.loop, m->v)) continue;
            diag_note(
                s, c->view->at,
                "the blocks of '%s' share the steps of '%s'%s: this is at %s along %s of '%s'",
                h.of.x->name, m->v->name, c == a ? "" : " elsewhere",
                ix_text(s, c->view->coord_off[j]), view_mode_text(s, c->view->base, j),
                c->view->base->name);
            return true;
        }
    }
    for (int x = 0; x < 3; ++x)
        if (m->loop && r->k->block[x] && view_depends(a->view, r->k->block[x]) &&
            lay_int_static(r->k->grid[x]))
            for (int j = 0; j < lay_tuple_leaves(a->view->base->layout.shape); ++j) {
                const struct ix *at = a->view->coord_off[j];
                if (!at || !ix_depends_on(at, r->k->block[x]) || !ix_depends_on(at, m->v)) continue;
                diag_note(s, a->view->at,
                          "each step moves the tiles of all %" PRId64
                          " blocks of '%s': by how many tiles should '%s' move them?",
                          r->k->grid[x].num, r->k->block[x]->name, m->v->name);
                return true;
            }
    return false;
}

// Warns of a loop that begins by the block of one axis, and ends by that of another one.
static void check_axes(struct session *s, const struct kernel *k, const struct stmt *loop) {
    for (int i = 0; i < 9; ++i) {
        const struct ix_var *x = k->block[i / 3], *y = k->block[i % 3];
        if (!x || !y || x == y || !ix_depends_on(loop->begin, x) || !ix_depends_on(loop->end, y) ||
            ix_depends_on(loop->begin, y) || ix_depends_on(loop->end, x))
            continue;
        diag_warn(
            s, W_UNREAD, loop->end_at,
            "the steps of '%s' begin where '%s' says, and end where '%s' says: is one of them "
            "meant for both?",
            loop->var->name, x->name, y->name);
        return;
    }
}

void lint_shares(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    bool told = false;
    for (const struct stmt *st = k->body; st && !k->device && !k->planned;
         st = stmt_next(k->body, st))
        if (stmt_loops(st) && st->var) check_axes(s, k, st);
    for (int i = 0; i < 3 && !k->device && !k->planned; ++i) {
        struct share h = {.x = k->block[i], .n = k->grid[i]};
        h.loop = h.x ? loop_of(k, h.x) : NULL;
        if (!h.loop || !h.loop->var || !is_shared(s, &h)) continue;
        struct reads *r = reads_of(l);
        if (r->more || !moves_only_bounds(r, h.x) || !sums_alone(r, &h)) continue;
        for (int choice = 1; choice <= 2; ++choice) {
            int64_t blocks;
            h.sym = plan_choose_when(s, l->p, NULL, k->when, k->nwhen, choice);
            if (!h.sym || !value_of(s, &h, ix_lay(s, h.n), 0, &blocks)) continue;
            if ((told |= check_next(s, &h, blocks) || check_first(s, &h))) break;
        }
    }
    if (!k->device && !k->planned && !told && !check_stretches(reads_of(l)) && !l->told)
        turns_apart(reads_of(l));
    lay_clear_error(&s->lay);
}
