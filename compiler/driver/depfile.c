// Writes dependency files (see depfile.h).
#include "driver/depfile.h"

#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "driver/options.h"

bool depfile_check(const struct depfile *d, const char *output) {
    if (!d->wanted && (d->path || d->target)) {
        option_error("'%s' needs '-MD'", d->path ? "-MF" : "-MT");
        return false;
    }
    if (d->wanted && strcmp(output, "-") == 0 && (!d->path || !d->target)) {
        option_error("'-MD' with output to standard output needs '-MF FILE' and '-MT TARGET'");
        return false;
    }
    return true;
}

// Whether the name can be written so that both make and ninja read it.
static bool can_be_told(const char *name) {
    for (const char *p = name; *p; ++p) {
        bool control = (unsigned char)*p < ' ' || *p == 0x7f;
        bool cut = *p == '\\' && (p[1] == 0 || p[1] == ':' || p[1] == '#');
        if (!control && !cut && !strchr(";|=", *p)) continue;
        option_error("no dependency file can hold the name '%s'", name);
        return false;
    }
    return true;
}

// Writes a name for make: escapes '#', ':', '$' and blanks, and the backslashes before a blank.
static void put_name(struct buf *b, const char *name) {
    for (const char *p = name; *p; ++p) {
        if (*p == ' ') {
            for (const char *q = p; q > name && q[-1] == '\\'; --q) buf_char(b, '\\');
            buf_char(b, '\\');
        } else if (*p == '#' || *p == ':') {
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

const char *depfile_path(struct session *s, const struct depfile *d, const char *output) {
    return d->path ? d->path : default_path(s, output);
}

bool depfile_text(struct session *s, const struct depfile *d, const char *output, struct buf *out) {
    bool ok = d->target || can_be_told(output);
    if (d->target)
        buf_puts(out, d->target);
    else
        put_name(out, output);
    buf_char(out, ':');
    for (int i = 0; i < s->sources.n; ++i) {
        const char *path = s->sources.file[i].path;
        if (!s->sources.file[i].is_file) continue;
        bool again = false;
        for (int j = 0; j < i && !again; ++j) again = strcmp(s->sources.file[j].path, path) == 0;
        if (again) continue;
        buf_puts(out, " \\\n  ");
        ok = ok && can_be_told(path);
        put_name(out, path);
    }
    buf_char(out, '\n');
    return ok;
}
