// Shared by the files of the layout library; private to it.
#ifndef TCPC_LAYOUT_IMPL_H
#define TCPC_LAYOUT_IMPL_H

#include "layout/lay.h"

#define LAY_PRINTF(a, b) __attribute__((format(printf, a, b)))

// Records the first error.
void lay_fail(struct lay_ctx *ctx, const char *format, ...) LAY_PRINTF(2, 3);
void *lay_new(struct lay_ctx *ctx, size_t bytes);

// Growing text.  Beyond LAY_MAX_TEXT bytes it is cut off, and "full" is set.
enum { LAY_MAX_TEXT = 1 << 20 };
struct lay_buf {
    struct lay_ctx *ctx;
    char *text;
    size_t len, cap;
    bool full;
};
void lay_buf_add(struct lay_buf *, const char *format, ...) LAY_PRINTF(2, 3);
void lay_buf_int(struct lay_buf *, struct lay_int);
void lay_buf_tuple(struct lay_buf *, const struct lay_tuple *);
void lay_buf_lay(struct lay_buf *, struct lay);
const char *lay_buf_done(struct lay_buf *);  // never NULL

// Reports "l" to the tracing hook; "format" gives the rule.
void lay_trace_rule(struct lay_ctx *ctx, struct lay l, const char *format, ...) LAY_PRINTF(3, 4);
#define lay_trace(ctx, ...) ((ctx)->trace ? lay_trace_rule(ctx, __VA_ARGS__) : (void)0)

// A leaf without symbols, basis or denominator.
static inline bool lay_plain(struct lay_int a) {
    return a.den == 1 && a.nsyms == 0 && a.basis == -1;
}
static inline struct lay_int lay_static_int(int64_t v) {
    return (struct lay_int){v, 1, NULL, 0, -1};
}
static inline bool lay_is_value(struct lay_int a, int64_t v) {
    return a.num == v && lay_plain(a);
}
enum { LAY_ANY_BASIS = -2 };
const struct lay_sym *lay_find_param(struct lay_ctx *, const char *name, size_t len);

// A layout as parallel leaves, first mode fastest.
struct lay_flat {
    int n;
    struct lay_int s[LAY_MAX_LEAVES], d[LAY_MAX_LEAVES];
};
bool lay_flat_of(struct lay_ctx *, const struct lay_tuple *shape, const struct lay_tuple *stride,
                 struct lay_flat *);
// One mode gives the leaf s:d, none 1:0.
struct lay lay_flat_lay(struct lay_ctx *, const struct lay_flat *);
const struct lay_tuple *lay_ints(struct lay_ctx *, int n, const struct lay_int *v);  // a flat tuple
// Merges modes in place.  "keep_tail": a last mode of size 1 is kept, with size 2, for coordinates
// beyond the end.
bool lay_flat_coalesce(struct lay_ctx *, struct lay_flat *, bool keep_tail);

// A layout from shape and stride that are known to be congruent.
static inline struct lay lay_raw(const struct lay_tuple *shape, const struct lay_tuple *stride) {
    return (struct lay){shape, stride, {0, 1, NULL, 0, -1}, {0, 0, 0}, false};
}
// "l" with the swizzle and offset of "outer".
struct lay lay_under(struct lay outer, struct lay l);
// Where the values of a composition must be right: everywhere, or where B(i) is less than the size
// of A, or only where CuTe's are.
enum lay_exact { LAY_EXACT, LAY_IN_RANGE, LAY_AS_CUTE };
// Computes the last mode of the complement of "tile" up to "cotarget", including one of extent 1,
// which lay_complement leaves out.  Returns false if there is no complement.
bool lay_complement_end(struct lay_ctx *, struct lay tile, const struct lay_tuple *cotarget,
                        bool fill, struct lay_int *count, struct lay_int *step);
struct lay lay_zipped_divide_as_cute(struct lay_ctx *, struct lay a, const struct lay_tiler *);
// The complement.  Without "fill" it is disjoint and ordered, but like CuTe's it may leave numbers
// out below a stride that is not a multiple of the span of the modes below it.
struct lay lay_complement_as(struct lay_ctx *, struct lay a, const struct lay_tuple *cotarget,
                             bool fill);
struct lay lay_compose_as(struct lay_ctx *, struct lay a, struct lay b, enum lay_exact);
bool lay_swizzle_move(struct lay_ctx *, struct lay, struct lay_swizzle, struct lay_swizzle *out);
bool lay_swizzle_cast(struct lay_ctx *, struct lay_swizzle, int64_t n, bool wider,
                      struct lay_swizzle *out);
bool lay_is_unit(struct lay_int a);  // statically 1
// Returns false, with the reason, if "l" is not completely static.
bool lay_need_static(struct lay_ctx *, struct lay l, const char *op);

// compose.c: the composition of plain layouts, "b" without basis strides
struct lay lay_compose_plain(struct lay_ctx *, struct lay a, struct lay b, enum lay_exact exact);
// compose_basis.c: composition where the values of B are coordinates of A
bool lay_has_basis(const struct lay_tuple *stride);
struct lay lay_compose_basis(struct lay_ctx *, struct lay a, struct lay b, enum lay_exact exact);

#endif
