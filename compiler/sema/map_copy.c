// copy A -> B by an index map.  One that is a layout is a tiled copy.  Any other becomes a loop
// over a thread's values, whose body copies the one element at the map's coordinate: what proves
// and lowers copies of single threads then serves for it too.
#include "sema/map.h"

#include <inttypes.h>

// "i", of whose values the names "from" .. "to"-1 of the map are the digits, in the place of them.
static const struct ix *substitute(struct sema *c, const struct index_map *m, const struct ix *e,
                                   int from, int to, const struct ix *i) {
    int64_t size = 1;
    for (int k = from; k < to && e; ++k) {
        const struct ix *digit = ix_div(c->s, i, lay_int(size));
        if (k + 1 < to) digit = ix_mod(c->s, digit, lay_int(m->extent[k]));
        e = ix_substitute(c->s, e, m->var[k], digit);
        size *= m->extent[k];
    }
    return e;
}

// The map's coordinate "v" at thread tid and the value "each".
static const struct value *at_value(struct sema *c, const struct index_map *m,
                                    const struct value *v, const struct ix *each) {
    if (v->kind == VAL_INT) {
        const struct ix *tid = ix_var(c->s, c->kernel->tid);
        const struct ix *e = substitute(c, m, v->ix, 0, m->nthr, tid);
        return value_int(c, substitute(c, m, e, m->nthr, m->nvars, each));
    }
    const struct value *kid[LAY_MAX_RANK];
    for (int i = 0; i < v->rank; ++i) kid[i] = at_value(c, m, v->kid[i], each);
    return value_tuple(c, v->rank, kid, m->e->rhs->at);
}

static bool slice(struct sema *c, const struct value *at, struct view *v) {
    struct coord *crd = coord_of_value(c, at, v->at);
    if (!crd) return false;
    *v = view_slice(c->s, *v, crd, v->at);
    return lay_valid(v->layout);
}

// Makes of "y" the copy of one value, and gives the atom for it.
static const struct value *by_value(struct sema *c, const struct index_map *m, struct copy *y) {
    struct range at = m->e->at;
    const struct view *side[2] = {&y->src, &y->dst};
    for (int i = 0; i < 2; ++i) {
        const struct ix *offset = side[i]->offset;
        if (side[i]->base->space == MEM_FRAG)
            return sema_not_yet_value(c, at, "a fragment in a copy by a map that is no layout");
        if (ix_depends(offset, IX_TID) || ix_depends(offset, IX_LANE) ||
            ix_depends(offset, IX_WARP))
            return FAIL(c, side[i]->at,
                        "this view is one thread's or one warp's; a map divides what a block has");
    }
    if (m->threads != c->kernel->threads)
        return FAIL(c, at,
                    "not yet supported: a map that is no layout for %" PRId64 " of the %" PRId64
                    " threads of '%s'",
                    m->threads, c->kernel->threads, c->kernel->name);
    if (!loop_fits(c, at)) return &value_none;
    const char *name = m->nvars - m->nthr == 1 ? m->var[m->nthr]->name : intern(c->s, "value");
    struct ix_var *each = ARENA_NEW(&c->s->arena, struct ix_var);
    *each = (struct ix_var){IX_LOOP, name, name, c->s->next_var++, lay_int(0), lay_int(m->values)};
    const struct value *crd = at_value(c, m, m->coord, ix_var(c->s, each));
    if (!slice(c, crd, &y->src) || !slice(c, crd, &y->dst)) return &value_none;
    y->each = each;
    struct atom *a = ARENA_NEW(&c->s->arena, struct atom);
    *a = (struct atom){.row = atom_find("auto"), .bits = y->src.base->elem->bits, .at = at};
    struct value *r = ARENA_NEW(&c->s->arena, struct value);
    r->kind = VAL_ATOM;
    r->atom = a;
    return r;
}

// Whether the elements that a thread has in "v", by the layout "tv" of its tile, have a layout too.
static bool divides(struct sema *c, const struct view *v, struct lay tv) {
    if (v->base->space == MEM_FRAG) return true;
    lay_clear_error(c->lay);
    bool ok = lay_valid(lay_compose(c->lay, lay_inner(v->layout), tv));
    lay_clear_error(c->lay);
    return ok;
}

const struct value *map_copy(struct sema *c, const struct ast_expr *e, struct copy *y) {
    for (struct memo *m = c->memo; m; m = m->next)
        if (m->e == e) return m->value;
    // a fragment has the values of one thread, the other side, which is none, the tile
    const struct view *v = y->src.base->space == MEM_FRAG ? &y->dst : &y->src;
    struct lay_int size = lay_size(c->lay, v->layout);
    if (!lay_int_static(size))
        return FAIL(c, v->at,
                    "a map goes through all %s elements of '%s' here, which is known only at run "
                    "time; cut the tensor with local_tile first",
                    lay_int_valid(size) ? lay_int_text(c->lay, size) : "its", v->base->name);
    struct tiled_copy *tc = ARENA_NEW(&c->s->arena, struct tiled_copy);
    struct index_map *m;
    *tc = (struct tiled_copy){.at = e->at, .by = true};
    tc->atom = (struct atom){.row = atom_find("auto"), .bits = 128, .at = e->at};
    if (!map_read(c, e, v->layout.shape, v->at, tc, &m)) return &value_none;
    if (!lay_valid(tc->tv)) return by_value(c, m, y);
    const struct view *odd = !divides(c, &y->src, tc->tv)   ? &y->src
                             : !divides(c, &y->dst, tc->tv) ? &y->dst
                                                            : NULL;
    if (odd) {
        diag_warn(c->s, W_INDEX_MAP, e->at,
                  "this index map is the layout %s of its tile, but no layout of '%s': each thread "
                  "copies value by value, at places that it works out",
                  lay_text(c->lay, tc->tv), odd->base->name);
        diag_note(c->s, odd->at, "'%s' is %s here", odd->base->name, lay_text(c->lay, odd->layout));
        return by_value(c, m, y);
    }
    struct value *r = ARENA_NEW(&c->s->arena, struct value);
    r->kind = VAL_TILED;
    r->tc = tc;
    return r;
}

struct stmt *map_loop(struct sema *c, struct stmt *body) {
    const struct ix_var *each = body->copy->each;
    struct stmt *r = ARENA_NEW(&c->s->arena, struct stmt);
    *r = (struct stmt){.kind = STMT_FOR,
                       .var = each,
                       .begin = ix_int(c->s, 0),
                       .end = ix_lay(c->s, each->end),
                       .body = body,
                       .at = body->at};
    return r;
}
