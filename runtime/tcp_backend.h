// The interface between the harness and the machine that it runs on: tcp_cuda.cu for a GPU,
// host/tcp_host_backend.cpp for the CPU. It is not part of tcp_runtime.h because only the harness
// runs a kernel in more than one way.
#ifndef TCP_BACKEND_H
#define TCP_BACKEND_H

#include "tcp_runtime.h"

struct tcp_backend_memory {
    void *at;     // the address that kernels get
    void *block;  // the start of the allocation
};

// Returns "host", or the name of the device. Sets "*status" to something other than TCP_OK when
// there is no device.
const char *tcp_backend_name(tcp_status *status);

// Returns the number of schedules worth running, which the last launch determined; at least 1.
int tcp_backend_schedules();
// Returns a description of schedule "i".
const char *tcp_backend_schedule_text(int i);
// Returns how many processes may launch at the same time, when each needs "bytes" of memory. 1 when
// a forked process cannot launch.
int tcp_backend_processes(size_t bytes);
// Makes the next launches run under schedule "i", with "poison" in memory that they have not
// written.
void tcp_backend_set_schedule(int i, unsigned char poison);

// Allocates "bytes" at a multiple of "align" that is not a multiple of twice "align", with "guard"
// bytes that belong to the harness on both sides. If "guard" is 0, the allocation ends with these
// bytes where that is possible. Reports call it "name".
tcp_status tcp_backend_alloc(tcp_backend_memory *out, const char *name, size_t bytes, size_t align,
                             size_t guard);
void tcp_backend_free(tcp_backend_memory memory);

// Returns report "i" on the last launch, or NULL when there are no more.
const char *tcp_backend_report(int i);
// Returns the contents of block 0's shared memory at its end, or NULL when they cannot be seen.
const unsigned char *tcp_backend_shared(size_t *bytes);

// Lets reports call the bytes ["first", "end") of shared memory "name". NULL forgets all names.
void tcp_backend_name_shared(const char *name, int64_t first, int64_t end);

// Calls "launch" with "context" to warm up, and then "repeats" times. Stores the time of each of
// these calls in "ms", in milliseconds.
tcp_status tcp_backend_time(tcp_status (*launch)(void *context), void *context, int repeats,
                            double *ms);

// Stores in "*ms" the time in milliseconds that the device takes for everything that "work"
// launches and copies on the stream, if possible without the host's time for launching it.
tcp_status tcp_backend_span(tcp_status (*work)(void *context, tcp_stream stream), void *context,
                            double *ms);
// Enqueues a copy of "bytes" within device memory on "stream", and does not wait.
tcp_status tcp_backend_copy(void *to, const void *from, size_t bytes, tcp_stream stream);
// Writes the versions of the driver and of CUDA to "out", or "" when there are none.
void tcp_backend_versions(char *out, size_t size);

#endif
