// What the two files of the calculator's reader share.
#ifndef TCPC_LAYOUT_READ_H
#define TCPC_LAYOUT_READ_H

#include "layout/calc_impl.h"

struct reader {
    struct lay_ctx *ctx;
    const char *text, *p;
    int depth;
    const struct calc_options *options;
};

struct operands {
    int n;
    struct calc_value v[LAY_MAX_RANK];
};

// Each skips white space first.  take: whether "s" is there, and then goes past it.
void reader_skip(struct reader *r);
bool reader_take(struct reader *r, const char *s);
char reader_peek(struct reader *r);
bool reader_number(struct reader *r, int64_t *out);
bool reader_in_word(char c);
// An error that names what was wanted here; calc_none().
struct calc_value reader_syntax(struct reader *r, const char *want);
// Elements up to "close", with a trailing comma as Python has it.
bool reader_list(struct reader *r, const char *close, struct operands *list);
// Whether "v" may be an element of a tuple, and the tuple of several.
bool reader_in_tuple(struct calc_value v);
struct calc_value reader_as_tuple(struct reader *r, const struct operands *list);
struct calc_value reader_expression(struct reader *r);
// @pre a letter or an underscore is there
struct calc_value reader_word(struct reader *r);

#endif
