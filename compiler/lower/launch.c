// Makes the launcher of a kernel: what it checks, in which order, and what it launches.
//
// Requires: the kernel and its variants as Kernel IR.  Values computed from params are checked to
// fit 64 bits before they are used.  Nothing is required of tensors without elements.
#include "base/session.h"
#include "lower/private.h"
#include "plan/c_names.h"

struct making {
    struct session *s;
    const struct kir_kernel *k;  // the first variant of the last case
    const struct plan *of;
    const struct kernel *plan;
    struct kir_check *check;
    int nchecks, cap;
    bool told;  // a value computed by the body may not fit
};

static struct kir_check *add_check(struct making *m, enum kir_check_kind kind) {
    m->check = arena_more(&m->s->arena, m->check, sizeof *m->check, m->nchecks, &m->cap);
    struct kir_check *c = &m->check[m->nchecks++];
    *c = (struct kir_check){.kind = kind};
    return c;
}

// Adds the check that "e" fits 64 bits, for what follows.
static void check_fits(struct making *m, const char *what, const struct ix *e) {
    if (!ix_may_overflow(e)) return;
    struct kir_check *c = add_check(m, KIR_CHECK_EXACT);
    c->what = what;
    c->value = e;
}

static const struct ix *bytes(struct session *s, const struct kir_tensor *t) {
    return ix_scale(s, t->part_span ? t->part_span : t->span, lay_int(t->elem->bits / 8));
}

// Whether "e" speaks of how far parts on devices are apart.  No launcher knows that: a device has its own
// part, which is checked.
static bool across(const struct kir_kernel *k, const struct ix *e) {
    bool any = false;
    for (int i = 0; e && i < k->nparams; ++i)
        any |= k->param[i].apart && ix_speaks_of(e, k->param[i].sym);
    return any;
}

// The body computes "e", which may not fit: checks "most", if params determine it.
static void check_body(void *user, const struct ix *e, const struct ix *most) {
    struct making *m = user;
    int64_t value;
    if (across(m->k, most)) return;
    for (int i = 0; most && i < m->nchecks; ++i)
        if (m->check[i].kind == KIR_CHECK_EXACT && ix_equal(m->check[i].value, most)) return;
    if (most && !ix_static(most, &value)) {
        check_fits(m, "index", most);
        return;
    }
    if (m->told) return;
    m->told = true;
    diag_error(m->s, m->plan->at, "what kernel '%s' computes may not fit 64 bits: %s", m->k->name,
               ix_text(m->s, e));
}

// -- tensors without elements ---------------------------------------------------------------------

// A param that is zero if and only if the extent "e" is, such as M for ceil_div(M, 64); otherwise "e".
static const struct ix *zero_with(struct session *s, const struct ix *e) {
    struct lay_int x;
    while (ix_monomial(e, &x) && x.nsyms == 1 && (!x.syms[0]->name || x.num != 1 || x.den != 1)) {
        const struct lay_sym *y = x.syms[0];
        x = (struct lay_int){.num = 1, .den = 1, .nsyms = 1, .syms = x.syms, .basis = -1};
        e = ix_lay(s, y->name ? x : y->of);
    }
    return e;
}

// Whether one of the first "n" extents of "t" is zero if "e", a result of zero_with, is.
static bool has_extent(struct session *s, const struct kir_tensor *t, int n, const struct ix *e) {
    for (int i = 0; i < n; ++i)
        if (ix_equal(zero_with(s, t->extent[i]), e)) return true;
    return false;
}

// Whether nothing is written if "n" is zero.
static bool empties_all(struct session *s, const struct kir_kernel *k, const struct ix *n) {
    bool any = false;
    for (int i = 0; i < k->ntensors; ++i) {
        const struct kir_tensor *t = &k->tensor[i];
        any |= t->written;
        if (t->written && !has_extent(s, t, t->nextents, n)) return false;
    }
    return any;
}

