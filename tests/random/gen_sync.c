// The generator of kernels about order (see gen_sync.h).
#include "gen_sync.h"

#include <stdio.h>
#include <stdlib.h>

#include "gen_private.h"

enum { MAX_BUFFERS = 4, MAX_FILLS = 6 };

static const char *const fills[] = {"g2s", "g2s", "g2s", "narrow", "hinted", "plain"};
static const char *const edge_fills[] = {"g2s", "g2s", "g2s", "narrow", "hinted", "loose"};
static const char *const reads[] = {"other", "other", "own"};

#define ANY(g, list) list[below(g, (int)(sizeof list / sizeof list[0]))]

static void put_heads(struct gen *g) {
    put(g, "tcp 1;\n"
           "tiled_copy g2s = tile(cp_async.cg(16), thr=(8,4):(4,1), val=(1,4));\n"
           "tiled_copy narrow = tile(cp_async.ca(4), thr=(8,4):(4,1), val=(1,4));\n"
           "tiled_copy hinted = tile(cp_async.ca(16, l2=128), thr=(8,4):(4,1), val=(1,4));\n"
           "tiled_copy plain = tile(universal(128), thr=(8,4):(4,1), val=(1,4));\n"
           "tiled_copy loose = tile(auto(128), thr=(8,4):(4,1), val=(1,4));\n"
           "tiled_copy own = tile(universal(128), thr=(8,4):(4,1), val=(1,4));\n"
           "tiled_copy other = tile(universal(128), thr=(16,2):(2,1), val=(1,4));\n");
}

static void put_buffers(struct gen *g, int n, int stages) {
    for (int i = 0; i < n; ++i) {
        static const char *const layouts[] = {"row(16,16)", "(16,16):(20,1)",
                                              "Sw<2,2,2> o 0 o (16,16):(16,1)"};
        put(g, "  shared s%d : f32 %s", i, ANY(g, layouts));
        if (stages > 0) put(g, " stages %d", stages);
        put(g, ";\n");
    }
}

// Where the tiles of 16 by 16 that are loaded end: most often they are whole; else an edge may cut
// an access, which fills with zeros.
struct ends {
    int rows, columns;
};

static struct ends draw_ends(struct gen *g) {
    if (percent(g, 65)) return (struct ends){16, 16};
    return (struct ends){percent(g, 50) ? 16 : 1 + below(g, 16), 1 + below(g, 16)};
}

static bool are_whole(struct ends e) {
    return e.rows == 16 && e.columns == 16;
}

// The layout of a tensor of tiles, "n" modes of them with these sizes.
static void put_tiles(struct gen *g, const char *const *size, int n, struct ends e) {
    put(g, are_whole(e) ? "row(" : "(");
    for (int i = 0; i < n; ++i) put(g, "%s,", size[i]);
    put(g, "%d,%d)", e.rows, e.columns);
    if (are_whole(e)) return;
    put(g, ":(");
    for (int i = 0; i < n; ++i) {
        put(g, "256");
        for (int j = i + 1; j < n; ++j) put(g, "*%s", size[j]);
        put(g, ",");
    }
    put(g, "16,1)");
}

// The load of tile "at" of tensor A to buffer "b".
static void put_fill(struct gen *g, const char *indent, const char *at, int b, struct ends e) {
    if (are_whole(e))
        put(g, "%scopy A%d(%s,_,_) -> s%d with %s;\n", indent, g->kernel, at, b, ANY(g, fills));
    else
        put(g, "%scopy local_tile(A%d(%s,_,_), (16,16), (0,0)) -> s%d with %s pad 0;\n", indent,
            g->kernel, at, b, ANY(g, edge_fills));
}

// Fills and reads in a random order: each fill goes to a buffer whose content has been read.
static void put_row(struct gen *g, const char *indent, const char *index, int nfills, int nbuffers,
                    struct ends ends) {
    int holds[MAX_BUFFERS], full = 0, next = 0;
    for (int i = 0; i < nbuffers; ++i) holds[i] = -1;
    while (next < nfills || full > 0) {
        int b = below(g, nbuffers);
        if (holds[b] < 0 && next < nfills) {
            char at[32];
            snprintf(at, sizeof at, "%s%d", index, next);
            put_fill(g, indent, at, b, ends);
            holds[b] = next++;
            ++full;
        } else if (holds[b] >= 0 && (percent(g, 40) || full == nbuffers || next == nfills)) {
            put(g, "%scopy s%d -> B%d(%s%d,_,_) with %s;\n", indent, b, g->kernel, index, holds[b],
                ANY(g, reads));
            holds[b] = -1;
            --full;
        }
    }
}

