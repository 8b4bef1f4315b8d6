// Every access of a kernel on the CPU: global memory is what was allocated here, shared memory a
// buffer in which each byte remembers who wrote and read it since the last barrier.
//
// A failed access is reported and harmless: what lies outside reads as poison and is not written.
#include <stdlib.h>
#include <string.h>

#include "host/tcp_host_state.h"

// Beyond this size the writers are not kept.
static const size_t most_tracked = (size_t)64 << 20;
// Bytes that are accessed together, until an access is narrower or begins in the middle of one.
static const int widest_grain = 2;  // as a power of two

struct allocation {
    unsigned char *begin, *end;  // what kernels may touch
    void *block;                 // what malloc gave
    // the thread that wrote a grain in this launch + 1, or NULL; after those of all grains, for each
    // grain the epoch of that write
    uint32_t *writer;
    int grain;      // bytes of one, as a power of two
    size_t grains;  // how many there are
    bool written;   // in this launch
    char name[40];
    allocation *next;
};

static struct { allocation *first, *last_hit; } heap;

static tcp_status allocate(void **out, const char *name, size_t bytes, size_t align, size_t guard) {
    *out = nullptr;
    if (bytes > SIZE_MAX / 2 || guard > SIZE_MAX / 8 || align > SIZE_MAX / 8) return TCP_ERR_MEMORY;
    allocation *a = (allocation *)calloc(1, sizeof *a);
    if (!a) return TCP_ERR_MEMORY;
    a->block = malloc(bytes + 2 * guard + 3 * align);
    if (!a->block) {
        free(a);
        return TCP_ERR_MEMORY;
    }
    uintptr_t at = (uintptr_t)a->block + guard;
    at = (at + align - 1) / align * align;
    if (at / align % 2 == 0) at += align;  // aligned as promised and no better
    a->begin = (unsigned char *)at;
    a->end = a->begin + bytes;
    snprintf(a->name, sizeof a->name, "%s", name);
    a->next = heap.first;
    heap.first = a;
    *out = a->begin;
    return TCP_OK;
}

tcp_status tcp_host_alloc(void **out, const char *name, size_t bytes, size_t align, size_t guard) {
    const std::lock_guard<std::mutex> lock(tcp_host_mutex);
    return allocate(out, name, bytes, align, guard);
}

tcp_status tcp_alloc(void **out, size_t bytes) {
    const std::lock_guard<std::mutex> lock(tcp_host_mutex);
    const tcp_status status = allocate(out, "memory", bytes, 256, 0);
    tcp_host_ask_environment();
    if (status == TCP_OK) memset(*out, tcp_host.schedule.poison, bytes);
    return status;
}

tcp_status tcp_free(void *memory) {
    const std::lock_guard<std::mutex> lock(tcp_host_mutex);
    if (!memory) return TCP_OK;
    for (allocation **link = &heap.first; *link; link = &(*link)->next) {
        allocation *a = *link;
        if (a->begin != memory) continue;
        *link = a->next;
        if (heap.last_hit == a) heap.last_hit = nullptr;
        free(a->block);
        free(a->writer);
        free(a);
        return TCP_OK;
    }
    return TCP_ERR_MEMORY;
}

tcp_status tcp_upload(void *to, const void *from, size_t bytes, tcp_stream) {
    if (bytes) memcpy(to, from, bytes);
    return TCP_OK;
}

tcp_status tcp_download(void *to, const void *from, size_t bytes, tcp_stream) {
    if (bytes) memcpy(to, from, bytes);
    return TCP_OK;
}

tcp_status tcp_memset(void *to, int byte, size_t bytes, tcp_stream) {
    if (bytes) memset(to, byte, bytes);
    return TCP_OK;
}

tcp_status tcp_wait(tcp_stream) {
    return TCP_OK;
}

