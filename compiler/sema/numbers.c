// Meshes whose numbers of devices are params: a mesh for each number, and what depends on it with the number
// in the place of the param.
#include <inttypes.h>

#include "base/session.h"
#include "plan/bind.h"
#include "plan/family.h"
#include "plan/relation.h"
#include "sema/expr/expr.h"
#include "sema/mesh.h"

bool mesh_may_have(struct sema *c, const struct param *p, struct range at) {
    const struct lay_sym *y = p->sym;
    if (y->lo >= 1 && y->hi <= MESH_DEVICES) return true;
    diag_error(c->s, at,
               "a mesh has 1 .. %d devices, and '%s' is promised to be in %" PRId64 " .. %" PRId64,
               MESH_DEVICES, p->name, y->lo, y->hi);
    diag_note(c->s, p->at, "promise fewer: 'param %s : index in 1 .. %d', for example", p->name,
              MESH_DEVICES / 2);
    return false;
}

void mesh_step(struct mesh *m) {
    int64_t step = 1;
    for (int i = m->naxes - 1; i >= 0; --i) {
        m->step[i] = step;
        step *= m->size[i];
    }
}

// The meshes that are made of one.
struct numbering {
    struct sema *c;
    struct mesh one;
    int64_t *value;  // of params, by symbol
    const struct mesh **list;
    int n, all;
    bool right;
};

// Whether some promise of the params is broken.
static bool is_broken(const struct numbering *x) {
    bool broken = false;
    for (int i = 0; i < x->c->nrelations; ++i)
        broken |= relation_broken(x->c->relation[i], x->value);
    return broken;
}

// "D * T" of the sizes of "m".
static const char *product_text(struct sema *c, const struct mesh *m) {
    const char *text = "";
    for (int i = 0; i < m->naxes; ++i) {
        const char *times = i ? " * " : "";
        text = m->by[i] ? sema_text(c, "%s%s%s", text, times, m->by[i]->name)
                        : sema_text(c, "%s%s%" PRId64, text, times, m->size[i]);
    }
    return text;
}

// Adds the mesh of these numbers.
static void add_number(struct numbering *x) {
    struct sema *c = x->c;
    if (is_broken(x)) return;
    x->one.devices = 1;
    for (int i = 0; i < x->one.naxes; ++i) x->one.devices *= x->one.size[i];
    if (x->one.devices > MESH_DEVICES) {
        if (x->right) {
            diag_error(c->s, x->one.at,
                       "a mesh has 1 .. %d devices, and it is not promised that this one has not "
                       "%" PRId64 " (%s)",
                       MESH_DEVICES, x->one.devices, family_numbers(c->s, &x->one));
            diag_note(c->s, x->one.at, "promise fewer, or relate them: 'where %s <= %d'",
                      product_text(c, &x->one), MESH_DEVICES);
        }
        x->right = false;
        return;
    }
    if (++x->all > MESH_NUMBERS) return;
    struct mesh *m = ARENA_NEW(&c->s->arena, struct mesh);
    *m = x->one;
    mesh_step(m);
    x->list[x->n++] = m;
}

// Gives axis "i" and those behind it each of their numbers.
static void each_number(struct numbering *x, int i) {
    if (i == x->one.naxes) {
        add_number(x);
        return;
    }
    const struct lay_sym *y = x->one.by[i] ? x->one.by[i]->sym : NULL;
    bool bound = y && x->value[y->id] != PLAN_UNBOUND;  // another axis has the same param
    if (bound) x->one.size[i] = x->value[y->id];
    if (!y || bound) {
        each_number(x, i + 1);
        return;
    }
    for (int64_t v = (y->lo + y->mul - 1) / y->mul * y->mul; v <= y->hi; v += y->mul) {
        x->one.size[i] = x->value[y->id] = v;
        each_number(x, i + 1);
    }
    x->value[y->id] = PLAN_UNBOUND;
}

