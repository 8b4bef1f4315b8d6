// Converts drawings to PNG.
#ifndef TCPC_DRIVER_PNG_H
#define TCPC_DRIVER_PNG_H

struct buf;
struct session;

// Writes "svg" to "path" as a PNG with two pixels for one.  Returns the exit status; reports
// errors.
int draw_png(struct session *s, const char *path, const struct buf *svg);

#endif
