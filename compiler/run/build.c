// Finds compilers and the runtime (see build.h).
#include "run/build.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/command.h"
#include "base/session.h"

enum { MAX_WORDS = 256, BUILD_SECONDS = 900 };

// -- the runtime ----------------------------------------------------------------------------------

// Writes the folder of this program to "out".
static bool own_folder(char *out, size_t size) {
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    if (n <= 0) return false;
    out[n] = 0;
    char *slash = strrchr(out, '/');
    if (!slash) return false;
    *slash = 0;
    return true;
}

static bool is_runtime(const char *folder) {
    char path[600];
    int n = snprintf(path, sizeof path, "%s/tcp_harness.h", folder);
    return n < (int)sizeof path && access(path, R_OK) == 0;
}

static bool find_runtime(struct toolchain *t) {
    static const char *const near[] = {"../../runtime", "../include/tcpc", "../runtime"};
    static const char *const libraries[] = {"../runtime/libtcp_host.a", "../lib/libtcp_host.a",
                                            "../lib/tcpc/libtcp_host.a"};
    char self[400];
    const char *given = getenv("TCPC_RUNTIME");
    t->library[0] = 0;
    if (given && *given) {
        snprintf(t->runtime, sizeof t->runtime, "%s", given);
        if (is_runtime(t->runtime)) return true;
        option_error("TCPC_RUNTIME names '%s', which has no tcp_harness.h", given);
        return false;
    }
    if (own_folder(self, sizeof self)) {
        for (int i = 0; i < 3 && !t->library[0]; ++i) {
            snprintf(t->library, sizeof t->library, "%s/%s", self, libraries[i]);
            if (access(t->library, R_OK) != 0) t->library[0] = 0;
        }
        for (int i = 0; i < 3; ++i) {
            snprintf(t->runtime, sizeof t->runtime, "%s/%s", self, near[i]);
            if (is_runtime(t->runtime)) return true;
        }
    }
#ifdef TCPC_RUNTIME_DIR
    snprintf(t->runtime, sizeof t->runtime, "%s", TCPC_RUNTIME_DIR);
    if (is_runtime(t->runtime)) return true;
#endif
    option_error(
        "the runtime (tcp_harness.h) was not found beside tcpc; set TCPC_RUNTIME to its folder");
    return false;
}

// -- compilers ------------------------------------------------------------------------------------

// Whether a GPU can be used: its device file exists and is not hidden by the environment.
static bool has_gpu(void) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (visible && (!*visible || strcmp(visible, "-1") == 0)) return false;
    DIR *d = opendir("/dev");
    if (!d) return false;
    bool found = false;
    const struct dirent *e;
    while (!found && (e = readdir(d)))
        found = (strncmp(e->d_name, "nvidia", 6) == 0 && isdigit((unsigned char)e->d_name[6])) ||
                strcmp(e->d_name, "dxg") == 0;
    closedir(d);
    return found;
}

static bool find_nvcc(char *out, int size) {
    const char *home = getenv("CUDA_HOME");
    char path[600];
    if (process_find("nvcc", out, size)) return true;
    if (home && snprintf(path, sizeof path, "%s/bin/nvcc", home) < (int)sizeof path &&
        process_find(path, out, size))
        return true;
    return process_find("/usr/local/cuda/bin/nvcc", out, size);
}

static bool find_cxx(const char *asked, char *out, int size) {
    static const char *const names[] = {"c++", "g++", "clang++"};
    if (asked) {
        if (process_find(asked, out, size)) return true;
        option_error("the C++ compiler '%s' was not found", asked);
        return false;
    }
    const char *cxx = getenv("CXX");
    if (cxx && *cxx) {
        if (process_find(cxx, out, size)) return true;
        option_error("the C++ compiler '%s', named by $CXX, was not found", cxx);
        return false;
    }
    for (int i = 0; i < 3; ++i)
        if (process_find(names[i], out, size)) return true;
    option_error("no C++ compiler was found (c++, g++ or clang++); set $CXX to one");
    return false;
}

bool toolchain_find(struct toolchain *t, int want, const char *why, const char *cxx,
                    const char *arch) {
    *t = (struct toolchain){.arch = arch};
    if (!find_runtime(t)) return false;
    if (want >= 0) {
        bool nvcc = find_nvcc(t->compiler, sizeof t->compiler), gpu = has_gpu();
        t->gpu = nvcc && gpu;
        if (t->gpu) return true;
        if (want > 0) {
            option_error("no %s found; %s needs one", nvcc ? "GPU" : "nvcc", why);
            return false;
        }
    }
    return find_cxx(cxx, t->compiler, sizeof t->compiler);
}

// -- the command ----------------------------------------------------------------------------------

struct command {
    const char *word[MAX_WORDS + 1];
    int n;
};

static void add(struct command *c, const char *word) {
    if (c->n < MAX_WORDS) c->word[c->n++] = word;
}