bool mesh_number(struct sema *c, struct mesh *m) {
    struct numbering x = {.c = c, .one = *m, .right = true};
    x.one.of = m;
    x.list = ARENA_ARRAY(&c->s->arena, const struct mesh *, MESH_NUMBERS);
    x.value = ARENA_ARRAY(&c->s->arena, int64_t, c->lay->next_sym + 1);
    for (int i = 0; i < c->lay->next_sym; ++i) x.value[i] = PLAN_UNBOUND;
    each_number(&x, 0);
    if (x.right && x.all > MESH_NUMBERS)
        diag_error(c->s, m->at,
                   "%d numbers of devices, each of which gets kernels of its own; the limit is %d: "
                   "promise fewer, such as 'index %% 2'",
                   x.all, MESH_NUMBERS);
    if (x.right && x.all == 0)
        diag_error(c->s, m->at, "no number of devices keeps the promises of the params");
    m->number = x.list;
    m->nnumbers = x.n;
    return x.right && x.all > 0 && x.all <= MESH_NUMBERS;
}

const char *mesh_ending(struct sema *c, const struct mesh *m) {
    const char *text = "";
    for (int i = 0; m->of && i < m->naxes; ++i)
        if (m->by[i]) text = sema_text(c, "%s_%" PRId64, text, m->size[i]);
    return text;
}

void mesh_note_number(struct sema *c, const struct mesh *m, struct range at) {
    if (m->of) diag_note(c->s, at, "this is so if %s", family_numbers(c->s, m));
}

bool mesh_promises(struct sema *c, const struct mesh *m) {
    for (int i = 0; i < c->nrelations; ++i) {
        const struct relation *r = c->relation[i];
        const struct param *ours = NULL, *other = NULL;
        for (int k = 0; k < r->nparams && !r->of_sum; ++k) {
            bool is = false;
            for (int j = 0; j < m->naxes; ++j) is |= m->by[j] == r->param[k];
            *(is ? &ours : &other) = r->param[k];
        }
        if (!ours || !other) continue;
        sema_not_yet(c, r->at,
                     sema_text(c,
                               "a promise that '%s', a number of devices, and '%s' fulfil "
                               "together, for a kernel between devices",
                               ours->name, other->name));
        return false;
    }
    return true;
}

// -- the number in the place of the param ---------------------------------------------------------

// The number of "y" in "m"; 0: it is none of its params.
static int64_t number_of(const struct mesh *m, const struct lay_sym *y) {
    int64_t n = 0;
    for (int i = 0; i < m->naxes; ++i)
        if (m->by[i] && m->by[i]->sym == y) n = m->size[i];
    return n;
}

// Whether "y" is a sum with a param of "m".
static bool sum_has_number(const struct sema *c, const struct mesh *m, const struct lay_sym *y) {
    const struct ix *sum = NULL;
    bool has = false;
    for (int i = 0; i < c->plan->nparams; ++i)
        if (c->param[i]->sym == y) sum = c->param[i]->sum;
    for (int i = 0; sum && i < m->naxes; ++i) has |= m->by[i] && ix_speaks_of(sum, m->by[i]->sym);
    return has;
}

// "x" with the numbers of "m"; invalid if one is in a sum, or the result does not fit.
static struct lay_int numbered(struct sema *c, struct lay_int x, const struct mesh *m) {
    struct lay_int out = lay_int(x.num);
    for (int i = 0; i < x.nsyms; ++i) {
        const struct lay_sym *y = x.syms[i];
        int64_t n = number_of(m, y);
        if (sum_has_number(c, m, y)) return LAY_INT_INVALID;
        struct lay_int factor =
            n         ? lay_int(n)
            : y->name ? lay_int_sym(c->lay, y)
                      : lay_int_ceil_div(c->lay, numbered(c, y->of, m), lay_int(y->by));
        out = lay_int_mul(c->lay, out, factor);
    }
    return x.den == 1 ? out : lay_int_div(c->lay, out, lay_int(x.den));
}

struct lay mesh_layout(struct sema *c, struct lay l, const struct mesh *m, struct range at) {
    const struct lay_tuple *shape[LAY_MAX_RANK], *stride[LAY_MAX_RANK];
    int rank = lay_rank(l);
    bool right = true;
    for (int i = 0; i < rank; ++i) {
        struct lay_int e = numbered(c, l.shape->kid[i]->leaf, m);
        struct lay_int d = numbered(c, l.stride->kid[i]->leaf, m);
        right &= lay_int_valid(e) && lay_int_valid(d);
        shape[i] = lay_leaf(c->lay, e);
        stride[i] = lay_leaf(c->lay, d);
    }
    if (right)
        return lay_make(c->lay, lay_tuple(c->lay, rank, shape), lay_tuple(c->lay, rank, stride));
    lay_clear_error(c->lay);
    sema_not_yet(c, at, "a number of devices in a sum of a tensor that is over them");
    return (struct lay){0};
}
