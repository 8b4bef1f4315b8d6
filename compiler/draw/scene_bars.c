// Draws a schedule: a row for each slot, time to the right, a bar for each event in the slot.
#include <string.h>

#include "draw/scene.h"

enum { ROW = 28, LINES = 12, NARROW = 14, INSET = 4, BETWEEN = 8, TENSOR_SHIFT = 32 };

static int most(int a, int b) {
    return a > b ? a : b;
}

// The column after the bar that begins in "column".
static int bar_end(const struct pic_grid *g, int row, int column) {
    const struct pic_cell *a = pic_at(g, row, column);
    int end = column + 1;
    while (end < g->columns && pic_at(g, row, end)->group == a->group &&
           pic_at(g, row, end)->colour == a->colour)
        ++end;
    return end;
}

// Sets "at" to the begin of each column; a bar of one column has room for its text.
static void find_columns(const struct picture *p, const struct pic_grid *g, int x, int *at) {
    at[0] = x;
    for (int c = 0; c < g->columns; ++c) {
        int w = NARROW;
        for (int r = 0; r < g->rows; ++r)
            if (bar_end(g, r, c) == c + 1 &&
                (c == 0 || pic_at(g, r, c)->group != pic_at(g, r, c - 1)->group))
                w = most(w, scene_text_width(picture_cell_text(p, pic_at(g, r, c))) + 8);
        at[c + 1] = at[c] + w;
    }
}

static int row_height(const struct picture *p, const struct pic_grid *g, int row) {
    for (int c = 0; c < g->columns; ++c)
        if (strchr(picture_cell_text(p, pic_at(g, row, c)), '\n')) return ROW + LINES;
    return ROW;
}

static void add_bar(struct scene *s, const struct pic_cell *c, int x, int y, int w, int h) {
    const char *text = picture_cell_text(s->picture, c);
    int n = (int)strcspn(text, "\n"), baseline = y + h / 2 + (text[n] ? -3 : 4);
    scene_add(
        s, (struct shape){.kind = SHAPE_FILL, .x = x, .y = y, .w = w, .h = h, .colour = c->colour});
    scene_add(s,
              (struct shape){.kind = SHAPE_BOX, .x = x, .y = y, .w = w, .h = h, .ink = INK_STRONG});
    if (scene_chars(n) > w) return;
    scene_part(s, x + w / 2, baseline, INK_TEXT, ANCHOR_MIDDLE, text, n);
    if (text[n]) scene_text(s, x + w / 2, baseline + 14, INK_TEXT, ANCHOR_MIDDLE, text + n + 1);
}

static void add_row(struct scene *s, const struct pic_grid *g, int row, const int *at, int y,
                    int h) {
    int label = y + h / 2 + 4;
    scene_text(s, at[0] - 7, label, INK_MUTED, ANCHOR_END, g->row_name[row]);
    scene_add(s, (struct shape){.kind = SHAPE_LINE,
                                .x = at[0],
                                .y = y + h,
                                .w = at[g->columns] - at[0],
                                .ink = INK_FAINT});
    for (int c = 0, end; c < g->columns; c = end) {
        const struct pic_cell *cell = pic_at(g, row, c);
        end = bar_end(g, row, c);
        if (cell->colour >= 0) add_bar(s, cell, at[c], y + INSET, at[end] - at[c], h - 2 * INSET);
    }
}

void scene_bars(struct scene *s, const struct pic_grid *g, int x, int y, int *w, int *h) {
    const struct picture *p = s->picture;
    int *at = ARENA_ARRAY(&p->s->arena, int, g->columns + 1), left = 0, top = y;
    for (int r = 0; r < g->rows; ++r) left = most(left, scene_text_width(g->row_name[r]));
    find_columns(p, g, x + left + 7, at);
    if (g->heading) {
        scene_text(s, x, y + SCENE_FONT, INK_TITLE, ANCHOR_START, g->heading);
        y += SCENE_LINE + BETWEEN;
    }
    for (int r = 0; r < g->rows; ++r) {
        int high = row_height(p, g, r);
        if (r > 0 &&
            pic_at(g, r, 0)->group >> TENSOR_SHIFT != pic_at(g, r - 1, 0)->group >> TENSOR_SHIFT)
            y += BETWEEN;
        add_row(s, g, r, at, y, high);
        y += high;
    }
    *w = at[g->columns] - x;
    if (g->heading) *w = most(*w, scene_text_width(g->heading));
    *h = y - top;
}
