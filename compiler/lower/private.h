// What the files of lowering share.
#ifndef TCPC_LOWER_PRIVATE_H
#define TCPC_LOWER_PRIVATE_H

#include "kernel/kernel_ir.h"
#include "lower/names.h"
#include "plan/plan.h"

enum { MAX_DIGITS = 64 };

struct thread_digit {
    const struct ix *is;
    const struct ix_var *var;
};

struct buffer_of {
    const struct tensor *tensor;
    struct kir_buffer *buf;
};

struct lowering {
    struct session *s;
    const struct plan *plan;
    const struct kernel *kernel;
    int variant;  // of the kernel; -1: it has none
    struct names names;
    struct thread_digit digit[MAX_DIGITS];
    int ndigits;
    struct range at;         // the statement that is lowered
    struct kir_node **tail;  // where the next node goes
    struct kir_node **top;   // where the next let of the top goes
    bool hold_commits;       // who lowers the statements around makes them
    struct buffer_of *buffer;
    int nbuffers;
    bool warps;  // the kernel uses warps and lanes
};

struct kir_node *lower_node(struct lowering *w, enum kir_kind kind);
// Nodes go into "parent" from now on; gives the place to come back to.
struct kir_node **lower_open(struct lowering *w, struct kir_node *parent);
struct ix_var *lower_var(struct lowering *w, enum ix_var_kind kind, const char *name, int64_t end);
// "e" with the quotients and remainders of tid named.
const struct ix *lower_index(struct lowering *w, const struct ix *e);
struct kir_buffer *lower_buffer(struct lowering *w, const struct tensor *t);
void lower_statement(struct lowering *w, const struct stmt *st);
void lower_list(struct lowering *w, const struct stmt *list);
// Lets in the body of "loop" that are sums with a multiple of "step", which is "begin" in its first
// iteration and goes up by one, go along with the loop instead, where they lead to loads from
// global memory; as "name". "past": how far beyond its last use "step" gets.
void carry_offsets(struct lowering *w, struct kir_node *loop, const struct ix_var *step,
                   const struct ix *begin, const char *name, int64_t past);
void carry_release(struct lowering *w, const struct kir_node *loop);
void lower_pipeline(struct lowering *w, const struct stmt *st);
void lower_copy(struct lowering *w, const struct copy *c);
// A wait for all but "pending" groups of asynchronous copies; none when it is -1.
void lower_before(struct lowering *w, const struct sync_before *x);
// How many elements of "v" a fill of "k" writes in one access.
int lower_fill_elements(struct session *s, const struct kernel *k, const struct view *v);
void lower_call(struct lowering *w, const struct plan_call *y);
// The comment above copy "c".
void lower_comment(struct lowering *w, const struct copy *c);
// What "k" is called with goes into "out": tensor "f" in buffer "b", the params with the relations
// that they must keep, the parameters of a device function, the conditions of a variant.
struct kir_tensor lower_tensor(struct session *s, const struct formal *f,
                               const struct kir_buffer *b);
void lower_params(struct lowering *w, const struct plan *p, const struct kernel *k,
                  struct kir_kernel *out);
void lower_formals(struct lowering *w, const struct kernel *k, struct kir_kernel *out);
// The name of the function of a kernel, or of its variant of "bits".
const char *lower_function(struct session *s, const char *stem, int bits);
// Makes the launcher of "k", which was lowered from "plan" with its variants.
void lower_launch(struct session *s, const struct kernel *plan, struct kir_kernel *k);
// All params of "e" are params of "k".
bool lower_known(const struct kernel *k, const struct ix *e);

// fits.c: what "k" computes whose value counts and may not fit 64 bits: "e", which comes to "most",
// an expression of params, at the most, or to what is not known (NULL).
typedef void fits_found(void *user, const struct ix *e, const struct ix *most);
void lower_find_wide(struct session *s, const struct kir_kernel *k, fits_found *found, void *user);

#endif
