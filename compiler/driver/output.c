// Writing what a command makes: whole, or not at all.
#include "driver/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/session.h"
#include "driver/options.h"

// Whether the file at "path" is one that "s" has read, by whatever name.
static bool is_input(struct session *s, const char *path) {
    struct stat out, in;
    if (strcmp(path, "-") == 0 || stat(path, &out) != 0 || !S_ISREG(out.st_mode)) return false;
    for (int i = 0; i < s->sources.n; ++i) {
        const char *read = s->sources.file[i].path;
        if (stat(read, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino) return true;
    }
    return false;
}

// What a link names is written, and the link stays; it may name a file that is not there yet.
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

int output_write(struct session *s, const char *path, const char *text, size_t len) {
    if (is_input(s, path)) return option_error("'%s' is read here; it is not overwritten", path);
    return output_replace(s, path, text, len);
}

int output_replace(struct session *s, const char *path, const char *text, size_t len) {
    if (strcmp(path, "-") == 0) {
        if (fwrite(text, 1, len, stdout) != len || fflush(stdout) != 0) {
            return option_error("cannot write to standard output: %s", strerror(errno));
        }
        return EXIT_RIGHT;
    }
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {  // a device or a pipe cannot be replaced
        FILE *f = fopen(path, "w");
        bool ok = f && fwrite(text, 1, len, f) == len;
        if (f && fclose(f) != 0) ok = false;
        return ok ? EXIT_RIGHT : option_error("cannot write '%s': %s", path, strerror(errno));
    }
    path = behind_links(s, path);
    char *beside = arena_printf(&s->arena, "%s.XXXXXX", path);
    int fd = mkstemp(beside);
    if (fd < 0) return option_error("cannot write '%s': %s", path, strerror(errno));
    FILE *f = fdopen(fd, "w");
    bool ok = f && fwrite(text, 1, len, f) == len;
    if (f && fclose(f) != 0) ok = false;
    // mkstemp's mode is the owner's alone; a compiler's output is anybody's to read
    mode_t mask = umask(0);
    umask(mask);
    if (ok && (chmod(beside, 0666 & ~mask) != 0 || rename(beside, path) != 0)) ok = false;
    if (ok) return EXIT_RIGHT;
    int why = errno;
    unlink(beside);
    return option_error("cannot write '%s': %s", path, strerror(why));
}
