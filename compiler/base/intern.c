// Interned names, in an open-addressed hash table.  The strings have an arena of their own, so that
// they survive a rewind of the session's arena.
#include "base/intern.h"

#include <stdint.h>
#include <string.h>

#include "base/session.h"

static size_t hash(const char *text, size_t len) {
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

// The slot of "text", or the free slot where it belongs.
static const char **find(const char **slot, size_t cap, const char *text, size_t len) {
    size_t i = hash(text, len) & (cap - 1);
    while (slot[i] && (strncmp(slot[i], text, len) != 0 || slot[i][len] != '\0'))
        i = (i + 1) & (cap - 1);
    return &slot[i];
}

static void grow(struct interner *in) {
    size_t cap = in->cap ? 2 * in->cap : 256;
    const char **slot = memory_zeroed(cap, sizeof *slot);
    for (size_t i = 0; i < in->cap; i++)
        if (in->slot[i]) *find(slot, cap, in->slot[i], strlen(in->slot[i])) = in->slot[i];
    memory_free(in->slot);
    in->slot = slot;
    in->cap = cap;
}

const char *intern_n(struct session *s, const char *text, size_t len) {
    struct interner *in = &s->names;
    len = strnlen(text, len);
    if (2 * (in->used + 1) > in->cap) grow(in);
    const char **slot = find(in->slot, in->cap, text, len);
    if (!*slot) {
        *slot = arena_strndup(&in->strings, text, len);
        in->used++;
    }
    return *slot;
}

const char *intern(struct session *s, const char *text) {
    return intern_n(s, text, strlen(text));
}

void interner_release(struct interner *in) {
    memory_free(in->slot);
    arena_release(&in->strings);
    *in = (struct interner){0};
}
