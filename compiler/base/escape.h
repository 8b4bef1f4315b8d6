// Escapes text that comes from outside (names of files, words of the command line, comments of a
// plan) for what tcpc writes.  There is one function for each output language, so that no character
// of a name has a meaning in that language.
#ifndef TCPC_BASE_ESCAPE_H
#define TCPC_BASE_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct buf;

// Decodes the character at "p" (p < end).  Returns its code point and sets "len" to its length in
// bytes.  Returns -1 if no well-formed UTF-8 character begins there.
int32_t utf8_decode(const unsigned char *p, const unsigned char *end, int *len);
// Whether a terminal, an editor or an XML reader would treat the code point "c" as a command or
// refuse it: control characters, line ends, marks that change the direction of writing.  Also true
// for -1 (no character).
int utf8_is_control(int32_t c);

// "text" as one printable line.  Each byte of a control character or of invalid UTF-8 becomes <XX>.
void buf_shown(struct buf *b, const char *text, size_t len);
const char *shown(struct arena *a, const char *text);
// The same, for use between the quotes of a C string literal.
const char *shown_in_string(struct arena *a, const char *text);
// "text" as a JSON string with its quotes.  Bytes that are not UTF-8 become U+FFFD.
void buf_json_string(struct buf *b, const char *text);

#endif
