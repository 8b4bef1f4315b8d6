// Expressions on the command line: those of plans, in the notations of CuTe too.
#ifndef TCPC_DRIVER_EXPRESSION_H
#define TCPC_DRIVER_EXPRESSION_H

#include "layout/calc.h"

struct session;

// The value of "text", in the session's memory.  Of kind CALC_NONE when it has none: the layout
// context's error says why.  "options" may be NULL.
struct calc_value expression_value(struct session *s, const char *text,
                                   const struct calc_options *options);
// The same as a layout, of which a shape alone is one; invalid when it is none.
struct lay expression_layout(struct session *s, const char *text);

#endif
