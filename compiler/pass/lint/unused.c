// Warns of what is declared and not used: arguments, loops without statements, and stages that no
// pipeline fills.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/lint/reads.h"

void lint_arguments(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    if (!k->body || (k->first_case && k->first_case != k)) return;
    for (int i = 0; i < k->nformals; ++i) {
        bool named = kernel_names(k, k->formal[i].tensor);
        for (const struct kernel *c = k->next_case; c && !named; c = c->next_case)
            named = kernel_names(c, c->formal[i].tensor);
        if (!named)
            diag_warn(s, W_UNUSED, k->formal[i].at, "no statement of '%s' uses its argument '%s'",
                      k->name, k->formal[i].tensor->name);
    }
}

// -- loops and stages -----------------------------------------------------------------------------

// The slots of "t" that "v" accesses, as bits, or more of them if that is not known.
static uint64_t slots_of(struct session *s, const struct view *v, const struct tensor *t) {
    if (v->base != t) return 0;
    int n = lay_valid(v->coord) ? lay_tuple_leaves(t->layout.shape) : 0;
    struct lay_int part = lay_size(&s->lay, v->layout), all = lay_size(&s->lay, t->layout);
    int64_t slot;
    lay_clear_error(&s->lay);
    bool one = n > 0 && lay_int_static(part) && lay_int_static(all) &&
               part.num * t->stages <= all.num && v->coord_off[n - 1];
    if (one && ix_static(v->coord_off[n - 1], &slot) && slot >= 0 && slot < 64)
        return UINT64_C(1) << slot;
    // "k % 2" is one of the first two, also where k is a param
    if (one && !ix_static(ix_max(s, v->coord_off[n - 1]), &slot)) slot = v->coord_off[n - 1]->hi;
    if (one && slot >= 0 && slot < 63) return (UINT64_C(1) << (slot + 1)) - 1;
    return ~UINT64_C(0);
}

static void stages_unused(struct session *s, const struct kernel *k, const struct tensor *t) {
    uint64_t used = 0;
    if (t->stages < 2 || t->stages > 63) return;
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st)) {
        for (int i = 0; st->kind == STMT_COPY && i < 2; ++i)
            used |= slots_of(s, copy_side(st->copy, i), t);
        for (int i = 0; st->kind == STMT_CALL && i < st->call->fn->nformals; ++i)
            used |= slots_of(s, &st->call->view[i], t);
    }
    int n = __builtin_popcountll(used);
    if (n >= t->stages) return;
    diag_warn(
        s, W_UNUSED, t->at,
        "'%s' has %d stages, and %d of them %s used; stages are what a pipeline fills in turn",
        t->name, t->stages, n, n == 1 ? "is" : "are");
}

// A call of a function that writes none of its arguments, in a kernel that has results.
static void call_unused(struct session *s, const struct kernel *k, const struct plan_call *call,
                        struct range at) {
    const struct function *f = call->fn;
    bool results = false;
    for (int i = 0; i < k->nformals; ++i) results |= k->formal[i].dir != ARG_IN;
    for (int i = 0; i < f->nformals; ++i)
        if (f->formal[i].dir != ARG_IN) return;
    if (!results || call->fill) return;
    diag_warn(s, W_UNUSED, at, "'%s' writes nothing: none of its arguments is 'out' or 'inout'",
              f->name);
    diag_note(s, f->at, "'%s' is declared here", f->name);
}

static bool reduced_into(const struct kernel *k, const struct tensor *t) {
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_COPY && st->copy->dst.base == t && copy_reduces(st->copy)) return true;
    return false;
}

// An `inout` tensor of which nothing is read, and all of which is written.  What other cases do is unknown.
static void never_in(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    struct reads *r = NULL;
    for (int i = 0; i < k->nformals && !k->first_case && !k->next_case && !k->device; ++i) {
        const struct formal *f = &k->formal[i];
        if (f->dir != ARG_INOUT || f->tensor->space != MEM_GLOBAL) continue;
        if (reduced_into(k, f->tensor)) continue;
        if (!r) r = reads_of(l);
        if (!reads_written(r, f->tensor)) continue;
        diag_warn(s, W_UNUSED, f->at,
                  "'%s' writes all of '%s' and reads nothing of it; 'out %s' has that proven",
                  k->name, f->tensor->name, f->tensor->name);
    }
}

void lint_declared(struct lint *l) {
    struct session *s = l->s;
    const struct kernel *k = l->k;
    never_in(l);
    for (int i = 0; i < k->nlocal; ++i) stages_unused(s, k, k->local[i]);
    for (const struct stmt *st = k->body; st; st = stmt_next(k->body, st))
        if (st->kind == STMT_CALL)
            call_unused(s, k, st->call, st->at);
        else if (st->kind == STMT_FOR && !st->body)
            diag_warn(s, W_UNUSED, st->at, "no statement of this loop does anything");
}
