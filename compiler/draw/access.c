// The banks that a warp touches, as a picture: the first access of a copy to shared memory, by
// wavefronts.
#include <inttypes.h>

#include "cost/banks.h"
#include "draw/domain.h"

const char *view_access(struct picture *p, const struct plan *plan, const struct draw_request *r) {
    const struct copy *c = r->copy;
    bool dst = c->dst.base->space == MEM_SHARED;
    if (!dst && c->src.base->space != MEM_SHARED)
        return "neither side of this copy lies in shared memory";
    int bits = copy_side_bits(c, !dst, c->facts.vec);
    if (bits == 0 || !c->facts.src.offset) return "it has no accesses";
    struct banks *w = ARENA_NEW(&p->s->arena, struct banks);
    const char *why = banks_count(p->s, plan, r->kernel, c, r->sym_values, dst, w);
    if (!why) why = picture_grids(p, "the access", 1, w->nrows, BANKS);
    if (why) return why;
    const struct tensor *t = dst ? c->dst.base : c->src.base;
    p->title = picture_text(p, "Banks of %s '%s': %d wavefront%s, %d at least",
                            dst ? "a store to" : "a load from", t->name, w->nrows,
                            w->nrows == 1 ? "" : "s", w->nphases);
    picture_note(p,
                 "the first access of warp 0, %d lanes of %d bits; a row is what 32 banks give at "
                 "once, a cell the thread that its bank serves",
                 w->lanes, bits);
    if (bits > 32)
        picture_note(p, "%d-bit accesses go by %s of the warp", bits,
                     bits == 64 ? "halves" : "quarters");
    const struct atom *atom = copy_atom(c);
    if (atom && atom->row->completes == COMPLETES_BY_GROUP)
        picture_note(p, "%s counts otherwise: this is what a plain store would need",
                     atom->row->family);
    struct pic_grid *g = p->grid;
    g->row_prefix = "w";
    g->column_prefix = "b";
    g->row_axis = "wavefront";
    g->column_axis = "bank";
    for (int row = 0; row < g->rows; ++row)
        for (int b = 0; b < g->columns; ++b) {
            const struct bank_slot *s = &w->slot[row][b];
            if (s->used)
                picture_cell(p, pic_at(g, row, b), pic_hue(s->lane), s->lane, "T%02d%s", s->lane,
                             s->shared ? "+" : "");
            else
                picture_cell(p, pic_at(g, row, b), -1, -1, p->format == DRAW_TEXT ? "-" : "");
        }
    return NULL;
}
