// Compares tiled copies with those of the real CuTe, row by row of tests/golden/tiled_copy.tsv, or
// of the file that is named: the tile, the (thread, value) layouts of both sides, the atom's own,
// who owns each element, the elements of single threads in CuTe's order, partitions and retiled
// fragments as views, and whether the copy is accepted.  A row is written as plans (tiled_row.h),
// which are compiled in this process.  What is meant to differ: tests/golden/DIFFERENCES.md.
#include "driver/tiled_row.h"

enum { MOST_FORMS = 64 };

static struct count {
    char form[32], space[16];
    bool async;
    int rows, facts, parts, refused, copies, stops, differ, reads;
} counts[MOST_FORMS];
static int ncounts;
static int verbose;

static struct count *count_of(char **row) {
    for (int i = 0; i < ncounts; ++i)
        if (strcmp(counts[i].form, row[FORM]) == 0 && strcmp(counts[i].space, row[SPACE]) == 0 &&
            counts[i].async == row_is_async(row))
            return &counts[i];
    struct count *c = &counts[ncounts++];
    if (ncounts > MOST_FORMS) exit(2);
    snprintf(c->form, sizeof c->form, "%s", row[FORM]);
    snprintf(c->space, sizeof c->space, "%s", row[SPACE]);
    c->async = row_is_async(row);
    return c;
}

// -- facts ----------------------------------------------------------------------------------------

static bool same_function(struct golden_plan *g, struct lay have, const char *text,
                          const char *what) {
    struct lay want = lay_parse(&g->s.lay, text);
    return CHECK(lay_valid(want) && lay_same(&g->s.lay, have, want), "%s is %s, CuTe %s", what,
                 lay_text(&g->s.lay, have), text);
}

