// The parser's entry points, and the token stream between scanner and parser. The stream adds the
// pseudo token that chooses the start symbol. It also follows brackets and the starts of
// statements, which the error messages need.
#include "syntax/parse.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "syntax/notation.h"
#include "syntax/slips.h"

static void open_bracket(struct parser *p) {
    if (p->nopen == MAX_NESTING) {
        expected_too_deep(p, p->now.at);
        return;
    }
    p->open[p->nopen++] = p->now;
}

// Closes the innermost "(" or "{". A brace also closes the parentheses left open in it.
static void close_bracket(struct parser *p, int opener) {
    while (opener != '(' && p->nopen > 0 && p->open[p->nopen - 1].token == '(') {
        p->nopen--;
        if (!p->unclosed.token) p->unclosed = p->open[p->nopen];
    }
    if (opener && p->nopen > 0 && p->open[p->nopen - 1].token == opener) p->nopen--;
}

static void follow(struct parser *p) {
    int was = p->before.token;
    if (was == 0 || was == ';' || was == '{' || was == '}' ||
        (was == ':' && p->now.token == TOK_COPY && p->first.token != TOK_FOR &&
         p->first.token != TOK_PIPELINE))
        p->first = p->now;
    p->unclosed = (struct seen){0};
    if (p->now.token == TOK_KERNEL || p->now.token == TOK_DEVICE) p->manual = was == TOK_MANUAL;
    switch (p->now.token) {
    case '(': open_bracket(p); break;
    case ')': close_bracket(p, '('); break;
    case ';': close_bracket(p, 0); break;
    case '}': close_bracket(p, '{'); break;
    case '{':
        close_bracket(p, 0);
        open_bracket(p);
        break;
    }
}

// The next token. A C++ expression counts as one number, and its tokens are skipped.
static int next_token(union TCP_YYSTYPE *val, struct range *at, struct parser *p) {
    int token;
    do token = tcp_scan(val, at, p, p->scanner);
    while (token != TOK_YYEOF && token != TOK_TCP_YYerror && at->begin < p->skip_end);
    if (token == '<' || token == '>' || token == '*') {
        token = scan_power(p, token, *at);
        if (at->begin < p->skip_end) at->end = p->skip_end;
    }
    bool braces = p->s->sources.file[p->file].text[at->end] == '{';
    if (token == '_' && braces && slip_rows(p, at->begin, NULL, 0, slip_at_word)) {
        at->end = p->skip_end;
        return token;
    }
    bool word =
        slip_one_of(token, TOK_ID, TOK_SWIZZLE) || slip_one_of(token, TOK_LAYOUT, TOK_TENSOR);
    if (!word || !scan_foreign(p, *at)) return token;
    at->end = p->skip_end;
    val->num = (struct number){.value = 1, .text = "1", .at = *at};
    return TOK_INT;
}

int tcp_yylex(union TCP_YYSTYPE *val, struct range *at, struct parser *p) {
    if (!p->started) {
        p->started = true;
        *at = (struct range){(uint32_t)p->file, 0, 0};
        return p->start;
    }
    if (!p->stopped && diag_full(p->s)) p->stopped = true;
    int token = p->stopped ? TOK_YYEOF : next_token(val, at, p);
    if (p->stopped) token = TOK_YYEOF;
    if (token == TOK_YYEOF) *at = (struct range){(uint32_t)p->file, p->pos, p->pos};
    p->before = p->now;
    p->now = (struct seen){token, *at};
    follow(p);
    return p->stopped ? TOK_YYEOF : token;
}

static void run(struct parser *p, struct session *s, int file, int start) {
    *p = (struct parser){.s = s, .file = file, .start = start};
    const struct source *src = &s->sources.file[file];
    scan_begin(p, src->text, src->size);
    tcp_yyparse(p);
    scan_end(p);
}

