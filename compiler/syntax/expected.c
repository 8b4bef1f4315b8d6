// The wording of syntax errors: a sentence of the tokens that could follow where the parser stopped, and common
// slips: a missing ";", "=" for "==", a forgotten "->", a misspelt keyword, a bracket that is not closed.
#include <string.h>

#include "base/buf.h"
#include "syntax/foreign.h"
#include "syntax/slips.h"

// -- classes of tokens ----------------------------------------------------------------------------

// A class ends with 0.
static const short decl_starts[] = {TOK_TCP,       TOK_ARCH,   TOK_IMPORT, TOK_CONST,
                                    TOK_PARAM,     TOK_LAYOUT, TOK_ATOM,   TOK_TILED_COPY,
                                    TOK_TILED_MMA, TOK_TENSOR, TOK_EXPECT, TOK_KERNEL,
                                    TOK_DEVICE,    TOK_ASYNC,  TOK_MANUAL, TOK_EXTERN,
                                    TOK_ALLOW,     TOK_MESH,   0};
static const short stmt_starts[] = {TOK_SHARED, TOK_FRAG,   TOK_COPY,  TOK_FOR,   TOK_PIPELINE,
                                    TOK_LET,    TOK_CALL,   TOK_FILL,  TOK_SYNC,  TOK_COMMIT,
                                    TOK_WAIT,   TOK_EXPECT, TOK_ALLOW, TOK_ROLES, TOK_BARRIER,
                                    TOK_ARRIVE, TOK_FENCE,  0};
static const short names[] = {
    TOK_ID,      TOK_THREADS, TOK_GRID,  TOK_STAGES,   TOK_SWIZZLE, TOK_LOAD,  TOK_USE,   TOK_ALIGN,
    TOK_PAD,     TOK_WHERE,   TOK_INDEX, TOK_ARCH,     TOK_FROM,    TOK_FILL,  TOK_ASYNC, TOK_CALL,
    TOK_COMMIT,  TOK_WAIT,    TOK_SYNC,  TOK_READONLY, TOK_WHEN,    TOK_ALLOW, TOK_WARPS, TOK_ROLES,
    TOK_BARRIER, TOK_ARRIVE,  TOK_OF,    TOK_MESH,     TOK_OVER,    TOK_FENCE, 0};
static const short expr_starts[] = {TOK_INT, TOK_FLOAT, '_', '(', '<', TOK_SW, '-', TOK_LIKE, 0};
static const short operators[] = {'+', '-', '*',    '/',    '%',    ':',    '.',   '(', '@',
                                  '<', '>', TOK_EQ, TOK_NE, TOK_LE, TOK_GE, TOK_O, 0};

static bool in(const short *class, int token) {
    for (; *class; class ++)
        if (*class == token) return true;
    return false;
}

static int without(int *set, int n, const short *class, int keep) {
    int m = 0;
    for (int i = 0; i < n; i++)
        if (!in(class, set[i]) || set[i] == keep) set[m++] = set[i];
    return m;
}

// Writes how a token is spelled, in quotes, into "out" of at least 24 bytes.
static void spell(char *out, int token) {
    static const struct {
        short token;
        char text[18];
    } others[] = {{TOK_ARROW, "'->'"},      {TOK_DOTDOT, "'..'"},    {TOK_EQ, "'=='"},
                  {TOK_NE, "'!='"},         {TOK_LE, "'<='"},        {TOK_GE, "'>='"},
                  {TOK_INT, "an integer"},  {TOK_FLOAT, "a number"}, {TOK_ID, "a name"},
                  {TOK_STRING, "a string"}, {TOK_YYEOF, "the end"}};
    const char *word = expected_word(token);
    if (word)
        snprintf(out, 24, "'%s'", word);
    else if (token > 0 && token < 128)
        snprintf(out, 24, "'%c'", token);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].token == token) snprintf(out, 24, "%s", others[i].text);
}

// The name for the declaration or statement that starts with "token".
static const char *called(int token) {
    switch (token) {
    case TOK_TCP: return "the language version";
    case TOK_ARCH: return "the architecture";
    case TOK_IMPORT: return "the import";
    case TOK_CONST: return "the constant";
    case TOK_PARAM: return "the parameter";
    case TOK_LAYOUT: return "the layout";
    case TOK_ATOM: return "the atom";
    case TOK_TILED_COPY: return "the tiled copy";
    case TOK_TILED_MMA: return "the tiled MMA";
    case TOK_TENSOR: return "the tensor";
    case TOK_MESH: return "the mesh";
    case TOK_EXPECT: return "the expectation";
    case TOK_EXTERN: return "the external function";
    case TOK_SHARED: return "the shared buffer";
    case TOK_FRAG: return "the fragment";
    case TOK_COPY: return "the copy";
    case TOK_LET: return "the 'let'";
    case TOK_CALL: return "the call";
    case TOK_FILL: return "the fill";
    case TOK_SYNC: return "'sync'";
    case TOK_ARRIVE: return "'arrive'";
    case TOK_FENCE: return "'fence'";
    case TOK_BARRIER: return "the barrier";
    case TOK_COMMIT: return "'commit'";
    case TOK_WAIT: return "the wait";
    default: return "this";
    }
}

