// Writes the file of -MD: the files from which an output was made, for make and ninja.
#ifndef TCPC_DRIVER_DEPFILE_H
#define TCPC_DRIVER_DEPFILE_H

#include <stdbool.h>

struct buf;
struct session;

struct depfile {
    bool wanted;         // -MD
    const char *path;    // -MF; NULL: the output's name with the ending .d
    const char *target;  // -MT, written unchanged; NULL: the output's name
};

// Whether "d" can be written for output "output" ("-": standard output); reports the reason if not.
bool depfile_check(const struct depfile *d, const char *output);

// The path of the file.
const char *depfile_path(struct session *s, const struct depfile *d, const char *output);
// Appends the rule "target: plan imports" with all files that "s" has read.  Reports an error and
// returns false if there is none.
bool depfile_text(struct session *s, const struct depfile *d, const char *output, struct buf *out);

#endif
