// Converts drawings to PNG: rsvg-convert does it, if it is installed.
#include "driver/png.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "driver/options.h"
#include "run/output.h"
#include "run/process.h"

enum { SECONDS = 60 };

// Appends the file at "path" to "out"; returns whether it could be read.
static bool read_file(const char *path, struct buf *out) {
    char piece[4096];
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;) buf_write(out, piece, n);
    bool right = !ferror(f);
    fclose(f);
    return right;
}

static int convert(struct session *s, const struct workplace *w, const char *program,
                   const struct buf *svg, struct buf *png) {
    const char *from = arena_printf(&s->arena, "%s/drawing.svg", w->path);
    const char *to = arena_printf(&s->arena, "%s/drawing.png", w->path);
    const char *argv[] = {program, "--zoom=2", "--unlimited", "--output", to, from, NULL};
    if (output_write(s, from, svg->text, svg->len) != EXIT_RIGHT) return EXIT_USAGE;
    struct process_result r = process_run(w, argv, SECONDS, NULL);
    if (r.end == PROCESS_INTERRUPTED) return EXIT_USAGE;
    if (r.end == PROCESS_NOT_STARTED)
        return option_error("'%s' cannot be started: %s", program, strerror(errno));
    if (r.end != PROCESS_EXITED || r.code != 0)
        return option_error("'%s' did not make a PNG of the drawing", program);
    if (!read_file(to, png))
        return option_error("cannot read what '%s' made: %s", program, strerror(errno));
    return EXIT_RIGHT;
}

int draw_png(struct session *s, const char *path, const struct buf *svg) {
    char program[512];
    struct workplace w;
    struct buf png;
    if (!process_find("rsvg-convert", program, sizeof program))
        return option_error(
            "PNG needs rsvg-convert, which was not found (Debian: librsvg2-bin); '.svg' does not");
    if (!workplace_open(&w, NULL, false))
        return option_error("no folder to draw in: %s", strerror(errno));
    buf_init(&png);
    int code = convert(s, &w, program, svg, &png);
    if (code == EXIT_RIGHT) code = output_other(s, path, png.text, png.len);
    buf_release(&png);
    workplace_close(&w);
    return code;
}
