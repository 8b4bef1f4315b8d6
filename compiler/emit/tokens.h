// A statement of emitted C as tokens, with what decides where its lines end (emit/breaks.c).
#ifndef TCPC_EMIT_TOKENS_H
#define TCPC_EMIT_TOKENS_H

#include <stdbool.h>

struct session;

enum token_kind {
    TOKEN_WORD,  // a name, a number, a string
    TOKEN_OPEN,  // ( [ < {
    TOKEN_CLOSE,
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_UNARY,
    TOKEN_BINARY,       // an assignment, too
    TOKEN_CONDITIONAL,  // ? and its :
    TOKEN_POINTER,      // of a declaration
};

// Precedences, as C has them: the higher ones bind closer.
enum precedence {
    PREC_NONE,
    PREC_COMMA,
    PREC_ASSIGNMENT,
    PREC_CONDITIONAL,
    PREC_OR,
    PREC_AND,
    PREC_EQUALITY = 9,
    PREC_RELATIONAL = 10,
    PREC_ADDITIVE = 13,
    PREC_MULTIPLICATIVE = 14,
    PREC_UNARY = 16,
    PREC_PRIMARY = 17,
};

struct token {
    const char *text;
    int width;
    enum token_kind kind;
    char bracket;  // of an opening or closing one: ( [ < {
    enum precedence prec;
    bool space;      // a blank comes before it
    bool may_break;  // a line may end before it
    int penalty;     // what that costs
    int level;       // so many brackets are open
    int nbegins;     // subexpressions that begin here, by their precedences, the innermost first
    unsigned char begins[24];
    int nends;           // so many of them end here
    int operator_index;  // of a binary operator: among those of its subexpression
    bool has_next_operator;
    bool ends_binary;  // a subexpression of an operator ends here
    bool begins_binary;
    bool condition;           // the parenthesis of an if or a for
    bool within_parenthesis;  // of <: the innermost bracket around it is one
};

// The tokens of "text", one statement without line ends; "n" is how many.
struct token *tokens_of(struct session *s, const char *text, int *n);

#endif
