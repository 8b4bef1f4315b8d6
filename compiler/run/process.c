// Child processes and the temporary folder (see process.h).
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // syscall
#endif
#include "run/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// Removes the folder "name" in folder "at" with its contents, without following links.  Allocates
// no memory, because memory may be out.
static bool remove_folder(int at, const char *name) {
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return false;
    char part[2048] __attribute__((aligned(16)));
    ssize_t n;
    bool removed = true;
    while (removed) {  // removing entries may hide others from the current reading
        removed = false;
        lseek(fd, 0, SEEK_SET);
        while ((n = syscall(SYS_getdents64, fd, part, sizeof part)) > 0) {
            for (ssize_t i = 0; i < n;) {
                const struct dirent64 *e = (const struct dirent64 *)(part + i);
                i += e->d_reclen;
                if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
                removed |= unlinkat(fd, e->d_name, 0) == 0 ||
                           ((errno == EISDIR || errno == EPERM) && remove_folder(fd, e->d_name));
            }
        }
    }
    close(fd);
    return unlinkat(at, name, AT_REMOVEDIR) == 0;
}

// The folders that were made.  They are removed if the process ends without workplace_close,
// because memory is out.
static char to_remove[2][sizeof((struct workplace *)0)->path];

static void remove_at_exit(void) {
    for (int i = 0; i < 2; ++i)
        if (to_remove[i][0]) remove_folder(AT_FDCWD, to_remove[i]);
}

bool workplace_open(struct workplace *w, const char *dir, bool scratch) {
    w->path[0] = w->scratch[0] = 0;
    w->made = false;
    if (atexit(remove_at_exit) != 0) return false;
    if (dir && strlen(dir) >= sizeof w->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    sigemptyset(&w->ours);
    sigaddset(&w->ours, SIGINT);
    sigaddset(&w->ours, SIGTERM);
    sigaddset(&w->ours, SIGHUP);
    sigaddset(&w->ours, SIGPIPE);  // if nobody reads our output
    signal(SIGCHLD, SIG_DFL);      // if it is ignored, there is no child to wait for
    sigset_t block = w->ours;
    sigaddset(&block, SIGCHLD);
    sigprocmask(SIG_BLOCK, &block, &w->old_mask);
    const char *tmp = getenv("TMPDIR");
    int n = snprintf(w->scratch, sizeof w->scratch, "%s/tcpc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    int why = n < (int)sizeof w->scratch ? 0 : ENAMETOOLONG;
    if (dir && !scratch)
        w->scratch[0] = why = 0;
    else if (!why && !mkdtemp(w->scratch))
        why = errno;
    if (why) w->scratch[0] = 0;
    if (!why && dir) {
        w->made = mkdir(dir, 0777) == 0;
        if (!w->made && errno != EEXIST) why = errno;
    }
    if (why) {
        w->made = false;
        workplace_close(w);
        errno = why;
        return false;
    }
    strcpy(w->path, dir ? dir : w->scratch);
    strcpy(to_remove[0], w->scratch);
    if (w->made) strcpy(to_remove[1], dir);
    return true;
}

void workplace_close(struct workplace *w) {
    if (w->scratch[0]) remove_folder(AT_FDCWD, w->scratch);
    if (w->made) rmdir(w->path);  // if it is empty
    w->path[0] = w->scratch[0] = to_remove[0][0] = to_remove[1][0] = 0;
    // a pending signal ends us here; ended children do not matter
    const struct timespec none = {0, 0};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while (sigtimedwait(&child, NULL, &none) > 0) {
    }
    sigprocmask(SIG_SETMASK, &w->old_mask, NULL);
}

bool workplace_interrupted(const void *workplace) {
    const struct workplace *w = workplace;
    sigset_t pending;
    if (sigpending(&pending) != 0) return false;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; ++i) {
        struct sigaction now;  // an ignored signal, as under nohup, does not count
        if (sigismember(&pending, signals[i]) && !sigismember(&w->old_mask, signals[i]) &&
            sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            return true;
    }
    return false;
}

// Seconds of a clock that is never set back.
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Our environment, with TMPDIR set to the folder, so that temporary files are removed with it.
static char **environment(const struct workplace *w, char *tmpdir, size_t size) {
    size_t n = 0, kept = 0;
    while (environ[n]) ++n;
    char **env = malloc((n + 2) * sizeof *env);
    if (!env) return NULL;
    for (size_t i = 0; i < n; ++i)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0) env[kept++] = environ[i];
    snprintf(tmpdir, size, "TMPDIR=%s", w->scratch);
    env[kept++] = tmpdir;
    env[kept] = NULL;
    return env;
}

static int start(const struct workplace *w, const char *const *argv, const char *log, pid_t *pid) {
    char tmpdir[sizeof w->scratch + 8];
    char **env = environment(w, tmpdir, sizeof tmpdir);
    if (!env) return ENOMEM;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (log) {
        posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        posix_spawn_file_actions_adddup2(&files, 1, 2);
    }
    // its own process group, so that a compiler's children end with it
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP |
                                        POSIX_SPAWN_SETSIGDEF);
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGXFSZ);  // we ignore it
    posix_spawnattr_setsigdefault(&attr, &ours);
    posix_spawnattr_setsigmask(&attr, &w->old_mask);
    posix_spawnattr_setpgroup(&attr, 0);
    int error = posix_spawnp(pid, argv[0], &files, &attr, (char *const *)argv, env);
    free(env);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return error;
}

struct process_result process_run(const struct workplace *w, const char *const *argv, int seconds,
                                  const char *log) {
    pid_t pid;
    fflush(NULL);
    int error = start(w, argv, log, &pid);
    if (error) {
        errno = error;
        return (struct process_result){PROCESS_NOT_STARTED, 0};
    }
    const double until = now() + seconds;
    struct process_result result = {PROCESS_EXITED, 0};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    for (;;) {
        int status;
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended < 0 && errno != EINTR) {
            int why = errno;
            kill(-pid, SIGKILL);
            errno = why;
            return (struct process_result){PROCESS_NOT_STARTED, 0};
        }
        if (ended == pid) {
            if (WIFSIGNALED(status))
                return (struct process_result){PROCESS_SIGNALLED, WTERMSIG(status)};
            result.code = WEXITSTATUS(status);
            return result;
        }
        bool interrupted = workplace_interrupted(w);
        if (interrupted || now() > until) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            result.end = interrupted ? PROCESS_INTERRUPTED : PROCESS_TIMED_OUT;
            return result;
        }
        const struct timespec tick = {0, 50000000};
        sigtimedwait(&child, NULL, &tick);
    }
}

bool process_find(const char *name, char *out, int size) {
    if (strchr(name, '/')) {
        int n = snprintf(out, (size_t)size, "%s", name);
        return n < size && access(out, X_OK) == 0;
    }
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t len = strcspn(p, ":");
        int n = snprintf(out, (size_t)size, "%.*s%s%s", (int)len, p, len ? "/" : "", name);
        struct stat st;
        if (n < size && stat(out, &st) == 0 && S_ISREG(st.st_mode) && access(out, X_OK) == 0)
            return true;
        p += len + (p[len] == ':');
    }
    return false;
}
