// Fix-its that promise something are tried before they are shown.
#ifndef TCPC_COMPILE_FIXITS_H
#define TCPC_COMPILE_FIXITS_H

struct compiled;

// Tries each fix-it of "c" with a claim (base/diag.h): applies it to the texts in memory, compiles
// what comes out in a session of its own, and drops the note whose claim does not hold.  What
// depends on a claim is dropped with it, so that the numbers of errors and warnings are right
// afterwards.
void fixits_try(const struct compiled *c);

// A session for another compilation of what "s" compiles, with its options, that warns of nothing.
struct session;
void session_like(struct session *t, const struct session *s);

#endif