void tcp_host_begin_launch() {
    for (allocation *a = heap.first; a; a = a->next) {
        const size_t bytes = (size_t)(a->end - a->begin);
        if (a->writer) {
            if (a->written) memset(a->writer, 0, 2 * a->grains * sizeof *a->writer);
        } else if (bytes && bytes <= most_tracked) {
            a->grain = widest_grain;
            a->grains = ((bytes - 1) >> a->grain) + 1;
            a->writer = (uint32_t *)calloc(2 * a->grains, sizeof *a->writer);
        }
        a->written = false;
    }
}

// Makes the grains of "a" as small as an access of "bytes" at "offset" needs them.  Without memory
// nothing is known any more.
static void refine(allocation *a, size_t offset, size_t bytes) {
    int grain = a->grain;
    while (((offset | bytes) >> grain << grain) != (offset | bytes)) --grain;
    if (grain == a->grain) return;
    const size_t parts = (size_t)1 << (a->grain - grain), grains = a->grains * parts;
    uint32_t *writer = (uint32_t *)calloc(2 * grains, sizeof *writer);
    for (size_t i = 0; writer && i < grains; ++i) {
        writer[i] = a->writer[i / parts];
        writer[grains + i] = a->writer[a->grains + i / parts];
    }
    free(a->writer);
    a->writer = writer;
    a->grain = grain;
    a->grains = grains;
}

static bool holds(const allocation *a, const unsigned char *at, int bytes) {
    return at >= a->begin && at <= a->end && a->end - at >= bytes;
}

// Returns the allocation that holds all of [at, at + bytes), or reports and returns NULL.
static allocation *find(const char *verb, const unsigned char *at, int bytes,
                        tcp_host_place place) {
    if (heap.last_hit && holds(heap.last_hit, at, bytes)) return heap.last_hit;
    const allocation *near = nullptr;
    size_t distance = 0;
    for (allocation *a = heap.first; a; a = a->next) {
        if (holds(a, at, bytes)) {
            heap.last_hit = a;
            return a;
        }
        const uintptr_t p = (uintptr_t)at, low = (uintptr_t)a->begin, high = (uintptr_t)a->end;
        const size_t d = p < low ? low - p : p > high ? p - high : 0;
        if (!near || d < distance) {
            near = a;
            distance = d;
        }
    }
    if (!near) {
        tcp_host_fail(place, "out of bounds", "%s %d bytes of global memory, and there is none",
                      verb, bytes);
    } else {
        tcp_host_fail(place, "out of bounds",
                      "%s %d bytes at byte %lld of '%s', which has %lld bytes", verb, bytes,
                      (long long)((intptr_t)at - (intptr_t)near->begin), near->name,
                      (long long)(near->end - near->begin));
    }
    return nullptr;
}

static bool check_alignment(const char *verb, const void *at, int align, tcp_host_place place) {
    const int over = (int)((uintptr_t)at % (uintptr_t)align);
    if (over == 0) return true;
    tcp_host_fail(place, "misaligned", "%s %d bytes at an address that is %d past a multiple of %d",
                  verb, align, over, align);
    return false;
}

static bool is_shared(const void *at) {
    const uintptr_t p = (uintptr_t)at, low = (uintptr_t)tcp_host.shared;
    return p >= low && p - low < TCP_HOST_MAX_SHARED;
}

bool tcp_host_check_shared(const char *verb, const void *at, int bytes, int align,
                           tcp_host_place place) {
    const intptr_t offset = (intptr_t)at - (intptr_t)tcp_host.shared;
    if (offset < 0 || offset > tcp_host.shared_bytes - bytes) {
        if (!is_shared(at)) {
            tcp_host_fail(place, "out of bounds", "%s %d bytes that are not in shared memory", verb,
                          bytes);
        } else {
            tcp_host_fail(place, "out of bounds",
                          "%s %d bytes at byte %lld of shared memory, which has %d bytes", verb,
                          bytes, (long long)offset, tcp_host.shared_bytes);
        }
        return false;
    }
    return check_alignment(verb, at, align, place);
}

// Copies what an access moves: a copy of known size is an instruction.
static inline void move(void *to, const void *from, int bytes) {
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16); break;
    }
}

