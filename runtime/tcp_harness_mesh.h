// Runs a kernel of several devices in the program of `tcpc run`. Part of generated mains; separate because
// programs of one device need no mesh.
//
// The harness has the parts of all devices in one memory, those of a tensor "apart" bytes from each other.
// Here each device gets a part of its own: what peers write is in the pools of the mesh, between bytes that
// nobody writes.
#ifndef TCP_HARNESS_MESH_H
#define TCP_HARNESS_MESH_H

#include <string.h>

#include <vector>

#include "tcp_launch.h"
#include "tcp_mesh.h"

struct tcp_harness_part {
    size_t apart;    // bytes from a device's part to that of the next
    size_t bytes;    // of a part
    bool pooled;     // peers write it
    const int *own;  // by device: the number of its part
};

enum { TCP_HARNESS_GUARD = 1024 };

// A mesh that is kept from one run to the next.
struct tcp_harness_devices {
    std::vector<tcp_mesh *> ends;
    size_t room = 0;
};

inline tcp_status tcp_harness_devices_ready(tcp_harness_devices &m, int devices, size_t bytes) {
    if (m.ends.empty()) {
        m.ends.resize((size_t)devices);
        TCP_CHECK(tcp_mesh_local(m.ends.data(), devices, nullptr));
    }
    if (bytes <= m.room) return TCP_OK;
    m.room = bytes;
    return tcp_mesh_prepare(m.ends.data(), devices, bytes);
}

// Whether the bytes around a part of "p" at "at" are as they were made.
inline bool tcp_harness_guards_hold(const unsigned char *at, const tcp_harness_part &p) {
    bool hold = true;
    for (int i = 0; i < TCP_HARNESS_GUARD; ++i)
        hold &= at[i] == 0x5a && at[TCP_HARNESS_GUARD + p.bytes + (size_t)i] == 0x5a;
    return hold;
}

// Calls "launch(parts, end of the mesh)" for each device with what "t" has, and puts what the devices
// wrote back there.
template <typename F>
tcp_status tcp_harness_on_devices(int devices, void *const *t, const tcp_harness_part *part, int n,
                                  F launch) {
    static tcp_harness_devices m;
    size_t room = 0;
    for (int i = 0; i < n; ++i)
        if (part[i].pooled) room += part[i].bytes + 2 * TCP_HARNESS_GUARD + 512;
    TCP_CHECK(tcp_harness_devices_ready(m, devices, room));
    std::vector<std::vector<void *>> at((size_t)devices);
    tcp_status status = TCP_OK;
    for (int d = 0; d < devices; ++d) {
        tcp_mesh *const end = m.ends[(size_t)d];
        for (int i = 0; i < n; ++i) {
            char *const from = (char *)t[i] + (size_t)part[i].own[d] * part[i].apart;
            char *to = from;
            if (part[i].pooled) {
                to = (char *)tcp_mesh_alloc(end, part[i].bytes + 2 * TCP_HARNESS_GUARD);
                if (!to) return TCP_ERR_MEMORY;
                memset(to, 0x5a, part[i].bytes + 2 * TCP_HARNESS_GUARD);
                to += TCP_HARNESS_GUARD;
                memcpy(to, from, part[i].bytes);
            }
            at[(size_t)d].push_back(to);
        }
    }
    for (int d = 0; d < devices && status == TCP_OK; ++d)
        status = launch(at[(size_t)d].data(), m.ends[(size_t)d]);
    for (int d = 0; d < devices && status == TCP_OK; ++d)
        status = tcp_mesh_status(m.ends[(size_t)d], nullptr);
    if (status == TCP_OK) status = tcp_wait(nullptr);
    for (int d = 0; d < devices; ++d)
        for (int i = 0; i < n; ++i) {
            if (!part[i].pooled) continue;
            char *const from = (char *)at[(size_t)d][(size_t)i];
            const bool hold =
                tcp_harness_guards_hold((const unsigned char *)from - TCP_HARNESS_GUARD, part[i]);
            if (!hold && status == TCP_OK)
                status =
                    tcp_fail(TCP_ERR_DEVICE, "device %d: memory around a tensor was written", d);
            memcpy((char *)t[i] + (size_t)part[i].own[d] * part[i].apart, from, part[i].bytes);
            tcp_mesh_free(m.ends[(size_t)d], from - TCP_HARNESS_GUARD);
        }
    if (status != TCP_OK) tcp_mesh_reset(m.ends.data(), devices);
    return status;
}

#endif
