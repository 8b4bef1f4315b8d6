// Source files and places in them.
#ifndef TCPC_BASE_SOURCE_H
#define TCPC_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

// Bytes [begin, end) of file "file" (an index into struct sources).
struct range {
    uint32_t file;
    uint32_t begin, end;
};

struct source {
    const char *path;  // as the user wrote it
    const char *text;  // "size" bytes and a NUL
    size_t size;
    uint32_t *line_start;  // byte offset of each line
    int nlines;
};

struct sources {
    struct source *file;
    int n, cap;
};

// Reads a file ("-" is standard input); returns its index, or -1 with errno set.
int source_read(struct session *s, const char *path);
int source_add(struct session *s, const char *path, const char *text, size_t size);
// 1-based line, and 1-based column in bytes.
void source_place(const struct session *s, struct range r, int *line, int *col);

#endif
