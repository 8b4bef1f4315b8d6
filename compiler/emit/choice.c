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
    int ask = (int)(first - arg), way = (int)(second - first);
    bool room = has_room(arg, column);
    int under = room ? column + ask + 1 : column + 4;
    buf_printf(b, "%.*s", ask, arg);
    if (room)
        buf_char(b, ' ');
    else
        buf_printf(b, "\n%*s", under, "");
    buf_printf(b, "%.*s\n%*s%s", way - 1, first + 1, under, "", second + 1);
    return true;
}

// How many lines the first "n" arguments fill from "column" on, written to "b" unless that is NULL;
// more than any call has when one of them is too long.
static int fill_lines(struct buf *b, const struct call *c, int n, int column) {
    int lines = 1, at = column;
    for (int i = 0; i < n; ++i) {
        int own = (int)strlen(c->arg[i]) + (i == c->nargs - 1 ? (int)strlen(c->tail) : 1);
        bool breaks = i > 0 && at + 1 + own > EMIT_COLUMNS;
        if (column + own > EMIT_COLUMNS) return INT_MAX;
        if (b && breaks) buf_printf(b, "\n%*s", column, "");
        if (b && i > 0 && !breaks) buf_char(b, ' ');
        if (b) buf_printf(b, "%s%s", c->arg[i], i == c->nargs - 1 ? c->tail : ",");
        lines += breaks;
        at = breaks || i == 0 ? column + own : at + 1 + own;
    }
    return lines;
}

bool choice_write(struct buf *b, const struct call *c) {
    int column = c->indent + (int)strlen(c->head), last = c->nargs - 1;
    if (last < 1 || !strstr(c->arg[last], " ? ")) return false;
    if (column + (int)(strlen(c->arg[last]) + strlen(c->tail)) <= EMIT_COLUMNS) return false;
    int below = fill_lines(NULL, c, c->nargs, c->indent + 4);
    int ways = has_room(c->arg[last], column) ? 1 : 2;
    int behind = fill_lines(NULL, c, last, column);
    if (below == INT_MAX || (behind < INT_MAX && below >= behind + ways)) return false;
    buf_fill(b, ' ', c->indent);
    buf_printf(b, "%s\n%*s", c->head, c->indent + 4, "");
    fill_lines(b, c, c->nargs, c->indent + 4);
    buf_char(b, '\n');
    return true;
}
