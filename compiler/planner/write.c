// Writes a choice as the text of a kernel.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "planner/candidate.h"
#include "planner/text.h"

// A suffix for the kernel's own names with which none equals an argument's name.
static const char *ending(const struct relayout_names *n) {
    static const char *const own[] = {"a", "b", "c", "d", "e", "i",   "j",   "p",  "q",
                                      "r", "s", "t", "u", "v", "get", "put", "rd", "wr"};
    static const char *const ends[] = {"", "_", "__"};  // two arguments exclude at most two of them
    for (int e = 0; e < 3; ++e) {
        bool taken = false;
        for (unsigned i = 0; i < sizeof own / sizeof own[0]; ++i)
            for (int k = 0; k < 2; ++k) {
                const char *name = k ? n->dst : n->src;
                size_t len = strlen(own[i]);
                if (strncmp(name, own[i], len) != 0) continue;
                if (!own[i][1]) len += strspn(name + len, "0123456789");
                taken |= strcmp(name + len, ends[e]) == 0;
            }
        if (!taken) return ends[e];
    }
    BUG("two arguments with three endings");
}

static void put_number(struct buf *b, const struct relayout_mode *m, enum relayout_number k) {
    if (m->text[k])
        buf_puts(b, m->text[k]);
    else
        buf_printf(b, "%" PRId64, exactly(m, k).num);
}

static void column(struct buf *b, const struct relayout *r, enum relayout_number k) {
    for (int m = 0; m < r->rank; ++m) {
        buf_char(b, m ? ',' : '(');
        put_number(b, &r->mode[m], k);
    }
    buf_char(b, ')');
}

void text_numbers(struct buf *b, const struct relayout *r, const int64_t *n) {
    for (int m = 0; m < r->rank; ++m) buf_printf(b, "%s%" PRId64, m ? "," : "(", n[m]);
    buf_char(b, ')');
}

void text_formal(struct buf *b, const struct relayout *r, const char *name, bool src) {
    buf_printf(b, "%s : %s global ", name, type_of(r, src)->name);
    column(b, r, RELAYOUT_EXTENT);
    buf_char(b, ':');
    column(b, r, src ? RELAYOUT_SRC : RELAYOUT_DST);
    buf_printf(b, " align %d", src ? r->src_align : r->dst_align);
}

// The atom of a tiled copy between those sides: it requires the width, or only allows it if params
// decide whether it is valid.
static const char *atom_of_sides(const struct relayout *r, const struct share *s, bool src,
                                 bool dst) {
    bool proven =
        (!src || vector_proven(r, s->vector, true)) && (!dst || vector_proven(r, s->vector, false));
    return proven ? "universal" : "auto";
}

void text_tiled(struct buf *b, const struct relayout *r, const struct share *s, bool src,
                const char *atom, int bits, const char *hints) {
    int order[RELAYOUT_MODES];
    int64_t thr[RELAYOUT_MODES], val[RELAYOUT_MODES], t = 1, v = 1;
    order_of(r, src, order);
    for (int i = 0; i < r->rank; ++i) {
        int m = order[i];
        thr[m] = s->thr[m] > 1 ? t : 0;
        val[m] = s->val[m] > 1 ? v : 0;
        t *= s->thr[m];
        v *= s->val[m];
    }
    buf_printf(b, "tile(%s(%d%s), thr=", atom, bits, hints);
    text_numbers(b, r, s->thr);
    buf_char(b, ':');
    text_numbers(b, r, thr);
    buf_puts(b, ", val=");
    text_numbers(b, r, s->val);
    buf_char(b, ':');
    text_numbers(b, r, val);
    buf_puts(b, ")");
}

void text_part(struct buf *b, const struct relayout *r, const struct choice *c, const char *name,
               const char *end) {
    buf_printf(b, "local_tile(%s, ", name);
    text_numbers(b, r, c->tile);
    buf_puts(b, ", (");
    for (int m = 0; m < r->rank; ++m)
        if (is_tiled(r, c, m))
            buf_printf(b, "%sc%d%s", m ? ", " : "", m, end);
        else
            buf_printf(b, "%s0", m ? ", " : "");
    buf_puts(b, "))");
}

