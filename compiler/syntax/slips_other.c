// Forms of other languages: calls in the place of statements, words in another order, and types
// where this language writes none.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "syntax/foreign.h"
#include "syntax/scan.h"

// -- copies ---------------------------------------------------------------------------------------

// "copy(tc, A, s)", "copy(A, s)"
static bool copy_call(struct parser *p) {
    if (p->first.token != TOK_COPY || p->before.token != ')') return false;
    struct range all = p->first.at;
    const char *inside = slip_brackets(p, &all), *part[8];
    if (!inside || all.end != p->before.at.end) return false;
    int n = foreign_parts(p->s, inside, part, 8);
    if (n < 2) return false;
    const char *ours =
        n == 2 ? arena_printf(&p->s->arena, "copy %s -> %s", part[0], part[1])
               : arena_printf(&p->s->arena, "copy %s -> %s with %s", part[1], part[2], part[0]);
    diag_error(p->s, p->first.at, "a copy is not a call; write '%s'", ours);
    if (n <= 3) diag_fixit(p->s, all, ours);
    return true;
}

// "copy s <- A"
static bool arrow_back(struct parser *p) {
    if (p->first.token != TOK_COPY) return false;
    size_t left;
    const char *from = slip_from(p, p->first.at.end, &left), *end = from, *arrow = NULL;
    for (; end < from + (p->now.at.begin - p->first.at.end); ++end)
        if (end[0] == '<' && left > 1 && end[1] == '-' && !arrow) arrow = end;
    if (!arrow || memchr(from, '\n', (size_t)(end - from))) return false;
    uint32_t at = p->first.at.end + (uint32_t)(arrow - from);
    struct range here = {p->now.at.file, at, at + 2},
                 all = {p->now.at.file, p->first.at.end, p->before.at.end};
    const char *to = slip_text(p, (struct range){here.file, all.begin, here.begin}),
               *of = slip_text(p, (struct range){here.file, here.end, all.end});
    while (*to == ' ') ++to;
    while (*of == ' ') ++of;
    int n = (int)strlen(to);
    while (n > 0 && to[n - 1] == ' ') --n;
    diag_error(p->s, here, "the source of a copy comes first: copy %s -> %.*s", of, n, to);
    diag_fixit(p->s, all, arena_printf(&p->s->arena, " %s -> %.*s", of, n, to));
    return true;
}

static bool copy_slip(struct parser *p, const int *set, int n) {
    if (slip_one_of(p->now.token, TOK_WITH, TOK_BY) && p->before.token == TOK_COPY) {
        diag_error(p->s, p->now.at, "'%s' comes after the destination: copy A -> s %s tc",
                   slip_text(p, p->now.at), slip_text(p, p->now.at));
        return true;
    }
    return slip_has(set, n, TOK_ARROW) && !slip_has(set, n, ';') && (copy_call(p) || arrow_back(p));
}

// -- loops ----------------------------------------------------------------------------------------

// "for (int i = 0; i < 4; ++i)"
static bool c_loop(struct parser *p) {
    if (p->now.token != '(' || p->before.token != TOK_FOR) return false;
    size_t left, n = 0;
    const char *text = slip_from(p, p->now.at.begin, &left);
    int depth = 0;
    for (; n < left && text[n] != '\n'; ++n) {
        depth += text[n] == '(';
        if (text[n] == ')' && --depth == 0) break;
    }
    bool threads = strstr(arena_strndup(&p->s->arena, text, n), "= tid") ||
                   strstr(arena_strndup(&p->s->arena, text, n), "threadIdx");
    diag_error(p->s, p->now.at,
               threads
                   ? "the threads of a copy need no loop: a tile smaller than its tensor repeats"
                   : "a loop is 'for i in 0 .. 4 { .. }'");
    if (n == left || text[n] != ')') return true;
    struct range all = {p->now.at.file, p->now.at.begin, p->now.at.begin + (uint32_t)n + 1};
    p->skip_end = all.end;
    char type[32], name[32], again[32], lo[32], hi[32], rest[32];
    const char *loop = slip_text(p, all);
    bool counts = sscanf(loop,
                         "(%31[a-z0-9_] %31[A-Za-z0-9_] = %31[A-Za-z0-9_]; %31[A-Za-z0-9_] < "
                         "%31[A-Za-z0-9_]; %31[^)])",
                         type, name, lo, again, hi, rest) == 6 &&
                  strcmp(name, again) == 0 &&
                  (strcmp(rest, arena_printf(&p->s->arena, "++%s", name)) == 0 ||
                   strcmp(rest, arena_printf(&p->s->arena, "%s++", name)) == 0);
    bool braces = slip_follows(p, all.end, '{');
    size_t end = n + 1;
    while (end < left && !strchr(";\n{}", text[end])) ++end;
    bool one = !braces && end < left && text[end] == ';';
    if (!counts || (!braces && !one)) return true;
    diag_fixit(p->s, all,
               arena_printf(&p->s->arena, one ? "%s in %s .. %s {" : "%s in %s .. %s", name, lo,
                            hi));
    if (!one) return true;
    uint32_t close = p->now.at.begin + (uint32_t)end + 1;
    diag_fixit(p->s, (struct range){p->file, close, close}, " }");
    p->skip_end = close - 1;
    return true;
}

