// Lowers a pipeline to its schedule:
//
//     begin = .., end = ..
//     prologue: the loads of steps 0 .. stages - 2, as far as these exist
//     for each step n: the parts in order, with the loads of step n + stages - 1 if it exists
//
// The last steps load nothing.  The slot of a step is a remainder if the number of stages is a
// power of two and the first step is known; otherwise the loop counts it.  The loop also increments
// the offsets of loads from global memory (carry.c).
#include "base/session.h"
#include "image/sample.h"
#include "lower/private.h"

// var = index
static struct kir_node *let(struct lowering *w, struct ix_var *var, const struct ix *index) {
    struct kir_node *n = lower_node(w, KIR_LET);
    n->var = var;
    n->index = index;
    return n;
}

// Takes the names of a pipeline's variables while its code is emitted.
static void take(struct lowering *w, struct ix_var *var, const char *name) {
    var->c_name = names_take(&w->names, name);
}

// Variables of "load" parts have the same names as those of "use" parts, except where both are
// visible.
static void take_load(struct lowering *w, struct ix_var *var, const char *name) {
    take(w, var, name);
    var->name = var->c_name;
}

static void release(struct lowering *w, const struct ix_var *var) {
    names_release(&w->names, var->c_name);
}

static void remark(struct lowering *w, const char *text) {
    lower_comment_on(w, lower_node(w, KIR_COMMENT), text);
}

static bool power_of_two(int64_t n) {
    return (n & (n - 1)) == 0;
}

// Removes the let "n" if the nodes after it do not use its variable.
static void drop_unused(struct kir_node *n) {
    if (kir_uses(n->next, n->var)) return;
    n->kind = KIR_BLOCK;
    n->var = NULL;
    n->index = NULL;
}

static bool commits(const struct stmt *st) {
    return st->kind == STMT_COPY ? st->copy->facts.commit_after : st->commit_after;
}

struct loads {
    const struct ix *step, *end, *slot;
    bool sure;   // step < end
    bool named;  // load_var already has the value of the step; otherwise it gets it
};

// A "load" part: if (step < end) { loads }, without the condition if it is sure to hold.  Each
// step ends the groups, even if it loads nothing, so that all have equally many.
static void lower_loads(struct lowering *w, const struct stmt *part, const struct pipeline *pipe,
                        struct loads l) {
    struct kir_node *scope = lower_node(w, KIR_BLOCK);
    struct kir_node **outside = lower_open(w, scope);
    struct kir_node *n = l.named ? NULL : let(w, pipe->load_var, l.step);
    struct kir_node *at = l.slot ? let(w, pipe->load_slot, l.slot) : NULL;
    bool held = w->hold_commits;
    w->hold_commits = true;
    for (const struct stmt *st = part->body; st;) {
        struct kir_node *guard = lower_node(w, l.sure ? KIR_BLOCK : KIR_IF);
        if (!l.sure) {
            struct kir_cond *cond = ARENA_NEW(&w->s->arena, struct kir_cond);
            *cond = (struct kir_cond){ix_var(w->s, pipe->load_var), l.end, false};
            guard->cond = cond;
            guard->nconds = 1;
        }
        struct kir_node **behind = lower_open(w, guard);
        bool commit = false;
        for (; st && !commit; st = st->next) {
            lower_statement(w, st);
            commit = commits(st);
        }
        w->tail = behind;
        if (commit) lower_commit(w);
    }
    w->hold_commits = held;
    if (at) drop_unused(at);
    if (n) drop_unused(n);
    w->tail = outside;
}

