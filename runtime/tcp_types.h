// The types that kernels and their callers share, and the version. Used by C99, C++ and device
// code. Includes no header of the C or C++ library, because NVRTC has none.
#ifndef TCP_TYPES_H
#define TCP_TYPES_H

#define TCP_RUNTIME_VERSION 2

#ifndef __CUDACC__
#include <stdint.h>
#elif defined(__INT64_TYPE__)  // as the host's compiler defines them
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
#else                          // as libcu++ defines them for NVRTC
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#endif

// Element types without a C type: they hold the bits, which tcp_numeric.h converts.
typedef struct tcp_f16 {
    uint16_t bits;
} tcp_f16;
typedef struct tcp_bf16 {
    uint16_t bits;
} tcp_bf16;
typedef struct tcp_f8e4m3 {
    uint8_t bits;
} tcp_f8e4m3;
typedef struct tcp_f8e5m2 {
    uint8_t bits;
} tcp_f8e5m2;

// Raw bits: the element types b8..b128, and the values that accesses move.
typedef uint8_t tcp_b8;
typedef uint16_t tcp_b16;
typedef uint32_t tcp_b32;
typedef uint64_t tcp_b64;
typedef struct __attribute__((aligned(16))) tcp_b128 {
    uint32_t x, y, z, w;
} tcp_b128;

#endif
