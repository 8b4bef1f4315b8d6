// Prints diagnostics as text: the message, the source line, a caret and a range under it, and the
// fix-its under that.  Columns are columns of a terminal.  Tabs go to the next multiple of 8, wide
// characters take two columns, and control characters and bytes that are not UTF-8 are shown as
// <XX>.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"

enum { TAB = 8, WIDEST = 200, LEAD = 60, REACH = 1024 };

#define BOLD  "\033[1m"
#define RED   "\033[1;31m"
#define MAUVE "\033[1;35m"
#define CYAN  "\033[1;36m"
#define GREEN "\033[1;32m"
#define PLAIN "\033[0m"

// Terminal columns of a printable character.  Knows the important blocks of wide characters, not
// all of Unicode.
static int width_of(int32_t c) {
    static const struct {
        int32_t lo, hi;
        int width;
    } blocks[] = {
        {0x300, 0x36f, 0},     {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},   {0xfe00, 0xfe0f, 0},
        {0x1100, 0x115f, 2},   {0x2e80, 0x303e, 2},   {0x3041, 0xa4cf, 2},   {0xac00, 0xd7a3, 2},
        {0xf900, 0xfaff, 2},   {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},
        {0x1f300, 0x1f64f, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (c >= blocks[i].lo && c <= blocks[i].hi) return blocks[i].width;
    return 1;
}

// A source line as it is shown.  column[i] is the column of byte i, column[len] the end of the
// line.
struct shown {
    struct buf text;
    int *column;
    int *offset;  // of byte i in "text"
    int len;
};

static void show_line(struct shown *out, const char *line, int len) {
    const unsigned char *p = (const unsigned char *)line, *end = p + len;
    buf_init(&out->text);
    out->len = len;
    out->column = memory_new(2 * ((size_t)len + 1) * sizeof *out->column);
    out->offset = out->column + len + 1;
    int col = 0;
    for (int i = 0; i < len;) {
        int n;
        int32_t c = utf8_decode(p + i, end, &n);
        for (int k = 0; k < n; k++) {
            out->column[i + k] = col;
            out->offset[i + k] = (int)out->text.len;
        }
        if (c == '\t') {
            int to = (col / TAB + 1) * TAB;
            buf_fill(&out->text, ' ', to - col);
            col = to;
        } else if (utf8_is_control(c)) {
            buf_shown(&out->text, line + i, (size_t)n);
            col += 4 * n;
        } else {
            buf_write(&out->text, line + i, (size_t)n);
            col += width_of(c);
        }
        i += n;
    }
    out->column[len] = col;
    out->offset[len] = (int)out->text.len;
}

static const char *paint(bool color, const char *code) {
    return color ? code : "";
}

static int at_most(int x, int most) {
    return x < most ? x : most;
}

// Writes those of the fix-its of "d" that are in "line" under their columns.  The line begins at
// byte "begin" of the file, and is shown from column "from" on.
static void print_fixits(const struct session *s, struct buf *out, const struct diag *d,
                         const struct shown *line, uint32_t begin, int from, bool color) {
    int col = 0;
    bool any = false;
    for (const struct fixit *f = d->fixit; f; f = f->next) {
        if (f->at.file != source_origin(s, d->at).file || f->at.begin < begin) continue;
        if (f->at.begin - begin > (uint32_t)line->len || strchr(f->replacement, '\n')) continue;
        int want = line->column[f->at.begin - begin] - from;
        if (want < 0 || f->replacement[0] == '\0') continue;
        if (any && want < col + 1) want = col + 1;
        if (!any) buf_puts(out, paint(color, GREEN));
        buf_fill(out, ' ', want - col);
        buf_shown(out, f->replacement, strlen(f->replacement));
        col = want;
        for (const char *p = f->replacement; *p; p++) col += (*p & 0xc0) != 0x80;
        any = true;
    }
    if (any) buf_printf(out, "%s\n", paint(color, PLAIN));
}

static void print_snippet(struct session *s, struct buf *out, const struct diag *d, bool color) {
    const struct source *f = &s->sources.file[d->at.file];
    int row, col;
    source_place(s, d->at, &row, &col);
    uint32_t begin = f->line_start[row - 1];
    uint32_t end = row < f->nlines ? f->line_start[row] - 1 : (uint32_t)f->size;
    if (end > begin && f->text[end - 1] == '\r') end--;

    // if the line is much longer than what is shown, only the part around the caret is converted
    uint32_t at = begin + (uint32_t)(col - 1) < end ? begin + (uint32_t)(col - 1) : end;
    if (at - begin > REACH) begin = at - REACH;
    while (begin < at && ((unsigned char)f->text[begin] & 0xc0) == 0x80) ++begin;
    uint32_t reach = end - at > REACH ? at + REACH : end;
    while (reach < end && ((unsigned char)f->text[reach] & 0xc0) == 0x80) ++reach;
    end = reach;

    struct shown line;
    show_line(&line, f->text + begin, (int)(end - begin));
    int first = (int)(at - begin);
    int last = d->at.end > end           ? line.len
               : d->at.end > d->at.begin ? (int)(d->at.end - begin)
                                         : first;
    int caret = line.column[first], stop = line.column[last];

    // only the part of a very long line around the caret is shown
    int from_byte = 0, to_byte = line.len, from = 0;
    if (line.column[line.len] > WIDEST) {
        while (from_byte < first && line.column[from_byte] < caret - LEAD) from_byte++;
        from = line.column[from_byte];
        while (from_byte > 0 && line.column[from_byte - 1] == from) from_byte--;
        to_byte = from_byte;
        while (to_byte < line.len && line.column[to_byte + 1] - from <= WIDEST) to_byte++;
        while (to_byte < line.len && to_byte > from_byte &&
               line.column[to_byte] == line.column[to_byte - 1])
            to_byte--;
        stop = at_most(stop, from + WIDEST);
    }
    int cut = line.offset[from_byte];
    buf_write(out, line.text.text + cut, (size_t)(line.offset[to_byte] - cut));
    buf_char(out, '\n');
    buf_puts(out, paint(color, GREEN));
    buf_fill(out, ' ', caret - from);
    buf_char(out, '^');
    buf_fill(out, '~', stop - caret - 1);
    buf_printf(out, "%s\n", paint(color, PLAIN));
    print_fixits(s, out, d, &line, begin, from, color);
    buf_release(&line.text);
    memory_free(line.column);
}

static void print_one(struct session *s, struct buf *out, const struct diag *d, bool color) {
    static const struct {
        char word[10], code[8];
    } severity[] = {{"error", RED}, {"warning", MAUVE}, {"note", CYAN}};
    bool known = source_known(s, d->at);
    buf_puts(out, paint(color, BOLD));
    if (known) {
        int row, col;
        source_place(s, d->at, &row, &col);
        const char *path = s->sources.file[d->at.file].path;
        buf_shown(out, path, strlen(path));
        buf_printf(out, ":%d:%d: ", row, col);
    } else {
        buf_puts(out, "tcpc: ");
    }
    buf_printf(out, "%s%s%s: %s", paint(color, severity[d->severity].code),
               severity[d->severity].word, paint(color, PLAIN),
               d->severity == SEV_NOTE ? "" : paint(color, BOLD));
    buf_shown(out, d->message, strlen(d->message));
    if (d->warning)
        buf_printf(out, " [%s-W%s]", d->severity == SEV_ERROR ? "-Werror," : "",
                   diag_warning_name(d->warning));
    else if (d->page)
        buf_printf(out, " [--explain=%s]", d->page);
    buf_printf(out, "%s\n", paint(color, PLAIN));
    if (known) print_snippet(s, out, d, color);
    for (const struct diag *n = d->note; n; n = n->next) print_one(s, out, n, color);
}

struct order {
    struct diag *d;
    int index;
};

static int by_place(const void *a, const void *b) {
    const struct order *x = a, *y = b;
    if (x->d->at.file != y->d->at.file) return x->d->at.file + 1 < y->d->at.file + 1 ? -1 : 1;
    if (x->d->at.begin != y->d->at.begin) return x->d->at.begin < y->d->at.begin ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

// Says through which calls the place of "d" was reached, and those of its notes: behind the last
// one of each call.
static void note_calls(struct session *s, struct diag *d) {
    struct diag *notes = d->note, *next;
    struct range at = d->at;
    if (d->calls_noted || !s->sources.ncalls) return;
    d->calls_noted = true;
    d->note = NULL;
    for (struct diag *n = d, **end = &d->note;; n = next) {
        next = n == d ? notes : n->next;
        if (n != d) *end = n;
        n->next = n == d ? n->next : NULL;
        bool last = !next || next->at.file != n->at.file;
        for (at = n->at; last && source_called(s, &at);) diag_note_of(s, d, at, "called from here");
        while (*end) end = &(*end)->next;
        if (!next) break;
    }
}

struct diag **diag_sorted(struct session *s, int *n) {
    int count = 0;
    diag_drop_unmended(s);
    for (struct diag *d = s->diags.first; d; d = d->next, count++) {
        diag_drop_claims(d);
        note_calls(s, d);
    }
    struct order *order = ARENA_ARRAY(&s->diags.arena, struct order, count + 1);
    int i = 0;
    for (struct diag *d = s->diags.first; d; d = d->next, i++) order[i] = (struct order){d, i};
    qsort(order, (size_t)count, sizeof *order, by_place);
    struct diag **sorted = ARENA_ARRAY(&s->diags.arena, struct diag *, count + 1);
    for (i = 0; i < count; i++) sorted[i] = order[i].d;
    *n = count;
    return sorted;
}

static void print_count(struct buf *out, int errors, int warnings) {
    if (errors) buf_printf(out, "%d error%s", errors, errors == 1 ? "" : "s");
    if (errors && warnings) buf_puts(out, " and ");
    if (warnings) buf_printf(out, "%d warning%s", warnings, warnings == 1 ? "" : "s");
    if (errors || warnings) buf_puts(out, " generated\n");
}

void diag_print_text(struct session *s, struct buf *out, bool color) {
    int n, errors = 0, warnings = 0;
    struct diag **sorted = diag_sorted(s, &n);
    for (int i = 0; i < n; i++) {
        bool error = sorted[i]->severity == SEV_ERROR;
        if (error && s->diags.error_limit > 0 && errors == s->diags.error_limit) {
            buf_printf(out, "tcpc: error: too many errors: stopped after %d\n", errors);
            break;
        }
        print_one(s, out, sorted[i], color);
        *(error ? &errors : &warnings) += 1;
    }
    print_count(out, errors, warnings);
}

bool diag_in_color(const struct session *s, FILE *out) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (s->diags.color >= 0) return s->diags.color;
    return isatty(fileno(out)) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

void diag_print(struct session *s, FILE *out) {
    bool color = diag_in_color(s, out);
    struct buf b;
    buf_init(&b);
    if (s->diags.json)
        diag_print_json(s, &b);
    else
        diag_print_text(s, &b, color);
    fwrite(b.text, 1, b.len, out);
    buf_release(&b);
}
