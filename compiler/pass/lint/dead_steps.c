// Copies, fills and calls in loops and pipelines whose elements no step reads.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/lint/dead.h"
#include "pass/walk.h"
#include "plan/view.h"

// -- the same again -------------------------------------------------------------------------------

bool view_depends(const struct view *v, const struct ix_var *x) {
    int n = lay_valid(v->coord) ? lay_tuple_leaves(v->base->layout.shape) : 0;
    bool depends = ix_depends_on(v->offset, x);
    for (int i = 0; i < n; ++i) depends |= ix_depends_on(v->coord_off[i], x);
    for (int i = 0; i < n && v->limit; ++i) depends |= ix_depends_on(v->limit[i], x);
    return depends;
}

bool repeats(const struct stmt *loop) {
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        if (st->kind == STMT_FOR &&
            (ix_depends_on(st->begin, loop->var) || ix_depends_on(st->end, loop->var)))
            return false;
        if (st->kind == STMT_FOR) continue;
        if (st->kind != STMT_COPY || view_depends(&st->copy->src, loop->var) ||
            view_depends(&st->copy->dst, loop->var))
            return false;
        for (const struct stmt *x = loop->body; x; x = stmt_next(loop->body, x))
            if (x->kind == STMT_COPY && x->copy->src.base == st->copy->dst.base) return false;
    }
    return loop->body != NULL;
}

bool has_many_steps(struct session *s, const struct stmt *loop) {
    int64_t from, to;
    const struct ix *most = ix_max(s, loop->end), *steps = ix_sub(s, loop->end, loop->begin);
    if (!ix_static(loop->begin, &from)) return steps && steps->hi >= 2;
    if (loop->end->hi < from + 2) return false;
    return !(most && ix_static(most, &to) && to - from < 2);
}

void dead_same_again(struct session *s, const struct stmt *loop) {
    if (has_many_steps(s, loop) && repeats(loop))
        diag_warn(s, W_DEAD_COPY, loop->at,
                  "each step of this loop copies the same elements: nothing in it depends on '%s'",
                  loop->var->name);
}

// -- steps ----------------------------------------------------------------------------------------

// The loop or pipeline of whose steps "st" is a statement; NULL: there is none.
static const struct stmt *loop_of(const struct stmt *st) {
    const struct stmt *up = st->up;
    return up && up->kind == STMT_PART ? up->up : up;
}

// Whether a statement of "loop" may read "t".
static bool reads_in(const struct stmt *loop, const struct tensor *t) {
    struct touched x = {0};
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        dead_touch(&x, st, t);
        if (x.read || x.called) return true;
    }
    return false;
}

void dead_each_step(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct stmt *loop = st->up;
    const struct tensor *t = dead_written(st)->base;
    if (!loop || loop->kind != STMT_FOR || !has_many_steps(s, loop)) return;
    if (!dead_writes_all(s, k, st) || reads_in(loop, t) || repeats(loop)) return;
    diag_warn(s, W_DEAD_COPY, st->at,
              "%s writes all of '%s' in each step of the loop over '%s', and no step reads it: the "
              "next step writes it again",
              dead_what(s, st), t->name, loop->var->name);
    diag_note(s, loop->at, "what reads '%s' belongs in this loop, after what writes it", t->name);
}

void dead_each_call(struct session *s, const struct stmt *st) {
    const struct stmt *loop = loop_of(st);
    const struct function *f = st->call->fn;
    const struct tensor *t = NULL;
    if (!loop || st->call->fill || !has_many_steps(s, loop)) return;
    for (int i = 0; i < f->nformals; ++i) {
        const struct view *v = &st->call->view[i];
        if (f->formal[i].dir == ARG_IN) continue;
        if (f->formal[i].dir == ARG_INOUT || dead_elsewhere(v) || !dead_is_all(s, v)) return;
        for (const struct stmt *x = loop->body; x; x = stmt_next(loop->body, x)) {
            struct touched touched = {0};
            dead_touch(&touched, x, v->base);
            if (touched.read) return;
        }
        if (!t) t = v->base;
    }
    if (!t) return;
    diag_warn(s, W_DEAD_COPY, st->at,
              "'%s' writes all of '%s' in each step of the loop over '%s', and no step reads it: "
              "the next step writes it again",
              f->name, t->name, loop->var->name);
    diag_note(s, f->at, "a function that adds to '%s' declares it 'inout'", t->name);
}

