// tcpc --fix: the plan with the fix-its of its messages applied.
#ifndef TCPC_DRIVER_FIX_H
#define TCPC_DRIVER_FIX_H

#include <stdbool.h>

struct session;

// Whether the file at "path" can be changed: it is no pipe and no device.  Says why not.
bool fix_can(const char *path);
// Applies the fix-its of errors and warnings to the file at "path", from which they came, and says
// how many.  What is in one that is taken already, in another file or in a note stays.
// Returns an exit status: EXIT_RIGHT also where there is nothing to do.
int fix_apply(struct session *s, const char *path);

#endif