// Is an access of "thread" in warp epoch "warp_epoch" ordered before this thread's access, in the
// same epoch?
static bool ordered(int thread, uint32_t warp_epoch) {
    const int me = tcp_host.fiber->id, warp = me / TCP_HOST_WARP;
    if (thread == me) return true;
    return thread / TCP_HOST_WARP == warp && warp_epoch < tcp_host.warp_epoch[warp];
}

// Reports when this thread's access "verb" to byte "offset" is not ordered behind the write to
// "c", of this epoch or by a cp.async.  Returns true when there was nothing to report.
static bool check_unordered(const char *verb, const tcp_host_cell *c, int offset,
                            tcp_host_place at) {
    if (c->pending) {
        tcp_host_fail(at, "missing wait",
                      "%s %s, which thread %d fills with a cp.async at line "
                      "%d that has not been waited for",
                      verb, tcp_host_shared_byte(offset).text, c->writer, c->write_line);
        return false;
    }
    if (ordered(c->writer, c->write_warp_epoch)) return true;
    tcp_host_fail(at, "race",
                  "%s %s, which thread %d writes at line %d, without a "
                  "barrier between",
                  verb, tcp_host_shared_byte(offset).text, c->writer, c->write_line);
    return false;
}

// The same of any write to "c", most of which a barrier orders.
static inline bool check_writer(const char *verb, const tcp_host_cell *c, int offset,
                                tcp_host_place at) {
    const bool ended = c->write_epoch != tcp_host.epoch && !c->pending;
    return ended || c->write_epoch < tcp_host.block_epoch || check_unordered(verb, c, offset, at);
}

// Enters this thread among the readers of "c".
static inline void add_reader(tcp_host_cell *c, tcp_host_place at) {
    const uint16_t me = (uint16_t)tcp_host.fiber->id;
    const int warp = me / TCP_HOST_WARP;
    if (c->read_epoch != tcp_host.epoch) c->readers = 0;
    c->read_epoch = tcp_host.epoch;
    while (c->readers && ordered(c->reader[c->readers - 1], c->read_warp_epoch[c->readers - 1])) {
        --c->readers;
    }
    if (c->readers == 2) {
        // Two readers of one warp would hide a reader of another one from a writer of that warp.
        if (c->reader[0] / TCP_HOST_WARP != c->reader[1] / TCP_HOST_WARP) return;
        if (c->reader[0] / TCP_HOST_WARP == warp) return;
        c->readers = 1;
    }
    c->reader[c->readers] = me;
    c->read_warp_epoch[c->readers] = tcp_host.warp_epoch[warp];
    c->read_line = at.line;
    ++c->readers;
}

// The cell of a byte.  Those of the words, the first byte of each, stand together: most accesses
// need no others.
static inline tcp_host_cell *cell_of(int offset) {
    return &tcp_host.cell[offset % TCP_HOST_WORD][offset / TCP_HOST_WORD];
}

// From the byte at "offset" of an access of "bytes" to the next one with a cell of its own.
static inline int cell_step(int offset, int bytes) {
    const int word = offset / TCP_HOST_WORD;
    if (tcp_host.mixed[word]) return 1;
    if (bytes >= TCP_HOST_WORD && offset % TCP_HOST_WORD == 0) return TCP_HOST_WORD;
    for (int i = 1; i < TCP_HOST_WORD; ++i) tcp_host.cell[i][word] = tcp_host.cell[0][word];
    tcp_host.mixed[word] = true;
    return 1;
}

static void check_shared_read(int offset, int bytes, tcp_host_place at) {
    bool good = true;
    for (int i = 0, step; i < bytes; i += step) {
        step = cell_step(offset + i, bytes);
        tcp_host_cell *c = cell_of(offset + i);
        if (good && c->write_epoch < tcp_host.block_epoch) {
            tcp_host_fail(at, "uninitialized", "reads %s, which nobody wrote",
                          tcp_host_shared_byte(offset + i).text);
            good = false;
        }
        good = good && check_writer("reads", c, offset + i, at);
        add_reader(c, at);
    }
}

