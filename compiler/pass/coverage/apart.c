// What may keep the rows of a tensor apart, for messages about rows that may overlap.
#include "base/session.h"
#include "layout/algebra.h"
#include "pass/coverage/coverage.h"
#include "pass/instances/witness.h"

// A param of the plan other than "but" that a relation promises to be at least "span"; NULL: there is none.
static const struct param *promised(struct session *s, const struct plan *p, struct lay_int but,
                                    struct lay_int span) {
    const struct ix *row = ix_lay(s, span);
    for (int i = 0; i < p->nrelations && row; ++i) {
        const struct relation *r = p->relation[i];
        bool up = r->op[0] == '>';
        const struct ix *more = up ? r->a : r->b, *less = up ? r->b : r->a;
        struct lay_int n;
        if ((!up && r->op[0] != '<') || !ix_equal(less, row) || !ix_monomial(more, &n) ||
            !lay_int_is_param(n) || lay_int_equal(n, but))
            continue;
        for (int j = 0; j < p->nparams; ++j)
            if (p->param[j]->sym == n.syms[0]) return p->param[j];
    }
    return NULL;
}

const char *coverage_meant_stride(struct session *s, const struct plan *p, struct lay l,
                                  struct lay_int step, struct lay_int span) {
    const struct lay_tuple *flat = lay_tuple_flatten(&s->lay, l.shape);
    const char *name = lay_int_text(&s->lay, step), *n = lay_int_text(&s->lay, span);
    for (int i = 0; lay_int_is_param(step) && i < lay_tuple_leaves(flat); ++i)
        if (lay_int_equal(lay_is_leaf(flat) ? flat->leaf : flat->kid[i]->leaf, step))
            return arena_printf(&s->arena,
                                "'%s' is the extent of mode %d: is the stride %s meant? if not, ",
                                name, i, n);
    const struct param *other = promised(s, p, step, span);
    return other ? arena_printf(&s->arena,
                                "'%s' is promised to be at least %s: is it meant? if not, ",
                                other->name, n)
                 : "";
}

// Two modes of "t" whose strides are right if they are exchanged, as a text; NULL: there are none.
static const char *exchanged(struct session *s, const struct plan *plan, struct prover *p,
                             const struct tensor *t) {
    struct lay l = lay_inner(t->layout);
    const struct lay_tuple *stride[LAY_MAX_RANK];
    int rank = lay_tuple_rank(l.shape);
    if (lay_is_leaf(l.shape) || rank != lay_tuple_leaves(l.shape) || rank > LAY_MAX_RANK)
        return NULL;
    for (int i = 0; i < rank; ++i)
        for (int j = i + 1; j < rank; ++j) {
            for (int k = 0; k < rank; ++k) stride[k] = l.stride->kid[k];
            stride[i] = l.stride->kid[j];
            stride[j] = l.stride->kid[i];
            struct tensor other = *t;
            other.layout = l;
            other.layout.stride = lay_tuple(&s->lay, rank, stride);
            // a proof that fails takes long: most exchanges are refuted by small values
            if (!witness_meet(s, plan, &other) && coverage_injective(s, p, other.layout))
                return arena_printf(&s->arena, "modes %d and %d", i, j);
        }
    return NULL;
}

const char *coverage_mend_strides(struct session *s, const struct plan *p, struct prover *prover,
                                  const struct tensor *t) {
    struct lay l = lay_inner(t->layout);
    struct lay_int step, span;
    const char *apart = coverage_apart(s, prover, l, &step, &span);
    const char *turned = apart ? NULL : exchanged(s, p, prover, t);
    if (turned)
        return arena_printf(&s->arena, "they are if the strides of %s are exchanged", turned);
    return arena_printf(&s->arena, "%srelate its strides to its extents%s",
                        apart ? coverage_meant_stride(s, p, l, step, span) : "",
                        apart ? apart : ", as in 'param lda : index where lda >= K'");
}
