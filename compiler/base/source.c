// Source texts and the positions of their lines.  A text is not moved until the session ends.
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"

// Reads the rest of "in" into memory from memory_new.  Returns NULL with errno set on failure.
static char *read_all(FILE *in, size_t *size) {
    size_t cap = 16 * 1024, len = 0;
    char *text = memory_new(cap + 1);
    for (;;) {
        len += fread(text + len, 1, cap - len, in);
        if (len < cap) break;
        if (cap >= SOURCE_LIMIT) {
            memory_free(text);
            errno = EFBIG;
            return NULL;
        }
        cap *= 2;
        text = memory_again(text, cap + 1);
    }
    if (ferror(in)) {
        int why = errno;
        memory_free(text);
        errno = why;
        return NULL;
    }
    *size = len;
    return text;
}

static int add_stream(struct session *s, const char *shown, FILE *in) {
    size_t size;
    char *text = read_all(in, &size);
    if (!text) return -1;
    int file = source_add(s, shown, text, size);
    memory_free(text);
    return file;
}

FILE *source_open(const char *path) {
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return NULL;
    struct stat st;
    char first = 0;
    bool piped = fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
    // this read does not block: it gets a byte (n > 0), fails because a writer has written nothing
    // yet (n < 0), or finds no writer (n == 0)
    ssize_t n = piped ? read(fd, &first, 1) : -1;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    FILE *in = n == 0 ? NULL : fdopen(fd, "rb");
    int why = n == 0 ? ENXIO : errno;
    if (!in) close(fd);
    if (in && n > 0) ungetc((unsigned char)first, in);
    errno = why;
    return in;
}

const char *source_trouble(int why) {
    return why == ENXIO ? "there is no process at its other end" : strerror(why);
}

int source_add_file(struct session *s, const char *shown, const char *path) {
    FILE *in = source_open(path);
    if (!in) return -1;
    int file = add_stream(s, shown, in), why = errno;
    fclose(in);
    errno = why;
    if (file >= 0) s->sources.file[file].is_file = true;
    return file;
}

int source_read(struct session *s, const char *path) {
    const struct source_reader *reader = s->sources.reader;
    bool standard = !reader && strcmp(path, "-") == 0;
    const char *shown = standard ? "<stdin>" : path;
    for (const struct given *g = s->sources.given; g; g = g->next)
        if (strcmp(g->path, shown) == 0) return source_add(s, shown, g->text, g->size);
    if (reader) return reader->read(reader, s, path);
    return standard ? add_stream(s, shown, stdin) : source_add_file(s, shown, path);
}

// "a/./b/../c" -> "a/c"
static const char *without_dots(struct session *s, const char *path) {
    struct buf b;
    buf_init(&b);
    while (*path) {
        size_t n = strcspn(path, "/"), with = n + (path[n] == '/');
        bool up = n == 2 && strncmp(path, "..", 2) == 0;
        size_t last = b.len;  // where the last component begins
        if (b.len > 1)
            for (--last; last > 0 && b.text[last - 1] != '/';) --last;
        if (up && last < b.len && strcmp(b.text + last, "../") != 0) {
            b.len = last;
            b.text[last] = 0;
        } else if (!(n == 1 && *path == '.') && (n > 0 || b.len == 0)) {
            buf_write(&b, path, with);
        }
        path += with;
    }
    const char *name = intern_n(s, b.text, b.len);
    buf_release(&b);
    return name;
}

const char *source_identity(struct session *s, const char *path) {
    if (s->sources.reader) return without_dots(s, path);
    char *real = realpath(path, NULL);
    const char *name = real ? intern(s, real) : NULL;
    struct stat st;
    bool other = real && stat(real, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
    free(real);
    if (other) errno = 0;
    return other ? NULL : name;
}

// Makes room for one more source.
static struct source *next_source(struct sources *all) {
    if (all->n == all->cap) {
        int cap = all->cap ? 2 * all->cap : 8;
        struct source *file = ARENA_ARRAY(&all->arena, struct source, cap);
        if (all->n) memcpy(file, all->file, sizeof *file * (size_t)all->n);
        all->file = file;
        all->cap = cap;
    }
    return &all->file[all->n];
}

int source_add_call(struct session *s, uint32_t file, struct range called) {
    struct source *f = next_source(&s->sources);
    *f = s->sources.file[file];
    f->is_file = false;
    f->origin = f->copied ? f->origin : file;
    f->copied = true;
    f->called = called;
    s->sources.ncalls++;
    return s->sources.n++;
}

struct range source_origin(const struct session *s, struct range r) {
    if (source_known(s, r) && s->sources.file[r.file].copied)
        r.file = s->sources.file[r.file].origin;
    return r;
}

bool source_called(const struct session *s, struct range *r) {
    if (!source_known(s, *r) || !s->sources.file[r->file].copied) return false;
    *r = s->sources.file[r->file].called;
    return true;
}

int source_add(struct session *s, const char *path, const char *text, size_t size) {
    struct sources *all = &s->sources;
    if (size > SOURCE_LIMIT) {
        errno = EFBIG;
        return -1;
    }
    struct source *f = next_source(all);
    f->path = arena_strndup(&all->arena, path, strlen(path));
    f->text = arena_strndup(&all->arena, text, size);
    f->size = size;
    f->is_file = false;
    f->nlines = 1;
    for (size_t i = 0; i < size; i++) f->nlines += text[i] == '\n';
    f->line_start = ARENA_ARRAY(&all->arena, uint32_t, f->nlines);
    int line = 1;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n') f->line_start[line++] = (uint32_t)i + 1;
    return all->n++;
}

void source_also(struct session *s, const char *path) {
    struct also_read *a = ARENA_NEW(&s->sources.arena, struct also_read);
    *a = (struct also_read){arena_strndup(&s->sources.arena, path, strlen(path)), s->sources.also};
    s->sources.also = a;
}

int64_t source_bytes(const struct session *s) {
    int64_t sum = 0;
    for (int i = 0; i < s->sources.n; ++i)
        if (!s->sources.file[i].copied) sum += (int64_t)s->sources.file[i].size;
    return sum;
}

bool source_known(const struct session *s, struct range r) {
    return r.file < (uint32_t)s->sources.n;
}

struct range range_join(struct range a, struct range b) {
    if (a.file != b.file) return a;
    return (struct range){a.file, a.begin < b.begin ? a.begin : b.begin,
                          a.end > b.end ? a.end : b.end};
}

void source_place(const struct session *s, struct range r, int *line, int *col) {
    *line = *col = 0;
    if (!source_known(s, r)) return;
    const struct source *f = &s->sources.file[r.file];
    uint32_t at = r.begin < f->size ? r.begin : (uint32_t)f->size;
    int lo = 0, hi = f->nlines;  // line_start[lo] <= at < line_start[hi]
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        if (f->line_start[mid] <= at)
            lo = mid;
        else
            hi = mid;
    }
    *line = lo + 1;
    *col = (int)(at - f->line_start[lo]) + 1;
}

const char *source_line(struct session *s, struct range r) {
    const struct source *f = &s->sources.file[r.file];
    struct buf b;
    buf_init(&b);
    for (uint32_t i = r.begin; i < r.end && i < f->size; ++i) {
        char c = f->text[i];
        bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (blank && (b.len == 0 || b.text[b.len - 1] == ' ')) continue;
        buf_char(&b, blank ? ' ' : c);
    }
    struct buf out;
    buf_init(&out);
    buf_shown(&out, b.text, b.len);
    buf_release(&b);
    return buf_finish(&out, &s->arena);
}
