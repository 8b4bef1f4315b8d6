// Blocks that share the steps of a loop: those of a block begin where those of the block before end.
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

// Whether its bounds are shares: both depend on the block, or one is a quotient that does.
static bool is_shared(const struct share *h) {
    const struct ix *begin = h->loop->begin, *end = h->loop->end;
    return (ix_depends_on(begin, h->x) && ix_depends_on(end, h->x)) ||
           ix_has(begin, is_quotient, h->x) || ix_has(end, is_quotient, h->x);
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

// How far "e" moves from one value of "x" to the next.
static const struct ix *step_by(struct session *s, const struct ix *e, const struct ix_var *x) {
    const struct ix *next = ix_substitute(s, e, x, ix_add(s, ix_var(s, x), ix_int(s, 1)));
    return next ? ix_sub(s, next, e) : NULL;
}

// Warns if the steps of "loop" do not take what is between two blocks of "x" along "mode" of the read "a".
static bool check_place(struct reads *r, const struct access *a, const struct stmt *loop,
                        const struct ix_var *x, int mode) {
    struct session *s = r->s;
    const struct ix *at = instances_step(s, &a->around, a->view->coord_off[mode]), *lo, *hi;
    int64_t from, one, tile;
    if (!at || !ix_depends_on(at, x) || !ix_depends_on(at, loop->var)) return false;
    const struct ix *apart = step_by(s, at, x), *each = step_by(s, at, loop->var);
    view_reach(s, a->view, mode, &lo, &hi);
    const struct ix *span = lo && hi ? ix_sub(s, hi, lo) : NULL;
    if (!apart || !each || !span || !ix_constant(apart) || ix_static(apart, NULL) ||
        !ix_static(each, &one) || !ix_static(span, &tile) || tile + 1 != one ||
        !ix_static(loop->begin, &from) || from != 0 || !ix_constant(loop->end))
        return false;
    const struct ix *all = ix_scale(s, loop->end, lay_int(one));
    if (!all || ix_equal(all, apart)) return false;
    diag_warn(s, W_UNREAD, a->view->at,
              "the blocks of '%s' are %s elements apart along %s of '%s', and the steps of '%s' "
              "take %s",
              x->name, ix_text(s, apart), view_mode_text(s, a->view->base, mode),
              a->view->base->name, loop->var->name, ix_text(s, all));
    diag_note(s, loop->end_at, "the steps end here");
    return true;
}

static bool check_places(struct reads *r) {
    for (int i = 0; i < r->n && !r->more; ++i) {
        const struct access *a = &r->at[i];
        if (a->write || !a->copy || a->view->base->space != MEM_GLOBAL ||
            a->copy->dst.base->space == MEM_GLOBAL || !lay_valid(a->view->coord))
            continue;
        for (int j = 0; j < a->around.n; ++j)
            for (int x = 0; x < 3; ++x)
                for (int m = 0; m < lay_tuple_leaves(a->view->base->layout.shape); ++m)
                    if (stmt_loops(a->around.stmt[j]) && a->around.stmt[j]->var && r->k->block[x] &&
                        a->view->coord_off[m] &&
                        check_place(r, a, a->around.stmt[j], r->k->block[x], m))
                        return true;
    }
    return false;
}

void lint_shares(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    if (!k->device && !k->planned && check_places(reads_of(l))) return;
    for (int i = 0; i < 3 && !k->device && !k->planned; ++i) {
        struct share h = {.x = k->block[i], .n = k->grid[i]};
        h.loop = h.x ? loop_of(k, h.x) : NULL;
        if (!h.loop || !h.loop->var || !is_shared(&h)) continue;
        struct reads *r = reads_of(l);
        if (r->more || !moves_only_bounds(r, h.x) || !sums_alone(r, &h)) continue;
        for (int choice = 1; choice <= 2; ++choice) {
            int64_t blocks;
            h.sym = plan_choose_when(s, l->p, NULL, k->when, k->nwhen, choice);
            if (!h.sym || !value_of(s, &h, ix_lay(s, h.n), 0, &blocks)) continue;
            if (check_next(s, &h, blocks) || check_first(s, &h)) break;
        }
    }
    lay_clear_error(&s->lay);
}