// Writes the coordinates of a block's tile if params give the number of tiles: digits of its number
// along each axis.
static void coordinates_by_axis(struct buf *b, const struct relayout *r, const struct choice *c,
                                const struct axes *g, const char *end) {
    for (int axis = 0; axis < g->axes; ++axis) {
        int64_t by = 1;
        for (int i = 0; i < g->digits[axis]; ++i) {
            int m = g->digit[axis][i];
            int64_t n = tiles_along(r, c, m);
            buf_printf(b, "  let c%d%s = block.%c", m, end, "xyz"[axis]);
            if (by > 1) buf_printf(b, " / %" PRId64, by);
            if (i < g->digits[axis] - 1) buf_printf(b, " %% %" PRId64, n);
            buf_puts(b, ";\n");
            by *= n;
        }
    }
}

// The same for one axis, in the order of the choice's grid.
void text_coordinates(struct buf *b, const struct relayout *r, const struct choice *c,
                      const char *end) {
    struct {
        int mode;
        int64_t n, by, weight;
    } digit[RELAYOUT_MODES + 1];
    int order[RELAYOUT_MODES], n = 0;
    int64_t by = 1, lead = 1;
    order_of(r, c->grid.by_src, order);
    for (int i = -1; i < r->rank; ++i) {
        int m = i < 0 ? c->grid.lead : order[i];
        if (m < 0) continue;
        int64_t tiles = i < 0 ? c->grid.lead_tiles : tiles_along(r, c, m);
        int64_t weight = i >= 0 && m == c->grid.lead ? lead : 1;
        if (i < 0) lead = tiles;
        if (tiles / weight == 1) continue;
        digit[n].mode = m;
        digit[n].n = tiles / weight;
        digit[n].by = by;
        digit[n++].weight = weight;
        by *= tiles / weight;
    }
    for (int i = 0; i < n; ++i) {
        int m = digit[i].mode;
        if (i > 0 && m == digit[0].mode) continue;  // already written with the lead
        buf_printf(b, "  let c%d%s = ", m, end);
        for (int k = i; k < n; ++k) {
            if (digit[k].mode != m) continue;
            if (k > i) buf_printf(b, " + %" PRId64 " * (", digit[k].weight);
            buf_puts(b, "block.x");
            if (digit[k].by > 1) buf_printf(b, " / %" PRId64, digit[k].by);
            if (k < n - 1) buf_printf(b, " %% %" PRId64, digit[k].n);
            if (k > i) buf_char(b, ')');
        }
        buf_puts(b, ";\n");
    }
}

// Writes the grid: "(8*ceil_div(M,64),16)".
static void blocks(struct buf *b, const struct relayout *r, const struct choice *c,
                   const struct axes *g) {
    for (int axis = 0; axis < g->axes; ++axis) {
        int64_t n = 1;
        const char *text = NULL;
        int m = 0;
        for (int i = 0; i < g->digits[axis]; ++i) {
            m = g->digit[axis][i];
            text = r->mode[m].text[RELAYOUT_EXTENT];
            if (!text) n *= tiles_along(r, c, m);
        }
        buf_puts(b, axis ? ", " : "(");
        if (n > 1 || !text) buf_printf(b, "%" PRId64 "%s", n, text ? "*" : "");
        if (text) buf_printf(b, "ceil_div(%s,%" PRId64 ")", text, c->tile[m]);
    }
    buf_char(b, ')');
}

