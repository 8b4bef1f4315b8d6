// The oracle's view of an extern function: it reads and writes what its declaration says, and
// nobody knows what it writes.
#include "base/session.h"
#include "plan/plan_run_private.h"

static int64_t element(const struct tensor *t, int thread, int64_t off) {
    return t->outside && t->space == MEM_FRAG ? image_outside(thread, off) : off;
}

static bool touch(struct run *r, const struct plan_call *y, int i, const struct plan_flat *f,
                  int thread) {
    const struct view *v = &y->view[i];
    const struct tensor *t = v->base;
    enum dir dir = y->fn->formal[i].dir;
    int64_t offset;
    oracle_set_thread(r, thread);
    if (!ix_eval(v->offset, &r->env, &offset)) {
        return oracle_fail(r, PLAN_RUN_NO_VALUE, t, 0,
                           arena_printf(&r->s->arena,
                                        "the place of '%s' has no value for these params",
                                        oracle_name(t)));
    }
    struct walk w;
    oracle_walk(&w, f);
    for (int64_t n = 0; n < f->size; ++n, oracle_step(&w)) {
        int64_t at = element(t, thread, plan_swizzle(f->sw, w.value + f->offset + offset));
        int64_t buf = oracle_buffer(t, thread);
        if (dir != ARG_OUT && r->whole && image_load(r->img, buf, at) == IMAGE_POISON) {
            return oracle_fail(
                r, PLAN_RUN_POISON, t, at,
                arena_printf(
                    &r->s->arena,
                    "element %lld of '%s' is given to '%s' before anything was written to it",
                    (long long)at, oracle_name(t), y->fn->name));
        }
        if (dir != ARG_OUT && r->whole && !oracle_fresh(r, t, image_load(r->writer, buf, at))) {
            return oracle_fail(
                r, PLAN_RUN_POISON, t, at,
                arena_printf(&r->s->arena,
                             "element %lld of '%s' is given to '%s', but not filled in that step "
                             "of the pipeline",
                             (long long)at, oracle_name(t), y->fn->name));
        }
        if (dir == ARG_IN) continue;
        image_store(r->img, buf, at,
                    y->fill ? image_constant(y->fill->id) : image_opaque(y->fn->id, i, at));
        image_store(r->writer, buf, at, r->nblock << 32 | r->serial);
    }
    return true;
}

bool oracle_call(struct run *r, const struct plan_call *y) {
    ++r->serial;
    for (int i = 0; i < y->fn->nformals; ++i) {
        struct plan_flat f;
        const struct view *v = &y->view[i];
        if (!plan_flatten(v->layout, r->env.sym, &f)) {
            return oracle_fail(r, PLAN_RUN_NO_VALUE, v->base, 0,
                               "an argument has no extent for these params");
        }
        bool own = v->base->space == MEM_FRAG || ix_depends(v->offset, IX_TID) ||
                   ix_depends(v->offset, IX_LANE) || ix_depends(v->offset, IX_WARP);
        for (int t = 0; t < (own ? r->k->threads : 1); ++t) {
            if (!touch(r, y, i, &f, t)) return false;
        }
    }
    oracle_set_thread(r, -1);
    return true;
}
