// Meshes of devices, and the parts of tensors on them: "mesh g (4);", "tensor A : .. over (g: m);".
#include <inttypes.h>
#include <string.h>

#include "sema/decl.h"
#include "sema/expr/expr.h"
#include "sema/mesh.h"
#include "sema/stmt/stmt.h"

// Parts begin at multiples of so many elements, so that they are aligned like their tensor.
enum { PARTS_AT = 256, PARTS_ALIGN = 16 };
static const int64_t most_apart = INT64_C(1) << 40;

// The param that "e" names; NULL: it is another expression.
static const struct param *named_param(struct sema *c, const struct ast_expr *e) {
    const struct symbol *sym = e->kind == E_NAME ? scope_find(c, e->name) : NULL;
    for (int i = 0; sym && sym->kind == SYM_PARAM && i < c->plan->nparams; ++i)
        if (c->param[i]->name == sym->name && !c->param[i]->sum) return c->param[i];
    return NULL;
}

// Sets the size of axis "i", or the param that it is; false after an error.
static bool axis_size(struct sema *c, const struct ast_expr *e, int i, struct mesh *m) {
    m->by[i] = named_param(c, e);
    if (m->by[i]) {
        scope_use(c, scope_find(c, e->name), e->at);
        return mesh_may_have(c, m->by[i], e->at);
    }
    if (!eval_int64(c, e, "the size of an axis of a mesh", &m->size[i])) return false;
    bool fits = m->size[i] >= 1 && m->size[i] <= MESH_DEVICES;
    if (fits) m->devices *= m->size[i];
    if (fits && m->devices <= MESH_DEVICES) return true;
    diag_error(c->s, e->at, "a mesh has 1 .. %d devices", MESH_DEVICES);
    return false;
}

void declare_mesh(struct sema *c, const struct ast_decl *d) {
    struct mesh *m = ARENA_NEW(&c->s->arena, struct mesh);
    *m = (struct mesh){.at = d->at, .devices = 1};
    bool ok = true, any = false;
    if (d->mesh.nnames != d->mesh.nsizes) {
        diag_error(c->s, d->at,
                   "a mesh of %d axes with %d sizes; each axis has one: mesh (dp, tp) (2, 4)",
                   d->mesh.nnames, d->mesh.nsizes);
        ok = false;
    } else if (d->mesh.nnames > MESH_AXES) {
        diag_error(c->s, d->at, "a mesh of %d axes; the limit is %d", d->mesh.nnames, MESH_AXES);
        ok = false;
    }
    for (int i = 0; ok && i < d->mesh.nsizes; ++i) {
        ok = axis_size(c, d->mesh.size[i].value, i, m);
        any |= m->by[i] != NULL;
        m->axis[i] = d->mesh.name[i].name;
        m->naxes = i + 1;
    }
    if (ok && any) ok = mesh_number(c, m);
    mesh_step(m);
    for (int i = 0; i < d->mesh.nnames; ++i) {
        const struct value *size = !ok        ? &value_none
                                   : m->by[i] ? value_lay_int(c, lay_int_sym(c->lay, m->by[i]->sym))
                                              : value_static(c, m->size[i]);
        struct symbol *sym = scope_declare(c, d->mesh.name[i], SYM_AXIS, size);
        if (sym) sym->mesh = ok ? m : NULL;
    }
}

// -- over -----------------------------------------------------------------------------------------

// The number of the mode of "t" that "e" names or counts; -1 after an error.
static int mode_of(struct sema *c, const struct tensor *t, const struct ast_expr *e) {
    int rank = lay_rank(t->layout);
    int64_t n = -1;
    if (e->kind == E_INT) n = e->ival;
    for (int i = 0; e->kind == E_NAME && t->names && i < rank; ++i)
        if (t->names[i] == e->name) n = i;
    if (n >= 0 && n < rank) return (int)n;
    if (e->kind == E_NAME && t->names)
        diag_error(c->s, e->at, "'%s' has no mode '%s'", t->name, e->name);
    else if (e->kind == E_NAME)
        diag_error(c->s, e->at,
                   "the modes of '%s' have no names; give them, 'row(%s=..)', or count from 0",
                   t->name, e->name);
    else
        diag_error(c->s, e->at, "a mode of '%s' is expected: a name, or a number below %d", t->name,
                   rank);
    return -1;
}

