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
enum shape_ink { INK_TEXT, INK_TITLE, INK_MUTED, INK_STRONG, INK_FAINT, INK_ACCENT, N_INKS };
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

enum { SCENE_FONT = 12, SCENE_LINE = 18, SCENE_MARGIN = 16 };

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
int scene_text_width(const char *text);      // of its longest line
void scene_grids(struct scene *s, int top);  // below "top"; sets width and height
void scene_flow(struct scene *s, int top);

#endif
