// Expressions on the command line: those of plans, also in CuTe's notations.
#ifndef TCPC_TELL_EXPRESSION_H
#define TCPC_TELL_EXPRESSION_H

#include "layout/calc.h"

struct buf;
struct session;

// The value of "text".  Its kind is CALC_NONE if there is none; the error is then in the layout
// context. "options" may be NULL.
struct calc_value expression_value(struct session *s, const char *text,
                                   const struct calc_options *options);
// The same as a layout, with its offset if that is a number; a shape counts as one.  Invalid if it is
// none.
struct lay expression_layout(struct session *s, const char *text);
// The value as JSON, in one line: integers are numbers, and leaves with params are strings.
void expression_json(struct session *s, struct calc_value v, struct buf *out);

#endif
