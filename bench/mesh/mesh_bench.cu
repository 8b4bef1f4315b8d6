// How fast the barriers of a mesh are, and a push between them, beside the all-to-all of NCCL: mesh_bench
// [DEVICES]. A thread a device; medians of alternating rounds of one run. NCCL is loaded when this runs.
#include "mesh_bench.h"

static void bench_barriers(std::vector<side> &sides) {
    timer t(sides);
    for (int blocks : {1, 32, 132, 1056}) {
        auto graphs =
            capture(sides, 50, [&](side &s) { MUST(meet_launch(blocks, s.end, s.stream)); });
        std::vector<double> us;
        for (int i = 0; i < 5; ++i)
            us.push_back(t.run(10, [&](side &s, int d) {
                MUST(cudaGraphLaunch(graphs[(size_t)d], s.stream));
            }) / 50);
        printf("two barriers, a graph of launches of %4d blocks: %6.2f us each\n", blocks,
               median(us));
    }
    auto empty = capture(sides, 50, [&](side &s) { sleep_ns<<<132, 256, 0, s.stream>>>(0); });
    std::vector<double> us;
    for (int i = 0; i < 5; ++i)
        us.push_back(t.run(10, [&](side &s, int d) {
            MUST(cudaGraphLaunch(empty[(size_t)d], s.stream));
        }) / 50);
    printf("an empty kernel of 132 blocks, the same way:     %6.2f us each\n", median(us));
}

static void bench_push(std::vector<side> &sides, size_t bytes, bool with_nccl) {
    const int size = (int)sides.size(), times = bytes > (64u << 20)  ? 10
                                                : bytes > (4u << 20) ? 40
                                                                     : 200;
    const int grids[] = {16, 32, 64, 132, 264};
    for (side &s : sides) s.allocate(bytes);
    timer t(sides);
    std::vector<double> other, plain[5], graph[5];
    std::vector<cudaGraphExec_t> graphs[5];
    for (int i = 0; i < 5; ++i)
        graphs[i] = capture(sides, 10, [&](side &s) { MUST(s.launch(grids[i])); });
    for (int round = 0; round < 7; ++round) {
        if (with_nccl)
            other.push_back(t.run(times, [&](side &s, int d) { all_to_all(s, d, size); }));
        for (int i = 0; i < 5; ++i) {
            plain[i].push_back(t.run(times, [&](side &s, int) { MUST(s.launch(grids[i])); }));
            graph[i].push_back(t.run((times + 9) / 10, [&](side &s, int d) {
                MUST(cudaGraphLaunch(graphs[i][(size_t)d], s.stream));
            }) / 10);
        }
    }
    const double sent = (double)bytes * (size - 1) / size;
    printf("%9zu bytes a device, %.0f of them sent:", bytes, sent);
    if (with_nccl) printf("  NCCL %8.1f us %5.0f GB/s", median(other), sent / 1e3 / median(other));
    printf("\n");
    for (int i = 0; i < 5; ++i) {
        printf("    push, %3d blocks: %8.1f us %5.0f GB/s    in a graph: %8.1f us %5.0f GB/s\n",
               grids[i], median(plain[i]), sent / 1e3 / median(plain[i]), median(graph[i]),
               sent / 1e3 / median(graph[i]));
    }
    for (side &s : sides) {
        s.begin_round();
        MUST(s.launch(132));
        s.check_round();
    }
    for (side &s : sides) {
        if (s.mistakes()) printf("    WRONG on device %d\n", s.device);
    }
    fflush(stdout);
}

int main(int argc, char **argv) {
    const int size = argc > 1 ? atoi(argv[1]) : 2;
    std::vector<side> sides = sides_of(size, (size_t)1 << 30);
    const bool with_nccl = load_nccl(size);
    bench_barriers(sides);
    for (size_t bytes : {(size_t)64 << 10, (size_t)1 << 20, (size_t)32 << 20, (size_t)512 << 20})
        bench_push(sides, bytes, with_nccl);
    return 0;
}
