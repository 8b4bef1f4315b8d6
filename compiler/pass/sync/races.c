// Pass "races": nothing is read and written at the same time.
//
// Requires: facts of partition; coverage has proven that writes write different elements.  Fills
// nothing.  Asks three questions that barriers cannot solve:
//
// 1. If both sides of a copy are in the same tensor, are they disjoint?  The elements of a copy
// move in no fixed order.
// 2. Does a block read what another block writes in an `inout` tensor?  Blocks run in no fixed
// order.
// 3. Does a pipeline load into a part of a slot that an earlier part of the step uses?  Loads run
// ahead.
//
// All are proven on sets of instances, by coordinates (instances.h).
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/instances/instances.h"
#include "pass/pass.h"
#include "pass/walk.h"
#include "plan/plan.h"

enum { MAX_ACCESSES = 64, MAX_REGISTERS = 1 << 16 };

struct race {
    struct session *s;
    const struct plan *plan;
    const struct kernel *k;
    struct prover *prover;
    struct around around;
};

// An access to a view by a copy, or with "copy" NULL by an argument of a call.
struct access {
    const struct copy *copy;
    const struct view *view;
    bool write;
    struct around around;
    struct instances *x;
    struct prove_set set;
};

static void make_set(const struct race *r, struct access *a, bool blocks) {
    a->x = ARENA_NEW(&r->s->arena, struct instances);
    if (a->copy) {
        a->set = instances_access(r->s, r->k, &a->around, a->copy, !a->write, blocks, a->x);
        return;
    }
    instances_begin(r->s, r->k, &a->around, blocks, a->x);
    instances_of(a->x, NULL, a->view);
    a->set = instances_settled(a->x, &a->around, a->view);
}

// Notes why there may be a race; "w" NULL: no witness.
static void note_why(const struct race *r, const struct access *a, const struct access *b,
                     enum prove_answer answer, const struct prove_witness *w) {
    if (answer == PROVE_NO)
        diag_note(r->s, a->view->at, "%selement %s of '%s' is %s by %s, and %s by %s",
                  instances_params(r->s, r->plan, r->k, w), instances_element(r->s, w),
                  a->view->base->name, a->write ? "written" : "read",
                  instances_where(a->x, &a->around, a->copy, w, 0), b->write ? "written" : "read",
                  instances_where(b->x, &b->around, b->copy, w, 1));
    else {
        bool full = a->x->full || b->x->full;
        diag_note(r->s, a->view->at, "it is not known: %s", instances_why(r->prover, full));
        instances_advice(r->s, r->prover, full, a->view->at);
    }
}

// -- 1: the sides of one copy ---------------------------------------------------------------------

// Marks the registers of "v".  Returns false if one is marked already, or if they are not known.
static bool mark(struct session *s, const struct view *v, bool *used, int64_t n) {
    int64_t at, offset;
    if (!lay_valid(v->layout) || !ix_static(v->offset, &offset)) return false;
    struct lay_int size = lay_size(&s->lay, v->layout);
    for (int64_t i = 0; lay_int_static(size) && i < size.num; ++i) {
        if (!lay_eval(&s->lay, lay_inner(v->layout), i, &at)) return false;
        at = lay_swizzle_apply(v->layout.sw, at + offset);
        if (at < 0 || at >= n || used[at]) return false;
        used[at] = true;
    }
    return lay_int_static(size);
}

static bool registers_apart(struct session *s, const struct copy *c) {
    struct lay_int n = lay_span(&s->lay, c->src.base->layout);
    if (!lay_int_static(n) || n.num > MAX_REGISTERS) return false;
    struct arena_mark start = arena_mark(&s->arena);
    bool *used = ARENA_ARRAY(&s->arena, bool, n.num + 1);
    bool ok = mark(s, &c->src, used, n.num) && mark(s, &c->dst, used, n.num);
    arena_rewind(&s->arena, start);
    return ok;
}

