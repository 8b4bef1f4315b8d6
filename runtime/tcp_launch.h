// The host part of a launcher: it checks the plan's promises and launches the kernel. C++17,
// included by emitted files. The same text serves a GPU and the host runtime.
//
// Each check returns TCP_OK, or a status after it has stored a sentence for tcp_last_error(). This
// sentence, one per thread, is the only state here.
#ifndef TCP_LAUNCH_H
#define TCP_LAUNCH_H

#include <stdarg.h>
#include <stdio.h>

#include "tcp_apart.h"
#include "tcp_messages.h"
#include "tcp_runtime.h"

struct tcp_error_text {
    char text[TCP_ERROR_BYTES];
};
inline thread_local tcp_error_text tcp_error_of_thread = {""};

// Defined in every translation unit that launches; the linker merges them into one symbol. C
// programs can call it.
TCP_EXTERN_C inline __attribute__((used)) const char *tcp_last_error(void) {
    return tcp_error_of_thread.text;
}

// Stores the sentence "format" for tcp_last_error(), and returns "status".
__attribute__((format(printf, 2, 3))) inline tcp_status tcp_fail(tcp_status status,
                                                                 const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(tcp_error_of_thread.text, sizeof tcp_error_of_thread.text, format, args);
    va_end(args);
    return status;
}

// For launchers: returns the status of "check" when it fails.
#define TCP_CHECK(check)                                                                           \
    do {                                                                                           \
        const tcp_status tcp_status_of_check = (check);                                            \
        if (tcp_status_of_check != TCP_OK) return tcp_status_of_check;                             \
    } while (0)

// Checks that "tensor" is not null and is aligned to "bytes", a power of 2.
inline tcp_status tcp_check_tensor(const char *kernel, const char *tensor, const void *at,
                                   int bytes) {
    const uintptr_t over = (uintptr_t)at % (uintptr_t)bytes;
    if (!at) return tcp_fail(TCP_ERR_NULL, TCP_SAYS_NULL, kernel, tensor);
    if (over == 0) return TCP_OK;
    return tcp_fail(TCP_ERR_ALIGNMENT, TCP_SAYS_ALIGNMENT, kernel, tensor, bytes, at, (int)over,
                    over == 1 ? "" : "s", bytes);
}

// Checks that "param" is a multiple of "factor".
inline tcp_status tcp_check_multiple(const char *kernel, const char *param, int64_t value,
                                     int64_t factor) {
    if (value % factor == 0) return TCP_OK;
    return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_MULTIPLE, kernel, param, (long long)value,
                    (long long)factor);
}

// Checks that "param" is in "low" .. "high", both included.
inline tcp_status tcp_check_range(const char *kernel, const char *param, int64_t value, int64_t low,
                                  int64_t high) {
    if (low <= value && value <= high) return TCP_OK;
    return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_RANGE, kernel, param, (long long)value,
                    (long long)low, (long long)high);
}

// Checks that "relation", in the plan's spelling, holds for the values "left" and "right".
inline tcp_status tcp_check_relation(const char *kernel, const char *relation, bool holds,
                                     int64_t left, int64_t right) {
    if (holds) return TCP_OK;
    return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_RELATION, kernel, relation, (long long)left,
                    (long long)right);
}

// An integer that records whether it has overflowed 64 bits, for sums and products of params that
// may be large.
struct tcp_exact {
    int64_t value;
    bool lost;
    tcp_exact(int64_t is) : value(is), lost(false) {}
};
inline tcp_exact operator*(tcp_exact a, tcp_exact b) {
    tcp_exact r = 0;
    r.lost = __builtin_mul_overflow(a.value, b.value, &r.value) || a.lost || b.lost;
    return r;
}
inline tcp_exact operator+(tcp_exact a, tcp_exact b) {
    tcp_exact r = 0;
    r.lost = __builtin_add_overflow(a.value, b.value, &r.value) || a.lost || b.lost;
    return r;
}
inline tcp_exact operator-(tcp_exact a, tcp_exact b) {
    tcp_exact r = 0;
    r.lost = __builtin_sub_overflow(a.value, b.value, &r.value) || a.lost || b.lost;
    return r;
}
inline tcp_exact operator-(tcp_exact a) {
    return tcp_exact(0) - a;
}
inline tcp_exact operator/(tcp_exact a, tcp_exact b) {
    a.value = b.value > 0 ? a.value / b.value : 0;
    a.lost = a.lost || b.lost;
    return a;
}
inline tcp_exact operator%(tcp_exact a, tcp_exact b) {
    a.value = b.value > 0 ? a.value % b.value : 0;
    a.lost = a.lost || b.lost;
    return a;
}

