// Draws layouts and tensors: where each element is, how a swizzle moves it, and in which bank it
// is.
#include <inttypes.h>
#include <string.h>

#include "draw/domain.h"
#include "hw/sizes.h"
#include "layout/algebra.h"
#include "plan/print.h"

enum { BANK_BITS = 8 * WORD };

struct place {
    struct domain d;
    struct oracle_flat flat;
    bool tuples;  // the values are coordinates
};

// Whether all values of "f" fit 62 bits.
static bool fits(const struct oracle_flat *f) {
    const int64_t most = INT64_C(1) << 62;
    int64_t sum = f->offset < 0 ? -(f->offset + 1) : f->offset, part;
    for (int i = 0; i < f->n; ++i)
        if (f->extent[i] > 1 &&
            (__builtin_mul_overflow(f->extent[i] - 1, f->stride[i], &part) || part <= -most ||
             sum > most || __builtin_add_overflow(sum, part < 0 ? -part : part, &sum)))
            return false;
    return sum <= most;
}

static const char *find_place(const struct draw_request *r, struct place *f) {
    const struct lay *l = &r->layout;
    if (!lay_valid(*l)) return "its layout is not known";
    if (!domain_of(l->shape, r->sym_values, &f->d)) {
        if (!domain_too_large(l->shape, r->sym_values)) return "its extents have no value";
        return "the picture would be too large: it has more than 2147483647 coordinates";
    }
    f->d.names = r->names;
    if (!oracle_flatten(*l, r->sym_values, &f->flat)) return "its strides have no value";
    if (!fits(&f->flat)) return "its offsets do not fit into 62 bits";
    f->tuples = false;
    for (int i = 0; i < f->flat.n; ++i) f->tuples |= f->flat.basis[i] >= 0;
    return NULL;
}

static int64_t plain_at(const struct place *f, int64_t i) {
    return f->flat.offset + oracle_flat_at(&f->flat, i);
}

static int64_t offset_at(const struct place *f, int64_t i) {
    return oracle_swizzle(f->flat.sw, plain_at(f, i));
}

static const char *describe(const struct picture *p, const struct draw_request *r) {
    const char *l = plan_named_layout(p->s, r->layout, r->names);
    if (!r->tensor && strcmp(r->name, l) == 0) return l;
    if (!r->tensor) return picture_text(p, "%s = %s", r->name, l);
    return picture_text(p, "%s : %s %s %s", r->name, r->tensor->elem->name,
                        space_name(r->tensor->space), l);
}

// The block of a cell, given the inner extents of its modes; strong lines separate blocks.
static int64_t block_of(const struct domain *d, int row, int col) {
    int64_t r = d->inner[0] ? row / d->inner[0] : 0;
    int64_t c = d->rank > 1 && d->inner[1] ? col / d->inner[1] : 0;
    return r << 32 | c;
}

static const char *coordinates(struct picture *p, const struct draw_request *r,
                               const struct place *f) {
    for (int k = 0; k < p->ngrids; ++k) {
        struct pic_grid *g = &p->grid[k];
        for (int row = 0; row < g->rows; ++row) {
            for (int col = 0; col < g->columns; ++col) {
                int64_t i = domain_at(&f->d, k, row, col);
                const struct lay_tuple *v =
                    lay_eval_tuple(&p->s->lay, r->layout, lay_leaf_of(&p->s->lay, i));
                if (!v) {
                    lay_clear_error(&p->s->lay);
                    return "one of its values cannot be computed";
                }
                picture_cell(p, pic_at(g, row, col), pic_ramp(i, f->d.size),
                             block_of(&f->d, row, col), "%s", lay_tuple_text(&p->s->lay, v));
            }
        }
    }
    return NULL;
}

const char *view_offsets(struct picture *p, const struct draw_request *r) {
    struct place f;
    const char *why = find_place(r, &f);
    if (!why && f.tuples && f.d.size > 1 << 16)
        why = "its values are coordinates, and no more than 65536 are drawn";
    if (!why) why = domain_grids(p, "the layout", &f.d);
    if (why) return why;
    p->title = picture_text(p, "Layout %s", describe(p, r));
    if (f.tuples) return coordinates(p, r, &f);
    if (p->format != DRAW_TEXT)
        picture_note(p, "the offset of each element%s", r->tensor ? ", in elements" : "");
    int64_t least = 0, most = 0;
    for (int k = 0; k < p->ngrids; ++k)
        for (int row = 0; row < p->grid[k].rows; ++row)
            for (int col = 0; col < p->grid[k].columns; ++col) {
                int64_t x = offset_at(&f, domain_at(&f.d, k, row, col));
                if (x > most) most = x;
                if (x < least) least = x;
            }
    int64_t reach = most - least;
    for (int i = 0; i < 3 && reach > 1; ++i)
        picture_key(p, pic_ramp(reach / 2 * i, reach + 1),
                    picture_text(p, "%" PRId64, i < 2 ? least + reach / 2 * i : most));
    for (int k = 0; k < p->ngrids; ++k) {
        struct pic_grid *g = &p->grid[k];
        for (int row = 0; row < g->rows; ++row)
            for (int col = 0; col < g->columns; ++col) {
                int64_t x = offset_at(&f, domain_at(&f.d, k, row, col));
                picture_cell(p, pic_at(g, row, col), pic_ramp(x - least, reach + 1),
                             block_of(&f.d, row, col), "%" PRId64, x);
            }
    }
    return NULL;
}