static bool check_sides(struct race *r, const struct copy *c) {
    struct session *s = r->s;
    struct prove_witness w;
    if (c->src.base != c->dst.base) return true;
    enum prove_answer answer = PROVE_UNKNOWN;
    struct access from = {c, &c->src, false, r->around}, to = {c, &c->dst, true, r->around};
    bool frag = c->src.base->space == MEM_FRAG;
    if (frag && registers_apart(s, c)) return true;
    if (!frag) {
        make_set(r, &from, true);
        make_set(r, &to, true);
        if (!from.x->full && !to.x->full)
            answer =
                prove_apart(r->prover, &from.set, &to.set, from.x->nblocks + from.x->nloops, 0, &w);
    }
    if (answer == PROVE_YES) return true;
    diag_error(s, c->at,
               "the two sides of %s may be the same elements of '%s'; the elements of a copy move "
               "in no fixed order",
               copy_name(s, c), c->src.base->name);
    if (!frag) note_why(r, &from, &to, answer, &w);
    diag_note(s, c->src.base->at, "'%s' is declared here", c->src.base->name);
    return false;
}

// Checks that what a called function writes overlaps no other argument, in memory that threads share.
// Of global memory, coverage checks that no element is written twice.
static bool check_arguments(struct race *r, const struct plan_call *y) {
    struct session *s = r->s;
    for (int i = 0; i < y->fn->nformals * y->fn->nformals; ++i) {
        int a = i / y->fn->nformals, b = i % y->fn->nformals;
        struct access from = {NULL, &y->view[a], false, r->around};
        struct access to = {NULL, &y->view[b], true, r->around};
        struct prove_witness w;
        enum prove_answer answer = PROVE_UNKNOWN;
        bool writes = y->fn->formal[b].dir != ARG_IN, reads = y->fn->formal[a].dir != ARG_OUT;
        bool twice = !reads && a < b && space_is_shared(to.view->base->space);
        if (a == b || !writes || from.view->base != to.view->base || !(reads || twice)) continue;
        if (to.view->base->space == MEM_FRAG) continue;
        make_set(r, &from, true);
        make_set(r, &to, true);
        if (!from.x->full && !to.x->full)
            answer =
                prove_apart(r->prover, &from.set, &to.set, from.x->nblocks + from.x->nloops, 0, &w);
        if (answer == PROVE_YES) continue;
        diag_error(s, to.view->at,
                   twice
                       ? "'%s' may be written here where another argument of this call is written "
                         "too; the threads of the block run in no order"
                       : "'%s' may be written here where another argument of this call is read; "
                         "the threads of the block run in no order",
                   to.view->base->name);
        note_why(r, &from, &to, answer, &w);
        diag_note(s, from.view->at, twice ? "it is written here, too" : "it is read here");
        return false;
    }
    return true;
}

// -- 2: blocks ------------------------------------------------------------------------------------

struct accesses {
    const struct tensor *t;
    int n;
    bool more;
    struct access at[MAX_ACCESSES];
};

static void add_access(struct accesses *a, struct access x) {
    if (a->n == MAX_ACCESSES)
        a->more = true;
    else
        a->at[a->n++] = x;
}

// Collects the accesses in "list" to "t", or with "t" NULL to shared memory.
static void gather(struct race *r, const struct stmt *list, struct accesses *a) {
    for (const struct stmt *x = list; x; x = x->next) {
        if (stmt_nests(x)) {
            r->around.stmt[r->around.n++] = x;
            gather(r, x->body, a);
            --r->around.n;
        }
        for (int side = 0; x->kind == STMT_COPY && side < 2; ++side) {
            const struct view *v = copy_side(x->copy, side == 0);
            if (a->t ? v->base == a->t : space_is_shared(v->base->space))
                add_access(a, (struct access){x->copy, v, side, r->around});
        }
        for (int i = 0; x->kind == STMT_CALL && i < x->call->fn->nformals; ++i) {
            const struct view *v = &x->call->view[i];
            if (a->t ? v->base == a->t : space_is_shared(v->base->space))
                add_access(a, (struct access){NULL, v, x->call->fn->formal[i].dir != ARG_IN,
                                              r->around});
        }
    }
}

static bool too_many(const struct race *r, const struct accesses *a) {
    if (!a->more) return false;
    diag_error(r->s, r->k->at,
               "kernel '%s' has more than %d accesses that may touch the same elements", r->k->name,
               MAX_ACCESSES);
    return true;
}

