// Tests that a kernel passed in an earlier compilation (base/kept.h): of its code by sample, of the order of
// its fragments, of its costs.  They are run again if anything changed that the kernel is made of.
//
// Proofs do not rely on this: they are found by the question itself (prove/recall.h).
#ifndef TCPC_PLAN_KNOWN_H
#define TCPC_PLAN_KNOWN_H

#include "base/digest.h"
#include "plan/plan.h"

struct known {
    const struct kernel *k;
    const char *test;             // its name
    const char *about;            // what it is about besides the plan's text; or NULL
    const int64_t *const *value;  // values of params, by symbol, that take part
    int n;
    bool counts;        // as work on the kernel
    struct digest key;  // set by known_passed
    int told;
};

// Sets the digest of the text of "k" and of what that uses, for known_passed.
void known_text(struct session *s, struct kernel *k, struct digesting *text);
// Whether the kernel passed the test before, and nobody was told anything.
bool known_passed(struct session *s, struct known *x);
// Keeps that it passed, unless there was something to tell.
void known_keep(struct session *s, const struct known *x);

#endif
