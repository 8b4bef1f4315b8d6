// The end of a mesh as the two implementations have it (tcp_mesh.cu, host/tcp_host_mesh_ends.cpp),
// and what they share: the pool, the checks of a launch, and the messages. C++17, each includes it
// once; it defines functions of tcp_mesh.h.
#ifndef TCP_MESH_END_H
#define TCP_MESH_END_H

#include <stdlib.h>
#include <string.h>

#include <map>
#include <mutex>
#include <vector>

#include "tcp_launch.h"
#include "tcp_mesh.h"

struct tcp_mesh_window {
    unsigned char *at;
    size_t bytes;
};

struct tcp_mesh {
    int rank, size, device;  // "device" is CUDA's number
    double timeout;          // s
    tcp_mesh_gather gather;  // NULL: all ends are in this process
    void *context;
    uint64_t *state, *flags, *error;  // as in tcp_mesh_call
    uint64_t **peers;
    unsigned char **base;
    std::vector<uint64_t *> peers_known;  // the same tables, for the host
    std::vector<unsigned char *> base_known;
    std::vector<tcp_mesh_window> windows;  // of this device
    std::mutex lock;                       // of "used"
    std::map<unsigned char *, size_t> used;
    void *more;  // of the implementation
};

static const size_t TCP_MESH_ALIGN = 256;

// Of each implementation: the pool has given out memory, or taken it back.
static void tcp_mesh_taken(tcp_mesh *end, void *at, size_t bytes);
static void tcp_mesh_given(tcp_mesh *end, void *at);

int tcp_mesh_rank(const tcp_mesh *end) {
    return end->rank;
}

int tcp_mesh_size(const tcp_mesh *end) {
    return end->size;
}

void tcp_mesh_set_timeout(tcp_mesh *end, double seconds) {
    end->timeout = seconds;
}

// The first gap of a window that is large enough, or NULL.
static unsigned char *tcp_mesh_gap(const tcp_mesh *end, size_t bytes) {
    for (const tcp_mesh_window &window : end->windows) {
        unsigned char *at = window.at;
        for (auto i = end->used.lower_bound(window.at); i != end->used.end(); ++i) {
            if (i->first >= window.at + window.bytes || (size_t)(i->first - at) >= bytes) break;
            at = i->first + i->second;
        }
        const auto next = end->used.lower_bound(at);
        const unsigned char *stop = window.at + window.bytes;
        if (next != end->used.end() && next->first < stop) stop = next->first;
        if (at <= stop && (size_t)(stop - at) >= bytes) return at;
    }
    return nullptr;
}

void *tcp_mesh_alloc(tcp_mesh *end, size_t bytes) {
    const std::lock_guard<std::mutex> guard(end->lock);
    const size_t whole = (bytes ? (bytes - 1) / TCP_MESH_ALIGN + 1 : 1) * TCP_MESH_ALIGN;
    unsigned char *at = whole < bytes ? nullptr : tcp_mesh_gap(end, whole);
    if (at) {
        end->used[at] = whole;
        tcp_mesh_taken(end, at, bytes);
        return at;
    }
    size_t all = 0, used = 0;
    for (const tcp_mesh_window &window : end->windows) all += window.bytes;
    for (const auto &part : end->used) used += part.second;
    tcp_fail(TCP_ERR_MEMORY,
             "the pool of device %d has no %zu bytes: %zu of its %zu are in use; all devices call "
             "tcp_mesh_prepare for more",
             end->rank, bytes, used, all);
    return nullptr;
}

tcp_status tcp_mesh_free(tcp_mesh *end, void *memory) {
    const std::lock_guard<std::mutex> guard(end->lock);
    if (!memory) return TCP_OK;
    if (end->used.erase((unsigned char *)memory)) {
        tcp_mesh_given(end, memory);
        return TCP_OK;
    }
    return tcp_fail(TCP_ERR_MEMORY, "%p is not from tcp_mesh_alloc of device %d", memory,
                    end->rank);
}

