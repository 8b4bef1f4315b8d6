// What bison's trace is printed with in the grammar of rule_trace.
#ifndef RULE_TRACE_H
#define RULE_TRACE_H

#include <stdio.h>

int trace_print(FILE *to, const char *format, ...);

#define YYFPRINTF trace_print

#endif
