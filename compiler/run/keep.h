// Keeps track of which files in the folder of `tcpc run --keep` and `--write` belong to tcpc.
#ifndef TCPC_RUN_KEEP_H
#define TCPC_RUN_KEEP_H

#include <stdbool.h>

struct session;

// A file that a run writes.
struct made {
    const char *path;
    // written by another program, so it may be incomplete
    bool in_place;
    bool was_there;  // existed before
};

// The files of one run; the last one is the list of them.
struct keep {
    const char *folder;
    struct made *file;
    int n;
    bool claimed;
};

// Begins without files in "folder", with room for "most".
void keep_init(struct session *s, struct keep *k, const char *folder, int most);
void keep_add(struct session *s, struct keep *k, const char *name, bool in_place);
// Claims those files for tcpc.  Reports an error and returns false if this process has read one of
// them, or, in a "kept" folder, if no run made one of the existing files.
bool keep_claim(struct session *s, struct keep *k, bool kept);
// Removes the files that did not exist before, and those that may be incomplete.
void keep_undo(const struct keep *k);

#endif
