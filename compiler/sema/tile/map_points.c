// Evaluates index maps at each point: the tile that they fill, elements taken twice or not at all,
// and the layout of (thread, value) with the same points.
#include "base/warnings.h"
#include "sema/tile/map.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_POINTS = 1 << 22 };

// The points: number i is thread i % threads, value i / threads.
struct points {
    struct sema *c;
    const struct index_map *m;
    int64_t *var;    // by id
    int64_t *crd;    // of the current point, by leaf
    int64_t *place;  // by point, the first mode of the tile fastest
    int64_t n;
    int64_t run;  // number of consecutive values
};

// Sets p->crd to the coordinate of point "i".
static bool evaluate(struct points *p, int64_t i) {
    const struct index_map *m = p->m;
    const struct ix_env env = {.var = p->var, .sym = NULL};
    for (int k = 0; k < m->nvars; ++k) {
        p->var[m->var[k]->id] = i % m->extent[k];
        i /= m->extent[k];
    }
    for (int k = 0; k < m->nleaves; ++k)
        if (!ix_eval(m->leaf[k].ix, &env, &p->crd[k])) return false;
    return true;
}

static const struct lay_tuple *form(struct sema *c, const struct value *v, const int64_t **crd) {
    if (v->kind != VAL_TUPLE) return lay_leaf_of(c->lay, *(*crd)++);
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < v->rank; ++i) kid[i] = form(c, v->kid[i], crd);
    return lay_tuple(c->lay, v->rank, kid);
}

// "crd", one integer for each leaf, with the structure of the map's coordinate.
static const char *coordinate(const struct points *p, const int64_t *crd) {
    return lay_tuple_text(p->c->lay, form(p->c, p->m->coord, &crd));
}

static const char *element(const struct points *p, int64_t place) {
    const struct index_map *m = p->m;
    int64_t crd[LAY_MAX_LEAVES];
    for (int k = 0; k < m->nleaves; ++k) {
        crd[k] = place % m->leaf[k].extent;
        place /= m->leaf[k].extent;
    }
    return coordinate(p, crd);
}

// The owner for messages: "thread 3, value 1".
static const char *who(const struct points *p, int64_t i) {
    return sema_text(p->c, "thread %" PRId64 ", value %" PRId64, i % p->m->threads,
                     i / p->m->threads);
}

static bool overflow(const struct points *p, int64_t i) {
    diag_error(p->c->s, p->m->e->at, "the coordinate of %s does not fit 64 bits", who(p, i));
    return false;
}

// Finds the smallest box from 0 on that contains all points; it is the tile.
static bool find_tile(struct points *p, struct index_map *m) {
    for (int k = 0; k < m->nleaves; ++k) m->leaf[k].extent = 1;
    for (int64_t i = 0; i < p->n; ++i) {
        if (!evaluate(p, i)) return overflow(p, i);
        for (int k = 0; k < m->nleaves; ++k) {
            if (p->crd[k] < 0 || p->crd[k] >= MOST_POINTS) {
                diag_error(
                    p->c->s, m->e->at,
                    "%s is element %s; the coordinates of a tile start at 0 and are below %d",
                    who(p, i), coordinate(p, p->crd), MOST_POINTS);
                return false;
            }
            if (p->crd[k] >= m->leaf[k].extent) m->leaf[k].extent = p->crd[k] + 1;
        }
    }
    int64_t extent[LAY_MAX_LEAVES];
    m->size = 1;
    for (int k = 0; k < m->nleaves; ++k) {
        extent[k] = m->leaf[k].extent;
        if (m->size <= MOST_POINTS) m->size *= extent[k];
    }
    const int64_t *next = extent;
    m->tile = form(p->c, m->coord, &next);
    if (m->size <= MOST_POINTS) return true;
    diag_error(p->c->s, m->e->at, "the map covers a tile of %s; the limit is %d elements",
               lay_tuple_text(p->c->lay, m->tile), MOST_POINTS);
    return false;
}

static bool outside(const struct points *p, int64_t i) {
    diag_error(p->c->s, p->m->e->at, "%s is element %s, outside the tile %s", who(p, i),
               coordinate(p, p->crd), lay_tuple_text(p->c->lay, p->m->tile));
    return false;
}

