// The program's allocations, including those of isl, GMP and the C library.  If one fails, the
// program ends with a message of one line. isl cannot handle it: it crashes when it creates a
// context, and in some places takes missing memory for a result.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdlib.h>

#include "base/arena.h"

#ifndef TCPC_SANITIZE  // the sanitizer's own allocations end the program

// The function of that name that would be called without ours.
static void *behind(const char *name) {
    void *f = dlsym(RTLD_NEXT, name);
    if (!f) abort();
    return f;
}

void *malloc(size_t bytes) {
    static void *(*real)(size_t);
    if (!real) *(void **)&real = behind("malloc");
    return memory_got(real(bytes));
}

void *calloc(size_t n, size_t bytes) {
    static void *(*real)(size_t, size_t);
    if (!real) *(void **)&real = behind("calloc");
    return memory_got(real(n, bytes));
}

void *realloc(void *old, size_t bytes) {
    static void *(*real)(void *, size_t);
    if (!real) *(void **)&real = behind("realloc");
    void *p = real(old, bytes);
    return bytes ? memory_got(p) : p;
}

#endif
