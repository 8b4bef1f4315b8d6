// Index maps: (t:128, v:8) -> (t / 16, t % 16 * 8 + v) says which element of a tile is value v of
// thread t.  This file converts the text to quasi-affine expressions over names with ranges.
// map_points.c evaluates these at each point.
#include "sema/tile/map.h"
#include "sema/expr/expr.h"

#include <inttypes.h>

enum {
    MOST_POINTS = 1 << 22,  // elements of a tile
    MOST_WORK = 1 << 26     // points times nodes of the map's expressions
};

// -- names and ranges -----------------------------------------------------------------------------

static bool no_range(struct sema *c, const struct ast_expr *e) {
    diag_error(
        c->s, e->at,
        "an index map starts with a name and its range, or a tuple of them: (t:128, v:8) -> ..");
    return false;
}

// Reads "t:128", or a tuple of such, the first one being the fastest.  Multiplies "of" by the
// ranges.
static bool read_ranges(struct sema *c, struct index_map *m, const struct ast_expr *e,
                        int64_t *of) {
    if (e->kind == E_TUPLE && e->nargs > 0) {
        for (int i = 0; i < e->nargs; ++i)
            if (e->arg[i].key.name || !read_ranges(c, m, e->arg[i].value, of))
                return e->arg[i].key.name ? no_range(c, e) : false;
        return true;
    }
    if (e->kind != E_LAYOUT || e->lhs->kind != E_NAME) return no_range(c, e);
    const char *name = e->lhs->name;
    int64_t n;
    if (!eval_int64(c, e->rhs, sema_text(c, "the range of '%s'", name), &n)) return false;
    if (n < 1 || n > MOST_POINTS || *of > MOST_POINTS / n) {
        diag_error(c->s, e->rhs->at,
                   "'%s' has %" PRId64 " values; all ranges together must have 1 .. %d", name, n,
                   MOST_POINTS);
        return false;
    }
    if (m->nvars == MAP_NAMES) {
        diag_error(c->s, e->at, "an index map with more than %d names", MAP_NAMES);
        return false;
    }
    *of *= n;
    struct ix_var *v = ARENA_NEW(&c->s->arena, struct ix_var);
    *v = (struct ix_var){IX_NAMED, name, name, c->s->next_var++, lay_int(0), lay_int(n)};
    m->extent[m->nvars] = n;
    m->var[m->nvars++] = v;
    return scope_declare(c, (struct ast_ident){name, e->lhs->at}, SYM_MAP,
                         value_int(c, ix_var(c->s, v))) != NULL;
}

static bool read_head(struct sema *c, struct index_map *m) {
    const struct ast_expr *e = m->e->lhs;
    m->threads = m->values = 1;
    if (e->kind != E_TUPLE || e->nargs != 2) {
        diag_error(c->s, e->at,
                   "an index map starts with names for threads and values, with their ranges: "
                   "(t:128, v:8) -> ..");
        return false;
    }
    if (e->arg[0].key.name || e->arg[1].key.name) return no_range(c, e);
    if (!read_ranges(c, m, e->arg[0].value, &m->threads)) return false;
    m->nthr = m->nvars;
    return read_ranges(c, m, e->arg[1].value, &m->values);
}

// -- the coordinate -------------------------------------------------------------------------------

// Whether "e" consists of the map's own names and numbers; adds its nodes to "work".
static bool own_names(const struct index_map *m, const struct ix *e, int64_t *work) {
    ++*work;
    switch (e->op) {
    case IX_VAR:
        for (int i = 0; i < m->nvars; ++i)
            if (m->var[i]->id == e->var->id) return true;
        return false;
    case IX_DIV:
    case IX_MOD: return lay_int_static(e->k) && own_names(m, e->a, work);
    case IX_SWZ: return false;
    case IX_SUM: break;
    }
    for (int i = 0; i < e->nterms; ++i) {
        const struct ix_term *t = &e->term[i];
        if (!lay_int_static(t->coef) || (t->atom && !own_names(m, t->atom, work))) return false;
    }
    return true;
}

static bool read_leaves(struct sema *c, struct index_map *m, const struct value *v, int64_t *work) {
    struct range at = m->e->rhs->at;
    if (v->kind == VAL_TUPLE && v->rank > 0) {
        for (int i = 0; i < v->rank; ++i)
            if (!read_leaves(c, m, v->kid[i], work)) return false;
        return true;
    }
    if (v->kind != VAL_INT) {
        diag_error(c->s, at, "the coordinate of an index map consists of integers, not of %s",
                   v->kind == VAL_TUPLE ? "an empty tuple" : value_kind_text(v));
        return false;
    }
    if (!own_names(m, v->ix, work)) {
        diag_error(c->s, at,
                   "'%s' depends on more than the map's names and numbers, so the thread of each "
                   "element is not known when compiling",
                   ix_text(c->s, v->ix));
        return false;
    }
    m->leaf[m->nleaves++].ix = v->ix;  // a tuple has at most LAY_MAX_LEAVES leaves
    return true;
}

