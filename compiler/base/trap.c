// Traps and the memory that they track (see trap.h).
#include "base/trap.h"

#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The only mutable object outside of sessions: code deep inside a printer has no session to find
// the trap in.
static _Thread_local struct trap *trap_of_thread;

static void lock(struct trap *t) {
    while (atomic_flag_test_and_set(&t->lock)) sched_yield();
}

static void unlock(struct trap *t) {
    atomic_flag_clear(&t->lock);
}

void trap_set(struct trap *t) {
    t->bug[0] = 0;
    t->say = NULL;
    atomic_init(&t->given_up, 0);
    atomic_flag_clear(&t->lock);
    t->work = NULL;
    t->busy = 0;
    t->held.before = t->held.behind = &t->held;
    t->outer = trap_of_thread;
    trap_of_thread = t;
}

void trap_end(struct trap *t) {
    while (t->held.behind != &t->held) {
        struct memory_block *b = t->held.behind;
        t->held.behind = b->behind;
        b->before = b->behind = b;
    }
    trap_of_thread = t->outer;
}

void trap_free(struct trap *t) {
    lock(t);
    for (struct trap_work *f = t->work; f; f = f->next) f->free(f->of);
    t->work = NULL;
    unlock(t);
    for (struct memory_block *b = t->held.behind, *next; b != &t->held; b = next) {
        next = b->behind;
        free(b);
    }
    t->held.before = t->held.behind = &t->held;
}

void trap_give_up(struct trap *t) {
    lock(t);
    atomic_store(&t->given_up, 1);
    for (struct trap_work *f = t->work; f; f = f->next) f->abort(f->of);
    unlock(t);
}

void trap_poll(void) {
    struct trap *t = trap_of_thread;
    if (t && !t->busy && atomic_load_explicit(&t->given_up, memory_order_relaxed))
        longjmp(t->at, TRAPPED_GIVEN_UP);
}

void trap_work_add(struct trap_work *f) {
    struct trap *t = trap_of_thread;
    if (!t) return;
    lock(t);
    f->next = t->work;
    t->work = f;
    if (atomic_load(&t->given_up)) f->abort(f->of);
    unlock(t);
}

void trap_work_drop(struct trap_work *f) {
    struct trap *t = trap_of_thread;
    if (!t) return;
    lock(t);
    struct trap_work **at = &t->work;
    while (*at && *at != f) at = &(*at)->next;
    if (*at) *at = f->next;
    unlock(t);
}

void trap_work_begin(void) {
    if (trap_of_thread) ++trap_of_thread->busy;
}

void trap_work_end(void) {
    if (trap_of_thread) --trap_of_thread->busy;
}

bool trap_says(const char *line) {
    const struct trap *t = trap_of_thread;
    while (t && !t->say) t = t->outer;
    if (t) t->say(t->to, line);
    return t != NULL;
}

_Noreturn void memory_out(void) {
    if (trap_of_thread) longjmp(trap_of_thread->at, TRAPPED_MEMORY);
    static const char line[] = "tcpc: error: out of memory\n";
    fwrite(line, 1, sizeof line - 1, stderr);
    exit(2);
}

void *memory_got(void *p) {
    if (!p) memory_out();
    return p;
}

static void *hold(struct memory_block *b) {
    memory_got(b);
    b->before = b->behind = b;
    if (trap_of_thread) {
        b->before = &trap_of_thread->held;
        b->behind = trap_of_thread->held.behind;
        b->behind->before = b->before->behind = b;
    }
    return b + 1;
}

static void let_go(struct memory_block *b) {
    b->before->behind = b->behind;
    b->behind->before = b->before;
}

void *memory_new(size_t bytes) {
    if (bytes > SIZE_MAX / 4) memory_out();
    trap_poll();
    return hold(malloc(sizeof(struct memory_block) + bytes));
}

void *memory_zeroed(size_t n, size_t bytes) {
    if (bytes && n > SIZE_MAX / 4 / bytes) memory_out();
    return hold(calloc(1, sizeof(struct memory_block) + n * bytes));
}

void *memory_again(void *old, size_t bytes) {
    if (!old) return memory_new(bytes);
    if (bytes > SIZE_MAX / 4) memory_out();
    struct memory_block *b = (struct memory_block *)old - 1;
    let_go(b);
    struct memory_block *again = realloc(b, sizeof *b + bytes);
    if (!again) free(b);
    return hold(again);
}

void memory_free(void *p) {
    if (!p) return;
    struct memory_block *b = (struct memory_block *)p - 1;
    let_go(b);
    free(b);
}

void bug_at(const char *file, int line, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (trap_of_thread) {
        int n = snprintf(trap_of_thread->bug, sizeof trap_of_thread->bug,
                         "internal error at %s:%d: ", file, line);
        if (n > 0 && (size_t)n < sizeof trap_of_thread->bug)
            vsnprintf(trap_of_thread->bug + n, sizeof trap_of_thread->bug - (size_t)n, fmt, ap);
        va_end(ap);
        longjmp(trap_of_thread->at, TRAPPED_BUG);
    }
    fprintf(stderr, "tcpc: internal error at %s:%d: ", file, line);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputs("; please report this with the plan that shows it\n", stderr);
    abort();
}
