// Words that are joined by '.' or '::', as PTX and C++ have them: "cp.async.cg.shared.global", "ld.global.v4.f32", "cute::copy".
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "syntax/foreign.h"
#include "syntax/slips.h"

enum { MOST_WORDS = 12 };

struct joined {
    const char *word[MOST_WORDS];
    int n;
    struct range at;
};

// The words that are joined to the one at "at", and that one.
static struct joined joined_words(struct parser *p, struct range at) {
    struct joined j = {{slip_text(p, at)}, 1, at};
    while (j.n < MOST_WORDS) {
        const char *text = slip_from(p, j.at.end);
        size_t mark = strncmp(text, "::", 2) == 0 ? 2 : *text == '.',
               length = word_length(text + mark);
        if (mark == 0 || length == 0) break;
        j.word[j.n++] = arena_strndup(&p->s->arena, text + mark, length);
        j.at.end += (uint32_t)(mark + length);
    }
    return j;
}

static bool has(const struct joined *j, const char *word) {
    for (int i = 0; i < j->n; ++i)
        if (strcmp(j->word[i], word) == 0) return true;
    return false;
}

// -- atoms ----------------------------------------------------------------------------------------

// "cp.async.cg.shared.global(16)", "cp_async.cg.L2.128B(16)": what is in the brackets, or else 16 bytes.
static const char *async_atom(struct parser *p, const struct joined *j, const char *inside) {
    const char *l2 = has(j, "64B")    ? ", l2=64"
                     : has(j, "128B") ? ", l2=128"
                     : has(j, "256B") ? ", l2=256"
                                      : "";
    if (!*l2 && !has(j, "global") && !has(j, "shared") && !has(j, "tensor")) return NULL;
    return arena_printf(&p->s->arena, "cp_async.%s(%s%s)", has(j, "ca") ? "ca" : "cg",
                        inside ? inside : "16", l2);
}

// "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
static const char *matrix_atom(struct parser *p, const struct joined *j) {
    const char *count = has(j, "x1") ? "x1" : has(j, "x2") ? "x2" : "x4";
    return arena_printf(&p->s->arena, "%s.%s%s", j->word[0], count,
                        has(j, "trans") ? ".trans" : "");
}

// "ld.global.v4.f32", of which a number alone has 32 bits
static const char *access_atom(struct parser *p, const struct joined *j) {
    int each = 32, parts = 1, number = 0;
    for (int i = 1; i < j->n; ++i) {
        if (sscanf(j->word[i], "v%1d", &number) == 1) parts = number;
        if (strchr("fbus", j->word[i][0]) && sscanf(j->word[i] + 1, "%2d", &number) == 1)
            each = number;
    }
    int bits = each * parts;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) bits = 128;
    return arena_printf(&p->s->arena, "universal(%d%s)", bits, has(j, "nc") ? ", ld=nc" : "");
}

// "warp.LdMatrix8x8x16bOp(transpose=True, num_matrices=4)" of CuTe DSL
static const char *matrix_op(struct parser *p, const char *word, const char *inside) {
    const char *count = inside ? strpbrk(inside, "124") : NULL;
    return arena_printf(&p->s->arena, "%s.x%c%s", *word == 'L' ? "ldmatrix" : "stmatrix",
                        count ? *count : '4', inside && strstr(inside, "True") ? ".trans" : "");
}

// The atom that the words mean, or NULL; extends "j->at" to its brackets.
static const char *atom_meant(struct parser *p, struct joined *j) {
    const char *first = j->word[0], *last = j->word[j->n - 1], *ours = NULL;
    bool space = has(j, "global") || has(j, "shared") || has(j, "tensor");
    bool op =
        strncmp(last, "LdMatrix8x8x16b", 15) == 0 || strncmp(last, "StMatrix8x8x16b", 15) == 0;
    bool async = strcmp(first, "cp") == 0 || strcmp(first, "cp_async") == 0;
    if (op || (async && j->n > 1)) {
        struct range all = j->at;
        bool open = *slip_from(p, all.end) == '(';
        const char *inside = open ? slip_brackets(p, &all) : NULL;
        if (inside && !*inside && async) inside = NULL;
        ours = op ? matrix_op(p, last, inside) : async_atom(p, j, inside);
        if (ours && inside) j->at = all;
    } else if (space && word_listed("ldmatrix stmatrix", first, strlen(first))) {
        ours = matrix_atom(p, j);
    } else if (space && word_listed("ld st", first, strlen(first))) {
        ours = access_atom(p, j);
    }
    return ours;
}