// The last call of "loop" that adds to "t", if nothing there reads of it what it takes for another result; with
// "later", it may: what is read after the loop is no value of one step.
static const struct stmt *adds_to(const struct stmt *loop, const struct tensor *t, bool later) {
    const struct stmt *call = NULL;
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        if (st->kind == STMT_COPY && st->copy->src.base == t) return NULL;
        if (st->kind != STMT_CALL || st->call->fill) continue;
        bool other = false, adds = false, reads = false;
        for (int i = 0; i < st->call->fn->nformals; ++i) {
            bool same = st->call->view[i].base == t;
            enum dir dir = st->call->fn->formal[i].dir;
            adds |= same && dir == ARG_INOUT;
            reads |= same && dir == ARG_IN;
            other |= same ? dir != ARG_INOUT : dir != ARG_IN;
        }
        if (reads || (adds && other && !later)) return NULL;
        if (adds) call = st;
    }
    return call;
}

void dead_lost_sums(struct session *s, const struct kernel *k, const struct stmt *st, bool later) {
    const struct stmt *loop = loop_of(st);
    const struct tensor *t = dead_written(st)->base;
    if (st->kind != STMT_CALL || !loop || !has_many_steps(s, loop) || !dead_writes_all(s, k, st))
        return;
    const struct stmt *call = adds_to(loop, t, later);
    if (!call) return;
    diag_warn(s, W_DEAD_COPY, st->at,
              "this 'fill' discards what '%s' added to '%s' in the step before; only the last step "
              "of the loop over '%s' counts",
              call->call->fn->name, t->name, loop->var->name);
    diag_note(s, loop->at, "before the loop, the 'fill' is executed once");
}

static bool is_in(const struct stmt *st, const struct stmt *outer) {
    while (st && st != outer) st = st->up;
    return st != NULL;
}

// Whether a statement of "k" outside of "pipe" may read "t".
static bool reads_outside(const struct kernel *k, const struct stmt *pipe, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        struct touched x = {0};
        dead_touch(&x, st, t);
        if ((x.read || x.called) && !is_in(st, pipe)) return true;
    }
    return false;
}

// Warns of a write to a slot of "t" after the last read in a step.  Later steps read only what they
// wrote themselves: pass "defined" has proven that.
static void end_of_step(struct session *s, const struct kernel *k, const struct stmt *pipe,
                        const struct tensor *t) {
    const struct stmt *read = NULL, *write = NULL;
    for (const struct stmt *st = pipe->body; st; st = stmt_next(pipe->body, st)) {
        struct touched x = {0};
        dead_touch(&x, st, t);
        if (x.read || x.called) {
            read = st;
            write = NULL;
        } else if (x.first && !write) {
            write = st;
        }
    }
    if (!read || !write || t->outside || reads_outside(k, pipe, t)) return;
    for (const struct stmt *up = write->up; up != pipe; up = up->up)
        if (stmt_loops(up) && reads_in(up, t)) return;
    diag_warn(s, W_DEAD_COPY, write->at,
              "%s writes to the slot of '%s' that this step has read last, and no other step reads "
              "what it writes",
              dead_what(s, write), t->name);
    diag_note(s, read->at, "'%s' is read last here; 'load' fills the slots of later steps",
              t->name);
}

// Whether "st" calls a function that writes to "t" and to nothing else.
static bool changes_only(const struct stmt *st, const struct tensor *t) {
    bool changes = false;
    for (int i = 0; st->kind == STMT_CALL && !st->call->fill && i < st->call->fn->nformals; ++i) {
        if (st->call->fn->formal[i].dir == ARG_IN) continue;
        if (st->call->view[i].base != t) return false;
        changes = true;
    }
    return changes;
}

