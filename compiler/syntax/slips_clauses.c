// Clauses that are in a wrong place or form: "swizzle(auto)", "when M % 4 == 0 && ..", "allow
// unused", "pipeline i in 0 .. 4 stages 2 { .. }", "(64,64), (64,1)".
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "syntax/foreign.h"
#include "syntax/scan.h"

static bool is(struct parser *p, struct range at, const char *text) {
    return strcmp(slip_text(p, at), text) == 0;
}

// Whether "word" occurs in the current declaration or statement, before p->now.
static bool said(struct parser *p, const char *word) {
    const char *line = slip_text(p, (struct range){p->file, p->first.at.begin, p->now.at.begin});
    return strstr(line, word) != NULL;
}

// -- swizzle --------------------------------------------------------------------------------------

// "swizzle=auto", "swizzle(auto)", "swizzle 128", "swizzle Sw<3,3,3>", "swizzle auto row(8,64)",
// "stages 2 swizzle auto", "row(8,64) auto"
static bool swizzle_clause(struct parser *p, const int *set, int n) {
    static const char chosen[] = "'swizzle auto' lets tcpc choose a swizzle",
                      first[] = "a swizzle goes before the layout, 'Sw<3,3,3> o 0 o row(64,64)'; "
                                "'swizzle auto' after it lets tcpc choose one";
    int now = p->now.token;
    bool behind = p->before.token == TOK_SWIZZLE && slip_has(set, n, TOK_ID);
    if (p->first.token != TOK_SHARED) return false;
    if (behind && slip_one_of(now, '=', '(')) {
        struct range all = p->now.at;
        size_t left;
        const char *text = slip_from(p, all.end, &left);
        bool closed = now == '(';
        bool right = left > 5 && memcmp(text, closed ? "auto)" : "auto", closed ? 5 : 4) == 0;
        bool own = left && strchr("0123456789S", text[strspn(text, " ")]);
        diag_error(p->s, p->now.at, "%s", own ? first : chosen);
        all.end += closed ? 5 : 4;
        if (right) diag_fixit(p->s, all, " auto");
        slip_skip_rest(p);
        return true;
    }
    if (behind && slip_one_of(now, TOK_INT, TOK_SW)) {
        diag_error(p->s, p->now.at, "%s", first);
        slip_skip_rest(p);
        return true;
    }
    if (now == TOK_ID && is(p, p->now.at, "auto") && slip_has(set, n, TOK_SWIZZLE)) {
        bool early = p->before.token == TOK_SWIZZLE;
        if (early && slip_follows(p, p->now.at.end, ';')) return slip_no_layout(p);
        diag_error(p->s, early ? slip_join(p->before.at, p->now.at) : p->now.at,
                   early ? "'swizzle auto' comes after the layout" : chosen);
        struct range all = p->now.at;
        size_t left;
        const char *next = slip_from(p, all.end, &left);
        if (left > 8 && strncmp(next, " swizzle", 8) == 0) all.end += 8;  // "auto swizzle"
        if (!early) diag_fixit(p->s, all, "swizzle auto");
        slip_skip_rest(p);
        return true;
    }
    if (now == TOK_SWIZZLE && slip_has(set, n, ';') && said(p, "stages")) {
        diag_error(p->s, p->now.at, "'swizzle auto' comes before 'stages'");
        slip_skip_rest(p);
        return true;
    }
    return false;
}

// -- when, grid and other clauses of a function ---------------------------------------------------

