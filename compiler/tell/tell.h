// What the commands tell of a plan, as text: the command line and the library share it.  Errors go
// to option_error.
#ifndef TCPC_TELL_TELL_H
#define TCPC_TELL_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include "draw/draw.h"
#include "layout/calc.h"
#include "tell/params.h"

struct buf;
struct compiled;
struct session;

struct explain_request {
    const char *plan;  // its name, for messages
    const char *name;  // of what is explained; NULL: everything
    // the two kernels that are compared; NULL: none
    const char *const *equivalent;
    bool source, json;
    struct param_settings params;
};
// Appends what `tcpc explain` prints of the plan "c", which has done all steps.  Returns the exit
// status; the text is to be printed if there is some, whatever that is.
int tell_explain(struct session *s, const struct compiled *c, const struct explain_request *r,
                 struct buf *out);

// The same for `tcpc count`, of a kernel, or of all.
int tell_count(struct session *s, const struct compiled *c, const char *kernel, bool json,
               const struct param_settings *params, struct buf *out);

struct drawing_request {
    const char *path;  // of the plan; NULL: "name" is an expression
    const char *name;  // of what is drawn; NULL of a plan: an error says which there are
    const char *view;  // NULL: what is usual
    const char *type;  // of the elements; NULL: not given
    struct param_settings params;
    int64_t thread;
    bool threaded;  // "thread" is given
    bool values;
    enum draw_format format;
    bool color;
    int wide;  // columns of the terminal; 0: none
};
// Appends what `tcpc draw` draws.  Compiles the plan itself, as far as that is needed.  Returns the
// exit status.
int tell_drawing(struct session *s, const struct drawing_request *q, struct buf *out);

struct eval_request {
    enum calc_style as;
    bool steps, table, json;
};
// Appends what `tcpc eval` prints of the expression "text".  Returns NULL, or why it has no value.
const char *tell_value(struct session *s, const char *text, const struct eval_request *r,
                       struct buf *out);

#endif
