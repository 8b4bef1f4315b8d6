// Fibers: each has a stack, and a switch saves the registers that the calling convention preserves.
// Separate because it is the only part that depends on the processor; where there is no switch in
// assembly, ucontext does it.
//
// A fiber is made once and lives as long as the process: after one thread of a kernel, it waits for
// the next one.
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(__x86_64__) && !defined(TCP_HOST_UCONTEXT)
#define TCP_HOST_UCONTEXT
#endif
#ifdef TCP_HOST_UCONTEXT
#include <ucontext.h>
#endif

#include "host/tcp_host_state.h"

#if defined(__SANITIZE_ADDRESS__)
#define TCP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TCP_ASAN 1
#endif
#endif

#ifdef TCP_ASAN
#include <sanitizer/common_interface_defs.h>
static const size_t stack_bytes = 512 * 1024;
#else
static const size_t stack_bytes = 128 * 1024;
#endif

struct stack {
    tcp_host_fiber fiber;  // first, so that a pointer to it is one to its stack
    unsigned char *base;   // above a guard page
    void *fake;            // the address sanitizer's shadow stack
#ifndef TCP_HOST_UCONTEXT
    void *pointer;
#else
    ucontext_t context;
#endif
};

static struct {
    stack *item;
    int count;
    const void *main_base;
    size_t main_bytes;
    void *main_fake;
#ifndef TCP_HOST_UCONTEXT
    void *main_pointer;
#else
    ucontext_t main_context;
#endif
} pool;

#ifndef TCP_HOST_UCONTEXT
// Saves the registers that a callee preserves, and stores the stack pointer in "*save". Then
// restores those saved at "load".
extern "C" void tcp_host_switch(void **save, void *load) __asm__("tcp_host_switch");
__asm__(".text\n"
        ".p2align 4\n"
        ".globl tcp_host_switch\n"
        ".hidden tcp_host_switch\n"
        ".type tcp_host_switch, @function\n"
        "tcp_host_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size tcp_host_switch, . - tcp_host_switch\n");
#endif

static void enter_main(void *fake) {
#ifdef TCP_ASAN
    __sanitizer_finish_switch_fiber(fake, &pool.main_base, &pool.main_bytes);
#else
    (void)fake;
#endif
}

void tcp_host_yield() {
    stack *s = (stack *)tcp_host.fiber;
#ifdef TCP_ASAN
    __sanitizer_start_switch_fiber(&s->fake, pool.main_base, pool.main_bytes);
#endif
#ifndef TCP_HOST_UCONTEXT
    tcp_host_switch(&s->pointer, pool.main_pointer);
#else
    swapcontext(&s->context, &pool.main_context);
#endif
    enter_main(s->fake);
}

void tcp_host_resume(tcp_host_fiber *fiber) {
    stack *s = (stack *)fiber;
    tcp_host.fiber = fiber;
    tcp_host_self = &fiber->self;
#ifdef TCP_ASAN
    __sanitizer_start_switch_fiber(&pool.main_fake, s->base, stack_bytes);
#endif
#ifndef TCP_HOST_UCONTEXT
    tcp_host_switch(&pool.main_pointer, s->pointer);
#else
    swapcontext(&pool.main_context, &s->context);
#endif
#ifdef TCP_ASAN
    __sanitizer_finish_switch_fiber(pool.main_fake, nullptr, nullptr);
#endif
}

// The main function of a fiber: runs one kernel thread after another.
static void fiber_main() {
    enter_main(nullptr);
    for (;;) {
        tcp_host.entry(tcp_host.context);
        tcp_host.fiber->state = TCP_FIBER_DONE;
        tcp_host_yield();
    }
}

static void prepare(stack *s) {
#ifndef TCP_HOST_UCONTEXT
    void **top = (void **)(s->base + stack_bytes);
    *--top = nullptr;  // the return address of fiber_main, which never returns
    *--top = (void *)fiber_main;
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    s->pointer = top;
#else
    getcontext(&s->context);
    s->context.uc_stack.ss_sp = s->base;
    s->context.uc_stack.ss_size = stack_bytes;
    s->context.uc_link = nullptr;
    makecontext(&s->context, fiber_main, 0);
#endif
}

tcp_host_fiber *tcp_host_fiber_of(int id) {
    return &pool.item[tcp_host.fiber_base + id].fiber;
}

bool tcp_host_make_fibers(int count) {
    static const int most = 16 * TCP_HOST_MAX_THREADS;  // of all devices of a mesh
    if (count > most) return false;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), each = stack_bytes + page;
    if (!pool.item) {
        pool.item = (stack *)calloc(most, sizeof *pool.item);
        if (!pool.item) return false;
    }
    if (count <= pool.count) return true;
    const size_t bytes = each * (size_t)(count - pool.count);
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    unsigned char *at = (unsigned char *)memory;
    for (; pool.count < count; ++pool.count, at += each) {
        stack *s = &pool.item[pool.count];
        mprotect(at, page, PROT_NONE);
        s->base = at + page;
        s->fiber.id = pool.count;
        prepare(s);
    }
    return true;
}
