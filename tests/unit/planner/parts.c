// What the planner works out of a relayout before and beside its search, each held against its definition: which modes are one, which is the
// faster one, how wide an access may be, which tile a block has, how far away the neighbour is, and what begins at lines.
#include <stdint.h>
#include <stdlib.h>

#include "base/session.h"
#include "check.h"
#include "planner/private.h"

enum { MOST_PAIRS = 4000, LINE_BYTES = 128 };

static uint32_t state = 20261128;

static int draw(int n) {  // of 0 .. n - 1
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

static int64_t stride_of(const struct relayout *r, int m, bool src) {
    return src ? r->mode[m].src : r->mode[m].dst;
}

// Strides of modes in a random order, with gaps at times; of the source also none.
static void strides(struct relayout *r, bool src, bool gaps) {
    bool used[8] = {false};
    int64_t stride = 1;
    for (int i = 0; i < r->rank; ++i) {
        int m = draw(3) ? i : draw(r->rank);
        while (used[m]) m = (m + 1) % r->rank;
        used[m] = true;
        *(src ? &r->mode[m].src : &r->mode[m].dst) = src && gaps && draw(8) == 0 ? 0 : stride;
        if (i + 1 < r->rank) stride *= r->mode[m].extent;
        if (gaps && draw(6) == 0) stride += draw(9);
    }
}

static struct relayout drawn(int rank, const int *extents, int n, bool gaps) {
    static const char *const types[] = {"u8", "f16", "f32", "f64", "b128"};
    struct relayout r = {.rank = rank, .arch = 90, .shared = 227 * 1024};
    r.type = elem_type_find(types[draw(5)]);
    int64_t size = 1;
    for (int m = 0; m < rank; ++m) {
        int64_t extent = extents[draw(n)];
        r.mode[m].extent = size < INT64_C(1) << 44 ? extent : 1 + extent % 3;  // offsets fit
        size *= r.mode[m].extent;
    }
    r.src_align = 16 >> draw(3);
    r.dst_align = 16 >> draw(3);
    if (r.src_align < r.type->bits / 8) r.src_align = r.type->bits / 8;
    if (r.dst_align < r.type->bits / 8) r.dst_align = r.type->bits / 8;
    strides(&r, true, gaps);
    strides(&r, false, gaps);
    return r;
}

// -- which modes are one --------------------------------------------------------------------------

struct pair {
    int64_t from, to;
};

static int compare(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int pairs_of(const struct relayout *r, struct pair *to) {
    int64_t n = 1;
    for (int m = 0; m < r->rank; ++m) n *= r->mode[m].extent;
    for (int64_t i = 0; i < n && i < MOST_PAIRS; ++i) {
        int64_t rest = i;
        to[i] = (struct pair){0, 0};
        for (int m = 0; m < r->rank; ++m) {
            to[i].from += rest % r->mode[m].extent * r->mode[m].src;
            to[i].to += rest % r->mode[m].extent * r->mode[m].dst;
            rest /= r->mode[m].extent;
        }
    }
    qsort(to, (size_t)n, sizeof *to, compare);
    return (int)n;
}

static void check_coalesced(struct session *s) {
    static const int extents[] = {1, 1, 2, 3, 4, 5, 6, 8};
    static struct pair before[MOST_PAIRS], after[MOST_PAIRS];
    struct relayout r = drawn(1 + draw(4), extents, 8, true);
    int n = pairs_of(&r, before);
    const char *why = relayout_coalesce(s, &r);
    if (!CHECK(!why, "%s", why)) return;
    CHECK(pairs_of(&r, after) == n && memcmp(before, after, sizeof *after * (size_t)n) == 0,
          "%d elements, and others after it", n);
    for (int a = 0; a < r.rank; ++a) {
        const struct relayout_mode *x = &r.mode[a];
        CHECK(x->extent > 1 || n == 1, "an extent of 1");
        CHECK(a == 0 || x[-1].src > x->src || (x[-1].src == x->src && x[-1].dst >= x->dst),
              "mode %d is out of order", a);
        for (int b = 0; b < r.rank; ++b) {
            const struct relayout_mode *y = &r.mode[b];
            CHECK(a == b || x->src != y->src * y->extent || x->dst != y->dst * y->extent,
                  "modes %d and %d are one", a, b);
        }
    }
}

static void refused(struct session *s, struct relayout r, const char *want) {
    const char *why = relayout_coalesce(s, &r);
    CHECK(why && strstr(why, want), "'%s' is not said, but %s", want, why ? why : "nothing");
}

// What cannot be: the message names the number, and the side.
static void check_refused(struct session *s) {
    const struct relayout_mode ok = {.extent = 4, .src = 1, .dst = 1};
    struct relayout r = {.rank = 2, .mode = {ok, {.extent = 3, .src = 4, .dst = 4}}};
    struct relayout x = r;
    HOLDS(!relayout_coalesce(s, &x));
    HOLDS(x.rank == 1 && x.mode[0].extent == 12);
    x = r;
    x.mode[1].extent = 0;
    refused(s, x, "an extent is 0; it must be at least 1");
    x.mode[1].extent = -7;
    refused(s, x, "an extent is -7; it must be at least 1");
    x = r;
    x.mode[1].dst = 0;
    refused(s, x, "3 elements go to the same place: a stride of the destination is 0");
    // of an extent of 1 the stride is no matter
    x.mode[1].extent = 1;
    HOLDS(!relayout_coalesce(s, &x));
    // the last element is at 2^62, or just below
    x = r;
    for (int src = 0; src < 2; ++src) {
        struct relayout_mode *m = &x.mode[1];
        *m = (struct relayout_mode){.extent = 2, .src = 4, .dst = 4};
        *(src ? &m->src : &m->dst) = ((int64_t)1 << 62) - 4;
        struct relayout y = x;
        HOLDS(!relayout_coalesce(s, &y));
        *(src ? &m->src : &m->dst) = ((int64_t)1 << 62) - 3;
        refused(s, x, "the tensors have more than 2^62 elements");
    }
}

// -- order, vectors -------------------------------------------------------------------------------

static bool is_slower(const struct relayout *r, int a, int b, bool src) {
    int64_t x = stride_of(r, a, src), y = stride_of(r, b, src);
    if (x == y) return a < b;
    return x == 0 || (y != 0 && x > y);
}

static bool vector_fits(const struct relayout *r, int m, bool src, int v) {
    int es = r->type->bits / 8;
    bool fits = v * es <= 16 && (src ? r->src_align : r->dst_align) % (v * es) == 0 &&
                r->mode[m].extent >= v && stride_of(r, m, src) == 1;
    for (int i = 0; i < r->rank; ++i) fits = fits && (i == m || stride_of(r, i, src) % v == 0);
    return fits;
}

static void check_order(void) {
    static const int extents[] = {2, 3, 4, 7, 8, 16, 24, 32, 50, 64};
    struct relayout r = drawn(1 + draw(5), extents, 10, true);
    for (int src = 0; src < 2; ++src) {
        int order[RELAYOUT_MODES], seen = 0;
        order_of(&r, src, order);
        for (int i = 0; i < r.rank; ++i) {
            seen |= 1 << order[i];
            CHECK(i == 0 || is_slower(&r, order[i], order[i - 1], src), "%d before %d",
                  order[i - 1], order[i]);
        }
        CHECK(seen == (1 << r.rank) - 1, "not all modes");
        for (int m = 0; m < r.rank; ++m) {
            int v = 16;
            while (v > 1 && !vector_fits(&r, m, src, v)) v /= 2;
            CHECK(vector_along(&r, m, src) == v, "%d elements at once, not %d",
                  vector_along(&r, m, src), v);
        }
    }
}

// -- blocks ---------------------------------------------------------------------------------------

// Tiles of powers of 2, from 2^least elements on where that divides the extent.
static struct choice tiles(const struct relayout *r, int least) {
    struct choice c = {.way = WAY_STAGED, .split = -1, .grid = {.by_src = draw(2), .lead = -1}};
    for (int m = 0; m < r->rank; ++m) {
        c.tile[m] = (int64_t)1 << (least + draw(7));
        while (r->mode[m].extent % c.tile[m]) c.tile[m] /= 2;
    }
    return c;
}

// The tile of block "b" along each mode: the fastest modes first, and before them those of the lead.
static void tile_of(const struct relayout *r, const struct choice *c, int64_t b, int64_t *at) {
    int order[RELAYOUT_MODES], lead = c->grid.lead;
    int64_t first = 0, n = lead < 0 ? 1 : c->grid.lead_tiles;
    order_of(r, c->grid.by_src, order);
    first = b % n;
    b /= n;
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        int64_t all = r->mode[m].extent / c->tile[m] / (m == lead ? n : 1);
        at[m] = b % all;
        b /= all;
        if (m == lead) at[m] = at[m] * n + first;
    }
}

// The mode at which what a tile reads in a row ends; -1: none.
static int end_of_run(const struct relayout *r, const struct choice *c) {
    int order[RELAYOUT_MODES];
    int64_t run = 1;
    order_of(r, true, order);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        if (r->mode[m].src != run || c->tile[m] < r->mode[m].extent) return m;
        run *= c->tile[m];
    }
    return -1;
}

