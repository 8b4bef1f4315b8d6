// Calls end early: cancelled by another thread at any moment, or when their time is used up.
//
//   cancel [--times N] [--seed N] PLAN...
//
// cancels a call for each plan N times.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "shown.h"

// Milliseconds of the thread's own time: other processes do not count.
#ifdef TCPC_SANITIZE
enum { MOST = 500 };
#else
enum { MOST = 50 };
#endif

struct job {
    const char *path;
    char text[1 << 20];
    size_t size;
    struct tcpc_options options;
    struct tcpc_relayout *relayout;  // instead of the text
    enum tcpc_status status;
    char message[256];
    double begin, end;  // of the call, in seconds of the thread's time
    int runs;           // until then, by "lock"
    pthread_mutex_t lock;
    pthread_cond_t begins;
};

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void read_plan(struct job *j, const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) exit(2);
    j->path = path;
    j->size = fread(j->text, 1, sizeof j->text, f);
    fclose(f);
}

static void *work(void *of) {
    struct job *j = of;
    struct tcpc_result *r;
    pthread_mutex_lock(&j->lock);
    j->runs = 1;
    pthread_cond_signal(&j->begins);
    pthread_mutex_unlock(&j->lock);
    j->begin = seconds(CLOCK_THREAD_CPUTIME_ID);
    j->status = j->relayout ? tcpc_compile_relayout(j->relayout, &j->options, &r)
                            : tcpc_compile(j->path, j->text, j->size, &j->options, &r);
    j->end = seconds(CLOCK_THREAD_CPUTIME_ID);
    snprintf(j->message, sizeof j->message, "%s", r->nmessages ? r->message[0]->text : "");
    if (j->status == TCPC_CANCELLED)
        HOLDS(r->nmessages == 1 && r->nerrors == 1 && r->output.size == 0 && !r->nlaunches);
    tcpc_free(r);
    return NULL;
}

// Runs the call, and cancels it after "wait" seconds of its time. Returns the seconds that it then
// took to end; negative: it had ended.
static double cancelled_after(struct job *j, double wait) {
    pthread_t thread;
    clockid_t clock;
    double asked;
    j->runs = 0;
    j->options.canceller = tcpc_canceller_new();
    pthread_create(&thread, NULL, work, j);
    pthread_mutex_lock(&j->lock);
    while (!j->runs) pthread_cond_wait(&j->begins, &j->lock);
    pthread_mutex_unlock(&j->lock);
    if (pthread_getcpuclockid(thread, &clock) != 0) exit(2);
    double end = seconds(CLOCK_MONOTONIC) + 20 * wait;
    while ((asked = seconds(clock)) < wait && seconds(CLOCK_MONOTONIC) < end)
        nanosleep(&(struct timespec){0, 50000}, NULL);
    tcpc_cancel(j->options.canceller);
    pthread_join(thread, NULL);
    tcpc_canceller_free(j->options.canceller);
    return j->status == TCPC_CANCELLED ? j->end - asked : -1;
}

static double worst;

static char *result_with(struct job *j, struct tcpc_cache *cache) {
    struct tcpc_result *r;
    j->options = (struct tcpc_options){.size = sizeof j->options, .cache = cache};
    if (j->relayout)
        tcpc_compile_relayout(j->relayout, &j->options, &r);
    else
        tcpc_compile(j->path, j->text, j->size, &j->options, &r);
    char *text = shown(r);
    tcpc_free(r);
    return text;
}

// What cancelled calls leave in a cache changes no result.
static void keeps_nothing_wrong(struct job *j, double all) {
    struct tcpc_cache *cache = tcpc_cache_new(0);
    j->options = (struct tcpc_options){.size = sizeof j->options, .cache = cache};
    for (int i = 1; i < 3; ++i) cancelled_after(j, all * i / 4);
    char *with = result_with(j, cache), *from_nothing = result_with(j, NULL);
    CHECK(strcmp(with, from_nothing) == 0, "%s", j->path);
    free(with);
    free(from_nothing);
    tcpc_cache_free(cache);
}