// "v", with (x) replaced by x everywhere, as in arithmetic.
static const struct value *unwrap_all(struct sema *c, const struct value *v, struct range at) {
    v = value_unwrap(v);
    if (v->kind != VAL_TUPLE || v->rank == 0) return v;
    if (!names_none(c, v, at, "the coordinate of an index map")) return &value_none;
    const struct value *kid[LAY_MAX_RANK];
    for (int i = 0; i < v->rank; ++i) kid[i] = unwrap_all(c, v->kid[i], at);
    return value_tuple(c, v->rank, kid, at);
}

static bool read_coordinate(struct sema *c, struct index_map *m) {
    int64_t work = 0;
    m->coord = unwrap_all(c, eval(c, m->e->rhs), m->e->rhs->at);
    if (m->coord->kind == VAL_NONE || !read_leaves(c, m, m->coord, &work)) return false;
    int64_t points = m->threads * m->values;
    if (work <= MOST_WORK / points) return tile_spend(c, points + points * work / 16, m->e->at);
    diag_error(c->s, m->e->at,
               "the map has %" PRId64 " points and %" PRId64
               " operations per point, which are too many to go through; points times operations "
               "are at most %d",
               points, work, MOST_WORK);
    return false;
}

// Gives the integers of the coordinate "v" the extents of the shape "t", which is a part of the
// tile.
static bool fit(struct sema *c, struct index_map *m, const struct value *v,
                const struct lay_tuple *t, int *next) {
    if (v->kind == VAL_TUPLE) {
        if (v->rank != t->rank) return false;
        for (int i = 0; i < v->rank; ++i)
            if (!fit(c, m, v->kid[i], t->kid[i], next)) return false;
        return true;
    }
    m->leaf[(*next)++].extent = lay_tuple_product(c->lay, t).num;
    return true;
}

static bool take_shape(struct sema *c, struct index_map *m, const struct lay_tuple *shape,
                       struct range at) {
    lay_clear_error(c->lay);
    struct lay_int size = lay_tuple_product(c->lay, shape);
    if (!lay_int_static(size) || size.num < 1 || size.num > MOST_POINTS) {
        diag_error(c->s, at, "the tile %s of an index map has %s elements; it must have 1 .. %d",
                   lay_tuple_text(c->lay, shape),
                   lay_int_valid(size) ? lay_int_text(c->lay, size) : "too many", MOST_POINTS);
        lay_clear_error(c->lay);
        return false;
    }
    int next = 0;
    m->tile = shape;
    m->size = size.num;
    if (fit(c, m, m->coord, shape, &next)) return true;
    diag_error(c->s, m->e->rhs->at, "the map's coordinate %s does not match the tile %s",
               value_text(c, m->coord), lay_tuple_text(c->lay, shape));
    return false;
}

// -- the map --------------------------------------------------------------------------------------

bool map_threads(struct sema *c, const struct ast_expr *e, int64_t *threads) {
    struct index_map *m = ARENA_NEW(&c->s->arena, struct index_map);
    *m = (struct index_map){.e = e};
    scope_enter(c);
    bool ok = read_head(c, m);
    scope_leave(c);
    *threads = m->threads;
    return ok;
}

bool tile_by_map(struct sema *c, const struct ast_expr *e, const struct lay_tuple *shape,
                 struct range shape_at, struct tiled_copy *tc) {
    struct index_map *m = ARENA_NEW(&c->s->arena, struct index_map);
    *m = (struct index_map){.e = e};
    tc->val_at = tc->val_arg_at = RANGE_NONE;
    tc->thr_at = e->at;
    tc->thr = tc->val = lay_layout_invalid();
    if (e->kind != E_MAP) {
        diag_error(c->s, e->at,
                   "'map=' takes an index map: map=(t:128, v:8) -> (t / 16, t %% 16 * 8 + v)");
        return false;
    }
    scope_enter(c);
    bool ok = read_head(c, m);
    tc->threads = m->threads;
    tc->values = m->values;
    ok = ok && tile_check_size(c, tc, e->at) && read_coordinate(c, m);
    scope_leave(c);
    return ok && (!shape || take_shape(c, m, shape, shape_at)) && map_points(c, m, tc);
}
