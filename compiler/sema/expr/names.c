// Names of modes: which modes get them, tuples that use them, and copies whose sides have their
// modes in different orders.
#include <string.h>

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
            diag_error(c->s, e->arg[i].value->at,
                       "mode %d has no name, and other modes have one, as in '(b=0, h=1)'; name "
                       "all or none",
                       i);
            for (int j = 0; j < e->nargs; ++j)
                if (e->arg[j].key.name && !strcmp(e->arg[j].key.name, "threads"))
                    diag_note(c->s, e->arg[j].key.at,
                              "the number of threads comes after the grid: 'grid (2) threads 128'");
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

// Whether every mode of "v" has a name.
static bool all_named(const struct view *v) {
    if (!v->names || !lay_valid(v->layout) || lay_is_leaf(v->layout.shape)) return false;
    for (int i = 0; i < v->layout.shape->rank; ++i)
        if (!v->names[i]) return false;
    return true;
}

// Something with modes that names can refer to.
struct named {
    int n;
    const char *const *names;  // NULL if no mode has a name; NULL entries for modes without one
    const char *text;          // for messages
    struct range at;           // where the names are given, if "given"
    bool given;
    const struct tensor *of;  // .. for a tensor or a part of one
};

static struct named modes_of(struct sema *c, const struct value *v) {
    if (v->kind == VAL_VIEW) {
        const struct tensor *t = v->view.base;
        bool has = v->view.names && lay_valid(v->view.layout);
        int n = has ? lay_rank(v->view.layout) : 0;
        return (struct named){n,     has ? v->view.names : NULL, sema_text(c, "'%s' here", t->name),
                              t->at, t->names != NULL,           t};
    }
    int n = v->kind == VAL_TUPLE ? v->rank : value_is_layout(v) ? lay_rank(v->calc.layout) : 0;
    const char *text = v->kind == VAL_TUPLE ? "the shape" : "the layout";
    return (struct named){n, n ? v->names : NULL, text, RANGE_NONE, false, NULL};
}

// Whether the tensor of "m" has a mode "name", which is in this part no more.
static bool is_taken(const struct named *m, const char *name) {
    if (!m->of || !m->given || !lay_valid(m->of->layout)) return false;
    for (int i = 0; i < lay_rank(m->of->layout); ++i)
        if (m->of->names[i] == name) return true;
    return false;
}

// The mode of "m" with the name "name"; reports an error at "at" and returns -1 if there is none.
static int find(struct sema *c, const struct named *m, const char *name, struct range at) {
    int k = 0;
    const char *list[LAY_MAX_RANK];
    for (int i = 0; i < m->n; ++i) {
        if (m->names[i] == name) return i;
        if (m->names[i]) list[k++] = m->names[i];
    }
    const char *near = diag_did_you_mean(name, list, k);
    diag_error(c->s, at,
               near ? "%s has no mode called '%s'; did you mean '%s'?"
                    : "%s has no mode called '%s'",
               m->text, name, near);
    if (m->given && k < m->n)
        diag_note(c->s, at, "a mode that an operation has made of several has no name");
    else if (is_taken(m, name))
        diag_note(c->s, m->at,
                  "'%s' has a mode '%s', for which this part of it has a coordinate already",
                  m->of->name, name);
    else if (m->given)
        diag_note(c->s, m->at, "its modes are named here");
    return -1;
}

// The place of the name "name" in "e", a tuple or a call with named arguments.
static struct range key_at(const struct ast_expr *e, const char *name) {
    for (int i = 0; (e->kind == E_TUPLE || e->kind == E_CALL) && i < e->nargs; ++i)
        if (e->arg[i].key.name == name) return e->arg[i].key.at;
    return e->at;
}

bool names_by_colon(struct sema *c, const struct ast_expr *e) {
    const char *f = e->lhs->name;
    if (f != intern(c->s, "row") && f != intern(c->s, "col")) return false;
    const struct ast_expr *x = e->nargs ? e->arg[0].value : NULL;
    if (!x || x->kind != E_LAYOUT || x->lhs->kind != E_NAME || scope_find(c, x->lhs->name))
        return false;
    diag_error(c->s, x->at, "the name of a mode comes before '=': '%s=%s'", x->lhs->name,
               ast_expr_text(c->s, x->rhs));
    for (int i = 0; i < e->nargs; ++i) {
        x = e->arg[i].value;
        if (x->kind != E_LAYOUT || x->lhs->kind != E_NAME) continue;
        struct range colon = {x->at.file, x->lhs->at.end, x->rhs->at.begin};
        diag_fixit(c->s, colon, "=");
    }
    return true;
}

bool names_none(struct sema *c, const struct value *v, struct range at, const char *what) {
    if (!v->names || v->kind == VAL_VIEW) return true;
    diag_error(c->s, at, "%s is matched by position; the name '%s' has no meaning here", what,
               v->names[0]);
    return false;
}

const struct value *names_drop(struct sema *c, const struct value *v) {
    if (!v->names) return v;
    struct value *r = ARENA_NEW(&c->s->arena, struct value);
    *r = *v;
    r->names = NULL;
    return r;
}

bool names_agree(struct sema *c, const struct value *a, const struct value *b, struct range at) {
    struct named x = modes_of(c, a), y = modes_of(c, b);
    if (!x.names || !y.names) return true;
    for (int i = 0; i < x.n && i < y.n; ++i) {
        if (x.names[i] == y.names[i] || !x.names[i] || !y.names[i]) continue;
        diag_error(c->s, at,
                   "mode %d is called '%s' on one side and '%s' on the other; here modes are "
                   "matched by position",
                   i, x.names[i], y.names[i]);
        return false;
    }
    return true;
}

