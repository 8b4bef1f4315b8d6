// Compares tiled copies with those of the real CuTe, row by row of tests/golden/tiled_copy.tsv: the
// tile, the (thread, value) layouts of both sides, who owns each element, the elements of single
// threads in CuTe's order, partitions and retiled fragments as views, and whether the copy is
// accepted.  A row is written as plans, which are compiled in this process.  What is meant to
// differ: tests/golden/DIFFERENCES.md.
#include "driver/golden.h"

enum column {
    FORM,
    ATOM,
    TYPE,
    PARAMS,
    SRC,
    DST,
    TILER,
    TV,
    SRC_TV,
    DST_TV,
    SIZES,
    SRC_PART,
    DST_PART,
    RETILE,
    VERDICT,
    FLAGS,
    OWNER,
    N_COLUMNS
};

enum { MOST_FORMS = 16 };

static struct count {
    char form[32];
    int rows, facts, parts, refused, copies, stops, differ, reads;
} counts[MOST_FORMS];
static int ncounts;
static int verbose;

static struct count *count_of(const char *form) {
    for (int i = 0; i < ncounts; ++i)
        if (strcmp(counts[i].form, form) == 0) return &counts[i];
    snprintf(counts[ncounts].form, sizeof counts[0].form, "%s", form);
    return &counts[ncounts++];
}

// -- a row as a plan ------------------------------------------------------------------------------

static bool layout_tiler(char **row) {
    return row[TILER][0] == '<';
}

static bool repeated(char **row) {
    return strstr(row[FLAGS], "multi-owner") != NULL;
}

// tile(ATOM, ...) of the row: by its own thr and val where it is CuTe's make_tiled_copy, else by TV
// and tile.  The tile of <L0,L1> is of their sizes; the views are divided by the layouts.
static void tile_text(char *out, size_t size, char **row, const char *atom, struct lay_ctx *x) {
    const char *cut = strstr(row[PARAMS], " ; ");
    if (strcmp(row[FORM], "make_tiled_copy") == 0 && cut) {
        snprintf(out, size, "tile(%s, thr=%.*s, val=%s)", atom, (int)(cut - row[PARAMS]),
                 row[PARAMS], cut + 3);
        return;
    }
    const char *tile = row[TILER];
    if (layout_tiler(row)) {
        const struct lay_tiler *t = lay_parse_tiler(x, tile);
        const struct lay_tuple *kid[LAY_MAX_RANK];
        for (int i = 0; i < t->rank; ++i) kid[i] = lay_leaf(x, lay_size(x, t->kid[i]->layout));
        tile = lay_tuple_text(x, lay_tuple(x, t->rank, kid));
    }
    snprintf(out, size, "tile(%s, tv=%s, tile=%s)", atom, row[TV], tile);
}

static void view_text(char *out, size_t size, char **row, const char *name) {
    if (layout_tiler(row))
        snprintf(out, size, "logical_divide(%s, %s)", name, row[TILER]);
    else
        snprintf(out, size, "%s", name);
}

// The plan of a row with "atom".  "whole": source to destination; else each side for itself, to and
// from a fragment, since CuTe cuts sides that do not fit each other.
static void plan_text(char *out, size_t size, char **row, const char *atom, bool whole,
                      struct lay_ctx *x) {
    char tile[1024], a[256], b[256], back[300];
    tile_text(tile, sizeof tile, row, atom, x);
    view_text(a, sizeof a, row, "A");
    view_text(b, sizeof b, row, "B");
    // a tile whose elements have several owners serves to read
    snprintf(back, sizeof back, repeated(row) ? "%s -> g" : "g -> %s", b);
    int n =
        snprintf(out, size,
                 "tcp 1;\ntensor A : %s global %s align 16;\ntensor B : %s global %s align 16;\n"
                 "tiled_copy tc = %s;\nkernel k(A, %sB) grid (1) threads %d {\n",
                 row[TYPE], row[SRC], row[TYPE], row[DST], tile,
                 whole || !repeated(row) ? "out " : "", atoi(row[SIZES]));
    if (whole)
        snprintf(out + n, size - (size_t)n, "  copy %s -> %s with tc;\n}\n", a, b);
    else
        snprintf(out + n, size - (size_t)n,
                 "  frag f : %s like tc;\n  frag g : %s like tc;\n"
                 "  copy %s -> f with tc;\n  copy %s with tc;\n}\n",
                 row[TYPE], row[TYPE], a, back);
}

// The layout in "text", after "T=offset+" or alone, up to "end"; its shape and stride.
static bool split_layout(const char *text, char end, char *shape, char *stride, size_t size) {
    const char *from = strchr(text, '+'), *stop = strchr(text, end), *colon;
    from = from && from < stop ? from + 1 : text;
    if (!stop) stop = text + strlen(text);
    colon = memchr(from, ':', (size_t)(stop - from));
    if (!colon || memchr(from, 'w', (size_t)(stop - from))) return false;
    snprintf(shape, size, "%.*s", (int)(colon - from), from);
    snprintf(stride, size, "%.*s", (int)(stop - colon - 1), colon + 1);
    return true;
}

