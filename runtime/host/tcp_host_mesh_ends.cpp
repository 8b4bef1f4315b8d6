// The ends of a mesh on the CPU: several devices in one process. A launch waits until all devices have
// launched; then all run (tcp_host_mesh.cpp). Memory of the pool belongs to its device, piece by piece, so that
// an access between two pieces is found.
#include <chrono>
#include <condition_variable>
#include <deque>

#include "host/tcp_host_mesh_state.h"
#include "tcp_mesh_end.h"

enum { MOST = 16 };  // devices

// All ends of a mesh.
struct group {
    tcp_host_devices devices;
    std::vector<std::deque<tcp_host_pending>> pending;  // by device
    std::vector<std::string> report;                    // of a launch that failed
    std::vector<tcp_mesh *> ends;
};

static std::condition_variable ran;  // a launch of a mesh; with tcp_host_mutex

static group *group_of(const tcp_mesh *end) {
    return (group *)end->more;
}

static void tcp_mesh_taken(tcp_mesh *end, void *at, size_t bytes) {
    const std::lock_guard<std::mutex> guard(tcp_host_mutex);
    char name[40];
    snprintf(name, sizeof name, "memory of device %d", end->rank);
    tcp_host_adopt(at, bytes, name, &group_of(end)->devices, end->rank);
}

static void tcp_mesh_given(tcp_mesh *, void *at) {
    tcp_free(at);
}

static void clear(tcp_mesh *end) {
    memset(end->state, 0, TCP_MESH_STATE * sizeof(uint64_t));
    memset(end->flags, 0, (size_t)(TCP_MESH_ROWS * end->size) * sizeof(uint64_t));
    end->state[TCP_MESH_DECISION] = 1;  // launch 0 is over
    *end->error = 0;
}

tcp_status tcp_mesh_local(tcp_mesh **ends, int size, const int *devices) {
    TCP_CHECK(tcp_mesh_check_size(size, MOST));
    for (int i = 0; i < size; ++i) {
        for (int k = 0; devices && k < i; ++k) {
            if (devices[k] == devices[i]) {
                return tcp_fail(TCP_ERR_PRECONDITION, "device %d is twice in the mesh", devices[i]);
            }
        }
    }
    group *all = new group();
    all->devices.size = size;
    all->devices.launches.resize((size_t)size);
    all->devices.position.assign((size_t)size, tcp_host_clocks((size_t)size));
    all->pending.resize((size_t)size);
    all->report.resize((size_t)size);
    for (int i = 0; i < size; ++i) {
        tcp_mesh *end = ends[i] = new tcp_mesh();
        end->rank = i;
        end->size = size;
        end->device = devices ? devices[i] : i;
        end->timeout = 10;
        end->more = all;
        end->state = new uint64_t[TCP_MESH_STATE];
        end->flags = new uint64_t[(size_t)(TCP_MESH_ROWS * size)];
        end->error = new uint64_t;
        end->base_known.resize((size_t)(TCP_MESH_WINDOWS * size));
        end->base = end->base_known.data();
        clear(end);
        all->ends.push_back(end);
    }
    for (int i = 0; i < size; ++i) {
        for (const tcp_mesh *peer : all->ends) ends[i]->peers_known.push_back(peer->flags);
        ends[i]->peers = ends[i]->peers_known.data();
    }
    return TCP_OK;
}

tcp_status tcp_mesh_join(tcp_mesh **end, int, int, tcp_mesh_gather, void *) {
    *end = nullptr;
    return tcp_fail(TCP_ERR_PRECONDITION,
                    "on a CPU all devices of a mesh are in one process: tcp_mesh_local");
}

