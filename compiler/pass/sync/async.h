// What an asynchronous copy that cannot have its width should be instead.
#ifndef TCPC_PASS_SYNC_ASYNC_H
#define TCPC_PASS_SYNC_ASYNC_H

#include <stdbool.h>

struct session;
struct kernel;
struct copy;
struct atom;

// A note after the error that "c" cannot be done by "atom": requires facts.bits, what it could do.
void async_advise(struct session *s, const struct kernel *k, const struct copy *c,
                  const struct atom *atom);

// Whether "atom" can do the accesses of the edge of "c"; an error when not.  Requires
// facts.edge_bits.
bool async_edge(struct session *s, const struct kernel *k, const struct copy *c,
                const struct atom *atom);
// The same without an error.
bool async_edge_fits(const struct copy *c, const struct atom *atom);

#endif