static void check_gap(void) {
    static const int extents[] = {64, 64, 128, 192, 256};
    struct relayout r = drawn(2 + draw(2), extents, 5, false);
    struct choice c = tiles(&r, 0);
    int cut = end_of_run(&r, &c);
    int64_t bytes = r.type->bits / 8, blocks = 1, at[RELAYOUT_MODES];
    for (int m = 0; m < r.rank; ++m) {
        bytes *= c.tile[m];
        blocks *= r.mode[m].extent / c.tile[m];
    }
    for (int m = 0; m < r.rank && draw(2); ++m)
        if (r.mode[m].extent / c.tile[m] % 4 == 0) c.grid.lead = m, c.grid.lead_tiles = 4;
    if (cut < 0) {
        CHECK(source_gap(&r, &c) == 0, "a neighbour where there is none");
        return;
    }
    // a mode that has one tile has no neighbour: as far as if it had
    int64_t b = 1;
    bool one = r.mode[cut].extent == c.tile[cut];
    for (; !one && b < blocks; ++b) {
        tile_of(&r, &c, b, at);
        bool only = at[cut] == 1;
        for (int m = 0; m < r.rank; ++m) only = only && (m == cut || at[m] == 0);
        if (only) break;
    }
    if (!one)
        CHECK(source_gap(&r, &c) == b * (2 * bytes / 256) / 4096, "%d blocks of %d bytes: %d MB",
              (int)b, (int)bytes, (int)source_gap(&r, &c));
}

