// The layout of a picture for SVG and TikZ: fills, lines and texts at positions in pixels, from
// back to front.
#ifndef TCPC_DRAW_SCENE_H
#define TCPC_DRAW_SCENE_H

#include "draw/picture.h"

enum shape_kind {
    SHAPE_FILL,   // fills x y w h with "colour"
    SHAPE_LINE,   // from (x, y), by (w, h)
    SHAPE_DASH,   // the same, dashed
    SHAPE_BOX,    // the outline of x y w h
    SHAPE_ARROW,  // from (x, y), by (w, h)
    SHAPE_TEXT,   // at the baseline (x, y)
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
enum { COLOUR_PAGE = -2 };  // colour of a fill: the background

struct shape {
    enum shape_kind kind;
    int x, y, w, h;
    int colour;
    enum shape_ink ink;
    enum shape_anchor anchor;
    bool upright;  // the text runs upwards
    const char *text;
    int len;
};

struct scene {
    const struct picture *picture;
    struct buf shapes;  // array of struct shape
    int width, height;
};

enum { SCENE_FONT = 12, SCENE_LARGE = 18, SCENE_LINE = 18, SCENE_MARGIN = 16 };

// makes the layout of "p"
void scene_init(struct scene *s, const struct picture *p);
void scene_release(struct scene *s);
static inline int scene_count(const struct scene *s) {
    return (int)(s->shapes.len / sizeof(struct shape));
}
static inline const struct shape *scene_shape(const struct scene *s, int i) {
    return (const struct shape *)(const void *)s->shapes.text + i;
}

// For the files that lay out:
void scene_add(struct scene *s, struct shape shape);
void scene_text(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
                const char *text);
// Adds the first "len" bytes of "text".
void scene_part(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
                const char *text, int len);
// Adds a text on a patch of background, so that no lines run through it.
void scene_label(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
                 const char *text);
int scene_chars(int n);                  // width of "n" characters
int scene_text_width(const char *text);  // width of its longest line
struct scene_size {
    int w, h;
};
// The size of the cells of all grids.
struct scene_size scene_cells(const struct picture *p);
// Draws the grid with the corner of its labels at (x, y), and returns its size.
struct scene_size scene_grid(struct scene *s, const struct pic_grid *g, int x, int y,
                             struct scene_size cell);
int scene_keys(struct scene *s, int y);  // draws the legend below "y"; returns its end
// Draws a schedule, like scene_grid.
void scene_bars(struct scene *s, const struct pic_grid *g, int x, int y, int *w, int *h);
void scene_flow(struct scene *s, int top);  // draws it below "top"; sets width and height

#endif
