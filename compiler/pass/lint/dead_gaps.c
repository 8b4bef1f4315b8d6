// Parts of a buffer that nobody reads, though as many elements are read as it has: some of them are read twice, and a
// range or a step is wrong.  Windows that overlap on purpose read more elements than there are.
#include <inttypes.h>
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/lint/dead.h"
#include "plan/view.h"

enum { MOST = 4096 };

struct gaps {
    struct session *s;
    int64_t n;                  // elements along the mode
    unsigned char times[MOST];  // how often each is read
    const struct view *twice;   // the first read of an element that was read before
};

// Counts the elements that "v" has along "mode", for all steps of the loops around it from number "loop" on; false: they
// are not known.
static bool count(struct gaps *g, const struct dead_access *a, int mode, const struct ix *at,
                  int loop) {
    int64_t from, begin, end, tile = view_along(g->s, a->view, mode);
    while (loop < a->around.n && !(stmt_loops(a->around.stmt[loop]) && a->around.stmt[loop]->var &&
                                   ix_depends_on(at, a->around.stmt[loop]->var)))
        ++loop;
    if (loop == a->around.n) {
        if (!ix_static(at, &from) || tile < 1 || from < 0 || from + tile > g->n) return false;
        for (int64_t i = from; i < from + tile; ++i) {
            if (g->times[i] && !g->twice) g->twice = a->view;
            if (g->times[i] < 255) ++g->times[i];
        }
        return true;
    }
    const struct stmt *st = a->around.stmt[loop];
    if (!ix_static(st->begin, &begin) || !ix_static(st->end, &end) || end - begin > MOST)
        return false;
    for (int64_t i = begin; i < end; ++i) {
        const struct ix *e = ix_substitute(g->s, at, st->var, ix_int(g->s, i));
        if (!e || !count(g, a, mode, e, loop + 1)) return false;
    }
    return true;
}

// Whether "a" is a function's argument that it changes.
static bool is_changed(const struct dead_access *a) {
    if (a->stmt->kind != STMT_CALL) return false;
    for (int i = 0; i < a->stmt->call->fn->nformals; ++i)
        if (&a->stmt->call->view[i] == a->view) return a->stmt->call->fn->formal[i].dir != ARG_IN;
    return false;
}

static bool check(const struct dead_list *x, int mode, int64_t n) {
    struct session *s = x->l->s;
    struct gaps *g = ARENA_NEW(&s->arena, struct gaps);
    int64_t all = 0, first = -1, last = -1;
    int reads = 0;
    g->s = s;
    g->n = n;
    for (int i = 0; i < x->n; ++i) {
        const struct dead_access *a = &x->at[i];
        if (!a->read || is_changed(a)) continue;
        if (a->view->overhang || !a->view->coord_off[mode] ||
            !count(g, a, mode, a->view->coord_off[mode], 0))
            return false;
        ++reads;
    }
    for (int64_t i = 0; i < n; ++i) {
        all += g->times[i];
        if (g->times[i]) continue;
        if (first < 0) first = i;
        last = i;
    }
    if (!reads || !g->twice || first < 0 || all != n) return false;
    for (int64_t i = first; i <= last; ++i)
        if (g->times[i]) last = i - 1;
    diag_warn(s, W_DEAD_COPY, g->twice->at,
              "a part of '%s' is read twice along %s, and nothing reads %" PRId64 " .. %" PRId64
              " of it: is this range meant?",
              x->t->name, view_mode_text(s, x->t, mode), first, last + 1);
    return true;
}

bool dead_gaps(const struct dead_list *x) {
    struct session *s = x->l->s;
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, x->t->layout.shape);
    for (int m = 0; m < lay_tuple_leaves(flat); ++m) {
        struct lay_int n = lay_is_leaf(flat) ? flat->leaf : lay_tuple_get(&s->lay, flat, m)->leaf;
        if (lay_int_static(n) && n.num > 1 && n.num <= MOST && check(x, m, n.num)) return true;
    }
    return false;
}
