// Slips as rows: what people write who know another language, as patterns of tokens. Private to this module.
//
// A row applies where the parser found an error, if the statement begins with one of "in", all tokens of "needs" could follow, and the
// tokens around the error are those of "pattern". Comments are no tokens. Then "message" is reported, "fix" is offered if the text
// parses with it, and "then" says what is skipped.
//
// The elements of a pattern are separated by blanks:
//
//   ^            the token at which the parser stopped comes next; without it, the pattern begins there
//   @  EOL       the statement begins here; the line ends
//   copy ( ->    this token; 'x is the token x where x has another meaning here; a|b|c is one of them
//   NAME TYPE .. one token of a class, see "in_class" in match.c
//   EXPR         tokens up to a ',', with balanced brackets; LIST may be empty and have ','; ANY is a LIST that other tokens follow; ALL needs no balance;
//                PLAIN is an EXPR without reserved words, TYPES one without relations, or after '=' a list of them; REST is all up to the ';' or the end
//                of the line; DIGITS are numbers and ','; PATH is all without a blank, of words and '.', '/', '-'
//   NAME1 1:a|b  the same, whose text is "$1" in "message" and "fix"; 1< .. >1 are several elements whose text is "$1"
//   ?x !x <!x    x or nothing; the next token is not x; the last one is not x
//   {? .. ?}     these elements or nothing; {* .. *} is any number of times, without captures
//   .. OR ..     what is before it, or else what is behind it, which has no rewrite if it marks none
//   & &&         no blank, or no new line, comes between the two tokens
//   ~ .. ~       the reported text, otherwise the token at "^"
//   $ .. $       text that is replaced by the next part of "fix", of which the parts are separated by '|'; the last part is for all that follow
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
    // Words, of which the statement begins with one, or "!word": with none of these; "": any.
    const char *in;
    // Tokens that could follow, "a|b": one of them, "!a": which could not; see "states" in slips.c.
    const char *needs;
    const char *pattern;
    // "$1" is what the pattern captured, "$#" the replaced text and "$~" the reported one; a letter says how it is written, see
    // "put_capture" in slips.c: "$t1" as an element type. What follows a '|' is a note. NULL: it is no slip
    const char *message;
    const char *fix;
    enum slip_then then;
};

// Reports the first of the rows that applies, of the token that begins at byte "here" of the source. "set" has the "n" tokens
// that could follow.
bool slip_rows(struct parser *p, uint32_t here, const int *set, int n, const struct slip_row *row);

// Rows by the place where they apply; {0} ends them.
extern const struct slip_row slip_at_error[];        // a syntax error
extern const struct slip_row slip_at_copy[];         // where '->' was expected
extern const struct slip_row slip_at_equals[];       // '=' or '=='
extern const struct slip_row slip_at_statement[];    // behind a word that begins no statement
extern const struct slip_row slip_at_joined[];       // the same, which '.' or '::' joins to others
extern const struct slip_row slip_at_declaration[];  // a word that begins no declaration
extern const struct slip_row slip_at_unknown[];      // the same, where no keyword is near it
extern const struct slip_row slip_at_level[];        // a declaration in a block
extern const struct slip_row slip_at_attribute[];    // a '[' that begins attributes
extern const struct slip_row slip_at_square[];       // other '['
extern const struct slip_row slip_at_brackets[];     // several pairs of brackets
extern const struct slip_row slip_at_scope[];        // '::'
extern const struct slip_row slip_at_quote[];        // a quote that begins no string
extern const struct slip_row slip_at_bits[];         // an operator on bits
extern const struct slip_row slip_at_angle[];        // a word before a '<'
extern const struct slip_row slip_at_word[];         // a word that may begin C++

#endif