static void check_axes(struct session *s) {
    static const int extents[] = {16, 64, 100, 1000, 40000};
    struct relayout r = drawn(1 + draw(6), extents, 5, false);
    struct choice c = tiles(&r, 0);
    struct axes g;
    int64_t end[RELAYOUT_MODES], hi[RELAYOUT_MODES];
    int open = 0, found[RELAYOUT_MODES] = {0}, order[RELAYOUT_MODES], place[RELAYOUT_MODES];
    for (int m = 0; m < r.rank; ++m) {
        hi[m] = r.mode[m].extent;
        if (draw(3) == 0) {
            hi[m] = (int64_t)1 << (10 + draw(12));
            char *name = arena_printf(&s->arena, "P%d", m);
            const struct lay_sym *y = lay_param(&s->lay, name, 1, 1, hi[m]);
            r.mode[m].run[RELAYOUT_EXTENT] = lay_int_sym(&s->lay, y);
        }
        end[m] = (hi[m] + c.tile[m] - 1) / c.tile[m];
        CHECK(most_tiles(&r, &c, m) == end[m] && is_tiled(&r, &c, m) == (end[m] > 1),
              "%d tiles at most", (int)most_tiles(&r, &c, m));
        open += end[m] > 1 && lay_int_valid(r.mode[m].run[RELAYOUT_EXTENT]);
    }
    axes_of(&r, &c, &g);
    order_of(&r, c.grid.by_src, order);
    for (int i = 0; i < r.rank; ++i) place[order[i]] = i;
    CHECK(g.axes >= 1 && g.axes <= AXES, "%d axes", g.axes);
    for (int a = 0; a < g.axes; ++a) {
        int64_t blocks = 1;
        for (int d = 0; d < g.digits[a]; ++d) {
            int m = g.digit[a][d];
            bool by_param = lay_int_valid(r.mode[m].run[RELAYOUT_EXTENT]);
            ++found[m];
            blocks *= by_param ? 1 : end[m];
            // what params count is the last digit, where there are axes enough; the others are in
            // order
            bool last = d == g.digits[a] - 1;
            CHECK(!by_param || last || (a == 0 && open > AXES), "a param counts digit %d of %d", d,
                  g.digits[a]);
            CHECK(d == 0 || (by_param && last) || place[g.digit[a][d - 1]] < place[m], "axis %d",
                  a);
            // the axis with room for the most has the longest of these
            for (int b = 1; b < g.axes && a == 0 && by_param && last; ++b)
                for (int k = 0; k < g.digits[b]; ++k)
                    CHECK(!lay_int_valid(r.mode[g.digit[b][k]].run[RELAYOUT_EXTENT]) ||
                              end[g.digit[b][k]] <= end[m],
                          "axis %d is longer than the first one", b);
        }
        CHECK(a == 0 || blocks <= 65535, "%d blocks along axis %d", (int)blocks, a);
    }
    for (int m = 0; m < r.rank; ++m)
        CHECK(found[m] == (end[m] > 1), "mode %d is there %d times", m, found[m]);
}

