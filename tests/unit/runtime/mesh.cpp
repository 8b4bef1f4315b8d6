// Meshes on the CPU: exchanges between 1 to 16 devices, what happens if a device does not come or makes another call,
// and mistakes in the barriers, each of which the host runtime finds.
#include <thread>
#include <vector>

#include "check.h"
#include "host/tcp_host_run.h"
#include "tcp_mesh_atomics.cuh"
#include "tcp_mesh_launch.h"

struct kernels {
    void (*push)(const uint32_t *, uint32_t *, unsigned, tcp_mesh_call);
    void (*pull)(const uint32_t *, uint32_t *, unsigned, tcp_mesh_call);
};

namespace right {
#include "mesh_kernels.h"
}
namespace no_begin {
#define PLANT_NO_BEGIN
#include "mesh_kernels.h"
#undef PLANT_NO_BEGIN
}  // namespace no_begin
namespace no_end {
#define PLANT_NO_END
#include "mesh_kernels.h"
#undef PLANT_NO_END
}  // namespace no_end
namespace gpu_scope {
#define tcp_mesh_store_release_sys tcp_mesh_store_release_gpu
#include "mesh_kernels.h"
#undef tcp_mesh_store_release_sys
}  // namespace gpu_scope
namespace relaxed_store {
#define tcp_mesh_store_release_sys tcp_mesh_store_relaxed_sys
#include "mesh_kernels.h"
#undef tcp_mesh_store_release_sys
}  // namespace relaxed_store
namespace gpu_scope_load {
#define tcp_mesh_load_acquire_sys tcp_mesh_load_acquire_gpu
#include "mesh_kernels.h"
#undef tcp_mesh_load_acquire_sys
}  // namespace gpu_scope_load
namespace relaxed_load {
#define tcp_mesh_load_acquire_sys tcp_mesh_load_relaxed_sys
#include "mesh_kernels.h"
#undef tcp_mesh_load_acquire_sys
}  // namespace relaxed_load
namespace relaxed_count {
#define tcp_mesh_add_acq_rel_gpu tcp_mesh_add_relaxed_gpu
#include "mesh_kernels.h"
#undef tcp_mesh_add_acq_rel_gpu
}  // namespace relaxed_count
namespace relaxed_decision {
#define tcp_mesh_load_acquire_gpu tcp_mesh_load_relaxed_sys
#include "mesh_kernels.h"
#undef tcp_mesh_load_acquire_gpu
}  // namespace relaxed_decision
namespace no_advance {
// .. but for the number of a launch that has ended: it alone is small
static void store_but_epochs(uint64_t *to, uint64_t value) {
    if (value == 0 || value >> 32) tcp_mesh_store_relaxed_sys(to, value);
}
#define tcp_mesh_store_relaxed_sys store_but_epochs
#include "mesh_kernels.h"
#undef tcp_mesh_store_relaxed_sys
}  // namespace no_advance
namespace no_sync {
#define tcp_sync() (void)0
#include "mesh_kernels.h"
#undef tcp_sync
}  // namespace no_sync

enum { WORDS = 150, THREADS = 64, BLOCKS = 3 };

struct mesh_of {
    std::vector<tcp_mesh *> end;
    std::vector<uint32_t *> in, out;
    size_t bytes;

    explicit mesh_of(int size, size_t spare = 0)
        : end((size_t)size), bytes((size_t)size * WORDS * 4) {
        HOLDS(tcp_mesh_local(end.data(), size, nullptr) == TCP_OK);
        HOLDS(tcp_mesh_prepare(end.data(), size, 2 * bytes + 512 + spare) == TCP_OK);
        for (tcp_mesh *e : end) {
            in.push_back((uint32_t *)tcp_mesh_alloc(e, bytes));
            out.push_back((uint32_t *)tcp_mesh_alloc(e, bytes));
            tcp_mesh_set_timeout(e, 0.01);
        }
        fill(0);
    }
    ~mesh_of() {
        tcp_mesh_destroy(end.data(), (int)end.size());
    }
    int size() const {
        return (int)end.size();
    }

