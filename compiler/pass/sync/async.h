// Advice for an asynchronous copy that cannot have the required width.
#ifndef TCPC_PASS_SYNC_ASYNC_H
#define TCPC_PASS_SYNC_ASYNC_H

#include <stdbool.h>

struct session;
struct kernel;
struct copy;
struct atom;

// Notes, after the error that "atom" cannot do copy "c", what could.  Requires facts.bits.
void async_advise(struct session *s, const struct kernel *k, const struct copy *c,
                  const struct atom *atom);
// Notes which instruction could do it as it is: the last resort, after all other notes.
void async_instead(struct session *s, const struct copy *c, const struct atom *atom);

// Whether "atom" can do the accesses at the edge of "c"; reports an error if not.  Requires
// facts.edge_bits.
bool async_edge(struct session *s, const struct kernel *k, const struct copy *c,
                const struct atom *atom);
// The same without an error.
bool async_edge_fits(const struct copy *c, const struct atom *atom);

#endif
