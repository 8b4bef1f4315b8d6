// Kernels written by hand around the device functions of device.tcp.
#include "through.cuh"

// Writes A, and has it read behind a barrier.
extern "C" __global__ void __launch_bounds__(through_THREADS) plain_kernel(float *A, float *B) {
    const int tid = (int)threadIdx.x;
    for (int i = 0; i < 8; ++i) A[8 * tid + i] = (float)tid;
    tcp_sync();
    through(tid, A, B);
}

extern "C" __global__ void __launch_bounds__(constant_THREADS)
    constant_kernel(const float *A, float *B) {
    constant((int)threadIdx.x, A, B);
}
