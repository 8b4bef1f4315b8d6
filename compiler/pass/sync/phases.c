// Barriers in memory in the graph of the roles of a manual kernel: phases, and that they are told apart.
//
// Step g is phase g / 8 of barrier g % 8.  A wait looks at the parity of its phase.
#include "base/session.h"
#include "pass/sync/side.h"

int side_over(const struct side *d, const struct barrier *b) {
    for (int i = 0; i < d->g.nnodes; ++i)
        if (d->over[i] == b) return i;
    BUG("a barrier without a phase");
}

void side_add_phases(struct side *d) {
    int n = d->g.nnodes;
    for (int i = 0; i < n; ++i) {
        const struct stmt *x = d->of[i];
        if (!x->barrier || !x->barrier->ring) continue;
        int over = n;
        while (over < d->g.nnodes && d->over[over] != x->barrier) ++over;
        if (over == d->g.nnodes) d->over[live_node(&d->g)] = x->barrier;
        if (d->comes[i])
            live_edge(&d->g, i, over, x->of);
        else
            live_edge(&d->g, over, i, -x->of);
    }
}

// The node before the first copy that "x" counts, which comes at node "at"; that itself if it counts none.
static int filled_from(const struct side *d, const struct stmt *x, int at) {
    const struct stmt *part = x->up;
    int last = side_node(d, part, false);
    if (!stmt_expects(x)) return at;
    for (const struct stmt *y = part->body; y; y = stmt_next(part->body, y)) {
        if (y->kind == STMT_COPY && stmt_counted(y) == x) return last;
        if (side_named(y)) last = side_last(d, y);
    }
    return at;
}

bool side_phases_apart(struct side *d) {
    struct session *s = d->x->s;
    for (int i = 0; i < d->g.nnodes; ++i) {
        const struct stmt *x = d->of[i];
        if (!x || !x->barrier || !x->barrier->ring) continue;
        const struct barrier *b = x->barrier;
        int over = side_over(d, b);
        int64_t path =
            d->comes[i] ? live_path(&d->g, over, filled_from(d, x, i)) : live_path(&d->g, i, over);
        if (path != LIVE_NONE && path <= ARRIVAL_BARRIERS + (d->comes[i] ? -x->of : x->of))
            continue;
        if (d->comes[i])
            diag_error(
                s, x->at,
                "%s may come %d steps later, in the same place of '%s', before its phase of this "
                "step is over; let '%s' wait, in each step, for who uses what it fills, at "
                "most %d steps later",
                side_text(d, x), ARRIVAL_BARRIERS, b->name, x->up->role->name, ARRIVAL_BARRIERS);
        else
            diag_error(
                s, x->at,
                "%s may still wait when '%s' is %d steps on, where it looks the same; let '%s' "
                "arrive, in each step, at a barrier for which the others wait, at most %d steps "
                "later",
                side_text(d, x), b->name, ARRIVAL_BARRIERS, x->up->role->name, ARRIVAL_BARRIERS);
        diag_page(s, "barrier");
        return false;
    }
    return true;
}
