// The harness's backend for the host runtime.
#include "tcp_backend.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include <algorithm>

#include "host/tcp_host_state.h"

const char *tcp_backend_name(tcp_status *status) {
    *status = TCP_OK;
    return "host";
}

int tcp_backend_schedules() {
    return tcp_host.used_async ? 4 : 2;
}

const char *tcp_backend_schedule_text(int i) {
    static const char text[4][40] = {"threads forward", "threads backward",
                                     "threads forward, copies late",
                                     "threads backward, copies late"};
    return text[i & 3];
}

// All processors that this process may use, but not so many that their memory exceeds a limit.
int tcp_backend_processes(size_t bytes) {
    static const size_t most_bytes = (size_t)1 << 30;
    cpu_set_t set;
    const int processors =
        sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(CPU_COUNT(&set), 1) : 1;
    return (int)std::min((size_t)processors, std::max(most_bytes / (bytes + 1), (size_t)1));
}

void tcp_backend_set_schedule(int i, unsigned char poison) {
    tcp_host_set_schedule({(i & 1) != 0, (i & 2) != 0, poison});
}

tcp_status tcp_backend_alloc(tcp_backend_memory *out, const char *name, size_t bytes, size_t align,
                             size_t guard) {
    const tcp_status status = tcp_host_alloc(&out->at, name, bytes, align, guard);
    out->block = out->at;
    return status;
}

void tcp_backend_free(tcp_backend_memory memory) {
    tcp_free(memory.at);
}

const char *tcp_backend_report(int i) {
    return i < tcp_host_report_count() ? tcp_host_report(i) : nullptr;
}

const unsigned char *tcp_backend_shared(size_t *bytes) {
    return tcp_host_shared_snapshot(bytes);
}

void tcp_backend_name_shared(const char *name, int64_t first, int64_t end) {
    tcp_host_name_shared(name, first, end);
}

static double now_ms() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

tcp_status tcp_backend_time(tcp_status (*launch)(void *context), void *context, int repeats,
                            double *ms) {
    tcp_status status = launch(context);
    for (int i = 0; i < repeats && status == TCP_OK; ++i) {
        const double start = now_ms();
        status = launch(context);
        ms[i] = now_ms() - start;
    }
    return status;
}

tcp_status tcp_backend_span(tcp_status (*work)(void *context, tcp_stream stream), void *context,
                            double *ms) {
    const double start = now_ms();
    const tcp_status status = work(context, nullptr);
    *ms = now_ms() - start;
    return status;
}

tcp_status tcp_backend_copy(void *to, const void *from, size_t bytes, tcp_stream) {
    memcpy(to, from, bytes);
    return TCP_OK;
}

void tcp_backend_versions(char *out, size_t) {
    out[0] = 0;
}
