// Row sums of a matrix: a kernel written by hand that uses a loader which tcpc made.
//
//   tcpc loader.tcp --emit=header -o loader.cuh
//   nvcc -std=c++17 -arch=sm_80 -I runtime row_sums.cu runtime/tcp_cuda.cu -o row_sums        a GPU
//   c++ -std=c++17 -Wno-unknown-pragmas -I runtime -x c++ row_sums.cu runtime/host/*.cpp -o
//   row_sums   no GPU
#include <cmath>
#include <cstdio>
#include <vector>

#include "loader.cuh"
#include "tcp_launch.h"

// One block for 32 rows; thread t < 32 adds up row t of each tile.
static __global__ void __launch_bounds__(load_tile_THREADS)
    row_sums_kernel(const float *A, float *sums, int64_t N) {
    TCP_SHARED_BUFFER(smem);
    float *const tile = (float *)smem;
    const int tid = (int)threadIdx.x;
    float sum = 0;
    for (int64_t j = 0; j < N / 64; ++j) {
        load_tile(tid, A, tile, blockIdx.x, j, N);
        tcp_sync();  // the tile is written
        for (int c = 0; tid < 32 && c < 64; ++c) sum += tile[68 * tid + c];
        tcp_sync();  // the tile is read, and may be written again
    }
    if (tid < 32) sums[32 * blockIdx.x + tid] = sum;
}

static tcp_status row_sums(const float *A, float *sums, int64_t M, int64_t N, tcp_stream stream) {
    return TCP_LAUNCH(row_sums_kernel, tcp_blocks(M / 32, 1, 1), load_tile_THREADS,
                      load_tile_SMEM_BYTES, stream, A, sums, N);
}

#define CHECK(call)                                                                                \
    if (const tcp_status status = (call); status != TCP_OK) {                                      \
        std::printf("%s: %s\n", tcp_status_text(status), tcp_last_error());                        \
        return 1;                                                                                  \
    }

int main() {
    const int64_t M = 96, N = 192;
    std::vector<float> a(M * N), got(M);
    for (int64_t i = 0; i < M * N; ++i) a[i] = (float)(i * 7 % 31) - 15;
    void *A, *sums;
    CHECK(tcp_alloc(&A, sizeof(float) * M * N));
    CHECK(tcp_alloc(&sums, sizeof(float) * M));
    CHECK(tcp_upload(A, a.data(), sizeof(float) * M * N, 0));
    CHECK(row_sums((const float *)A, (float *)sums, M, N, 0));
    CHECK(tcp_download(got.data(), sums, sizeof(float) * M, 0));
    CHECK(tcp_free(A));
    CHECK(tcp_free(sums));
    for (int64_t m = 0; m < M; ++m) {
        float want = 0;
        for (int64_t n = 0; n < N; ++n) want += a[m * N + n];
        if (got[m] != want) {
            std::printf("row %lld: %g, not %g\n", (long long)m, got[m], want);
            return 1;
        }
    }
    std::printf("row sums of a %lld x %lld matrix: right\n", (long long)M, (long long)N);
    return 0;
}
