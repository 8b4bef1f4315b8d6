// Pass "defined": what a copy reads from shared memory or a fragment was written before, in every
// run.
//
// Requires: facts of predicate.  Fills nothing.  A tensor counts as a whole here: a copy
// that writes to any part of it defines it, a loop only when it is sure to run.  That each element
// that is read was written is found out by executing one block when the compilation checks itself
// (kernel/verify.c), as far as that is little enough.
#include <string.h>

#include "base/session.h"
#include "layout/algebra.h"
#include "pass/pass.h"
#include "pass/predicate.h"
#include "plan/plan.h"

// A copy that leaves elements as they were where its source ends.
struct partial {
    const struct copy *copy;
    const struct partial *next;
};

struct defined {
    const struct plan *plan;
    const struct kernel *k;
    const struct partial **part;  // by place: those that have run
    bool *is;                     // by place in kernel.local
    const struct stmt **loop;     // that wrote it, but may not have run
    const struct enclosing *pipe;
};

// The pipelines around a copy, innermost first.
struct enclosing {
    const struct stmt *stmt;
    const struct enclosing *outer;
};

// The place of "t" in the kernel's own tensors; -1 when its memory comes from elsewhere.
static int place_of(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nlocal; ++i) {
        if (k->local[i] == t && !t->outside) return i;
    }
    return -1;
}

// Whether "c" leaves elements of its destination as they were.
static bool is_partial(const struct copy *c) {
    if (c->pad) return false;
    for (int i = 0; i < c->facts.npred; ++i) {
        if (!c->facts.pred[i].dst) return true;
    }
    return false;
}

// "e" of a copy in a "load" part, as one of the "use" part of the same step would say it.
static const struct ix *of_step(struct session *s, const struct defined *d, const struct ix *e) {
    for (const struct enclosing *x = d->pipe; x; x = x->outer) {
        const struct pipeline *p = x->stmt->pipe;
        if (p->stages == 1) continue;
        e = ix_substitute(s, e, p->load_var, ix_var(s, x->stmt->var));
        e = ix_substitute(s, e, p->load_slot, ix_var(s, p->slot));
    }
    return e;
}

static struct view view_of_step(struct session *s, const struct defined *d, struct view v) {
    if (!d->pipe) return v;
    v.offset = of_step(s, d, v.offset);
    if (!lay_valid(v.coord)) return v;
    int n = lay_tuple_leaves(v.base->layout.shape);
    const struct ix **off = ARENA_ARRAY(&s->arena, const struct ix *, n + 1);
    for (int i = 0; i < n; ++i) off[i] = of_step(s, d, v.coord_off[i]);
    v.coord_off = off;
    return v;
}

// Whether "reader" takes just what "writer" has written: the same view, which ends in the reader's
// destination where it ended in the writer's source, or before.
static bool reads_what_is_there(struct session *s, const struct defined *d,
                                const struct copy *writer, const struct copy *reader) {
    const struct view dst = view_of_step(s, d, writer->dst), src = view_of_step(s, d, reader->src);
    const struct view from = view_of_step(s, d, writer->src), to = view_of_step(s, d, reader->dst);
    const struct view *a = &dst, *b = &src;
    const struct ix *limit;
    int mode;
    // a fragment's layout is that of one tiled copy's parts, or of a thread's own views
    bool alike = a->base->space == MEM_SHARED || !reader->tc == !writer->tc;
    return alike && ix_equal(a->offset, b->offset) && lay_valid(a->layout) &&
           lay_valid(b->layout) && lay_tuple_equal(a->layout.shape, b->layout.shape) &&
           lay_tuple_equal(a->layout.stride, b->layout.stride) &&
           lay_tuple_equal(lay_product_each(&s->lay, writer->src.layout.shape),
                           lay_product_each(&s->lay, reader->dst.layout.shape)) &&
           inside_both(s, d->plan, d->k, &from, &to, &mode, &limit);
}

