// The arena: a list of blocks, each allocation taken from the end of the newest.  In sanitizer
// builds each allocation is a block of its own.
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ALIGN = 16, FIRST_BLOCK = 32 * 1024, LARGEST_BLOCK = 1024 * 1024 };

struct arena_block {
    _Alignas(ALIGN) struct arena_block *next;
    size_t bytes;
};

_Static_assert(sizeof(struct arena_block) % ALIGN == 0,
               "what follows a block's head must be aligned");

void arena_init(struct arena *a) {
    *a = (struct arena){0};
}

static void release_until(struct arena *a, const struct arena_block *keep) {
    while (a->head != keep) {
        struct arena_block *next = a->head->next;
        memory_free(a->head);
        a->head = next;
    }
}

void arena_release(struct arena *a) {
    release_until(a, NULL);
    *a = (struct arena){0};
}

static void add_block(struct arena *a, size_t bytes) {
    struct arena_block *b = memory_new(sizeof *b + bytes);
    b->next = a->head;
    b->bytes = bytes;
    a->head = b;
    a->at = (char *)(b + 1);
    a->end = a->at + bytes;
}

static void *take(struct arena *a, size_t bytes) {
    if (bytes > SIZE_MAX / 4) memory_out();
#ifdef TCPC_SANITIZE
    add_block(a, bytes);
#else
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (!a->head || (size_t)(a->end - a->at) < bytes) {
        size_t size = a->head ? 2 * a->head->bytes : FIRST_BLOCK;
        if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
        add_block(a, bytes > size ? bytes : size);
    }
#endif
    void *p = a->at;
    a->at += bytes;
    a->total += bytes;
    return p;
}

void arena_begin(struct arena *a, size_t bytes) {
    arena_init(a);
#ifdef TCPC_SANITIZE
    (void)bytes;
#else
    add_block(a, bytes);
#endif
}

void *arena_alloc(struct arena *a, size_t bytes) {
    return memset(take(a, bytes), 0, bytes);
}

void *arena_room(struct arena *a, size_t bytes) {
    void *p = take(a, bytes);
#ifdef TCPC_SANITIZE
    memset(p, 0xa5, bytes);  // makes code that expects zeros fail
#endif
    return p;
}

void *arena_more(struct arena *a, void *at, size_t size, int n, int *cap) {
    if (n < *cap) return at;
    *cap = *cap ? 2 * *cap : 16;
    void *more = arena_alloc(a, size * (size_t)*cap);
    if (n) memcpy(more, at, size * (size_t)n);
    return more;
}

char *arena_strndup(struct arena *a, const char *text, size_t len) {
    char *copy = arena_alloc(a, len + 1);
    if (len) memcpy(copy, text, len);
    return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (len < 0) len = 0;
    char *text = arena_alloc(a, (size_t)len + 1);
    va_start(ap, fmt);
    vsnprintf(text, (size_t)len + 1, fmt, ap);
    va_end(ap);
    return text;
}

const char *arena_count(struct arena *a, long long n, const char *what) {
    return arena_printf(a, "%lld %s%s", n, what, n == 1 ? "" : "s");
}

struct arena_mark arena_mark(const struct arena *a) {
    return (struct arena_mark){a->head, a->at, a->end, a->total};
}

void arena_rewind(struct arena *a, struct arena_mark mark) {
    release_until(a, mark.head);
    a->at = mark.at;
    a->end = mark.end;
    a->total = mark.total;
}
