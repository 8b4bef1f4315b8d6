// Writing C the way clang-format leaves it.
#include "emit/write.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"

// -- calls and comments ---------------------------------------------------------------------------

void call_arg(struct call *c, const char *fmt, ...) {
    struct buf b;
    buf_init(&b);
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    c->arg = arena_more(&c->s->arena, c->arg, sizeof *c->arg, c->nargs, &c->cap);
    c->arg[c->nargs++] = buf_finish(&b, &c->s->arena);
}

int call_width(const struct call *c) {
    int width = c->indent + (int)strlen(c->head) + (int)strlen(c->tail);
    for (int i = 0; i < c->nargs; ++i) width += (int)strlen(c->arg[i]) + (i > 0 ? 2 : 0);
    return width;
}

// Whether the term of "n" letters at "p", "all" with what follows, is rather broken inside: it is a
// call of a sum, and at column "next" of a line of its own it had to be, too.
static bool breaks_inside(const char *p, size_t n, int all, int column, int next) {
    const char *open = memchr(p, '(', n), *sum = open ? strstr(open, " + ") : NULL;
    return sum && sum < p + n && next + all > EMIT_COLUMNS &&
           column + (int)(sum - p) + 2 <= EMIT_COLUMNS;
}

void index_put(struct buf *b, const char *arg, int column, int after) {
    int open[8] = {column}, depth = 0;
    size_t at = 0;
    for (const char *p = arg; *p; ++p) {
        bool word =
            *p != ' ' && p > arg && p[-1] == ' ' && p - arg >= 2 && (p[-2] == '+' || p[-2] == '-');
        if (word) {  // a term: does it fit, with its operator or with all that follows?
            size_t n = 0;
            int inner = 0;
            while (p[n] && !(inner == 0 && p[n] == ' ' && (p[n + 1] == '+' || p[n + 1] == '-') &&
                             p[n + 2] == ' ')) {
                inner += (p[n] == '(' || p[n] == '[') - (p[n] == ')' || p[n] == ']');
                ++n;
            }
            int all = (int)n + (p[n] ? 2 : after);
            if (column + all > EMIT_COLUMNS && !breaks_inside(p, n, all, column, open[depth])) {
                buf_write(b, arg + at, (size_t)(p - arg) - at - 1);
                at = (size_t)(p - arg);
                column = open[depth];
                buf_char(b, '\n');
                buf_fill(b, ' ', column);
            }
        }
        ++column;
        if ((*p == '(' || *p == '[') && depth < 7) open[++depth] = column;
        if ((*p == ')' || *p == ']') && depth > 0) --depth;
    }
    buf_puts(b, arg + at);
}

int index_lines(const char *arg, int column, int after) {
    struct buf b;
    int n = 1, at = column;
    buf_init(&b);
    index_put(&b, arg, column, after);
    for (size_t i = 0; i < b.len && n < INT_MAX; ++i) {
        at = b.text[i] == '\n' ? 0 : at + 1;
        n += at == 0;
        if (at > EMIT_COLUMNS) n = INT_MAX;
    }
    buf_release(&b);
    return n;
}

// The parenthesis of the call that "arg" is, or is an element at; NULL where it is none, or has no
// arguments.
static const char *parenthesis(const char *arg) {
    const char *open = strchr(arg, '('), *sum = strstr(arg, " + "), *choice = strstr(arg, " ? ");
    bool other = (sum && sum < open) || (choice && choice < open);
    return open && open[1] != ')' && !other ? open : NULL;
}

// Whether "arg" at "column" with "after" more columns behind it, broken behind its first
// parenthesis, takes two lines.
static bool is_short_call(const char *arg, int column, int after) {
    const char *open = parenthesis(arg);
    return open && column + (int)(open + 1 - arg) <= EMIT_COLUMNS &&
           column + 4 + (int)strlen(open + 1) + after <= EMIT_COLUMNS;
}

