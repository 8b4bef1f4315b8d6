// From points back to a layout.  Separate from the algebra, which goes from layouts to layouts:
// here a function is known by its values alone, and may be none.
//
// A layout's values begin 0, d, 2d .. until its first mode ends; where the next value breaks that
// step the first mode is over, and the values at its multiples are those of the other modes.  Modes
// that go on in one step are one mode of the coalesced layout, so that the breaks are exactly the
// ends of its modes, and at most one layout comes out.  Its values are compared with all points.
#include "layout/impl.h"

// How long value[0], value[block], value[2 block] .. below "n" goes on in the step of its first
// two.
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
            // a run of all but the last few: what comes next is no mode of a layout of "n"
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
