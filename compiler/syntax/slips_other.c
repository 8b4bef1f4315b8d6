// Slips that need more than a pattern: loops over the parts of a list, arithmetic, and words in the comments or brackets of C.
#include "syntax/slips.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/warnings.h"
#include "syntax/foreign.h"

const char *slip_from(struct parser *p, uint32_t at, size_t *left) {
    const struct source *f = &p->s->sources.file[p->file];
    *left = f->size - at;
    return f->text + at;
}

const char *slip_brackets(struct parser *p, struct range *at) {
    size_t left, length;
    const char *text = slip_from(p, at->end, &left);
    const char *inside = foreign_brackets(p->s, text, left, &length);
    if (inside) at->end += (uint32_t)length;
    return inside;
}

bool slip_follows(struct parser *p, uint32_t at, char c) {
    size_t left;
    const char *text = slip_from(p, at, &left);
    while (left && strchr(" \t", *text)) ++text, --left;
    return left && *text == c && (left < 2 || text[1] != c);
}

bool slip_function(int token) {
    return token == TOK_KERNEL || token == TOK_DEVICE || token == TOK_MANUAL ||
           token == TOK_ASYNC || token == TOK_EXTERN;
}

bool slip_type(const char *text) {
    return foreign_type(text) || strcmp(text, "f16") == 0 || strcmp(text, "f32") == 0 ||
           strcmp(text, "index") == 0;
}

// The text from "at" to the ';' of its line, which "all" then ends at; NULL where there is none.
static const char *up_to_end(struct parser *p, uint32_t at, struct range *all) {
    size_t left, n = 0;
    const char *text = slip_from(p, at, &left);
    while (n < left && !strchr(";\n{}", text[n])) ++n;
    if (n == left || text[n] != ';') return NULL;
    *all = (struct range){p->file, all->begin, at + (uint32_t)n};
    return arena_strndup(&p->s->arena, text, n);
}

// Whether p->now is further to the right than the line of the '{' that is open begins: else a '}'
// is missing.
static bool inside_block(struct parser *p) {
    if (p->nopen == 0 || p->open[p->nopen - 1].token != '{') return false;
    const char *text = p->s->sources.file[p->file].text;
    uint32_t from = p->open[p->nopen - 1].at.begin, here = p->now.at.begin;
    if (p->before.token == TOK_ASYNC) here = p->before.at.begin;
    uint32_t begin = from, line = here;
    while (begin > 0 && text[begin - 1] != '\n') --begin;
    while (line > 0 && text[line - 1] != '\n') --line;
    if (line == begin) return true;
    return here - line > strspn(text + begin, " \t");
}

// "extern __shared__ half s[];", "kernel k2(A) { }", "arch sm_90;" in a block
bool slip_nested(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    bool label = n == 1 && set[0] == ':' && p->before.at.begin == p->first.at.begin;
    bool second =
        label && ((last == TOK_ASYNC && now == TOK_DEVICE) || (last == TOK_ARCH && now == TOK_ID));
    bool first =
        slip_has(set, n, TOK_FOR) && slip_has(set, n, TOK_LET) &&
        (slip_one_of(now, TOK_KERNEL, TOK_DEVICE) || slip_one_of(now, TOK_MANUAL, TOK_EXTERN));
    if (!(first || second) || !inside_block(p) || (first && slip_follows(p, p->now.at.end, ';')))
        return false;
    size_t left;
    const char *text = slip_from(p, p->now.at.end, &left);
    size_t blanks = strspn(text, " ");
    bool cuda = left > blanks + 10 && memcmp(text + blanks, "__shared__", 10) == 0,
         shared = left > blanks + 7 && memcmp(text + blanks, "shared ", 7) == 0;
    struct range all = p->now.at;
    if (now == TOK_EXTERN && (cuda || shared)) {
        diag_error(p->s, p->now.at,
                   "shared memory is declared by 'shared NAME : TYPE LAYOUT;', and its size is "
                   "part of the plan");
        if (shared) {
            all.end += (uint32_t)blanks;
            diag_fixit(p->s, all, "");
        }
        if (up_to_end(p, p->now.at.end, &all)) p->skip_end = all.end;
        return true;
    }
    struct range at = second ? p->before.at : p->now.at;
    diag_error(p->s, at, "'%s' is declared at the top level, not in a block", slip_text(p, at));
    return true;
}

