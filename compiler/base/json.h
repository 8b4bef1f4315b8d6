// A strict reader for JSON (RFC 8259) from untrusted sources, with limits of depth and size.
#ifndef TCPC_BASE_JSON_H
#define TCPC_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum { JSON_DEPTH = 64, JSON_VALUES = 1 << 20 };

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT };

struct json_value {
    enum json_kind kind;
    bool whole;        // NUMBER: an integer that fits into "number"
    int64_t number;    // NUMBER, if "whole"; BOOL: 0 or 1
    const char *text;  // TEXT: its value; NUMBER: as it is written
    const char *key;   // its key, if it is a member of an object
    // first: the first value in a LIST or OBJECT; next: the value after this one
    const struct json_value *first, *next;
};

struct json_error {
    const char *what;
    int line, column;  // counted from 1; columns are bytes
};

// Parses "size" bytes of "text".  Returns NULL and fills "e" if they are not exactly one JSON value
// or exceed the limits above.  Also refuses an object that has a key twice, and U+0000 in a string.
const struct json_value *json_read(struct arena *a, const char *text, size_t size,
                                   struct json_error *e);

// The member "key" of "v"; NULL if "v" is not an object or has no such member.
const struct json_value *json_member(const struct json_value *v, const char *key);

#endif
