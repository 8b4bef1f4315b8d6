// Source texts and their line maps.  Texts stay where they are until the session ends.
#include "base/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"

// Reads what is left of "in" into malloc'ed memory.  Returns NULL with errno set on failure.
static char *read_all(FILE *in, size_t *size) {
    size_t cap = 16 * 1024, len = 0;
    char *text = malloc(cap + 1);
    while (text) {
        len += fread(text + len, 1, cap - len, in);
        if (len < cap) break;
        if (cap >= SOURCE_LIMIT) {
            free(text);
            errno = EFBIG;
            return NULL;
        }
        cap *= 2;
        char *more = realloc(text, cap + 1);
        if (!more) free(text);
        text = more;
    }
    if (text && ferror(in)) {
        int why = errno;
        free(text);
        errno = why;
        return NULL;
    }
    *size = len;
    return text;
}

int source_read(struct session *s, const char *path) {
    bool standard = strcmp(path, "-") == 0;
    const char *shown = standard ? "<stdin>" : path;
    for (const struct given *g = s->sources.given; g; g = g->next)
        if (strcmp(g->path, shown) == 0) return source_add(s, shown, g->text, g->size);
    FILE *in = standard ? stdin : fopen(path, "rb");
    if (!in) return -1;
    size_t size;
    char *text = read_all(in, &size);
    int why = errno;
    if (!standard) fclose(in);
    if (!text) {
        errno = why;
        return -1;
    }
    int file = source_add(s, shown, text, size);
    free(text);
    if (file >= 0) s->sources.file[file].is_file = !standard;
    return file;
}

int source_add(struct session *s, const char *path, const char *text, size_t size) {
    struct sources *all = &s->sources;
    if (size > SOURCE_LIMIT) {
        errno = EFBIG;
        return -1;
    }
    if (all->n == all->cap) {
        int cap = all->cap ? 2 * all->cap : 8;
        struct source *file = ARENA_ARRAY(&all->arena, struct source, cap);
        if (all->n) memcpy(file, all->file, sizeof *file * (size_t)all->n);
        all->file = file;
        all->cap = cap;
    }
    struct source *f = &all->file[all->n];
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
