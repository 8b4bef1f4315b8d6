// One arena a session: everything a compilation makes lives here and is freed at once.
// In sanitizer builds every allocation is a malloc of its own, so that overruns are seen.
#ifndef TCPC_BASE_ARENA_H
#define TCPC_BASE_ARENA_H

#include <stddef.h>

#include "base/trap.h"

struct arena {
    struct arena_block *head;
    char *at, *end;
    size_t total;  // bytes handed out
};

struct arena_mark {
    struct arena_block *head;
    char *at, *end;
    size_t total;
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);
// Returns "bytes" zeroed bytes, aligned to 16, or does what memory_out does.
void *arena_alloc(struct arena *a, size_t bytes);
// The same, not zeroed: for what is large and of which little is used.
void *arena_room(struct arena *a, size_t bytes);
char *arena_strndup(struct arena *a, const char *text, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct arena_mark arena_mark(const struct arena *a);
// Frees what was allocated since "mark".
void arena_rewind(struct arena *a, struct arena_mark mark);

// The array "at" of "n" things of "size" bytes, with room for one more: "at" itself while "n" is
// below
// "*cap", the things that it has room for.
void *arena_more(struct arena *a, void *at, size_t size, int n, int *cap);

#define ARENA_NEW(a, type)      ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))
#define ARENA_ROOM(a, type, n)  ((type *)arena_room((a), sizeof(type) * (size_t)(n)))

#endif
