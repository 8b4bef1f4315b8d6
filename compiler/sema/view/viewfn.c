// Layout functions on views.  A function is applied once, to the identity layout of the view's
// shape.  The result is then applied to the view's strides and to its coordinates, so the two
// always agree.
#include <string.h>

#include "base/warnings.h"
#include "sema/expr/expr.h"
#include "sema/view/viewfn.h"

bool view_whole(struct sema *c, const struct view *v, struct range at) {
    if (lay_valid(v->layout)) return true;
    if (v->base && v->base->like)
        sema_not_yet(c, at,
                     "a part of a fragment that is declared 'like' a tiled copy, which has no "
                     "shape; 'like partition_src(..)' gives it one");
    return false;
}

// Reports why the layout calculator refuses "what" of "v"; its message names the identity by its
// layout.
static void view_error(struct sema *c, const struct view *v, struct range at, const char *what) {
    const char *why = c->lay->error, *was = NULL;
    const char *id = sema_text(c, "'%s'", lay_text(c->lay, view_identity(c->s, v)));
    if (why) was = strstr(why, id);
    if (was)
        why = sema_text(c, "%.*s'%s' of shape %s%s", (int)(was - why), why, v->base->name,
                        lay_tuple_text(c->lay, v->layout.shape), was + strlen(id));
    c->lay->error = why;
    sema_lay_error(c, at, what);
}

// The view "v" mapped by "f".  "on" is the same, or the result of a divide for view_divide.
static const struct value *finish_on(struct sema *c, const struct view *v, struct lay f,
                                     struct lay on, const struct ast_expr *e, const char *what) {
    if (!lay_valid(f) || !lay_valid(on) || f.sw.b || !lay_int_is(f.offset, 0)) {
        view_error(c, v, e->at, what);
        return &value_none;
    }
    struct view made = view_divide(c->s, *v, f, on, e->at);
    if (!lay_valid(made.layout)) {
        sema_lay_error(c, e->at, what);
        return &value_none;
    }
    made.names = names_derive(c, v, f);
    return value_view(c, made);
}

static const struct value *finish(struct sema *c, const struct view *v, struct lay f,
                                  const struct ast_expr *e, const char *what) {
    return finish_on(c, v, f, f, e, what);
}

// Groups the leaves of the view's shape as coalescing its layout does.
static struct lay coalesce(struct sema *c, const struct view *v, struct lay id) {
    struct lay goal = lay_coalesce(c->lay, v->layout), flat = lay_flatten(c->lay, id);
    if (!lay_valid(goal) || !lay_valid(flat)) return lay_layout_invalid();
    struct lay mode[LAY_MAX_RANK], group[LAY_MAX_RANK];
    int n = 0, at = 0, leaves = lay_rank(flat);
    for (int i = 0; i < lay_rank(goal); ++i) {
        struct lay_int want = lay_size(c->lay, lay_mode(c->lay, goal, i)), have = lay_int(1);
        int k = 0;
        for (; at < leaves && k < LAY_MAX_RANK; ++at) {
            struct lay one = lay_mode(c->lay, flat, at);
            struct lay_int size = lay_size(c->lay, one);
            if (lay_int_is(size, 1)) continue;
            if (lay_int_equal(have, want)) break;
            have = lay_int_mul(c->lay, have, size);
            group[k++] = one;
        }
        if (k == 0) group[k++] = lay_make(c->lay, lay_leaf_of(c->lay, 1), lay_leaf_of(c->lay, 0));
        mode[n++] = k == 1 ? group[0] : lay_join(c->lay, k, group);
    }
    return n == 1 && lay_is_leaf(mode[0].shape) ? mode[0] : lay_join(c->lay, n, mode);
}

// "shape" with extent 1 where "stride" is 0, because the other elements are repetitions.
static const struct lay_tuple *filtered(struct sema *c, const struct lay_tuple *shape,
                                        const struct lay_tuple *stride) {
    if (lay_is_leaf(shape)) return lay_int_is(stride->leaf, 0) ? lay_leaf_of(c->lay, 1) : shape;
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < shape->rank; ++i) kid[i] = filtered(c, shape->kid[i], stride->kid[i]);
    return lay_tuple(c->lay, shape->rank, kid);
}

