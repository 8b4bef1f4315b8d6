// Decides whether a layout is injective by computing its values, up to 2^22 of them.
#include <stdlib.h>

#include "layout/algebra.h"

enum { MAX_VALUES = 1 << 22 };

static int by_value(const void *x, const void *y) {
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

bool lay_is_injective(struct lay_ctx *c, struct lay l) {
    struct lay_int size = lay_size(c, l);
    if (!lay_int_static(size) || size.num > MAX_VALUES) return false;
    int64_t n = size.num;
    size_t bytes = sizeof(int64_t) * (size_t)(n ? n : 1);
    // temporary memory; if malloc fails, the context's allocator reports that
    int64_t *own = malloc(bytes), *value = own ? own : c->alloc(c->user, bytes);
    bool injective = true;
    for (int64_t i = 0; injective && i < n; ++i) injective = lay_eval(c, l, i, &value[i]);
    if (injective) qsort(value, (size_t)n, sizeof *value, by_value);
    for (int64_t i = 1; injective && i < n; ++i) injective = value[i] != value[i - 1];
    free(own);
    return injective;
}
