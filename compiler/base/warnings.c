// The table of warnings (see warnings.h).
#include "base/warnings.h"

#include "base/diag.h"

_Static_assert((int)W_COUNT <= (int)MOST_WARNINGS, "diag.h has no room for all warnings");

static const struct warning_row warnings[W_COUNT] = {
    [W_VECTORIZE] = {"vectorize", true, true,
                     "a copy is narrower than requested, or than its threads allow"},
    [W_LAYOUT_TILER] = {"layout-tiler", true, true,
                        "a layout is the tiler where a shape was probably meant"},
    [W_UNUSED] = {"unused", true, false, "a declaration that nothing uses"},
    [W_INDEX_MAP] = {"index-map", true, true,
                     "an index map that is not a layout, and copies value by value"},
    [W_VERSIONED] = {"versioned", true, true,
                     "a kernel in several variants, because its plan does not promise enough"},
    [W_NEEDLESS_SYNC] = {"needless-sync", true, true,
                         "a barrier or wait in a manual function that is not needed"},
    [W_ARRANGEMENT] = {"arrangement", true, true,
                       "a fragment whose modes do not match the tiles that it gets"},
    [W_UNCALIBRATED] = {"uncalibrated", true, true,
                        "a cost expected on an architecture that was not measured"},
    [W_COALESCE] = {"coalesce", true, false,
                    "accesses to global memory that take twice the sectors that hold their bytes"},
    [W_BANK_CONFLICT] = {"bank-conflict", true, false,
                         "accesses to shared memory that take twice the wavefronts they need"},
    [W_IDLE_THREADS] = {"idle-threads", true, false,
                        "a copy that leaves half of the block's threads without work"},
    [W_IN_ORDER] = {"in-order", true, true,
                    "a pipeline whose loads do not run ahead, without stages"},
    [W_NEEDLESS_SWIZZLE] = {"needless-swizzle", true, true, "a swizzle that moves no element"},
    [W_SHADOW] = {"shadow", true, false, "a name that hides one declared further out"},
    [W_IDLE_BLOCKS] = {"idle-blocks", true, false,
                       "blocks, or steps of a loop, beyond all tensors"},
    [W_DEAD_COPY] = {"dead-copy", true, false, "a copy or a fill whose elements nothing reads"},
    [W_CONVERSION] = {"conversion", true, true,
                      "a copy between integers and floats that loses digits"},
    [W_LINEAR_TILE] = {"linear-tile", true, true,
                       "one number for a tile of several modes, along the first"},
    [W_FIXED_TILE] =
        {"fixed-tile", true, false,
         "one tile of an input for all blocks or steps, which write all tiles of an output"},
    [W_THREAD_ORDER] = {"thread-order", true, false,
                        "two sides of a copy that are cut by threads in different orders"},
    [W_ROUNDING] = {"rounding", true, false,
                    "floats that a narrower type between two tensors rounds"},
    [W_REMAINDER] = {"remainder", true, false,
                     "a quotient that is rounded down and loses the last tile (an error)"},
    [W_UNREAD] = {"unread", true, false,
                  "a grid or a loop that ends before the tensor that it reads"},
    [W_TURNED_TILES] = {"turned-tiles", true, false,
                        "tiles that are transposed as tiles, but not in themselves"},
    [W_OVERLAP] = {"overlap", true, false, "a tensor that is read and has one element twice"},
    [W_SPILL] = {"spill", true, false, "a fragment that is larger than the registers of a thread"},
    [W_FALLBACK] = {"fallback", true, true, "a planned copy whose best plan is refused"},
    [W_SWAPPED_ARGUMENTS] = {"swapped-arguments", true, false,
                             "arguments of a call in another order than their names suggest"},
    [W_STALE] = {"stale", true, false,
                 "a copy in a loop that leaves elements of the step before, and they are read"},
    [W_CONTRACTION] = {"contraction", true, false,
                       "operands of a product that meet at different places, or of another type"},
};

const struct warning_row *warning_row(int w) {
    return &warnings[w];
}
