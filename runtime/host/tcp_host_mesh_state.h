// What the two parts of the host's meshes share: tcp_host_mesh.cpp runs a launch of all devices,
// tcp_host_mesh_ends.cpp collects it.
#ifndef TCP_HOST_MESH_STATE_H
#define TCP_HOST_MESH_STATE_H

#include <string>
#include <unordered_map>
#include <vector>

#include "host/tcp_host_state.h"
#include "tcp_mesh_launch.h"

typedef std::vector<uint32_t> tcp_host_clocks;

// What a word tells who acquires it: threads of "device", and those of others.
struct tcp_host_word {
    tcp_host_clocks gpu, sys;
    int device;
};

// The devices of a mesh, as far as one launch knows of those before it.
struct tcp_host_devices {
    int size;
    std::unordered_map<const uint64_t *, tcp_host_word> words;
    tcp_host_clocks launches;               // of each device
    std::vector<tcp_host_clocks> position;  // those of the others that each device knows of
};

// Runs a launch of each device, or none where "launch" has NULL, until all have ended. The caller
// holds tcp_host_mutex. Returns the first report, or "".
std::string tcp_host_mesh_run(tcp_host_devices *devices, const tcp_host_pending *const *launch);

#endif
