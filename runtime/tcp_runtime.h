// The C interface of a compiled plan: the arguments and results of launchers, and a few memory
// functions. Plain C99, so that the same header serves C, C++ and nvcc. It includes no CUDA header:
// a tcp_stream is a cudaStream_t. The memory functions are in a source file of their own
// (tcp_cuda.cu, or host/ for a CPU), which a program with its own allocator does not need.
//
// A launcher has the form
//     tcp_status NAME_launch(const T *in, ..., T *out, ..., int64_t extent, ...,
//                            tcp_stream stream);
// It checks what the plan promises, launches and returns. It neither allocates nor waits. When the
// result is not TCP_OK nothing was launched, and tcp_last_error() names the tensor or parameter and
// the reason.
#ifndef TCP_RUNTIME_H
#define TCP_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "tcp_types.h"

#ifdef __cplusplus
#define TCP_EXTERN_C extern "C"
#else
#define TCP_EXTERN_C extern
#endif

typedef enum tcp_element {
    TCP_U8,
    TCP_S8,
    TCP_U16,
    TCP_S16,
    TCP_U32,
    TCP_S32,
    TCP_U64,
    TCP_S64,
    TCP_F16,
    TCP_BF16,
    TCP_F32,
    TCP_F64,
    TCP_F8E4M3,
    TCP_F8E5M2,
    TCP_B8,
    TCP_B16,
    TCP_B32,
    TCP_B64,
    TCP_B128,
    TCP_ELEMENT_COUNT
} tcp_element;

typedef enum tcp_status {
    TCP_OK,
    TCP_ERR_NULL,           // a tensor is a null pointer
    TCP_ERR_ALIGNMENT,      // a tensor is not aligned as the plan promises
    TCP_ERR_PRECONDITION,   // a parameter breaks its promise: range, multiple or relation
    TCP_ERR_OVERLAP,        // the address ranges of two tensors overlap
    TCP_ERR_GRID,           // the grid is larger than the hardware accepts
    TCP_ERR_SHARED_MEMORY,  // the device has less shared memory a block than the kernel needs
    TCP_ERR_LAUNCH,         // the driver refused the launch
    TCP_ERR_MEMORY,         // out of memory, or a copy to or from the device failed
    TCP_ERR_DEVICE,         // the kernel ran and failed
    TCP_STATUS_COUNT
} tcp_status;

// The stream for a launch: a cudaStream_t; NULL is the default stream. The host runtime ignores it.
typedef struct CUstream_st *tcp_stream;

// Returns what "status" means, in a few words.
static inline const char *tcp_status_text(tcp_status status) {
    switch (status) {
    case TCP_OK: return "success";
    case TCP_ERR_NULL: return "null pointer";
    case TCP_ERR_ALIGNMENT: return "misaligned tensor";
    case TCP_ERR_PRECONDITION: return "broken promise";
    case TCP_ERR_OVERLAP: return "overlapping tensors";
    case TCP_ERR_GRID: return "grid too large";
    case TCP_ERR_SHARED_MEMORY: return "too little shared memory";
    case TCP_ERR_LAUNCH: return "launch failed";
    case TCP_ERR_MEMORY: return "memory";
    case TCP_ERR_DEVICE: return "kernel failed";
    case TCP_STATUS_COUNT: break;
    }
    return "unknown status";
}

// Returns the name of "element" in the language.
static inline const char *tcp_element_text(tcp_element element) {
    static const char text[TCP_ELEMENT_COUNT][8] = {"u8",  "s8",  "u16",    "s16",    "u32",
                                                    "s32", "u64", "s64",    "f16",    "bf16",
                                                    "f32", "f64", "f8e4m3", "f8e5m2", "b8",
                                                    "b16", "b32", "b64",    "b128"};
    return (unsigned)element < TCP_ELEMENT_COUNT ? text[element] : "?";
}

// Returns the size of an "element" in bytes; 0 for an invalid value.
static inline int tcp_element_bytes(tcp_element element) {
    static const unsigned char bytes[TCP_ELEMENT_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2,
                                                           4, 8, 1, 1, 1, 2, 4, 8, 16};
    return (unsigned)element < TCP_ELEMENT_COUNT ? bytes[element] : 0;
}

// Returns a message about the last launcher that failed in this thread: its name, the tensor or
// parameter, the numbers and the rule; "" before the first failure. Each compiled plan defines this
// function.
TCP_EXTERN_C const char *tcp_last_error(void);
enum { TCP_ERROR_BYTES = 512 };  // the message's size at most, with the zero at its end

// Device memory, for programs without their own allocator. Uploads and downloads wait for "stream".
// tcp_alloc stores a pointer to memory aligned to 256 bytes in "*out", also for 0 bytes.
TCP_EXTERN_C tcp_status tcp_alloc(void **out, size_t bytes);
TCP_EXTERN_C tcp_status tcp_free(void *memory);
TCP_EXTERN_C tcp_status tcp_upload(void *to, const void *from, size_t bytes, tcp_stream stream);
TCP_EXTERN_C tcp_status tcp_download(void *to, const void *from, size_t bytes, tcp_stream stream);
TCP_EXTERN_C tcp_status tcp_memset(void *to, int byte, size_t bytes, tcp_stream stream);
// Waits for all work on "stream". Returns TCP_ERR_DEVICE when a kernel failed.
TCP_EXTERN_C tcp_status tcp_wait(tcp_stream stream);

#endif
