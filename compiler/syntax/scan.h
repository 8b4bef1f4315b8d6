// The parser's state, and what the scanner, the parser and the error messages share. Private to
// this module and the grammar.
#ifndef TCPC_SYNTAX_SCAN_H
#define TCPC_SYNTAX_SCAN_H

#include <stdlib.h>

#include "base/session.h"
#include "syntax/build.h"
#include "tcp.tab.h"

// The most open brackets and braces. Plans that people write stay far below.
enum { MAX_NESTING = 200 };

struct seen {
    int token;
    struct range at;
};

struct parser {
    struct session *s;
    void *scanner;
    int file;
    uint32_t pos;             // the next byte to scan
    int start;                // the pseudo token that chooses the start symbol
    bool started, stopped;    // stopped: no more tokens and no more errors
    struct seen now, before;  // the token being looked at and the one before it
    struct seen first;        // the first token of the declaration or statement
    // a "(" that the current token leaves open (see close_bracket), or token 0
    struct seen unclosed;
    struct seen open[MAX_NESTING];
    int nopen;
    uint32_t skip_end;     // tokens that begin before are part of what was reported already
    bool manual;           // the function at hand is a manual one
    uint32_t stray_end;    // where the last stray byte ended
    struct range refused;  // a token that was reported already, and is not one that could come
    int reserved;          // a keyword that was reported as a name, or 0
    bool cpp;              // an expression of C++ was reported
    uint32_t paired;       // the ']' that was reported with its '['; 0: none
    struct list decls, comments;
    struct ast_expr *expr;
};

// the generated scanner, and the token stream that the parser reads: it adds the start token and
// follows the nesting
int tcp_scan(union TCP_YYSTYPE *val, struct range *at, struct parser *p, void *scanner);
int tcp_yylex(union TCP_YYSTYPE *val, struct range *at, struct parser *p);
void scan_begin(struct parser *p, const char *text, size_t size);
void scan_end(struct parser *p);
void *scan_memory(void *old, size_t bytes);

int scan_word(const char *word);  // the keyword's token, or ID
struct number scan_int(struct parser *p, struct range at, const char *text, size_t len);
struct number scan_float(struct parser *p, struct range at, const char *text, size_t len);
struct number scan_bad_number(struct parser *p, struct range at, const char *text, size_t len);
const char *scan_string(struct parser *p, struct range at, const char *text, size_t len);
const char *scan_open_string(struct parser *p, struct range at);
void scan_comment(struct parser *p, struct range at, bool block);
void scan_open_comment(struct parser *p, struct range at);
void scan_stray_byte(struct parser *p, struct range at, char byte);
// Handles a character that is no token: reports it and returns the token that was meant, the
// parser's silent error token, or 0 to skip it.
int scan_slip(struct parser *p, struct range at, const char *text);

// Handles a word that begins a C++ expression: reports it with its equivalent in this language, and
// skips what belongs to it. False when it does not begin one.
bool scan_foreign(struct parser *p, struct range at);

// Handles a power or a shift, which this language does not have: "1 << 10", "2 ** 10". The operator
// is at "at", and the scanner took it for "token". Returns the token for the parser.
int scan_power(struct parser *p, int token, struct range at);

// Reports a syntax error at p->now, where the parser expected one of the "n" tokens "expected".
void expected_report(struct parser *p, const int *expected, int n);
// The slip_ functions recognise a mistake, report it with what to write instead, and may skip tokens.
// They return false when they do not recognise it. Most mistakes are rows (slips.h).

// -- parts --
// The empty range at the end of "at".
struct range slip_after(struct range at);
// The source text of "at".
const char *slip_text(struct parser *p, struct range at);
// The source text from byte "at" on.
const char *slip_from(const struct parser *p, uint32_t at);
// Extends "at" past the ';' of its line; false when the line has none.
bool slip_whole_statement(struct parser *p, struct range *at);
// The text in the brackets after "at", and extends "at" to include them; NULL: there are none.
const char *slip_brackets(struct parser *p, struct range *at);
// Whether "token" can begin a kernel or a device function.
bool slip_function(int token);
// Whether "text" is an element type of this language or of others.
bool slip_type(const char *text);

// -- at a syntax error --
// A statement of another language that starts with the word "text", which is p->before.
bool slip_foreign(struct parser *p, const char *text);
// Whether p->now is a word that begins a statement.
bool slip_begins_statement(const struct parser *p);
// "cute::copy(tc, A, s);", where p->now is the first '.' or '::'.
bool slip_qualified(struct parser *p);
// "A(i//4)": a comment in brackets, where a quotient was meant.
bool slip_division(struct parser *p);
// "row(64,64 align 16": a clause after a missing ')'; "uot B" in the list of a function; "row(M,N) pitch LD".
bool slip_list(struct parser *p, const int *set, int n);
// A ';' hidden in a comment: "10 // 4;".
bool slip_comment(struct parser *p);

// -- at a word, or at a character that is no token, at "at"; p->now is the token before it --
// "A[0:32, :]"
bool slip_slice(struct parser *p, struct range at);
// "select<1,0>(s)", "Underscore{}", "cp.async.cg.shared.global", "A.layout".
bool slip_word(struct parser *p, struct range at);

static inline bool slip_one_of(int token, int a, int b) {
    return token == a || token == b;
}
static inline bool slip_has(const int *set, int n, int token) {
    for (int i = 0; i < n; i++)
        if (set[i] == token) return true;
    return false;
}
void expected_too_deep(struct parser *p, struct range at);
// the keyword's spelling, or NULL
const char *expected_word(int token);

#endif
