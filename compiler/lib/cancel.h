// What may end a call of the library early.
#ifndef TCPC_LIB_CANCEL_H
#define TCPC_LIB_CANCEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct tcpc_canceller;
struct trap;

// Whether another thread can end a call; WebAssembly has no threads, and no way back.
#ifdef __wasi__
enum { WATCH_THREADS = 0 };
#else
enum { WATCH_THREADS = 1 };
#endif

// One for each call; it must be zeroed.
struct watch {
    struct trap *trap;
    struct tcpc_canceller *canceller;  // or NULL
    struct watch *next;                // of the same canceller
    bool timed;                        // there is a thread
    pthread_t thread;
    pthread_mutex_t lock;  // of "done" and "late"
    pthread_cond_t ends;
    struct timespec until;
    bool done, late;
};

// Lets "c" (NULL: nobody), and the end of this time (0: none), give up the work under "t".  Calls
// memory_out if no thread can be started.
void watch_begin(struct watch *w, struct trap *t, struct tcpc_canceller *c, int64_t milliseconds);
// Ends that.  Call it before trap_end, also if watch_begin was not called.
void watch_end(struct watch *w);

#endif
