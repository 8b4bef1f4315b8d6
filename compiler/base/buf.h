// Growable text, which all printers write into.  Its memory comes from malloc, not from an arena,
// so a buffer may outlive arena_rewind.  The text always ends in a NUL, which "len" does not count.
#ifndef TCPC_BASE_BUF_H
#define TCPC_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct buf {
    char *text;  // never NULL after buf_init
    size_t len, cap;
};

void buf_init(struct buf *b);
void buf_release(struct buf *b);
void buf_clear(struct buf *b);
void buf_char(struct buf *b, char c);
// Appends "c" "n" times; nothing if n <= 0.
void buf_fill(struct buf *b, char c, int n);
void buf_puts(struct buf *b, const char *text);
void buf_write(struct buf *b, const char *text, size_t len);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
// Copies the text into "a", releases the buffer and returns the copy.
char *buf_finish(struct buf *b, struct arena *a);

#endif