// -- swizzles -------------------------------------------------------------------------------------

// The two-dimensional picture of a swizzle.  A row has 2^b pieces of 2^m elements that are
// consecutive in memory, and there are as many rows as the pattern has until it repeats.
const char *view_swizzle(struct picture *p, const struct draw_request *r) {
    const struct lay_swizzle sw = r->layout.sw;
    if (!lay_valid(r->layout)) return "its layout is not known";
    if (sw.b <= 0 && r->tensor && r->tensor->swizzle_auto)
        return picture_text(p, "'swizzle auto' chose %s, %s; --view=layout draws its offsets",
                            lay_int_equal(lay_span(&p->s->lay, r->layout),
                                          lay_size(&p->s->lay, r->layout))
                                ? "no swizzle"
                                : "padding",
                            lay_text(&p->s->lay, r->layout));
    if (sw.b <= 0) return "its layout has no swizzle; --view=layout draws its offsets";
    int gap = sw.s >= 0 ? sw.s : -sw.s;
    if (sw.b > 6 || gap > 12 || sw.m > 40 || gap < sw.b)
        return "its swizzle exchanges more than 64 pieces, or pieces more than 4096 apart";
    int64_t columns = (int64_t)1 << gap, rows = (int64_t)1 << sw.b, piece = (int64_t)1 << sw.m;
    const char *why = picture_grids(p, "the swizzle", 2, rows, columns);
    if (why) return why;
    p->title = picture_text(p, "Swizzle Sw<%d,%d,%d> of %s", sw.b, sw.m, sw.s, r->name);
    if (r->tensor)
        picture_note(p,
                     "a cell is a piece of %" PRId64 " elements of %s (%" PRId64
                     " bytes), a row is %" PRId64 " bytes",
                     piece, r->tensor->elem->name, piece * r->tensor->elem->bits / 8,
                     columns * piece * r->tensor->elem->bits / 8);
    else
        picture_note(p, "a cell is a piece of %" PRId64 " elements, a row is %" PRId64 " elements",
                     piece, columns * piece);
    picture_note(p, "the number is the piece's %s%s",
                 sw.s > 0 ? "place, in pieces from the start of its row" : "row",
                 p->format == DRAW_TEXT ? "" : ", and so is the colour");
    for (int k = 0; k < p->ngrids; ++k) {
        struct pic_grid *g = &p->grid[k];
        g->heading = k ? "with the swizzle" : "without it";
        g->row_prefix = "r";
        g->column_prefix = "c";
        g->row_axis = "row";
        g->column_axis = "piece";
        for (int row = 0; row < g->rows; ++row)
            for (int col = 0; col < g->columns; ++col) {
                int64_t x = (row * columns + col) * piece;
                int64_t to = (k ? oracle_swizzle(sw, x) : x) / piece;
                int64_t place = sw.s > 0 ? to % columns : to / columns;
                picture_cell(p, pic_at(g, row, col), pic_wheel(place, sw.s > 0 ? columns : rows),
                             row * columns + col, "%" PRId64, place);
            }
    }
    return NULL;
}

// -- banks ----------------------------------------------------------------------------------------

const char *view_banks(struct picture *p, const struct draw_request *r) {
    struct place f;
    const char *why = find_place(r, &f);
    if (!why && f.tuples) why = "its values are coordinates, and these have no bank";
    if (!why && r->bits < 8) why = "a layout alone has no element type; say --type=f16";
    if (!why) why = domain_grids(p, "the layout", &f.d);
    if (why) return why;
    p->title = picture_text(p, "Banks of %s", describe(p, r));
    picture_note(p,
                 "the bank of shared memory of each element: 32 banks of 4 bytes, elements of %d"
                 " byte%s%s",
                 r->bits / 8, r->bits == 8 ? "" : "s",
                 r->bits > BANK_BITS ? "; it is that of the element's first word" : "");
    for (int k = 0; k < p->ngrids; ++k) {
        struct pic_grid *g = &p->grid[k];
        for (int row = 0; row < g->rows; ++row)
            for (int col = 0; col < g->columns; ++col) {
                int64_t x = offset_at(&f, domain_at(&f.d, k, row, col));
                if (x < 0 || x > INT64_MAX / 128) return "one of its offsets is out of range";
                int64_t word = x * r->bits / BANK_BITS;
                picture_cell(p, pic_at(g, row, col), pic_wheel(word % BANKS, BANKS), word,
                             "%" PRId64, word % BANKS);
            }
    }
    return NULL;
}