// "reader": the copy, or NULL for an argument of a call.
static bool check_read(struct session *s, const struct defined *d, const struct view *v,
                       const struct copy *reader) {
    int i = place_of(d->k, v->base);
    if (i < 0 || d->is[i]) return true;
    for (const struct partial *p = d->part[i]; p && reader; p = p->next) {
        if (reads_what_is_there(s, d, p->copy, reader)) return true;
    }
    if (d->part[i]) {
        const struct copy *w = d->part[i]->copy;
        diag_error(s, v->at, "'%s' is read here also where nothing was written to it, outside '%s'",
                   v->base->name, w->src.base->name);
        diag_note(s, w->at, "it is written here, as far as '%s' goes", w->src.base->name);
        return false;
    }
    diag_error(s, v->at, "'%s' is read here before anything is written to it", v->base->name);
    if (d->loop[i])
        diag_note(s, d->loop[i]->at, "this loop writes to it, but may not run at all");
    else
        diag_note(s, v->base->at, "'%s' is declared here", v->base->name);
    return false;
}

static void define(struct defined *d, const struct view *v) {
    int i = place_of(d->k, v->base);
    if (i >= 0) d->is[i] = true;
}

static void define_by(struct session *s, struct defined *d, const struct copy *c) {
    int i = place_of(d->k, c->dst.base);
    if (!is_partial(c)) define(d, &c->dst);
    if (i < 0 || d->is[i]) return;
    struct partial *p = ARENA_NEW(&s->arena, struct partial);
    *p = (struct partial){c, d->part[i]};
    d->part[i] = p;
}

static bool check_call(struct session *s, struct defined *d, const struct plan_call *y) {
    for (int i = 0; i < y->fn->nformals; ++i) {
        if (y->fn->formal[i].dir != ARG_OUT && !check_read(s, d, &y->view[i], NULL)) return false;
    }
    for (int i = 0; i < y->fn->nformals; ++i) {
        if (y->fn->formal[i].dir != ARG_IN) define(d, &y->view[i]);
    }
    return true;
}

static bool surely_runs(struct session *s, const struct stmt *loop) {
    return ix_provably_nonnegative(s, ix_sub(s, ix_sub(s, loop->end, loop->begin), ix_int(s, 1)));
}

static bool check_list(struct session *s, struct defined *d, const struct stmt *list) {
    size_t n = (size_t)d->k->nlocal;
    bool ok = true;
    for (const struct stmt *x = list; x && ok; x = x->next) {
        if (x->kind == STMT_COPY) {
            ok = check_read(s, d, &x->copy->src, x->copy);
            define_by(s, d, x->copy);
            continue;
        }
        if (x->kind == STMT_CALL) {
            ok = check_call(s, d, x->call);
            continue;
        }
        if (stmt_orders(x)) continue;
        if (x->kind == STMT_PART) {
            ok = check_list(s, d, x->body);
            continue;
        }
        bool *before = ARENA_ARRAY(&s->arena, bool, n + 1);
        const struct partial **part = ARENA_ARRAY(&s->arena, const struct partial *, n + 1);
        memcpy(before, d->is, n * sizeof *before);
        memcpy(part, d->part, n * sizeof *part);
        for (int i = 0; x->kind == STMT_PIPELINE && i < x->pipe->ntensors; ++i) {
            int at = place_of(d->k, x->pipe->tensor[i]);  // a step fills its slot anew
            d->is[at] = false;
            d->part[at] = NULL;
        }
        struct enclosing here = {x, d->pipe};
        if (x->kind == STMT_PIPELINE) d->pipe = &here;
        ok = check_list(s, d, x->body);
        if (x->kind == STMT_PIPELINE) d->pipe = here.outer;
        // what an iteration wrote in part, its own statements alone know
        memcpy(d->part, part, n * sizeof *part);
        if (surely_runs(s, x)) continue;
        for (size_t i = 0; i < n; ++i) {
            if (d->is[i] && !before[i]) d->loop[i] = x;
            d->is[i] = before[i];
        }
    }
    return ok;
}

bool pass_defined(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        struct defined d = {p, k, ARENA_ARRAY(&s->arena, const struct partial *, k->nlocal + 1),
                            ARENA_ARRAY(&s->arena, bool, k->nlocal + 1),
                            ARENA_ARRAY(&s->arena, const struct stmt *, k->nlocal + 1)};
        ok &= check_list(s, &d, k->body);
    }
    return ok;
}
