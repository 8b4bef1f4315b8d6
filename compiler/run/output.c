// Writes what a command makes: completely or not at all.
#include "run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "base/session.h"

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool output_same(const char *a, const char *b) {
    struct stat x, y;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
    if (stat(a, &x) == 0 && stat(b, &y) == 0) return S_ISREG(x.st_mode) && same_file(&x, &y);
    return strcmp(a, b) == 0;
}

// Whether the file "out" is one that "s" has read, under any name.
static bool is_input(struct session *s, const struct stat *out) {
    struct stat in;
    if (!S_ISREG(out->st_mode)) return false;
    for (int i = 0; i < s->sources.n; ++i) {
        const struct source *f = &s->sources.file[i];
        bool there = f->is_file ? stat(f->path, &in) == 0
                                : strcmp(f->path, "<stdin>") == 0 && fstat(0, &in) == 0;
        if (there && same_file(&in, out)) return true;
    }
    for (const struct also_read *a = s->sources.also; a; a = a->next)
        if (stat(a->path, &in) == 0 && same_file(&in, out)) return true;
    return false;
}

bool output_spares_inputs(struct session *s, const char *path) {
    struct stat out;
    bool standard = strcmp(path, "-") == 0;
    if ((standard ? fstat(1, &out) : stat(path, &out)) != 0 || !is_input(s, &out)) return true;
    option_error("'%s' is read here; it is not overwritten", standard ? "standard output" : path);
    return false;
}

bool output_spares_stdin(void) {
    struct stat in, out;
    if (fstat(0, &in) != 0 || fstat(1, &out) != 0 || !S_ISREG(out.st_mode) || !same_file(&in, &out))
        return true;
    option_error("'%s' is read here; it is not overwritten", "standard output");
    return false;
}

bool output_spares_plans(const char *path) {
    size_t n = strlen(path);
    if (n < 4 || strcmp(path + n - 4, ".tcp") != 0) return true;
    option_error("'%s' would not be a plan, as '.tcp' says; give the output another extension",
                 path);
    return false;
}

// The file that a link names is written, and the link is kept.  The file need not exist yet.
static const char *behind_links(struct session *s, const char *path) {
    enum { MOST_LINKS = 40 };
    char to[4096];
    for (int i = 0; i < MOST_LINKS; ++i) {
        ssize_t n = readlink(path, to, sizeof to);
        if (n <= 0 || n == (ssize_t)sizeof to) break;
        const char *slash = to[0] == '/' ? NULL : strrchr(path, '/');
        path = arena_printf(&s->arena, "%.*s%.*s", slash ? (int)(slash - path + 1) : 0, path,
                            (int)n, to);
    }
    return path;
}

static bool write_all(const struct session *s, int fd, const char *text, size_t len) {
    enum { AT_ONCE = 1 << 20 };
    while (len > 0) {
        ssize_t n = write(fd, text, len < AT_ONCE ? len : AT_ONCE);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        if (session_given_up(s)) {
            errno = EINTR;
            return false;
        }
        text += n;
        len -= (size_t)n;
    }
    return true;
}

// Overwrites the existing file "was", which has several links or another owner.  Reserves the space
// first, so that a full disk leaves the old contents.
static bool write_in_place(const struct session *s, const char *path, const struct stat *was,
                           const char *text, size_t len) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    int why = len > (size_t)was->st_size ? posix_fallocate(fd, 0, (off_t)len) : 0;
    bool ok = why == 0 && write_all(s, fd, text, len) && ftruncate(fd, (off_t)len) == 0;
    if (why) {
        ok = ftruncate(fd, was->st_size) == 0 && false;
        errno = why;
    }
    why = errno;
    if (close(fd) != 0) return false;
    errno = why;
    return ok;
}

// Writes a file beside "path" and renames it; "was" is the existing file, or NULL.  Allocates no
// memory, so that of two files that belong together none is missing for lack of it.
static bool write_beside(const struct session *s, const char *path, const struct stat *was,
                         const char *text, size_t len) {
    const char *slash = strrchr(path, '/');
    char beside[PATH_MAX];
    if (snprintf(beside, sizeof beside, "%.*s.tcpc-XXXXXX", slash ? (int)(slash - path + 1) : 0,
                 path) >= (int)sizeof beside) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = mkstemp(beside);
    if (fd < 0)
        return was && (errno == EACCES || errno == EPERM) &&
               write_in_place(s, path, was, text, len);
    if (was && fchown(fd, was->st_uid, was->st_gid) != 0) {
        close(fd);
        unlink(beside);
        return write_in_place(s, path, was, text, len);
    }
    // mkstemp's mode is only for the owner, but everybody may read a compiler's output
    mode_t mask = umask(0);
    umask(mask);
    bool ok =
        write_all(s, fd, text, len) && fchmod(fd, was ? was->st_mode & 07777 : 0666 & ~mask) == 0;
    int why = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    if (ok && rename(beside, path) == 0) return true;
    if (ok) why = errno;
    unlink(beside);
    errno = why;
    return false;
}

int output_write(struct session *s, const char *path, const char *text, size_t len) {
    return output_spares_inputs(s, path) ? output_replace(s, path, text, len) : EXIT_USAGE;
}

int output_other(struct session *s, const char *path, const char *text, size_t len) {
    if (!output_spares_inputs(s, path) || !output_spares_plans(path)) return EXIT_USAGE;
    return output_replace(s, path, text, len);
}

bool output_bytes(struct session *s, const char *path, const char *bytes, size_t len) {
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {  // a device or a pipe cannot be replaced
        // opening a pipe without a reader would wait forever
        int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd < 0) return false;
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        bool ok = write_all(s, fd, bytes, len);
        int why = errno;
        if (close(fd) != 0) return false;
        errno = why;
        return ok;
    }
    path = behind_links(s, path);
    // a signal to end waits until the file is complete and no temporary file is left
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &before);
    const struct stat *was = stat(path, &st) == 0 ? &st : NULL;
    bool ok;
    if (was && access(path, W_OK) != 0)
        ok = false;
    else if (was && was->st_nlink > 1)
        ok = write_in_place(s, path, was, bytes, len);
    else
        ok = write_beside(s, path, was, bytes, len);
    int why = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return ok;
}

int output_replace(struct session *s, const char *path, const char *text, size_t len) {
    if (strcmp(path, "-") == 0) {
        if (fwrite(text, 1, len, stdout) != len || fflush(stdout) != 0) {
            return option_error("cannot write to standard output: %s", strerror(errno));
        }
        return EXIT_RIGHT;
    }
    if (output_bytes(s, path, text, len)) return EXIT_RIGHT;
    return session_given_up(s) ? EXIT_USAGE
                               : option_error("cannot write '%s': %s", path, source_trouble(errno));
}
