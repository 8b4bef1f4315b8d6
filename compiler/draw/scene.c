// Lays out a page: title and notes, grids side by side, the legend.  scene_grid.c draws a grid,
// scene_bars.c a schedule, scene_flow.c a kernel.
#include "draw/scene.h"

#include <stdio.h>
#include <string.h>

enum {
    GAP = 28,
    SWATCH = 14,
    WIDE = 1200,
    WIDEST = 2400,
    LONGEST = 3200,
    TEXT_WIDTH = 560,
    TITLE_WIDTH = 1000
};

static int least(int a, int b) {
    return a < b ? a : b;
}

void scene_add(struct scene *s, struct shape shape) {
    buf_write(&s->shapes, (const char *)&shape, sizeof shape);
}

// Characters of monospaced fonts are at most 0.61 of the font size wide.
int scene_chars(int chars) {
    return (chars * SCENE_FONT * 61 + 99) / 100;
}

int scene_text_width(const char *text) {
    int most = 0;
    for (;;) {
        int n = (int)strcspn(text, "\n");
        most = n > most ? n : most;
        if (!text[n]) return scene_chars(most);
        text += n + 1;
    }
}

void scene_part(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
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
    scene_part(s, x, y, ink, anchor, text, (int)strlen(text));
}

void scene_label(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
                 const char *text) {
    int w = scene_text_width(text) + 6;
    int left = anchor == ANCHOR_MIDDLE ? x - w / 2 : anchor == ANCHOR_END ? x - w + 3 : x - 3;
    if (!*text) return;
    scene_add(
        s, (struct shape){
               .kind = SHAPE_FILL, .x = left, .y = y - 12, .w = w, .h = 16, .colour = COLOUR_PAGE});
    scene_text(s, x, y, ink, anchor, text);
}

// Where to break the first "most" bytes of "text": after a blank, otherwise after a comma outside
// of parentheses, otherwise after any comma, otherwise anywhere.
static int line_end(const char *text, int most) {
    int blank = 0, comma = 0, inner = 0, depth = 0;
    if ((int)strlen(text) <= most) return (int)strlen(text);
    for (int i = 0; i < most; ++i) {
        depth += text[i] == '(';
        depth -= text[i] == ')';
        if (text[i + 1] == ' ' && i > most / 3) blank = i + 1;
        if (text[i] == ',' && depth == 0 && i > most / 3) comma = i + 1;
        if (text[i] == ',') inner = i + 1;
    }
    return blank ? blank : comma ? comma : inner ? inner : most;
}

// Prints "text" from "y" on, in lines no wider than "width".  Returns the baseline of the next
// line.
static int paragraph(struct scene *s, int y, int width, enum shape_ink ink, const char *text) {
    while (*text) {
        int n = line_end(text, width * 100 / (SCENE_FONT * 61));
        scene_part(s, SCENE_MARGIN, y, ink, ANCHOR_START, text, n);
        int right = 2 * SCENE_MARGIN + scene_chars(n);
        s->width = right > s->width ? right : s->width;
        text += n;
        while (*text == ' ') ++text;
        y += SCENE_LINE;
    }
    return y;
}

// -- the page ------------------------------------------------------------------------------------

int scene_keys(struct scene *s, int y) {
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

// The columns of a part of grid "k": all, or of a grid wider than a page as many as one has room
// for, if the page has room for the parts below one another.
static int part_columns(const struct picture *p, int k, int cell_w, int cell_h) {
    const struct pic_grid *g = &p->grid[k];
    int columns = g->columns;
    if (g->bars || g->narrows) return columns;
    while (columns > 1 && columns * cell_w + 80 > WIDEST) columns = (columns + 1) / 2;
    int parts = (g->columns + columns - 1) / columns;
    return p->ngrids * parts * (g->rows * cell_h + 80) > LONGEST ? g->columns : columns;
}

// Whether grid "k" begins a row of the page, when those before it in the row end at "x".
static bool begins_row(const struct picture *p, int k, int x, int cell_w) {
    int guess = p->grid[k].columns * cell_w + 80;
    if (k == 0 || p->grid[k].bars) return true;
    if (p->across && p->across * (guess + GAP) <= WIDEST) return k % p->across == 0;
    return x + guess > WIDE;
}

static void scene_grids(struct scene *s, int top) {
    const struct picture *p = s->picture;
    int x = SCENE_MARGIN, y = top, below = top;
    struct scene_size cell = scene_cells(p);
    for (int k = 0, from = 0; k < p->ngrids;) {
        struct pic_grid g = p->grid[k];
        struct scene_size size;
        int n = least(part_columns(p, k, cell.w, cell.h), g.columns - from);
        if (from > 0 || (k > 0 && begins_row(p, k, x, cell.w))) {
            x = SCENE_MARGIN;
            y = below + GAP;
        }
        if (n < g.columns) g = picture_part(p, &g, from, n);
        if (g.bars)
            scene_bars(s, &g, x, y + GAP / 2, &size.w, &size.h);
        else
            size = scene_grid(s, &g, x, y, cell);
        if (g.bars) size.h += GAP / 2;
        if (y + size.h > below) below = y + size.h;
        x += size.w;
        if (x + SCENE_MARGIN > s->width) s->width = x + SCENE_MARGIN;
        x += GAP;
        from += n;
        if (from == p->grid[k].columns) ++k, from = 0;
    }
    s->height = scene_keys(s, below) + SCENE_MARGIN;
}

void scene_init(struct scene *s, const struct picture *p) {
    s->picture = p;
    s->width = s->height = 0;
    buf_init(&s->shapes);
    // a first time, to find the width for titles and notes
    void (*lay_out)(struct scene *, int) = p->nlanes ? scene_flow : scene_grids;
    lay_out(s, 0);
    int limit = s->width < TEXT_WIDTH ? TEXT_WIDTH : s->width - 2 * SCENE_MARGIN;
    int title = scene_chars((int)strlen(p->title));
    buf_clear(&s->shapes);
    // a title is not broken if a page has room for it
    int y = paragraph(s, SCENE_MARGIN + 10, limit < title && title <= TITLE_WIDTH ? title : limit,
                      INK_TITLE, p->title);
    for (int i = 0; i < p->nnotes; ++i) y = paragraph(s, y, limit, INK_MUTED, p->note[i]);
    lay_out(s, y - 4);
}

void scene_release(struct scene *s) {
    buf_release(&s->shapes);
}
