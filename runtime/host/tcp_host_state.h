// The state that the parts of the host runtime share: the running launch, its fibers and its
// reports.
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
    TCP_HOST_MAX_NAMES = 32,
    TCP_HOST_NAMED = 16,      // named barriers of a block
    TCP_HOST_MBARRIERS = 64,  // barriers in memory
    // entries of a vector clock: the threads, and the barriers in memory (tcp_host_mbarrier.cpp)
    TCP_HOST_CLOCKS = TCP_HOST_MAX_THREADS + TCP_HOST_MBARRIERS
};

// A cp.async that has been issued and not yet been waited for.
struct tcp_host_chunk {
    unsigned char *to;
    const unsigned char *from;
    int bytes, read;
    int group;  // the number of commits before it
    bool done;  // its bytes have been copied
};

struct tcp_host_chunks {
    tcp_host_chunk *item;
    int count, capacity;
    int commits;
};

enum tcp_host_fiber_state {
    TCP_FIBER_READY,
    TCP_FIBER_AT_SYNC,    // waits for its block
    TCP_FIBER_AT_NAMED,   // waits at a named barrier
    TCP_FIBER_AT_MEMORY,  // waits at a barrier in memory
    TCP_FIBER_AT_WARP,    // waits for its warp, and orders memory
    TCP_FIBER_AT_MATRIX,  // waits for its warp in a collective instruction, which orders nothing
    TCP_FIBER_AT_PEER,    // waits for another device
    TCP_FIBER_DONE
};

struct tcp_host_mbarrier;

struct tcp_host_fiber {
    tcp_host_thread self;  // first, so that a pointer to it is one to the fiber
    int id;
    tcp_host_fiber_state state;
    tcp_host_place at;  // the place where it waits
    int named;          // .. and the named barrier
    uint32_t time;      // how often it came to one, or to one in memory
    uint32_t fenced;    // its time at its last tcp_fence_async
    // .. the barrier in memory, and the parity of the phase
    tcp_host_mbarrier *mbarrier;
    int parity;
    tcp_host_chunks chunks;
    // the rows that this lane offers to successive collective instructions, alternately
    const void *row[2];
    int turn;
};

// The accesses to one byte of shared memory. While the bytes of a word have only been accessed
// together, its first cell describes all four. Accesses in one epoch (between two barriers) are
// unordered, unless both threads are in one warp that has synchronised between them, or a named
// barrier is between them.
enum { TCP_HOST_READERS = 4 };

struct tcp_host_cell {
    uint32_t write_epoch, read_epoch;
    uint32_t write_warp_epoch, read_warp_epoch[TCP_HOST_READERS];
    uint32_t write_time, read_time[TCP_HOST_READERS];  // of the thread (tcp_host_named.cpp)
    int32_t write_line, read_line;
    // of a warp two readers are enough: any other thread differs from at least one of them; each of several roles
    // may be what a writer does not wait for
    uint16_t writer, reader[TCP_HOST_READERS];
    uint8_t readers;  // number of readers in read_epoch
    uint8_t pending;  // "writer" has issued a cp.async that has not been waited for
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
    const char *no_schedule;  // an unknown word in TCP_HOST_SCHEDULE, or NULL
    void (*entry)(void *);
    void *context;
    int threads;
    const void *mesh;       // whose kernel runs, or NULL
    int device;             // .. and which of its devices; or -1
    int fiber_base;         // the first of its fibers
    uint32_t thread_base;   // how many threads the devices before it have in this launch
    tcp_host_fiber *fiber;  // the running fiber
    unsigned char *shared;  // aligned to 1024 bytes
    int shared_bytes;
    uint32_t epoch;        // incremented by each barrier and each block
    uint32_t block_epoch;  // the epoch at the start of the current block
    uint32_t warp_epoch[TCP_HOST_MAX_THREADS / TCP_HOST_WARP];
    // by byte of a word, then by word
    tcp_host_cell cell[TCP_HOST_WORD][TCP_HOST_MAX_SHARED / TCP_HOST_WORD];
    // words whose bytes have been accessed separately
    bool mixed[TCP_HOST_MAX_SHARED / TCP_HOST_WORD];
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
    bool used_async;  // the last launch had asynchronous copies
};
extern tcp_host_launch_state tcp_host;

// A launch holds this mutex while it runs, and so does everyone who uses tcp_host or the list of
// allocations.
extern std::mutex tcp_host_mutex;

// A byte of shared memory as text: its offset, or its offset in the tensor that contains it.
struct tcp_host_byte_text {
    char text[64];
};
tcp_host_byte_text tcp_host_shared_byte(int64_t offset);

// Records a failure of "kind" at "at". "format" is the sentence that follows the thread and its
// block.
__attribute__((format(printf, 3, 4))) void tcp_host_fail(tcp_host_place at, const char *kind,
                                                         const char *format, ...);