// -- lines ----------------------------------------------------------------------------------------

// Bytes that a tile has in a row on a side.
static int64_t run_of(const struct relayout *r, const struct choice *c, bool src, int *modes) {
    int order[RELAYOUT_MODES];
    int64_t run = 1;
    *modes = 0;
    order_of(r, src, order);
    for (int i = 0; i < r->rank && stride_of(r, order[i], src) == run; ++i) {
        run *= c->tile[order[i]];
        *modes |= 1 << order[i];
        if (c->tile[order[i]] < r->mode[order[i]].extent) break;
    }
    return run * (r->type->bits / 8);
}

// Whether all such rows begin and end at multiples of "unit" bytes: those of the next tile along each mode, and the next row.
static bool begin_at(const struct relayout *r, const struct choice *c, bool src, int unit) {
    int es = r->type->bits / 8, modes;
    bool at = run_of(r, c, src, &modes) % unit == 0;
    for (int m = 0; m < r->rank; ++m) {
        int64_t next = stride_of(r, m, src) * es;
        if (c->tile[m] < r->mode[m].extent) at = at && c->tile[m] * next % unit == 0;
        if (!(modes & 1 << m)) at = at && next % unit == 0;
    }
    return at;
}

static bool has(const char *text, const char *word) {
    return strstr(text, word);
}

