// Tests of the barriers between the devices of a mesh, on 2 GPUs or more: mesh_test [DEVICES]. Prints a
// line for each, and returns 0 if all are right.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string.h>

#include "mesh.h"

static int failures;

static void expect(bool holds, const char *what) {
    printf("  %s: %s\n", holds ? "ok" : "FAILED", what);
    failures += !holds;
}

static std::vector<side> local(int size, size_t bytes) {
    std::vector<tcp_mesh *> ends((size_t)size);
    MUST(tcp_mesh_local(ends.data(), size, nullptr));
    MUST(tcp_mesh_prepare(ends.data(), size, bytes));
    std::vector<side> sides((size_t)size);
    for (int d = 0; d < size; ++d) {
        sides[(size_t)d].end = ends[(size_t)d];
        sides[(size_t)d].device = d;
        sides[(size_t)d].prepare();
        sides[(size_t)d].allocate(bytes);
    }
    return sides;
}

static std::vector<tcp_mesh *> ends_of(const std::vector<side> &sides) {
    std::vector<tcp_mesh *> ends;
    for (const side &s : sides) ends.push_back(s.end);
    return ends;
}

static unsigned long long mistakes(std::vector<side> &sides) {
    unsigned long long n = 0;
    for (side &s : sides) n += s.mistakes();
    return n;
}

static bool all_fine(std::vector<side> &sides) {
    bool fine = true;
    for (side &s : sides) fine = tcp_mesh_status(s.end, nullptr) == TCP_OK && fine;
    return fine;
}

static void one_exchange(std::vector<side> &sides, int blocks) {
    for (side &s : sides) {
        s.begin_round();
        MUST(s.launch(blocks));
        s.check_round();
    }
    for (side &s : sides) s.wait();
}

static void test_exchanges(std::vector<side> &sides) {
    printf("exchanges\n");
    for (int blocks : {1, 7, 132, 1000}) one_exchange(sides, blocks);
    expect(mistakes(sides) == 0 && all_fine(sides),
           "grids of 1, 7, 132 and 1000 blocks, every word compared");
}

// The pools of two devices are in different states, so that places differ.
static void test_places(std::vector<side> &sides) {
    printf("places\n");
    std::vector<tcp_mesh *> ends = ends_of(sides);
    MUST(tcp_mesh_prepare(ends.data(), (int)ends.size(), 3 * sides[0].bytes));
    const void *before = sides[1].out;
    void *held = tcp_mesh_alloc(sides[1].end, sides[1].bytes + 256);
    sides[1].allocate(sides[1].bytes);
    expect(held != nullptr, "the pool has grown");
    MUST(tcp_mesh_free(sides[1].end, held));
    void *whole = tcp_mesh_alloc(sides[1].end, 256), *again = sides[1].out;
    expect(before != nullptr && whole && again, "memory on one device alone");
    sides[1].out = tcp_mesh_alloc(sides[1].end, sides[1].bytes);
    one_exchange(sides, 64);
    expect(mistakes(sides) == 0 && all_fine(sides), "another window and offset than the others");
    MUST(tcp_mesh_free(sides[1].end, again));
    expect(!tcp_mesh_alloc(sides[0].end, (size_t)1 << 40) &&
               strstr(tcp_last_error(), "tcp_mesh_prepare"),
           "a full pool names tcp_mesh_prepare");
    expect(push_launch(sides[0].in, sides[0].in, sides[0].bytes, 8, sides[0].end,
                       sides[0].stream) == TCP_ERR_PRECONDITION,
           "an output outside of the pool is refused");
}

static void test_graph(std::vector<side> &sides, int replays) {
    printf("graph\n");
    std::vector<cudaGraphExec_t> ready;
    for (side &s : sides) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        MUST(cudaSetDevice(s.device));
        MUST(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeThreadLocal));
        s.begin_round();
        MUST(s.launch(132));
        s.check_round();
        MUST(cudaStreamEndCapture(s.stream, &graph));
        MUST(cudaGraphInstantiate(&exec, graph, 0));
        ready.push_back(exec);
    }
    for (int i = 0; i < replays; ++i) {
        for (size_t d = 0; d < sides.size(); ++d) {
            MUST(cudaSetDevice(sides[d].device));
            MUST(cudaGraphLaunch(ready[d], sides[d].stream));
        }
    }
    for (side &s : sides) s.wait();
    printf("  %d replays\n", replays);
    expect(mistakes(sides) == 0 && all_fine(sides),
           "replays of a captured graph, new words in each, every word compared");
}

