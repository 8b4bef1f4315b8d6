// Writes pictures as text, for terminals and tests.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/picture.h"

// Appends blanks up to "column" of the line that began at "begin", and "text".  A line break
// becomes a full stop.
static void put_at(struct buf *out, size_t begin, int column, const char *text) {
    buf_fill(out, ' ', column - (int)(out->len - begin));
    for (; *text; ++text) buf_char(out, *text == '\n' ? '.' : *text);
}

// Whether the terminal has all colours, not only 256.
static bool has_all_colours(void) {
    const char *kind = getenv("COLORTERM");
    return kind && (strcmp(kind, "truecolor") == 0 || strcmp(kind, "24bit") == 0);
}

// The nearest colour in the cube of 6 x 6 x 6 colours that terminals have from number 16 on.
static int in_cube(uint32_t rgb) {
    static const int level[] = {0, 95, 135, 175, 215, 255};
    int place = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int x = (int)(rgb >> shift & 255), best = 0;
        for (int i = 1; i < 6; ++i)
            if (abs(level[i] - x) < abs(level[best] - x)) best = i;
        place = place * 6 + best;
    }
    return 16 + place;
}

// Writes a cell's text on its colour, "width" wide, dark on light independently of the terminal's
// colours.
static void put_cell(struct buf *out, const struct picture *p, const struct pic_cell *c,
                     int width) {
    const char *text = picture_cell_text(p, c);
    uint32_t rgb = pic_shades[c->colour].light;
    if (has_all_colours())
        buf_printf(out, "\033[38;2;31;35;40;48;2;%d;%d;%dm", (int)(rgb >> 16),
                   (int)(rgb >> 8 & 255), (int)(rgb & 255));
    else
        buf_printf(out, "\033[38;5;16;48;5;%dm", in_cube(rgb));
    put_at(out, out->len, 0, text);
    buf_fill(out, ' ', width - (int)strlen(text));
    buf_puts(out, "\033[0m");
}

static int label_width(const char *const *name, const char *prefix, int digits, int count) {
    int most = pic_digits(count - 1), width = 0;
    for (int i = 0; name && i < count; ++i)
        width = (int)strlen(name[i]) > width ? (int)strlen(name[i]) : width;
    if (name) return width;
    return (int)strlen(prefix) + (most > digits ? most : digits);
}

static bool blank_from(const struct picture *p, const struct pic_grid *g, int row, int column) {
    for (; column < g->columns; ++column)
        if (pic_at(g, row, column)->text) return false;
    (void)p;
    return true;
}

static void write_grid(struct buf *out, const struct picture *p, const struct pic_grid *g,
                       int width) {
    int label = label_width(g->row_name, g->row_prefix, g->row_digits, g->rows);
    char text[32];
    int hidden = 0;  // bytes of escape sequences in the line
    if (g->named && g->column_axis)
        buf_printf(out, "%s down, %s across\n", g->row_axis, g->column_axis);
    else if (g->named)
        buf_printf(out, "%s down\n", g->row_axis);
    size_t begin = out->len;
    for (int c = 0; c < g->columns; ++c) {
        snprintf(text, sizeof text, "%s%0*d", g->column_prefix, g->column_digits, c);
        const char *name = g->column_name ? g->column_name[c] : text;
        if (*name) put_at(out, begin, label + 1 + c * (width + 1), name);
    }
    buf_char(out, '\n');
    for (int r = 0; r < g->rows; ++r) {
        begin = out->len;
        hidden = 0;
        if (g->row_name)
            buf_puts(out, g->row_name[r]);
        else
            buf_printf(out, "%s%0*d", g->row_prefix, g->row_digits, r);
        for (int c = 0; c < g->columns && !blank_from(p, g, r, c); ++c) {
            const struct pic_cell *cell = pic_at(g, r, c);
            int column = label + 1 + c * (width + 1);
            if (!p->color || cell->colour < 0) {
                put_at(out, begin + (size_t)hidden, column, picture_cell_text(p, cell));
                continue;
            }
            put_at(out, begin + (size_t)hidden, column, "");
            size_t from = out->len;
            put_cell(out, p, cell, width);
            hidden += (int)(out->len - from) - width;
        }
        buf_char(out, '\n');
    }
}

