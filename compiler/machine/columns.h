// Indices for all threads of a block at once: a number that is the same for all of them, and a
// column of one number a thread, which is kept for as long as what it is made of stays the same.
#ifndef TCPC_MACHINE_COLUMNS_H
#define TCPC_MACHINE_COLUMNS_H

#include "index/ix.h"

struct session;

// Thread t has base + at[t]; "at" NULL: base.
struct column {
    const int64_t *at;  // good until a variable gets another value
    int64_t base;
    int64_t lo, hi;   // of at
    int64_t version;  // of at: another one when it changes
};

static inline int64_t column_value(const struct column *c, int64_t thread) {
    return c->at ? c->base + c->at[thread] : c->base;
}

struct columns;

// All variables are 0.
struct columns *columns_new(struct session *s, int64_t threads, const int64_t *sym);
void columns_free(struct columns *c);

// Params have 64 bits but for those that are named here.  False where its value has more than 32.
bool columns_narrow(struct columns *c, const struct lay_sym *y);

// The value of "e" for the threads below "active" that are not "off" (NULL: none is).  False where
// one of them has none, by an overflow of 64 bits, or of 32 bits where the widths of "e" ask for
// them.
bool columns_eval(struct columns *c, const struct ix *e, int64_t active, const bool *off,
                  struct column *out);
bool columns_overflow_32(const struct columns *c);  // the last one that had no value

// Gives variable "v" a value: the same for all threads, the thread's number, or one for each of
// those that are not "off".
void columns_set(struct columns *c, const struct ix_var *v, int64_t value);
void columns_set_thread(struct columns *c, const struct ix_var *v);
// Whether its values for those threads are of "bits", which is from now on its width; 0: any are.
bool columns_hold(struct columns *c, const struct ix_var *v, int bits, int64_t active,
                  const bool *off);
void columns_let(struct columns *c, const struct ix_var *v, const struct column *value,
                 const bool *off);
// Adds to it.  False on overflow.
bool columns_add(struct columns *c, const struct ix_var *v, const struct column *by,
                 const bool *off);

#endif
