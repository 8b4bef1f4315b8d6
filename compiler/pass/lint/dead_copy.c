// Copies and fills of shared memory and fragments whose elements nobody reads: the buffer is never
// read, or not after that, or all that was written is written again first.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/lint.h"
#include "pass/walk.h"

// What a statement, including those inside, does to a tensor.
struct touched {
    bool read;
    bool called;               // written by a function
    const struct stmt *first;  // copy or fill that writes
};

static void touch(struct touched *x, const struct stmt *st, const struct tensor *t) {
    bool write = st->kind == STMT_COPY && st->copy->dst.base == t;
    x->read |= st->kind == STMT_COPY && st->copy->src.base == t;
    for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i) {
        if (st->call->view[i].base != t) continue;
        enum dir dir = st->call->fn->formal[i].dir;
        x->read |= dir != ARG_OUT;
        x->called |= dir != ARG_IN && !st->call->fill;
        write |= dir != ARG_IN && st->call->fill;
    }
    if (write && !x->first) x->first = st;
}

static struct touched touched_in(const struct stmt *st, const struct tensor *t) {
    struct touched x = {0};
    touch(&x, st, t);
    for (const struct stmt *i = st->body; i; i = stmt_next(st->body, i)) touch(&x, i, t);
    return x;
}

// Whether "v" is memory that outlives the kernel's own.
static bool is_elsewhere(const struct view *v) {
    return v->base->space == MEM_GLOBAL || v->base->outside;
}

// What "st" writes, if it is a copy or a fill of the kernel's own memory; otherwise NULL.
static const struct view *written(const struct stmt *st) {
    const struct view *v = NULL;
    if (st->kind == STMT_COPY) v = &st->copy->dst;
    if (st->kind == STMT_CALL && st->call->fill) v = &st->call->view[0];
    return v && !is_elsewhere(v) ? v : NULL;
}

static const char *what(struct session *s, const struct stmt *st) {
    if (st->kind == STMT_COPY) return copy_name(s, st->copy);
    return st->call->fill ? "this 'fill'" : arena_printf(&s->arena, "'%s'", st->call->fn->name);
}

// -- never read -----------------------------------------------------------------------------------

bool has_no_output(const struct kernel *k) {
    for (int i = 0; i < k->nformals; ++i)
        if (k->formal[i].dir != ARG_IN) return false;
    return true;
}

static bool is_read(const struct kernel *k, const struct tensor *t) {
    struct touched x = {0};
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) touch(&x, st, t);
    return x.read || x.called;
}

static void never_read(struct session *s, const struct kernel *k, const struct tensor *t) {
    struct touched x = {0};
    for (const struct stmt *st = k->body; st && !x.first; st = stmt_next(k->body, st))
        touch(&x, st, t);
    if (!x.first || is_read(k, t)) return;
    diag_warn(s, W_DEAD_COPY, x.first->at, "%s writes to '%s', and nothing in kernel '%s' reads it",
              what(s, x.first), t->name, k->name);
    diag_note(s, t->at, "'%s' is declared here", t->name);
}

// A buffer that a function writes, 'out', and of which nothing reads anything.
static void result_unread(struct session *s, const struct kernel *k, const struct tensor *t) {
    const struct plan_call *call = NULL;
    const struct view *result = NULL;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_COPY && st->copy->src.base == t) return;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i) {
            if (st->call->view[i].base != t || st->call->fill) continue;
            if (st->call->fn->formal[i].dir != ARG_OUT) return;
            call = st->call;
            result = &st->call->view[i];
        }
    }
    if (!call || t->outside) return;
    diag_warn(s, W_DEAD_COPY, result->at,
              "'%s' writes to '%s', and nothing in kernel '%s' reads it", call->fn->name, t->name,
              k->name);
    diag_note(s, t->at, "'%s' is declared here", t->name);
}

// -- written again --------------------------------------------------------------------------------

// Whether "v" is all of its buffer, whatever the block and the size.
static bool is_all(struct session *s, const struct view *v) {
    bool whole = lay_valid(v->base->layout) && lay_valid(v->layout) && v->offset &&
                 ix_static(v->offset, NULL) && !v->limit && !v->overhang && !v->part &&
                 lay_int_equal(lay_size(&s->lay, v->layout), lay_size(&s->lay, v->base->layout));
    lay_clear_error(&s->lay);
    return whole;
}

// Whether some threads of the block have no part in "c", so that their registers stay as they are.
static bool leaves_threads(const struct kernel *k, const struct copy *c) {
    return c->dst.base->space == MEM_FRAG && c->tc && c->facts.level == LEVEL_BLOCK &&
           c->tc->threads < k->threads;
}

// Whether "st" writes all elements of its buffer, in each thread that has some.
static bool writes_all(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct copy *c = st->kind == STMT_COPY ? st->copy : NULL;
    if (c && ((c->facts.npred && !c->pad) || leaves_threads(k, c))) return false;
    return is_all(s, written(st));
}

