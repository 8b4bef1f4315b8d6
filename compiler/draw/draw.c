// Makes a drawing from a request: the view makes a picture, the writer of the format prints it.
#include "draw/draw.h"

#include "draw/domain.h"
#include "layout/algebra.h"

const char *draw_view_name(enum draw_view view) {
    static const char names[N_DRAW_VIEWS][10] = {
        [DRAW_OWNERS] = "owners",     [DRAW_TV] = "tv",           [DRAW_INVERSE] = "inverse",
        [DRAW_LAYOUT] = "layout",     [DRAW_SWIZZLE] = "swizzle", [DRAW_BANKS] = "banks",
        [DRAW_SECTORS] = "sectors",   [DRAW_PATH] = "path",       [DRAW_FLOW] = "flow",
        [DRAW_TIMELINE] = "timeline", [DRAW_OPERAND] = "operand"};
    return names[view];
}

static const char *make(struct picture *p, const struct plan *plan, const struct draw_request *r) {
    switch (r->view) {
    case DRAW_OWNERS: return view_owners(p, r);
    case DRAW_TV: return view_tv(p, r);
    case DRAW_INVERSE: return view_inverse(p, r);
    case DRAW_LAYOUT: return view_offsets(p, r);
    case DRAW_SWIZZLE: return view_swizzle(p, r);
    case DRAW_BANKS: return r->copy ? view_access(p, plan, r) : view_banks(p, r);
    case DRAW_SECTORS: return view_sectors(p, plan, r);
    case DRAW_PATH: return view_path(p, r);
    case DRAW_FLOW: return view_flow(p, r);
    case DRAW_TIMELINE: return view_timeline(p, r);
    case DRAW_OPERAND: return view_operand(p, r);
    case N_DRAW_VIEWS: break;
    }
    return "this view does not exist";
}

// Notes the params' values if the drawing depends on them.
static void note_params(struct picture *p, const struct plan *plan, const struct draw_request *r) {
    const struct view *v = r->view == DRAW_PATH ? &r->copy->src : NULL;
    const struct lay l = v ? v->layout : r->layout;
    if (!r->sym_values || !lay_valid(l) || lay_static(l)) return;
    note_values(p, plan, r->sym_values);
}

const char *draw(struct session *s, const struct plan *plan, const struct draw_request *r,
                 struct buf *out) {
    struct picture p;
    picture_init(&p, s, r->format);
    p.color = r->color;
    p.wide = r->wide;
    const char *why = make(&p, plan, r);
    if (!why) {
        note_params(&p, plan, r);
        switch (r->format) {
        case DRAW_TEXT: picture_write_text(&p, out); break;
        case DRAW_SVG: picture_write_svg(&p, out); break;
        case DRAW_TIKZ: picture_write_tikz(&p, out); break;
        }
    }
    picture_release(&p);
    return why;
}