    void fill(uint32_t round) {
        for (size_t d = 0; d < in.size(); ++d) {
            for (size_t i = 0; i < bytes / 4; ++i) in[d][i] = round << 24 | (uint32_t)(d << 16 | i);
            memset(out[d], 0xee, bytes);
        }
    }
    bool arrived(uint32_t round) const {
        bool all = true;
        for (size_t d = 0; d < out.size(); ++d) {
            for (size_t i = 0; i < bytes / 4; ++i) {
                const size_t from = i / WORDS, at = d * WORDS + i % WORDS;
                all = all && out[d][i] == (round << 24 | (uint32_t)(from << 16 | at));
            }
        }
        return all;
    }
    bool untouched() const {
        bool all = true;
        for (const uint32_t *o : out) {
            for (size_t i = 0; i < bytes / 4; ++i) all = all && o[i] == 0xeeeeeeee;
        }
        return all;
    }
    tcp_status launch(int d, const kernels &k = right::both, bool pull = false, uint64_t salt = 0) {
        tcp_mesh_call call;
        tcp_mesh *e = end[(size_t)d];
        TCP_CHECK(tcp_mesh_enter("exchange", e, 0, &call));
        const uint32_t *shared = pull ? in[(size_t)d] : out[(size_t)d];
        TCP_CHECK(tcp_mesh_tensor("exchange", pull ? "in" : "out", e, &call, shared, bytes));
        tcp_mesh_mix(&call, salt);
        // devices have grids of different sizes
        return TCP_MESH_LAUNCH(pull ? k.pull : k.push, tcp_blocks(BLOCKS + d % 2, 1, 1), THREADS, 0,
                               nullptr, e, in[(size_t)d], out[(size_t)d], WORDS, call);
    }
    // Launches on all devices; whether each is fine, and for a failure the first message.
    bool exchange(const kernels &k = right::both, bool pull = false) {
        bool fine = true;
        for (int d = 0; d < size(); ++d) fine = launch(d, k, pull) == TCP_OK && fine;
        for (tcp_mesh *e : end) fine = tcp_mesh_status(e, nullptr) == TCP_OK && fine;
        return fine;
    }
};

static void set_schedule(int i) {
    tcp_host_set_schedule({(i & 1) != 0, (i & 2) != 0, 0xcb});
}

static void test_exchanges() {
    for (int size = 1; size <= 16; size += size < 5 ? 1 : 11) {
        for (int schedule = 0; schedule < 4; ++schedule) {
            set_schedule(schedule);
            mesh_of m(size);
            for (uint32_t round = 1; round < 4; ++round) {
                const bool pull = round == 2;
                m.fill(round);
                CHECK(m.exchange(right::both, pull), "%d devices: %s", size, tcp_last_error());
                CHECK(m.arrived(round), "%d devices, schedule %d, round %u", size, schedule, round);
            }
        }
    }
}

// Mistakes. Each is found with one schedule at least, and by a report with these words.
static const struct {
    const char *what;
    const kernels *k;
    const char *words;
} plants[] = {
    {"a begin left out", &no_begin::both, "does not know that its launch has begun"},
    {"an end left out", &no_end::both, "race between devices"},
    {"gpu for system in a store", &gpu_scope::both, "race between devices"},
    {"relaxed for release", &relaxed_store::both, "race between devices"},
    {"gpu for system in a load", &gpu_scope_load::both, "race between devices"},
    {"relaxed for acquire", &relaxed_load::both, "race between devices"},
    {"a relaxed count of blocks", &relaxed_count::both, "does not know that device"},
    {"a relaxed look at the decision", &relaxed_decision::both,
     "does not know that its launch has begun"},
    {"an epoch not advanced", &no_advance::both, "does not know that its launch has begun"},
    {"no barrier of the block at the end", &no_sync::both, "does not know that device"},
};

static void test_plants() {
    for (const auto &plant : plants) {
        for (int pull = 0; pull < 2; ++pull) {
            int found = 0, named = 0;
            for (int schedule = 0; schedule < 4; ++schedule) {
                set_schedule(schedule);
                mesh_of m(3);
                for (int round = 0; round < 2; ++round) {
                    if (m.exchange(*plant.k, pull)) continue;
                    ++found;
                    named += strstr(tcp_last_error(), plant.words) != nullptr;
                    break;
                }
            }
            CHECK(found > 0 && named > 0, "%s, %s: found %d times of 4, named %d; %s", plant.what,
                  pull ? "pull" : "push", found, named, tcp_last_error());
        }
    }
    set_schedule(0);
    mesh_of m(2);
    HOLDS(m.exchange());
    for (tcp_mesh *e : m.end) {  // the launch is not counted
        tcp_mesh_call call;
        HOLDS(tcp_mesh_enter("exchange", e, 0, &call) == TCP_OK);
        --call.state[TCP_MESH_EPOCH];
    }
    CHECK(!m.exchange() && strstr(tcp_last_error(), "does not know that its launch has begun"),
          "an epoch that is not advanced: %s", tcp_last_error());
}

// Whether device "d" says that "device" is the one, with these words.
static bool says(mesh_of *m, int d, int device, const char *words) {
    int whose = -1;
    return tcp_mesh_status(m->end[(size_t)d], &whose) == TCP_ERR_DEVICE && whose == device &&
           strstr(tcp_last_error(), words) != nullptr;
}

