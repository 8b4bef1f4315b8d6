// Shared by the files of pass "coverage", and used by other passes.
#ifndef TCPC_PASS_COVERAGE_COVERAGE_H
#define TCPC_PASS_COVERAGE_COVERAGE_H

#include "pass/instances/instances.h"

// writes.c
// Proves that all writes of "k" to a tensor write different elements, and that an `out` tensor is
// written completely.  Otherwise reports an error, with a witness or with what is not known, and
// returns false.
bool coverage_writes(struct session *s, const struct plan *p, const struct kernel *k,
                     struct prover *prover);

// loops.c
// The maximum ("max") or minimum of "e" in the loops "around", in terms of variables outside of
// these loops.  Used for messages, and for the duties of a device function's caller.
const struct ix *coverage_bound(struct session *s, const struct ix *e, const struct around *around,
                                bool max);

// reach.c
struct rounded;
// A block's or a loop's variable in the coordinate of a view: it runs from "begin" to "end" - 1.
struct mover {
    const struct ix_var *v;
    bool loop;
    int64_t step;  // in elements
    const struct ix *begin, *end;
    struct range end_at;
    const struct rounded *rounded;  // a quotient in "end" that may have a remainder; or NULL
};
// The one with the largest steps in "at", the coordinate of a view in "k" inside "around"; false: there
// is none.
bool coverage_outermost(struct session *s, const struct kernel *k, const struct around *around,
                        const struct ix *at, struct mover *out);
// Sets "end" to what "v" reaches along mode "mode", its largest coordinate plus 1, and "tile" to
// what it has there at a time.  Returns false if that is not known.
bool coverage_reach(struct session *s, const struct view *v, const struct around *around, int mode,
                    const struct ix **end, int64_t *tile);
// Whether "end" is less than "limit" for some params.
bool coverage_short(struct prover *p, const struct ix *end, const struct ix *limit);
// How many tiles of "by" elements cover "of": "4", "K / 32", "ceil_div(K, 32)".
const char *coverage_tiles(struct session *s, struct lay_int of, int64_t by);

// blocks.c
// Notes how many blocks or iterations of "k" would reach all elements, where "v", written
// inside "around", does not.  Returns false if it finds nothing.
bool coverage_note_blocks(struct session *s, const struct kernel *k, struct prover *p,
                          const struct view *v, const struct around *around);

// counted.c
// A tensor in global memory other than "but" of which "v", which has "n" values, moves exactly all
// tiles along its mode "mode"; NULL: there is none.
const struct tensor *coverage_counted_by(struct session *s, const struct kernel *k,
                                         const struct ix_var *v, struct lay_int n,
                                         const struct tensor *but, int *mode);
// A mode of the tensor of "v", of which "of" elements are meant.
struct along {
    const struct view *v;
    int mode;
    struct lay_int of;
};
// Notes that "m", which moves a view along "a", counts exactly the tiles of another tensor, so that the
// coordinate is wrong and not the bound.  "named": only if it can name a variable that counts those of
// the view.  Returns false if not.
bool coverage_note_counted(struct session *s, const struct kernel *k, const struct around *around,
                           const struct along *a, const struct mover *m, bool named);
// Notes what could be meant by a coordinate of the slice "v" that may be beyond its extent: another
// mode that it counts, another variable that counts this one, or a promise about the end of a range.
void coverage_note_bound(struct session *s, const struct plan *p, const struct kernel *k,
                         const struct around *around, const struct view *v,
                         const struct slice_bound *b);
// Notes what is wrong with the coordinates of "v", a tile: by coverage_note_tile, or by what its
// variables count.
bool coverage_note_place(struct session *s, const struct kernel *k, const struct around *around,
                         const struct view *v);
// Notes that what moves the tile "v" counts some times as many tiles as there are.
bool coverage_note_more(struct session *s, const struct kernel *k, const struct around *around,
                        const struct view *v);
// Notes which steps of the innermost loop "around" it write "v".
void coverage_note_steps(struct session *s, const struct view *v, const struct around *around);

// apart.c
// What would make different coordinates of "t" different elements, to end a message: two strides are
// exchanged, or a relation is missing.
const char *coverage_mend_strides(struct session *s, const struct plan *p, struct prover *prover,
                                  const struct tensor *t);
// What may be meant by the stride "step" of rows of "span" elements in "l": an extent was taken for a
// stride, or one param for another.  Ends so that advice can follow; "": nothing is known.
const char *coverage_meant_stride(struct session *s, const struct plan *p, struct lay l,
                                  struct lay_int step, struct lay_int span);

// misplaced.c
// Notes what is wrong with the coordinates of "v", a tile of a tensor with missing elements.
// Returns false if it finds nothing.
bool coverage_note_tile(struct session *s, const struct view *v);
// Whether a coordinate of "v" is a multiple of a block's or a step's number, as if it counted
// elements, and not the tiles that "v" has the size of.
bool coverage_scaled(struct session *s, const struct view *v);
// Notes that "k" has no grid, if its blocks count the tiles of "v".
bool coverage_note_grid(struct session *s, const struct kernel *k, const struct view *v);

// turned.c
// Notes that copy "c" of "k" should transpose its source, if that has the elements that "first" read
// of a tensor, and its destination is one with the extents the other way round.  Two selects on the
// way cancel.
bool coverage_note_turned(struct session *s, const struct kernel *k, const struct copy *first,
                          const struct copy *c);

// absent.c
// Sets of what "t", of kernel "k", has not (struct shorter), and room for "more" behind them; sets "*n" to
// their number.
struct prove_set *coverage_absent(struct session *s, const struct kernel *k, const struct tensor *t,
                                  int more, int *n);

// negative.c
// Whether the operands of all quotients, remainders and swizzles in "e" are >= 0 in all instances
// of a statement inside "around".  Otherwise reports an error: one is negative, or it is not known.
bool coverage_negative(struct session *s, const struct plan *p, const struct kernel *k,
                       struct prover *prover, const struct around *around, const struct ix *e,
                       struct range at);

// direction.c
// Whether the list of "k" says what copy "c" does to its arguments: reports what it does not say.
bool coverage_direction(struct session *s, const struct kernel *k, const struct copy *c);
// The same for the arguments of call "y".
bool coverage_call_direction(struct session *s, const struct kernel *k, const struct plan_call *y);

// strides.c
// Whether different coordinates of "l" are provably different elements, for all values of its
// params.
bool coverage_injective(struct session *s, struct prover *p, struct lay l);
// The relation that is missing for this, if it is a single one about a stride that is a param: the text that a
// message continues with, and the stride and what it should be at least.  Otherwise NULL.
const char *coverage_apart(struct session *s, struct prover *p, struct lay l, struct lay_int *step,
                           struct lay_int *span);
// Whether different coordinates of "l", a layout of numbers, are different elements, by its values.
bool coverage_differs(struct session *s, struct lay l);

// Sets "lo" and "hi" to the smallest and largest coordinate of "v" along flattened mode "mode" of
// its tensor.  They contain the variables that the view depends on.  NULL if there is none.
void view_reach(struct session *s, const struct view *v, int mode, const struct ix **lo,
                const struct ix **hi);
// How many elements "v" has at a time along "mode"; 0: that is not known.
int64_t view_along(struct session *s, const struct view *v, int mode);

#endif
