// What the benchmarks of meshes share: NCCL, which is loaded when they run, and times by a thread a device.
#ifndef MESH_BENCH_H
#define MESH_BENCH_H

#include <dlfcn.h>
#include <pthread.h>

#include "../../tests/gpu/mesh.h"

typedef void *comm_t;
static struct {
    int (*version)(int *);
    int (*init_all)(comm_t *, int, const int *);
    int (*begin)();
    int (*end)();
    int (*send)(const void *, size_t, int, int, comm_t, cudaStream_t);
    int (*receive)(void *, size_t, int, int, comm_t, cudaStream_t);
    std::vector<comm_t> comms;
} nccl;

static bool load_nccl(int size) {
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        library =
            dlopen(getenv("NCCL_LIBRARY") ? getenv("NCCL_LIBRARY") : "libnccl.so.2", RTLD_NOW);
    if (!library) {
        printf("no NCCL: %s\n", dlerror());
        return false;
    }
    nccl.version = (decltype(nccl.version))dlsym(library, "ncclGetVersion");
    nccl.init_all = (decltype(nccl.init_all))dlsym(library, "ncclCommInitAll");
    nccl.begin = (decltype(nccl.begin))dlsym(library, "ncclGroupStart");
    nccl.end = (decltype(nccl.end))dlsym(library, "ncclGroupEnd");
    nccl.send = (decltype(nccl.send))dlsym(library, "ncclSend");
    nccl.receive = (decltype(nccl.receive))dlsym(library, "ncclRecv");
    int version = 0;
    nccl.version(&version);
    nccl.comms.resize((size_t)size);
    MUST(nccl.init_all(nccl.comms.data(), size, nullptr));
    printf("NCCL %d.%d.%d\n", version / 10000, version / 100 % 100, version % 100);
    return true;
}

static void all_to_all(side &s, int rank, int size) {
    const size_t piece = s.bytes / (size_t)size;
    MUST(nccl.begin());
    for (int p = 0; p < size; ++p) {
        MUST(nccl.send((const char *)s.in + (size_t)p * piece, piece, 0, p,
                       nccl.comms[(size_t)rank], s.stream));
        MUST(nccl.receive((char *)s.out + (size_t)p * piece, piece, 0, p, nccl.comms[(size_t)rank],
                          s.stream));
    }
    MUST(nccl.end());
}

// The time of a launch, us, on the slowest device: "times" of them are issued by a thread for each.
struct timer {
    std::vector<side> &sides;
    pthread_barrier_t barrier;

    explicit timer(std::vector<side> &of) : sides(of) {
        pthread_barrier_init(&barrier, nullptr, (unsigned)of.size());
    }

    double run(int times, const std::function<void(side &, int)> &work) {
        std::vector<double> took(sides.size());
        std::vector<std::thread> threads;
        for (size_t d = 0; d < sides.size(); ++d) {
            threads.emplace_back([&, d] {
                side &s = sides[d];
                cudaEvent_t start, stop;
                MUST(cudaSetDevice(s.device));
                MUST(cudaEventCreate(&start));
                MUST(cudaEventCreate(&stop));
                pthread_barrier_wait(&barrier);
                work(s, (int)d);  // so that the devices begin together
                MUST(cudaEventRecord(start, s.stream));
                for (int i = 0; i < times; ++i) work(s, (int)d);
                MUST(cudaEventRecord(stop, s.stream));
                MUST(cudaEventSynchronize(stop));
                float ms = 0;
                MUST(cudaEventElapsedTime(&ms, start, stop));
                took[d] = 1e3 * ms / times;
                MUST(cudaEventDestroy(start));
                MUST(cudaEventDestroy(stop));
            });
        }
        for (std::thread &t : threads) t.join();
        return *std::max_element(took.begin(), took.end());
    }
};

// A captured graph of "count" launches on each device.
static std::vector<cudaGraphExec_t> capture(std::vector<side> &sides, int count,
                                            const std::function<void(side &)> &work) {
    std::vector<cudaGraphExec_t> made;
    for (side &s : sides) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        MUST(cudaSetDevice(s.device));
        MUST(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < count; ++i) work(s);
        MUST(cudaStreamEndCapture(s.stream, &graph));
        MUST(cudaGraphInstantiate(&exec, graph, 0));
        made.push_back(exec);
    }
    return made;
}

static std::vector<side> sides_of(int size, size_t pool) {
    cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    MUST(cudaGetDeviceProperties(&properties, 0));
    MUST(cudaDriverGetVersion(&driver));
    MUST(cudaRuntimeGetVersion(&runtime));
    printf("%d x %s, CUDA %d, driver's CUDA %d\n", size, properties.name, runtime, driver);
    std::vector<tcp_mesh *> ends((size_t)size);
    MUST(tcp_mesh_local(ends.data(), size, nullptr));
    MUST(tcp_mesh_prepare(ends.data(), size, pool));
    std::vector<side> sides((size_t)size);
    for (int d = 0; d < size; ++d) {
        sides[(size_t)d].end = ends[(size_t)d];
        sides[(size_t)d].device = d;
        sides[(size_t)d].prepare();
        sides[(size_t)d].allocate(1 << 20);
    }
    return sides;
}

#endif
