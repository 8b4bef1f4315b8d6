// Names in emitted code: as in the plan where C allows it, never twice.
#ifndef TCPC_LOWER_NAMES_H
#define TCPC_LOWER_NAMES_H

struct session;

struct names {
    struct session *s;
    const char **at;
    int n, cap;
};

void names_init(struct names *t, struct session *s);
// "want" (a dot becomes _), with _ appended until it is neither taken nor a word of C, C++ or the
// runtime; takes it.
const char *names_take(struct names *t, const char *want);
// "name", or with an x before it when such names belong to the runtime or the C++ compiler.
const char *names_own(struct session *s, const char *name);
// The first of i, j, k, ... that is free; takes it.
const char *names_take_index(struct names *t);
void names_release(struct names *t, const char *name);

#endif
