// Pictures as text: one column of characters after the other, for terminals and for tests.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "draw/picture.h"

// Appends "text" to "out", after as many blanks as bring the line that started at "begin" to
// "column".  A line break becomes a full stop.
static void put_at(struct buf *out, size_t begin, int column, const char *text) {
    buf_fill(out, ' ', column - (int)(out->len - begin));
    for (; *text; ++text) buf_char(out, *text == '\n' ? '.' : *text);
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
    if (g->heading) buf_printf(out, "%s\n", g->heading);
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
        if (g->row_name)
            buf_puts(out, g->row_name[r]);
        else
            buf_printf(out, "%s%0*d", g->row_prefix, g->row_digits, r);
        for (int c = 0; c < g->columns && !blank_from(p, g, r, c); ++c)
            put_at(out, begin, label + 1 + c * (width + 1), picture_cell_text(p, pic_at(g, r, c)));
        buf_char(out, '\n');
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
        buf_printf(out, "%-*s  %s, %s\n", name, l->name, l->line[0], l->line[1]);
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
        write_grid(out, p, &p->grid[k], width);
    }
    if (p->nlanes) write_flow(out, p);
}
