// What `tcpc explain` tells about a plan: one structure, made from the plan and the facts of its
// passes, and the printers for it.  Makes no decisions: it reads what the compiler keeps.
#ifndef TCPC_EXPLAIN_EXPLAIN_H
#define TCPC_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

struct ast_file;
struct buf;
struct explanation;
struct kir;
struct plan;
struct session;

// Explains "p" after its passes, which made "ir".  "name" selects a FUNCTION, a LABEL,
// FUNCTION.LABEL or FUNCTION:LINE; NULL: everything.  Costs that depend on params are for the
// values "value" (by lay_sym.id); NULL: for some values.  "fixed": without kernels for other numbers
// of devices than these, or NULL.  Reports an error and returns NULL if "name" selects nothing.
const struct explanation *explain_plan(struct session *s, const struct plan *p,
                                       const struct kir *ir, const char *name, const int64_t *value,
                                       const int64_t *fixed);

// What any plan of a relayout accesses of a tensor.
struct explain_least {
    const char *tensor;
    int64_t bytes, sectors;
};
// Sets "out" to that of the source and of the destination of the planned kernel "k", for these values
// of params (by lay_sym.id; NULL: it has none).  Returns false if it is not known.
struct kernel;
bool explain_least(struct session *s, const struct kernel *k, const int64_t *value,
                   struct explain_least out[2]);

// Prints for people: a paragraph and a table for each copy.
void explain_print(struct session *s, const struct explanation *e, struct buf *out);
enum { EXPLAIN_SCHEMA = 1 };  // the version of the fields
// Prints for programs; docs/explain-json.md describes the fields.
void explain_print_json(struct session *s, const struct explanation *e, struct buf *out);

// The source of "p", which was read from "file", with every choice written down and its imports
// inserted.  It compiles to the same code "ir".  Reports errors and returns NULL if the result does
// not parse.
const char *explain_source(struct session *s, const struct plan *p, const struct kir *ir,
                           const struct ast_file *file);

#endif
