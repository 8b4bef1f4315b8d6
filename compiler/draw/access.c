// Draws the most expensive access of a warp: its wavefronts by banks of shared memory, or its
// sectors of global memory.
#include <inttypes.h>
#include <string.h>

#include "cost/copy.h"
#include "draw/domain.h"
#include "draw/waves.h"
#include "hw/sizes.h"

enum { WORDS_OF_LINE = LINE / WORD };

// A side of a copy, and the cost of its most expensive access.
struct drawn {
    bool src;
    struct side_cost cost;  // of the copy
    bool by_values;         // other values of the params have other costs
};

// Adds a grid to "p".
static const char *add_grid(struct picture *p, const char *what, int rows, int columns,
                            struct pic_grid **out) {
    struct pic_grid *before = p->grid;
    int n = p->ngrids;
    const char *why = picture_grids(p, what, 1, rows, columns);
    if (why) return why;
    struct pic_grid *all = ARENA_ARRAY(&p->s->arena, struct pic_grid, n + 1);
    for (int i = 0; i < n; ++i) all[i] = before[i];
    all[n] = p->grid[0];
    p->grid = all;
    p->ngrids = n + 1;
    *out = &all[n];
    return NULL;
}

static bool differ(const struct side_cost *a, const struct side_cost *b) {
    return b->why || memcmp(&a->most, &b->most, sizeof a->most) != 0 ||
           memcmp(&a->total, &b->total, sizeof a->total) != 0;
}

// Computes the cost of side "src" of the copy, with or without its swizzle.
static const char *find_cost(struct session *s, const struct plan *plan,
                             const struct draw_request *r, bool src, bool swizzled,
                             struct drawn *d) {
    struct copy_facts f = r->copy->facts;
    struct copy_cost cost;
    if (!swizzled) {
        struct part *part = src ? &f.src : &f.dst;
        part->sw = (struct lay_swizzle){0};
    }
    cost_of_copy(s, &(struct costed){plan, r->kernel, r->copy, &f, r->sym_values}, &cost);
    *d = (struct drawn){.src = src, .cost = *cost_side(&cost, src)};
    if (d->cost.why) return d->cost.why;
    if (r->sym_values && r->kernel->nparams) {
        cost_of_copy(s, &(struct costed){plan, r->kernel, r->copy, &f, NULL}, &cost);
        d->by_values = differ(&d->cost, cost_side(&cost, src));
    }
    if (!d->cost.instructions) return "it has no accesses";
    return NULL;
}

// Such as "a store to 's'".
static const char *access_text(const struct picture *p, const struct draw_request *r,
                               const struct drawn *d) {
    static const char *const kind[N_COST_CLASSES] = {[COST_LD_GLOBAL] = "a load",
                                                     [COST_ST_GLOBAL] = "a store",
                                                     [COST_LD_SHARED] = "a load",
                                                     [COST_ST_SHARED] = "a store"};
    const char *k = kind[d->cost.class];
    return picture_text(p, "%s %s '%s'", k ? k : cost_class_name(d->cost.class),
                        d->src ? "from" : "to", copy_side(r->copy, d->src)->base->name);
}

static const char *count_text(const struct picture *p, struct cost_range n, const char *what) {
    return picture_text(p, "%s %s%s", cost_range_text(p->s, n), what, n.most == 1 ? "" : "s");
}

// Notes the cost of the complete copy, and what the numbers depend on.
static void note_rest(struct picture *p, const struct drawn *d, struct cost_range total,
                      struct cost_range least, const char *what) {
    picture_note(p,
                 "each time that a block executes it: %" PRId64 " instruction%s, %s, %s at least",
                 d->cost.instructions, d->cost.instructions == 1 ? "" : "s",
                 count_text(p, total, what), cost_range_text(p->s, least));
    if (d->cost.loose) picture_note(p, "a range, because %s", d->cost.loose);
}

static void note_rules(struct picture *p, const struct plan *plan, const struct draw_request *r,
                       bool by_values) {
    if (by_values) note_values(p, plan, r->sym_values);
    if (!cost_calibrated(plan->arch))
        picture_note(p, "counted by the rules of sm_%d; sm_%d was not measured",
                     cost_rules_of(plan->arch), plan->arch);
}

static void note_access(struct picture *p, const struct draw_request *r, const struct drawn *d,
                        const char *row) {
    const struct warp_access *a = &d->cost.worst;
    bool both = copy_side(r->copy, true)->base->space == copy_side(r->copy, false)->base->space;
    const char *of = both ? picture_text(p, "%s: ", access_text(p, r, d)) : "";
    if (a->matrices)
        picture_note(p,
                     "%sthe access of warp %" PRId64 ", %d matri%s of 8 rows of 128 bits, whose "
                     "places the threads have; %s",
                     of, d->cost.worst_warp, a->matrices, a->matrices == 1 ? "x" : "ces", row);
    else
        picture_note(p, "%sthe access of warp %" PRId64 ", %d lanes of %d bits%s; %s", of,
                     d->cost.worst_warp, __builtin_popcount(a->lanes), a->bits,
                     d->cost.instructions > 1 ? ", that takes most" : "", row);
}

