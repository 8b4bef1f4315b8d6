// Integers go to isl and come back, all of 64 bits; what has more, or is no integer, does not.
#include "check.h"
#include "prove/private.h"

int main(void) {
    static const int64_t ends[] = {0, 1, 4096, INT32_MAX, UINT32_MAX, INT64_MAX};
    isl_ctx *ctx = isl_ctx_alloc();
    for (int i = 0; i < 12; ++i) {
        int64_t want = i < 6 ? ends[i] : -ends[i - 6] - (i == 11), got;
        isl_val *v = val_of(ctx, want), *more = isl_val_add(isl_val_copy(v), val_of(ctx, want));
        isl_val *half = isl_val_div(val_of(ctx, 2 * (want % 1000) + 1), val_of(ctx, 2));
        CHECK(val_number(v, &got) && got == want, "%lld", (long long)want);
        int64_t twice;
        bool fits = !__builtin_add_overflow(want, want, &twice);
        CHECK(val_number(more, &got) == fits && got == (fits ? twice : 0), "%lld", (long long)want);
        HOLDS(!val_number(half, &got));
        isl_val_free(v);
        isl_val_free(more);
        isl_val_free(half);
    }
    isl_ctx_free(ctx);
    return check_done();
}
