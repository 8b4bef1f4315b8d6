// Repeats a command when a file that it reads changes.
#include "driver/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/session.h"
#include "compile/compile.h"
#include "driver/options.h"

enum { POLL_NS = 100 * 1000 * 1000 };

// The state of a file: all zero if it does not exist.
struct stamp {
    const char *path;
    struct timespec at;
    off_t size;
    ino_t node;
};

static struct stamp stamp_of(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0) return (struct stamp){.path = path};
    return (struct stamp){path, st.st_mtim, st.st_size, st.st_ino};
}

static bool same(struct stamp a, struct stamp b) {
    return a.at.tv_sec == b.at.tv_sec && a.at.tv_nsec == b.at.tv_nsec && a.size == b.size &&
           a.node == b.node;
}

static void nap(void) {
    const struct timespec t = {.tv_nsec = POLL_NS};
    nanosleep(&t, NULL);
}

// Finds the plan at "path" and its imports, as far as they can be read.
static int find_files(struct session *s, const char *path, struct stamp **out) {
    struct compiled c;
    const struct stamp plan = stamp_of(path);
    compile_begin(&c, s, path);
    steps_until(&c, STEP_SEMA);
    int n = 1;
    *out = ARENA_ARRAY(&s->arena, struct stamp, s->sources.n + 1);
    (*out)[0] = plan;
    for (int i = 0; i < s->sources.n; ++i)
        if (!s->sources.file[i].copied && strcmp(s->sources.file[i].path, path) != 0)
            (*out)[n++] = stamp_of(s->sources.file[i].path);
    return n;
}

// Waits until one of the files has changed and exists; returns its name.
static const char *wait_for_change(const struct stamp *file, int n) {
    for (;; nap())
        for (int i = 0; i < n; ++i) {
            struct stamp now = stamp_of(file[i].path);
            if (now.node && !same(now, file[i])) return file[i].path;
        }
}

static int run_once(int (*command)(int, char **), int argc, char **argv) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return option_error("cannot start a process: %s", strerror(errno));
    if (child == 0) {
        int code = command(argc, argv);
        fflush(NULL);
        _exit(code);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return EXIT_USAGE;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_WRONG;
}

int watch(const char *path, int (*command)(int, char **), int argc, char **argv) {
    int all = argc + 1, n = 0;  // response files follow the words (driver/response.h)
    while (argv[all]) ++all;
    char **rest = malloc(sizeof *rest * (size_t)(all + 1));
    if (!rest) return option_error("memory is out");
    if (strcmp(path, "-") == 0) {
        free(rest);
        return option_error("standard input cannot be watched");
    }
    for (int i = 0; i < argc; ++i)
        if (strcmp(argv[i], "--watch") != 0) rest[n++] = argv[i];
    memcpy(rest + n, argv + argc, sizeof *rest * (size_t)(all + 1 - argc));
    for (;;) {
        struct session s;
        struct stamp *file;
        session_init(&s);
        int nfiles = find_files(&s, path, &file);
        run_once(command, n, rest);
        fprintf(stderr, "tcpc: waiting for a change of '%s'%s\n", path,
                nfiles > 1 ? ", or of a file that it imports" : "");
        fprintf(stderr, "tcpc: '%s' has changed\n", wait_for_change(file, nfiles));
        session_release(&s);
    }
}
