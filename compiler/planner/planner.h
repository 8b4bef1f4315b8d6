// Relayouts: writes the text of a plan that moves elements from one layout to another.  It is an
// ordinary plan, which the compiler parses and proves; nothing here is trusted.
#ifndef TCPC_PLANNER_PLANNER_H
#define TCPC_PLANNER_PLANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/lay.h"

struct buf;
struct elem_type;
struct session;

enum {
    RELAYOUT_MODES = 32,
    RELAYOUT_CANDIDATES = 64,
    RELAYOUT_WHEN = 8,
    RELAYOUT_CASES = 6,
    RELAYOUT_PARTS = 4
};

enum relayout_number { RELAYOUT_EXTENT, RELAYOUT_SRC, RELAYOUT_DST, RELAYOUT_NUMBERS };

// Neighbours along a mode are "src" elements apart in the source and "dst" in the destination.
struct relayout_mode {
    bool back;      // the source's next element comes before
    bool dst_back;  // the same for the destination, if "several"
    int from;       // its number among the modes of more than one element, before they were sorted
    // if params give them: values for a typical size
    int64_t extent, src, dst;
    int64_t step;  // if it is several modes in a row: a divisor of their strides in the source
    // if params give them: their real values; otherwise invalid
    struct lay_int run[RELAYOUT_NUMBERS];
    // the same as text; otherwise NULL
    const char *text[RELAYOUT_NUMBERS];
};

// A condition of a case: "value", a product of params, is a multiple of "by".
struct relayout_when {
    struct lay_int value;
    int64_t by;
};

// Where a side begins in its tensor: not at its first element.
struct relayout_begin {
    const char *text;  // the offset in elements; NULL: it is 0
    int64_t at;        // the same, if it is a number
    int align;         // what is promised of the tensor's first element, in bytes
    int most;  // no more than this is known of the side's first element, whatever is promised
    // the parts of the offset that are not numbers, if conditions on them say what it is a multiple of
    struct lay_int part[RELAYOUT_PARTS];
    int nparts;
};

// Two sides that no modes describe together: their shapes have no common refinement.  Element i of
// the source goes to element i of the destination, counted with the first mode fastest.
struct relayout_index {
    int rank[2];  // of the source and the destination
    struct lay_int extent[2][RELAYOUT_MODES], stride[2][RELAYOUT_MODES];
};

struct relayout {
    const struct elem_type *type;  // of the source
    // element type of the destination if the copy converts; NULL: the same
    const struct elem_type *to;
    int rank;
    struct relayout_mode mode[RELAYOUT_MODES];
    int src_align, dst_align;        // promised alignment of the first elements, in bytes
    struct relayout_begin begin[2];  // of the source and the destination
    struct lay_swizzle sw[2];        // of their offsets
    const struct relayout_index
        *index;               // the sides; then "mode" is not used.  NULL: "mode" has them
    bool src_open, dst_open;  // the alignment is not promised, so a case may require more
    bool several;             // it is one of several copies of a kernel: modes are not merged
    bool shorter;             // in some blocks its modes have fewer elements, or none
    int64_t
        pieces;  // it is one of so many of a copy between devices, whose number is block.z; or 0
    int arch;    // 90: sm_90
    int64_t shared;     // shared memory that a block may have, in bytes
    const char *usual;  // the typical sizes that are assumed, "M = 4096"; NULL: none are
    struct relayout_when when[RELAYOUT_WHEN];  // conditions that hold besides the promises
    int nwhen;
    // whether some values of the params keep all promises and the conditions; NULL: they do
    bool (*can_hold)(const void *by, const struct relayout *r);
    const void *by;
    const char *left_out;  // the conditions of the cases that no values were found for; or NULL
    const char *note;      // what the author may have meant instead, by relayout_read; or NULL
    // set by the search, which needs it often: for each side, the modes sorted by speed; source
    // first
    const int *order[2];
    int candidate;  // 0: the best candidate, 1: the next one; less than RELAYOUT_CANDIDATES
    const struct fallback *fallback;  // other candidates for some cases; NULL: none
};

// The extent of mode "m".
struct lay_int relayout_extent(const struct relayout *r, int m);

// The layout that the expression "text" gives; invalid, with the error in the layout context, if it
// is none.
typedef struct lay relayout_layout_fn(struct session *s, const char *text);
// Reads names with extents and their order, "m=8 n=4" and "n m", or two layouts of equal size.
// Returns NULL, or why they are no relayout.
const char *relayout_read(struct session *s, const char *src, const char *dst,
                          relayout_layout_fn *value, struct relayout *out);
// The same for given layouts, which may have offsets.  Writes only the modes of "out", where the
// sides begin, and their alignment there.
const char *relayout_between(struct session *s, struct lay src, struct lay dst,
                             struct relayout *out);