// Whether "a" and "b" have equal coordinates in tensors of one shape, so that they end alike.
static bool ends_alike(const struct view *a, const struct view *b) {
    if (!lay_valid(a->coord) || !lay_valid(b->coord) || !lay_equal(a->coord, b->coord))
        return false;
    if (!lay_tuple_equal(a->base->layout.shape, b->base->layout.shape) || a->halo || b->halo)
        return false;
    if (!a->limit != !b->limit || a->overhang != b->overhang) return false;
    for (int i = 0; i < lay_tuple_leaves(a->base->layout.shape); ++i)
        if (!ix_equal(a->coord_off[i], b->coord_off[i]) ||
            (a->limit && a->limit[i] != b->limit[i] &&
             !(a->limit[i] && b->limit[i] && ix_equal(a->limit[i], b->limit[i]))))
            return false;
    return true;
}

// Whether "st" and "again" write the same elements of all of a buffer: the guards of their sources are
// equal.
static bool guarded_alike(struct session *s, const struct stmt *st, const struct stmt *again) {
    if (st->kind != STMT_COPY || again->kind != STMT_COPY) return false;
    const struct copy *a = st->copy, *b = again->copy;
    bool places = a->dst.base->space == MEM_FRAG
                      ? a->tc == b->tc
                      : lay_valid(a->dst.coord) && lay_valid(b->dst.coord) &&
                            lay_equal(a->dst.coord, b->dst.coord);
    return places && !a->pad && is_all(s, &a->dst) && is_all(s, &b->dst) &&
           ends_alike(&a->src, &b->src);
}

// Whether "st" is the call of a function that writes all of "t", an 'out' argument.
static bool calls_over(struct session *s, const struct stmt *st, const struct tensor *t) {
    if (st->kind != STMT_CALL || st->call->fill) return false;
    for (int i = 0; i < st->call->fn->nformals; ++i)
        if (st->call->view[i].base == t &&
            (st->call->fn->formal[i].dir != ARG_OUT || !is_all(s, &st->call->view[i])))
            return false;
    return true;
}

// The statement after "st", in the same block of statements, that writes all of "t", which "st" writes,
// before anybody reads of it; or NULL.
static const struct stmt *written_again(struct session *s, const struct kernel *k,
                                        const struct stmt *st, const struct tensor *t) {
    for (const struct stmt *i = st->next; i; i = i->next) {
        struct touched x = touched_in(i, t);
        if (x.called && !x.read && calls_over(s, i, t)) return i;
        if (x.read || x.called) return NULL;
        if (!written(i) || written(i)->base != t) continue;
        if (writes_all(s, k, i) || guarded_alike(s, st, i)) return i;
    }
    return NULL;
}

static void warn_again(struct session *s, const struct stmt *st, const struct tensor *t,
                       const struct stmt *again) {
    diag_warn(s, W_DEAD_COPY, st->at,
              "%s writes to '%s', and nothing reads it before all of "
              "'%s' is written again",
              what(s, st), t->name, t->name);
    diag_note(s, again->at, "it is written here");
}

// A call whose results are all written again before anybody reads of them.
static void result_again(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct function *f = st->call->fn;
    const struct stmt *again = NULL;
    const struct tensor *t = NULL;
    for (int i = 0; i < f->nformals && !st->call->fill; ++i) {
        const struct view *v = &st->call->view[i];
        if (f->formal[i].dir == ARG_IN) continue;
        if (is_elsewhere(v) || !(again = written_again(s, k, st, v->base))) return;
        t = v->base;
    }
    if (t) warn_again(s, st, t, again);
}

// Whether "st" writes all of the slot of "t" in this step, and reads none of it.
static bool writes_slot(struct session *s, const struct stmt *st, const struct tensor *t) {
    const struct view *v = written(st);
    const struct copy *c = st->kind == STMT_COPY ? st->copy : NULL;
    if (!v || v->base != t || (c && (c->src.base == t || (c->facts.npred && !c->pad))))
        return false;
    struct lay_int part = lay_size(&s->lay, v->layout), all = lay_size(&s->lay, t->layout);
    lay_clear_error(&s->lay);
    return !v->limit && !v->overhang && !v->part && lay_int_static(part) && lay_int_static(all) &&
           part.num * (t->stages ? t->stages : 1) == all.num;
}

// Warns of what "load" writes to "t" if the first statement of "use" that has to do with "t" writes all
// of the slot.
static void loads_again(struct session *s, const struct stmt *pipe, const struct tensor *t) {
    const struct stmt *load = NULL;
    for (const struct stmt *part = pipe->body; part; part = part->next) {
        for (const struct stmt *st = part->body; st; st = st->next) {
            struct touched x = touched_in(st, t);
            if (!x.read && !x.called && !x.first) continue;
            if (!part->load && load && writes_slot(s, st, t)) warn_again(s, load, t, st);
            if (!part->load || x.read || x.called) return;
            load = x.first;
        }
    }
}

