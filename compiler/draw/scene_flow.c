// Lays out a flow: a column for each memory space, a row for each step, time downwards.

#include "draw/scene.h"

enum {
    INDENT = 10,
    PAD = 10,
    NUMBER = 20,  // left of the columns
    CHIP = 22,    // height of a tensor's name in a step
    COPY = 46,
    WITHIN = 70,  // a copy inside a column
    ORDER = 26,   // a barrier or a wait
    OPEN = 30,
    CLOSE = 12,
    FILL = 30,
    CALL = 26,  // without arguments
    ARGS = 28,  // a line of arguments
    HEAD = 26,
    BETWEEN = 8
};

struct flow {
    struct scene *s;
    const struct picture *p;
    bool used[FLOW_COLUMNS];
    int x[FLOW_COLUMNS];  // centres of columns
    int left, right, pitch, number, depth;
};

static int most(int a, int b) {
    return a > b ? a : b;
}

static const struct pic_lane *lane_of(const struct flow *f, int lane) {
    return &f->p->lane[lane];
}

static int chip_width(const char *text) {
    return scene_text_width(text) + 2 * PAD;
}

static int label_width(const struct pic_step *t) {
    return most(scene_text_width(t->text[0]), scene_text_width(t->text[1])) + 12;
}

// -- columns --------------------------------------------------------------------------------------

static int name_width(const struct flow *f, int column) {
    int w = 0;
    for (int i = 0; i < f->p->nlanes; ++i)
        if (lane_of(f, i)->column == column) w = most(w, scene_text_width(lane_of(f, i)->name));
    return w + scene_chars(2);
}

static int head_width(const struct flow *f, int column) {
    int w = scene_text_width(pic_column_names[column]);
    for (int i = 0; i < f->p->nlanes; ++i)
        if (lane_of(f, i)->column == column)
            w = most(w, name_width(f, column) + scene_text_width(lane_of(f, i)->text));
    return w + 2 * PAD;
}

static int head_height(const struct flow *f, int column) {
    int n = 0;
    for (int i = 0; i < f->p->nlanes; ++i) n += lane_of(f, i)->column == column;
    return HEAD + n * SCENE_LINE + 4;
}

static int gaps(const struct flow *f, const struct pic_step *t) {
    int a = lane_of(f, t->from)->column, b = lane_of(f, t->to)->column, n = 0;
    for (int c = a < b ? a : b; c < (a < b ? b : a); ++c) n += f->used[c];
    return n;
}

// Sets the distance of columns so that heads, arrows and labels have room, and the centres.
static void place_columns(struct flow *f) {
    const struct picture *p = f->p;
    for (int i = 0; i < p->nlanes; ++i) f->used[p->lane[i].column] = true;
    for (int c = 0; c < FLOW_COLUMNS; ++c)
        if (f->used[c]) f->pitch = most(f->pitch, head_width(f, c) + 24);
    for (int i = 0; i < p->nsteps; ++i) {
        const struct pic_step *t = &p->step[i];
        if (t->kind != STEP_COPY) continue;
        int n = gaps(f, t), chips = chip_width(lane_of(f, t->from)->name) / 2 +
                                    chip_width(lane_of(f, t->to)->name) / 2;
        int room = label_width(t) + 24 + chips;
        // next to the chips of a copy inside a column: half of its width, and of the next one
        f->pitch = most(f->pitch, n > 0 ? (room + n - 1) / n : room + 2 * PAD);
    }
    int x = f->left + f->pitch / 2;
    for (int c = 0; c < FLOW_COLUMNS; ++c) {
        f->x[c] = x;
        if (f->used[c]) x += f->pitch;
    }
    f->right = x - f->pitch / 2;
}

static int add_heads(struct flow *f, int y) {
    struct scene *s = f->s;
    int below = y;
    for (int c = 0; c < FLOW_COLUMNS; ++c) {
        int w = head_width(f, c), h = head_height(f, c), x = f->x[c] - w / 2, line = y + 18;
        if (!f->used[c]) continue;
        scene_add(s, (struct shape){.kind = SHAPE_FILL,
                                    .x = x,
                                    .y = y,
                                    .w = w,
                                    .h = h,
                                    .colour = pic_column_colours[c]});
        scene_add(s, (struct shape){
                         .kind = SHAPE_BOX, .x = x, .y = y, .w = w, .h = h, .ink = INK_STRONG});
        scene_text(s, f->x[c], line, INK_TITLE, ANCHOR_MIDDLE, pic_column_names[c]);
        for (int i = 0; i < f->p->nlanes; ++i) {
            const struct pic_lane *l = lane_of(f, i);
            if (l->column != c) continue;
            line += SCENE_LINE;
            scene_text(s, x + PAD, line, INK_TITLE, ANCHOR_START, l->name);
            scene_text(s, x + PAD + name_width(f, c), line, INK_TEXT, ANCHOR_START, l->text);
        }
        below = most(below, y + h);
    }
    return below + BETWEEN;
}