// The extents of "t" that may be zero: with "all" those with which nothing is written, otherwise
// the others.
static struct kir_extents empties(const struct making *m, const struct kir_tensor *t, bool all) {
    const struct ix **extent = ARENA_ARRAY(&m->s->arena, const struct ix *, t->nextents + 1);
    struct kir_extents x = {extent, 0};
    for (int i = 0; i < t->nextents; ++i) {
        const struct ix *e = zero_with(m->s, t->extent[i]);
        if (e->lo <= 0 && !has_extent(m->s, t, i, e) && empties_all(m->s, m->k, e) == all)
            extent[x.n++] = e;
    }
    return x;
}

// The extents of "a" and "b", each once.
static struct kir_extents either(const struct making *m, struct kir_extents a,
                                 struct kir_extents b) {
    const struct ix **extent = ARENA_ARRAY(&m->s->arena, const struct ix *, a.n + b.n + 1);
    struct kir_extents x = {extent, 0};
    for (int i = 0; i < a.n + b.n; ++i) {
        const struct ix *e = i < a.n ? a.extent[i] : b.extent[i - a.n];
        bool again = false;
        for (int j = 0; j < x.n; ++j) again |= ix_equal(extent[j], e);
        if (!again) extent[x.n++] = e;
    }
    return x;
}

// Whether extent "j" of tensor "i" is zero with an earlier one of a written tensor.
static bool is_earlier(const struct making *m, int i, int j) {
    const struct kir_tensor *t = m->k->tensor;
    const struct ix *e = zero_with(m->s, t[i].extent[j]);
    for (int n = 0; n < i; ++n)
        if (t[n].written && has_extent(m->s, &t[n], t[n].nextents, e)) return true;
    return has_extent(m->s, &t[i], j, e);
}

// Adds the check that returns early if there is nothing to write; pointers are then not checked.
static void nothing_to_do(struct making *m) {
    const struct kir_kernel *k = m->k;
    struct kir_extents *each = ARENA_ARRAY(&m->s->arena, struct kir_extents, k->ntensors + 1);
    int written = 0;
    bool may_be = true;
    for (int i = 0; i < k->ntensors; ++i) {
        const struct kir_tensor *t = &k->tensor[i];
        for (int j = 0; t->written && j < t->nextents; ++j) {
            struct kir_tensor one = {.extent = &t->extent[j], .nextents = 1};
            struct kir_extents *zero = ARENA_NEW(&m->s->arena, struct kir_extents);
            *zero = empties(m, &one, true);
            if (zero->n == 0 || is_earlier(m, i, j)) continue;
            struct kir_check *c = add_check(m, KIR_CHECK_NOTHING);
            c->empty = zero;
            c->nempty = 1;
        }
        if (!t->written) continue;
        each[written] = empties(m, t, false);
        may_be &= each[written].n > 0;
        ++written;
    }
    if (written < 2 || !may_be) return;
    struct kir_check *c = add_check(m, KIR_CHECK_NOTHING);
    c->empty = each;
    c->nempty = written;
}

static void check_maps(struct making *m, const struct kir_kernel *k) {
    for (int i = 0; i < k->nmaps; ++i) {
        const struct kir_map *x = k->map[i];
        const struct kir_tensor *t = &k->tensor[x->tensor];
        for (int j = 0; j < x->rank; ++j)
            check_fits(m, t->name, ix_scale(m->s, x->stride[j], lay_int(t->elem->bits / 8)));
    }
}

// -- all checks -----------------------------------------------------------------------------------

static void check_params(struct making *m) {
    const struct kir_kernel *k = m->k;
    for (int i = 0; i < k->nparams; ++i) {
        const struct kir_param *p = &k->param[i];
        if (p->apart) continue;
        if (p->sum) {
            check_fits(m, p->name, p->sum);
            add_check(m, KIR_CHECK_SUM)->param = p;
            if (p->sum->lo < p->lo || p->sum->hi > p->hi) add_check(m, KIR_CHECK_RANGE)->param = p;
            continue;  // what divides it follows from the others
        }
        add_check(m, KIR_CHECK_RANGE)->param = p;
        if (p->mul > 1) add_check(m, KIR_CHECK_MULTIPLE)->param = p;
    }
    for (int i = 0; i < k->nrelations; ++i) {
        const struct kir_relation *r = &k->relation[i];
        if (across(k, r->a) || across(k, r->b)) continue;
        check_fits(m, r->text, r->a);
        check_fits(m, r->text, r->b);
        add_check(m, KIR_CHECK_RELATION)->relation = r;
    }
}

