// The formatter. It writes declarations and statements in canonical spelling, keeps comments where
// they are, and leaves at most one blank line between two. It does not change a statement that has
// a comment inside.
#include "syntax/format.h"

#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "syntax/format_text.h"
#include "syntax/parse.h"

enum { STEP = 2, WIDTH = 100 };

struct line {
    const char *code;     // "" for a blank line; may hold newlines
    const char *comment;  // after the code, or NULL
};

struct format {
    struct session *s;
    const char *text;
    const struct ast_file *file;
    int comment;  // the next one to write
    int indent;
    uint32_t last;  // end of what was written last, in the source
    bool first;     // nothing written in this block yet
    struct line *line;
    int n, cap;
};

static void add_line(struct format *f, const char *code) {
    if (f->n == f->cap) {
        int cap = f->cap ? 2 * f->cap : 64;
        struct line *more = ARENA_ARRAY(&f->s->arena, struct line, cap);
        if (f->n) memcpy(more, f->line, sizeof *more * (size_t)f->n);
        f->line = more;
        f->cap = cap;
    }
    f->line[f->n++] = (struct line){code, NULL};
}

static int newlines(const struct format *f, uint32_t from, uint32_t to) {
    int n = 0;
    for (uint32_t i = from; i < to; i++) n += f->text[i] == '\n';
    return n;
}

// The source from "begin" to "end" without carriage returns and blanks at line ends.
static const char *verbatim(struct format *f, uint32_t begin, uint32_t end) {
    char *out = arena_alloc(&f->s->arena, end - begin + 1);
    size_t n = 0;
    for (uint32_t i = begin; i < end; i++) {
        if (f->text[i] == '\n')
            while (n > 0 && strchr(" \t\r", out[n - 1])) n--;
        out[n++] = f->text[i];
    }
    while (n > 0 && strchr(" \t\r\n", out[n - 1])) n--;
    out[n] = '\0';
    return out;
}

static const struct ast_comment *next_comment(const struct format *f) {
    return f->comment < f->file->ncomments ? &f->file->comment[f->comment] : NULL;
}

// Writes a blank line if the source has one between what was written last and "begin".
static void keep_blank(struct format *f, uint32_t begin) {
    if (!f->first && newlines(f, f->last, begin) > 1) add_line(f, "");
    f->first = false;
}

// Writes the comments that come before "begin", each on a line of its own.
static void comments_before(struct format *f, uint32_t begin) {
    const struct ast_comment *c;
    while ((c = next_comment(f)) && c->at.begin < begin) {
        keep_blank(f, c->at.begin);
        add_line(f, arena_printf(&f->s->arena, "%*s%s", f->indent, "",
                                 verbatim(f, c->at.begin, c->at.end)));
        f->last = c->at.end;
        f->comment++;
    }
}

// Appends to the last line a comment that follows it on the same source line and ends that line.
static void comment_behind(struct format *f) {
    const struct ast_comment *c = next_comment(f);
    if (!c || newlines(f, f->last, c->at.begin) > 0) return;
    if (strspn(f->text + f->last, " \t") < c->at.begin - f->last) return;
    f->line[f->n - 1].comment = verbatim(f, c->at.begin, c->at.end);
    f->last = c->at.end;
    f->comment++;
}

static bool comment_within(const struct format *f, uint32_t begin, uint32_t end) {
    const struct ast_comment *c = next_comment(f);
    return c && c->at.begin < end && c->at.end > begin;
}

static void skip_comments(struct format *f, uint32_t end) {
    while (next_comment(f) && next_comment(f)->at.begin < end) f->comment++;
}

// Writes source bytes [begin, end). Writes them unchanged when there is a comment inside, else
// writes "text" and "tail".
static void write_piece(struct format *f, uint32_t begin, uint32_t end, struct buf *text,
                        const char *tail) {
    comments_before(f, begin);
    keep_blank(f, begin);
    struct buf out;
    buf_init(&out);
    buf_fill(&out, ' ', f->indent);
    if (comment_within(f, begin, end)) {
        buf_puts(&out, verbatim(f, begin, end));
        skip_comments(f, end);
    } else {
        buf_puts(text, tail);
        format_fill(&out, text->text, f->indent, WIDTH);
    }
    add_line(f, buf_finish(&out, &f->s->arena));
    buf_clear(text);
    f->last = end;
}

static void close_block(struct format *f, uint32_t end) {
    comments_before(f, end - 1);
    f->indent -= STEP;
    f->first = false;
    add_line(f, arena_printf(&f->s->arena, "%*s}", f->indent, ""));
    f->last = end;
    comment_behind(f);
}

static void open_block(struct format *f) {
    f->indent += STEP;
    f->first = true;
    comment_behind(f);
}

static bool is_loop(const struct ast_stmt *st) {
    return st->kind == S_FOR || st->kind == S_PIPELINE;
}

// Whether "block" fits on one line after its head; if so, adds its text to "head".
static bool inline_block(struct format *f, const struct ast_block *block, uint32_t head_begin,
                         struct buf *head) {
    if (comment_within(f, block->at.begin, block->at.end) || block->nstmts > 1) return false;
    const struct ast_comment *c = next_comment(f);
    if (c && c->at.begin >= head_begin && c->at.begin < block->at.end) return false;
    if (block->nstmts == 0) {
        buf_puts(head, " { }");
        return true;
    }
    if (is_loop(block->stmt[0]) || newlines(f, block->at.begin, block->at.end) > 0) return false;
    size_t len = head->len;
    buf_puts(head, " { ");
    format_stmt_text(head, block->stmt[0]);
    buf_puts(head, " }");
    if (f->indent + format_columns(head->text, head->len) <= WIDTH) return true;
    head->text[head->len = len] = '\0';
    return false;
}

