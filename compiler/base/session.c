// The session: made first, released last.
#include "base/session.h"

#include <string.h>

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
    struct define *all = ARENA_ARRAY(&s->arena, struct define, o->ndefines + 1);
    if (o->ndefines > 0) memcpy(all, o->defines, sizeof *all * (size_t)o->ndefines);
    all[o->ndefines] = (struct define){intern_n(s, name, len), text};
    o->defines = all;
    ++o->ndefines;
}