static bool loop_slip(struct parser *p, const int *set, int n) {
    if (c_loop(p)) return true;
    if (p->now.token == '=' && p->before.token == TOK_DOTDOT) {
        size_t left;
        const char *text = slip_from(p, p->now.at.end, &left);
        int end, length = 0;
        text = arena_strndup(&p->s->arena, text, left < 16 ? left : 16);
        diag_error(p->s, p->now.at, "a range does not include its end: '0 .. 4' is 0, 1, 2 and 3");
        struct range all = p->now.at;
        if (sscanf(text, " %9d%n", &end, &length) == 1 && length > 0 && end >= 0) {
            all.end += (uint32_t)length;
            diag_fixit(p->s, all, arena_printf(&p->s->arena, " %d", end + 1));
        }
        return true;
    }
    bool ranged = slip_one_of(p->first.token, TOK_FOR, TOK_PIPELINE);
    if (!ranged || p->before.token != ')' || !slip_has(set, n, TOK_DOTDOT)) return false;
    size_t left;
    const char *text = slip_from(p, p->first.at.begin, &left), *part[3];
    const char *line = arena_strndup(&p->s->arena, text, p->now.at.begin - p->first.at.begin),
               *word = strstr(line, "range");
    if (!word) return false;
    struct range at = {p->now.at.file, p->first.at.begin + (uint32_t)(word - line), 0};
    at.end = at.begin + 5;
    const char *inside = slip_brackets(p, &at);
    while (word > line && (isalnum((unsigned char)word[-1]) || strchr("._", word[-1])))
        --word, --at.begin;  // cutlass.range
    int k = inside && at.end == p->before.at.end ? foreign_parts(p->s, inside, part, 3) : 0;
    if (k == 0) return false;
    const char *ours = k == 1 ? arena_printf(&p->s->arena, "0 .. %s", part[0])
                              : arena_printf(&p->s->arena, "%s .. %s", part[0], part[1]);
    diag_error(p->s, at, k == 3 ? "a loop counts by one: '%s'" : "a range is '%s'", ours);
    if (k < 3) diag_fixit(p->s, at, ours);
    return true;
}

// -- declarations ---------------------------------------------------------------------------------

bool slip_type(const char *text) {
    return foreign_type(text) || strcmp(text, "f16") == 0 || strcmp(text, "f32") == 0 ||
           strcmp(text, "index") == 0;
}

