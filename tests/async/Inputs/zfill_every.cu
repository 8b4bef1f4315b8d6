// Runs kernels of zfill-cut.tcp for rows of every length up to four tiles.  A's memory ends with
// its last element, on a GPU with its last row: there memcheck takes an instruction that reads part
// of its 16 bytes for one that reads them all.  What lies between the rows is no zero.
#include <cstdio>
#include <cstring>
#include <vector>

#include "tcp_runtime.h"

TCP_EXTERN_C tcp_status tiles_launch(const tcp_f16 *A, tcp_f16 *B, int64_t M, int64_t N, int64_t ld,
                                     tcp_stream stream);
TCP_EXTERN_C tcp_status bytes_launch(const uint8_t *C, uint8_t *D, int64_t M, int64_t N, int64_t ld,
                                     tcp_stream stream);

#define CHECK(call)                                                                                \
    if (const tcp_status status = (call); status != TCP_OK) {                                      \
        std::printf("%s: %s\n", tcp_status_text(status), tcp_last_error());                        \
        return false;                                                                              \
    }

template <typename T, typename Launch>
static bool run(const char *name, Launch *launch, int64_t M, int64_t N, int64_t ld) {
    const int64_t rows = (M + 31) / 32 * 32, columns = (N + 63) / 64 * 64;
#ifdef __CUDACC__
    const int64_t elements = M * ld;
#else
    const int64_t elements = (M - 1) * ld + N;
#endif
    const size_t from = sizeof(T) * (size_t)elements, to = sizeof(T) * (size_t)(rows * columns);
    std::vector<unsigned char> a(from), b(to);
    for (size_t i = 0; i < from; ++i) a[i] = (unsigned char)(i * 37 % 255 + 1);
    void *A, *B;
    CHECK(tcp_alloc(&A, from));
    CHECK(tcp_alloc(&B, to));
    CHECK(tcp_upload(A, a.data(), from, 0));
    CHECK(launch((const T *)A, (T *)B, M, N, ld, 0));
    CHECK(tcp_download(b.data(), B, to, 0));
    CHECK(tcp_free(A));
    CHECK(tcp_free(B));
    const unsigned char zeros[sizeof(T)] = {};
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
            const unsigned char *want =
                i < M && j < N ? &a[sizeof(T) * (size_t)(i * ld + j)] : zeros;
            if (std::memcmp(&b[sizeof(T) * (size_t)(i * columns + j)], want, sizeof(T)) == 0)
                continue;
            std::printf("%s, M = %lld, N = %lld: (%lld,%lld) is not what it should be\n", name,
                        (long long)M, (long long)N, (long long)i, (long long)j);
            return false;
        }
    }
    return true;
}

int main() {
    int n = 0;
    for (int64_t M = 1; M <= 33; M += 32) {
        for (int64_t N = 0; N <= 256; ++N) {
            const int64_t least = N < 16 ? 16 : (N + 15) / 16 * 16;
            const int64_t ld = least + N % 3 * 16;
            if (!run<tcp_f16>("tiles", tiles_launch, M, N, ld)) return 1;
            if (!run<uint8_t>("bytes", bytes_launch, M, N, ld)) return 1;
            n += 2;
        }
    }
    std::printf("%d launches, all right\n", n);
    return 0;
}
