// The program of `tcpc tune`: candidates for one relayout, each in an emitted file of its own, are
// checked and timed side by side.  The generated main holds only constant tables:
//
//     TCP_EXTERN_C tcp_status turned_0_launch(const float *A, float *B, tcp_stream stream);
//     static tcp_status run_0(const void *src, void *dst, tcp_stream stream) {
//         return turned_0_launch((const float *)src, (float *)dst, stream);
//     }
//     static const tcp_tune_candidate candidates[] = {{run_0}, ..};
//     static const int64_t extent[] = {8192, 4096}, src[] = {4096, 1}, dst[] = {1, 8192};
//     static const tcp_tune_relayout relayout = {TCP_F32, TCP_F32, 2, extent, src, dst,
//                                                33554432, 33554432, 16};
//     int main(int argc, char **argv) {
//         return tcp_tune_main(argc, argv, &relayout, candidates, 8);
//     }
//
// The expected result is computed from extents and strides on the CPU. The elements are random, and
// different in each run. A candidate runs with two poisons in and around the destination, and is
// timed only if every element and byte was right. Then all candidates and a plain copy are timed in
// rounds, each in a different order, with memory that is no longer in the caches.
//
// Options of the program:
//     --out FILE       where the results go
//     --seconds N      how long to measure, at least five rounds; 0: only check
// FILE has lines: "device NAME", "versions TEXT", "buffers N", "rounds N", "memcpy GB/s", and one
// for each candidate: "right I MS" (the median), "wrong I TEXT", or "refused I TEXT" when its
// launcher refuses.
// Exit status: 0; 2 for a wrong option, no device, or when memory runs out.
#ifndef TCP_TUNE_H
#define TCP_TUNE_H

#include "tcp_runtime.h"

struct tcp_tune_relayout {
    tcp_element from, to;
    int rank;
    const int64_t *extent, *src, *dst;  // by mode; the last mode is the innermost loop
    int64_t src_count, dst_count;       // storage elements
    int64_t align;                      // alignment in bytes promised for both sides
};

struct tcp_tune_candidate {
    tcp_status (*launch)(const void *src, void *dst, tcp_stream stream);
};

int tcp_tune_main(int argc, char **argv, const tcp_tune_relayout *r,
                  const tcp_tune_candidate *candidates, int count);

#endif
