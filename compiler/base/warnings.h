// The warnings of -Wname.  Only files that give a warning, or list all of them, include this: a new
// one does not change diag.h.
#ifndef TCPC_BASE_WARNINGS_H
#define TCPC_BASE_WARNINGS_H

#include <stdbool.h>

// Each has a row in warnings.c.
enum warning {
    W_NONE,
    W_VECTORIZE,
    W_LAYOUT_TILER,
    W_UNUSED,
    W_INDEX_MAP,
    W_VERSIONED,
    W_NEEDLESS_SYNC,
    W_ARRANGEMENT,
    W_UNCALIBRATED,
    W_COALESCE,
    W_BANK_CONFLICT,
    W_IDLE_THREADS,
    W_IN_ORDER,
    W_NEEDLESS_SWIZZLE,
    W_SHADOW,
    W_IDLE_BLOCKS,
    W_DEAD_COPY,
    W_CONVERSION,
    W_LINEAR_TILE,
    W_FIXED_TILE,
    W_THREAD_ORDER,
    W_ROUNDING,
    W_REMAINDER,
    W_UNREAD,
    W_TURNED_TILES,
    W_OVERLAP,
    W_SPILL,
    W_FALLBACK,
    W_SWAPPED_ARGUMENTS,
    W_STALE,
    W_CONTRACTION,
    W_COUNT
};

struct warning_row {
    const char name[24];
    bool on;       // by default
    bool planned;  // also of kernels that the planner wrote, whose text the user cannot fix
    const char help[104];
};

const struct warning_row *warning_row(int w);

#endif
