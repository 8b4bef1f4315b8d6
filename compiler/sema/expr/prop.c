// Properties: those of tiled copies are known immediately, those of copies and kernels after the
// passes.
#include <string.h>

#include "sema/expr/expr.h"

static const struct value *deferred(struct sema *c, enum property prop, const struct copy *copy,
                                    const struct kernel *k) {
    struct value *v = ARENA_NEW(&c->s->arena, struct value);
    v->kind = VAL_PROP;
    v->prop = prop;
    v->copy = copy;
    v->kernel = k;
    return v;
}

static const struct value *of_side(struct sema *c, const char *name, const struct value *v,
                                   struct range at) {
    if (v->kind == VAL_COPY)
        return FAIL(c, at, "'%s' takes one side of a copy: 'ld.src' or 'ld.dst'", name);
    if (v->kind != VAL_SIDE)
        return FAIL(c, at, "'%s' takes one side of a labelled copy, not %s", name,
                    value_kind_text(v));
    return NULL;
}

// The property of a cost of a side; NULL if "name" is not one.
static const struct value *cost_call(struct sema *c, const char *name, const struct value *v,
                                     struct range at) {
    static const struct {
        const char name[20];
        enum property prop;
        enum space space;
    } rows[] = {
        {"sectors", PROP_SECTORS, MEM_GLOBAL},
        {"sectors_total", PROP_SECTORS_TOTAL, MEM_GLOBAL},
        {"requests_total", PROP_REQUESTS_TOTAL, MEM_GLOBAL},
        {"wavefronts", PROP_WAVEFRONTS, MEM_SHARED},
        {"wavefronts_total", PROP_WAVEFRONTS_TOTAL, MEM_SHARED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (strcmp(name, rows[i].name) != 0) continue;
        const struct value *wrong = of_side(c, name, v, at);
        if (wrong) return wrong;
        const struct tensor *t = copy_side(v->copy, !v->dst)->base;
        if (t && t->space != rows[i].space)  // NULL if the copy is wrong
            return FAIL(c, at, "'%s' is for %s memory, but '%s' is %s", name,
                        space_name(rows[i].space), t->name, space_place(t->space));
        struct value *x = ARENA_NEW(&c->s->arena, struct value);
        *x = *deferred(c, rows[i].prop, v->copy, v->kernel);
        x->dst = v->dst;
        return x;
    }
    return NULL;
}

const struct value *prop_call(struct sema *c, const struct call *call) {
    const char *name = call->name;
    const struct value *v = call->arg[0];
    struct range at = call->e->arg[0].value->at;
    if (strcmp(name, "smem_bytes") == 0) {
        if (v->kind != VAL_KERNEL)
            return FAIL(c, at, "'smem_bytes' takes a kernel, not %s", value_kind_text(v));
        return deferred(c, PROP_SMEM_BYTES, NULL, v->kernel);
    }
    if (strcmp(name, "equivalent") == 0)
        return sema_not_yet_value(c, call->e->at,
                                  "'equivalent' anywhere but in 'expect equivalent(k1, k2)'");
    if (strcmp(name, "vector_bits") == 0) {
        const struct value *wrong = of_side(c, name, v, at);
        if (wrong) return wrong;
        return deferred(c, v->dst ? PROP_VECTOR_BITS_DST : PROP_VECTOR_BITS_SRC, v->copy,
                        v->kernel);
    }
    const struct value *cost = cost_call(c, name, v, at);
    if (cost) return cost;
    bool rounds = strcmp(name, "rounds") == 0;
    if (rounds || strcmp(name, "instructions") == 0) {
        if (v->kind != VAL_COPY)
            return FAIL(c, at, "'%s' takes a labelled copy, not %s", name, value_kind_text(v));
        return deferred(c, rounds ? PROP_ROUNDS : PROP_INSTRUCTIONS, v->copy, v->kernel);
    }
    if (v->kind != VAL_TILED)
        return FAIL(c, at, "'%s' takes a tiled copy, not %s", name, value_kind_text(v));
    if (strcmp(name, "threads") == 0) return value_static(c, v->tc->threads);
    if (strcmp(name, "tiler") == 0) return value_of_tuple(c, v->tc->tiler);
    if (!lay_valid(v->tc->tv))
        return FAIL(c, at, "'%s' is a layout, and the index map of this tiled copy is not one",
                    name);
    return value_layout(c, tiled_tv(v->tc, strcmp(name, "tv_src") == 0));
}
