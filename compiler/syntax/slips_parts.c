// Parts of a declaration or statement in an order other than that of this language: "shared f16 s",
// "device async load(..)", "const BM = 64, BN = 64", "kernel k(A -> B)".
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "syntax/foreign.h"
#include "syntax/scan.h"

static struct range empty_at(struct range at, uint32_t byte) {
    return (struct range){at.file, byte, byte};
}

static bool is(struct parser *p, struct range at, const char *text) {
    return strcmp(slip_text(p, at), text) == 0;
}

static bool begins_tensor(int token) {
    return token == TOK_TENSOR || token == TOK_SHARED || token == TOK_FRAG;
}

// Whether p->before is the second word of the declaration.
static bool second(struct parser *p) {
    size_t left;
    const char *text = slip_from(p, p->first.at.end, &left);
    return p->before.at.begin == p->first.at.end + strspn(text, " \t");
}

// The source text from the start of the declaration or statement to p->now.
static const char *so_far(struct parser *p) {
    return slip_text(p, (struct range){p->file, p->first.at.begin, p->now.at.begin});
}

// -- names and lists ------------------------------------------------------------------------------

static bool element_type(const char *word) {
    static const char *const types[] = {"f64", "bf16", "f8e4m3", "f8e5m2", "s8",  "s16",
                                        "s32", "s64",  "u8",     "u16",    "u32", "u64"};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (strcmp(word, types[i]) == 0) return true;
    return slip_type(word) && strcmp(word, "index") != 0;
}

// "tensor volatile A : ..", "shared __restrict__ s : .."
static bool qualifier_slip(struct parser *p, const int *set, int n) {
    if (!begins_tensor(p->first.token) || p->now.token != TOK_ID || p->before.token != TOK_ID ||
        !second(p) || !slip_has(set, n, ':') || !slip_qualifier(slip_text(p, p->before.at)))
        return false;
    struct range at = p->before.at;
    diag_error(p->s, at, "a declaration has no '%s'", slip_text(p, at));
    at.end = p->now.at.begin;
    diag_fixit(p->s, at, "");
    slip_skip_rest(p);
    return true;
}

// "tensor f32 A global (64)", "tensor my-tensor : ..", "tensor 2d : .."
static bool name_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, first = p->first.token;
    if (qualifier_slip(p, set, n)) return true;
    if (begins_tensor(first) && now == TOK_ID && p->before.token == TOK_ID && second(p) &&
        slip_has(set, n, ':') && element_type(slip_text(p, p->before.at))) {
        const char *type = slip_text(p, p->before.at), *name = slip_text(p, p->now.at);
        const char *ours = foreign_type(type);
        const char *all = arena_printf(&p->s->arena, "%s : %s", name, ours ? ours : type);
        struct range at = slip_join(p->before.at, p->now.at);
        const char *shape = first == TOK_TENSOR ? NULL : slip_extents(p, &at);
        if (shape) {
            all = arena_printf(&p->s->arena, "%s %s", all, shape);
            p->skip_end = at.end;
        }
        diag_error(p->s, at, "the name comes before the type: '%s'", all);
        diag_fixit(p->s, at, all);
        return true;
    }
    bool names = begins_tensor(first) || slip_one_of(first, TOK_CONST, TOK_PARAM) ||
                 slip_one_of(first, TOK_LAYOUT, TOK_ATOM) ||
                 slip_one_of(first, TOK_TILED_COPY, TOK_LET);
    if (!names || p->before.token != TOK_ID || !second(p) || !slip_hyphen(p)) return false;
    slip_skip_rest(p);
    return true;
}