static void test_failures() {
    mesh_of m(3);
    memset(m.out[0], 0xee, m.bytes);
    HOLDS(m.launch(0) == TCP_OK && m.launch(1) == TCP_OK);
    HOLDS(says(&m, 0, 2, "in launch 1 device 2 did not come within 0.01 s") &&
          says(&m, 1, 2, "did not come"));
    HOLDS(m.untouched());
    HOLDS(m.launch(0) == TCP_ERR_DEVICE &&
          strstr(tcp_last_error(), "exchange: the mesh is dead for device 0"));
    HOLDS(m.launch(2) == TCP_OK && tcp_mesh_status(m.end[2], nullptr) == TCP_ERR_DEVICE);
    HOLDS(strstr(tcp_last_error(), "gave up") && m.untouched());
    HOLDS(tcp_mesh_reset(m.end.data(), 3) == TCP_OK);
    CHECK(m.exchange() && m.arrived(0), "after a reset: %s", tcp_last_error());

    m.fill(0);
    HOLDS(m.launch(0) == TCP_OK && m.launch(1, right::both, false, 7) == TCP_OK &&
          m.launch(2) == TCP_OK);
    HOLDS(says(&m, 0, 1, "makes another call") && m.untouched());
    HOLDS(tcp_mesh_status(m.end[1], nullptr) == TCP_ERR_DEVICE &&
          strstr(tcp_last_error(), "makes another call"));
    HOLDS(tcp_mesh_reset(m.end.data(), 3) == TCP_OK && m.exchange() && m.arrived(0));

    for (int d = 0; d < 3; ++d) HOLDS(m.launch(d, right::both, false, d ? 1 : 2) == TCP_OK);
    HOLDS(tcp_mesh_reset(m.end.data(), 3) == TCP_OK);
    HOLDS(m.launch(0, no_end::both) == TCP_OK && m.launch(1) == TCP_OK && m.launch(2) == TCP_OK);
    HOLDS(tcp_mesh_status(m.end[1], nullptr) == TCP_ERR_DEVICE);
    CHECK(strstr(tcp_last_error(), "device 0 did not come to the end within 0.01 s"), "%s",
          tcp_last_error());
}

static void test_epochs() {
    mesh_of m(2);
    HOLDS(m.exchange());
    tcp_mesh_call call;
    HOLDS(tcp_mesh_enter("exchange", m.end[1], 0, &call) == TCP_OK);
    call.state[TCP_MESH_EPOCH] += 5;
    call.state[TCP_MESH_DECISION] += 10;
    HOLDS(m.launch(0) == TCP_OK && m.launch(1) == TCP_OK);
    HOLDS(says(&m, 0, 1, "is at another launch") || says(&m, 1, 0, "is at another launch"));
}

// Two launches of each device wait; they run in order. A thread for each device.
static void test_queue() {
    mesh_of m(2);
    HOLDS(m.launch(0) == TCP_OK && m.launch(0) == TCP_OK && m.launch(1) == TCP_OK &&
          m.launch(1) == TCP_OK);
    CHECK(tcp_mesh_status(m.end[0], nullptr) == TCP_OK &&
              tcp_mesh_status(m.end[1], nullptr) == TCP_OK && m.arrived(0),
          "%s", tcp_last_error());
    m.fill(3);
    for (tcp_mesh *e : m.end) tcp_mesh_set_timeout(e, 20);
    std::vector<std::thread> threads;
    tcp_status status[2];
    for (int d = 0; d < 2; ++d) {
        threads.emplace_back([&, d] {
            status[d] = m.launch(d);
            if (status[d] == TCP_OK) status[d] = tcp_mesh_status(m.end[(size_t)d], nullptr);
        });
    }
    for (std::thread &t : threads) t.join();
    HOLDS(status[0] == TCP_OK && status[1] == TCP_OK && m.arrived(3));
}

