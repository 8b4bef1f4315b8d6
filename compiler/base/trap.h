// What happens when memory is out, an internal error is found (BUG), or the work is to be given up.
// The process ends, unless a trap is set: then control returns to the trap.  The library sets one.
// A trap belongs to one thread, and records what memory_new allocated since it was set.
#ifndef TCPC_BASE_TRAP_H
#define TCPC_BASE_TRAP_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum trapped { TRAPPED_MEMORY = 1, TRAPPED_BUG, TRAPPED_GIVEN_UP };

// Work of another library, which has memory of its own.
struct trap_work {
    void (*abort)(void *of);  // makes it end soon; called by any thread
    void (*free)(void *of);   // when control has returned to the trap
    void *of;
    struct trap_work *next;
};

struct memory_block {
    struct memory_block *before, *behind;
};

struct trap {
    jmp_buf at;                // setjmp returns an enum trapped here
    char bug[256];             // the message of BUG
    struct memory_block held;  // head of a ring
    struct trap *outer;
    atomic_int given_up;  // trap_give_up was called
    atomic_flag lock;     // of "work"
    struct trap_work *work;
    int busy;  // inside foreign work, which must end by itself
    // Gets the lines of option_error (base/command.h) instead of standard error; NULL: it does not.
    // trap_set clears it.
    void (*say)(void *to, const char *line);
    void *to;
};

// Sets "t" for this thread, inside the trap that is already set.  The caller must call
// setjmp(t->at) next.
void trap_set(struct trap *t);
// Removes "t", which must be the trap set last.  What memory_new allocated is kept.
void trap_end(struct trap *t);
// Frees everything that memory_new and its like allocated since "t" was set.
void trap_free(struct trap *t);

// Gives up the work under "t", in whatever thread that is: foreign work is aborted, and control
// returns to the trap at its next trap_poll.  @pre "t" is set, and trap_end is not called meanwhile
void trap_give_up(struct trap *t);
// Returns to the trap if the work under it is given up.  Everything that may take long calls it now and
// then, as memory_new does.
void trap_poll(void);
// Adds "f" to the innermost trap, and takes it out.
void trap_work_add(struct trap_work *f);
void trap_work_drop(struct trap_work *f);
// Foreign work holds memory from "begin" to "end": trap_poll does nothing between them.
void trap_work_begin(void);
void trap_work_end(void);

// Hands "line" to the innermost trap that wants it; false if none does.
bool trap_says(const char *line);

// Returns to the trap; without one, prints that memory is out and ends the process with exit code
// 2.
_Noreturn void memory_out(void);
// Checks a result of malloc or its like: returns "p", or calls memory_out if it is NULL.
void *memory_got(void *p);
// Like malloc, calloc, realloc and free, but they call memory_out instead of returning NULL.
void *memory_new(size_t bytes);
void *memory_zeroed(size_t n, size_t bytes);
void *memory_again(void *old, size_t bytes);
void memory_free(void *p);

// Reports a broken invariant of our own code.  Never used for wrong input.
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
