// What the copies of a shared buffer cost in another arrangement, worked out for these copies alone
// and not by compiling their function again.
#ifndef TCPC_COMPILE_REARRANGE_H
#define TCPC_COMPILE_REARRANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/session.h"
#include "compile/compile.h"
#include "compile/swizzles.h"
#include "layout/lay.h"

struct ast_stmt;
struct copy;
struct copy_facts;
struct kernel;
struct plan;
struct spot;
struct tensor;
struct use;

// What the copies of a buffer cost.
struct tally {
    int copies;  // that have a number
    int64_t wavefronts, least, requests;
    int64_t bytes;  // of the buffer
    int64_t work;   // accesses of warps that were looked at
};

// Adds what side "src" of "c", with facts "f", costs its buffer; nothing where "out" would get more
// than "enough" wavefronts.
void tally_side(struct session *s, const struct plan *p, const struct kernel *k,
                const struct copy *c, const struct copy_facts *f, bool src, int64_t enough,
                struct tally *out);

// The functions with `swizzle auto`, compiled once, with each buffer arranged in one way.
struct layer {
    struct session s;
    struct compiled now;
    bool ok;                // there are no errors
    struct use *use;        // all copies
    struct spot *spot;      // by number of the buffer
    const int *at;          // numbers of copies, by buffer
    struct asking *asking;  // what asks for a buffer's layout
    int nasking, cap_asking;
};

// Compiles them, or the one around place "only_at" of the file, with "choice"; "placed": as far as to their places in shared memory, else to the
// widths of accesses.
void layer_begin(struct layer *x, const struct compiled *c, struct ast_stmt *const *buffer, int n,
                 const struct swizzle_choice *choice, uint32_t only_at, bool placed);
void layer_end(struct layer *x);

// Whether what the copies of buffer "i" cost depends on no other buffer's arrangement, and nothing
// but its copies depends on its own, so that it can be tried here.
bool layer_apart(const struct layer *x, int i);
// Whether a copy has the buffer and another one of the layer: then the other's arrangement counts,
// too, which has to be a swizzle of the layer's own layout.
bool layer_paired(const struct layer *x, int i);
// Whether a function gets the buffer, which it declares without the swizzle of "choice".
// @pre the layer has the buffer without one
bool layer_refuses(const struct layer *x, int i, const struct swizzle_choice *choice);
// Whether an `expect` or a `let` asks for the layout of the buffer alone, or a function gets it:
// then its copies cost what they do, but not every arrangement is taken.
bool layer_asked(const struct layer *x, int i);
// The buffer whose layout is asked for at "at"; -1: none is.
int layer_asker(const struct layer *x, struct range at);
// The buffer; NULL where nothing copies it.
const struct tensor *layer_tensor(const struct layer *x, int i);
// Its layout without slots.
struct lay layer_layout(struct layer *x, int i);
// Whether `stages` puts the slots of the buffer elsewhere with the swizzle of "choice".
bool layer_moves_slots(struct layer *x, int i, const struct swizzle_choice *choice);

// Arranges buffer "i" as "choice" says, and places it and what follows it.  False where the
// block has not so much shared memory.  @pre x is placed.
bool layer_arrange(struct layer *x, int i, const struct swizzle_choice *choice);
// What its copies cost with the swizzle of "choice", at the place that it has in "placed".  Where
// that is more than "best", some of them may be left out.  False where a copy is refused, or more
// than "work" accesses are to be looked at.  @pre layer_apart
bool layer_count(struct layer *x, const struct layer *placed, int i,
                 const struct swizzle_choice *choice, const struct tally *best, int64_t work,
                 struct tally *out);

// A session for another compilation of all texts of "c".
void compiled_again(const struct compiled *c, struct session *t, struct compiled *out);

#endif
