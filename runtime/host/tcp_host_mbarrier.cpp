// Barriers in memory on the CPU (PTX: mbarrier). A phase ends when so many arrivals came as init said
// and all bytes that were expected. A thread that waits for it then knows what those knew who arrived,
// and that the copies of the phase are done.
//
// Barrier i is thread TCP_HOST_MAX_THREADS + i of the vector clocks (tcp_host_named.cpp): a copy writes
// as that thread, at a time that is the number of its phase. So a byte of a copy may be read by who
// knows that the phase is over, no matter who told it.
#include <string.h>

#include <algorithm>

#include "host/tcp_host_state.h"
#include "tcp_tma.cuh"

struct tcp_host_mbarrier {
    int offset;  // of its 8 bytes in shared memory
    int arrivals, missing;
    int64_t bytes;    // expected and not yet there; less than 0: there, and not yet expected
    uint32_t phase;   // how many phases are over
    uint32_t filled;  // the last phase that bytes came in, + 1
    uint32_t epoch;   // of init
    int owner;        // who called init
    bool fenced;      // .. and its fence
    bool used;        // since init
    uint32_t knows[TCP_HOST_CLOCKS], told[TCP_HOST_CLOCKS];  // of this phase, of the last one
};

static struct {
    tcp_host_mbarrier at[TCP_HOST_MBARRIERS];
    int count;
} mbarriers;

void tcp_host_mbarrier_begin() {
    mbarriers.count = 0;
}

bool tcp_host_mbarriers_used() {
    return mbarriers.count > 0;
}

static void text_of(const tcp_host_mbarrier *b, char *text, size_t size) {
    snprintf(text, size, "the barrier in memory at byte %d of shared memory", b->offset);
}

// The barrier at "at", or NULL with a report. "asynchronous": the asynchronous proxy names it.
static tcp_host_mbarrier *barrier_at(const tcp_b64 *barrier, const char *verb, bool asynchronous,
                                     tcp_host_place at) {
    const int offset = (int)((const unsigned char *)barrier - tcp_host.shared);
    tcp_host_mbarrier *found = nullptr;
    for (int i = 0; i < mbarriers.count; ++i)
        if (mbarriers.at[i].offset == offset) found = &mbarriers.at[i];
    if (!found) {
        tcp_host_fail(at, "barrier in memory",
                      "%s a barrier at byte %d of shared memory that nobody initialised", verb,
                      offset);
        return nullptr;
    }
    found->used = true;
    if (found->owner != tcp_host.fiber->id && found->epoch == tcp_host.epoch &&
        !tcp_host_named_between(found->owner, 0))
        tcp_host_fail(at, "barrier in memory",
                      "%s a barrier that thread %d initialises, without a barrier of the block "
                      "between",
                      verb, found->owner);
    else if (!found->fenced && (asynchronous || found->owner != tcp_host.fiber->id))
        tcp_host_fail(at, "missing fence",
                      "%s a barrier that thread %d initialised without tcp_mbarrier_init_fence",
                      verb, found->owner);
    return found;
}

void tcp_host_mbarrier_init(tcp_b64 *barrier, int arrivals, tcp_host_place at) {
    tcp_host_clocks_use();
    if (!tcp_host_check_shared("initialises", barrier, 8, 8, at)) return;
    const int offset = (int)((unsigned char *)barrier - tcp_host.shared);
    tcp_host_mbarrier *b = nullptr;
    for (int i = 0; i < mbarriers.count; ++i)
        if (mbarriers.at[i].offset == offset) b = &mbarriers.at[i];
    if (b && b->used)
        tcp_host_fail(at, "barrier in memory",
                      "initialises the barrier at byte %d of shared memory again, which was in use",
                      offset);
    if (arrivals < 1 || arrivals >= 1 << 20)
        tcp_host_fail(at, "barrier in memory", "initialises a barrier for %d arrivals, not 1 .. %d",
                      arrivals, (1 << 20) - 1);
    if (!b && mbarriers.count == TCP_HOST_MBARRIERS) {
        tcp_host_fail(at, "barrier in memory", "initialises more than %d barriers",
                      (int)TCP_HOST_MBARRIERS);
        return;
    }
    if (!b) b = &mbarriers.at[mbarriers.count++];
    *b = tcp_host_mbarrier{};
    b->offset = offset;
    b->arrivals = b->missing = arrivals;
    b->owner = tcp_host.fiber->id;
    b->epoch = tcp_host.epoch;
}

void tcp_host_mbarrier_init_fence() {
    for (int i = 0; i < mbarriers.count; ++i)
        if (mbarriers.at[i].owner == tcp_host.fiber->id) mbarriers.at[i].fenced = true;
}

static int pseudo_thread(const tcp_host_mbarrier *b) {
    return TCP_HOST_MAX_THREADS + (int)(b - mbarriers.at);
}

// Tells this thread what who waited for the last phase knows.
static void learn(const tcp_host_mbarrier *b, int thread) {
    tcp_host_clocks_join(tcp_host_knows(thread), b->told);
    uint32_t *own = &tcp_host_knows(thread)[pseudo_thread(b)];
    *own = std::max(*own, b->phase);
}

static bool is_over(const tcp_host_mbarrier *b, int parity) {
    return (int)(b->phase & 1) != parity;
}