// The cell of a word that "thread" wants, maybe with others.
static void put_thread(struct picture *p, struct pic_cell *c, int64_t thread) {
    if (!c->text) {
        picture_cell(p, c, 0, thread, "T%02" PRId64, thread);
    } else if (picture_cell_text(p, c)[strlen(picture_cell_text(p, c)) - 1] != '+') {
        const char *text = picture_text(p, "%s", picture_cell_text(p, c));
        picture_cell(p, c, c->colour, c->group, "%s+", text);
    }
}

// -- banks ----------------------------------------------------------------------------------------

static const char *draw_banks(struct picture *p, const struct drawn *d, struct pic_grid **out) {
    const struct warp_access *a = &d->cost.worst;
    int wave[LANES], n = waves_of(a, wave);
    const char *why = add_grid(p, "the access", n, BANKS, out);
    if (why) return why;
    struct pic_grid *g = *out;
    g->row_prefix = "w";
    g->column_prefix = "b";
    g->row_axis = "wavefront";
    g->column_axis = "bank";
    for (int l = 0; l < LANES; ++l) {
        int64_t thread = d->cost.worst_warp * LANES + l;
        for (int k = 0; wave[l] >= 0 && k < (a->bits + 31) / 32; ++k)
            put_thread(p, pic_at(g, wave[l], (int)(a->shared[l] / WORD + k) % BANKS), thread);
    }
    for (int i = 0; i < g->rows * g->columns; ++i)
        if (!g->cell[i].text)
            picture_cell(p, &g->cell[i], -1, -1, p->format == DRAW_TEXT ? "-" : "");
    return NULL;
}

static void note_rule(struct picture *p, const struct drawn *d) {
    const struct warp_access *a = &d->cost.worst;
    switch (d->cost.class) {
    case COST_CP_ASYNC_CG:
        picture_note(p,
                     "a wavefront moves bytes from one line of 128 bytes of global memory to one "
                     "of shared memory. It writes complete sectors, or half of each");
        return;
    case COST_CP_ASYNC_CA:
        picture_note(p,
                     "the banks of the L1 cache, the source, can have conflicts too: threads wait "
                     "for both; %d-bit accesses are served %d threads at a time",
                     a->bits, LINE * 8 / a->bits);
        return;
    case COST_LDMATRIX:
    case COST_STMATRIX: picture_note(p, "each matrix is separate"); return;
    default: break;
    }
    if (a->bits > 32)
        picture_note(p, "%d-bit accesses are served by %s of the warp%s", a->bits,
                     a->bits == 64 ? "halves" : "quarters",
                     waves_merge(a) ? ", and two of them at once where neighbours share addresses"
                                    : "");
}

const char *view_access(struct picture *p, const struct plan *plan, const struct draw_request *r) {
    bool first = true, by_values = false;
    for (int src = 0; src < 2; ++src) {
        const struct view *v = copy_side(r->copy, src);
        if (!space_is_shared(v->base->space)) continue;
        struct lay_swizzle sw = copy_part(&r->copy->facts, src)->sw;
        struct pic_grid *g;
        struct drawn d, plain;
        const char *why = find_cost(p->s, plan, r, src, true, &d);
        if (!why) why = draw_banks(p, &d, &g);
        if (why) return why;
        const char *what = access_text(p, r, &d),
                   *n = count_text(p, d.cost.most.wavefronts, "wavefront");
        p->title = picture_text(p, "%s %s: %s, %s at least",
                                first ? "Banks of" : picture_text(p, "%s; of", p->title), what, n,
                                cost_range_text(p->s, d.cost.least.wavefronts));
        note_access(p, r, &d, "a row is a wavefront, a cell the thread that its bank serves");
        note_rule(p, &d);
        by_values |= d.by_values;
        note_rest(p, &d, d.cost.total.wavefronts, d.cost.least_total.wavefronts, "wavefront");
        first = false;
        g->heading = picture_text(p, "%s: %s", what, n);
        if (!sw.b || find_cost(p->s, plan, r, src, false, &plain)) continue;
        g->heading = picture_text(p, "%s with Sw<%d,%d,%d>: %s", what, sw.b, sw.m, sw.s, n);
        if ((why = draw_banks(p, &plain, &g))) return why;
        g->heading = picture_text(p, "%s without it: %s", what,
                                  count_text(p, plain.cost.most.wavefronts, "wavefront"));
    }
    note_rules(p, plan, r, by_values);
    picture_threads(p);
    if (p->ngrids == 1) p->grid[0].heading = NULL;
    return first ? "neither side of this copy is in shared memory" : NULL;
}