// What the reserved word "token" means: "'o' is the composition operator".
static const char *meaning(int token) {
    switch (token) {
    case TOK_O: return "the composition operator";
    case '_': return "the coordinate of a mode that stays whole";
    case TOK_SW: return "the start of a swizzle";
    case TOK_IN: return "the word before a range";
    case TOK_BY:
    case TOK_WITH: return "the word before how a copy is done";
    case TOK_LIKE: return "the word before what a fragment is like";
    case TOK_OUT:
    case TOK_INOUT: return "the word before a tensor that is written";
    case TOK_GLOBAL:
    case TOK_SHARED:
    case TOK_FRAG: return "a space of memory";
    case TOK_COPY:
    case TOK_FOR:
    case TOK_PIPELINE:
    case TOK_LET: return "the start of a statement";
    default: return "the start of a declaration";
    }
}

// -- the pieces of a message ----------------------------------------------------------------------

static bool new_line(struct parser *p) {
    const char *text = p->s->sources.file[p->file].text;
    uint32_t from = p->before.at.end, to = p->now.at.begin;
    return to > from && memchr(text + from, '\n', to - from) != NULL;
}

// Where the error is: "before 'with'", "before the end of the file".
static const char *where(struct parser *p) {
    int token = p->now.token;
    if (token == TOK_YYEOF)
        return p->start == TOK_START_EXPR ? "before the end of the expression"
                                          : "before the end of the file";
    if (token == TOK_STRING) return "before the string";
    const char *text = slip_text(p, p->now.at);
    if (strlen(text) > 40) return "here";
    return arena_printf(&p->s->arena, "before '%s'", text);
}

// The order in which alternatives are named.
enum rank { RANK_WORD, RANK_MARK, RANK_CLOSER };

static enum rank rank_of(int token) {
    if (expected_word(token) || token == TOK_ID || token == TOK_INT || token == TOK_STRING)
        return RANK_WORD;
    return token == ')' || token == '}' || token == '>' || token == ';' || token == TOK_YYEOF
               ? RANK_CLOSER
               : RANK_MARK;
}

// Writes the tokens of "set" as "a, b or c". Reorders "set".
static void alternatives(struct parser *p, struct buf *out, int *set, int n) {
    const char *words[8];
    enum { MOST = 6 };
    int count = 0;
    char spelt[MOST][24];
    bool paren = p->nopen > 0 && p->open[p->nopen - 1].token == '(';
    if (slip_has(set, n, TOK_KERNEL) && slip_has(set, n, TOK_TENSOR)) {
        words[count++] = "a declaration";
        n = without(set, n, decl_starts, 0);
    }
    if (slip_has(set, n, TOK_FOR) && slip_has(set, n, TOK_LET)) {
        words[count++] = "a statement";
        n = without(set, n, stmt_starts, 0);
        n = without(set, n, names, 0);
    }
    if (slip_has(set, n, TOK_INT) && slip_has(set, n, '(') && slip_has(set, n, TOK_SW)) {
        words[count++] = "an expression";
        n = without(set, n, expr_starts, paren ? 0 : TOK_LIKE);
        n = without(set, n, names, 0);
    }
    if (slip_has(set, n, TOK_ID) && slip_has(set, n, TOK_WHERE)) {
        words[count++] = "a name";
        n = without(set, n, names, 0);
    }
    if (slip_has(set, n, '.') && slip_has(set, n, '+')) {
        bool tiler = slip_has(set, n, '>') && !slip_has(set, n, TOK_EQ);  // here '>' closes
        int rest = without(set, n, operators, tiler ? '>' : 0);
        if (rest == 0) words[count++] = "an operator";
        n = rest;
    }
    static const short less_likely[] = {'=', TOK_DOTDOT, 0};
    if (slip_has(set, n, ',') && slip_has(set, n, ')'))
        n = without(set, n, less_likely, 0);  // drop the less likely alternatives: a key or a range
    for (enum rank rank = RANK_WORD; rank <= RANK_CLOSER; rank++)
        for (int i = 0; i < n && count < MOST; i++) {
            if (rank_of(set[i]) != rank) continue;
            if (set[i] == TOK_ID && p->before.token == ':')
                snprintf(spelt[count], sizeof spelt[count], "an element type");
            else
                spell(spelt[count], set[i]);
            words[count] = spelt[count];
            count++;
        }
    for (int i = 0; i < count; i++)
        buf_printf(out, "%s%s", i == 0 ? "" : i == count - 1 ? " or " : ", ", words[i]);
    if (count == 0) buf_puts(out, "something else");
}