bool slip_comment(struct parser *p) {
    size_t left, k = 0;
    const char *text = slip_from(p, p->before.at.end, &left);
    int last = p->before.token;
    while (k < left && strchr(" \t", text[k])) ++k;
    bool value = last == TOK_INT || last == TOK_ID || last == ')';
    if (!value || left - k < 4 || text[k] != '/' || text[k + 1] != '/') return false;
    size_t from = k + 2, end = from;
    while (end < left && text[end] != '\n') ++end;
    while (end > from && strchr(" \t\r", text[end - 1])) --end;
    if (end == from || text[end - 1] != ';') return false;
    struct range at = {p->file, p->before.at.end + (uint32_t)k, p->before.at.end + (uint32_t)k + 2};
    diag_error(p->s, at, "'//' begins a comment; '/' divides, and rounds down");
    diag_fixit(p->s, at, "/");
    return true;
}

bool slip_division(struct parser *p, const int *set, int n) {
    (void)set, (void)n;
    size_t left;
    const char *text = slip_from(p, p->before.at.end, &left);
    if (p->nopen == 0 || p->open[p->nopen - 1].token != '(' || left < 3 ||
        memcmp(text, "//", 2) != 0 || !(isalnum((unsigned char)text[2]) || text[2] == '_'))
        return false;
    struct range at = {p->file, p->before.at.end, p->before.at.end + 2};
    diag_error(p->s, at, "'//' begins a comment; '/' divides, and rounds down");
    diag_fixit(p->s, at, "/");
    p->stopped = true;  // the rest of the line is missing
    return true;
}

// The warning that the word at "*all" means, extended over hyphens: the warning of that name, one
// that starts with the word, or one that the word starts with. NULL: none.
static const char *warning_meant(const char *text, size_t left, struct range *all) {
    const char *found = NULL;
    size_t n = 0, most = 0;
    while (n < left && (isalnum((unsigned char)text[n]) || text[n] == '-')) ++n;
    for (int i = 1; i < W_COUNT; ++i) {
        const char *name = diag_warning_name(i);
        size_t length = strlen(name);
        if (length <= most || length > n || memcmp(text, name, length) != 0) continue;
        if (length < n && text[length] != '-') continue;
        found = name;
        most = length;
    }
    for (int i = 1; i < W_COUNT && !found && n > 0; ++i) {
        const char *name = diag_warning_name(i);
        if (strncmp(name, text, n) == 0 && name[n] == '-') found = name;
    }
    all->end = all->begin + (uint32_t)n;
    return found;
}

// "allow unused let .."
bool slip_warning_name(struct parser *p, const int *set, int n) {
    if (p->before.token != TOK_ALLOW || p->now.token != TOK_ID || !slip_has(set, n, TOK_STRING))
        return false;
    size_t rest;
    struct range all = p->now.at;
    const char *text = slip_from(p, all.begin, &rest), *name = warning_meant(text, rest, &all);
    diag_error(p->s, all, "write the name of a warning in quotes: 'allow \"%s\"'",
               name ? name : "unused");
    if (name) diag_fixit(p->s, all, arena_printf(&p->s->arena, "\"%s\"", name));
    slip_skip_rest(p);
    return true;
}

// Whether the bracket open at p->now is closed before the statement or the line ends.
static bool closes_later(struct parser *p) {
    size_t left;
    const char *text = slip_from(p, p->now.at.end, &left);
    int depth = 0;
    for (size_t i = 0; i < left && !strchr(";\n", text[i]); ++i) {
        depth += text[i] == '(';
        if (text[i] == ')' && --depth < 0) return true;
    }
    return false;
}

// Handles "row(64,64 align 16": a clause after a missing ')' in one line.
bool slip_unclosed(struct parser *p, const int *set, int n) {
    static const short clauses[] = {TOK_ALIGN, TOK_STAGES, TOK_SWIZZLE, TOK_PAD,    TOK_WITH,
                                    TOK_BY,    TOK_ARROW,  TOK_GRID,    TOK_THREADS};
    bool clause = false;
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; ++i)
        clause |= p->now.token == clauses[i];
    if (!clause || p->nopen == 0 || p->open[p->nopen - 1].token != '(' || !slip_has(set, n, ')') ||
        p->before.token == '(' || p->before.token == ',' || closes_later(p))
        return false;
    struct range at = {p->before.at.file, p->before.at.end, p->before.at.end};
    diag_error(p->s, at, "expected ')' before '%s'", slip_text(p, p->now.at));
    diag_fixit(p->s, at, ")");
    diag_note(p->s, p->open[p->nopen - 1].at, "to close this '('");
    return true;
}

bool slip_hyphen(struct parser *p) {
    size_t left, k = 0;
    if (p->now.token != '-' || p->now.at.begin != p->before.at.end) return false;
    const char *next = slip_from(p, p->now.at.begin, &left);
    while (k < left && (isalnum((unsigned char)next[k]) || strchr("_-", next[k]))) ++k;
    struct range all = {p->now.at.file, p->before.at.begin, p->now.at.begin + (uint32_t)k};
    char *name = arena_strndup(&p->s->arena, slip_text(p, all), all.end - all.begin);
    for (char *c = name; *c; ++c)
        if (*c == '-') *c = '_';
    diag_error(p->s, all, "a name consists of letters, digits and '_'");
    diag_fixit(p->s, all, name);
    return true;
}