static void check_shared_write(int offset, int bytes, bool pending, tcp_host_place at) {
    bool good = true;
    for (int i = 0, step; i < bytes; i += step) {
        step = cell_step(offset + i, bytes);
        tcp_host_cell *c = cell_of(offset + i);
        good = good && check_writer("writes", c, offset + i, at);
        for (int k = 0; good && c->read_epoch == tcp_host.epoch && k < c->readers; ++k) {
            if (ordered(c->reader[k], c->read_warp_epoch[k])) continue;
            tcp_host_fail(at, "race",
                          "writes %s, which thread %d reads at line %d, "
                          "without a barrier between",
                          tcp_host_shared_byte(offset + i).text, c->reader[k], c->read_line);
            good = false;
        }
        c->write_epoch = tcp_host.epoch;
        c->write_warp_epoch = tcp_host.warp_epoch[tcp_host.fiber->id / TCP_HOST_WARP];
        c->writer = (uint16_t)tcp_host.fiber->id;
        c->write_line = at.line;
        c->pending = pending;
    }
}

// The running thread's number in the launch, + 1.
static uint32_t global_thread() {
    const tcp_host_thread *t = &tcp_host.fiber->self;
    const uint64_t block =
        ((uint64_t)t->block.z * t->blocks.y + t->block.y) * t->blocks.x + t->block.x;
    return (uint32_t)(block * (uint64_t)tcp_host.threads + t->thread.x + 1);
}

// Returns whether the bytes may be read.
static bool check_global_read(const unsigned char *from, int bytes, bool constant,
                              tcp_host_place at) {
    allocation *a = find("reads", from, bytes, at);
    if (!a) return false;
    if (!a->writer || !a->written) return true;
    const uint32_t me = global_thread(), threads = (uint32_t)tcp_host.threads;
    const size_t offset = (size_t)(from - a->begin);
    refine(a, offset, (size_t)bytes);
    for (size_t i = 0; a->writer && i < (size_t)bytes; i += (size_t)1 << a->grain) {
        const uint32_t *which = &a->writer[(offset + i) >> a->grain], writer = *which;
        if (writer == 0 || (writer == me && !constant)) continue;
        // a barrier of the block orders the writes of the block before it
        const bool barrier =
            (writer - 1) / threads == (me - 1) / threads && which[a->grains] < tcp_host.epoch;
        if (barrier && !constant) continue;
        tcp_host_fail(at, "race",
                      "reads byte %lld of '%s', which thread %u of block %u writes in this launch",
                      (long long)(offset + i), a->name, (writer - 1) % (unsigned)tcp_host.threads,
                      (writer - 1) / (unsigned)tcp_host.threads);
        return true;
    }
    return true;
}

static bool check_global_write(const unsigned char *to, int bytes, tcp_host_place at) {
    allocation *a = find("writes", to, bytes, at);
    if (!a) return false;
    if (!a->writer) return true;
    const uint32_t me = global_thread();
    const size_t offset = (size_t)(to - a->begin);
    bool good = true;
    refine(a, offset, (size_t)bytes);
    a->written = true;
    for (size_t i = 0; a->writer && i < (size_t)bytes; i += (size_t)1 << a->grain) {
        uint32_t *writer = &a->writer[(offset + i) >> a->grain];
        if (*writer && good) {
            tcp_host_fail(at, "written twice",
                          "writes byte %lld of '%s' after thread %u of block %u in this launch",
                          (long long)(offset + i), a->name,
                          (*writer - 1) % (unsigned)tcp_host.threads,
                          (*writer - 1) / (unsigned)tcp_host.threads);
            good = false;
        }
        *writer = me;
        writer[a->grains] = tcp_host.epoch;
    }
    return true;
}

