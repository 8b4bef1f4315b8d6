// Works out what the copies of a shared buffer cost in another arrangement, for these copies alone,
// without compiling their function again.
#ifndef TCPC_AUTOSWIZZLE_REARRANGE_H
#define TCPC_AUTOSWIZZLE_REARRANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "autoswizzle/autoswizzle.h"
#include "base/session.h"
#include "cost/copy.h"
#include "layout/lay.h"
#include "steps/steps.h"

struct ast_stmt;
struct copy;
struct copy_facts;
struct kernel;
struct plan;
struct spot;
struct tensor;
struct use;

// The cost of a buffer's copies.
struct tally {
    int copies;  // copies whose cost is known
    // totals of all accesses; "least": wavefronts if there were no bank conflicts
    int64_t wavefronts, least, requests;
    int64_t bytes;  // size of the buffer
    int64_t work;   // warp accesses looked at
};

// Adds to "out" what the buffer on one side of "y" costs: the source if "src", else the
// destination. Adds nothing to "copies" when the cost is unknown or the total of wavefronts
// would exceed "enough".
void tally_side(struct session *s, const struct costed *y, bool src, int64_t enough,
                struct tally *out);

// The functions with `swizzle auto`, compiled once with one arrangement of each buffer.
struct layer {
    struct session s;
    struct compiled now;
    bool ok;                // compiled without errors
    struct use *use;        // the copies, in the order of their kernels
    struct spot *spot;      // by buffer
    const int *at;          // numbers of copies in "use", ordered by buffer
    struct asking *asking;  // what asks for layouts, ordered by place
    int nasking, cap_asking;
};

// Compiles all functions with `swizzle auto`, or if "only_at" is not 0 only the one around that
// place of the file, with the arrangements "choice". Compiles up to the places in shared memory if
// "placed", else up to the widths of accesses.
void layer_begin(struct layer *x, const struct compiled *c, struct ast_stmt *const *buffer, int n,
                 const struct swizzle_choice *choice, uint32_t only_at, bool placed);
void layer_end(struct layer *x);

// Whether other arrangements of buffer "i" can be counted in this layer: the cost of its copies
// depends on no other arrangement, apart from paired copies, and nothing but its copies depends on
// its arrangement.
bool layer_apart(const struct layer *x, int i);
// Whether a copy has buffer "i" on one side and another buffer with `swizzle auto` on the other.
// Such a cost depends on both arrangements, and the other one has to be a swizzle of the layer's
// own layout.
bool layer_paired(const struct layer *x, int i);
// Whether a function that gets buffer "i" refuses "choice", because it declares its formal without
// a swizzle.
// @pre the layer has the buffer without a swizzle
bool layer_refuses(const struct layer *x, int i, const struct swizzle_choice *choice);
// Whether an `expect` or a `let` asks for the layout of buffer "i", or a function gets the buffer.
// This does not change the cost of its copies, but may rule out arrangements.
bool layer_asked(const struct layer *x, int i);
// The buffer whose layout is asked for at "at"; -1: none.
int layer_asker(const struct layer *x, struct range at);
// The buffer's tensor; NULL when no copy touches it.
const struct tensor *layer_tensor(const struct layer *x, int i);
// The layout of one slot of buffer "i", without swizzle.
struct lay layer_layout(struct layer *x, int i);
// Whether the swizzle "choice" moves the slots of buffer "i", which `stages` places one after the
// other at multiples of the swizzle's period.
bool layer_moves_slots(struct layer *x, int i, const struct swizzle_choice *choice);

// Arranges buffer "i" as "choice" says, and places it and the buffers behind it anew. False when
// the block does not have so much shared memory. @pre x is placed.
bool layer_arrange(struct layer *x, int i, const struct swizzle_choice *choice);
// Counts in "out" what the copies of buffer "i" cost with the swizzle of "choice", at its place in
// "placed". May stop early when the cost exceeds "best" (NULL: never). False when a copy is refused
// or more than "work" accesses would have to be looked at. @pre layer_apart
bool layer_count(struct layer *x, const struct layer *placed, int i,
                 const struct swizzle_choice *choice, const struct tally *best, int64_t work,
                 struct tally *out);

#endif
