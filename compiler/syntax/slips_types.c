// Types and pointers of C: "unsigned int global", "half* global", "const half", "tensor<f16>",
// "half *A;", "using sw = Layout<..>;", "*s", "i++".
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "syntax/foreign.h"
#include "syntax/scan.h"

static bool replaced(struct parser *p, struct range at, const char *ours) {
    diag_error(p->s, at, "'%s' is not an element type; did you mean '%s'?", slip_text(p, at), ours);
    diag_fixit(p->s, at, ours);
    slip_skip_rest(p);
    return true;
}

// "unsigned int global", "long long global": the second word is p->now.
static bool two_words(struct parser *p) {
    static const char *const types[][2] = {{"unsigned int", "u32"},   {"unsigned char", "u8"},
                                           {"unsigned short", "u16"}, {"long long", "s64"},
                                           {"unsigned long", "u64"},  {"long int", "s64"},
                                           {"signed char", "s8"},     {"long double", "f64"},
                                           {"short int", "s16"}};
    struct range both = slip_join(p->before.at, p->now.at);
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (strcmp(slip_text(p, both), types[i][0]) == 0) return replaced(p, both, types[i][1]);
    return false;
}

// In place of the type or the space of a tensor.
static bool tensor_type(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    const char *word = slip_text(p, p->now.at);
    if (slip_has(set, n, TOK_GLOBAL) && slip_has(set, n, TOK_SHARED) && last == TOK_ID) {
        if (now == TOK_ID && two_words(p)) return true;
        if (now == '*') {
            diag_error(p->s, p->now.at,
                       "there are no pointers; a tensor has a type and a space: "
                       "'f16 global'");
            diag_fixit(p->s, p->now.at, "");
            slip_skip_rest(p);
            return true;
        }
        bool global = now == TOK_ID && strcmp(word, "__global__") == 0;
        if (global || (now == TOK_ID && strcmp(word, "__shared__") == 0)) {
            const char *ours = global ? "global" : "shared";
            diag_error(p->s, p->now.at, "unknown space '%s'; did you mean '%s'?", word, ours);
            diag_fixit(p->s, p->now.at, ours);
            slip_skip_rest(p);
            return true;
        }
        if (strcmp(slip_text(p, p->before.at), "__constant__") == 0) {
            diag_error(p->s, p->before.at, "there is no constant memory; a tensor is 'f16 global'");
            slip_skip_rest(p);
            return true;
        }
    }
    if (last == ':' && now == TOK_CONST) {
        struct range all = {p->file, p->now.at.begin, p->now.at.end + 1};
        diag_error(p->s, p->now.at,
                   "a type has no 'const'; what a kernel does not list as 'out' is "
                   "only read");
        diag_fixit(p->s, all, "");
        slip_skip_rest(p);
        return true;
    }
    char type[17], close[2];
    size_t left;
    const char *next = slip_from(p, p->now.at.end, &left);
    next = arena_strndup(&p->s->arena, next, left < 40 ? left : 40);
    if (last == ':' && now == TOK_TENSOR && sscanf(next, "<%16[a-z0-9_]%1[>]", type, close) == 2) {
        struct range all = {p->file, p->now.at.begin, p->now.at.end + (uint32_t)strlen(type) + 2};
        return replaced(p, all, type);
    }
    return false;
}

// "tensor *A : ..", "tensor<f16> A"
static bool tensor_name(struct parser *p, const int *set, int n) {
    if (p->before.token != TOK_TENSOR || !slip_has(set, n, TOK_ID) || p->first.token != TOK_TENSOR)
        return false;
    if (p->now.token == '*') {
        diag_error(p->s, p->now.at, "there are no pointers; write the name without '*'");
        diag_fixit(p->s, p->now.at, "");
        slip_skip_rest(p);
        return true;
    }
    if (p->now.token != '<') return false;
    diag_error(p->s, p->now.at,
               "the type of a tensor comes after its name: 'tensor A : f16 global'");
    slip_skip_rest(p);
    return true;
}

// "let c = *s", "block.x++", "(int)BM"
static bool operator_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    bool expression = slip_has(set, n, TOK_INT) && slip_has(set, n, '(');
    if (expression && slip_one_of(now, '+', '-') && last == now &&
        p->before.at.end == p->now.at.begin) {
        diag_error(p->s, slip_join(p->before.at, p->now.at),
                   "a value cannot change; 'i + 1' is another one");
        slip_skip_rest(p);
        return true;
    }
    if (expression && now == '*' && slip_one_of(last, '=', '(')) {
        diag_error(p->s, p->now.at, "there are no pointers; write a tensor without '*'");
        diag_fixit(p->s, p->now.at, "");
        slip_skip_rest(p);
        return true;
    }
    char type[17], close[2];
    if (now != TOK_ID || last != ')' || p->now.at.begin < 20 || p->first.token == TOK_COPY)
        return false;
    const struct source *f = &p->s->sources.file[p->file];
    uint32_t open = p->before.at.begin;
    while (open > 0 && isalnum((unsigned char)f->text[open - 1])) --open;
    if (open == 0 || f->text[--open] != '(' ||
        (open > 0 && isalnum((unsigned char)f->text[open - 1])))
        return false;
    struct range all = {p->file, open, p->before.at.end};
    if (sscanf(slip_text(p, all), "(%16[a-z0-9_]%1[)]", type, close) != 2 || !foreign_type(type))
        return false;
    diag_error(p->s, all, "a number has no type; write it without '%s'", slip_text(p, all));
    diag_fixit(p->s, all, "");
    slip_skip_rest(p);
    return true;
}

bool slip_types(struct parser *p, const int *set, int n) {
    return tensor_type(p, set, n) || tensor_name(p, set, n) || operator_slip(p, set, n);
}

bool slip_alias(struct parser *p, const char *text) {
    char name[64], value[16];
    size_t left;
    const char *next = slip_from(p, p->now.at.end, &left);
    next = arena_strndup(&p->s->arena, next, left < 100 ? left : 100);
    size_t blanks = strspn(next, " *");
    bool pointer = foreign_type(text) && memchr(next, '*', blanks) &&
                   sscanf(next + blanks, "%63[A-Za-z0-9_]", name) == 1;
    if (pointer) {
        diag_error(p->s, p->now.at,
                   "there are no pointers; a tensor is 'tensor %s : %s global row(64,64);'", name,
                   foreign_type(text));
        slip_skip_rest(p);
        return true;
    }
    static const char *const kinds[] = {" kernel ", " device ", " const ", " layout "};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        bool early = strcmp(text, "static") == 0 || strcmp(text, "inline") == 0;
        if (!early || strncmp(next, kinds[i], strlen(kinds[i])) != 0) continue;
        diag_error(p->s, p->now.at, "write a declaration without '%s'", text);
        diag_fixit(p->s, (struct range){p->file, p->now.at.begin, p->now.at.end + 1}, "");
        p->stopped = true;
        return true;
    }
    bool word = strcmp(text, "using") == 0 || strcmp(text, "auto") == 0;
    if (word && strncmp(next, " namespace ", 11) == 0) {
        diag_error(p->s, p->now.at, "a plan has no namespaces");
        slip_skip_rest(p);
        return true;
    }
    if (!word || sscanf(next, " %63[A-Za-z0-9_] = %15[A-Za-z_]", name, value) != 2 ||
        (strcmp(value, "Layout") != 0 && strcmp(value, "make_layout") != 0 &&
         strcmp(value, "ComposedLayout") != 0))
        return false;
    diag_error(p->s, p->now.at, "a layout is declared by 'layout %s = ..;'", name);
    diag_fixit(p->s, p->now.at, "layout");
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
