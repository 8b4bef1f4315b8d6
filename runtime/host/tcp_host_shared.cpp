// Shared memory on the CPU: each byte records which threads wrote and read it since the last
// barrier, and which cp.async will write it.
#include <string.h>

#include "host/tcp_host_state.h"

bool tcp_host_check_alignment(const char *verb, const void *at, int align, tcp_host_place place) {
    const int over = (int)((uintptr_t)at & (uintptr_t)(align - 1));
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
    return tcp_host_check_alignment(verb, at, align, place);
}

// Returns whether an access of "thread" at "warp_epoch" and its "time" is ordered before the current access of
// this thread, in the same epoch.
static bool ordered(int thread, uint32_t warp_epoch, uint32_t time) {
    const int me = tcp_host.fiber->id, warp = me / TCP_HOST_WARP;
    if (thread == me || tcp_host_named_between(thread, time)) return true;
    return thread / TCP_HOST_WARP == warp && warp_epoch < tcp_host.warp_epoch[warp];
}

// Reports a race unless this thread's access "verb" to byte "offset" is ordered after the write to
// "c", which was in this epoch or by a cp.async. Returns true when there is no race.
static bool check_unordered(const char *verb, const tcp_host_cell *c, int offset,
                            tcp_host_place at) {
    if (c->writer >= TCP_HOST_MAX_THREADS) {
        if (tcp_host_named_between(c->writer, c->write_time)) return true;
        tcp_host_fail(
            at, "missing wait",
            "%s %s, which an asynchronous copy at line %d fills, and this thread does not "
            "know that it is done",
            verb, tcp_host_shared_byte(offset).text, c->write_line);
        return false;
    }
    if (c->pending) {
        tcp_host_fail(at, "missing wait",
                      "%s %s, which thread %d fills with a cp.async at line "
                      "%d that has not been waited for",
                      verb, tcp_host_shared_byte(offset).text, c->writer, c->write_line);
        return false;
    }
    if (ordered(c->writer, c->write_warp_epoch, c->write_time)) return true;
    tcp_host_fail(at, "race",
                  "%s %s, which thread %d writes at line %d, without a "
                  "barrier between",
                  verb, tcp_host_shared_byte(offset).text, c->writer, c->write_line);
    return false;
}

// The same for any write to "c"; a barrier orders most of them.
static inline bool check_writer(const char *verb, const tcp_host_cell *c, int offset,
                                tcp_host_place at) {
    const bool ended = c->write_epoch != tcp_host.epoch && !c->pending;
    return ended || c->write_epoch < tcp_host.block_epoch || check_unordered(verb, c, offset, at);
}

static inline void put_reader(tcp_host_cell *c, int i, tcp_host_place at) {
    c->reader[i] = (uint16_t)tcp_host.fiber->id;
    c->read_warp_epoch[i] = tcp_host.warp_epoch[tcp_host.fiber->id / TCP_HOST_WARP];
    c->read_time[i] = tcp_host.fiber->time;
    c->read_line = at.line;
}

// Which reader of "c", where there is no more room, to forget for one of "warp": the second one of a warp, as any
// writer differs from one of two; -1: none.
static int reader_to_forget(const tcp_host_cell *c, int warp) {
    int second = -1;
    for (int i = 0; i < c->readers; ++i) {
        for (int k = 0; k < i; ++k) {
            if (c->reader[i] / TCP_HOST_WARP != c->reader[k] / TCP_HOST_WARP) continue;
            if (c->reader[i] / TCP_HOST_WARP == warp) return -1;
            second = i;
        }
    }
    return second;
}

// Adds this thread to the readers of "c".
static inline void add_reader(tcp_host_cell *c, tcp_host_place at) {
    if (c->read_epoch != tcp_host.epoch) c->readers = 0;
    c->read_epoch = tcp_host.epoch;
    while (c->readers && ordered(c->reader[c->readers - 1], c->read_warp_epoch[c->readers - 1],
                                 c->read_time[c->readers - 1])) {
        --c->readers;
    }
    if (c->readers < TCP_HOST_READERS) {
        put_reader(c, c->readers++, at);
        return;
    }
    const int other = reader_to_forget(c, tcp_host.fiber->id / TCP_HOST_WARP);
    if (other >= 0) put_reader(c, other, at);
}

// The cell of a byte. The cells of the first bytes of words are stored together, because most
// accesses need no others.
static inline tcp_host_cell *cell_of(int offset) {
    return &tcp_host.cell[offset % TCP_HOST_WORD][offset / TCP_HOST_WORD];
}

// The distance from byte "offset" of an access of "bytes" to its next byte with a cell of its own.
static inline int cell_step(int offset, int bytes) {
    const int word = offset / TCP_HOST_WORD;
    if (tcp_host.mixed[word]) return 1;
    if (bytes >= TCP_HOST_WORD && offset % TCP_HOST_WORD == 0) return TCP_HOST_WORD;
    for (int i = 1; i < TCP_HOST_WORD; ++i) tcp_host.cell[i][word] = tcp_host.cell[0][word];
    tcp_host.mixed[word] = true;
    return 1;
}

