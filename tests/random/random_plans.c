// random_plans [--first SEED] [--plans N] [--mutants N] [--seconds S] [--failures N]: compiles
// random plans in this process.  A plan that is right must be accepted, which includes that its
// Kernel IR does what the oracle says; a spoilt one must be accepted or refused with an error, and
// neither may crash or hang.  Ends early, and says so, after S seconds.
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/session.h"
#include "driver/compile.h"
#include "gen_plans.h"

enum { HANG_SECONDS = 60 };

static char now_at[128];  // what to say when it crashes

static void say_where(int sig) {
    (void)!write(2, now_at, strlen(now_at));
    signal(sig, SIG_DFL);
    raise(sig);
}

// Compiles "text"; returns what the compiler does, and prints its diagnostics to "out" unless that
// is NULL.  "*said" is whether it reported an error.
static int compile_text(const char *text, FILE *out, bool *said) {
    struct session s;
    struct compiled made;
    char path[64];
    size_t len = strlen(text);
    int fd = memfd_create("plan", 0);
    if (fd < 0 || write(fd, text, len) != (ssize_t)len) {
        perror("memfd");
        exit(2);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    session_init(&s);
    alarm(HANG_SECONDS);
    int code = compile_plan(&s, path, &made);
    alarm(0);
    *said = s.diags.nerrors > 0;
    if (out && code != 0) diag_print(&s, out);
    session_release(&s);
    close(fd);
    return code;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    long first = 1, plans = 1000, mutants = 1000, limit = 60, most = 10, failed = 0, done = 0,
         spoilt = 0, refused = 0;
    bool said;
    for (int i = 1; i + 1 < argc; i += 2) {
        long v = atol(argv[i + 1]);
        if (strcmp(argv[i], "--first") == 0)
            first = v;
        else if (strcmp(argv[i], "--plans") == 0)
            plans = v;
        else if (strcmp(argv[i], "--mutants") == 0)
            mutants = v;
        else if (strcmp(argv[i], "--failures") == 0)
            most = v;
        else if (strcmp(argv[i], "--seconds") == 0)
            limit = v;
    }
    signal(SIGABRT, say_where);
    signal(SIGSEGV, say_where);
    signal(SIGALRM, say_where);
    const double until = seconds() + (double)limit;
    for (long i = 0; i < plans && failed < most && seconds() < until; ++i, ++done) {
        char *text = gen_plan((uint64_t)(first + i), 2, GEN_ALL);
        snprintf(now_at, sizeof now_at, "while compiling plan %ld of 2 kernels (gen_plans %ld 2)\n",
                 first + i, first + i);
        if (compile_text(text, stdout, &said) != 0) {
            printf("plan %ld is right, and was refused (gen_plans %ld 2)\n\n", first + i,
                   first + i);
            ++failed;
        }
        free(text);
    }
    for (long i = 0; i < mutants && failed < most && seconds() < until; ++i, ++spoilt) {
        char *text = gen_plan((uint64_t)(first + i % 200), 1, GEN_ALL),
             *mutant = gen_mutant((uint64_t)(first + i), text);
        snprintf(now_at, sizeof now_at, "while compiling a spoilt plan (gen_plans %ld 1 %ld)\n",
                 first + i % 200, first + i);
        int code = compile_text(mutant, NULL, &said);
        refused += code != 0;
        if ((code != 0) != said) {
            printf("%s was %s error (gen_plans %ld 1 %ld)\n", code ? "refused" : "accepted",
                   said ? "with an" : "without an", first + i % 200, first + i);
            ++failed;
        }
        free(text);
        free(mutant);
    }
    printf("%ld plans, %ld spoilt ones of which %ld were refused, %ld failures\n", done, spoilt,
           refused, failed);
    if (done < plans || spoilt < mutants)
        printf("stopped early: %s\n", failed >= most ? "too many failures" : "time is up");
    return failed > 0;
}
