// Witnesses of proofs as text: values of params, the element, and what accesses it.
#include <limits.h>

#include "base/buf.h"
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/instances/instances.h"
#include "plan/bind.h"
#include "plan/view.h"

const char *instances_why(const struct prover *p, bool full) {
    return full ? "it has more variables than can be analysed" : prover_why(p);
}

void instances_advice(struct session *s, const struct prover *p, bool full, struct range at) {
    unsigned long limit = s->options.proof_limit ? s->options.proof_limit : PROVE_LIMIT;
    if (full)
        diag_note(s, at,
                  "a copy may have %d variables, which are blocks, loops, threads and modes: put "
                  "fewer loops around it, or give its tensors fewer modes",
                  INSTANCE_VARS);
    else if (prover_out_of_steps(p))
        diag_note(s, at,
                  "split the kernel; or make each param that multiplies or divides a 'const' and "
                  "set it with -D; or allow more steps with --proof-limit=%lu (docs/proofs.md)",
                  limit < ULONG_MAX / 10 ? 10 * limit : limit);
    else
        diag_note(s, at,
                  "tcpc decides sums of variables times numbers, and their quotients and "
                  "remainders by numbers (docs/proofs.md)");
}

const char *instances_params(struct session *s, const struct plan *p, const struct kernel *k,
                             const struct prove_witness *w) {
    struct buf b;
    // params that the proof did not use get values that keep all promises
    const int64_t *sym = plan_choose(s, p, w->sym, 0);
    if (!sym) return "";
    buf_init(&b);
    for (int i = 0; i < k->ngiven; ++i)
        buf_printf(&b, "%s%s = %lld, ", i ? "" : "with ", k->param[i]->name,
                   (long long)sym[k->param[i]->sym->id]);
    return buf_finish(&b, &s->arena);
}

const char *instances_element(struct session *s, const struct prove_witness *w) {
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < w->nouts; ++i)
        buf_printf(&b, "%s%lld", i ? "," : "(", (long long)w->out[i]);
    buf_puts(&b, w->nouts ? ")" : "()");
    return buf_finish(&b, &s->arena);
}

const char *instances_coordinate(const struct instances *x, const struct prove_witness *w,
                                 int which) {
    struct ix_env env = {w->var[which], w->sym};
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < x->nelements; ++i) {
        int64_t e;
        // the witness is in these variables
        if (!ix_eval(x->element[i], &env, &e)) BUG("a witness without a coordinate");
        buf_printf(&b, "%s%lld", i ? "," : "(", (long long)e);
    }
    buf_puts(&b, x->nelements ? ")" : "()");
    return buf_finish(&b, &x->s->arena);
}

// Sets "*at" to the number of the element within its tile of "tc", and "*tile" to that of the tile;
// false if the copy has no such tiles.
static bool in_tile(const struct instances *x, const struct copy *c, const struct ix_env *env,
                    int64_t *at, int64_t *tile) {
    struct session *s = x->s;
    const struct lay_tuple *shape = c->dst.layout.shape, *tiler = c->tc->tiler;
    int leaf = 0;
    int64_t size = 1, tiles = 1;
    *at = *tile = 0;
    for (int m = 0; m < lay_tuple_rank(shape); ++m) {
        const struct lay_tuple *mode = lay_tuple_flatten(&s->lay, lay_tuple_get(&s->lay, shape, m));
        int64_t value = 0, step = 1, n = 1, e, t = 1;
        for (int i = 0; i < lay_tuple_leaves(mode); ++i, ++leaf) {
            if (leaf >= x->nelements || !ix_eval(x->element[leaf], env, &e) ||
                !lay_int_eval(lay_is_leaf(mode) ? mode->leaf : mode->kid[i]->leaf, env->sym, &n))
                return false;
            value += step * e;
            step *= n;
        }
        if (m < lay_tuple_rank(tiler) &&
            !lay_int_eval(lay_tuple_product(&s->lay, lay_tuple_get(&s->lay, tiler, m)), env->sym,
                          &t))
            return false;
        *at += size * (value % t);
        *tile += tiles * (value / t);
        size *= t;
        tiles *= (step + t - 1) / t;
    }
    return true;
}

// Text such as "value 3 of thread 17 in ", or less if that is not known.
static const char *who(const struct instances *x, const struct copy *c, const int64_t *var,
                       const int64_t *sym) {
    struct session *s = x->s;
    struct ix_env env = {var, sym};
    int64_t at, tile, place;
    if (c->facts.level == LEVEL_THREAD)
        return arena_printf(&s->arena, "thread %lld in ", (long long)var[x->k->tid->id]);
    if (!c->tc || !in_tile(x, c, &env, &at, &tile)) return "";
    int64_t warp = c->facts.level == LEVEL_WARP ? var[x->k->warp->id] : 0;
    bool src = copy_tiled_side(c) == &c->src;
    int64_t values = tiled_values(c->tc, src);
    for (int64_t t = 0; t < c->tc->threads; ++t) {
        for (int64_t v = 0; v < values; ++v) {
            if (!tiled_place(s, c->tc, src, t, v, &place) || place != at) continue;
            return arena_printf(&s->arena, "value %lld of thread %lld in ",
                                (long long)(v + values * tile), (long long)(t + 32 * warp));
        }
    }
    return "";
}

const char *instances_where(const struct instances *x, const struct around *around,
                            const struct copy *c, const struct prove_witness *w, int which) {
    const int64_t *var = w->var[which];
    struct buf b;
    bool first = true;
    buf_init(&b);
    if (c)
        buf_puts(&b, who(x, c, var, w->sym));
    else if (x->nthreads > 0)
        buf_printf(&b, "thread %lld in ", (long long)var[x->k->tid->id]);
    int64_t at[3] = {0};
    for (int i = 0; i < 3; ++i)
        if (x->k->block[i]) at[i] = var[x->k->block[i]->id];
    buf_printf(&b, "block (%lld,%lld,%lld)", (long long)at[0], (long long)at[1], (long long)at[2]);
    for (int i = 0; i < around->n; ++i) {
        const struct stmt *st = around->stmt[i];
        if (!stmt_loops(st)) continue;
        buf_printf(&b, "%s%s = %lld", first ? " with " : ", ", st->var->name,
                   (long long)var[st->var->id]);
        first = false;
    }
    return buf_finish(&b, &x->s->arena);
}
