// The comment above the code of a copy: what is copied, with which tile, and how wide.
#include "base/session.h"
#include "lower/private.h"
#include "plan/print.h"

void lower_comment_on(struct lowering *w, struct kir_node *n, const char *text) {
    const char **line = ARENA_NEW(&w->s->arena, const char *);
    *line = text;
    n->line = line;
    n->nlines = 1;
}

void lower_comment(struct lowering *w, const struct copy *c) {
    struct session *s = w->s;
    const struct copy_facts *f = &c->facts;
    const char **line = ARENA_ARRAY(&s->arena, const char *, 7);
    struct kir_node *n = lower_node(w, KIR_COMMENT);
    int nlines = 0, col;
    const struct view *tile = copy_tiled_side(c);
    const char *elem = tile->base->elem->name;
    int64_t lanes = c->tc ? c->tc->threads : f->lanes;
    bool by_warp = f->level == LEVEL_WARP || f->lanes;
    line[nlines++] =
        arena_printf(&s->arena, "%s%scopy %s -> %s", c->label ? c->label : "", c->label ? ": " : "",
                     source_line(s, c->src.at), source_line(s, c->dst.at));
    line[nlines++] =
        arena_printf(&s->arena, "  %-7s %s %s   threads %ld%s   atom %s", c->tc ? "tile" : "values",
                     lay_tuple_text(&s->lay, tile->layout.shape), elem,
                     by_warp ? (long)lanes : (long)f->threads, by_warp ? " of each warp" : "",
                     atom_text(s, copy_atom(c)));
    if (c->tc) {
        line[nlines++] = arena_printf(&s->arena, "  tiler   %s   rounds %s   %s %s",
                                      lay_tuple_text(&s->lay, c->tc->tiler),
                                      lay_tuple_text(&s->lay, f->rounds), f->by_map ? "map" : "TV",
                                      f->by_map ? c->tc->map->text : plan_tv_text(s, c->tc));
    }
    int src_bits = copy_side_bits(c, true, f->vec), dst_bits = copy_side_bits(c, false, f->vec);
    const struct elem_type *src = c->src.base->elem, *dst = c->dst.base->elem;
    const char *vector =
        arena_printf(&s->arena, "%d x %s = %d bit", src_bits / src->bits, src->name, src_bits);
    if (src != dst || src_bits != dst_bits)
        vector = arena_printf(&s->arena, "%s -> %d x %s = %d bit", vector, dst_bits / dst->bits,
                              dst->name, dst_bits);
    line[nlines++] =
        arena_printf(&s->arena, "  vector  %s  (limited by: %s)", vector, bound_name(f->won));
    if (f->edge != EDGE_NEVER) {
        line[nlines++] =
            arena_printf(&s->arena, "  edge    %d x %s = %d bit  (%s%s%s)", f->edge_vec, elem,
                         f->edge_bits, f->edge == EDGE_ALWAYS ? "always: " : "",
                         plan_edge_text(s, c),
                         c->pad ? arena_printf(&s->arena, "; else %s", c->pad->text) : "");
    }
    n->line = line;
    n->nlines = nlines;
    n->path = s->sources.file[c->at.file].path;
    source_place(s, c->at, &n->plan_line, &col);
}
