// Laying out: title and notes, grids, keys.  Flows are laid out in scene_flow.c.
#include "draw/scene.h"

#include <stdio.h>
#include <string.h>

enum { GAP = 28, CELL = 28, SWATCH = 14, WIDE = 1000, TEXT_WIDTH = 560 };

void scene_add(struct scene *s, struct shape shape) {
    buf_write(&s->shapes, (const char *)&shape, sizeof shape);
}

// Monospaced fonts are at most 0.61 of their size wide.
static int width_of(int chars) {
    return (chars * SCENE_FONT * 61 + 99) / 100;
}

int scene_text_width(const char *text) {
    int most = 0;
    for (;;) {
        int n = (int)strcspn(text, "\n");
        most = n > most ? n : most;
        if (!text[n]) return width_of(most);
        text += n + 1;
    }
}

static void add_text(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
                     const char *text, int len) {
    if (len <= 0) return;
    scene_add(s, (struct shape){.kind = SHAPE_TEXT,
                                .x = x,
                                .y = y,
                                .ink = ink,
                                .anchor = anchor,
                                .text = text,
                                .len = len});
}

void scene_text(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
                const char *text) {
    add_text(s, x, y, ink, anchor, text, (int)strlen(text));
}

// Prints "text" from "y" on in lines no wider than "width", broken at blanks and commas where there
// are any.  Returns the baseline of the line after.
static int paragraph(struct scene *s, int y, int width, enum shape_ink ink, const char *text) {
    int most = width / width_of(1);
    while (*text) {
        int len = (int)strlen(text), n = len;
        if (len > most) {
            for (n = most; n > most / 2 && text[n] != ' ' && text[n - 1] != ',';) --n;
            if (n <= most / 2) n = most;
        }
        add_text(s, SCENE_MARGIN, y, ink, ANCHOR_START, text, n);
        int right = 2 * SCENE_MARGIN + width_of(n);
        s->width = right > s->width ? right : s->width;
        text += n;
        while (*text == ' ') ++text;
        y += SCENE_LINE;
    }
    return y;
}

// -- grids ----------------------------------------------------------------------------------------

struct frame {
    const struct picture *p;
    const struct pic_grid *g;
    int x, y;  // of the first cell
    int cell_w, cell_h;
};

static int label_width(const char *const *name, const char *prefix, int digits, int count) {
    int most = pic_digits(count - 1), width = 0;
    for (int i = 0; name && i < count; ++i)
        if (scene_text_width(name[i]) > width) width = scene_text_width(name[i]);
    if (name) return width;
    return width_of((int)strlen(prefix) + (most > digits ? most : digits));
}

static void add_fills(struct scene *s, const struct frame *f) {
    for (int colour = 0; colour < N_COLOURS; ++colour) {
        for (int r = 0; r < f->g->rows; ++r) {
            for (int c = 0, end; c < f->g->columns; c = end) {
                for (end = c; end < f->g->columns && pic_at(f->g, r, end)->colour == colour;) ++end;
                if (end == c) {
                    ++end;
                    continue;
                }
                scene_add(s, (struct shape){.kind = SHAPE_FILL,
                                            .x = f->x + c * f->cell_w,
                                            .y = f->y + r * f->cell_h,
                                            .w = (end - c) * f->cell_w,
                                            .h = f->cell_h,
                                            .colour = colour});
            }
        }
    }
}

// The ink of the line before cell (r, c), above it or left of it ("across").
static enum shape_ink line_ink(const struct pic_grid *g, int r, int c, bool across) {
    if (across ? c == 0 || c == g->columns : r == 0 || r == g->rows) return INK_STRONG;
    const struct pic_cell *before = across ? pic_at(g, r, c - 1) : pic_at(g, r - 1, c);
    return before->group == pic_at(g, r, c)->group ? INK_FAINT : INK_STRONG;
}

// The lines of "ink" along the rows, or with "across" along the columns, each as long as can be.
static void add_lines(struct scene *s, const struct frame *f, enum shape_ink ink, bool across) {
    const struct pic_grid *g = f->g;
    int lines = across ? g->columns : g->rows, length = across ? g->rows : g->columns;
    for (int i = 0; i <= lines; ++i) {
        for (int j = 0, end; j < length; j = end) {
            for (end = j; end < length; ++end)
                if (line_ink(g, across ? end : i, across ? i : end, across) != ink) break;
            if (end > j)
                scene_add(s, (struct shape){.kind = SHAPE_LINE,
                                            .x = f->x + (across ? i : j) * f->cell_w,
                                            .y = f->y + (across ? j : i) * f->cell_h,
                                            .w = across ? 0 : (end - j) * f->cell_w,
                                            .h = across ? (end - j) * f->cell_h : 0,
                                            .ink = ink});
            else
                ++end;
        }
    }
}

