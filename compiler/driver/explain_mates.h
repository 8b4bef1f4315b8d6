// Which kernels and copies of two explanations are the same (see explain_diff.h).
#ifndef TCPC_DRIVER_EXPLAIN_MATES_H
#define TCPC_DRIVER_EXPLAIN_MATES_H

#include <stdbool.h>

struct json_value;
struct session;

struct item {
    const struct json_value *v;
    const char *key;
    int at, mate;  // its place in its list, that of the other one in the other list; -1: none
    bool labelled;
};

struct items {
    struct item *item;  // in the order of the file
    int n;
};

// What "list" holds, without mates.
struct items mates_of(struct session *s, const struct json_value *list);
// Makes mates of the kernels x[0] and x[1] of one name, and of copies.
void mates_kernels(struct session *s, struct items x[2]);
void mates_copies(struct session *s, struct items x[2]);

// The text at "key" of "v"; NULL where there is none.
const char *mates_text(const struct json_value *v, const char *key);

#endif
