// A thread whose stack has what tcpc.h says, and a guard page below it, compiles plans.
//
//   stack [BYTES] PLAN...
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "tcpc.h"

struct job {
    int n;
    char **path;
    int right, answers, wanted;
    struct tcpc_cache *cache;
};

// The name of the first kernel in "text".
static const char *first_kernel(const char *text) {
    static char name[64];
    const char *at = strstr(text, "\nkernel ");
    sscanf(at ? at + 8 : "none", "%63[A-Za-z0-9_]", name);
    return name;
}

static void *work(void *of) {
    struct job *j = of;
    static char text[1 << 20];
    const char *const folders[] = {"."};
    static const struct tcpc_question questions[] = {
        {.size = sizeof *questions, .about = TCPC_EXPLAIN},
        {.size = sizeof *questions, .about = TCPC_EXPLAIN, .form = TCPC_FORM_SOURCE},
        {.size = sizeof *questions, .about = TCPC_COUNT},
        {.size = sizeof *questions, .about = TCPC_FORMAT}};
    for (int i = 0; i < j->n; ++i) {
        FILE *f = fopen(j->path[i], "rb");
        if (!f) return NULL;
        size_t size = fread(text, 1, sizeof text - 1, f);
        text[size] = 0;
        fclose(f);
        for (int emit = TCPC_EMIT_CUDA; emit <= TCPC_EMIT_DEVICE; ++emit) {
            struct tcpc_options o = {.size = sizeof o,
                                     .emit = (enum tcpc_emit)emit,
                                     .folder = folders,
                                     .nfolders = 1,
                                     .cache = j->cache};
            struct tcpc_result *r;
            tcpc_compile(j->path[i], text, size, &o, &r);
            j->right += r->status == TCPC_OK;
            tcpc_free(r);
            if (emit == TCPC_EMIT_CUDA) emit = TCPC_EMIT_DEVICE - 1;
        }
        // of device functions alone there are no counts, and no kernel is drawn
        j->wanted += strstr(text, "\nkernel ") ? 8 : 3;
        for (size_t k = 0; k < sizeof questions / sizeof *questions; ++k) {
            struct tcpc_options o = {.size = sizeof o, .folder = folders, .nfolders = 1};
            struct tcpc_result *r;
            tcpc_ask(j->path[i], text, size, &o, &questions[k], &r);
            j->answers += r->output.size > 0;
            // a drawing of what the plan begins with
            struct tcpc_question draw = {.size = sizeof draw, .about = TCPC_DRAW};
            tcpc_free(r);
            draw.form = k % 2 ? TCPC_FORM_SVG : TCPC_FORM_TEXT;
            draw.name = first_kernel(text);
            tcpc_ask(j->path[i], text, size, &o, &draw, &r);
            j->answers += r->output.size > 0;
            tcpc_free(r);
        }
    }
    return j;
}

int main(int argc, char **argv) {
    int given = argc > 1 && atol(argv[1]) > 0;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = TCPC_STACK_BYTES;
    if (given) bytes = (size_t)atol(argv[1]) / page * page;
    struct job j = {.n = argc - 1 - given, .path = argv + 1 + given, .cache = tcpc_cache_new(0)};
    char *stack =
        mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t a;
    pthread_t thread;
    void *done;
    if (stack == MAP_FAILED || mprotect(stack, page, PROT_NONE) != 0) return 2;
    pthread_attr_init(&a);
    HOLDS(pthread_attr_setstack(&a, stack + page, bytes) == 0);
    HOLDS(pthread_create(&thread, &a, work, &j) == 0);
    HOLDS(pthread_join(thread, &done) == 0 && done == &j);
    tcpc_cache_free(j.cache);
    CHECK(j.right == 2 * j.n, "%d of %d", j.right, 2 * j.n);
    CHECK(j.answers == j.wanted, "%d of %d answers", j.answers, j.wanted);
    size_t unused = 0;
    while (unused < bytes && stack[page + unused] == 0) ++unused;
    printf("%zu of %zu bytes used\n", bytes - unused, bytes);
    CHECK((bytes - unused) * 2 <= TCPC_STACK_BYTES, "other compilers need more than this one");
    return check_done();
}