// -- steps ----------------------------------------------------------------------------------------

// Draws a tensor's name in its colour, centred at "x", with its top at "y".
static void add_chip(struct flow *f, const struct pic_lane *l, const char *text, int x, int y) {
    int w = chip_width(text);
    scene_add(f->s, (struct shape){.kind = SHAPE_FILL,
                                   .x = x - w / 2,
                                   .y = y,
                                   .w = w,
                                   .h = CHIP,
                                   .colour = pic_column_colours[l->column]});
    scene_add(f->s,
              (struct shape){
                  .kind = SHAPE_BOX, .x = x - w / 2, .y = y, .w = w, .h = CHIP, .ink = INK_STRONG});
    scene_text(f->s, x, y + 15, INK_TEXT, ANCHOR_MIDDLE, text);
}

static void add_copy(struct flow *f, const struct pic_step *t, int y) {
    const struct pic_lane *from = lane_of(f, t->from), *to = lane_of(f, t->to);
    struct scene *s = f->s;
    int a = f->x[from->column], b = f->x[to->column], line = y + 23;
    scene_label(s, f->left - NUMBER + INDENT * f->depth + 6, line + 4, INK_MUTED, ANCHOR_START,
                picture_text(f->p, "%d", ++f->number));
    if (a == b) {
        bool last = b + f->pitch > f->right && b > f->left + f->pitch;
        int side = most(chip_width(from->name), chip_width(to->name)) / 2 + 8;
        enum shape_anchor anchor = last ? ANCHOR_END : ANCHOR_START;
        scene_label(s, last ? a - side : a + side, y + 32, INK_TEXT, anchor, t->text[0]);
        scene_label(s, last ? a - side : a + side, y + 48, INK_MUTED, anchor, t->text[1]);
        add_chip(f, from, from->name, a, y + 2);
        scene_add(s, (struct shape){.kind = SHAPE_ARROW,
                                    .x = a,
                                    .y = y + 2 + CHIP,
                                    .h = WITHIN - 2 * CHIP - 8,
                                    .ink = INK_ACCENT});
        add_chip(f, to, to->name, a, y + WITHIN - CHIP - 6);
        return;
    }
    int way = a < b ? 1 : -1;
    int begin = a + way * chip_width(from->name) / 2, end = b - way * chip_width(to->name) / 2;
    scene_label(s, (begin + end) / 2, line - 7, INK_TEXT, ANCHOR_MIDDLE, t->text[0]);
    scene_label(s, (begin + end) / 2, line + 16, INK_MUTED, ANCHOR_MIDDLE, t->text[1]);
    add_chip(f, from, from->name, a, line - CHIP / 2);
    add_chip(f, to, to->name, b, line - CHIP / 2);
    scene_add(s,
              (struct shape){
                  .kind = SHAPE_ARROW, .x = begin, .y = line, .w = end - begin, .ink = INK_ACCENT});
}

// Arranges the arguments of "t" in column "c" in lines.  Draws them from "y" on, unless "y" is
// negative. Returns the number of lines.
static int arguments(struct flow *f, const struct pic_step *t, int c, int y) {
    int lines = 0;
    for (int i = 0, end; i < t->nargs; i = end, ++lines) {
        int w = 0, n = 0;
        for (end = i; end < t->nargs; ++end) {
            if (lane_of(f, t->arg[end].lane)->column != c) continue;
            int chip = chip_width(t->arg[end].text) + BETWEEN;
            if (n > 0 && w + chip > f->pitch) break;
            w += chip;
            ++n;
        }
        if (n == 0) break;
        int x = f->x[c] - (w - BETWEEN) / 2;
        for (int k = i; k < end && y >= 0; ++k) {
            const struct pic_lane *l = lane_of(f, t->arg[k].lane);
            if (l->column != c) continue;
            add_chip(f, l, t->arg[k].text, x + chip_width(t->arg[k].text) / 2, y + lines * ARGS);
            x += chip_width(t->arg[k].text) + BETWEEN;
        }
    }
    return lines;
}

static int argument_lines(struct flow *f, const struct pic_step *t) {
    int n = 0;
    for (int c = 0; c < FLOW_COLUMNS; ++c)
        if (f->used[c]) n = most(n, arguments(f, t, c, -1));
    return n;
}