// Whether p->before is the second word of the declaration.
static bool second(struct parser *p) {
    size_t left;
    const char *text = slip_from(p, p->first.at.end, &left);
    return p->before.at.begin == p->first.at.end + strspn(text, " \t");
}

// "kernel my-copy(A)"
bool slip_function_name(struct parser *p, const int *set, int n) {
    (void)set, (void)n;
    return slip_function(p->first.token) && p->before.token == TOK_ID && p->nopen == 0 &&
           slip_hyphen(p);
}

// "tensor my-tensor : .."
bool slip_declared_name(struct parser *p, const int *set, int n) {
    static const short names[] = {TOK_TENSOR, TOK_SHARED, TOK_FRAG,       TOK_CONST, TOK_PARAM,
                                  TOK_LAYOUT, TOK_ATOM,   TOK_TILED_COPY, TOK_LET};
    bool named = false;
    (void)set, (void)n;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) named |= p->first.token == names[i];
    if (!named || p->before.token != TOK_ID || !second(p) || !slip_hyphen(p)) return false;
    slip_skip_rest(p);
    return true;
}

// "import common", "import cute.nvgpu;"
bool slip_import(struct parser *p, const int *set, int n) {
    (void)set, (void)n;
    if (p->now.token != TOK_ID || p->before.token != TOK_IMPORT) return false;
    struct range all = p->now.at;
    size_t left, k = 0;
    const char *text = slip_from(p, all.end, &left);
    while (k < left && (isalnum((unsigned char)text[k]) || strchr("._/-", text[k]))) ++k;
    all.end += (uint32_t)k;
    const char *file = slip_text(p, all), *dot = strrchr(file, '.');
    if (foreign_module(slip_text(p, p->now.at))) {
        struct range line = {p->file, p->before.at.begin, all.end};
        while (k < left && !strchr(";\n", text[k])) ++k;
        line.end = p->now.at.end + (uint32_t)k + (k < left && text[k] == ';');
        diag_error(p->s, line, "'import' reads another plan; of '%s' nothing is imported", file);
        diag_fixit(p->s, line, "");
        p->stopped = true;
        return true;
    }
    file = arena_printf(&p->s->arena, "\"%s%s\"", file, dot ? "" : ".tcp");
    diag_error(p->s, all, "a file is named in double quotes: %s", file);
    diag_fixit(p->s, all, file);
    return true;
}

// "const BM = 64, BN = 64;", "param M : index % 4, N : index;", "param N : index % 4, M;"
bool slip_several(struct parser *p, const int *set, int n) {
    int first = p->first.token;
    if (p->now.token != ',' || p->nopen > 0 || !slip_one_of(first, TOK_CONST, TOK_PARAM) ||
        !slip_has(set, n, ';'))
        return false;
    size_t left;
    const char *text = slip_from(p, p->now.at.begin, &left);
    const char *word = first == TOK_CONST ? "const" : "param",
               mark = first == TOK_CONST ? '=' : ':';
    int depth = 0;
    bool right = true;
    for (size_t i = 0, k; i < left && !strchr(";\n", text[i]); ++i) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (text[i] != ',' || depth > 0) continue;
        for (k = i + 1; k < left && (isalnum((unsigned char)text[k]) || strchr("_ ", text[k]));)
            ++k;
        right &= k < left && text[k] == mark;
    }
    diag_error(p->s, p->now.at,
               first == TOK_CONST
                   ? "each constant has its own 'const': 'const BM = 64; const BN = "
                     "64;'"
                   : "each promise has its own 'param': 'param M : index %% 4; param "
                     "N : index %% 4;'");
    depth = 0;
    for (uint32_t i = 0; right && i < left && !strchr(";\n", text[i]); ++i) {
        depth += (text[i] == '(') - (text[i] == ')');
        uint32_t at = p->now.at.begin + i;
        if (text[i] == ',' && depth == 0)
            diag_fixit(p->s, (struct range){p->file, at, at + 1},
                       arena_printf(&p->s->arena, "; %s", word));
    }
    slip_skip_rest(p);
    return true;
}

