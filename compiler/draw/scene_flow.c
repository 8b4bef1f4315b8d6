// Laying out a flow: a column for each tensor, a row for each step, time going down.
#include <string.h>

#include "draw/scene.h"

enum { HEAD = 62, COPY = 50, BARRIER = 28, LOOP = 28, LOOP_END = 12, INDENT = 10, BOX_PAD = 10 };

static int most(int a, int b) {
    return a > b ? a : b;
}

static int label_width(const struct pic_step *t) {
    return most(scene_text_width(t->text[0]), scene_text_width(t->text[1])) + 24;
}

static int lane_width(const struct pic_lane *l) {
    return most(scene_text_width(l->name),
                most(scene_text_width(l->line[0]), scene_text_width(l->line[1]))) +
           2 * BOX_PAD;
}

static int gaps(const struct pic_step *t) {
    return t->from > t->to ? t->from - t->to : t->to - t->from;
}

// The distance of lanes at which boxes and labels have room.
static int spacing(const struct picture *p) {
    int d = 0;
    for (int i = 0; i < p->nlanes; ++i) d = most(d, lane_width(&p->lane[i]) + 20);
    for (int i = 0; i < p->nsteps; ++i) {
        const struct pic_step *t = &p->step[i];
        if (t->kind == STEP_COPY && gaps(t) > 0)
            d = most(d, (label_width(t) + gaps(t) - 1) / gaps(t));
    }
    return d;
}

static int step_height(const struct pic_step *t) {
    switch (t->kind) {
    case STEP_COPY: return COPY;
    case STEP_WAIT:
    case STEP_BARRIER: return BARRIER;
    case STEP_OPEN: return LOOP;
    case STEP_CLOSE: return LOOP_END;
    }
    return 0;
}

// A label at "y" on a patch of the page, so that lifelines do not run through it.
static void label(struct scene *s, int x, int y, enum shape_ink ink, enum shape_anchor anchor,
                  const char *text) {
    int w = scene_text_width(text) + 6;
    int left = anchor == ANCHOR_MIDDLE ? x - w / 2 : anchor == ANCHOR_END ? x - w + 3 : x - 3;
    if (!*text) return;
    scene_add(
        s, (struct shape){
               .kind = SHAPE_FILL, .x = left, .y = y - 12, .w = w, .h = 16, .colour = COLOUR_PAGE});
    scene_text(s, x, y, ink, anchor, text);
}

struct flow {
    struct scene *s;
    const struct picture *p;
    int left, distance, right, number, depth;
};

static int lane_x(const struct flow *f, int lane) {
    return f->left + f->distance / 2 + lane * f->distance;
}

static void add_copy(struct flow *f, const struct pic_step *t, int y) {
    int from = lane_x(f, t->from), to = lane_x(f, t->to), line = y + 24;
    struct scene *s = f->s;
    label(s, f->left + INDENT * f->depth + 4, line + 4, INK_MUTED, ANCHOR_START,
          picture_text(f->p, "%d", ++f->number));
    if (from == to) {  // out and back again
        label(s, from + 34, line, INK_TEXT, ANCHOR_START, t->text[0]);
        label(s, from + 34, line + SCENE_LINE, INK_MUTED, ANCHOR_START, t->text[1]);
        scene_add(s, (struct shape){
                         .kind = SHAPE_LINE, .x = from, .y = line - 8, .w = 24, .ink = INK_ACCENT});
        scene_add(
            s, (struct shape){
                   .kind = SHAPE_LINE, .x = from + 24, .y = line - 8, .h = 20, .ink = INK_ACCENT});
        scene_add(s, (struct shape){.kind = SHAPE_ARROW,
                                    .x = from + 24,
                                    .y = line + 12,
                                    .w = -24,
                                    .ink = INK_ACCENT});
        return;
    }
    label(s, (from + to) / 2, line - 8, INK_TEXT, ANCHOR_MIDDLE, t->text[0]);
    label(s, (from + to) / 2, line + 16, INK_MUTED, ANCHOR_MIDDLE, t->text[1]);
    scene_add(s, (struct shape){
                     .kind = SHAPE_ARROW, .x = from, .y = line, .w = to - from, .ink = INK_ACCENT});
}

