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

// The most blocks that the hardware accepts along x, and along y and z.
#define TCP_GRID_X  2147483647
#define TCP_GRID_YZ 65535

#endif
