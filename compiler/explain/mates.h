// Matches kernels and copies of two explanations (see diff.h).
#ifndef TCPC_EXPLAIN_MATES_H
#define TCPC_EXPLAIN_MATES_H

#include <stdbool.h>

struct json_value;
struct session;

struct item {
    const struct json_value *v;
    const char *key;
    // index in its list, and index of the matching item in the other list; -1: none
    int at, mate;
    bool labelled;
};

struct items {
    struct item *item;  // in the order of the file
    int n;
};

// The items of "list", not matched.
struct items mates_of(struct session *s, const struct json_value *list);
// Match the kernels of x[0] and x[1] with the same name, and copies.
void mates_kernels(struct session *s, struct items x[2]);
void mates_copies(struct session *s, struct items x[2]);

// The text at "key" of "v"; NULL if there is none.
const char *mates_text(const struct json_value *v, const char *key);

#endif