static void lower_prologue(struct lowering *w, const struct stmt *st, const struct ix *begin,
                           const struct ix *end, const struct ix *bound) {
    struct session *s = w->s;
    const struct pipeline *pipe = st->pipe;
    int64_t ahead = pipeline_ahead(pipe);
    remark(w, ahead == 1 ? "prologue: the loads of the first step"
                         : arena_printf(&s->arena, "prologue: the loads of the first %lld steps",
                                        (long long)ahead));
    lower_before(w, &st->before);
    struct kir_node *loop = NULL;
    const struct ix *step = begin, *behind = ix_add(s, begin, ix_int(s, ahead));
    bool sure = ix_provably_nonnegative(s, ix_sub(s, bound, behind));
    if (ahead > 1) {
        loop = lower_node(w, KIR_FOR);
        loop->var = pipe->load_var;
        loop->begin = begin;
        loop->end = behind;
        loop->whole = true;
        lower_open(w, loop);
        step = ix_var(s, pipe->load_var);
    }
    for (const struct stmt *part = st->body; part; part = part->next)
        if (part->load)
            lower_loads(w, part, pipe,
                        (struct loads){step, end, ix_sub(s, step, begin), sure, loop});
    if (loop) w->tail = &loop->next;
}

static void lower_parts(struct lowering *w, const struct stmt *st, const struct ix *end,
                        const struct ix *load_slot) {
    struct session *s = w->s;
    const struct pipeline *pipe = st->pipe;
    for (const struct stmt *part = stmt_first_part(st); part; part = stmt_part_after(part)) {
        lower_before(w, &part->before);
        const struct ix *step = ix_add(s, ix_var(s, st->var), ix_int(s, pipeline_ahead(pipe)));
        if (!part->load || pipe->stages == 1)
            lower_list(w, part->body);
        else
            lower_loads(w, part, pipe, (struct loads){step, end, load_slot, false, false});
    }
    lower_before(w, &st->behind);
}

// A variable for "is", the begin or end of a pipeline's steps, with a value in "lo" .. "hi".  The
// text of a number is itself.
static struct ix_var *end_of_steps(struct lowering *w, const struct stmt *st, const char *which,
                                   const struct ix *is, int64_t hi) {
    struct ix_var *v = ARENA_NEW(&w->s->arena, struct ix_var);
    v->kind = IX_NAMED;
    v->id = w->s->next_var++;
    v->lo = lay_int(is->lo);
    v->end = hi < INT64_MAX ? lay_int(hi + 1) : LAY_INT_INVALID;
    int64_t number;
    v->name = arena_printf(&w->s->arena, "%s_%s", st->var->name, which);
    if (ix_static(is, &number)) {
        v->c_name = arena_printf(&w->s->arena, "%lld", (long long)number);
        return v;
    }
    take(w, v, v->name);
    v->name = v->c_name;
    return v;
}

// Whether a <= b is proven.
static bool at_most(struct session *s, const struct ix *a, const struct ix *b) {
    const struct ix *rest = ix_sub(s, b, a);
    if (rest && ix_provably_nonnegative(s, rest)) return true;
    return a->op == IX_DIV && b->op == IX_DIV && lay_int_equal(a->k, b->k) &&
           at_most(s, a->a, b->a);
}

void lower_begin_steps(struct lowering *w, const struct stmt *st, struct steps *x) {
    struct session *s = w->s;
    const struct ix *begin = lower_index(w, st->begin), *bound = lower_index(w, st->end);
    const struct ix *trips = ix_sub(s, bound, begin);
    int64_t unused, most = INT64_MAX;
    *x = (struct steps){0};
    if (lay_int_valid(st->var->end)) lay_int_range(st->var->end, &unused, &most);
    if (bound->hi < most) most = bound->hi;
    if (!ix_constant(begin) && begin->op != IX_VAR) {  // computed once
        int64_t hi = begin->hi > most && at_most(s, st->begin, st->end) ? most : begin->hi;
        x->first = end_of_steps(w, st, "begin", begin, hi);
        let(w, x->first, begin);
        begin = ix_var(s, x->first);
    }
    x->last = end_of_steps(w, st, "end", bound, most);
    struct kir_node *steps = let(w, x->last, bound);
    steps->sampled = ix_add(s, begin, ix_int(s, sample_steps(pipeline_depth(st->pipe))));
    steps->count = pipeline_depth(st->pipe);
    steps->most = trips && ix_constant(trips) ? trips->hi : 0;
    x->begin = begin;
    x->bound = bound;
    x->end = ix_var(s, x->last);
}