// What is expected of the tiled copy's functions: a thread's part of each side, and a fragment of
// the row in the modes of the tiled copy, as CuTe prints them.  Returns how many are asked.
static int expect_text(char *out, size_t size, char **row, const char *atom, struct lay_ctx *x) {
    static const char *const fn[] = {"partition_src", "partition_dst"};
    char tile[1024], view[256], shape[256], stride[256];
    int asked = 0;
    tile_text(tile, sizeof tile, row, atom, x);
    int n =
        snprintf(out, size,
                 "tcp 1;\ntensor A : %s global %s align 16;\ntensor B : %s global %s align 16;\n"
                 "tiled_copy tc = %s;\nkernel k(A, B) grid (1) threads %d {\n",
                 row[TYPE], row[SRC], row[TYPE], row[DST], tile, atoi(row[SIZES]));
    for (int i = 0; i < 2; ++i) {
        const char *part = row[i ? DST_PART : SRC_PART];
        if (strstr(row[i ? DST : SRC], "Sw") ||
            !split_layout(part, '[', shape, stride, sizeof shape))
            continue;
        view_text(view, sizeof view, row, i ? "B" : "A");
        n += snprintf(out + n, size - (size_t)n,
                      "  expect shape(%s(tc, %s)) == %s;\n  expect stride(%s(tc, %s)) == %s;\n",
                      fn[i], view, shape, fn[i], view, stride);
        ++asked;
    }
    const char *arrow = strstr(row[RETILE], " -> ");
    if (arrow) {
        n += snprintf(out + n, size - (size_t)n,
                      "  frag r : %s %.*s;\n  expect retile(tc, r) == %s;\n", row[TYPE],
                      (int)(arrow - row[RETILE]), row[RETILE], arrow + 4);
        ++asked;
    }
    snprintf(out + n, size - (size_t)n, "}\n");
    return asked;
}

// -- facts ----------------------------------------------------------------------------------------

static bool same_function(struct golden_plan *g, struct lay have, const char *text,
                          const char *what) {
    struct lay want = lay_parse(&g->s.lay, text);
    return CHECK(lay_valid(want) && lay_same(&g->s.lay, have, want), "%s is %s, CuTe %s", what,
                 lay_text(&g->s.lay, have), text);
}

// Each element's owners as "t:v/t:v", row by row: mode 0 is the slowest, the others run as a
// number.
static bool check_owners(struct golden_plan *g, const struct tiled_copy *tc, const char *text) {
    struct lay_ctx *x = &g->s.lay;
    int64_t n = tc->threads * tc->values, to;
    int64_t size = lay_tuple_product(x, tc->tiler).num, most = n / size;
    int64_t *at = ARENA_ARRAY(&g->s.arena, int64_t, n),
            *have = ARENA_ARRAY(&g->s.arena, int64_t, size);
    memset(have, 0, sizeof *have * (size_t)size);
    for (int64_t t = 0; t < tc->threads; ++t) {
        for (int64_t v = 0; v < tc->values; ++v) {
            if (!HOLDS(lay_eval(x, tc->tv, t + tc->threads * v, &to) && to >= 0 && to < size) ||
                !HOLDS(have[to] < most))
                return false;
            at[to * most + have[to]++] = t + tc->threads * v;
        }
    }
    const char *p = text;
    int64_t rows = lay_tuple_product(x, lay_tuple_get(x, tc->tiler, 0)).num, columns = size / rows;
    for (int64_t k = 0; k < n; ++k) {
        char want[32], after = k % most < most - 1 ? '/' : k < n - 1 ? ',' : 0;
        to = k / most / columns + rows * (k / most % columns);
        int64_t owner = at[to * most + k % most];
        int len = snprintf(want, sizeof want, "%d:%d", (int)(owner % tc->threads),
                           (int)(owner / tc->threads));
        if (!CHECK(strncmp(p, want, (size_t)len) == 0 && p[len] == after,
                   "element %d of the tile, counted by rows, belongs to %s, CuTe %.12s",
                   (int)(k / most), want, p))
            return false;
        p += len + (after != 0);
    }
    return HOLDS(!*p);
}

// The element of thread "t" at "i" of its part "p".
static bool element(struct golden_plan *g, const struct part *p, int t, int64_t i, int64_t *out) {
    const struct kernel *k = g->p->kernels;
    int64_t *value = ARENA_ARRAY(&g->s.arena, int64_t, g->s.next_var + 1);
    for (int v = 0; v <= g->s.next_var; ++v) value[v] = 0;
    value[k->tid->id] = t;
    struct ix_env env = {value, NULL};
    int64_t base, more;
    if (!ix_eval(p->offset, &env, &base) || !lay_eval(&g->s.lay, p->layout, i, &more)) return false;
    *out = p->sw.b ? lay_swizzle_apply(p->sw, base + more) : base + more;
    return true;
}