// The frame of the loop that step "open" begins, from "y" on.
static void add_frame(struct flow *f, int open, int y) {
    int depth = 1, h = step_height(&f->p->step[open]);
    for (int i = open + 1; i < f->p->nsteps && depth > 0; ++i) {
        depth += f->p->step[i].kind == STEP_OPEN;
        depth -= f->p->step[i].kind == STEP_CLOSE;
        h += step_height(&f->p->step[i]);
    }
    int x = f->left + INDENT * f->depth - 4;
    scene_add(f->s, (struct shape){.kind = SHAPE_BOX,
                                   .x = x,
                                   .y = y + 4,
                                   .w = f->right - INDENT * f->depth - x,
                                   .h = h - 6,
                                   .ink = INK_STRONG});
    label(f->s, x + 12, y + 9, INK_TEXT, ANCHOR_START, f->p->step[open].text[0]);
}

static void add_lanes(struct flow *f, int y, int below) {
    struct scene *s = f->s;
    for (int i = 0; i < f->p->nlanes; ++i) {
        const struct pic_lane *l = &f->p->lane[i];
        int x = lane_x(f, i), w = lane_width(l);
        scene_add(s, (struct shape){.kind = SHAPE_DASH,
                                    .x = x,
                                    .y = y + HEAD,
                                    .h = below - y - HEAD,
                                    .ink = INK_FAINT});
        scene_add(s, (struct shape){.kind = SHAPE_FILL,
                                    .x = x - w / 2,
                                    .y = y,
                                    .w = w,
                                    .h = HEAD,
                                    .colour = l->colour});
        scene_add(
            s,
            (struct shape){
                .kind = SHAPE_BOX, .x = x - w / 2, .y = y, .w = w, .h = HEAD, .ink = INK_STRONG});
        scene_text(s, x, y + 19, INK_TITLE, ANCHOR_MIDDLE, l->name);
        scene_text(s, x, y + 37, INK_TEXT, ANCHOR_MIDDLE, l->line[0]);
        scene_text(s, x, y + 53, INK_TEXT, ANCHOR_MIDDLE, l->line[1]);
    }
}

void scene_flow(struct scene *s, int top) {
    const struct picture *p = s->picture;
    struct flow f = {.s = s, .p = p, .left = SCENE_MARGIN + 20, .distance = spacing(p)};
    int y = top + HEAD + 12, below = y;
    f.right = f.left + p->nlanes * f.distance;
    for (int i = 0; i < p->nsteps; ++i) {
        const struct pic_step *t = &p->step[i];
        below += step_height(t);
        if (t->kind == STEP_COPY && gaps(t) == 0)
            f.right = most(f.right, lane_x(&f, t->from) + 34 + label_width(t));
    }
    below += 8;
    add_lanes(&f, top, below);
    for (int i = 0; i < p->nsteps; ++i) {
        const struct pic_step *t = &p->step[i];
        switch (t->kind) {
        case STEP_COPY: add_copy(&f, t, y); break;
        case STEP_WAIT:
        case STEP_BARRIER:
            scene_add(s, (struct shape){.kind = SHAPE_DASH,
                                        .x = f.left + INDENT * f.depth,
                                        .y = y + 14,
                                        .w = f.right - f.left - 2 * INDENT * f.depth,
                                        .ink = INK_STRONG});
            label(s, f.right - INDENT * f.depth, y + 18, INK_MUTED, ANCHOR_END,
                  t->kind == STEP_WAIT ? t->text[0] : "barrier");
            break;
        case STEP_OPEN: add_frame(&f, i, y), ++f.depth; break;
        case STEP_CLOSE: --f.depth; break;
        }
        y += step_height(t);
    }
    s->width = most(s->width, f.right + SCENE_MARGIN);
    s->height = below + SCENE_MARGIN;
}
