// The files of the folder of `tcpc run --keep` and `--write`: which of them are tcpc's.
#ifndef TCPC_DRIVER_KEEP_H
#define TCPC_DRIVER_KEEP_H

#include <stdbool.h>

struct session;

// A file that a run makes.
struct made {
    const char *path;
    bool in_place;   // by another program, so that half of it may be there
    bool was_there;  // before
};

// The files of one run; the last one is the list of them.
struct keep {
    const char *folder;
    struct made *file;
    int n;
    bool claimed;
};

// Begins with no file in "folder", which may hold as many as "most".
void keep_init(struct session *s, struct keep *k, const char *folder, int most);
void keep_add(struct session *s, struct keep *k, const char *name, bool in_place);
// Makes those files ours.  Refused, with a message, is a file that this process has read, and in a
// folder that is "kept" one that no run has made.
bool keep_claim(struct session *s, struct keep *k, bool kept);
// Removes what was not there before, and what may be there by half.
void keep_undo(const struct keep *k);

#endif
