// random_plans [--first SEED] [--plans N] [--mutants N] [--kernels K] [--jobs J] [--seconds S]
// [--failures N] [--progress S]: compiles random plans.  A plan that is right must be accepted,
// which includes that its Kernel IR does what the oracle says; a spoilt one must be accepted or
// refused with an error, and neither may crash or take 2 s.  A plan that fails is made smaller and
// printed.  So few that it is no failure may be refused because a proof takes more steps than it
// may. Ends early, and says so, after S seconds (--seconds) or N failures.  J processes share
// the work; with --progress a line tells every so many seconds how far they are.
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/session.h"
#include "compile/compile.h"
#include "gen_plans.h"
#include "in_process.h"

#ifdef TCPC_SANITIZE
enum { PLAN_SECONDS = 20 };
#else
enum { PLAN_SECONDS = 2 };
#endif
enum { MAX_JOBS = 64, SELDOM = 10000 };

struct task {
    long first, plans, mutants, kernels, jobs, seconds, failures, progress;
};

// What the processes share.
struct tally {
    long next;          // the next piece of work: a plan, or behind the plans a spoilt one
    long at[MAX_JOBS];  // what each process works on; -1: nothing
    long plans, spoilt, refused, undecided, failed;
};

// Compiles "text"; returns what the compiler does, and prints its diagnostics to "out" unless that
// is NULL.  "*said" is whether it reported an error, "*undecided" (unless NULL) whether a proof
// took more steps than it may.
static int compile_text(const char *text, FILE *out, bool *said, bool *undecided) {
    struct session s;
    struct compiled made;
    char path[PLAN_PATH];
    int fd = plan_file(text, path);
    session_init(&s);
    // of processor time; more of it ends this process
    const struct itimerval limit = {.it_value = {PLAN_SECONDS, 0}}, none = {0};
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    int code = compile_product(&s, path, PRODUCT_CUDA, &made);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    *said = s.diags.nerrors > 0;
    if (undecided) *undecided = false;
    for (const struct diag *d = s.diags.first; d && undecided; d = d->next)
        if (strstr(d->message, "--proof-limit")) *undecided = true;
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

// -- making a failure smaller ---------------------------------------------------------------------

// Whether a process of its own refuses "text", or does not come to an end with it.
static bool fails(const char *text) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        bool said;
        if (!freopen("/dev/null", "w", stderr)) _exit(2);
        _exit(compile_text(text, NULL, &said, NULL) != 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status != 0;
}

// Leaves out features and kernels of plan "seed" as long as it fails; returns the text of what is
// left.
static char *smallest(uint64_t seed, int kernels) {
    unsigned features = GEN_ALL;
    for (unsigned f = 1; f <= GEN_ALL; f <<= 1) {
        char *text = gen_plan(seed, kernels, features & ~f);
        if (fails(text)) features &= ~f;
        free(text);
    }
    char *whole = gen_plan(seed, kernels, features), *head = gen_plan(seed, 0, features);
    size_t begin = strlen(head), end;
    for (int i = 1; i <= kernels; ++i, begin = end) {
        char *upto = gen_plan(seed, i, features), *one = malloc(strlen(whole) + 1);
        end = strlen(upto);
        if (!one) abort();
        strcpy(one, head);
        strncat(one, whole + begin, end - begin);
        free(upto);
        if (fails(one)) {
            free(whole);
            whole = one;
            break;
        }
        free(one);
    }
    free(head);
    return whole;
}

// -- the work -------------------------------------------------------------------------------------

// The seeds and the text of piece "i": a plan, or behind the plans a spoilt one.
static char *piece(const struct task *o, long i, char *how, size_t size) {
    if (i < o->plans) {
        snprintf(how, size, "gen_plans %ld %ld", o->first + i, o->kernels);
        return gen_plan((uint64_t)(o->first + i), (int)o->kernels, GEN_ALL);
    }
    i -= o->plans;
    long seed = o->first + i % (o->mutants < 200 ? 200 : (o->mutants + 19) / 20);
    snprintf(how, size, "gen_plans %ld 1 %ld", seed, o->first + i);
    char *text = gen_plan((uint64_t)seed, 1, GEN_ALL),
         *mutant = gen_mutant((uint64_t)(o->first + i), text);
    free(text);
    return mutant;
}

static void fail(const struct task *o, struct tally *t, long i, const char *what,
                 const char *text) {
    char how[96];
    free(piece(o, i, how, sizeof how));
    char *small = i < o->plans ? smallest((uint64_t)(o->first + i), (int)o->kernels) : NULL;
    printf("\n%s: %s; this is left of it:\n%s\n", how, what, small ? small : text);
    free(small);
    fflush(stdout);
    __atomic_add_fetch(&t->failed, 1, __ATOMIC_SEQ_CST);
}

static void work(const struct task *o, struct tally *t, int job, double until) {
    while (t->failed < o->failures && seconds() < until) {
        long i = __atomic_fetch_add(&t->next, 1, __ATOMIC_SEQ_CST);
        if (i >= o->plans + o->mutants) break;
        char how[96], *text = piece(o, i, how, sizeof how);
        bool said, undecided, spoilt = i >= o->plans;
        t->at[job] = i;
        int code = compile_text(text, spoilt ? NULL : stdout, &said, &undecided);
        t->at[job] = -1;
        __atomic_add_fetch(spoilt ? &t->spoilt : &t->plans, 1, __ATOMIC_SEQ_CST);
        if (!spoilt && undecided && code == 1)
            __atomic_add_fetch(&t->undecided, 1, __ATOMIC_SEQ_CST);
        else if (!spoilt && code != 0)
            fail(o, t, i, "it is right, and was refused", text);
        else if (spoilt && (code != 0) != said)
            fail(o, t, i, code ? "refused without an error" : "accepted with an error", text);
        if (spoilt && code != 0) __atomic_add_fetch(&t->refused, 1, __ATOMIC_SEQ_CST);
        free(text);
    }
}

static pid_t begin_job(const struct task *o, struct tally *t, int job, double until) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        work(o, t, job, until);
        exit(0);
    }
    return child;
}

