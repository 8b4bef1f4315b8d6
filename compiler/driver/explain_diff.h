// Comparing two outputs of `tcpc explain --json`: which width, which count of the hardware, how
// much memory changed, and whether for the worse.
#ifndef TCPC_DRIVER_EXPLAIN_DIFF_H
#define TCPC_DRIVER_EXPLAIN_DIFF_H

struct buf;
struct session;

// Prints what changed from the file "old" to the file "new", a line each, and a line with the
// counts.  Returns the exit status: EXIT_WRONG where something got worse; EXIT_USAGE, after it has
// said why, where one of the two cannot be read.
int explain_diff(struct session *s, const char *old, const char *new, struct buf *out);

#endif
