// Composition with a layout of basis strides.  Each leaf of B composes with the mode of A that its
// stride names.
#include "layout/impl.h"

bool lay_has_basis(const struct lay_tuple *d) {
    if (d->rank < 0) return d->leaf.basis >= 0;
    for (int i = 0; i < d->rank; ++i)
        if (lay_has_basis(d->kid[i])) return true;
    return false;
}

// B's strides, with 0 for those that are not in the mode "code" of A.
static const struct lay_tuple *only(struct lay_ctx *ctx, const struct lay_tuple *d, int code) {
    const struct lay_tuple *kid[LAY_MAX_RANK];
    if (d->rank < 0) {
        struct lay_int v = d->leaf;
        bool mine = v.basis == code;
        v.basis = -1;
        return lay_leaf(ctx, mine ? v : lay_static_int(0));
    }
    for (int i = 0; i < d->rank; ++i) kid[i] = only(ctx, d->kid[i], code);
    return lay_tuple(ctx, d->rank, kid);
}

static int first_code(const struct lay_tuple *d, int above) {
    int best = -1;
    if (d->rank < 0) return d->leaf.basis > above ? d->leaf.basis : -1;
    for (int i = 0; i < d->rank; ++i) {
        int c = first_code(d->kid[i], above);
        if (c >= 0 && (best < 0 || c < best)) best = c;
    }
    return best;
}

// Combines two layouts over the modes of B: takes "part", which has been composed, for the mode
// "code" of A, and "r" for others.
static struct lay merge(struct lay_ctx *ctx, struct lay r, struct lay part,
                        const struct lay_tuple *d, int code) {
    if (d->rank < 0) return d->leaf.basis == code ? part : r;
    struct lay out[LAY_MAX_RANK];
    for (int i = 0; i < d->rank; ++i)
        out[i] = merge(ctx, lay_mode(ctx, r, i), lay_mode(ctx, part, i), d->kid[i], code);
    return lay_join(ctx, d->rank, out);
}

struct lay lay_compose_basis(struct lay_ctx *ctx, struct lay a, struct lay b,
                             enum lay_exact exact) {
    struct lay r = lay_raw(b.shape, only(ctx, b.stride, -3));
    for (int code = first_code(b.stride, -1); code >= 0 && r.shape;
         code = first_code(b.stride, code)) {
        int path[3],
            depth = lay_int_basis_path((struct lay_int){1, 1, NULL, 0, (int16_t)code}, path);
        struct lay part = lay_raw(b.shape, only(ctx, b.stride, code));
        part = lay_compose_plain(ctx, lay_get(ctx, a, depth, path), part, exact);
        if (!part.shape) return part;
        r = merge(ctx, r, part, b.stride, code);
    }
    return r;
}
