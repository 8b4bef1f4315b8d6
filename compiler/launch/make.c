// The data of a launcher, made twice: first to measure it, then in one block of memory.
#include <stdatomic.h>
#include <string.h>

#include "base/session.h"
#include "kernel/kernel_ir.h"
#include "launch/launch.h"
#include "layout/algebra.h"

// One that is kept: the block that it is in, and its owners.
struct kept {
    struct tcpc_launch shown;  // first, because the caller gets a pointer to it
    struct arena memory;
    atomic_int owners;
};

struct making {
    struct session *s;
    struct arena *a;  // for all that is kept
    const struct kir_launch *l;
    const struct tcpc_tensor *const *tensor;
    const struct tcpc_param *const *param;
};

#define NEW(m, type)      ARENA_NEW((m)->a, type)
#define ARRAY(m, type, n) ARENA_ARRAY((m)->a, type, n)

static const char *kept_text(const struct making *m, const char *text) {
    return text ? arena_strndup(m->a, text, strlen(text)) : NULL;
}

// -- expressions ----------------------------------------------------------------------------------

static struct tcpc_value number(int64_t n) {
    return (struct tcpc_value){.number = n};
}

static struct tcpc_value operation(const struct making *m, enum expression_op op, int n,
                                   const struct expression_operand *operand) {
    struct tcpc_expression *e = NEW(m, struct tcpc_expression);
    *e = (struct tcpc_expression){.op = op, .n = n, .operand = operand};
    return (struct tcpc_value){.expression = e};
}

static struct tcpc_value two(const struct making *m, enum expression_op op, struct tcpc_value a,
                             struct tcpc_value b) {
    struct expression_operand *x = ARRAY(m, struct expression_operand, 2);
    x[0].of = a;
    x[1].of = b;
    return operation(m, op, 2, x);
}

static struct tcpc_value of_int(const struct making *m, struct lay_int x);

static struct tcpc_value of_sym(const struct making *m, const struct lay_sym *y) {
    if (!y->name)
        return two(m, EX_DIV, two(m, EX_SUM, of_int(m, y->of), number(y->by - 1)), number(y->by));
    for (int i = 0; i < m->l->nparams; ++i)
        if (m->l->param[i].sym == y) return m->param[i]->value;  // of sums, those before have one
    return operation(m, EX_LOST, 0, NULL);
}

static struct tcpc_value of_int(const struct making *m, struct lay_int x) {
    struct tcpc_value r = number(x.num);
    if (x.nsyms) {
        struct expression_operand *f = ARRAY(m, struct expression_operand, x.nsyms + 1);
        int n = 0;
        if (x.num != 1) f[n++].of = r;
        for (int i = 0; i < x.nsyms; ++i) f[n++].of = of_sym(m, x.syms[i]);
        r = n == 1 ? f[0].of : operation(m, EX_PRODUCT, n, f);
    }
    return x.den == 1 ? r : two(m, EX_DIV, r, number(x.den));
}

static struct tcpc_value of_ix(const struct making *m, const struct ix *e) {
    struct expression_operand *x;
    int64_t value;
    if (ix_static(e, &value)) return number(value);
    switch (e->op) {
    case IX_VAR: return operation(m, EX_LOST, 0, NULL);
    case IX_DIV: return two(m, EX_DIV, of_ix(m, e->a), of_int(m, e->k));
    case IX_MOD: return two(m, EX_MOD, of_ix(m, e->a), of_int(m, e->k));
    case IX_SWZ: {
        x = ARRAY(m, struct expression_operand, 1);
        x->of = of_ix(m, e->a);
        struct tcpc_expression *y = NEW(m, struct tcpc_expression);
        *y = (struct tcpc_expression){.op = EX_SWIZZLE, .n = 1, .sw = e->sw, .operand = x};
        return (struct tcpc_value){.expression = y};
    }
    case IX_SUM: break;
    }
    x = ARRAY(m, struct expression_operand, e->nterms);
    for (int i = 0; i < e->nterms; ++i) {
        struct ix_term t = e->term[ix_written(e, i)];
        x[i].minus = i > 0 && ix_take_minus(&t.coef);
        x[i].of = of_int(m, t.coef);
        if (!t.atom) continue;
        bool one = !x[i].of.expression && x[i].of.number == 1;
        struct tcpc_value atom = of_ix(m, t.atom);
        x[i].of = one ? atom : two(m, EX_PRODUCT, x[i].of, atom);
    }
    return e->nterms == 1 ? x[0].of : operation(m, EX_SUM, e->nterms, x);
}

