// Spoiling a plan: a number, a name or some bytes are changed.
#include "gen_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Replaces "cut" bytes at "at" of the text by "word"; does nothing when that would not fit.
static void splice(struct gen *g, size_t at, size_t cut, const char *word) {
    size_t n = strlen(word);
    if (at > g->len || cut > g->len - at || g->len - cut + n + 1 > g->cap) return;
    memmove(g->text + at + n, g->text + at + cut, g->len - at - cut + 1);
    memcpy(g->text + at, word, n);
    g->len = g->len - cut + n;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

// Finds a whole number or name near a random place behind the version; returns its length, 0 when
// there is none.
static size_t find_word(struct gen *g, bool number, size_t *at) {
    const char *body = strstr(g->text, "tcp 1;");
    size_t first = body ? (size_t)(body - g->text) + 6 : 0;
    if (first >= g->len) return 0;
    size_t i = first + (size_t)(draw(g) % (g->len - first));
    for (; i < g->len; ++i) {
        bool digit = g->text[i] >= '0' && g->text[i] <= '9';
        if (!is_word(g->text[i]) || is_word(g->text[i - 1]) || digit != number) continue;
        size_t n = 1;
        while (i + n < g->len && is_word(g->text[i + n])) ++n;
        *at = i;
        return n;
    }
    return 0;
}

// A number becomes another one of its kind, or a name another name of the plan: most often a plan
// that parses.
static void change_word(struct gen *g) {
    size_t at, other;
    char word[64];
    bool number = percent(g, 70);
    size_t n = find_word(g, number, &at);
    if (n == 0 || n >= sizeof word) return;
    if (!number) {
        size_t m = find_word(g, false, &other);
        if (m == 0 || m >= sizeof word) return;
        snprintf(word, sizeof word, "%.*s", (int)m, g->text + other);
    } else {
        long long v = strtoll(g->text + at, NULL, 10);
        long long to[] = {v + 1, v - 1, v * 2, v / 2, v * 3, 0, 1, 3, v + 8, v * 1024};
        int shift = 31 + below(g, 32);  // a power of two up to 2^62, or one less
        long long far = (1LL << shift) - percent(g, 50);
        snprintf(word, sizeof word, "%lld", percent(g, 15) ? far : to[below(g, 10)]);
    }
    splice(g, at, n, word);
}

static void change_bytes(struct gen *g) {
    static const char *const words[] = {"0",
                                        "1",
                                        "-1",
                                        "3",
                                        "9223372036854775807",
                                        "(",
                                        ")",
                                        ",",
                                        ":",
                                        ";",
                                        "_",
                                        "tid",
                                        "*",
                                        "block.x",
                                        "/",
                                        "%",
                                        "->",
                                        "..",
                                        "global",
                                        "shared",
                                        "row",
                                        "like",
                                        "Sw<3,4,3> o 0 o ",
                                        "frag",
                                        "((((",
                                        "1@0",
                                        "out ",
                                        "copy",
                                        "128",
                                        "k0",
                                        "{",
                                        "universal(24)",
                                        "}",
                                        "tile(",
                                        "999999",
                                        "local_tile(",
                                        "M0",
                                        "\"",
                                        "/*",
                                        "ceil_div(7,2)"};
    const char *word = percent(g, 20) ? "" : words[below(g, (int)(sizeof words / sizeof words[0]))];
    size_t cut = (size_t)below(g, 8), at = (size_t)(draw(g) % g->len);
    splice(g, at, cut > g->len - at ? g->len - at : cut, word);
}

char *gen_mutant(uint64_t seed, const char *plan) {
    struct gen g = {.state = seed * 2 + 1, .len = strlen(plan), .cap = 2 * strlen(plan) + 4096};
    g.text = malloc(g.cap);
    if (!g.text) abort();
    memcpy(g.text, plan, g.len + 1);
    int changes = PICK(&g, 1, 1, 1, 2, 3);
    bool words = percent(&g, 75);
    for (int i = 0; i < changes && g.len > 2; ++i) {
        if (words)
            change_word(&g);
        else
            change_bytes(&g);
    }
    return g.text;
}
