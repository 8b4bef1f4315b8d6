// The writer of JSON (see json_write.h).
#include "base/json_write.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/escape.h"

static void new_line(struct json *j) {
    if (!j->apart) j->indent = 2 * j->depth;
    j->apart = false;
    buf_char(j->b, '\n');
    buf_fill(j->b, ' ', j->indent);
}

// Begins a value.
static void begin(struct json *j, const char *key) {
    if (j->more) buf_char(j->b, ',');
    if (j->apart || (j->style == JSON_LINES && j->depth))
        new_line(j);
    else if (j->more && j->style == JSON_ROW)
        buf_char(j->b, ' ');
    if (key) {
        buf_json_string(j->b, key);
        buf_puts(j->b, j->style == JSON_TIGHT ? ":" : ": ");
    }
    j->more = true;
}

void json_enter(struct json *j, const char *key, char bracket) {
    begin(j, key);
    buf_char(j->b, bracket);
    j->depth++;
    j->more = false;
}

void json_leave(struct json *j, char bracket) {
    j->depth--;
    if (j->apart || (j->style == JSON_LINES && j->more)) new_line(j);
    buf_char(j->b, bracket);
    j->more = true;
}

void json_text(struct json *j, const char *key, const char *text) {
    begin(j, key);
    if (text)
        buf_json_string(j->b, text);
    else
        buf_puts(j->b, "null");
}

void json_int(struct json *j, const char *key, int64_t n) {
    begin(j, key);
    buf_printf(j->b, "%" PRId64, n);
}

void json_real(struct json *j, const char *key, double x, int digits) {
    begin(j, key);
    buf_printf(j->b, "%.*f", digits, x);
}

void json_bool(struct json *j, const char *key, bool x) {
    begin(j, key);
    buf_puts(j->b, x ? "true" : "false");
}

void json_line(struct json *j, int indent) {
    j->apart = true;
    j->indent = indent;
}
