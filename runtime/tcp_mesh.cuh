// The barriers between the devices of a mesh. All devices launch the same kernel; NVRTC compiles
// this, and it needs no header of NCCL.
//
//   if (!tcp_mesh_begin(g)) return;       each thread of each block, before the first access; g: the kernel's tcp_mesh_call
//   tcp_mesh_at(g, t, device, local)      tensor t of a device, as seen from this one; "local" is this device's own
//   tcp_mesh_end(g);                      each thread of each block, after the last access
//
// Begin. One block tells the peers that its device has come: a word of launch and hash, released to
// the system, and where its tensors are. Each block waits for the words of all peers, or follows the
// block that decided. So all blocks of a device get the same answer, and nothing is written after a
// "no". End. Each block counts itself, and the last one tells the peers, and waits for them. So no
// block depends on one that has not begun: a grid may have more blocks than fit on the device. Two
// launches at the same time come to their end if each device has room for both, or all devices have
// the same order.
//
// The number of the launch is in memory, so a captured graph may run many times. After an error
// the words of this device say so to all peers, and each launch returns at once, until a reset.
#ifndef TCP_MESH_CUH
#define TCP_MESH_CUH

#include "tcp_mesh_atomics.cuh"

enum { TCP_MESH_IMPATIENT = 50000 };  // ns, then any block tells the peers that the device has come

// The word of launch "epoch".
TCP_DEVICE uint64_t tcp_mesh_word(const tcp_mesh_call &g, uint64_t epoch) {
    return (uint64_t)g.hash << 32 | (uint32_t)epoch;
}

// The place of tensor "t" in launch "epoch".
TCP_DEVICE uint64_t tcp_mesh_place(const tcp_mesh_call &g, uint64_t epoch, int t) {
    return epoch << (TCP_MESH_OFFSET_BITS + TCP_MESH_WINDOW_BITS) | g.place[t];
}

// Tells "peer" that this device has come to launch "epoch". The words that say where its tensors
// are have the launch in them, so they need no order.
TCP_DEVICE void tcp_mesh_come(const tcp_mesh_call &g, uint64_t epoch, unsigned peer) {
    uint64_t *const flags = g.peers[peer] + g.rank;
    tcp_mesh_store_release_sys(flags + TCP_MESH_BEGIN * g.size, tcp_mesh_word(g, epoch));
    for (int t = 0; t < TCP_MESH_TENSORS; ++t) {
        tcp_mesh_store_relaxed_sys(flags + (TCP_MESH_PLACES + t) * g.size,
                                   tcp_mesh_place(g, epoch, t));
    }
}

// What is wrong with a device, in one number; 0 if nothing is.
TCP_DEVICE unsigned tcp_mesh_fault(unsigned what, unsigned device) {
    return what << 16 | device;
}

// Ends all launches of this device: stores the error for the host and for those to come, and tells
// the peers.
TCP_DEVICE void tcp_mesh_die(const tcp_mesh_call &g, uint64_t epoch, unsigned fault) {
    const uint64_t error = (uint64_t)fault << 32 | (uint32_t)epoch;
    if (tcp_mesh_cas_acq_rel_gpu(g.state + TCP_MESH_DEAD, 0, error) != 0) return;
    tcp_mesh_store_relaxed_sys(g.error, error);
    for (unsigned p = 0; p < g.size; ++p) {
        if (p == g.rank) continue;
        for (int row = TCP_MESH_BEGIN; row <= TCP_MESH_END; ++row) {
            tcp_mesh_store_relaxed_sys(g.peers[p] + row * g.size + g.rank,
                                       (uint64_t)TCP_MESH_GAVE_UP << 32 | fault);
        }
    }
}

