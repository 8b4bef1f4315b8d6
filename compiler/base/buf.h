// Growable text: what every printer writes into.  Memory is no arena's, so that a buffer may
// outlive a mark of the arena; the text always ends in a NUL that "len" does not count.
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
void buf_fill(struct buf *b, char c, int n);  // "c" "n" times; n <= 0: nothing
void buf_puts(struct buf *b, const char *text);
void buf_write(struct buf *b, const char *text, size_t len);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
// Copies the text into "a", releases the buffer and returns the copy.
char *buf_finish(struct buf *b, struct arena *a);

#endif
