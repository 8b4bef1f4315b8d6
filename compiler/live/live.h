// Do roles that wait for each other go on for ever?
//
// A role is a part of a block's threads that executes a list of statements in each step of a loop.
// The graph has a node for each statement.  An edge says that node "to" of step g comes after node
// "from" of step g - distance, for each g of at least "distance": it is the order of the program
// (distance 0), the next step of the same role (1), or an arrival and a wait for it.  What is
// executed does not depend on what is moved, and an arrival never waits.  So one complete schedule
// proves all of them, and there is one for each number of steps if and only if the distances of no
// cycle have a sum of 0 or less (Commoner, Holt, Even, Pnueli 1971; Kahn 1974).
//
// The same graph answers what is ordered: if the edges of a path have a sum of at most d, then its
// last node of step g + d comes after its first node of step g.
#ifndef TCPC_LIVE_LIVE_H
#define TCPC_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

// LIVE_FAR: most steps of an edge, so that no sum overflows.  LIVE_NONE: there is no path.
enum { LIVE_NODES = 256, LIVE_EDGES = 2048, LIVE_FAR = 1 << 20 };
#define LIVE_NONE INT64_MAX

struct live_edge {
    int from, to;
    int64_t distance;  // -LIVE_FAR .. LIVE_FAR
};

struct live_graph {
    int nnodes, nedges;
    struct live_edge edge[LIVE_EDGES];
};

// Adds a node and returns its number; an edge.  BUG if it does not fit.
int live_node(struct live_graph *g);
void live_edge(struct live_graph *g, int from, int to, int64_t distance);

// Finds a cycle whose distances have a sum of 0 or less: the numbers of its edges, in order, each
// of which begins where the one before ends.  Returns how many; 0: there is none, so all roles come
// to their end.
int live_stuck(const struct live_graph *g, int cycle[LIVE_NODES]);

// The least sum of distances on a path with at least one edge; LIVE_NONE: there is none.  The graph
// has no cycle of live_stuck.
int64_t live_path(const struct live_graph *g, int from, int to);

#endif
