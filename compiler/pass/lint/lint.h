// Warnings about whole kernels: what has no effect, what is never read, what changes values, and what
// costs the hardware much more than necessary.
#ifndef TCPC_PASS_LINT_LINT_H
#define TCPC_PASS_LINT_LINT_H

#include "base/warnings.h"
#include "plan/plan.h"

struct session;
struct prover;

// What each warning is given.
struct lint {
    struct session *s;
    struct plan *p;
    struct kernel *k;
    const int64_t *value;   // of the params, for costs; NULL: none were found
    struct prover *prover;  // by lint_prover
    bool told;              // something was said about what the kernel reads
};

// The prover of the kernel, made for the first warning that asks something.
struct prover *lint_prover(struct lint *l);

// dead_parts.c
// Warns of statements that write parts of the shared buffer "t" that nobody reads.
void dead_parts(struct lint *l, const struct tensor *t);
// dead_copy.c
// Whether there is a warning about all that "st" writes.
bool dead_copy_known(struct session *s, const struct kernel *k, const struct stmt *st);
// fixed_tile.c
// Whether there is a warning that what is read of "t" stands still.
bool fixed_tile_known(struct session *s, const struct kernel *k, const struct tensor *t);

// keeps.c
// Whether each step of "loop" works with what it has loaded: then a step that loads only pads adds nothing.
bool keeps_nothing(const struct stmt *loop);

// turned_tiles.c
// Whether there is a warning that "c" moves tiles as a transposition does, and not their elements, or the
// reverse.
bool turned_tiles_known(struct session *s, const struct kernel *k, const struct copy *c);

// Whether "k" writes nothing that outlives it; such a kernel measures its loads.
bool has_no_output(const struct kernel *k);
// Whether "loop" may have several iterations.  A loop of at most one iteration is a condition.
bool has_many_steps(struct session *s, const struct stmt *loop);
// Whether each iteration of "loop" does the same as the one before: its copies do not depend on it,
// and none writes what another one reads.
bool repeats(const struct stmt *loop);
// Whether the place or the end of "v" depends on "x".
bool view_depends(const struct view *v, const struct ix_var *x);

// Each has a row in lint.c, and is in a file with its name unless said otherwise.
void lint_conversion(struct lint *l);
void lint_arguments(struct lint *l);  // unused.c: arguments that no case uses
void lint_declared(struct lint *l);   // unused.c: loops without statements, unused stages
void lint_idle_blocks(struct lint *l);
void lint_overlap(struct lint *l);
void lint_pitch(struct lint *l);
void lint_begin(struct lint *l);
void lint_unread(struct lint *l);
void lint_turned_tiles(struct lint *l);
void lint_mirrored(struct lint *l);
void lint_reversed(struct lint *l);
void lint_reshaped(struct lint *l);
void lint_partners(struct lint *l);
void lint_fixed_tile(struct lint *l);
void lint_axes(struct lint *l);
void lint_siblings(struct lint *l);
void lint_still(struct lint *l);
void lint_sums(struct lint *l);
void lint_exchanged(struct lint *l);  // unread.c: coordinates that count each other's tiles
void lint_only_pads(struct lint *l);
void lint_windows(struct lint *l);
void lint_shares(struct lint *l);
void lint_indices(struct lint *l);
void lint_counters(struct lint *l);
void lint_unreset(struct lint *l);
void lint_behind(struct lint *l);
void lint_thread_order(struct lint *l);
void lint_half_warp(struct lint *l);  // lanes.c: blocks of half a warp, or less
void lint_spill(struct lint *l);  // lanes.c: fragments that are larger than a thread's registers
void lint_rounding(struct lint *l);
void lint_dead_copy(struct lint *l);
void lint_swapped(struct lint *l);
void lint_contraction(struct lint *l);
void lint_costs(struct lint *l);

#endif