// Reads the schedule from TCP_HOST_SCHEDULE, unless one is set. The caller holds the mutex, as for
// tcp_host_begin_launch.
void tcp_host_ask_environment();
// host/tcp_host_memory.cpp: forgets the writers of global memory.
void tcp_host_begin_launch();
// Completes the cp.async chunks of "fiber" whose group is below "groups", and removes them.
void tcp_host_finish_chunks(tcp_host_fiber *fiber, int groups);
// host/tcp_host_named.cpp: Forgets the named barriers of the last block.
void tcp_host_named_begin();
// Reports those that the block's threads left half way.
void tcp_host_named_end();
// Reports "fiber", which waits at one for ever, and closes all.
void tcp_host_named_stuck(tcp_host_fiber *fiber);
// Whether a named barrier, or one in memory, is between what "thread" did at its time "time" and this
// thread.
bool tcp_host_named_between(int thread, uint32_t time);
// Vector clocks of a block: what "thread" knows, TCP_HOST_CLOCKS numbers; valid after the first use.
void tcp_host_clocks_use();
uint32_t *tcp_host_knows(int thread);
void tcp_host_clocks_join(uint32_t *to, const uint32_t *from);
// host/tcp_host_mbarrier.cpp: Forgets the barriers in memory of the last block.
void tcp_host_mbarrier_begin();
bool tcp_host_mbarriers_used();
// Reports phases that did not end, and copies that nobody waited for.
void tcp_host_mbarrier_end();
// Reports "fiber", which waits at one for ever.
void tcp_host_mbarrier_stuck(tcp_host_fiber *fiber);
// Tells threads "first" .. "end", which have met, of all copies that one of them knows of.
void tcp_host_mbarrier_meet(int first, int end);
// A copy that lets its bytes arrive there begins: the writer and the time that it writes with. NULL
// after a report.
tcp_host_mbarrier *tcp_host_mbarrier_copies(const tcp_b64 *barrier, int *writer, uint32_t *time,
                                            tcp_host_place at);
// So many of its bytes are there.
void tcp_host_mbarrier_bytes(tcp_host_mbarrier *barrier, int bytes);
// host/tcp_host_tma.cpp: Forgets the copies in flight; lets one arrive, and returns whether there was one.
void tcp_host_tma_begin();
bool tcp_host_tma_deliver();
// host/tcp_host_tma_store.cpp: Forgets the stores in flight; completes them at the end of a block, and
// reports those that nobody waited for.
void tcp_host_store_begin();
void tcp_host_store_end();
// Whether a store may still read shared memory; whether bytes may be written for all of them, reports
// when not.
bool tcp_host_stores_any();
bool tcp_host_check_stores(int offset, int bytes, tcp_host_place at);
// host/tcp_host_memory.cpp: Whether bytes of a tensor may be read; reports when not.
bool tcp_host_check_global(const unsigned char *from, int bytes, tcp_host_place at);
// "joins": in any order with others that do so.
bool tcp_host_check_global_write(const unsigned char *to, int bytes, bool joins, tcp_host_place at);
// host/tcp_host_shared.cpp: Returns whether "at" is a multiple of "align", a power of two; reports
// when it is not.
bool tcp_host_check_alignment(const char *verb, const void *at, int align, tcp_host_place place);
// Checks an access to shared memory at byte "offset" for races, reports them, and records the
// access. "pending": a cp.async made it that has not been waited for.
void tcp_host_check_read(int offset, int bytes, tcp_host_place at);
void tcp_host_check_write(int offset, int bytes, bool pending, tcp_host_place at);
// The same for a write of the asynchronous proxy, as "writer" at "time".
void tcp_host_check_async(int offset, int bytes, int writer, uint32_t time, tcp_host_place at);
// The asynchronous proxy reads bytes: reports a thread that wrote some and did not fence after that. The
// running thread reads bytes until now.
void tcp_host_check_fenced(int offset, int bytes, tcp_host_place at);
void tcp_host_note_read(int offset, int bytes, tcp_host_place at);
void tcp_host_move_chunk(tcp_host_chunk *chunk);
// Returns whether [at, at + bytes) is aligned and inside shared memory; reports when it is not.
bool tcp_host_check_shared(const char *verb, const void *at, int bytes, int align,
                           tcp_host_place place);

// host/tcp_host_run.cpp: Begins a launch, or several that run together on so many fibers, and ends it.
tcp_status tcp_host_begin(const char *name, int fibers);
tcp_status tcp_host_end();
// A block begins; runs until it ends (true) or waits for another device; leaves the processor at its
// end or meanwhile, and comes back. It has nothing in shared memory then.
void tcp_host_block_begin(tcp_host_index block, tcp_host_index blocks);
bool tcp_host_block_run();
void tcp_host_block_leave();
void tcp_host_block_return();
// host/tcp_host_mesh.cpp: All threads of the block have met.
void tcp_host_mesh_met();
// The running thread accesses memory of "owner", another device.
void tcp_host_mesh_access(int owner, const char *verb, const char *name, tcp_host_place place);
// The device of thread "*thread" of a launch; makes it one of that device, with so many in a block.
int tcp_host_mesh_device_of(uint32_t *thread, int *threads);
// host/tcp_host_memory.cpp: Lets kernels touch memory of others, which belongs to device "owner" of
// "mesh". tcp_free forgets it. The caller holds the mutex, as for the next one.
tcp_status tcp_host_adopt(void *memory, size_t bytes, const char *name, const void *mesh,
                          int owner);
// host/tcp_host_fiber.cpp: Makes sure that "count" fibers with stacks exist. False when memory ran
// out.
bool tcp_host_make_fibers(int count);
tcp_host_fiber *tcp_host_fiber_of(int id);
// Runs "fiber" until it yields or ends.
void tcp_host_resume(tcp_host_fiber *fiber);
// Called in a fiber: returns to the caller of tcp_host_resume.
void tcp_host_yield();

#endif
