// The layout calculator: applies operations by name to values, and reads and prints values.
//
// It is separate from the algebra because it works on values of several kinds and on text.
// Expressions have the language's syntax; sema evaluates them by these operations.
#ifndef TCPC_LAYOUT_CALC_H
#define TCPC_LAYOUT_CALC_H

#include "layout/algebra.h"

enum calc_kind {
    CALC_NONE,    // no value: an error was recorded in the context
    CALC_INT,     // tuple->leaf
    CALC_TUPLE,   // tuple, may hold "_"
    CALC_LAYOUT,  // layout
    CALC_VIEW,    // offset + layout, as slices give
    CALC_TILER,   // <..> or _
    CALC_BOOL,
    CALC_SWIZZLE,  // Sw<b,m,s>
    CALC_NAME,     // LayoutLeft, LayoutRight
    CALC_BITS,     // 16b, the width of an element
};

struct calc_value {
    enum calc_kind kind;
    const struct lay_tuple *tuple;
    struct lay layout;
    struct lay_sum offset;
    const struct lay_tiler *tiler;
    bool truth;
    struct lay_swizzle swizzle;
    const char *name;
    int64_t bits;
};

enum calc_style { CALC_STYLE_TCP, CALC_STYLE_CUTE, CALC_STYLE_PYCUTE };

// The hook for steps of an evaluation: "rule" says what was done, "result" is the text of the
// result.
typedef void calc_step_fn(void *user, int depth, const char *rule, const char *result);

struct calc_options {
    calc_step_fn *step;  // NULL: none
    void *user;
};

// Where an operation exists.
enum calc_where {
    IN_BOTH,  // plans and `tcpc eval`
    IN_CUTE,  // only `tcpc eval`: another name of CuTe for something, or a separate function there
    IN_PLAN,  // only plans: it needs kernels, copies or tensors
};

struct calc_operation {
    const char *name;
    // the arguments, such as "(L [, mode])", and a line of help
    const char *args, *help;
    enum calc_where where;
    int min, max;  // arguments
};

// The "i"-th operation in the order of names; false when there are no more.
bool calc_operation(int i, struct calc_operation *out);
// The operation of that name; "out" may be NULL.
bool calc_known(const char *name, struct calc_operation *out);

// Applies the operation "op" to "n" arguments.  The kind of the result is CALC_NONE if it does not
// apply.
struct calc_value lay_calc(struct lay_ctx *, const char *op, int n, const struct calc_value *arg);

// Reads all of "text": a value as calc_text prints it in the TCP style.  Unknown names become
// params.
struct calc_value calc_read(struct lay_ctx *, const char *text);

struct calc_value calc_of_int(struct lay_ctx *, struct lay_int);
struct calc_value calc_of_tuple(struct lay_ctx *, const struct lay_tuple *);
struct calc_value calc_of_layout(struct lay);
struct calc_value calc_of_tiler(const struct lay_tiler *);
struct calc_value calc_of_bool(bool);
// The value as a layout; a shape counts as one.  Invalid, with the reason, if it is none.
struct lay calc_layout(struct lay_ctx *, struct calc_value);

// The text of a value.  NULL, with the context's error, for the C++ type of a value that is not
// static.
const char *calc_text(struct lay_ctx *, struct calc_value, enum calc_style);
// The values of a layout at each coordinate: for rank 2 as a grid whose rows are mode 0, otherwise
// as a list.  NULL, with the reason, if it is not static or has more than 4096 entries.
const char *calc_table(struct lay_ctx *, struct calc_value);

#endif
