// Calls whose last argument is a choice "a ? b : c", the way clang-format leaves them.
#include <limits.h>
#include <string.h>

#include "emit/write.h"

// Whether the first way of a choice at "column" has room behind its question.
static bool has_room(const char *arg, int column) {
    const char *second = strstr(arg, " : ");
    return second && column + (int)(second - arg) <= EMIT_COLUMNS;
}

bool choice_put(struct buf *b, const char *arg, int column) {
    const char *first = strstr(arg, " ? "), *second = strstr(arg, " : ");
    if (!first || !second) return false;
    int under = column + (int)(first - arg) + 1;
    buf_printf(b, "%.*s\n%*s%s", (int)(second - arg), arg, under, "", second + 1);
    return true;
}

// How many lines the first "n" arguments fill from "column" on, written to "b" unless that is NULL;
// more than any call has when one of them is too long.  The first may be broken, as an index.
static int fill_lines(struct buf *b, const struct call *c, int n, int column) {
    int lines = 0, at = EMIT_COLUMNS;
    for (int i = 0; i < n; ++i) {
        bool last = i == c->nargs - 1;
        int own = (int)strlen(c->arg[i]) + (last ? (int)strlen(c->tail) : 1);
        bool fits = column + own <= EMIT_COLUMNS, breaks = at + 1 + own > EMIT_COLUMNS;
        int more = i == 0 && !last ? index_lines(c->arg[i], column, 1) : fits ? 1 : INT_MAX;
        if (more == INT_MAX) return more;
        if (b && i > 0 && breaks) buf_printf(b, "\n%*s", column, "");
        if (b && i > 0 && !breaks) buf_char(b, ' ');
        if (b && !fits) index_put(b, c->arg[i], column, 1);
        if (b && fits) buf_puts(b, c->arg[i]);
        if (b) buf_puts(b, last ? c->tail : ",");
        lines += breaks ? more : 0;
        at = !fits ? EMIT_COLUMNS : breaks ? column + own : at + 1 + own;
    }
    return lines;
}

bool choice_write(struct buf *b, const struct call *c) {
    int column = c->indent + (int)strlen(c->head), last = c->nargs - 1;
    if (last < 1 || !strstr(c->arg[last], " ? ")) return false;
    if (column + (int)(strlen(c->arg[last]) + strlen(c->tail)) <= EMIT_COLUMNS) return false;
    int below = fill_lines(NULL, c, c->nargs, c->indent + 4);
    int behind = fill_lines(NULL, c, last, column);
    bool room = behind < INT_MAX && has_room(c->arg[last], column);
    if (below == INT_MAX || (room && below > behind)) return false;
    buf_fill(b, ' ', c->indent);
    buf_printf(b, "%s\n%*s", c->head, c->indent + 4, "");
    fill_lines(b, c, c->nargs, c->indent + 4);
    buf_char(b, '\n');
    return true;
}
