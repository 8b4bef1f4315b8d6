// The generator of random plans (see gen_plans.h): kernels and device functions.
#include "gen_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- kernels --------------------------------------------------------------------------------------
enum flow { DIRECT, BY_SHARED, BY_FRAG, BY_SHARED_AND_FRAG, BY_TWO_SHARED, BY_PARTITION, BY_PARTS };

static enum flow choose_flow(struct gen *g) {
    for (;;) {
        switch (below(g, 11)) {
        case 0:
            if (g->features & GEN_DIRECT) return DIRECT;
            break;
        case 1:
        case 2:
            if (g->features & GEN_FRAGS) return BY_FRAG;
            break;
        case 3:
            if (g->features & GEN_FRAGS) return BY_SHARED_AND_FRAG;
            break;
        case 4: return BY_TWO_SHARED;
        case 5:
            if (g->features & GEN_PARTITION) return BY_PARTITION;
            break;
        case 6:
            if (g->features & GEN_PARTS) return BY_PARTS;
            break;
        default: return BY_SHARED;
        }
    }
}

static void put_indent(struct gen *g, int depth) {
    for (int i = 0; i < depth; ++i) put(g, "  ");
}

// A copy with tiled copy "t", or by what it means; "how" is an atom instead.
static void put_copy(struct gen *g, int depth, const char *src, const char *dst,
                     const struct tiled *t, const char *how) {
    put_indent(g, depth);
    if (percent(g, 10)) put(g, "l%d: ", below(g, 1000000));
    put(g, "copy %s -> %s ", src, dst);
    bool frag = strncmp(src, "reg", 3) == 0 || strncmp(dst, "reg", 3) == 0;
    if (how) {
        put(g, "with %s", how);
    } else if (t->once && !frag && may(g, GEN_BY, 15)) {
        put(g, "by ");
        if (percent(g, 50))
            put_map(g, t);
        else
            put_tv(g, t);
    } else {
        put(g, "with %s", t->name);
    }
    // memory of the kernel's own takes a value where the source ends, also where none does
    static const char *const own[] = {"reg", "sh", "mid"};
    bool is_own = false;
    for (int i = 0; i < 3; ++i) is_own |= strncmp(dst, own[i], strlen(own[i])) == 0;
    if (is_own && may(g, GEN_TAILS, 15)) put(g, " pad %d", (int[]){0, 0, 1, 100}[below(g, 4)]);
    put(g, ";\n");
}

// Copies between one thread's parts of tensors: at once, or by steps along a mode of the tile;
// straight, through "shared" or through registers.
static void put_parts(struct gen *g, const struct kernel *k, int depth, const char *src,
                      const char *shared, const char *dst) {
    const struct tiled *t = &k->a;
    char from[PART_TEXT], to[PART_TEXT], step[64] = "";
    int mode = below(g, k->rank), id = g->kernel;
    int64_t step_size = (int64_t)t->thr[mode] * t->val[mode];
    int64_t rounds = (k->tile[mode] + step_size - 1) / step_size;
    snprintf(from, sizeof from, "partition_src(%s, %s)", t->name, src);
    snprintf(to, sizeof to, "partition_dst(%s, %s)", t->name, dst);
    if (percent(g, 60)) {
        put_indent(g, depth), put(g, "let from%d = %s;\n", id, from);
        put_indent(g, depth), put(g, "let into%d = %s;\n", id, to);
        snprintf(from, sizeof from, "from%d", id);
        snprintf(to, sizeof to, "into%d", id);
    }
    bool steps = may(g, GEN_LOOPS, 50);
    if (steps) {
        int n = snprintf(step, sizeof step, "(_");
        for (int i = 0; i < k->rank; ++i)
            n += snprintf(step + n, sizeof step - (size_t)n, ",%s", i == mode ? "q" : "_");
        snprintf(step + n, sizeof step - (size_t)n, ")");
        put_indent(g, depth++);
        put(g, "for q in 0 .. %" PRId64 " {\n", rounds);
        strncat(from, step, sizeof from - strlen(from) - 1);
        strncat(to, step, sizeof to - strlen(to) - 1);
    }
    int way = below(g, 3);
    if (way == 0) {
        put_copy(g, depth, from, to, t, t->name);
    } else if (way == 1 && (g->features & GEN_FRAGS)) {
        put_indent(g, depth), put(g, "frag reg%d : %s like %s;\n", id, k->elem, from);
        char reg[16];
        snprintf(reg, sizeof reg, "reg%d", id);
        put_copy(g, depth, from, reg, t, t->name);
        put_copy(g, depth, reg, to, t, t->name);
    } else {
        char in[200], out[200];
        snprintf(in, sizeof in, "partition_dst(%s, %s)%s", t->name, shared, step);
        snprintf(out, sizeof out, "partition_src(%s, %s)%s", t->name, shared, step);
        put_copy(g, depth, from, in, t, t->name);
        put_copy(g, depth, out, to, t, t->name);
    }
    if (steps) put_indent(g, --depth), put(g, "}\n");
}