static struct tcpc_value value(const struct making *m, const struct ix *e) {
    struct tcpc_value v = of_ix(m, e);
    v.text = kept_text(m, ix_text(m->s, e));
    return v;
}

static struct tcpc_value value_int(const struct making *m, struct lay_int x) {
    struct tcpc_value v = of_int(m, x);
    v.text = kept_text(m, lay_int_text(&m->s->lay, x));
    return v;
}

// -- tensors and params ---------------------------------------------------------------------------

// The names of the flat modes of "shape", a part of a mode with that name; returns how many.
static int mode_names(const struct lay_tuple *shape, const char *name, const char **out) {
    int n = 0;
    if (shape->rank < 0) {
        *out = name;
        return 1;
    }
    for (int i = 0; i < shape->rank; ++i) n += mode_names(shape->kid[i], name, out + n);
    return n;
}

// Sets what a layout says.
static void set_layout(const struct making *m, struct lay l, const char *const *names,
                       struct tcpc_tensor *out) {
    struct lay_ctx *c = &m->s->lay;
    const struct lay_tuple *extent = lay_tuple_flatten(c, l.shape);
    const struct lay_tuple *stride = lay_tuple_flatten(c, l.stride);
    int n = lay_tuple_rank(extent);
    const struct tcpc_mode **mode = ARRAY(m, const struct tcpc_mode *, n + 1);
    const char *name[LAY_MAX_LEAVES];
    for (int i = 0, k = 0; i < lay_tuple_rank(l.shape); ++i)
        k += mode_names(lay_tuple_get(c, l.shape, i), names ? kept_text(m, names[i]) : NULL,
                        name + k);
    for (int i = 0; i < n; ++i) {
        struct tcpc_mode *x = NEW(m, struct tcpc_mode);
        *x = (struct tcpc_mode){.size = sizeof *x, .name = name[i]};
        x->extent = value(m, ix_lay(m->s, lay_tuple_get(c, extent, i)->leaf));
        x->stride = value_int(m, lay_tuple_get(c, stride, i)->leaf);
        mode[i] = x;
    }
    out->layout = kept_text(m, lay_text(c, l));
    out->swizzled = l.sw.b != 0;
    out->offset = value_int(m, l.offset);
    out->mode = mode;
    out->nmodes = (size_t)n;
}

static const struct tcpc_tensor *tensor(const struct making *m, const struct kir_tensor *t) {
    struct tcpc_tensor *r = NEW(m, struct tcpc_tensor);
    const struct kir_declared *of = t->declared;
    const struct ix *span = t->part_span ? t->part_span : t->span;
    *r = (struct tcpc_tensor){.size = sizeof *r,
                              .name = kept_text(m, t->name),
                              .element = t->elem->name,
                              .element_bits = t->elem->bits,
                              .direction = !t->written ? TCPC_IN
                                           : t->read   ? TCPC_INOUT
                                                       : TCPC_OUT,
                              .align = t->align,
                              .bytes = value(m, ix_scale(m->s, span, lay_int(t->elem->bits / 8)))};
    set_layout(m, t->layout, t->names, r);
    if (of) {
        struct tcpc_tensor *d = NEW(m, struct tcpc_tensor);
        *d = *r;
        d->name = kept_text(m, of->name);
        d->bytes = number(0);
        set_layout(m, of->layout, of->names, d);
        r->declared = d;
    }
    return r;
}

