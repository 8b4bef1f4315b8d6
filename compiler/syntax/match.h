// Patterns of tokens, as slips.h describes them. Private to slips.c and match.c.
#ifndef TCPC_SYNTAX_MATCH_H
#define TCPC_SYNTAX_MATCH_H

#include "syntax/scan.h"

// So many tokens are looked at before the error, and after it. A longer statement has no begin.
enum { MOST_BEFORE = 256, MOST_AFTER = 128, MOST_FIXES = 8 };

struct token {
    uint32_t begin, end;
    bool line;  // a new line comes before
};

struct marks {
    struct range capture[10], at, fix[MOST_FIXES];
    int begin[10];  // of a capture of several elements
    int fixes;
    bool at_open, fix_open;  // a mark that is not closed yet
    bool reported;           // "at" is given
};

struct match {
    struct parser *p;
    const struct source *f;
    struct token token[MOST_BEFORE + MOST_AFTER];
    int n, here, first;  // "first": of the statement, or -1
    int end;             // behind the last matched token
    int part;            // of the pattern, between its ORs
    int steps;
    struct marks m;
};

// Reads the tokens around the one at byte "here" of the source.
void match_begin(struct match *m, struct parser *p, uint32_t here);
// Whether "pattern" fits there. Fills "m->m".
bool match_fits(struct match *m, const char *pattern);
const char *match_text(const struct match *m, struct range at);
// The declaration of "name", or NULL.
const struct ast_decl *match_declared(const struct match *m, const char *name,
                                      enum ast_decl_kind kind);
// The warning that is called "text" or begins with it and a hyphen, or NULL.
const char *match_warning(const char *text);

struct slip_row;
// Reports that "row" fits.
void slip_report(struct match *m, const struct slip_row *row);

#endif
