// Random plans that are right by construction: each kernel copies tiles from one or two tensors to
// others through shared memory, registers or neither, in shapes, layouts, widths and orders drawn
// at random.  The same seed gives the same text.
//
// It knows the language's rules but none of the compiler's code, so that what it holds to be right
// is a second opinion.
#ifndef TCPC_TESTS_GEN_PLANS_H
#define TCPC_TESTS_GEN_PLANS_H

#include <stdint.h>

enum gen_feature {
    GEN_SWIZZLE = 1 << 0,    // swizzled shared layouts
    GEN_PARAMS = 1 << 1,     // extents and strides given at run time
    GEN_NESTED = 1 << 2,     // tiles with nested modes
    GEN_FRAGS = 1 << 3,      // through registers
    GEN_PARTITION = 1 << 4,  // local_partition and an atom
    GEN_LOOPS = 1 << 5,
    GEN_SLICES = 1 << 6,         // one mode more, sliced
    GEN_TV = 1 << 7,             // tile(.., tv=, tile=)
    GEN_ATOMS = 1 << 8,          // tile(.., atoms=, along=)
    GEN_AUTO = 1 << 9,           // auto(N)
    GEN_MANY_THREADS = 1 << 10,  // up to 1024
    GEN_DIRECT = 1 << 11,        // global to global
    GEN_DEVICES = 1 << 12,       // device functions
    GEN_MAPS = 1 << 13,          // tile(.., map=)
    GEN_BY = 1 << 14,            // copies by a TV layout or by a map
    GEN_PARTS = 1 << 15,         // partition_src, partition_dst
    GEN_UNALIGNED = 1 << 16,     // tensors without align
    GEN_RANK_4 = 1 << 17,
    GEN_TAILS = 1 << 18,    // extents that no tile divides
    GEN_CONVERT = 1 << 19,  // outputs of another element type
    GEN_MATRIX = 1 << 20,   // ldmatrix and stmatrix, in a part of the seeds
    GEN_RANGES = 1 << 21,   // tiles by ranges of each mode
    GEN_ALL = (1 << 22) - 1
};

// Returns the text of a plan with "kernels" kernels, for the caller to free.
char *gen_plan(uint64_t seed, int kernels, unsigned features);

// Returns the text of a plan after a random change, most often no longer right; for the caller to
// free.
char *gen_mutant(uint64_t seed, const char *plan);

#endif
