// Words that are joined by '.' or '::', as PTX and C++ have them: "cp.async.cg.shared.global",
// "ld.global.v4.f32", "A.layout()", "L2::128B".
#include <ctype.h>
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
    for (;;) {
        size_t left, k, from;
        const char *text = slip_from(p, j.at.end, &left);
        k = left > 1 && text[0] == ':' && text[1] == ':' ? 2 : left && text[0] == '.' ? 1 : 0;
        for (from = k; k && k < left && (isalnum((unsigned char)text[k]) || text[k] == '_');) ++k;
        if (k == 0 || k == from || j.n == MOST_WORDS) return j;
        j.word[j.n++] = arena_strndup(&p->s->arena, text + from, k - from);
        j.at.end += (uint32_t)k;
    }
}

static bool has(const struct joined *j, const char *word) {
    for (int i = 0; i < j->n; ++i)
        if (strcmp(j->word[i], word) == 0) return true;
    return false;
}

// The N of "NB", bytes that the second-level cache prefetches; 0: none.
static int prefetch(const struct joined *j) {
    for (int i = 0; i < j->n; ++i) {
        int bytes = 0, end = 0;
        if (sscanf(j->word[i], "%3dB%n", &bytes, &end) == 1 && end && !j->word[i][end])
            return bytes == 64 || bytes == 128 || bytes == 256 ? bytes : 0;
    }
    return 0;
}

// "cp.async.cg.shared.global(16)", "cp_async.cg.L2.128B(16)"
static const char *async_atom(struct parser *p, struct joined *j) {
    const char *bytes = "16";
    size_t left, length;
    const char *text = slip_from(p, j->at.end, &left);
    const char *inside = left && *text == '(' ? foreign_brackets(p->s, text, left, &length) : NULL;
    if (inside && *inside) {
        bytes = inside;
        j->at.end += (uint32_t)length;
    }
    const char *l2 = prefetch(j) ? arena_printf(&p->s->arena, ", l2=%d", prefetch(j)) : "";
    return arena_printf(&p->s->arena, "cp_async.%s(%s%s)", has(j, "ca") ? "ca" : "cg", bytes, l2);
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

// "A.layout", "A.layout().shape": of "A", the text before it.
static bool layout_part(struct parser *p, struct joined j) {
    int k = 1;
    while (k < j.n && strcmp(j.word[k], "layout") != 0) ++k;
    if (k == j.n) return false;
    const char *of = j.word[0];
    for (int i = 1; i < k; ++i) of = arena_printf(&p->s->arena, "%s.%s", of, j.word[i]);
    const char *part = k + 1 < j.n ? j.word[k + 1] : "";
    size_t left;
    const char *text = slip_from(p, j.at.end, &left);
    if (left > 1 && memcmp(text, "()", 2) == 0) {
        j.at.end += 2;
        struct joined more = joined_words(p, j.at);
        if (more.n == 2 && !*part) part = more.word[1];
        j.at.end = more.at.end;
    }
    bool describes = strcmp(part, "shape") == 0 || strcmp(part, "stride") == 0;
    if (k + 2 < j.n || (*part && !describes)) return false;
    const char *ours = *part ? arena_printf(&p->s->arena, "%s(%s)", part, of) : of;
    diag_error(p->s, j.at,
               *part ? "a tensor has no part 'layout'; write '%s'"
                     : "a tensor has no part 'layout'; where a layout is expected, write '%s'",
               ours);
    diag_fixit(p->s, j.at, ours);
    p->skip_end = j.at.end;
    return true;
}

// "warp.LdMatrix8x8x16bOp(transpose=True, num_matrices=4)" of CuTe DSL
static bool matrix_op(struct parser *p, struct joined j) {
    const char *last = j.word[j.n - 1];
    bool load = strncmp(last, "LdMatrix8x8x16b", 15) == 0;
    if (!load && strncmp(last, "StMatrix8x8x16b", 15) != 0) return false;
    size_t left, length;
    const char *text = slip_from(p, j.at.end, &left), *count;
    const char *inside = left && *text == '(' ? foreign_brackets(p->s, text, left, &length) : NULL;
    int matrices = 4;
    if (inside) {
        j.at.end += (uint32_t)length;
        count = strpbrk(inside, "124");
        matrices = count ? *count - '0' : 4;
    }
    const char *ours = arena_printf(&p->s->arena, "%s.x%d%s", load ? "ldmatrix" : "stmatrix",
                                    matrices, inside && strstr(inside, "True") ? ".trans" : "");
    diag_error(p->s, j.at, "no atom is called '%s'; did you mean '%s'?", last, ours);
    diag_fixit(p->s, j.at, ours);
    p->skip_end = j.at.end;
    return true;
}

static bool slip_joined(struct parser *p, struct range at) {
    if (p->now.token == '.' || p->start == TOK_START_EXPR || slip_one_of(p->now.token, ';', '{') ||
        p->now.token == '}')
        return false;
    struct joined j = joined_words(p, at);
    if (matrix_op(p, j)) return true;
    if (j.n < 2) return false;
    if (strcmp(j.word[0], "L2") == 0 && prefetch(&j) && j.n == 2) {
        const char *ours = arena_printf(&p->s->arena, "l2=%d", prefetch(&j));
        diag_error(p->s, j.at, "the prefetch of an access is '%s'", ours);
        diag_fixit(p->s, j.at, ours);
        p->skip_end = j.at.end;
        return true;
    }
    bool space = has(&j, "global") || has(&j, "shared") || has(&j, "tensor");
    bool async = strcmp(j.word[0], "cp") == 0 || strcmp(j.word[0], "cp_async") == 0;
    bool matrix = strcmp(j.word[0], "ldmatrix") == 0 || strcmp(j.word[0], "stmatrix") == 0;
    bool access = strcmp(j.word[0], "ld") == 0 || strcmp(j.word[0], "st") == 0;
    if (async && has(&j, "bulk")) {
        diag_error(p->s, j.at, "'%s' is no atom; %s", slip_text(p, j.at),
                   foreign_find(FOREIGN_VALUE, "TMA")->help);
        p->skip_end = j.at.end;
        return true;
    }
    if (!(space || (async && prefetch(&j))) || !(async || matrix || access))
        return layout_part(p, j);
    const char *word = slip_text(p, j.at);
    const char *ours = async ? async_atom(p, &j) : matrix ? matrix_atom(p, &j) : access_atom(p, &j);
    diag_error(p->s, j.at, "no atom is called '%s'; did you mean '%s'?", word, ours);
    diag_fixit(p->s, j.at, ours);
    p->skip_end = j.at.end;
    return true;
}

bool slip_word(struct parser *p, struct range at) {
    const char *name = slip_text(p, at), *next = p->s->sources.file[p->file].text + at.end;
    bool call = *next == '(' && word_listed("Swizzle make_swizzle decltype", name, strlen(name)),
         module = *next == '.' && foreign_module(name);
    if ((*next == '<' || *next == '{' || call || module) &&
        slip_rows(p, at.begin, NULL, 0, slip_at_word))
        return p->now.token != '.';  // the word stays a part of an atom's name
    return slip_joined(p, at);
}
