// Copy atoms.  Each copy instruction is a row of one table, which all modules read.
#ifndef TCPC_PLAN_ATOMS_H
#define TCPC_PLAN_ATOMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "hw/classes.h"
#include "hw/space.h"
#include "image/elem.h"
#include "layout/lay.h"
#include "plan/hints.h"

// When the data that an instruction moves has arrived.
enum completion {
    COMPLETES_AT_ONCE,  // for the thread itself; for others after a barrier
    // when a wait allows fewer of the thread's groups in flight (PTX cp.async.commit_group,
    // cp.async.wait_group)
    COMPLETES_BY_GROUP,
};

enum { MOST_WIDTHS = 12 };

// How a copy joins an element with what the destination holds.
enum reduction { REDUCE_NOT, REDUCE_ADD, REDUCE_MIN, REDUCE_MAX };

// A row says what a plan may write, and what the instruction requires of a copy.
struct atom_row {
    const char *name;    // as written in a plan: "universal", "cp_async.cg"
    const char *family;  // in messages: "cp.async"; NULL: the name
    const char *page;    // page of docs/errors for messages about it; or NULL
    int min_arch;        // 90 for sm_90; 0: any
    // which architectures have it: 0: "min_arch" and later ones; 'f': those of its family, compiled
    // for as sm_100f or sm_103a; 'a': only that one, as sm_90a
    char feature;
    int widths[MOST_WIDTHS];          // bits of an access, ascending; 0 ends the list
    const char *why_widths;           // reason in messages if another atom has more widths; or NULL
    const char *narrower;             // the atom for narrower accesses at an edge
    unsigned src_spaces, dst_spaces;  // bits 1 << enum space
    enum completion completes;
    int threads;  // how many make one access together: 1, or 32 (all lanes of a warp)
    // If threads > 1: layouts (thread, value) -> bit within an access, as in CuTe's Copy_Traits,
    // for what the threads address or hold on each side.  NULL: each thread has its own consecutive
    // bits.  A tile distributes the values of "ref".
    const char *src, *dst, *ref;
    int row_bits;   // if threads > 1: bits that a lane addresses in memory; 0: those of an access
    int most_elem;  // if threads > 1: bits of the widest element; 0: any
    bool fixed;     // it has a single width, and a plan does not write it
    bool exact;     // the width is required (universal), not a maximum (auto)
    // one thread copies all of the tile, by accesses that are as wide as each contiguous run allows;
    // a plan writes the name alone after 'with', and "align" is all that addresses need
    bool alone;
    // .. and all of its accesses are boxes of a tensor map (pass/partition/boxes.c)
    bool boxes;
    // COMPLETES_BY_GROUP: it is the source that threads wait for: it is read until then
    bool reads_late;
    enum reduction reduces;  // what it does with what the destination holds
    const char *elems;       // .. of these types, as "u32 f16"
    bool in_bytes;           // a plan writes the width in bytes
    bool raw;                // moves bytes: does not convert, and pads only with zeros
    bool fills;              // reads the existing part of an access and fills the rest with zeros
    bool prefetches;         // takes l2=BYTES
    unsigned ld, st;         // the hints allowed in ld= and st=
    // The runtime's function (runtime/tcp_device.cuh) is FUNCTION[_CACHE][_zfill]_BYTES; "cache" is
    // PTX's cache operator.  NULL: the runtime's loads and stores for each space, which are all
    // that a row with one thread that completes at once may use.
    const char *function, *cache;
    // COMPLETES_BY_GROUP: the runtime's functions that end a group, COMMIT(), and that wait until at
    // most N groups are pending, WAIT<N>().  Two instructions count together if these are the same.
    const char *commit, *wait;
    const char *wait_written;  // "reads_late": .. until the groups have also written
    // If groups are counted in shared memory and not by the hardware: the runtime's type of what
    // counts them, with the three functions as its members, its bytes, and the header.
    const char *counter, *header;
    const char *all_commit, *all_wait;  // .. and those of groups that all threads wait for
    int counter_bytes;
    // COST_NONE: of loads and stores, by the space; all rows with "function" have one
    enum cost_class cost;
    int align;  // bits of which each address in memory must be a multiple; 0: the access's own
};
// Whether the lanes of a warp make an access together, so that a lane moves data that others
// address.
static inline bool atom_is_collective(const struct atom_row *row) {
    return row->threads > 1;
}
const struct atom_row *atom_find(const char *name);
// The first column that "row" needs and lacks, in words; NULL: none.
const char *atom_lacks(const struct atom_row *row);
// The first row that completes by group.
const struct atom_row *atom_counting(void);
extern const struct atom_row atom_rows[];
extern const int n_atom_rows;
bool atom_has_width(const struct atom_row *row, int64_t bits);
// Whether "row" has a form for elements of type "elem".  @pre it lists some.
bool atom_has_elem(const struct atom_row *row, const char *elem);
// The row with the narrowest accesses of the same instruction; may be "row" itself.
const struct atom_row *atom_narrower(const struct atom_row *row);
// The row whose instruction makes accesses of "bits": "row", or its narrower one.
const struct atom_row *atom_for_width(const struct atom_row *row, int bits);

struct atom {
    const struct atom_row *row;
    int bits;                      // of an access
    const struct elem_type *elem;  // of universal(128, f32), or NULL
    int l2;                        // bytes that the L2 cache is asked to prefetch; 0: no hint
    unsigned ld, st;               // hints for loads from global memory, and for stores to it
    struct range at;
};
// auto(128), of copies that name no atom.
struct atom atom_auto(struct range at);
// In the notation of plans: "universal(128)", "cp_async.cg(16, l2=128)", without the element type.
const char *atom_text(struct session *s, const struct atom *a);
// The same with its element type: "cp_async.ca(4, f16)".
const char *atom_of(struct session *s, const struct atom *a, const struct elem_type *elem);
// The runtime's function for accesses of "bits", such as "tcp_cp_async_cg_16<TCP_L2_128B>".  With
// "fills", the one that reads the existing part and fills the rest with zeros.  @pre the row has a
// function.
const char *atom_function(struct session *s, const struct atom *a, int bits, bool fills);
// Converts "side", (thread, value) -> bit, to elements of "elem_bits" bits: (thread, value) ->
// thread + threads * value in the numbering of "ref".  @pre the row of "a" is collective.
struct lay atom_dealt(struct session *s, const struct atom *a, const char *side, int elem_bits);
// Bits that each thread addresses or holds in the source or destination.  They are those of an
// access, except in memory for a collective atom.
int atom_side_bits(const struct atom *a, bool src);

// How the threads of a collective access exchange elements of one width.
struct atom_exchange {
    int src_bits, dst_bits;    // of each thread
    int src_lanes, dst_lanes;  // only the first lanes address anything: so many
    // The number of the source value for each destination value, both counted as thread + threads *
    // value.  -1: the thread has no such value.
    const int *from;
};
// @pre the row of "a" is collective.
const struct atom_exchange *atom_exchange(struct session *s, const struct atom *a, int elem_bits);

#endif