// The last argument, too long for a line: broken behind its first parenthesis when it is a call;
// "after" more columns follow.
static void put_long(struct buf *b, const char *arg, int column, int after) {
    const char *open = strchr(arg, '(');
    if (choice_put(b, arg, column)) return;
    if (!open || open[1] == ')') {
        buf_puts(b, arg);
        return;
    }
    // or behind the next one, where that makes it shorter
    if (index_lines(open + 1, column + 4, after) > 1 && parenthesis(open + 1)) {
        const char *inner = parenthesis(open + 1);
        if (column + (int)(inner + 1 - arg) <= EMIT_COLUMNS &&
            column + 4 + (int)strlen(inner + 1) + after <= EMIT_COLUMNS)
            open = inner;
    }
    buf_write(b, arg, (size_t)(open - arg) + 1);
    buf_char(b, '\n');
    buf_fill(b, ' ', column + 4);
    index_put(b, open + 1, column + 4, after);
}

// A call of two arguments whose last one is a call that fits nowhere but further left, broken at
// both parentheses; false when it is none.
static bool write_deep(struct buf *b, const struct call *c) {
    if (c->nargs != 2 || strstr(c->head, " = ") || call_width(c) <= EMIT_COLUMNS) return false;
    const char *last = c->arg[1], *open = strchr(last, '(');
    if (!open || open[1] == ')') return false;
    int tail = (int)strlen(c->tail), all = (int)strlen(last) + tail;
    int inner = (int)strlen(open + 1) + tail, column = c->indent + (int)strlen(c->head);
    if (c->indent + 4 + all <= EMIT_COLUMNS || column + 4 + inner <= EMIT_COLUMNS ||
        c->indent + 8 + inner > EMIT_COLUMNS || column + (int)strlen(c->arg[0]) + 1 > EMIT_COLUMNS)
        return false;
    buf_fill(b, ' ', c->indent);
    buf_printf(b, "%s\n%*s%s,\n", c->head, c->indent + 4, "", c->arg[0]);
    buf_printf(b, "%*s%.*s\n", c->indent + 4, "", (int)(open + 1 - last), last);
    buf_printf(b, "%*s%s%s\n", c->indent + 8, "", open + 1, c->tail);
    return true;
}

// A call of two arguments whose last one is a sum that ends in a call: it fits on a line further
// left alone, where it is not broken.  False when it is none.
static bool write_below(struct buf *b, const struct call *c) {
    if (c->nargs != 2 || strstr(c->head, " = ") || call_width(c) <= EMIT_COLUMNS) return false;
    const char *last = c->arg[1];
    int own = (int)(strlen(last) + strlen(c->tail));
    if (!strchr(last, '(') || parenthesis(last) || strstr(last, " ? ") ||
        c->indent + (int)strlen(c->head) + own <= EMIT_COLUMNS ||
        c->indent + 4 + (int)strlen(c->arg[0]) + 2 + own <= EMIT_COLUMNS ||
        c->indent + 4 + own > EMIT_COLUMNS)
        return false;
    buf_fill(b, ' ', c->indent);
    buf_printf(b, "%s\n%*s%s,\n", c->head, c->indent + 4, "", c->arg[0]);
    buf_printf(b, "%*s%s%s\n", c->indent + 4, "", last, c->tail);
    return true;
}

// An assignment of a call whose argument ends in a swizzle, behind other terms of a sum: broken
// behind the = and the swizzle's parenthesis; false where that does not do.
static bool put_inner(struct buf *b, const struct call *c, const char *swizzle) {
    const char *call = strstr(c->head, " = ") + 3, *open = strchr(swizzle, '(');
    int first = c->indent + 4 + (int)strlen(call), before = (int)(open + 1 - c->arg[0]);
    int column = first + (int)(swizzle - c->arg[0]) + 4;
    if (first + before > EMIT_COLUMNS ||
        column + (int)(strlen(open + 1) + strlen(c->tail)) > EMIT_COLUMNS)
        return false;
    buf_printf(b, "%.*s\n%*s%s", (int)(call - c->head) - 1, c->head, c->indent + 4, "", call);
    buf_printf(b, "%.*s\n%*s%s%s\n", before, c->arg[0], column, "", open + 1, c->tail);
    return true;
}

