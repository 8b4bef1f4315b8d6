// Many threads compile at once through the library, half of them with one cache, and each has to get what one
// alone got.
//
//   threads [--plans N] [--threads N] [--seed N] PLAN...
//
// compiles the files, and random plans, of which one in four is spoilt, up to N in all.  A build
// with -fsanitize=thread says what the threads share.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "gen_plans.h"
#include "shown.h"

enum { MOST_THREADS = 64 };

struct job {
    char *name, *text;
    size_t size;
    char *alone;  // the result
};

struct crew {
    struct job *job;
    int njobs;
    struct tcpc_cache *cache;
    atomic_int next, differ;
};

static const char *const folders[] = {"."};

static struct tcpc_result *compile(const struct job *j, int i, struct tcpc_cache *cache) {
    static const char *const archs[] = {NULL, "sm_80", "sm_90"};
    struct tcpc_options o = {.size = sizeof o,
                             .emit = i % 7 == 6 ? TCPC_EMIT_HEADER : TCPC_EMIT_CUDA,
                             .arch = archs[i % 3],
                             .folder = folders,
                             .nfolders = 1,
                             .cache = cache};
    struct tcpc_result *r;
    tcpc_compile(j->name, j->text, j->size, &o, &r);
    return r;
}

static void *work(void *user) {
    struct crew *c = user;
    int i;
    while ((i = atomic_fetch_add(&c->next, 1)) < c->njobs) {
        struct tcpc_result *r = compile(&c->job[i], i, i % 2 ? c->cache : NULL);
        char *is = shown(r);
        if (!is || strcmp(is, c->job[i].alone) != 0) {
            atomic_fetch_add(&c->differ, 1);
            fprintf(stderr, "%s: another result\n", c->job[i].name);
        }
        free(is);
        tcpc_free(r);
    }
    return NULL;
}

static void read_plan(struct job *j, const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    j->size = (size_t)ftell(f);
    rewind(f);
    j->name = strdup(path);
    j->text = malloc(j->size + 1);
    j->text[j->size] = 0;
    if (fread(j->text, 1, j->size, f) != j->size) exit(2);
    fclose(f);
}

static void draw_plan(struct job *j, unsigned long seed) {
    char name[64];
    snprintf(name, sizeof name, "random%lu.tcp", seed);
    j->name = strdup(name);
    j->text = gen_plan(seed, 1, GEN_ALL);
    if (seed % 4 == 3) {
        char *spoilt = gen_mutant(seed, j->text);
        free(j->text);
        j->text = spoilt;
    }
    j->size = strlen(j->text);
}

int main(int argc, char **argv) {
    int plans = 100, threads = 8, at = 1;
    unsigned long seed = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (strcmp(argv[at], "--plans") == 0) plans = atoi(argv[at + 1]);
        if (strcmp(argv[at], "--threads") == 0) threads = atoi(argv[at + 1]);
        if (strcmp(argv[at], "--seed") == 0) seed = strtoul(argv[at + 1], NULL, 10);
    }
    if (plans < argc - at) plans = argc - at;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    struct crew c = {calloc((size_t)plans, sizeof(struct job)), plans, tcpc_cache_new(1 << 20), 0,
                     0};
    int right = 0;
    for (int i = 0; i < plans; ++i) {
        if (at + i < argc)
            read_plan(&c.job[i], argv[at + i]);
        else
            draw_plan(&c.job[i], seed++);
        struct tcpc_result *r = compile(&c.job[i], i, i % 4 == 1 ? c.cache : NULL);
        c.job[i].alone = shown(r);
        HOLDS(r && r->status <= TCPC_WRONG);
        right += r && r->status == TCPC_OK;
        tcpc_free(r);
    }
    CHECK(right * 2 > plans, "%d of %d compile", right, plans);
    CHECK(right < plans, "all compile");
    pthread_t thread[MOST_THREADS];
    for (int i = 0; i < threads; ++i) pthread_create(&thread[i], NULL, work, &c);
    for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
    CHECK(c.differ == 0, "%d plans", (int)c.differ);
    printf("%d plans, %d of them right, in %d threads\n", plans, right, threads);
    for (int i = 0; i < plans; ++i) {
        free(c.job[i].alone);
        free(c.job[i].name);
        free(c.job[i].text);
    }
    free(c.job);
    tcpc_cache_free(c.cache);
    return check_done();
}
