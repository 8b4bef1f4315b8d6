// Fix-its that promise something are tried before they are shown.
#ifndef TCPC_DRIVER_FIXITS_H
#define TCPC_DRIVER_FIXITS_H

struct plan;
struct session;

// Tries each fix-it with a claim (base/diag.h): applies it to the texts in memory, compiles what
// comes out in a session of its own, and drops the note whose claim does not hold.  "path" is the
// file that "s" compiles, "p" its plan as far as the passes have come, or NULL.  What depends on a
// claim is dropped with it, so that the numbers of errors and warnings are right afterwards.
void fixits_try(struct session *s, const char *path, const struct plan *p);

#endif
