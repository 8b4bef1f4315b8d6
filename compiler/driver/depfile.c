// Writing what make reads (see depfile.h).
#include "driver/depfile.h"

#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "driver/options.h"
#include "driver/output.h"

bool depfile_check(const struct depfile *d, const char *output) {
    if (!d->wanted && (d->path || d->target)) {
        option_error("'%s' is of use with '-MD' alone", d->path ? "-MF" : "-MT");
        return false;
    }
    if (d->wanted && strcmp(output, "-") == 0 && (!d->path || !d->target)) {
        option_error("'-MD' with output to standard output needs '-MF FILE' and '-MT TARGET'");
        return false;
    }
    return true;
}

// A name as make takes it: '#', '$' and blanks are escaped, and so are the backslashes before a
// blank.
static void put_name(struct buf *b, const char *name) {
    for (const char *p = name; *p; ++p) {
        if (*p == ' ' || *p == '\t') {
            for (const char *q = p; q > name && q[-1] == '\\'; --q) buf_char(b, '\\');
            buf_char(b, '\\');
        } else if (*p == '#') {
            buf_char(b, '\\');
        } else if (*p == '$') {
            buf_char(b, '$');
        }
        buf_char(b, *p);
    }
}

// "dir/x.cu" -> "dir/x.d"
static const char *default_path(struct session *s, const char *output) {
    const char *slash = strrchr(output, '/'), *dot = strrchr(output, '.');
    size_t n = dot && (!slash || dot > slash + 1) && dot != output ? (size_t)(dot - output)
                                                                   : strlen(output);
    return arena_printf(&s->arena, "%.*s.d", (int)n, output);
}

int depfile_write(struct session *s, const struct depfile *d, const char *output) {
    struct buf b;
    buf_init(&b);
    if (d->target)
        buf_puts(&b, d->target);
    else
        put_name(&b, output);
    buf_char(&b, ':');
    for (int i = 0; i < s->sources.n; ++i) {
        const char *path = s->sources.file[i].path;
        if (path[0] == '<' || strcmp(path, "-") == 0) continue;  // text of the command line
        bool again = false;
        for (int j = 0; j < i && !again; ++j) again = strcmp(s->sources.file[j].path, path) == 0;
        if (again) continue;
        buf_puts(&b, " \\\n  ");
        put_name(&b, path);
    }
    buf_char(&b, '\n');
    int status = output_write(s, d->path ? d->path : default_path(s, output), b.text, b.len);
    buf_release(&b);
    return status;
}
