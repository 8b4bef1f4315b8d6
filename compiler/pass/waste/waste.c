// Pass "waste": warns of blocks, iterations and copies that have no effect, and of numbers that a
// copy changes.
//
// Requires: facts of partition and predicate.  Fills nothing.  What it says is so for all sizes; what is not
// known is not said.
#include "pass/waste/waste.h"

#include "base/session.h"
#include "pass/pass.h"

static bool is_on(const struct session *s, enum warning w) {
    return !s->diags.off_all && !s->diags.off[w];
}

bool pass_waste(struct session *s, struct plan *p) {
    for (struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k)) {
        if (is_on(s, W_CONVERSION)) waste_digits(s, k);
        if (k->planned) continue;  // the user has no text to fix
        if (is_on(s, W_UNUSED)) waste_arguments(s, k);
        if (is_on(s, W_UNUSED)) waste_declared(s, k);
        if (is_on(s, W_IDLE_BLOCKS)) waste_blocks(s, k);
        if (is_on(s, W_FIXED_TILE)) waste_tiles(s, k);
        if (is_on(s, W_THREAD_ORDER)) waste_threads(s, k);
        if (is_on(s, W_IDLE_THREADS)) waste_lanes(s, k);
        if (is_on(s, W_SPILL)) waste_registers(s, k);
        if (is_on(s, W_ROUNDING)) waste_rounding(s, k);
        if (is_on(s, W_DEAD_COPY)) waste_writes(s, k);
    }
    lay_clear_error(&s->lay);
    return true;
}
