// The matcher of patterns of tokens (see slips.h).
#include "syntax/match.h"

#include <ctype.h>
#include <string.h>

#include "base/warnings.h"
#include "base/words.h"
#include "syntax/foreign.h"

// So many steps a pattern may take: it does not fit then.
enum { MOST_STEPS = 20000 };

// -- tokens around the error ----------------------------------------------------------------------

// The length of the token at the start of "text": words, numbers, strings, marks.
static size_t token_length(const char *text, size_t left) {
    static const char two[][3] = {"->", "..", "==", "!=", "<=", ">=", "::", "&&", "||", "=>"};
    size_t n = 1;
    if (word_char(text[0])) {
        bool number = isdigit((unsigned char)text[0]);
        while (n < left && (word_char(text[n]) || (number && text[n] == '.' && n + 1 < left &&
                                                   isdigit((unsigned char)text[n + 1]))))
            ++n;
        return n;
    }
    if (text[0] == '"') {
        while (n < left && text[n] != '"' && text[n] != '\n')
            n += text[n] == '\\' && n + 1 < left ? 2 : 1;
        return n < left && text[n] == '"' ? n + 1 : n;
    }
    for (size_t i = 0; left > 1 && i < sizeof two / sizeof *two; ++i)
        if (memcmp(text, two[i], 2) == 0) return 2;
    while ((text[0] & 0x80) && n < left && (text[n] & 0xc0) == 0x80) ++n;
    return n;
}

// The length of the blanks and comments at the start of "text"; sets "line" if they contain a new line.
static size_t gap(const char *text, size_t left, bool *line) {
    size_t n = 0;
    for (*line = false; n < left;) {
        if (isspace((unsigned char)text[n]) || iscntrl((unsigned char)text[n])) {
            *line |= text[n++] == '\n';
        } else if (left - n > 1 && memcmp(text + n, "//", 2) == 0) {
            while (n < left && text[n] != '\n') ++n;
        } else if (left - n > 1 && memcmp(text + n, "/*", 2) == 0) {
            for (n += 2; n < left && (text[n - 1] != '*' || text[n] != '/' || text[n - 2] == '/');)
                ++n;
            n += n < left;
        } else {
            break;
        }
    }
    return n;
}

// -- matching -------------------------------------------------------------------------------------

const char *match_text(const struct match *m, struct range at) {
    return arena_strndup(&m->p->s->arena, m->f->text + at.begin, at.end - at.begin);
}

static bool is(const struct match *m, int i, const char *word, size_t length) {
    const struct token *t = &m->token[i];
    return t->end - t->begin == length && memcmp(m->f->text + t->begin, word, length) == 0;
}

void match_begin(struct match *m, struct parser *p, uint32_t here) {
    *m = (struct match){.p = p, .f = &p->s->sources.file[p->file], .first = -1};
    uint32_t at = here, first = p->first.token ? p->first.at.begin : here;
    if (first < at) at = first;
    if (p->before.token > 0 && p->before.token != p->start && p->before.at.begin < at)
        at = p->before.at.begin;
    int after = 0;
    while (after < MOST_AFTER) {
        bool line;
        at += (uint32_t)gap(m->f->text + at, m->f->size - at, &line);
        if (at >= here && after == 0) at = here;
        if (at >= m->f->size) break;
        if (at < here && m->n == MOST_BEFORE) {
            memmove(m->token, m->token + 1, sizeof *m->token * (MOST_BEFORE - 1));
            --m->n;
            --m->first;
        }
        if (at >= here && after++ == 0) m->here = m->n;
        if (at == first) m->first = m->n;
        uint32_t end = at + (uint32_t)token_length(m->f->text + at, m->f->size - at);
        if (at < here && end > here) end = here;
        m->token[m->n++] = (struct token){at, end, line};
        at = end;
    }
    if (after == 0) m->here = m->n;
}

// -- classes of tokens ----------------------------------------------------------------------------