static void put_kernel(struct gen *g) {
    struct kernel k = {0};
    memset(g->cut, 0, sizeof g->cut);
    int id = g->kernel;
    enum flow flow = choose_flow(g);
    choose_elem(g, &k);
    if (flow != BY_PARTS) choose_into(g, &k);  // parts are counted in accesses of each side
    bool turned = flow == BY_FRAG && percent(g, 60);
    do {
        choose_first(g, &k, turned);
    } while (flow == BY_PARTITION && k.a.threads == 1);
    k.b = k.a;
    k.b.along = k.a.across;
    k.two = flow != BY_FRAG && flow != DIRECT && flow != BY_PARTITION && flow != BY_PARTS &&
            percent(g, 40);
    if (k.two) choose_second(g, &k);
    snprintf(k.a.name, sizeof k.a.name, "tc%da", id);
    snprintf(k.b.name, sizeof k.b.name, "tc%d%c", id, k.two ? 'b' : 'a');
    if (flow == BY_PARTITION) {  // single elements, one thread layout without an order of its own
        k.a.bits = k.b.bits = k.elem_bits;
        k.a.exact = k.b.exact = false;
        k.a.bare = k.b.bare = true;
    }
    bool mid = flow == BY_TWO_SHARED || flow == BY_SHARED_AND_FRAG;  // copies all of a tile
    if (may(g, GEN_TAILS, 12))
        choose_small(g, &k);
    else
        k.tails = !mid && may(g, GEN_TAILS, 30);
    choose_axes(g, &k);
    put_params(g, &k);

    char src[16], dst[16], src_view[VIEW_TEXT], dst_view[VIEW_TEXT], shared[2][16], frag[16];
    snprintf(src, sizeof src, "src%d", id);
    snprintf(dst, sizeof dst, "dst%d", id);
    snprintf(shared[0], sizeof shared[0], "sh%d", id);
    snprintf(shared[1], sizeof shared[1], "mid%d", id);
    snprintf(frag, sizeof frag, "reg%d", id);
    put_global(g, &k, src, &k.a, src_view);
    const char *elem = k.elem;
    k.elem = k.into;
    put_global(g, &k, dst, &k.b, dst_view);
    bool more = flow != DIRECT && flow != BY_PARTITION && flow != BY_PARTS &&
                percent(g, 12);  // a second output
    char more_dst[16], more_view[VIEW_TEXT];
    snprintf(more_dst, sizeof more_dst, "other%d", id);
    if (more) put_global(g, &k, more_dst, &k.b, more_view);
    k.elem = elem;
    int nshared = flow == BY_TWO_SHARED ? 2 : flow == BY_FRAG || flow == DIRECT ? 0 : 1;
    bool outside = percent(g, 40);  // shared tensors are declared outside of the kernel
    // the middle is touched by both copies: an exact access of either needs its mode contiguous
    int contiguous = k.a.exact ? k.a.along : k.b.exact ? k.b.along : -1;
    int unit = k.a.exact ? k.a.bits / k.elem_bits : k.b.exact ? k.b.bits / k.elem_bits : 1;
    for (int i = 0; i < nshared && outside; ++i) {
        put(g, "tensor %s : %s shared ", shared[i], k.elem);
        put_shared_layout(g, &k, contiguous, unit);
        put(g, "%s;\n", percent(g, 20) ? " align 16" : "");
    }
    if (flow != BY_PARTITION) put_tiled(g, &k, &k.a);
    if (k.two) put_tiled(g, &k, &k.b);

    int threads = k.a.threads > k.b.threads ? k.a.threads : k.b.threads;
    if (flow != BY_PARTITION && threads <= 512 && percent(g, 10))
        threads *= 2;  // some have nothing to do
    put(g, "kernel move%d(%s, out %s%s%s) grid (", id, src, dst, more ? ", out " : "",
        more ? more_dst : "");
    for (int i = 0; i < k.block_axes; ++i) put(g, "%s%s", i ? ", " : "", k.grid[i]);
    put(g, "%s) threads %d {\n", k.block_axes ? "" : "1", threads);
    int depth = 1;
    for (int i = 0; i < nshared && !outside; ++i) {
        put(g, "  shared %s : %s ", shared[i], k.elem);
        put_shared_layout(g, &k, contiguous, unit);
        put(g, ";\n");
    }
    if (flow == BY_FRAG || flow == BY_SHARED_AND_FRAG)
        put(g, "  frag %s : %s like %s;\n", frag, k.elem, k.b.name);
    for (int i = 0; i < k.loops; ++i) {
        put_indent(g, depth++);
        put(g, "for %s {\n", k.loop[i]);
    }
    if (percent(g, 20)) {
        put_indent(g, depth);
        put(g, "let to%d = %s;\n", id, dst_view);
        snprintf(dst_view, sizeof dst_view, "to%d", id);
    }
    switch (flow) {
    case DIRECT: put_copy(g, depth, src_view, dst_view, &k.a, NULL); break;
    case BY_SHARED:
        put_copy(g, depth, src_view, shared[0], &k.a, NULL);
        put_copy(g, depth, shared[0], dst_view, &k.b, NULL);
        break;
    case BY_FRAG:
        put_copy(g, depth, src_view, frag, &k.a, NULL);
        put_copy(g, depth, frag, dst_view, &k.a, NULL);
        break;
    case BY_SHARED_AND_FRAG:
        put_copy(g, depth, src_view, shared[0], &k.a, NULL);
        put_copy(g, depth, shared[0], frag, &k.b, NULL);
        put_copy(g, depth, frag, dst_view, &k.b, NULL);
        break;
    case BY_TWO_SHARED:
        put_copy(g, depth, src_view, shared[0], &k.a, NULL);
        put_copy(g, depth, shared[0], shared[1], &k.b, NULL);
        put_copy(g, depth, shared[1], dst_view, &k.b, NULL);
        break;
    case BY_PARTS: put_parts(g, &k, depth, src_view, shared[0], dst_view); break;
    case BY_PARTITION: {
        char a[PART_TEXT], b[PART_TEXT], m[PART_TEXT], thr[64], how[32];
        int n = sprintf(thr, "(");
        for (int i = 0; i < k.rank; ++i) n += sprintf(thr + n, "%s%d", i ? "," : "", k.a.thr[i]);
        sprintf(thr + n, ")");
        snprintf(a, sizeof a, "local_partition(%s, %s, tid)", src_view, thr);
        snprintf(m, sizeof m, "local_partition(%s, %s, tid)", shared[0], thr);
        snprintf(b, sizeof b, "local_partition(%s, %s, tid)", dst_view, thr);
        snprintf(how, sizeof how, "%s(%d)", may(g, GEN_AUTO, 30) ? "auto" : "universal",
                 k.elem_bits);
        put_copy(g, depth, a, m, NULL, how);
        put_copy(g, depth, m, b, NULL, how);
        break;
    }
    }
    if (more)
        put_copy(g, depth,
                 flow == BY_FRAG || flow == BY_SHARED_AND_FRAG ? frag
                 : flow == BY_TWO_SHARED                       ? shared[1]
                                                               : shared[0],
                 more_view, &k.b, NULL);
    while (depth > 1) {
        put_indent(g, --depth);
        put(g, "}\n");
    }
    put(g, "}\n\n");
}