void call_write(struct buf *b, const struct call *c) {
    if (choice_write(b, c) || write_deep(b, c) || write_below(b, c)) return;
    const char *inner = strchr(c->head, '(');
    int column = c->indent + (int)strlen(c->head), width = call_width(c);
    const char *assign = strstr(c->head, " = ");
    int filled = 0;  // arguments that are written already
    buf_fill(b, ' ', c->indent);
    if (assign && width > EMIT_COLUMNS && width - (int)(assign - c->head) + 1 <= EMIT_COLUMNS) {
        buf_write(b, c->head, (size_t)(assign - c->head) + 2);
        buf_char(b, '\n');
        buf_fill(b, ' ', c->indent + 4);
        buf_puts(b, assign + 3);
        column = c->indent + 4 + (int)strlen(assign + 3);
    } else if (assign && c->nargs == 1 && width > EMIT_COLUMNS && column <= EMIT_COLUMNS &&
               c->indent + 4 + (int)(strlen(c->arg[0]) + strlen(c->tail)) <= EMIT_COLUMNS) {
        buf_puts(b, c->head);
        buf_char(b, '\n');
        column = c->indent + 4;
        buf_fill(b, ' ', column);
    } else if (assign && c->nargs == 1 && width > EMIT_COLUMNS) {
        const char *open = parenthesis(c->arg[0]);  // of a swizzle
        int after = (int)strlen(c->tail);
        int below = c->indent + 4, past = below + (int)strlen(assign + 3);
        const char *swizzle = open ? NULL : strstr(c->arg[0], "tcp_swizzle");
        if (swizzle && put_inner(b, c, swizzle)) return;
        if (!open && column <= EMIT_COLUMNS &&
            index_lines(c->arg[0], below, after) < index_lines(c->arg[0], past, after)) {
            buf_printf(b, "%s\n%*s", c->head, below, "");
            index_put(b, c->arg[0], below, after);
            buf_printf(b, "%s\n", c->tail);
            return;
        }
        int before = open ? (int)(open + 1 - c->arg[0]) : 0;
        int inside = open ? (int)(strlen(open + 1) + strlen(c->tail)) : EMIT_COLUMNS;
        if (open && column + before <= EMIT_COLUMNS && c->indent + 4 + inside <= EMIT_COLUMNS) {
            buf_printf(b, "%s%.*s\n%*s%s%s\n", c->head, before, c->arg[0], c->indent + 4, "",
                       open + 1, c->tail);
            return;
        }
        buf_write(b, c->head, (size_t)(assign - c->head) + 2);
        buf_char(b, '\n');
        buf_fill(b, ' ', c->indent + 4);
        buf_puts(b, assign + 3);
        if (open && c->indent + 8 + inside <= EMIT_COLUMNS &&
            index_lines(c->arg[0], past, after) > 2) {
            buf_printf(b, "%.*s\n%*s%s%s\n", before, c->arg[0], c->indent + 8, "", open + 1,
                       c->tail);
            return;
        }
        index_put(b, c->arg[0], c->indent + 4 + (int)strlen(assign + 3), (int)strlen(c->tail));
        buf_puts(b, c->tail);
        buf_char(b, '\n');
        return;
    } else if (inner && inner[1] && width > EMIT_COLUMNS &&
               width - (int)(inner + 1 - c->head) + 4 <= EMIT_COLUMNS) {
        buf_write(b, c->head, (size_t)(inner - c->head) + 1);
        buf_char(b, '\n');
        buf_fill(b, ' ', c->indent + 4);
        buf_puts(b, inner + 1);
        column = c->indent + 4 + (int)strlen(inner + 1);
    } else if (inner && inner[1] && width > EMIT_COLUMNS && c->nargs > 1 &&
               column + (int)(strlen(c->arg[c->nargs - 1]) + strlen(c->tail)) > EMIT_COLUMNS &&
               width - (int)strlen(c->head) + 4 <= EMIT_COLUMNS) {
        // the last argument has no room behind the head, all of them have below it
        buf_puts(b, c->head);
        buf_char(b, '\n');
        column = c->indent + 4;
        buf_fill(b, ' ', column);
    } else {
        buf_puts(b, c->head);
        if (c->nargs > 1 && c->arg[0][0] == '&' && strstr(c->arg[0], " + ") &&
            c->indent + 4 + (int)strlen(c->arg[0]) + 1 > EMIT_COLUMNS) {
            if (is_short_call(c->arg[0], column, 1) && index_lines(c->arg[0], column, 1) > 2) {
                put_long(b, c->arg[0], column, 1);
            } else {
                int lines = index_lines(c->arg[0], column, 1);
                if (lines > 2 && index_lines(c->arg[0], c->indent + 4, 1) < lines) {
                    column = c->indent + 4;
                    buf_char(b, '\n');
                    buf_fill(b, ' ', column);
                }
                index_put(b, c->arg[0], column, 1);
            }
            buf_char(b, ',');
            filled = 1;
        } else if (c->nargs > 1 && column + (int)strlen(c->arg[0]) + 1 > EMIT_COLUMNS) {
            buf_char(b, '\n');
            column = c->indent + 4;
            buf_fill(b, ' ', column);
        }
    }
    int start = column;
    if (filled) column = EMIT_COLUMNS;
    for (int i = filled; i < c->nargs; ++i) {
        bool last = i == c->nargs - 1;
        int own = (int)strlen(c->arg[i]) + (last ? (int)strlen(c->tail) : 1);
        bool shorter = last && filled == 0 && start + own > EMIT_COLUMNS &&
                       is_short_call(c->arg[i], column + 1, (int)strlen(c->tail));
        if (i > 0 && column + 1 + own > EMIT_COLUMNS && !shorter) {
            buf_char(b, '\n');
            buf_fill(b, ' ', start);
            column = start;
        } else if (i > 0) {
            buf_char(b, ' ');
            ++column;
        }
        if (last && column + own > EMIT_COLUMNS)
            put_long(b, c->arg[i], column, (int)strlen(c->tail));
        else
            buf_puts(b, c->arg[i]);
        if (!last) buf_char(b, ',');
        column += (int)strlen(c->arg[i]) + (last ? 0 : 1);
    }
    buf_puts(b, c->tail);
    buf_char(b, '\n');
}