// "const BM = 64, BN = 64;", "param M : index % 4, N : index;", "param N : index % 4, M;"
static bool several(struct parser *p, const int *set, int n) {
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

// -- values ---------------------------------------------------------------------------------------

// "param M : index % BM;"
static bool divisor(struct parser *p) {
    size_t left;
    if (p->now.token != TOK_ID || p->before.token != '%' || !strstr(so_far(p), ": index %"))
        return false;
    const char *name = slip_text(p, p->now.at), *number = NULL;
    struct ast_decl *const *decl = p->decls.items;
    for (int i = 0; i < p->decls.n; ++i)
        if (decl[i]->kind == D_CONST && strcmp(decl[i]->name.name, name) == 0 &&
            decl[i]->value->kind == E_INT)
            number = slip_text(p, decl[i]->value->at);
    const char *next = slip_from(p, p->now.at.end, &left);
    bool alone = left && strchr(";", next[strspn(next, " ")]);
    diag_error(p->s, p->now.at, "the divisor of a promise is a number: 'index %% %s'",
               number ? number : "64");
    if (number && alone) diag_fixit(p->s, p->now.at, number);
    slip_skip_rest(p);
    return true;
}

// "param N % 4 : index;", "param N : index in (1, 100);", "const N;"
static bool value_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, first = p->first.token;
    if (first == TOK_CONST && now == ';' && p->before.token == TOK_ID && slip_has(set, n, '=')) {
        const char *name = slip_text(p, p->before.at);
        diag_error(p->s, empty_at(p->now.at, p->now.at.begin),
                   "a constant has a value: 'const %s = 64;'; a size known at run time is 'param "
                   "%s : index;'",
                   name, name);
        return true;
    }
    if (first == TOK_CONST && now == '*' && p->before.token == TOK_ID && second(p) &&
        foreign_type(slip_text(p, p->before.at))) {  // "const float *A;"
        diag_error(p->s, slip_join(p->before.at, p->now.at),
                   "there are no pointers; a tensor is 'tensor A : %s global row(64,64);'",
                   foreign_type(slip_text(p, p->before.at)));
        return true;
    }
    if (first != TOK_PARAM) return false;
    if (divisor(p)) return true;
    size_t left;
    const char *rest = slip_from(p, p->now.at.begin, &left);
    int factor, length = 0;
    if (now == '%' && p->before.token == TOK_ID && slip_has(set, n, ':')) {
        diag_error(p->s, p->now.at, "a promise comes after 'index': 'param %s : index %% 4'",
                   slip_text(p, p->before.at));
        const char *line = arena_strndup(&p->s->arena, rest, left < 60 ? left : 60);
        if (sscanf(line, "%% %9d : index%n", &factor, &length) == 1 && length > 0)
            diag_fixit(
                p->s, (struct range){p->file, p->before.at.end, p->now.at.begin + (uint32_t)length},
                arena_printf(&p->s->arena, " : index %% %d", factor));
        slip_skip_rest(p);
        return true;
    }
    if (p->before.token != ')' || !slip_has(set, n, TOK_DOTDOT)) return false;
    const char *line = so_far(p), *in = strstr(line, " in (");
    const char *part[2];
    size_t inside;
    const char *pair = in ? foreign_brackets(p->s, in + 4, strlen(in + 4), &inside) : NULL;
    if (!pair || foreign_parts(p->s, pair, part, 2) != 2 ||
        in[4 + inside + strspn(in + 4 + inside, " ")])
        return false;
    uint32_t begin = p->first.at.begin + (uint32_t)(in + 4 - line);
    struct range at = {p->file, begin, begin + (uint32_t)inside};
    const char *ours = arena_printf(&p->s->arena, "%s .. %s", part[0], part[1]);
    diag_error(p->s, at, "a range is 'in %s'", ours);
    diag_fixit(p->s, at, ours);
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
static bool unit_slip(struct parser *p, const int *set, int n) {
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

// "f32 global 128,64", "layout L = (64,64), row;"
static bool shape_slip(struct parser *p, const int *set, int n) {
    if (p->now.token != ',' || p->nopen > (p->first.token == TOK_TENSOR ? 0 : 1)) return false;
    size_t left, k = 0;
    const char *text = slip_from(p, p->now.at.begin, &left);
    if (begins_tensor(p->first.token) && p->before.token == TOK_INT && slip_has(set, n, ';')) {
        while (k < left && strchr("0123456789, ", text[k])) ++k;
        while (k > 0 && strchr(", ", text[k - 1])) --k;
        struct range all = {p->file, p->before.at.begin, p->now.at.begin + (uint32_t)k};
        const char *ours = arena_printf(&p->s->arena, "(%s)", slip_text(p, all));
        diag_error(p->s, all, "a shape of several modes goes in parentheses: '%s'", ours);
        diag_fixit(p->s, all, ours);
        slip_skip_rest(p);
        return true;
    }
    char word[8] = "", end[2] = "";
    const char *line = arena_strndup(&p->s->arena, text, left < 40 ? left : 40);
    const char *declared = so_far(p), *value = strchr(declared, '=');
    if (p->first.token != TOK_LAYOUT || p->before.token != ')' || !value ||
        sscanf(line, ", %7[a-z] %1[;]", word, end) != 2 ||
        (strcmp(word, "row") != 0 && strcmp(word, "col") != 0))
        return false;
    value += 1 + strspn(value + 1, " ");
    uint32_t begin = p->first.at.begin + (uint32_t)(value - declared);
    struct range all = {p->file, begin, p->now.at.begin + (uint32_t)strcspn(line, ";")};
    const char *ours = arena_printf(&p->s->arena, "%s%s", word,
                                    slip_text(p, (struct range){p->file, begin, p->before.at.end}));
    diag_error(p->s, p->now.at, "the order comes before the shape: '%s'", ours);
    if (*value == '(') diag_fixit(p->s, all, ours);
    slip_skip_rest(p);
    return true;
}

// -- functions ------------------------------------------------------------------------------------

// "device async load(..)", "kernel manual k(..)", "kernel k(A -> B)", "{ .. } threads 128",
// "extern device f(..) from FILE;" without quotes
static bool function_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token, first = p->first.token;
    bool manual = now == TOK_MANUAL && slip_one_of(last, TOK_KERNEL, TOK_DEVICE) &&
                  !slip_follows(p, p->now.at.end, '('),
         async = last == TOK_ASYNC && first == TOK_DEVICE && second(p) && slip_has(set, n, '(');
    if (manual || async) {
        struct range all =
            manual ? slip_join(p->before.at, p->now.at) : slip_join(p->first.at, p->before.at);
        struct range early = manual ? p->now.at : p->before.at;
        const char *ours = arena_printf(&p->s->arena, "%s %s", slip_text(p, early),
                                        slip_text(p, manual ? p->before.at : p->first.at));
        diag_error(p->s, early, "'%s' comes first: '%s'", slip_text(p, early), ours);
        diag_fixit(p->s, all, ours);
        p->stopped = true;  // the rest is of the function that would have been meant
        return true;
    }
    bool top = slip_has(set, n, TOK_KERNEL) && slip_has(set, n, TOK_TENSOR);
    if (top && last == '}' && slip_one_of(now, TOK_THREADS, TOK_GRID)) {
        diag_error(p->s, p->now.at, "'%s' comes after the list of a kernel, before its '{'",
                   slip_text(p, p->now.at));
        p->stopped = true;
        return true;
    }
    if (!slip_function(first)) return false;
    if (now == TOK_ARROW && p->nopen == 1 && last == TOK_ID && p->open[0].token == '(') {
        diag_error(p->s, p->now.at, "an output is in the list, after 'out': 'kernel k(A, out B)'");
        size_t left;
        const char *next = slip_from(p, p->now.at.end, &left);
        diag_fixit(p->s, (struct range){p->file, p->before.at.end, p->now.at.end},
                   left && *next == ' ' ? ", out" : ", out ");
        p->stopped = true;
        return true;
    }
    if (last == TOK_FROM && now == TOK_ID && slip_has(set, n, TOK_STRING)) {
        struct range all = p->now.at;
        size_t left, k = 0;
        const char *text = slip_from(p, all.end, &left);
        while (k < left && (isalnum((unsigned char)text[k]) || strchr("._/-", text[k]))) ++k;
        all.end += (uint32_t)k;
        const char *file = arena_printf(&p->s->arena, "\"%s\"", slip_text(p, all));
        diag_error(p->s, all, "a file is named in double quotes: %s", file);
        diag_fixit(p->s, all, file);
        slip_skip_rest(p);
        return true;
    }
    if (now == ';' && last == ')' && slip_has(set, n, TOK_FROM)) {
        diag_error(p->s, empty_at(p->now.at, p->now.at.begin),
                   "'from \"FILE\"' names the header that defines the function");
        return true;
    }
    return false;
}

// -- statements -----------------------------------------------------------------------------------

// "load: copy ..", "pipeline 0 .. 4 {", "wait all;", "copy A -> B with (t:128, v:8) -> (..)"
static bool statement_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token, first = p->first.token;
    if (now == ':' && slip_one_of(last, TOK_LOAD, TOK_USE) && slip_has(set, n, '{')) {
        const char *word = slip_text(p, p->before.at);
        diag_error(p->s, p->now.at, "the statements of '%s' are in braces: '%s { .. }'", word,
                   word);
        p->stopped = true;
        return true;
    }
    size_t left;
    const char *next = slip_from(p, p->now.at.end, &left);
    if (slip_one_of(first, TOK_FOR, TOK_PIPELINE) && now == TOK_INT && last == first &&
        slip_has(set, n, TOK_ID) && strncmp(next + strspn(next, " "), "..", 2) == 0) {
        const char *word = slip_text(p, p->first.at);
        diag_error(p->s, p->now.at, "'%s' names its step: '%s i in 0 .. 4'", word, word);
        p->stopped = true;
        return true;
    }
    if (last == TOK_WAIT && now == TOK_ID && is(p, p->now.at, "all")) {
        diag_error(p->s, p->now.at,
                   "'wait' says how many groups may stay in flight; 'wait 0;' waits for all");
        diag_fixit(p->s, p->now.at, "0");
        return true;
    }
    if (first != TOK_COPY || now != TOK_ARROW || last != ')' || p->nopen == 0 ||
        !slip_has(set, n, TOK_PAD))
        return false;
    const char *line = so_far(p), *with = strstr(line, " with (");
    if (!with) return false;
    uint32_t at = p->first.at.begin + (uint32_t)(with + 1 - line);
    struct range word = {p->file, at, at + 4};
    diag_error(p->s, word, "an index map comes after 'by': 'by (t:128, v:8) -> (..)'");
    diag_fixit(p->s, word, "by");
    slip_skip_rest(p);
    return true;
}