// "when M % 4 == 0, N % 4 == 0", "when M % 4 == 0 and ..", "grid 1,1", "if M % 4 == 0", "k(A) -> B"
static bool function_clause(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    if (!slip_function(p->first.token) || p->nopen > 0) return false;
    bool header = slip_has(set, n, TOK_THREADS) || slip_has(set, n, TOK_GRID);
    bool joined = now == ',' || (now == TOK_ID && is(p, p->now.at, "and"));
    if (header && joined && said(p, " when ") && slip_has(set, n, TOK_EQ) + slip_has(set, n, '%')) {
        diag_error(p->s, p->now.at,
                   "several conditions are a list: 'when (M %% 8 == 0, N %% 8 == 0)'");
        p->stopped = true;
        return true;
    }
    if (header && now == ',' && slip_one_of(last, TOK_INT, TOK_ID) && said(p, " grid ") &&
        !said(p, " threads ")) {
        size_t left;
        const char *text = slip_from(p, p->now.at.end, &left);
        size_t k = strspn(text, " ");
        if (k < left && (isdigit((unsigned char)text[k]) || (strncmp(text + k, "threads", 7) != 0 &&
                                                             isalpha((unsigned char)text[k])))) {
            diag_error(p->s, p->now.at, "the extents of a grid go in parentheses: 'grid (4,2)'");
            p->stopped = true;
            return true;
        }
    }
    if (now == TOK_ID && slip_has(set, n, TOK_WHEN) && is(p, p->now.at, "if")) {
        diag_error(p->s, p->now.at, "a case of a kernel says 'when M %% 8 == 0'");
        diag_fixit(p->s, p->now.at, "when");
        p->stopped = true;
        return true;
    }
    if (now == TOK_ARROW && header) {
        diag_error(p->s, p->now.at, "outputs go in the list: 'kernel k(A, out B)'");
        p->stopped = true;
        return true;
    }
    return false;
}

// -- allow ----------------------------------------------------------------------------------------

// The warning that the word at "*all" means, extended over hyphens: the warning of that name, one
// that starts with the word, or one that the word starts with. NULL: none.
static const char *warning_meant(const char *text, size_t left, struct range *all) {
    const char *found = NULL;
    size_t n = 0, most = 0;
    while (n < left && (isalnum((unsigned char)text[n]) || text[n] == '-')) ++n;
    for (int i = 0; i < W_COUNT; ++i) {
        const char *name = diag_warning_row((enum warning)i)->name;
        size_t length = strlen(name);
        if (length <= most || length > n || memcmp(text, name, length) != 0) continue;
        if (length < n && text[length] != '-') continue;
        found = name;
        most = length;
    }
    for (int i = 0; i < W_COUNT && !found && n > 0; ++i) {
        const char *name = diag_warning_row((enum warning)i)->name;
        if (strncmp(name, text, n) == 0 && name[n] == '-') found = name;
    }
    all->end = all->begin + (uint32_t)n;
    return found;
}

// "allow unused let ..", "allow ("unused")", "allow "unused";",
// "copy A -> B with tc allow "unused""
static bool allow_clause(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    if (last == TOK_ALLOW && slip_has(set, n, TOK_STRING) && slip_one_of(now, TOK_ID, '(')) {
        size_t rest;
        struct range all = p->now.at;
        const char *text = slip_from(p, all.begin, &rest), *name = "unused";
        if (now == TOK_ID) name = warning_meant(text, rest, &all);
        diag_error(
            p->s, all,
            now == TOK_ID
                ? "write the name of a warning in quotes: 'allow \"%s\"'"
                : "write the names of warnings without parentheses: 'allow \"%s\", \"shadow\"'",
            name ? name : "unused");
        if (now == TOK_ID && name)
            diag_fixit(p->s, all, arena_printf(&p->s->arena, "\"%s\"", name));
        slip_skip_rest(p);
        return true;
    }
    if (last == TOK_STRING && now == ';' && p->first.token == TOK_ALLOW) {
        diag_error(
            p->s, p->now.at,
            "'allow' comes before the declaration or statement that it is about, without ';'");
        diag_fixit(p->s, p->now.at, "");
        return true;
    }
    size_t left;
    const char *next = slip_from(p, p->now.at.end, &left);
    if (now != TOK_ALLOW || !slip_has(set, n, ';') || left < 2 || next[strspn(next, " ")] != '"' ||
        memchr(slip_text(p, (struct range){p->file, p->before.at.end, p->now.at.begin}), '\n',
               p->now.at.begin - p->before.at.end))
        return false;
    diag_error(p->s, p->now.at,
               "'allow' comes before the declaration or statement that it is about");
    slip_skip_rest(p);
    return true;
}

// -- clauses of copies, pipelines and buffers -----------------------------------------------------