static void test_late(std::vector<side> &sides) {
    printf("late device\n");
    const double took = seconds_of([&] {
        for (side &s : sides) {
            s.begin_round();
            if (&s == &sides.back()) sleep_ns<<<1, 1, 0, s.stream>>>(2000000000ull);
            MUST(s.launch(132));
            s.check_round();
        }
        for (side &s : sides) s.wait();
    });
    printf("  %.2f s\n", took);
    expect(took > 2 && took < 3 && mistakes(sides) == 0 && all_fine(sides),
           "one that comes 2 s late");
}

static void restart(std::vector<side> &sides) {
    std::vector<tcp_mesh *> ends = ends_of(sides);
    MUST(tcp_mesh_reset(ends.data(), (int)ends.size()));
    one_exchange(sides, 132);
    expect(mistakes(sides) == 0 && all_fine(sides), "after a reset all is well");
}

static bool names(side &s, int device, const char *words) {
    int whose = -1;
    const tcp_status status = tcp_mesh_status(s.end, &whose);
    const bool good =
        status == TCP_ERR_DEVICE && whose == device && strstr(tcp_last_error(), words);
    if (!good)
        printf("  device %d: %d, %d: %s\n", s.device, (int)status, whose,
               status ? tcp_last_error() : "");
    return good;
}

static void test_absent(std::vector<side> &sides) {
    printf("absent device\n");
    const int absent = (int)sides.size() - 1;
    for (side &s : sides) {
        tcp_mesh_set_timeout(s.end, 0.3);
        s.allocate(s.bytes);
        s.begin_round();
        s.wait();
    }
    const double took = seconds_of([&] {
        for (int d = 0; d < absent; ++d) MUST(sides[(size_t)d].launch(1000));
        for (side &s : sides) s.wait();
    });
    printf("  %.2f s; device 0: %s\n", took,
           (tcp_mesh_status(sides[0].end, nullptr), tcp_last_error()));
    bool named = true, untouched = true;
    for (int d = 0; d < absent; ++d)
        named = names(sides[(size_t)d], absent, "did not come within 0.3 s") && named;
    for (side &s : sides) untouched = !s.touched() && untouched;
    expect(took > 0.29 && took < 1 && named, "the others say so within the time-out");
    expect(untouched, "nothing was written");
    expect(sides[0].launch(8) == TCP_ERR_DEVICE && strstr(tcp_last_error(), "tcp_mesh_reset"),
           "the next launch is refused");
    MUST(sides[(size_t)absent].launch(132));
    sides[(size_t)absent].wait();
    int whose = -1;
    expect(tcp_mesh_status(sides[(size_t)absent].end, &whose) == TCP_ERR_DEVICE && whose < absent &&
               strstr(tcp_last_error(), "gave up") && !sides[0].touched(),
           "the late one is told, and writes nothing");
    restart(sides);
}

static void test_mismatch(std::vector<side> &sides) {
    printf("another call\n");
    for (side &s : sides) {
        s.allocate(s.bytes);
        s.begin_round();
    }
    for (side &s : sides) MUST(s.launch(132, s.device == 1 ? 77 : 0));
    bool untouched = true;
    for (side &s : sides) untouched = !s.touched() && untouched;
    int whose = -1;
    expect(tcp_mesh_status(sides[1].end, &whose) == TCP_ERR_DEVICE, "the one that differs knows");
    bool named = true;
    for (side &s : sides) {
        if (s.device == 1) continue;
        // with more than two, one may hear first of another that gave up, and of whom that one disagrees with
        const bool hears = tcp_mesh_status(s.end, &whose) == TCP_ERR_DEVICE &&
                           strstr(tcp_last_error(), "makes another call");
        named = (sides.size() > 2 ? hears : names(s, 1, "makes another call")) && named;
        if (whose != 1) printf("  device %d names device %d\n", s.device, whose);
    }
    printf("  device 0: %s\n", (tcp_mesh_status(sides[0].end, nullptr), tcp_last_error()));
    expect(named && untouched, "the others name it, and nothing was written");
    restart(sides);
}

