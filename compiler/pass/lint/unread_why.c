// What may be wrong where a grid or a loop ends before the tensor that it reads: the bound, or the coordinate.
// That more blocks or steps would reach all of it is said only where nothing speaks against the coordinate.
#include <inttypes.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"
#include "plan/view.h"

// Another read of the tensor of "a" in another loop, or after one, of which "a" may only be the beginning; or NULL.
static const struct access *goes_on(const struct reads *r, const struct access *a, int mode) {
    const struct stmt *loop = a->around.n ? a->around.stmt[0] : NULL;
    for (int i = 0; loop && i < r->n; ++i) {
        const struct access *c = &r->at[i];
        const struct stmt *other = c->around.n ? c->around.stmt[0] : NULL;
        if (!c->write && c->view->base == a->view->base && c->view->coord_off[mode] && other &&
            other != loop && stmt_loops(other) && !ix_static(other->end, NULL))
            return c;
    }
    return NULL;
}

// A read in no loop of what the first step of "a" reads along "mode"; or NULL.
static const struct access *read_before(const struct reads *r, const struct access *a, int mode) {
    const struct ix *first = ix_min(r->s, a->view->coord_off[mode]);
    for (int i = 0; first && i < r->n; ++i) {
        const struct access *c = &r->at[i];
        if (!c->write && c->copy && c->view->base == a->view->base && !c->around.n &&
            c->view->coord_off[mode] && ix_equal(c->view->coord_off[mode], first))
            return c;
    }
    return NULL;
}

// Another variable that moves "a" along "mode" as far as "m" does in one step, or farther; or NULL.
static const struct ix_var *crosses(struct reads *r, const struct access *a, const struct mover *m,
                                    int mode, const struct ix **by, const struct ix **last) {
    struct session *s = r->s;
    const struct ix *at = a->view->coord_off[mode];
    for (int i = 0; i < 3 + a->around.n; ++i) {
        const struct stmt *loop = i < 3 ? NULL : a->around.stmt[i - 3];
        const struct ix_var *x = i < 3 ? r->k->block[i] : stmt_loops(loop) ? loop->var : NULL;
        if (!x || x == m->v || !ix_depends_on(at, x)) continue;
        const struct ix *n = loop ? loop->end : ix_lay(s, r->k->grid[i]);
        int64_t step;
        *by = reads_step_by(s, at, x);
        if (!*by || !n || !ix_constant(n) || !ix_static(*by, &step) || step <= 0) continue;
        *last = ix_scale(s, n, lay_int(step));
        if (*last && coverage_short(r->prover, ix_int(s, m->step), *last)) return x;
    }
    return NULL;
}

// An axis of the grid that moves what the kernel writes and nothing that it reads; or NULL.
static const struct ix_var *moves_nothing(const struct reads *r) {
    for (int i = 0; i < 3; ++i) {
        const struct ix_var *x = r->k->block[i];
        bool written = false, read = false;
        for (int j = 0; x && j < r->n; ++j) {
            const struct access *a = &r->at[j];
            if (a->view->base->space != MEM_GLOBAL || !view_depends(a->view, x)) continue;
            *(a->write ? &written : &read) = true;
        }
        if (written && !read && !lay_int_is(r->k->grid[i], 1)) return x;
    }
    return NULL;
}

// Notes that "a" begins "early" elements behind the first; returns false if it begins there.
static bool note_late(struct reads *r, const struct access *a, const struct mover *m, int mode,
                      const struct ix *limit) {
    struct session *s = r->s;
    const struct ix *end, *first = ix_min(s, a->view->coord_off[mode]);
    int64_t early, left, tile;
    if (!first || !ix_static(first, &early) || early <= 0) return false;
    if (!coverage_reach(s, a->view, &a->around, mode, &end, &tile)) return true;
    const struct ix *rest = ix_sub(s, limit, end);
    if (rest && ix_static(rest, &left) && left > 0 && left % m->step == 0)
        diag_note(s, a->view->at, "at %s the last of them ends with '%s'",
                  ix_text(s, ix_add(s, a->view->coord_off[mode], rest)), a->view->base->name);
    return true;
}

// Notes a loop around "a" that does not move it, and another input that goes to the same call.
static void note_lost(const struct reads *r, const struct access *a) {
    for (int i = 0; i < a->around.n; ++i) {
        const struct stmt *loop = a->around.stmt[i];
        if (!stmt_loops(loop) || loop->pipe || view_depends(a->view, loop->var)) continue;
        for (int j = 0; j < r->n; ++j) {
            const struct access *c = &r->at[j];
            if (c->write || c->view->base == a->view->base || c->view->base->space != MEM_GLOBAL ||
                !view_depends(c->view, loop->var))
                continue;
            diag_note(r->s, a->view->at,
                      "'%s' moves '%s' and not this: does it belong in a coordinate here?",
                      loop->var->name, c->view->base->name);
            return;
        }
    }
}

bool unread_why(struct reads *r, const struct access *a, const struct mover *m, int mode,
                const struct ix *limit) {
    struct session *s = r->s;
    const struct view *v = a->view;
    struct range at = m->end_at.end ? m->end_at : v->at;
    struct lay_int of;
    if (coverage_note_tile(s, v)) return true;
    const struct access *on = m->loop && ix_static(m->end, NULL) ? goes_on(r, a, mode) : NULL;
    if (on) {
        diag_note(s, on->view->at,
                  "it is read here too, at %s along %s: does that go on where '%s' ends?",
                  ix_text(s, on->view->coord_off[mode]), view_mode_text(s, v->base, mode),
                  m->v->name);
        return false;
    }
    const struct access *once = m->loop ? read_before(r, a, mode) : NULL;
    if (once) {
        diag_note(s, once->view->at,
                  "what the first step reads is read here too: does each step read what the next "
                  "one needs?");
        return false;
    }
    if (!ix_monomial(limit, &of)) return false;
    if (coverage_note_counted(s, r->k, &a->around, &(struct along){v, mode, of}, m, false))
        return true;
    const struct ix *first = ix_min(s, v->coord_off[mode]),
                    *all = ix_scale(s, m->end, lay_int(m->step)), *by, *last;
    const char *what = m->loop ? "steps" : "blocks";
    const struct ix_var *other;
    int64_t early;
    if (first && all && ix_static(first, &early) && early < 0 &&
        !coverage_short(r->prover, all, limit)) {
        diag_note(s, v->at, "there are enough %s, and the first of them begins %s before '%s'",
                  what, arena_count(&s->arena, -early, "element"), v->base->name);
        note_lost(r, a);
    } else if (all && !coverage_short(r->prover, all, limit)) {
        diag_note(s, v->at, "there are enough %s, and the last of them ends before '%s'", what,
                  v->base->name);
    } else if (shares_note(r, a, m) || note_late(r, a, m, mode, limit)) {
        return false;
    } else if ((other = crosses(r, a, m, mode, &by, &last))) {
        diag_note(s, v->at,
                  "'%s' moves it too, by %s up to %s, and '%s' by %" PRId64
                  ": is this coordinate meant?",
                  other->name, ix_text(s, by), ix_text(s, last), m->v->name, m->step);
    } else if ((other = moves_nothing(r))) {
        diag_note(s, v->at, "'%s' moves nothing that is read: does it belong in a coordinate here?",
                  other->name);
    } else {
        diag_note(s, at, "%s %s reach all of it", coverage_tiles(s, of, m->step), what);
    }
    return false;
}
