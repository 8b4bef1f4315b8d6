// The session: it is made first and released last.
#include "base/session.h"

#include <stdlib.h>

#include "base/trap.h"

static void *lay_memory(void *user, size_t bytes) {
    return arena_alloc(user, bytes);
}

void session_init(struct session *s) {
    *s = (struct session){0};
    arena_init(&s->arena);
    arena_init(&s->names.strings);
    arena_init(&s->sources.arena);
    diags_init(&s->diags);
    lay_init(&s->lay, lay_memory, &s->arena);
    s->lay.poll = trap_poll;
}

void session_release(struct session *s) {
    diags_release(&s->diags);
    interner_release(&s->names);
    arena_release(&s->sources.arena);
    arena_release(&s->arena);
    *s = (struct session){0};
}

struct session_mark session_mark(const struct session *s) {
    return (struct session_mark){arena_mark(&s->arena), s->next_var};
}

void session_rewind(struct session *s, struct session_mark mark) {
    lay_clear_error(&s->lay);
    arena_rewind(&s->arena, mark.arena);
    s->next_var = mark.next_var;
}

void session_define(struct session *s, const char *name, size_t len, const char *text) {
    struct options *o = &s->options;
    o->defines =
        arena_more(&s->arena, o->defines, sizeof *o->defines, o->ndefines, &o->cap_defines);
    o->defines[o->ndefines++] = (struct define){intern_n(s, name, len), text};
}

void options_undefine(struct options *o) {
    o->defines = NULL;
    o->ndefines = o->cap_defines = 0;
}

static int by_name(const void *a, const void *b) {
    const struct define *x = *(const struct define *const *)a;
    const struct define *y = *(const struct define *const *)b;
    uintptr_t n = (uintptr_t)x->name, m = (uintptr_t)y->name;
    if (n != m) return n < m ? -1 : 1;
    return x < y ? -1 : x > y;
}

const struct define **session_defines(struct session *s) {
    int n = s->options.ndefines;
    const struct define **sorted = ARENA_ARRAY(&s->arena, const struct define *, n + 1);
    for (int i = 0; i < n; ++i) sorted[i] = &s->options.defines[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_name);
    return sorted;
}

int defines_of(const struct define *const *sorted, int n, const char *name, int *first) {
    int low = 0, high = n;
    while (low < high) {
        int mid = (low + high) / 2;
        if ((uintptr_t)sorted[mid]->name < (uintptr_t)name)
            low = mid + 1;
        else
            high = mid;
    }
    for (*first = low; low < n && sorted[low]->name == name;) ++low;
    return low;
}
