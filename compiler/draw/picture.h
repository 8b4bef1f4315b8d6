// A picture: grids of coloured cells, or the steps of a kernel.  Views make it and writers print
// it. A view knows nothing of text, SVG and TikZ, a writer nothing of layouts, so a new view needs
// no change in a writer.  Texts and arrays are allocated in the session, the texts of cells in a
// pool.
#ifndef TCPC_DRAW_PICTURE_H
#define TCPC_DRAW_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/session.h"
#include "draw/draw.h"

// Limits of a drawing.
enum {
    PIC_SIDE = 128,     // rows, and columns, of an SVG or TikZ grid
    PIC_CELLS = 16384,  // cells of an SVG or TikZ drawing
    PIC_GRIDS = 256,    // grids of an SVG or TikZ drawing
    PIC_TEXT_CELLS = 1 << 20,
    PIC_LANES = 64,   // tensors of a flow
    PIC_STEPS = 256,  // steps of a flow
};

struct pic_cell {
    // offset in the pool; 0: empty.  A line break is written as "." in cells of one line
    size_t text;
    int colour;  // see below; -1: none
    // a strong line separates neighbouring cells of different groups
    int64_t group;
};

struct pic_arrow {
    int from_row, from_column, to_row, to_column;
};

struct pic_grid {
    const char *heading;  // or NULL
    int rows, columns;
    struct pic_cell *cell;                             // row by row
    const char *row_prefix, *column_prefix;            // of labels: "r" gives r0, r1 ..
    int row_digits, column_digits;                     // at least
    const char *const *row_name, *const *column_name;  // instead, when not NULL
    const char *row_axis, *column_axis;                // what the labels count, or NULL
    bool named;                                        // an axis has a name from the plan
    bool merged;   // neighbours of one group and one text are one cell
    bool threads;  // groups are threads: a heavy line separates warps
    bool bars;     // a schedule: neighbours of one group are one bar; groups by tensor << 32
    const struct pic_arrow *arrow;
    int narrows;
};

struct pic_key {
    int colour;
    const char *text;
};

// The steps of a kernel, from the first to the last.
enum { FLOW_COLUMNS = 3 };  // memory spaces: global, shared, registers
extern const char *const pic_column_names[FLOW_COLUMNS];
extern const int pic_column_colours[FLOW_COLUMNS];

struct pic_lane {
    const char *name;
    const char *space;
    const char *text;  // element type, shape and bytes
    int column;
};
enum pic_step_kind { STEP_COPY, STEP_CALL, STEP_BARRIER, STEP_WAIT, STEP_OPEN, STEP_CLOSE };
struct pic_arg {
    int lane;
    const char *text;  // "inout acc"
};
struct pic_step {
    enum pic_step_kind kind;
    int from, to;         // COPY: lanes
    const char *text[2];  // COPY: how, and how much; CALL: the function; OPEN: the head of the loop
    bool fill;            // CALL: fills a tensor with a constant
    const struct pic_arg *arg;  // CALL
    int nargs;
};

struct picture {
    struct session *s;
    enum draw_format format;
    bool color;  // text has escape sequences
    int wide;    // the columns of the terminal that text goes to; 0: none
    const char *title;
    const char **note;  // sentences below the title
    int nnotes;
    struct pic_grid *grid;
    int ngrids;
    int across;  // grids in a row of the page; 0: as many as fit
    const struct pic_key *key;
    int nkeys;
    const struct pic_lane *lane;  // for a flow; NULL: none
    const struct pic_step *step;
    int nlanes, nsteps;
    struct buf pool;
};

// -- building -------------------------------------------------------------------------------------

void picture_init(struct picture *p, struct session *s, enum draw_format format);
void picture_release(struct picture *p);
// Adds a sentence to the notes.
void picture_note(struct picture *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds a colour to the legend.
void picture_key(struct picture *p, int colour, const char *text);
// Text in the session's memory.
const char *picture_text(const struct picture *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Adds "n" grids of "rows" x "columns" empty cells.  If the format has no room for all, adds fewer
// and notes that ("what" is the subject: "the tile").  Returns NULL, or why not even text has room.
const char *picture_grids(struct picture *p, const char *what, int64_t n, int64_t rows,
                          int64_t columns);
void picture_cell(struct picture *p, struct pic_cell *c, int colour, int64_t group,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
static inline struct pic_cell *pic_at(const struct pic_grid *g, int row, int column) {
    return &g->cell[(size_t)row * (size_t)g->columns + (size_t)column];
}
static inline const char *picture_cell_text(const struct picture *p, const struct pic_cell *c) {
    return p->pool.text + c->text;
}
// Columns "from" to "from" + "n" - 1 of "g", with their names, without arrows.
struct pic_grid picture_part(const struct picture *p, const struct pic_grid *g, int from, int n);
int pic_digits(int64_t n);  // decimal digits of n >= 0

// -- colours --------------------------------------------------------------------------------------
// Each colour is a pair of shades for light and dark backgrounds; text in the opposite of the
// background is legible on it.

enum { N_COLOURS = 32 + 32 + 16 };
struct pic_shade {
    uint32_t light, dark;  // 0xRRGGBB
};
extern const struct pic_shade pic_shades[N_COLOURS];

int pic_hue(int64_t i);               // neighbours, and those 2, 4, 8 .. apart, differ
int pic_wheel(int64_t i, int64_t n);  // the i-th of n places on a circle
int pic_ramp(int64_t i, int64_t n);   // light to dark

// The colour of a thread depends on its lane.  All lanes of a warp differ, and odd warps have
// deeper colours.  The distance of the colours of successive lanes and warps depends on which
// threads are neighbours in the picture.
struct pic_scheme {
    int lane, warp;
};
struct pic_neighbours {
    bool apart[32][32];  // [difference of lanes][difference of warps]
};
void pic_beside(struct pic_neighbours *n, int64_t a, int64_t b);
struct pic_scheme pic_scheme_for(const struct pic_neighbours *n);
int pic_thread(struct pic_scheme m, int64_t thread);
// Merges all cells that have a colour and colours them by their group, which is a thread; adds a
// legend where there are several warps.
void picture_threads(struct picture *p);

// -- writers --------------------------------------------------------------------------------------

void picture_write_text(const struct picture *p, struct buf *out);
void picture_write_svg(const struct picture *p, struct buf *out);
void picture_write_tikz(const struct picture *p, struct buf *out);

// -- views: each returns NULL, or why there is no drawing -----------------------------------------

const char *view_owners(struct picture *p, const struct draw_request *r);
const char *view_inverse(struct picture *p, const struct draw_request *r);
const char *view_tv(struct picture *p, const struct draw_request *r);
const char *view_offsets(struct picture *p, const struct draw_request *r);
const char *view_swizzle(struct picture *p, const struct draw_request *r);
const char *view_banks(struct picture *p, const struct draw_request *r);
const char *view_access(struct picture *p, const struct plan *plan, const struct draw_request *r);
const char *view_sectors(struct picture *p, const struct plan *plan, const struct draw_request *r);
const char *view_path(struct picture *p, const struct draw_request *r);
const char *view_timeline(struct picture *p, const struct draw_request *r);
const char *view_operand(struct picture *p, const struct draw_request *r);
const char *view_flow(struct picture *p, const struct draw_request *r);

#endif