// Warns of a function that changes a slot of "t" as the last thing that a step does to it.
static void changed_last(struct session *s, const struct kernel *k, const struct stmt *pipe,
                         const struct tensor *t) {
    const struct stmt *last = NULL, *read = NULL;
    for (const struct stmt *st = pipe->body; st; st = stmt_next(pipe->body, st)) {
        struct touched x = {0};
        dead_touch(&x, st, t);
        if (!x.read && !x.called) continue;
        read = last;
        last = st;
    }
    // of several consumers the last one in the text need not be the last one
    if (!read || !changes_only(last, t) || t->outside || pipe->pipe->nuses > 1 ||
        pipe->pipe->nroles > 0 || reads_outside(k, pipe, t))
        return;
    for (const struct stmt *up = last->up; up != pipe; up = up->up)
        if (stmt_loops(up)) return;
    diag_warn(s, W_DEAD_COPY, last->at,
              "'%s' changes the slot of '%s' that this step has read last, and nothing reads what "
              "it writes",
              last->call->fn->name, t->name);
    diag_note(s, read->at, "'%s' is read last here", t->name);
}

// Whether "v" ends where the part of the tensor ends that it is, along each mode.
static bool ends_with_part(struct session *s, const struct view *v) {
    for (int i = 0; v->limit && i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *lo, *hi;
        if (!v->limit[i]) continue;
        if (!v->coord_off[i]) return false;
        view_reach(s, v, i, &lo, &hi);
        if (!hi || !ix_equal(ix_add(s, hi, ix_int(s, 1)), v->limit[i])) return false;
    }
    return !v->overhang && !v->part;
}

bool dead_writes_slot(struct session *s, const struct stmt *st, const struct tensor *t,
                      int64_t slots) {
    const struct view *v = dead_written(st);
    const struct copy *c = st->kind == STMT_COPY ? st->copy : NULL;
    if (!v || v->base != t || (c && (c->src.base == t || (c->facts.npred && !c->pad))))
        return false;
    struct lay_int part = lay_size(&s->lay, v->layout), all = lay_size(&s->lay, t->layout);
    lay_clear_error(&s->lay);
    return ends_with_part(s, v) && lay_int_static(part) && lay_int_static(all) &&
           part.num * slots == all.num;
}

// Warns of what "load" writes to "t" if the first statement of "use" that has to do with "t" writes all
// of the slot.
static void loads_again(struct session *s, const struct stmt *pipe, const struct tensor *t) {
    int64_t slots = t->stages ? t->stages : 1;
    const struct stmt *load = NULL;
    for (const struct stmt *part = pipe->body; part; part = part->next) {
        for (const struct stmt *st = part->body; st; st = st->next) {
            struct touched x = touched_in(st, t);
            if (!x.read && !x.called && !x.first) continue;
            if (!part->load && load && dead_writes_slot(s, st, t, slots))
                dead_warn_again(s, load, t, st);
            if (!part->load || x.read || x.called) return;
            load = x.first;
        }
    }
}

// Warns of a load of "pipe" to the slots of "t" if no step reads them: after the pipeline the last are left.
static void no_step_reads(struct session *s, const struct kernel *k, const struct stmt *pipe,
                          const struct tensor *t) {
    struct touched x = touched_in(pipe, t);
    if (!x.first || x.read || x.called || !has_many_steps(s, pipe) || !reads_outside(k, pipe, t))
        return;
    diag_warn(s, W_DEAD_COPY, x.first->at,
              "%s writes to the slots of '%s', and no step of this pipeline reads them",
              dead_what(s, x.first), t->name);
    diag_note(s, pipe->at, "what reads '%s' belongs in 'use', which is executed in each step",
              t->name);
}