const struct value *view_filter(struct sema *c, const struct call *call) {
    const struct value *v = call->arg[0];
    if (v->kind != VAL_VIEW) return view_call(c, call);
    const struct ast_expr *e = call->e;
    const char *what = sema_text(c, "'%s'", call->name);
    if (call->n > 1)
        return FAIL(c, e->arg[1].value->at, "%s of the tensor '%s' takes no profile", what,
                    v->view.base->name);
    if (!view_whole(c, &v->view, e->arg[0].value->at)) return &value_none;
    lay_clear_error(c->lay);
    struct lay id = view_identity(c->s, &v->view);
    struct lay f = lay_make(c->lay, filtered(c, id.shape, v->view.layout.stride), id.stride);
    const struct value *made = finish(c, &v->view, f, e, what);
    if (made->kind != VAL_VIEW || strcmp(call->name, "filter") != 0) return made;
    return finish(c, &made->view, coalesce(c, &made->view, view_identity(c->s, &made->view)), e,
                  what);
}

// "f" as one mode, if the function makes one mode "g" from the view's own layout.
static struct lay as_one_mode(struct sema *c, struct lay f, struct lay g) {
    bool one = lay_valid(f) && lay_valid(g) && lay_is_leaf(g.shape) && !lay_is_leaf(f.shape);
    lay_clear_error(c->lay);
    return one ? lay_join(c->lay, 1, &f) : f;
}

bool view_reaches_out(struct sema *c, const struct view *v, struct lay f) {
    struct lay_int now = lay_size(c->lay, f), was = lay_size(c->lay, v->layout);
    return !lay_int_valid(now) || !lay_int_valid(was) || !lay_int_equal(now, was);
}

static bool adds_mode(const struct call *call) {
    const char *name = call->name;
    return strcmp(name, "append") == 0 || strcmp(name, "prepend") == 0 ||
           strcmp(name, "replace") == 0 || (strcmp(name, "zip") == 0 && call->n == 2);
}

static bool adds_nothing(const struct lay_tuple *shape, const struct lay_tuple *stride) {
    if (lay_is_leaf(shape)) return lay_int_is(shape->leaf, 1) || lay_int_is(stride->leaf, 0);
    for (int i = 0; i < shape->rank; ++i)
        if (!adds_nothing(shape->kid[i], stride->kid[i])) return false;
    return true;
}

static const struct lay_tuple *zeros(struct sema *c, const struct lay_tuple *shape) {
    if (lay_is_leaf(shape)) return lay_leaf_of(c->lay, 0);
    const struct lay_tuple *kid[LAY_MAX_RANK];
    for (int i = 0; i < shape->rank; ++i) kid[i] = zeros(c, shape->kid[i]);
    return lay_tuple(c->lay, shape->rank, kid);
}

// Whether the mode "m" can be added to the view "v": it must not move, because its steps would need
// coordinates of the tensor.
static bool broadcast(struct sema *c, struct calc_value *m, struct range at, const struct value *v,
                      const char *what) {
    if (m->kind != CALC_LAYOUT) {
        diag_error(c->s, at, "%s of '%s' takes a mode, such as 1:0", what, v->view.base->name);
        return false;
    }
    struct lay l = m->layout;
    if (l.sw.b || !lay_int_is(l.offset, 0) || !adds_nothing(l.shape, l.stride)) {
        diag_error(c->s, at,
                   "the mode %s steps to elements that are not coordinates of '%s'; a tensor can "
                   "get a mode with stride 0, which repeats its elements",
                   lay_text(c->lay, l), v->view.base->name);
        return false;
    }
    m->layout = lay_make(c->lay, l.shape, zeros(c, l.shape));
    return true;
}

// Whether mode "i" of "v", or the last part of a nested mode, is a complete mode of its tensor. Its
// end is then known: what is beyond the mode is beyond its last part.
static bool is_whole_mode(struct sema *c, const struct view *v, int i) {
    if (!lay_valid(v->coord)) return false;
    struct lay m = lay_mode(c->lay, view_trimmed(c->s, v->coord), i);
    while (!lay_is_leaf(m.shape)) m = lay_mode(c->lay, m, lay_rank(m) - 1);
    return view_leaf_is_whole(c->s, v, m.shape->leaf, m.stride->leaf);
}

