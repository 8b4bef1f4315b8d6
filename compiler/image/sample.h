// Chooses the blocks and iterations that one check executes. The oracle and the evaluation of
// Kernel IR must choose the same ones, so that the choice depends on nothing but the counts, and is
// made here.
#ifndef TCPC_IMAGE_SAMPLE_H
#define TCPC_IMAGE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLE_AXIS = 4, SAMPLE_BLOCKS = 8 };

// How much of a kernel is executed: everything, or a sample of blocks and iterations.
struct sample_set {
    bool all_blocks;
    bool all_iterations;
    bool first_block;  // execute only the first block, and with "last_block" the last one
    bool last_block;   // execute only the last block, and with "first_block" the first one
    bool early;        // do asynchronous copies as soon as they are issued
    // the oracle's limit of elements and statements; 0: ORACLE_LIMIT
    int64_t most;
    // the oracle's limit of pages in its image; with "left", also the machine's; 0: none
    int64_t pages;
    // the operations that the machine may still execute, which it reduces; NULL: no limit
    int64_t *left;
};

// Chooses positions in 0 .. n-1 that represent all: all of them up to four, else the first, second,
// middle and last one. Returns how many it stored in "pick", in ascending order; none when n <= 0.
int sample_axis(int64_t n, int64_t pick[SAMPLE_AXIS]);

// The number of steps of a pipeline with that many stages that represent all of them: the first
// ones, because later steps use what earlier ones load.
int64_t sample_steps(int64_t stages);

// Chooses blocks of a grid of n[0] x n[1] x n[2]: all combinations of the positions that
// sample_axis chooses. If these are more than SAMPLE_BLOCKS, only the first block and its neighbour
// along each axis, one in the middle, and the last one. x varies fastest. Returns how many it
// stored in "block".
int sample_blocks(const int64_t n[3], int64_t block[SAMPLE_BLOCKS][3]);

// The same, but only the blocks that "what" selects, which must not have "all_blocks".
int sample_chosen(const struct sample_set *what, const int64_t n[3],
                  int64_t block[SAMPLE_BLOCKS][3]);

#endif