void dead_ends_of_steps(struct session *s, const struct kernel *k, const struct stmt *pipe) {
    for (int i = 0; i < pipe->pipe->ntensors; ++i) {
        no_step_reads(s, k, pipe, pipe->pipe->tensor[i]);
        end_of_step(s, k, pipe, pipe->pipe->tensor[i]);
        changed_last(s, k, pipe, pipe->pipe->tensor[i]);
        loads_again(s, pipe, pipe->pipe->tensor[i]);
    }
}

void dead_before_loop(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct tensor *t = dead_written(st)->base;
    const struct stmt *loop = st->next, *again;
    struct touched x = {0};
    for (; loop; loop = loop->next) {
        x = touched_in(loop, t);
        if (x.read || x.called || x.first) break;
    }
    if (!loop || loop->kind != STMT_FOR || !has_many_steps(s, loop) || st->kind != STMT_COPY)
        return;
    for (again = loop->body; again; again = again->next) {
        x = touched_in(again, t);
        if (x.read || x.called || x.first) break;
    }
    if (!again || x.read || x.called || again->kind != STMT_COPY || again->copy->dst.base != t ||
        again->copy->src.base != st->copy->src.base || !dead_writes_all(s, k, again))
        return;
    const struct stmt *after = loop->next;
    while (after && !touched_in(after, t).read) after = after->next;
    if (!after) return;  // see dead_flow
    diag_warn(s, W_DEAD_COPY, st->at,
              "the first step of the loop over '%s' writes all of '%s' again before anybody reads "
              "what %s writes",
              loop->var->name, t->name, dead_what(s, st));
    diag_note(s, again->at, "it is written here; is it read above that in each step?");
}

// -- what the last step left ----------------------------------------------------------------------

// The copy of "loop" that fills all of "t" with another part of an argument in each step, and alone writes to it;
// or NULL.
static const struct stmt *filled_by_step(struct session *s, const struct kernel *k,
                                         const struct stmt *loop, const struct tensor *t) {
    const struct stmt *found = NULL;
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        struct touched x = {0};
        dead_touch(&x, st, t);
        if (x.called || (x.first && found)) return NULL;
        if (x.first) found = st;
    }
    if (!found || found->up != loop || found->kind != STMT_COPY) return NULL;
    const struct view *v = &found->copy->src;
    return kernel_formal(k, v->base) && view_depends(v, loop->var) && dead_writes_all(s, k, found)
               ? found
               : NULL;
}

// The first read of "t" in "loop", which puts nothing else into it; or NULL.
static const struct stmt *only_reads(const struct stmt *loop, const struct tensor *t) {
    const struct stmt *read = NULL;
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        struct touched x = {0};
        dead_touch(&x, st, t);
        if ((x.called && !x.read) || x.first) return NULL;
        if (x.read && !read) read = st;
    }
    return read;
}

// Whether a copy of "loop" stores another part of an argument in each step, which has the shape of "like" unless that is
// NULL.
static bool stores_by_step(const struct kernel *k, const struct stmt *loop,
                           const struct tensor *like) {
    for (const struct stmt *st = loop->body; st; st = stmt_next(loop->body, st)) {
        const struct view *v = st->kind == STMT_COPY ? &st->copy->dst : NULL;
        if (v && kernel_formal(k, v->base) && view_depends(v, loop->var) &&
            (!like || lay_tuple_equal(v->base->layout.shape, like->layout.shape)))
            return true;
    }
    return false;
}

// Whether "loop" has calls alone, which add something and do not get its step.
static bool adds_alike(const struct stmt *loop) {
    bool adds = false;
    for (const struct stmt *st = loop->body; st; st = st->next) {
        if (st->kind != STMT_CALL || st->call->fill) return false;
        for (int i = 0; i < st->call->fn->nindexes; ++i)
            if (ix_depends_on(st->call->index[i], loop->var)) return false;
        for (int i = 0; i < st->call->fn->nformals; ++i) {
            if (view_depends(&st->call->view[i], loop->var)) return false;
            adds |= st->call->fn->formal[i].dir == ARG_INOUT;
        }
    }
    return adds;
}

