// Writes statements and comments of emitted C on lines of at most 100 columns.
#include "emit/write.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"

// -- statements -----------------------------------------------------------------------------------

enum { CONTINUED = 8, RANKS = 10 };

// How well a line of the statement "text" ends before "p": 0 is best; -1: not at all.  Lines end
// behind a comma or an operator, but before the ? and : of a choice.  Behind = and the parenthesis
// of a call only if that saves a break in deeper brackets.
static int rank_of(const char *text, const char *p) {
    static const char *const operators[] = {"|| ", "&& ", "== ", "!= ", "< ", ">= ", "+ ", "- "};
    if (p[-1] == '(' && p - text > 1 && (isalnum((unsigned char)p[-2]) || p[-2] == '>'))
        return *p == ')' ? -1 : RANKS + 4;
    if (*p != ' ') return -1;
    if (p[-1] == ',' || p[-1] == ';') return 0;
    if ((p[1] == '?' || p[1] == ':') && p[2] == ' ') return 1;
    const char *word = p;
    while (word > text && word[-1] != ' ') --word;
    if (word == text) return -1;
    for (int i = 0; i < (int)(sizeof operators / sizeof *operators); ++i)
        if (strncmp(word, operators[i], strlen(operators[i])) == 0) return 2 + i / 2;
    if (p - word == 1 && strchr("*/%", *word)) return 6;
    return p[-1] == '=' ? RANKS + 1 : -1;
}

// A position in a statement: how many brackets are open, and whether it is inside a
// string.
struct place {
    const char *at;
    int depth;
    bool quoted;
};

static void advance(struct place *x, const char *text) {
    char c = *x->at, before = x->at > text ? x->at[-1] : ' ';
    if (c == '"' && before != '\\') x->quoted = !x->quoted;
    bool angle = (c == '<' || c == '>') && before != ' ';  // not an operator
    if (!x->quoted) x->depth += strchr("([{", c) || (angle && c == '<');
    if (!x->quoted) x->depth -= strchr(")]}", c) || (angle && c == '>');
    ++x->at;
}

// The end of the line that begins at "x" and has room for "room" characters: a break in as few
// brackets as possible, of those the best, of those the last.  If there is none, the first one that
// there is.
static struct place end_of_line(const char *text, struct place x, int room) {
    const char *limit = x.at + room;
    struct place end = {NULL, 0, false};
    int best = 0;
    for (advance(&x, text); *x.at; advance(&x, text)) {
        int rank = x.quoted ? -1 : rank_of(text, x.at);
        if (rank < 0) continue;
        if (x.at > limit && end.at) break;
        rank += x.depth * RANKS;
        if (end.at && rank > best) continue;
        end = x;
        best = rank;
    }
    return end.at ? end : x;
}

void statement_write(struct buf *b, int indent, const char *text) {
    struct place x = {text, 0, false};
    for (int column = indent;; column = indent + CONTINUED) {
        buf_fill(b, ' ', column);
        int room = EMIT_COLUMNS - column;
        struct place end = {x.at + strlen(x.at), 0, false};
        if (end.at - x.at > room) end = end_of_line(text, x, room);
        buf_write(b, x.at, (size_t)(end.at - x.at));
        buf_char(b, '\n');
        if (!*end.at) return;
        x = end;
        x.at += *x.at == ' ';
    }
}

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

void call_write(struct buf *b, const struct call *c) {
    struct arena_mark mark = arena_mark(&c->s->arena);
    struct buf text;
    buf_init(&text);
    buf_puts(&text, c->head);
    for (int i = 0; i < c->nargs; ++i) buf_printf(&text, "%s%s", i ? ", " : "", c->arg[i]);
    buf_puts(&text, c->tail);
    statement_write(b, c->indent, buf_finish(&text, &c->s->arena));
    arena_rewind(&c->s->arena, mark);
}

// Removes backslashes before blanks: at the end of a line, one would continue the comment on the
// next line.
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

// Where to end a line of the comment "text" with room for "width" characters: at a blank in as few
// brackets as possible, there behind a comma if there is one, of these the last; not in the first half
// of the line, unless there is no other.
static size_t end_of_comment(const char *text, size_t width) {
    size_t end = strcspn(text, " ");  // a word may be longer than the line
    int depth = 0, best = INT_MAX;
    for (size_t i = 0; i <= width && text[i]; ++i) {
        depth += (strchr("([", text[i]) != NULL) - (strchr(")]", text[i]) != NULL);
        int rank = depth > 0 ? 2 * depth + (i > 0 && text[i - 1] != ',') : 0;
        if (text[i] != ' ' || (rank > best && end >= width / 2)) continue;
        best = rank;
        end = i;
    }
    return end;
}

void comment_write(struct buf *b, int indent, const char *given, int hang) {
    char *whole = without_splices(given);
    const char *text = whole;
    int room = EMIT_COLUMNS - indent - 3;
    bool first = true;
    size_t left = strlen(text);
    while (left > 0 || first) {
        size_t width = (size_t)(first ? room : room - hang);
        size_t n = left > width ? end_of_comment(text, width) : left;
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

static const char *behind_folders(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *name_in_comment(struct session *s, const char *path) {
    return s->options.request ? "plan" : shown(&s->arena, behind_folders(path));
}

// -- #line ----------------------------------------------------------------------------------------

static const char *quoted_name(struct session *s, const char *path) {
    return shown_in_string(&s->arena, behind_folders(path));
}

struct lines *lines_new(struct session *s, struct buf *b, const char *path, const char *ending) {
    if (s->options.no_line || s->options.request) return NULL;
    struct lines *l = ARENA_NEW(&s->arena, struct lines);
    l->b = b;
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".tcp") == 0) n -= 4;
    const char *self = s->options.emitted;
    l->self = quoted_name(s, self ? self : arena_printf(&s->arena, "%.*s%s", (int)n, path, ending));
    return l;
}

void lines_from(struct session *s, struct lines *l, const char *path, int line) {
    l->plan = quoted_name(s, path);
    l->plan_line = line;
}

void lines_write(struct lines *l, const char *access) {
    // the call of a statement that is broken after its = is on the second line
    const char *end = strchr(access, '\n');
    int before = end > access && end[-1] == '=' && l->plan_line > 1;
    buf_printf(l->b, "#line %d \"%s\"\n%s", l->plan_line - before, l->plan, access);
    for (; l->counted < l->b->len; ++l->counted) l->row += l->b->text[l->counted] == '\n';
    buf_printf(l->b, "#line %d \"%s\"\n", l->row + 2, l->self);
}
