// Escapes text that comes from outside (see escape.h).
#include "base/escape.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"

int32_t utf8_decode(const unsigned char *p, const unsigned char *end, int *len) {
    *len = 1;
    int n = *p < 0x80 ? 0 : *p >= 0xf0 && *p < 0xf5 ? 3 : *p >= 0xe0 ? 2 : 1;
    if (n == 0) return *p;
    if (*p < 0xc2 || *p >= 0xf5 || end - p <= n) return -1;
    int32_t c = *p & (0x3f >> n);
    for (int i = 1; i <= n; i++) {
        if ((p[i] & 0xc0) != 0x80) return -1;
        c = c << 6 | (p[i] & 0x3f);
    }
    bool overlong = (n == 2 && c < 0x800) || (n == 3 && c < 0x10000);
    if (overlong || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return -1;
    *len = n + 1;
    return c;
}

int utf8_is_control(int32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || (c & 0xfffe) == 0xfffe;
}

void buf_shown(struct buf *b, const char *text, size_t len) {
    const unsigned char *p = (const unsigned char *)text, *end = p + len;
    while (p < end) {
        int n;
        bool control = utf8_is_control(utf8_decode(p, end, &n));
        for (int i = 0; i < n && control; ++i) buf_printf(b, "<%02X>", p[i]);
        if (!control) buf_write(b, (const char *)p, (size_t)n);
        p += n;
    }
}

const char *shown(struct arena *a, const char *text) {
    struct buf b;
    buf_init(&b);
    buf_shown(&b, text, strlen(text));
    return buf_finish(&b, a);
}

const char *shown_in_string(struct arena *a, const char *text) {
    struct buf b;
    buf_init(&b);
    for (const char *p = shown(a, text); *p; ++p) {
        if (*p == '"' || *p == '\\') buf_char(&b, '\\');
        buf_char(&b, *p);
    }
    return buf_finish(&b, a);
}

void buf_json_string(struct buf *out, const char *text) {
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    buf_char(out, '"');
    while (p < end) {
        int n;
        int32_t c = utf8_decode(p, end, &n);
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            buf_puts(out, "\\n");
        else if (c < 0)
            buf_puts(out, "\\ufffd");
        else if (utf8_is_control(c) && c < 0x10000)
            buf_printf(out, "\\u%04x", (unsigned)c);
        else
            buf_write(out, (const char *)p, (size_t)n);
        p += n;
    }
    buf_char(out, '"');
}