void tcp_host_load(tcp_host_space space, const void *from, void *to, int bytes, tcp_host_place at) {
    bool good;
    if (space == TCP_HOST_SHARED) {
        good = tcp_host_check_shared("reads", from, bytes, bytes, at);
        if (good)
            check_shared_read((int)((const unsigned char *)from - tcp_host.shared), bytes, at);
    } else {
        good = check_alignment("reads", from, bytes, at);
        if (space != TCP_HOST_FRAG) {
            good = check_global_read((const unsigned char *)from, bytes, space == TCP_HOST_CONSTANT,
                                     at) &&
                   good;
        }
    }
    if (good) {
        move(to, from, bytes);
    } else {
        memset(to, tcp_host.schedule.poison, (size_t)bytes);
    }
}

void tcp_host_store(tcp_host_space space, void *to, const void *from, int bytes,
                    tcp_host_place at) {
    bool good;
    if (space == TCP_HOST_SHARED) {
        good = tcp_host_check_shared("writes", to, bytes, bytes, at);
        if (good)
            check_shared_write((int)((unsigned char *)to - tcp_host.shared), bytes, false, at);
    } else {
        good = check_alignment("writes", to, bytes, at);
        if (space != TCP_HOST_FRAG)
            good = check_global_write((unsigned char *)to, bytes, at) && good;
    }
    if (good) move(to, from, bytes);
}

static void move_chunk(tcp_host_chunk *c) {
    if (c->done) return;
    memcpy(c->to, c->from, (size_t)c->read);
    memset(c->to + c->read, 0, (size_t)(c->bytes - c->read));
    c->done = true;
}

void tcp_host_cp_async(void *shared, const void *global, int bytes, int read, tcp_host_place at) {
    tcp_host.used_cp_async = true;
    if (read < 0 || read > bytes) {
        tcp_host_fail(at, "out of bounds", "reads %d bytes with a cp.async of %d", read, bytes);
        return;
    }
    bool good = tcp_host_check_shared("writes", shared, bytes, bytes, at);
    good = check_alignment("reads", global, bytes, at) && good;
    if (read) good = check_global_read((const unsigned char *)global, read, false, at) && good;
    if (!good) return;
    check_shared_write((int)((unsigned char *)shared - tcp_host.shared), bytes, true, at);
    tcp_host_chunks *list = &tcp_host.fiber->chunks;
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 16;
        tcp_host_chunk *item =
            (tcp_host_chunk *)realloc(list->item, (size_t)capacity * sizeof *item);
        if (!item) abort();  // out of memory in the middle of a kernel
        list->item = item;
        list->capacity = capacity;
    }
    tcp_host_chunk *c = &list->item[list->count++];
    *c = tcp_host_chunk{
        (unsigned char *)shared, (const unsigned char *)global, bytes, read, list->commits, false};
    if (!tcp_host.schedule.late) move_chunk(c);
}

void tcp_host_cp_async_commit() {
    ++tcp_host.fiber->chunks.commits;
}

void tcp_host_finish_chunks(tcp_host_fiber *fiber, int groups) {
    int kept = 0;
    for (int i = 0; i < fiber->chunks.count; ++i) {
        tcp_host_chunk *c = &fiber->chunks.item[i];
        if (c->group >= groups) {
            fiber->chunks.item[kept++] = *c;
            continue;
        }
        move_chunk(c);
        const int offset = (int)(c->to - tcp_host.shared);
        for (int k = 0, step; k < c->bytes; k += step) {
            step = cell_step(offset + k, c->bytes);
            tcp_host_cell *cell = cell_of(offset + k);
            if (!cell->pending || cell->writer != fiber->id) continue;
            cell->pending = 0;
            cell->write_epoch = tcp_host.epoch;
            cell->write_warp_epoch = tcp_host.warp_epoch[fiber->id / TCP_HOST_WARP];
        }
    }
    fiber->chunks.count = kept;
}

void tcp_host_cp_async_wait(int pending, tcp_host_place) {
    tcp_host_fiber *fiber = tcp_host.fiber;
    tcp_host_finish_chunks(fiber, fiber->chunks.commits - pending);
}
