// Writes of which nothing reaches an output, by going backwards through the statements of a kernel.
//
// A write counts if something that counts reads its buffer before all of the buffer is written again; a function's
// arguments are read if one of its results counts.  Each loop is gone through until nothing changes, and once more as
// its last step.  Buffers are looked at as wholes: a part that is read or written is no end of the rest.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/lint/dead.h"
#include "pass/walk.h"
#include "plan/view.h"

typedef uint64_t buffers;  // by their numbers among the kernel's own

enum { MOST_BUFFERS = 64, MOST_STATEMENTS = 256 };

struct flow {
    struct lint *l;
    bool through;             // what a function reads counts only if one of its results does
    const struct stmt *last;  // the loop whose last step is looked at
    int n;
    struct {
        const struct stmt *st;
        buffers later, at_end;  // those that are read later: after any step, and after the last one
    } at[MOST_STATEMENTS];
};

static buffers buffer(const struct flow *x, const struct view *v) {
    const struct kernel *k = x->l->k;
    for (int i = 0; i < k->nlocal && !dead_elsewhere(v); ++i)
        if (k->local[i] == v->base) return (buffers)1 << i;
    return 0;
}

static bool is_out(const struct plan_call *call, int i) {
    return call->fill || call->fn->formal[i].dir == ARG_OUT;
}

// The buffers that "st" writes, if it writes no other memory; otherwise 0.
static buffers writes(const struct flow *x, const struct stmt *st) {
    if (st->kind == STMT_COPY) return buffer(x, &st->copy->dst);
    buffers all = 0;
    for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i) {
        if (st->call->fn->formal[i].dir == ARG_IN) continue;
        if (!buffer(x, &st->call->view[i])) return 0;
        all |= buffer(x, &st->call->view[i]);
    }
    return all;
}

// The buffers that hold nothing of earlier writes after "st".
static buffers replaces(const struct flow *x, const struct stmt *st) {
    struct session *s = x->l->s;
    if (dead_written(st)) return dead_writes_all(s, x->l->k, st) ? buffer(x, dead_written(st)) : 0;
    buffers all = 0;
    for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
        if (is_out(st->call, i) && dead_is_all(s, &st->call->view[i]))
            all |= buffer(x, &st->call->view[i]);
    return all;
}

static buffers reads(const struct flow *x, const struct stmt *st) {
    if (st->kind == STMT_COPY) return buffer(x, &st->copy->src);
    buffers all = 0;
    for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
        if (!is_out(st->call, i)) all |= buffer(x, &st->call->view[i]);
    return all;
}

static const struct stmt *loop_of(const struct stmt *st) {
    const struct stmt *up = st->up;
    return up && up->kind == STMT_PART ? up->up : up;
}

static void record(struct flow *x, const struct stmt *st, buffers later) {
    int i = 0;
    while (i < x->n && x->at[i].st != st) ++i;
    if (i == MOST_STATEMENTS) return;
    if (i == x->n) x->at[x->n++].st = st;
    if (!x->last) x->at[i].later = later;
    if (x->last == loop_of(st)) x->at[i].at_end = later;
}

static buffers before_all(struct flow *x, const struct stmt *list, buffers later);

static buffers before(struct flow *x, const struct stmt *st, buffers later) {
    if (stmt_loops(st)) {
        buffers out = later, was, in;
        record(x, st, out);
        do {
            was = later;
            in = before_all(x, st->body, later);
            later |= in;
        } while (later != was);
        if (!x->last) {
            x->last = st;
            before_all(x, st->body, out);
            x->last = NULL;
        }
        return st->end->lo > st->begin->hi ? in : in | out;
    }
    if (st->kind == STMT_PART) return before_all(x, st->body, later);
    record(x, st, later);
    buffers w = writes(x, st);
    bool counts = !w || !x->through || (w & later);
    return (later & ~replaces(x, st)) | (counts ? reads(x, st) : 0);
}