void tcp_host_check_read(int offset, int bytes, tcp_host_place at) {
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

void tcp_host_note_read(int offset, int bytes, tcp_host_place at) {
    for (int i = 0, step; i < bytes; i += step) {
        step = cell_step(offset + i, bytes);
        add_reader(cell_of(offset + i), at);
    }
}

void tcp_host_check_write(int offset, int bytes, bool pending, tcp_host_place at) {
    bool good = !tcp_host_stores_any() || tcp_host_check_stores(offset, bytes, at);
    for (int i = 0, step; i < bytes; i += step) {
        step = cell_step(offset + i, bytes);
        tcp_host_cell *c = cell_of(offset + i);
        good = good && check_writer("writes", c, offset + i, at);
        for (int k = 0; good && c->read_epoch == tcp_host.epoch && k < c->readers; ++k) {
            if (ordered(c->reader[k], c->read_warp_epoch[k], c->read_time[k])) continue;
            tcp_host_fail(at, "race",
                          "writes %s, which thread %d reads at line %d, "
                          "without a barrier between",
                          tcp_host_shared_byte(offset + i).text, c->reader[k], c->read_line);
            good = false;
        }
        c->write_epoch = tcp_host.epoch;
        c->write_warp_epoch = tcp_host.warp_epoch[tcp_host.fiber->id / TCP_HOST_WARP];
        c->write_time = tcp_host.fiber->time;
        c->writer = (uint16_t)tcp_host.fiber->id;
        c->write_line = at.line;
        c->pending = pending;
    }
}

// Whether who wrote the bytes fenced before the asynchronous proxy does "verb" to them.
static void check_fenced(const char *verb, int offset, int bytes, tcp_host_place at) {
    for (int i = 0, step; i < bytes; i += step) {
        step = cell_step(offset + i, bytes);
        const tcp_host_cell *c = cell_of(offset + i);
        const bool generic =
            c->write_epoch >= tcp_host.block_epoch && c->writer < TCP_HOST_MAX_THREADS;
        if (!generic || tcp_host_fiber_of(c->writer)->fenced > c->write_time) continue;
        tcp_host_fail(at, "missing fence",
                      "%s %s by an asynchronous copy, and thread %d, which writes it at line %d, "
                      "does not call tcp_fence_async after that",
                      verb, tcp_host_shared_byte(offset + i).text, c->writer, c->write_line);
        return;
    }
}

void tcp_host_check_fenced(int offset, int bytes, tcp_host_place at) {
    check_fenced("reads", offset, bytes, at);
}

void tcp_host_check_async(int offset, int bytes, int writer, uint32_t time, tcp_host_place at) {
    check_fenced("fills", offset, bytes, at);
    tcp_host_check_write(offset, bytes, true, at);
    for (int i = 0, step; i < bytes; i += step) {
        step = cell_step(offset + i, bytes);
        tcp_host_cell *c = cell_of(offset + i);
        c->writer = (uint16_t)writer;
        c->write_time = time;
    }
}

void tcp_host_wrote(const void *p, int bytes) {
    const int first = (int)((const unsigned char *)p - tcp_host.shared);
    for (int i = 0, step; i < bytes; i += step) {
        step = cell_step(first + i, bytes - i);
        tcp_host_cell *c = cell_of(first + i);
        if (c->write_epoch >= tcp_host.block_epoch) continue;
        c->write_epoch = tcp_host.block_epoch;
        c->pending = false;
    }
}

void tcp_host_move_chunk(tcp_host_chunk *c) {
    if (c->done) return;
    memcpy(c->to, c->from, (size_t)c->read);
    memset(c->to + c->read, 0, (size_t)(c->bytes - c->read));
    c->done = true;
}

void tcp_host_finish_chunks(tcp_host_fiber *fiber, int groups) {
    int kept = 0;
    for (int i = 0; i < fiber->chunks.count; ++i) {
        tcp_host_chunk *c = &fiber->chunks.item[i];
        if (c->group >= groups) {
            fiber->chunks.item[kept++] = *c;
            continue;
        }
        tcp_host_move_chunk(c);
        const int offset = (int)(c->to - tcp_host.shared);
        for (int k = 0, step; k < c->bytes; k += step) {
            step = cell_step(offset + k, c->bytes);
            tcp_host_cell *cell = cell_of(offset + k);
            if (!cell->pending || cell->writer != fiber->id) continue;
            cell->pending = 0;
            cell->write_epoch = tcp_host.epoch;
            cell->write_warp_epoch = tcp_host.warp_epoch[fiber->id / TCP_HOST_WARP];
            cell->write_time = fiber->time;
        }
    }
    fiber->chunks.count = kept;
}
