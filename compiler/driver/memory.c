// The program's allocations, those of isl, GMP and the C library too: one that fails ends the
// program in one line. isl alone cannot be asked to: without memory it crashes where it makes a
// context, and here and there it takes what is missing for an answer.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdlib.h>

#include "base/arena.h"

#ifndef TCPC_SANITIZE  // whose own allocations end the program

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
