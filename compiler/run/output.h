// Writes what a command makes: completely or not at all.
#ifndef TCPC_RUN_OUTPUT_H
#define TCPC_RUN_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct session;

// Writes "text" to the file at "path" ("-" is standard output).  Writes a temporary file beside it
// first, so that nobody sees an incomplete file. Does not overwrite what "s" has read. An existing
// file keeps its mode, its owner and its links.  Returns 0, or 2 after reporting an error; the file
// is then unchanged.
int output_write(struct session *s, const char *path, const char *text, size_t len);
// The same for text that is not a plan: refuses a path that ends in ".tcp".
int output_other(struct session *s, const char *path, const char *text, size_t len);
// Like output_write, but may overwrite what "s" has read.
int output_replace(struct session *s, const char *path, const char *text, size_t len);
// Writes a file without messages: false, with errno set, on failure.
bool output_bytes(struct session *s, const char *path, const char *bytes, size_t len);
// Whether "path" is none of the files that "s" has read; reports an error otherwise.
bool output_spares_inputs(struct session *s, const char *path);
// Whether standard output and standard input are different files; reports an error otherwise.
bool output_spares_stdin(void);
// Whether "path" does not end in ".tcp", the ending of plans; reports an error otherwise.
bool output_spares_plans(const char *path);
// Whether the two paths are the same file.
bool output_same(const char *a, const char *b);

#endif
