// Variants of a kernel: how pass "vectorize" handles what a plan does not promise.
#ifndef TCPC_PASS_VECTORIZE_VARIANTS_H
#define TCPC_PASS_VECTORIZE_VARIANTS_H

#include "pass/vectorize/assume.h"

enum { VARIANT_BYTES = 16 };  // the widest access

// Makes the variants of "k", and the widths of its copies in each.  @pre the copies are measured,
// and their modes are still those of pass "partition"
void make_variants(struct session *s, const struct plan *p, struct kernel *k);

// Notes, with fix-its, how to promise the facts in "list".  "then" says what the effect is.
void note_promises(struct session *s, const struct kernel *k, const struct conditions *list,
                   const char *then);

// -- by vectorize.c -------------------------------------------------------------------------------

// The facts of "c" if unpromised values are multiples of "bytes".  "list" (or NULL) collects the
// assumptions that its width needs.
struct copy_facts vectorize_facts(struct session *s, const struct kernel *k, const struct copy *c,
                                  int64_t bytes, struct conditions *list);
// The same for variant "v" of the kernel, whose conditions hold even without assumptions.
struct copy_facts vectorize_variant(struct session *s, const struct kernel *k, const struct copy *c,
                                    int64_t bytes, const struct variant *v);
// Removes the elements of an access from the modes.
void vectorize_finish(struct session *s, const struct copy *c, struct copy_facts *f);

#endif
