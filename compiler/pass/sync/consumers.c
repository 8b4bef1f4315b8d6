// Several consumers of a pipeline in pass "sync": they execute the "use" parts of a step side by side, so
// these may not touch the same elements.  Parts of different steps are in order, since all consumers come
// to "full" before each step (sync_ring_fault).  At a barrier in memory they do not wait for each other: only
// the uses of one slot are in order then, and accesses to all else are compared in any two steps.
#include <inttypes.h>

#include "base/session.h"
#include "pass/sync/private.h"

static const char *verb(const struct prove_access *a) {
    return a->write ? "writes" : "reads";
}

// The "use" part in which access "i" is.
static const struct stmt *part_of(const struct schedule *x, int i) {
    const struct stmt *st = x->access[i].stmt;
    while (st->up != x->access[i].pipe) st = st->up;
    return st;
}

// Whether accesses to the buffer of access "i" are executed side by side in different steps, too.
static bool any_steps(const struct schedule *x, int i) {
    const struct pipeline *p = x->access[i].pipe->pipe;
    return !pipeline_meets(p, false) && !pipeline_fills(p, x->access[i].view->base);
}

static void report(const struct schedule *x, int a, int b, enum prove_answer answer,
                   const struct prove_witness *w) {
    struct session *s = x->s;
    const struct prove_access *pa = &x->program.access[a], *pb = &x->program.access[b];
    const struct view *va = x->access[a].view, *vb = x->access[b].view;
    const char *in_a = stmt_role(part_of(x, a)), *in_b = stmt_role(part_of(x, b));
    if (answer == PROVE_UNKNOWN) {
        diag_error(
            s, vb->at,
            "'%s' and '%s' are executed side by side, and it is not known whether they touch "
            "the same elements of '%s': %s",
            in_a, in_b, va->base->name, prover_why(x->prover));
        diag_page(s, "barrier");
        diag_note(s, va->at, "the other one is here");
        instances_advice(s, x->prover, false, vb->at);
        return;
    }
    const struct stmt *pipe = x->access[a].pipe;
    int64_t u = w->var[0][pipe->var->id], g = w->var[any_steps(x, a) ? 1 : 0][pipe->var->id];
    const char *of = u == g ? "" : arena_printf(&s->arena, "step %" PRId64 " of ", u);
    diag_error(s, vb->at,
               "%sstep %" PRId64
               " of '%s' %s element %s of '%s', which %s'%s' %s perhaps at the same "
               "time; do both in one 'use', or take another buffer",
               instances_params(s, x->plan, x->k, w), g, in_b, verb(pb), instances_element(s, w),
               va->base->name, of, in_a, verb(pa));
    diag_page(s, "barrier");
    diag_note(s, va->at, "'%s' %s it here", in_a, verb(pa));
    if (u != g)
        diag_note(s, pipe->at,
                  "its loads are counted by barriers in memory, at which consumers do not wait for "
                  "each other; with cp.async none is a step ahead");
}

// Access "b" is to a buffer that another consumer fills by an asynchronous copy, "a", whose completion
// the two do not hand over.
static bool refuse_async(const struct schedule *x, int a, int b) {
    const struct view *va = x->access[a].view, *vb = x->access[b].view;
    diag_error(
        x->s, va->at,
        "not yet supported: '%s' fills '%s' by an asynchronous copy, and '%s' touches it too; "
        "take 'universal', or a buffer that one 'use' has for itself",
        stmt_role(part_of(x, a)), va->base->name, stmt_role(part_of(x, b)));
    diag_note(x->s, vb->at, "the other use is here");
    return false;
}

// Whether accesses "a" and "b", of two consumers, touch different elements, in a step or in any two.
static bool apart(const struct schedule *x, int a, int b) {
    const struct prove_access *pa = &x->program.access[a], *pb = &x->program.access[b];
    struct prove_witness w;
    int around = 0;
    if (pa->async && pa->write) return refuse_async(x, a, b);
    if (pb->async && pb->write) return refuse_async(x, b, a);
    for (const struct stmt *up = x->access[a].pipe; up && !any_steps(x, a); up = up->up)
        around += stmt_loops(up);
    enum prove_answer answer = prove_apart(x->prover, &pa->what, &pb->what, around, 0, &w);
    if (answer != PROVE_YES) report(x, a, b, answer, &w);
    return answer == PROVE_YES;
}

static bool is_use(const struct schedule *x, int i) {
    const struct stmt *pipe = x->access[i].pipe;
    return pipe && pipe->pipe->nuses > 1 && !part_of(x, i)->load;
}

bool sync_consumers_apart(const struct schedule *x) {
    const struct prove_program *p = &x->program;
    for (int a = 0; a < p->naccesses; ++a)
        for (int b = a + 1; is_use(x, a) && b < p->naccesses; ++b) {
            const struct prove_access *v = &p->access[a], *w = &p->access[b];
            if (x->access[a].pipe != x->access[b].pipe || v->role == w->role) continue;
            if (v->buffer != w->buffer || !(v->write || w->write) || !is_use(x, b)) continue;
            if (v->write && w->write && v->once) continue;
            if (!apart(x, a, b)) return false;
        }
    return true;
}

// -- fragments ------------------------------------------------------------------------------------

static const struct view *fragment(const struct stmt *x, int i) {
    const struct view *v = x->kind == STMT_COPY   ? copy_side(x->copy, i == 0)
                           : x->kind == STMT_CALL ? &x->call->view[i]
                                                  : NULL;
    return v && v->base->space == MEM_FRAG ? v : NULL;
}

static int nviews(const struct stmt *x) {
    return x->kind == STMT_COPY ? 2 : x->kind == STMT_CALL ? x->call->fn->nformals : 0;
}

bool sync_fragments_stay(struct session *s, const struct kernel *k) {
    for (const struct stmt *x = k->body; x; x = stmt_next(k->body, x))
        for (const struct stmt *y = k->body; y != x; y = stmt_next(k->body, y)) {
            if (stmt_first(x) == stmt_first(y)) continue;
            for (int i = 0; i < nviews(x) * nviews(y); ++i) {
                const struct view *v = fragment(x, i % nviews(x)), *w = fragment(y, i / nviews(x));
                if (!v || !w || v->base != w->base) continue;
                diag_error(s, v->at,
                           "fragment '%s' is used by threads from %" PRId64
                           " on here, and by those "
                           "from %" PRId64 " on elsewhere, which hold other elements of it; hand "
                           "it over in shared memory",
                           v->base->name, stmt_first(x), stmt_first(y));
                diag_note(s, w->at, "the other use is here");
                return false;
            }
        }
    return true;
}
