// Source files and places in them.
#ifndef TCPC_BASE_SOURCE_H
#define TCPC_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

struct session;

// Bytes [begin, end) of file "file" (an index into struct sources).
struct range {
    uint32_t file;
    uint32_t begin, end;
};

// No place at all: a diagnostic there is printed as coming from tcpc itself.
#define RANGE_NONE ((struct range){UINT32_MAX, 0, 0})

// The largest source, in bytes; a larger one fails with EFBIG.
#define SOURCE_LIMIT ((size_t)64 << 20)

struct source {
    const char *path;  // as the user wrote it
    const char *text;  // "size" bytes and a NUL
    size_t size;
    uint32_t *line_start;  // byte offset of each line
    int nlines;
    bool is_file;  // and no text of the command line or of standard input
    bool made;     // by the compiler, and read from nowhere
};

// A text that is read in the place of the file at "path".
struct given {
    const char *path, *text;
    size_t size;
    const struct given *next;
};

// A file that is read but is no source: what an extern function comes from, a response
// file.
struct also_read {
    const char *path;
    const struct also_read *next;
};

// Finds texts in the place of the files of that name.
struct source_reader {
    // Adds the text that is called "path" to the sources: returns its index, or -1 with errno set.
    int (*read)(const struct source_reader *r, struct session *s, const char *path);
    void *user;
};

struct sources {
    struct source *file;
    int n, cap;
    const struct also_read *also;
    const struct given *given;
    const struct source_reader *reader;  // NULL: files are read
    struct arena arena;
};

// Reads a file ("-" is standard input); returns its index, or -1 with errno set.
int source_read(struct session *s, const char *path);
// Opens a file to be read; NULL with errno set.  A named pipe that no process writes to, which
// would be waited for without end, is ENXIO.
FILE *source_open(const char *path);
// What errno says of a file that was to be read or written.
const char *source_trouble(int why);
// Reads the file at "path" as the source that messages call "shown"; returns as source_read does.
int source_add_file(struct session *s, const char *shown, const char *path);
// What all paths to one file or text have in common, interned; NULL, with errno set, where there is
// none, and with errno 0 where it is neither a file nor a folder.
const char *source_identity(struct session *s, const char *path);
// Copies "size" bytes of "text"; returns the index, or -1 with errno set.
int source_add(struct session *s, const char *path, const char *text, size_t size);
// Remembers that the file at "path" is read too, so that nothing is written over it.
void source_also(struct session *s, const char *path);
// Bytes of all sources.
int64_t source_bytes(const struct session *s);
// Whether "r" is in a source of the session.
bool source_known(const struct session *s, struct range r);
// From the begin of the one to the end of the other; "a" when they are in different files.
struct range range_join(struct range a, struct range b);
// 1-based line, and 1-based column in bytes; both 0 for RANGE_NONE.
void source_place(const struct session *s, struct range r, int *line, int *col);
// The bytes of "r" as they are shown (base/escape.h), each run of blanks and line ends as one
// blank.
const char *source_line(struct session *s, struct range r);

#endif