static buffers before_all(struct flow *x, const struct stmt *list, buffers later) {
    return list ? before(x, list, before_all(x, list->next, later)) : later;
}

static void look(struct flow *x, bool through) {
    x->n = 0;
    x->through = through;
    x->last = NULL;
    before_all(x, x->l->k->body, 0);
}

// The statement that writes all of the buffers "which" after "st": the next one in the text, or else the first.
static const struct stmt *again(const struct flow *x, const struct stmt *st, buffers which) {
    const struct stmt *first = NULL;
    bool after = false;
    for (const struct stmt *i = x->l->k->body; i; i = stmt_next(x->l->k->body, i)) {
        bool all = i != st && (replaces(x, i) & which);
        if (all && after) return i;
        if (all && !first && st->up && i->up == st->up) first = i;
        after |= i == st;
    }
    return first;
}

static const struct tensor *tensor_of(const struct flow *x, buffers which) {
    for (int i = 0; i < x->l->k->nlocal; ++i)
        if (which >> i & 1) return x->l->k->local[i];
    return NULL;
}

// Whether the last step of "loop", in which "c" is, still loads elements that exist, so that it is no step too far.
static bool last_exists(struct lint *l, const struct stmt *loop, const struct copy *c) {
    struct session *s = l->s;
    const struct view *v = &c->src;
    const struct around around = {1, {loop}};
    if (!kernel_formal(l->k, v->base)) return false;
    for (int i = 0; lay_valid(v->coord) && i < lay_tuple_leaves(v->base->layout.shape); ++i) {
        const struct ix *end, *limit = view_limit(s, v, i);
        int64_t tile;
        if (!v->coord_off[i] || !ix_depends_on(v->coord_off[i], loop->var)) continue;
        if (!ix_rises(v->coord_off[i], loop->var, false)) return false;  // begins again at the end
        return limit && coverage_reach(s, v, &around, i, &end, &tile) &&
               coverage_short(lint_prover(l), ix_sub(s, end, ix_int(s, tile)), limit);
    }
    return false;
}

// Whether a statement of "loop" or after it, other than "st", reads the base of the source of "st".
static bool reads_again(const struct flow *x, const struct stmt *loop, const struct stmt *st) {
    bool from = false;
    for (const struct stmt *i = x->l->k->body; i; i = stmt_next(x->l->k->body, i)) {
        struct touched touched = {0};
        from |= i == loop;
        if (from && i != st) dead_touch(&touched, i, st->copy->src.base);
        if (touched.read) return true;
    }
    return false;
}

// The copy of "loop" that loads what "st" works on in each step, "st" itself or one before it; NULL: none does.
static const struct stmt *load_of(const struct flow *x, const struct stmt *loop,
                                  const struct stmt *st) {
    for (const struct stmt *i = loop->body; i && i != st->next; i = i->next)
        if (i->kind == STMT_COPY && (i == st || (writes(x, i) & reads(x, st))) &&
            last_exists(x->l, loop, i->copy))
            return i;
    return NULL;
}

// Warns of "st", a statement of a loop, if each step reads before it what the step before wrote, and nothing reads
// what the last one writes.
static void last_step(const struct flow *x, const struct stmt *st) {
    struct lint *l = x->l;
    const struct stmt *loop = st->up, *read = NULL, *load;
    const struct view *v = dead_written(st);
    buffers w = writes(x, st);
    if (!loop || loop->kind != STMT_FOR || (st->kind == STMT_CALL && (replaces(x, st) & w) != w))
        return;
    for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nindexes; ++i)
        if (ix_depends_on(st->call->index[i], loop->var)) return;
    if ((v && !dead_is_all(l->s, v)) || !(load = load_of(x, loop, st))) return;
    for (const struct stmt *i = loop->body; i != st && !read; i = stmt_next(loop->body, i))
        if (reads(x, i) & w) read = i;
    if (!read || reads_again(x, loop, load)) return;
    diag_warn(l->s, W_DEAD_COPY, st->at,
              "what %s writes to '%s' in the last step of the loop over '%s' is never read",
              dead_what(l->s, st), tensor_of(x, w)->name, loop->var->name);
    diag_note(l->s, read->at, "each step reads here what the step before it has written");
}

