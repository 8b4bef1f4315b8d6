// What an expression of a plan evaluates to.  Values are immutable and live in the session's arena;
// a value of kind VAL_NONE stands for an expression whose error is reported, and everything made of
// it is VAL_NONE in silence.
#ifndef TCPC_SEMA_EXPR_VALUE_H
#define TCPC_SEMA_EXPR_VALUE_H

#include "layout/calc.h"
#include "plan/plan.h"

enum value_kind {
    VAL_NONE,
    VAL_INT,     // ix: static, of params, or known only when the kernel runs
    VAL_WILD,    // _
    VAL_RANGE,   // ix .. end, which is not included
    VAL_TUPLE,   // kid
    VAL_CALC,    // calc: a layout, tiler, swizzle, truth value, offset + layout, basis element
    VAL_VIEW,    // view
    VAL_ATOM,    // atom
    VAL_TILED,   // tc
    VAL_MMA,     // mma
    VAL_ELEM,    // elem
    VAL_KERNEL,  // kernel
    VAL_COPY,    // copy, a label
    VAL_SIDE,    // copy and dst: ld.src, ld.dst
    VAL_PROP     // prop of copy or kernel: known only when the passes have run
};

struct value {
    enum value_kind kind;
    const struct ix *ix, *end;
    int rank;  // VAL_TUPLE, with the numbers of leaves and of levels below
    int leaves, depth;
    const struct value *const *kid;
    const char *const *names;  // of a tuple's parts or a layout's modes, or NULL
    struct calc_value calc;
    struct view view;
    const struct atom *atom;
    const struct tiled_copy *tc;
    const struct tiled_mma *mma;  // of a layout that is one of its operands too, else NULL
    int operand;                  // enum mma_operand, of such a layout
    const struct elem_type *elem;
    const struct kernel *kernel;
    const struct copy *copy;
    bool dst;
    enum property prop;
};

extern const struct value value_none;

struct sema;

const struct value *value_int(struct sema *c, const struct ix *ix);
// The same of what is computed at "at"; reports what is too long when it is written out.
const struct value *value_written_out(struct sema *c, const struct ix *ix, struct range at);
const struct value *value_range(struct sema *c, const struct ix *begin, const struct ix *end);
const struct value *value_static(struct sema *c, int64_t i);
const struct value *value_lay_int(struct sema *c, struct lay_int i);  // also a basis element
// Reports at "at" and gives VAL_NONE when the tuple is larger than LAY_MAX_LEAVES or deeper than
// LAY_MAX_DEPTH.
const struct value *value_tuple(struct sema *c, int rank, const struct value *const *kid,
                                struct range at);
const struct value *value_of_tuple(struct sema *c, const struct lay_tuple *t);
const struct value *value_calc(struct sema *c, struct calc_value v);
const struct value *value_layout(struct sema *c, struct lay l);
const struct value *value_bool(struct sema *c, bool truth);
const struct value *value_view(struct sema *c, struct view v);

// A tuple of one, however deep, as what it holds: (x) is x in arithmetic; (m=x) is not.
const struct value *value_unwrap(const struct value *v);
bool value_is_layout(const struct value *v);
bool value_is_bool(const struct value *v, bool *truth);
// An integer that is known when compiling; does not report.
bool value_is_static(const struct value *v, int64_t *out);

// The value as another type.  "what" is the subject of the message when it cannot: "the extent of
// mode 1".  They use positions, and report a tuple with names: who takes names has put its parts
// into their order (names.c).
bool value_to_int64(struct sema *c, const struct value *v, struct range at, const char *what,
                    int64_t *out);
bool value_to_lay_int(struct sema *c, const struct value *v, struct range at, const char *what,
                      struct lay_int *out);
// The same, where a sum of such may be.
bool value_to_lay_sum(struct sema *c, const struct value *v, struct range at, const char *what,
                      struct lay_sum *out);
const struct lay_tuple *value_to_tuple(struct sema *c, const struct value *v, struct range at,
                                       const char *what);
// An integer or a tuple is the compact column-major layout of that shape.
struct lay value_to_layout(struct sema *c, const struct value *v, struct range at,
                           const char *what);
// Notes that an expression has the layout of the view "v" as a value.
void value_layout_read(struct sema *c, const struct value *v);
const struct lay_tiler *value_to_tiler(struct sema *c, const struct value *v, struct range at,
                                       const char *what);
bool value_to_calc(struct sema *c, const struct value *v, struct range at, const char *what,
                   struct calc_value *out);

const char *value_kind_text(const struct value *v);             // "a layout"
const char *value_text(struct sema *c, const struct value *v);  // as it is written

#endif
