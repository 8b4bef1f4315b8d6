// The layout calculator: applies operations by name to values, and reads and prints values.
//
// It is separate from the algebra because it deals in values of several kinds and in text.
// Expressions are the language's: sema evaluates them by these operations.
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

// A step of an evaluation: "rule" says what was done, "result" is printed in the tcp style.
typedef void calc_step_fn(void *user, int depth, const char *rule, const char *result);

struct calc_options {
    calc_step_fn *step;  // NULL: none
    void *user;
};

// Who has an operation.
enum calc_where {
    IN_BOTH,  // plans and `tcpc eval`
    IN_CUTE,  // `tcpc eval` alone: what CuTe calls otherwise, or has as a function of its own
    IN_PLAN,  // plans alone: it is of kernels, of their copies or of tensors
};

struct calc_operation {
    const char *name;
    const char *args, *help;  // "(L [, mode])" and what it is, in a line
    enum calc_where where;
    int min, max;  // arguments
};

// The "i"-th operation in the order of names; false when there are no more.
bool calc_operation(int i, struct calc_operation *out);
// The operation of that name; "out" may be NULL.
bool calc_known(const char *name, struct calc_operation *out);

// Applies the operation "op" to "n" arguments.  The result has kind CALC_NONE when it does not
// apply.
struct calc_value lay_calc(struct lay_ctx *, const char *op, int n, const struct calc_value *arg);

// Reads the whole of "text": a value as calc_text prints it in its own style.  What is no param yet
// becomes one.
struct calc_value calc_read(struct lay_ctx *, const char *text);

struct calc_value calc_of_int(struct lay_ctx *, struct lay_int);
struct calc_value calc_of_tuple(struct lay_ctx *, const struct lay_tuple *);
struct calc_value calc_of_layout(struct lay);
struct calc_value calc_of_tiler(const struct lay_tiler *);
struct calc_value calc_of_bool(bool);
// The value as a layout, of which a shape alone is one; invalid, with the reason, when it is none.
struct lay calc_layout(struct lay_ctx *, struct calc_value);

// The text of a value; NULL, with the context's error, for a C++ type of what is not static.
const char *calc_text(struct lay_ctx *, struct calc_value, enum calc_style);
const char *calc_json(struct lay_ctx *, struct calc_value);
// The values at each coordinate, rank 2 as a grid with rows of mode 0, else a list; NULL with the
// reason when it is not static or has more than 4096 entries.
const char *calc_table(struct lay_ctx *, struct calc_value);

#endif
