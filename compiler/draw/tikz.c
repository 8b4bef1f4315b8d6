// Writes pictures as TikZ, in a complete document.  Its tikzpicture can be copied into another
// document together with the colours above it.
#include <string.h>

#include "draw/scene.h"

static const char *const inks[N_INKS] = {
    [INK_TEXT] = "tcptext",
    [INK_LARGE] = "tcptext,font=\\fontsize{12}{12}\\selectfont\\ttfamily",
    [INK_TITLE] = "tcptext",
    [INK_MUTED] = "tcpmuted",
    [INK_STRONG] = "tcpstrong",
    [INK_HEAVY] = "tcptext,line width=1.5pt",
    [INK_FAINT] = "tcpfaint",
    [INK_ACCENT] = "tcpaccent"};

static void escape(struct buf *out, const char *text, int len) {
    for (int i = 0; i < len; ++i) {
        char c = text[i];
        if (c == '\\')
            buf_puts(out, "\\textbackslash{}");
        else if (c == '~' || c == '^')
            buf_printf(out, "\\%c{}", c);
        else if (strchr("_#$%&{}", c))
            buf_printf(out, "\\%c", c);
        else if (c == '-')  // keeps "--" and "->" unchanged
            buf_puts(out, "{-}");
        else
            buf_char(out, (unsigned char)c < ' ' ? ' ' : c);
    }
}

static void write_head(struct buf *out, const struct scene *s) {
    bool colour[N_COLOURS] = {false};
    for (int i = 0; i < scene_count(s); ++i) {
        const struct shape *h = scene_shape(s, i);
        if (h->kind == SHAPE_FILL && h->colour >= 0) colour[h->colour] = true;
    }
    buf_puts(out, "\\documentclass[tikz]{standalone}\n"
                  "\\definecolor{tcptext}{HTML}{1F2328}\n\\definecolor{tcpmuted}{HTML}{57606A}\n"
                  "\\definecolor{tcpstrong}{HTML}{57606A}\n\\definecolor{tcpfaint}{HTML}{BFC6CD}\n"
                  "\\definecolor{tcpaccent}{HTML}{B4232C}\n\\definecolor{tcppage}{HTML}{FFFFFF}\n");
    for (int i = 0; i < N_COLOURS; ++i)
        if (colour[i])
            buf_printf(out, "\\definecolor{tcp%d}{HTML}{%06X}\n", i, (unsigned)pic_shades[i].light);
    buf_puts(
        out,
        "\\begin{document}\n"
        "\\frenchspacing\n\\begin{tikzpicture}[x=0.75pt,y=-0.75pt,line width=0.5pt,inner sep=0pt,"
        "font=\\fontsize{8}{8}\\selectfont\\ttfamily]\n");
    buf_printf(out, "\\useasboundingbox (0,0) rectangle (%d,%d);\n", s->width, s->height);
}

static void write_shape(struct buf *out, const struct shape *h) {
    static const char *const anchors[] = {"base west", "base", "base east"};
    const char *how = h->kind == SHAPE_DASH ? ",dashed" : h->kind == SHAPE_ARROW ? ",-latex" : "";
    int right = h->x + h->w, below = h->y + h->h;
    switch (h->kind) {
    case SHAPE_FILL:
        if (h->colour >= 0)
            buf_printf(out, "\\fill[tcp%d]", h->colour);
        else
            buf_puts(out, "\\fill[tcppage]");
        buf_printf(out, " (%d,%d) rectangle (%d,%d);\n", h->x, h->y, right, below);
        break;
    case SHAPE_BOX:
        buf_printf(out, "\\draw[%s] (%d,%d) rectangle (%d,%d);\n", inks[h->ink], h->x, h->y, right,
                   below);
        break;
    case SHAPE_LINE:
    case SHAPE_DASH:
    case SHAPE_ARROW:
        buf_printf(out, "\\draw[%s%s] (%d,%d) -- (%d,%d);\n", inks[h->ink], how, h->x, h->y, right,
                   below);
        break;
    case SHAPE_TEXT:
        buf_printf(out, "\\node[%s,anchor=%s%s] at (%d,%d) {%s", inks[h->ink], anchors[h->anchor],
                   h->upright ? ",rotate=90" : "", h->x, h->y,
                   h->ink == INK_TITLE ? "\\bfseries " : "");
        escape(out, h->text, h->len);
        buf_puts(out, "};\n");
        break;
    }
}

void picture_write_tikz(const struct picture *p, struct buf *out) {
    struct scene s;
    scene_init(&s, p);
    write_head(out, &s);
    for (int i = 0; i < scene_count(&s); ++i) write_shape(out, scene_shape(&s, i));
    buf_puts(out, "\\end{tikzpicture}\n\\end{document}\n");
    scene_release(&s);
}
