// Failures on demand, for a program that is run with this library preloaded.  failures.py says
// which.
//
//   FAIL        memory: allocations fail; calls: what reads, writes and starts fails
//   FAIL_LOG    the file that gets a line for each failure, and one with the number of all calls
//   FAIL_AT     the number of the call that fails, from 0 on
//   FAIL_ON     if set: that call and each one after it
//   FAIL_FORK   of memory, in place of FAIL_AT: at each FAIL_FORK-th allocation two children are
//   made,
//               in which it fails, in one of them with all that come after it; the line tells how
//               they end.  That goes on until a folder is made, which is one for all.
//   FAIL_FROM   the first allocation of these
//   FAIL_FOLDER the folder in which nothing may come or go by that
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

enum { MOST_FILES = 32 };

static enum { NOTHING, MEMORY, CALLS } what;
static long count, at = -1, every, from;
static int on, inside = 1, log_file = -1;
static const char *folder;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...) {
    char line[600];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    if (n > (int)sizeof line - 1) n = sizeof line - 1;
    if (syscall(1, log_file, line, n) != n) _exit(99);
}

static long number(const char *name, long none) {
    const char *text = getenv(name);
    return text ? atol(text) : none;
}

__attribute__((constructor)) static void begin(void) {
    const char *kind = getenv("FAIL");
    unsetenv("LD_PRELOAD");  // what we start fails by itself alone
    if (!kind) return;
    what = kind[0] == 'm' ? MEMORY : CALLS;
    at = number("FAIL_AT", -1);
    on = getenv("FAIL_ON") != NULL;
    every = number("FAIL_FORK", 0);
    from = number("FAIL_FROM", 0);
    folder = getenv("FAIL_FOLDER");
    log_file = open(getenv("FAIL_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    log_file = fcntl(log_file, F_DUPFD_CLOEXEC, 700);
    inside = 0;
}

__attribute__((destructor)) static void end(void) {
    if (log_file < 0) return;
    inside = 1;
    say("total %ld\n", count);
}

// What is in the folder, as a number.
static unsigned long picture(void) {
    unsigned long sum = 0;
    DIR *d = folder ? opendir(folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        unsigned long x = 5381;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        for (const char *c = e->d_name; *c; ++c) x = x * 33 + (unsigned char)*c;
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            x = x * 31 + (unsigned long)st.st_size + (unsigned long)st.st_mtim.tv_nsec;
        sum += x * x;
    }
    if (d) closedir(d);
    return sum;
}

// A child in which this allocation fails; returns whether we are it.
static int child(int on_from_here) {
    static int told = -1;
    char text[300];
    int status;
    if (told < 0) told = fcntl(memfd_create("told", MFD_CLOEXEC), F_DUPFD_CLOEXEC, 701);
    if (ftruncate(told, 0) != 0) _exit(99);
    unsigned long before = picture();
    off_t place[MOST_FILES];  // parent and child share those of open files
    for (int i = 0; i < MOST_FILES; ++i) place[i] = lseek(i, 0, SEEK_CUR);
    pid_t pid = _Fork();
    if (pid == 0) {
        lseek(told, 0, SEEK_SET);
        dup2(told, 2);
        dup2(open("/dev/null", O_WRONLY), 1);
        alarm(20);
        on = on_from_here;
        what = on ? MEMORY : NOTHING;
        at = count - 1;
        every = 0;
        log_file = -1;
        return 1;
    }
    waitpid(pid, &status, 0);
    for (int i = 0; i < MOST_FILES; ++i)
        if (place[i] >= 0) lseek(i, place[i], SEEK_SET);
    ssize_t n = pread(told, text, sizeof text - 1, 0);
    text[n < 0 ? 0 : n] = 0;
    for (char *c = text; *c; ++c)
        if (*c == '\n') *c = '\t';
    say("%ld %s %d %s %s\n", count - 1, on_from_here ? "on" : "once",
        WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
        picture() == before ? "same" : "changed", text);
    return 0;
}

static int fails(const char *name) {
    if (inside || what == NOTHING) return 0;
    long n = count++;
    if (every && n >= from && (n - from) % every == 0) {
        int error = errno;
        inside = 1;
        int in_child = child(0) || child(1);
        inside = 0;
        errno = in_child ? ENOMEM : error;
        return in_child;
    }
    if (at < 0 || (on ? n < at : n != at)) return 0;
    if (log_file >= 0) {
        inside = 1;
        say("%ld %s\n", n, name);
        inside = 0;
    }
    errno = what == MEMORY ? ENOMEM : ENOSPC;
    return 1;
}

static int no_memory(void) {
    return what == MEMORY && fails("memory");
}

void *malloc(size_t n) {
    return no_memory() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size) {
    return no_memory() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n) {
    return no_memory() ? NULL : __libc_realloc(p, n);
}

// A call that may fail: what it returns when it does, and how it is made.
#define CALL(type, name, failed, formals, ...)                                                     \
    type name formals {                                                                            \
        static type(*real) formals;                                                                \
        if (what == CALLS && fails(#name)) return failed;                                          \
        if (!real) {                                                                               \
            int was = inside;                                                                      \
            inside = 1;                                                                            \
            real = (type(*) formals)dlsym(RTLD_NEXT, #name);                                       \
            inside = was;                                                                          \
        }                                                                                          \
        return real(__VA_ARGS__);                                                                  \
    }

CALL(ssize_t, write, -1, (int fd, const void *p, size_t n), fd, p, n)
CALL(FILE *, fopen, NULL, (const char *path, const char *mode), path, mode)
CALL(int, rename, -1, (const char *a, const char *b), a, b)
CALL(int, mkstemp, -1, (char *path), path)
CALL(int, ftruncate, -1, (int fd, off_t n), fd, n)
CALL(int, fchmod, -1, (int fd, mode_t mode), fd, mode)
CALL(int, fchown, -1, (int fd, uid_t u, gid_t g), fd, u, g)
CALL(int, posix_fallocate, ENOSPC, (int fd, off_t a, off_t n), fd, a, n)
CALL(pid_t, waitpid, -1, (pid_t pid, int *status, int how), pid, status, how)
CALL(int, posix_spawnp, ENOENT,
     (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attr, char *const *argv, char *const *env),
     pid, file, actions, attr, argv, env)
CALL(char *, realpath, NULL, (const char *path, char *out), path, out)
CALL(DIR *, opendir, NULL, (const char *path), path)

// Of streams an error is remembered.  What says so on standard error does not fail: who would tell?
enum { ERROR_SEEN = 0x20 };

static int stream_fails(const char *name, FILE *f) {
    if (what != CALLS || !f || f == stderr || !fails(name)) return 0;
    f->_flags |= ERROR_SEEN;
    return 1;
}

#define STREAM(type, name, failed, formals, ...)                                                   \
    type name formals {                                                                            \
        static type(*real) formals;                                                                \
        if (stream_fails(#name, f)) return failed;                                                 \
        if (!real) real = (type(*) formals)dlsym(RTLD_NEXT, #name);                                \
        return real(__VA_ARGS__);                                                                  \
    }

STREAM(size_t, fwrite, 0, (const void *p, size_t size, size_t n, FILE *f), p, size, n, f)
STREAM(size_t, fread, 0, (void *p, size_t size, size_t n, FILE *f), p, size, n, f)
STREAM(int, fputs, EOF, (const char *text, FILE *f), text, f)

int fflush(FILE *f) {
    static int (*real)(FILE *);
    int failed = f && __fpending(f) && stream_fails("fflush", f);
    if (!real) real = (int (*)(FILE *))dlsym(RTLD_NEXT, "fflush");
    return failed ? EOF : real(f);
}

// Where closing fails, what was written is lost.
int close(int fd) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "close");
    int failed = what == CALLS && fails("close"), r = real(fd);
    if (failed) errno = ENOSPC;
    return failed ? -1 : r;
}

int fclose(FILE *f) {
    static int (*real)(FILE *);
    if (!real) real = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
    int failed = what == CALLS && fails("fclose"), r = real(f);
    if (failed) errno = ENOSPC;
    return failed ? EOF : r;
}

// A folder is one for parent and children: from here on each failure is a run of its own.
static void be_apart(void) {
    if (every) say("apart %ld\n", count);
    every = 0;
}

char *mkdtemp(char *path) {
    static char *(*real)(char *);
    if (what == CALLS && fails("mkdtemp")) return NULL;
    if (!real) real = (char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");
    be_apart();
    return real(path);
}

int mkdir(const char *path, mode_t mode) {
    static int (*real)(const char *, mode_t);
    if (what == CALLS && fails("mkdir")) return -1;
    if (!real) real = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
    be_apart();
    return real(path, mode);
}
