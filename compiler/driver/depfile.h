// The file of -MD: which files an output was made from, for make and ninja.
#ifndef TCPC_DRIVER_DEPFILE_H
#define TCPC_DRIVER_DEPFILE_H

#include <stdbool.h>

struct buf;
struct session;

struct depfile {
    bool wanted;         // -MD
    const char *path;    // -MF, or NULL: the output's name with the ending .d
    const char *target;  // -MT, written as it is; or NULL: the output's name
};

// Whether "d" can be written for output "output" ("-": standard output); says why not.
bool depfile_check(const struct depfile *d, const char *output);

// Where it is written to.
const char *depfile_path(struct session *s, const struct depfile *d, const char *output);
// Appends the rule "target: plan imports" of all files that "s" has read.  False after it has said
// why there is none.
bool depfile_text(struct session *s, const struct depfile *d, const char *output, struct buf *out);

#endif
