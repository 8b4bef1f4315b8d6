// Source files and places in them.
#ifndef TCPC_BASE_SOURCE_H
#define TCPC_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

struct session;

// The bytes [begin, end) of source "file", an index into struct sources.
struct range {
    uint32_t file;
    uint32_t begin, end;
};

// No place.  A diagnostic there is printed as coming from tcpc itself.
#define RANGE_NONE ((struct range){UINT32_MAX, 0, 0})

// The largest source, in bytes; a larger one fails with EFBIG.
#define SOURCE_LIMIT ((size_t)64 << 20)

struct source {
    const char *path;  // as the user wrote it
    const char *text;  // "size" bytes and a NUL
    size_t size;
    uint32_t *line_start;  // byte offset of each line
    int nlines;
    bool is_file;  // read from a file, not from the command line or standard input
    bool made;     // made by the compiler
    // Of a copy that stands for one call of a device function: the source that it is a copy of, and
    // the call.
    bool copied;
    uint32_t origin;
    struct range called;
};

// A text that is used instead of the file at "path".
struct given {
    const char *path, *text;
    size_t size;
    const struct given *next;
};

// A file that is read but is not a source, such as that of an extern function or a response file.
struct also_read {
    const char *path;
    const struct also_read *next;
};

// A reader supplies the texts of sources, instead of the file system.
struct source_reader {
    // Adds the text named "path" to the sources.  Returns its index, or -1 with errno set.
    int (*read)(const struct source_reader *r, struct session *s, const char *path);
    void *user;
};

struct sources {
    struct source *file;
    int n, cap;
    int ncalls;  // how many of them are copies for calls
    const struct also_read *also;
    const struct given *given;
    const struct source_reader *reader;  // NULL: files are read
    struct arena arena;
};

// Reads a file ("-" is standard input).  Returns its index, or -1 with errno set.
int source_read(struct session *s, const char *path);
// Opens a file for reading.  Returns NULL with errno set on failure.  Fails with ENXIO for a named
// pipe that no process writes to, because reading it would wait forever.
FILE *source_open(const char *path);
// The message for an errno of reading or writing a file.
const char *source_trouble(int why);
// Reads the file at "path" as a source that messages call "shown".  Returns its index, or -1 with
// errno set.
int source_add_file(struct session *s, const char *shown, const char *path);
// A name that is the same for all paths to one file or text, interned.  Returns NULL with errno set
// if "path" does not exist, and with errno 0 if it is neither a regular file nor a folder.
const char *source_identity(struct session *s, const char *path);
// Adds a copy of "size" bytes of "text" as a source.  Returns its index, or -1 with errno set.
int source_add(struct session *s, const char *path, const char *text, size_t size);
// Adds a copy of source "file" for the function called at "called", so that a range in it says
// through which calls a place was reached.  Returns its index.
int source_add_call(struct session *s, uint32_t file, struct range called);
// The same place in the source that the user wrote.
struct range source_origin(const struct session *s, struct range r);
// Sets "r" to the call through which it was reached; false if there is none.
bool source_called(const struct session *s, struct range *r);
// Records that the file at "path" was read, so that it is not overwritten.
void source_also(struct session *s, const char *path);
// The size of all sources together, in bytes.
int64_t source_bytes(const struct session *s);
// Whether "r" is in a source of the session.
bool source_known(const struct session *s, struct range r);
// The range from the begin of "a" to the end of "b"; just "a" if they are in different files.
struct range range_join(struct range a, struct range b);
// The line and the column in bytes, both counted from 1; both 0 for RANGE_NONE.
void source_place(const struct session *s, struct range r, int *line, int *col);
// The text of "r" on one line, escaped by base/escape.h.  Each run of blanks and line ends becomes
// one blank.
const char *source_line(struct session *s, struct range r);

#endif
