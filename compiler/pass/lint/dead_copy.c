// Copies and fills of shared memory and fragments whose elements nobody reads: the buffer is never
// read, or not after that, or all that was written is written again first.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/dead.h"
#include "pass/walk.h"

void dead_touch(struct touched *x, const struct stmt *st, const struct tensor *t) {
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

struct touched touched_in(const struct stmt *st, const struct tensor *t) {
    struct touched x = {0};
    dead_touch(&x, st, t);
    for (const struct stmt *i = st->body; i; i = stmt_next(st->body, i)) dead_touch(&x, i, t);
    return x;
}

bool dead_elsewhere(const struct view *v) {
    return v->base->space == MEM_GLOBAL || v->base->outside;
}

const struct view *dead_written(const struct stmt *st) {
    const struct view *v = NULL;
    if (st->kind == STMT_COPY) v = &st->copy->dst;
    if (st->kind == STMT_CALL && st->call->fill) v = &st->call->view[0];
    return v && !dead_elsewhere(v) ? v : NULL;
}

const char *dead_what(struct session *s, const struct stmt *st) {
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
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) dead_touch(&x, st, t);
    return x.read || x.called;
}

static void never_read(struct session *s, const struct kernel *k, const struct tensor *t) {
    struct touched x = {0};
    for (const struct stmt *st = k->body; st && !x.first; st = stmt_next(k->body, st))
        dead_touch(&x, st, t);
    if (!x.first || is_read(k, t)) return;
    diag_warn(s, W_DEAD_COPY, x.first->at, "%s writes to '%s', and nothing in kernel '%s' reads it",
              dead_what(s, x.first), t->name, k->name);
    diag_note(s, t->at, "'%s' is declared here", t->name);
}

// Whether "t" is all that "call" writes.
static bool writes_only(const struct plan_call *call, const struct tensor *t) {
    for (int i = 0; i < call->fn->nformals; ++i)
        if (call->fn->formal[i].dir != ARG_IN && call->view[i].base != t) return false;
    return true;
}

// The last call that writes to "t", if functions write to it, or add and write nothing else, and nothing
// reads anything of it; or NULL.  Sets "result" to its argument.
static const struct plan_call *unread_call(const struct kernel *k, const struct tensor *t,
                                           const struct view **result) {
    const struct plan_call *call = NULL;
    for (const struct stmt *st = k->body; st && !t->outside; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_COPY && st->copy->src.base == t) return NULL;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i) {
            enum dir dir = st->call->fn->formal[i].dir;
            if (st->call->view[i].base != t || st->call->fill) continue;
            if (dir == ARG_IN || (dir == ARG_INOUT && !writes_only(st->call, t))) return NULL;
            call = st->call;
            *result = &st->call->view[i];
        }
    }
    return call;
}

static void result_unread(struct session *s, const struct kernel *k, const struct tensor *t) {
    const struct view *result;
    const struct plan_call *call = unread_call(k, t, &result);
    if (!call) return;
    diag_warn(s, W_DEAD_COPY, result->at,
              "'%s' writes to '%s', and nothing in kernel '%s' reads it", call->fn->name, t->name,
              k->name);
    diag_note(s, t->at, "'%s' is declared here", t->name);
}

// -- written again --------------------------------------------------------------------------------