// CuTe's layout ((V),rest..) of a part against ours, (V,(rest..)), mode by mode.
static bool same_modes(struct golden_plan *g, const struct part *p, struct lay want) {
    struct lay_ctx *x = &g->s.lay;
    struct lay rest = lay_mode(x, p->layout, 1);
    if (!lay_same(x, lay_mode(x, p->layout, 0), lay_mode(x, want, 0))) return false;
    if (lay_rank(want) != 1 + lay_rank(rest)) return false;
    for (int i = 0; i < lay_rank(rest); ++i)
        if (!lay_same(x, lay_mode(x, rest, i), lay_mode(x, want, i + 1))) return false;
    return true;
}

// One thread's entry, "T=offset+layout[offsets]"; "plain": the tensor has no swizzle.
static bool check_thread(struct golden_plan *g, const struct part *p, char *entry, bool plain,
                         const char *side) {
    struct lay_ctx *x = &g->s.lay;
    char *eq = strchr(entry, '='), *plus = strchr(entry, '+'), *list = strchr(entry, '[');
    if (!HOLDS(eq && plus && list)) return false;
    *list++ = 0;
    int t = atoi(entry);
    struct lay want = lay_parse(x, plus + 1);
    int64_t offset = atoll(eq + 1), size = lay_size(x, want).num, have, expect;
    if (!CHECK(lay_size(x, p->layout).num == size, "a thread has %s of the %s, CuTe %s",
               lay_text(x, p->layout), side, plus + 1))
        return false;
    if (plain && !CHECK(same_modes(g, p, want), "thread %d has %s of the %s, CuTe %s", t,
                        lay_text(x, p->layout), side, plus + 1))
        return false;
    bool listed = *list != '-';
    for (int64_t i = 0; i < size; ++i) {
        if (!HOLDS(element(g, p, t, i, &have)) || !HOLDS(lay_eval(x, want, i, &expect)))
            return false;
        expect += offset;
        if (listed) {
            char *end;
            int64_t named = strtoll(list, &end, 10);
            if (!HOLDS(end != list)) return false;
            list = end + (*end == ',');
            if (!CHECK(named == expect, "thread %d: the row lists %d, its layout has %d", t,
                       (int)named, (int)expect))
                return false;
        }
        if (!CHECK(have == expect, "value %d of thread %d is element %d of the %s, CuTe %d", (int)i,
                   t, (int)have, side, (int)expect))
            return false;
    }
    return true;
}

static bool check_part(struct golden_plan *g, const struct part *p, const char *text, bool plain,
                       const char *side) {
    char *copy = arena_printf(&g->s.arena, "%s", text);
    bool ok = true;
    for (char *next; copy && ok; copy = next) {
        next = strstr(copy, " ; ");
        if (next) {
            *next = 0;
            next += 3;
        }
        ok = check_thread(g, p, copy, plain, side);
    }
    return ok;
}

static bool check_facts(struct golden_plan *g, char **row) {
    struct lay_ctx *x = &g->s.lay;
    const struct copy *in = g->p->kernels->body->copy, *out = g->p->kernels->body->next->copy;
    const struct tiled_copy *tc = in->tc;
    bool ok = true;
    if (!layout_tiler(row)) {
        ok &= CHECK(strcmp(lay_tuple_text(x, tc->tiler), row[TILER]) == 0, "tile %s, CuTe %s",
                    lay_tuple_text(x, tc->tiler), row[TILER]);
    }
    ok &= CHECK(strcmp(lay_text(x, tc->tv), row[TV]) == 0, "TV layout %s, CuTe %s",
                lay_text(x, tc->tv), row[TV]);
    ok &= same_function(g, tc->tv, row[SRC_TV], "the source's TV layout");
    ok &= same_function(g, tc->tv, row[DST_TV], "the destination's TV layout");
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%d", (int)tc->threads, (int)tc->values);
    ok &= CHECK_STR(sizes, row[SIZES]);
    ok &= check_owners(g, tc, row[OWNER]);
    ok &= check_part(g, &in->facts.src, row[SRC_PART], !strstr(row[SRC], "Sw"), "source");
    ok &= check_part(g, repeated(row) ? &out->facts.src : &out->facts.dst, row[DST_PART],
                     !strstr(row[DST], "Sw"), "destination");
    return ok;
}

// -- a row ----------------------------------------------------------------------------------------

// What a flag of the corpus means here: such rows are refused, and say so.
struct difference {
    const char *flag;          // of the corpus
    bool when_copied;          // by the copy; else by the tile itself
    const char *says, *or_so;  // one of them is part of the error
};