// Writes as many columns beside one another as the terminal has room for.
static void write_parts(struct buf *out, const struct picture *p, const struct pic_grid *g,
                        int width) {
    int label = label_width(g->row_name, g->row_prefix, g->row_digits, g->rows);
    int n = (p->wide - label) / (width + 1);
    if (p->wide <= 0 || n >= g->columns) {
        write_grid(out, p, g, width);
        return;
    }
    if (n < 1) n = 1;
    while (n & (n - 1)) n &= n - 1;  // a power of two, as most tiles have them
    for (int from = 0; from < g->columns; from += n) {
        int rest = g->columns - from;
        struct pic_grid part = picture_part(p, g, from, n < rest ? n : rest);
        if (from > 0) buf_char(out, '\n');
        write_grid(out, p, &part, width);
    }
}

static int cell_width(const struct picture *p) {
    int width = 1;
    for (int k = 0; k < p->ngrids; ++k) {
        const struct pic_grid *g = &p->grid[k];
        int n = label_width(g->column_name, g->column_prefix, g->column_digits, g->columns);
        width = n > width ? n : width;
        for (int i = 0; i < g->rows * g->columns; ++i) {
            n = (int)strlen(picture_cell_text(p, &g->cell[i]));
            width = n > width ? n : width;
        }
    }
    return width;
}

static void write_flow(struct buf *out, const struct picture *p) {
    int name = 0, number = 0, depth = 0;
    for (int i = 0; i < p->nlanes; ++i) {
        int n = (int)strlen(p->lane[i].name);
        name = n > name ? n : name;
    }
    for (int i = 0; i < p->nlanes; ++i) {
        const struct pic_lane *l = &p->lane[i];
        buf_printf(out, "%-*s  %s %s\n", name, l->name, l->space, l->text);
    }
    buf_char(out, '\n');
    for (int i = 0; i < p->nsteps; ++i) {
        const struct pic_step *s = &p->step[i];
        if (s->kind == STEP_CLOSE) --depth;
        buf_fill(out, ' ', 2 * depth);
        switch (s->kind) {
        case STEP_COPY:
            buf_printf(out, "%d. %s -> %s: %s, %s\n", ++number, p->lane[s->from].name,
                       p->lane[s->to].name, s->text[0], s->text[1]);
            break;
        case STEP_CALL:
            buf_puts(out, s->text[0]);
            for (int k = 0; k < s->nargs && !s->fill; ++k)
                buf_printf(out, "%s%s", k ? ", " : "(", s->arg[k].text);
            buf_puts(out, s->nargs && !s->fill ? ")\n" : "\n");
            break;
        case STEP_BARRIER: buf_puts(out, "barrier\n"); break;
        case STEP_WAIT: buf_printf(out, "%s\n", s->text[0]); break;
        case STEP_OPEN:
            buf_printf(out, "%s {\n", s->text[0]);
            ++depth;
            break;
        case STEP_CLOSE: buf_puts(out, "}\n"); break;
        }
    }
}

void picture_write_text(const struct picture *p, struct buf *out) {
    buf_printf(out, "%s:\n", p->title);
    for (int i = 0; i < p->nnotes; ++i) buf_printf(out, "%s\n", p->note[i]);
    int width = cell_width(p);
    for (int k = 0; k < p->ngrids; ++k) {
        if (k) buf_char(out, '\n');
        if (p->grid[k].heading) buf_printf(out, "%s\n", p->grid[k].heading);
        write_parts(out, p, &p->grid[k], width);
    }
    if (p->nlanes) write_flow(out, p);
}
