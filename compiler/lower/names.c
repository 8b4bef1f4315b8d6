// Unique names in emitted code: those of the plan where C allows them.
#include "lower/names.h"

#include <string.h>

#include "base/session.h"
#include "plan/c_names.h"

// What emitted code itself declares with a fixed name.
static const char *const own[] = {
    "tid",     "smem",   "v",      "whole", "block_x", "block_y",
    "block_z", "stream", "status", "bits",  "which",   "nothing_to_write",
};

void names_init(struct names *t, struct session *s) {
    *t = (struct names){s, NULL, 0, 0};
}

static int taken(const struct names *t, const char *name) {
    for (int i = 0; i < t->n; ++i) {
        if (strcmp(t->at[i], name) == 0) return 1;
    }
    for (unsigned i = 0; i < sizeof own / sizeof own[0]; ++i) {
        if (strcmp(own[i], name) == 0) return 1;
    }
    size_t n = strlen(name);
    if (n > 2 && strcmp(name + n - 2, "_t") == 0) return 1;  // such names are those of types
    return c_name_taken(name) != NULL;
}

static void push(struct names *t, const char *name) {
    if (t->n == t->cap) {
        int cap = t->cap ? 2 * t->cap : 32;
        const char **at = ARENA_ARRAY(&t->s->arena, const char *, cap);
        if (t->n) memcpy(at, t->at, sizeof *at * (size_t)t->n);
        t->at = at;
        t->cap = cap;
    }
    t->at[t->n++] = name;
}

void names_reserve(struct names *t, const char *name) {
    for (int i = 0; i < t->n; ++i)
        if (strcmp(t->at[i], name) == 0) return;
    push(t, name);
}

const char *names_take(struct names *t, const char *want) {
    char *name = arena_strndup(&t->s->arena, want, strlen(want));
    for (char *c = name; *c; ++c) {
        if (*c == '.') *c = '_';
    }
    const char *use = c_name_own(t->s, name);
    while (taken(t, use)) use = arena_printf(&t->s->arena, "%s_", use);
    push(t, use);
    return use;
}

const char *names_take_index(struct names *t) {
    static const char *const pool[] = {"i", "j", "k", "l", "m", "n", "p", "q"};
    for (unsigned i = 0; i < sizeof pool / sizeof pool[0]; ++i) {
        if (!taken(t, pool[i])) {
            push(t, pool[i]);
            return pool[i];
        }
    }
    return names_take(t, "i");
}

void names_release(struct names *t, const char *name) {
    for (int i = t->n - 1; i >= 0; --i) {
        if (t->at[i] != name) continue;
        memmove(&t->at[i], &t->at[i + 1], sizeof *t->at * (size_t)(t->n - i - 1));
        --t->n;
        return;
    }
}