static const struct difference differences[] = {
    {"tile-not-covered", false, "gives place", "gives the places"},
    {"multi-owner", true, "belongs to", "belongs to"},
    {"misaligned-src", true, "is aligned to", "is aligned to"},
    {"misaligned-dst", true, "is aligned to", "is aligned to"},
};

static const struct difference *difference_of(char **row) {
    for (size_t i = 0; i < sizeof differences / sizeof *differences; ++i)
        if (strstr(row[FLAGS], differences[i].flag)) return &differences[i];
    return NULL;
}

static bool is_said(const struct difference *d, const char *error) {
    return d && (strstr(error, d->says) || strstr(error, d->or_so));
}

static void run_row(char **row, struct golden_listed *listed) {
    static char text[8192], name[1024];
    struct count *c = count_of(row[FORM]);
    struct golden_plan g;
    int before = check_failures;
    const char *atom = golden_atom(row[ATOM]);
    const struct difference *d = difference_of(row);
    ++c->rows;
    if (!CHECK(atom != NULL, "no atom %s", row[ATOM])) return;
    snprintf(name, sizeof name, "%s %s %s %s | %s -> %s", row[FORM], row[ATOM], row[TYPE],
             row[PARAMS], row[SRC], row[DST]);
    bool is_listed = golden_is_listed(listed, name);
    struct session notes;
    session_init(&notes);
    // an access that holds no whole element is refused by the copy, in CuTe too; the tile is the
    // same
    int bits = strcmp(row[TYPE], "f64") == 0 ? 64 : atoi(row[TYPE] + 1);
    const char *paren = strchr(atom, '(');
    const char *any = atoi(paren + 1) < bits ? "auto(128)" : atom;
    plan_text(text, sizeof text, row, any, false, &notes.lay);
    golden_compile(&g, text, STEP_PARTITION);
    if (g.ok) {
        if (!strstr(row[FLAGS], "unsound") && check_facts(&g, row)) ++c->facts;
    } else {
        const char *says = golden_error(&g);
        ++c->refused;
        CHECK(is_listed || (is_said(d, says) && !d->when_copied), "refused: %s", says);
    }
    golden_end(&g);
    int asked = expect_text(text, sizeof text, row, any, &notes.lay);
    bool cut = !d || d->when_copied;
    golden_compile(&g, text, STEP_SEMA);
    if (cut && !is_listed && asked && CHECK(g.ok, "%s in\n%s", golden_error(&g), text))
        c->parts += asked;
    golden_end(&g);
    bool cute = strcmp(row[VERDICT], "ok") == 0;
    if (repeated(row) &&
        cut) {  // a tile that only reads: into fragments, to the proof of the Kernel IR
        plan_text(text, sizeof text, row, atom, false, &notes.lay);
        golden_compile(&g, text, STEP_VERIFY);
        if (CHECK(g.ok == cute, "read into fragments: CuTe %s, here %s", row[VERDICT],
                  golden_error(&g)))
            ++c->reads;
        golden_end(&g);
    }
    // the copy itself
    plan_text(text, sizeof text, row, atom, true, &notes.lay);
    golden_compile(&g, text, STEP_VERIFY);
    const char *says = golden_error(&g);
    if (verbose && !g.ok) printf("%s\n  CuTe %s, here: %s\n", name, row[VERDICT], says);
    if (cute && g.ok)
        ++c->copies;
    else if (!cute && !g.ok)
        ++c->stops;
    else {
        ++c->differ;
        CHECK(is_listed || (!g.ok && is_said(d, says)), "CuTe: %s, here: %s", row[VERDICT],
              g.ok ? "accepted" : says);
    }
    CHECK(!d || !d->when_copied || !g.ok, "flagged %s, and accepted", row[FLAGS]);
    golden_end(&g);
    session_release(&notes);
    if (check_failures != before) fprintf(stderr, "  in %s\n\n", name);
}

int main(int argc, char **argv) {
    char *file = golden_read("tiled_copy.tsv"), *at = file, *row[MOST_FIELDS];
    struct golden_listed listed = {0};
    verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    golden_list(&listed, "tiled");
    while (golden_row(&at, row) == N_COLUMNS) run_row(row, &listed);
    HOLDS(!at || !*at);
    golden_end_list(&listed);
    for (int i = 0; i < ncounts; ++i) {
        struct count *c = &counts[i];
        printf("%-24s %4d rows: %4d with CuTe's facts and %3d of its views, %3d refused; copies: "
               "%4d accepted and %3d "
               "refused by both, %3d differ, %2d read alike into fragments\n",
               c->form, c->rows, c->facts, c->parts, c->refused, c->copies, c->stops, c->differ,
               c->reads);
    }
    free(file);
    return check_done();
}
