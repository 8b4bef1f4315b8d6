// Tests whether lowering kept accesses in order, by executing a block of the Kernel IR for a choice
// of the params.  The order of the plan, including manual functions, was proven before, so a fault
// found here is an internal error.
#include <inttypes.h>

#include "base/session.h"
#include "check/announced.h"
#include "check/order.h"
#include "check/verify.h"
#include "plan/plan.h"

static const char *who(struct session *s, const struct order_access *a) {
    if (a->thread < 0) return a->node->together ? "a warp" : "the function that is called";
    return arena_printf(&s->arena, "thread %" PRId64, a->thread);
}

// Whether accesses are ordered with each choice, executed step by step.
static bool in_order(struct session *s, const struct kir_kernel *x, int n,
                     const int64_t *const *choice, struct order_fault *f) {
    for (int i = 0; i < n; ++i)
        if (!order_confirm(s, x, choice[i], f)) return false;
    return true;
}

void verify_order(struct session *s, const struct kernel *k, const struct kir_kernel *x, int n,
                  const int64_t *const *choice) {
    struct order_fault f;
    const char *announced = announced_fault(x);
    if (announced) BUG("the code for '%s' has %s", k->name, announced);
    if (n == 0 || order_check(s, x, choice[n - 1], true, &f)) return;
    // a fault with steps that no params give is no fault
    if ((!f.trouble || f.too_narrow) && in_order(s, x, n, choice, &f)) return;
    if (f.no_value) return;  // no tensor is so large that it could be launched with these params
    if (f.trouble) BUG("the order of '%s' cannot be checked: %s", k->name, f.trouble);
    const char *second = "the function returns";
    int line = 0, column;
    if (f.second.node) {
        source_place(s, f.second.node->where, &line, &column);
        second = arena_printf(&s->arena, "%s %s them in line %d", who(s, &f.second),
                              f.second.write ? "writes" : "reads", line);
    }
    source_place(s, f.first.node->where, &line, &column);
    BUG("the code for '%s' lacks a %s: %s %s bytes %" PRId64 " .. %" PRId64
        " of '%s' in line %d, and %s",
        k->name,
        f.missing == ORDER_WAIT    ? "wait"
        : f.missing == ORDER_FENCE ? "fence"
                                   : "barrier",
        who(s, &f.first), f.first.write ? "writes" : "reads", f.at, f.at + f.bytes - 1, f.buf->name,
        line, second);
}
