// The net beneath the planner: where the text that it wrote for a kernel is refused, the next
// candidate takes its place.
#ifndef TCPC_STEPS_FALLBACK_H
#define TCPC_STEPS_FALLBACK_H

#include <stdbool.h>

struct compiled;

// Call this after a step that failed.  If the errors are about text that the planner wrote, and
// other candidates compile, sets "c" back to the first step, with these, and returns true.
bool fallback_begin(struct compiled *c);

#endif