static void test_orders(int size) {
    printf("two kernels\n");
    std::vector<side> a = local(size, 1 << 20), b = local(size, 1 << 20);
    for (int round = 0; round < 200; ++round) {
        for (int d = 0; d < size; ++d) {
            side &first = d % 2 ? b[(size_t)d] : a[(size_t)d],
                 &second = d % 2 ? a[(size_t)d] : b[(size_t)d];
            for (side *s : {&first, &second}) {
                s->begin_round();
                MUST(s->launch(24));
                s->check_round();
            }
        }
    }
    expect(mistakes(a) + mistakes(b) == 0 && all_fine(a) && all_fine(b),
           "both orders, with flags and streams of their own, 200 times");
    for (side &s : a) {
        tcp_mesh_set_timeout(s.end, 0.5);
        const uint64_t first = s.device == 0 ? 1 : 2;
        MUST(s.launch(24, first));
        MUST(s.launch(24, 3 - first));
    }
    for (side &s : a) s.wait();
    bool known = true;
    for (side &s : a) known = tcp_mesh_status(s.end, nullptr) == TCP_ERR_DEVICE && known;
    expect(known, "both orders with the same flags are found out");
}

// The processes of a test: their all-gather, in shared memory.
struct common {
    pthread_barrier_t barrier;
    char data[64 * 4096];
    int rank_failures;
};

struct process {
    common *all;
    int rank, size;
};

static int gather(void *context, const void *mine, void *all, size_t bytes) {
    const process *p = (const process *)context;
    if (bytes > 4096) return 1;
    memcpy(p->all->data + (size_t)p->rank * bytes, mine, bytes);
    pthread_barrier_wait(&p->all->barrier);
    memcpy(all, p->all->data, bytes * (size_t)p->size);
    pthread_barrier_wait(&p->all->barrier);
    return 0;
}

static void in_process(process p) {
    side s;
    s.device = p.rank;
    MUST(cudaSetDevice(p.rank));
    MUST(tcp_mesh_join(&s.end, p.rank, p.size, gather, &p));
    MUST(tcp_mesh_prepare(&s.end, 1, 32 << 20));
    s.prepare();
    s.allocate(16 << 20);
    for (int round = 0; round < 100; ++round) {
        s.begin_round();
        MUST(s.launch(132));
        s.check_round();
    }
    bool good = s.mistakes() == 0 && tcp_mesh_status(s.end, nullptr) == TCP_OK;
    if (!good) printf("  process %d: the exchanges failed\n", p.rank);
    tcp_mesh_set_timeout(s.end, 1);
    pthread_barrier_wait(&p.all->barrier);
    if (p.rank == p.size - 1) {  // dies
        fflush(stdout);
        kill(getpid(), SIGKILL);
    }
    MUST(s.launch(132));
    s.wait();
    int whose = -1;
    const tcp_status status = tcp_mesh_status(s.end, &whose);
    const bool said = status == TCP_ERR_DEVICE && whose == p.size - 1;
    if (p.rank == 0) printf("  process 0: %s\n", tcp_last_error());
    if (!said || !good) __sync_fetch_and_add(&p.all->rank_failures, 1);
    fflush(stdout);
    _exit(0);
}

static void test_processes(int size) {
    printf("a process for each device\n");
    common *all = (common *)mmap(nullptr, sizeof *all, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t shared;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&all->barrier, &shared, (unsigned)size);
    fflush(stdout);
    int exited = 0;
    for (int rank = 0; rank < size; ++rank) {
        if (fork() == 0) in_process({all, rank, size});
    }
    for (int rank = 0; rank < size; ++rank) {
        int status = 0;
        wait(&status);
        exited += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    expect(all->rank_failures == 0 && exited == size - 1,
           "100 exchanges; then one process dies, and the others say so");
}

int main(int argc, char **argv) {
    const int size = argc > 1 ? atoi(argv[1]) : 2;
    test_processes(size);  // before this process uses CUDA
    std::vector<side> sides = local(size, 8 << 20);
    test_exchanges(sides);
    test_places(sides);
    test_graph(sides, 1000);
    test_late(sides);
    test_absent(sides);
    test_mismatch(sides);
    test_orders(size);
    printf("%d failures\n", failures);
    return failures != 0;
}
