// The judge's mesh, instead of the runtime's: what kernels between devices call. Nothing of the runtime's barriers is
// used. A device writes to copies of the others' memory, which these see when all have ended; so nobody sees anything
// early, and each write is told apart. Threads have to pass the first barrier before they get a peer's address, and the
// last one at their end.
#ifndef TCP_MESH_CUH
#define TCP_MESH_CUH

#include <map>
#include <vector>

#include "tcp_device.cuh"

// The end of a device, for one launch.
struct tcp_mesh {
    int rank, size, calls;  // calls: of the launcher
    uint64_t hash;
    unsigned char **seen;  // the output of each device, as this one writes it
    size_t bytes;
    bool told;  // the output is in memory that peers write
    struct step {
        int past;    // 1: the first barrier, 2: the last one
        bool asked;  // for the memory of a peer
    };
    std::map<uint64_t, step> steps;  // by thread of the grid
    const char *wrong;
};

struct tcp_mesh_call {
    unsigned rank;
    tcp_mesh *end;
};

inline tcp_mesh::step &judge_step(const tcp_mesh_call &g) {
    const uint64_t block = blockIdx.x + ((uint64_t)blockIdx.y << 31);
    return g.end->steps[block * 1024 + threadIdx.x];
}

inline bool tcp_mesh_begin(const tcp_mesh_call &g) {
    tcp_mesh::step &s = judge_step(g);
    if (s.past) g.end->wrong = "a thread comes to the first barrier again";
    s.past = 1;
    return true;
}

inline void tcp_mesh_end(const tcp_mesh_call &g) {
    tcp_mesh::step &s = judge_step(g);
    if (s.past != 1) g.end->wrong = "a thread comes to the last barrier, and not once to the first";
    s.past = 2;
}

template <typename T> T *tcp_mesh_at(const tcp_mesh_call &g, int tensor, int device, T *own) {
    tcp_mesh::step &s = judge_step(g);
    s.asked = true;
    if (s.past != 1) g.end->wrong = "a peer's memory outside of the two barriers";
    if (tensor || !g.end->told) g.end->wrong = "a peer's memory that the launcher did not tell";
    if (device < 0 || device >= g.end->size) {
        g.end->wrong = "a device that the mesh has not";
        return own;
    }
    return (T *)g.end->seen[device];
}

#endif