// -- slips ----------------------------------------------------------------------------------------

// The keyword of "set" that "text" probably misspells, or NULL.
static const char *near_keyword(const char *text, const int *set, int n) {
    const char *words[64];
    int count = 0;
    for (int i = 0; i < n && count < 64; i++) {
        const char *word = expected_word(set[i]);
        if (word && strlen(word) > 1) words[count++] = word;
    }
    const char *ours = foreign_ours(FOREIGN_KEYWORD, text);
    for (int i = 0; ours && i < count; i++)
        if (strcmp(ours, words[i]) == 0) return ours;
    return diag_did_you_mean(text, words, count);
}

static void note_open(struct parser *p, struct seen open) {
    if (open.token) diag_note(p->s, open.at, "to close this '%c'", open.token);
}

static bool arrow_slip(struct parser *p, const int *set, int n) {
    if (p->first.token != TOK_COPY || !slip_has(set, n, TOK_ARROW) || slip_has(set, n, ';'))
        return false;
    if (p->nopen > 0 && p->open[p->nopen - 1].token == '(') return false;
    struct range copy = {p->now.at.file, p->first.at.begin, p->now.at.begin};
    if (strstr(slip_text(p, copy), "->")) return false;
    if (slip_rows(p, p->now.at.begin, set, n, slip_at_copy)) return true;
    diag_error(p->s, p->now.at, "expected '->' between the source and the destination of the copy");
    const char *text = slip_text(p, p->now.at);
    if (p->now.token == '=' || p->now.token == ',' || strcmp(text, "to") == 0 ||
        strcmp(text, "into") == 0)
        diag_fixit(p->s, p->now.at, "->");
    else if (in(names, p->now.token) || p->now.token == '<')
        diag_fixit(p->s, (struct range){p->now.at.file, p->now.at.begin, p->now.at.begin}, "-> ");
    return true;
}

// Handles "cpy A -> B": the parser took "cpy" for a label and misses its colon.
static bool statement_slip(struct parser *p, const int *set, int n) {
    if (p->before.token == TOK_BARRIER && p->before.at.begin == p->first.at.begin &&
        (p->now.token == '(' || p->now.token == ';'))
        return slip_foreign(p, slip_text(p, p->before.at));
    if (n != 1 || set[0] != ':' || p->before.token != TOK_ID ||
        p->before.at.begin != p->first.at.begin)
        return false;
    if (p->nopen == 0) return false;
    int starts[32], count = 0;
    for (const short *t = stmt_starts; *t; t++) starts[count++] = *t;
    const char *text = slip_text(p, p->before.at), *near = near_keyword(text, starts, count);
    if (slip_qualified(p) || slip_foreign(p, text) ||
        (!near && slip_rows(p, p->now.at.begin, set, n, slip_at_statement)))
        return true;
    diag_error(p->s, p->before.at,
               near ? "unknown statement '%s'; did you mean '%s'?" : "unknown statement '%s'", text,
               near);
    if (near) diag_fixit(p->s, p->before.at, near);
    return true;
}

// "align 16" for "align16": a keyword of "set" with a number. NULL when "text" is not one.
static const char *apart_from_number(struct parser *p, const char *text, const int *set, int n) {
    for (int i = 0; i < n; i++) {
        const char *word = expected_word(set[i]);
        size_t length = word ? strlen(word) : 0, digits;
        if (length == 0 || strncmp(text, word, length) != 0) continue;
        digits = strspn(text + length, "0123456789");
        if (digits > 0 && text[length + digits] == '\0')
            return arena_printf(&p->s->arena, "%s %s", word, text + length);
    }
    return NULL;
}

// Whether only a name, or 'out' and a name, could have come.
static bool wants_name(const int *set, int n) {
    for (int i = 0; i < n; i++)
        if (!in(names, set[i]) && set[i] != TOK_OUT && set[i] != TOK_INOUT && set[i] != ')')
            return false;
    return true;
}

