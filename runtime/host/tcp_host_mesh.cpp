// Runs a launch of all devices of a mesh on the CPU, and checks that each access to the memory of
// another device is ordered.
//
// Each device executes its blocks in turn, as without a mesh. When all threads of its block wait, some
// of them for a peer, the next device goes on. Time passes only when nothing happens.
//
// What a thread knows is a vector clock. It has a number for each device, how many of its launches
// have begun, and one for each block of this launch: what the block did before this many of its own
// barriers. A store that releases leaves what its thread knows at the word, for the device alone or
// for all; a load that acquires takes it. Two rules follow from what stands on them. A thread may access
// memory of a device only if it knows that the device's launch has begun, as its earlier kernels may
// use that memory. When a device ends, it knows all that others did to its memory, as its later
// kernels use it.
#include <algorithm>

#include "host/tcp_host_mesh.h"
#include "host/tcp_host_mesh_state.h"

typedef tcp_host_clocks clocks;

struct device {
    const tcp_host_pending *launch;  // NULL: it does not come
    tcp_host_index blocks;
    int first, count;   // its blocks among those of all devices
    int begun, fibers;  // how many blocks; the first of its fibers
    uint32_t thread;    // number of its first thread
    bool in_block, ended;
    int block;                     // the block that runs, among those of all devices
    uint32_t time;                 // .. its barriers so far, and one
    clocks knows;                  // .. all of its threads
    std::vector<clocks> acquired;  // .. one of them, since the last barrier
    std::vector<int> voted;        // .. how often
    std::vector<char> votes;
    clocks leaves;  // what all of its blocks knew
};

// The last access of a block to the memory of a device.
struct access {
    uint32_t time;
    tcp_host_place at;
};

static struct {
    tcp_host_devices *all;
    std::vector<device> devices;
    std::vector<access> last;  // [block * size + owner]
    uint64_t now;
    bool changed;  // something happened
} round;

static device *running() {
    return &round.devices[(size_t)tcp_host.device];
}

static void join(clocks *to, const clocks &from) {
    if (to->size() < from.size()) to->resize(from.size());
    for (size_t i = 0; i < from.size(); ++i) (*to)[i] = std::max((*to)[i], from[i]);
}

static uint32_t at(const clocks &c, size_t i) {
    return i < c.size() ? c[i] : 0;
}

// What the running thread may tell others.
static clocks told() {
    device *d = running();
    clocks c = d->knows;
    join(&c, d->acquired[(size_t)tcp_host.fiber->id]);
    c[(size_t)(round.all->size + d->block)] = d->time;
    return c;
}

static void acquire(const tcp_host_word &w, tcp_host_scope scope) {
    if (w.device != tcp_host.device && scope != TCP_HOST_SYS) return;
    join(&running()->acquired[(size_t)tcp_host.fiber->id],
         w.device == tcp_host.device ? w.gpu : w.sys);
}

uint64_t tcp_host_mesh_load(const uint64_t *from, tcp_host_order order, tcp_host_scope scope) {
    const auto found = round.all->words.find(from);
    if (order == TCP_HOST_ORDERED && found != round.all->words.end()) acquire(found->second, scope);
    return *from;
}

void tcp_host_mesh_store(uint64_t *to, uint64_t value, tcp_host_order order, tcp_host_scope scope) {
    tcp_host_word *w = &round.all->words[to];
    w->device = tcp_host.device;
    w->gpu = order == TCP_HOST_ORDERED ? told() : clocks();
    w->sys = scope == TCP_HOST_SYS ? w->gpu : clocks();
    *to = value;
    round.changed = true;
}

uint64_t tcp_host_mesh_change(uint64_t *at, uint64_t value, const uint64_t *old,
                              tcp_host_order order) {
    const uint64_t before = *at;
    tcp_host_word *w = &round.all->words[at];
    if (w->gpu.empty() && w->sys.empty()) w->device = tcp_host.device;
    if (order == TCP_HOST_ORDERED) acquire(*w, TCP_HOST_GPU);
    if (old && before != *old) return before;
    if (w->device != tcp_host.device) w->gpu.clear();
    w->device = tcp_host.device;
    if (order == TCP_HOST_ORDERED) join(&w->gpu, told());
    *at = old ? value : before + value;
    round.changed = true;
    return before;
}

bool tcp_host_mesh_all(bool mine, tcp_host_place place) {
    device *d = running();
    const size_t turn = (size_t)d->voted[(size_t)tcp_host.fiber->id]++;
    if (d->votes.size() <= turn) d->votes.resize(turn + 1, 1);
    if (!mine) d->votes[turn] = 0;
    tcp_host_sync(place);
    return d->votes[turn];
}

uint64_t tcp_host_mesh_time() {
    return ++round.now;
}

void tcp_host_mesh_pause(tcp_host_place place) {
    tcp_host.fiber->state = TCP_FIBER_AT_PEER;
    tcp_host.fiber->at = place;
    tcp_host_yield();
}

void tcp_host_mesh_met() {
    if (tcp_host.device < 0) return;
    device *d = running();
    for (clocks &c : d->acquired) {
        join(&d->knows, c);
        c.clear();
    }
    ++d->time;
}

void tcp_host_mesh_access(int owner, const char *verb, const char *name, tcp_host_place place) {
    device *d = running();
    const device *other = &round.devices[(size_t)owner];
    const clocks &mine = d->acquired[(size_t)tcp_host.fiber->id];
    const uint32_t known = std::max(at(d->knows, (size_t)owner), at(mine, (size_t)owner));
    const uint32_t now = round.all->launches[(size_t)owner] + !other->launch;
    if (known < now || other->ended) {
        tcp_host_fail(place, "race between devices", "%s '%s' of device %d, %s", verb, name, owner,
                      other->ended ? "whose launch may have ended"
                                   : "and does not know that its launch has begun");
    }
    access *a = &round.last[(size_t)(d->block * round.all->size + owner)];
    a->time = d->time;
    a->at = place;
}

