// Sums of costs of instructions.
#ifndef TCPC_COST_SUMS_H
#define TCPC_COST_SUMS_H

#include "cost/warp.h"

static inline struct cost_range *field(struct warp_cost *c, int i) {
    return i == 0 ? &c->requests : i == 1 ? &c->sectors : &c->wavefronts;
}
enum { FIELDS = 3 };

static inline void add(struct warp_cost *to, struct warp_cost x) {
    for (int i = 0; i < FIELDS; ++i) {
        field(to, i)->least += field(&x, i)->least;
        field(to, i)->most += field(&x, i)->most;
    }
}

static inline void raise(struct warp_cost *to, struct warp_cost x) {
    for (int i = 0; i < FIELDS; ++i) {
        struct cost_range *r = field(to, i), y = *field(&x, i);
        if (y.least > r->least) r->least = y.least;
        if (y.most > r->most) r->most = y.most;
    }
}

// "to" or "x"; it is not known which one.
static inline void widen(struct warp_cost *to, struct warp_cost x) {
    for (int i = 0; i < FIELDS; ++i) {
        struct cost_range *r = field(to, i), y = *field(&x, i);
        if (y.least < r->least) r->least = y.least;
        if (y.most > r->most) r->most = y.most;
    }
}

#endif
