// Words of CUDA C++ and of CuTe, and what they are called here.
#ifndef TCPC_SYNTAX_FOREIGN_H
#define TCPC_SYNTAX_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

struct session;

// The element type that other languages call "name", or NULL.
const char *foreign_type(const char *name);

// A word of other languages where an expression stands: what is written here for it, or NULL where
// that depends, and a sentence about it, or NULL.
struct foreign {
    const char *name, *ours, *help;
};
const struct foreign *foreign_word(const char *name);
// The same where a statement stands; "ours" is then all of it, with a %s for a number in it.
const struct foreign *foreign_statement(const char *name);
// The same where a declaration stands.
const struct foreign *foreign_declaration(const char *name);

// What is written here for the C++ expression at the begin of "text": Layout<Shape<_4,_8>>{},
// Int<4>{}, make_shape(..).  NULL where it is none; "*length" is how long it is.  With "plain",
// also calls that C++ and this language write alike, such as make_shape(4,8).
const char *foreign_expression(struct session *s, const char *text, size_t size, bool plain,
                               size_t *length);

#endif
