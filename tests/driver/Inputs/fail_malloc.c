// The FAIL_AT-th allocation of a program fails.
#include <errno.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static int fails(void) {
    static long left = -2;
    if (left == -2) left = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : -1;
    if (left < 0 || left-- > 0) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n) {
    return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size) {
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n) {
    return fails() ? NULL : __libc_realloc(p, n);
}
