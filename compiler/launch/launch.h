// Makes of a launcher's description in the Kernel IR the data that outlives the compilation, with
// which it is evaluated (launch/evaluate.c).
#ifndef TCPC_LAUNCH_LAUNCH_H
#define TCPC_LAUNCH_LAUNCH_H

#include "kernel/launch.h"
#include "launch/tcpc_launch.h"

struct session;

// For the caller to free by tcpc_launch_free. Its memory does not belong to the session.
const struct tcpc_launch *launch_new(struct session *s, const struct kir_launch *l);

// An expression of params: a tree.
enum expression_op {
    EX_NUMBER,
    EX_PARAM,    // the one with that number, which is given
    EX_LOST,     // no value
    EX_SUM,      // of the operands; those with "minus" are subtracted
    EX_PRODUCT,  // of the operands
    EX_DIV,      // of two operands
    EX_MOD,
    EX_SWIZZLE
};

struct expression_operand {
    struct tcpc_value of;
    bool minus;
};

struct tcpc_expression {
    enum expression_op op;
    int n;
    int64_t number;
    struct lay_swizzle sw;
    const struct expression_operand *operand;
};

#endif