static void add_labels(struct scene *s, const struct frame *f) {
    const struct pic_grid *g = f->g;
    for (int c = 0; c < g->columns; ++c)
        scene_text(s, f->x + c * f->cell_w + f->cell_w / 2, f->y - 7, INK_MUTED, ANCHOR_MIDDLE,
                   g->column_name
                       ? g->column_name[c]
                       : picture_text(f->p, "%s%0*d", g->column_prefix, g->column_digits, c));
    for (int r = 0; r < g->rows; ++r)
        scene_text(s, f->x - 7, f->y + r * f->cell_h + f->cell_h / 2 + 4, INK_MUTED, ANCHOR_END,
                   g->row_name ? g->row_name[r]
                               : picture_text(f->p, "%s%0*d", g->row_prefix, g->row_digits, r));
}

static void add_cells(struct scene *s, const struct frame *f) {
    for (int r = 0; r < f->g->rows; ++r) {
        for (int c = 0; c < f->g->columns; ++c) {
            const char *text = picture_cell_text(f->p, pic_at(f->g, r, c));
            int x = f->x + c * f->cell_w + f->cell_w / 2;
            int y = f->y + r * f->cell_h + f->cell_h / 2 + 4;
            int n = (int)strcspn(text, "\n");
            if (text[n]) y -= 7;
            add_text(s, x, y, INK_TEXT, ANCHOR_MIDDLE, text, n);
            if (text[n])
                add_text(s, x, y + 14, INK_TEXT, ANCHOR_MIDDLE, text + n + 1,
                         (int)strlen(text + n + 1));
        }
    }
}

static void add_arrows(struct scene *s, const struct frame *f) {
    for (int i = 0; i < f->g->narrows; ++i) {
        const struct pic_arrow *a = &f->g->arrow[i];
        int x = f->x + a->from_column * f->cell_w + 4, y = f->y + a->from_row * f->cell_h + 6;
        scene_add(s, (struct shape){.kind = SHAPE_ARROW,
                                    .x = x,
                                    .y = y,
                                    .w = (a->to_column - a->from_column) * f->cell_w,
                                    .h = (a->to_row - a->from_row) * f->cell_h,
                                    .ink = INK_ACCENT});
    }
}

static void size_cells(const struct picture *p, int *w, int *h) {
    *w = *h = CELL;
    for (int k = 0; k < p->ngrids; ++k) {
        const struct pic_grid *g = &p->grid[k];
        int label = label_width(g->column_name, g->column_prefix, g->column_digits, g->columns) + 8;
        *w = label > *w ? label : *w;
        for (int i = 0; i < g->rows * g->columns; ++i) {
            const char *text = picture_cell_text(p, &g->cell[i]);
            int n = scene_text_width(text) + 8;
            *w = n > *w ? n : *w;
            if (strchr(text, '\n')) *h = CELL + 10;
        }
    }
}

