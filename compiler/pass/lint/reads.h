// What a kernel reads of a tensor, for warnings of what it leaves out: unread.c, misread.c, beside.c.
#ifndef TCPC_PASS_LINT_READS_H
#define TCPC_PASS_LINT_READS_H

#include "pass/coverage/coverage.h"
#include "pass/lint/lint.h"

enum { MOST_READS = 64, MOST_LOST = 16 };

// A side of a copy, or an argument of a call.
struct access {
    const struct view *view;
    const struct copy *copy;       // NULL: an argument of a call
    const struct plan_call *call;  // NULL: a side of a copy
    struct around around;
    bool write;
};

struct reads {
    struct session *s;
    const struct plan *plan;
    const struct kernel *k;
    struct prover *prover;
    struct around around;
    int n;
    bool more;          // some accesses had no room
    signed char *part;  // by formal: 1: `inout`, and written in part; -1: not; 0: not asked
    const struct rounded *lost[MOST_LOST];  // the quotients that were reported
    int nlost;
    const struct access *pass;  // a question is not about other passes over what "pass" reads ..
    int pass_mode;              // .. along this mode; "pass" is NULL: it is about all reads
    const struct ix_var *slip;  // the last one whose bound was reported for all that it moves
    bool swapped;  // two indices were reported that count the tiles of each other's mode
    struct access at[MOST_READS];
};

// All accesses of the kernel of "l"; those of the copies that it is planned for.
struct reads *reads_of(struct lint *l);
// Whether access "a" counts for "t": what is copied to an output is another question, which is asked
// with ARG_OUT.
bool reads_count(const struct access *a, const struct tensor *t, enum dir dir);

// Coordinates that a question is not about.
struct skipped {
    const struct ix *begin, *end;  // NULL: none
    const struct ix *from;         // this one and all behind it, too; NULL: none
};
// Is each coordinate below "end" along "mode" of "t" in an access?  Params that are 0 do not count,
// nor those that the conditions of a case exclude, nor what is "skipped".
enum prove_answer reads_whole(struct reads *r, const struct tensor *t, enum dir dir, int mode,
                              struct skipped skip, const struct ix *end,
                              struct prove_witness *found);
// The same, but without the other loops that begin where the loop of "a" begins, and read in its steps: they
// read all again, and not the rest.
enum prove_answer reads_whole_pass(struct reads *r, const struct access *a, enum dir dir, int mode,
                                   const struct ix *end, struct prove_witness *found);
// Whether "c" is another pass over what "a" reads along "mode": another loop that begins there, by its steps.
bool reads_other_pass(struct reads *r, const struct access *a, const struct access *c, int mode);
// Whether no block and no step moves "v" along "mode": it has "lo" to "hi" there.
bool reads_stand(struct session *s, const struct view *v, int mode, const struct ix **lo,
                 const struct ix **hi);
// Is each coordinate of an input below "end" in a read that is where "v" is along the other modes of which
// that is known (reads_stand)?
enum prove_answer reads_beside(struct reads *r, const struct view *v, int mode, struct skipped skip,
                               const struct ix *end, struct prove_witness *found);
// Is each element of the input "t" read, of those that are where "v" (NULL: anywhere) is along the modes of which that
// is known, but "mode"?  All modes together are one question.  Reads in the "nbut" loops "but" do not count.
enum prove_answer reads_every(struct reads *r, const struct tensor *t, const struct view *v,
                              int mode, const struct stmt *const *but, int nbut,
                              struct prove_witness *found);
// Notes a coordinate that is never read; "pass": that other passes over the tensor may read.
void reads_note(struct reads *r, const struct tensor *t, int mode, const struct access *a,
                bool pass, const struct prove_witness *found);