// "pipeline i in 0 .. 4 stages 2 {", "load { .. }" outside of one, "async copy A -> B",
// "with tc, pad 0", "pad 0 with tc"
static bool statement_clause(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    if (p->first.token == TOK_PIPELINE && slip_has(set, n, '{') &&
        (now == TOK_STAGES || is(p, p->now.at, "num_stages"))) {
        diag_error(p->s, p->now.at,
                   "write 'stages' after each buffer that is loaded: 'shared s : f16 row(64,64) "
                   "stages 2;'");
        p->stopped = true;
        return true;
    }
    if (slip_one_of(last, TOK_LOAD, TOK_USE) && now == '{' && slip_has(set, n, ':')) {
        diag_error(
            p->s, p->before.at,
            "'%s' is a part of a pipeline: 'pipeline n in 0 .. 4 { load { .. } use { .. } }'",
            slip_text(p, p->before.at));
        p->stopped = true;
        return true;
    }
    if (last == TOK_ASYNC && now == TOK_COPY) {
        diag_error(p->s, p->before.at,
                   "a copy is asynchronous by its atom, such as 'cp_async.cg(16)'");
        diag_fixit(p->s, (struct range){p->file, p->before.at.begin, p->now.at.begin}, "");
        slip_skip_rest(p);
        return true;
    }
    if (p->first.token != TOK_COPY || !slip_has(set, n, ';')) return false;
    size_t left;
    const char *next = slip_from(p, p->now.at.end, &left);
    if (now == ',' && slip_has(set, n, TOK_PAD) &&
        strncmp(next + strspn(next, " "), "pad", 3) == 0) {
        diag_error(p->s, p->now.at, "'pad' comes after 'with', without ','");
        diag_fixit(p->s, p->now.at, "");
        slip_skip_rest(p);
        return true;
    }
    if (slip_one_of(now, TOK_WITH, TOK_BY) && said(p, " pad ")) {
        diag_error(p->s, p->now.at, "'%s' comes before 'pad'", slip_text(p, p->now.at));
        slip_skip_rest(p);
        return true;
    }
    return false;
}

// -- values ---------------------------------------------------------------------------------------

// "for i in 0:4", "A(32 .., _)", "A(.., 3)", "X("b"=0)", "{4,8}:{8,1}"
static bool value_clause(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    bool expression = slip_has(set, n, TOK_INT) && slip_has(set, n, '(');
    bool ranged = slip_one_of(p->first.token, TOK_FOR, TOK_PIPELINE);
    if (ranged && slip_has(set, n, TOK_DOTDOT) && now == '{') {
        const char *line =
            slip_text(p, (struct range){p->file, p->first.at.begin, p->now.at.begin});
        const char *in = strstr(line, " in "), *colon = in ? strchr(in, ':') : NULL;
        if (!colon) return false;
        uint32_t at = p->first.at.begin + (uint32_t)(colon - line);
        diag_error(p->s, (struct range){p->file, at, at + 1}, "a range is '0 .. 4'");
        diag_fixit(p->s, (struct range){p->file, at, at + 1}, " .. ");
        p->stopped = true;
        return true;
    }
    if (!expression) return false;
    if (last == TOK_DOTDOT && slip_one_of(now, ',', ')')) {
        diag_error(p->s, p->before.at, "a range has both ends: '0 .. 32'");
        slip_skip_rest(p);
        return true;
    }
    if (now == TOK_DOTDOT && slip_one_of(last, ',', '(')) {
        diag_error(p->s, p->now.at, "a mode that stays whole is '_', one for each mode");
        slip_skip_rest(p);
        return true;
    }
    if (now == TOK_STRING && slip_follows(p, p->now.at.end, '=')) {
        const char *text = slip_text(p, p->now.at);
        const char *name = arena_printf(&p->s->arena, "%.*s", (int)strlen(text) - 2, text + 1);
        diag_error(p->s, p->now.at, "write the name of a mode without quotes");
        diag_fixit(p->s, p->now.at, name);
        slip_skip_rest(p);
        return true;
    }
    if (now == '{' && (last == '=' || last == ':' || last == ',' || last == '(')) {
        size_t left, length;
        const char *text = slip_from(p, p->now.at.begin, &left);
        const char *inside = foreign_brackets(p->s, text, left, &length);
        diag_error(p->s, p->now.at, "a tuple goes in parentheses: '(4,8)'");
        if (inside) {
            uint32_t end = p->now.at.begin + (uint32_t)length;
            diag_fixit(p->s, p->now.at, "(");
            diag_fixit(p->s, (struct range){p->file, end - 1, end}, ")");
        }
        p->stopped = true;
        return true;
    }
    return false;
}