void text_shared(struct buf *b, const struct relayout *r, const struct choice *c, const char *end) {
    buf_printf(b, "  shared s%s : %s (", end, held_type(r)->name);
    for (int m = 0; m < r->rank; ++m) {
        if (m) buf_char(b, ',');
        if (m == c->split)
            buf_printf(b, "(%" PRId64 ",%" PRId64 ")", c->part, c->tile[m] / c->part);
        else
            buf_printf(b, "%" PRId64, c->tile[m]);
    }
    buf_puts(b, "):(");
    for (int m = 0; m < r->rank; ++m) {
        if (m) buf_char(b, ',');
        if (m == c->split)
            buf_printf(b, "(%" PRId64 ",%" PRId64 ")", c->room[m], c->rest);
        else
            buf_printf(b, "%" PRId64, c->room[m]);
    }
    buf_puts(b, ");\n");
}

static void staged_body(struct buf *b, const struct relayout *r, const struct relayout_names *n,
                        const struct choice *c) {
    int bits = held_type(r)->bits, load = c->rd.vector * r->type->bits;
    const char *rd = atom_of_sides(r, &c->rd, true, false);
    struct hints h = hints_of(r, c);
    bool narrow = h.ld[0] || c->block * bits != load || !vector_proven(r, c->rd.vector, true);
    bool ragged = false;  // some tile is not completely inside, or not at all
    for (int m = 0; m < r->rank; ++m) {
        struct lay_int n = exactly(&r->mode[m], RELAYOUT_EXTENT);
        int64_t lo, hi;
        lay_int_range(n, &lo, &hi);
        ragged |= !lay_int_divisible(n, c->tile[m]) || (!is_tiled(r, c, m) && lo < c->tile[m]);
    }
    const char *end = ending(n);
    text_shared(b, r, c, end);
    buf_printf(b, "  let rd%s = ", end);
    text_tiled(b, r, &c->rd, true, rd, load, h.ld);
    if (narrow) {
        buf_printf(b, ";\n  let put%s = ", end);
        text_tiled(b, r, &c->rd, true, "universal", c->block * bits, "");
    }
    buf_printf(b, ";\n  let wr%s = ", end);
    text_tiled(b, r, &c->wr, false, atom_of_sides(r, &c->wr, false, true),
               c->wr.vector * type_of(r, false)->bits, h.st);
    buf_printf(b, ";\n  frag r%s : %s like rd%s;\n  copy ", end, held_type(r)->name, end);
    text_part(b, r, c, n->src, end);
    buf_printf(b, " -> r%s with rd%s%s;\n", end, end, ragged ? " pad 0" : "");
    buf_printf(b, "  copy r%s -> s%s with %s%s;\n  copy s%s -> ", end, end, narrow ? "put" : "rd",
               end, end);
    text_part(b, r, c, n->dst, end);
    buf_printf(b, " with wr%s;\n", end);
}

// Writes the reasons for the choice.
static void reasons(struct buf *b, const struct relayout *r, const struct choice *c,
                    const struct cost *cost) {
    int src[RELAYOUT_MODES], dst[RELAYOUT_MODES];
    order_of(r, true, src);
    order_of(r, false, dst);
    buf_printf(b, "// Mode %d is the fast one of the source, mode %d of the destination.\n// ",
               src[0], dst[0]);
    if (c->way == WAY_STRAIGHT)
        buf_printf(b, "Elements go straight through registers, %d bytes per access.\n",
                   c->rd.vector * wider_bytes(r));
    else
        buf_printf(b, "Elements go through shared memory, read by %d bytes and written by %d.\n",
                   c->rd.vector * bytes_of(r, true), c->wr.vector * bytes_of(r, false));
    if (c->way == WAY_STAGED && src[0] != dst[0])
        buf_printf(b, "// Blocks of %d by %d elements are transposed in registers.\n", c->rd.vector,
                   c->block);
    struct hints h = hints_of(r, c);
    if (h.why) buf_printf(b, "// Cache hints: %s.\n", h.why);
    if (r->usual) buf_printf(b, "// The choice is for sizes like %s.\n", r->usual);
    for (int side = 0; side < 2 && c->way == WAY_STAGED; ++side) {
        int most = vector_along(r, side == 0 ? src[0] : dst[0], side == 0);
        int m = unpromised(r, most, side == 0);
        if (m >= 0)
            buf_printf(b,
                       "// Accesses of %d bytes need a stride that is a multiple of %d; the stride "
                       "%s of the %s is not promised to be one.\n",
                       most * bytes_of(r, side == 0), most,
                       r->mode[m].text[side == 0 ? RELAYOUT_SRC : RELAYOUT_DST],
                       side == 0 ? "source" : "destination");
    }
    if (r->left_out)
        buf_printf(b, "// No sizes were found that keep these conditions of wider accesses:%s.\n",
                   r->left_out);
    if (r->to && c->way == WAY_STAGED)
        buf_printf(b, "// Elements are converted when they are %s.\n",
                   held_type(r) == r->type ? "stored" : "loaded");
    buf_printf(b,
               "// The warps of a tile touch %" PRId64 " lines of the caches and have %" PRId64
               " bank conflicts; %" PRId64 " blocks per SM.\n",
               cost->lines, cost->conflict, cost->per_sm);
}