tcp_status tcp_mesh_prepare(tcp_mesh *const *ends, int count, size_t bytes) {
    TCP_CHECK(tcp_mesh_check_ends(ends, count));
    TCP_CHECK(tcp_mesh_check_windows(ends[0]));
    const size_t window = ends[0]->windows.size(),
                 whole = (bytes / TCP_MESH_ALIGN + 1) * TCP_MESH_ALIGN;
    for (int i = 0; i < count; ++i) {
        unsigned char *at = (unsigned char *)aligned_alloc(TCP_MESH_ALIGN, whole);
        if (!at) return tcp_fail(TCP_ERR_MEMORY, "mesh: out of memory");
        ends[i]->windows.push_back({at, bytes});
        for (int p = 0; p < count; ++p)
            ends[p]->base_known[window * (size_t)count + (size_t)i] = at;
    }
    return TCP_OK;
}

static void drop(std::deque<tcp_host_pending> *launches) {
    for (const tcp_host_pending &launch : *launches) launch.drop(launch.context);
    launches->clear();
}

tcp_status tcp_mesh_reset(tcp_mesh *const *ends, int count) {
    TCP_CHECK(tcp_mesh_check_ends(ends, count));
    const std::lock_guard<std::mutex> guard(tcp_host_mutex);
    group *all = group_of(ends[0]);
    for (int i = 0; i < count; ++i) {
        clear(ends[i]);
        drop(&all->pending[(size_t)i]);
        all->report[(size_t)i].clear();
    }
    all->devices.words.clear();
    return TCP_OK;
}

tcp_status tcp_mesh_destroy(tcp_mesh *const *ends, int count) {
    if (count) TCP_CHECK(tcp_mesh_check_ends(ends, count));
    for (int i = 0; i < count; ++i) {
        tcp_mesh *end = ends[i];
        for (const auto &part : end->used) tcp_free(part.first);
        for (const tcp_mesh_window &window : end->windows) free(window.at);
        drop(&group_of(end)->pending[(size_t)i]);
        delete[] end->state;
        delete[] end->flags;
        delete end->error;
        if (i == count - 1) delete group_of(end);
        delete end;
    }
    return TCP_OK;
}

// Runs the first launch of each device that has one. The caller holds the mutex.
static void run(group *all) {
    std::vector<const tcp_host_pending *> launch;
    for (const auto &of_device : all->pending) {
        launch.push_back(of_device.empty() ? nullptr : &of_device.front());
    }
    const std::string report = tcp_host_mesh_run(&all->devices, launch.data());
    for (size_t i = 0; i < launch.size(); ++i) {
        if (!launch[i]) continue;
        if (all->report[i].empty()) all->report[i] = report;
        launch[i]->drop(launch[i]->context);
        all->pending[i].pop_front();
    }
    ran.notify_all();
}

tcp_status tcp_host_mesh_launch(tcp_mesh *end, const tcp_host_pending &launch) {
    const std::lock_guard<std::mutex> guard(tcp_host_mutex);
    group *all = group_of(end);
    all->pending[(size_t)end->rank].push_back(launch);
    for (const auto &of_device : all->pending) {
        if (of_device.empty()) return TCP_OK;
    }
    run(all);
    return TCP_OK;
}

tcp_status tcp_mesh_status(tcp_mesh *end, int *device) {
    std::unique_lock<std::mutex> guard(tcp_host_mutex);
    group *all = group_of(end);
    const auto *mine = &all->pending[(size_t)end->rank];
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(end->timeout);
    while (!mine->empty()) {  // another thread may launch what is missing
        if (ran.wait_until(guard, until) == std::cv_status::timeout && !mine->empty()) run(all);
    }
    const std::string report = all->report[(size_t)end->rank];
    if (*end->error) {
        if (device) *device = (int)(*end->error >> 32 & 0xffff);
        tcp_mesh_tell(nullptr, end, *end->error);
        if (report.empty()) return TCP_ERR_DEVICE;
        const std::string error = tcp_last_error();
        return tcp_fail(TCP_ERR_DEVICE, "%.400s; %s", report.c_str(), error.c_str());
    }
    if (report.empty()) return TCP_OK;
    return tcp_fail(TCP_ERR_DEVICE, "%s", report.c_str());
}
