// Named barriers on the CPU. Each thread has a time, which goes on when it comes to a named barrier. A
// barrier collects what those who come to it know of the times of all threads, and tells it to those
// who wait there (vector clocks; Mattern).
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "host/tcp_host_state.h"

static struct {
    struct {
        int came, threads;  // since it last opened, and how many it waits for
        bool by[TCP_HOST_MAX_THREADS];
        uint32_t knows[TCP_HOST_CLOCKS];
    } at[TCP_HOST_NAMED];
    // knows[thread * TCP_HOST_CLOCKS + other]: what the other did before this time is complete
    uint32_t *knows;
    bool used;  // in this block
} named;

void tcp_host_named_begin() {
    if (!named.used) return;
    named.used = false;
    for (int i = 0; i < tcp_host.threads; ++i)
        tcp_host_fiber_of(i)->time = tcp_host_fiber_of(i)->fenced = 0;
}

void tcp_host_clocks_use() {
    if (named.used) return;
    const size_t each = sizeof(uint32_t) * TCP_HOST_CLOCKS;
    if (!named.knows) named.knows = (uint32_t *)malloc(each * TCP_HOST_MAX_THREADS);
    if (!named.knows) abort();
    memset(named.knows, 0, each * (size_t)tcp_host.threads);
    for (auto &x : named.at) x.came = 0;
    for (int i = 0; i < TCP_HOST_MAX_THREADS && i < tcp_host.threads; ++i)
        tcp_host_fiber_of(i)->time = tcp_host_fiber_of(i)->fenced = 0;
    named.used = true;
}

uint32_t *tcp_host_knows(int thread) {
    return named.knows + (size_t)thread * TCP_HOST_CLOCKS;
}

void tcp_host_clocks_join(uint32_t *to, const uint32_t *from) {
    for (int i = 0; i < tcp_host.threads; ++i) to[i] = std::max(to[i], from[i]);
    for (int i = TCP_HOST_MAX_THREADS; tcp_host_mbarriers_used() && i < TCP_HOST_CLOCKS; ++i)
        to[i] = std::max(to[i], from[i]);
}

bool tcp_host_named_between(int thread, uint32_t time) {
    return named.used && tcp_host_knows(tcp_host.fiber->id)[thread] > time;
}

void tcp_host_named(int id, int threads, bool waits, tcp_host_place at) {
    tcp_host_fiber *const me = tcp_host.fiber;
    tcp_host_clocks_use();
    if (id < 0 || id >= TCP_HOST_NAMED || threads < TCP_HOST_WARP || threads % TCP_HOST_WARP) {
        tcp_host_fail(at, "named barrier", "comes to barrier %d of %d threads, which there is not",
                      id, threads);
        return;
    }
    auto *const x = &named.at[id];
    if (x->came == 0) {
        x->threads = threads;
        memset(x->by, 0, sizeof x->by);
        memset(x->knows, 0, sizeof x->knows);
    }
    if (x->threads != threads)
        tcp_host_fail(at, "named barrier",
                      "comes to barrier %d of %d threads, which waits for %d threads", id, threads,
                      x->threads);
    if (x->by[me->id])
        tcp_host_fail(at, "named barrier", "comes to barrier %d again, before it opened", id);
    tcp_host_clocks_join(x->knows, tcp_host_knows(me->id));
    x->knows[me->id] = ++me->time;
    x->by[me->id] = true;
    ++x->came;
    const bool opens = x->came >= x->threads;
    if (opens) {
        x->came = 0;
        for (int i = 0; i < tcp_host.threads; ++i) {
            tcp_host_fiber *f = tcp_host_fiber_of(i);
            if (f->state != TCP_FIBER_AT_NAMED || f->named != id) continue;
            tcp_host_clocks_join(tcp_host_knows(i), x->knows);
            f->state = TCP_FIBER_READY;
        }
    }
    if (!waits) return;
    if (opens) {
        tcp_host_clocks_join(tcp_host_knows(me->id), x->knows);
        return;
    }
    me->state = TCP_FIBER_AT_NAMED;
    me->at = at;
    me->named = id;
    tcp_host_yield();
}

void tcp_host_named_stuck(tcp_host_fiber *fiber) {
    const auto *x = &named.at[fiber->named];
    tcp_host.fiber = fiber;
    tcp_host_fail(fiber->at, "deadlock",
                  "waits for ever at named barrier %d: %d of %d threads came to it", fiber->named,
                  x->came, x->threads);
    for (auto &y : named.at) y.came = 0;
}

void tcp_host_named_end() {
    for (int id = 0; named.used && id < TCP_HOST_NAMED; ++id) {
        const auto *x = &named.at[id];
        if (x->came == 0) continue;
        int thread = 0;
        while (!x->by[thread]) ++thread;
        tcp_host.fiber = tcp_host_fiber_of(thread);
        tcp_host_fail({"the end of the kernel", 0}, "named barrier",
                      "came to barrier %d, and only %d of %d threads did", id, x->came, x->threads);
    }
}
