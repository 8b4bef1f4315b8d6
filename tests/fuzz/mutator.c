// Half of the changes that libFuzzer makes to a plan are made to its words instead of its bytes:
// these leave many a plan that still compiles.
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum kind { WORD, NUMBER, SIGN };

struct token {
    const uint8_t *at;
    size_t len;
    enum kind kind;
};

enum { MOST_TOKENS = 4096, MOST_BYTES = 1 << 16 };

static bool is_word(uint8_t c) {
    return isalnum(c) || c == '_' || c == '.';
}

static int split(const uint8_t *data, size_t size, struct token *token) {
    int n = 0;
    for (size_t i = 0; i < size && n < MOST_TOKENS;) {
        size_t from = i++;
        if (isspace(data[from])) continue;
        if (is_word(data[from]))
            while (i < size && is_word(data[i])) ++i;
        enum kind kind = isdigit(data[from]) ? NUMBER : is_word(data[from]) ? WORD : SIGN;
        token[n++] = (struct token){data + from, i - from, kind};
    }
    return n;
}

// What comes in the place of a number.
static size_t number_for(unsigned seed, const struct token *t, char *out, size_t size) {
    static const char *const others[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "7",
                                         "16",
                                         "31",
                                         "33",
                                         "1000",
                                         "65537",
                                         "2147483647",
                                         "2147483648",
                                         "4294967296",
                                         "4294967297",
                                         "1099511627776",
                                         "1099511627777",
                                         "281474976710656",
                                         "4611686018427387903",
                                         "4611686018427387904",
                                         "9223372036854775807"};
    unsigned long long was = 0;
    for (size_t i = 0; i < t->len && isdigit(t->at[i]); ++i) was = was * 10 + (t->at[i] - '0');
    switch (seed % 5) {
    case 0: was += 1; break;
    case 1: was -= was > 0; break;
    case 2: was *= 2; break;
    case 3: was /= 2; break;
    default:
        return (size_t)snprintf(out, size, "%s",
                                others[seed / 5 % (sizeof others / sizeof *others)]);
    }
    return (size_t)snprintf(out, size, "%llu", was);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    static struct token token[MOST_TOKENS];
    static uint8_t was[MOST_BYTES];
    unsigned first = seed % 2;
    seed /= 2;
    int n = first && size && size < MOST_BYTES ? split(data, size, token) : 0;
    if (n == 0) return LLVMFuzzerMutate(data, size, most);
    memcpy(was, data, size);
    const struct token at = token[seed % (unsigned)n];
    size_t from = (size_t)(at.at - data), end = from + at.len;
    char text[32];
    const uint8_t *with = (const uint8_t *)text;
    size_t len = 0;
    seed = seed / (unsigned)n * 2654435761u >> 4;
    if (at.kind == NUMBER && seed % 4) {
        len = number_for(seed / 4, &at, text, sizeof text);
    } else if (seed % 8 < 6) {  // another one of its kind
        unsigned k = seed / 8 % (unsigned)n;
        for (int i = 0; i < n && token[k].kind != at.kind; ++i) k = (k + 1) % (unsigned)n;
        with = was + (token[k].at - data);
        len = token[k].len;
    } else if (seed % 8 == 6) {  // twice what stands from it to the next semicolon
        while (end < size && was[end - 1] != ';') ++end;
        with = was + from;
        len = end - from;
        from = end;
    }
    if (from + len + (size - end) > most) return LLVMFuzzerMutate(data, size, most);
    memmove(data + from + len, was + end, size - end);
    memcpy(data + from, with, len);
    return from + len + (size - end);
}
