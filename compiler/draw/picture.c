// Building pictures, and their colours.
#include "draw/picture.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

void picture_init(struct picture *p, struct session *s, enum draw_format format) {
    memset(p, 0, sizeof *p);
    p->s = s;
    p->format = format;
    p->title = "";
    buf_init(&p->pool);
    buf_char(&p->pool, 0);  // the empty text is at 0
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
    return buf_finish(&b, &p->s->arena);
}

void picture_note(struct picture *p, const char *format, ...) {
    struct buf b;
    va_list ap;
    buf_init(&b);
    va_start(ap, format);
    buf_vprintf(&b, format, ap);
    va_end(ap);
    const char **all = ARENA_ARRAY(&p->s->arena, const char *, p->nnotes + 1);
    for (int i = 0; i < p->nnotes; ++i) all[i] = p->note[i];
    all[p->nnotes++] = buf_finish(&b, &p->s->arena);
    p->note = all;
}

int pic_digits(int64_t n) {
    int d = 1;
    for (; n >= 10; n /= 10) ++d;
    return d;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Says which part of "what" is drawn, when it is a part.
static void note_cut(struct picture *p, const char *what, int64_t n, int64_t rows, int64_t columns,
                     int64_t all_n, int64_t all_rows, int64_t all_columns) {
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
        note_cut(p, what, n, rows, columns, all_n, all_rows, all_columns);
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

// -- colours --------------------------------------------------------------------------------------

enum { N_HUES = 24, N_WHEEL = 32, N_RAMP = 16 };

// Equal lightness and chroma (OKLCH) for hues and wheel, so that no colour stands out.
const struct pic_shade pic_shades[N_COLOURS] = {
    // hues, 15 degrees apart
    {0xFFBBBA, 0x6E3334},
    {0xFFBEAC, 0x6E3527},
    {0xFFC19F, 0x6B3818},
    {0xF8C696, 0x663C08},
    {0xEFCB91, 0x5F4100},
    {0xE2D191, 0x564600},
    {0xD4D695, 0x4B4B04},
    {0xC4DB9E, 0x3D4F15},
    {0xB4DFAA, 0x2D5324},
    {0xA4E2B9, 0x175533},
    {0x97E4C8, 0x005641},
    {0x8EE4D8, 0x00564E},
    {0x8AE2E7, 0x00555A},
    {0x8DE0F4, 0x005264},
    {0x96DCFE, 0x004F6C},
    {0xA2D8FF, 0x174B72},
    {0xB1D2FF, 0x2B4775},
    {0xC0CDFF, 0x3B4375},
    {0xD0C8FF, 0x483F72},
    {0xDEC3FE, 0x523B6C},
    {0xEABFF4, 0x5C3764},
    {0xF5BCE7, 0x63355A},
    {0xFDBBD9, 0x69334E},
    {0xFFBAC9, 0x6D3241},
    // the wheel, in 32 steps
    {0xFFBBBA, 0x6E3334},
    {0xFFBDAF, 0x6E342A},
    {0xFFBFA5, 0x6D3620},
    {0xFEC29D, 0x6A3914},
    {0xF8C696, 0x663C08},
    {0xF1CA92, 0x614000},
    {0xE9CE90, 0x5B4400},
    {0xDFD291, 0x544800},
    {0xD4D695, 0x4B4B04},
    {0xC8DA9B, 0x414E11},
    {0xBCDDA4, 0x35511D},
    {0xB0E0AE, 0x285328},
    {0xA4E2B9, 0x175533},
    {0x9AE3C5, 0x00563D},
    {0x92E4D0, 0x005647},
    {0x8CE3DC, 0x005651},
    {0x8AE2E7, 0x00555A},
    {0x8CE0F1, 0x005362},
    {0x91DEF9, 0x005168},
    {0x98DBFF, 0x004E6E},
    {0xA2D8FF, 0x174B72},
    {0xADD4FF, 0x274875},
    {0xB8D0FF, 0x334575},
    {0xC4CCFF, 0x3E4275},
    {0xD0C8FF, 0x483F72},
    {0xDAC5FF, 0x503C6E},
    {0xE4C1FA, 0x573968},
    {0xEDBFF1, 0x5E3762},
    {0xF5BCE7, 0x63355A},
    {0xFBBBDD, 0x683351},
    {0xFFBAD1, 0x6B3248},
    {0xFFBAC5, 0x6D323E},
    // the ramp
    {0xF0F8FF, 0x192029},
    {0xE7F3FC, 0x1A242F},
    {0xDEEDF9, 0x1B2835},
    {0xD4E8F6, 0x1C2D3B},
    {0xCAE3F2, 0x1C3141},
    {0xC0DFEF, 0x1C3648},
    {0xB5DAEB, 0x1B3B4D},
    {0xABD5E6, 0x1A4053},
    {0xA0D1E1, 0x174559},
    {0x95CCDC, 0x144A5F},
    {0x8AC8D7, 0x0E4F64},
    {0x7EC3D1, 0x055569},
    {0x72BFCB, 0x005A6E},
    {0x66BAC5, 0x006073},
    {0x59B6BE, 0x006677},
    {0x4BB2B7, 0x006B7B},
};

// 24 has the factor 3, so steps of powers of two never come back to the same hue; 7 hues are far
// enough for neighbours.
int pic_hue(int64_t i) {
    return (int)(i % N_HUES * 7 % N_HUES);
}

int pic_wheel(int64_t i, int64_t n) {
    return N_HUES + (int)(n <= N_WHEEL ? i % n * N_WHEEL / n : i % N_WHEEL);
}

int pic_ramp(int64_t i, int64_t n) {
    if (i < 0) i = 0;
    if (n < 2) n = 2;
    if (i >= n) i = n - 1;
    return N_HUES + N_WHEEL + (int)((double)i * (N_RAMP - 1) / (double)(n - 1));
}
