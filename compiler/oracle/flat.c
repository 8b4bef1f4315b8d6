// The oracle's own evaluation of layouts: flattened modes, point by point.
#include "oracle/oracle.h"

static bool add_modes(const struct lay_tuple *shape, const struct lay_tuple *stride,
                      const int64_t *sym_values, struct oracle_flat *out) {
    if (shape->rank >= 0) {
        if (stride->rank != shape->rank) return false;
        for (int i = 0; i < shape->rank; ++i)
            if (!add_modes(shape->kid[i], stride->kid[i], sym_values, out)) return false;
        return true;
    }
    if (stride->rank >= 0 || out->n == ORACLE_FLAT_MODES) return false;
    struct lay_int d = stride->leaf;
    if (!sym_values && (d.nsyms > 0 || shape->leaf.nsyms > 0)) return false;
    int i = out->n++;
    out->basis[i] = d.basis;
    d.basis = -1;
    return lay_int_eval(shape->leaf, sym_values, &out->extent[i]) &&
           lay_int_eval(d, sym_values, &out->stride[i]) && out->extent[i] >= 0 &&
           !__builtin_mul_overflow(out->size, out->extent[i], &out->size);
}

bool oracle_flatten(struct lay l, const int64_t *sym_values, struct oracle_flat *out) {
    out->n = 0;
    out->size = 1;
    out->offset = 0;
    out->sw = l.sw;
    if (!l.shape || !l.stride) return false;
    if (l.offset.den != 0 && !lay_int_eval(l.offset, sym_values, &out->offset)) return false;
    return add_modes(l.shape, l.stride, sym_values, out);
}

int64_t oracle_flat_at(const struct oracle_flat *f, int64_t i) {
    int64_t at = 0;
    for (int m = 0; m < f->n && f->extent[m] > 0; ++m) {
        at += i % f->extent[m] * f->stride[m];
        i /= f->extent[m];
    }
    return at;
}

int64_t oracle_swizzle(struct lay_swizzle sw, int64_t x) {
    if (sw.b <= 0) return x;
    // bits [m, m+b) are XORed with the bits |s| above (s > 0) or below
    int64_t mask = ((int64_t)1 << sw.b) - 1;
    int from = sw.s >= 0 ? sw.m + sw.s : sw.m;
    int to = sw.s >= 0 ? sw.m : sw.m - sw.s;
    return x ^ ((x >> from & mask) << to);
}