static const struct tcpc_param *param(const struct making *m, int i) {
    const struct kir_param *p = &m->l->param[i];
    struct tcpc_param *r = NEW(m, struct tcpc_param);
    *r = (struct tcpc_param){.size = sizeof *r,
                             .name = kept_text(m, p->name),
                             .least = p->lo,
                             .most = p->hi,
                             .multiple = p->mul > 1 ? p->mul : 1};
    if (p->sum) {
        r->value = value(m, p->sum);
    } else {
        struct tcpc_expression *e = NEW(m, struct tcpc_expression);
        *e = (struct tcpc_expression){.op = EX_PARAM, .number = i};
        r->value = (struct tcpc_value){.text = r->name, .expression = e};
    }
    return r;
}

static const struct tcpc_tensor *of_tensor(const struct making *m, const struct kir_tensor *t) {
    return t ? m->tensor[t - m->l->tensor] : NULL;
}

static const struct tcpc_param *of_param(const struct making *m, const struct kir_param *p) {
    return p ? m->param[p - m->l->param] : NULL;
}

// -- checks ---------------------------------------------------------------------------------------

static enum tcpc_relation relation_of(const char *op) {
    static const char *const names[] = {[TCPC_EQ] = "==", [TCPC_NE] = "!=", [TCPC_LT] = "<",
                                        [TCPC_LE] = "<=", [TCPC_GT] = ">",  [TCPC_GE] = ">="};
    for (int i = 0; i < 6; ++i)
        if (strcmp(op, names[i]) == 0) return (enum tcpc_relation)i;
    BUG("no relation '%s'", op);
}

static struct tcpc_values values(const struct making *m, struct kir_extents x) {
    struct tcpc_value *v = ARRAY(m, struct tcpc_value, x.n);
    for (int i = 0; i < x.n; ++i) v[i] = value(m, x.extent[i]);
    return (struct tcpc_values){v, (size_t)x.n};
}

static const struct tcpc_check *check(const struct making *m, const struct kir_check *c) {
    static const enum tcpc_check_kind kinds[] = {
        [KIR_CHECK_RANGE] = TCPC_CHECK_RANGE,     [KIR_CHECK_MULTIPLE] = TCPC_CHECK_MULTIPLE,
        [KIR_CHECK_EXACT] = TCPC_CHECK_FITS,      [KIR_CHECK_RELATION] = TCPC_CHECK_RELATION,
        [KIR_CHECK_NOTHING] = TCPC_CHECK_NOTHING, [KIR_CHECK_POINTER] = TCPC_CHECK_POINTER,
        [KIR_CHECK_OVERLAP] = TCPC_CHECK_APART};
    struct tcpc_check *r = NEW(m, struct tcpc_check);
    r->size = sizeof *r;
    r->kind = kinds[c->kind];
    r->param = of_param(m, c->param);
    if (c->kind == KIR_CHECK_EXACT) {
        r->text = kept_text(m, c->what);
        r->left = value(m, c->value);
    }
    if (c->kind == KIR_CHECK_RELATION) {
        r->text = kept_text(m, c->relation->text);
        r->relation = relation_of(c->relation->op);
        r->left = value(m, c->relation->a);
        r->right = value(m, c->relation->b);
    }
    for (int i = 0; i < 2; ++i) r->tensor[i] = of_tensor(m, c->tensor[i]);
    r->interleaved = c->between;
    int n = c->kind == KIR_CHECK_NOTHING ? c->nempty : c->unless.n > 0;
    struct tcpc_values *zero = ARRAY(m, struct tcpc_values, n);
    for (int i = 0; i < n; ++i)
        zero[i] = values(m, c->kind == KIR_CHECK_NOTHING ? c->empty[i] : c->unless);
    r->zero = zero;
    r->nzeros = (size_t)n;
    return r;
}

// -- variants -------------------------------------------------------------------------------------

