// Emitted text that needs no other file.
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "lib/headers.h"

// What only texts have that use this header; the others are used by all. NVRTC names what is missing.
static const char *const used_by[][3] = {
    {"tcp_hints.h", "tcp_cp_async_", "<TCP_"},
    {"tcp_bulk.cuh", "tcp_bulk_ring"},
    {"tcp_convert.h", "tcp_convert<"},
    {"tcp_gather.h", "tcp_gather_", "tcp_scatter_"},
};

static bool uses(const char *text, const char *header, size_t length) {
    for (size_t i = 0; i < sizeof used_by / sizeof *used_by; ++i)
        if (strncmp(used_by[i][0], header, length) == 0 && !used_by[i][0][length]) {
            bool used = strstr(text, used_by[i][1]);
            return used || (used_by[i][2] && strstr(text, used_by[i][2]));
        }
    return true;
}

// Puts "text" with the headers that "user" uses; "seen" has a bit for each that was there.
static void put(struct buf *b, const char *text, const char *user, unsigned *seen) {
    static const char include[] = "#include \"";
    while (*text) {
        const char *end = strchr(text, '\n');
        size_t line = end ? (size_t)(end - text) + 1 : strlen(text);
        const char *name = text + sizeof include - 1;
        int at = n_headers;
        if (strncmp(text, include, sizeof include - 1) == 0) {
            size_t length = strcspn(name, "\"");
            for (at = 0; at < n_headers; ++at)
                if (strncmp(headers[at].name, name, length) == 0 && !headers[at].name[length])
                    break;
            if (at < n_headers && !(*seen >> at & 1) && uses(user, name, length)) {
                *seen |= 1u << at;
                put(b, headers[at].text, user, seen);
            }
        }
        if (at == n_headers) buf_write(b, text, line);
        text += line;
    }
}

const char *headers_inside(struct arena *a, const char *text) {
    struct buf b;
    unsigned seen = 0;
    buf_init(&b);
    put(&b, text, text, &seen);
    return buf_finish(&b, a);
}
