// Selects the iterations and steps for the check of the order (see order_steps.h).
#include "check/order_steps.h"

#include "base/session.h"

enum { SAME_STEPS = 4 };  // iterations of a loop that access the same addresses
enum { FEW_STEPS = 2 };   // iterations of a loop that may have more than the params give
#define OPERATIONS ((int64_t)1 << 18)  // operations of threads in a turn

bool order_tracks(const struct kir_buffer *b) {
    return b && (space_is_shared(b->space) || (b->space == MEM_GLOBAL && b->read && b->written));
}

// -- loops ----------------------------------------------------------------------------------------

// Marks in "on" the variables in "list" that depend on marked ones; returns whether a tracked
// address does.
static bool addresses_depend(const struct kir_node *list, bool *on);

static bool depends(const struct ix *e, const bool *on) {
    if (!e) return false;
    switch (e->op) {
    case IX_VAR: return on[e->var->id];
    case IX_DIV:
    case IX_MOD:
    case IX_SWZ: return depends(e->a, on);
    case IX_SUM: break;
    }
    for (int i = 0; i < e->nterms; ++i) {
        if (depends(e->term[i].atom, on)) return true;
    }
    return false;
}

static bool addresses_depend(const struct kir_node *list, bool *on) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->kind == KIR_LET && depends(n->index, on)) on[n->var->id] = true;
        for (int i = 0; i < n->ncarries; ++i) {
            if (depends(n->carry[i].first, on) || depends(n->carry[i].step, on))
                on[n->carry[i].var->id] = true;
        }
        if (order_tracks(n->buf) && depends(n->at, on)) return true;
        if (order_tracks(n->to_buf) && depends(n->to_at, on)) return true;
        for (int i = 0; i < n->nargs; ++i) {
            if (order_tracks(n->arg[i].buf) && depends(n->arg[i].at, on)) return true;
        }
        if (depends(n->begin, on) || depends(n->end, on)) return true;
        for (int i = 0; i < n->nconds; ++i) {
            if (depends(n->cond[i].a, on) || depends(n->cond[i].b, on)) return true;
        }
        if (n->cut && (depends(n->cut->a, on) || depends(n->cut->b, on))) return true;
        if (addresses_depend(n->body, on) || addresses_depend(n->orelse, on)) return true;
    }
    return false;
}

static bool steps_are_alike(struct session *s, const struct kir_node *n) {
    struct arena_mark mark = arena_mark(&s->arena);
    bool *on = ARENA_ARRAY(&s->arena, bool, s->next_var);
    on[n->var->id] = true;
    bool depend = addresses_depend(n->body, on);
    arena_rewind(&s->arena, mark);
    return !depend;
}

static int loop(void *user, const struct kir_node *n, int64_t begin, int64_t *end,
                int64_t pick[SAMPLE_AXIS]) {
    const struct order_steps *r = user;
    (void)pick;
    bool short_cut = !n->whole && r->same && *end - begin > SAME_STEPS;
    if (short_cut && steps_are_alike(r->s, n)) *end = begin + SAME_STEPS;
    int64_t few = n->most < FEW_STEPS ? n->most : FEW_STEPS;
    if (few > n->end->hi - begin) few = n->end->hi - begin;
    if (r->beyond && *end - begin < few) *end = begin + few;
    return -1;
}

// -- pipelines ------------------------------------------------------------------------------------

// More steps than there are stages, so that each slot is filled again, and the last slot differs
// from that of as many steps as stages.
//  With "parities", so many that with the loads ahead a barrier in memory is used again.
static int64_t many_steps(int64_t stages, bool parities) {
    int64_t many = stages + (stages == 2 ? 3 : 2), again = ARRIVAL_BARRIERS + 2 - stages;
    return parities && many < again ? again : many;
}

// How many steps to try in turn "turn" for a pipeline inside "depth" others.
static int64_t steps_in(int turn, int depth, int64_t stages, bool parities) {
    const int64_t few[ORDER_TURNS] = {0, 1, stages, many_steps(stages, parities)};
    if (depth == 0 || turn == 0) return few[turn];
    // for a pipeline inside one step of another one
    if (depth == 1 && turn == ORDER_TURNS - 1) return 0;
    return few[1 + (turn - 1 + depth) % (ORDER_TURNS - 1)];
}

// How many of the "steps" of a pipeline to execute in turn "turn" of "r"; it has at least "least" for any
// params.
static int64_t steps_of(const struct order_steps *r, int turn, int depth, int64_t stages,
                        int64_t steps, int64_t least) {
    int64_t most = steps_in(turn, depth, stages, r->parities);
    // the code may assume that all are executed; keeps the last slot as it would be
    if (least == steps) {
        int64_t all = many_steps(stages, r->parities);
        return steps <= all ? steps : all + (steps - all) % stages;
    }
    if (least > 0 && most <= least) most = turn == ORDER_TURNS - 1 ? least + 1 : least;
    return most < steps ? most : steps;
}

// The end of a pipeline's steps for a thread, instead of "value"; "most" is for other samples.
static int64_t let(void *user, const struct kir_node *n, int depth, int64_t value, int64_t most) {
    const struct order_steps *r = user;
    int64_t begin = most - sample_steps(n->count), steps = value - begin;
    int64_t many = many_steps(n->count, r->parities);
    if (many > n->most) many = n->most;
    if (many > n->index->hi - begin) many = n->index->hi - begin;
    if (r->beyond && steps < many) steps = many;
    int64_t least = ix_static(n->index, NULL) ? steps : n->index->lo - begin;
    int64_t now = steps_of(r, r->turn, depth, n->count, steps, least);
    for (int i = 0; i < r->turn; ++i) {
        if (steps_of(r, i, depth, n->count, steps, least) != now) r->same[i] = false;
    }
    return begin + now;
}

int order_turns(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        if (n->sampled && !ix_static(n->index, NULL)) return ORDER_TURNS;
        if (order_turns(n->body) > 1 || order_turns(n->orelse) > 1) return ORDER_TURNS;
    }
    return 1;
}

struct schedule order_schedule(struct session *s, struct order_steps *steps) {
    steps->s = s;
    return (struct schedule){.user = steps,
                             .loop = loop,
                             .let = steps->same ? let : NULL,
                             .limit = OPERATIONS * (steps->alone ? ORDER_TURNS : 1)};
}

bool order_reads_global(const struct kir_node *list) {
    for (const struct kir_node *n = list; n; n = n->next) {
        bool reads = n->kind == KIR_LOAD || n->kind == KIR_MOVE || n->kind == KIR_ASYNC;
        if (reads && n->buf->space == MEM_GLOBAL && order_tracks(n->buf)) return true;
        for (int i = 0; i < n->nargs; ++i) {
            const struct kir_buffer *b = n->arg[i].buf;
            if (b && b->space == MEM_GLOBAL && order_tracks(b)) return true;
        }
        if (order_reads_global(n->body) || order_reads_global(n->orelse)) return true;
    }
    return false;
}

int order_nodes(const struct kir_node *list) {
    int n = 0;
    for (const struct kir_node *x = list; x; x = x->next)
        n += 2 + x->nargs + order_nodes(x->body) + order_nodes(x->orelse);
    return n;
}

bool order_by_copy(const struct kir_node *n, bool writes) {
    return n->kind == KIR_ASYNC && n->align > 0 && (writes || kir_stores(n));
}