// What is large and read once is kept no longer than it is of use (bench/results/hints.md).
static void check_hints(struct relayout *r, struct choice *c, bool large, bool lines) {
    int modes;
    bool near = source_gap(r, c) < 32, rows = c->way == WAY_STAGED;
    struct hints h = hints_of(r, c);
    CHECK(has(h.ld, "evict_last") == large && has(h.st, "evict_first") == (large && lines && rows),
          "'%s' and '%s'", h.ld, h.st);
    CHECK(has(h.ld, "l2=128") == (large && !lines && near) && !h.why == !large, "'%s'", h.ld);
    r->arch = 75;  // which has no such policies
    h = hints_of(r, c);
    bool torn = rows && !begin_at(r, c, true, 32) && !begin_at(r, c, false, 32);
    bool next = run_of(r, c, true, &modes) >= 512 || torn;
    CHECK(!has(h.ld, "evict") && !*h.st, "'%s' and '%s'", h.ld, h.st);
    CHECK(has(h.ld, "l2=128") == (large && !lines && r->rank > 1 && next), "'%s'", h.ld);
}

static void check_lines(void) {
    static const int extents[] = {512, 1024, 1088, 1040, 1001, 2048};
    struct relayout r = drawn(2 + draw(2), extents, 6, draw(2));
    struct choice c = tiles(&r, 4);
    __int128 bytes = 2 * (r.type->bits / 8);
    for (int m = 0; m < r.rank; ++m) bytes *= r.mode[m].extent;
    c.way = draw(3) ? WAY_STAGED : WAY_STRAIGHT;
    bool lines = begin_at(&r, &c, true, LINE_BYTES) && begin_at(&r, &c, false, LINE_BYTES);
    bool large = bytes > 256 << 20;
    for (int m = 0; m < r.rank; ++m) large = large && r.mode[m].src != 0;
    CHECK(whole_lines(&r, &c) == (large && lines), "tiles %d of %d, %d of %d", (int)c.tile[0],
          (int)r.mode[0].extent, (int)c.tile[1], (int)r.mode[1].extent);
    check_hints(&r, &c, large, lines);
    r.mode[draw(r.rank)].src = 0;
    CHECK(!whole_lines(&r, &c), "it is read again and again");
}

// What is no larger than 256 MB may stay in the cache.
static void check_large(void) {
    struct relayout r = {.rank = 2, .src_align = 16, .dst_align = 16};
    struct choice c = {.way = WAY_STAGED, .split = -1, .grid.lead = -1, .tile = {128, 128}};
    r.type = elem_type_find("u8");
    r.mode[0] = (struct relayout_mode){.extent = 1 << 13, .src = 1 << 14, .dst = 1};
    r.mode[1] = (struct relayout_mode){.extent = 1 << 14, .src = 1, .dst = 1 << 13};
    HOLDS(!whole_lines(&r, &c));
    r.mode[0].extent += 128;
    HOLDS(whole_lines(&r, &c));
    r.mode[1].src = 64;
    HOLDS(!whole_lines(&r, &c));
}

// Along the second axis there is room for 65535 blocks.
static void check_room(struct session *s) {
    for (int more = 0; more < 2; ++more) {
        struct axes g;
        struct relayout r = {.rank = 2};
        struct choice c = {.grid = {.lead = -1}, .tile = {1, 1}};
        char *name = arena_printf(&s->arena, "Q%d", more);
        r.mode[0] = (struct relayout_mode){.extent = 64, .src = 1, .dst = 1};
        r.mode[0].run[RELAYOUT_EXTENT] = lay_int_sym(&s->lay, lay_param(&s->lay, name, 1, 1, 64));
        r.mode[1] = (struct relayout_mode){.extent = 65535 + more, .src = 64, .dst = 64};
        axes_of(&r, &c, &g);
        CHECK(g.axes == 2 - more, "%d axes for %d blocks", g.axes, 65535 + more);
    }
}

int main(void) {
    for (int i = 0; i < 3000; ++i) {
        struct session s;
        session_init(&s);
        if (i == 0) {
            check_refused(&s);
            check_large();
            check_room(&s);
        }
        check_coalesced(&s);
        check_order();
        check_gap();
        check_axes(&s);
        check_lines();
        session_release(&s);
    }
    return check_done();
}
