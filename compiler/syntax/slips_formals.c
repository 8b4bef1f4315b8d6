// The list of a kernel or a device function as in other languages: "k(const half *A)", "d(i : int)",
// "k(A : in, B : out)", "k(tensor A)", and words before its name.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "syntax/foreign.h"
#include "syntax/scan.h"

static bool declared_param(const struct parser *p, const char *name) {
    struct ast_decl *const *decl = p->decls.items;
    for (int i = 0; i < p->decls.n; ++i)
        for (int k = 0; decl[i]->kind == D_PARAM && k < decl[i]->param.nnames; ++k)
            if (strcmp(decl[i]->param.name[k].name, name) == 0) return true;
    return false;
}

// Whether the text of an argument has a '*': "half *A, ..".
static bool pointer(const char *text, size_t left) {
    size_t n = 0;
    while (n < left && (isalnum((unsigned char)text[n]) || strchr("_ ", text[n]))) ++n;
    return n < left && text[n] == '*';
}

static bool pointers(struct parser *p) {
    diag_error(p->s, p->now.at,
               "there are no pointers; a kernel's list names the plan's tensors: 'k(A, out B)'");
    p->stopped = true;
    return true;
}

static bool integer_formal(struct parser *p) {
    diag_error(p->s, p->before.at, "an integer argument is an 'index', not '%s'",
               slip_text(p, p->before.at));
    diag_fixit(p->s, p->before.at, "index");
    return true;
}

// "k(A, B out)", "k(in A)", "d(float* A)", "d(i : int)"
static bool formal_slip(struct parser *p, const int *set, int n) {
    if (!slip_function(p->first.token)) return false;
    const char *now = slip_text(p, p->now.at), *last = slip_text(p, p->before.at);
    size_t rest;
    const char *member = slip_from(p, p->now.at.end, &rest);
    if (p->now.token == '.' && slip_has(set, n, TOK_GLOBAL) && foreign_module(last) && rest > 9 &&
        memcmp(member, "constexpr", 9) == 0) {
        diag_error(p->s, p->before.at,
                   "what is known when compiling is not an argument; declare it above the kernel: "
                   "'const BLOCK = 64;'");
        p->stopped = true;
        return true;
    }
    bool type = p->before.token == TOK_ID && slip_type(last);
    if (type && slip_one_of(p->now.token, ')', ',') && slip_has(set, n, TOK_GLOBAL))
        return foreign_type(last) && integer_formal(p);
    if (p->nopen == 0 || p->open[p->nopen - 1].token != '(') return false;
    if (slip_one_of(p->now.token, TOK_OUT, TOK_INOUT) && p->before.token == TOK_ID) {
        size_t left, k = 0;
        const char *next = slip_from(p, p->now.at.end, &left);
        while (k < left && next[k] == ' ') ++k;
        if (k < left && (isalpha((unsigned char)next[k]) || next[k] == '_')) {  // "A out B"
            struct range at = {p->before.at.file, p->before.at.end, p->before.at.end};
            diag_error(p->s, at, "expected ',' before '%s'", now);
            diag_fixit(p->s, at, ",");
            return true;
        }
        diag_error(p->s, p->now.at, "'%s' comes before the name: '%s %s'", now, now, last);
        diag_fixit(p->s, slip_join(p->before.at, p->now.at),
                   arena_printf(&p->s->arena, "%s %s", now, last));
        return true;
    }
    if (slip_one_of(p->now.token, TOK_IN, TOK_CONST) &&
        (p->before.token == '(' || p->before.token == ',')) {
        size_t left;
        const char *next = slip_from(p, p->now.at.end, &left);
        if (left < 2 || next[0] != ' ' || !(isalpha((unsigned char)next[1]) || next[1] == '_'))
            return false;
        if (pointer(next + 1, left - 1)) return pointers(p);
        diag_error(p->s, p->now.at, "write an input without '%s'", now);
        diag_fixit(p->s, (struct range){p->now.at.file, p->now.at.begin, p->now.at.end + 1}, "");
        return true;
    }
    if (!type || slip_has(set, n, TOK_GLOBAL) || !slip_one_of(p->now.token, '*', TOK_ID))
        return false;
    const char *ours = foreign_type(last);
    const char *name = slip_text(p, p->now.at);
    if (slip_one_of(p->first.token, TOK_KERNEL, TOK_MANUAL) && declared_param(p, name)) {
        diag_error(p->s, slip_join(p->before.at, p->now.at),
                   "a kernel gets the params that it uses by itself; leave '%s' out", name);
        return true;
    }
    if (p->first.token == TOK_DEVICE && p->now.token == TOK_ID && ours && strchr("su", ours[0])) {
        struct range all = slip_join(p->before.at, p->now.at);
        const char *arg = arena_printf(&p->s->arena, "%s : index", slip_text(p, p->now.at));
        diag_error(p->s, all, "an integer argument is '%s'", arg);
        diag_fixit(p->s, all, arg);
        return true;
    }
    diag_error(p->s, slip_join(p->before.at, p->now.at),
               "a kernel's list names the plan's tensors, 'A'; an argument of a device function is "
               "declared as 'A : %s global LAYOUT'",
               ours ? ours : last);
    return true;
}