const struct ast_decl *match_declared(const struct match *m, const char *name,
                                      enum ast_decl_kind kind) {
    struct ast_decl *const *decl = m->p->decls.items;
    for (int i = 0; i < m->p->decls.n; ++i) {
        if (decl[i]->kind != kind) continue;
        if (kind != D_PARAM && strcmp(decl[i]->name.name, name) == 0) return decl[i];
        for (int k = 0; kind == D_PARAM && k < decl[i]->param.nnames; ++k)
            if (strcmp(decl[i]->param.name[k].name, name) == 0) return decl[i];
    }
    return NULL;
}

const char *match_warning(const char *text) {
    const char *found = NULL;
    for (int i = 1; i < W_COUNT; ++i) {
        const char *name = diag_warning_name(i);
        size_t n = strlen(text);
        if (strcmp(name, text) == 0) return name;
        if (!found && strncmp(name, text, n) == 0 && name[n] == '-') found = name;
    }
    return found;
}

// Whether "word NAME" is above in the same function, where the name is that of token "i".
static bool named_above(const struct match *m, const char *word, int i) {
    const struct parser *p = m->p;
    uint32_t at = p->nopen > 0 ? p->open[0].at.begin : p->first.at.begin;
    bool line, after = false;
    for (size_t length; at < m->token[i].begin; at += (uint32_t)length) {
        at += (uint32_t)gap(m->f->text + at, m->f->size - at, &line);
        if (at >= m->token[i].begin) return false;
        length = token_length(m->f->text + at, m->f->size - at);
        if (after && is(m, i, m->f->text + at, length)) return true;
        after = length == strlen(word) && memcmp(m->f->text + at, word, length) == 0;
    }
    return false;
}

// Whether "text" is 2^n - 1.
static bool is_mask(const char *text) {
    long mask = strtol(text, NULL, 10);
    return text[strspn(text, "0123456789")] == '\0' && strlen(text) < 10 && mask > 0 &&
           (mask & (mask + 1)) == 0;
}

static bool is_element_type(const char *word) {
    static const char types[] = "f64 bf16 f8e4m3 f8e5m2 s8 s16 s32 s64 u8 u16 u32 u64";
    return word_listed(types, word, strlen(word)) ||
           (slip_type(word) && strcmp(word, "index") != 0);
}

// One element of a pattern: "word" without its quote, number and marks.
struct element {
    const char *word;
    size_t length;
    int capture;  // or -1
};

// Whether the element "e" is the class "name".
static bool named(struct element e, const char *name) {
    return e.length == strlen(name) && memcmp(e.word, name, e.length) == 0;
}

static bool upper(const char *word, size_t length) {
    return length > 1 && isupper((unsigned char)word[0]) && isupper((unsigned char)word[1]);
}

static struct element element_of(const char *word, size_t length) {
    struct element e = {word, length, -1};
    if (length > 2 && isdigit((unsigned char)word[0]) && word[1] == ':')
        return (struct element){word + 2, length - 2, word[0] - '0'};
    if (upper(word, length) && isdigit((unsigned char)word[length - 1]))
        return (struct element){word, length - 1, word[length - 1] - '0'};
    return e;
}

static struct range range_of(const struct match *m, int from, int to) {
    uint32_t begin = from < m->n ? m->token[from].begin : (uint32_t)m->f->size;
    return (struct range){m->p->file, begin, to > from ? m->token[to - 1].end : begin};
}

// Whether what was captured as "number" before is the text "at"; or captures it.
static bool capture(struct match *m, int number, struct range at) {
    if (number < 0) return true;
    struct range *c = &m->m.capture[number];
    if (c->end == 0) {
        *c = at;
        return true;
    }
    return c->end - c->begin == at.end - at.begin &&
           memcmp(m->f->text + c->begin, m->f->text + at.begin, at.end - at.begin) == 0;
}

// Classes of several tokens.
static const char several[] = "EXPR LIST ANY ALL PLAIN REST DIGITS PATH TYPES";

