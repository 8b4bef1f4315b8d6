// The ends of a mesh for CUDA. Within a process, devices see each other's memory by peer access;
// between the processes of one host, by CUDA's IPC handles, which travel through the caller's
// all-gather. Compared with windows of NCCL, these take memory of cudaMalloc, need no structure that
// changes with the version, and no registration that may hang.
#include <cuda_runtime_api.h>

#include <unistd.h>

#include "tcp_mesh_end.h"

// What the processes tell each other about one piece of memory.
struct share {
    char host[64];
    int64_t process;
    int device;
    int failed;
    uint64_t bytes;
    void *at;
    cudaIpcMemHandle_t handle;
};

struct opened {
    std::vector<void *> handles;
};

static tcp_status failed(const char *what, cudaError_t error) {
    cudaGetLastError();
    return tcp_fail(TCP_ERR_MEMORY, "mesh: %s: %s", what, cudaGetErrorString(error));
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const cudaError_t error_of_call = (call);                                                  \
        if (error_of_call != cudaSuccess) return failed(#call, error_of_call);                     \
    } while (0)

// The device of CUDA is the end's, until the end of the scope.
struct on_device {
    int before = 0;
    explicit on_device(const tcp_mesh *end) {
        cudaGetDevice(&before);
        cudaSetDevice(end->device);
    }
    ~on_device() {
        cudaSetDevice(before);
    }
};

static void tcp_mesh_taken(tcp_mesh *, void *, size_t) {}

static void tcp_mesh_given(tcp_mesh *, void *) {}

static size_t flags_bytes(const tcp_mesh *end) {
    return (size_t)(TCP_MESH_ROWS * end->size) * sizeof(uint64_t);
}

static tcp_status clear(tcp_mesh *end) {
    const on_device on(end);
    uint64_t state[TCP_MESH_STATE] = {};
    state[TCP_MESH_DECISION] = 1;  // launch 0 is over
    TRY(cudaDeviceSynchronize());
    TRY(cudaMemcpy(end->state, state, sizeof state, cudaMemcpyHostToDevice));
    TRY(cudaMemset(end->flags, 0, flags_bytes(end)));
    TRY(cudaDeviceSynchronize());
    *(volatile uint64_t *)end->error = 0;
    return TCP_OK;
}

static tcp_status upload_tables(tcp_mesh *end) {
    const on_device on(end);
    TRY(cudaMemcpy(end->peers, end->peers_known.data(), end->peers_known.size() * sizeof(void *),
                   cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(end->base, end->base_known.data(), end->base_known.size() * sizeof(void *),
                   cudaMemcpyHostToDevice));
    TRY(cudaDeviceSynchronize());
    return TCP_OK;
}

static tcp_status make(tcp_mesh *end, int rank, int size, int device) {
    end->rank = rank;
    end->size = size;
    end->device = device;
    end->timeout = 10;
    end->more = new opened;
    end->peers_known.resize((size_t)size);
    end->base_known.resize((size_t)(TCP_MESH_WINDOWS * size));
    const on_device on(end);
    TRY(cudaMalloc((void **)&end->state, TCP_MESH_STATE * sizeof(uint64_t)));
    TRY(cudaMalloc((void **)&end->flags, flags_bytes(end)));
    TRY(cudaMalloc((void **)&end->peers, end->peers_known.size() * sizeof(void *)));
    TRY(cudaMalloc((void **)&end->base, end->base_known.size() * sizeof(void *)));
    TRY(cudaHostAlloc((void **)&end->error, sizeof(uint64_t),
                      cudaHostAllocPortable | cudaHostAllocMapped));
    return clear(end);
}

// Lets the device of "end" access the memory of "peer".
static tcp_status see(const tcp_mesh *end, int peer) {
    if (end->device == peer) return TCP_OK;
    const on_device on(end);
    int can = 0;
    TRY(cudaDeviceCanAccessPeer(&can, end->device, peer));
    if (!can) {
        return tcp_fail(TCP_ERR_PRECONDITION, "device %d cannot access the memory of device %d",
                        end->device, peer);
    }
    const cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
    cudaGetLastError();
    if (error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled) return TCP_OK;
    return failed("cudaDeviceEnablePeerAccess", error);
}

static tcp_status make_local(tcp_mesh **ends, int size, const int *devices) {
    for (int i = 0; i < size; ++i) {
        TCP_CHECK(make(ends[i], i, size, devices ? devices[i] : i));
        for (int k = 0; k < i; ++k) {
            if (ends[k]->device == ends[i]->device) {
                return tcp_fail(TCP_ERR_PRECONDITION, "device %d is twice in the mesh",
                                ends[i]->device);
            }
        }
    }
    for (int i = 0; i < size; ++i) {
        for (int k = 0; k < size; ++k) {
            TCP_CHECK(see(ends[i], ends[k]->device));
            ends[i]->peers_known[(size_t)k] = ends[k]->flags;
        }
        TCP_CHECK(upload_tables(ends[i]));
    }
    return TCP_OK;
}

tcp_status tcp_mesh_local(tcp_mesh **ends, int size, const int *devices) {
    TCP_CHECK(tcp_mesh_check_size(size, TCP_MESH_DEVICES));
    for (int i = 0; i < size; ++i) ends[i] = new tcp_mesh();
    const tcp_status status = make_local(ends, size, devices);
    if (status != TCP_OK) {
        const tcp_error_text why = tcp_error_of_thread;
        tcp_mesh_destroy(ends, size);
        tcp_error_of_thread = why;
    }
    return status;
}

// Tells the others about memory of this process, and stores in "seen" where this device sees that of
// each of them. All processes take part to the end, also if one of them has failed.
static tcp_status exchange(tcp_mesh *end, void *at, size_t bytes, tcp_status so_far, void **seen) {
    const on_device on(end);
    share mine = {};
    std::vector<share> all((size_t)end->size);
    gethostname(mine.host, sizeof mine.host - 1);
    mine.process = getpid();
    mine.device = end->device;
    mine.bytes = bytes;
    mine.at = at;
    mine.failed = so_far != TCP_OK || cudaIpcGetMemHandle(&mine.handle, at) != cudaSuccess;
    if (end->gather(end->context, &mine, all.data(), sizeof mine)) {
        return tcp_fail(TCP_ERR_MEMORY, "mesh: the gather of device %d failed", end->rank);
    }
    TCP_CHECK(so_far);
    for (int p = 0; p < end->size; ++p) {
        const share &peer = all[(size_t)p];
        if (peer.failed) {
            return tcp_fail(TCP_ERR_MEMORY, "mesh: device %d has no memory to share", p);
        }
        if (strcmp(peer.host, mine.host) != 0) {
            return tcp_fail(TCP_ERR_PRECONDITION,
                            "device %d is on host '%s', whose memory '%s' cannot access", p,
                            peer.host, mine.host);
        }
        seen[p] = peer.at;
        if (peer.process == mine.process) {
            TCP_CHECK(see(end, peer.device));
            continue;
        }
        TRY(cudaIpcOpenMemHandle(&seen[p], peer.handle, cudaIpcMemLazyEnablePeerAccess));
        ((opened *)end->more)->handles.push_back(seen[p]);
    }
    return TCP_OK;
}

// Whether all processes have succeeded; they wait for each other.
static tcp_status agree(tcp_mesh *end, tcp_status status) {
    if (!end->gather) return status;
    const int mine = status;
    std::vector<int> all((size_t)end->size);
    if (end->gather(end->context, &mine, all.data(), sizeof mine)) {
        return tcp_fail(TCP_ERR_MEMORY, "mesh: the gather of device %d failed", end->rank);
    }
    for (int p = 0; p < end->size && status == TCP_OK; ++p) {
        if (all[(size_t)p] != TCP_OK) {
            return tcp_fail((tcp_status)all[(size_t)p], "mesh: device %d failed", p);
        }
    }
    return status;
}

tcp_status tcp_mesh_join(tcp_mesh **out, int rank, int size, tcp_mesh_gather gather,
                         void *context) {
    *out = nullptr;
    TCP_CHECK(tcp_mesh_check_size(size, TCP_MESH_DEVICES));
    if (rank < 0 || rank >= size || !gather) {
        return tcp_fail(TCP_ERR_PRECONDITION, "a mesh of %d devices has no device %d%s", size, rank,
                        gather ? "" : ", and needs a gather");
    }
    tcp_mesh *end = new tcp_mesh();
    int device = 0;
    cudaGetDevice(&device);
    tcp_status status = make(end, rank, size, device);
    end->gather = gather;
    end->context = context;
    status = exchange(end, end->flags, flags_bytes(end), status, (void **)end->peers_known.data());
    if (status == TCP_OK) status = upload_tables(end);
    status = agree(end, status);
    if (status == TCP_OK) {
        *out = end;
        return TCP_OK;
    }
    const tcp_error_text why = tcp_error_of_thread;
    tcp_mesh_destroy(&end, 1);
    tcp_error_of_thread = why;
    return status;
}

// A window for one device.
static tcp_status grow(tcp_mesh *end, size_t bytes, void **at) {
    const on_device on(end);
    *at = nullptr;
    TCP_CHECK(tcp_mesh_check_windows(end));
    TRY(cudaMalloc(at, bytes ? bytes : TCP_MESH_ALIGN));
    return TCP_OK;
}

static tcp_status grow_all(tcp_mesh *const *ends, int count, size_t bytes, void **at) {
    for (int i = 0; i < count; ++i) {
        tcp_status status = grow(ends[i], bytes, &at[i]);
        void **const row =
            (void **)&ends[i]
                ->base_known[ends[i]->windows.size() % TCP_MESH_WINDOWS * (size_t)ends[i]->size];
        if (ends[i]->gather) {
            status = exchange(ends[i], at[i], bytes, status, row);
            if (status == TCP_OK) status = upload_tables(ends[i]);
            TCP_CHECK(agree(ends[i], status));
        }
        TCP_CHECK(status);
    }
    for (int i = 0; i < count && !ends[i]->gather; ++i) {
        for (int p = 0; p < count; ++p) {
            ends[i]->base_known[ends[i]->windows.size() * (size_t)count + (size_t)p] =
                (unsigned char *)at[p];
        }
        TCP_CHECK(upload_tables(ends[i]));
    }
    return TCP_OK;
}

tcp_status tcp_mesh_prepare(tcp_mesh *const *ends, int count, size_t bytes) {
    TCP_CHECK(tcp_mesh_check_ends(ends, count));
    std::vector<void *> at((size_t)count);
    const tcp_status status = grow_all(ends, count, bytes, at.data());
    for (int i = 0; i < count; ++i) {
        const std::lock_guard<std::mutex> guard(ends[i]->lock);
        if (status == TCP_OK) {
            ends[i]->windows.push_back({(unsigned char *)at[(size_t)i], bytes});
        } else {
            const on_device on(ends[i]);
            cudaFree(at[(size_t)i]);
        }
    }
    return status;
}

tcp_status tcp_mesh_reset(tcp_mesh *const *ends, int count) {
    TCP_CHECK(tcp_mesh_check_ends(ends, count));
    for (int i = 0; i < count; ++i) {
        const on_device on(ends[i]);
        TRY(cudaDeviceSynchronize());
    }
    TCP_CHECK(agree(ends[0], TCP_OK));  // no launch of another process writes any more
    tcp_status status = TCP_OK;
    for (int i = 0; i < count && status == TCP_OK; ++i) status = clear(ends[i]);
    return agree(ends[0], status);
}

tcp_status tcp_mesh_destroy(tcp_mesh *const *ends, int count) {
    for (int i = 0; i < count; ++i) {
        tcp_mesh *end = ends[i];
        if (!end) continue;
        {
            const on_device on(end);
            if (end->more) {
                for (void *handle : ((opened *)end->more)->handles) cudaIpcCloseMemHandle(handle);
            }
            for (const tcp_mesh_window &window : end->windows) cudaFree(window.at);
            for (void *memory :
                 {(void *)end->state, (void *)end->flags, (void *)end->peers, (void *)end->base}) {
                cudaFree(memory);
            }
            cudaFreeHost(end->error);
        }
        delete (opened *)end->more;
        delete end;
    }
    cudaGetLastError();
    return TCP_OK;
}

tcp_status tcp_mesh_status(tcp_mesh *end, int *device) {
    const uint64_t error = *(volatile uint64_t *)end->error;
    if (!error) return TCP_OK;
    if (device) *device = (int)(error >> 32 & 0xffff);
    return tcp_mesh_tell(nullptr, end, error);
}