bool slip_qualifier(const char *word) {
    return strstr(word, "restrict") || strcmp(word, "volatile") == 0;
}

// "k(tensor A)", "k(__restrict__ A)", "k(A, *B)"
static bool early_word(struct parser *p) {
    int last = p->before.token;
    bool restricted =
        p->now.token == TOK_ID && last == TOK_ID && slip_qualifier(slip_text(p, p->before.at));
    bool tensor = p->now.token == TOK_TENSOR &&
                  (slip_one_of(last, '(', ',') || slip_one_of(last, TOK_OUT, TOK_INOUT));
    if (p->now.token == '*' && slip_one_of(last, '(', ',')) return pointers(p);
    if (!restricted && !tensor) return false;
    struct range at = restricted ? p->before.at : p->now.at, all = at;
    size_t left;
    const char *next = slip_from(p, at.end, &left);
    all.end += (uint32_t)(left ? strspn(next, " ") : 0);
    diag_error(p->s, at, "write a tensor of the list without '%s'", slip_text(p, at));
    diag_fixit(p->s, all, "");
    p->stopped = true;
    return true;
}

// "k(A : in, B : out)"
static bool late_direction(struct parser *p) {
    bool in = p->now.token == TOK_IN, out = slip_one_of(p->now.token, TOK_OUT, TOK_INOUT);
    if (p->before.token != ':' || (!in && !out)) return false;
    diag_error(p->s, p->now.at,
               in ? "an input is listed without '%s': 'k(A, out B)'"
                  : "'%s' comes before the name: 'k(A, out B)'",
               slip_text(p, p->now.at));
    p->stopped = true;
    return true;
}

// "kernel void k(..)", "device kernel k(..)"
static bool early_type(struct parser *p) {
    bool type =
        p->now.token == TOK_ID && p->before.token == TOK_ID && p->nopen == 0 &&
        (slip_type(slip_text(p, p->before.at)) || strcmp(slip_text(p, p->before.at), "void") == 0);
    bool two = p->now.token == TOK_KERNEL && p->before.token == TOK_DEVICE;
    if (!type && !two) return false;
    struct range all = {p->file, p->before.at.begin, p->now.at.begin};
    diag_error(p->s, p->before.at,
               two ? "a function is a 'kernel' or a 'device' function, not both"
                   : "a function has no type; write it without '%s'",
               slip_text(p, p->before.at));
    diag_fixit(p->s, all, "");
    p->stopped = true;
    return true;
}

// "threads 128" and statements without the '{' between them, "threads 128 (", "threads 128; {"
static bool body_slip(struct parser *p, const int *set, int n) {
    int now = p->now.token, last = p->before.token;
    bool statement = slip_one_of(now, TOK_SHARED, TOK_FRAG) ||
                     slip_one_of(now, TOK_COPY, TOK_FOR) || slip_one_of(now, TOK_LET, TOK_PIPELINE);
    if (statement && last == '(' && p->nopen == 1 && slip_has(set, n, TOK_INT)) {
        diag_error(p->s, p->before.at, "the body of a function is in braces: '{ .. }'");
        diag_fixit(p->s, p->before.at, "{");
    } else if (statement && slip_has(set, n, '{') && slip_has(set, n, TOK_THREADS)) {
        struct range at = {p->file, p->before.at.end, p->before.at.end};
        diag_error(p->s, at, "expected '{' before the statements of the function");
        diag_fixit(p->s, at, " {");
    } else if (now == ';' && slip_has(set, n, '{') && slip_follows(p, p->now.at.end, '{')) {
        diag_error(p->s, p->now.at, "stray ';'");
        diag_fixit(p->s, p->now.at, "");
    } else if (now == ';' && p->unclosed.token && slip_has(set, n, ',') && slip_has(set, n, ')')) {
        diag_error(p->s, p->now.at, "write ',' between the tensors of the list");
        diag_fixit(p->s, p->now.at, ",");
    } else {
        return false;
    }
    p->stopped = true;
    return true;
}

bool slip_formals(struct parser *p, const int *set, int n) {
    if (!slip_function(p->first.token)) return false;
    if (body_slip(p, set, n)) return true;
    if (early_type(p)) return true;
    bool list = p->nopen == 1 && p->open[0].token == '(';
    return (list && (early_word(p) || late_direction(p))) || formal_slip(p, set, n);
}
