// The tokens of a statement of emitted C, with what determines line breaks (emit/breaks.c).
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
    TOKEN_BINARY,       // also an assignment
    TOKEN_CONDITIONAL,  // ? and the : that belongs to it
    TOKEN_POINTER,      // in a declaration
};

// Precedences of C; operators with higher ones bind closer.
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
    bool space;      // a blank before it
    bool may_break;  // a line may be broken before it
    int penalty;     // penalty of that line break
    int level;       // number of open brackets
    int nbegins;     // precedences of the subexpressions that begin here, the innermost first
    unsigned char begins[24];
    int nends;           // number of subexpressions that end here
    int operator_index;  // of a binary operator: its number in its subexpression
    bool has_next_operator;
    bool ends_binary;  // a subexpression with operators ends here
    bool begins_binary;
    bool condition;           // parenthesis of an if or a for
    bool within_parenthesis;  // of <: the innermost bracket around it is a parenthesis
};

// The tokens of "text", a statement without line ends; sets "n" to their number.
struct token *tokens_of(struct session *s, const char *text, int *n);

#endif