// Sets the axis and the mode of "e", an argument of "over".
static bool one_axis(struct sema *c, const struct tensor *t, const struct ast_arg *arg,
                     struct spread *x) {
    const struct ast_expr *e = arg->value;
    if (arg->key.name || e->kind != E_LAYOUT || e->lhs->kind != E_NAME) {
        diag_error(c->s, e->at,
                   "'over' takes an axis of a mesh and the mode that it cuts: over (g: m)");
        return false;
    }
    struct symbol *sym = scope_find(c, e->lhs->name);
    if (!sym) {
        scope_unknown(c, e->lhs->name, e->lhs->at);
        return false;
    }
    scope_use(c, sym, e->lhs->at);
    if (sym->kind != SYM_AXIS) {
        diag_error(c->s, e->lhs->at, "'%s' is %s; an axis of a mesh is expected", sym->name,
                   symbol_kind_text(sym->kind));
        return false;
    }
    if (!sym->mesh) return false;
    if (x->mesh && x->mesh != sym->mesh) {
        diag_error(c->s, e->lhs->at, "'%s' is an axis of another mesh; a tensor is over one",
                   sym->name);
        return false;
    }
    x->mesh = sym->mesh;
    int axis = 0;
    while (x->mesh->axis[axis] != sym->name) ++axis;
    if (x->mode[axis] != -2) {
        diag_error(c->s, e->lhs->at, "'%s' is given twice", sym->name);
        return false;
    }
    x->mode[axis] = -1;
    if (e->rhs->kind == E_WILD) return true;
    bool partial = e->rhs->kind == E_NAME && strcmp(e->rhs->name, "partial") == 0;
    for (int i = 0; t->names && i < lay_rank(t->layout); ++i)
        partial &= t->names[i] != e->rhs->name;
    if (partial) {
        sema_not_yet(c, e->rhs->at,
                     "a tensor whose elements are sums over devices; reduce them first, with NCCL");
        return false;
    }
    return (x->mode[axis] = mode_of(c, t, e->rhs)) >= 0;
}

// Refuses to cut mode "m" along several axes.
static void uneven_parts(struct sema *c, const struct tensor *t, const struct spread *x, int m,
                         struct range at) {
    const char *extent = lay_int_text(c->lay, t->layout.shape->kid[m]->leaf);
    int64_t n = 1;
    for (int i = 0; i < x->mesh->naxes; ++i)
        if (x->mode[i] == m) n *= x->mesh->size[i];
    sema_not_yet(c, at,
                 sema_text(c,
                           "parts that are not equal, by several axes: these have %" PRId64
                           " devices, and the extent %s is not known to be a multiple; promise "
                           "it, 'index %% %" PRId64 "', or let all parts be as large as the "
                           "first, '%" PRId64 "*ceil_div(%s,%" PRId64 ")'",
                           n, extent, n, n, extent, n));
}

// The extent of mode "m" of a part; invalid after an error.
static struct lay_int part_extent(struct sema *c, const struct tensor *t, const struct spread *x,
                                  int m, struct range at) {
    struct lay_int e = t->layout.shape->kid[m]->leaf;
    for (int i = 0; i < x->mesh->naxes; ++i) {
        if (x->mode[i] != m || x->mesh->size[i] == 1) continue;
        int64_t n = x->mesh->size[i];
        bool once = true;
        for (int k = 0; k < x->mesh->naxes; ++k)
            once &= k == i || x->mode[k] != m || x->mesh->size[k] == 1;
        struct lay_int part =
            lay_int_divisible(e, n) ? lay_int_div(c->lay, e, lay_int(n))
            : once ? lay_int_ceil_div(c->lay, e, lay_int(n))  // the last ones are shorter
                   : LAY_INT_INVALID;
        if (!lay_int_valid(part)) {
            lay_clear_error(c->lay);
            uneven_parts(c, t, x, m, at);
            return LAY_INT_INVALID;
        }
        e = part;
    }
    return e;
}

