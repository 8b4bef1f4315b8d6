// Modes with names: who gets them, coordinates that go by them, and copies whose sides have their
// modes in another order.
#include "sema/expr/expr.h"

bool names_of_args(struct sema *c, const struct ast_expr *e, const char *const **out) {
    *out = NULL;
    int n = 0;
    for (int i = 0; i < e->nargs; ++i) n += e->arg[i].key.name != NULL;
    if (n == 0) return true;
    const char **name = ARENA_ARRAY(&c->s->arena, const char *, e->nargs);
    for (int i = 0; i < e->nargs; ++i) {
        name[i] = e->arg[i].key.name;
        if (!name[i]) {
            diag_error(c->s, e->arg[i].value->at, "mode %d has no name, and other modes have one",
                       i);
            return false;
        }
        for (int j = 0; j < i; ++j)
            if (name[j] == name[i]) {
                diag_error(c->s, e->arg[i].key.at, "two modes are called '%s'", name[i]);
                diag_note(c->s, e->arg[j].key.at, "one is here");
                return false;
            }
    }
    *out = name;
    return true;
}

const struct value *names_give(struct sema *c, const struct value *v, const char *const *names,
                               int n) {
    const struct lay_tuple *shape = value_is_layout(v) ? v->calc.layout.shape : NULL;
    int rank = v->kind == VAL_TUPLE ? v->rank : shape && !lay_is_leaf(shape) ? shape->rank : -1;
    if (!names || rank != n) return v;
    struct value *r = ARENA_NEW(&c->s->arena, struct value);
    *r = *v;
    r->names = names;
    return r;
}

const struct value *names_from(struct sema *c, const struct value *v, const struct value *of) {
    if (!of->names) return v;
    int n = of->kind == VAL_TUPLE ? of->rank : lay_rank(of->calc.layout);
    if (v->kind != VAL_VIEW) return names_give(c, v, of->names, n);
    const struct lay_tuple *shape = v->view.layout.shape;
    if (!shape || lay_is_leaf(shape) || shape->rank != n) return v;
    struct view named = v->view;
    named.names = of->names;
    return value_view(c, named);
}

// Whether each mode of "v" has a name.
static bool all_named(const struct view *v) {
    if (!v->names || !lay_valid(v->layout) || lay_is_leaf(v->layout.shape)) return false;
    for (int i = 0; i < v->layout.shape->rank; ++i)
        if (!v->names[i]) return false;
    return true;
}

// The mode of "v" that is called "name"; reports at "at" and gives -1 when there is none.
static int find(struct sema *c, const struct view *v, const char *name, struct range at) {
    int n = lay_rank(v->layout), k = 0;
    const char *list[LAY_MAX_RANK];
    for (int i = 0; i < n; ++i) {
        if (v->names[i] == name) return i;
        if (v->names[i]) list[k++] = v->names[i];
    }
    const char *near = diag_did_you_mean(name, list, k);
    diag_error(c->s, at,
               near ? "'%s' here has no mode called '%s'; did you mean '%s'?"
                    : "'%s' here has no mode called '%s'",
               v->base->name, name, near);
    if (v->base->names) diag_note(c->s, v->base->at, "its modes are named here");
    return -1;
}

const struct value *names_coord(struct sema *c, const struct view *v, const struct ast_expr *e) {
    const char *const *names;
    if (!names_of_args(c, e, &names)) return &value_none;
    if (!v->names)
        return FAIL(c, e->arg[0].key.at, "the modes of '%s' here have no names", v->base->name);
    int n = lay_rank(v->layout);
    const struct value *kid[LAY_MAX_RANK];
    for (int i = 0; i < n; ++i) kid[i] = value_of_tuple(c, lay_any(c->lay));
    bool whole = true;
    for (int i = 0; i < e->nargs; ++i) {
        int at = find(c, v, names[i], e->arg[i].key.at);
        const struct value *x = eval(c, e->arg[i].value);
        if (at >= 0) kid[at] = x;
        whole &= at >= 0 && x->kind != VAL_NONE;
    }
    return whole ? value_tuple(c, n, kid, e->at) : &value_none;
}

// The mode of "v" that all leaves of "stride" are of; -1 when they are of several, or of none.
static int source_of(const struct lay_tuple *stride, const int *mode_of, int n) {
    if (lay_is_leaf(stride)) {
        int path[3];
        if (stride->leaf.num == 0 || lay_int_basis_path(stride->leaf, path) != 1 || path[0] >= n)
            return -1;
        return mode_of[path[0]];
    }
    int mode = -1;
    for (int i = 0; i < stride->rank; ++i) {
        int one = source_of(stride->kid[i], mode_of, n);
        if (one < 0 || (mode >= 0 && one != mode)) return -1;
        mode = one;
    }
    return mode;
}

const char *const *names_derive(struct sema *c, const struct view *v, struct lay f) {
    if (!v->names || lay_is_leaf(v->layout.shape) || lay_is_leaf(f.shape)) return NULL;
    int mode_of[LAY_MAX_LEAVES], n = 0, rank = f.shape->rank;
    for (int i = 0; i < v->layout.shape->rank; ++i)
        for (int k = lay_tuple_leaves(v->layout.shape->kid[i]); k > 0; --k) mode_of[n++] = i;
    bool used[LAY_MAX_RANK] = {false}, any = false;
    const char **name = ARENA_ARRAY(&c->s->arena, const char *, rank + 1);
    for (int i = 0; i < rank; ++i) {
        int m = source_of(f.stride->kid[i], mode_of, n);
        if (m < 0 || used[m] || !v->names[m]) continue;
        struct lay_int was = lay_tuple_product(c->lay, v->layout.shape->kid[m]);
        if (!lay_int_equal(lay_tuple_product(c->lay, f.shape->kid[i]), was)) continue;
        used[m] = any = true;
        name[i] = v->names[m];
    }
    return any ? name : NULL;
}

const char *const *names_divide(struct sema *c, const struct view *v, int divided, bool tiles,
                                int before) {
    if (!v->names || lay_is_leaf(v->layout.shape)) return NULL;
    int rank = v->layout.shape->rank, n = 0;
    const char **name = ARENA_ARRAY(&c->s->arena, const char *, before + divided + rank + 1);
    n += before;
    for (int i = 0; tiles && i < divided; ++i) name[n++] = v->names[i];
    for (int i = 0; i < rank; ++i) name[n++] = tiles && i < divided ? NULL : v->names[i];
    return name;
}

bool names_match(struct sema *c, struct copy *y) {
    if (!all_named(&y->src) || !all_named(&y->dst)) return true;
    int n = lay_rank(y->src.layout);
    if (n != lay_rank(y->dst.layout)) return true;
    struct lay id = view_identity(c->s, &y->dst);
    int mode[LAY_MAX_RANK];
    for (int i = 0; i < n; ++i)
        if ((mode[i] = find(c, &y->dst, y->src.names[i], y->dst.at)) < 0) return false;
    struct view by = view_map(c->s, y->dst, lay_select(c->lay, id, n, mode), y->dst.at);
    by.names = y->src.names;
    y->dst = by;
    return true;
}
