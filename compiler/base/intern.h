// Interned names: equal strings have equal pointers.
#ifndef TCPC_BASE_INTERN_H
#define TCPC_BASE_INTERN_H

#include <stddef.h>

#include "base/arena.h"

struct session;

struct interner {
    const char **slot;
    size_t cap, used;
    struct arena strings;
};

const char *intern(struct session *s, const char *text);
const char *intern_n(struct session *s, const char *text, size_t len);
void interner_release(struct interner *in);

#endif