// Sets the strides of a part with the extents "e", which follow each other like those of "t"; false
// after an error.
static bool part_strides(struct sema *c, const struct tensor *t, const struct lay_int *e,
                         struct lay_int *stride, struct range at) {
    int rank = lay_rank(t->layout), done = 0;
    bool used[LAY_MAX_RANK] = {false};
    struct lay_int whole = lay_int(1), part = lay_int(1);
    for (bool grew = true; grew;) {
        grew = false;
        for (int i = 0; i < rank; ++i) {
            struct lay_int d = t->layout.stride->kid[i]->leaf, n = t->layout.shape->kid[i]->leaf;
            if (used[i] || !(lay_int_equal(d, whole) || lay_int_is(n, 1))) continue;
            used[i] = grew = true;
            ++done;
            stride[i] = part;
            whole = lay_int_mul(c->lay, whole, n);
            part = lay_int_mul(c->lay, part, e[i]);
        }
    }
    if (done == rank && lay_int_valid(whole) && lay_int_valid(part)) return true;
    lay_clear_error(c->lay);
    sema_not_yet(
        c, at,
        sema_text(c,
                  "a tensor over devices whose elements do not follow each other, %s; 'row' and "
                  "'col' make such layouts",
                  lay_text(c->lay, t->layout)));
    return false;
}

// A name that the plan has not, nor declares below.
static const char *apart_name(struct sema *c, const char *tensor, const struct mesh *m) {
    const char *name = intern(c->s, sema_text(c, "%s_apart%s", tensor, mesh_ending(c, m)));
    while (scope_find(c, name) || scope_comes(c, name))
        name = intern(c->s, sema_text(c, "%s_", name));
    return name;
}

// Declares how far apart the parts of "t" are, of "n" elements each.
static struct param *declare_apart(struct sema *c, const struct tensor *t, struct lay_int n,
                                   struct range at) {
    struct ast_ident name = {apart_name(c, t->name, t->spread->mesh), at};
    struct param *p = ARENA_NEW(&c->s->arena, struct param);
    *p = (struct param){.name = name.name,
                        .sym = lay_param(c->lay, name.name, PARTS_AT, PARTS_AT, most_apart),
                        .at = at,
                        .apart = true,
                        .numbered = t->spread->mesh->of != NULL};
    const struct value *v = value_lay_int(c, lay_int_sym(c->lay, p->sym));
    struct symbol *sym = scope_declare(c, name, SYM_BUILTIN, v);  // the plan does not name it
    if (!sym || !param_add(c, p)) return NULL;
    sym->used = true;
    struct relation *r = ARENA_NEW(&c->s->arena, struct relation);
    *r = (struct relation){.a = ix_lay(c->s, lay_int_sym(c->lay, p->sym)),
                           .b = ix_lay(c->s, n),
                           .op = ">=",
                           .text = sema_text(c, "%s >= %s", name.name, lay_int_text(c->lay, n)),
                           .at = at};
    collect_relation(c, r);
    GROW(c, c->relation, c->nrelations, c->cap_relation);
    c->relation[c->nrelations++] = r;
    return p;
}

// The layout of all parts: a mode that axes cut is that of a part and one for each of these, the last
// axis first.
static struct lay all_parts(struct sema *c, const struct spread *x) {
    int rank = lay_rank(x->part);
    const struct lay_tuple *shape[LAY_MAX_RANK], *stride[LAY_MAX_RANK];
    struct lay_int apart = lay_int_sym(c->lay, x->apart->sym);
    for (int m = 0; m < rank; ++m) {
        const struct lay_tuple *e[MESH_AXES + 1] = {x->part.shape->kid[m]},
                                              *d[MESH_AXES + 1] = {x->part.stride->kid[m]};
        int n = 1;
        for (int i = x->mesh->naxes - 1; i >= 0; --i) {
            if (x->mode[i] != m || x->mesh->size[i] == 1) continue;
            e[n] = lay_leaf_of(c->lay, x->mesh->size[i]);
            d[n++] = lay_leaf(c->lay, lay_int_mul(c->lay, apart, lay_int(x->mesh->step[i])));
        }
        shape[m] = n > 1 ? lay_tuple(c->lay, n, e) : e[0];
        stride[m] = n > 1 ? lay_tuple(c->lay, n, d) : d[0];
    }
    return lay_make(c->lay, lay_tuple(c->lay, rank, shape), lay_tuple(c->lay, rank, stride));
}

