// All accesses of a kernel to global memory on the CPU. Global memory is what was allocated here;
// it remembers which thread wrote it during a launch. Shared memory is in tcp_host_shared.cpp.
//
// A failed access is reported and does no harm: a read outside returns poison, and a write outside
// does nothing.
#include <stdlib.h>
#include <string.h>

#include "host/tcp_host_state.h"

// The writers of larger allocations are not recorded.
static const size_t most_tracked = (size_t)64 << 20;
// The initial grain, in bytes: one record for the bytes of a grain, until an access is narrower or
// begins in the middle of one.
static const int widest_grain = 2;  // as a power of two

struct allocation {
    unsigned char *begin, *end;  // the bytes that kernels may touch
    void *block;                 // the result of malloc
    // For each grain the thread that wrote it in this launch + 1, followed by the epoch of that
    // write for each grain, and the time of that thread. NULL: not recorded.
    uint32_t *writer;
    int grain;         // size of a grain in bytes, as a power of two
    size_t grains;     // number of grains
    bool written;      // written in this launch
    const void *mesh;  // NULL: of no mesh
    int owner;         // .. the device of the mesh that it belongs to
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
    if (at / align % 2 == 0) at += align;  // a multiple of "align" but not of twice that
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

tcp_status tcp_host_adopt(void *memory, size_t bytes, const char *name, const void *mesh,
                          int owner) {
    allocation *a = (allocation *)calloc(1, sizeof *a);
    if (!a) return TCP_ERR_MEMORY;
    a->begin = (unsigned char *)memory;
    a->end = a->begin + bytes;
    a->mesh = mesh;
    a->owner = owner;
    snprintf(a->name, sizeof a->name, "%s", name);
    a->next = heap.first;
    heap.first = a;
    tcp_host_ask_environment();
    memset(memory, tcp_host.schedule.poison, bytes);
    return TCP_OK;
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
            if (a->written) memset(a->writer, 0, 3 * a->grains * sizeof *a->writer);
        } else if (bytes && bytes <= most_tracked) {
            a->grain = widest_grain;
            a->grains = ((bytes - 1) >> a->grain) + 1;
            a->writer = (uint32_t *)calloc(3 * a->grains, sizeof *a->writer);
        }
        a->written = false;
    }
}

// Makes the grains of "a" small enough for an access of "bytes" at "offset". Without memory for
// that, stops recording.
static void refine(allocation *a, size_t offset, size_t bytes) {
    int grain = a->grain;
    while (((offset | bytes) >> grain << grain) != (offset | bytes)) --grain;
    if (grain == a->grain) return;
    const size_t parts = (size_t)1 << (a->grain - grain), grains = a->grains * parts;
    uint32_t *writer = (uint32_t *)calloc(3 * grains, sizeof *writer);
    for (size_t i = 0; writer && i < grains; ++i) {
        writer[i] = a->writer[i / parts];
        writer[grains + i] = a->writer[a->grains + i / parts];
        writer[2 * grains + i] = a->writer[2 * a->grains + i / parts];
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
        tcp_host_fail(
            place, "out of bounds",
            "%s %d bytes of memory that tcp_alloc did not give; on a CPU all tensors come from it",
            verb, bytes);
    } else {
        tcp_host_fail(place, "out of bounds",
                      "%s %d bytes at byte %lld of '%s', which has %lld bytes", verb, bytes,
                      (long long)((intptr_t)at - (intptr_t)near->begin), near->name,
                      (long long)(near->end - near->begin));
    }
    return nullptr;
}

// Copies the bytes of an access. A copy of constant size compiles to one instruction.
static inline void move(void *to, const void *from, int bytes) {
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16); break;
    }
}

// Returns the number of the running thread in the launch + 1.
static uint32_t global_thread() {
    const tcp_host_thread *t = &tcp_host.fiber->self;
    const uint64_t block =
        ((uint64_t)t->block.z * t->blocks.y + t->block.y) * t->blocks.x + t->block.x;
    return tcp_host.thread_base + (uint32_t)(block * (uint64_t)tcp_host.threads + t->thread.x + 1);
}

// The thread with a number of global_thread.
struct thread_text {
    char text[64];
};
static thread_text thread_of(uint32_t number) {
    thread_text t;
    uint32_t thread = number - 1;
    int threads = tcp_host.threads;
    if (tcp_host.device < 0) {
        snprintf(t.text, sizeof t.text, "thread %u of block %u", thread % (unsigned)threads,
                 thread / (unsigned)threads);
        return t;
    }
    const int device = tcp_host_mesh_device_of(&thread, &threads);
    snprintf(t.text, sizeof t.text, "thread %u of block %u of device %d",
             thread % (unsigned)threads, thread / (unsigned)threads, device);
    return t;
}