// A backslash before a blank may come to stand at the end of a line, where it takes the next line
// into the comment.
static char *without_splices(const char *text) {
    struct buf b;
    buf_init(&b);
    for (const char *p = text; *p; ++p) {
        if (*p == '\\' && (p[1] == ' ' || p[1] == 0))
            buf_puts(&b, "<5C>");
        else
            buf_char(&b, *p);
    }
    return b.text;
}

void comment_write(struct buf *b, int indent, const char *given, int hang) {
    char *whole = without_splices(given);
    const char *text = whole;
    int room = EMIT_COLUMNS - indent - 3;
    bool first = true;
    size_t left = strlen(text);
    while (left > 0 || first) {
        int width = first ? room : room - hang;
        size_t n = left;
        if (left > (size_t)width) {
            n = (size_t)width;
            while (n > 0 && text[n] != ' ') --n;
            if (n == 0) n = strcspn(text, " ");  // a word longer than the line
        }
        buf_fill(b, ' ', indent);
        buf_puts(b, "// ");
        if (!first) buf_fill(b, ' ', hang);
        size_t end = n;
        while (end > 0 && text[end - 1] == ' ') --end;
        buf_write(b, text, end);
        buf_char(b, '\n');
        text += n;
        left -= n;
        while (left > 0 && *text == ' ') ++text, --left;
        first = false;
    }
    memory_free(whole);
}

