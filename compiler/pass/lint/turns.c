// Blocks that take tiles side by side in each step of a loop: the next step begins before their end, or after it.
#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"
#include "plan/bind.h"
#include "plan/view.h"

// Blocks of "axis" that take tiles side by side, "one" element after the other, in each step of "loop", and the
// next step "next" elements further.
struct turns {
    const struct ix *at;
    int64_t one, next;
};

// .. of "a" along "mode"; false: it is not like that.
static bool turns_of(const struct reads *r, const struct access *a, const struct stmt *loop,
                     int axis, int mode, struct turns *out) {
    struct session *s = r->s;
    out->at = instances_step(s, &a->around, a->view->coord_off[mode]);
    const struct ix *by = out->at ? reads_step_by(s, out->at, r->k->block[axis]) : NULL,
                    *each = out->at ? reads_step_by(s, out->at, loop->var) : NULL;
    return by && each && ix_static(by, &out->one) && ix_static(each, &out->next) &&
           lay_int_static(r->k->grid[axis]) && out->one > 1;
}

// Warns if blocks of "axis" take tiles side by side in each step of "loop", and the next step begins before their end.
// Tiles of one element are windows: the taps of a filter.
static bool check_turns(struct reads *r, const struct access *a, const struct stmt *loop, int axis,
                        int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix_var *x = r->k->block[axis];
    struct lay_int n = r->k->grid[axis];
    struct turns turns;
    const struct ix *end;
    int64_t tile;
    if (!turns_of(r, a, loop, axis, mode, &turns) || turns.next <= turns.one ||
        n.num * turns.one <= turns.next || !coverage_reach(s, v, &a->around, mode, &end, &tile) ||
        tile != turns.one)
        return false;
    for (int i = 0; i < lay_tuple_leaves(v->base->layout.shape); ++i)
        if (i != mode && v->coord_off[i] && ix_depends_on(v->coord_off[i], x)) return false;
    diag_warn(s, W_UNREAD, v->at,
              "in each step the %" PRId64 " blocks of '%s' read %" PRId64
              " elements of '%s' along %s, and the next step of '%s' begins %" PRId64
              " further: some are read twice",
              n.num, x->name, n.num * turns.one, v->base->name, view_mode_text(s, v->base, mode),
              loop->var->name, turns.next);
    return true;
}

// Warns if each step of "loop" moves on by as many tiles as the loop has steps, where that is not how many tiles the blocks of
// "axis" take side by side: the factors of block and step are exchanged.
static bool check_factors(struct reads *r, const struct access *a, const struct stmt *loop,
                          int axis, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix_var *x = r->k->block[axis];
    const struct ix *at = instances_step(s, &a->around, v->coord_off[mode]);
    const struct ix *by = at ? reads_step_by(s, at, x) : NULL,
                    *each = at ? reads_step_by(s, at, loop->var) : NULL;
    int64_t one, from;
    if (!by || !each || !ix_static(by, &one) || one < 2 || one != view_along(s, v, mode) ||
        !ix_constant(each) || ix_static(each, NULL) || !ix_static(loop->begin, &from) ||
        from != 0 || !ix_constant(loop->end) ||
        !ix_equal(each, ix_scale(s, loop->end, lay_int(one))))
        return false;
    const struct ix *side = ix_scale(s, ix_lay(s, r->k->grid[axis]), lay_int(one));
    if (!coverage_short(r->prover, side, each) && !coverage_short(r->prover, each, side))
        return false;
    diag_warn(s, W_UNREAD, v->at,
              "in each step the blocks of '%s' read %s elements of '%s' along %s side by side, and "
              "the next step of '%s' begins %s further, which is what all steps of a block would "
              "take: are the factors of '%s' and '%s' exchanged?",
              x->name, ix_text(s, side), v->base->name, view_mode_text(s, v->base, mode),
              loop->var->name, ix_text(s, each), x->name, loop->var->name);
    return true;
}

bool turns_overlap(struct reads *r, const struct access *a, int mode) {
    for (int j = 0; j < a->around.n; ++j)
        for (int x = 0; x < 3; ++x)
            if (stmt_loops(a->around.stmt[j]) && a->around.stmt[j]->var && r->k->block[x] &&
                a->view->coord_off[mode] &&
                (check_turns(r, a, a->around.stmt[j], x, mode) ||
                 check_factors(r, a, a->around.stmt[j], x, mode)))
                return true;
    return false;
}

// Whether all reads of the tensor of "a" are where it is along "mode".
static bool is_only_read(const struct reads *r, const struct access *a, int mode) {
    for (int i = 0; i < r->n; ++i)
        if (reads_count(&r->at[i], a->view->base, ARG_IN) &&
            !ix_equal(r->at[i].view->coord_off[mode], a->view->coord_off[mode]))
            return false;
    return true;
}