// "const int N = 4", "param int N", "param N : int"
static bool value_slip(struct parser *p) {
    int first = p->first.token;
    if (p->now.token == TOK_ID && p->before.token == TOK_ID &&
        slip_one_of(first, TOK_CONST, TOK_PARAM)) {
        const char *type = slip_text(p, p->before.at), *name = slip_text(p, p->now.at);
        if (!slip_type(type)) return false;
        if (first == TOK_CONST)
            diag_error(p->s, p->before.at, "a constant has no type: 'const %s = ..;'", name);
        else
            diag_error(p->s, p->before.at, "a param is an index: 'param %s : index;'", name);
        if (first == TOK_CONST || !slip_follows(p, p->now.at.end, ';'))
            diag_fixit(p->s, (struct range){p->now.at.file, p->before.at.begin, p->now.at.begin},
                       "");
        else
            diag_fixit(p->s, slip_join(p->before.at, p->now.at),
                       arena_printf(&p->s->arena, "%s : index", name));
        return true;
    }
    if (first == TOK_PARAM && p->now.token == TOK_ID && p->before.token == ':' &&
        foreign_type(slip_text(p, p->now.at))) {
        diag_error(p->s, p->now.at, "a param is an 'index', not '%s'", slip_text(p, p->now.at));
        diag_fixit(p->s, p->now.at, "index");
        return true;
    }
    if (p->now.token == '=' && p->before.token == TOK_INDEX && first == TOK_PARAM) {
        diag_error(p->s, p->now.at,
                   "a param has no value in the plan; 'const' has one, and 'tcpc run --param "
                   "NAME=VALUE' sets a param");
        return true;
    }
    if (p->now.token == TOK_STRING && p->before.token == TOK_ARCH) {
        const char *text = slip_text(p, p->now.at);
        diag_error(p->s, p->now.at, "write an architecture without quotes");
        diag_fixit(p->s, p->now.at,
                   arena_printf(&p->s->arena, "%.*s", (int)strlen(text) - 2, text + 1));
        return true;
    }
    if (p->now.token == TOK_INT && p->before.token == TOK_ARCH && first == TOK_ARCH) {
        const char *name = arena_printf(&p->s->arena, "sm_%s", slip_text(p, p->now.at));
        diag_error(p->s, p->now.at, "an architecture is a name; did you mean '%s'?", name);
        diag_fixit(p->s, p->now.at, name);
        return true;
    }
    if (p->now.token == TOK_FLOAT && p->before.token == TOK_TCP) {
        diag_error(p->s, p->now.at, "the language version is one integer: 'tcp 1;'");
        if (strcmp(slip_text(p, p->now.at), "1.0") == 0) diag_fixit(p->s, p->now.at, "1");
        return true;
    }
    if (p->now.token == TOK_ID && p->before.token == TOK_IMPORT) {
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
            diag_error(p->s, line, "'import' reads another plan; of '%s' nothing is imported",
                       file);
            diag_fixit(p->s, line, "");
            p->stopped = true;
            return true;
        }
        file = arena_printf(&p->s->arena, "\"%s%s\"", file, dot ? "" : ".tcp");
        diag_error(p->s, all, "a file is named in double quotes: %s", file);
        diag_fixit(p->s, all, file);
        return true;
    }
    return false;
}

// "k<<<1, 256>>>(A)", "my-copy(A)"
static bool function_slip(struct parser *p) {
    if (!slip_function(p->first.token) || p->before.token != TOK_ID || p->nopen > 0) return false;
    size_t left;
    const char *next = slip_from(p, p->now.at.begin, &left);
    if (left > 3 && memcmp(next, "<<<", 3) == 0) {
        diag_error(p->s, p->now.at,
                   "the grid and the threads come after the list: 'kernel k(A, out B) grid (1) "
                   "threads 256 { .. }'");
        return true;
    }
    return slip_hyphen(p);
}

bool slip_other(struct parser *p, const int *set, int n) {
    return slip_lists(p, set, n) || slip_formals(p, set, n) || slip_types(p, set, n) ||
           slip_copies(p, set, n) || slip_clauses(p, set, n) || copy_slip(p, set, n) ||
           loop_slip(p, set, n) || slip_marks(p, set, n) || function_slip(p) || value_slip(p) ||
           slip_forms(p, set, n) || slip_parts(p, set, n);
}

// -- what begins with an unknown word -------------------------------------------------------------

static bool declared_function(const struct parser *p, const char *name) {
    struct ast_decl *const *decl = p->decls.items;
    for (int i = 0; i < p->decls.n; ++i)
        if (decl[i]->kind == D_FN && strcmp(decl[i]->name.name, name) == 0) return true;
    return false;
}

// Whether the expression at "value", up to the ';' of its line, contains "name": "i" in "i + 1".
static bool names_itself(const char *value, const char *name) {
    size_t length = strlen(name);
    for (const char *at = value; *at && !strchr(";\n{}", *at);) {
        size_t n = 0;
        while (isalnum((unsigned char)at[n]) || at[n] == '_') ++n;
        if (n == length && memcmp(at, name, n) == 0) return true;
        at += n ? n : 1;
    }
    return false;
}

