// Pass "partition" for index maps that are not layouts.  The place of a run of a thread's values is
// computed from the map.  Only what is within the run, and the rest of the tiles, are modes.
#include "base/session.h"
#include "base/warnings.h"
#include "layout/algebra.h"
#include "pass/partition/partition.h"
#include "plan/view.h"

// Whether the elements of a thread in "v" have a layout, given the layout of its tile.  Also true
// if "v" has another error, which is not reported here.
static bool divides(struct session *s, const struct copy *c, const struct view *v) {
    if (v->base->space == MEM_FRAG || !lay_valid(v->layout)) return true;
    struct lay_ctx *x = &s->lay;
    struct lay zipped = lay_zipped_divide(x, view_trimmed(s, lay_inner(v->layout)),
                                          lay_tiler_shape(x, c->tc->tiler));
    bool ok = !lay_valid(zipped) || lay_valid(lay_compose(x, lay_mode(x, zipped, 0), c->tc->tv));
    lay_clear_error(x);
    return ok;
}

bool map_is_needed(struct session *s, const struct copy *c) {
    if (!c->tc->map) return false;
    if (!lay_valid(c->tc->tv)) return true;
    const struct view *odd = !divides(s, c, &c->src)   ? &c->src
                             : !divides(s, c, &c->dst) ? &c->dst
                                                       : NULL;
    if (!odd) return false;
    diag_warn(s, W_INDEX_MAP, c->how_at,
              "this index map is the layout %s of its tile, but not a layout of '%s': each thread "
              "copies value by value, at offsets that it computes",
              lay_text(&s->lay, c->tc->tv), odd->base->name);
    diag_note(s, odd->at, "'%s' is %s here", odd->base->name, lay_text(&s->lay, odd->layout));
    return true;
}

void map_set_run(struct session *s, struct copy *c, int64_t run) {
    struct copy_facts *f = &c->facts;
    const struct tiled_map *m = c->tc->map;
    f->by_map = true;
    f->run = run;
    f->neach = c->tc->values / run;
    f->each = NULL;
    if (f->neach == 1) return;
    struct ix_var *v = ARENA_NEW(&s->arena, struct ix_var);
    const char *name = m->value->name;
    *v = (struct ix_var){IX_LOOP, name, name, s->next_var++, lay_int(0), lay_int(f->neach)};
    f->each = v;
}

// The first value of the run.
static const struct ix *first_value(struct session *s, const struct copy_facts *f) {
    return f->each ? ix_scale(s, ix_var(s, f->each), lay_int(f->run)) : ix_int(s, 0);
}

// Whether runs of "run" coordinates that begin at a multiple of "run" consist of complete leaves,
// and the last one of a divisor of its extent.  Offsets within the run can then be added to its
// begin.
static bool carries_not(const struct lay_tuple *shape, int64_t *run) {
    if (!lay_is_leaf(shape)) {
        for (int i = 0; i < shape->rank; ++i)
            if (!carries_not(shape->kid[i], run)) return false;
        return true;
    }
    int64_t n = shape->leaf.num;
    if (*run % n == 0)
        *run /= n;
    else if (n % *run == 0)
        *run = 1;
    else
        return false;
    return true;
}

// The part of mode "mode" within one run; the begin of the run, a multiple of "run", is added
// elsewhere.
static struct lay one_run(struct session *s, struct lay mode, int64_t run, bool *fits) {
    int64_t left = run;
    if (!carries_not(mode.shape, &left) || left != 1) *fits = false;
    if (run == 1 || !*fits)
        return lay_make(&s->lay, lay_leaf_of(&s->lay, 1), lay_leaf_of(&s->lay, 0));
    struct lay values = lay_make_col(&s->lay, lay_leaf_of(&s->lay, run));
    return lay_compose(&s->lay, mode, values);
}

static struct lay mode_of(struct session *s, struct lay l, int i) {
    return lay_is_leaf(l.shape) ? l : lay_mode(&s->lay, l, i);
}

bool map_tile_cut(struct session *s, const struct copy *c, struct lay l, struct tile_cut *out,
                  bool *fits) {
    struct lay_ctx *x = &s->lay;
    struct lay zipped = lay_zipped_divide(x, view_trimmed(s, l), lay_tiler_shape(x, c->tc->tiler));
    out->thr = lay_mode(x, zipped, 0);
    if (!lay_valid(out->thr)) return false;
    out->val = one_run(s, mode_of(s, out->thr, c->tc->map->along), c->facts.run, fits);
    out->rest = lay_mode(x, zipped, 1);
    out->both = lay_layout_invalid();
    return lay_valid(out->val) && lay_valid(out->rest);
}

const struct ix *map_at(struct session *s, const struct kernel *k, const struct copy *c,
                        const struct lay_tuple *shape, const struct lay_tuple *stride) {
    const struct tiled_map *m = c->tc->map;
    const struct ix *at = ix_int(s, 0);
    for (int i = 0; i < m->nmodes; ++i) {
        const struct ix *crd = ix_substitute(s, m->mode[i], m->thread, view_thread(s, k, c));
        crd = ix_substitute(s, crd, m->value, first_value(s, &c->facts));
        at = ix_add(s, at,
                    view_crd2idx(s, crd, lay_is_leaf(shape) ? shape : shape->kid[i],
                                 lay_is_leaf(shape) ? stride : stride->kid[i]));
    }
    return at;
}

bool map_cut(struct session *s, const struct kernel *k, const struct copy *c, const struct view *v,
             struct cut *out, bool *fits) {
    struct tile_cut t;
    if (!map_tile_cut(s, c, lay_inner(v->layout), &t, fits)) return false;
    const struct ix *at = map_at(s, k, c, t.thr.shape, t.thr.stride);
    out->val = t.val;
    out->rest = t.rest;
    out->part.offset = view_by_tid(s, k, ix_add(s, v->offset, at));
    out->part.layout = lay_join(&s->lay, 2, (struct lay[]){out->val, out->rest});
    out->part.sw = v->layout.sw;
    out->part.tv = lay_layout_invalid();
    return out->part.offset && lay_valid(out->part.layout);
}

bool map_cut_frag(struct session *s, const struct copy *c, struct cut *out, bool *fits) {
    struct lay val = out->val;
    const struct ix *at = view_crd2idx(s, first_value(s, &c->facts), val.shape, val.stride);
    out->part.offset = ix_add(s, out->part.offset, at);
    out->val = one_run(s, val, c->facts.run, fits);
    struct lay mode[LAY_MAX_RANK + 1] = {out->val};
    int n = lay_rank(out->rest);
    for (int i = 0; i < n && i < LAY_MAX_RANK; ++i) mode[i + 1] = mode_of(s, out->rest, i);
    out->part.layout = lay_join(&s->lay, n + 1, mode);
    return out->part.offset && lay_valid(out->part.layout);
}