// Waits for the processes; one that crashed has failed, and another one goes on in its place.
static void wait_for_jobs(const struct task *o, struct tally *t, pid_t *job, double until) {
    const double begin = seconds();
    double next = begin + (double)o->progress;
    for (int left = (int)o->jobs; left > 0;) {
        int status, i = 0;
        pid_t ended = waitpid(-1, &status, o->progress ? WNOHANG : 0);
        if (ended <= 0) {
            usleep(100000);
            if (o->progress && seconds() >= next) {
                next += (double)o->progress;
                printf("%ld of %ld plans, %ld of %ld spoilt ones, %ld failures, %.0f s\n", t->plans,
                       o->plans, t->spoilt, o->mutants, t->failed, seconds() - begin);
                fflush(stdout);
            }
            continue;
        }
        while (job[i] != ended) ++i;
        --left;
        if (status == 0) continue;
        char how[96], what[64];
        if (t->at[i] >= 0) {
            char *text = piece(o, t->at[i], how, sizeof how);
            snprintf(what, sizeof what, "it ended by signal %d", WTERMSIG(status));
            fail(o, t, t->at[i], what, text);
            free(text);
        } else {
            __atomic_add_fetch(&t->failed, 1, __ATOMIC_SEQ_CST);
        }
        if (t->failed >= o->failures) continue;
        job[i] = begin_job(o, t, i, until);
        ++left;
    }
}

int main(int argc, char **argv) {
    struct task o = {1, 1000, 1000, 2, 1, 60, 10, 0};
    const struct {
        const char *name;
        long *value;
    } option[] = {{"--first", &o.first},       {"--plans", &o.plans},
                  {"--mutants", &o.mutants},   {"--kernels", &o.kernels},
                  {"--jobs", &o.jobs},         {"--seconds", &o.seconds},
                  {"--failures", &o.failures}, {"--progress", &o.progress}};
    for (int i = 1; i + 1 < argc; i += 2)
        for (size_t j = 0; j < sizeof option / sizeof option[0]; ++j)
            if (strcmp(argv[i], option[j].name) == 0) *option[j].value = atol(argv[i + 1]);
    if (o.jobs < 1 || o.jobs > MAX_JOBS) o.jobs = 1;
    struct tally *t =
        mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED) return 2;
    const double begin = seconds(), until = begin + (double)o.seconds;
    pid_t job[MAX_JOBS];
    for (int i = 0; i < o.jobs; ++i) t->at[i] = -1;
    for (int i = 0; i < o.jobs; ++i) job[i] = begin_job(&o, t, i, until);
    wait_for_jobs(&o, t, job, until);
    printf("%ld plans of %ld kernels from seed %ld, %ld spoilt ones of which %ld were refused, %ld "
           "failures, %ld undecided, %.0f s\n",
           t->plans, o.kernels, o.first, t->spoilt, t->refused, t->failed, t->undecided,
           seconds() - begin);
    bool often = t->undecided > 1 + t->plans / SELDOM;
    if (often) printf("more than one plan in %d was refused for want of steps\n", SELDOM);
    if (t->plans < o.plans || t->spoilt < o.mutants)
        printf("stopped early: %s\n", t->failed >= o.failures ? "too many failures" : "time is up");
    return t->failed > 0 || often;
}
