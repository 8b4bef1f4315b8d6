// The comment above the code of a copy: what is copied, with which tile, and how wide.
#include <string.h>

#include "base/session.h"
#include "kernel/kernel_ir.h"
#include "lower/private.h"
#include "plan/print.h"

void lower_comment_on(struct lowering *w, struct kir_node *n, const char *text) {
    const char **line = ARENA_NEW(&w->s->arena, const char *);
    *line = text;
    n->line = line;
    n->nlines = 1;
}

const char *lower_layout_text(struct session *s, struct lay l) {
    struct lay_swizzle w = l.sw;
    if (w.b == 0 || !lay_int_is(l.offset, 0)) return lay_text(&s->lay, l);
    const char *text = lay_text(&s->lay, lay_inner(l));
    int to = w.s < 0 ? w.m - w.s : w.m, from = w.s < 0 ? w.m : w.m + w.s;
    if (w.b == 1)
        return arena_printf(&s->arena, "%s, offset bit %d xored into bit %d", text, from, to);
    return arena_printf(&s->arena, "%s, offset bits %d-%d xored into bits %d-%d", text, from,
                        from + w.b - 1, to, to + w.b - 1);
}

// Says which elements of "of" an access of "n" elements takes that are not neighbours.
static const char *apart_text(struct session *s, const char *of, const char *elem,
                              const int64_t *step, int n, bool out) {
    bool even = true;
    for (int i = 1; 1 << i < n; ++i) even &= step[i] == step[0] << i;
    const char *text =
        arena_printf(&s->arena, "  %-7s %d x %s of %s,", out ? "gather" : "scatter", n, elem, of);
    if (even) return arena_printf(&s->arena, "%s %lld apart", text, (long long)step[0]);
    for (int i = 0; i < n; ++i)
        text = arena_printf(&s->arena, "%s %s%lld", text, i ? "" : "at ",
                            (long long)kir_step_to(step, i));
    return text;
}

// The line about the elements of a register access that are not neighbours; NULL if all are.
static const char *apart(struct session *s, const struct copy *c) {
    const struct copy_facts *f = &c->facts;
    const struct tensor *t = c->src.base->space == MEM_FRAG ? c->src.base : c->dst.base;
    const char *elem = t->elem->name;
    if (f->turn) return apart_text(s, "what was loaded", elem, f->turn->step, f->turn->vec, true);
    return f->step ? apart_text(s, t->name, elem, f->step, f->vec, t == c->src.base) : NULL;
}

// The lines about the edge, with one for each condition.
static int edge_lines(struct session *s, const struct copy *c, const char **line) {
    const struct copy_facts *f = &c->facts;
    int n = 0;
    line[n++] = arena_printf(&s->arena, "  edge    %d x %s = %d bit, %s", f->edge_vec,
                             copy_tiled_side(c)->base->elem->name, f->edge_bits,
                             f->edge == EDGE_ALWAYS ? "always, where" : "where");
    for (int i = 0; i < f->npred; ++i)
        line[n++] = arena_printf(&s->arena, "          %s", plan_condition_text(s, &f->pred[i]));
    if (c->pad) line[n++] = arena_printf(&s->arena, "          else %s", c->pad->text);
    return n;
}

// The copy of the plan that the planner wrote "c" for: of several, that of each begins with a name
// for its source (relayout_several), in their order.
static const struct copy *wanted_of(struct session *s, const struct kernel *k,
                                    const struct copy *c) {
    const char *at = s->sources.file[c->at.file].text, *end = at + c->at.begin;
    int n = 0;
    for (; k->nwanted > 1 && (at = strchr(at, '\n')) && ++at < end;)
        if (strncmp(at, "kernel ", 7) == 0)
            n = -1;
        else if (strncmp(at, "  let from_", 11) == 0)
            ++n;
    return &k->wanted[n];
}

void lower_comment(struct lowering *w, const struct copy *c) {
    struct session *s = w->s;
    const struct copy_facts *f = &c->facts;
    const char **line = ARENA_ARRAY(&s->arena, const char *, f->npred + 8);
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
        arena_printf(&s->arena, "  %-7s %s %s   threads %lld%s   atom %s",
                     c->tc ? "tile" : "values", lay_tuple_text(&s->lay, tile->layout.shape), elem,
                     by_warp ? (long long)lanes : (long long)f->threads,
                     by_warp ? " of each warp" : "", atom_text(s, copy_atom(c)));
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
    const char *why = f->won == BOUND_ATOM
                          ? ""
                          : arena_printf(&s->arena, "  (limited by: %s)", bound_name(f->won));
    if (f->boxes)
        line[nlines++] = arena_printf(&s->arena, "  boxes   %s", plan_boxes_text(s, c));
    else
        line[nlines++] = arena_printf(&s->arena, "  vector  %s%s", vector, why);
    const char *not_together = apart(s, c);
    if (not_together) line[nlines++] = not_together;
    for (int i = 0; i < w->nfresh; ++i) {
        if (w->fresh[i] != c->src.base) continue;
        line[nlines++] =
            arena_printf(&s->arena,
                         "  order   no barrier: no thread reads what another one wrote%s",
                         w->was_barrier ? " since the last one" : "");
        break;
    }
    if (f->edge != EDGE_NEVER) nlines += edge_lines(s, c, line + nlines);
    n->line = line;
    n->nlines = nlines;
    n->path = s->sources.file[c->at.file].path;
    source_place(s, c->at, &n->plan_line, &col);
    const struct range at = w->kernel->nwanted ? wanted_of(s, w->kernel, c)->at : c->at;
    n->copy_path = s->sources.file[at.file].path;
    source_place(s, at, &n->copy_line, &col);
}