// Handles a keyword in the place of a name, or before a '=' in the place of a key: "tensor frag :",
// "row(frag=2)".
static bool reserved_slip(struct parser *p, const int *set, int n) {
    const struct source *f = &p->s->sources.file[p->file];
    const char *next = f->text + p->now.at.end, *end = f->text + f->size;
    if (!expected_word(p->now.token) || in(names, p->now.token) || !slip_has(set, n, TOK_ID))
        return false;
    const char *text = slip_text(p, p->now.at);
    if (wants_name(set, n)) {
        int first = p->first.token;
        bool left_out = p->now.token == TOK_IN &&
                        (first == TOK_FOR || first == TOK_PIPELINE || first == TOK_PARAM);
        if (left_out || new_line(p)) return false;
        diag_error(p->s, p->now.at, "'%s' is a reserved word, %s; it cannot be a name", text,
                   meaning(p->now.token));
        p->reserved = p->now.token;
        return true;
    }
    while (next < end && strchr(" \t\r\n", *next)) next++;
    if (next == end || *next != '=' || (next + 1 < end && next[1] == '=')) return false;
    diag_error(p->s, p->now.at, "'%s' is a reserved word; it cannot name a mode or an argument",
               text);
    return true;
}

static bool keyword_slip(struct parser *p, const int *set, int n) {
    int token = p->now.token;
    bool word = token == TOK_ID || token == TOK_WARPS;  // elsewhere a clause of kernels
    if (!word || slip_has(set, n, token) || slip_has(set, n, TOK_ID)) return false;
    const char *text = slip_text(p, p->now.at), *near = apart_from_number(p, text, set, n);
    if (!near) near = near_keyword(text, set, n);
    const struct foreign *w = foreign_find(FOREIGN_DECLARATION, text),
                         *clause = foreign_find(FOREIGN_CLAUSE, text);
    bool decl = slip_has(set, n, TOK_KERNEL) && slip_has(set, n, TOK_TENSOR);
    if (!near && !decl && !clause && !(w && p->before.token == TOK_EXTERN)) return false;
    bool after = p->before.token == TOK_EXTERN;  // "extern __shared__ float s[];"
    if (decl && slip_rows(p, p->now.at.begin, set, n, slip_at_declaration)) return true;
    if ((decl || after) && w) {
        diag_error(p->s, p->now.at, "unknown declaration '%s'; %s", text, w->help);
        const char *rest = p->s->sources.file[p->file].text + p->now.at.end;
        size_t length = strcspn(rest, ";\n{");  // "__device__ half A[64];"
        if (after || memchr(rest, '[', length)) p->skip_end = p->now.at.end + (uint32_t)length;
        return true;
    }
    if (decl && !near && slip_rows(p, p->now.at.begin, set, n, slip_at_unknown)) return true;
    if (!near && !decl) {
        if (new_line(p)) return false;
        diag_error(p->s, p->now.at, "there is no '%s' here; %s", text, clause->help);
        return true;
    }
    if (!near && slip_has(set, n, ';') && new_line(p)) return false;
    const char *what = decl ? "declaration"
                       : slip_has(set, n, TOK_SHARED) && slip_has(set, n, TOK_GLOBAL) ? "space"
                                                                                      : "word";
    if (*what == 's' && strcmp(text, "local") == 0) {
        diag_error(p->s, p->now.at,
                   "unknown space 'local'; a thread's own elements are a fragment of a kernel: "
                   "'frag r : f32 like TILED_COPY;'");
        return true;
    }
    diag_error(p->s, p->now.at, near ? "unknown %s '%s'; did you mean '%s'?" : "unknown %s '%s'",
               what, text, near);
    if (near) diag_fixit(p->s, p->now.at, near);
    return true;
}

// Handles "Sw<3,3,3> row(8,64)" without the "o 0 o" between them.
static bool swizzle_slip(struct parser *p, const int *set, int n) {
    if (p->before.token != '>' || !slip_has(set, n, TOK_O) || new_line(p)) return false;
    if (!in(names, p->now.token) && p->now.token != '(') return false;
    diag_error(p->s, p->now.at, "write 'o OFFSET o' between a swizzle and its layout");
    diag_fixit(p->s, (struct range){p->now.at.file, p->now.at.begin, p->now.at.begin}, "o 0 o ");
    return true;
}

