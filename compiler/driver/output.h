// Writing what a command makes: whole, or not at all.
#ifndef TCPC_DRIVER_OUTPUT_H
#define TCPC_DRIVER_OUTPUT_H

#include <stddef.h>

struct session;

// Writes "text" to the file at "path" through one beside it, so that nobody sees half of it; "-" is
// standard output. What "s" has read is not overwritten.  Returns 0, or 2 after it has said why
// not.
int output_write(struct session *s, const char *path, const char *text, size_t len);
// The same, and overwrites what "s" has read too.
int output_replace(struct session *s, const char *path, const char *text, size_t len);

#endif
