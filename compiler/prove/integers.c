// Integers to and from isl, by 64 bits: its own functions for values take a long, which has 32 on some
// systems.  Those of matrices and expressions take an int.
#include <isl/val.h>

#include "prove/private.h"

isl_val *val_of(isl_ctx *ctx, int64_t x) {
    uint64_t size = x < 0 ? -(uint64_t)x : (uint64_t)x;
    isl_val *v = isl_val_int_from_chunks(ctx, 1, sizeof size, &size);
    return x < 0 ? isl_val_neg(v) : v;
}

bool val_number(isl_val *v, int64_t *x) {
    uint64_t size = 0, most = INT64_MAX;
    *x = 0;
    if (!v || !isl_val_is_int(v) || isl_val_n_abs_num_chunks(v, sizeof size) > 1 ||
        isl_val_get_abs_num_chunks(v, sizeof size, &size) < 0)
        return false;
    bool minus = isl_val_is_neg(v);
    if (size > most + minus) return false;
    *x = (int64_t)(minus ? -size : size);
    return true;
}
