// What a program asks of the host runtime beyond running kernels: which schedule, what went wrong,
// what shared memory held.  The harness and the tests use it; emitted files do not.
//
// All of it, the launchers and the memory functions may be called from many threads: a launch has
// the runtime for itself, and other launches, allocations and frees wait until it ends.
#ifndef TCP_HOST_RUN_H
#define TCP_HOST_RUN_H

#include <stddef.h>

#include "tcp_runtime.h"

// How the next launches run.  Where a program does not say it, the environment does: words of
// TCP_HOST_SCHEDULE, "backward late poison=52"; else forward, early, poison=0xcb.
struct tcp_host_schedule {
    bool backward;         // threads and blocks from the last to the first
    bool late;             // cp.async copies when it is waited for, instead of at once
    unsigned char poison;  // what shared memory holds at the start of a block, and tcp_alloc's
};
void tcp_host_set_schedule(tcp_host_schedule schedule);

// The reports of the last launch of the calling thread: each place and kind of failure once, the
// first of them in full.
int tcp_host_report_count();
// Returns report "i" as one line: "FILE:LINE: KIND: sentence".
const char *tcp_host_report(int i);

// Returns what shared memory of block (0,0,0) held at its end in the last launch of any thread, and
// its size in "*bytes".  It stays until the next launch.
const unsigned char *tcp_host_shared_snapshot(size_t *bytes);

// Reports call the bytes ["first", "end") of shared memory "name", which must outlive the launches;
// the first name that holds a byte serves.  Names beyond 32 are dropped; NULL forgets all.
void tcp_host_name_shared(const char *name, int64_t first, int64_t end);

// Allocates "bytes" at an address that is a multiple of "align" and not of twice that, between
// guard zones of "guard" bytes; only the bytes between the zones may be touched by kernels.  "name"
// is kept for reports. Fails with TCP_ERR_MEMORY.
tcp_status tcp_host_alloc(void **out, const char *name, size_t bytes, size_t align, size_t guard);

#endif
