// The program of `tcpc run`: an emitted file, a generated main with tables, and the harness.  It
// runs each kernel and compares every element of every output with what the plan means.
//
// The generated main is C++17 and holds only constant tables:
//
//     TCP_EXTERN_C tcp_status copy_tile_launch(const float *src, float *out, int64_t M,
//                                              tcp_stream stream);
//     static tcp_status run_copy_tile(void *const *t, tcp_stream stream) {
//         return copy_tile_launch((const float *)t[0], (float *)t[1], 128, stream);
//     }
//     static const int64_t shape[] = {16, 8}, stride[] = {8, 1};
//     static const tcp_harness_tensor tensors[] = {
//         {"src", TCP_F32, 128, 16, TCP_HARNESS_IN, NULL, NULL, {2, shape, stride, NULL, 0}},
//         {"out", TCP_F32, 128, 16, TCP_HARNESS_OUT, "copy_tile.out.expect", NULL,
//          {2, shape, stride, NULL, 0}},
//     };
//     static const tcp_harness_kernel kernels[] = {
//         {"copy_tile", run_copy_tile, tensors, 2, NULL, 0, 1024},
//     };
//     int main(int argc, char **argv) { return tcp_harness_main(argc, argv, kernels, 1); }
//
// On the host emitted file (-x c++), main, tcp_harness.cpp and host/*.cpp go to one C++ compiler
// (-std=c++17 -I runtime; the library tcp_host is tcp_harness.cpp and host/*.cpp); on a GPU emitted
// file, main, tcp_harness.cpp and tcp_cuda.cu go to nvcc.
//
// Expected values are files of native int64, one for each storage element of an output:
//     t << 40 | e      element "e" of the storage of tensor "t" (its place in the kernel's table)
//     .. | h << 54     the same, converted: "h" has the element types that it was of before that of
//                      the output, its own first, in the low four bits (tcp_element + 1)
//     -1               not written: holds what it held before
//     -2 - k           constant "k" of the tensor's list of constants, with "h" as above
//     INT64_MIN        made by a function that the plan does not know: not compared
//
// Inputs hold numbers that their element type represents exactly: in run d the element e holds
// (e / base^d) % base, with as many runs as the largest input needs, and one more with the number
// of the tensor when there are several inputs, and one with bits of all sorts when elements are
// converted: then the numbers are some that all types hold.  Each of these happens with two poisons
// in outputs and guard zones and, on the host, under each schedule.  There, runs of large tensors
// are parallel, in a process for each processor; the report is the same.
//
// Options of the program:
//     --data DIR       where the expected files are; default: the working directory
//     --kernel NAME    only this kernel
//     --print NAME     after the runs, which source element each element of the tensor or shared
//                      buffer NAME holds, as its number in the source's storage: a line a row,
//                      "-" for what nothing was written to
//     --time [N]       GB/s: the median of N launches (default 20) after a warm-up
//     --no-check       with --time: without comparing first
//     --no-guards      no guard zones: a tensor is at the end of what is allocated, so that a tool
//                      that knows allocations sees what reads or writes after it
//     --until-failed   no more runs of a kernel after the first one that fails
//     --json           the results as a list of objects; what failed goes to the standard error
// Output lines (stable): "copy_tile: ok (host, 4 runs)", or after the first failure
// "copy_tile: FAILED (host, 2 of 4 runs)"; "copy_tile: 3412.5 GB/s (0.0787 ms, 268435456 bytes)".
// Exit status: 0; 1 when a kernel failed; 2 for a wrong option or an unreadable file.
#ifndef TCP_HARNESS_H
#define TCP_HARNESS_H

#include "tcp_runtime.h"

// A view to print: coordinate -> storage element.
struct tcp_harness_view {
    int rank;  // 0: nothing to print
    const int64_t *shape;
    const int64_t *stride;  // elements, one a mode; or NULL, and then:
    const int64_t *offset;  // the storage element of each coordinate, first mode fastest
    int64_t origin;         // with strides: the storage element at coordinate 0
};

enum tcp_harness_role { TCP_HARNESS_IN = 1, TCP_HARNESS_OUT = 2, TCP_HARNESS_INOUT = 3 };

struct tcp_harness_tensor {
    const char *name;
    tcp_element element;
    int64_t count;  // storage elements, from the pointer on
    int64_t align;  // bytes that the plan promises; the harness gives no more.  0: 256
    tcp_harness_role role;
    const char *expected;       // file of "count" tags, for an output
    const tcp_b128 *constants;  // what tags from -2 down stand for, low bytes first; or NULL
    tcp_harness_view view;
    bool no_better = false;  // a better alignment than this is for another variant, when timed too
};

// A shared tensor, for --print: what block 0 leaves in it.  Its view counts elements from "at".
struct tcp_harness_shared {
    const char *name;
    tcp_element element;
    int64_t at;  // byte offset in shared memory
    tcp_harness_view view;
};

struct tcp_harness_kernel {
    const char *name;
    tcp_status (*launch)(void *const *tensors, tcp_stream stream);
    const tcp_harness_tensor *tensors;
    int tensor_count;
    const tcp_harness_shared *shared;  // or NULL
    int shared_count;
    int64_t bytes;  // read plus written by one launch, for --time
};

int tcp_harness_main(int argc, char **argv, const tcp_harness_kernel *kernels, int count);

#endif