static void check_tensors(struct making *m) {
    const struct kir_kernel *k = m->k;
    for (int i = 0; i < k->ntensors; ++i) {
        struct kir_check *c = add_check(m, KIR_CHECK_POINTER);
        c->tensor[0] = &k->tensor[i];
        c->unless = empties(m, &k->tensor[i], false);
    }
    for (int i = 0; i < k->ntensors; ++i) {
        for (int j = 0; j < i; ++j) {
            const struct kir_tensor *one = &k->tensor[j], *two = &k->tensor[i];
            if (!one->written && !two->written) continue;
            struct kir_check *c = add_check(m, KIR_CHECK_OVERLAP);
            c->tensor[0] = one;
            c->tensor[1] = two;
            c->bytes[0] = bytes(m->s, one);
            c->bytes[1] = bytes(m->s, two);
            c->between = one->stride && two->stride && !one->part_span && !two->part_span &&
                         (one->gaps || two->gaps);
            // a tensor without elements overlaps nothing
            c->unless = either(m, empties(m, one, false), empties(m, two, false));
        }
    }
}

// -- what is launched -----------------------------------------------------------------------------

static void conditions_of(const struct making *m, const struct kernel *of, const struct variant *v,
                          struct kir_variant *out) {
    struct kir_condition *when = ARENA_ARRAY(&m->s->arena, struct kir_condition, v->nwhen + 1);
    for (int i = 0; i < v->nwhen; ++i) {
        const struct condition *c = &v->when[i];
        when[i].by = c->by;
        if (!c->tensor) when[i].value = ix_lay(m->s, c->value);
        when[i].may_overflow = !c->tensor && ix_may_overflow(when[i].value);
        if (lay_int_valid(c->unless)) when[i].unless = ix_lay(m->s, c->unless);
        // all cases have the same arguments at the same places
        for (int k = 0; c->tensor && k < m->k->ntensors; ++k) {
            if (of->formal[k].tensor->id == c->tensor->id) when[i].tensor = &m->k->tensor[k];
        }
    }
    out->bits = v->bits;
    out->tag = v->tag;
    out->when_text = variant_text(m->s, v);
    out->when = when;
    out->nwhen = v->nwhen;
}

static void arguments_of(const struct making *m, const struct kir_kernel *x,
                         struct kir_variant *out) {
    struct kir_argument *arg =
        ARENA_ARRAY(&m->s->arena, struct kir_argument, x->ntensors + x->nparams + x->nmaps + 1);
    for (int i = 0; i < x->ntensors; ++i) arg[out->nargs++].tensor = &m->k->tensor[i];
    for (int i = 0; i < x->nparams; ++i) {
        if (!x->param[i].in_body || x->param[i].apart) continue;
        arg[out->nargs++] =
            (struct kir_argument){.param = &m->k->param[i], .narrow = x->param[i].narrow};
    }
    for (int i = 0; i < x->nmaps; ++i) arg[out->nargs++].map = x->map[i];
    out->arg = arg;
}

static void put_variants(struct making *m, const struct kernel *plan, struct kir_kernel *k,
                         struct kir_launch *out, struct kir_variant *list) {
    struct session *s = m->s;
    int i = 0;
    for (struct kir_kernel *x = k; x; x = x->narrower, ++i) {
        struct kir_variant *v = &list[out->nvariants++];
        if (plan->nvariants) conditions_of(m, plan, &plan->variant[i], v);
        v->function = c_name_of_function(s, m->of, k->c_name, v->tag);
        v->kernel = x;
        arguments_of(m, x, v);
        x->launch = out;
        x->variant = v;
    }
}

// -- sums ----------------------------------------------------------------------------------------

static bool speaks_of(struct kir_extents x, const struct lay_sym *y) {
    for (int i = 0; i < x.n; ++i)
        if (ix_speaks_of(x.extent[i], y)) return true;
    return false;
}

