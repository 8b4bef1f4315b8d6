// Evaluates for all threads (see lanes.h): like ix_eval, with a loop over the threads in each
// operation.
#include "cost/lanes.h"

#include "base/session.h"

static void thread_values(const struct kernel *k, const struct ix_var *v, const struct ix_env *env,
                          int64_t n, int64_t *out) {
    bool tid = v->id == k->tid->id, lane = v->id == k->lane->id, warp = v->id == k->warp->id;
    if (!tid && !lane && !warp)
        for (int64_t t = 0; t < n; ++t) out[t] = env->var[v->id];
    for (int64_t t = 0; tid && t < n; ++t) out[t] = t;
    for (int64_t t = 0; lane && t < n; ++t) out[t] = t % 32;
    for (int64_t t = 0; warp && t < n; ++t) out[t] = t / 32;
}

static bool add_term(struct session *s, const struct kernel *k, const struct ix_term *term,
                     const struct ix_env *env, int64_t n, int64_t *room, int64_t *sum) {
    int64_t coef;
    bool over = false;
    if (!lay_int_eval(term->coef, env->sym, &coef)) return false;
    if (term->atom && !lanes_eval(s, k, term->atom, env, n, room)) return false;
    for (int64_t t = 0; t < n; ++t) {
        int64_t x = term->atom ? room[t] : 1;
        over |= __builtin_mul_overflow(x, coef, &x);
        over |= __builtin_add_overflow(sum[t], x, &sum[t]);
    }
    return !over;
}

static bool divide(const struct ix *e, const struct ix_env *env, int64_t n, int64_t *out) {
    int64_t by;
    if (!lay_int_eval(e->k, env->sym, &by) || by < 1) return false;
    for (int64_t t = 0; t < n; ++t) {
        int64_t r = out[t] % by;
        if (r < 0) r += by;
        out[t] = e->op == IX_MOD ? r : (out[t] - r) / by;
    }
    return true;
}

bool lanes_eval(struct session *s, const struct kernel *k, const struct ix *e,
                const struct ix_env *env, int64_t n, int64_t *out) {
    if (!e) return false;
    if (e->op == IX_VAR) {
        thread_values(k, e->var, env, n, out);
        return true;
    }
    if (e->op == IX_DIV || e->op == IX_MOD)
        return lanes_eval(s, k, e->a, env, n, out) && divide(e, env, n, out);
    if (e->op == IX_SWZ) {
        if (!lanes_eval(s, k, e->a, env, n, out)) return false;
        for (int64_t t = 0; t < n; ++t) {
            if (out[t] < 0) return false;
            out[t] = lay_swizzle_apply(e->sw, out[t]);
        }
        return true;
    }
    struct arena_mark mark = arena_mark(&s->arena);
    int64_t *room = ARENA_ROOM(&s->arena, int64_t, n);
    bool ok = true;
    for (int64_t t = 0; t < n; ++t) out[t] = 0;
    for (int i = 0; ok && i < e->nterms; ++i) ok = add_term(s, k, &e->term[i], env, n, room, out);
    arena_rewind(&s->arena, mark);
    return ok;
}