static const struct tcpc_condition *condition(const struct making *m,
                                              const struct kir_condition *c) {
    struct tcpc_condition *r = NEW(m, struct tcpc_condition);
    *r = (struct tcpc_condition){
        .size = sizeof *r, .tensor = of_tensor(m, c->tensor), .multiple = c->by};
    if (c->value) r->value = value(m, c->value);
    if (c->unless) {
        struct tcpc_value *unless = NEW(m, struct tcpc_value);
        *unless = value(m, c->unless);
        r->unless = unless;
    }
    return r;
}

// CUtensorMapDataType: that by which "elem" is reduced, or the unsigned one of "bytes".
static int map_type(const struct elem_type *elem, int bytes) {
    static const char *const joined[] = {[2] = "u32", "s32", "u64", "s64",
                                         "f16",       "f32", "f64", "bf16"};
    static const int bits[] = {[1] = 0, [2] = 1, [4] = 2, [8] = 4};
    for (size_t i = 2; elem && i < sizeof joined / sizeof joined[0]; ++i)
        if (strcmp(elem->name, joined[i]) == 0) return (int)i;
    return bits[bytes];
}

static const struct tcpc_map *map(const struct making *m, const struct kir_map *x) {
    struct tcpc_map *r = NEW(m, struct tcpc_map);
    struct tcpc_value *extent = ARRAY(m, struct tcpc_value, x->rank),
                      *stride = ARRAY(m, struct tcpc_value, x->rank);
    int64_t *box = ARRAY(m, int64_t, x->rank);
    int bytes = m->l->tensor[x->tensor].elem->bits / 8;
    for (int i = 0; i < x->rank; ++i) {
        extent[i] = value(m, x->extent[i]);
        stride[i] = value(m, ix_scale(m->s, x->stride[i], lay_int(bytes)));
        box[i] = x->box[i];
    }
    *r = (struct tcpc_map){.size = sizeof *r,
                           .tensor = m->tensor[x->tensor],
                           .rank = x->rank,
                           .element_bytes = bytes,
                           .swizzle_bytes = x->swizzle,
                           .extent = extent,
                           .stride = stride,
                           .box = box,
                           .offset = value(m, ix_scale(m->s, x->offset, lay_int(bytes))),
                           .l2_bytes = x->l2 ? x->l2 : 128,
                           .type = map_type(x->elem, bytes)};
    return r;
}

static void set_arguments(const struct making *m, const struct kir_variant *v,
                          struct tcpc_variant *out) {
    const struct tcpc_argument **list = ARRAY(m, const struct tcpc_argument *, v->nargs);
    size_t at = 0;
    for (int i = 0; i < v->nargs; ++i) {
        const struct kir_argument *x = &v->arg[i];
        struct tcpc_argument *r = NEW(m, struct tcpc_argument);
        size_t bytes = x->map ? TCPC_MAP_BYTES : x->narrow ? sizeof(int32_t) : sizeof(int64_t);
        at = (at + bytes - 1) / bytes * bytes;
        *r = (struct tcpc_argument){
            sizeof *r, of_tensor(m, x->tensor),       of_param(m, x->param), at,
            bytes,     x->map ? map(m, x->map) : NULL};
        at += bytes;
        list[i] = r;
    }
    out->argument = list;
    out->narguments = (size_t)v->nargs;
    out->argument_bytes = at;
}

static const struct tcpc_variant *variant(const struct making *m, const struct kir_variant *v) {
    enum { USUAL = 48 * 1024 };  // what a kernel may have without asking
    const struct kir_kernel *k = v->kernel;
    struct tcpc_variant *r = NEW(m, struct tcpc_variant);
    const struct tcpc_condition **when = ARRAY(m, const struct tcpc_condition *, v->nwhen);
    for (int i = 0; i < v->nwhen; ++i) when[i] = condition(m, &v->when[i]);
    *r = (struct tcpc_variant){.size = sizeof *r,
                               .symbol = kept_text(m, v->function),
                               .bits = v->bits,
                               .number = v->tag,
                               .when = kept_text(m, v->when_text),
                               .condition = when,
                               .nconditions = (size_t)v->nwhen,
                               .threads = k->threads,
                               .shared_bytes = k->smem_bytes,
                               .shared_to_set = k->smem_bytes > USUAL ? k->smem_bytes : 0};
    struct tcpc_value *grid = ARRAY(m, struct tcpc_value, 3);
    for (int i = 0; i < 3; ++i) {
        // between devices, the last axis is the device
        grid[i] = value_int(m, i == 2 && k->devices ? lay_int(1) : k->grid[i]);
        r->grid[i] = &grid[i];
    }
    set_arguments(m, v, r);
    return r;
}