// -- tensors --------------------------------------------------------------------------------------

// "f32 global align 16 (16,8)", "f16 stages 3 (64,64)"
static bool early_clause(struct parser *p) {
    struct range clause = slip_join(p->before.at, p->now.at);
    size_t left, k = 0, end;
    const char *text = slip_from(p, clause.end, &left);
    while (k < left && text[k] == ' ') ++k;
    if (k == left || text[k] == ';' || text[k] == '\n') return slip_no_layout(p);
    diag_error(p->s, clause, "'%s' comes after the layout", slip_text(p, p->before.at));
    for (end = k; end < left && !strchr(";\n/", text[end]);) ++end;
    if (end < left && text[end] == ';' && end > k) {
        struct range all = {p->file, clause.begin, clause.end + (uint32_t)end};
        diag_fixit(p->s, all,
                   arena_printf(&p->s->arena, "%.*s %s", (int)(end - k), text + k,
                                slip_text(p, clause)));
    }
    slip_skip_rest(p);
    return true;
}

// "f32 global shape=(64,64)", "(64,64) strides (64,1)", "(64,64), (64,1)", "tl.float16 global"
static bool tensor_clause(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token, first = p->first.token;
    bool tensor = first == TOK_TENSOR || first == TOK_SHARED || first == TOK_FRAG;
    if (!tensor) return false;
    if (now == '=' && last == TOK_ID && slip_type(slip_text(p, p->before.at))) {
        diag_error(p->s, p->now.at, "write a layout without '=': '%s (64,64)', '%s like tc'",
                   slip_text(p, p->before.at), slip_text(p, p->before.at));
        diag_fixit(p->s, (struct range){p->file, p->before.at.end, p->now.at.end}, "");
        slip_skip_rest(p);
        return true;
    }
    if (now == '=' && last == TOK_ID && said(p, ":")) {
        diag_error(p->s, slip_join(p->before.at, p->now.at),
                   "write a layout without '%s=': '(64,64)', '(64,64):(64,1)', 'row(64,64)'",
                   slip_text(p, p->before.at));
        diag_fixit(p->s, slip_join(p->before.at, p->now.at), "");
        slip_skip_rest(p);
        return true;
    }
    if (now == '.' && last == TOK_ID && foreign_module(slip_text(p, p->before.at))) {
        size_t left, k = 0;
        const char *text = slip_from(p, p->now.at.end, &left);
        while (k < left && (isalnum((unsigned char)text[k]) || text[k] == '_')) ++k;
        const char *type = foreign_type(arena_strndup(&p->s->arena, text, k));
        struct range all = {p->file, p->before.at.begin, p->now.at.end + (uint32_t)k};
        diag_error(p->s, all,
                   type ? "'%s' is not an element type; did you mean '%s'?"
                        : "'%s' is not an element type",
                   slip_text(p, all), type);
        if (type) diag_fixit(p->s, all, type);
        slip_skip_rest(p);
        return true;
    }
    bool early = slip_one_of(last, TOK_ALIGN, TOK_STAGES) && now == TOK_INT;
    if (early && slip_has(set, n, ';') && early_clause(p)) return true;
    bool word = now == TOK_ID && (is(p, p->now.at, "strides") || is(p, p->now.at, "stride"));
    if (last != ')' || !slip_has(set, n, ';') || !(word || now == ',') ||
        !slip_follows(p, p->now.at.end, '('))
        return false;
    diag_error(p->s, p->now.at, "write ':' between a shape and its stride");
    diag_fixit(p->s, (struct range){p->file, p->before.at.end, p->now.at.end}, ":");
    slip_skip_rest(p);
    return true;
}

