// An index as C computes it: each sum and product in the type that its widths give it.
#ifndef TCPC_MACHINE_TYPED_H
#define TCPC_MACHINE_TYPED_H

#include "index/ix.h"

// What a thread knows.
struct typed_env {
    const int64_t *var, *sym;        // values, by ix_var.id and lay_sym.id
    const int *var_bits, *sym_bits;  // widths likewise; of a variable 0: as the expression says
};

enum typed_trouble { TYPED_OK, TYPED_OVERFLOW, TYPED_OVERFLOW_32 };

// The value of "e", which has widths.
enum typed_trouble typed_eval(const struct ix *e, const struct typed_env *env, int64_t *out);

static inline bool typed_fits(int64_t value, int bits) {
    return bits != 32 || (value >= INT32_MIN && value <= INT32_MAX);
}

#endif
