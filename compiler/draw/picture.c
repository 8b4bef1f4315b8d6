// Builds pictures.
#include "draw/picture.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/agree.h"

void picture_init(struct picture *p, struct session *s, enum draw_format format) {
    memset(p, 0, sizeof *p);
    p->s = s;
    p->format = format;
    p->title = "";
    buf_init(&p->pool);
    buf_char(&p->pool, 0);  // offset 0 is the empty text
}

void picture_release(struct picture *p) {
    buf_release(&p->pool);
}

const char *picture_text(const struct picture *p, const char *format, ...) {
    struct buf b;
    va_list ap;
    buf_init(&b);
    va_start(ap, format);
    buf_vprintf(&b, format, ap);
    va_end(ap);
    agree(b.text);
    b.len = strlen(b.text);
    return buf_finish(&b, &p->s->arena);
}

void picture_note(struct picture *p, const char *format, ...) {
    struct buf b;
    va_list ap;
    buf_init(&b);
    va_start(ap, format);
    buf_vprintf(&b, format, ap);
    va_end(ap);
    agree(b.text);
    b.len = strlen(b.text);
    const char **all = ARENA_ARRAY(&p->s->arena, const char *, p->nnotes + 1);
    for (int i = 0; i < p->nnotes; ++i) all[i] = p->note[i];
    all[p->nnotes++] = buf_finish(&b, &p->s->arena);
    p->note = all;
}

void picture_key(struct picture *p, int colour, const char *text) {
    struct pic_key *all = ARENA_ARRAY(&p->s->arena, struct pic_key, p->nkeys + 1);
    for (int i = 0; i < p->nkeys; ++i) all[i] = p->key[i];
    all[p->nkeys++] = (struct pic_key){colour, text};
    p->key = all;
}

int pic_digits(int64_t n) {
    int d = 1;
    for (; n >= 10; n /= 10) ++d;
    return d;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

struct size {
    int64_t n, rows, columns;  // slices, each with so many rows and columns
};

// Notes which part of "what" is drawn if it is not all of it.
static void note_cut(struct picture *p, const char *what, struct size is, struct size all) {
    int64_t n = is.n, rows = is.rows, columns = is.columns;
    int64_t all_n = all.n, all_rows = all.rows, all_columns = all.columns;
    if (n == all_n && rows == all_rows && columns == all_columns) return;
    struct buf b;
    buf_init(&b);
    buf_printf(&b, "drawn of %s:", what);
    if (rows < all_rows)
        buf_printf(&b, " rows 0 to %" PRId64 " of %" PRId64 ",", rows - 1, all_rows);
    if (columns < all_columns)
        buf_printf(&b, " columns 0 to %" PRId64 " of %" PRId64 ",", columns - 1, all_columns);
    if (n < all_n) buf_printf(&b, " the first %" PRId64 " of %" PRId64 " slices,", n, all_n);
    const char *slices = n < all_n ? picture_text(p, " %d slices", PIC_GRIDS) : "";
    const char *cells =
        rows < all_rows || columns < all_columns
            ? picture_text(p, " %d cells, %d in a row or column", PIC_CELLS, PIC_SIDE)
            : "";
    picture_note(p, "%s since a picture has at most%s%s%s", b.text, slices,
                 *slices && *cells ? " and" : "", cells);
    buf_release(&b);
}

const char *picture_grids(struct picture *p, const char *what, int64_t n, int64_t rows,
                          int64_t columns) {
    int64_t all_n = n, all_rows = rows, all_columns = columns;
    if (p->format == DRAW_TEXT) {
        if (rows > PIC_TEXT_CELLS || columns > PIC_TEXT_CELLS / rows ||
            n > PIC_TEXT_CELLS / (rows * columns))
            return picture_text(p, "%s has more than %d coordinates", what, PIC_TEXT_CELLS);
    } else {
        n = least(n, PIC_GRIDS);
        rows = least(rows, PIC_SIDE);
        columns = least(columns, PIC_SIDE);
        while (rows * columns * n > PIC_CELLS) {
            if (rows >= columns)
                rows = (rows + 1) / 2;
            else
                columns = (columns + 1) / 2;
        }
        note_cut(p, what, (struct size){n, rows, columns},
                 (struct size){all_n, all_rows, all_columns});
    }
    p->grid = ARENA_ARRAY(&p->s->arena, struct pic_grid, n);
    p->ngrids = (int)n;
    struct pic_cell *cell = ARENA_ARRAY(&p->s->arena, struct pic_cell, n * rows * columns);
    for (int64_t i = 0; i < n * rows * columns; ++i) cell[i].colour = -1;
    for (int i = 0; i < n; ++i)
        p->grid[i] = (struct pic_grid){.rows = (int)rows,
                                       .columns = (int)columns,
                                       .cell = cell + i * rows * columns,
                                       .row_prefix = "",
                                       .column_prefix = ""};
    return NULL;
}

struct pic_grid picture_part(const struct picture *p, const struct pic_grid *g, int from, int n) {
    struct pic_grid part = *g;
    const char **name = ARENA_ARRAY(&p->s->arena, const char *, n);
    struct pic_cell *cell = ARENA_ARRAY(&p->s->arena, struct pic_cell, g->rows * n);
    for (int r = 0; r < g->rows; ++r)
        for (int c = 0; c < n; ++c) cell[r * n + c] = *pic_at(g, r, from + c);
    for (int c = 0; c < n; ++c)
        name[c] = g->column_name
                      ? g->column_name[from + c]
                      : picture_text(p, "%s%0*d", g->column_prefix, g->column_digits, from + c);
    part.columns = n;
    part.cell = cell;
    part.column_name = name;
    part.narrows = 0;
    return part;
}

void picture_cell(struct picture *p, struct pic_cell *c, int colour, int64_t group,
                  const char *format, ...) {
    va_list ap;
    c->text = p->pool.len;
    c->colour = colour;
    c->group = group;
    va_start(ap, format);
    buf_vprintf(&p->pool, format, ap);
    va_end(ap);
    buf_char(&p->pool, 0);
}
