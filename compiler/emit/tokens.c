// Splits a statement into tokens, finds its subexpressions, and computes the penalties of line
// breaks like clang-format's style LLVM (class TokenAnnotator of LLVM 14).
#include "emit/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/session.h"

enum { FIRST_PARAMETER = 40 };  // PenaltyBreakBeforeFirstCallParameter of .clang-format

struct reader {
    struct token *token;
    int n, at;
    bool declares;  // it is the head of a function
};

// -- tokens ---------------------------------------------------------------------------------------

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':' || c == '#';
}

static int word_width(const char *p) {
    if (*p == '"') {
        int n = 1;
        while (p[n] && p[n] != '"') n += p[n] == '\\' && p[n + 1] ? 2 : 1;
        return n + (p[n] == '"');
    }
    int n = 0;
    while (in_word(p[n]) && !(p[n] == ':' && p[n + 1] != ':' && (n == 0 || p[n - 1] != ':'))) ++n;
    return n;
}

static bool is_operand(const struct token *t) {
    return t && (t->kind == TOKEN_WORD || t->kind == TOKEN_CLOSE);
}

static enum precedence precedence_of(const char *p, int width) {
    if (width == 2 && strchr("&|", p[0])) return p[0] == '&' ? PREC_AND : PREC_OR;
    if (width == 2 && (p[0] == '=' || p[0] == '!')) return PREC_EQUALITY;
    if (p[0] == '<' || p[0] == '>') return PREC_RELATIONAL;
    if (p[width - 1] == '=') return PREC_ASSIGNMENT;
    return p[0] == '+' || p[0] == '-' ? PREC_ADDITIVE : PREC_MULTIPLICATIVE;
}

// The token at "p", after "before".  "angles": number of open <.
static struct token token_at(const char *p, bool space, const struct token *before, int angles) {
    struct token t = {.text = p, .width = 1, .kind = TOKEN_WORD, .space = space};
    bool blank_behind = p[1] == ' ';
    if (*p == '"' || (in_word(*p) && *p != ':')) {
        t.width = word_width(p);
    } else if (strchr("([{", *p) || (*p == '<' && !space && is_operand(before))) {
        t.kind = TOKEN_OPEN;
        t.bracket = *p;
    } else if (strchr(")]}", *p) || (*p == '>' && angles > 0 && !space)) {
        t.kind = TOKEN_CLOSE;
        t.bracket = *p == ')' ? '(' : *p == ']' ? '[' : *p == '}' ? '{' : '<';
    } else if (*p == ',') {
        t.kind = TOKEN_COMMA;
        t.prec = PREC_COMMA;
    } else if (*p == ';') {
        t.kind = TOKEN_SEMICOLON;
    } else if (*p == '?' || *p == ':') {
        t.kind = TOKEN_CONDITIONAL;
        t.prec = PREC_CONDITIONAL;
    } else {
        if (p[1] == '=' || (p[1] == p[0] && strchr("&|+-", p[0]))) t.width = 2;
        blank_behind = p[t.width] == ' ';
        bool binary = is_operand(before) && blank_behind;
        t.kind = binary                            ? TOKEN_BINARY
                 : *p == '*' && is_operand(before) ? TOKEN_POINTER
                                                   : TOKEN_UNARY;
        if (binary) t.prec = precedence_of(p, t.width);
    }
    return t;
}

static void read_tokens(struct reader *r, struct session *s, const char *text) {
    int cap = 0, angles = 0;
    bool space = false;
    for (const char *p = text; *p;) {
        if (*p == ' ') {
            space = true;
            ++p;
            continue;
        }
        r->token = arena_more(&s->arena, r->token, sizeof *r->token, r->n, &cap);
        struct token t = token_at(p, space, r->n ? &r->token[r->n - 1] : NULL, angles);
        angles += t.bracket == '<' ? (t.kind == TOKEN_OPEN ? 1 : -1) : 0;
        r->token[r->n++] = t;
        p += t.width;
        space = false;
    }
}