// Whether a statement of "list" reads "t" otherwise than calls of "f" that change it.
static bool is_used(const struct stmt *list, const struct tensor *t, const struct function *f) {
    for (const struct stmt *st = list; st; st = stmt_next(list, st)) {
        if (st->kind == STMT_COPY && st->copy->src.base == t) return true;
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i) {
            bool same = st->call->fn == f && st->call->fn->formal[i].dir == ARG_INOUT;
            if (st->call->view[i].base == t && !same && !is_out(st->call, i)) return true;
        }
    }
    return false;
}

static bool is_in(const struct stmt *st, const struct stmt *outer) {
    while (st && st != outer) st = st->up;
    return st != NULL;
}

// Whether the call "st" of "loop" gets its argument "i" from the step before.
static bool is_kept(const struct flow *x, const struct stmt *loop, const struct stmt *st, int i) {
    buffers b = buffer(x, &st->call->view[i]);
    if (st->call->fn->formal[i].dir != ARG_INOUT) return false;
    for (const struct stmt *j = loop->body; j != st; j = stmt_next(loop->body, j))
        if (replaces(x, j) & b) return false;
    return true;
}

// Warns of a result of the call "st" that a fill in the same loop discards before anybody reads it, where the call
// keeps no other from step to step: what is cleared is the sum of all steps.
static bool cleared(const struct flow *x, const struct stmt *st, int i) {
    struct session *s = x->l->s;
    const struct stmt *loop = loop_of(st), *over = again(x, st, buffer(x, &st->call->view[i]));
    bool other = false, takes = false;
    if (!loop || !over || over->up != st->up || over->kind != STMT_CALL || !over->call->fill ||
        !has_many_steps(s, loop) || st->call->fn->formal[i].dir != ARG_INOUT)
        return false;
    for (int j = 0; j < st->call->fn->nformals; ++j) {
        if (is_kept(x, loop, st, j)) return false;
        takes |= st->call->fn->formal[j].dir == ARG_IN;
        other |= j != i && st->call->fn->formal[j].dir == ARG_INOUT;
    }
    if (!other && !takes) return false;
    diag_warn(s, W_DEAD_COPY, st->call->view[i].at,
              "'%s' writes to '%s' in each step of the loop over '%s', and nothing reads it before "
              "the next step clears it",
              st->call->fn->name, st->call->view[i].base->name, loop->var->name);
    diag_note(s, over->at, "before the loop, this 'fill' is executed once");
    return true;
}

// Warns of argument "v" of the call "st" in a loop, if only its next step reads it, and all of it is written again after
// the loop, for others.
static bool sums_lost(const struct flow *x, const struct stmt *st, const struct view *v) {
    struct session *s = x->l->s;
    const struct function *f = st->call->fn;
    const struct stmt *loop = loop_of(st), *over = again(x, st, buffer(x, v));
    if (!loop || !has_many_steps(s, loop) || !over || is_in(over, loop)) return false;
    if (is_used(loop->body, v->base, f) || !is_used(x->l->k->body, v->base, f)) return false;
    diag_warn(s, W_DEAD_COPY, v->at,
              "only '%s' itself reads what it writes to '%s' in the loop over '%s'", f->name,
              v->base->name, loop->var->name);
    diag_note(s, over->at, "all of '%s' is written again here", v->base->name);
    return true;
}

// The copy number "n" of "list" that stores "t" to an output; NULL: there are fewer.
static const struct stmt *store_of(const struct stmt *list, const struct tensor *t, int n) {
    for (const struct stmt *st = list; st; st = stmt_next(list, st))
        if (st->kind == STMT_COPY && st->copy->src.base == t && dead_elsewhere(&st->copy->dst) &&
            --n == 0)
            return st;
    return NULL;
}