// The tiles of a device function are its caller's to count.
static void choose_indexes(struct gen *g, struct kernel *k) {
    int64_t size = 1;
    for (int i = 0; i < k->rank; ++i) size *= k->tile[i];
    for (int i = 0; i <= k->rank; ++i) {
        bool last = i == k->rank;
        struct axis *x = last ? &k->batch : &k->axis[i];
        x->tiles = PICK(g, 1, 2, 3);
        if (size * x->tiles > MAX_WHOLE) x->tiles = 1;
        if (last && (x->tiles == 1 || !may(g, GEN_SLICES, 30))) continue;
        size *= x->tiles;
        k->sliced = last;
        strcpy(x->coord, "0");
        if (x->tiles > 1) sprintf(x->coord, "i%d", i);
    }
    choose_extents(g, k);
}

// A device function that brings a tile into its caller's shared memory or registers, or takes it
// out.
static void put_device(struct gen *g) {
    struct kernel k = {0};
    memset(g->cut, 0, sizeof g->cut);
    int id = g->kernel;
    char name[16], view[VIEW_TEXT];
    choose_elem(g, &k);
    choose_first(g, &k, false);
    k.b = k.a;
    snprintf(k.a.name, sizeof k.a.name, "tc%da", id);
    choose_indexes(g, &k);
    snprintf(name, sizeof name, "far%d", id);
    put_global(g, &k, name, &k.a, view);
    put_tiled(g, &k, &k.a);
    bool into = percent(g, 50), frag = may(g, GEN_FRAGS, 30);
    // nothing is drawn for it, so that all else is as it is without
    const char *word = !into ? "out " : (g->state >> 13) % 2 ? "readonly " : "";
    // a fragment is one of each thread, also of those that copy nothing
    const int threads = k.a.threads * (k.a.threads <= 512 && percent(g, 20) ? 2 : 1);
    const char *filled = !into ? "" : frag && threads > k.a.threads ? "inout " : "out ";
    put(g, "device call%d(%s%s, %snear%d : %s %s ", id, word, name, filled, id, k.elem,
        frag ? "frag" : "shared");
    if (frag)
        put(g, "like %s", k.a.name);
    else
        put_shared_layout(g, &k, k.a.exact ? k.a.along : -1,
                          k.a.exact ? k.a.bits / k.elem_bits : 1);
    for (int i = 0; i <= k.rank; ++i) {
        const struct axis *x = i == k.rank ? &k.batch : &k.axis[i];
        if (x->coord[0] == 'i') put(g, ", %s : index", x->coord);
    }
    put(g, ") threads %d {\n", threads);
    if (into)
        put(g, "  copy %s -> near%d with %s;\n}\n\n", view, id, k.a.name);
    else
        put(g, "  copy near%d -> %s with %s;\n}\n\n", id, view, k.a.name);
}