void lower_end_steps(struct lowering *w, const struct steps *x) {
    release(w, x->last);
    if (x->first) release(w, x->first);
}

static const char *steady_state(struct session *s, const struct pipeline *pipe) {
    long long ahead = (long long)pipeline_ahead(pipe);
    if (pipe->late)
        return arena_printf(
            &s->arena,
            "steady state: use this step, fill its slot again for %lld steps later; the last "
            "%lld only use",
            ahead, ahead);
    return ahead == 1
               ? "steady state: load the next step, use this one; the last only uses"
               : arena_printf(
                     &s->arena,
                     "steady state: load %lld steps ahead, use this one; the last %lld only use",
                     ahead, ahead);
}

void lower_pipeline(struct lowering *w, const struct stmt *st) {
    struct session *s = w->s;
    const struct pipeline *pipe = st->pipe;
    if (pipe->nroles > 0) {
        lower_manual_roles(w, st);
        return;
    }
    if (pipeline_has_roles(pipe)) {
        lower_roles(w, st);
        return;
    }
    take(w, st->var, st->var->name);
    if (pipe->stages > 1) {
        take(w, pipe->slot, "slot");
        take_load(w, pipe->load_var, arena_printf(&s->arena, "%s_load", st->var->name));
        take_load(w, pipe->load_slot, "load_slot");
    }
    struct kir_node *scope = lower_node(w, KIR_BLOCK);
    struct kir_node **outside = lower_open(w, scope);
    struct steps x;
    lower_begin_steps(w, st, &x);
    const struct ix *begin = x.begin, *end = x.end;

    if (pipe->stages > 1) {
        lower_prologue(w, st, begin, end, x.bound);
        remark(w, steady_state(s, pipe));
    }
    struct kir_node *loop = lower_node(w, KIR_FOR);
    loop->var = st->var;
    loop->begin = begin;
    loop->end = end;
    loop->whole = true;
    lower_open(w, loop);
    const struct ix *done = ix_sub(s, ix_var(s, st->var), begin), *load_slot = NULL;
    struct kir_node *slot = NULL;
    struct kir_ring *ring = NULL;
    if (pipe->stages > 1 && power_of_two(pipe->stages) && ix_static(begin, NULL)) {
        slot = let(w, pipe->slot, ix_mod(s, done, lay_int(pipe->stages)));
        load_slot =
            ix_mod(s, ix_add(s, done, ix_int(s, pipeline_ahead(pipe))), lay_int(pipe->stages));
    } else if (pipe->stages > 1) {
        ring = ARENA_ARRAY(&s->arena, struct kir_ring, 2);
        ring[0] = (struct kir_ring){pipe->slot, 0, pipe->stages};
        ring[1] = (struct kir_ring){pipe->load_slot, pipe->stages - 1, pipe->stages};
    }
    if (pipe->late) load_slot = ix_var(s, pipe->slot);
    lower_parts(w, st, end, load_slot);
    if (slot) drop_unused(slot);
    for (int i = 0; ring && i < 2 - pipe->late; ++i) {
        if (kir_uses(loop->body, ring[i].var)) {
            ring[loop->nrings] = ring[i];
            loop->ring = ring;
            ++loop->nrings;
        }
    }
    const struct ix *ahead = ix_add(s, begin, ix_int(s, pipeline_ahead(pipe)));
    if (pipe->stages > 1)
        carry_offsets(w, loop, pipe->load_var, ahead, "ahead", pipeline_ahead(pipe) + 1);
    else
        carry_offsets(w, loop, st->var, begin, "step", 1);
    w->tail = outside;
    carry_release(w, loop);
    release(w, st->var);
    if (pipe->stages > 1) {
        release(w, pipe->slot);
        release(w, pipe->load_var);
        release(w, pipe->load_slot);
    }
    lower_end_steps(w, &x);
}