// Adds "folder" to those that #include "..." searches.  nvcc treats a comma as the end of a word.
static void add_quoted(struct session *s, const struct toolchain *t, struct command *c,
                       const char *folder) {
    if (!t->gpu) {
        add(c, "-iquote");
        add(c, folder);
        return;
    }
    struct buf b;
    buf_init(&b);
    buf_puts(&b, "-iquote,");
    for (const char *p = folder; *p; ++p) {
        if (*p == ',') buf_char(&b, '\\');
        buf_char(&b, *p);
    }
    add(c, "-Xcompiler");
    add(c, buf_finish(&b, &s->arena));
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Adds the sources of the host runtime.
static void add_host_sources(struct session *s, const struct toolchain *t, struct command *c) {
    const char *folder = arena_printf(&s->arena, "%s/host", t->runtime);
    DIR *d = opendir(folder);
    int first = c->n;
    const struct dirent *e;
    while (d && (e = readdir(d))) {
        size_t n = strlen(e->d_name);
        if (n > 4 && strcmp(e->d_name + n - 4, ".cpp") == 0)
            add(c, arena_printf(&s->arena, "%s/%s", folder, e->d_name));
    }
    if (d) closedir(d);
    qsort(c->word + first, (size_t)(c->n - first), sizeof *c->word, by_name);
}

static void print_log(const char *path) {
    char part[4096];
    FILE *f = source_open(path);
    size_t n;
    while (f && (n = fread(part, 1, sizeof part, f)) > 0) fwrite(part, 1, n, stderr);
    if (f) fclose(f);
}

// Adds the emitted files.
static void add_emitted(struct session *s, const struct toolchain *t, const struct workplace *w,
                        struct command *c) {
    for (int i = 0; i < t->candidates; ++i)
        add(c, arena_printf(&s->arena, "%s/candidate_%d.cu", w->path, i));
    if (!t->candidates) add(c, arena_printf(&s->arena, "%s/plan.cu", w->path));
}

int toolchain_build(struct session *s, const struct toolchain *t, const struct workplace *w) {
    struct command c = {.n = 0};
    struct arena *a = &s->arena;
    const char *main_file = arena_printf(a, "%s/main.cpp", w->path);
    const char *harness =
        arena_printf(a, "%s/%s", t->runtime, t->candidates ? "tcp_tune.cpp" : "tcp_harness.cpp");
    const char *log = arena_printf(a, "%s/build.log", w->path);
    add(&c, t->compiler);
    add(&c, "-std=c++17");
    add(&c, arena_printf(a, "-I%s", t->runtime));
    // only for "...", so that no file there replaces one of <...>; the runtime's folder is first
    add_quoted(s, t, &c, t->runtime);
    add_quoted(s, t, &c, t->plan_folder);
    add(&c, "-o");
    add(&c, arena_printf(a, "%s/run", w->path));
    if (t->gpu) {
        add(&c, "-O2");
        add(&c, arena_printf(a, "-arch=%s", t->arch));
        // in parallel, with as many processes as there are processors
        if (t->candidates) add(&c, "-t0");
        add_emitted(s, t, w, &c);
        add(&c, main_file);
        add(&c, harness);
        add(&c, arena_printf(a, "%s/tcp_cuda.cu", t->runtime));
    } else {
        add(&c, t->optimize ? "-O1" : "-O0");
#ifdef TCPC_SANITIZE
        add(&c, "-fsanitize=address,undefined");
        add(&c, "-fno-sanitize-recover=all");
        add(&c, "-g1");
#endif
        add(&c, "-x");
        add(&c, "c++");
        add_emitted(s, t, w, &c);
        add(&c, "-x");
        add(&c, "none");
        add(&c, main_file);
        if (t->library[0]) {
            add(&c, t->library);
        } else {
            add(&c, harness);
            add_host_sources(s, t, &c);
        }
        add(&c, "-pthread");
    }
    struct process_result r = process_run(w, c.word, BUILD_SECONDS, log);
    if (r.end == PROCESS_EXITED && r.code == 0) return EXIT_RIGHT;
    if (r.end == PROCESS_NOT_STARTED)
        return option_error("'%s' cannot be started: %s", t->compiler, strerror(errno));
    if (r.end == PROCESS_TIMED_OUT)
        option_error("'%s' took more than %d seconds", t->compiler, BUILD_SECONDS);
    else if (r.end == PROCESS_EXITED || r.end == PROCESS_SIGNALLED) {
        print_log(log);
        option_error("'%s' did not compile the emitted code (%s %d)", t->compiler,
                     r.end == PROCESS_EXITED ? "exit status" : "signal", r.code);
    }
    return EXIT_WRONG;
}

int toolchain_run(const struct workplace *w, const char *const *argv, int seconds) {
    struct process_result r = process_run(w, argv, seconds, NULL);
    switch (r.end) {
    case PROCESS_EXITED: return r.code == EXIT_RIGHT || r.code == EXIT_USAGE ? r.code : EXIT_WRONG;
    case PROCESS_SIGNALLED:
        if (r.code == SIGPIPE) return EXIT_WRONG;  // the reader of the pipe has ended, like head
        option_error("the program ended by signal %d (%s)", r.code, strsignal(r.code));
        return EXIT_WRONG;
    case PROCESS_TIMED_OUT:
        option_error("the program took more than %d seconds", seconds);
        return EXIT_WRONG;
    case PROCESS_NOT_STARTED:
        option_error("'%s' cannot be started: %s", argv[0], strerror(errno));
        return EXIT_USAGE;
    case PROCESS_INTERRUPTED: break;
    }
    return EXIT_WRONG;
}