// Ends the phase when all has come, and lets those continue that wait for it.
static void end_phase(tcp_host_mbarrier *b) {
    if (b->missing > 0 || b->bytes != 0) return;
    ++b->phase;
    b->missing = b->arrivals;
    memcpy(b->told, b->knows, sizeof b->told);
    memset(b->knows, 0, sizeof b->knows);
    for (int i = 0; i < tcp_host.threads; ++i) {
        tcp_host_fiber *f = tcp_host_fiber_of(i);
        if (f->state != TCP_FIBER_AT_MEMORY || f->mbarrier != b || !is_over(b, f->parity)) continue;
        learn(b, i);
        f->state = TCP_FIBER_READY;
    }
}

void tcp_host_mbarrier_arrive(tcp_b64 *barrier, int bytes, bool cp_async, tcp_host_place at) {
    tcp_host_fiber *const me = tcp_host.fiber;
    tcp_host_mbarrier *const b = barrier_at(barrier, "arrives at", false, at);
    if (!b) return;
    if (bytes < 0 || b->bytes + bytes >= 1 << 20)
        tcp_host_fail(at, "barrier in memory", "expects %lld bytes in a phase, not 0 .. %d",
                      (long long)b->bytes + bytes, (1 << 20) - 1);
    if (b->missing == 0)
        tcp_host_fail(at, "barrier in memory",
                      "arrives at a barrier where all %d arrivals of the phase came already",
                      b->arrivals);
    else
        --b->missing;
    if (cp_async) tcp_host_finish_chunks(me, me->chunks.commits + 1);
    b->bytes += bytes;
    tcp_host_clocks_join(b->knows, tcp_host_knows(me->id));
    b->knows[me->id] = ++me->time;
    end_phase(b);
}

void tcp_host_mbarrier_wait(tcp_b64 *barrier, int parity, tcp_host_place at) {
    tcp_host_fiber *const me = tcp_host.fiber;
    tcp_host_mbarrier *const b = barrier_at(barrier, "waits at", false, at);
    if (!b) return;
    if (is_over(b, parity)) {
        learn(b, me->id);
        return;
    }
    me->state = TCP_FIBER_AT_MEMORY;
    me->at = at;
    me->mbarrier = b;
    me->parity = parity;
    tcp_host_yield();
}

tcp_host_mbarrier *tcp_host_mbarrier_copies(const tcp_b64 *barrier, int *writer, uint32_t *time,
                                            tcp_host_place at) {
    tcp_host_mbarrier *const b = barrier_at(barrier, "lets a copy arrive at", true, at);
    if (!b) return nullptr;
    *writer = pseudo_thread(b);
    *time = b->phase;
    b->filled = b->phase + 1;
    return b;
}

void tcp_host_mbarrier_bytes(tcp_host_mbarrier *barrier, int bytes) {
    barrier->bytes -= bytes;
    end_phase(barrier);
}

void tcp_host_mbarrier_stuck(tcp_host_fiber *fiber) {
    const tcp_host_mbarrier *b = fiber->mbarrier;
    char text[64], bytes[64] = "";
    text_of(b, text, sizeof text);
    if (b->bytes)
        snprintf(bytes, sizeof bytes, "%s%lld bytes %s", b->missing ? " and " : "",
                 (long long)std::max(b->bytes, -b->bytes),
                 b->bytes > 0 ? "have not come" : "too many have come");
    tcp_host.fiber = fiber;
    if (b->missing)
        tcp_host_fail(fiber->at, "deadlock",
                      "waits for ever at %s: %d of %d arrivals have not come%s", text, b->missing,
                      b->arrivals, bytes);
    else
        tcp_host_fail(fiber->at, "deadlock", "waits for ever at %s: %s", text, bytes);
}

// Threads "first" .. "end" have met: what one knows of copies, all know.
void tcp_host_mbarrier_meet(int first, int end) {
    for (int i = 0; i < mbarriers.count; ++i) {
        uint32_t most = 0;
        for (int t = first; t < end; ++t)
            most = std::max(most, tcp_host_knows(t)[TCP_HOST_MAX_THREADS + i]);
        for (int t = first; t < end; ++t) tcp_host_knows(t)[TCP_HOST_MAX_THREADS + i] = most;
    }
}

void tcp_host_mbarrier_end() {
    for (int i = 0; i < mbarriers.count; ++i) {
        const tcp_host_mbarrier *b = &mbarriers.at[i];
        char text[64];
        text_of(b, text, sizeof text);
        uint32_t known = 0;
        for (int t = 0; t < tcp_host.threads; ++t)
            known = std::max(known, tcp_host_knows(t)[pseudo_thread(b)]);
        tcp_host.fiber = tcp_host_fiber_of(b->owner);
        if (b->bytes || (b->missing != b->arrivals && b->filled > b->phase))
            tcp_host_fail({"the end of the kernel", 0}, "barrier in memory",
                          "initialised %s, and %d arrivals and %lld bytes of its last phase did "
                          "not come",
                          text, b->missing, (long long)b->bytes);
        else if (b->filled > known)
            tcp_host_fail({"the end of the kernel", 0}, "missing wait",
                          "initialised %s, and nobody waited for the copies of its last phase",
                          text);
    }
}
