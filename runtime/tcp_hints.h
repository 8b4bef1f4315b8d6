// Accesses to global memory with cache hints.  Only tcp_device.cuh includes this.
//
//   tcp_ld_global_128<TCP_CS | TCP_L2_128B>(from)
//   tcp_ld_global_nc_128<TCP_L1_NO_ALLOCATE>(from)
//   tcp_st_global_128<TCP_CS>(to, value)
//
// The template argument combines at most one of TCP_CG .. TCP_L1_NO_ALLOCATE, at most one of
// TCP_L2_EVICT_FIRST and TCP_L2_EVICT_LAST, and for a load at most one of TCP_L2_64B ..
// TCP_L2_256B. The names are those of PTX. On a CPU the hints have no effect (host/tcp_host.h).
#ifndef TCP_HINTS_H
#define TCP_HINTS_H

enum tcp_hint {
    TCP_CG = 1,
    TCP_CS = 2,
    TCP_L1_EVICT_FIRST = 3,
    TCP_L1_EVICT_LAST = 4,
    TCP_L1_EVICT_UNCHANGED = 5,
    TCP_L1_NO_ALLOCATE = 6,
    TCP_L1_HINT = 7,
    TCP_L2_EVICT_FIRST = 8,
    TCP_L2_EVICT_LAST = 16,
    TCP_L2_POLICY = 24,
    TCP_L2_64B = 64,
    TCP_L2_128B = 128,
    TCP_L2_256B = 256,
    TCP_L2_BYTES = 448
};

#ifdef __CUDACC__

// The operand of L2::cache_hint: the policy that createpolicy.fractional makes for a fraction of 1.
// CUTLASS has the same constants, and tests/unit/runtime/cases.cu compares them with the
// instruction. The instruction is not used because it cannot be predicated: each load behind a
// guard then waited for the one before it.
template <int Hints> TCP_INSTRUCTION unsigned long long tcp_l2_policy() {
    return (Hints & TCP_L2_POLICY) == TCP_L2_EVICT_FIRST ? 0x12f0000000000000 : 0x14f0000000000000;
}

// ROW(what comes before ".nc", what follows it, ...)
#define TCP_BY_L1(ROW, l2, ...)                                                                    \
    if constexpr ((Hints & TCP_L1_HINT) == 0)                                                      \
        ROW("", l2, __VA_ARGS__);                                                                  \
    else if constexpr ((Hints & TCP_L1_HINT) == TCP_CG)                                            \
        ROW(".cg", l2, __VA_ARGS__);                                                               \
    else if constexpr ((Hints & TCP_L1_HINT) == TCP_CS)                                            \
        ROW(".cs", l2, __VA_ARGS__);                                                               \
    else if constexpr ((Hints & TCP_L1_HINT) == TCP_L1_EVICT_FIRST)                                \
        ROW("", ".L1::evict_first" l2, __VA_ARGS__);                                               \
    else if constexpr ((Hints & TCP_L1_HINT) == TCP_L1_EVICT_LAST)                                 \
        ROW("", ".L1::evict_last" l2, __VA_ARGS__);                                                \
    else if constexpr ((Hints & TCP_L1_HINT) == TCP_L1_EVICT_UNCHANGED)                            \
        ROW("", ".L1::evict_unchanged" l2, __VA_ARGS__);                                           \
    else                                                                                           \
        ROW("", ".L1::no_allocate" l2, __VA_ARGS__)
#define TCP_BY_BYTES(ROW, policy, ...)                                                             \
    if constexpr ((Hints & TCP_L2_BYTES) == 0)                                                     \
        TCP_BY_L1(ROW, policy, __VA_ARGS__);                                                       \
    else if constexpr ((Hints & TCP_L2_BYTES) == TCP_L2_64B)                                       \
        TCP_BY_L1(ROW, policy ".L2::64B", __VA_ARGS__);                                            \
    else if constexpr ((Hints & TCP_L2_BYTES) == TCP_L2_128B)                                      \
        TCP_BY_L1(ROW, policy ".L2::128B", __VA_ARGS__);                                           \
    else                                                                                           \
        TCP_BY_L1(ROW, policy ".L2::256B", __VA_ARGS__)