// The length of "text" up to and with the operator after its next term that stands in no
// parentheses, or of all of it.
static size_t term_length(const char *text) {
    int depth = 0;
    for (size_t i = 0; text[i]; ++i) {
        if (text[i] == '(' || text[i] == '[') ++depth;
        if (text[i] == ')' || text[i] == ']') --depth;
        bool sign = text[i] == '+' || text[i] == '-';
        if (depth == 0 && i > 0 && sign && text[i - 1] == ' ' && text[i + 1] == ' ') return i + 1;
    }
    return strlen(text);
}

void let_write(struct buf *b, int indent, const char *head, const char *value) {
    int start = indent + (int)strlen(head), all = (int)strlen(value);
    buf_fill(b, ' ', indent);
    buf_puts(b, head);
    if (start + 1 + all + 1 <= EMIT_COLUMNS || indent + 4 + all + 1 > EMIT_COLUMNS) {
        buf_char(b, ' ');
        int column = start + 1;
        while (*value) {
            size_t n = term_length(value);
            bool last = value[n] == 0;
            if (column > start + 1) {
                bool fits = column + 1 + (int)n + (last ? 1 : 0) <= EMIT_COLUMNS;
                buf_char(b, fits ? ' ' : '\n');
                if (!fits) buf_fill(b, ' ', start + 1);
                column = fits ? column + 1 : start + 1;
            }
            buf_write(b, value, n);
            column += (int)n;
            value += n;
            while (*value == ' ') ++value;
        }
    } else {
        buf_char(b, '\n');
        buf_fill(b, ' ', indent + 4);
        buf_puts(b, value);
    }
    buf_puts(b, ";\n");
}

void conditions_write(struct buf *b, int indent, const char *head, const char *const *part, int n,
                      const char *tail) {
    int start = indent + (int)strlen(head), column = start;
    buf_fill(b, ' ', indent);
    int all = (int)strlen(tail) + 4 * (n - 1);
    for (int i = 0; i < n; ++i) all += (int)strlen(part[i]);
    size_t before = strlen(head) - 1;  // a blank behind =
    if (strstr(head, " = ") && start + all > EMIT_COLUMNS && indent + 4 + all <= EMIT_COLUMNS) {
        buf_printf(b, "%.*s\n%*s", (int)before, head, indent + 4, "");
        start = column = indent + 4;
    } else {
        buf_puts(b, head);
    }
    for (int i = 0; i < n; ++i) {
        bool last = i == n - 1;
        int own = (int)strlen(part[i]) + (last ? (int)strlen(tail) : 3);
        if (i > 0 && column + 1 + own > EMIT_COLUMNS) {
            buf_char(b, '\n');
            buf_fill(b, ' ', start);
            column = start;
        } else if (i > 0) {
            buf_char(b, ' ');
            ++column;
        }
        buf_printf(b, "%s%s", part[i], last ? tail : " &&");
        column += own;
    }
    buf_char(b, '\n');
}

static const char *behind_folders(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *name_in_comment(struct session *s, const char *path) {
    return shown(&s->arena, behind_folders(path));
}

// -- #line ----------------------------------------------------------------------------------------

static const char *quoted_name(struct session *s, const char *path) {
    return shown_in_string(&s->arena, behind_folders(path));
}

struct lines *lines_new(struct session *s, struct buf *b, const char *path, const char *ending) {
    if (s->options.no_line) return NULL;
    struct lines *l = ARENA_NEW(&s->arena, struct lines);
    l->b = b;
    l->plan = quoted_name(s, path);
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".tcp") == 0) n -= 4;
    const char *self = s->options.emitted;
    l->self = quoted_name(s, self ? self : arena_printf(&s->arena, "%.*s%s", (int)n, path, ending));
    return l;
}

void lines_write(struct lines *l, const char *access) {
    // a statement that is broken behind its = has the call on its second line
    const char *end = strchr(access, '\n');
    int before = end > access && end[-1] == '=' && l->plan_line > 1;
    buf_printf(l->b, "#line %d \"%s\"\n%s", l->plan_line - before, l->plan, access);
    for (; l->counted < l->b->len; ++l->counted) l->row += l->b->text[l->counted] == '\n';
    buf_printf(l->b, "#line %d \"%s\"\n", l->row + 2, l->self);
}