// Writes "kernel NAME(A : .., out B : ..)".
static void head(struct session *s, struct buf *b, const struct relayout *r,
                 const struct relayout *to, const struct relayout_names *n) {
    buf_printf(b, "kernel %s(", n->kernel);
    for (int i = 0; i < 2; ++i) {
        bool src = (i == 0) != n->dst_first;
        buf_puts(b, i ? ",\n    " : "");
        buf_puts(b, src ? "" : "out ");
        text_formal(b, src ? r : to, src ? n->src : n->dst, src);
    }
    buf_puts(b, ")\n   ");
    put_when(s, r, b);
    buf_puts(b, " grid ");
}

static void skewed_kernel(struct session *s, const struct relayout *r,
                          const struct relayout_names *n, const struct candidate *of,
                          struct buf *b) {
    const struct skewed *k = &of->skewed;
    const struct relayout *to = of->in_row ? &of->flat.r : r;
    if (of->in_row) flat_row(&of->flat, b);
    skew_reasons(to, k, b);
    head(s, b, r, to, n);
    skew_grid(to, k, b);
    buf_printf(b, " threads %d {\n", k->threads);
    skew_write(r, of->in_row ? &of->flat : NULL, n, k, ending(n), b);
    buf_puts(b, "}\n");
}

static void rows_kernel(struct session *s, const struct relayout *r, const struct relayout_names *n,
                        const struct rows *k, struct buf *b) {
    rows_reasons(r, k, b);
    head(s, b, r, r, n);
    rows_grid(r, k, b);
    buf_printf(b, " threads %d {\n", rows_threads(k));
    rows_write(r, n, k, ending(n), b);
    buf_puts(b, "}\n");
}

static void flat_kernel(struct session *s, const struct relayout *r, const struct relayout_names *n,
                        const struct candidate *of, struct buf *b) {
    const struct choice *c = &of->tile.c;
    struct axes g;
    if (!axes_of(&of->flat.r, c, &g)) BUG("numbers that have no axis");
    flat_reasons(r, &of->flat, &of->tile, b);
    head(s, b, r, &of->flat.r, n);
    blocks(b, &of->flat.r, c, &g);
    buf_printf(b, " threads %d {\n", c->threads);
    flat_write(r, n, &of->flat, c, ending(n), b);
    buf_puts(b, "}\n");
}

static void line_kernel(struct session *s, const struct relayout *r, const struct relayout_names *n,
                        const struct line *k, struct buf *b) {
    struct relayout to = *r;
    to.rank = 1;
    to.mode[0] = (struct relayout_mode){.extent = k->extent, .src = 1, .dst = 1};
    line_reasons(r, k, b);
    head(s, b, r, &to, n);
    line_write(r, n, k, ending(n), b);
    buf_puts(b, "}\n");
}