int tcp_host_mesh_device_of(uint32_t *thread, int *threads) {
    for (int i = (int)round.devices.size() - 1; i >= 0; --i) {
        const device *d = &round.devices[(size_t)i];
        if (!d->launch || *thread < d->thread) continue;
        *thread -= d->thread;
        *threads = d->launch->threads;
        return i;
    }
    return 0;
}

// Makes device "i" the one that runs.
static void enter(int i) {
    device *d = &round.devices[(size_t)i];
    tcp_host.mesh = round.all;
    tcp_host.device = i;
    tcp_host.fiber_base = d->fibers;
    tcp_host.thread_base = d->thread;
    tcp_host.name = d->launch->name;
    tcp_host.threads = d->launch->threads;
    tcp_host.shared_bytes = (int)d->launch->shared_bytes;
    tcp_host.entry = d->launch->entry;
    tcp_host.context = d->launch->context;
}

static void begin_block(device *d) {
    const int n = tcp_host.schedule.backward ? d->count - 1 - d->begun : d->begun;
    const int x = (int)d->blocks.x, y = (int)d->blocks.y;
    const size_t threads = (size_t)d->launch->threads;
    d->block = d->first + n;
    d->time = 1;
    d->knows.assign((size_t)round.all->size + round.last.size() / (size_t)round.all->size, 0);
    join(&d->knows, round.all->position[(size_t)tcp_host.device]);
    d->acquired.assign(threads, clocks());
    d->voted.assign(threads, 0);
    d->votes.clear();
    ++d->begun;
    d->in_block = true;
    tcp_host_block_begin({(unsigned)(n % x), (unsigned)(n / x % y), (unsigned)(n / x / y)},
                         d->blocks);
}

// All blocks of device "i" have ended: it knows what the others did to its memory.
static void end_device(int i) {
    device *d = &round.devices[(size_t)i];
    d->ended = true;
    for (const device &other : round.devices) {
        for (int b = other.first; &other != d && b < other.first + other.count; ++b) {
            const access *a = &round.last[(size_t)(b * round.all->size + i)];
            if (!a->time || at(d->leaves, (size_t)(round.all->size + b)) > a->time) continue;
            tcp_host_fail(
                a->at, "race between devices",
                "ends the launch and does not know that device %d has done with its memory",
                (int)(&other - round.devices.data()));
        }
    }
    clocks *position = &round.all->position[(size_t)i];
    for (size_t p = 0; p < position->size(); ++p)
        (*position)[p] = std::max((*position)[p], at(d->leaves, p));
}

// Lets device "i" run until its block waits for a peer or, unless copies are late, ends.
static void run_device(int i) {
    device *d = &round.devices[(size_t)i];
    enter(i);
    if (d->in_block) tcp_host_block_return();
    do {
        if (!d->in_block) begin_block(d);
        if (!tcp_host_block_run()) return tcp_host_block_leave();
        tcp_host_block_leave();
        tcp_host_mesh_met();
        join(&d->leaves, d->knows);
        d->in_block = false;
        round.changed = true;
    } while (tcp_host.schedule.late && d->begun < d->count);
    if (d->begun == d->count) end_device(i);
}

// Returns the number of fibers that it needs.
static int begin_round(tcp_host_devices *all, const tcp_host_pending *const *launch) {
    int blocks = 0, fibers = 0;
    uint32_t threads = 0;
    round.all = all;
    round.devices.assign((size_t)all->size, device());
    for (int i = 0; i < all->size; ++i) {
        device *d = &round.devices[(size_t)i];
        d->first = blocks;
        d->ended = !launch[i];
        d->launch = launch[i];
        if (!launch[i]) continue;
        const tcp_grid grid = launch[i]->grid;
        const uint32_t n = (uint32_t)launch[i]->threads;
        d->blocks = {(unsigned)grid.x, (unsigned)grid.y, (unsigned)grid.z};
        d->count = (int)(grid.x * grid.y * grid.z);
        d->fibers = fibers;
        d->thread =
            (threads + n - 1) / n * n;  // so that threads of a block are found by a division
        blocks += d->count;
        fibers += (int)n;
        threads = d->thread + (uint32_t)d->count * n;
        all->position[(size_t)i][(size_t)i] = ++all->launches[(size_t)i];
    }
    round.last.assign((size_t)(blocks * all->size), access());
    for (auto &w : all->words) {  // what it says of blocks is of an earlier launch
        w.second.gpu.resize(std::min(w.second.gpu.size(), (size_t)all->size));
        w.second.sys.resize(std::min(w.second.sys.size(), (size_t)all->size));
    }
    return fibers;
}

std::string tcp_host_mesh_run(tcp_host_devices *all, const tcp_host_pending *const *launch) {
    const int fibers = begin_round(all, launch);
    uint64_t step = 1000;  // ns
    bool more = true;
    if (tcp_host_begin("mesh", fibers) != TCP_OK) return tcp_host_first_report();
    while (more) {
        more = round.changed = false;
        for (int k = 0; k < all->size; ++k) {
            const int i = tcp_host.schedule.backward ? all->size - 1 - k : k;
            if (round.devices[(size_t)i].ended) continue;
            run_device(i);
            more = true;
        }
        step = round.changed ? 1000 : 2 * step;
        if (!round.changed) round.now += step;
    }
    tcp_host.mesh = nullptr;
    tcp_host.device = -1;
    tcp_host.fiber_base = 0;
    tcp_host.thread_base = 0;
    return tcp_host_end() == TCP_OK ? "" : tcp_host_first_report();
}