// Whether token "i" is one of "class" (see slips.h).
static bool in_class(const struct match *m, struct element class, int i) {
    const char *text = match_text(m, range_of(m, i, i + 1)), *type = foreign_type(text);
    const struct ast_decl *constant = match_declared(m, text, D_CONST);
    int parts;
    if (named(class, "NAME"))
        return !isdigit((unsigned char)*text) && word_char(*text) && scan_word(text) == TOK_ID;
    if (named(class, "WORD")) return word_char(*text);
    if (named(class, "INT")) return text[strspn(text, "0123456789")] == '\0';
    if (named(class, "NUM"))
        return isdigit((unsigned char)*text) && text[strspn(text, "0123456789.f")] == '\0';
    if (named(class, "MASK")) return is_mask(text);
    if (named(class, "SHIFT")) return isdigit((unsigned char)*text) && atoi(text) <= 30;
    if (named(class, "STR")) return *text == '"';
    if (named(class, "TYPE")) return scan_word(text) == TOK_ID && slip_type(text);
    if (named(class, "ELEMENT")) return is_element_type(text);
    if (named(class, "FOREIGN")) return type != NULL;
    if (named(class, "INTEGER")) return type && strchr("su", *type);
    if (named(class, "VECTOR")) return foreign_vector(text, &parts) != NULL;
    if (named(class, "MODULE")) return foreign_module(text);
    if (named(class, "QUALIFIER")) return strstr(text, "restrict") || strcmp(text, "volatile") == 0;
    if (named(class, "HELPED")) {
        const struct foreign *w = foreign_find(FOREIGN_VALUE, text);
        return w && w->help;
    }
    if (named(class, "WARNING")) return match_warning(text) != NULL;
    if (named(class, "CONSTANT")) return constant && constant->value->kind == E_INT;
    if (named(class, "PARAM")) return match_declared(m, text, D_PARAM) != NULL;
    if (named(class, "TENSOR")) return match_declared(m, text, D_TENSOR) != NULL;
    if (named(class, "FUNCTION")) return match_declared(m, text, D_FN) != NULL;
    if (named(class, "LET")) return named_above(m, "let", i);
    if (named(class, "BUFFER")) return named_above(m, "frag", i) || named_above(m, "shared", i);
    BUG("no class of tokens: %.*s", (int)class.length, class.word);
}

// Whether the element has no token: the begin of the statement, or the end of the line.
static bool is_place(const char *word, size_t length) {
    return (length == 1 && *word == '@') || (length == 3 && memcmp(word, "EOL", 3) == 0);
}

// Whether token "i" is the element, of which "a|b" has several words.
static bool single(struct match *m, int i, struct element e) {
    if (i < 0 || i >= m->n) return false;
    for (size_t from = 0, to; from < e.length; from = to + 1) {
        const char *word = e.word + from;
        for (to = from; to < e.length && e.word[to] != '|';) ++to;
        size_t length = to - from;
        if (is_place(word, length)) continue;
        bool quoted = length > 1 && word[0] == '\'';
        if (upper(word, length) ? in_class(m, (struct element){word, length, -1}, i)
                                : is(m, i, word + quoted, length - quoted))
            return true;
        if (length == 2 && memcmp(word, "->", 2) == 0 && is(m, i, "=>", 2)) return true;
    }
    return false;
}

// -- matching -------------------------------------------------------------------------------------

