// Draws a grid: fills, lines, labels, and a text in each cell.  Adjacent cells of a thread with the
// same text are drawn as one.
#include <string.h>

#include "draw/scene.h"
#include "hw/sizes.h"

// What a cell is at most and at least, and what a page has room for.
enum { CELL = 28, LOW = 18, TINY = 12, LINES = 16, PAGE = 960, PATCH = 14, ROOM = 24 };

struct frame {
    const struct picture *p;
    const struct pic_grid *g;
    int x, y;  // position of the first cell
    int cell_w, cell_h;
};

// Cells of one thread with one text, which are drawn as one.
struct block {
    int row, column, rows, columns;
};
struct blocks {
    struct block *at;
    int n;
};

static bool alike(const struct picture *p, const struct pic_grid *g, const struct pic_cell *a,
                  int row, int column, const bool *taken) {
    const struct pic_cell *b = pic_at(g, row, column);
    return b->colour >= 0 && !taken[row * g->columns + column] && a->group == b->group &&
           strcmp(picture_cell_text(p, a), picture_cell_text(p, b)) == 0;
}

static struct block block_from(const struct picture *p, const struct pic_grid *g, int row,
                               int column, const bool *taken) {
    const struct pic_cell *a = pic_at(g, row, column);
    struct block b = {row, column, 1, 1};
    if (!g->merged || a->colour < 0) return b;
    while (column + b.columns < g->columns && alike(p, g, a, row, column + b.columns, taken))
        ++b.columns;
    for (; row + b.rows < g->rows; ++b.rows)
        for (int c = column; c < column + b.columns; ++c)
            if (!alike(p, g, a, row + b.rows, c, taken)) return b;
    return b;
}

// Combines the cells of "g" into blocks, each first as wide and then as high as possible.
static struct blocks find_blocks(const struct picture *p, const struct pic_grid *g) {
    int n = g->rows * g->columns;
    bool *taken = ARENA_ARRAY(&p->s->arena, bool, n);
    struct blocks all = {ARENA_ARRAY(&p->s->arena, struct block, n), 0};
    for (int i = 0; i < n; ++i) taken[i] = false;
    for (int i = 0; i < n; ++i) {
        if (taken[i]) continue;
        struct block b = block_from(p, g, i / g->columns, i % g->columns, taken);
        for (int r = b.row; r < b.row + b.rows; ++r)
            for (int c = b.column; c < b.column + b.columns; ++c) taken[r * g->columns + c] = true;
        all.at[all.n++] = b;
    }
    return all;
}

