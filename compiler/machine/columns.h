// Indices for all threads of a block at once: a number common to all threads, plus a column with a
// number for each thread.  A column is kept as long as its operands do not change.
#ifndef TCPC_MACHINE_COLUMNS_H
#define TCPC_MACHINE_COLUMNS_H

#include "index/ix.h"

struct session;

// Thread t has the value base + at[t]; if "at" is NULL, it has base.
struct column {
    const int64_t *at;  // valid until a variable gets a new value
    int64_t base;
    int64_t lo, hi;   // range of the numbers in "at"
    int64_t version;  // of "at": changes whenever it changes
};

static inline int64_t column_value(const struct column *c, int64_t thread) {
    return c->at ? c->base + c->at[thread] : c->base;
}

struct columns;

// Initially all variables are 0.
struct columns *columns_new(struct session *s, int64_t threads, const int64_t *sym);
void columns_free(struct columns *c);

// Params have 64 bits, except those given here, which have 32.  Returns false if the value of "y"
// does not fit.
bool columns_narrow(struct columns *c, const struct lay_sym *y);

// Evaluates "e" for the threads below "active" that are not "off" (NULL: none is off).  Returns
// false if one of them has no value: on overflow of 64 bits, or of 32 bits where the widths of "e"
// require them.
bool columns_eval(struct columns *c, const struct ix *e, int64_t active, const bool *off,
                  struct column *out);
// the reason of the last failure
bool columns_overflow_32(const struct columns *c);

// Set variable "v": to a value common to all threads, to the number of the thread, or to a value
// for each thread that is not "off".
void columns_set(struct columns *c, const struct ix_var *v, int64_t value);
void columns_set_thread(struct columns *c, const struct ix_var *v);
// Sets the width of "v" to "bits" (0: unlimited).  Returns whether its values for those threads
// fit.
bool columns_hold(struct columns *c, const struct ix_var *v, int bits, int64_t active,
                  const bool *off);
void columns_let(struct columns *c, const struct ix_var *v, const struct column *value,
                 const bool *off);
// Adds "by" to "v".  Returns false on overflow.
bool columns_add(struct columns *c, const struct ix_var *v, const struct column *by,
                 const bool *off);

#endif