// Whether the tokens of the class "e" can go on with token "i", after "count" of them. Keeps the
// depth of brackets.
static bool goes_on(struct match *m, struct element e, int i, int count, int depth[3]) {
    const struct token *t = &m->token[i];
    const char *text = m->f->text + t->begin;
    size_t length = t->end - t->begin;
    if (named(e, "PATH"))
        return (count == 0 || m->token[i - 1].end == t->begin) &&
               (word_char(*text) || (length == 1 && strchr("._/-", *text)) || is(m, i, "..", 2));
    bool ends = i > m->here && t->line && depth[0] == 0;
    if (*text == '{') ++depth[2];
    if (*text == '}') --depth[2];
    if (ends || (*text == ';' && depth[2] <= 0) || (named(e, "REST") && strchr("{}", *text)))
        return false;
    if (named(e, "REST") || named(e, "ALL")) return true;
    if (named(e, "DIGITS")) return isdigit((unsigned char)*text) || *text == ',';
    if (length == 1 && strchr("([{", *text)) ++depth[0];
    if (length == 1 && strchr(")]}", *text) && --depth[0] < 0) return false;
    bool types = named(e, "TYPES"), list = named(e, "LIST") || named(e, "ANY");
    bool closes = length == 1 && *text == '>';
    if (types && (memchr(text, '=', length) || strchr("&|", *text) || (closes && depth[1] == 0)))
        return false;
    if (length == 1 && *text == '<') ++depth[1];
    if (closes && depth[1] > 0) --depth[1];
    list |= types && m->here > 0 && is(m, m->here - 1, "=", 1);
    if (*text == ',' && depth[0] == 0 && depth[1] == 0 && !list) return false;
    if (!named(e, "PLAIN")) return true;
    int token = word_char(*text) ? scan_word(match_text(m, range_of(m, i, i + 1))) : TOK_ID;
    return token == TOK_ID || token == '_' || token == TOK_O || token == TOK_SW;
}

static bool match(struct match *m, const char *pattern, int i);

// Tries all numbers of tokens that the class "e" can have: DIGITS and PATH the most, others the
// fewest.
static bool match_several(struct match *m, struct element e, const char *rest, int i) {
    int depth[3] = {0, 0, 0}, end[MOST_BEFORE + MOST_AFTER + 1], n = 0;
    bool types = named(e, "TYPES"), empty = named(e, "LIST") || named(e, "ANY") || named(e, "ALL");
    if (empty) end[n++] = i;
    for (int k = i; k < m->n && goes_on(m, e, k, k - i, depth); ++k)
        if (depth[0] == 0 && !(types && depth[1] > 0)) end[n++] = k + 1;
    bool most = named(e, "DIGITS") || named(e, "PATH");
    for (int k = 0; k < n; ++k) {
        int to = end[most ? n - 1 - k : k];
        struct marks kept = m->m;
        if (capture(m, e.capture, range_of(m, i, to)) && match(m, rest, to)) return true;
        m->m = kept;
    }
    return false;
}

// Begins the range "of", ends it, or both if the mark is "empty". Whether it ends.
static bool mark_one(struct range *of, bool *open, bool empty, uint32_t begin, uint32_t end) {
    if (!*open) of->begin = of->end = begin;
    bool ends = *open || empty;
    if (ends) of->end = end > of->begin ? end : of->begin;
    *open = !ends;
    return ends;
}

// Handles a mark before token "i": "~", "<~", "~>", "~~", and the same with '$' and '#'.
static void mark(struct match *m, const char *word, size_t length, int i) {
    bool early = word[0] == '<', late = length == 2 && word[1] == '>';
    bool empty = length == 2 && !early && !late, more = i < m->n && !m->token[i].line;
    uint32_t last = i > 0 ? m->token[i - 1].end : 0,
             next = i < m->n ? m->token[i].begin : (uint32_t)m->f->size,
             begin = early || empty ? last : next, end = late && more ? next : last;
    struct marks *k = &m->m;
    if (word[early] != '$') k->reported |= mark_one(&k->at, &k->at_open, empty, begin, end);
    if (word[early] != '~' && k->fixes < MOST_FIXES)
        k->fixes += mark_one(&k->fix[k->fixes], &k->fix_open, empty, begin, end);
}

static bool is_mark(const char *word, size_t length) {
    bool early = length == 2 && word[0] == '<';
    if (!strchr("~$#", word[early])) return false;
    return length == 1 || early || (length == 2 && (word[1] == '>' || word[1] == word[0]));
}

