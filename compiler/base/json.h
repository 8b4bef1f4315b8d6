// Reading JSON (RFC 8259) from anywhere: strictly, within limits of depth and size.
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
    bool whole;                             // NUMBER: an integer that "number" holds
    int64_t number;                         // BOOL: 0 or 1
    const char *text;                       // TEXT; NUMBER as it is written
    const char *key;                        // of a member of an object
    const struct json_value *first, *next;  // of the values in a LIST or OBJECT
};

struct json_error {
    const char *what;
    int line, column;  // from 1 on, in bytes
};

// Reads the "size" bytes of "text".  Returns NULL, with "e" filled in, where they are not one value
// of JSON, or go beyond the limits above.  Refused are also a key that an object has twice, and
// U+0000 in a text.
const struct json_value *json_read(struct arena *a, const char *text, size_t size,
                                   struct json_error *e);

// The member "key" of "v"; NULL where "v" is no object or has none.
const struct json_value *json_member(const struct json_value *v, const char *key);

#endif
