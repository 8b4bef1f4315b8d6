// The messages of a launcher that refuses its arguments. The emitted launcher (tcp_launch.h) and
// the compiler, which can evaluate a launch itself, share them. C99; formats of printf.
#ifndef TCP_MESSAGES_H
#define TCP_MESSAGES_H

#define TCP_SAYS_NULL "%s: '%s' is a null pointer"
#define TCP_SAYS_ALIGNMENT                                                                         \
    "%s: '%s' must be aligned to %d bytes, but its address %p is %d byte%s past a multiple of %d"
#define TCP_SAYS_MULTIPLE "%s: '%s' = %lld must be a multiple of %lld"
#define TCP_SAYS_RANGE    "%s: '%s' = %lld must be in %lld .. %lld"
#define TCP_SAYS_RELATION "%s: '%s' does not hold with %lld and %lld"
#define TCP_SAYS_EXACT    "%s: '%s' does not fit into 64 bits"
#define TCP_SAYS_OVERLAP  "%s: the address ranges of '%s' and '%s' overlap"
#define TCP_SAYS_GRID                                                                              \
    "%s: the grid (%lld,%lld,%lld) is too large; the most is (2147483647,65535,65535)"
#define TCP_SAYS_THREADS "%s: %d threads a block are not in 1 .. 1024"

// The rules of tensor maps. The most bytes of a box were measured (H100, H200, driver 580).
#define TCP_MAP_BOX_BYTES 233472
#define TCP_SAYS_MAP_RANK "%s: the tensor map of '%s' would have %d modes, not 1 .. 5"
#define TCP_SAYS_MAP_ELEMENT                                                                       \
    "%s: the elements of '%s' have %d bytes; a tensor map takes 1, 2, 4 or 8"
#define TCP_SAYS_MAP_ADDRESS                                                                       \
    "%s: the tensor map of '%s' needs an address that is a multiple of 16; %p is %d past one"
#define TCP_SAYS_MAP_EXTENT "%s: '%s': mode %d has %lld elements; a tensor map takes 0 .. 2^32"
#define TCP_SAYS_MAP_BOX    "%s: the boxes of '%s' have %d elements of mode %d, not 1 .. 256"
#define TCP_SAYS_MAP_STRIDE                                                                        \
    "%s: '%s': mode %d has a stride of %lld bytes; a tensor map takes multiples of 16: pad to "    \
    "%lld"
#define TCP_SAYS_MAP_FAR                                                                           \
    "%s: '%s': mode %d has a stride of %lld bytes; a tensor map takes 0 .. 2^40 - 16"
#define TCP_SAYS_MAP_BYTES "%s: the boxes of '%s' have %lld bytes; a tensor map takes %d at most"
#define TCP_SAYS_MAP_INNER                                                                         \
    "%s: the boxes of '%s' have rows of %d bytes; a tensor map takes multiples of 16"
#define TCP_SAYS_MAP_SWIZZLE                                                                       \
    "%s: the boxes of '%s' have rows of %d bytes, not the %d of their swizzle"
#define TCP_SAYS_MAP_DRIVER                                                                        \
    "%s: '%s' needs a tensor map, and the driver has no cuTensorMapEncodeTiled (CUDA 12 or later)"
#define TCP_SAYS_MAP_ERROR "%s: the driver makes no tensor map of '%s': error %d"

// The most blocks that the hardware accepts along x, and along y and z.
#define TCP_GRID_X  2147483647
#define TCP_GRID_YZ 65535

#endif