// What "peer" gave up for. If it is this device: the two disagree, or this one is too late. If it
// disagrees with one that has come to launch "epoch" with the call of this device, it is itself the odd
// one.
TCP_DEVICE unsigned tcp_mesh_told(const tcp_mesh_call &g, uint64_t epoch, unsigned peer,
                                  unsigned fault) {
    const unsigned what = fault >> 16, whose = fault & 0xffff;
    const bool late = what == TCP_MESH_LATE_BEGIN || what == TCP_MESH_LATE_END;
    if (whose == g.rank) return tcp_mesh_fault(late ? (unsigned)TCP_MESH_PEER_DEAD : what, peer);
    if (late) return fault;
    const uint64_t word =
        tcp_mesh_load_relaxed_sys(g.flags + TCP_MESH_BEGIN * g.size + whose % g.size);
    return word == tcp_mesh_word(g, epoch) ? tcp_mesh_fault(what, peer) : fault;
}

// What word "row" of "peer" says in launch "epoch": 0 if it has come; or the fault, "late" if it has
// not come yet.
TCP_DEVICE unsigned tcp_mesh_look(const tcp_mesh_call &g, uint64_t epoch, unsigned peer, int row,
                                  unsigned late) {
    const uint64_t word = tcp_mesh_load_acquire_sys(g.flags + row * g.size + peer);
    const uint32_t hash = (uint32_t)(word >> 32), launch = (uint32_t)word;
    if (hash == TCP_MESH_GAVE_UP) return tcp_mesh_told(g, epoch, peer, launch);
    if (launch == (uint32_t)(epoch - 1)) return late;
    if (launch != (uint32_t)epoch) return tcp_mesh_fault(TCP_MESH_OTHER_EPOCH, peer);
    return hash == g.hash ? 0 : tcp_mesh_fault(TCP_MESH_OTHER_CALL, peer);
}

// Whether launch "epoch" has been decided: its decision, or 0.
TCP_DEVICE uint64_t tcp_mesh_decided(const tcp_mesh_call &g, uint64_t epoch) {
    const uint64_t decision = tcp_mesh_load_acquire_gpu(g.state + TCP_MESH_DECISION);
    return decision >> 1 == epoch ? decision : 0;
}

// Decides launch "epoch", unless another block has. Returns the decision.
TCP_DEVICE uint64_t tcp_mesh_decide(const tcp_mesh_call &g, uint64_t epoch, bool go) {
    const uint64_t mine = 2 * epoch + go;
    const uint64_t before =
        tcp_mesh_cas_acq_rel_gpu(g.state + TCP_MESH_DECISION, 2 * epoch - 1, mine);
    return before == 2 * epoch - 1 ? mine : before;
}

// Waits for "peer" at the begin of launch "epoch". Returns its fault, or 0; also when another block has
// decided.
TCP_DEVICE unsigned tcp_mesh_await(const tcp_mesh_call &g, uint64_t epoch, unsigned peer) {
    const unsigned late = tcp_mesh_fault(TCP_MESH_LATE_BEGIN, peer);
    const uint64_t start = tcp_mesh_time();
    bool told = false;
    for (;;) {
        const unsigned fault = tcp_mesh_look(g, epoch, peer, TCP_MESH_BEGIN, late);
        if (fault != late) return fault;
        if (tcp_mesh_decided(g, epoch)) return 0;
        const uint64_t waited = tcp_mesh_time() - start;
        if (waited > g.timeout) return late;
        if (waited > TCP_MESH_IMPATIENT && !told) {
            tcp_mesh_come(g, epoch, peer);
            told = true;
        }
        tcp_mesh_pause();
    }
}

TCP_DEVICE bool tcp_mesh_begin(const tcp_mesh_call &g) {
    if (g.size == 1) return true;
    const unsigned me = threadIdx.x, step = blockDim.x;
    const bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
    bool go = true;  // as far as this thread knows
    uint64_t epoch = 0, decision = 0;
    if (me < g.size) {
        epoch = tcp_mesh_load_relaxed_sys(g.state + TCP_MESH_EPOCH) + 1;
        go = tcp_mesh_load_relaxed_sys(g.state + TCP_MESH_DEAD) == 0;
        decision = tcp_mesh_decided(g, epoch);
    }
    // also if others have decided: they may have told nobody
    for (unsigned p = me; p < g.size && go && first; p += step) {
        if (p != g.rank) tcp_mesh_come(g, epoch, p);
    }
    unsigned fault = 0;
    for (unsigned p = me; p < g.size && go && !decision && !fault; p += step) {
        if (p != g.rank) fault = tcp_mesh_await(g, epoch, p);
    }
    if (fault) {
        decision = tcp_mesh_decide(g, epoch, false);
        if (decision == 2 * epoch) tcp_mesh_die(g, epoch, fault);
    }
    if (decision) go = decision & 1;
    const bool all =
        tcp_mesh_all(go);  // .. and what the threads have acquired is known to thread 0
    if (me == 0 && !decision && all) go = tcp_mesh_decide(g, epoch, true) & 1;
    return tcp_mesh_all(go);
}

