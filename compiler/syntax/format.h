// Canonical formatting of a plan, for `tcpc fmt`.
#ifndef TCPC_SYNTAX_FORMAT_H
#define TCPC_SYNTAX_FORMAT_H

struct session;

// Parses the source "file" of the session and returns it formatted, in the session's arena; NULL,
// with the errors reported, when it does not parse.  Every comment is kept; formatting what was
// formatted changes nothing.
char *format_source(struct session *s, int file);

#endif