// Sets "part" to the part of "v" for each mode of "m", by name; -1 if there is none.
static bool place(struct sema *c, const struct value *v, const struct named *m,
                  const struct ast_expr *e, int *part) {
    int n = v->kind == VAL_TUPLE ? v->rank : lay_rank(v->calc.layout);
    bool ok = true;
    for (int i = 0; i < m->n; ++i) part[i] = -1;
    if (!m->names) {
        diag_error(c->s, key_at(e, v->names[0]), "the modes of %s have no names", m->text);
        return false;
    }
    for (int i = 0; i < n; ++i) {
        int at = find(c, m, v->names[i], key_at(e, v->names[i]));
        if (at >= 0) part[at] = i;
        ok &= at >= 0;
    }
    return ok;
}

const struct value *names_sort(struct sema *c, const struct value *v, const struct value *of,
                               const struct ast_expr *e, const char *what) {
    if (!v->names || v->kind == VAL_VIEW) return v;
    struct named m = modes_of(c, of);
    int part[LAY_MAX_RANK];
    if (!place(c, v, &m, e, part)) return &value_none;
    for (int i = 0; what && i < m.n; ++i)
        if (part[i] < 0)
            return m.names[i] ? FAIL(c, e->at, "%s says nothing about mode '%s' of %s", what,
                                     m.names[i], m.text)
                              : FAIL(c, e->at, "%s is matched by name, and mode %d of %s has none",
                                     what, i, m.text);
    if (v->kind != VAL_TUPLE) return value_layout(c, lay_select(c->lay, v->calc.layout, m.n, part));
    const struct value *kid[LAY_MAX_RANK];
    for (int i = 0; i < m.n; ++i)
        kid[i] = part[i] < 0 ? value_of_tuple(c, lay_any(c->lay)) : v->kid[part[i]];
    return value_tuple(c, m.n, kid, e->at);
}

bool names_sort_args(struct sema *c, const struct call *call, const struct value **arg) {
    static const struct {
        char name[20];
        signed char arg, of;
        char what[20];  // the name of the argument in messages; empty if omitted parts are '_'
    } rows[] = {
        {"composition", 1, 0, "the tile"},          {"crd2idx", 0, 1, "the coordinate"},
        {"flat_divide", 1, 0, "the tile"},          {"local_partition", 1, 0, "the thread layout"},
        {"local_tile", 1, 0, "the tile"},           {"local_tile", 2, 0, "the coordinate"},
        {"logical_divide", 1, 0, "the tile"},       {"make_layout", 1, 0, "the stride"},
        {"make_ordered_layout", 1, 0, "the order"}, {"slice", 0, 1, ""},
        {"tile_to_shape", 2, 1, "the order"},       {"tiled_divide", 1, 0, "the tile"},
        {"zipped_divide", 1, 0, "the tile"},
    };
    static const char both[][20] = {"blocked_product", "raked_product", "tile_to_shape"};
    for (size_t i = 0; i < sizeof both / sizeof *both; ++i)
        if (strcmp(both[i], call->name) == 0 && !names_agree(c, arg[0], arg[1], call->e->at))
            return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        int at = rows[i].arg, of = rows[i].of;
        if (strcmp(rows[i].name, call->name) != 0 || at >= call->n || of >= call->n) continue;
        bool projected = call->n == 4 && strncmp(call->name, "local_", 6) == 0;
        if (projected) continue;  // its modes are not those of the tensor
        const struct ast_expr *e = call->e->arg[at].value;
        bool numbers = strcmp(call->name, "local_partition") == 0;
        if (!arg[at]->names || (arg[at]->kind != VAL_TUPLE && !numbers)) continue;
        if (numbers && arg[at]->kind == VAL_TUPLE) {  // the first mode of a tuple is the fastest
            struct lay l = value_to_layout(c, names_drop(c, arg[at]), e->at, rows[i].what);
            if (!lay_valid(l)) return false;
            arg[at] = names_give(c, value_layout(c, l), arg[at]->names, arg[at]->rank);
        }
        arg[at] = names_sort(c, arg[at], arg[of], e, *rows[i].what ? rows[i].what : NULL);
        if (arg[at]->kind == VAL_NONE) return false;
    }
    return true;
}

const struct value *names_coord(struct sema *c, const struct value *v, const struct ast_expr *e) {
    const char *const *names;
    if (!names_of_args(c, e, &names)) return &value_none;
    const struct value *kid[LAY_MAX_RANK];
    bool whole = true;
    for (int i = 0; i < e->nargs; ++i) {
        kid[i] = eval(c, e->arg[i].value);
        whole &= kid[i]->kind != VAL_NONE;
    }
    if (!whole) return &value_none;
    const struct value *at = value_tuple(c, e->nargs, kid, e->at);
    return names_sort(c, names_give(c, at, names, e->nargs), v, e, NULL);
}

// The mode of "v" that all leaves of "stride" belong to; -1 for several or none.
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
    struct named dst = modes_of(c, value_view(c, y->dst));
    for (int i = 0; i < n; ++i)
        if ((mode[i] = find(c, &dst, y->src.names[i], y->dst.at)) < 0) {
            diag_note(c->s, y->src.at,
                      "modes of the two sides belong together by their names, and '%s' here has "
                      "'%s'",
                      y->src.base->name, y->src.names[i]);
            return false;
        }
    struct view by = view_map(c->s, y->dst, lay_select(c->lay, id, n, mode), y->dst.at);
    by.names = y->src.names;
    y->dst = by;
    return true;
}