#define TCP_BY_HINTS(BY, ROW, ...)                                                                 \
    if constexpr ((Hints & TCP_L2_POLICY) != 0) {                                                  \
        const unsigned long long policy = tcp_l2_policy<Hints>();                                  \
        BY(ROW##_POLICY, ".L2::cache_hint", __VA_ARGS__);                                          \
    } else {                                                                                       \
        BY(ROW, "", __VA_ARGS__);                                                                  \
    }

// Nobody writes the memory, so these loads need not stay in place among others.  They are volatile
// all the same: nvcc 13.0 moves asm without it out of a loop, and above the guards of the load.
#define TCP_LD_NC_ROW(before, behind, type, reg)                                                   \
    asm volatile("ld.global" before ".nc" behind "." type " %0, [%1];" : reg(v) : "l"(at))
#define TCP_LD_NC_ROW_POLICY(before, behind, type, reg)                                            \
    asm volatile("ld.global" before ".nc" behind "." type " %0, [%1], %2;"                         \
                 : reg(v)                                                                          \
                 : "l"(at), "l"(policy))
#define TCP_LD_ROW(before, behind, type, reg)                                                      \
    asm volatile("ld.global" before behind "." type " %0, [%1];" : reg(v) : "l"(at) : "memory")
#define TCP_LD_ROW_POLICY(before, behind, type, reg)                                               \
    asm volatile("ld.global" before behind "." type " %0, [%1], %2;"                               \
                 : reg(v)                                                                          \
                 : "l"(at), "l"(policy)                                                            \
                 : "memory")
#define TCP_LD_NC_ROW4(before, behind, type, reg)                                                  \
    asm volatile("ld.global" before ".nc" behind ".v4." type " {%0, %1, %2, %3}, [%4];"            \
                 : reg(v.x), reg(v.y), reg(v.z), reg(v.w)                                          \
                 : "l"(at))
#define TCP_LD_NC_ROW4_POLICY(before, behind, type, reg)                                           \
    asm volatile("ld.global" before ".nc" behind ".v4." type " {%0, %1, %2, %3}, [%4], %5;"        \
                 : reg(v.x), reg(v.y), reg(v.z), reg(v.w)                                          \
                 : "l"(at), "l"(policy))
#define TCP_LD_ROW4(before, behind, type, reg)                                                     \
    asm volatile("ld.global" before behind ".v4." type " {%0, %1, %2, %3}, [%4];"                  \
                 : reg(v.x), reg(v.y), reg(v.z), reg(v.w)                                          \
                 : "l"(at)                                                                         \
                 : "memory")
#define TCP_LD_ROW4_POLICY(before, behind, type, reg)                                              \
    asm volatile("ld.global" before behind ".v4." type " {%0, %1, %2, %3}, [%4], %5;"              \
                 : reg(v.x), reg(v.y), reg(v.z), reg(v.w)                                          \
                 : "l"(at), "l"(policy)                                                            \
                 : "memory")
#define TCP_ST_ROW(before, behind, type, reg)                                                      \
    asm volatile("st.global" before behind "." type " [%0], %1;" ::"l"(at), reg(v) : "memory")
#define TCP_ST_ROW_POLICY(before, behind, type, reg)                                               \
    asm volatile("st.global" before behind "." type " [%0], %1, %2;" ::"l"(at), reg(v),            \
                 "l"(policy)                                                                       \
                 : "memory")
#define TCP_ST_ROW4(before, behind, type, reg)                                                     \
    asm volatile("st.global" before behind ".v4." type " [%0], {%1, %2, %3, %4};" ::"l"(at),       \
                 reg(v.x), reg(v.y), reg(v.z), reg(v.w)                                            \
                 : "memory")
#define TCP_ST_ROW4_POLICY(before, behind, type, reg)                                              \
    asm volatile("st.global" before behind ".v4." type " [%0], {%1, %2, %3, %4}, %5;" ::"l"(at),   \
                 reg(v.x), reg(v.y), reg(v.z), reg(v.w), "l"(policy)                               \
                 : "memory")

// "held" is the type of the registers: an access of 8 bits uses a register of 32.
#define TCP_HINTED_ROW(bits, held, n, type, reg)                                                   \
    template <int Hints> TCP_INSTRUCTION tcp_b##bits tcp_ld_global_##bits(const void *from) {      \
        const size_t at = __cvta_generic_to_global(from);                                          \
        held v;                                                                                    \
        TCP_BY_HINTS(TCP_BY_BYTES, TCP_LD_ROW##n, type, "=" reg);                                  \
        return (tcp_b##bits)v;                                                                     \
    }                                                                                              \
    template <int Hints> TCP_INSTRUCTION tcp_b##bits tcp_ld_global_nc_##bits(const void *from) {   \
        const size_t at = __cvta_generic_to_global(from);                                          \
        held v;                                                                                    \
        TCP_BY_HINTS(TCP_BY_BYTES, TCP_LD_NC_ROW##n, type, "=" reg);                               \
        return (tcp_b##bits)v;                                                                     \
    }                                                                                              \
    template <int Hints> TCP_INSTRUCTION void tcp_st_global_##bits(void *to, tcp_b##bits value) {  \
        static_assert((Hints & TCP_L2_BYTES) == 0, "a store fetches nothing");                     \
        const size_t at = __cvta_generic_to_global(to);                                            \
        const held v = value;                                                                      \
        TCP_BY_HINTS(TCP_BY_L1, TCP_ST_ROW##n, type, reg);                                         \
    }
TCP_HINTED_ROW(8, tcp_b32, , "u8", "r")
TCP_HINTED_ROW(16, tcp_b16, , "u16", "h")
TCP_HINTED_ROW(32, tcp_b32, , "u32", "r")
TCP_HINTED_ROW(64, tcp_b64, , "u64", "l")
TCP_HINTED_ROW(128, tcp_b128, 4, "u32", "r")

// Copies to shared memory with a policy for the L2 cache.
#define TCP_CP_ASYNC_ROW(before, behind, cache, bytes)                                             \
    asm volatile("cp.async." cache ".shared.global" behind " [%0], [%1], " bytes ";" ::"r"(to),    \
                 "l"(at)                                                                           \
                 : "memory")
#define TCP_CP_ASYNC_ROW_POLICY(before, behind, cache, bytes)                                      \
    asm volatile("cp.async." cache ".shared.global" behind " [%0], [%1], " bytes                   \
                 ", %2;" ::"r"(to),                                                                \
                 "l"(at), "l"(policy)                                                              \
                 : "memory")
#define TCP_CP_ASYNC_ZFILL_ROW(before, behind, cache, bytes)                                       \
    asm volatile("cp.async." cache ".shared.global" behind " [%0], [%1], " bytes                   \
                 ", %2;" ::"r"(to),                                                                \
                 "l"(at), "r"(read)                                                                \
                 : "memory")
#define TCP_CP_ASYNC_ZFILL_ROW_POLICY(before, behind, cache, bytes)                                \
    asm volatile("cp.async." cache ".shared.global" behind " [%0], [%1], " bytes                   \
                 ", %2, %3;" ::"r"(to),                                                            \
                 "l"(at), "r"(read), "l"(policy)                                                   \
                 : "memory")
#define TCP_CP_ASYNC(cache, bytes)                                                                 \
    template <int Hints = 0>                                                                       \
    TCP_INSTRUCTION void tcp_cp_async_##cache##_##bytes(void *shared, const void *global) {        \
        static_assert((Hints & TCP_L1_HINT) == 0, "the L1 cache is in the function's name");       \
        const unsigned to = tcp_shared_address(shared);                                            \
        const size_t at = __cvta_generic_to_global(global);                                        \
        TCP_BY_HINTS(TCP_BY_BYTES, TCP_CP_ASYNC_ROW, #cache, #bytes);                              \
    }                                                                                              \
    template <int Hints = 0>                                                                       \
    TCP_INSTRUCTION void tcp_cp_async_##cache##_zfill_##bytes(void *shared, const void *global,    \
                                                              int read) {                          \
        static_assert((Hints & TCP_L1_HINT) == 0, "the L1 cache is in the function's name");       \
        const unsigned to = tcp_shared_address(shared);                                            \
        const size_t at = __cvta_generic_to_global(global);                                        \
        TCP_BY_HINTS(TCP_BY_BYTES, TCP_CP_ASYNC_ZFILL_ROW, #cache, #bytes);                        \
    }
TCP_CP_ASYNC(ca, 4)
TCP_CP_ASYNC(ca, 8)
TCP_CP_ASYNC(ca, 16)
TCP_CP_ASYNC(cg, 16)

#endif
#endif