// Whether "c" and "d" store one buffer to different parts.
static bool stores_elsewhere(const struct stmt *c, const struct stmt *d) {
    const struct view *v = &c->copy->dst, *w = &d->copy->dst;
    return v->base != w->base || !v->offset || !w->offset || !ix_equal(v->offset, w->offset);
}

// Whether arguments "i" and "j" of "st" are buffers of one kind.
static bool is_alike(const struct flow *x, const struct stmt *st, int i, int j) {
    const struct tensor *t = st->call->view[i].base, *other = st->call->view[j].base;
    return other != t && buffer(x, &st->call->view[j]) && other->elem == t->elem &&
           other->space == t->space && lay_equal(other->layout, t->layout);
}

// The copy of an input in the same list of statements that fills argument "i" of "st"; NULL: there is none.
static const struct copy *load_to(const struct flow *x, const struct stmt *st, int i) {
    const struct kernel *k = x->l->k;
    for (const struct stmt *c = st->up ? st->up->body : k->body; c != st; c = c->next)
        if (c->kind == STMT_COPY && kernel_formal(k, c->copy->src.base) &&
            (replaces(x, c) & buffer(x, &st->call->view[i])))
            return c->copy;
    return NULL;
}

// The copy that is there instead of one of argument "i" of the call "st", by what is stored of argument "j", which is
// like it: "i" itself before the call changes it, "j" though the call only reads it, or "j" though both are parts of
// one tensor, as the output is that it goes to.  NULL: there is none.
static const struct stmt *stored_instead(const struct flow *x, const struct stmt *st, int i,
                                         int j) {
    const struct stmt *list = st->up ? st->up->body : x->l->k->body;
    const struct copy *load = load_to(x, st, i), *other = load_to(x, st, j);
    const struct stmt *store = store_of(list, st->call->view[j].base, 1);
    enum dir dir = st->call->fn->formal[j].dir;
    if (!store || !load) return NULL;
    if (dir == ARG_IN) return other ? store : NULL;
    const struct stmt *early = store_of(list, st->call->view[i].base, 1);
    if (early) return early;
    return other && other->src.base == load->src.base &&
                   lay_tuple_equal(load->src.base->layout.shape,
                                   store->copy->dst.base->layout.shape)
               ? store
               : NULL;
}

// Warns of a buffer that is loaded and that the call "st" changes, but that nobody reads after it, if another copy is
// there instead.
static bool changed_in_vain(const struct flow *x, const struct stmt *st, int i) {
    struct session *s = x->l->s;
    const struct function *f = st->call->fn;
    const struct view *v = &st->call->view[i];
    for (int j = 0; f->formal[i].dir == ARG_INOUT && j < f->nformals; ++j) {
        const struct stmt *store = is_alike(x, st, i, j) ? stored_instead(x, st, i, j) : NULL;
        if (!store) continue;
        diag_warn(s, W_DEAD_COPY, v->at, "'%s' changes '%s', and nothing reads it after that",
                  f->name, v->base->name);
        diag_note(s, store->at, "'%s'%s is stored to '%s' here", store->copy->src.base->name,
                  f->formal[j].dir == ARG_IN ? ", which the call only reads," : "",
                  store->copy->dst.base->name);
        return true;
    }
    return false;
}