// -- the launch -----------------------------------------------------------------------------------

static void set_checks(struct making *m, struct tcpc_launch *out) {
    const struct kir_launch *l = m->l;
    const struct tcpc_check **check_of = ARRAY(m, const struct tcpc_check *, l->nchecks);
    for (int i = 0; i < l->nchecks; ++i)
        if (l->check[i].kind != KIR_CHECK_SUM) check_of[out->nchecks++] = check(m, &l->check[i]);
    out->check = check_of;
}

static bool any_map(const struct kir_launch *l) {
    for (int i = 0; i < l->nvariants; ++i)
        if (l->variant[i].kernel->nmaps) return true;
    return false;
}

static struct kept *make(struct session *s, const struct kir_launch *l, struct arena *a) {
    struct making m = {s, a, l, NULL, NULL};
    struct kept *k = NEW(&m, struct kept);
    const struct tcpc_tensor **tensors = ARRAY(&m, const struct tcpc_tensor *, l->ntensors);
    const struct tcpc_param **params = ARRAY(&m, const struct tcpc_param *, l->nparams);
    const struct tcpc_variant **variants = ARRAY(&m, const struct tcpc_variant *, l->nvariants);
    m.tensor = tensors;
    m.param = params;
    for (int i = 0; i < l->nparams; ++i) params[i] = param(&m, i);  // sums are of those before
    for (int i = 0; i < l->ntensors; ++i) tensors[i] = tensor(&m, &l->tensor[i]);
    for (int i = 0; i < l->nvariants; ++i) variants[i] = variant(&m, &l->variant[i]);
    size_t bytes = 0;
    for (int i = 0; i < l->nvariants; ++i)
        if (variants[i]->argument_bytes > bytes) bytes = variants[i]->argument_bytes;
    k->shown =
        (struct tcpc_launch){.size = sizeof k->shown,
                             .name = kept_text(&m, l->name),
                             .launcher =
                                 kept_text(&m, arena_printf(&s->arena, "%s_launch", l->c_name)),
                             .tensor = tensors,
                             .ntensors = (size_t)l->ntensors,
                             .param = params,
                             .nparams = (size_t)l->ngiven,
                             .ncomputed = (size_t)(l->nparams - l->ngiven),
                             .variant = variants,
                             .nvariants = (size_t)l->nvariants,
                             .argument_bytes = bytes,
                             .argument_align = any_map(l) ? TCPC_MAP_BYTES : sizeof(int64_t),
                             .devices = l->nvariants ? l->variant[0].kernel->devices : 0};
    set_checks(&m, &k->shown);
    atomic_init(&k->owners, 1);
    return k;
}

const struct tcpc_launch *launch_new(struct session *s, const struct kir_launch *l) {
    struct arena a;
    arena_init(&a);
    make(s, l, &a);
    size_t bytes = a.total;
    arena_release(&a);
    arena_begin(&a, bytes);
    struct kept *k = make(s, l, &a);
    k->memory = a;
    return &k->shown;
}

const struct tcpc_launch *tcpc_launch_keep(const struct tcpc_launch *l) {
    atomic_fetch_add(&((struct kept *)l)->owners, 1);
    return l;
}

void tcpc_launch_free(const struct tcpc_launch *l) {
    struct kept *k = (struct kept *)l;
    if (!k || atomic_fetch_sub(&k->owners, 1) != 1) return;
    struct arena memory = k->memory;
    arena_release(&memory);
}