static void write_stmt(struct format *f, const struct ast_stmt *st);

// Writes "head", which starts at source byte "begin", and its block.
static void write_block(struct format *f, uint32_t begin, struct buf *head,
                        const struct ast_block *block) {
    comments_before(f, begin);
    if (inline_block(f, block, begin, head)) {
        write_piece(f, begin, block->at.end, head, "");
        comment_behind(f);
        return;
    }
    write_piece(f, begin, block->at.begin + 1, head, " {");
    open_block(f);
    for (int i = 0; i < block->nstmts; i++) write_stmt(f, block->stmt[i]);
    close_block(f, block->at.end);
}

// The source byte of the brace before the parts of pipeline "st".
static uint32_t brace_after(const struct format *f, const struct ast_stmt *st) {
    uint32_t at = st->loop.hi->at.end;
    int i = f->comment;
    while (f->text[at] != '{') {
        while (i < f->file->ncomments && f->file->comment[i].at.begin < at) i++;
        bool comment = i < f->file->ncomments && f->file->comment[i].at.begin == at;
        at = comment ? f->file->comment[i].at.end : at + 1;
    }
    return at;
}

static void write_pipeline(struct format *f, const struct ast_stmt *st, struct buf *head) {
    uint32_t begin = ast_whole(st->at, &st->allow).begin;
    comments_before(f, begin);
    write_piece(f, begin, brace_after(f, st) + 1, head, " {");
    open_block(f);
    for (int i = 0; i < st->loop.nparts; i++) {
        const struct ast_part *part = &st->loop.part[i];
        format_part_text(head, part);
        write_block(f, part->at.begin, head, part->body);
    }
    close_block(f, st->at.end);
}

static void write_stmt(struct format *f, const struct ast_stmt *st) {
    struct buf b;
    uint32_t begin = ast_whole(st->at, &st->allow).begin;
    buf_init(&b);
    format_stmt_text(&b, st);
    if (st->kind == S_FOR)
        write_block(f, begin, &b, st->loop.body);
    else if (st->kind == S_PIPELINE)
        write_pipeline(f, st, &b);
    else {
        write_piece(f, begin, st->at.end, &b, "");
        comment_behind(f);
    }
    buf_release(&b);
}

static void write_decl(struct format *f, const struct ast_decl *d) {
    struct buf b;
    uint32_t begin = ast_whole(d->at, &d->allow).begin;
    buf_init(&b);
    format_decl_text(&b, d);
    if (d->kind == D_FN && d->fn.body)
        write_block(f, begin, &b, d->fn.body);
    else {
        write_piece(f, begin, d->at.end, &b, "");
        comment_behind(f);
    }
    buf_release(&b);
}

static int last_width(const char *code) {
    const char *nl = strrchr(code, '\n');
    if (nl) code = nl + 1;
    return format_columns(code, strlen(code));
}

// Whether "code" opens or closes a block: a comment after it is not aligned with others.
static bool is_brace(const char *code) {
    size_t len = strlen(code);
    return len > 0 && (code[len - 1] == '{' || code[strspn(code, " ")] == '}');
}

// The column for the comments after the lines from "i" on, as far as each has one. "end" gets the
// line after them. 0: put each comment right after its code.
static int comment_column(const struct format *f, int i, int *end) {
    int col = 0, longest = 0, first = i;
    for (; i < f->n && f->line[i].comment; i++) {
        bool brace = is_brace(f->line[i].code);
        if (brace && i > first) break;
        int width = last_width(f->line[i].code);
        int len = format_columns(f->line[i].comment, strlen(f->line[i].comment));
        if (width > col) col = width;
        if (len > longest) longest = len;
        if (brace) {
            i++;
            break;
        }
    }
    *end = i > first ? i : first + 1;
    return col + 2 + longest <= WIDTH ? col + 2 : 0;  // 0: each where its code ends
}

static char *join(struct format *f) {
    struct buf out;
    buf_init(&out);
    int col = 0, end = 0;
    for (int i = 0; i < f->n; i++) {
        const struct line *l = &f->line[i];
        if (i >= end) col = comment_column(f, i, &end);
        buf_puts(&out, l->code);
        if (l->comment) {
            int gap = col - last_width(l->code);
            buf_fill(&out, ' ', gap < 2 ? 2 : gap);
            buf_puts(&out, l->comment);
        }
        buf_char(&out, '\n');
    }
    return buf_finish(&out, &f->s->arena);
}

char *format_source(struct session *s, int file) {
    const struct ast_file *tree = parse_source(s, file);
    if (tree->nerrors) return NULL;
    struct format f = {.s = s, .text = s->sources.file[file].text, .file = tree, .first = true};
    for (int i = 0; i < tree->ndecls; i++) write_decl(&f, tree->decl[i]);
    comments_before(&f, (uint32_t)s->sources.file[file].size);
    return join(&f);
}
