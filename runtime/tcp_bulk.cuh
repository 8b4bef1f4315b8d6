// Groups of bulk copies, which one thread of a block issues and waits for. For sm_90 and later. An
// emitted file that uses them includes this after tcp_device.cuh.
//
//   tcp_bulk_ring ring(memory, leader);   64 bytes of shared memory; one thread of the block leads
//   tcp_bulk_ring_of<N> ring(..);         .. with N barriers in place of 8, a power of 2: for N groups at most at a time
//   ring.load<BYTES, HINTS>(shared, global);   called by the leader alone; BYTES and both addresses are multiples of 16
//   ring.load_box<BYTES, HINTS>(shared, map, x, ..);  the same of a box of a tensor map (tcp_tma_load), of BYTES bytes
//   ring.commit();                        ends the group of the copies since the last commit
//   ring.wait<N>();                       the leader waits until at most the N newest groups are pending
//   ring.commit_all(), ring.wait_all<N>() the same, where all threads wait: so they need no barrier before they read
//   ring.announce(bytes);                 before its copies, the leader says how many bytes the group has; and
//   ring.next_all();                      for commit_all(): the next copies are of the next group. A group without copies:
//   ring.announce_nothing();              .. called by all threads
//   ring.take();                          for wait_all<N>(): waits for one group more
//
// Between roles of warps, a ring of their own: the threads that load call full() and the others take(), once a step each.
// At most 8 steps are between the two, and complete warps call them.
//
//   tcp_bulk_ring ring(memory, leader, arrivals);   and a barrier of the block.  "arrivals" of a phase: the leader's full(), and
//   ring.arrive();                        of each thread that loads, for what it stored itself
//   ring.arrive_cp_async();               .. and for its cp.async so far
//   ring.full();                          ends the group of this step
//   ring.take();                          waits for the next group
//   ring.expect(bytes);                   for full(): the leader says itself how many bytes the group has; and
//   ring.next();                          behind arrive(), expect() or announce(): the next ones are for the next group
//
// Copies from shared memory are groups of the thread itself, with tcp_bulk_commit and tcp_bulk_wait_read (tcp_tma.cuh):
//
//   tcp_store_bulk<BYTES>(global, shared);     both addresses and BYTES are multiples of 16
//   tcp_reduce_add<BYTES>(global, shared);     .. adds to what is there, by the type of "global"; _min, _max
//   tcp_store_box<BYTES>(shared, map, x, ..);  a box of a tensor map (tcp_tma_store)
//
// Each thread that used the memory calls tcp_fence_async() before the barrier of the block after which
// the leader fills it, and the leader before it fills what it used itself since then. Between roles of which the others
// only read, the leader alone calls it, behind the barrier that says so. What a group copied is
// there for the leader after a wait for it, and for others after a barrier of the block. Of N barriers, group g is phase
// g / N of barrier g % N, with one arrival, which says how many bytes the copies of the group have together. The leader
// waits for a group before it begins the Nth one after it, in commit() if not before. Where all threads wait, all have
// waited for a group and met, before the leader begins the Nth one after it; otherwise only the leader names the
// barriers. So no thread is two phases behind one.
#ifndef TCP_BULK_CUH
#define TCP_BULK_CUH

#include "tcp_tma.cuh"

#ifdef __CUDACC__
#define TCP_BULK_AT
#define TCP_BULK_ONLY
#define TCP_BULK_PASS
#define TCP_BULK_TOGETHER() __syncwarp()
#define TCP_BULK_MEMBER     __device__ __forceinline__
#else
#define TCP_BULK_AT         , TCP_HOST_AT
#define TCP_BULK_ONLY       TCP_HOST_AT
#define TCP_BULK_PASS       , at
#define TCP_BULK_TOGETHER() tcp_sync_warp(at)
#define TCP_BULK_MEMBER     inline
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// A coordinate of 64 bits as tensor maps have it. They have fewer than 2^31 elements along a mode, so
// that zeros are read wherever this is not exact.
TCP_BULK_MEMBER int tcp_coordinate(int64_t x) {
    const int64_t most = 0x7fffff00;
    return (int)(x > most ? most : x < -most ? -most : x);
}

