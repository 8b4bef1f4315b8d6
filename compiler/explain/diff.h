// Compares two outputs of `tcpc explain --json`: which widths, hardware counts and memory sizes
// changed, and whether they got worse.
#ifndef TCPC_EXPLAIN_DIFF_H
#define TCPC_EXPLAIN_DIFF_H

struct buf;
struct session;

// Prints the changes from the file "old" to the file "new", one line each, and a line with their
// numbers. Returns the exit status: EXIT_WRONG if something got worse; EXIT_USAGE, after reporting
// why, if one of the files cannot be read.
int explain_diff(struct session *s, const char *old, const char *new, struct buf *out);

#endif
