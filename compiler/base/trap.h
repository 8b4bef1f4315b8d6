// What happens when memory is out, or when something of ours is broken (BUG): the process ends, but
// for a library, which sets a trap first, and to which control goes back then.  A trap is of one
// thread, and knows what was allocated by memory_new since it was set.
#ifndef TCPC_BASE_TRAP_H
#define TCPC_BASE_TRAP_H

#include <setjmp.h>
#include <stddef.h>

enum trapped { TRAPPED_MEMORY = 1, TRAPPED_BUG };

struct memory_block {
    struct memory_block *before, *behind;
};

struct trap {
    jmp_buf at;                // where setjmp returns an enum trapped
    char bug[256];             // what is broken
    struct memory_block held;  // head of a ring
    struct trap *outer;
};

// Sets "t" for this thread, over the one that is set; setjmp(t->at) has to follow.
void trap_set(struct trap *t);
// Takes "t" away, which is the last one that was set.  What memory_new gave stays.
void trap_end(struct trap *t);
// Frees what memory_new and its like gave since "t" was set.
void trap_free(struct trap *t);

// Ends the process with exit code 2, and a line that says that memory is out, or goes to the trap.
_Noreturn void memory_out(void);
// "p", what malloc and its like have returned; memory is out when that is NULL.
void *memory_got(void *p);
// As malloc, calloc, realloc and free are, but that memory is out instead of NULL.
void *memory_new(size_t bytes);
void *memory_zeroed(size_t n, size_t bytes);
void *memory_again(void *old, size_t bytes);
void memory_free(void *p);

// Our own broken invariants, never for input.
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