static int label_width(const char *const *name, const char *prefix, int digits, int count) {
    int most = pic_digits(count - 1), width = 0;
    for (int i = 0; name && i < count; ++i)
        if (scene_text_width(name[i]) > width) width = scene_text_width(name[i]);
    if (name) return width;
    return scene_chars((int)strlen(prefix) + (most > digits ? most : digits));
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

// The ink of the line before cell (r, c): above it, or with "across" left of it.
static enum shape_ink line_ink(const struct pic_grid *g, int r, int c, bool across) {
    if (across ? c == 0 || c == g->columns : r == 0 || r == g->rows) return INK_STRONG;
    const struct pic_cell *before = across ? pic_at(g, r, c - 1) : pic_at(g, r - 1, c);
    int64_t one = before->group, other = pic_at(g, r, c)->group;
    if (one == other) return INK_FAINT;
    return g->threads && one >= 0 && other >= 0 && one / LANES != other / LANES ? INK_HEAVY
                                                                                : INK_STRONG;
}

// Adds the lines of "ink" along rows, or with "across" along columns, each as long as possible.
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

// Only each n-th row or column of "size" pixels gets a label, so that each has "room" pixels.
static int label_step(int size, int room) {
    int n = 1;
    while (n * size < room) n *= 2;
    return n;
}

static void add_labels(struct scene *s, const struct frame *f) {
    const struct pic_grid *g = f->g;
    int wide = label_width(g->column_name, g->column_prefix, g->column_digits, g->columns) + 4;
    int across = label_step(f->cell_w, wide), down = label_step(f->cell_h, SCENE_FONT);
    for (int c = 0; c < g->columns; c += across)
        scene_text(s, f->x + c * f->cell_w + f->cell_w / 2, f->y - 7, INK_MUTED, ANCHOR_MIDDLE,
                   g->column_name
                       ? g->column_name[c]
                       : picture_text(f->p, "%s%0*d", g->column_prefix, g->column_digits, c));
    for (int r = 0; r < g->rows; r += down)
        scene_text(s, f->x - 7, f->y + r * f->cell_h + f->cell_h / 2 + 4, INK_MUTED, ANCHOR_END,
                   g->row_name ? g->row_name[r]
                               : picture_text(f->p, "%s%0*d", g->row_prefix, g->row_digits, r));
}

static int large_width(const char *text) {
    return (scene_text_width(text) * SCENE_LARGE + SCENE_FONT - 1) / SCENE_FONT;
}

// Whether all blocks of threads have room for large texts, which a small picture still shows.
static bool has_room(const struct frame *f, const struct blocks *all) {
    if (!f->g->merged) return false;
    for (int i = 0; i < all->n; ++i) {
        const struct block *b = &all->at[i];
        const struct pic_cell *c = pic_at(f->g, b->row, b->column);
        const char *text = picture_cell_text(f->p, c);
        if (c->colour < 0) continue;
        if (strchr(text, '\n') || b->rows * f->cell_h < ROOM ||
            b->columns * f->cell_w < large_width(text) + 8)
            return false;
    }
    return true;
}

// The texts of blocks, on a patch where lines run through the block.
static void add_cells(struct scene *s, const struct frame *f) {
    const struct blocks all = find_blocks(f->p, f->g);
    bool large = has_room(f, &all);
    int patch = large ? PATCH + SCENE_LARGE - SCENE_FONT : PATCH;
    for (int colour = 0; f->g->merged && colour < N_COLOURS; ++colour) {
        for (int i = 0; i < all.n; ++i) {
            const struct block *b = &all.at[i];
            const struct pic_cell *c = pic_at(f->g, b->row, b->column);
            const char *text = picture_cell_text(f->p, c);
            int w = (large ? large_width(text) : scene_text_width(text)) + 2;
            if (c->colour != colour || (b->rows == 1 && b->columns == 1)) continue;
            scene_add(
                s, (struct shape){.kind = SHAPE_FILL,
                                  .x = f->x + (2 * b->column + b->columns) * f->cell_w / 2 - w / 2,
                                  .y = f->y + (2 * b->row + b->rows) * f->cell_h / 2 - patch / 2,
                                  .w = w,
                                  .h = patch,
                                  .colour = colour});
        }
    }
    for (int i = 0; i < all.n; ++i) {
        const struct block *b = &all.at[i];
        const struct pic_cell *c = pic_at(f->g, b->row, b->column);
        const char *text = picture_cell_text(f->p, c);
        bool big = large && c->colour >= 0;
        int x = f->x + (2 * b->column + b->columns) * f->cell_w / 2;
        int y = f->y + (2 * b->row + b->rows) * f->cell_h / 2 + (big ? 6 : 4);
        int n = (int)strcspn(text, "\n");
        if (text[n]) y -= 7;
        scene_part(s, x, y, big ? INK_LARGE : INK_TEXT, ANCHOR_MIDDLE, text, n);
        if (text[n]) scene_text(s, x, y + 14, INK_TEXT, ANCHOR_MIDDLE, text + n + 1);
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

static int most(int a, int b) {
    return a > b ? a : b;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

// The size of a cell that the texts of "g" need; the text of a block may use all its cells.
static void size_texts(const struct picture *p, const struct pic_grid *g, struct scene_size *x) {
    const struct blocks all = find_blocks(p, g);
    int label = label_width(g->column_name, g->column_prefix, g->column_digits, g->columns) + 8;
    if (!g->merged || g->column_name) x->w = most(x->w, label);
    for (int i = 0; i < all.n; ++i) {
        const struct block *b = &all.at[i];
        const char *text = picture_cell_text(p, pic_at(g, b->row, b->column));
        int high = LOW + (strchr(text, '\n') ? LINES : 0);
        if (*text) x->w = most(x->w, (scene_text_width(text) + 8 + b->columns - 1) / b->columns);
        x->h = most(x->h, (high + b->rows - 1) / b->rows);
    }
}

// Makes cells as large as the page allows, up to CELL, and as their texts need.
struct scene_size scene_cells(const struct picture *p) {
    int rows = 1, columns = 1, wide = CELL, high = CELL;
    struct scene_size cell = {TINY, TINY};
    for (int k = 0; k < p->ngrids; ++k) {
        const struct pic_grid *g = &p->grid[k];
        rows = most(rows, g->rows);
        columns = most(columns, g->columns);
        size_texts(p, g, &cell);
        for (int i = 0; i < g->rows * g->columns; ++i)
            if (strchr(picture_cell_text(p, &g->cell[i]), '\n')) high = CELL + 10;
        if (g->merged)
            for (int i = 0; i < g->rows * g->columns; ++i)
                wide = most(wide, scene_text_width(picture_cell_text(p, &g->cell[i])) + 8);
    }
    cell.w = most(cell.w, least(wide, PAGE / columns));
    cell.h = most(cell.h, least(high, PAGE / rows));
    return cell;
}

struct scene_size scene_grid(struct scene *s, const struct pic_grid *g, int x, int y,
                             struct scene_size cell) {
    struct frame f = {s->picture, g, x, y, cell.w, cell.h};
    if (g->heading) f.y += SCENE_LINE + 4;
    int heading = f.y - 10;
    if (g->row_axis) f.x += SCENE_LINE;
    if (g->column_axis) f.y += SCENE_LINE;
    f.x += label_width(g->row_name, g->row_prefix, g->row_digits, g->rows) + 7;
    f.y += SCENE_LINE;
    int wide = g->columns * cell.w, high = g->rows * cell.h;
    if (g->heading) scene_text(s, f.x, heading, INK_TITLE, ANCHOR_START, g->heading);
    add_fills(s, &f);
    add_lines(s, &f, INK_FAINT, false);
    add_lines(s, &f, INK_FAINT, true);
    add_lines(s, &f, INK_STRONG, false);
    add_lines(s, &f, INK_STRONG, true);
    add_lines(s, &f, INK_HEAVY, false);
    add_lines(s, &f, INK_HEAVY, true);
    add_labels(s, &f);
    if (g->column_axis)
        scene_text(s, f.x + wide / 2, f.y - 7 - SCENE_LINE, INK_MUTED, ANCHOR_MIDDLE,
                   g->column_axis);
    int upright = g->row_axis ? scene_text_width(g->row_axis) : 0;
    if (g->row_axis)  // a text longer than the rows begins above them and ends with them
        scene_add(s, (struct shape){.kind = SHAPE_TEXT,
                                    .x = x + SCENE_FONT - 3,
                                    .y = f.y + high - (upright > high ? upright : high) / 2,
                                    .ink = INK_MUTED,
                                    .anchor = ANCHOR_MIDDLE,
                                    .upright = true,
                                    .text = g->row_axis,
                                    .len = (int)strlen(g->row_axis)});
    add_cells(s, &f);
    add_arrows(s, &f);
    struct scene_size size = {f.x + wide - x, f.y + high - y};
    if (g->heading) size.w = most(size.w, f.x - x + scene_text_width(g->heading));
    int axis = g->column_axis ? scene_text_width(g->column_axis) : 0;
    if (axis > wide) size.w += (axis - wide) / 2 + 1;
    return size;
}
