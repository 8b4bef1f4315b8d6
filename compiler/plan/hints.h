// Cache hints: what "ld=" and "st=" of an atom say of its accesses to global memory.
#ifndef TCPC_PLAN_HINTS_H
#define TCPC_PLAN_HINTS_H

struct session;

// Of each kind an access has one at most.
enum hint_kind { HINT_WAY, HINT_L1, HINT_L2 };

enum {
    HINT_NC = 1 << 0,  // by the path for what nobody writes
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
    const char *word;    // as PTX has it, with '.' for "::"
    const char *c_name;  // in emitted code; NULL: it is in the function's name
    unsigned bit;
    enum hint_kind kind;
    int min_arch;
};
extern const struct hint_row hint_rows[];  // in the order in which they are written
extern const int n_hint_rows;

// "cs.L2.evict_first"; "" where there are none.
const char *hints_text(struct session *s, unsigned hints);
// "TCP_CS | TCP_L2_128B", an access that has the L2 cache fetch "l2" bytes; NULL where there is
// nothing to say.
const char *hints_in_c(struct session *s, unsigned hints, int l2);

#endif
