// A set of instances that can be changed.
#include <string.h>

#include "base/session.h"
#include "prove/private.h"

struct draft draft_of(struct session *s, const struct prove_set *x) {
    struct draft d = {x->nvars, x->nconds, x->nouts};
    d.var = ARENA_ARRAY(&s->arena, struct prove_var, d.nvars + 1);
    d.cond = ARENA_ARRAY(&s->arena, const struct ix *, d.nconds + 1);
    d.out = ARENA_ARRAY(&s->arena, const struct ix *, d.nouts + 1);
    if (d.nvars) memcpy(d.var, x->var, sizeof *d.var * (size_t)d.nvars);
    if (d.nconds) memcpy(d.cond, x->cond, sizeof *d.cond * (size_t)d.nconds);
    if (d.nouts) memcpy(d.out, x->out, sizeof *d.out * (size_t)d.nouts);
    return d;
}

struct prove_set draft_set(const struct draft *d) {
    return (struct prove_set){d->var, d->nvars, d->cond, d->nconds, d->out, d->nouts};
}

int draft_find(const struct draft *d, const struct ix_var *v) {
    for (int i = 0; i < d->nvars; ++i)
        if (d->var[i].var->id == v->id) return i;
    return -1;
}

void draft_drop(struct draft *d, int at) {
    memmove(&d->var[at], &d->var[at + 1], sizeof d->var[0] * (size_t)(d->nvars - at - 1));
    --d->nvars;
}

void draft_substitute(struct session *s, struct draft *d, const struct ix_var *v,
                      const struct ix *by) {
    for (int i = 0; i < d->nvars; ++i) {
        d->var[i].begin = ix_substitute(s, d->var[i].begin, v, by);
        d->var[i].end = ix_substitute(s, d->var[i].end, v, by);
    }
    for (int i = 0; i < d->nconds; ++i) d->cond[i] = ix_substitute(s, d->cond[i], v, by);
    for (int i = 0; i < d->nouts; ++i) d->out[i] = ix_substitute(s, d->out[i], v, by);
}

struct ix_var *draft_var(struct session *s, const struct ix_var *like, struct lay_int end) {
    struct ix_var *v = ARENA_NEW(&s->arena, struct ix_var);
    *v = (struct ix_var){IX_NAMED, like->name, like->c_name, s->next_var++, lay_int(0), end};
    return v;
}
