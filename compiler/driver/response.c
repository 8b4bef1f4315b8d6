// Expands response files (see response.h).
#include "driver/response.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/source.h"
#include "driver/options.h"

enum { MOST_WORDS = 1 << 16, MOST_NESTED = 16, MOST_BYTES = 1 << 24 };

struct words {
    struct arena *a;
    char **at;
    int n, cap;
    struct words *files;  // the files that the words come from; NULL: these are files
};

static bool push(struct words *w, const char *word) {
    if (w->n == MOST_WORDS) {
        option_error("more than %d words on the command line", MOST_WORDS);
        return false;
    }
    if (w->n + 1 >= w->cap) {
        int cap = w->cap ? 2 * w->cap : 64;
        char **at = ARENA_ARRAY(w->a, char *, cap);
        if (w->n) memcpy(at, w->at, sizeof *at * (size_t)w->n);
        w->at = at;
        w->cap = cap;
    }
    w->at[w->n++] = (char *)word;
    w->at[w->n] = NULL;
    return true;
}

static bool read_file(struct buf *b, const char *path) {
    FILE *f = source_open(path);
    char block[4096];
    size_t n;
    while (f && b->len <= MOST_BYTES && (n = fread(block, 1, sizeof block, f)) > 0)
        buf_write(b, block, n);
    if (f && b->len > MOST_BYTES) errno = EFBIG;
    bool ok = f && !ferror(f) && b->len <= MOST_BYTES;
    int why = errno;
    if (f) fclose(f);
    if (!ok) option_error("cannot read '@%s': %s", path, source_trouble(why));
    return ok;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

// Takes one word from "*p", without its quotes; false if a quote is not closed.
static bool take_word(const char **p, struct buf *word) {
    char quote = 0;
    for (; **p && (quote || !is_blank(**p)); ++*p) {
        char c = **p;
        if (c == quote)
            quote = 0;
        else if (!quote && (c == '\'' || c == '"'))
            quote = c;
        else if (c == '\\' && quote != '\'' && (*p)[1])
            buf_char(word, *++*p);
        else
            buf_char(word, c);
    }
    return !quote;
}

static bool expand_file(struct words *w, const char *path, int depth);

static bool add(struct words *w, const char *word, int depth) {
    return word[0] == '@' && word[1] ? expand_file(w, word + 1, depth) : push(w, word);
}

static bool expand_file(struct words *w, const char *path, int depth) {
    if (depth == MOST_NESTED) {
        option_error("'@%s' is nested more than %d deep", path, MOST_NESTED);
        return false;
    }
    struct buf text, word;
    buf_init(&text);
    buf_init(&word);
    bool ok = read_file(&text, path);
    const char *p = text.text;
    ok = ok && push(w->files, arena_strndup(w->a, path, strlen(path)));
    while (ok) {
        while (is_blank(*p)) ++p;
        if (!*p) break;
        buf_clear(&word);
        ok = take_word(&p, &word);
        if (!ok) option_error("a quote in '@%s' does not end", path);
        ok = ok && add(w, arena_strndup(w->a, word.text, word.len), depth + 1);
    }
    buf_release(&word);
    buf_release(&text);
    return ok;
}

bool response_expand(struct arena *a, int *argc, char ***argv) {
    struct words files = {a, NULL, 0, 0, NULL}, w = {a, NULL, 0, 0, &files};
    bool plain = false;
    for (int i = 0; i < *argc; ++i) {
        const char *word = (*argv)[i];
        plain |= strcmp(word, "--") == 0;
        if (!(plain || i == 0 ? push(&w, word) : add(&w, word, 0))) return false;
    }
    *argc = w.n;
    if (!push(&w, NULL)) return false;
    for (int i = 0; i < files.n; ++i)
        if (!push(&w, files.at[i])) return false;
    *argv = w.at;
    return true;
}