static bool check_needs(const struct kir_check *c, const struct kir_param *p) {
    const struct kir_relation *r = c->relation;
    const struct lay_sym *y = p->sym;
    if (c->param)
        return c->kind == KIR_CHECK_SUM ? ix_speaks_of(c->param->sum, y) : c->param->sym == y;
    bool needs = ix_speaks_of(c->value, y) || speaks_of(c->unless, y) ||
                 (r && (ix_speaks_of(r->a, y) || ix_speaks_of(r->b, y)));
    for (int i = 0; i < c->nempty; ++i) needs |= speaks_of(c->empty[i], y);
    for (int i = 0; i < 2; ++i) {
        const struct kir_tensor *t = c->tensor[i];
        needs |= ix_speaks_of(c->bytes[i], y);
        if (!c->between) continue;
        needs |= speaks_of((struct kir_extents){t->extent, t->nextents}, y) ||
                 speaks_of((struct kir_extents){t->stride, t->nextents}, y);
    }
    return needs;
}

static bool launch_needs(struct session *s, const struct kir_launch *l, const struct kir_param *p) {
    bool needs = false;
    for (const struct kir_variant *v = l->variant; v < l->variant + l->nvariants; ++v) {
        for (int i = 0; i < 3; ++i) needs |= ix_speaks_of(ix_lay(s, v->kernel->grid[i]), p->sym);
        for (int i = 0; i < v->nargs; ++i) needs |= v->arg[i].param == p;
        for (int i = 0; i < v->kernel->nmaps; ++i)
            needs |= ix_speaks_of(v->kernel->map[i]->offset, p->sym);
        for (int i = 0; i < v->kernel->nmaps; ++i)
            for (int j = 0; j < v->kernel->map[i]->rank; ++j)
                needs |= ix_speaks_of(v->kernel->map[i]->extent[j], p->sym) ||
                         ix_speaks_of(v->kernel->map[i]->stride[j], p->sym);
    }
    return needs;
}

// Gives "out" the checks, without sums that nothing needs.  A sum needs only sums before it.
static void put_checks(struct making *m, struct kir_launch *out) {
    int kept = m->nchecks;
    for (int i = m->nchecks - 1; i >= 0; --i) {
        const struct kir_check c = m->check[i];
        bool needed = c.kind != KIR_CHECK_SUM || launch_needs(m->s, out, c.param);
        for (int k = kept; k < m->nchecks && !needed; ++k)
            needed = check_needs(&m->check[k], c.param);
        if (needed) m->check[--kept] = c;
    }
    out->check = m->check + kept;
    out->nchecks = m->nchecks - kept;
}

void lower_launch(struct session *s, const struct plan *of, const struct kernel *first,
                  struct kir_kernel *head) {
    struct kir_launch *out = ARENA_NEW(&s->arena, struct kir_launch);
    // what all variants require is what the last case needs
    const struct kernel *plan = first;
    struct kir_kernel *k = head;
    int n = 0;
    for (; plan->next_case; plan = plan->next_case, k = k->next_case) n += plan->nvariants;
    n += plan->nvariants ? plan->nvariants : 1;
    struct making m = {.s = s, .k = k, .of = of, .plan = plan};
    out->name = k->name;
    out->c_name = k->c_name;
    out->tensor = k->tensor;
    out->ntensors = k->ntensors;
    out->param = k->param;
    out->nparams = k->nparams;
    out->ngiven = k->ngiven;

    check_params(&m);
    nothing_to_do(&m);
    for (int i = 0; i < k->ntensors; ++i)
        check_fits(&m, k->tensor[i].name, bytes(s, &k->tensor[i]));
    for (const struct kir_kernel *x = head; x; x = x->next_case)
        for (int i = 0; i < 3; ++i) check_fits(&m, "grid", ix_lay(s, x->grid[i]));
    for (const struct kir_kernel *one = head; one; one = one->next_case)
        for (const struct kir_kernel *x = one; x; x = x->narrower) {
            check_maps(&m, x);
            lower_find_wide(s, x, check_body, &m);
        }
    check_tensors(&m);

    struct kir_variant *list = ARENA_ARRAY(&s->arena, struct kir_variant, n);
    out->variant = list;
    for (plan = first, k = head; k; plan = plan->next_case, k = k->next_case)
        put_variants(&m, plan, k, out, list);
    put_checks(&m, out);
}
