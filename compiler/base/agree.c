#include "base/agree.h"

#include "base/words.h"

static const char nouns[] =
    "elements bytes bits threads tiles blocks steps stages values warps lanes wavefronts sectors "
    "accesses rows columns slots modes times copies kernels devices words banks instructions "
    "barriers arguments variants iterations registers pieces pages groups parts cases boxes params "
    "dimensions coordinates names extents indices sizes others",
                  adjectives[] = "contiguous named more further other different whole",
                  // what a number behind it names
    numbered[] = "thread warp lane block step slot mode value coordinate element axis stage line "
                 "byte bank device role index column row tile iteration level grid number threads "
                 "wait version arch";

// The word that ends at "at", not before "text".
static const char *word_before(const char *text, const char *at, size_t *n) {
    const char *begin = at;
    while (begin > text && word_char(begin[-1])) --begin;
    *n = (size_t)(at - begin);
    return begin;
}

// Whether the "1" at "at" counts what follows.
static bool counts(const char *text, const char *at) {
    size_t n;
    if (at[1] != ' ' || (at > text && at[-1] != ' ' && at[-1] != '(')) return false;
    while (at > text && at[-1] == ' ') --at;
    if (at > text && strchr("+-*/%.=<>:", at[-1])) return false;
    const char *word = word_before(text, at, &n);
    return !word_listed(numbered, word, n) && !(n == 1 && *word == 'x');
}

// How many bytes of the noun of "n" bytes stay, and what comes behind them.
static size_t singular(const char *noun, size_t n, const char **end) {
    static const struct {
        const char *several;
        size_t keeps;
        const char *end;
    } others[] = {{"copies", 3, "y"}, {"accesses", 6, ""}, {"boxes", 3, ""}, {"indices", 3, "ex"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (word_listed(others[i].several, noun, n)) {
            *end = others[i].end;
            return others[i].keeps;
        }
    *end = "";
    return n - 1;
}

// Whether the count at "at" is the last thing that the sentence names before its verb: "threads of 1 value are" has another.
static bool governs(const char *text, const char *at) {
    size_t n;
    if (at == text || at[-1] != ' ') return at == text;
    const char *word = word_before(text, at - 1, &n);
    return !word_listed("of by with in and to for from than", word, n);
}

// Replaces "from" to "to" by "with", which is not longer.
static char *put(char *from, const char *to, const char *with) {
    size_t n = strlen(with);
    memcpy(from, with, n);
    memmove(from + n, to, strlen(to) + 1);
    return from + n;
}

void agree(char *text) {
    for (char *at = text; (at = strchr(at, '1')); ++at) {
        if (!counts(text, at)) continue;
        char *noun = at + 2;
        size_t n = word_length(noun);
        if (word_listed(adjectives, noun, n) && noun[n] == ' ') {
            noun += n + 1;
            n = word_length(noun);
        }
        // "grid 1 threads 32" is text of a plan
        if (!word_listed(nouns, noun, n) ||
            (noun[n] == ' ' && word_char(noun[n + 1]) && noun[n + 1] >= '0' && noun[n + 1] <= '9'))
            continue;
        const char *end;
        size_t keeps = singular(noun, n, &end);
        char *verb = put(noun + keeps, noun + n, end);
        if (!governs(text, at)) continue;
        if (strncmp(verb, " are ", 5) == 0)
            put(verb + 1, verb + 4, "is");
        else if (strncmp(verb, " have ", 6) == 0)
            put(verb + 1, verb + 5, "has");
    }
}
