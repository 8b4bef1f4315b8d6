// Texts of the outside (names of files, words of the command line, comments of a plan) as they
// are in what tcpc writes.  One function a language, so that nothing in a name is taken for that
// language's own.
#ifndef TCPC_BASE_ESCAPE_H
#define TCPC_BASE_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;

// Decodes the character at "p" (before "end"): its code point, and its length in "len".  Returns -1
// for a byte that starts no character of well-formed UTF-8.
int32_t utf8_decode(const unsigned char *p, const unsigned char *end, int *len);
// Whether character "c" (-1: no character) is one that a terminal, an editor or a reader of XML
// takes for a command, or refuses: control characters, ends of lines, marks that turn the direction
// of writing.
int utf8_is_control(int32_t c);

// "text" as one line for people: what is a control character or no UTF-8 becomes <XX> a byte.
void buf_shown(struct buf *b, const char *text, size_t len);
const char *shown(struct arena *a, const char *text);
// The same between the quotes of a C string.
const char *shown_in_string(struct arena *a, const char *text);
// "text" as a JSON string, in quotes; bytes that are no UTF-8 become U+FFFD.
void buf_json_string(struct buf *b, const char *text);

#endif
