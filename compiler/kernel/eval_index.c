// Indices in two parts (see eval_index.h).
#include "kernel/eval_index.h"

#include "layout/algebra.h"

static bool is_same(const struct ix *atom) {
    if (!atom) return true;
    if (atom->op != IX_VAR) return false;
    enum ix_var_kind kind = atom->var->kind;
    return kind == IX_LOOP || (kind >= IX_BLOCK_X && kind <= IX_BLOCK_Z);
}

bool index_begin(const struct ix *e, const struct ix_env *env, struct index *x) {
    x->of = e;
    x->parted = e && e->op == IX_SUM && e->nterms <= INDEX_TERMS;
    if (!x->parted) return true;
    struct ix_term same[INDEX_TERMS];
    struct ix sum = {.op = IX_SUM, .term = same};
    x->rest = (struct ix){.op = IX_SUM, .term = x->term};
    for (int i = 0; i < e->nterms; ++i) {
        if (is_same(e->term[i].atom))
            same[sum.nterms++] = e->term[i];
        else
            x->term[x->rest.nterms++] = e->term[i];
    }
    const struct ix_term *t = x->term;
    bool one = x->rest.nterms == 1 && t->atom->op == IX_VAR && lay_int_static(t->coef);
    x->var = one ? t->atom->var->id : -1;
    x->times = one ? t->coef.num : 0;
    return ix_eval(&sum, env, &x->same);
}

bool index_at(const struct index *x, const struct ix_env *env, int64_t *out) {
    if (!x->parted) return ix_eval(x->of, env, out);
    if (x->rest.nterms == 0) {
        *out = x->same;
        return true;
    }
    if (x->var >= 0)
        return !__builtin_mul_overflow(env->var[x->var], x->times, out) &&
               !__builtin_add_overflow(*out, x->same, out);
    return ix_eval(&x->rest, env, out) && !__builtin_add_overflow(*out, x->same, out);
}