// Draws the grid with its labels' corner at (x, y); "w" and "h" become its size.
static void add_grid(struct scene *s, const struct pic_grid *g, int x, int y, int *w, int *h,
                     int cell_w, int cell_h) {
    struct frame f = {s->picture, g, x, y, cell_w, cell_h};
    if (g->heading) f.y += SCENE_LINE + 4;
    int heading = f.y - 10;
    if (g->row_axis) f.x += SCENE_LINE;
    if (g->column_axis) f.y += SCENE_LINE;
    f.x += label_width(g->row_name, g->row_prefix, g->row_digits, g->rows) + 7;
    f.y += SCENE_LINE;
    int wide = g->columns * cell_w, high = g->rows * cell_h;
    if (g->heading) scene_text(s, f.x, heading, INK_TITLE, ANCHOR_START, g->heading);
    add_fills(s, &f);
    add_lines(s, &f, INK_FAINT, false);
    add_lines(s, &f, INK_FAINT, true);
    add_lines(s, &f, INK_STRONG, false);
    add_lines(s, &f, INK_STRONG, true);
    add_labels(s, &f);
    if (g->column_axis)
        scene_text(s, f.x + wide / 2, f.y - 7 - SCENE_LINE, INK_MUTED, ANCHOR_MIDDLE,
                   g->column_axis);
    int upright = g->row_axis ? scene_text_width(g->row_axis) : 0;
    if (g->row_axis)  // what is longer than the rows begins above them, and ends with them
        scene_add(s, (struct shape){.kind = SHAPE_TEXT,
                                    .x = x + SCENE_FONT,
                                    .y = f.y + high - (upright > high ? upright : high) / 2,
                                    .ink = INK_MUTED,
                                    .anchor = ANCHOR_MIDDLE,
                                    .upright = true,
                                    .text = g->row_axis,
                                    .len = (int)strlen(g->row_axis)});
    add_cells(s, &f);
    add_arrows(s, &f);
    *w = f.x + wide - x;
    *h = f.y + high - y;
    if (g->heading && *w < f.x - x + scene_text_width(g->heading))
        *w = f.x - x + scene_text_width(g->heading);
    int axis = g->column_axis ? scene_text_width(g->column_axis) : 0;
    if (axis > wide) *w += (axis - wide) / 2 + 1;
}

static int add_keys(struct scene *s, int y) {
    const struct picture *p = s->picture;
    int x = SCENE_MARGIN, limit = s->width > TEXT_WIDTH ? s->width : TEXT_WIDTH;
    if (p->nkeys == 0) return y;
    y += 10;
    for (int i = 0; i < p->nkeys; ++i) {
        int w = SWATCH + 6 + scene_text_width(p->key[i].text);
        if (x > SCENE_MARGIN && x + w + SCENE_MARGIN > limit) {
            x = SCENE_MARGIN;
            y += SCENE_LINE + 4;
        }
        scene_add(s, (struct shape){.kind = SHAPE_FILL,
                                    .x = x,
                                    .y = y,
                                    .w = SWATCH,
                                    .h = SWATCH,
                                    .colour = p->key[i].colour});
        scene_add(
            s, (struct shape){
                   .kind = SHAPE_BOX, .x = x, .y = y, .w = SWATCH, .h = SWATCH, .ink = INK_STRONG});
        scene_text(s, x + SWATCH + 6, y + 11, INK_TEXT, ANCHOR_START, p->key[i].text);
        x += w + 18;
        if (x - 18 + SCENE_MARGIN > s->width) s->width = x - 18 + SCENE_MARGIN;
    }
    return y + SWATCH;
}

void scene_grids(struct scene *s, int top) {
    const struct picture *p = s->picture;
    int cell_w, cell_h, x = SCENE_MARGIN, y = top, below = top;
    size_cells(p, &cell_w, &cell_h);
    for (int k = 0; k < p->ngrids; ++k) {
        int w, h;
        // as many side by side as fit, those of a row have the same height
        int guess = p->grid[k].columns * cell_w + 80;
        if (x > SCENE_MARGIN && x + guess > WIDE) {
            x = SCENE_MARGIN;
            y = below + GAP;
        }
        add_grid(s, &p->grid[k], x, y, &w, &h, cell_w, cell_h);
        if (y + h > below) below = y + h;
        x += w;
        if (x + SCENE_MARGIN > s->width) s->width = x + SCENE_MARGIN;
        x += GAP;
    }
    s->height = add_keys(s, below) + SCENE_MARGIN;
}

void scene_init(struct scene *s, const struct picture *p) {
    s->picture = p;
    s->width = s->height = 0;
    buf_init(&s->shapes);
    // once to know the width that titles and notes may have
    void (*lay_out)(struct scene *, int) = p->nlanes ? scene_flow : scene_grids;
    lay_out(s, 0);
    int limit = s->width < TEXT_WIDTH ? TEXT_WIDTH : s->width - 2 * SCENE_MARGIN;
    buf_clear(&s->shapes);
    int y = paragraph(s, SCENE_MARGIN + 10, limit, INK_TITLE, p->title);
    for (int i = 0; i < p->nnotes; ++i) y = paragraph(s, y, limit, INK_MUTED, p->note[i]);
    lay_out(s, y - 4);
}

void scene_release(struct scene *s) {
    buf_release(&s->shapes);
}
