// What the harness needs to know of where it runs: tcp_cuda.cu for a GPU, host/tcp_host_backend.cpp
// for the CPU. Separate from tcp_runtime.h because only the harness runs a kernel more than one
// way.
#ifndef TCP_BACKEND_H
#define TCP_BACKEND_H

#include "tcp_runtime.h"

struct tcp_backend_memory {
    void *at;     // what kernels get
    void *block;  // what was allocated
};

// Returns "host", or the name of the device.  "*status" is not TCP_OK when there is none.
const char *tcp_backend_name(tcp_status *status);

// The number of schedules worth running, as known after the last launch; at least 1.
int tcp_backend_schedules();
// Returns what schedule "i" is, in words.
const char *tcp_backend_schedule_text(int i);
// In how many processes launches may go at once, each of which needs "bytes": 1 where a process
// that was forked cannot launch.
int tcp_backend_processes(size_t bytes);
// The next launches run under schedule "i", and with "poison" in what they have not written.
void tcp_backend_set_schedule(int i, unsigned char poison);

// Allocates "bytes" at a multiple of "align" that is not one of twice "align", with "guard" bytes
// on both sides that are ours; without, nothing of ours follows, where possible.  "name" is for reports.
tcp_status tcp_backend_alloc(tcp_backend_memory *out, const char *name, size_t bytes, size_t align,
                             size_t guard);
void tcp_backend_free(tcp_backend_memory memory);

// Returns report "i" of the last launch beyond its status, or NULL when there are no more.
const char *tcp_backend_report(int i);
// Returns what shared memory of block 0 held at its end, or NULL where that cannot be seen.
const unsigned char *tcp_backend_shared(size_t *bytes);

// Reports may call the bytes ["first", "end") of shared memory "name"; NULL forgets all names.
void tcp_backend_name_shared(const char *name, int64_t first, int64_t end);

// Calls "launch" with "context" "repeats" times after a warm-up and puts the time of each into
// "ms".
tcp_status tcp_backend_time(tcp_status (*launch)(void *context), void *context, int repeats,
                            double *ms);

// Puts the time that the device needs for what "work" launches and copies on the stream into "*ms":
// without what the host needs to launch it, where that can be.
tcp_status tcp_backend_span(tcp_status (*work)(void *context, tcp_stream stream), void *context,
                            double *ms);
// Copies "bytes" from the device's memory into it, in the order of launches; waits for nothing.
tcp_status tcp_backend_copy(void *to, const void *from, size_t bytes, tcp_stream stream);
// Puts the versions of driver and CUDA to "out", or "" where there are none.
void tcp_backend_versions(char *out, size_t size);

#endif