// Whether "a" is one of those reads that should be complete along "mode", where "m" moves it (NULL: not
// asked).
bool reads_all(struct reads *r, const struct access *a, int mode, const struct mover *m);
// Whether nothing reads "t", and all of it is proven to be written.
bool reads_written(struct reads *r, const struct tensor *t);
// Whether "n" is "ceil_div(of, by)".
bool reads_rounded_up(struct lay_int n);
// Whether "n" and "m" are equal, perhaps by the relations of params: an extent L - 2 is a param.
bool reads_equal(struct reads *r, const struct ix *n, const struct ix *m);
// The extent of "t" along its flattened mode "mode".
struct lay_int reads_extent(struct session *s, const struct tensor *t, int mode);
// Whether "a" and "b" are sizes that have nothing to do with each other: neither is a part of the other.
bool reads_unrelated(struct session *s, struct lay_int a, struct lay_int b);
// Whether "a" reads all of "end" elements along "mode" where there are blocks or steps enough, of which a param says how
// many: 'block.x % 2' of few rows.
bool reads_with_more(struct reads *r, const struct access *a, int mode, const struct ix *end);
// The end that reads along "mode" should reach: of the tensor, or of the part of it that the plan
// names.  NULL: it is not known.
const struct ix *reads_end(struct session *s, const struct view *v, int mode);

// unread_why.c
// Notes what is wrong with "m", which moves "a" along "mode" and ends before "limit".  Returns true if it is the
// coordinates, and not the bound.
bool unread_why(struct reads *r, const struct access *a, const struct mover *m, int mode,
                const struct ix *limit);

// misread.c
// Warns of "a" if its coordinate along "mode" leaves out elements though it depends on a block or a step,
// and no bound says so: returns false if not.
bool misread_steps(struct reads *r, const struct access *a, int mode);
// Warns of "a", which "m" moves along "mode", if no output of the same shape is moved in the same steps.
bool misread_other_steps(struct reads *r, const struct access *a, int mode, const struct mover *m);
// Warns of "a", tiles of a range that "m" moves along "mode", if the range is longer than what it is copied to.
bool misread_range(struct reads *r, const struct access *a, int mode, const struct mover *m);
// .. where nothing moves it along "mode".
bool misread_fixed_range(struct reads *r, const struct access *a, int mode);
// Warns of a part of "t" that is read twice, instead of another part that nothing reads.
void misread_parts(struct reads *r, const struct tensor *t);
// Whether "a" and "b", copies, go to different places, whatever the step.
bool misread_apart(const struct access *a, const struct access *b);

// outside.c
// Warns if "m" moves whole tiles of "a" out of the tensor along "mode", while nothing reads the tensor to its end along
// another mode, or "m" counts the tiles along that one.
bool misread_outside(struct reads *r, const struct access *a, enum dir dir, int mode,
                     const struct mover *m);
// Warns of a loop that ends by the number of the block, so that no block reads the last tile.
bool misread_last(struct reads *r, const struct access *a, int mode);

// offset.c
// Warns of the read "a" if an output that is made of it, or an input that goes with it, begins at another tile.
bool offset_tiles(struct reads *r, const struct access *a);

// tally.c
// Warns of reads of "t" along "mode" that are counted, and leave out elements by a step or a begin.
bool misread_tally(struct reads *r, const struct tensor *t, int mode);
// Warns of a tile of "t" that a loop over all tiles adds to a sum, and another copy once more.
void tally_twice(struct reads *r, const struct tensor *t);

// beside.c
// Warns of a read of the input "t" that stands still where what is made of it is moved, if nothing reads the
// elements beside it.
bool beside(struct reads *r, const struct tensor *t);

// shares.c
// How far "e" moves from one value of "x" to the next; or NULL.
const struct ix *reads_step_by(struct session *s, const struct ix *e, const struct ix_var *x);
// Notes that blocks share the steps of "m", which moves "a", so that its bound counts those of one block alone.
bool shares_note(struct reads *r, const struct access *a, const struct mover *m);

// turns.c
// Warns of "a", of which blocks take tiles along "mode" side by side in each step, if the next step takes some again, or goes
// on by the steps of one block.
bool turns_overlap(struct reads *r, const struct access *a, int mode);
// Warns of an input of which nothing reads the tiles between those of the blocks and the next step.
bool turns_apart(struct reads *r);
// Warns of "a" if a loop around it ends at a quotient by a param, and loses what that leaves along "mode".
bool turns_lost(struct reads *r, const struct access *a, int mode);

// alike.c
// Warns of an axis of the grid that moves sums, and nothing that is summed: all its blocks compute the same.
bool alike_sums(struct reads *r);

#endif
