// Many threads compile at once through the library, half of them with one cache, and each has to get what one
// alone got.
//
//   threads [--plans N] [--threads N] [--seed N] [--write FILE | --read FILE] PLAN...
//
// compiles the files, and random plans, of which one in four is spoilt, up to N in all.  --write
// writes what one alone got, a digest for each plan, and --read takes that instead of compiling
// them alone. A build with -fsanitize=thread says what the threads share.
#include <inttypes.h>
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
    uint64_t alone;
};

struct crew {
    struct job *job;
    int njobs;
    struct tcpc_cache *cache;
    atomic_int next, differ, right;
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

// FNV-1a
static void take(uint64_t *digest, const void *bytes, size_t n) {
    for (const unsigned char *p = bytes; n-- > 0; ++p) *digest = (*digest ^ *p) * 0x100000001b3;
}

// Compiles the plan, and counts it if it is right.
static uint64_t digest_of(const struct job *j, int i, struct tcpc_cache *cache, atomic_int *right) {
    struct tcpc_result *r = compile(j, i, cache);
    uint64_t digest = 0xcbf29ce484222325;
    if (!r || r->status > TCPC_WRONG) {
        fprintf(stderr, "%s: neither right nor wrong\n", j->name);
        exit(1);
    }
    atomic_fetch_add(right, r->status == TCPC_OK);
    char *text = shown(r);
    take(&digest, text, strlen(text));
    free(text);
    tcpc_free(r);
    return digest;
}

static void *work(void *user) {
    struct crew *c = user;
    int i;
    while ((i = atomic_fetch_add(&c->next, 1)) < c->njobs)
        if (digest_of(&c->job[i], i, i % 2 ? c->cache : NULL, &c->right) != c->job[i].alone) {
            atomic_fetch_add(&c->differ, 1);
            fprintf(stderr, "%s: another result\n", c->job[i].name);
        }
    return NULL;
}

static FILE *open_or_end(const char *path, const char *mode) {
    FILE *f = fopen(path, mode);
    if (!f) perror(path), exit(2);
    return f;
}

static void read_plan(struct job *j, const char *path) {
    FILE *f = open_or_end(path, "rb");
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
    FILE *written = NULL, *read = NULL;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (strcmp(argv[at], "--plans") == 0) plans = atoi(argv[at + 1]);
        if (strcmp(argv[at], "--threads") == 0) threads = atoi(argv[at + 1]);
        if (strcmp(argv[at], "--seed") == 0) seed = strtoul(argv[at + 1], NULL, 10);
        if (strcmp(argv[at], "--write") == 0) written = open_or_end(argv[at + 1], "w");
        if (strcmp(argv[at], "--read") == 0) read = open_or_end(argv[at + 1], "r");
    }
    if (plans < argc - at) plans = argc - at;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    struct crew c = {.job = calloc((size_t)plans, sizeof(struct job)),
                     .njobs = plans,
                     .cache = tcpc_cache_new(1 << 20)};
    atomic_int alone = 0;
    for (int i = 0; i < plans; ++i) {
        struct job *j = &c.job[i];
        if (at + i < argc)
            read_plan(j, argv[at + i]);
        else
            draw_plan(j, seed++);
        if (!read)
            j->alone = digest_of(j, i, i % 4 == 1 ? c.cache : NULL, &alone);
        else if (fscanf(read, "%" SCNx64, &j->alone) != 1)
            exit(2);
        if (written) fprintf(written, "%" PRIx64 "\n", j->alone);
    }
    pthread_t thread[MOST_THREADS];
    for (int i = 0; i < threads; ++i) pthread_create(&thread[i], NULL, work, &c);
    for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
    CHECK(c.differ == 0, "%d plans", (int)c.differ);
    CHECK(c.right * 2 > plans, "%d of %d compile", (int)c.right, plans);
    CHECK(c.right < plans, "all compile");
    printf("%d plans, %d of them right, in %d threads\n", plans, (int)c.right, threads);
    for (int i = 0; i < plans; ++i) {
        free(c.job[i].name);
        free(c.job[i].text);
    }
    free(c.job);
    tcpc_cache_free(c.cache);
    if (read) fclose(read);
    if (written && fclose(written) != 0) return 2;
    return check_done();
}