// Assumes typical sizes again, after modes were taken out of "r".  Returns NULL, or why it cannot.
const char *relayout_resize(struct session *s, struct relayout *r);
// Makes "r" a relayout of no elements.
void relayout_empty(struct session *s, struct relayout *r);
// Removes extents of 1 and merges modes that continue each other on both sides.  Then the modes are
// in the order of the source, the one with the largest stride first, and there is at least one.
// Returns NULL, or why the relayout cannot be planned.
const char *relayout_coalesce(struct session *s, struct relayout *r);

// Sets "list" to the cases to plan, those with the widest accesses first; the last one is for all
// values of params.  Returns their number.
int relayout_cases(struct session *s, const struct relayout *r,
                   struct relayout list[RELAYOUT_CASES]);

// Cases of several copies.
struct relayout_case {
    struct relayout *r;  // the copies
    const char *when;    // " when M % 8 == 0"
};
// Sets "list" to the cases of a kernel of the "n" copies "r", like relayout_cases.
int relayout_several_cases(struct session *s, const struct relayout *r, int n,
                           struct relayout_case list[RELAYOUT_CASES]);

// The names of a kernel and its arguments.
struct relayout_names {
    const char *kernel, *src, *dst;
    bool dst_first;  // in the list of arguments
};
// What was taken for a case.
struct relayout_chosen {
    int candidate;
    int64_t cost;         // predicted, to be compared with other candidates; 0: with none
    const char *how;      // in one line that distinguishes it from the others
    const char *refused;  // the candidates before it, a line for each; NULL: none is refused
    int share;            // predicted, in percent of memcpy on one H200; 0: it is not known
    const char *most;     // what costs most besides the bytes; NULL: nothing costs much
};
// Writes a kernel for the coalesced relayout, "kernel NAME(A : .., out B : ..) ..", or its cases.
// Returns NULL, or why there is none.  "chosen" gets what was taken for each case.
const char *relayout_kernel(struct session *s, const struct relayout *r,
                            const struct relayout_names *n, struct buf *out,
                            struct relayout_chosen chosen[RELAYOUT_CASES]);

// A kernel of the "n" relayouts "r", which are "several" and coalesced: the modes of view "src[i]" are
// those of "r[i]" in their order, and so for "dst[i]".
struct relayout_several {
    const struct relayout *r;
    const char *const *src, *const *dst;
    int n;
    const char *head;  // "k(A, B, out C)", with conditions
};
// Writes it.  Returns NULL, or why there is none.
const char *relayout_several(struct session *s, const struct relayout_several *of, struct buf *out);

// A kernel of a copy between devices, each of which writes several pieces: the relayout "r", which is
// "several" and a "piece", from view "src" to view "dst".
struct relayout_pieces {
    const struct relayout *r;
    const char *src, *dst;
    const char *head;  // "k(A, B, out C)", with conditions
    const char *end;   // of all names of the kernel
    const char
        *lets;  // statements for names in the views: "rank" and "piece", with "end", are known
    int nlets;  // so many braces are open after these
    int64_t devices, pieces;  // pieces: of a device
};
// Writes it.  Returns NULL, or why there is none.
const char *relayout_pieces(struct session *s, const struct relayout_pieces *of, struct buf *out);

// A planned kernel with candidates that do not compile: for each of its cases the candidate to take,
// and why those before it are refused.
struct fallback {
    const char *kernel;
    int candidate[RELAYOUT_CASES];
    const char *why[RELAYOUT_CASES];  // a line for each of these; NULL: none is refused
    struct fallback *next;
};
// The one of session options for that kernel; NULL: its best candidates are taken.
const struct fallback *fallback_of(const struct session *s, const char *kernel);

// The comments before a kernel that the planner wrote, as one text; NULL if "text" is.
const char *relayout_reasons(struct session *s, const char *text);

// A plan that is one relayout.
struct relayout_plan {
    struct relayout r;  // coalesced
    struct relayout_names names;
    const char *head;  // the text before the kernel
};
// Writes the plan, with r.candidate or what the session's options say of its kernel.  Otherwise
// returns NULL, with the reason in "*why".
const char *relayout_plan_text(struct session *s, const struct relayout_plan *p, const char **why);
// Writes it with a kernel of one copy, so that the planner chooses when it is compiled.
const char *relayout_plan_copy(struct session *s, const struct relayout_plan *p);

// By how many percent the plan with r->fallback is predicted to be slower than the best one, at
// most, of all cases; -1 if that is not known, or more than is accepted.
int relayout_loss(struct session *s, const struct relayout *r);
// .. and what is said then.
extern const char relayout_too_slow[];

// The number of candidates, at most RELAYOUT_CANDIDATES.
int relayout_candidates(const struct relayout *r);

#endif
