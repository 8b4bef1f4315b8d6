// The device functions of Hopper's asynchronous copies: barriers in memory, bulk copies and copies of
// boxes through tensor maps (TMA). Each is one instruction, or one and the loop that waits for it.
// For sm_90 and later. An emitted file that uses them includes this after tcp_device.cuh.
//
//   tcp_mbarrier                                  a barrier in shared memory: 8 bytes, aligned to 8
//   tcp_mbarrier_init(tcp_mbarrier *, arrivals)   1 .. 2^20-1 arrivals end a phase, and all bytes that it expects
//   tcp_mbarrier_init_fence()                     after all inits of a thread, before a barrier of the block
//   tcp_mbarrier_arrive(..)                       one arrival
//   tcp_mbarrier_expect(.., bytes)                one arrival, and so many bytes more to come in this phase
//   tcp_mbarrier_arrive_cp_async(..)              one arrival, when all cp.async of this thread so far are done
//   tcp_mbarrier_wait(.., parity)                 waits until the phase of this parity (0 is the first) is over
//   tcp_bulk_load(shared, global, bytes, barrier) addresses and bytes are multiples of 16
//   tcp_tma_load(shared, map, barrier, x, ..)     the box at 1 to 5 coordinates, in elements, the contiguous mode's first;
//                                                 "shared" is a multiple of 128 bytes, "x" times the bytes of an element
//                                                 one of 16, or the hardware faults; what is beyond the tensor is 0
//   tcp_tma_load<HINTS>(..), tcp_bulk_load<HINTS>(..)   with a policy of the L2 cache (tcp_hints.h)
//   tcp_tma_store(map, shared, x, ..)             the other way, of the thread's open group; rows are clipped at the tensor's
//                                                 end, the contiguous mode only to a whole chunk of 16 bytes
//   tcp_tma_add(map, shared, x, ..)               .. that adds to what is there, by the type of the map; _min, _max
//   tcp_bulk_store(global, shared, bytes)         the other way, of the thread's open group
//   tcp_bulk_add(global, shared, bytes)           .. that adds to what is there, by the type of "global"; _min, _max
//   tcp_bulk_commit(), tcp_bulk_wait_read<N>()    ends the group; waits until shared memory is no longer read by all groups of
//                                                 this thread but the N newest
//   tcp_bulk_wait<N>()                            .. until they have also written, for this thread
//   tcp_fence_async_all()                         tcp_fence_async() for global memory, too
//   tcp_fence_async()                             this thread's accesses to shared memory before it, asynchronous ones after it
//   tcp_elect()                                   whether this is the one thread that its warp, converged, elects
//
// A phase counts the bytes of whole boxes, also where the tensor ends inside. PTX ISA 8.0: mbarrier,
// cp.async.bulk, cp.async.bulk.tensor, cp.async.bulk.wait_group, fence.proxy, elect.sync.
#ifndef TCP_TMA_CUH
#define TCP_TMA_CUH

#include "tcp_device.cuh"
#include "tcp_tensor_map.h"

typedef tcp_b64 tcp_mbarrier;

#ifndef __CUDACC__
#include "host/tcp_host_tma.h"
#elif !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

TCP_INSTRUCTION void tcp_mbarrier_init(tcp_mbarrier *barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(tcp_shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}

TCP_INSTRUCTION void tcp_mbarrier_init_fence() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

TCP_INSTRUCTION void tcp_mbarrier_arrive(tcp_mbarrier *barrier) {
    asm volatile(
        "mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(tcp_shared_address(barrier))
        : "memory");
}

TCP_INSTRUCTION void tcp_mbarrier_expect(tcp_mbarrier *barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(
                     tcp_shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

TCP_INSTRUCTION void tcp_mbarrier_arrive_cp_async(tcp_mbarrier *barrier) {
    asm volatile(
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(tcp_shared_address(barrier))
        : "memory");
}

TCP_INSTRUCTION void tcp_mbarrier_wait(tcp_mbarrier *barrier, int parity) {
    tcp_b32 over;
    do {
        asm volatile("{\n .reg .pred p;\n"
                     " mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over)
                     : "r"(tcp_shared_address(barrier)), "r"(parity)
                     : "memory");
    } while (!over);
}

// An address of the own block is one of its cluster, too.
template <int Hints = 0>
TCP_INSTRUCTION void tcp_bulk_load(void *shared, const void *global, int bytes,
                                   tcp_mbarrier *barrier) {
    const unsigned to = tcp_shared_address(shared), bar = tcp_shared_address(barrier);
    if constexpr ((Hints & TCP_L2_POLICY) == 0) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1], %2, [%3];" ::"r"(to),
                     "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(bar)
                     : "memory");
    } else {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(to),
                     "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(bar),
                     "l"(tcp_l2_policy<Hints>())
                     : "memory");
    }
}

// RANK, the names of the coordinates as operands of PTX, parameters and arguments of C.
#define TCP_TMA_ROW(rank, operands, policy, parameters, ...)                                       \
    template <int Hints = 0>                                                                       \
    TCP_INSTRUCTION void tcp_tma_load(void *shared, const tcp_tensor_map &map,                     \
                                      tcp_mbarrier *barrier, TCP_TMA_EACH parameters) {            \
        const unsigned to = tcp_shared_address(shared), bar = tcp_shared_address(barrier);         \
        if constexpr ((Hints & TCP_L2_POLICY) == 0)                                                \
            asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.tile"             \
                         ".mbarrier::complete_tx::bytes [%0], [%1, {" operands                     \
                         "}], [%2];" ::"r"(to),                                                    \
                         "l"(&map), "r"(bar), __VA_ARGS__                                          \
                         : "memory");                                                              \
        else                                                                                       \
            asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.tile"             \
                         ".mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {" operands      \
                         "}], [%2], " policy ";" ::"r"(to),                                        \
                         "l"(&map), "r"(bar), __VA_ARGS__, "l"(tcp_l2_policy<Hints>())             \
                         : "memory");                                                              \
    }