// Says what "error" is, and returns the status.
static tcp_status tcp_mesh_tell(const char *kernel, const tcp_mesh *end, uint64_t error) {
    static const char *const what[] = {"has no error",
                                       "did not come within %g s",
                                       "did not come to the end within %g s",
                                       "makes another call: another plan, or other sizes or types",
                                       "is at another launch: it made more or fewer of them",
                                       "gave up before"};
    const unsigned kind = (unsigned)(error >> 48), device = (unsigned)(error >> 32) & 0xffff;
    char text[128];
    snprintf(text, sizeof text, what[kind > TCP_MESH_PEER_DEAD ? 0 : kind], end->timeout);
    return tcp_fail(
        TCP_ERR_DEVICE,
        "%s%sthe mesh is dead for device %d: in launch %u device %u %s; all devices call "
        "tcp_mesh_reset",
        kernel ? kernel : "", kernel ? ": " : "", end->rank, (unsigned)error, device, text);
}

static tcp_status tcp_mesh_check_size(int size, int most) {
    if (size >= 1 && size <= most) return TCP_OK;
    return tcp_fail(TCP_ERR_PRECONDITION, "a mesh has 1 to %d devices, not %d", most, size);
}

// Checks that a collective call has all ends of this process.
static tcp_status tcp_mesh_check_ends(tcp_mesh *const *ends, int count) {
    const int all = ends[0]->gather ? 1 : ends[0]->size;
    if (count == all) return TCP_OK;
    return tcp_fail(TCP_ERR_PRECONDITION,
                    "this process has %d ends of the mesh, but %d are in the call", all, count);
}

static tcp_status tcp_mesh_check_windows(const tcp_mesh *end) {
    if (end->windows.size() < TCP_MESH_WINDOWS) return TCP_OK;
    return tcp_fail(TCP_ERR_MEMORY, "the pool of device %d has grown %d times, which is the most",
                    end->rank, TCP_MESH_WINDOWS);
}

tcp_status tcp_mesh_enter(const char *kernel, tcp_mesh *end, int size, tcp_mesh_call *call) {
    if (!end) return tcp_fail(TCP_ERR_NULL, TCP_SAYS_NULL, kernel, "mesh");
    if (size && size != end->size) {
        return tcp_fail(TCP_ERR_PRECONDITION, "%s: the plan is for %d devices, but the mesh has %d",
                        kernel, size, end->size);
    }
    const uint64_t error = *(volatile uint64_t *)end->error;
    if (error) return tcp_mesh_tell(kernel, end, error);
    memset(call, 0, sizeof *call);
    call->rank = (uint32_t)end->rank;
    call->size = (uint32_t)end->size;
    call->timeout = (uint64_t)(end->timeout * 1e9);
    call->state = end->state;
    call->flags = end->flags;
    call->peers = end->peers;
    call->base = end->base;
    call->error = end->error;
    return TCP_OK;
}

tcp_status tcp_mesh_tensor(const char *kernel, const char *tensor, tcp_mesh *end,
                           tcp_mesh_call *call, const void *at, size_t bytes) {
    if (call->tensors == TCP_MESH_TENSORS) {
        return tcp_fail(TCP_ERR_PRECONDITION,
                        "%s: '%s' is one tensor more than the %d that peers may access", kernel,
                        tensor, TCP_MESH_TENSORS);
    }
    for (size_t i = 0; i < end->windows.size(); ++i) {
        const tcp_mesh_window &window = end->windows[i];
        const uintptr_t begin = (uintptr_t)window.at, from = (uintptr_t)at;
        if (from < begin || from - begin > window.bytes || window.bytes - (from - begin) < bytes) {
            continue;
        }
        call->place[call->tensors++] = (uint64_t)i << TCP_MESH_OFFSET_BITS | (from - begin);
        return TCP_OK;
    }
    if (end->size == 1) return TCP_OK;
    return tcp_fail(TCP_ERR_PRECONDITION,
                    "%s: peers access '%s', so it has to be in the pool: tcp_mesh_alloc, after "
                    "tcp_mesh_prepare; %p is not",
                    kernel, tensor, at);
}

#endif
