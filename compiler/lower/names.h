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
// Takes "want" (with _ for a dot), and appends _ until it is free (plan/c_names.h) and not yet taken.
const char *names_take(struct names *t, const char *want);
// Takes "name", a function's, so that nothing else gets it.
void names_reserve(struct names *t, const char *name);
// Takes the first free one of i, j, k, ...
const char *names_take_index(struct names *t);
void names_release(struct names *t, const char *name);

#endif
