// Words of CUDA C++, CuTe, Triton and numpy, and what they are called here.
#ifndef TCPC_SYNTAX_FOREIGN_H
#define TCPC_SYNTAX_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

struct session;

// The element type that other languages call "name", or NULL.
const char *foreign_type(const char *name);
// The element type of the vector "name", as "float4" is one of f32, and how many it has; or NULL.
const char *foreign_vector(const char *name, int *parts);

// A word of other languages in place of an expression: what is written here for it, or NULL where
// that depends, and a sentence about it, or NULL.  A %s in "ours" is the argument that follows.
struct foreign {
    const char *name, *ours, *help;
};
const struct foreign *foreign_word(const char *name);
// The same in place of a statement; "ours" is then all of it.  With both, "ours" is for manual
// functions.
const struct foreign *foreign_statement(const char *name);
// The same in place of a declaration.
const struct foreign *foreign_declaration(const char *name);
// The same after a copy, a loop's range or a function's list.
const struct foreign *foreign_clause(const char *name);
// The same after the '.' of a value, which is the %s.
const struct foreign *foreign_part(const char *name);
// The keyword that other languages call "name", or NULL.
const char *foreign_keyword(const char *name);
// The argument of 'tile' that others call "name", or NULL.
const char *foreign_argument(const char *name);
// Whether "name" is a module that others' functions are in, as in cute.size(A).
bool foreign_module(const char *name);
// m16n8k16.f32.f16.f16.f32 for CuTe's SM80_16x8x16_F32F16F16F32_TN; NULL where it is no such name.
const char *foreign_mma(struct session *s, const char *name);

// What is written here for the C++ expression at the begin of "text": Layout<Shape<_4,_8>>{},
// Int<4>{}, make_shape(..).  NULL where it is not one; "*length" is how long it is.  With "plain",
// also calls that C++ and this language write alike, such as make_shape(4,8).
const char *foreign_expression(struct session *s, const char *text, size_t size, bool plain,
                               size_t *length);

// The text in the brackets, of any kind, that "text" begins with, blanks aside; "*length" is how far
// they reach.  NULL where they do not close in the statement.
const char *foreign_brackets(struct session *s, const char *text, size_t size, size_t *length);
// The parts of "text" between its commas; 0 where one is empty or there are more than "most".
int foreign_parts(struct session *s, const char *text, const char **part, int most);

#endif
