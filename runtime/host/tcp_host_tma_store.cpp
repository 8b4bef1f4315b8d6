// Stores of rows and boxes on the CPU (PTX: cp.async.bulk and cp.async.bulk.tensor from shared memory). A store reads shared memory
// when it is issued or, with the schedule "late", when its thread waits until it has been read; what it
// read reaches global memory when that thread waits until it is written, at the end of the block at the latest. Like the hardware it writes
// whole chunks of 16 bytes where a row ends inside one.
#include <string.h>

#include <vector>

#include "host/tcp_host_state.h"
#include "host/tcp_host_tma_map.h"
#include "tcp_tma.cuh"

enum { CHUNK = 16 };

struct chunk {
    unsigned char *to;
    int from;                   // byte of shared memory
    unsigned char data[CHUNK];  // once it was read
};

struct store {
    int first, bytes;  // of its box in shared memory
    int thread, group;
    bool read;                           // until then nobody may write its box
    bool written;                        // with the schedule "late"
    void (*join)(void *, const void *);  // NULL: it overwrites
    int element;
    std::vector<chunk> chunks;
    tcp_host_place at;
};

static std::vector<store> in_flight;
static int commits[TCP_HOST_MAX_THREADS];

void tcp_host_store_begin() {
    in_flight.clear();
    memset(commits, 0, sizeof commits);
}

// The chunks that "c" writes of "m" from coordinates "x" on; "inside" of each: its bytes in the tensor.
template <typename F>
static void each_chunk(const tcp_host_map *m, const int *x, int shared, F chunk_at) {
    const int chunk = CHUNK / m->bytes;  // in elements
    int64_t rows = 1;
    for (int i = 1; i < m->rank; ++i) rows *= m->box[i];
    for (int64_t r = 0; r < rows; ++r) {
        unsigned char *row = (unsigned char *)m->address;
        bool inside = true;
        int64_t rest = r;
        for (int i = 1; i < m->rank; ++i) {
            const int64_t at = x[i] + rest % m->box[i];
            rest /= m->box[i];
            inside = inside && at >= 0 && at < m->extent[i];
            if (inside) row += at * m->stride[i];
        }
        for (int e = 0; inside && e < m->box[0]; e += chunk) {
            const int64_t at = (int64_t)x[0] + e, left = m->extent[0] - at;
            if (at < 0 || left <= 0) continue;
            uintptr_t from =
                (uintptr_t)tcp_host.shared + (uintptr_t)(shared + (r * m->box[0] + e) * m->bytes);
            from ^= (from >> 7 & (uintptr_t)((1 << m->swizzle) - 1)) << 4;
            chunk_at(row + at * m->bytes, (int)(from - (uintptr_t)tcp_host.shared),
                     left < chunk ? (int)left * m->bytes : CHUNK);
        }
    }
}

static void read_source(store *s) {
    for (chunk &c : s->chunks) memcpy(c.data, tcp_host.shared + c.from, CHUNK);
}

static void write_global(const store *s) {
    for (const chunk &c : s->chunks) {
        if (!s->join) memcpy(c.to, c.data, CHUNK);
        for (int i = 0; s->join && i < CHUNK; i += s->element) s->join(c.to + i, c.data + i);
    }
}

// Issues the store "s" of all chunks that "each" calls its argument for.
template <typename F> static void issue(store *s, tcp_host_place at, F each) {
    bool good = true;
    tcp_host.used_async = true;
    s->thread = tcp_host.fiber->id;
    s->group = commits[s->thread];
    s->at = at;
    each([&](unsigned char *to, int from, int inside) {
        good = good && tcp_host_check_global_write(to, CHUNK, s->join != nullptr, at);
        if (!good) return;
        tcp_host_check_fenced(from, inside, at);
        tcp_host_check_read(from, inside, at);
        s->chunks.push_back(chunk{to, from, {}});
    });
    if (!good) return;
    if (!tcp_host.schedule.late) {
        read_source(s);
        write_global(s);
    }
    in_flight.push_back(*s);
}

template <char Op> static auto join_by(int type) -> void (*)(void *, const void *) {
    switch (type) {
    case TCP_TMA_U32: return tcp_host_join<uint32_t, Op>;
    case TCP_TMA_S32: return tcp_host_join<int32_t, Op>;
    case TCP_TMA_U64: return tcp_host_join<uint64_t, Op>;
    case TCP_TMA_S64: return tcp_host_join<int64_t, Op>;
    case TCP_TMA_F16: return tcp_host_join<tcp_f16, Op>;
    case TCP_TMA_F32: return tcp_host_join<float, Op>;
    case TCP_TMA_F64: return tcp_host_join<double, Op>;
    case TCP_TMA_BF16: return tcp_host_join<tcp_bf16, Op>;
    }
    return nullptr;
}

