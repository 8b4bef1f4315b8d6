// Trying the fix-its that claim an improvement, before they are shown.
#ifndef TCPC_STEPS_FIXITS_H
#define TCPC_STEPS_FIXITS_H

struct compiled;

// Tries each fix-it of "c" that has a claim (base/diag.h): applies it to the texts in memory,
// compiles the result in a session of its own, and drops the note when its claim does not hold.
// Also drops whatever depends on that claim, so that the numbers of errors and warnings stay right.
void fixits_try(const struct compiled *c);

// Initializes "t" as a session that compiles again what "s" compiles: with the same options, but
// without warnings.
struct session;
void session_like(struct session *t, const struct session *s);

#endif