// Waits for "peer" at the end of launch "epoch".
TCP_DEVICE void tcp_mesh_await_end(const tcp_mesh_call &g, uint64_t epoch, unsigned peer) {
    const unsigned late = tcp_mesh_fault(TCP_MESH_LATE_END, peer);
    const uint64_t start = tcp_mesh_time();
    for (;;) {
        const unsigned fault = tcp_mesh_look(g, epoch, peer, TCP_MESH_END, late);
        if (fault == 0) return;
        if (fault != late || tcp_mesh_time() - start > g.timeout) {
            return tcp_mesh_die(g, epoch, fault);
        }
        tcp_mesh_pause();
    }
}

// Ends launch "epoch" for this device.
TCP_DEVICE void tcp_mesh_advance(const tcp_mesh_call &g, uint64_t epoch) {
    tcp_mesh_store_relaxed_sys(g.state + TCP_MESH_ARRIVED, 0);
    tcp_mesh_store_relaxed_sys(g.state + TCP_MESH_EPOCH, epoch);
}

TCP_DEVICE void tcp_mesh_end(const tcp_mesh_call &g) {
    if (g.size == 1) return;
    const unsigned me = threadIdx.x, step = blockDim.x;
    bool last = true;
    tcp_sync();  // the accesses of the block are before what thread 0 releases
    if (me == 0) {
        last = tcp_mesh_add_acq_rel_gpu(g.state + TCP_MESH_ARRIVED, 1) == tcp_mesh_blocks() - 1;
    }
    if (!tcp_mesh_all(last)) return;
    const uint64_t epoch = tcp_mesh_load_relaxed_sys(g.state + TCP_MESH_EPOCH) + 1;
    for (unsigned p = me; p < g.size; p += step) {
        if (p == g.rank) continue;
        tcp_mesh_store_release_sys(g.peers[p] + TCP_MESH_END * g.size + g.rank,
                                   tcp_mesh_word(g, epoch));
    }
    for (unsigned p = me; p < g.size; p += step) {
        if (p != g.rank) tcp_mesh_await_end(g, epoch, p);
    }
    tcp_mesh_all(true);
    if (me == 0) tcp_mesh_advance(g, epoch);
}

// Tensor "t" of "device". "local" is that of this device. Where it is comes right behind the word that
// the begin has waited for.
template <typename T>
TCP_DEVICE T *tcp_mesh_at(const tcp_mesh_call &g, int t, unsigned device, T *local) {
    if (device == g.rank) return local;
    const uint64_t *const from = g.flags + (TCP_MESH_PLACES + t) * g.size + device;
    const uint64_t epoch = tcp_mesh_load_relaxed_sys(g.state + TCP_MESH_EPOCH) + 1;
    uint64_t place = tcp_mesh_load_relaxed_sys(from), start = 0;
    const int shift = TCP_MESH_OFFSET_BITS + TCP_MESH_WINDOW_BITS;
    while (place >> shift != (epoch << shift) >> shift) {
        const uint64_t now = tcp_mesh_time();
        if (start == 0) start = now;
        if (now - start > g.timeout) break;  // only without a begin
        tcp_mesh_pause();
        place = tcp_mesh_load_relaxed_sys(from);
    }
    const unsigned window =
        (unsigned)(place >> TCP_MESH_OFFSET_BITS) & ((1u << TCP_MESH_WINDOW_BITS) - 1);
    const uint64_t offset = place & (((uint64_t)1 << TCP_MESH_OFFSET_BITS) - 1);
    return (T *)(g.base[window * g.size + device] + offset);
}

#endif
