// Copies and results of functions in the slots of a buffer outside of pipelines, such as a double buffer: what some step
// writes is never read, because another slot is read in its place.
//
// Along the mode of the slots each access has one coordinate, or all.  The question is about these alone: a read of
// any element of a slot reads it, and a write of all of it replaces it.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/lint/dead.h"
#include "pass/walk.h"
#include "plan/view.h"

// Whether steps are counted modulo something in "e": '(i + 1) % N', and '1 % N' before the loop, load ahead
// and begin again at the end, on purpose.
static bool turns(const struct ix *e) {
    bool found = e && e->op == IX_MOD && (ix_depends(e, IX_LOOP) || ix_constant(e));
    for (int i = 0; e && e->op == IX_SUM && i < e->nterms; ++i) found |= turns(e->term[i].atom);
    return found;
}

// Whether each access has one coordinate along "mode", or all "slots", and loops read one after
// the other, or write them in turn.  What only loads a table for one read is another matter.
static bool is_slot(struct session *s, const struct dead_list *x, int mode, int64_t slots) {
    bool moved = false;
    for (int i = 0; i < x->n; ++i) {
        const struct view *v = x->at[i].view;
        const struct ix *lo, *hi;
        int64_t n;
        if (!v->coord_off[mode]) return false;
        view_reach(s, v, mode, &lo, &hi);
        const struct ix *more = lo && hi ? ix_sub(s, hi, lo) : NULL;
        if (!more || !ix_static(more, &n) || (n != 0 && n != slots - 1)) return false;
        moved |=
            x->at[i].read ? ix_depends(v->coord_off[mode], IX_LOOP) : turns(v->coord_off[mode]);
    }
    return moved;
}

// The step of access "a": of a read, of a write that replaces all of a slot, or with "own" of all that
// exists of what it copies.
static bool step_of(const struct dead_list *x, const struct dead_access *a, int mode, int64_t slots,
                    bool own, struct prove_step *out) {
    struct session *s = x->l->s;
    struct instances *in = ARENA_NEW(&s->arena, struct instances);
    struct copy c;
    if (dead_is_all(s, a->view)) slots = 1;
    *out = (struct prove_step){.read = a->read};
    for (int i = 0; i < a->around.n; ++i) {
        if (a->around.stmt[i]->kind != STMT_FOR || i == PROVE_LOOPS) return false;
        out->loop[out->nloops++] = a->around.stmt[i];
    }
    if (a->stmt->kind == STMT_COPY) {
        c = *a->stmt->copy;
        if (own) c.pad = NULL;
        out->set = instances_access(s, x->l->k, &a->around, &c, a->read, false, in);
        out->write = !own && !a->read && dead_writes_slot(s, a->stmt, x->t, slots);
    } else {
        instances_begin(s, x->l->k, &a->around, false, in);
        instances_of(in, NULL, a->view);
        out->set = instances_settled(in, &a->around, a->view);
        out->write = a->stmt->call->fill && dead_writes_slot(s, a->stmt, x->t, slots);
    }
    out->set.out += mode;
    out->set.nouts = 1;
    return !in->full;
}

static bool source_turns(const struct view *v) {
    bool found = turns(v->offset);
    int n = lay_valid(v->coord) ? lay_tuple_leaves(v->base->layout.shape) : 0;
    for (int i = 0; i < n; ++i) found |= turns(v->coord_off[i]);
    return found;
}

// Whether "a" is the only result of a function.
static bool is_result(const struct dead_access *a) {
    const struct plan_call *call = a->stmt->kind == STMT_CALL ? a->stmt->call : NULL;
    bool found = false;
    for (int i = 0; call && !call->fill && i < call->fn->nformals; ++i) {
        if (call->fn->formal[i].dir == ARG_IN) continue;
        if (&call->view[i] != a->view) return false;
        found = true;
    }
    return found;
}

// Whether "a" is a copy that loads a slot, and does not begin again at the end.
static bool is_load(const struct dead_list *x, const struct dead_access *a) {
    return a->write && a->stmt->kind == STMT_COPY && !source_turns(&a->stmt->copy->src) &&
           !dead_copy_known(x->l->s, x->l->k, a->stmt);
}

// Warns of "w", one of the steps, if some of its instances are not read.
static void check(const struct dead_list *x, int w, int mode, int64_t slots,
                  const struct prove_step *step) {
    struct lint *l = x->l;
    struct session *s = l->s;
    const struct dead_access *a = &x->at[w];
    struct prove_witness found;
    struct prove_step own;  // without pads, which are no loss
    if (!step_of(x, a, mode, slots, true, &own)) return;
    if (prove_read(lint_prover(l), step, x->n, w, &own.set, &found) != PROVE_NO) return;
    struct instances *in = ARENA_NEW(&s->arena, struct instances);
    instances_begin(s, l->k, &a->around, false, in);
    diag_warn(s, W_DEAD_COPY, a->stmt->at,
              "in some steps %s writes to a slot of '%s' that nothing reads before it is written "
              "again, or at all",
              dead_what(s, a->stmt), x->t->name);
    diag_note(s, a->view->at, "%sslot %lld along %s, written in %s, is not read",
              instances_params(s, l->p, l->k, &found), (long long)found.out[0],
              view_mode_text(s, x->t, mode), instances_where(in, &a->around, NULL, &found, 0));
}

void dead_slots(const struct dead_list *x) {
    struct session *s = x->l->s;
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, x->t->layout.shape);
    struct prove_step *step = ARENA_ARRAY(&s->arena, struct prove_step, x->n);
    for (int mode = 0; !lay_is_leaf(flat) && mode < lay_tuple_leaves(flat); ++mode) {
        struct lay_int slots = flat->kid[mode]->leaf;
        bool known = lay_int_static(slots) && slots.num > 1 && is_slot(s, x, mode, slots.num);
        for (int i = 0; i < x->n && known; ++i)
            known = step_of(x, &x->at[i], mode, slots.num, false, &step[i]);
        for (int i = 0; i < x->n && known; ++i)
            if (is_load(x, &x->at[i]) || is_result(&x->at[i])) check(x, i, mode, slots.num, step);
        if (known) return;
    }
}