bool dead_is_all(struct session *s, const struct view *v) {
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

bool dead_writes_all(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct copy *c = st->kind == STMT_COPY ? st->copy : NULL;
    if (c && ((c->facts.npred && !c->pad) || leaves_threads(k, c))) return false;
    return dead_is_all(s, dead_written(st));
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
    return places && !a->pad && dead_is_all(s, &a->dst) && dead_is_all(s, &b->dst) &&
           ends_alike(&a->src, &b->src);
}

// Whether "st" is the call of a function that writes all of "t", an 'out' argument.
static bool calls_over(struct session *s, const struct stmt *st, const struct tensor *t) {
    if (st->kind != STMT_CALL || st->call->fill) return false;
    for (int i = 0; i < st->call->fn->nformals; ++i)
        if (st->call->view[i].base == t &&
            (st->call->fn->formal[i].dir != ARG_OUT || !dead_is_all(s, &st->call->view[i])))
            return false;
    return true;
}

// Whether "st" writes all of "t" that is ever stored: the only read of "t" is a copy with the guards of its source.
static bool covers_reads(struct session *s, const struct kernel *k, const struct stmt *st,
                         const struct tensor *t) {
    const struct stmt *read = NULL;
    // what is before it, in no loop, reads nothing that it writes
    const struct stmt *from = st->up ? k->body : st;
    for (const struct stmt *i = from; i; i = stmt_next(k->body, i)) {
        struct touched x = {0};
        dead_touch(&x, i, t);
        if (x.called || (x.read && read)) return false;
        if (x.read) read = i;
    }
    return read && st->kind == STMT_COPY && read->kind == STMT_COPY && read->up == st->up &&
           !leaves_threads(k, st->copy) && dead_is_all(s, &st->copy->dst) &&
           dead_is_all(s, &read->copy->src) && ends_alike(&st->copy->src, &read->copy->dst);
}

// The statement after "st", in the same block of statements, that writes all of "t", which "st" writes,
// before anybody reads of it; or NULL.
static const struct stmt *written_again(struct session *s, const struct kernel *k,
                                        const struct stmt *st, const struct tensor *t) {
    for (const struct stmt *i = st->next; i; i = i->next) {
        struct touched x = touched_in(i, t);
        if (x.called && !x.read && calls_over(s, i, t)) return i;
        if (x.read || x.called) return NULL;
        if (!dead_written(i) || dead_written(i)->base != t) continue;
        bool slot = t->stages && i->up && i->up->load && dead_writes_slot(s, i, t, t->stages);
        if (slot || dead_writes_all(s, k, i) || guarded_alike(s, st, i) || covers_reads(s, k, i, t))
            return i;
    }
    return NULL;
}

// The loop of several steps in which the fill "again" clears what a call of that loop adds to, after "st", a fill before
// the loop; NULL: it is none.
static const struct stmt *clears_each(struct session *s, const struct stmt *st,
                                      const struct tensor *t, const struct stmt *again) {
    const struct stmt *loop = again->up, *up = st->up;
    if (loop && loop->kind == STMT_PART) loop = loop->up;
    if (st->kind != STMT_CALL || again->kind != STMT_CALL || !loop || !stmt_loops(loop) ||
        !has_many_steps(s, loop))
        return NULL;
    for (; up; up = up->up)
        if (up == loop) return NULL;
    for (const struct stmt *i = loop->body; i; i = stmt_next(loop->body, i))
        for (int j = 0; i->kind == STMT_CALL && !i->call->fill && j < i->call->fn->nformals; ++j)
            if (i->call->view[j].base == t && i->call->fn->formal[j].dir == ARG_INOUT) return loop;
    return NULL;
}

void dead_warn_again(struct session *s, const struct stmt *st, const struct tensor *t,
                     const struct stmt *again) {
    const struct stmt *loop = clears_each(s, st, t, again);
    if (loop) {
        diag_warn(s, W_DEAD_COPY, again->at,
                  "this 'fill' clears '%s' in each step of the loop over '%s', so that nothing "
                  "goes on from one step to the next, and what is written to it before the loop "
                  "is lost",
                  t->name, loop->var->name);
        diag_note(s, st->at, "with this one alone, '%s' is cleared once", t->name);
        return;
    }
    diag_warn(s, W_DEAD_COPY, st->at,
              "%s writes to '%s', and nothing reads it before all of "
              "'%s' is written again",
              dead_what(s, st), t->name, t->name);
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
        if (dead_elsewhere(v) || !(again = written_again(s, k, st, v->base))) return;
        t = v->base;
    }
    if (t) dead_warn_again(s, st, t, again);
}

// -- after the last read --------------------------------------------------------------------------

// "st" writes, in no loop, to a buffer that was read before, and is not read any more.
static bool is_last(const struct stmt *st) {
    const struct tensor *t = dead_written(st)->base;
    for (const struct stmt *i = st->next; i; i = i->next) {
        struct touched x = touched_in(i, t);
        if (x.read || x.called) return false;
    }
    return !st->up;
}

// Whether a statement that may be executed after "st" reads "t" or passes it to a function.  "st" itself,
// in a loop, adds to what it wrote.
static bool is_used_after(const struct stmt *st, const struct tensor *t) {
    for (const struct stmt *up = st; up; up = up->up) {
        const struct stmt *list = up != st && stmt_loops(up) ? up->body : NULL;
        for (const struct stmt *i = list; i; i = stmt_next(list, i)) {
            struct touched x = {0};
            if (i != st) dead_touch(&x, i, t);
            if (x.read || x.called) return true;
        }
        for (const struct stmt *i = up->next; i; i = i->next) {
            struct touched x = touched_in(i, t);
            if (x.read || x.called) return true;
        }
    }
    return false;
}

