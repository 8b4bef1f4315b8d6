// Kernels over a mesh. mesh.cpp includes this once for each mistake that it plants, in a namespace of
// its own and with a macro that puts the mistake into the barriers. PLANT_NO_BEGIN and PLANT_NO_END
// leave them out.
#undef TCP_MESH_CUH
#include "tcp_mesh.cuh"

// Sends word (p, i) of each device to device p, which has it as word (rank, i).
static void push_kernel(const uint32_t *in, uint32_t *out, unsigned n, const tcp_mesh_call g) {
#ifndef PLANT_NO_BEGIN
    if (!tcp_mesh_begin(g)) return;
#endif
    for (unsigned k = 1; k <= g.size; ++k) {
        const unsigned p = (g.rank + k) % g.size;
        uint32_t *const to = tcp_mesh_at(g, 0, p, out);
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            tcp_st_global_32(to + g.rank * n + i, tcp_ld_global_32(in + p * n + i));
    }
#ifndef PLANT_NO_END
    tcp_mesh_end(g);
#endif
}

// The same, but each device fetches what it gets.
static void pull_kernel(const uint32_t *in, uint32_t *out, unsigned n, const tcp_mesh_call g) {
#ifndef PLANT_NO_BEGIN
    if (!tcp_mesh_begin(g)) return;
#endif
    for (unsigned p = 0; p < g.size; ++p) {
        const uint32_t *const from = tcp_mesh_at(g, 0, p, in);
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            tcp_st_global_32(out + p * n + i, tcp_ld_global_32(from + g.rank * n + i));
    }
#ifndef PLANT_NO_END
    tcp_mesh_end(g);
#endif
}

static const kernels both = {push_kernel, pull_kernel};
