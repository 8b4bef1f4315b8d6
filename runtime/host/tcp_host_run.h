// The interface of the host runtime besides running kernels: choosing a schedule, and reading
// reports and the contents of shared memory. The harness and the tests use it; emitted files do
// not.
//
// All functions here, the launchers and the memory functions may be called from several threads. A
// launch has the runtime for itself: other launches, allocations and frees wait until it ends.
#ifndef TCP_HOST_RUN_H
#define TCP_HOST_RUN_H

#include <stddef.h>

#include "tcp_runtime.h"

// How the next launches run. If the program sets none, the environment variable TCP_HOST_SCHEDULE
// does, with words such as "backward late poison=52"; without it: forward, early, poison=0xcb.
struct tcp_host_schedule {
    bool backward;  // threads and blocks run from the last to the first
    bool late;      // a cp.async copies when it is waited for, instead of at once
    // the initial contents of a block's shared memory and of memory from tcp_alloc
    unsigned char poison;
};
void tcp_host_set_schedule(tcp_host_schedule schedule);

// Returns the number of reports on the last launch of the calling thread. There is one for each
// place and kind of failure, with the first failure in full.
int tcp_host_report_count();
// Returns report "i" as one line: "FILE:LINE: KIND: sentence".
const char *tcp_host_report(int i);

// Returns the contents of the shared memory of block (0,0,0) at its end in the last launch of any
// thread, and its size in "*bytes". They stay valid until the next launch.
const unsigned char *tcp_host_shared_snapshot(size_t *bytes);

// Lets reports call the bytes ["first", "end") of shared memory "name", which must outlive the
// launches. If several names cover a byte, the first one counts. Names beyond 32 are ignored; NULL
// forgets all.
void tcp_host_name_shared(const char *name, int64_t first, int64_t end);

// Allocates "bytes" at an address that is a multiple of "align" but not of twice that, between
// guard zones of "guard" bytes. Kernels may touch only the bytes between the zones. Copies "name",
// up to 39 bytes of it, for reports. Fails with TCP_ERR_MEMORY.
tcp_status tcp_host_alloc(void **out, const char *name, size_t bytes, size_t align, size_t guard);

#endif