void tcp_host_tma_store(const tcp_tensor_map &map, const void *shared, const int *x, int rank,
                        int op, tcp_host_place at) {
    const tcp_host_map m = tcp_host_map_of(map);
    if (m.rank != rank) {
        tcp_host_fail(at, "tensor map", "gives %d coordinates to a map of rank %d", rank, m.rank);
        return;
    }
    store s = {};
    s.element = s.bytes = m.bytes;
    s.join = op == 0     ? nullptr
             : op == '+' ? join_by<'+'>(m.type)
             : op == '<' ? join_by<'<'>(m.type)
                         : join_by<'>'>(m.type);
    if (op && !s.join) {
        tcp_host_fail(at, "tensor map", "reduces by a map that says no type of its elements");
        return;
    }
    for (int i = 0; i < rank; ++i) s.bytes *= m.box[i];
    if (!tcp_host_check_shared("reads", shared, s.bytes, 128, at)) return;
    if ((int64_t)x[0] * m.bytes % CHUNK) {
        tcp_host_fail(at, "misaligned",
                      "begins a box at element %d of %d bytes, which is no multiple of 16 bytes: "
                      "the hardware faults",
                      x[0], m.bytes);
        return;
    }
    s.first = (int)((const unsigned char *)shared - tcp_host.shared);
    issue(&s, at, [&](auto chunk_at) { each_chunk(&m, x, s.first, chunk_at); });
}

void tcp_host_bulk_reduce(void *global, const void *shared, int bytes,
                          void (*join)(void *, const void *), int element, tcp_host_place at) {
    store s = {};
    s.join = join;
    s.element = element;
    bool good = tcp_host_check_alignment("writes", global, CHUNK, at);
    if (bytes < 0 || bytes % CHUNK) {
        tcp_host_fail(at, "misaligned", "copies %d bytes, which are no multiple of 16", bytes);
        good = false;
    }
    if (!good || !tcp_host_check_shared("reads", shared, bytes, CHUNK, at)) return;
    s.first = (int)((const unsigned char *)shared - tcp_host.shared);
    s.bytes = bytes;
    issue(&s, at, [&](auto chunk_at) {
        for (int i = 0; i < bytes; i += CHUNK)
            chunk_at((unsigned char *)global + i, s.first + i, (int)CHUNK);
    });
}

void tcp_host_bulk_store(void *global, const void *shared, int bytes, tcp_host_place at) {
    tcp_host_bulk_reduce(global, shared, bytes, nullptr, 0, at);
}

void tcp_host_bulk_commit() {
    ++commits[tcp_host.fiber->id];
}

void tcp_host_bulk_wait(int pending, bool read) {
    const int me = tcp_host.fiber->id;
    for (store &s : in_flight) {
        if (s.thread != me || s.group >= commits[me] - pending) continue;
        if (tcp_host.schedule.late && !s.read) read_source(&s);
        if (tcp_host.schedule.late && !read && !s.written) write_global(&s);
        s.written |= !read;
        if (s.read) continue;
        s.read = true;
        // who writes there now has to come after this thread
        for (const chunk &c : s.chunks) tcp_host_note_read(c.from, CHUNK, s.at);
    }
}

bool tcp_host_stores_any() {
    return !in_flight.empty();
}

bool tcp_host_check_stores(int offset, int bytes, tcp_host_place at) {
    for (const store &s : in_flight) {
        if (s.read || offset >= s.first + s.bytes || offset + bytes <= s.first) continue;
        tcp_host_fail(at, "missing wait",
                      "writes %s, which a store of thread %d at line %d reads, and that thread has "
                      "not waited until it did",
                      tcp_host_shared_byte(offset).text, s.thread, s.at.line);
        return false;
    }
    return true;
}

void tcp_host_store_end() {
    for (store &s : in_flight) {
        tcp_host.fiber = tcp_host_fiber_of(s.thread);
        if (!s.read)
            tcp_host_fail(s.at, "missing wait",
                          "ends while a store that it issued may still read shared memory");
        if (!tcp_host.schedule.late || s.written) continue;
        if (!s.read) read_source(&s);
        write_global(&s);
    }
    in_flight.clear();
}
