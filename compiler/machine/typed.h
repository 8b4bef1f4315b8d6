// Evaluates an index like C: each sum and product in the type that its width gives.
#ifndef TCPC_MACHINE_TYPED_H
#define TCPC_MACHINE_TYPED_H

#include "index/ix.h"

// The values known to a thread.
struct typed_env {
    const int64_t *var, *sym;  // values, by ix_var.id and lay_sym.id
    // their widths; 0 for a variable: as in the expression
    const int *var_bits, *sym_bits;
};

enum typed_trouble { TYPED_OK, TYPED_OVERFLOW, TYPED_OVERFLOW_32 };

// Evaluates "e", which must have widths.
enum typed_trouble typed_eval(const struct ix *e, const struct typed_env *env, int64_t *out);

static inline bool typed_fits(int64_t value, int bits) {
    return bits != 32 || (value >= INT32_MIN && value <= INT32_MAX);
}

#endif