static void put_straight(struct gen *g, bool many) {
    int n = 1 + below(g, MAX_FILLS), nbuffers = 1 + below(g, 3), steps = 0;
    if (percent(g, 50)) steps = many ? 3 + below(g, 9) : 1 + below(g, 10);
    char size[2][16];
    const char *const sizes[] = {size[0], size[1]};
    struct ends ends = draw_ends(g);
    snprintf(size[0], sizeof size[0], "%d", steps);
    snprintf(size[1], sizeof size[1], "%d", n);
    for (int i = 0; i < 2; ++i) {
        put(g, "tensor %c%d : f32 global ", "AB"[i], g -> kernel);
        put_tiles(g, steps ? sizes : sizes + 1, steps ? 2 : 1, i ? (struct ends){16, 16} : ends);
        put(g, " align 16;\n");
    }
    put(g, "kernel sync%d(A%d, out B%d) threads 32 {\n", g->kernel, g->kernel, g->kernel);
    put_buffers(g, nbuffers, 0);
    if (steps) {
        put(g, "  for i in 0 .. %d {\n", steps);
        put_row(g, "    ", "i,", n, nbuffers, ends);
        put(g, "  }\n");
    } else {
        put_row(g, "  ", "", n, nbuffers, ends);
    }
    put(g, "}\n");
}

static void put_uses(struct gen *g, const char *indent, const char *index, const int *order,
                     int from, int to) {
    put(g, "%suse {\n", indent);
    for (int i = from; i < to; ++i)
        put(g, "%s  copy s%d -> B%d_%d(%sn,_,_) with %s;\n", indent, order[i], g->kernel, order[i],
            index, ANY(g, reads));
    put(g, "%s}\n", indent);
}

static void put_loads(struct gen *g, const char *indent, const char *index, const int *order,
                      int from, int to, struct ends ends) {
    char inner[16], at[32];
    put(g, "%sload {\n", indent);
    snprintf(inner, sizeof inner, "%s  ", indent);
    for (int i = from; i < to; ++i) {
        snprintf(at, sizeof at, "%d,%sn", order[i], index);
        put_fill(g, inner, at, order[i], ends);
    }
    put(g, "%s}\n", indent);
}

static void put_pipeline(struct gen *g, bool many) {
    int stages = 1 + below(g, 8), nbuffers = 1 + below(g, 3), outer = percent(g, 25) ? 2 : 0;
    const int counts[] = {1, stages - 1, stages, stages + 1, 2 * stages + 1};
    int steps = many ? 2 * stages + 1 + below(g, 3) : ANY(g, counts), k = g->kernel;
    bool param = percent(g, 40), resident = percent(g, 25), each = percent(g, 40);
    if (steps < 1) steps = 1;
    if (param) {
        put(g, "param N%d : index in %d .. 40;\n", k, many ? steps : below(g, 3));
        if (!many) steps = 40;
    }
    char buffers[16], count[16];
    const char *const sizes[] = {buffers, outer ? "2" : count, count}, *const *inner = sizes + 1;
    struct ends ends = draw_ends(g);
    snprintf(buffers, sizeof buffers, "%d", nbuffers);
    snprintf(count, sizeof count, param ? "N%d" : "%d", param ? k : steps);
    for (int i = -1; i < nbuffers; ++i) {
        if (i < 0) {
            put(g, "tensor A%d : f32 global ", k);
            put_tiles(g, sizes, outer ? 3 : 2, ends);
        } else {
            put(g, "tensor B%d_%d : f32 global ", k, i);
            put_tiles(g, inner, outer ? 2 : 1, (struct ends){16, 16});
        }
        put(g, " align 16;\n");
    }
    if (resident) put(g, "tensor Q%d : f32 global row(16,16) align 16;\n", k);
    put(g, "kernel sync%d(A%d, ", k, k);
    if (resident) put(g, "Q%d, ", k);
    for (int i = 0; i < nbuffers; ++i) put(g, "%sout B%d_%d", i ? ", " : "", k, i);
    put(g, ") threads 32 {\n");
    put_buffers(g, nbuffers, stages);
    if (resident) {
        put(g, "  shared q : f32 row(16,16);\n  frag r : f32 like other;\n");
        put(g, "  copy Q%d -> q with %s;\n", k, ANY(g, fills));
    }
    const char *indent = outer ? "      " : "    ", *index = outer ? "m," : "";
    if (outer) put(g, "  for m in 0 .. %d {\n", outer);
    put(g, "%spipeline n in 0 .. ", outer ? "    " : "  ");
    if (param)
        put(g, "N%d {\n", k);
    else
        put(g, "%d {\n", steps);
    int order[MAX_BUFFERS];
    for (int i = 0; i < nbuffers; ++i) order[i] = i;
    shuffle(g, order, nbuffers);
    if (each) {
        for (int i = 0; i < nbuffers; ++i) {
            put_loads(g, indent, index, order, i, i + 1, ends);
            put_uses(g, indent, index, order, i, i + 1);
        }
    } else {
        put_loads(g, indent, index, order, 0, nbuffers, ends);
        if (percent(g, 50)) shuffle(g, order, nbuffers);
        if (resident) put(g, "%suse { copy q -> r with other; }\n", indent);
        put_uses(g, indent, index, order, 0, nbuffers);
    }
    put(g, "%s}\n", outer ? "    " : "  ");
    if (outer) put(g, "  }\n");
    put(g, "}\n");
}

char *gen_sync(uint64_t seed, int kernels, bool many, bool pipelines) {
    struct gen g = {.state = seed};
    put_heads(&g);
    for (g.kernel = 0; g.kernel < kernels; ++g.kernel) {
        if (pipelines && percent(&g, 70))
            put_pipeline(&g, many);
        else
            put_straight(&g, many);
    }
    return g.text;
}