// How many extents are given by params.
static int open_extents(const struct relayout *r) {
    int n = 0;
    for (int i = 0; i < r->rank; ++i) {
        struct lay_int extent = r->mode[i].run[RELAYOUT_EXTENT];
        n += lay_int_valid(extent) && !lay_int_static(extent);
    }
    return n;
}

// Writes one case by candidate "of"; NULL: there is none, and "found" candidates exist.
static const char *one_case(struct session *s, const struct relayout *r,
                            const struct relayout_names *n, const struct candidate *of, int found,
                            struct buf *b) {
    static const char axes[] = "params say more than three of its extents";
    struct axes g;
    if (!of) {
        if (found == 0)
            return open_extents(r) > 3 ? axes : "this relayout takes more than 2^31 blocks";
        return arena_printf(&s->arena, "there is no candidate %d; there are %d, counted from 0",
                            r->candidate, found);
    }
    if (of->form != FORM_TILE) {
        if (of->form == FORM_ROWS)
            rows_kernel(s, r, n, &of->rows, b);
        else if (of->form == FORM_FLAT)
            flat_kernel(s, r, n, of, b);
        else if (of->form == FORM_LINE)
            line_kernel(s, r, n, &of->line, b);
        else
            skewed_kernel(s, r, n, of, b);
        return NULL;
    }
    struct choice c = of->tile.c;
    if (!axes_of(r, &c, &g)) return axes;
    reasons(b, r, &c, &of->tile.cost);
    head(s, b, r, r, n);
    blocks(b, r, &c, &g);
    buf_printf(b, " threads %d {\n", c.threads);
    if (r->usual)
        coordinates_by_axis(b, r, &c, &g, ending(n));
    else
        text_coordinates(b, r, &c, ending(n));
    if (c.way == WAY_STAGED) {
        staged_body(b, r, n, &c);
    } else {
        buf_puts(b, "  copy ");
        text_part(b, r, &c, n->src, ending(n));
        buf_puts(b, " ->\n      ");
        text_part(b, r, &c, n->dst, ending(n));
        buf_puts(b, "\n      with ");
        struct hints h = hints_of(r, &c);
        char both[64];
        snprintf(both, sizeof both, "%s%s", h.ld, h.st);
        text_tiled(b, r, &c.rd, false, atom_of_sides(r, &c.rd, true, true),
                   c.rd.vector * 8 * wider_bytes(r), both);
        buf_puts(b, ";\n");
    }
    buf_puts(b, "}\n");
    return NULL;
}

// Writes which candidates were refused, a line for each.
static void put_refused(struct buf *b, const char *why) {
    for (size_t n; why && *why; why += n + 1) {
        n = strcspn(why, "\n");
        buf_printf(b, "// Of the planner's choices, %.*s.\n", (int)n, why);
    }
}

const char *relayout_kernel(struct session *s, const struct relayout *r,
                            const struct relayout_names *n, struct buf *b) {
    struct relayout list[RELAYOUT_CASES];
    struct candidate of[RELAYOUT_CASES];
    int found[RELAYOUT_CASES], cases = cases_of(s, r, list, &of[0], &found[0]);
    bool there[RELAYOUT_CASES], any = false, first = cases == 1 && r->candidate == 0;
    const char *why = NULL;
    for (int i = 0; i < cases; ++i) {
        int number = r->fallback ? r->fallback->candidate[i] : r->candidate;
        first &= number == 0;
        any |= there[i] =
            (first && found[0] > 0) || candidate_of(&list[i], number, &of[i], &found[i]);
    }
    // a case without so many candidates uses its best one
    for (int i = 0; i < cases && !why; ++i) {
        bool made = there[i] || (any && candidate_of(&list[i], 0, &of[i], &found[i]));
        if (r->fallback) put_refused(b, r->fallback->why[i]);
        why = one_case(s, &list[i], n, made ? &of[i] : NULL, found[i], b);
    }
    return why;
}
