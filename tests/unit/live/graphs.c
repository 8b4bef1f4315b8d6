// Graphs of roles that wait for each other: rings with known answers, and random graphs against all
// their simple cycles and a run step by step.  With "-" it reads graphs from standard input and
// prints what it finds, for tests/prove/interleave.py.
#include "live/live.h"

#include <stdlib.h>

#include "check.h"

// A producer (wait for a free slot, fill, say full) and a consumer (wait for full, use, release), with
// "stages" slots; full is said "behind" steps late, a slot is released "late" steps late.
static struct live_graph ring(int64_t stages, int64_t behind, int64_t late) {
    struct live_graph g = {0};
    int node[6];
    for (int i = 0; i < 6; ++i) node[i] = live_node(&g);
    for (int role = 0; role < 2; ++role) {
        const int *n = node + 3 * role;
        live_edge(&g, n[0], n[1], 0);
        live_edge(&g, n[1], n[2], 0);
        live_edge(&g, n[2], n[0], 1);
    }
    live_edge(&g, node[2], node[3], -behind);
    live_edge(&g, node[5], node[0], stages - late);
    return g;
}

// Whether "cycle" is one, with a sum of 0 or less.
static bool is_cycle(const struct live_graph *g, const int *cycle, int n) {
    int64_t sum = 0;
    for (int i = 0; i < n; ++i) {
        const struct live_edge *x = &g->edge[cycle[i]], *y = &g->edge[cycle[(i + 1) % n]];
        if (x->to != y->from) return false;
        sum += x->distance;
    }
    return n > 0 && sum <= 0;
}

static void rings(void) {
    for (int stages = 1; stages <= 5; ++stages)
        for (int behind = 0; behind <= 5; ++behind)
            for (int late = 0; late <= 5; ++late) {
                struct live_graph g = ring(stages, behind, late);
                int cycle[LIVE_NODES], n = live_stuck(&g, cycle);
                bool live = stages > behind + late;
                CHECK((n == 0) == live, "%d stages, full %d late, empty %d late", stages, behind,
                      late);
                if (n > 0) HOLDS(is_cycle(&g, cycle, n) && n == 6);
                if (!live) continue;
                HOLDS(live_path(&g, 1, 4) == -behind);        // filled before it is used
                HOLDS(live_path(&g, 4, 1) == stages - late);  // used before it is filled again
                HOLDS(live_path(&g, 3, 2) == stages - late);  // one phase at a time
                HOLDS(live_path(&g, 0, 0) == (stages - late - behind < 1 ? 0 : 1));
            }
}

// -- random graphs --------------------------------------------------------------------------------

static uint32_t state = 12345;
static int draw(int n) {
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

// The least sum of a simple cycle through "at" that returns to "start"; "seen": nodes on the way.
static int64_t least_cycle(const struct live_graph *g, int start, int at, unsigned seen,
                           int64_t sum) {
    int64_t least = LIVE_NONE;
    for (int e = 0; e < g->nedges; ++e) {
        const struct live_edge *x = &g->edge[e];
        if (x->from != at) continue;
        int64_t is = LIVE_NONE;
        if (x->to == start)
            is = sum + x->distance;
        else if (!(seen >> x->to & 1))
            is = least_cycle(g, start, x->to, seen | 1u << x->to, sum + x->distance);
        if (is < least) least = is;
    }
    return least;
}

enum { STEPS = 40 };

// Runs what the graph allows for STEPS steps; whether all nodes come to step STEPS / 2.
static bool runs(const struct live_graph *g) {
    int done[LIVE_NODES] = {0};
    for (bool more = true; more;) {
        more = false;
        for (int v = 0; v < g->nnodes; ++v) {
            bool may = done[v] < STEPS;
            for (int e = 0; e < g->nedges && may; ++e) {
                const struct live_edge *x = &g->edge[e];
                int64_t needs = done[v] - x->distance;
                if (x->to == v && needs >= 0 && needs < STEPS) may = done[x->from] > needs;
            }
            done[v] += may;
            more |= may;
        }
    }
    for (int v = 0; v < g->nnodes; ++v)
        if (done[v] < STEPS / 2) return false;
    return true;
}

static void random_graphs(void) {
    int stuck = 0;
    for (int i = 0; i < 4000; ++i) {
        struct live_graph g = {0};
        int n = 1 + draw(6), edges = draw(2 * n + 2);
        while (g.nnodes < n) live_node(&g);
        for (int v = 0; v < n; ++v) live_edge(&g, v, v, 1);  // a statement's steps are in order
        for (int e = 0; e < edges; ++e) live_edge(&g, draw(n), draw(n), draw(6) - 2);
        int cycle[LIVE_NODES], found = live_stuck(&g, cycle);
        int64_t least = LIVE_NONE;
        for (int v = 0; v < n; ++v) {
            int64_t x = least_cycle(&g, v, v, 1u << v, 0);
            if (x < least) least = x;
        }
        CHECK((found > 0) == (least <= 0), "graph %d", i);
        CHECK((found > 0) == !runs(&g), "graph %d, run step by step", i);
        if (found) HOLDS(is_cycle(&g, cycle, found));
        stuck += found > 0;
    }
    HOLDS(stuck > 1000 && stuck < 3000);
}

// A graph is "nodes edges", then "from to distance" for each edge.
static int answer(void) {
    int nodes, edges;
    while (scanf("%d %d", &nodes, &edges) == 2) {
        struct live_graph g = {0};
        int cycle[LIVE_NODES];
        for (int i = 0; i < nodes; ++i) live_node(&g);
        for (int i = 0; i < edges; ++i) {
            int from, to, distance;
            if (scanf("%d %d %d", &from, &to, &distance) != 3) return 1;
            live_edge(&g, from, to, distance);
        }
        int n = live_stuck(&g, cycle);
        printf("%d", n);
        for (int i = 0; i < n; ++i) printf(" %d", cycle[i]);
        printf("\n");
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "-") == 0) return answer();
    rings();
    random_graphs();
    return check_done();
}
