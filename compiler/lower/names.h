// Unique names in emitted code: those of the plan where C allows them.
#ifndef TCPC_LOWER_NAMES_H
#define TCPC_LOWER_NAMES_H

struct session;

struct names {
    struct session *s;
    const char **at;
    int n, cap;
};

void names_init(struct names *t, struct session *s);
// Takes "want" (with _ for a dot), and appends _ until it is neither taken nor a word of C, C++ or
// the runtime.
const char *names_take(struct names *t, const char *want);
// "name", or with an x before it if such names are reserved for the runtime or the C++ compiler.
const char *names_own(struct session *s, const char *name);
// Takes the first free one of i, j, k, ...
const char *names_take_index(struct names *t);
void names_release(struct names *t, const char *name);

#endif
