// Tiles of runs: on each side of a tile, the fast modes that are contiguous there form a run, which
// is accessed as one row.  So accesses may be wider than the fast mode of a side allows, as where
// it is short or odd.  A tile has the whole of all modes of a run but its last one.
//
// There are two ways.  Turned: a thread reads, for several rows of the source, an access of the run
// each.  Its elements along the destination's run are put into shared memory together, where the
// tile is in the order of the destination.  Gathered: shared memory has the runs of the source as
// they are, and a thread takes the elements of an access to the destination one by one.  Their
// places are computed once for all elements along other modes.
#ifndef TCPC_PLANNER_RUNS_H
#define TCPC_PLANNER_RUNS_H

#include "planner/text.h"

enum { RUNS_SHARED = 72 * 1024 };  // most bytes of a tile

// The modes of a run or of other rows, fastest first.
struct modes {
    int n, of[RELAYOUT_MODES];
};

// Threads along a run, and along the modes that are not in it.
struct among {
    int64_t along, beside[RELAYOUT_MODES];
};

struct runs {
    struct choice c;                // the tile; threads and values are not those of modes
    bool gathered, async;           // async: if gathered, by cp.async
    struct modes x, y;              // the runs of the source and the destination
    struct modes rows;              // modes besides x, if turned those of y first
    struct modes others;            // modes besides y
    int64_t held;                   // if turned: elements along the first of the rows, those of y
    int load, store;                // elements of an access
    int64_t place[RELAYOUT_MODES];  // strides in shared memory: of a part of a run, or of others
    int bits, shift;                // if turned: swizzle of accesses in shared memory; 0: none
    struct among readers, writers;  // along x, and along y; readers.beside only if gathered
    int64_t turns;                  // if turned: accesses of a thread along x, one after the other
    int64_t values;                 // .. and its rows, one after the other
    int64_t again;   // if gathered: accesses of a thread along y, one after the other
    int along;       // .. and the mode, besides y, that is contiguous in shared memory; -1: none
    int64_t apart;   // .. threads along the others but "along"
    int64_t pieces;  // .. and parts of "along" for a thread, one after the other
    int64_t memory, cost;  // predicted: by cost_of, and with the work of accesses and instructions
    struct cost of;        // the former in parts
};

// Sets "list" to the cheapest such tiles with wider accesses than the fast modes allow, at most
// "most" of those for which cost_of gives at most "memory".  Returns their number.
int runs_choose(const struct relayout *r, int64_t memory, struct runs list[], int most);
// Sets the place in shared memory of a tile with all threads, and what it costs there.  False if
// there is none for which cost_of gives at most "memory".
bool runs_place(const struct relayout *r, struct runs *k, int64_t memory);
// What a tile of another form costs with that work, where cost_of gives "cost"; "parts" modes are in
// a row.
int64_t runs_cost(const struct relayout *r, const struct choice *c, int64_t cost, int parts);
// "cost" by cost_of, with the accesses of a tile and its instructions, times AVERAGE.
int64_t runs_work(const struct relayout *r, const struct choice *c, int64_t cost, int64_t accesses,
                  int64_t instructions);
// Puts "x" of "size" bytes at place "at" of the list, which has "*n" of them and keeps at most "most".
void runs_insert(void *list, size_t size, int *n, int most, int at, const void *x);
// Whether "modes" has mode "m".
bool runs_has(const struct modes *modes, int m);
// The elements of the tile along these modes.
int64_t runs_length(const struct modes *modes, const int64_t tile[]);

#endif