// Handles a declaration in a block, or a statement outside one.
static bool level_slip(struct parser *p, const int *set, int n) {
    int token = p->now.token;
    bool top = slip_has(set, n, TOK_KERNEL) && slip_has(set, n, TOK_TENSOR);
    if (token == '}' && top) {
        diag_error(p->s, p->now.at, "this '}' closes nothing");
        return true;
    }
    if (top && in(stmt_starts, token)) {
        diag_error(p->s, p->now.at,
                   "'%s' belongs in a kernel or a device function, not at the top level",
                   expected_word(token));
        return true;
    }
    bool block = slip_has(set, n, TOK_FOR) && slip_has(set, n, TOK_LET);
    if (!block || !in(decl_starts, token) || in(names, token)) return false;
    int line, col;
    source_place(p->s, p->now.at, &line, &col);
    bool function =
        token == TOK_KERNEL || token == TOK_DEVICE || token == TOK_MANUAL || token == TOK_EXTERN;
    if (function || col == 1) {
        diag_error(p->s, slip_after(p->before.at), "expected '}' %s", where(p));
        if (p->nopen > 0) note_open(p, p->open[p->nopen - 1]);
        p->stopped = true;  // the parser would take what follows for statements
        return true;
    }
    return slip_rows(p, p->now.at.begin, set, n, slip_at_level);
}

static bool semicolon_slip(struct parser *p, const int *set, int n) {
    if (!slip_has(set, n, ';')) return false;
    int token = p->now.token;
    bool starts = (in(decl_starts, token) || in(stmt_starts, token)) && !slip_has(set, n, token);
    if (!starts && token != '}' && token != TOK_YYEOF && !new_line(p)) return false;
    if (slip_comment(p)) return true;
    diag_error(p->s, slip_after(p->before.at), "expected ';' after %s", called(p->first.token));
    diag_fixit(p->s, slip_after(p->before.at), ";");
    return true;
}

// Handles a missing ")" or "}": reported at the end of what comes before it.
static bool bracket_slip(struct parser *p, const int *set, int n) {
    int token = p->now.token;
    if (slip_has(set, n, ')') && p->unclosed.token) {
        diag_error(p->s, slip_after(p->before.at), "expected ')' %s", where(p));
        diag_fixit(p->s, slip_after(p->before.at), ")");
        note_open(p, p->unclosed);
        return true;
    }
    if (token != TOK_YYEOF || p->nopen == 0) return false;
    struct seen open = p->open[p->nopen - 1];
    if (!slip_has(set, n, open.token == '(' ? ')' : '}')) return false;
    diag_error(p->s, slip_after(p->before.at), "expected '%c' %s", open.token == '(' ? ')' : '}',
               where(p));
    note_open(p, open);
    return true;
}

void expected_report(struct parser *p, const int *expected, int n) {
    if (p->stopped || (p->now.at.end > 0 && p->now.at.end == p->refused.end)) return;
    if (p->reserved && p->now.token == p->reserved && slip_has(expected, n, TOK_ID) &&
        slip_has(expected, n, TOK_INT))
        return;  // the error comes from using a name that was refused
    if (slip_division(p) || slip_rows(p, p->now.at.begin, expected, n, slip_at_error) ||
        slip_list(p, expected, n) || reserved_slip(p, expected, n) || arrow_slip(p, expected, n) ||
        slip_rows(p, p->now.at.begin, expected, n, slip_at_equals) ||
        swizzle_slip(p, expected, n) || statement_slip(p, expected, n) ||
        bracket_slip(p, expected, n) || level_slip(p, expected, n))
        return;
    if (!(new_line(p) && slip_has(expected, n, ';')) && keyword_slip(p, expected, n)) return;
    if (semicolon_slip(p, expected, n) || keyword_slip(p, expected, n)) return;
    int set[128];
    if (n > 128) n = 128;
    memcpy(set, expected, sizeof *set * (size_t)n);
    struct buf out;
    buf_init(&out);
    alternatives(p, &out, set, n);
    if (p->start == TOK_START_EXPR && strcmp(out.text, "the end") == 0)
        diag_error(p->s, p->now.at,
                   p->now.token == ',' ? "'%s' cannot follow the expression; a shape of several "
                                         "modes goes in parentheses: '(4,8)'"
                                       : "'%s' cannot follow the expression",
                   slip_text(p, p->now.at));
    else
        diag_error(p->s, p->now.at, "expected %s %s", out.text, where(p));
    buf_release(&out);
    bool paren = p->nopen > 0 && p->open[p->nopen - 1].token == '(';
    if (paren && slip_has(expected, n, ')') &&
        (p->now.token == TOK_ARROW || p->now.token == TOK_WITH || p->now.token == TOK_BY))
        note_open(p, p->open[p->nopen - 1]);
}

void expected_too_deep(struct parser *p, struct range at) {
    if (p->stopped) return;
    diag_error(
        p->s, at,
        "this is nested too deeply; the limits are %d brackets and %d levels of an expression",
        (int)MAX_NESTING, AST_MAX_DEPTH);
    p->stopped = true;
}
