// Growable text; see buf.h.
#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"

static void reserve(struct buf *b, size_t more) {
    if (b->cap - b->len > more) return;
    size_t cap = 2 * b->cap;
    while (cap - b->len <= more) cap *= 2;
    b->text = memory_again(b->text, cap);
    b->cap = cap;
}

void buf_init(struct buf *b) {
    *b = (struct buf){NULL, 0, 64};
    reserve(b, 64);
    b->text[0] = '\0';
}

void buf_release(struct buf *b) {
    memory_free(b->text);
    *b = (struct buf){0};
}

void buf_clear(struct buf *b) {
    b->len = 0;
    b->text[0] = '\0';
}

void buf_char(struct buf *b, char c) {
    buf_write(b, &c, 1);
}

void buf_fill(struct buf *b, char c, int n) {
    if (n <= 0) return;
    reserve(b, (size_t)n);
    memset(b->text + b->len, c, (size_t)n);
    b->len += (size_t)n;
    b->text[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *text) {
    buf_write(b, text, strlen(text));
}

void buf_write(struct buf *b, const char *text, size_t len) {
    reserve(b, len);
    memcpy(b->text + b->len, text, len);
    b->len += len;
    b->text[b->len] = '\0';
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int len = vsnprintf(b->text + b->len, b->cap - b->len, fmt, ap);
    if (len >= 0 && (size_t)len >= b->cap - b->len) {
        reserve(b, (size_t)len);
        vsnprintf(b->text + b->len, b->cap - b->len, fmt, again);
    }
    va_end(again);
    if (len > 0) b->len += (size_t)len;
}

void buf_printf(struct buf *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(b, fmt, ap);
    va_end(ap);
}

char *buf_finish(struct buf *b, struct arena *a) {
    char *text = arena_strndup(a, b->text, b->len);
    buf_release(b);
    return text;
}