// In a part of the seeds a kernel with ldmatrix or stmatrix follows on some of the others, drawn
// from a state of its own, so that the others are as they are without.
enum { MATRIX_KERNELS = 1000 };

static bool has_matrices(uint64_t seed, unsigned features) {
    struct gen g = {.state = ~seed, .features = features};
    return may(&g, GEN_MATRIX, 35);
}

static void put_matrices(struct gen *g) {
    const uint64_t state = g->state;
    const int kernel = g->kernel;
    g->state = ~state;
    if (percent(g, 50)) {
        g->kernel += MATRIX_KERNELS;
        put_matrix_kernel(g);
    }
    g->state = state;
    g->kernel = kernel;
}

char *gen_plan(uint64_t seed, int kernels, unsigned features) {
    struct gen g = {.state = seed, .features = features, .cap = 4096, .text = malloc(4096)};
    if (!g.text) abort();
    const bool matrices = has_matrices(seed, features);
    put(&g, "// seed %" PRIu64 "\ntcp 1;\n%s\n", seed, matrices ? "arch sm_90;\n" : "");
    for (g.kernel = 0; g.kernel < kernels; ++g.kernel) {
        if (may(&g, GEN_DEVICES, 10))
            put_device(&g);
        else
            put_kernel(&g);
        if (matrices) put_matrices(&g);
    }
    return g.text;
}
