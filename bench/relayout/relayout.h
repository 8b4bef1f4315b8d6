// A case as bench.py hands it over, and what each peer of this library does with it.
#pragma once

enum { MODES = 12 };

// Extents and strides in elements, the slowest mode of the source first.  The source begins 'skip'
// elements after an address that is a multiple of 256.
struct relayout_case {
    int size, rank;
    long long extent[MODES], src[MODES], dst[MODES], skip;
};

// A peer with kernels of its own: variant 0, 1, .. of what it has for a case, until it says that it
// has no more (NO_KERNEL).
enum { LAUNCHED = 0, NO_KERNEL = 1, FAILED = 2 };
