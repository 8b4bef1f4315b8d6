// Ending calls early (tcpc.h): by a canceller, or by a thread that waits until the call's time is used up.
#include "lib/cancel.h"

#include <errno.h>
#ifndef __wasi__
#include <signal.h>
#endif
#include <stdlib.h>
#include <time.h>

#include "base/trap.h"
#include "lib/tcpc.h"

struct tcpc_canceller {
    pthread_mutex_t lock;  // of all that follows
    bool cancelled;
    struct watch *first;  // the calls
};

struct tcpc_canceller *tcpc_canceller_new(void) {
    struct tcpc_canceller *c = WATCH_THREADS ? calloc(1, sizeof *c) : NULL;
    if (c) pthread_mutex_init(&c->lock, NULL);
    return c;
}

void tcpc_cancel(struct tcpc_canceller *c) {
    pthread_mutex_lock(&c->lock);
    c->cancelled = true;
    for (struct watch *w = c->first; w; w = w->next) trap_give_up(w->trap);
    pthread_mutex_unlock(&c->lock);
}

void tcpc_canceller_free(struct tcpc_canceller *c) {
    if (c) pthread_mutex_destroy(&c->lock);
    free(c);
}

static void *wait_for_end(void *of) {
    struct watch *w = of;
    pthread_mutex_lock(&w->lock);
    int late = 0;
    while (!w->done && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&w->ends, &w->lock, &w->until);
    if (!w->done) {
        w->late = true;
        trap_give_up(w->trap);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

// Starts the thread, which leaves signals to others.
static bool start_thread(struct watch *w) {
#ifdef __wasi__
    (void)w, (void)wait_for_end;
    return false;
#else
    enum { STACK = 64 * 1024 };
    pthread_attr_t a;
    sigset_t all, was;
    sigfillset(&all);
    if (pthread_attr_init(&a) != 0) return false;
    pthread_attr_setstacksize(&a, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    bool started = pthread_create(&w->thread, &a, wait_for_end, w) == 0;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    pthread_attr_destroy(&a);
    return started;
#endif
}

void watch_begin(struct watch *w, struct trap *t, struct tcpc_canceller *c, int64_t milliseconds) {
    w->trap = t;
    if (milliseconds) {
        const int64_t most = INT32_MAX, ms = milliseconds < most ? milliseconds : most;
        pthread_condattr_t a;
        pthread_condattr_init(&a);
        pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->ends, &a);
        pthread_condattr_destroy(&a);
        clock_gettime(CLOCK_MONOTONIC, &w->until);
        w->until.tv_nsec += ms % 1000 * 1000000;
        w->until.tv_sec += (time_t)(ms / 1000) + w->until.tv_nsec / 1000000000;
        w->until.tv_nsec %= 1000000000;
        if (!start_thread(w)) memory_out();
        w->timed = true;
    }
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    w->canceller = c;
    w->next = c->first;
    c->first = w;
    if (c->cancelled) trap_give_up(t);
    pthread_mutex_unlock(&c->lock);
}

void watch_end(struct watch *w) {
    struct tcpc_canceller *c = w->canceller;
    if (c) {
        pthread_mutex_lock(&c->lock);
        struct watch **at = &c->first;
        while (*at != w) at = &(*at)->next;
        *at = w->next;
        pthread_mutex_unlock(&c->lock);
    }
    if (!w->timed) return;
    pthread_mutex_lock(&w->lock);
    w->done = true;
    pthread_cond_signal(&w->ends);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->ends);
    pthread_mutex_destroy(&w->lock);
}
