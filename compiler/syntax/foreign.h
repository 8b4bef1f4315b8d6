// Words of CUDA C++, CuTe, Triton and numpy, and their equivalents in this language.
#ifndef TCPC_SYNTAX_FOREIGN_H
#define TCPC_SYNTAX_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

struct session;

// Where a word of another language stands.
enum foreign_place {
    FOREIGN_TYPE,         // an element type
    FOREIGN_BITS,         // a type of which this language moves the bits: "bool", "complex64"
    FOREIGN_NO_TYPE,      // a type that has no equivalent
    FOREIGN_KEYWORD,      // for a keyword
    FOREIGN_ARGUMENT,     // for the name of an argument of 'tile'
    FOREIGN_VALUE,        // for an expression; a %s in "ours" is the argument that follows
    FOREIGN_PART,         // after the '.' of a value; a %s in "ours" is the value
    FOREIGN_STATEMENT,    // "ours" is all of it, and with "help" applies to manual functions only
    FOREIGN_DECLARATION,  // for a declaration
    FOREIGN_CLAUSE,       // after a copy, a loop's range or a function's list
    FOREIGN_MODULE,       // a module of functions, as in cute.size(A)
};
struct foreign {
    const char *words;  // separated by blanks
    const char *ours;   // how this language writes them; NULL: that depends on the context
    const char *help;   // a sentence about them, or NULL
};
const struct foreign *foreign_find(enum foreign_place place, const char *word);
// What it writes for "word", or NULL.
const char *foreign_ours(enum foreign_place place, const char *word);

// The element type that other languages call "name", or NULL.
static inline const char *foreign_type(const char *name) {
    return foreign_ours(FOREIGN_TYPE, name);
}
static inline bool foreign_module(const char *name) {
    return foreign_find(FOREIGN_MODULE, name) != NULL;
}
// What to write for the type "name" of other languages, as "did you mean 'f16'?", with the one type
// that takes its place in "*ours" (NULL: there is not just one); NULL if the name is not known.
const char *foreign_type_help(struct session *s, const char *name, const char **ours);
// The element type of the vector type "name" ("float4" has elements of f32), with their number in
// "*parts"; or NULL.
const char *foreign_vector(const char *name, int *parts);
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