#define TCP_TMA_EACH(...) __VA_ARGS__
TCP_TMA_ROW(1, "%3", "%4", (int x), "r"(x))
TCP_TMA_ROW(2, "%3, %4", "%5", (int x, int y), "r"(x), "r"(y))
TCP_TMA_ROW(3, "%3, %4, %5", "%6", (int x, int y, int z), "r"(x), "r"(y), "r"(z))
TCP_TMA_ROW(4, "%3, %4, %5, %6", "%7", (int x, int y, int z, int u), "r"(x), "r"(y), "r"(z), "r"(u))
TCP_TMA_ROW(5, "%3, %4, %5, %6, %7", "%8", (int x, int y, int z, int u, int v), "r"(x), "r"(y),
            "r"(z), "r"(u), "r"(v))
#undef TCP_TMA_ROW

#define TCP_TMA_STORE(name, ptx, operation, rank, operands, parameters, ...)                       \
    TCP_INSTRUCTION void name(const tcp_tensor_map &map, const void *shared,                       \
                              TCP_TMA_EACH parameters) {                                           \
        asm volatile(ptx ".async.bulk.tensor." #rank "d.global.shared::cta" operation              \
                         ".tile.bulk_group [%0, {" operands "}], [%1];" ::"l"(&map),               \
                     "r"(tcp_shared_address(shared)), __VA_ARGS__                                  \
                     : "memory");                                                                  \
    }
#define TCP_TMA_ROW(...)                                                                           \
    TCP_TMA_STORE(tcp_tma_store, "cp", "", __VA_ARGS__)                                            \
    TCP_TMA_STORE(tcp_tma_add, "cp.reduce", ".add", __VA_ARGS__)                                   \
    TCP_TMA_STORE(tcp_tma_min, "cp.reduce", ".min", __VA_ARGS__)                                   \
    TCP_TMA_STORE(tcp_tma_max, "cp.reduce", ".max", __VA_ARGS__)
TCP_TMA_ROW(1, "%2", (int x), "r"(x))
TCP_TMA_ROW(2, "%2, %3", (int x, int y), "r"(x), "r"(y))
TCP_TMA_ROW(3, "%2, %3, %4", (int x, int y, int z), "r"(x), "r"(y), "r"(z))
TCP_TMA_ROW(4, "%2, %3, %4, %5", (int x, int y, int z, int u), "r"(x), "r"(y), "r"(z), "r"(u))
TCP_TMA_ROW(5, "%2, %3, %4, %5, %6", (int x, int y, int z, int u, int v), "r"(x), "r"(y), "r"(z),
            "r"(u), "r"(v))
#undef TCP_TMA_EACH
#undef TCP_TMA_ROW
#undef TCP_TMA_STORE

TCP_INSTRUCTION void tcp_bulk_store(void *global, const void *shared, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(global)),
                 "r"(tcp_shared_address(shared)), "r"(bytes)
                 : "memory");
}

// cp.reduce.async.bulk; floats of 16 bits are added without flushing subnormals.
#define TCP_REDUCE_ROW(op, type, ptx)                                                              \
    TCP_INSTRUCTION void tcp_bulk_##op(type *global, const void *shared, int bytes) {              \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." ptx                     \
                     " [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(global)),                   \
                     "r"(tcp_shared_address(shared)), "r"(bytes)                                   \
                     : "memory");                                                                  \
    }
TCP_REDUCE_ROW(add, uint32_t, "add.u32")
TCP_REDUCE_ROW(add, int32_t, "add.s32")
TCP_REDUCE_ROW(add, uint64_t, "add.u64")
TCP_REDUCE_ROW(add, tcp_f16, "add.noftz.f16")
TCP_REDUCE_ROW(add, tcp_bf16, "add.noftz.bf16")
TCP_REDUCE_ROW(add, float, "add.f32")
TCP_REDUCE_ROW(add, double, "add.f64")
TCP_REDUCE_ROW(min, uint32_t, "min.u32")
TCP_REDUCE_ROW(min, int32_t, "min.s32")
TCP_REDUCE_ROW(min, uint64_t, "min.u64")
TCP_REDUCE_ROW(min, int64_t, "min.s64")
TCP_REDUCE_ROW(min, tcp_f16, "min.f16")
TCP_REDUCE_ROW(min, tcp_bf16, "min.bf16")
TCP_REDUCE_ROW(max, uint32_t, "max.u32")
TCP_REDUCE_ROW(max, int32_t, "max.s32")
TCP_REDUCE_ROW(max, uint64_t, "max.u64")
TCP_REDUCE_ROW(max, int64_t, "max.s64")
TCP_REDUCE_ROW(max, tcp_f16, "max.f16")
TCP_REDUCE_ROW(max, tcp_bf16, "max.bf16")
#undef TCP_REDUCE_ROW

TCP_INSTRUCTION void tcp_bulk_commit() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

template <int Pending> TCP_INSTRUCTION void tcp_bulk_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

template <int Pending> TCP_INSTRUCTION void tcp_bulk_wait() {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

TCP_INSTRUCTION void tcp_fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

TCP_INSTRUCTION void tcp_fence_async_all() {
    asm volatile("fence.proxy.async;" ::: "memory");
}

TCP_INSTRUCTION bool tcp_elect() {
    tcp_b32 yes;
    asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(yes));
    return yes != 0;
}

#else
#error "asynchronous copies and barriers in memory need sm_90: compile with -arch=sm_90 or later"
#endif
#endif