static bool slip_joined(struct parser *p, struct range at) {
    if (p->now.token == '.' || p->start == TOK_START_EXPR || slip_one_of(p->now.token, ';', '{') ||
        p->now.token == '}')
        return false;
    struct joined j = joined_words(p, at);
    bool more = j.n > 1 && (has(&j, "bulk") || has(&j, "layout") || strcmp(j.word[0], "L2") == 0);
    if (more && slip_rows(p, at.begin, NULL, 0, slip_at_word)) return true;
    const char *op = j.word[j.n - 1], *word = strstr(op, "Matrix8x8") ? op : slip_text(p, j.at),
               *ours = atom_meant(p, &j);
    if (!ours) return false;
    diag_error(p->s, j.at, "no atom is called '%s'; did you mean '%s'?", word, ours);
    diag_fixit(p->s, j.at, ours);
    p->skip_end = j.at.end;
    return true;
}

bool slip_word(struct parser *p, struct range at) {
    const char *name = slip_text(p, at), *next = slip_from(p, at.end);
    bool call = *next == '(' && word_listed("Swizzle make_swizzle decltype", name, strlen(name)),
         module = *next == '.' && foreign_module(name);
    if ((*next == '<' || *next == '{' || call || module) &&
        slip_rows(p, at.begin, NULL, 0, slip_at_word))
        return p->now.token != '.';  // the word stays a part of an atom's name
    return slip_joined(p, at);
}

// -- statements -----------------------------------------------------------------------------------

// The copy statement for the call "copy(tc, A, s)" of another language, or NULL. "all" is the name
// of the call, and is extended to the whole call.
static const char *copy_of_call(struct parser *p, struct range *all) {
    const char *inside = slip_brackets(p, all), *part[4];
    int n = inside ? foreign_parts(p->s, inside, part, 4) : 0;
    if (n == 2) return arena_printf(&p->s->arena, "copy %s -> %s", part[0], part[1]);
    if (n != 3) return NULL;
    return arena_printf(&p->s->arena, "copy %s -> %s with %s", part[1], part[2], part[0]);
}

bool slip_qualified(struct parser *p) {
    if (p->now.token != '.') return false;
    struct joined j = joined_words(p, p->before.at);
    if (j.n == 1) return false;
    const char *word = j.word[j.n - 1], *whole = slip_text(p, j.at);
    struct range rest = j.at, call = j.at;
    const char *copy = strcmp(word, "copy") == 0 ? copy_of_call(p, &call) : NULL;
    p->before.at = j.at;
    if (copy) {
        diag_error(p->s, j.at, "there is no '%s' here; write '%s'", whole, copy);
        if (!strstr(copy, "::")) diag_fixit(p->s, call, copy);
        p->skip_end = call.end;
    } else if (strcmp(word, "copy") == 0 && call.end == j.at.end) {  // "cute.copy A -> s"
        diag_error(p->s, j.at, "names have no '%.*s' before them here", (int)(strlen(whole) - 4),
                   whole);
        diag_fixit(p->s, j.at, "copy");
    } else if (!slip_foreign(p, whole) && !slip_foreign(p, word) && !slip_foreign(p, j.word[0])) {
        diag_error(p->s, j.at, "unknown statement '%s'", whole);
    }
    if (slip_whole_statement(p, &rest)) p->skip_end = rest.end - 1;
    return true;
}