// The word before the '(' that is open, or NULL.
static const char *called(struct parser *p) {
    if (p->nopen == 0 || p->open[p->nopen - 1].token != '(') return NULL;
    const struct source *f = &p->s->sources.file[p->file];
    uint32_t end = p->open[p->nopen - 1].at.begin, begin = end;
    while (begin > 0 &&
           (isalnum((unsigned char)f->text[begin - 1]) || strchr("_.", f->text[begin - 1])))
        --begin;
    return arena_strndup(&p->s->arena, f->text + begin, end - begin);
}

// "universal(16 bytes)", "cp_async.cg(16 bytes)"; "row(2 b,64 s)"
bool slip_unit(struct parser *p, const int *set, int n) {
    const char *of = p->now.token == TOK_ID && p->before.token == TOK_INT && slip_has(set, n, ')')
                         ? called(p)
                         : NULL;
    if (!of) return false;
    const char *unit = slip_text(p, p->now.at);
    int number = atoi(slip_text(p, p->before.at));
    bool async = strncmp(of, "cp_async.", 9) == 0,
         bytes = strcmp(unit, "bytes") == 0 || strcmp(unit, "byte") == 0 || strcmp(unit, "B") == 0,
         bits = strcmp(unit, "bits") == 0 || strcmp(unit, "bit") == 0;
    if (async || strcmp(of, "universal") == 0 || strcmp(of, "auto") == 0) {
        if ((!bytes && !bits) || number < 1 || number > 1024) return false;
        int ours = bytes == async ? number : bytes ? number * 8 : number / 8;
        diag_error(p->s, p->now.at, "'%s' counts %s, and a number has no unit: '%s(%d)'", of,
                   async ? "bytes" : "bits", of, ours);
        diag_fixit(p->s, slip_join(p->before.at, p->now.at),
                   arena_printf(&p->s->arena, "%d", ours));
        return true;
    }
    if (strcmp(of, "row") != 0 && strcmp(of, "col") != 0) return false;
    diag_error(p->s, slip_join(p->before.at, p->now.at),
               "the name of a mode comes before '=': '%s=%d'", unit, number);
    size_t left, k = 0;
    const char *text = slip_from(p, p->before.at.begin, &left);
    while (k < left && !strchr(");\n", text[k])) {
        char name[32];
        int value, from = 0, to = 0;
        const char *part = arena_strndup(&p->s->arena, text + k, left - k < 64 ? left - k : 64);
        if (sscanf(part, " %n%9d %31[A-Za-z_]%n", &from, &value, name, &to) == 2 && to > 0) {
            uint32_t at = p->before.at.begin + (uint32_t)k;
            diag_fixit(p->s, (struct range){p->file, at + (uint32_t)from, at + (uint32_t)to},
                       arena_printf(&p->s->arena, "%s=%d", name, value));
        }
        while (k < left && !strchr(",);\n", text[k])) ++k;
        k += k < left && text[k] == ',';
    }
    slip_skip_rest(p);
    return true;
}

bool slip_label(struct parser *p) {
    if (p->now.token != TOK_COPY) return false;
    diag_error(p->s, slip_after(p->before.at), "a label ends with ':': '%s: copy'",
               slip_text(p, p->before.at));
    diag_fixit(p->s, slip_after(p->before.at), ":");
    return true;
}

static bool declared_function(const struct parser *p, const char *name) {
    struct ast_decl *const *decl = p->decls.items;
    for (int i = 0; i < p->decls.n; ++i)
        if (decl[i]->kind == D_FN && strcmp(decl[i]->name.name, name) == 0) return true;
    return false;
}

bool slip_statement(struct parser *p, const char *text) {
    if (slip_rows(p, p->now.at.begin, NULL, 0, slip_at_statement, slip_n_statement)) return true;
    if (p->now.token != '(') return false;
    if (strcmp(text, "mma") == 0 && !declared_function(p, text)) {
        diag_error(p->s, p->before.at, "%s", foreign_statement("gemm")->help);
        return true;
    }
    if (!declared_function(p, text)) {
        diag_error(p->s, p->before.at,
                   "unknown statement '%s'; 'call' is for a device function that is declared above",
                   text);
        return true;
    }
    diag_error(p->s, p->before.at, "a device function is called by 'call %s(..);'", text);
    diag_fixit(p->s, slip_before(p->before.at), "call ");
    return true;
}

bool slip_typed_const(struct parser *p) {
    char type[32], name[64];
    size_t left;
    int end = 0;
    const char *next = slip_from(p, p->now.at.end, &left);
    next = arena_strndup(&p->s->arena, next, left < 100 ? left : 100);
    if (sscanf(next, " %31[A-Za-z0-9_]%n %63[A-Za-z0-9_]", type, &end, name) != 2 ||
        !foreign_type(type))
        return false;
    diag_fixit(p->s, (struct range){p->file, p->now.at.begin, p->now.at.end + (uint32_t)end},
               "let");
    return true;
}
