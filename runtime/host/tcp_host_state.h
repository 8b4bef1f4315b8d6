// What the parts of the host runtime share: the running launch, its fibers and its reports.
#ifndef TCP_HOST_STATE_H
#define TCP_HOST_STATE_H

#include <mutex>

#include "host/tcp_host.h"
#include "host/tcp_host_run.h"
#include "tcp_launch.h"

enum {
    TCP_HOST_MAX_THREADS = 1024,
    TCP_HOST_WARP = 32,
    TCP_HOST_MAX_SHARED = 227 * 1024,
    TCP_HOST_WORD = 4,
    TCP_HOST_MAX_REPORTS = 8,
    TCP_HOST_MAX_NAMES = 32
};

// One cp.async that has been issued and not yet waited for.
struct tcp_host_chunk {
    unsigned char *to;
    const unsigned char *from;
    int bytes, read;
    int group;  // the number of commits before it
    bool done;  // the bytes have moved already
};

struct tcp_host_chunks {
    tcp_host_chunk *item;
    int count, capacity;
    int commits;
};

enum tcp_host_fiber_state {
    TCP_FIBER_READY,
    TCP_FIBER_AT_SYNC,    // waits for the block
    TCP_FIBER_AT_WARP,    // waits for its warp, and orders memory
    TCP_FIBER_AT_MATRIX,  // waits for its warp in a collective instruction, which orders nothing
    TCP_FIBER_DONE
};

struct tcp_host_fiber {
    tcp_host_thread self;  // first, so that tcp_host_self leads here
    int id;
    tcp_host_fiber_state state;
    tcp_host_place at;  // where it waits
    tcp_host_chunks chunks;
    const void *row[2];  // what this lane offers to the collective instructions, alternately
    int turn;
};

// What is known of one byte of shared memory, or of a word whose bytes were never accessed apart:
// its first cell is for all four then.  Accesses in an epoch (between two barriers) are
// unordered, unless both threads are of one warp and the warp has synchronised between them.
struct tcp_host_cell {
    uint32_t write_epoch, read_epoch;
    uint32_t write_warp_epoch, read_warp_epoch[2];
    int32_t write_line, read_line;
    // two readers are enough for each other thread to be unlike one of them
    uint16_t writer, reader[2];
    uint8_t readers;  // 0..2, of read_epoch
    uint8_t pending;  // a cp.async of "writer" that has not been waited for
};

struct tcp_host_report_item {
    const char *kind, *file;
    int line;
    int64_t more;  // further failures of this kind at this place
    char text[400];
};

struct tcp_host_launch_state {
    const char *name;
    tcp_host_schedule schedule;
    bool schedule_is_set;
    const char *no_schedule;  // the unknown word of TCP_HOST_SCHEDULE, or NULL
    void (*entry)(void *);
    void *context;
    int threads;
    tcp_host_fiber *fiber;  // the running one
    unsigned char *shared;  // 1024-aligned
    int shared_bytes;
    uint32_t epoch;        // grows with each barrier and each block
    uint32_t block_epoch;  // the epoch in which the running block began
    uint32_t warp_epoch[TCP_HOST_MAX_THREADS / TCP_HOST_WARP];
    tcp_host_cell cell[TCP_HOST_WORD][TCP_HOST_MAX_SHARED / TCP_HOST_WORD];  // by byte of a word
    bool mixed[TCP_HOST_MAX_SHARED / TCP_HOST_WORD];  // words whose bytes were accessed apart
    unsigned char snapshot[TCP_HOST_MAX_SHARED];
    int snapshot_bytes;
    tcp_host_report_item report[TCP_HOST_MAX_REPORTS];
    int reports;
    int64_t failures;
    struct {
        const char *name;
        int64_t first, end;
    } shared_name[TCP_HOST_MAX_NAMES];
    int shared_names;
    bool used_cp_async;  // in the last launch
};
extern tcp_host_launch_state tcp_host;

// Held by a launch for as long as it runs, and by all who touch what is in tcp_host or the
// list of allocations.
extern std::mutex tcp_host_mutex;

// A byte of shared memory as text: its number, or its number in the tensor that it belongs to.
struct tcp_host_byte_text {
    char text[64];
};
tcp_host_byte_text tcp_host_shared_byte(int64_t offset);

// Records a failure of "kind" at "at"; "format" is the sentence after the thread and its block.
__attribute__((format(printf, 3, 4))) void tcp_host_fail(tcp_host_place at, const char *kind,
                                                         const char *format, ...);

// Takes the schedule from TCP_HOST_SCHEDULE, unless there is one.  The caller holds the mutex, as
// in tcp_host_begin_launch.
void tcp_host_ask_environment();
// host/tcp_host_memory.cpp: forgets who wrote what in global memory.
void tcp_host_begin_launch();
// Moves the bytes of the chunks of "fiber" whose group is below "groups", and ends them.
void tcp_host_finish_chunks(tcp_host_fiber *fiber, int groups);
// host/tcp_host_shared.cpp: is "at" a multiple of "align", a power of two?  Reports when not.
bool tcp_host_check_alignment(const char *verb, const void *at, int align, tcp_host_place place);
// Enters an access to shared memory, "offset" bytes from its begin, and reports what it races with.
// "pending": by a cp.async that is not waited for yet.
void tcp_host_check_read(int offset, int bytes, tcp_host_place at);
void tcp_host_check_write(int offset, int bytes, bool pending, tcp_host_place at);
void tcp_host_move_chunk(tcp_host_chunk *chunk);
// Is [at, at + bytes) aligned and inside shared memory?  Reports when not.
bool tcp_host_check_shared(const char *verb, const void *at, int bytes, int align,
                           tcp_host_place place);

// host/tcp_host_fiber.cpp: "count" stacks, made on the first call.  False when memory is out.
bool tcp_host_make_fibers(int count);
tcp_host_fiber *tcp_host_fiber_of(int id);
// Runs "fiber" until it yields or ends.
void tcp_host_resume(tcp_host_fiber *fiber);
// From a fiber: back to the one who resumed it.
void tcp_host_yield();

#endif