// Warns if the blocks of "axis" take tiles side by side in each step of "loop", and nothing takes those between their end
// and the next step.
static bool check_between(struct reads *r, const struct access *a, const struct stmt *loop,
                          int axis, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix_var *x = r->k->block[axis];
    struct lay_int n = r->k->grid[axis];
    struct turns turns;
    if (!turns_of(r, a, loop, axis, mode, &turns) || view_along(s, v, mode) != turns.one ||
        n.num >= turns.next / turns.one || turns.next % turns.one != 0)
        return false;
    const struct ix *rest = ix_sub(s, turns.at, ix_scale(s, ix_var(s, x), lay_int(turns.one)));
    rest = rest ? ix_sub(s, rest, ix_scale(s, ix_var(s, loop->var), lay_int(turns.next))) : NULL;
    if (!rest || !ix_static(rest, NULL) || !is_only_read(r, a, mode)) return false;
    diag_warn(s, W_UNREAD, v->at,
              "a step of '%s' takes the tiles of %" PRId64
              " block%s of '%s' along %s, and the next step "
              "begins %" PRId64 " tiles further: nothing reads those between",
              loop->var->name, n.num, n.num == 1 ? "" : "s", v->base->name,
              view_mode_text(s, v->base, mode), turns.next / turns.one);
    diag_note(s, r->k->grid_at[axis], "%" PRId64 " blocks would read all", turns.next / turns.one);
    return true;
}

bool turns_apart(struct reads *r) {
    for (int i = 0; i < r->n && !r->more; ++i) {
        const struct access *a = &r->at[i];
        if (a->write || !a->copy || a->view->base->space != MEM_GLOBAL ||
            !lay_valid(a->view->coord))
            continue;
        for (int m = 0; m < lay_tuple_leaves(a->view->base->layout.shape); ++m)
            for (int j = 0; j < 3 * a->around.n; ++j) {
                const struct stmt *loop = a->around.stmt[j / 3];
                if (stmt_loops(loop) && loop->var && r->k->block[j % 3] && a->view->coord_off[m] &&
                    check_between(r, a, loop, j % 3, m))
                    return true;
            }
    }
    return false;
}

// The quotient by a param in the end of "loop", rounded down; or NULL.  Passes over products of params prove little,
// so what it loses is looked at by numbers.
static const struct ix *quotient_of(const struct stmt *loop) {
    const struct ix *e = loop->end;
    if (e->op == IX_SUM && e->nterms == 1 && lay_int_is(e->term[0].coef, 1)) e = e->term[0].atom;
    return e && e->op == IX_DIV && ix_constant(e) && !lay_int_static(e->k) ? e : NULL;
}

// Whether at some sizes that "found" is set to all steps of "loop" in all blocks end before "limit" where they read "a" along
// "mode", and one more step reaches it.
static bool is_lost(struct reads *r, const struct access *a, const struct stmt *loop, int mode,
                    const struct ix *limit, struct prove_witness *found) {
    struct session *s = r->s;
    const struct ix *end, *at = instances_step(s, &a->around, a->view->coord_off[mode]);
    const struct ix *by = at ? reads_step_by(s, at, loop->var) : NULL;
    int64_t tile, to, each, all;
    if (!by || !coverage_reach(s, a->view, &a->around, mode, &end, &tile) || !ix_constant(end))
        return false;
    for (int choice = 0; choice <= 2; ++choice) {
        const int64_t *sym = plan_choose_when(s, r->plan, NULL, r->k->when, r->k->nwhen, choice);
        struct ix_env env = {NULL, sym};
        if (!sym || !ix_eval(end, &env, &to) || !ix_eval(by, &env, &each) ||
            !ix_eval(limit, &env, &all) || to >= all || to + each < all)
            continue;
        *found = (struct prove_witness){.nouts = 1};
        found->out = ARENA_ARRAY(&s->arena, int64_t, 1);
        *found->out = to;
        found->sym = ARENA_ARRAY(&s->arena, int64_t, r->plan->nsyms + 1);
        memcpy(found->sym, sym, sizeof *sym * (size_t)r->plan->nsyms);
        return true;
    }
    return false;
}

bool turns_lost(struct reads *r, const struct access *a, int mode) {
    struct session *s = r->s;
    const struct view *v = a->view;
    const struct ix *limit = reads_end(s, v, mode);
    struct prove_witness found;
    for (int i = 0; i < a->around.n && limit && ix_constant(limit); ++i) {
        const struct stmt *loop = a->around.stmt[i];
        const struct ix *q = stmt_loops(loop) && loop->var ? quotient_of(loop) : NULL;
        if (!q || !reads_all(r, a, mode, NULL) || !is_only_read(r, a, mode) ||
            !is_lost(r, a, loop, mode, limit, &found))
            continue;
        const char *of = ix_text(s, q->a), *by = lay_int_text(&s->lay, q->k);
        const char *up =
            arena_printf(&s->arena, strchr(by, '*') ? "(%s + %s - 1)/(%s)" : "(%s + %s - 1)/%s", of,
                         by, by);
        diag_warn(s, W_REMAINDER, loop->end_at,
                  "nothing promises that '%s' is a multiple of %s, and nothing reads the last, "
                  "incomplete tile of '%s'; write '%s'",
                  of, by, v->base->name, up);
        diag_fixit(s, loop->end_at, up);
        reads_note(r, v->base, mode, a, false, &found);
        return true;
    }
    return false;
}
