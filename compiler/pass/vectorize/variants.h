// Variants of a kernel: how pass "vectorize" deals with what a plan does not promise.
#ifndef TCPC_PASS_VECTORIZE_VARIANTS_H
#define TCPC_PASS_VECTORIZE_VARIANTS_H

#include "pass/vectorize/assume.h"

enum { VARIANT_BYTES = 16 };  // of the widest access that there is

// Gives "k" its variants, and its copies their widths in each.  @pre the copies are measured, and
// their modes are still those of pass "partition".
void make_variants(struct session *s, const struct plan *p, struct kernel *k);

// Notes, with fix-its, what to write into the plan so that the facts in "list" are promised; "then"
// says what is so when they are.
void note_promises(struct session *s, const struct kernel *k, const struct conditions *list,
                   const char *then);

// -- by vectorize.c -------------------------------------------------------------------------------

// The facts of "c" with its width when what is not promised is a multiple of "bytes"; "list" (or
// NULL) gets what had to be assumed for it.
struct copy_facts vectorize_facts(struct session *s, const struct kernel *k, const struct copy *c,
                                  int64_t bytes, struct conditions *list);
// The same for variant "v" of the kernel, whose conditions hold also where nothing is assumed.
struct copy_facts vectorize_variant(struct session *s, const struct kernel *k, const struct copy *c,
                                    int64_t bytes, const struct variant *v);
// Takes the elements of an access out of their modes.
void vectorize_finish(struct session *s, const struct copy *c, struct copy_facts *f);

#endif