bool slip_parts(struct parser *p, const int *set, int n) {
    return name_slip(p, set, n) || several(p, set, n) || value_slip(p, set, n) ||
           unit_slip(p, set, n) || shape_slip(p, set, n) || function_slip(p, set, n) ||
           statement_slip(p, set, n);
}

bool slip_equals(struct parser *p, const int *set, int n) {
    bool one = p->now.token == '=', two = p->now.token == TOK_EQ;
    struct range name = {p->file, p->before.at.begin, p->now.at.end};
    struct range by = {p->file, name.begin < 3 ? 0 : name.begin - 3, p->before.at.end};
    if (one && p->first.token == TOK_COPY && strcmp(slip_text(p, by), "by map") == 0) {
        diag_error(p->s, name, "after 'by' comes the index map itself, without 'map='");
        diag_fixit(p->s, name, "");
        return true;
    }
    if (one && slip_has(set, n, TOK_EQ)) {
        diag_error(p->s, p->now.at, "'=' does not compare; write '=='");
        diag_fixit(p->s, p->now.at, "==");
        return true;
    }
    if (two && slip_has(set, n, '=')) {
        diag_error(p->s, p->now.at, "'==' compares; a value is given by '='");
        diag_fixit(p->s, p->now.at, "=");
        return true;
    }
    return false;
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

bool slip_label(struct parser *p) {
    if (p->now.token != TOK_COPY) return false;
    diag_error(p->s, empty_at(p->before.at, p->before.at.end), "a label ends with ':': '%s: copy'",
               slip_text(p, p->before.at));
    diag_fixit(p->s, empty_at(p->before.at, p->before.at.end), ":");
    return true;
}
