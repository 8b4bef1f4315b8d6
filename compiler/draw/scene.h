// A picture laid out: fills, lines and texts at places in pixels, from back to front.  What SVG and
// TikZ have in common.
#ifndef TCPC_DRAW_SCENE_H
#define TCPC_DRAW_SCENE_H

#include "draw/picture.h"

enum shape_kind {
    SHAPE_FILL,   // x y w h in "colour"
    SHAPE_LINE,   // from x y by w h
    SHAPE_DASH,   // the same, dashed
    SHAPE_BOX,    // the outline of x y w h
    SHAPE_ARROW,  // from x y by w h
    SHAPE_TEXT,   // at baseline x y
};
enum shape_ink {
    INK_TEXT,
    INK_LARGE,  // text, half as large again
    INK_TITLE,
    INK_MUTED,
    INK_STRONG,
    INK_HEAVY,
    INK_FAINT,
    INK_ACCENT,
    N_INKS
};
enum shape_anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };
enum { COLOUR_PAGE = -2 };  // of a fill: the background

struct shape {
    enum shape_kind kind;
    int x, y, w, h;
    int colour;
    enum shape_ink ink;
    enum shape_anchor anchor;
    bool upright;  // a text that runs upwards
    const char *text;
    int len;
};

struct scene {
    const struct picture *picture;
    struct buf shapes;  // of struct shape
    int width, height;
};

enum { SCENE_FONT = 12, SCENE_LARGE = 18, SCENE_LINE = 18, SCENE_MARGIN = 16 };

void scene_init(struct scene *s, const struct picture *p);  // lays "p" out
void scene_release(struct scene *s);
static inline int scene_count(const struct scene *s) {
    return (int)(s->shapes.len / sizeof(struct shape));
}
static inline const struct shape *scene_shape(const struct scene *s, int i) {
    return (const struct shape *)(const void *)s->shapes.text + i;
}

// For those who lay out.
void scene_add(struct scene *s, struct shape shape);
void scene_text(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
                const char *text);
// The first "len" bytes of "text".
void scene_part(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
                const char *text, int len);
// A text on a patch of the page, so that lines do not run through it.
void scene_label(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
                 const char *text);
int scene_chars(int n);                  // the width of "n" characters
int scene_text_width(const char *text);  // of its longest line
// The size of the cells of all grids.
void scene_cells(const struct picture *p, int *w, int *h);
// Draws the grid with its labels' corner at (x, y); "w" and "h" become its size.
void scene_grid(struct scene *s, const struct pic_grid *g, int x, int y, int cell_w, int cell_h,
                int *w, int *h);
// Draws a schedule in the same way.
int scene_keys(struct scene *s, int y);  // the legend, below "y"; returns where it ends
// Draws a schedule, as scene_grid does.
void scene_bars(struct scene *s, const struct pic_grid *g, int x, int y, int *w, int *h);
void scene_grids(struct scene *s, int top);  // below "top"; sets width and height
void scene_flow(struct scene *s, int top);

#endif
