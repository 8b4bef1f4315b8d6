// Finds the layout that has given values.  The function is known only by its values, and may not be
// a layout.
//
// The values of a layout begin with 0, d, 2d .. until its first mode ends.  Where the next value
// breaks that step, the first mode is over, and the values at its multiples are those of the other
// modes.  Coalescing merges modes that continue in one step, so the breaks are exactly the ends of
// the modes of the coalesced layout, and at most one layout is possible.  Its values are compared
// with all given ones.
#include "layout/impl.h"

// How many of value[0], value[block], value[2 block] .. (indices below "n") are multiples 0, step,
// 2 step ..
static int64_t run_length(const int64_t *value, int64_t block, int64_t n, int64_t step) {
    int64_t run = 1, expected;
    while (run < n / block && !__builtin_mul_overflow(step, run, &expected) &&
           value[block * run] == expected)
        ++run;
    return run;
}

struct lay lay_recover(struct lay_ctx *ctx, int64_t n, const int64_t *value,
                       struct lay_mismatch *why) {
    struct lay_int shape[LAY_MAX_LEAVES], stride[LAY_MAX_LEAVES];
    int modes = 0;
    *why = (struct lay_mismatch){0};
    if (n < 1 || value[0] != 0) {
        if (n > 0) *why = (struct lay_mismatch){.is = value[0]};
        return lay_layout_invalid();
    }
    for (int64_t block = 1; block < n;) {
        int64_t step = value[block], run = run_length(value, block, n, step), at = block * run;
        if (n / block % run != 0) {
            // the run does not divide what is left, so the next value cannot begin a mode
            int64_t next = 0;
            (void)__builtin_mul_overflow(step, run, &next);
            *why = (struct lay_mismatch){at, value[at], next, run, n / block};
            return lay_layout_invalid();
        }
        shape[modes] = lay_int(run);
        stride[modes++] = lay_int(step);
        block = at;
    }
    if (modes == 0) {
        shape[modes] = lay_int(1);
        stride[modes++] = lay_int(0);
    }
    struct lay l = modes == 1 ? lay_raw(lay_leaf(ctx, shape[0]), lay_leaf(ctx, stride[0]))
                              : lay_raw(lay_ints(ctx, modes, shape), lay_ints(ctx, modes, stride));
    for (int64_t i = 0; i < n; ++i) {
        int64_t rest = i, sum = 0;
        for (int m = 0; m < modes; ++m) {
            sum = (int64_t)((uint64_t)sum + (uint64_t)(rest % shape[m].num * stride[m].num));
            rest /= shape[m].num;
        }
        if (sum == value[i]) continue;
        *why = (struct lay_mismatch){.at = i, .is = value[i], .would_be = sum};
        return lay_layout_invalid();
    }
    return l;
}
