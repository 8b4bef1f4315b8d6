// Words of CUDA C++, CuTe, Triton and numpy, and their equivalents in this language.
#ifndef TCPC_SYNTAX_FOREIGN_H
#define TCPC_SYNTAX_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

struct session;

// The element type that other languages call "name", or NULL.
const char *foreign_type(const char *name);
// The type of bits that moves what other languages call "name" and this one has no numbers for: of
// "bool" and "complex64"; or NULL.
const char *foreign_bits(const char *name);
// What to write for the type "name" of other languages, as "did you mean 'f16'?", with the one type
// that takes its place in "*ours" (NULL: there is not just one); NULL if the name is not known.
const char *foreign_type_help(struct session *s, const char *name, const char **ours);
// The element type of the vector type "name" ("float4" has elements of f32), with their number in
// "*parts"; or NULL.
const char *foreign_vector(const char *name, int *parts);

// A word of another language that stands in the place of an expression. "ours" is how this language
// writes it, or NULL when that depends on the context. "help" is a sentence about it, or NULL. A %s
// in "ours" stands for the argument that follows.
struct foreign {
    const char *name, *ours, *help;
};
const struct foreign *foreign_word(const char *name);
// The same in the place of a statement; "ours" is then the complete statement. When it has both
// "ours" and "help", "ours" applies to manual functions only.
const struct foreign *foreign_statement(const char *name);
// The same in place of a declaration.
const struct foreign *foreign_declaration(const char *name);
// The same after a copy, a loop's range or a function's list of formals.
const struct foreign *foreign_clause(const char *name);
// The same after the '.' of a value; a %s in "ours" stands for the value.
const struct foreign *foreign_part(const char *name);
// The keyword that other languages call "name", or NULL.
const char *foreign_keyword(const char *name);
// The argument of 'tile' that others call "name", or NULL.
const char *foreign_argument(const char *name);
// Whether "name" is a module that holds the functions of another language, as in cute.size(A).
bool foreign_module(const char *name);
// The name of an MMA atom of CuTe in this language: m16n8k16.f32.f16.f16.f32 for
// SM80_16x8x16_F32F16F16F32_TN. NULL when "name" is not one.
const char *foreign_mma(struct session *s, const char *name);

// Translates the C++ expression at the start of "text": Layout<Shape<_4,_8>>{}, Int<4>{},
// make_shape(..). Returns NULL when there is none; "*length" gets its length in bytes. With
// "plain", also accepts calls that C++ and this language write alike, such as make_shape(4,8).
const char *foreign_expression(struct session *s, const char *text, size_t size, bool plain,
                               size_t *length);

// The text in the brackets, of any kind, at the start of "text", without outer blanks. "*length"
// gets the length in bytes up to the closing bracket. NULL when they do not close within the
// statement.
const char *foreign_brackets(struct session *s, const char *text, size_t size, size_t *length);
// Splits "text" at its commas into "part" and returns the number of parts; 0 when one is empty or
// there are more than "most".
int foreign_parts(struct session *s, const char *text, const char **part, int most);

#endif