// Whether a "let NAME = .." or another "word NAME" is above, in the same kernel.
static bool named_above(struct parser *p, const char *word, const char *name) {
    const struct source *f = &p->s->sources.file[p->file];
    size_t from = 0, n = strlen(name), m = strlen(word), here = p->before.at.begin;
    for (size_t i = 0; i + 7 < here; ++i) {
        if (memcmp(f->text + i, "kernel ", 7) == 0 || memcmp(f->text + i, "device ", 7) == 0)
            from = i;
    }
    for (size_t i = from; i + m + 2 + n < here; ++i) {
        const char *at = f->text + i;
        if (memcmp(at, word, m) != 0 || at[m] != ' ' || memcmp(at + m + 1, name, n) != 0) continue;
        if (at[m + 1 + n] && strchr(" =:", at[m + 1 + n])) return true;
    }
    return false;
}

bool slip_statement(struct parser *p, const char *text) {
    if (slip_written(p, text)) return true;
    size_t left;
    const char *value = slip_from(p, p->now.at.end, &left);
    value += strspn(value, " ");
    if (p->now.token == '=' &&
        (strncmp(value, "load(", 5) == 0 || strncmp(value, "tl.load(", 8) == 0)) {
        diag_error(p->s, p->before.at,
                   "what a thread holds is a fragment: 'frag %s : f32 like tc; copy A -> %s with "
                   "tc;'",
                   text, text);
        return true;
    }
    if (p->now.token == '=' && (names_itself(value, text) || named_above(p, "let", text))) {
        diag_error(p->s, p->before.at,
                   "a value cannot change; give the new value another name with 'let'");
        return true;
    }
    bool buffer = named_above(p, "frag", text) || named_above(p, "shared", text);
    if (slip_copy_value(p, text, buffer)) return true;
    bool number =
        isdigit((unsigned char)value[0]) && strcspn(value, ";") == strspn(value, ".0123456789");
    if (p->now.token == '=' && buffer) {
        diag_error(p->s, p->before.at, "a buffer is filled by 'fill %s = ..;'", text);
        if (number) diag_fixit(p->s, slip_before(p->before.at), "fill ");
        return true;
    }
    if (p->now.token == '=') {
        diag_error(p->s, p->before.at, "a value is named by 'let': 'let %s = ..;'", text);
        diag_fixit(p->s, slip_before(p->before.at), "let ");
        return true;
    }
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

bool slip_declaration(struct parser *p, const char *text) {
    if (slip_array(p, text)) return true;
    size_t left, k = 0;
    const char *next = slip_from(p, p->now.at.end, &left);
    const char *type = foreign_type(text);
    while (type && k < left && (isalnum((unsigned char)next[k]) || strchr(" _", next[k]))) ++k;
    if (type && k > 1 && slip_follows(p, p->now.at.end + (uint32_t)k, ';')) {  // "int N;"
        diag_error(
            p->s, p->now.at,
            "unknown declaration '%s'; a size is 'const N = 64;', or 'param N : index;' where "
            "it is known only at run time",
            text);
        return true;
    }
    if (!slip_follows(p, p->now.at.end + (uint32_t)k, '=')) return false;
    next += strspn(next, " ");
    char module[16];
    bool layout = *next == '=' &&
                  strstr(arena_strndup(&p->s->arena, next, strcspn(next, ";\n")), "make_layout(");
    if (layout) {
        diag_error(p->s, p->now.at, "unknown declaration '%s'; a layout is 'layout %s = ..;'", text,
                   text);
        diag_fixit(p->s, slip_before(p->now.at), "layout ");
        return true;
    }
    if (*next == '=' && sscanf(next, "= %15[a-z].", module) == 1 && foreign_module(module)) {
        diag_error(
            p->s, p->now.at,
            "unknown declaration '%s'; a tensor is 'tensor %s : f32 global row(64,64);', and "
            "in a kernel 'fill s = 0;' writes to shared memory and fragments",
            text, text);
        return true;
    }
    diag_error(p->s, p->now.at, "unknown declaration '%s'; a constant is 'const NAME = VALUE;'",
               text);
    if (type)
        diag_fixit(p->s, p->now.at, "const");
    else
        diag_fixit(p->s, slip_before(p->now.at), "const ");
    return true;
}
