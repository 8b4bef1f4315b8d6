// Cache hints: the values of "ld=" and "st=" of an atom, for accesses to global memory.
#ifndef TCPC_PLAN_HINTS_H
#define TCPC_PLAN_HINTS_H

struct session;

// An access has at most one hint of each kind.
enum hint_kind { HINT_WAY, HINT_L1, HINT_L2 };

enum {
    HINT_NC = 1 << 0,  // read-only path: nobody writes the data while the kernel runs
    HINT_CG = 1 << 1,
    HINT_CS = 1 << 2,
    HINT_L1_EVICT_FIRST = 1 << 3,
    HINT_L1_EVICT_LAST = 1 << 4,
    HINT_L1_EVICT_UNCHANGED = 1 << 5,
    HINT_L1_NO_ALLOCATE = 1 << 6,
    HINT_L2_EVICT_FIRST = 1 << 7,
    HINT_L2_EVICT_LAST = 1 << 8,
    HINTS_OF_L2 = HINT_L2_EVICT_FIRST | HINT_L2_EVICT_LAST,
    HINTS_OF_ST = (1 << 9) - 1 - HINT_NC,
    HINTS_OF_LD = (1 << 9) - 1,
};

struct hint_row {
    const char *word;    // as in PTX, with '.' for "::"
    const char *c_name;  // in emitted code; NULL: part of the function's name
    unsigned bit;
    enum hint_kind kind;
    int min_arch;
};
extern const struct hint_row hint_rows[];  // in the order in which they are written
extern const int n_hint_rows;

// Hints in the notation of plans: "cs.L2.evict_first"; "" if there are none.
const char *hints_text(struct session *s, unsigned hints);
// Hints in emitted code: "TCP_CS | TCP_L2_128B" for an access with a prefetch of "l2" bytes.  NULL
// if there are none.
const char *hints_in_c(struct session *s, unsigned hints, int l2);

#endif