// Checks that computing "what" (the bytes of a tensor, the grid or a relation) did not overflow 64
// bits.
inline tcp_status tcp_check_exact(const char *kernel, const char *what, tcp_exact value) {
    if (!value.lost) return TCP_OK;
    return tcp_fail(TCP_ERR_PRECONDITION, TCP_SAYS_EXACT, kernel, what);
}

// Conditions for choosing a variant. Unlike a check, a false one breaks no promise.
inline bool tcp_aligned(const void *at, int64_t bytes) {
    return (uintptr_t)at % (uintptr_t)bytes == 0;
}
inline bool operator<=(tcp_exact value, int64_t most) {
    return !value.lost && value.value <= most;
}
inline bool tcp_multiple(tcp_exact value, int64_t factor) {
    return !value.lost && value.value % factor == 0;
}
template <typename... Facts> inline bool tcp_all(Facts... hold) {
    return (... && hold);
}

// Whether the bytes ["first", "end") of two tensors, counted from their pointers, overlap.
inline bool tcp_overlap(const void *at_one, int64_t first_one, int64_t end_one, const void *at_two,
                        int64_t first_two, int64_t end_two) {
    const uintptr_t a = (uintptr_t)at_one, b = (uintptr_t)at_two;
    if (first_one >= end_one || first_two >= end_two) return false;
    return a + (uintptr_t)end_one > b + (uintptr_t)first_two &&
           b + (uintptr_t)end_two > a + (uintptr_t)first_one;
}

// Checks that they do not.
inline tcp_status tcp_check_distinct(const char *kernel, const char *one, const void *at_one,
                                     int64_t first_one, int64_t end_one, const char *two,
                                     const void *at_two, int64_t first_two, int64_t end_two) {
    if (!tcp_overlap(at_one, first_one, end_one, at_two, first_two, end_two)) return TCP_OK;
    return tcp_fail(TCP_ERR_OVERLAP, TCP_SAYS_OVERLAP, kernel, one, two);
}

// The same for tensors with gaps, such as columns of one matrix. They may interleave, if they are
// known to share no element (tcp_apart.h). "bytes_one" and "bytes_two" are those of an element.
template <int M, int N>
inline tcp_status tcp_check_distinct(const char *kernel, const char *one, const void *at_one,
                                     int64_t first_one, int64_t end_one, const char *two,
                                     const void *at_two, int64_t first_two, int64_t end_two,
                                     int bytes_one, const tcp_mode (&modes_one)[M], int bytes_two,
                                     const tcp_mode (&modes_two)[N]) {
    if (!tcp_overlap(at_one, first_one, end_one, at_two, first_two, end_two)) return TCP_OK;
    const tcp_area a = {(uint64_t)(uintptr_t)at_one, bytes_one, modes_one, M};
    const tcp_area b = {(uint64_t)(uintptr_t)at_two, bytes_two, modes_two, N};
    if (tcp_apart(&a, &b)) return TCP_OK;
    return tcp_fail(TCP_ERR_OVERLAP, TCP_SAYS_OVERLAP, kernel, one, two);
}

// The number of blocks along x, y and z; 64 bits each, so that the check sees numbers that are too
// large.
struct tcp_grid {
    int64_t x, y, z;
};
inline tcp_grid tcp_blocks(int64_t x, int64_t y, int64_t z) {
    return tcp_grid{x, y, z};
}