// Gives "t" the layout of the parts that t->spread says; false after an error at "at", which "over" is, or
// the layout at "shape_at".
static bool cut_tensor(struct sema *c, struct tensor *t, struct spread *x, struct range at,
                       struct range shape_at) {
    const struct lay l = t->layout;
    int rank = lay_rank(l);
    struct lay_int e[LAY_MAX_RANK], d[LAY_MAX_RANK], n = lay_int(1);
    const struct lay_tuple *shape[LAY_MAX_RANK], *stride[LAY_MAX_RANK];
    for (int m = 0; m < rank; ++m) {
        x->whole[m] = l.shape->kid[m]->leaf;
        e[m] = part_extent(c, t, x, m, at);
        if (!lay_int_valid(e[m])) return false;
        n = lay_int_mul(c->lay, n, e[m]);
    }
    if (!part_strides(c, t, e, d, shape_at)) return false;
    for (int m = 0; m < rank; ++m) {
        shape[m] = lay_leaf(c->lay, e[m]);
        stride[m] = lay_leaf(c->lay, d[m]);
    }
    t->spread = x;
    x->part = lay_make(c->lay, lay_tuple(c->lay, rank, shape), lay_tuple(c->lay, rank, stride));
    x->apart = declare_apart(c, t, n, at);
    if (!x->apart) return false;
    t->layout = all_parts(c, x);
    // a launcher sees the addresses of its own device alone
    if (t->align < PARTS_ALIGN) t->align = PARTS_ALIGN;
    return lay_valid(t->layout);
}

// Makes the tensor for each number of devices; false after an error.
static bool cut_by_number(struct sema *c, struct tensor *t, struct spread *x, struct range at,
                          struct range shape_at) {
    const struct mesh *m = x->mesh;
    struct tensor **list = ARENA_ARRAY(&c->s->arena, struct tensor *, m->nnumbers);
    for (int i = 0; i < m->nnumbers; ++i) {
        struct spread *y = ARENA_NEW(&c->s->arena, struct spread);
        struct tensor *of = list[i] = ARENA_NEW(&c->s->arena, struct tensor);
        *y = *x;
        y->mesh = m->number[i];
        *of = *t;
        of->layout = mesh_layout(c, t->layout, y->mesh, shape_at);
        if (!lay_valid(of->layout)) return false;
        if (cut_tensor(c, of, y, at, shape_at)) continue;
        mesh_note_number(c, y->mesh, at);
        return false;
    }
    for (int i = 0; i < lay_rank(t->layout); ++i) x->whole[i] = t->layout.shape->kid[i]->leaf;
    x->number = list;
    t->spread = x;
    return true;
}

bool spread_tensor(struct sema *c, struct tensor *t, const struct ast_type *type) {
    if (!type->over_at.end) return true;
    if (t->space != MEM_GLOBAL) {
        diag_error(c->s, type->over_at, "'%s' is %s; a tensor over devices is global", t->name,
                   space_place(t->space));
        return false;
    }
    struct spread *x = ARENA_NEW(&c->s->arena, struct spread);
    *x = (struct spread){.mode = {-2, -2, -2, -2}};
    if (type->nover == 0) {
        diag_error(c->s, type->over_at, "'over' names axes of a mesh: over (g: m), over (g: _)");
        return false;
    }
    for (int i = 0; i < type->nover; ++i)
        if (!one_axis(c, t, &type->over[i], x)) return false;
    for (int i = 0; i < MESH_AXES; ++i)
        if (x->mode[i] == -2) x->mode[i] = -1;
    const struct lay l = t->layout;
    bool plain = l.shape->rank > 0 && !l.sw.b && lay_int_is(l.offset, 0);
    for (int m = 0; plain && m < lay_rank(l); ++m) plain = lay_is_leaf(l.shape->kid[m]);
    if (!plain) {
        sema_not_yet(
            c, type->shape->at,
            "a tensor over devices with nested modes, a swizzle or an offset; give it plain modes: "
            "row(M,N)");
        return false;
    }
    return (x->mesh->number ? cut_by_number : cut_tensor)(c, t, x, type->over_at, type->shape->at);
}

bool spread_nowhere(struct sema *c, const struct ast_type *type) {
    if (!type->over_at.end) return true;
    diag_error(c->s, type->over_at,
               "a tensor over devices is declared at top level, not in a list");
    return false;
}