template <unsigned Barriers> struct tcp_bulk_ring_of {
    enum : unsigned { BARRIERS = Barriers };
    tcp_mbarrier *barrier;
    bool leader;
    unsigned groups, waited;  // how many were committed, and how many of them have been waited for
    int bytes;                // of the open group

    TCP_BULK_MEMBER tcp_bulk_ring_of(void *memory, bool is_leader, int arrivals = 1)
        : barrier((tcp_mbarrier *)memory), leader(is_leader), groups(0), waited(0), bytes(0) {
        if (!leader) return;
        for (unsigned i = 0; i < BARRIERS; ++i) tcp_mbarrier_init(barrier + i, arrivals);
        tcp_mbarrier_init_fence();
    }

    TCP_BULK_MEMBER void await() {
        tcp_mbarrier_wait(barrier + waited % BARRIERS, (int)(waited / BARRIERS & 1));
        ++waited;
    }

    template <int Bytes, int Hints = 0>
    TCP_BULK_MEMBER void load(void *shared, const void *global TCP_BULK_AT) {
        tcp_bulk_load<Hints>(shared, global, Bytes, barrier + groups % BARRIERS TCP_BULK_PASS);
        bytes += Bytes;
    }

#define TCP_BULK_ROW(parameters, ...)                                                              \
    template <int Bytes, int Hints = 0>                                                            \
    TCP_BULK_MEMBER void load_box(void *shared, const tcp_tensor_map &map,                         \
                                  TCP_BULK_EACH parameters TCP_BULK_AT) {                          \
        tcp_tma_load<Hints>(shared, map, barrier + groups % BARRIERS, __VA_ARGS__ TCP_BULK_PASS);  \
        bytes += Bytes;                                                                            \
    }
#define TCP_BULK_EACH(...) __VA_ARGS__
    TCP_BULK_ROW((int x), x)
    TCP_BULK_ROW((int x, int y), x, y)
    TCP_BULK_ROW((int x, int y, int z), x, y, z)
    TCP_BULK_ROW((int x, int y, int z, int u), x, y, z, u)
    TCP_BULK_ROW((int x, int y, int z, int u, int v), x, y, z, u, v)
#undef TCP_BULK_ROW

    TCP_BULK_MEMBER void announce(int expected) {
        tcp_mbarrier_expect(barrier + groups % BARRIERS, expected);
    }

    TCP_BULK_MEMBER void announce_nothing() {
        if (leader) announce(0);
    }

    TCP_BULK_MEMBER void next_all() {
        bytes = 0;
        ++groups;
    }

    TCP_BULK_MEMBER void commit() {
        if (!leader) return;
        tcp_mbarrier_expect(barrier + groups % BARRIERS, bytes);
        bytes = 0;
        ++groups;
        if (groups - waited == BARRIERS) await();
    }

    TCP_BULK_MEMBER void commit_all() {
        if (leader) tcp_mbarrier_expect(barrier + groups % BARRIERS, bytes);
        bytes = 0;
        ++groups;
    }

    TCP_BULK_MEMBER void arrive() {
        tcp_mbarrier_arrive(barrier + groups % BARRIERS);
    }

    TCP_BULK_MEMBER void arrive_cp_async() {
        tcp_mbarrier_arrive_cp_async(barrier + groups % BARRIERS);
    }

    TCP_BULK_MEMBER void full(TCP_BULK_ONLY) {
        if (leader) tcp_mbarrier_expect(barrier + groups % BARRIERS, bytes);
        bytes = 0;
        ++groups;
        TCP_BULK_TOGETHER();
    }

    TCP_BULK_MEMBER void take(TCP_BULK_ONLY) {
        await();
        TCP_BULK_TOGETHER();
    }

    TCP_BULK_MEMBER void expect(int expected TCP_BULK_AT) {
        TCP_BULK_TOGETHER();  // what the other threads did comes before the leader's arrival
        if (leader) tcp_mbarrier_expect(barrier + groups % BARRIERS, expected);
        bytes = 0;
    }

    TCP_BULK_MEMBER void next(TCP_BULK_ONLY) {
        bytes = 0;
        ++groups;
        TCP_BULK_TOGETHER();
    }

    template <int Pending> TCP_BULK_MEMBER void wait() {
        if (!leader) return;
        while ((int)(groups - waited) > Pending) await();
    }

    template <int Pending> TCP_BULK_MEMBER void wait_all(TCP_BULK_ONLY) {
        while ((int)(groups - waited) > Pending) await();
        TCP_BULK_TOGETHER();
    }
};

typedef tcp_bulk_ring_of<8> tcp_bulk_ring;

template <int Bytes>
TCP_BULK_MEMBER void tcp_store_bulk(void *global, const void *shared TCP_BULK_AT) {
    tcp_fence_async();  // what this thread itself did with the memory
    tcp_bulk_store(global, shared, Bytes TCP_BULK_PASS);
}

#define TCP_BULK_REDUCE(op)                                                                        \
    template <int Bytes, typename T>                                                               \
    TCP_BULK_MEMBER void tcp_reduce_##op(T *global, const void *shared TCP_BULK_AT) {              \
        tcp_fence_async();                                                                         \
        tcp_bulk_##op(global, shared, Bytes TCP_BULK_PASS);                                        \
    }
TCP_BULK_REDUCE(add)
TCP_BULK_REDUCE(min)
TCP_BULK_REDUCE(max)
#undef TCP_BULK_REDUCE

#define TCP_BULK_BOX(name, instruction, parameters, ...)                                           \
    template <int Bytes>                                                                           \
    TCP_BULK_MEMBER void name(const void *shared, const tcp_tensor_map &map,                       \
                              TCP_BULK_EACH parameters TCP_BULK_AT) {                              \
        tcp_fence_async(); /* what this thread itself did with the memory */                       \
        instruction(map, shared, __VA_ARGS__ TCP_BULK_PASS);                                       \
    }
#define TCP_BULK_ROW(...)                                                                          \
    TCP_BULK_BOX(tcp_store_box, tcp_tma_store, __VA_ARGS__)                                        \
    TCP_BULK_BOX(tcp_add_box, tcp_tma_add, __VA_ARGS__)                                            \
    TCP_BULK_BOX(tcp_min_box, tcp_tma_min, __VA_ARGS__)                                            \
    TCP_BULK_BOX(tcp_max_box, tcp_tma_max, __VA_ARGS__)
TCP_BULK_ROW((int x), x)
TCP_BULK_ROW((int x, int y), x, y)
TCP_BULK_ROW((int x, int y, int z), x, y, z)
TCP_BULK_ROW((int x, int y, int z, int u), x, y, z, u)
TCP_BULK_ROW((int x, int y, int z, int u, int v), x, y, z, u, v)
#undef TCP_BULK_EACH
#undef TCP_BULK_ROW
#undef TCP_BULK_BOX
#endif
#endif