// Checks that the hardware accepts the grid, and "threads" threads per block.
inline tcp_status tcp_check_grid(const char *kernel, tcp_grid grid, int threads) {
    if (grid.x < 0 || grid.y < 0 || grid.z < 0 || grid.x > TCP_GRID_X || grid.y > TCP_GRID_YZ ||
        grid.z > TCP_GRID_YZ) {
        return tcp_fail(TCP_ERR_GRID, TCP_SAYS_GRID, kernel, (long long)grid.x, (long long)grid.y,
                        (long long)grid.z);
    }
    if (threads < 1 || threads > 1024) {
        return tcp_fail(TCP_ERR_GRID, TCP_SAYS_THREADS, kernel, threads);
    }
    return TCP_OK;
}

// Excludes the arguments of a launch from template deduction, so that they convert to the types of
// the kernel's parameters.
template <typename T> struct tcp_as { typedef T type; };

#ifdef __CUDACC__

#include <cuda_runtime_api.h>

// Launches "kernel". A grid without blocks launches nothing and returns TCP_OK.
template <typename... P>
inline tcp_status tcp_launch(const char *name, void (*kernel)(P...), tcp_grid grid, int threads,
                             int64_t shared_bytes, tcp_stream stream,
                             typename tcp_as<P>::type... args) {
    TCP_CHECK(tcp_check_grid(name, grid, threads));
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return TCP_OK;
    cudaError_t error = cudaSuccess;
    // the kernel must opt in to more; the call neither allocates nor waits
    if (shared_bytes > 48 * 1024) {
        error =
            cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)shared_bytes);
        if (error != cudaSuccess) {
            cudaGetLastError();
            return tcp_fail(TCP_ERR_SHARED_MEMORY, "%s: %lld bytes of shared memory a block: %s",
                            name, (long long)shared_bytes, cudaGetErrorString(error));
        }
    }
    void *pointers[sizeof...(P) + 1] = {(void *)&args..., nullptr};
    error = cudaLaunchKernel((const void *)kernel,
                             dim3((unsigned)grid.x, (unsigned)grid.y, (unsigned)grid.z),
                             dim3((unsigned)threads), pointers, (size_t)shared_bytes, stream);
    if (error == cudaSuccess) return TCP_OK;
    cudaGetLastError();  // removes this error from the caller's CUDA state
    return tcp_fail(TCP_ERR_LAUNCH, "%s: the launch failed: %s", name, cudaGetErrorString(error));
}

#else

// Runs "entry(context)" for every thread of every block. In host/tcp_host_run.cpp.
tcp_status tcp_host_launch(const char *name, tcp_grid grid, int threads, int64_t shared_bytes,
                           void (*entry)(void *), void *context);
// Returns the host runtime's first report on a failed launch, in one line.
const char *tcp_host_first_report(void);

template <typename F> inline void tcp_host_entry(void *call) {
    (*(F *)call)();
}

template <typename... P>
inline tcp_status tcp_launch(const char *name, void (*kernel)(P...), tcp_grid grid, int threads,
                             int64_t shared_bytes, tcp_stream, typename tcp_as<P>::type... args) {
    TCP_CHECK(tcp_check_grid(name, grid, threads));
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return TCP_OK;
    if (shared_bytes > 227 * 1024) {
        return tcp_fail(TCP_ERR_SHARED_MEMORY,
                        "%s: %lld bytes of shared memory a block are beyond 232448", name,
                        (long long)shared_bytes);
    }
    auto call = [&]() { kernel(args...); };
    const tcp_status status =
        tcp_host_launch(name, grid, threads, shared_bytes, tcp_host_entry<decltype(call)>, &call);
    if (status == TCP_OK) return TCP_OK;
    return tcp_fail(status, "%s: %s", name, tcp_host_first_report());
}

#endif

#define TCP_LAUNCH(kernel, grid, threads, shared_bytes, stream, ...)                               \
    tcp_launch(#kernel, kernel, grid, threads, shared_bytes, stream, ##__VA_ARGS__)

#endif