// What the source is when it is evidently not a plan, to avoid a flood of errors; NULL: it may be a
// plan.
static const char *something_else(const struct source *f) {
    enum { LOOKED_AT = 512 };
    const unsigned char *text = (const unsigned char *)f->text;
    size_t n = f->size < LOOKED_AT ? f->size : LOOKED_AT, zeros[2] = {0}, control = 0;
    for (size_t i = 0; i < n; ++i) {
        zeros[i % 2] += text[i] == 0;
        control += text[i] < ' ' && !strchr("\t\n\r\f\v", text[i]);
    }
    bool mark =
        n > 1 && ((text[0] == 0xff && text[1] == 0xfe) || (text[0] == 0xfe && text[1] == 0xff));
    if (mark ||
        (n >= 16 && (zeros[0] > n / 3 || zeros[1] > n / 3) && (zeros[0] == 0 || zeros[1] == 0)))
        return "this is UTF-16, and a plan is UTF-8";
    if (control > 8 && control > n / 20) return "this is not text";
    if (strstr(f->text, "\n#include \"tcp_device.cuh\""))
        return "this is CUDA C, as tcpc writes it; a plan begins with 'tcp 1;'";
    static const char *const cuda[] = {"__global__", "__device__", "#include <"},
                             *const python[] = {"import torch", "import triton", "import cutlass",
                                                "import cute"};
    for (const char *at = f->text; (at = strstr(at, "tcp")); at += 3)
        if (at[3] == ' ' || at[3] == '\t' || at[3] == '\n') return NULL;  // the version
    for (size_t i = 0; i < sizeof cuda / sizeof *cuda; ++i)
        if (strstr(f->text, cuda[i])) return "this is CUDA C++; a plan begins with 'tcp 1;'";
    for (size_t i = 0; i < sizeof python / sizeof *python; ++i)
        if (strstr(f->text, python[i])) return "this is Python; a plan begins with 'tcp 1;'";
    return NULL;
}

struct ast_file *parse_source(struct session *s, int file) {
    const char *other = something_else(&s->sources.file[file]);
    if (other) {
        struct ast_file *none = ARENA_NEW(&s->arena, struct ast_file);
        diag_error(s, RANGE_NONE, "cannot read '%s': %s", s->sources.file[file].path, other);
        *none = (struct ast_file){.file = file, .nerrors = 1};
        return none;
    }
    struct parser *p = ARENA_NEW(&s->arena, struct parser);
    int before = s->diags.nerrors;
    run(p, s, file, TOK_START_FILE);
    struct ast_file *f = ARENA_NEW(&s->arena, struct ast_file);
    *f = (struct ast_file){.file = file,
                           .decl = p->decls.items,
                           .ndecls = p->decls.n,
                           .comment = p->comments.items,
                           .ncomments = p->comments.n,
                           .nerrors = s->diags.nerrors - before};
    return f;
}

struct ast_file *parse_file(struct session *s, const char *path) {
    int file = source_read(s, path);
    if (file < 0) {
        int why = errno;
        const char *plan = arena_printf(&s->arena, "%s.tcp", path);
        bool near = why == ENOENT && access(plan, R_OK) == 0;
        diag_error(s, RANGE_NONE, "cannot read '%s': %s%s%s%s", path, source_trouble(why),
                   near ? "; did you mean '" : "", near ? plan : "", near ? "'?" : "");
        return NULL;
    }
    return parse_source(s, file);
}

static struct ast_expr *parse_named(struct session *s, const char *name, const char *text) {
    int file = source_add(s, name, text, strlen(text));
    if (file < 0) {
        diag_error(s, RANGE_NONE, "the expression is too long: %s", strerror(errno));
        return NULL;
    }
    struct parser *p = ARENA_NEW(&s->arena, struct parser);
    int before = s->diags.nerrors;
    run(p, s, file, TOK_START_EXPR);
    return s->diags.nerrors == before ? p->expr : NULL;
}

struct ast_expr *parse_expr_text(struct session *s, const char *text) {
    return parse_named(s, "<-D>", text);
}

struct ast_expr *parse_notation(struct session *s, const char *text) {
    struct ast_expr *e = parse_named(s, "<expression>", notation_text(s, text));
    notation_tree(s, e);
    return e;
}
