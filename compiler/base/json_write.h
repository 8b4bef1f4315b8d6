// Writes JSON: the writer puts commas, line breaks and quotes.
#ifndef TCPC_BASE_JSON_WRITE_H
#define TCPC_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

enum json_style {
    JSON_LINES,  // each value on a line of its own, indented by 2 for each bracket
    JSON_ROW,    // {"a": 1, "b": [2, 3]}
    JSON_TIGHT,  // {"a":1,"b":[2,3]}
};

struct json {
    struct buf *b;
    enum json_style style;
    int depth;
    bool more;   // something was written in the innermost bracket
    bool apart;  // json_line was called
    int indent;
};

static inline struct json json_to(struct buf *b, enum json_style style) {
    return (struct json){b, style, 0, false, false, 0};
}
// "key" is that of a member of an object; in a list it is NULL.
void json_enter(struct json *j, const char *key, char bracket);     // '{' or '['
void json_leave(struct json *j, char bracket);                      // '}' or ']'
void json_text(struct json *j, const char *key, const char *text);  // NULL: null
void json_int(struct json *j, const char *key, int64_t n);
void json_real(struct json *j, const char *key, double x, int digits);
void json_bool(struct json *j, const char *key, bool x);
// What comes next, a value or the end of a list, is on a new line, indented by "indent".
void json_line(struct json *j, int indent);

#endif
