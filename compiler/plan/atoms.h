// Copy atoms: an instruction is a row of one table, which all modules read.
#ifndef TCPC_PLAN_ATOMS_H
#define TCPC_PLAN_ATOMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "layout/lay.h"
#include "plan/hints.h"
#include "plan/types.h"

// When what an instruction moves is there.
enum completion {
    COMPLETES_AT_ONCE,  // for the thread itself; for others after a barrier
    // when a wait leaves so few of the thread's groups in flight
    // (PTX cp.async.commit_group, cp.async.wait_group)
    COMPLETES_BY_GROUP,
};

enum { MOST_WIDTHS = 8 };

// A row says what a plan may write and what the instruction asks of a copy.
struct atom_row {
    const char *name;                 // as written in a plan: "universal", "cp_async.cg"
    const char *family;               // in messages: "cp.async"; NULL: the name
    const char *page;                 // of docs/errors, for its messages; or NULL
    int min_arch;                     // 90 for sm_90; 0: any
    int widths[MOST_WIDTHS];          // bits of an access, ascending, 0 ends
    const char *why_widths;           // in messages, where another atom has more of them; or NULL
    const char *narrower;             // the atom that serves where an edge's accesses are narrower
    unsigned src_spaces, dst_spaces;  // bits 1 << enum space
    enum completion completes;
    int threads;  // that make one access together: 1, or a warp, of which each lane has to be there
    // With more than one thread: (thread, value) -> bit of what an access moves, as in CuTe's
    // Copy_Traits, of what the threads address or hold on each side.  NULL: each thread's own bits,
    // one after another.  "ref" are those that a tile deals out.
    const char *src, *dst, *ref;
    int row_bits;     // with more than one thread: that a lane addresses in memory; 0: an access's
    int most_elem;    // with more than one thread: bits of the widest element; 0: any
    bool fixed;       // it has one width, which a plan does not write
    bool exact;       // the width is a demand (universal), not a cap (auto)
    bool in_bytes;    // a plan writes its width in bytes
    bool raw;         // moves bytes: converts nothing, and pads with zeros only
    bool fills;       // reads the part of an access that is there, and fills the rest with zeros
    bool prefetches;  // takes l2=BYTES
    unsigned ld, st;  // the hints that ld= and st= may give
    // The runtime's function (runtime/tcp_device.cuh) is FUNCTION[_CACHE][_zfill]_BYTES, with PTX's
    // cache operator; NULL: loads and stores of each space.
    const char *function, *cache;
};
// Whether the lanes of a warp make an access together, so that each moves what others address.
static inline bool atom_is_collective(const struct atom_row *row) {
    return row->threads > 1;
}
const struct atom_row *atom_find(const char *name);
extern const struct atom_row atom_rows[];
extern const int n_atom_rows;
bool atom_has_width(const struct atom_row *row, int64_t bits);
// The row of the same instruction that has the narrowest accesses: "row" itself, or another.
const struct atom_row *atom_narrower(const struct atom_row *row);
// The row whose instruction makes accesses of "bits": "row", or the one that is narrower.
const struct atom_row *atom_for_width(const struct atom_row *row, int bits);

struct atom {
    const struct atom_row *row;
    int bits;                      // an access
    const struct elem_type *elem;  // of universal(128, f32), or NULL
    int l2;                        // bytes that the L2 cache is asked to fetch; 0: no hint
    unsigned ld, st;               // hints of loads from global memory, and of stores to it
    struct range at;
};
// As in a plan: "universal(128)", "cp_async.cg(16, l2=128)"; without the element type.
const char *atom_text(struct session *s, const struct atom *a);
// The same with its element type: "cp_async.ca(4, f16)".
const char *atom_of(struct session *s, const struct atom *a, const struct elem_type *elem);
// "tcp_cp_async_cg_16<TCP_L2_128B>": what the runtime calls its accesses of "bits", which with
// "fills" read as much as is there and fill with zeros.  @pre the row has a function.
const char *atom_function(struct session *s, const struct atom *a, int bits, bool fills);
// What "side", (thread, value) -> bit, is as elements of "elem_bits": (thread, value) -> thread +
// threads * value of what a tile deals out.  @pre the row of "a" is collective.
struct lay atom_dealt(struct session *s, const struct atom *a, const char *side, int elem_bits);
// Bits that each thread addresses or holds of the source, or of the destination: those of an
// access, but for a collective atom's memory.
int atom_side_bits(const struct atom *a, bool src);

// What the threads of a collective access do with elements of one width.
struct atom_exchange {
    int src_bits, dst_bits;    // of each thread
    int src_lanes, dst_lanes;  // only so many address anything, the first of them
    // By thread + threads * value of the destination: the same number of the source.  -1: the
    // thread has no such value.
    const int *from;
};
// @pre the row of "a" is collective.
const struct atom_exchange *atom_exchange(struct session *s, const struct atom *a, int elem_bits);

#endif
