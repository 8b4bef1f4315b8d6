// The copies of planned.tcp beside a contiguous push of the same bytes and NCCL's all-to-all: planned_bench
// [DEVICES], for a plan of so many; with one device, beside the relayouts of alone.tcp. Medians of alternating
// rounds of one run; every element is compared.
#include "mesh_bench.h"

typedef tcp_status launch_fn(const tcp_f16 *, tcp_f16 *, tcp_mesh *, tcp_stream);
typedef tcp_status alone_fn(const tcp_f16 *, tcp_f16 *, tcp_stream);
extern "C" {
launch_fn large_launch, large_turned_launch, middle_launch, middle_turned_launch, one_launch,
    one_turned_launch, small_launch, small_turned_launch, heads_launch;
alone_fn alone_large_launch, alone_large_turned_launch, alone_middle_launch,
    alone_middle_turned_launch, alone_one_launch, alone_one_turned_launch, alone_small_launch,
    alone_small_turned_launch, alone_heads_launch;
}

enum kind { PLAIN, TURNED, HEADS };
enum { HEAD = 128, ROW = 32 * HEAD };  // elements of a head, and of all heads

// From m rows by n columns to columns or to their transpose; or n positions of a sequence to heads.
struct shape {
    kind of;
    size_t m, n;
};

// The number in the whole of element "i" of the source's part.
static __device__ size_t source_at(const shape &s, size_t part, unsigned rank, unsigned size,
                                   size_t i) {
    if (s.of != HEADS) return rank * part + i;
    const size_t row = s.n / size * ROW;
    return (i / row * size + rank) * row + i % row;
}

// .. of the target's.
static __device__ size_t target_at(const shape &s, unsigned rank, unsigned size, size_t i) {
    const size_t columns = s.n / size, heads = 32 / size;
    if (s.of == PLAIN) return i / columns * s.n + rank * columns + i % columns;
    if (s.of == TURNED) return i % s.m * s.n + rank * columns + i / s.m;
    const size_t at = i / HEAD % s.n, head = i / HEAD / s.n % heads, batch = i / HEAD / s.n / heads;
    return (batch * s.n + at) * ROW + (rank * heads + head) * HEAD + i % HEAD;
}

static __device__ unsigned short value_of(size_t i) {
    return (unsigned short)(i * 2654435761ull >> 9);
}

static __global__ void fill_part(unsigned short *to, size_t n, shape s, unsigned rank,
                                 unsigned size) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
        to[i] = value_of(source_at(s, n, rank, size, i));
}

static __global__ void check_part(const unsigned short *from, size_t n, shape s, unsigned rank,
                                  unsigned size, unsigned long long *wrong) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step)
        if (from[i] != value_of(target_at(s, rank, size, i))) atomicAdd(wrong, 1ull);
}

struct copy_case {
    const char *name;
    launch_fn *launch;
    alone_fn *alone;
    shape s;
    size_t elements;  // of all devices
};

static bool is_right(std::vector<side> &sides, const copy_case &c) {
    const unsigned size = (unsigned)sides.size();
    unsigned long long wrong = 0;
    for (side &s : sides) {
        MUST(cudaSetDevice(s.device));
        fill_part<<<1056, 256, 0, s.stream>>>((unsigned short *)s.in, s.bytes / 2, c.s,
                                              (unsigned)s.device, size);
        MUST(cudaMemsetAsync(s.out, 0xee, s.bytes, s.stream));
        MUST(cudaStreamSynchronize(s.stream));
    }
    for (side &s : sides) {
        MUST(cudaSetDevice(s.device));
        MUST(c.launch((const tcp_f16 *)s.in, (tcp_f16 *)s.out, s.end, s.stream));
        check_part<<<1056, 256, 0, s.stream>>>((const unsigned short *)s.out, s.bytes / 2, c.s,
                                               (unsigned)s.device, size, s.wrong);
    }
    for (side &s : sides) wrong += s.mistakes();
    for (side &s : sides) MUST(tcp_mesh_status(s.end, nullptr));
    return wrong == 0;
}

