// Values of expressions in a plan.  They are immutable and allocated in the session's arena.
// VAL_NONE is the value of an expression whose error was reported; what is made from it is VAL_NONE
// without another report.
#ifndef TCPC_SEMA_EXPR_VALUE_H
#define TCPC_SEMA_EXPR_VALUE_H

#include "layout/calc.h"
#include "plan/plan.h"

enum value_kind {
    VAL_NONE,
    VAL_INT,     // ix: static, with params, or known only at run time
    VAL_WILD,    // _
    VAL_RANGE,   // ix .. end; end is exclusive
    VAL_TUPLE,   // kid
    VAL_CALC,    // calc: a layout, tiler, swizzle, truth value, offset + layout or basis element
    VAL_VIEW,    // view
    VAL_ATOM,    // atom
    VAL_TILED,   // tc
    VAL_MMA,     // mma
    VAL_ELEM,    // elem
    VAL_KERNEL,  // kernel
    VAL_COPY,    // copy, a label
    VAL_SIDE,    // side "dst" of copy: ld.src, ld.dst
    VAL_PROP     // property of copy or kernel: known only after the passes
};

struct value {
    enum value_kind kind;
    const struct ix *ix, *end;
    int rank;  // VAL_TUPLE: its rank, total leaves and depth
    int leaves, depth;
    const struct value *const *kid;
    const char *const *names;  // of the parts of a tuple or the modes of a layout, or NULL
    struct calc_value calc;
    struct view view;
    const struct atom *atom;
    const struct tiled_copy *tc;
    const struct tiled_mma *mma;  // if the layout is one of its operands; otherwise NULL
    int operand;                  // enum mma_operand, if the layout is an operand
    const struct elem_type *elem;
    const struct kernel *kernel;
    const struct copy *copy;
    bool dst;
    enum property prop;
};

extern const struct value value_none;

struct sema;

const struct value *value_int(struct sema *c, const struct ix *ix);
// The same for what is computed at "at"; reports an expression that is too long when written out.
const struct value *value_written_out(struct sema *c, const struct ix *ix, struct range at);
const struct value *value_range(struct sema *c, const struct ix *begin, const struct ix *end);
const struct value *value_static(struct sema *c, int64_t i);
const struct value *value_lay_int(struct sema *c, struct lay_int i);  // may be a basis element
// Reports an error at "at" and returns VAL_NONE if the tuple has more than LAY_MAX_LEAVES leaves or
// is deeper than LAY_MAX_DEPTH.
const struct value *value_tuple(struct sema *c, int rank, const struct value *const *kid,
                                struct range at);
const struct value *value_of_tuple(struct sema *c, const struct lay_tuple *t);
const struct value *value_calc(struct sema *c, struct calc_value v);
const struct value *value_layout(struct sema *c, struct lay l);
const struct value *value_bool(struct sema *c, bool truth);
const struct value *value_view(struct sema *c, struct view v);

// Removes parentheses around a single value: (x) is x in arithmetic; (m=x) is not.
const struct value *value_unwrap(const struct value *v);
bool value_is_layout(const struct value *v);
bool value_is_bool(const struct value *v, bool *truth);
// Whether "v" is an integer known at compile time; reports nothing.
bool value_is_static(const struct value *v, int64_t *out);

// Conversions to other types.  If one fails, "what" is the subject of the message: "the extent of
// mode 1". Conversions use positions and report a tuple with names: callers that accept names sort
// its parts first (names.c).
bool value_to_int64(struct sema *c, const struct value *v, struct range at, const char *what,
                    int64_t *out);
bool value_to_lay_int(struct sema *c, const struct value *v, struct range at, const char *what,
                      struct lay_int *out);
// The same if a sum of such values is allowed.
bool value_to_lay_sum(struct sema *c, const struct value *v, struct range at, const char *what,
                      struct lay_sum *out);
const struct lay_tuple *value_to_tuple(struct sema *c, const struct value *v, struct range at,
                                       const char *what);
// An integer or a tuple is converted to the compact column-major layout of that shape.
struct lay value_to_layout(struct sema *c, const struct value *v, struct range at,
                           const char *what);
// Records that an expression uses the layout of "t" as a value, or a `let` made from it.
void tensor_layout_read(struct sema *c, struct tensor *t);
const struct lay_tiler *value_to_tiler(struct sema *c, const struct value *v, struct range at,
                                       const char *what);
bool value_to_calc(struct sema *c, const struct value *v, struct range at, const char *what,
                   struct calc_value *out);

// such as "a layout"
const char *value_kind_text(const struct value *v);
const char *value_text(struct sema *c, const struct value *v);  // in the notation of plans

#endif
