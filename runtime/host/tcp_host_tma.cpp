// Bulk copies and copies of boxes on the CPU (PTX: cp.async.bulk, cp.async.bulk.tensor). A copy moves
// its bytes when it is issued or, with the schedule "late", when no thread can go on without it: the
// oldest first, or with "backward" the newest, since copies are unordered.
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "host/tcp_host_state.h"
#include "host/tcp_host_tma_map.h"

struct copy {
    tcp_host_mbarrier *barrier;
    unsigned char *to;
    tcp_host_map map;  // rank 0: "bytes" from "from"
    int x[5];
    const unsigned char *from;
    int bytes;
    tcp_host_place at;
};

static std::vector<copy> in_flight;

void tcp_host_tma_begin() {
    in_flight.clear();
}

// Calls "row(to, from, bytes)" for the runs of a box: "from" is NULL beyond the tensor. Runs are of 16
// bytes at most and do not cross a chunk, so that a swizzle moves them whole.
template <typename F> static void each_run(const copy *c, F row) {
    const tcp_host_map *m = &c->map;
    const int chunk = 16 / m->bytes;  // in elements
    int64_t rows = 1;
    for (int i = 1; i < m->rank; ++i) rows *= m->box[i];
    for (int64_t r = 0; r < rows; ++r) {
        const unsigned char *from = m->address;
        bool inside = true;
        int64_t rest = r;
        for (int i = 1; i < m->rank; ++i) {
            const int64_t x = c->x[i] + rest % m->box[i];
            rest /= m->box[i];
            inside = inside && x >= 0 && x < m->extent[i];
            if (inside) from += x * m->stride[i];
        }
        for (int e = 0; e < m->box[0]; e += chunk) {
            uintptr_t to = (uintptr_t)c->to + (uintptr_t)((r * m->box[0] + e) * m->bytes);
            to ^= (to >> 7 & (uintptr_t)((1 << m->swizzle) - 1)) << 4;
            for (int k = 0; k < chunk; ++k) {
                const int64_t x = c->x[0] + (int64_t)e + k;
                const bool there = inside && x >= 0 && x < m->extent[0];
                row((unsigned char *)to + k * m->bytes, there ? from + x * m->bytes : nullptr,
                    m->bytes);
            }
        }
    }
}

static void arrive(const copy *c) {
    if (c->map.rank == 0)
        memcpy(c->to, c->from, (size_t)c->bytes);
    else
        each_run(c, [](unsigned char *to, const unsigned char *from, int bytes) {
            if (from)
                memcpy(to, from, (size_t)bytes);
            else
                memset(to, 0, (size_t)bytes);
        });
    tcp_host_mbarrier_bytes(c->barrier, c->bytes);
}

bool tcp_host_tma_deliver() {
    if (in_flight.empty()) return false;
    const auto which = tcp_host.schedule.backward ? in_flight.end() - 1 : in_flight.begin();
    const copy c = *which;
    in_flight.erase(which);
    arrive(&c);
    return true;
}

static void issue(const copy *c) {
    tcp_host.used_async = true;
    if (tcp_host.schedule.late)
        in_flight.push_back(*c);
    else
        arrive(c);
}

void tcp_host_bulk_load(void *shared, const void *global, int bytes, tcp_b64 *barrier,
                        tcp_host_place at) {
    bool good = tcp_host_check_alignment("reads", global, 16, at);
    if (bytes < 0 || bytes % 16) {
        tcp_host_fail(at, "misaligned", "copies %d bytes, which are no multiple of 16", bytes);
        good = false;
    }
    good = good && tcp_host_check_shared("writes", shared, bytes, 16, at);
    if (!good || bytes == 0) return;
    if (!tcp_host_check_global((const unsigned char *)global, bytes, at)) return;
    int writer;
    uint32_t time;
    copy c = {};
    c.barrier = tcp_host_mbarrier_copies(barrier, &writer, &time, at);
    if (!c.barrier) return;
    c.to = (unsigned char *)shared;
    c.from = (const unsigned char *)global;
    c.bytes = bytes;
    tcp_host_check_async((int)(c.to - tcp_host.shared), bytes, writer, time, at);
    issue(&c);
}

void tcp_host_tma_load(void *shared, const tcp_tensor_map &map, tcp_b64 *barrier, const int *x,
                       int rank, tcp_host_place at) {
    copy c = {};
    c.map = tcp_host_map_of(map);
    if (c.map.rank != rank) {
        tcp_host_fail(at, "tensor map", "gives %d coordinates to a map of rank %d", rank,
                      c.map.rank);
        return;
    }
    c.bytes = c.map.bytes;
    for (int i = 0; i < rank; ++i) {
        c.x[i] = x[i];
        c.bytes *= c.map.box[i];
    }
    c.to = (unsigned char *)shared;
    if (!tcp_host_check_shared("writes", shared, c.bytes, 128, at)) return;
    if ((int64_t)x[0] * c.map.bytes % 16) {
        tcp_host_fail(at, "misaligned",
                      "begins a box at element %d of %d bytes, which is no multiple of 16 bytes: "
                      "the hardware faults",
                      x[0], c.map.bytes);
        return;
    }
    bool good = true;
    each_run(&c, [&](unsigned char *, const unsigned char *from, int bytes) {
        good = good && (!from || tcp_host_check_global(from, bytes, at));
    });
    if (!good) return;
    int writer;
    uint32_t time;
    c.barrier = tcp_host_mbarrier_copies(barrier, &writer, &time, at);
    if (!c.barrier) return;
    tcp_host_check_async((int)(c.to - tcp_host.shared), c.bytes, writer, time, at);
    issue(&c);
}

void tcp_host_fence_async() {
    tcp_host_clocks_use();
    tcp_host.fiber->fenced = ++tcp_host.fiber->time;
}

bool tcp_host_elect(tcp_host_place) {
    const int id = tcp_host.fiber->id, first = id / TCP_HOST_WARP * TCP_HOST_WARP;
    const int last =
        tcp_host.threads - first < TCP_HOST_WARP ? tcp_host.threads - 1 : first + TCP_HOST_WARP - 1;
    return id == (tcp_host.schedule.backward ? last : first);
}
