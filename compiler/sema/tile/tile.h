// Atoms, tiled copies and index maps.
#ifndef TCPC_SEMA_TILE_TILE_H
#define TCPC_SEMA_TILE_TILE_H

#include "sema/state.h"

// atom.c
bool atom_known(const char *name);
// Says how the atom "name", which takes a width, is written.
const struct value *atom_uncalled(struct sema *c, const char *name, struct range at);
const struct value *atom_call(struct sema *c, const char *name, const struct ast_expr *e);
// An atom without a width, "name" or "name(TYPE)".
const struct value *atom_fixed(struct sema *c, const char *name, const struct ast_expr *e);
// "m16n8k16.f32" as it is written in "e"; NULL when it is no such thing.
const char *atom_written(struct sema *c, const struct ast_expr *e);
// Whether "row" moves elements of "elem_bits".
bool atom_takes(struct sema *c, const struct atom_row *row, int elem_bits, struct range at);
bool atom_later(const char *name);  // an atom of the language that is not supported yet
// Whether there are atoms 'NAME.PART'; and the error for it with a part that there is not, or none.
bool atom_family(struct sema *c, const char *name);
const struct value *atom_of_family(struct sema *c, const char *name, const char *part,
                                   struct range at);
// The atom that "e" names as 'cp_async.cg', or NULL.
const char *atom_member(struct sema *c, const struct ast_expr *e);
// Whether the copy "y" is one that atom "a" can do, as to spaces and architecture.
bool atom_check_copy(struct sema *c, const struct atom *a, const struct copy *y);

// hints.c
// Reads "ld=" or "st=" into "a"; reports what it has not.
bool atom_hints(struct sema *c, const struct ast_arg *arg, bool ld, struct atom *a);
// Whether the copy "y" has accesses that the hints of "a" may be about.
bool atom_check_hints(struct sema *c, const struct atom *a, const struct copy *y);

// tile.c
const struct value *tile_call(struct sema *c, const struct ast_expr *e);
// copy .. by "e", a layout of (thread, value) in the whole of what "y" copies, with accesses as
// wide as can be proven.
const struct value *tile_by(struct sema *c, const struct ast_expr *e, const struct copy *y);
// Whether "tc" can move elements of type "elem"; reports at "at" when not.
bool tile_check_elem(struct sema *c, const struct tiled_copy *tc, const struct elem_type *elem,
                     struct range at);

// Whether the tiles of the plan up to here, with "steps" more, are few enough to be gone through;
// reports at "at" when not.
bool tile_spend(struct sema *c, int64_t steps, struct range at);
// Whether each element of the tile belongs to one thread and value, or each to equally many
// threads; reports at "at" the first that does not.
bool tile_check_owners(struct sema *c, const struct tiled_copy *tc, struct range at);
// Whether the copy "y" with a tiled copy writes each element once; reports two owners of one.
bool tile_check_writes(struct sema *c, const struct copy *y);

// Whether the layout "l" gives its places the numbers 0 .. size-1, each once; reports "what" at
// "at" when not.
bool tile_check_numbering(struct sema *c, struct lay l, struct range at, const char *what,
                          const char *noun);

// Whether a block and a tile hold the threads and values of "tc", and the plan's tiles together are
// not too large; reports at "e" when not.
bool tile_check_size(struct sema *c, const struct tiled_copy *tc, const struct ast_expr *e);

// The layout "v" of (thread, value), which "what" says at "at", in a tile of shape "shape".
bool tile_set_tv(struct sema *c, const struct value *v, struct range at, const char *what,
                 const struct lay_tuple *shape, struct tiled_copy *tc);

// sides.c
// Fills in what a thread of "tc", which is otherwise complete, reads and writes; reports at "at".
// "like": the operand whose layout it has, or NULL.
bool tile_sides(struct sema *c, struct tiled_copy *tc, const struct value *like, struct range at);

// map.c
// Fills "tc" from the index map "e"; the tile has the shape "shape", given at "shape_at", or, when
// that is NULL, is what the map fills.  Reports and returns false when there was an error.
bool tile_by_map(struct sema *c, const struct ast_expr *e, const struct lay_tuple *shape,
                 struct range shape_at, struct tiled_copy *tc);
// The threads of the map "e"; reports and returns false when its names or ranges are wrong.
bool map_threads(struct sema *c, const struct ast_expr *e, int64_t *threads);

// map_copy.c
// The tiled copy that copies "y" by the index map "e".
const struct value *map_copy(struct sema *c, const struct ast_expr *e, const struct copy *y);

// mma.c
struct call;  // sema/expr/expr.h
const struct value *mma_call(struct sema *c, const struct call *call);
// operand_A(mma) and its like: a layout that knows whose it is.
const struct value *operand_call(struct sema *c, const struct call *call);
// like=operand_A(mma): CuTe's make_tiled_copy_A.  Fills in what the operand says of "tc".
bool mma_tile(struct sema *c, const struct ast_expr *e, struct tiled_copy *tc);
// Says as a note which tile gives a thread "times" the values that it "has" of the operand.
void mma_note_wider(struct sema *c, const struct tiled_mma *x, int operand, int64_t has,
                    int64_t times);
void declare_mma(struct sema *c, const struct ast_decl *d);

#endif