static bool check_blocks(struct race *r, const struct tensor *t) {
    struct session *s = r->s;
    struct accesses *a = ARENA_NEW(&s->arena, struct accesses);
    a->t = t;
    gather(r, r->k->body, a);
    if (too_many(r, a)) return false;
    for (int i = 0; i < a->n; ++i) make_set(r, &a->at[i], true);
    for (int i = 0; i < a->n; ++i) {
        for (int j = 0; j < a->n; ++j) {
            struct access *x = &a->at[i], *y = &a->at[j];
            struct prove_witness w;
            if (x->write || !y->write) continue;
            enum prove_answer answer = PROVE_UNKNOWN;
            if (!x->x->full && !y->x->full)
                answer = x->x->nblocks == 0
                             ? PROVE_YES
                             : prove_apart(r->prover, &x->set, &y->set, 0, x->x->nblocks, &w);
            if (answer == PROVE_YES) continue;
            diag_error(s, x->view->at,
                       "'%s' is read here where another block of kernel '%s' may write it; blocks "
                       "run in no order",
                       t->name, r->k->name);
            note_why(r, x, y, answer, &w);
            diag_note(s, y->view->at, "it is written here");
            return false;
        }
    }
    return true;
}

// -- 3: loads that run ahead ----------------------------------------------------------------------

// Checks that "use" does not access a part of a slot that a "load" below it fills: it would be
// filled already.
static bool check_parts(struct race *r, const struct stmt *pipe, const struct stmt *use,
                        const struct stmt *load) {
    struct session *s = r->s;
    struct accesses *above = ARENA_NEW(&s->arena, struct accesses);
    struct accesses *below = ARENA_NEW(&s->arena, struct accesses);
    int64_t ahead = pipe->pipe->stages - 1;
    r->around.stmt[r->around.n++] = pipe;
    r->around.stmt[r->around.n++] = use;
    gather(r, use->body, above);
    r->around.stmt[r->around.n - 1] = load;
    gather(r, load->body, below);
    r->around.n -= 2;
    if (too_many(r, above) || too_many(r, below)) return false;
    int loops = 1;
    for (int i = 0; i < r->around.n; ++i) loops += stmt_loops(r->around.stmt[i]);
    for (int i = 0; i < above->n; ++i) {
        for (int j = 0; j < below->n; ++j) {
            struct access *a = &above->at[i], *b = &below->at[j];
            struct prove_witness w;
            if (!b->write || a->view->base != b->view->base) continue;
            make_set(r, a, false);
            make_set(r, b, false);
            enum prove_answer answer = PROVE_UNKNOWN;
            if (!a->x->full && !b->x->full)
                answer = prove_apart(r->prover, &a->set, &b->set, loops, 0, &w);
            if (answer == PROVE_YES) continue;
            diag_error(s, a->view->at,
                       "'%s' is %s here before 'load' fills it, but 'load' runs %lld step%s ahead, "
                       "so its elements are already loaded then; use a separate buffer here",
                       a->view->base->name, a->write ? "written" : "read", (long long)ahead,
                       ahead == 1 ? "" : "s");
            diag_page(s, "pipeline");
            diag_note(s, b->view->at, "it is filled here");
            return false;
        }
    }
    return true;
}

// -- the pass -------------------------------------------------------------------------------------

static bool check_list(struct race *r, const struct stmt *list) {
    bool ok = true;
    for (const struct stmt *x = list; x; x = x->next) {
        if (x->kind == STMT_COPY) ok &= check_sides(r, x->copy);
        if (x->kind == STMT_CALL) ok &= check_arguments(r, x->call);
        if (!stmt_nests(x)) continue;
        r->around.stmt[r->around.n++] = x;
        ok &= check_list(r, x->body);
        --r->around.n;
        if (x->kind != STMT_PIPELINE || x->pipe->stages == 1) continue;
        for (const struct stmt *use = x->body; use; use = use->next) {
            for (const struct stmt *load = use->next; !use->load && load; load = load->next)
                ok &= !load->load || check_parts(r, x, use, load);
        }
    }
    return ok;
}

bool pass_races(struct session *s, struct plan *p) {
    bool ok = true;
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        struct session_mark mark = session_mark(s);
        struct race r = {s, p, k, instances_prover(s, p, k)};
        ok &= check_list(&r, k->body);
        for (int i = 0; i < k->nformals; ++i)
            if (k->formal[i].dir == ARG_INOUT) ok &= check_blocks(&r, k->formal[i].tensor);
        prover_free(r.prover);
        session_rewind(s, mark);
    }
    return ok;
}
