// Where a row of slips applies (see slips.h).
#include "syntax/slips.h"

#include <string.h>

#include "base/words.h"
#include "syntax/match.h"

static bool begins(const struct match *m, const char *in) {
    const char *word = expected_word(m->p->first.token);
    bool absent = *in == '!', listed = word && word_listed(in + absent, word, strlen(word));
    return !*in || listed != absent;
}

// Whether p->now is further to the right than the line of the '{' that is open begins: else a '}'
// is missing.
static bool inside_block(const struct parser *p) {
    if (p->nopen == 0 || p->open[p->nopen - 1].token != '{') return false;
    const char *text = p->s->sources.file[p->file].text;
    uint32_t from = p->open[p->nopen - 1].at.begin, here = p->now.at.begin;
    if (p->before.token == TOK_ASYNC) here = p->before.at.begin;
    uint32_t begin = from, line = here;
    while (begin > 0 && text[begin - 1] != '\n') --begin;
    while (line > 0 && text[line - 1] != '\n') --line;
    return line == begin || here - line > strspn(text + begin, " \t");
}

// Whether the parser is in the state "word": how many brackets are open, and of what.
static bool in_state(const struct parser *p, const char *word, bool *is_state) {
    int open = p->nopen > 0 ? p->open[p->nopen - 1].token : 0;
    const struct {
        char name[10];
        bool holds;
    } states[] = {
        {"NESTED", inside_block(p)},
        {"OUTSIDE", p->nopen == 0},
        {"INSIDE", p->nopen > 0},
        {"PAREN", open == '('},
        {"FORMALS", p->nopen == 1 && open == '('},  // of a function
        {"UNCLOSED", p->unclosed.token != 0},
        {"PLAN", p->start != TOK_START_EXPR},
    };
    for (size_t i = 0; i < sizeof states / sizeof *states; ++i) {
        *is_state = strcmp(states[i].name, word) == 0;
        if (*is_state) return states[i].holds;
    }
    return false;
}

static int token_named(const char *word) {
    static const struct {
        char word[6];
        short token;
    } others[] = {{"NAME", TOK_ID},   {"INT", TOK_INT}, {"STR", TOK_STRING}, {"->", TOK_ARROW},
                  {"..", TOK_DOTDOT}, {"==", TOK_EQ},   {"!=", TOK_NE}};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (strcmp(word, others[i].word) == 0) return others[i].token;
    return word_char(*word) ? scan_word(word) : (unsigned char)*word;
}

// Whether all of "needs" is so: "; !pad threads|grid".
static bool has_needs(const struct parser *p, const char *needs, const int *set, int n) {
    char word[16];
    while (*(needs += strspn(needs, " "))) {
        bool absent = needs[0] == '!', any = false;
        needs += absent;
        for (;; ++needs) {
            size_t length = strcspn(needs, " |");
            if (length >= sizeof word) BUG("a need of a slip is too long: %s", needs);
            memcpy(word, needs, length);
            word[length] = '\0';
            bool state, holds = in_state(p, word, &state);
            any |= state ? holds : slip_has(set, n, token_named(word));
            needs += length;
            if (*needs != '|') break;
        }
        if (any == absent) return false;
    }
    return true;
}

bool slip_rows(struct parser *p, uint32_t here, const int *set, int n, const struct slip_row *row) {
    struct match m = {0};
    for (; row->pattern; ++row) {
        struct arena_mark mark = arena_mark(&p->s->arena);
        if (!m.p) match_begin(&m, p, here);
        bool applies =
            begins(&m, row->in) && has_needs(p, row->needs, set, n) && match_fits(&m, row->pattern);
        if (applies) slip_report(&m, row);
        arena_rewind(&p->s->arena, mark);  // what was reported has memory of its own
        if (applies) return true;
    }
    return false;
}
