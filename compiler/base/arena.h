// Each session has one arena.  It holds everything that a compilation allocates, and is freed at
// once.
// In sanitizer builds each allocation is a malloc of its own, so that the sanitizer sees overruns.
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
// The same, with a block of "bytes" to begin with.
void arena_begin(struct arena *a, size_t bytes);
void arena_release(struct arena *a);
// Returns "bytes" zeroed bytes, aligned to 16.  If memory is out, it does what memory_out does.
void *arena_alloc(struct arena *a, size_t bytes);
// The same without zeroing: for a large array of which only a small part is used.
void *arena_room(struct arena *a, size_t bytes);
char *arena_strndup(struct arena *a, const char *text, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// "1 tile", "4 tiles".
const char *arena_count(struct arena *a, long long n, const char *what);
struct arena_mark arena_mark(const struct arena *a);
// Frees what was allocated since "mark".
void arena_rewind(struct arena *a, struct arena_mark mark);

// Makes room for one more element in the array "at", which has "n" elements of "size" bytes and
// room for "*cap".  Returns "at" if n < *cap, otherwise a larger copy, and updates "*cap".
void *arena_more(struct arena *a, void *at, size_t size, int n, int *cap);

#define ARENA_NEW(a, type)      ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))
#define ARENA_ROOM(a, type, n)  ((type *)arena_room((a), sizeof(type) * (size_t)(n)))

#endif
