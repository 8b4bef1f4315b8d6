// Writes pictures as SVG: a single file without scripts, fonts or other external resources.
// Colours are classes, so that readers with a dark theme get dark shades.
#include <stdbool.h>
#include <string.h>

#include "draw/scene.h"

static const char fonts[] =
    "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";

// By enum shape_ink: class, and colours for light and dark.
struct ink {
    char name[4];
    uint32_t light, dark;
};
static const struct ink inks[N_INKS] = {
    {"t", 0x1F2328, 0xF0F3F6}, {"t", 0x1F2328, 0xF0F3F6}, {"b", 0x1F2328, 0xF0F3F6},
    {"m", 0x57606A, 0x9EA7B3}, {"s", 0x57606A, 0xAFB8C1}, {"w", 0x1F2328, 0xF0F3F6},
    {"f", 0xBFC6CD, 0x444C56}, {"a", 0xB4232C, 0xFF7B72},
};

static void escape(struct buf *out, const char *text, int len) {
    for (int i = 0; i < len; ++i) {
        switch (text[i]) {
        case '<': buf_puts(out, "&lt;"); break;
        case '>': buf_puts(out, "&gt;"); break;
        case '&': buf_puts(out, "&amp;"); break;
        case '"': buf_puts(out, "&quot;"); break;
        default: buf_char(out, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
        }
    }
}

static bool is_line(const struct shape *h) {
    return h->kind == SHAPE_LINE || h->kind == SHAPE_BOX || h->kind == SHAPE_DASH;
}

static void used(const struct scene *s, bool colour[N_COLOURS]) {
    memset(colour, 0, sizeof(bool) * N_COLOURS);
    for (int i = 0; i < scene_count(s); ++i) {
        const struct shape *h = scene_shape(s, i);
        if (h->kind == SHAPE_FILL && h->colour >= 0) colour[h->colour] = true;
    }
}

static void write_shades(struct buf *out, const bool colour[N_COLOURS], bool dark) {
    buf_printf(out, ".p{fill:#%06x}", dark ? 0x0D1117u : 0xFFFFFFu);
    for (int i = 0; i < N_INKS; ++i) {
        if (i == INK_LARGE) continue;
        bool text = i == INK_TEXT || i == INK_TITLE || i == INK_MUTED;
        buf_printf(out, ".%s{%s:#%06x}", inks[i].name, text ? "fill" : "stroke",
                   (unsigned)(dark ? inks[i].dark : inks[i].light));
    }
    buf_printf(out, ".h{fill:#%06x}",
               (unsigned)(dark ? inks[INK_ACCENT].dark : inks[INK_ACCENT].light));
    for (int i = 0; i < N_COLOURS; ++i)
        if (colour[i])
            buf_printf(out, ".k%d{fill:#%06x}", i,
                       (unsigned)(dark ? pic_shades[i].dark : pic_shades[i].light));
    buf_char(out, '\n');
}

static void write_head(struct buf *out, const struct scene *s) {
    bool colour[N_COLOURS];
    used(s, colour);
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
               "height=\"%d\" role=\"img\" font-family=\"%s\" font-size=\"%d\">\n<title>",
               s->width, s->height, s->width, s->height, fonts, SCENE_FONT);
    escape(out, s->picture->title, (int)strlen(s->picture->title));
    buf_puts(out, "</"
                  "title>\n<style>\n.b{font-weight:bold}.s,.w,.f,.a{fill:none}.w{stroke-width:2.5}."
                  "a{stroke-width:1.5}"
                  ".d{stroke-dasharray:4 3}.t,.b,.m{stroke:none}\n");
    write_shades(out, colour, false);
    buf_puts(out, "@media (prefers-color-scheme:dark){\n");
    write_shades(out, colour, true);
    buf_puts(out, "}\n</style>\n");
    for (int i = 0; i < scene_count(s); ++i) {
        if (scene_shape(s, i)->kind != SHAPE_ARROW) continue;
        buf_puts(out, "<defs><marker id=\"h\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                      "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path class=\"h\" "
                      "d=\"M0 0L8 4L0 8z\"/></marker></defs>\n");
        break;
    }
    buf_printf(out, "<rect class=\"p\" width=\"%d\" height=\"%d\"/>\n", s->width, s->height);
}

// Consecutive shapes of one class are written as one element.
static bool joins(const struct shape *a, const struct shape *b) {
    if (a->kind == SHAPE_TEXT)
        return b->kind == SHAPE_TEXT && a->ink == b->ink && a->anchor == b->anchor &&
               a->upright == b->upright;
    if (a->kind == SHAPE_FILL) return b->kind == SHAPE_FILL && a->colour == b->colour;
    if (!is_line(a) || !is_line(b)) return false;
    return a->ink == b->ink && (a->kind == SHAPE_DASH) == (b->kind == SHAPE_DASH);
}

static void write_texts(struct buf *out, const struct scene *s, int begin, int end) {
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    const struct shape *h = scene_shape(s, begin);
    buf_printf(out, "<g class=\"%s\"%s", inks[h->ink].name, anchors[h->anchor]);
    if (h->ink == INK_LARGE) buf_printf(out, " font-size=\"%d\"", SCENE_LARGE);
    buf_puts(out, ">\n");
    for (int i = begin; i < end; ++i) {
        h = scene_shape(s, i);
        if (h->upright)
            buf_printf(out, "<text transform=\"translate(%d %d)rotate(-90)\">", h->x, h->y);
        else
            buf_printf(out, "<text x=\"%d\" y=\"%d\">", h->x, h->y);
        escape(out, h->text, h->len);
        buf_puts(out, "</text>\n");
    }
    buf_puts(out, "</g>\n");
}

static void write_paths(struct buf *out, const struct scene *s, int begin, int end) {
    const struct shape *h = scene_shape(s, begin);
    if (h->kind == SHAPE_FILL && h->colour >= 0)
        buf_printf(out, "<path class=\"k%d\" d=\"", h->colour);
    else if (h->kind == SHAPE_FILL)
        buf_puts(out, "<path class=\"p\" d=\"");
    else
        buf_printf(out, "<path class=\"%s%s\" d=\"", inks[h->ink].name,
                   h->kind == SHAPE_DASH ? " d" : "");
    for (int i = begin; i < end; ++i) {
        h = scene_shape(s, i);
        buf_printf(out, "M%d %d", h->x, h->y);
        if (h->kind == SHAPE_FILL || h->kind == SHAPE_BOX)
            buf_printf(out, "h%dv%dh%dz", h->w, h->h, -h->w);
        else if (h->h == 0)
            buf_printf(out, "h%d", h->w);
        else
            buf_printf(out, "v%d", h->h);
    }
    buf_puts(out, "\"/>\n");
}

void picture_write_svg(const struct picture *p, struct buf *out) {
    struct scene s;
    scene_init(&s, p);
    write_head(out, &s);
    for (int i = 0, end; i < scene_count(&s); i = end) {
        const struct shape *h = scene_shape(&s, i);
        end = i + 1;
        if (h->kind == SHAPE_ARROW) {
            buf_printf(out, "<path class=\"a\" marker-end=\"url(#h)\" d=\"M%d %dl%d %d\"/>\n", h->x,
                       h->y, h->w, h->h);
            continue;
        }
        while (end < scene_count(&s) && joins(h, scene_shape(&s, end))) ++end;
        if (h->kind == SHAPE_TEXT)
            write_texts(out, &s, i, end);
        else
            write_paths(out, &s, i, end);
    }
    buf_puts(out, "</svg>\n");
    scene_release(&s);
}
