// Expressions on the command line: those of plans, and the notations of CuTe.
#ifndef TCPC_DRIVER_EXPRESSION_H
#define TCPC_DRIVER_EXPRESSION_H

#include "layout/calc.h"

struct session;

// The value of "text", in the session's memory.  Of kind CALC_NONE when it has none: the layout
// context's error says why.  "options" may be NULL.
struct calc_value expression_value(struct session *s, const char *text,
                                   const struct calc_options *options);

#endif
