// What a command says about itself (see command.h).
#include "base/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/trap.h"

__attribute__((format(printf, 2, 0))) static void say(const char *before, const char *format,
                                                      va_list ap) {
    struct buf text, line;
    buf_init(&text);
    buf_init(&line);
    buf_vprintf(&text, format, ap);
    buf_shown(&line, text.text, text.len);
    if (!trap_says(line.text)) fprintf(stderr, "%s%s\n", before, line.text);
    buf_release(&text);
    buf_release(&line);
}

int option_error(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    say("tcpc: error: ", format, ap);
    va_end(ap);
    return EXIT_USAGE;
}

void option_say(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    say("tcpc: ", format, ap);
    va_end(ap);
}

void option_names_add(struct option_names *names, const char *name) {
    enum { MOST = sizeof names->name / sizeof *names->name };
    if (!name || names->n == MOST) return;
    for (int i = 0; i < names->n; ++i)
        if (strcmp(names->name[i], name) == 0) return;
    names->name[names->n++] = name;
}

const char *option_names_text(struct arena *a, const struct option_names *names,
                              const char *wrong) {
    enum { MOST_TOLD = 8 };
    const char *near = diag_did_you_mean(wrong, names->name, names->n);
    if (near) return arena_printf(a, "; did you mean '%s'?", near);
    struct buf b;
    buf_init(&b);
    for (int i = 0; i < names->n && i < MOST_TOLD; ++i)
        buf_printf(&b, "%s'%s'",
                   i > 0           ? ", "
                   : names->n == 1 ? "; there is "
                                   : "; there are ",
                   names->name[i]);
    if (names->n > MOST_TOLD) buf_puts(&b, " ..");
    return buf_finish(&b, a);
}
