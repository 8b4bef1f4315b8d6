// Copies of uneven.tcp, whose last parts are shorter or empty, on several GPUs: uneven [DEVICES], for a plan of so
// many. Every element is compared, and what is beyond the end of a part is as it was. Returns 0 if all are right.
#include "mesh.h"

typedef tcp_status launch_fn(const float *, float *, int64_t, int64_t, tcp_mesh *, tcp_stream);
extern "C" {
launch_fn plain_launch, turned_launch, gathered_launch, back_launch;
}

enum kind { ROWS, COLUMNS, TURNED, WHOLE };  // of a tensor: A, B, T, W of the plan

// The elements of a part, and the number in the whole of element "i" of the part of device "rank"; -1: there is none.
static long part_of(kind k, long m, long n, long size, long rank, long i, long *elements) {
    const long rows = (m + size - 1) / size, columns = (n + size - 1) / size;
    const long inner = k == COLUMNS ? columns : k == TURNED ? m : n;
    *elements = (k == ROWS ? rows : k == TURNED ? columns : m) * inner;
    long row = i / inner, column = i % inner;
    if (k == TURNED) std::swap(row, column);
    if (k == ROWS) row += rank * rows;
    if (k == COLUMNS || k == TURNED) column += rank * columns;
    return row < m && column < n ? row * n + column : -1;
}

static float value_of(long number, long round) {
    return number < 0 ? -7.0f : (float)((number * 31 + round) % 1000003);
}

static bool is_right(std::vector<side> &sides, launch_fn *launch, kind from, kind to, long m,
                     long n, long round) {
    const long size = (long)sides.size();
    long counts[2];
    part_of(from, m, n, size, 0, 0, &counts[0]);
    part_of(to, m, n, size, 0, 0, &counts[1]);
    std::vector<float> has((size_t)counts[0]), gets((size_t)counts[1]);
    for (long d = 0; d < size; ++d) {
        side &s = sides[(size_t)d];
        MUST(cudaSetDevice(s.device));
        for (long i = 0; i < counts[0]; ++i)
            has[(size_t)i] = value_of(part_of(from, m, n, size, d, i, &counts[0]), round);
        std::fill(gets.begin(), gets.end(), -7.0f);
        MUST(cudaMemcpy(s.in, has.data(), has.size() * sizeof(float), cudaMemcpyHostToDevice));
        MUST(cudaMemcpy(s.out, gets.data(), gets.size() * sizeof(float), cudaMemcpyHostToDevice));
        MUST(cudaDeviceSynchronize());
    }
    for (side &s : sides) {
        MUST(cudaSetDevice(s.device));
        MUST(launch((const float *)s.in, (float *)s.out, m, n, s.end, s.stream));
    }
    for (long d = 0; d < size; ++d) {
        side &s = sides[(size_t)d];
        s.wait();
        MUST(tcp_mesh_status(s.end, nullptr));
        MUST(cudaMemcpy(gets.data(), s.out, gets.size() * sizeof(float), cudaMemcpyDeviceToHost));
        for (long i = 0; i < counts[1]; ++i) {
            const float want = value_of(part_of(to, m, n, size, d, i, &counts[1]), round);
            if (gets[(size_t)i] == want) continue;
            printf("WRONG: %ld x %ld, from %d to %d: element %ld of device %ld is %g, not %g\n", m,
                   n, from, to, i, d, (double)gets[(size_t)i], (double)want);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    const int size = argc > 1 ? atoi(argv[1]) : 2;
    enum { MOST = 1100 * 1100 * 4 };
    std::vector<tcp_mesh *> ends((size_t)size);
    MUST(tcp_mesh_local(ends.data(), size, nullptr));
    MUST(tcp_mesh_prepare(ends.data(), size, MOST + 4096));
    std::vector<side> sides((size_t)size);
    for (int d = 0; d < size; ++d) {
        sides[(size_t)d].end = ends[(size_t)d];
        sides[(size_t)d].device = d;
        sides[(size_t)d].prepare();
        sides[(size_t)d].allocate(MOST);
    }
    int wrong = 0;
    srand(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
    long sizes[40][2] = {{1, 1}, {3, 5}, {5, 2}, {10, 18}, {64, 64}, {1000, 1002}, {1024, 1023}};
    for (int i = 0; i < 40; ++i) {
        long m = sizes[i][0], n = sizes[i][1];
        if (!m) m = 1 + rand() % (i % 2 ? 40 : 1090), n = 1 + rand() % (i % 3 ? 1090 : 40);
        wrong += !is_right(sides, plain_launch, ROWS, COLUMNS, m, n, i);
        wrong += !is_right(sides, turned_launch, ROWS, TURNED, m, n, i);
        wrong += !is_right(sides, gathered_launch, COLUMNS, WHOLE, m, n, i);
        wrong += !is_right(sides, back_launch, TURNED, ROWS, m, n, i);
    }
    printf("parts that are not equal: 160 copies between %d GPUs, %d wrong\n", size, wrong);
    return wrong != 0;
}