// Sets p->place; reports an element that is not taken exactly once.
static bool find_owners(struct points *p, int32_t *owner) {
    const struct index_map *m = p->m;
    struct session *s = p->c->s;
    for (int64_t i = 0; i < p->n; ++i) {
        if (!evaluate(p, i)) return overflow(p, i);
        int64_t at = 0, step = 1;
        for (int k = 0; k < m->nleaves; ++k) {
            if (p->crd[k] < 0 || p->crd[k] >= m->leaf[k].extent) return outside(p, i);
            at += p->crd[k] * step;
            step *= m->leaf[k].extent;
        }
        if (owner[at]) {
            diag_error(s, m->e->at, "element %s of the tile belongs to %s and to %s",
                       element(p, at), who(p, owner[at] - 1), who(p, i));
            diag_page(s, "injective");
            return false;
        }
        owner[at] = (int32_t)i + 1;
        p->place[i] = at;
    }
    if (p->n == m->size) return true;
    int64_t at = 0;
    while (owner[at]) ++at;
    diag_error(s, m->e->at,
               "no thread has element %s of the tile %s; %" PRId64 " threads of %" PRId64
               " value%s have %" PRId64 " of its %" PRId64 " elements",
               element(p, at), lay_tuple_text(p->c->lay, m->tile), m->threads, m->values,
               m->values == 1 ? "" : "s", p->n, m->size);
    return false;
}

// Warns that the map is no layout: point "i", and where a layout would have it.
static void no_layout(const struct points *p, int64_t i, int64_t would_be, const char *why) {
    const char *runs = p->run == 1 ? "one by one" : sema_text(p->c, "in runs of %" PRId64, p->run);
    diag_warn(p->c->s, W_INDEX_MAP, p->m->e->at,
              "this index map is not a layout: each thread copies its %" PRId64
              " value%s %s, at offsets that it computes",
              p->m->values, p->m->values == 1 ? "" : "s", runs);
    diag_note(p->c->s, p->m->e->rhs->at,
              "%s is place %" PRId64 " of the tile, first mode fastest; %s has it at %" PRId64,
              who(p, i), p->place[i], why, would_be);
}

// The layout mode of the threads ("step" 1) or of the values ("step" the number of threads).
static struct lay recover(const struct points *p, int64_t n, int64_t step) {
    struct lay_mismatch bad;
    int64_t *value = memory_new((size_t)n * sizeof *value);
    for (int64_t i = 0; i < n; ++i) value[i] = p->place[i * step];
    struct lay l = lay_recover(p->c->lay, n, value, &bad);
    memory_free(value);
    if (lay_valid(l)) return l;
    const char *what = step == 1 ? "threads" : "values";
    if (bad.run)
        no_layout(p, bad.at * step, bad.would_be,
                  sema_text(p->c,
                            "%" PRId64 " does not divide %" PRId64 " %s, so a layout goes on and",
                            bad.run, bad.of, what));
    else
        no_layout(p, bad.at * step, bad.would_be,
                  sema_text(p->c, "the layout that the %s before it begin", what));
    return l;
}

// Sets "tv" of "tc"; it stays invalid if there is no such layout.
static bool find_layout(const struct points *p, struct tiled_copy *tc) {
    const struct index_map *m = p->m;
    struct lay_ctx *x = p->c->lay;
    struct lay mode[2];
    tc->tv = lay_layout_invalid();
    if (p->place[0] != 0) {
        no_layout(p, 0, 0, "every layout");
        return true;
    }
    for (int i = 0; i < 2; ++i) {
        mode[i] = recover(p, i ? m->values : m->threads, i ? m->threads : 1);
        if (!lay_valid(mode[i])) return true;
    }
    for (int64_t i = 0; i < p->n; ++i) {
        int64_t t = i % m->threads, sum = p->place[t] + p->place[i - t];
        if (sum == p->place[i]) continue;
        no_layout(p, i, sum, "a layout, the sum of its thread's and its value's places,");
        return true;
    }
    lay_clear_error(x);
    tc->tv = lay_join(x, 2, mode);
    if (lay_valid(tc->tv)) return true;
    sema_lay_error(p->c, m->e->at, "the map");
    return false;
}

// -- the map as it is -----------------------------------------------------------------------------

// The product of the tile's extents before mode "mode"; sets "extent" to that of the mode.
static int64_t before_mode(const struct points *p, const struct lay_tuple *tiler, int mode,
                           int64_t *extent) {
    int64_t step = 1;
    for (int i = 0; i <= mode; ++i) {
        *extent = lay_tuple_product(p->c->lay, lay_tuple_get(p->c->lay, tiler, i)).num;
        if (i < mode) step *= *extent;
    }
    return step;
}

// Whether each "run" values, from a multiple of it on, are consecutive along a mode of "extent"
// places with distance "step", and also begin at a multiple of it.
static bool is_run(const struct points *p, int64_t run, int64_t step, int64_t extent) {
    int64_t threads = p->m->threads;
    for (int64_t v = 0; v < p->m->values; ++v) {
        for (int64_t t = 0; t < threads; ++t) {
            int64_t i = t + threads * v;
            if (v % run ? p->place[i] != p->place[i - threads] + step
                        : p->place[i] / step % extent % run != 0)
                return false;
        }
    }
    return extent % run == 0;
}