void view_mark_overhang(struct sema *c, const struct view *v, struct lay f, bool zipped,
                        struct view *made) {
    int n = lay_rank(v->layout);
    if (!view_reaches_out(c, v, f)) {
        made->tiled = true;
        for (int i = 0; i < n; ++i) made->tiled = made->tiled && is_whole_mode(c, v, i);
        lay_clear_error(c->lay);
        return;
    }
    made->overhang = true;
    struct lay tile = zipped ? lay_mode(c->lay, f, 0) : f,
               rest = zipped ? lay_mode(c->lay, f, 1) : f;
    for (int i = 0; i < n; ++i) {
        if (zipped && lay_rank(tile) <= n && lay_rank(rest) == n && n > 1) {
            if (i >= lay_rank(tile)) continue;
            struct lay_int now = lay_int_mul(c->lay, lay_size(c->lay, lay_mode(c->lay, tile, i)),
                                             lay_size(c->lay, lay_mode(c->lay, rest, i)));
            struct lay_int was = lay_size(c->lay, lay_mode(c->lay, v->layout, i));
            if (lay_int_valid(now) && lay_int_valid(was) && lay_int_equal(now, was)) continue;
        }
        if (!is_whole_mode(c, v, i)) made->overhangs_part = true;
    }
    lay_clear_error(c->lay);
}

struct divide {
    const char *name;
    struct lay (*plain)(struct lay_ctx *, struct lay, const struct lay_tiler *);
    enum lay_divide_form on;
};

static const struct divide *find_divide(const char *name) {
    static const struct divide all[] = {
        {"logical_divide", lay_logical_divide, LAY_DIVIDE_LOGICAL},
        {"zipped_divide", lay_zipped_divide, LAY_DIVIDE_ZIPPED},
        {"tiled_divide", lay_tiled_divide, LAY_DIVIDE_TILED},
        {"flat_divide", lay_flat_divide, LAY_DIVIDE_FLAT},
    };
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (strcmp(name, all[i].name) == 0) return &all[i];
    }
    return NULL;
}

// The number of modes that the tiler "t" divides separately; 0 if it divides the complete layout.
static int modes_divided(const struct lay_tiler *t) {
    return t->kind == LAY_TILER_LAYOUT || t->kind == LAY_TILER_ANY ? 0 : t->rank;
}

// The names of the result of "call", which divides "v" by "t".
static const char *const *divided_names(struct sema *c, const struct call *call,
                                        const struct view *v, const struct lay_tiler *t) {
    int n = modes_divided(t);
    if (n == 0 || call->name[0] == 'z') return NULL;  // ((tile),(rest))
    if (call->name[0] == 'l') return v->names;        // ((tile,rest),(tile,rest),..)
    return names_divide(c, v, n, call->name[0] == 'f', call->name[0] == 't');
}

void warn_layout_tiler(struct sema *c, const struct value *tiler, const struct ast_expr *e,
                       const struct view *v) {
    if (!value_is_layout(tiler) || lay_rank(v->layout) < 2 || lay_rank(tiler->calc.layout) < 2)
        return;
    const struct lay_tuple *shape = tiler->calc.layout.shape;
    diag_warn(c->s, W_LAYOUT_TILER, e->at,
              "the layout %s tiles '%s' as one mode of %s elements; a shape tiles it by mode",
              lay_text(c->lay, tiler->calc.layout), v->base->name,
              lay_int_text(c->lay, lay_size(c->lay, v->layout)));
    diag_fixit(c->s, e->at, lay_tuple_text(c->lay, lay_product_each(c->lay, shape)));
}

static int leaves_of(const struct lay_tuple *t, int from, int end) {
    int n = 0;
    for (int i = from; i < end; ++i) n += lay_tuple_leaves(t->kid[i]);
    return n;
}