static void add_box(struct flow *f, const char *text, int y, int h) {
    int x = f->left - NUMBER + INDENT * f->depth;
    scene_add(f->s, (struct shape){.kind = SHAPE_BOX,
                                   .x = x,
                                   .y = y,
                                   .w = f->right - INDENT * f->depth - x,
                                   .h = h,
                                   .ink = INK_STRONG});
    scene_label(f->s, x + 12, y + 5, INK_TEXT, ANCHOR_START, text);
}

static void add_call(struct flow *f, const struct pic_step *t, int y, int h) {
    if (t->fill) {
        const struct pic_lane *l = lane_of(f, t->arg[0].lane);
        add_chip(f, l, t->text[0], f->x[l->column], y + 4);
        return;
    }
    add_box(f, t->text[0], y + 6, h - 10);
    for (int c = 0; c < FLOW_COLUMNS; ++c)
        if (f->used[c]) arguments(f, t, c, y + CALL - 8);
}

// Whether step "i" is a wait followed by a barrier: both are one line.
static bool joins(const struct picture *p, int i) {
    return p->step[i].kind == STEP_WAIT && i + 1 < p->nsteps && p->step[i + 1].kind == STEP_BARRIER;
}

static int height(struct flow *f, int i) {
    const struct pic_step *t = &f->p->step[i];
    switch (t->kind) {
    case STEP_COPY: return gaps(f, t) > 0 ? COPY : WITHIN;
    case STEP_CALL: return t->fill ? FILL : CALL + argument_lines(f, t) * ARGS;
    case STEP_WAIT:
    case STEP_BARRIER: return joins(f->p, i) ? 0 : ORDER;
    case STEP_OPEN: return OPEN;
    case STEP_CLOSE: return CLOSE;
    }
    return 0;
}

static void add_frame(struct flow *f, int open, int y) {
    int depth = 1, h = height(f, open);
    for (int i = open + 1; i < f->p->nsteps && depth > 0; ++i) {
        depth += f->p->step[i].kind == STEP_OPEN;
        depth -= f->p->step[i].kind == STEP_CLOSE;
        h += height(f, i);
    }
    add_box(f, f->p->step[open].text[0], y + 8, h - 12);
}

static void add_order(struct flow *f, int i, int y) {
    const struct picture *p = f->p;
    const char *barrier = p->step[i].kind == STEP_BARRIER ? "barrier" : "";
    const char *wait = i > 0 && joins(p, i - 1)       ? p->step[i - 1].text[0]
                       : p->step[i].kind == STEP_WAIT ? p->step[i].text[0]
                                                      : "";
    int x = f->left - NUMBER + INDENT * f->depth + 4, right = f->right - INDENT * f->depth - 12;
    if (joins(p, i)) return;
    const char *text = picture_text(p, "%s%s%s", wait, *wait && *barrier ? ", " : "", barrier);
    scene_add(f->s, (struct shape){.kind = SHAPE_DASH,
                                   .x = x,
                                   .y = y + 13,
                                   .w = right - scene_text_width(text) - x,
                                   .ink = INK_STRONG});
    scene_label(f->s, right, y + 17, INK_MUTED, ANCHOR_END, text);
}

void scene_flow(struct scene *s, int top) {
    const struct picture *p = s->picture;
    struct flow f = {.s = s, .p = p, .left = SCENE_MARGIN + NUMBER};
    place_columns(&f);
    int y = add_heads(&f, top + BETWEEN), below = y;
    for (int i = 0; i < p->nsteps; ++i) below += height(&f, i);
    for (int c = 0; c < FLOW_COLUMNS; ++c)
        if (f.used[c])
            scene_add(
                s, (struct shape){
                       .kind = SHAPE_DASH, .x = f.x[c], .y = y, .h = below - y, .ink = INK_FAINT});
    for (int i = 0; i < p->nsteps; ++i) {
        const struct pic_step *t = &p->step[i];
        int h = height(&f, i);
        switch (t->kind) {
        case STEP_COPY: add_copy(&f, t, y); break;
        case STEP_CALL: add_call(&f, t, y, h); break;
        case STEP_WAIT:
        case STEP_BARRIER: add_order(&f, i, y); break;
        case STEP_OPEN: add_frame(&f, i, y), ++f.depth; break;
        case STEP_CLOSE: --f.depth; break;
        }
        y += h;
    }
    s->width = most(s->width, f.right + SCENE_MARGIN);
    s->height = scene_keys(s, below) + SCENE_MARGIN;
}