// Matches "{? .. ?}" or "{* .. *}" and what comes after it.
static bool match_group(struct match *m, const char *pattern, int i) {
    struct marks kept = m->m;
    if (match(m, pattern + 2, i)) return true;
    m->m = kept;
    return match(m, strstr(pattern, pattern[1] == '?' ? "?}" : "*}") + 2, i);
}

// Whether the tokens from "i" on are those of "pattern".
static bool match(struct match *m, const char *pattern, int i) {
    pattern += strspn(pattern, " ");
    size_t length = strcspn(pattern, " ");
    const char *rest = pattern + length;
    if (length == 0 || (length == 2 && memcmp(pattern, "OR", 2) == 0)) {
        m->end = i;
        return true;
    }
    if (++m->steps > MOST_STEPS) return false;
    if (length == 1 && *pattern == '^') return i == m->here && match(m, rest, i);
    bool near = *pattern == '&' && length == strspn(pattern, "&") && length < 3;
    if (near) {
        bool joined = i > 0 && i < m->n &&
                      (length == 1 ? m->token[i - 1].end == m->token[i].begin : !m->token[i].line);
        return joined && match(m, rest, i);
    }
    if (is_mark(pattern, length)) {
        mark(m, pattern, length, i);
        return match(m, rest, i);
    }
    if (length == 2 && *pattern == '{') return match_group(m, pattern, i);
    if (length == 2 && memcmp(pattern, "?}", 2) == 0) return match(m, rest, i);
    if (length == 2 && memcmp(pattern, "*}", 2) == 0) {
        while (memcmp(pattern, "{*", 2) != 0) --pattern;
        return match(m, pattern, i);
    }
    if (length == 2 && isdigit((unsigned char)pattern[0]) && pattern[1] == '<') {
        m->m.begin[pattern[0] - '0'] = i;
        return match(m, rest, i);
    }
    if (length == 2 && pattern[0] == '>' && isdigit((unsigned char)pattern[1])) {
        int number = pattern[1] - '0';
        return capture(m, number, range_of(m, m->m.begin[number], i)) && match(m, rest, i);
    }
    if (length > 1 && *pattern == '?') {
        struct marks kept = m->m;
        if (single(m, i, element_of(pattern + 1, length - 1)) && match(m, rest, i + 1)) return true;
        m->m = kept;
        return match(m, rest, i);
    }
    bool back = length > 2 && memcmp(pattern, "<!", 2) == 0;
    if (back || (length > 1 && *pattern == '!' && pattern[1] != '=')) {
        size_t skip = back ? 2 : 1;
        return !single(m, back ? i - 1 : i, element_of(pattern + skip, length - skip)) &&
               match(m, rest, i);
    }
    struct element e = element_of(pattern, length);
    if (word_listed(several, e.word, e.length)) return match_several(m, e, rest, i);
    size_t last = length;  // of the alternatives; others are tokens
    while (last > 0 && pattern[last - 1] != '|') --last;
    if (is_place(pattern + last, length - last) &&
        (pattern[last] == '@' ? i == m->first : i == m->n || m->token[i].line))
        return match(m, rest, i);
    if (!single(m, i, e)) return false;
    if (i > m->here && m->token[i].line) return false;
    return capture(m, e.capture, range_of(m, i, i + 1)) && match(m, rest, i + 1);
}

// Whether a part of "pattern" fits, beginning at any token before the error, the nearest first.
bool match_fits(struct match *m, const char *pattern) {
    bool anywhere = strchr(pattern, '^') != NULL;
    for (m->part = 0; pattern; ++m->part) {
        m->steps = 0;
        for (int i = m->here; i >= (anywhere ? 0 : m->here) && m->steps <= MOST_STEPS; --i) {
            m->m = (struct marks){.at.file = (uint32_t)m->p->file};
            for (int k = 0; k < MOST_FIXES; ++k) m->m.fix[k].file = (uint32_t)m->p->file;
            if (match(m, pattern, i)) return true;
        }
        pattern = strstr(pattern, " OR ");
        if (pattern) pattern += 4;
    }
    return false;
}