static void cancel_often(struct job *j, int times) {
    struct tcpc_result *r;
    j->options = (struct tcpc_options){.size = sizeof j->options};
    double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
    enum tcpc_status alone = j->relayout ? tcpc_compile_relayout(j->relayout, &j->options, &r)
                                         : tcpc_compile(j->path, j->text, j->size, &j->options, &r);
    double all = seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
    tcpc_free(r);
    int ended = 0;
    for (int i = 0; i < times; ++i) {
        double wait = all * rand() / RAND_MAX, took = cancelled_after(j, wait);
        ended += took < 0;
        if (took < 0) HOLDS(j->status == alone);
        if (took >= 0) CHECK_STR(j->message, "the call was cancelled");
        CHECK(took * 1000 < MOST, "%s, after %.1f of %.1f ms: %.1f ms", j->path, wait * 1000,
              all * 1000, took * 1000);
        if (took > worst) worst = took;
    }
    CHECK(ended * 3 <= times * 2, "%s: %d of %d calls had ended", j->path, ended, times);
    keeps_nothing_wrong(j, all);
}

static void before_the_call(struct job *j) {
    struct tcpc_canceller *c = tcpc_canceller_new();
    tcpc_cancel(c);
    j->options = (struct tcpc_options){.size = sizeof j->options, .canceller = c};
    for (int i = 0; i < 2; ++i) {
        work(j);
        HOLDS(j->status == TCPC_CANCELLED);
    }
    tcpc_canceller_free(c);
    tcpc_canceller_free(NULL);
}

static void time_is_used_up(struct job *j) {
    j->options = (struct tcpc_options){.size = sizeof j->options, .most_milliseconds = 1};
    work(j);
    HOLDS(j->status == TCPC_CANCELLED);
    CHECK_STR(j->message, "the call takes more time than it may");
    // both, and neither comes
    j->options = (struct tcpc_options){
        .size = sizeof j->options, .most_milliseconds = 1000000, .canceller = tcpc_canceller_new()};
    work(j);
    HOLDS(j->status != TCPC_CANCELLED);
    tcpc_canceller_free(j->options.canceller);
    j->options = (struct tcpc_options){.size = sizeof j->options, .most_milliseconds = -1};
    work(j);
    HOLDS(j->status == TCPC_BAD_OPTION);
    CHECK_STR(j->message, "a call may not take -1 ms");
}

int main(int argc, char **argv) {
    static struct job j = {.lock = PTHREAD_MUTEX_INITIALIZER, .begins = PTHREAD_COND_INITIALIZER};
    int times = 3, at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (strcmp(argv[at], "--times") == 0) times = atoi(argv[at + 1]);
        if (strcmp(argv[at], "--seed") == 0) srand((unsigned)atoi(argv[at + 1]));
    }
    for (int i = at; i < argc; ++i) {
        read_plan(&j, argv[i]);
        cancel_often(&j, times);
    }
    before_the_call(&j);
    time_is_used_up(&j);
    // a relayout of params
    static const struct tcpc_integer extent[] = {{0, "A"}, {0, "B"}, {0, "C"}},
                                     turned[] = {{1, NULL}, {0, "A"}, {0, "A*B"}};
    static const struct tcpc_open a = {.size = sizeof a, .name = "A"},
                                  b = {.size = sizeof b, .name = "B"},
                                  c = {.size = sizeof c, .name = "C"};
    static const struct tcpc_open *const open[] = {&a, &b, &c};
    static const struct tcpc_side from = {.size = sizeof from, .element = "f16"},
                                  to = {.size = sizeof to, .element = "f16", .stride = turned};
    struct tcpc_relayout t = {.size = sizeof t,
                              .rank = 3,
                              .extent = extent,
                              .from = &from,
                              .to = &to,
                              .open = open,
                              .nopen = 3};
    j.relayout = &t;
    j.path = "a relayout";
    cancel_often(&j, times);
    printf("the slowest ended after %.1f ms\n", worst * 1000);
    return check_done();
}
