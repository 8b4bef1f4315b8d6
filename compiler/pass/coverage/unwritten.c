// A buffer that is read before anything is written to it: the message, and what was probably meant.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/coverage/defined.h"
#include "pass/lint/lint.h"
#include "plan/view.h"

static const struct formal *formal_of(const struct use *x) {
    return x->call && !x->call->fill ? &x->call->fn->formal[x->view - x->call->view] : NULL;
}

bool defined_adds(const struct use *w) {
    const struct formal *f = formal_of(w);
    return f && f->dir == ARG_INOUT;
}

static bool is_like(const struct tensor *a, const struct tensor *b) {
    return a != b && a->space == b->space && a->elem == b->elem && lay_equal(a->layout, b->layout);
}

// A write, below "r" in the same step of a pipeline, to the buffer that "r" reads; or NULL.
static const struct use *loaded_below(const struct uses *u, const struct use *r) {
    for (const struct use *w = r + 1; w < u->at + u->n; ++w) {
        bool same = w->write && w->copy && w->view->base == r->view->base;
        for (int j = 0; same && j < r->around.n && j < w->around.n; ++j) {
            const struct stmt *st = r->around.stmt[j];
            if (st != w->around.stmt[j]) break;
            if (st->kind == STMT_PIPELINE) return w;
        }
    }
    return NULL;
}

// The first copy below "r", in the same loops, that writes all that "r" reads; or NULL.
static const struct use *written_below(const struct uses *u, const struct use *r) {
    for (const struct use *w = r + 1; w < u->at + u->n; ++w)
        if (w->write && w->view->base == r->view->base && w->stmt->up == r->stmt->up &&
            !formal_of(w))
            return w;
    return NULL;
}

// The last write to "t" above "end"; NULL: there is none.
static const struct use *written_above(const struct uses *u, const struct tensor *t,
                                       const struct use *end) {
    const struct use *last = NULL;
    for (const struct use *w = u->at; w < end; ++w)
        if (w->write && w->view->base == t) last = w;
    return last;
}

// Notes that the call of "r" writes a buffer that is filled, and reads this one, which is like it.
static bool note_swapped(struct uses *u, const struct use *r) {
    for (int i = 0; i < r->call->fn->nformals; ++i) {
        const struct view *v = &r->call->view[i];
        if (r->call->fn->formal[i].dir != ARG_OUT || !is_like(v->base, r->view->base)) continue;
        if (!written_above(u, v->base, r)) continue;
        diag_note(u->s, v->at,
                  "and '%s', which is filled above, is written here before anything reads it: are "
                  "'%s' and '%s' swapped?",
                  v->base->name, v->base->name, r->view->base->name);
        return true;
    }
    return false;
}

// Notes a write above "r" that writes all of a buffer like that of "r" once more, before anything reads it.
static bool note_again(struct uses *u, const struct use *r) {
    const struct tensor *t = r->view->base;
    for (const struct use *w = u->at; w < r; ++w) {
        const struct tensor *other = w->view->base;
        const struct use *first = NULL;
        if (!w->write || !is_like(other, t) || w->view->part) continue;
        for (const struct use *x = u->at; x < w; ++x)
            if (x->view->base == other) first = x->write && !x->view->part ? x : NULL;
        if (!first || first->stmt->up != w->stmt->up || (first->call && first->call->fill))
            continue;
        diag_note(u->s, w->view->at,
                  "all of '%s' is written again here, and nothing has read what it held: is '%s' "
                  "meant?",
                  other->name, t->name);
        return true;
    }
    return false;
}

// Notes an input that no statement uses.
static bool note_unused(struct uses *u) {
    for (int i = 0; i < u->k->nformals; ++i) {
        const struct formal *f = &u->k->formal[i];
        if (f->dir != ARG_IN || kernel_names(u->k, f->tensor)) continue;
        diag_note(u->s, f->at, "no statement of '%s' uses its argument '%s'", u->k->name,
                  f->tensor->name);
        return true;
    }
    return false;
}

// The first argument of a function that only reads it and gets what "r" reads, there or above; or NULL.
static const struct use *argument(const struct uses *u, const struct use *r) {
    for (const struct use *x = u->at; x <= r; ++x)
        if (formal_of(x) && x->view->base == r->view->base) return x;
    return NULL;
}

void defined_nothing(struct uses *u, struct use *r, bool added) {
    struct session *s = u->s;
    const struct tensor *t = r->view->base;
    const struct use *below = loaded_below(u, r), *arg = argument(u, r);
    const struct formal *f = arg ? formal_of(arg) : NULL;
    for (const struct use *x = u->at; x < r; ++x)
        if (x->view->base == t && x->told) return;
    r->told = true;
    diag_error(s, r->view->at, "'%s' is read here before anything is written to it", t->name);
    diag_page(s, "unwritten");
    const struct use *later = below ? NULL : written_below(u, r);
    if (f && f->dir == ARG_INOUT && !below && !later) {
        diag_note(s, t->at,
                  "'%s' is declared here, and holds nothing at first; 'fill %s = 0;' would write "
                  "all of it",
                  t->name, t->name);
        if (!added)
            diag_note(s, f->at,
                      "'%s' says that it reads this argument before it writes it; if it only "
                      "writes it: 'out %s'",
                      arg->call->fn->name, f->tensor->name);
        return;
    }
    diag_note(s, t->at, "'%s' is declared here", t->name);
    if (below)
        diag_note(s, below->stmt->at,
                  "'%s' is loaded here, below; in each step the parts run in the order written: "
                  "put 'load' above 'use'",
                  t->name);
    if (later)
        diag_note(s, later->view->at,
                  "'%s' is written here, below; does what reads it come after this?", t->name);
    if (below || later || (f && note_swapped(u, arg)) || note_again(u, r) || note_unused(u) || !f)
        return;
    diag_note(s, f->at, "'%s' says that it only reads this argument; if it writes it: 'out %s'",
              arg->call->fn->name, f->tensor->name);
}