static bool is_word(const struct token *t, const char *word) {
    return t->kind == TOKEN_WORD && t->width == (int)strlen(word) &&
           strncmp(t->text, word, (size_t)t->width) == 0;
}

// -- subexpressions -------------------------------------------------------------------------------

static struct token *now(struct reader *r) {
    return r->at < r->n ? &r->token[r->at] : NULL;
}

static void parse(struct reader *r, int level);

// Makes a subexpression from "start" to the token before the current one.
static void enclose(struct reader *r, int start, enum precedence prec) {
    struct token *first = &r->token[start], *last = &r->token[r->at - 1];
    if (first->nbegins == (int)sizeof first->begins) return;
    first->begins[first->nbegins++] = (unsigned char)prec;
    ++last->nends;
    if (prec > PREC_NONE) first->begins_binary = last->ends_binary = true;
}

static void parse_conditional(struct reader *r) {
    int start = r->at;
    parse(r, PREC_OR);
    if (!now(r) || now(r)->kind != TOKEN_CONDITIONAL || *now(r)->text != '?') return;
    ++r->at;
    parse(r, PREC_ASSIGNMENT);
    if (!now(r) || now(r)->kind != TOKEN_CONDITIONAL) return;
    ++r->at;
    parse(r, PREC_ASSIGNMENT);
    enclose(r, start, PREC_CONDITIONAL);
}

static void parse_unary(struct reader *r) {
    int start = r->at;
    while (now(r) && now(r)->kind == TOKEN_UNARY) ++r->at;
    int end = r->at;
    parse(r, PREC_PRIMARY);
    for (int i = end; i-- > start;) enclose(r, i, PREC_NONE);
}

// -1: not an operator
static int level_of(const struct token *t) {
    if (!t) return -1;
    if (t->kind == TOKEN_SEMICOLON) return 0;
    return t->kind == TOKEN_BINARY || t->kind == TOKEN_COMMA || t->kind == TOKEN_CONDITIONAL
               ? (int)t->prec
               : -1;
}

// Parses operators of one precedence and their operands.
static void parse(struct reader *r, int level) {
    if (!now(r) || level > PREC_PRIMARY) return;
    if (level == PREC_CONDITIONAL) {
        parse_conditional(r);
        return;
    }
    if (level == PREC_UNARY) {
        parse_unary(r);
        return;
    }
    int start = r->at, index = 0;
    struct token *latest = NULL;
    while (now(r)) {
        parse(r, level + 1);
        struct token *t = now(r);
        int have = level_of(t);
        if (!t || t->kind == TOKEN_CLOSE || (have != -1 && have < level) ||
            (have == PREC_CONDITIONAL && level == PREC_ASSIGNMENT && *t->text == ':'))
            break;
        if (t->kind == TOKEN_OPEN) {
            while (now(r) && now(r)->kind != TOKEN_CLOSE) {
                ++r->at;
                parse(r, 0);
            }
        } else if (have == level) {
            if (latest) latest->has_next_operator = true;
            latest = t;
            t->operator_index = index++;
        }
        if (now(r)) ++r->at;
    }
    if (latest && (now(r) || level > 0)) enclose(r, start, (enum precedence)level);
}

// -- penalties ------------------------------------------------------------------------------------

static bool is_type(const struct token *t) {
    return is_word(t, "int64_t") || is_word(t, "int") || is_word(t, "size_t");
}

// Whether "r->token[i]" closes a cast.
static bool closes_cast(const struct reader *r, int i) {
    if (i < 2 || i + 1 >= r->n || r->token[i].bracket != '(' || r->token[i].kind != TOKEN_CLOSE)
        return false;
    bool next = r->token[i + 1].kind == TOKEN_WORD ||
                (r->token[i + 1].kind == TOKEN_OPEN && r->token[i + 1].bracket == '(');
    return next && is_type(&r->token[i - 1]) && r->token[i - 2].kind == TOKEN_OPEN &&
           (i == 2 || !is_operand(&r->token[i - 3]));
}