// Warns of a result of the call "st" that nobody reads but the function itself, while another one like it is stored
// twice.
static bool stored_other(const struct flow *x, const struct stmt *st, int i) {
    struct session *s = x->l->s;
    const struct function *f = st->call->fn;
    const struct tensor *t = st->call->view[i].base;
    if (is_used(x->l->k->body, t, f)) return false;
    for (int j = 0; j < f->nformals; ++j) {
        const struct tensor *other = st->call->view[j].base;
        if (f->formal[j].dir == ARG_IN || !is_alike(x, st, i, j)) continue;
        const struct stmt *first = store_of(x->l->k->body, other, 1),
                          *second = store_of(x->l->k->body, other, 2);
        if (!second || !stores_elsewhere(first, second)) continue;
        diag_warn(s, W_DEAD_COPY, second->at,
                  "'%s' is stored to '%s' too, and nothing reads what '%s' writes to '%s'",
                  other->name, second->copy->dst.base->name, f->name, t->name);
        diag_note(s, st->call->view[i].at, "'%s' is written here", t->name);
        return true;
    }
    return false;
}

// Looks at each result of a call by itself, while others reach an output.
static void results_lost(const struct flow *x) {
    for (int i = 0; i < x->n; ++i) {
        const struct stmt *st = x->at[i].st;
        bool told = st->kind != STMT_CALL || st->call->fill;
        for (int j = 0; !told && j < st->call->fn->nformals; ++j) {
            const struct view *v = &st->call->view[j];
            buffers b = st->call->fn->formal[j].dir != ARG_IN ? buffer(x, v) : 0;
            if (b && !(b & x->at[i].later))
                told = cleared(x, st, j) || stored_other(x, st, j) || changed_in_vain(x, st, j);
            else if (b && !(b & x->at[i].at_end))
                told = sums_lost(x, st, v) || stored_other(x, st, j);
        }
    }
}

// Warns of a call of whose results other functions make nothing that counts.
static void reaches_nothing(const struct flow *x, const struct stmt *st) {
    struct session *s = x->l->s;
    buffers w = writes(x, st);
    const struct stmt *over = again(x, st, w);
    const struct tensor *t = tensor_of(x, over ? replaces(x, over) & w : w);
    diag_warn(s, W_DEAD_COPY, st->at, "nothing that %s writes reaches an output of kernel '%s'",
              dead_what(s, st), x->l->k->name);
    if (over)
        diag_note(s, over->at, "all of '%s' is written again here", t->name);
    else
        diag_note(s, t->at, "'%s' is declared here", t->name);
}

void dead_flow(struct lint *l) {
    struct flow *x = ARENA_NEW(&l->s->arena, struct flow);
    int before = l->s->diags.nwarnings + l->s->diags.nerrors;
    x->l = l;
    if (l->k->nlocal > MOST_BUFFERS) return;
    look(x, false);
    if (x->n == MOST_STATEMENTS) return;
    for (int i = 0; i < x->n; ++i) {
        const struct stmt *list = stmt_loops(x->at[i].st) ? x->at[i].st->body : NULL;
        for (const struct stmt *st = list; st; st = stmt_next(list, st))
            if (dead_written(st) && loop_of(st) == x->at[i].st && (writes(x, st) & x->at[i].later))
                dead_lost_sums(l->s, l->k, st, true);
    }
    // then the fill before the loop is needless only because of the one in it
    if (l->s->diags.nwarnings + l->s->diags.nerrors != before) return;
    for (int i = x->n - 1; i >= 0; --i) {
        const struct stmt *st = x->at[i].st;
        buffers w = writes(x, st);
        const struct stmt *over = w ? again(x, st, w) : NULL;
        if (w && !(w & x->at[i].later) && over)
            dead_warn_again(l->s, st, tensor_of(x, replaces(x, over) & w), over);
        else if (w && (w & x->at[i].later) && !(w & x->at[i].at_end))
            last_step(x, st);
    }
    if (l->s->diags.nwarnings + l->s->diags.nerrors != before) return;
    look(x, true);
    for (int i = 0; i < x->n;
         ++i) {  // from the end on: the last of them says why the others are unread
        buffers w = writes(x, x->at[i].st);
        if (!w || (w & x->at[i].later)) continue;
        reaches_nothing(x, x->at[i].st);
        return;
    }
    look(x, false);
    results_lost(x);
}