void dead_left_by_last(struct session *s, const struct kernel *k, const struct stmt *loop,
                       const struct tensor *t) {
    const struct stmt *load = filled_by_step(s, k, loop, t), *read = NULL, *st = loop->next;
    for (; load && st; st = st->next) {
        struct touched x = touched_in(st, t);
        if (x.read && st->kind == STMT_FOR) break;
        if (x.read || x.called || x.first) return;
    }
    if (!load || !st || st->kind != STMT_FOR) return;
    if (!ix_equal(st->begin, loop->begin) || !ix_equal(st->end, loop->end)) return;
    // with numbers, as many steps may be a coincidence
    const struct tensor *like = ix_static(loop->end, NULL) ? load->copy->src.base : NULL;
    if (like && !touched_in(loop, t).read) return;  // see dead_each_step
    if (!(read = only_reads(st, t)) || !(stores_by_step(k, st, like) || adds_alike(st))) return;
    diag_warn(s, W_DEAD_COPY, read->at,
              "each step of the loop over '%s' reads in '%s' what the last step of an earlier loop "
              "has loaded",
              st->var->name, t->name);
    diag_note(s, load->at, "the steps of this loop load as many parts of '%s'; load them in both",
              load->copy->src.base->name);
}

// Whether "b" is where "a" is: in the last step of "loop", if there is one.
static bool same_as_last(struct session *s, const struct stmt *loop, const struct view *a,
                         const struct view *b) {
    if (a->base != b->base || a->limit || b->limit || !lay_equal(a->layout, b->layout))
        return false;
    if (!a->offset || !b->offset || !loop)
        return a->offset && b->offset && ix_equal(a->offset, b->offset);
    const struct ix *last = ix_sub(s, loop->end, ix_int(s, 1));
    return ix_equal(ix_substitute(s, a->offset, loop->var, last), b->offset);
}

void dead_call_twice(struct session *s, const struct stmt *st) {
    const struct stmt *again = st->next;
    if (!again || again->kind != STMT_CALL || st->call->fill || again->call->fn != st->call->fn)
        return;
    const struct function *f = st->call->fn;
    bool reads = false, writes = false;
    for (int i = 0; i < f->nindexes; ++i)
        if (!ix_equal(st->call->index[i], again->call->index[i])) return;
    for (int i = 0; i < f->nformals; ++i) {
        if (!same_as_last(s, NULL, &st->call->view[i], &again->call->view[i])) return;
        reads |= f->formal[i].dir == ARG_IN;
        writes |= f->formal[i].dir != ARG_IN;
    }
    if (!reads || !writes) return;
    diag_warn(s, W_DEAD_COPY, again->at, "'%s' gets here once more what the call before it got",
              f->name);
    diag_note(s, st->at, "nothing is written between that call and this one");
}

void dead_same_call(struct session *s, const struct stmt *loop) {
    const struct stmt *a = loop->body, *b = loop->next;
    while (a && a->next) a = a->next;
    if (!a || !b || a->kind != STMT_CALL || b->kind != STMT_CALL || a->call->fill) return;
    const struct function *f = a->call->fn;
    bool adds = false, moved = false;
    if (f != b->call->fn || f->nindexes) return;
    for (int i = 0; i < f->nformals; ++i) {
        const struct view *v = &a->call->view[i];
        if (!same_as_last(s, loop, v, &b->call->view[i])) return;
        adds |= f->formal[i].dir == ARG_INOUT;
        moved |= f->formal[i].dir == ARG_IN && touched_in(loop, v->base).first;
    }
    if (!adds || !moved) return;
    diag_warn(s, W_DEAD_COPY, b->at,
              "'%s' gets here once more what it got in the last step of the loop over '%s'",
              f->name, loop->var->name);
    diag_note(s, a->at, "nothing is written between that call and this one");
}