// Each element's owners as "t:v/t:v", row by row: mode 0 is the slowest, the others run as a
// number.  The corpus leaves them out of large tiles, "-".
static bool check_owners(struct golden_plan *g, const struct tiled_copy *tc, bool src,
                         const char *text) {
    struct lay_ctx *x = &g->s.lay;
    if (strcmp(text, "-") == 0) return true;
    int64_t values = tiled_values(tc, src), n = tc->threads * values, to;
    int64_t size = lay_tuple_product(x, tc->tiler).num, most = n / size;
    int64_t *at = ARENA_ARRAY(&g->s.arena, int64_t, n),
            *have = ARENA_ARRAY(&g->s.arena, int64_t, size);
    memset(have, 0, sizeof *have * (size_t)size);
    for (int64_t t = 0; t < tc->threads; ++t) {
        for (int64_t v = 0; v < values; ++v) {
            if (!HOLDS(lay_eval(x, tiled_tv(tc, src), t + tc->threads * v, &to) && to >= 0 &&
                       to < size) ||
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

// "S640,D32": bits to which the accesses of all threads are aligned, from offset 0 on.
static bool check_start(struct golden_plan *g, const struct part *p, bool src, int64_t threads,
                        char **row) {
    struct lay_ctx *x = &g->s.lay;
    const char *text = row[START_ALIGN];
    struct lay atom = lay_parse(x, row[src ? SRC_ATOM : DST_ATOM]);
    int64_t each = lay_size(x, lay_mode(x, atom, 1)).num, size = lay_size(x, p->layout).num;
    int64_t all = 0, first;
    for (int64_t t = 0; t < threads; ++t) {
        for (int64_t i = 0; i < size; i += each) {
            if (!HOLDS(element(g, p, (int)t, i, &first))) return false;
            all = lay_gcd(all, first);
        }
    }
    all *= elem_type_find(row[TYPE])->bits;
    text = src ? text + 1 : strchr(text, 'D') + 1;
    return CHECK(all == atoll(text), "accesses are aligned to %d bits, CuTe %s", (int)all,
                 row[START_ALIGN]);
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

// A side of the row's atom in elements, as CuTe's AtomValLayoutSrc and its like: of atoms that move
// a thread's own elements, as many as an access has.
static bool check_atom(struct golden_plan *g, const struct tiled_copy *tc, const char *bits,
                       int column, char **row) {
    struct lay_ctx *x = &g->s.lay;
    int elem = tc->elem_bits ? tc->elem_bits : elem_type_find(row[TYPE])->bits;
    int own = tc->atom.row->exact ? tc->atom.bits : elem;
    const char *alone = arena_printf(&g->s.arena, "(1,%d):(0,1)", own);
    struct lay have = lay_upcast(x, lay_parse(x, bits ? bits : alone), elem);
    return same_function(g, have, row[column], "the atom's own layout");
}

// What the tiled copy of the plan is.
static bool check_tiled(struct golden_plan *g, const struct tiled_copy *tc, char **row) {
    struct lay_ctx *x = &g->s.lay;
    const struct atom_row *atom = tc->atom.row;
    bool ok = true;
    if (!layout_tiler(row)) {
        ok &= CHECK(strcmp(lay_tuple_text(x, tc->tiler), row[TILER]) == 0, "tile %s, CuTe %s",
                    lay_tuple_text(x, tc->tiler), row[TILER]);
    }
    // an operand's layout has a mode of one warp that CuTe's has not
    if (golden_mma_operand(row[FORM], row[PARAMS]))
        ok &= same_function(g, tc->tv, row[TV], "the TV layout");
    else
        ok &= CHECK(strcmp(lay_text(x, tc->tv), row[TV]) == 0, "TV layout %s, CuTe %s",
                    lay_text(x, tc->tv), row[TV]);
    ok &= same_function(g, tc->tv_src, row[SRC_TV], "the source's TV layout");
    ok &= same_function(g, tc->tv_dst, row[DST_TV], "the destination's TV layout");
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%dx%d", (int)tc->threads, (int)tc->values);
    ok &= CHECK_STR(sizes, row[SIZES]);
    ok &= check_atom(g, tc, atom->src, SRC_ATOM, row);
    ok &= check_atom(g, tc, atom->dst, DST_ATOM, row);
    ok &= check_atom(g, tc, atom->ref, REF_ATOM, row);
    ok &= check_owners(g, tc, true, row_owners(row, true));
    return check_owners(g, tc, false, row_owners(row, false)) && ok;
}

// The parts that pass "partition" cuts: of a collective atom the side in memory.
static bool check_facts(struct golden_plan *g, char **row) {
    const struct copy *in = g->p->kernels->body->copy;
    bool ok = true;
    if (!row_stores(row))
        ok = check_part(g, &in->facts.src, row[SRC_PART], !row_is_swizzled(row, true), "source");
    if (row_loads(row)) return ok;
    const struct copy *out = row_stores(row) ? in : g->p->kernels->body->next->copy;
    const struct part *dst = repeated(row) && !row_stores(row) ? &out->facts.src : &out->facts.dst;
    return check_part(g, dst, row[DST_PART], !row_is_swizzled(row, false), "destination") && ok;
}

// The tiled copy, and the parts as partition_src and partition_dst give them, offsets and all.
static bool check_views(struct golden_plan *g, char **row) {
    const struct stmt *body = g->p->kernels->body;
    bool ok = check_tiled(g, plan_find_tiled(g->p, "tc"), row);
    for (int src = 1; src >= 0; --src, body = body->next) {
        const struct view *v = &body->copy->src;
        struct part part = {v->offset, lay_inner(v->layout), v->layout.sw, lay_layout_invalid()};
        ok &= check_part(g, &part, row[src ? SRC_PART : DST_PART], false,
                         src ? "source" : "destination");
        if (!row_is_swizzled(row, src)) ok &= check_start(g, &part, src, row_threads(row), row);
    }
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
    for (size_t i = 0; i < sizeof differences / sizeof *differences; ++i) {
        bool flagged = strstr(row[FLAGS], differences[i].flag) != NULL;
        // lanes that address one row for an instruction own nothing of it twice
        if (strcmp(differences[i].flag, "multi-owner") == 0)
            flagged &= repeated(row) && !row_loads(row);
        if (flagged) return &differences[i];
    }
    return NULL;
}

static bool is_said(const struct difference *d, const char *error) {
    return d && (strstr(error, d->says) || strstr(error, d->or_so));
}

// Whether CuTe joins modes of a tensor of the row: the tile takes the whole of one, and the next
// one follows it in memory.  Its partition then has fewer modes.
static bool joins_modes(struct session *s, char **row) {
    struct lay_ctx *x = &s->lay;
    if (layout_tiler(row)) return false;
    const struct lay_tuple *tile = lay_parse(x, row[TILER]).shape;
    for (int side = SRC; side <= DST; ++side) {
        struct lay l = lay_parse(x, row[side]);
        for (int i = 0; i + 1 < lay_rank(l) && i + 1 < lay_tuple_rank(tile); ++i) {
            struct lay both[] = {lay_coalesce(x, lay_mode(x, l, i)),
                                 lay_coalesce(x, lay_mode(x, l, i + 1))};
            struct lay joined = lay_coalesce(x, lay_join(x, 2, both));
            bool whole = lay_int_equal(lay_size(x, both[0]),
                                       lay_tuple_product(x, lay_tuple_get(x, tile, i)));
            int leaves = lay_tuple_leaves(both[0].shape) + lay_tuple_leaves(both[1].shape);
            if (whole && lay_tuple_leaves(joined.shape) < leaves) return true;
        }
    }
    return false;
}

static void run_row(char **row, struct golden_listed *listed) {
    struct count *c = count_of(row);
    struct golden_plan g;
    int before = check_failures;
    const char *named = row_atom(row);
    const struct difference *d = difference_of(row);
    ++c->rows;
    if (!CHECK(named != NULL, "no atom %s", row[ATOM])) return;
    struct session notes;
    session_init(&notes);
    const char *name = arena_printf(&notes.arena, "%s %s %s %s | %s -> %s", row[FORM], row[ATOM],
                                    row[TYPE], row[PARAMS], row[SRC], row[DST]);
    // an access that holds no whole element is refused by the copy, in CuTe too; the tile is the
    // same
    const struct atom_row *collective = atom_find(named);
    const char *atom = collective ? arena_printf(&notes.arena, "%s(%s)", named, row[TYPE]) : named;
    const char *any = atom;
    const char *paren = strchr(atom, '(');
    int bits = atoi(paren + 1) * (row_is_async(row) ? 8 : 1);
    if (!collective && bits < elem_type_find(row[TYPE])->bits) any = "auto(128)";
    bool sound = !strstr(row[FLAGS], "unsound"), cut = !d || d->when_copied;
    // no atom of asynchronous copies fills a fragment
    const char *text = sides_text(&notes, row, row_is_async(row) ? "auto(128)" : any);
    golden_compile(&g, text, STEP_PARTITION);
    if (g.ok) {
        if (sound && check_facts(&g, row)) ++c->facts;
    } else {
        const char *says = golden_error(&g);
        ++c->refused;
        bool stops = is_said(d, says) && (!d->when_copied || row_stores(row));
        CHECK(stops || golden_is_listed(listed, name), "refused: %s in\n%s", says, text);
    }
    golden_end(&g);
    for (int forms = 1; cut && forms >= 0; --forms) {
        text = parts_text(&notes, row, any, forms);
        golden_compile(&g, text, STEP_SEMA);
        bool done = g.ok && sound && check_views(&g, row);
        if (done) c->parts += row_parts(row, forms);
        const char *says = golden_error(&g);
        bool joined = strstr(says, "this does not hold: s") && joins_modes(&notes, row);
        if (!g.ok) CHECK(joined || golden_is_listed(listed, name), "%s in\n%s", says, text);
        golden_end(&g);
        if (done) break;
    }
    bool cute = strcmp(row[VERDICT], "ok") == 0;
    bool by_thread = !row_is_collective(row) && !row_is_async(row);
    // a tile that only reads: into fragments, to the proof of the Kernel IR
    if (repeated(row) && cut && by_thread) {
        text = sides_text(&notes, row, atom);
        golden_compile(&g, text, STEP_VERIFY);
        if (CHECK(g.ok == cute, "read into fragments: CuTe %s, here %s", row[VERDICT],
                  golden_error(&g)))
            ++c->reads;
        golden_end(&g);
    }
    // the copy itself
    text = copy_text(&notes, row, atom);
    golden_compile(&g, text, STEP_VERIFY);
    const char *says = golden_error(&g);
    if (verbose && !g.ok) printf("%s\n  CuTe %s, here: %s\n", name, row[VERDICT], says);
    if (cute && g.ok)
        ++c->copies;
    else if (!cute && !g.ok)
        ++c->stops;
    else {
        ++c->differ;
        CHECK((!g.ok && is_said(d, says)) || golden_is_listed(listed, name),
              "CuTe: %s, here: %s in\n%s", row[VERDICT], g.ok ? "accepted" : says, text);
    }
    if (row_is_collective(row) && !g.ok && !is_said(d, says))
        CHECK(strstr(says, "cannot use '") && strstr(says, "each lane addresses a row of"), "%s",
              says);
    CHECK(!d || !d->when_copied || !g.ok, "flagged %s, and accepted", row[FLAGS]);
    golden_end(&g);
    if (check_failures != before) fprintf(stderr, "  in %s\n\n", name);
    session_release(&notes);
}

int main(int argc, char **argv) {
    const char *other = NULL;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "-v") == 0)
            verbose = 1;
        else
            other = argv[i];
    }
    char *file = other ? golden_read_path(other) : golden_read("tiled_copy.tsv");
    char *at = file, *row[MOST_FIELDS];
    struct golden_listed listed = {0};
    golden_list(&listed, "tiled");
    while (golden_row(&at, row) == N_COLUMNS) run_row(row, &listed);
    HOLDS(!at || !*at);
    if (other)
        free(listed.text);
    else
        golden_end_list(&listed);
    for (int i = 0; i < ncounts; ++i) {
        struct count *c = &counts[i];
        printf(
            "%-22s %-10s %-8s %3d rows: %3d with CuTe's facts and %3d of its views, %2d refused; "
            "copies: %3d accepted and %2d refused by both, %2d differ, %2d read alike into "
            "fragments\n",
            c->form, c->space, c->async ? "cp.async" : "", c->rows, c->facts, c->parts, c->refused,
            c->copies, c->stops, c->differ, c->reads);
    }
    free(file);
    return check_done();
}