// -- sectors --------------------------------------------------------------------------------------

// Sets "line" to the lines that "a" touches, in ascending order.
static int find_lines(const struct warp_access *a, int64_t *line) {
    int n = 0;
    for (int l = 0; l < LANES; ++l) {
        int64_t x = a->global[l] / LINE;
        int i = n;
        if (!(a->lanes >> l & 1)) continue;
        while (i > 0 && line[i - 1] > x) --i;
        if (i > 0 && line[i - 1] == x) continue;
        memmove(line + i + 1, line + i, sizeof *line * (size_t)(n++ - i));
        line[i] = x;
    }
    return n;
}

static const char *draw_sectors(struct picture *p, const struct drawn *d, struct pic_grid **out) {
    const struct warp_access *a = &d->cost.worst;
    int64_t line[LANES];
    int n = find_lines(a, line);
    const char *why = add_grid(p, "the access", n, WORDS_OF_LINE, out);
    if (why) return why;
    struct pic_grid *g = *out;
    const char **row = ARENA_ARRAY(&p->s->arena, const char *, n);
    const char **column = ARENA_ARRAY(&p->s->arena, const char *, WORDS_OF_LINE);
    for (int i = 0; i < n; ++i) row[i] = picture_text(p, "+%" PRId64, (line[i] - line[0]) * LINE);
    for (int i = 0; i < WORDS_OF_LINE; ++i)
        column[i] = i * WORD % SECTOR ? "" : picture_text(p, "s%d", i * WORD / SECTOR);
    g->row_name = row;
    g->column_name = column;
    g->row_axis = "line";
    g->column_axis = "sector";
    for (int l = 0; l < LANES; ++l) {
        int i = 0;
        if (!(a->lanes >> l & 1)) continue;
        while (line[i] != a->global[l] / LINE) ++i;
        int word = (int)(a->global[l] % LINE / WORD), end = word + (a->bits + 31) / 32;
        for (; word < end && word < WORDS_OF_LINE; ++word)
            put_thread(p, pic_at(g, i, word), d->cost.worst_warp * LANES + l);
    }
    return NULL;
}

// Marks the rest of sectors of which only a part is wanted; returns whether there is any.
static bool mark_unused(struct picture *p, struct pic_grid *g) {
    bool any = false, *taken = ARENA_ARRAY(&p->s->arena, bool, g->rows *LINE / SECTOR);
    for (int i = 0; i < g->rows * g->columns; ++i) taken[i * WORD / SECTOR] |= g->cell[i].text != 0;
    for (int i = 0; i < g->rows * g->columns; ++i) {
        struct pic_cell *c = &g->cell[i];
        if (c->text || !taken[i * WORD / SECTOR]) continue;
        picture_cell(p, c, -1, -1, "x");
        any = true;
    }
    return any;
}

// Colours the threads, then groups the words by sectors.
static void group_by_sectors(struct picture *p) {
    picture_threads(p);
    for (int k = 0; k < p->ngrids; ++k) {
        struct pic_grid *g = &p->grid[k];
        g->threads = false;
        for (int i = 0; i < g->rows * g->columns; ++i) g->cell[i].group = i * WORD / SECTOR;
    }
}

const char *view_sectors(struct picture *p, const struct plan *plan, const struct draw_request *r) {
    bool first = true, unused = false, by_values = false;
    for (int src = 1; src >= 0; --src) {
        struct pic_grid *g;
        struct drawn d;
        if (copy_side(r->copy, src)->base->space != MEM_GLOBAL) continue;
        const char *why = find_cost(p->s, plan, r, src, true, &d);
        if (!why) why = draw_sectors(p, &d, &g);
        if (why) return why;
        const char *what = access_text(p, r, &d), *n = count_text(p, d.cost.most.sectors, "sector");
        p->title = picture_text(p, "%s %s: %s, %s at least",
                                first ? "Sectors of" : picture_text(p, "%s; of", p->title), what, n,
                                cost_range_text(p->s, d.cost.least.sectors));
        note_access(p, r, &d,
                    "a row is a line of 128 bytes, which is four sectors; a cell is 4 bytes "
                    "and the thread that uses them");
        if (d.cost.class == COST_CP_ASYNC_CG)
            picture_note(p, "a sector counts for each line of global memory and sector of shared "
                            "memory that go together");
        by_values |= d.by_values;
        note_rest(p, &d, d.cost.total.sectors, d.cost.least_total.sectors, "sector");
        g->heading = picture_text(p, "%s: %s", what, n);
        unused |= mark_unused(p, g);
        first = false;
    }
    note_rules(p, plan, r, by_values);
    group_by_sectors(p);
    if (unused) picture_note(p, "x is moved with its sector, and no thread uses it");
    if (p->ngrids == 1) p->grid[0].heading = NULL;
    return first ? "neither side of this copy is in global memory" : NULL;
}