// Way "w": the planned kernel, or what it is compared with.
static tcp_status launch(const copy_case &c, const side &s, int w, int blocks) {
    const tcp_f16 *const in = (const tcp_f16 *)s.in;
    tcp_f16 *const out = (tcp_f16 *)s.out;
    if (w == 0) return c.launch(in, out, s.end, s.stream);
    if (tcp_mesh_size(s.end) == 1) return c.alone(in, out, s.stream);
    return push_launch(s.in, s.out, s.bytes, blocks, s.end, s.stream);
}

static void bench(std::vector<side> &sides, const copy_case &c, bool with_nccl) {
    enum { IN_GRAPH = 10, WAYS = 4 };
    static const int grids[WAYS] = {0, 32, 132, 264};  // 0: the planned kernel
    const size_t bytes = c.elements * 2 / sides.size();
    const int times = bytes > (64u << 20) ? 1 : bytes > (4u << 20) ? 4 : 20;
    for (side &s : sides) s.allocate(bytes);
    const bool before = is_right(sides, c);
    timer t(sides);
    std::vector<double> us[WAYS], other;
    std::vector<cudaGraphExec_t> graphs[WAYS];
    for (int w = 0; w < WAYS; ++w)
        graphs[w] = capture(sides, IN_GRAPH, [&](side &s) { MUST(launch(c, s, w, grids[w])); });
    for (int round = 0; round < 7; ++round) {
        for (int w = 0; w < WAYS; ++w)
            us[w].push_back(t.run(times, [&](side &s, int d) {
                MUST(cudaGraphLaunch(graphs[w][(size_t)d], s.stream));
            }) / IN_GRAPH);
        if (with_nccl)
            other.push_back(t.run(times * IN_GRAPH,
                                  [&](side &s, int d) { all_to_all(s, d, (int)sides.size()); }));
    }
    const double planned = median(us[0]), alone = with_nccl ? median(other) : 0;
    const double push = std::min({median(us[1]), median(us[2]), median(us[3])});
    const double sent = (double)bytes * (double)(sides.size() - 1) / (double)sides.size();
    const double moved = sides.size() == 1 ? 2 * (double)bytes : sent;  // by a device
    printf("| %s | %.1f | %.1f, %.0f GB/s | %.1f | %.2f | %.2f |%s\n", c.name, alone, planned,
           moved / 1e3 / planned, push, alone / planned, push / planned,
           before && is_right(sides, c) ? "" : " WRONG");
    fflush(stdout);
    for (auto &list : graphs)
        for (cudaGraphExec_t g : list) MUST(cudaGraphExecDestroy(g));
}

int main(int argc, char **argv) {
    const size_t size = argc > 1 ? (size_t)atoi(argv[1]) : 4;
    const size_t n = 32768, m = 8192;
    std::vector<side> sides = sides_of((int)size, 2 * n * n / size + (4 << 20));
    const bool with_nccl = size > 1 && load_nccl((int)size);
    const copy_case cases[] = {
        {"32768x32768", large_launch, alone_large_launch, {PLAIN, n, n}, n * n},
        {"32768x32768 transposed",
         large_turned_launch,
         alone_large_turned_launch,
         {TURNED, n, n},
         n * n},
        {"8192x8192", middle_launch, alone_middle_launch, {PLAIN, m, m}, m * m},
        {"8192x8192 transposed",
         middle_turned_launch,
         alone_middle_turned_launch,
         {TURNED, m, m},
         m * m},
        {"1 MB", one_launch, alone_one_launch, {PLAIN, 256 * size, 2048}, 256 * size * 2048},
        {"1 MB transposed",
         one_turned_launch,
         alone_one_turned_launch,
         {TURNED, 256 * size, 2048},
         256 * size * 2048},
        {"64 KB", small_launch, alone_small_launch, {PLAIN, 64 * size, 512}, 64 * size * 512},
        {"64 KB transposed",
         small_turned_launch,
         alone_small_turned_launch,
         {TURNED, 64 * size, 512},
         64 * size * 512},
        {"heads against sequence, 8x32768x32x128",
         heads_launch,
         alone_heads_launch,
         {HEADS, 0, n},
         8 * n * ROW}};
    for (const copy_case &c : cases) bench(sides, c, with_nccl);
    return 0;
}
