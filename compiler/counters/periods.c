// After how many blocks along an axis everything repeats that distinguishes classes of blocks.
#include "counters/classes_private.h"

// Makes "*to" the least common multiple of both, or 0 if one is.
static void meet_period(int64_t *to, int64_t period) {
    if (!period || !*to || __builtin_mul_overflow(*to / lay_gcd(*to, period), period, to)) *to = 0;
}

// Blocks that are how many coordinates apart along "axis" have the same "e", or with "by" > 0 the
// same up to multiples of "by"; 0: unknown.
static int64_t period_of(const struct classes *x, const struct ix *e, int axis, int64_t by) {
    int64_t k = 0, period = 1;
    if (e->op == IX_VAR && e->var == x->k->block[axis]) return by;
    if (e->op == IX_VAR)
        return x->of_block[e->var->id] ? period_of(x, x->given[e->var->id]->e, axis, by) : 1;
    if (e->op == IX_SUM) {
        for (int i = 0; i < e->nterms; ++i) {
            const struct ix_term *t = &e->term[i];
            if (!t->atom) continue;
            if (!lay_int_eval(t->coef, x->sym, &k) || k == INT64_MIN) return 0;
            meet_period(&period, period_of(x, t->atom, axis, by ? by / lay_gcd(k, by) : 0));
        }
        return period;
    }
    bool digit = e->op == IX_DIV || e->op == IX_MOD;
    if (digit && (!lay_int_eval(e->k, x->sym, &k) || k < 1)) return 0;
    if (e->op == IX_MOD) return period_of(x, e->a, axis, by && k % by == 0 ? by : k);
    // a quotient; of others it is only known that they are the same if the operand is
    if (!digit || !by || __builtin_mul_overflow(k, by, &k)) k = 0;
    return period_of(x, e->a, axis, k);
}

void classes_find_periods(struct classes *x, const struct fact *list) {
    for (const struct fact *f = list; f; f = f->next) {
        for (int i = 0; i < f->of.n; ++i) {
            int64_t times = f->of.term[i].times, by = 0;
            if (f->is == REMAINDER && times != INT64_MIN)
                by = f->modulus / lay_gcd(times, f->modulus);
            for (int axis = 0; axis < 3; ++axis)
                meet_period(&x->period[axis], period_of(x, f->of.term[i].atom, axis, by));
        }
        classes_find_periods(x, f->cond);
        classes_find_periods(x, f->body);
        classes_find_periods(x, f->otherwise);
    }
}

int64_t classes_period(const struct classes *x, int axis) {
    return x->period[axis];
}
