// Writing what a command makes: whole, or not at all.
#ifndef TCPC_DRIVER_OUTPUT_H
#define TCPC_DRIVER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct session;

// Writes "text" to the file at "path" through one beside it, so that nobody sees half of it; "-" is
// standard output. What "s" has read is not overwritten. A file that is there keeps its mode, its
// owner and its links.  Returns 0, or 2 after it has said why not; then the file is what it was.
int output_write(struct session *s, const char *path, const char *text, size_t len);
// The same of what is not the text of a plan, for which a path that ends in ".tcp" is refused.
int output_other(struct session *s, const char *path, const char *text, size_t len);
// The same as output_write, and overwrites what "s" has read too.
int output_replace(struct session *s, const char *path, const char *text, size_t len);
// The same of a file, without a word: false, with errno set, where that fails.
bool output_bytes(struct session *s, const char *path, const char *bytes, size_t len);
// Whether nothing that "s" has read is at "path"; says what is.
bool output_spares_inputs(struct session *s, const char *path);
// Whether standard output is no file that is standard input too; says that it is.
bool output_spares_stdin(void);
// Whether "path" does not end in ".tcp", which is for the text of plans; says that it does.
bool output_spares_plans(const char *path);
// Whether the two paths name one file.
bool output_same(const char *a, const char *b);

#endif