// Checks an access to memory of another device.
static void check_peer(const allocation *a, const char *verb, tcp_host_place at) {
    if (tcp_host.device < 0 || a->mesh != tcp_host.mesh || a->owner == tcp_host.device) return;
    tcp_host_mesh_access(a->owner, verb, a->name, at);
}

// Returns whether the bytes may be read, and reports when not.
static bool check_global_read(const unsigned char *from, int bytes, bool constant,
                              tcp_host_place at) {
    allocation *a = find("reads", from, bytes, at);
    if (!a) return false;
    check_peer(a, "reads", at);
    if (!a->writer || !a->written) return true;
    const uint32_t me = global_thread(), threads = (uint32_t)tcp_host.threads;
    const size_t offset = (size_t)(from - a->begin);
    refine(a, offset, (size_t)bytes);
    for (size_t i = 0; a->writer && i < (size_t)bytes; i += (size_t)1 << a->grain) {
        const uint32_t *which = &a->writer[(offset + i) >> a->grain], writer = *which;
        if (writer == 0 || (writer == me && !constant)) continue;
        // a barrier of the block orders the writes of the block before it, and a named one those of who came
        const bool barrier =
            (writer - 1) / threads == (me - 1) / threads &&
            (which[a->grains] < tcp_host.epoch ||
             tcp_host_named_between((int)((writer - 1 - tcp_host.thread_base) % threads),
                                    which[2 * a->grains]));
        if (barrier && !constant) continue;
        tcp_host_fail(at, "race", "reads byte %lld of '%s', which %s writes in this launch",
                      (long long)(offset + i), a->name, thread_of(writer).text);
        return true;
    }
    return true;
}

bool tcp_host_check_global(const unsigned char *from, int bytes, tcp_host_place at) {
    return check_global_read(from, bytes, false, at);
}

static bool check_global_write(const unsigned char *to, int bytes, bool joins, tcp_host_place at) {
    allocation *a = find("writes", to, bytes, at);
    if (!a) return false;
    check_peer(a, "writes", at);
    if (!a->writer) return true;
    const uint32_t me = joins ? UINT32_MAX : global_thread();
    const size_t offset = (size_t)(to - a->begin);
    bool good = true;
    refine(a, offset, (size_t)bytes);
    a->written = true;
    for (size_t i = 0; a->writer && i < (size_t)bytes; i += (size_t)1 << a->grain) {
        uint32_t *writer = &a->writer[(offset + i) >> a->grain];
        if (*writer && good && !(joins && *writer == UINT32_MAX)) {
            tcp_host_fail(at, "written twice", "writes byte %lld of '%s' after %s in this launch",
                          (long long)(offset + i), a->name, thread_of(*writer).text);
            good = false;
        }
        *writer = me;
        writer[a->grains] = tcp_host.epoch;
        writer[2 * a->grains] = tcp_host.fiber->time;
    }
    return true;
}

bool tcp_host_check_global_write(const unsigned char *to, int bytes, bool joins,
                                 tcp_host_place at) {
    return check_global_write(to, bytes, joins, at);
}

void tcp_host_load(tcp_host_space space, const void *from, void *to, int bytes, tcp_host_place at) {
    bool good;
    if (space == TCP_HOST_SHARED) {
        good = tcp_host_check_shared("reads", from, bytes, bytes, at);
        if (good)
            tcp_host_check_read((int)((const unsigned char *)from - tcp_host.shared), bytes, at);
    } else {
        good = tcp_host_check_alignment("reads", from, bytes, at);
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
            tcp_host_check_write((int)((unsigned char *)to - tcp_host.shared), bytes, false, at);
    } else {
        good = tcp_host_check_alignment("writes", to, bytes, at);
        if (space != TCP_HOST_FRAG)
            good = check_global_write((unsigned char *)to, bytes, false, at) && good;
    }
    if (good) move(to, from, bytes);
}

void tcp_host_cp_async(void *shared, const void *global, int bytes, int read, tcp_host_place at) {
    tcp_host.used_async = true;
    if (read < 0 || read > bytes) {
        tcp_host_fail(at, "out of bounds", "reads %d bytes with a cp.async of %d", read, bytes);
        return;
    }
    bool good = tcp_host_check_shared("writes", shared, bytes, bytes, at);
    good = tcp_host_check_alignment("reads", global, bytes, at) && good;
    if (read) good = check_global_read((const unsigned char *)global, read, false, at) && good;
    if (!good) return;
    tcp_host_check_write((int)((unsigned char *)shared - tcp_host.shared), bytes, true, at);
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
    if (!tcp_host.schedule.late) tcp_host_move_chunk(c);
}

void tcp_host_cp_async_commit() {
    ++tcp_host.fiber->chunks.commits;
}

void tcp_host_cp_async_wait(int pending, tcp_host_place) {
    tcp_host_fiber *fiber = tcp_host.fiber;
    tcp_host_finish_chunks(fiber, fiber->chunks.commits - pending);
}
