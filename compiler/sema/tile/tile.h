// Atoms, tiled copies and index maps.
#ifndef TCPC_SEMA_TILE_TILE_H
#define TCPC_SEMA_TILE_TILE_H

#include "sema/state.h"

// atom.c
bool atom_known(const char *name);
// Reports how the atom "name", which takes a width, is written.
const struct value *atom_uncalled(struct sema *c, const char *name, struct range at);
const struct value *atom_call(struct sema *c, const char *name, const struct ast_expr *e);
// An atom without a width, "name" or "name(TYPE)".
const struct value *atom_fixed(struct sema *c, const char *name, const struct ast_expr *e);
// The text "m16n8k16.f32" if "e" is such a name; otherwise NULL.
const char *atom_written(struct sema *c, const struct ast_expr *e);
// Whether "row" can move elements of "elem_bits"; reports an error otherwise.
bool atom_takes(struct sema *c, const struct atom_row *row, int elem_bits, struct range at);
// Whether there are atoms 'NAME.PART'.  atom_of_family reports an unknown or missing part.
bool atom_family(struct sema *c, const char *name);
const struct value *atom_of_family(struct sema *c, const char *name, const char *part,
                                   struct range at);
// The atom that "e" names, such as 'cp_async.cg', or NULL.
const char *atom_member(struct sema *c, const struct ast_expr *e);
// Whether atom "a" can do copy "y", by its spaces and architecture.
bool atom_check_copy(struct sema *c, const struct atom *a, const struct copy *y);

// hints.c
// Reads "ld=" or "st=" into "a"; reports hints that the atom does not have.
bool atom_hints(struct sema *c, const struct ast_arg *arg, bool ld, struct atom *a);
// Whether copy "y" has accesses to which the hints of "a" apply.
bool atom_check_hints(struct sema *c, const struct atom *a, const struct copy *y);

// tile.c
const struct value *tile_call(struct sema *c, const struct ast_expr *e);
// copy .. by "e", where "e" is a layout of (thread, value) in everything that "y" copies.  Accesses
// are as wide as can be proven.
const struct value *tile_by(
    struct sema *c, const struct ast_expr *e,
    const struct copy *y);  // copy .. with "atom", whose row says that one thread makes all of it.
const struct value *tile_alone(struct sema *c, const struct atom *atom, struct range at,
                               const struct copy *y);
// Whether "tc" can move elements of type "elem"; reports an error at "at" otherwise.
bool tile_check_elem(struct sema *c, const struct tiled_copy *tc, const struct elem_type *elem,
                     struct range at);

// Whether the plan's tiles so far, with "steps" more, are few enough to be enumerated; reports an
// error at "at" otherwise.
bool tile_spend(struct sema *c, int64_t steps, struct range at);
// Whether each element of the tile belongs to one thread and value, or all to equally many threads;
// reports at "at" the first one that does not.
bool tile_check_owners(struct sema *c, const struct tiled_copy *tc, struct range at);
// Whether copy "y" with a tiled copy writes each element once; reports two owners of an element.
bool tile_check_writes(struct sema *c, const struct copy *y);

// Whether the layout "l" numbers its places 0 .. size-1, each once; reports "what" at "at"
// otherwise.
bool tile_check_numbering(struct sema *c, struct lay l, struct range at, const char *what,
                          const char *noun);

// Whether the threads and values of "tc" are within the limits of a block and a tile, and the
// plan's tiles together within theirs; reports an error at "at" otherwise.
bool tile_check_size(struct sema *c, const struct tiled_copy *tc, struct range at);

// Sets the TV layout of "tc" to "v", for a tile of shape "shape".  "what", at "at", is where it
// comes from in messages.
bool tile_set_tv(struct sema *c, const struct value *v, struct range at, const char *what,
                 const struct lay_tuple *shape, struct tiled_copy *tc);

// sides.c
// Sets what a thread of "tc" reads and writes; "tc" must be complete otherwise.  Reports errors at
// "at". "like": the operand whose layout it has, or NULL.
bool tile_sides(struct sema *c, struct tiled_copy *tc, const struct value *like, struct range at);

// map.c
// Fills "tc" from the index map "e".  The tile has the shape "shape", given at "shape_at"; if that
// is NULL, it is what the map fills.  Reports errors and returns false.
bool tile_by_map(struct sema *c, const struct ast_expr *e, const struct lay_tuple *shape,
                 struct range shape_at, struct tiled_copy *tc);
// Sets "threads" to the number of threads of the map "e"; reports wrong names or ranges and returns
// false.
bool map_threads(struct sema *c, const struct ast_expr *e, int64_t *threads);

// map_copy.c
// The tiled copy for copy "y" with the index map "e".
const struct value *map_copy(struct sema *c, const struct ast_expr *e, const struct copy *y);

// mma.c
struct call;  // sema/expr/expr.h
const struct value *mma_call(struct sema *c, const struct call *call);
// operand_A(mma) and its like: a layout that knows which operand it is.
const struct value *operand_call(struct sema *c, const struct call *call);
// like=operand_A(mma), CuTe's make_tiled_copy_A: fills in "tc" from the operand.
bool mma_tile(struct sema *c, const struct ast_expr *e, struct tiled_copy *tc);
// Notes which tile would give a thread "times" the number of values, "has", that it has of the
// operand.
void mma_note_wider(struct sema *c, const struct tiled_mma *x, int operand, int64_t has,
                    int64_t times);
void declare_mma(struct sema *c, const struct ast_decl *d);

#endif