static void test_refusals() {
    std::vector<tcp_mesh *> none(17);
    const int twice[] = {1, 1};
    HOLDS(tcp_mesh_local(none.data(), 17, nullptr) == TCP_ERR_PRECONDITION &&
          strstr(tcp_last_error(), "1 to 16 devices, not 17"));
    HOLDS(tcp_mesh_local(none.data(), 2, twice) == TCP_ERR_PRECONDITION &&
          strstr(tcp_last_error(), "device 1 is twice in the mesh"));
    HOLDS(tcp_mesh_join(none.data(), 0, 2, nullptr, nullptr) == TCP_ERR_PRECONDITION && !none[0] &&
          strstr(tcp_last_error(), "tcp_mesh_local"));
    mesh_of m(2);
    tcp_mesh_call call;
    HOLDS(tcp_mesh_enter("exchange", nullptr, 0, &call) == TCP_ERR_NULL);
    HOLDS(tcp_mesh_enter("exchange", m.end[0], 4, &call) == TCP_ERR_PRECONDITION &&
          strstr(tcp_last_error(), "for 4 devices, but the mesh has 2"));
    HOLDS(tcp_mesh_enter("exchange", m.end[0], 2, &call) == TCP_OK);
    uint32_t elsewhere;
    HOLDS(tcp_mesh_tensor("exchange", "out", m.end[0], &call, &elsewhere, 4) ==
              TCP_ERR_PRECONDITION &&
          strstr(tcp_last_error(), "tcp_mesh_prepare"));
    HOLDS(tcp_mesh_tensor("exchange", "out", m.end[0], &call, m.in[1], 4) == TCP_ERR_PRECONDITION);
    for (int t = 0; t < TCP_MESH_TENSORS; ++t)
        HOLDS(tcp_mesh_tensor("exchange", "out", m.end[0], &call, m.out[0], m.bytes) == TCP_OK);
    HOLDS(tcp_mesh_tensor("exchange", "e", m.end[0], &call, m.out[0], 4) == TCP_ERR_PRECONDITION &&
          strstr(tcp_last_error(), "'e' is one tensor more than the 4"));
    HOLDS(TCP_MESH_LAUNCH(right::push_kernel, tcp_blocks(0, 1, 1), THREADS, 0, nullptr, m.end[0],
                          m.in[0], m.out[0], 1, call) == TCP_ERR_GRID);
    HOLDS(tcp_mesh_prepare(m.end.data(), 1, 64) == TCP_ERR_PRECONDITION &&
          strstr(tcp_last_error(), "2 ends of the mesh, but 1 are"));
}

// The pool: gaps are used again, a piece ends where it ends, and devices may be in different states.
static void test_pool() {
    mesh_of m(2, 4096);
    HOLDS(!tcp_mesh_alloc(m.end[0], 1 << 20) &&
          strstr(tcp_last_error(), "all devices call tcp_mesh_prepare"));
    HOLDS(tcp_mesh_free(m.end[0], m.in[1]) == TCP_ERR_MEMORY);
    uint32_t *const first = m.in[0];
    HOLDS(tcp_mesh_free(m.end[0], first) == TCP_OK && tcp_mesh_alloc(m.end[0], 8) == first);
    HOLDS(tcp_mesh_free(m.end[0], first) == TCP_OK && tcp_mesh_alloc(m.end[0], m.bytes) == first);
    HOLDS(tcp_mesh_prepare(m.end.data(), 2, 1 << 20) == TCP_OK);
    HOLDS(tcp_mesh_alloc(m.end[1], 1 << 18) != nullptr);
    uint32_t *const far = (uint32_t *)tcp_mesh_alloc(m.end[1], 1 << 17);
    HOLDS(far != nullptr);
    m.out[1] = far;  // another window and offset than on device 0
    m.fill(1);
    CHECK(m.exchange() && m.arrived(1), "%s", tcp_last_error());
    const size_t bytes = m.bytes;
    HOLDS(tcp_mesh_free(m.end[1], far) == TCP_OK);
    m.out[1] = (uint32_t *)tcp_mesh_alloc(m.end[1], bytes - 4);
    CHECK(!m.exchange() && strstr(tcp_last_error(), "out of bounds"),
          "a piece that is too short: %s", tcp_last_error());
    std::vector<tcp_mesh *> &e = m.end;
    for (int i = 2; i < TCP_MESH_WINDOWS; ++i) HOLDS(tcp_mesh_prepare(e.data(), 2, 256) == TCP_OK);
    HOLDS(tcp_mesh_prepare(e.data(), 2, 256) == TCP_ERR_MEMORY &&
          strstr(tcp_last_error(), "has grown 16 times"));
}

// Two devices write one word.
static void test_written_twice() {
    mesh_of m(2);
    const auto kernel = [](const uint32_t *in, uint32_t *out, unsigned, const tcp_mesh_call g) {
        if (!right::tcp_mesh_begin(g)) return;
        if (threadIdx.x == 0 && blockIdx.x == 0)
            tcp_st_global_32(right::tcp_mesh_at(g, 0, 1, out), *in);
        right::tcp_mesh_end(g);
    };
    const kernels k = {kernel, kernel};
    CHECK(!m.exchange(k) && strstr(tcp_last_error(), "written twice") &&
              strstr(tcp_last_error(), "thread 0 of block 0 of device "),
          "%s", tcp_last_error());
}

int main() {
    test_exchanges();
    test_plants();
    set_schedule(0);
    test_failures();
    test_epochs();
    test_queue();
    test_refusals();
    test_pool();
    test_written_twice();
    return check_done();
}
