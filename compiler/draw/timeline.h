// What the schedules of pipelines and those of roles share.
#ifndef TCPC_DRAW_TIMELINE_H
#define TCPC_DRAW_TIMELINE_H

#include "draw/picture.h"

enum { TIMELINE_COLUMNS = 96, TIMELINE_ROWS = 64 };
enum { HUE_LOAD = 20, HUE_USE = 12, HUE_WAIT = 4, HUE_READ = 27, HUE_READY = 2 * 32 + 2 };

// roles.c: the schedule of a pipeline with roles, or of "roles", "st", in so many steps.
struct side_line;
// Whether copies of "x" read a buffer until they are waited for.
static inline bool reads_late(const struct stmt *x) {
    return x->kind == STMT_COPY && copy_atom(x->copy) && copy_atom(x->copy)->row->reads_late;
}

// Executes it.  NULL: "why" is why it cannot be drawn.
struct side_line *side_run(struct picture *p, const struct stmt *st, int64_t steps,
                           const char **why);
int side_rows(const struct side_line *x);
int side_columns(const struct side_line *x);
void side_fill(const struct side_line *x, struct pic_grid *g);
// Notes who comes to its barriers, and who waits.
void side_note(const struct side_line *x);

#endif
