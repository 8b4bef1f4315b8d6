// Slips as rows: what people write who know another language, as patterns of tokens. Private to this module.
//
// A row applies where the parser found an error, if the statement begins with one of "in", all tokens of "needs" could follow, and the
// tokens around the error are those of "pattern". Comments are no tokens. Then "message" is reported, "fix" is offered if the text
// parses with it, and "then" says what is skipped.
//
// The elements of a pattern are separated by blanks:
//
//   ^            the token at which the parser stopped comes next; without it, the pattern begins there
//   @            the statement begins here
//   copy ( ->    this token; 'x is the token x where x has another meaning here; a|b|c is one of them
//   NAME TYPE .. one token of a class, see "classes" in slips.c
//   EXPR         tokens up to a ',', with balanced brackets; LIST may be empty and have ','; ANY is a LIST that other tokens follow; ALL needs no balance;
//                PLAIN is an EXPR without reserved words; REST is all up to the ';' or the end of the line; DIGITS are numbers and ','
//   NAME1 1:a|b  the same, whose text is "$1" in "message" and "fix"
//   ?x !x <!x    x or nothing; the next token is not x; the last one is not x
//   & && EOL     no blank, or no new line, comes between the two tokens; the line ends
//   ~ .. ~       the reported text, otherwise the token at "^"
//   $ .. $       text that is replaced by the next part of "fix", of which the parts are separated by '|'
//   # .. #       both
//
// A mark "<~" begins where the last token ends, "~>" ends where the next one begins, "~~" is empty, where the last token ends, and
// "~ ~" is empty, where the next one begins.
#ifndef TCPC_SYNTAX_SLIPS_H
#define TCPC_SYNTAX_SLIPS_H

#include "syntax/scan.h"

enum slip_then {
    THEN_NOTHING,
    THEN_STOP,       // nothing more is parsed
    THEN_REST,       // nothing is reported up to the ';' of the line
    THEN_STATEMENT,  // the same, or with the ';' where the parser stopped at one
    THEN_PAST,       // nothing is reported up to the end of the replaced or reported text
    THEN_MARKED,     // the same, up to the end of the reported text
    THEN_LINE,       // the same, up to the end of all that the pattern matched
};

struct slip_row {
    const char *
        in;  // words, of which the statement begins with one, or "!word": with none of these; "": any
    const char *
        needs;  // tokens that could follow, "a|b": one of them, "!a": which could not; see "states" in slips.c
    const char *pattern;  // or NULL: "other" decides
    // "$1" is what the pattern captured, "$t1" as an element type, "$q1" without quotes, "$+1" is the number plus 1, "$k1" the
    // value of the constant, "$#" the replaced text and "$~" the reported one
    const char *message;
    const char *fix;
    enum slip_then then;
    bool (*other)(struct parser *p, const int *set, int n);
};

// Reports the first of the "count" rows that applies, of the token that begins at byte "here" of the source. "set" has the "n" tokens
// that could follow.
bool slip_rows(struct parser *p, uint32_t here, const int *set, int n, const struct slip_row *row,
               int count);

// Rows by the place where they apply: at a syntax error; where '->' was expected; at a '=' or '=='; behind a word that begins no
// statement; at a word that begins no declaration, and the same where no keyword is near it; at a '[' that begins
// attributes, others, and several pairs of brackets; at a word before a '<'.
extern const struct slip_row slip_at_error[], slip_at_copy[], slip_at_equals[], slip_at_statement[],
    slip_at_declaration[], slip_at_unknown[], slip_at_attribute[], slip_at_square[],
    slip_at_brackets[], slip_at_angle[], slip_at_template[];
extern const int slip_n_error, slip_n_copy, slip_n_equals, slip_n_statement, slip_n_declaration,
    slip_n_unknown, slip_n_attribute, slip_n_square, slip_n_brackets, slip_n_angle, slip_n_template;

bool slip_element_type(const char *word);

// Rows that need more than a pattern; see slips_other.c.
bool slip_division(struct parser *p, const int *set, int n);
bool slip_nested(struct parser *p, const int *set, int n);
bool slip_warning_name(struct parser *p, const int *set, int n);
bool slip_unclosed(struct parser *p, const int *set, int n);
bool slip_function_name(struct parser *p, const int *set, int n);
bool slip_declared_name(struct parser *p, const int *set, int n);
bool slip_import(struct parser *p, const int *set, int n);
bool slip_several(struct parser *p, const int *set, int n);
bool slip_unit(struct parser *p, const int *set, int n);

#endif
