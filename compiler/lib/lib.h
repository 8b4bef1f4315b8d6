// What the files of the library share.
#ifndef TCPC_LIB_LIB_H
#define TCPC_LIB_LIB_H

#include <stdbool.h>

#include "lib/tcpc.h"

struct session;

// Copies a structure of "size" bytes that a caller made, and that begins with its own size, from
// "from" to "to": what an older header lacks stays zero. False, after an error that calls it "name",
// if it has more that is not zero.
bool lib_copy(struct session *s, const char *name, const void *from, void *to, size_t size);

// The text of a plan of the relayout "r", with the name of its kernel; NULL after an error.
const char *lib_relayout_text(struct session *s, const struct tcpc_relayout *r, const char **kernel,
                              int *candidate);

struct param_settings;
// Copies settings of params. False after an error.
bool lib_settings(struct session *s, const struct tcpc_setting *setting, size_t n,
                  struct param_settings *out);

struct range;
struct tcpc_place lib_place(struct session *s, struct range r);

struct name_index;
// Puts the names into the result.
void lib_show_names(struct session *s, const struct name_index *index, struct tcpc_result *out);

// Answers "question" about the plan that messages call "path", or about the expression "text", in
// "*output".
enum tcpc_status lib_ask(struct session *s, const char *path, struct tcpc_text text,
                         const struct tcpc_question *question, struct tcpc_text *output);

// Executes a block of the plan that messages call "path", for result->trace.
enum tcpc_status lib_trace(struct session *s, const char *path, const struct tcpc_block *block,
                           struct tcpc_result *result);

#endif
