// Words in text, and lists of words that are separated by blanks.
#ifndef TCPC_BASE_WORDS_H
#define TCPC_BASE_WORDS_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static inline bool word_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// The length of the word, or number, at the start of "text".
static inline size_t word_length(const char *text) {
    size_t n = 0;
    while (word_char(text[n])) ++n;
    return n;
}

// Whether the "n" bytes at "word" are a word of "list".
static inline bool word_listed(const char *list, const char *word, size_t n) {
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length == n && memcmp(at, word, n) == 0) return true;
        at += length;
    }
    return false;
}

#endif