static void find_run(struct points *p, const struct lay_tuple *tiler, struct tiled_map *map) {
    map->run = 1;
    map->along = 0;
    for (int i = 0; i < lay_tuple_rank(tiler); ++i) {
        int64_t extent, step = before_mode(p, tiler, i, &extent);
        for (int64_t run = 2; run <= p->m->values && p->m->values % run == 0; run *= 2) {
            if (!is_run(p, run, step, extent)) break;
            if (run <= map->run) continue;
            map->run = run;
            map->along = i;
        }
    }
    p->run = map->run;
}

// "v", a part of the map's coordinate, as one index in its mode, its first integer fastest.
static const struct ix *one_number(const struct points *p, const struct value *v, int *next,
                                   int64_t *size) {
    struct session *s = p->c->s;
    if (v->kind != VAL_TUPLE) {
        const struct map_leaf *l = &p->m->leaf[(*next)++];
        const struct ix *e = ix_scale(s, l->ix, lay_int(*size));
        *size *= l->extent;
        return e;
    }
    const struct ix *sum = ix_int(s, 0);
    for (int i = 0; i < v->rank; ++i) sum = ix_add(s, sum, one_number(p, v->kid[i], next, size));
    return sum;
}

// "e" with the names "from" .. "to"-1 of the map replaced by digits of "i".
static const struct ix *digits(struct sema *c, const struct index_map *m, const struct ix *e,
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

static const struct ix_var *variable(struct sema *c, const char *name, int64_t n) {
    struct ix_var *v = ARENA_NEW(&c->s->arena, struct ix_var);
    *v = (struct ix_var){IX_NAMED, name, name, c->s->next_var++, lay_int(0), lay_int(n)};
    return v;
}

// Sets "map" and "tiler" of "tc".
static bool keep_map(struct points *p, struct tiled_copy *tc) {
    struct sema *c = p->c;
    const struct index_map *m = p->m;
    struct tiled_map *map = ARENA_NEW(&c->s->arena, struct tiled_map);
    tc->map = map;
    map->tile = m->tile;
    tc->tiler = lay_product_each(c->lay, m->tile);
    if (!tc->tiler) {
        sema_lay_error(c, m->e->at, "the map");
        return false;
    }
    bool one = m->nvars - m->nthr == 1;
    map->text = source_line(c->s, m->e->at);
    map->thread = variable(c, intern(c->s, "thread"), m->threads);
    map->value = variable(c, one ? m->var[m->nthr]->name : intern(c->s, "value"), m->values);
    map->nmodes = lay_tuple_rank(tc->tiler);
    const struct ix **mode = ARENA_ARRAY(&c->s->arena, const struct ix *, map->nmodes);
    int next = 0;
    for (int i = 0; i < map->nmodes; ++i) {
        int64_t size = 1, extent, step = before_mode(p, tc->tiler, i, &extent);
        bool tuple = m->coord->kind == VAL_TUPLE;
        if (!tuple) next = 0;
        const struct ix *e = one_number(p, tuple ? m->coord->kid[i] : m->coord, &next, &size);
        if (!tuple && map->nmodes > 1) {  // one index for the complete tile
            e = ix_div(c->s, e, lay_int(step));
            if (i + 1 < map->nmodes) e = ix_mod(c->s, e, lay_int(extent));
        }
        e = digits(c, m, e, 0, m->nthr, ix_var(c->s, map->thread));
        mode[i] = digits(c, m, e, m->nthr, m->nvars, ix_var(c->s, map->value));
    }
    map->mode = mode;
    int32_t *place = ARENA_ARRAY(&c->s->arena, int32_t, p->n);
    for (int64_t i = 0; i < p->n; ++i) place[i] = (int32_t)p->place[i];
    map->place = place;
    find_run(p, tc->tiler, map);
    return true;
}

bool map_points(struct sema *c, struct index_map *m, struct tiled_copy *tc) {
    int64_t crd[LAY_MAX_LEAVES];
    struct points p = {.c = c, .m = m, .crd = crd, .n = m->threads * m->values};
    int32_t *owner = NULL;
    p.var = memory_zeroed((size_t)c->s->next_var + 1, sizeof *p.var);
    p.place = memory_new((size_t)p.n * sizeof *p.place);
    bool ok = m->tile || find_tile(&p, m);
    if (ok) {
        owner = memory_zeroed((size_t)m->size, sizeof *owner);
    }
    ok = ok && find_owners(&p, owner) && keep_map(&p, tc) && find_layout(&p, tc);
    memory_free(p.var);
    memory_free(p.place);
    memory_free(owner);
    return ok;
}