// Whether a copy before "st" stores "t" to memory that outlives the kernel.
static bool is_stored_before(const struct kernel *k, const struct stmt *st,
                             const struct tensor *t) {
    for (const struct stmt *i = k->body; i != st; i = stmt_next(k->body, i))
        if (i->kind == STMT_COPY && i->copy->src.base == t && dead_elsewhere(&i->copy->dst))
            return true;
    return false;
}

// Whether "st" changes another buffer of the kind of its argument "i" that is read after it.
static bool changes_another(const struct stmt *st, int i) {
    const struct function *f = st->call->fn;
    const struct tensor *t = f->formal[i].tensor;
    for (int j = 0; j < f->nformals; ++j)
        if (j != i && f->formal[j].dir == ARG_INOUT && f->formal[j].tensor->elem == t->elem &&
            lay_equal(f->formal[j].tensor->layout, t->layout) &&
            is_used_after(st, st->call->view[j].base))
            return true;
    return false;
}

// A call, in no loop, that changes a buffer that was stored before it and that nothing reads after it, and one like
// it that is.
static void changed_late(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct function *f = st->call->fn;
    for (int i = 0; i < f->nformals && !st->call->fill && !st->up; ++i) {
        const struct view *v = &st->call->view[i];
        if (f->formal[i].dir != ARG_INOUT || dead_elsewhere(v) || is_used_after(st, v->base) ||
            !is_stored_before(k, st, v->base) || !changes_another(st, i))
            continue;
        diag_warn(s, W_DEAD_COPY, v->at,
                  "'%s' writes to '%s' after its last read, and nothing reads what it writes",
                  f->name, v->base->name);
        return;
    }
}

// A call whose results are all read before it, and not after it.
static bool result_late(struct session *s, const struct kernel *k, const struct stmt *st) {
    const struct function *f = st->call->fn;
    const struct view *late = NULL, *result;
    for (int i = 0; i < f->nformals && !st->call->fill; ++i) {
        const struct view *v = &st->call->view[i];
        if (f->formal[i].dir == ARG_IN) continue;
        if (f->formal[i].dir == ARG_OUT && st->up) return false;  // see dead_each_call
        if (dead_elsewhere(v) || unread_call(k, v->base, &result) || is_used_after(st, v->base))
            return false;
        if (!late) late = v;
    }
    if (late)
        diag_warn(s, W_DEAD_COPY, late->at,
                  "'%s' writes to '%s' after its last read, and nothing reads what it writes",
                  f->name, late->base->name);
    return late != NULL;
}

bool dead_copy_known(struct session *s, const struct kernel *k, const struct stmt *st) {
    return !is_read(k, dead_written(st)->base) || is_last(st) ||
           written_again(s, k, st, dead_written(st)->base);
}

void lint_dead_copy(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    if (has_no_output(k)) return;
    int before = s->diags.nwarnings + s->diags.nerrors;
    for (int i = 0; i < k->nlocal; ++i) {
        never_read(s, k, k->local[i]);
        result_unread(s, k, k->local[i]);
    }
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        if (st->kind == STMT_FOR && st->var) {
            dead_same_again(s, st);
            dead_same_call(s, st);
            for (int i = 0; i < k->nlocal; ++i) dead_left_by_last(s, k, st, k->local[i]);
        }
        if (st->kind == STMT_PIPELINE) dead_ends_of_steps(s, k, st);
        if (st->kind == STMT_CALL) {
            dead_each_call(s, st);
            dead_call_twice(s, st);
            result_again(s, k, st);
            if (!result_late(s, k, st)) changed_late(s, k, st);
        }
        const struct stmt *again =
            dead_written(st) ? written_again(s, k, st, dead_written(st)->base) : NULL;
        if (!dead_written(st) || !is_read(k, dead_written(st)->base)) continue;
        if (!again && is_last(st)) {
            diag_warn(s, W_DEAD_COPY, st->at,
                      "%s writes to '%s' after its last read, and nothing reads what it writes",
                      dead_what(s, st), dead_written(st)->base->name);
            continue;
        }
        if (!again) {
            dead_before_loop(s, k, st);
            dead_each_step(s, k, st);
            dead_lost_sums(s, k, st, false);
            continue;
        }
        dead_warn_again(s, st, dead_written(st)->base, again);
    }
    for (int i = 0; i < k->nlocal; ++i) dead_parts(l, k->local[i]);
    if (s->diags.nwarnings + s->diags.nerrors == before) dead_flow(l);
}
