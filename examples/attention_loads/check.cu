// Runs attention_loads for several lengths, and compares each element of O with the result of plain
// loops over Q, K and V.
//
// On a GPU:
//   tcpc attention_loads.tcp -o attention_loads.cu
//   nvcc -std=c++17 -arch=sm_90 -DD=64 -I. -I../../runtime attention_loads.cu check.cu
//       ../../runtime/tcp_cuda.cu -o check
// Without one:
//   c++ -std=c++17 -Wno-unknown-pragmas -DD=64 -I. -I../../runtime -x c++ attention_loads.cu
//       check.cu ../../runtime/host/*.cpp -o check
// For heads of 128 give tcpc -D D=128, and the compiler -DD=128.
#include <cstdio>
#include <vector>

#include "fold.cuh"
#include "tcp_runtime.h"

TCP_EXTERN_C tcp_status attention_loads_launch(const tcp_f16 *Q, const tcp_f16 *K, const tcp_f16 *V,
                                               tcp_f16 *O, int64_t M, int64_t N, tcp_stream stream);

#define CHECK(call)                                                                                \
    if (const tcp_status status = (call); status != TCP_OK) {                                      \
        std::printf("%s: %s\n", tcp_status_text(status), tcp_last_error());                        \
        return 1;                                                                                  \
    }

static void fill(std::vector<tcp_f16> &x, uint32_t seed) {
    for (tcp_f16 &e : x) {
        seed = seed * 1664525u + 1013904223u;
        e.bits = (uint16_t)(seed >> 16);
    }
}

// Which elements a lane has of the operands of one instruction, value i: PTX ISA, "Matrix Fragments
// for mma.m16n8k16 with floating point type".  With g = lane / 4 and t = lane % 4:
//
//   A (16 rows, 16 columns)   row g + 8 * (i / 2 % 2)   column 2 * t + i % 2 + 8 * (i / 4)   i < 8
//   B (16 rows,  8 columns)   row 2 * t + i % 2 + 8 * (i / 2)   column g                     i < 4
//   C (16 rows,  8 columns)   row g + 8 * (i / 2)   column 2 * t + i % 2                     i < 4
static int a_row(int lane, int i) {
    return lane / 4 + 8 * (i / 2 % 2);
}
static int a_column(int lane, int i) {
    return 2 * (lane % 4) + i % 2 + 8 * (i / 4);
}
static int b_row(int lane, int i) {
    return 2 * (lane % 4) + i % 2 + 8 * (i / 2);
}
static int b_column(int lane, int) {
    return lane / 4;
}
static int c_row(int lane, int i) {
    return lane / 4 + 8 * (i / 2);
}
static int c_column(int lane, int i) {
    return 2 * (lane % 4) + i % 2;
}

// C += A * B by fold_mma.  C has 16 rows and "columns" columns; A has 16 columns.
// a(row, column) and b(row, column) are the elements of A and B.
template <class A, class B> static void multiply(uint32_t *C, int columns, A a, B b) {
    for (int lane = 0; lane < 32; ++lane) {
        tcp_f16 of_a[8], of_b[4];
        for (int i = 0; i < 8; ++i) of_a[i] = a(a_row(lane, i), a_column(lane, i));
        for (int n = 0; n < columns; n += 8) {
            uint32_t of_c[4];
            for (int i = 0; i < 4; ++i) of_b[i] = b(b_row(lane, i), n + b_column(lane, i));
            for (int i = 0; i < 4; ++i)
                of_c[i] = C[c_row(lane, i) * columns + n + c_column(lane, i)];
            fold_mma(of_c, of_a, of_b);
            for (int i = 0; i < 4; ++i)
                C[c_row(lane, i) * columns + n + c_column(lane, i)] = of_c[i];
        }
    }
}

static tcp_f16 element(const std::vector<tcp_f16> &x, int64_t row, int64_t column) {
    const tcp_f16 zero = {0};
    return row * D < (int64_t)x.size() ? x[row * D + column] : zero;
}

// The 16 rows of O from "m" on.  A step has 64 rows of K and V; rows that do not exist
// are 0.
static std::vector<uint32_t> want(const std::vector<tcp_f16> &q, const std::vector<tcp_f16> &k,
                                  const std::vector<tcp_f16> &v, int64_t m, int64_t N) {
    std::vector<uint32_t> sum(16 * D, 0);
    for (int64_t n = 0; n < N; n += 64) {
        std::vector<uint32_t> s(16 * 64, 0);
        for (int at = 0; at < D; at += 16)
            multiply(
                s.data(), 64, [&](int row, int column) { return element(q, m + row, at + column); },
                [&](int row, int column) { return element(k, n + column, at + row); });
        const auto p = [&](int row, int column) {
            tcp_f16 e = {0};
            if (n + column < N) e.bits = fold_end(s[row * 64 + column]);
            return e;
        };
        for (int at = 0; at < 64; at += 16)
            multiply(
                sum.data(), D, [&](int row, int column) { return p(row, at + column); },
                [&](int row, int column) { return element(v, n + at + row, column); });
    }
    return sum;
}

static int run(int64_t M, int64_t N) {
    std::vector<tcp_f16> q(M * D), k(N * D), v(N * D), o(M * D);
    fill(q, 1);
    fill(k, 2);
    fill(v, 3);
    const int64_t rows = sizeof(tcp_f16) * D;
    void *Q, *K, *V, *O;
    CHECK(tcp_alloc(&Q, rows * M));
    CHECK(tcp_alloc(&K, rows * N));
    CHECK(tcp_alloc(&V, rows * N));
    CHECK(tcp_alloc(&O, rows * M));
    CHECK(tcp_upload(Q, q.data(), rows * M, 0));
    CHECK(tcp_upload(K, k.data(), rows * N, 0));
    CHECK(tcp_upload(V, v.data(), rows * N, 0));
    CHECK(attention_loads_launch((const tcp_f16 *)Q, (const tcp_f16 *)K, (const tcp_f16 *)V,
                                 (tcp_f16 *)O, M, N, 0));
    CHECK(tcp_download(o.data(), O, rows * M, 0));
    CHECK(tcp_free(Q));
    CHECK(tcp_free(K));
    CHECK(tcp_free(V));
    CHECK(tcp_free(O));
    std::vector<uint32_t> sum;
    for (int64_t i = 0; i < M * D; ++i) {
        if (i % (16 * D) == 0) sum = want(q, k, v, i / D, N);
        const uint16_t expected = fold_end(sum[i % (16 * D)]);
        if (o[i].bits != expected) {
            std::printf("M = %lld, N = %lld: O(%lld,%lld) is %04x, not %04x\n", (long long)M,
                        (long long)N, (long long)(i / D), (long long)(i % D), o[i].bits, expected);
            return 1;
        }
    }
    return 0;
}

int main() {
    static const int64_t length[][2] = {{1, 1},     {128, 64}, {127, 63},  {129, 65},
                                        {128, 128}, {5, 192},  {256, 130}, {300, 320},
                                        {64, 1000}, {1, 191},  {2, 193},   {131, 449}};
    int n = 0;
    for (const auto &x : length) {
        if (run(x[0], x[1])) return 1;
        ++n;
    }
    std::printf("attention_loads, D = %d: %d pairs of lengths, all right\n", D, n);
    return 0;
}