// Marks the rests in "shape", the result of logical_divide by "t": ((tile,rest),(tile,rest),..),
// where a mode under "_" has none.  "first" is its first leaf.
static void mark_rests(struct sema *c, const struct lay_tiler *t, const struct lay_tuple *shape,
                       int first, const struct view *of, struct view *v) {
    if (t->kind == LAY_TILER_LAYOUT)
        view_counts_tiles(c->s, of, v, first + lay_tuple_leaves(shape->kid[0]),
                          first + lay_tuple_leaves(shape));
    for (int i = 0; i < modes_divided(t); ++i) {
        mark_rests(c, t->kid[i], shape->kid[i], first, of, v);
        first += lay_tuple_leaves(shape->kid[i]);
    }
}

void view_mark_tiles(struct sema *c, enum lay_divide_form form, const struct lay_tiler *t,
                     const struct view *of, struct view *v) {
    const struct lay_tuple *shape = v->layout.shape;
    int n = modes_divided(t), rank = shape->rank;
    if (form == LAY_DIVIDE_LOGICAL) {
        mark_rests(c, t, shape, 0, of, v);
        return;
    }
    // ((tile),(rest)), ((tile),rest,..), (tile,..,rest,..): undivided modes come after the rest
    int tiles = form == LAY_DIVIDE_FLAT && n > 0 ? n : 1;
    int from = leaves_of(shape, 0, tiles), end = lay_tuple_leaves(shape);
    if (form == LAY_DIVIDE_ZIPPED) {
        const struct lay_tuple *rest = shape->kid[1];
        if (n > 0 && rest->rank > n) end = from + leaves_of(rest, 0, n);
    } else if (n > 0 && tiles + n < rank) {
        end = from + leaves_of(shape, tiles, tiles + n);
    }
    view_counts_tiles(c->s, of, v, from, end);
}

static const struct value *divided(struct sema *c, const struct call *call, const struct view *v,
                                   const struct divide *how) {
    const struct ast_expr *e = call->e;
    const struct lay_tiler *t = value_to_tiler(c, call->arg[1], e->arg[1].value->at,
                                               sema_text(c, "argument 2 of '%s'", call->name));
    if (!t) return &value_none;
    lay_clear_error(c->lay);
    struct lay id = view_identity(c->s, v), f = how->plain(c->lay, id, t);
    struct lay on = lay_divide_on(c->lay, how->on, id, t);
    const struct value *made = finish_on(c, v, f, on, e, sema_text(c, "'%s'", call->name));
    if (made->kind != VAL_VIEW) return made;
    warn_layout_tiler(c, call->arg[1], e->arg[1].value, v);
    struct view over = made->view;
    over.names = divided_names(c, call, v, t);
    view_mark_overhang(c, v, f, how->on == LAY_DIVIDE_ZIPPED, &over);
    view_mark_tiles(c, how->on, t, v, &over);
    return value_view(c, over);
}

const struct value *view_call(struct sema *c, const struct call *call) {
    int on = strcmp(call->name, "slice") == 0 ? 1 : 0;
    const struct ast_expr *e = call->e;
    const struct value *v = call->arg[on];
    const char *what = sema_text(c, "'%s'", call->name);
    struct calc_value arg[LAY_MAX_RANK];
    bool view = v->kind == VAL_VIEW;
    if (view) {
        const struct divide *how = find_divide(call->name);
        if (!view_whole(c, &v->view, e->arg[on].value->at)) return &value_none;
        if (how) return divided(c, call, &v->view, how);
        if (on == 1) {
            return view_sliced(c, v->view, coord_of_value(c, call->arg[0], e->arg[0].value->at), e);
        }
    }
    for (int i = 0; i < call->n; ++i) {
        if (view && i == on) continue;
        if (!value_to_calc(c, call->arg[i], e->arg[i].value->at,
                           sema_text(c, "argument %d of '%s'", i + 1, call->name), &arg[i]))
            return &value_none;
    }
    lay_clear_error(c->lay);
    struct lay id = {0};
    if (view) {
        id = view_identity(c->s, &v->view);
        if (strcmp(call->name, "coalesce") == 0 && call->n == 1)
            return finish(c, &v->view, coalesce(c, &v->view, id), e, what);
        int last = call->n - 1;
        if (adds_mode(call) && !broadcast(c, &arg[last], e->arg[last].value->at, v, what))
            return &value_none;
        arg[on] = calc_of_layout(id);
    }
    if (view && strcmp(call->name, "composition") == 0) {
        for (int i = 1; i < call->n && v->kind == VAL_VIEW; ++i)
            v = view_compose(c, v, call->arg[i], e);
        return v;
    }
    struct calc_value r = lay_calc(c->lay, call->name, call->n, arg);
    if (r.kind == CALC_NONE) {
        if (view)
            view_error(c, &v->view, e->at, what);
        else
            sema_lay_error(c, e->at, what);
        return &value_none;
    }
    if (!view) return value_calc(c, r);
    if (r.kind != CALC_LAYOUT) BUG("%s of a layout is not a layout", what);
    if (strcmp(call->name, "with_shape") == 0) {
        arg[on] = calc_of_layout(lay_inner(v->view.layout));
        r.layout = as_one_mode(c, r.layout, lay_calc(c->lay, call->name, call->n, arg).layout);
    }
    return finish(c, &v->view, r.layout, e, what);
}

