// Shortest paths in the graph of live.h, by Bellman and Ford.
#include "live/live.h"

#include "base/trap.h"

int live_node(struct live_graph *g) {
    if (g->nnodes == LIVE_NODES) BUG("too many statements that wait for each other");
    return g->nnodes++;
}

void live_edge(struct live_graph *g, int from, int to, int64_t distance) {
    if (g->nedges == LIVE_EDGES || distance > LIVE_FAR || distance < -LIVE_FAR)
        BUG("too many waits, or one for too distant a step");
    g->edge[g->nedges++] = (struct live_edge){from, to, distance};
}

// A cycle has at most "nnodes" edges.  So a sum of distances is 0 or less if and only if the sum of
// these weights is negative.
static int64_t weight(const struct live_graph *g, const struct live_edge *e) {
    return e->distance * (g->nnodes + 1) - 1;
}

// The edges of the cycle that "last" leads back to from "node", in order.
static int collect(const struct live_graph *g, const int *last, int node, int cycle[LIVE_NODES]) {
    // after as many edges as there are nodes, every way back is inside a cycle
    for (int i = 0; i < g->nnodes; ++i) node = g->edge[last[node]].from;
    int n = 0, at = node;
    do {
        cycle[n++] = last[at];
        at = g->edge[last[at]].from;
    } while (at != node);
    for (int i = 0; i < n / 2; ++i) {
        int kept = cycle[i];
        cycle[i] = cycle[n - 1 - i];
        cycle[n - 1 - i] = kept;
    }
    return n;
}

int live_stuck(const struct live_graph *g, int cycle[LIVE_NODES]) {
    int64_t least[LIVE_NODES] = {0};  // of all ways that end at a node
    int last[LIVE_NODES];             // .. and their last edge
    int changed = 0;
    for (int i = 0; i <= g->nnodes && changed >= 0; ++i) {
        changed = -1;
        for (int e = 0; e < g->nedges; ++e) {
            const struct live_edge *x = &g->edge[e];
            int64_t sum = least[x->from] + weight(g, x);
            if (sum >= least[x->to]) continue;
            least[x->to] = sum;
            last[x->to] = e;
            changed = x->to;
        }
    }
    return changed < 0 ? 0 : collect(g, last, changed, cycle);
}

int64_t live_path(const struct live_graph *g, int from, int to) {
    int64_t least[LIVE_NODES];
    for (int i = 0; i < g->nnodes; ++i) least[i] = LIVE_NONE;
    for (int e = 0; e < g->nedges; ++e) {
        const struct live_edge *x = &g->edge[e];
        if (x->from == from && x->distance < least[x->to]) least[x->to] = x->distance;
    }
    for (int i = 0; i < g->nnodes; ++i)
        for (int e = 0; e < g->nedges; ++e) {
            const struct live_edge *x = &g->edge[e];
            if (least[x->from] == LIVE_NONE) continue;
            int64_t sum = least[x->from] + x->distance;
            if (sum < least[x->to]) least[x->to] = sum;
        }
    return least[to];
}
