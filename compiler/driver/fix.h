// tcpc --fix: applies the fix-its of messages to the plan.
#ifndef TCPC_DRIVER_FIX_H
#define TCPC_DRIVER_FIX_H

#include <stdbool.h>

struct session;

// Whether the file at "path" can be changed: it is no pipe and no device.  Reports the reason if
// not.
bool fix_can(const char *path);
// Applies the fix-its of errors and warnings to the file at "path" and prints how many.  Ignores
// fix-its that overlap others, those for other files, and those of notes.  Returns the exit status:
// EXIT_RIGHT also if there is nothing to do.
int fix_apply(struct session *s, const char *path);

#endif