// Whether the largest coordinate of a static layout is inside "n" coordinates.
static bool inside(struct sema *c, struct lay f, struct lay_int n) {
    struct lay_int most = lay_span(c->lay, f);
    return lay_int_valid(most) && lay_int_valid(n) && lay_int_less_equal(most, n);
}

// Whether the composition of "l" with "t" may take something beyond "l".
static bool reaches_out(struct sema *c, struct lay l, const struct lay_tiler *t) {
    bool out = t->kind == LAY_TILER_LAYOUT && !inside(c, t->layout, lay_size(c->lay, l));
    for (int i = 0; i < t->rank; ++i)
        out |= i >= lay_rank(l) || reaches_out(c, lay_mode(c->lay, l, i), t->kid[i]);
    return out;
}

const struct value *view_compose(struct sema *c, const struct value *a, const struct value *b,
                                 const struct ast_expr *e) {
    if (!view_whole(c, &a->view, e->at)) return &value_none;
    if (b->kind != VAL_TUPLE) b = names_drop(c, b);
    const struct lay_tiler *t = value_to_tiler(c, b, e->at, "what a tensor is composed with");
    if (!t) return &value_none;
    lay_clear_error(c->lay);
    struct lay id = view_identity(c->s, &a->view);
    bool by_layout = value_is_layout(b) || b->kind == VAL_INT;
    struct lay l = by_layout ? value_to_layout(c, b, e->at, "the layout") : lay_layout_invalid();
    struct lay f = by_layout ? lay_compose(c->lay, id, l) : lay_compose_tiler(c->lay, id, t);
    if (by_layout && lay_valid(f))
        f = as_one_mode(c, f, lay_compose(c->lay, lay_inner(a->view.layout), l));
    const struct value *made = finish(c, &a->view, f, e, "the composition");
    if (made->kind != VAL_VIEW) return made;
    if (by_layout) {
        if (!inside(c, l, lay_size(c->lay, a->view.layout)))
            return FAIL(c, e->at,
                        "the layout %s reaches coordinate %s - 1; '%s' is not known to have more "
                        "than %s elements",
                        lay_text(c->lay, l), lay_int_text(c->lay, lay_span(c->lay, l)),
                        a->view.base->name, lay_int_text(c->lay, lay_size(c->lay, a->view.layout)));
        return made;
    }
    struct view v = made->view;
    int n = lay_rank(v.layout), was = lay_rank(a->view.layout);
    if (n == was && modes_divided(t)) v.names = a->view.names;
    for (int i = 0; i < n && i < was; ++i) {
        struct lay_int have = lay_size(c->lay, lay_mode(c->lay, a->view.layout, i));
        struct lay_int take = lay_size(c->lay, lay_mode(c->lay, v.layout, i));
        bool fits = lay_int_valid(have) && lay_int_valid(take) && lay_int_less_equal(take, have);
        bool whole = is_whole_mode(c, &a->view, i);
        bool steps = fits && !whole && i < t->rank;
        if (fits && !(steps && reaches_out(c, lay_mode(c->lay, a->view.layout, i), t->kid[i])))
            continue;
        v.overhang = true;
        v.overhangs_part |= !whole;
    }
    lay_clear_error(c->lay);
    return value_view(c, v);
}
