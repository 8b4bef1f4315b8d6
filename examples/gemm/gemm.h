// The launcher of gemm.cu, for C and C++.
#ifndef GEMM_H
#define GEMM_H

#include "tcp_runtime.h"

// C = A * B^T.  A is (M,K), B is (N,K), C is (M,N), f16, rows contiguous, each aligned to 16 bytes;
// K is a multiple of 8.
TCP_EXTERN_C tcp_status gemm_launch(const void *A, const void *B, void *C, int64_t M, int64_t N,
                                    int64_t K, tcp_stream stream);

#endif