// "@triton.jit"
static bool decorator(struct parser *p, const int *set, int n) {
    if (p->now.token != '@' || !slip_has(set, n, TOK_KERNEL)) return false;
    diag_error(p->s, p->now.at,
               "there are no decorators; a kernel is 'kernel NAME(A, out B) grid (..) threads N { "
               ".. }'");
    p->stopped = true;
    return true;
}

// -- for other parts of the parser -----------------------------------------------------------------

bool slip_cast(struct parser *p) {
    char type[32], rest[2];
    struct range all = {p->file, p->first.at.end, p->now.at.begin};
    if (p->before.token != ')' || p->now.token != TOK_ID ||
        sscanf(slip_text(p, all), " (%31[a-z0-9_]%1[)]", type, rest) != 2 || !slip_type(type))
        return false;
    diag_error(
        p->s, p->before.at,
        "a copy converts by itself, to the element type of its destination; there is no cast");
    diag_fixit(p->s, all, " ");
    slip_skip_rest(p);
    return true;
}

bool slip_how_first(struct parser *p) {
    char how[64], open[2], close[2], more[2];
    struct range all = {p->file, p->first.at.end, p->now.at.begin};
    const char *between = slip_text(p, all);
    if (p->now.token != TOK_ID) return false;
    if (sscanf(between, " %63[A-Za-z0-9_] %1s", how, more) != 1 &&
        sscanf(between, " %1[<] %63[A-Za-z0-9_] %1[>] %1s", open, how, close, more) != 3)
        return false;
    size_t left, n = 0;
    const char *text = slip_from(p, p->now.at.begin, &left);
    while (n < left && !strchr(";\n{}", text[n])) ++n;
    const char *rest = arena_strndup(&p->s->arena, text, n);
    if (n == left || text[n] != ';' || !strstr(rest, "->")) return false;
    diag_error(p->s, all, "how a copy is done comes last: 'copy A -> B with %s;'", how);
    struct range end = {p->file, p->now.at.begin + (uint32_t)n, p->now.at.begin + (uint32_t)n};
    if (!strstr(rest, " with ") && !strstr(rest, " by ")) {
        diag_fixit(p->s, all, " ");
        diag_fixit(p->s, end, arena_printf(&p->s->arena, " with %s", how));
    }
    slip_skip_rest(p);
    return true;
}

bool slip_attribute(struct parser *p, struct range at) {
    size_t left;
    const char *text = slip_from(p, at.begin, &left);
    const char *end = left > 4 && text[1] == '[' ? strstr(text, "]]") : NULL;
    if (!end || memchr(text, '\n', (size_t)(end - text))) return false;
    at.end = at.begin + (uint32_t)(end - text) + 2;
    diag_error(p->s, at, "there are no attributes; 'allow \"NAME\"' silences a warning");
    if (strncmp(text, "[[maybe_unused]]", 16) == 0) diag_fixit(p->s, at, "allow \"unused\"");
    p->skip_end = at.end;
    return true;
}

bool slip_bracket_row(struct parser *p, struct range at, bool shape) {
    size_t left, n = 0, length;
    const char *text = slip_from(p, at.begin, &left), *inside;
    struct buf b;
    buf_init(&b);
    for (size_t k = 0; k < left && text[k] == '[' && n < 8; k += length, ++n) {
        inside = foreign_brackets(p->s, text + k, left - k, &length);
        if (!inside || !*inside) break;
        buf_printf(&b, "%s%s", n ? "," : "", inside);
        at.end = at.begin + (uint32_t)(k + length);
    }
    const char *parts = buf_finish(&b, &p->s->arena);
    if (n < 2) return false;
    const char *ours = arena_printf(&p->s->arena, "%s(%s)", shape ? "row" : "", parts);
    diag_error(p->s, at,
               shape ? "'[' is not part of the language; an array of C is '%s' here"
                     : "'[' is not part of the language; coordinates are '%s'",
               ours);
    diag_fixit(p->s, at, ours);
    p->skip_end = at.end;
    return true;
}

bool slip_clauses(struct parser *p, const int *set, int n) {
    return swizzle_clause(p, set, n) || function_clause(p, set, n) || allow_clause(p, set, n) ||
           statement_clause(p, set, n) || value_clause(p, set, n) || tensor_clause(p, set, n) ||
           decorator(p, set, n);
}
