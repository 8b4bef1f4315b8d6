// Random kernels that are about order alone: buffers in shared memory that are filled, plainly or
// asynchronously, wholly or as far as a tile is there, and read by the same or by other threads, in
// a row, in loops and in pipelines.
#ifndef TCPC_TESTS_GEN_SYNC_H
#define TCPC_TESTS_GEN_SYNC_H

#include <stdbool.h>
#include <stdint.h>

// What loops and pipelines are like: with "many" they have so many steps that each barrier and wait
// in them is needed in some step; else any number, one and none as well.  Returns the text of a
// plan with kernels sync0, sync1, .., for the caller to free.
char *gen_sync(uint64_t seed, int kernels, bool many, bool pipelines);

#endif