static bool may_break(const struct token *left, const struct token *right) {
    if (right->kind == TOKEN_CONDITIONAL) return true;
    if (left->kind == TOKEN_CONDITIONAL || right->kind == TOKEN_CLOSE) return false;
    if (left->kind == TOKEN_OPEN) return left->bracket != '[';
    if (right->kind == TOKEN_OPEN && right->bracket == '[') return true;
    if (left->kind == TOKEN_COMMA || left->kind == TOKEN_BINARY || left->kind == TOKEN_SEMICOLON)
        return true;
    return left->kind == TOKEN_CLOSE && left->bracket == '(' && right->kind == TOKEN_WORD;
}

// The penalty of a break before token "i".  "parameters": number of parameters after the bracket
// "left".
static int split_penalty(const struct reader *r, int i, int parameters) {
    const struct token *left = &r->token[i - 1], *right = &r->token[i];
    bool loop = is_word(&r->token[0], "for");
    if (left->kind == TOKEN_SEMICOLON) return 0;
    if (right->kind == TOKEN_OPEN && right->bracket == '[') return 500;
    if (closes_cast(r, i - 1)) return 100;
    if (loop && left->kind == TOKEN_BINARY && left->prec == PREC_ASSIGNMENT) return 4;
    if (left->kind == TOKEN_OPEN && left->bracket == '(') {
        if (r->declares) return 100;
        if (left->condition) return 1000;
    }
    if (left->kind == TOKEN_OPEN && left->bracket == '<') return 100;
    if (left->kind == TOKEN_OPEN) return parameters > 1 ? FIRST_PARAMETER : 19;
    if (left->kind == TOKEN_UNARY) return 60;
    if (left->prec != PREC_NONE) return left->prec;
    return right->prec != PREC_NONE ? (int)right->prec : 3;
}

// The number of parameters after the opening bracket "at".
static int parameters_of(const struct reader *r, int at) {
    int depth = 0, n = 0;
    for (int i = at; i < r->n; ++i) {
        depth += (r->token[i].kind == TOKEN_OPEN) - (r->token[i].kind == TOKEN_CLOSE);
        if (depth == 0) return n;
        if (i > at && n == 0) n = 1;
        n += depth == 1 && r->token[i].kind == TOKEN_COMMA;
    }
    return n;
}

static void annotate(struct reader *r) {
    enum { MOST = 64 };
    int binding[MOST] = {1}, depth = 0;
    char bracket[MOST] = {0};
    for (int i = 0; i < r->n; ++i) {
        struct token *t = &r->token[i];
        t->level = depth;
        if (t->kind == TOKEN_OPEN) {
            t->condition = t->bracket == '(' && i > 0 &&
                           (is_word(&r->token[i - 1], "if") || is_word(&r->token[i - 1], "for"));
            t->within_parenthesis = depth > 0 && bracket[depth] == '(';
        }
        if (i > 0 && may_break(&r->token[i - 1], t)) {
            t->may_break = true;
            t->penalty = 20 * binding[depth] + split_penalty(r, i, parameters_of(r, i - 1));
        }
        if (t->kind == TOKEN_OPEN && depth + 1 < MOST) {
            ++depth;
            binding[depth] = binding[depth - 1] + (t->bracket == '[' || t->bracket == '<' ? 10 : 1);
            bracket[depth] = t->bracket;
        } else if (t->kind == TOKEN_CLOSE && depth > 0) {
            --depth;
        }
    }
}

struct token *tokens_of(struct session *s, const char *text, int *n) {
    struct reader r = {NULL, 0, 0, false};
    read_tokens(&r, s, text);
    r.declares =
        r.n > 0 && (is_word(&r.token[0], "static") || is_word(&r.token[0], "TCP_EXTERN_C") ||
                    is_word(&r.token[0], "TCP_DEVICE"));
    parse(&r, 0);
    annotate(&r);
    *n = r.n;
    return r.token;
}
