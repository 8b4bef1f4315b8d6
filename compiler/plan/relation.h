// Relations of params, for values by lay_sym.id of some or all params; PLAN_UNBOUND: it has none.
#ifndef TCPC_PLAN_RELATION_H
#define TCPC_PLAN_RELATION_H

#include "plan/plan.h"

// Whether all symbols of an integer or an expression have values.
bool relation_int_bound(struct lay_int x, const int64_t *value);
bool relation_bound(const struct ix *e, const int64_t *value);
// Evaluates "e"; false if a symbol has no value, or on overflow.
bool relation_value(const struct ix *e, const int64_t *value, int64_t *out);
// Whether the values break relation "r".  A relation is broken if one of its sides overflows, and
// not if it has params without a value.
bool relation_broken(const struct relation *r, const int64_t *value);
// Whether "r" is broken for any values of the params that have none.
bool relation_hopeless(const struct relation *r, const int64_t *value);

#endif
