// Which blocks and which iterations one check executes.  The oracle and the evaluation of Kernel IR
// must pick the same ones, and the picking must not depend on anything but the counts; so it is
// here.
#ifndef TCPC_IMAGE_SAMPLE_H
#define TCPC_IMAGE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLE_AXIS = 4, SAMPLE_BLOCKS = 8 };

// How much of a kernel is executed: everything, or a sample of blocks and iterations.
struct sample_set {
    bool all_blocks;
    bool all_iterations;
    bool first_block;  // it alone, or with the last one
    bool last_block;   // it alone, or with the first one
    bool early;        // asynchronous copies as soon as they are issued
    int64_t most;      // of the oracle: elements and statements, 0: ORACLE_LIMIT
    int64_t pages;     // of the oracle's image, with "left" of the machine's; 0: any number
    int64_t
        *left;  // of the machine: operations, which are taken from it; NULL: as many as it takes
};

// Positions of 0 .. n-1 that stand for all: all of them when there are no more than four, else
// first, second, middle and last.  Returns how many went to "pick", in ascending order; none when n
// <= 0.
int sample_axis(int64_t n, int64_t pick[SAMPLE_AXIS]);

// How many steps of a pipeline of that many stages stand for all: its first ones, since what a step
// loads another uses.
int64_t sample_steps(int64_t stages);

// The blocks of a grid of n[0] x n[1] x n[2]: the combinations of each axis's sample, and when
// those are more than SAMPLE_BLOCKS, the first block and its neighbour along each axis, one from
// the middle and the last.  x runs fastest.  Returns how many went to "block".
int sample_blocks(const int64_t n[3], int64_t block[SAMPLE_BLOCKS][3]);

// Those of them that "what" selects, which does not have all blocks.
int sample_chosen(const struct sample_set *what, const int64_t n[3],
                  int64_t block[SAMPLE_BLOCKS][3]);

#endif