// -- after the last read --------------------------------------------------------------------------

// "st" writes, in no loop, to a buffer that was read before, and is not read any more.
static bool is_last(const struct stmt *st) {
    const struct tensor *t = written(st)->base;
    for (const struct stmt *i = st->next; i; i = i->next) {
        struct touched x = touched_in(i, t);
        if (x.read || x.called) return false;
    }
    return !st->up;
}

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
    const struct ix *most = ix_max(s, loop->end);
    return ix_static(loop->begin, &from) && !(most && ix_static(most, &to) && to - from < 2);
}

static void same_again(struct session *s, const struct stmt *loop) {
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
        touch(&x, st, t);
        if (x.read || x.called) return true;
    }
    return false;
}

// "st" in a loop of several steps, of which each writes all of the buffer that no step reads.
static void each_step(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct stmt *loop = st->up;
    const struct tensor *t = written(st)->base;
    if (!loop || loop->kind != STMT_FOR || !has_many_steps(s, loop)) return;
    if (!writes_all(s, k, st) || reads_in(loop, t) || repeats(loop)) return;
    diag_warn(s, W_DEAD_COPY, st->at,
              "%s writes all of '%s' in each step of the loop over '%s', and no step reads it: the "
              "next step writes it again",
              what(s, st), t->name, loop->var->name);
    diag_note(s, loop->at, "what reads '%s' belongs in this loop, after what writes it", t->name);
}

// A call in a loop of several steps, if each writes all of the results, and no step reads them.
static void each_call(struct session *s, const struct stmt *st) {
    const struct stmt *loop = loop_of(st);
    const struct function *f = st->call->fn;
    const struct tensor *t = NULL;
    if (!loop || st->call->fill || !has_many_steps(s, loop)) return;
    for (int i = 0; i < f->nformals; ++i) {
        const struct view *v = &st->call->view[i];
        if (f->formal[i].dir == ARG_IN) continue;
        if (f->formal[i].dir == ARG_INOUT || is_elsewhere(v) || !is_all(s, v)) return;
        for (const struct stmt *x = loop->body; x; x = stmt_next(loop->body, x)) {
            struct touched touched = {0};
            touch(&touched, x, v->base);
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

// Whether all that the calls of "loop" write is "t", which no copy there reads: they add to it.
static const struct stmt *adds_to(const struct stmt *loop, const struct tensor *t) {
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
        if (reads || (adds && other)) return NULL;
        if (adds) call = st;
    }
    return call;
}

// A 'fill' in a loop of several steps, before calls whose results only the last step leaves behind.
static void lost_sums(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct stmt *loop = loop_of(st);
    const struct tensor *t = written(st)->base;
    if (st->kind != STMT_CALL || !loop || !has_many_steps(s, loop) || !writes_all(s, k, st)) return;
    const struct stmt *call = adds_to(loop, t);
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
        touch(&x, st, t);
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
        touch(&x, st, t);
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
              what(s, write), t->name);
    diag_note(s, read->at, "'%s' is read last here; 'load' fills the slots of later steps",
              t->name);
}

static void ends_of_steps(struct session *s, const struct kernel *k, const struct stmt *pipe) {
    for (int i = 0; i < pipe->pipe->ntensors; ++i) {
        end_of_step(s, k, pipe, pipe->pipe->tensor[i]);
        loads_again(s, pipe, pipe->pipe->tensor[i]);
    }
}

bool dead_copy_known(struct session *s, const struct kernel *k, const struct stmt *st) {
    return !is_read(k, written(st)->base) || is_last(st) ||
           written_again(s, k, st, written(st)->base);
}

void lint_dead_copy(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    if (has_no_output(k)) return;
    for (int i = 0; i < k->nlocal; ++i) {
        never_read(s, k, k->local[i]);
        result_unread(s, k, k->local[i]);
    }
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_FOR && st->var) same_again(s, st);
        if (st->kind == STMT_PIPELINE) ends_of_steps(s, k, st);
        if (st->kind == STMT_CALL) {
            each_call(s, st);
            result_again(s, k, st);
        }
        const struct stmt *again = written(st) ? written_again(s, k, st, written(st)->base) : NULL;
        if (!written(st) || !is_read(k, written(st)->base)) continue;
        if (!again && is_last(st)) {
            diag_warn(s, W_DEAD_COPY, st->at,
                      "%s writes to '%s' after its last read, and nothing reads what it writes",
                      what(s, st), written(st)->base->name);
            continue;
        }
        if (!again) {
            each_step(s, k, st);
            lost_sums(s, k, st);
            continue;
        }
        warn_again(s, st, written(st)->base, again);
    }
    for (int i = 0; i < k->nlocal; ++i) dead_parts(l, k->local[i]);
}
