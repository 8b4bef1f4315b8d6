// tcpc draw PLAN NAME: finds the name and prints its picture.
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "draw/draw.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "plan/plan.h"
#include "sema/sema.h"
#include "syntax/parse.h"

static const char usage[] =
    "usage: tcpc draw [--values] [-D NAME=VALUE] [-arch=sm_NN] PLAN TILED_COPY\n"
    "  --values  name the value of the thread too: T00.V0\n";

// The plan at "path", or NULL with the errors printed.
static struct plan *read_plan(struct session *s, const char *path) {
    struct ast_file *file = parse_file(s, path);
    struct plan *p = file && file->nerrors == 0 ? sema_file(s, file) : NULL;
    diag_print(s, stderr);
    return s->diags.nerrors > 0 ? NULL : p;
}

static int unknown_name(const struct plan *p, const char *name) {
    const char *known[64];
    int n = 0;
    for (int i = 0; i < p->ntiled && n < 64; ++i)
        if (p->tiled[i]->name) known[n++] = p->tiled[i]->name;
    const char *near = diag_did_you_mean(name, known, n);
    if (near)
        option_error("'%s' has no tiled copy '%s'; did you mean '%s'?", p->path, name, near);
    else
        option_error("'%s' has no tiled copy '%s'%s%s", p->path, name, n ? "; there is " : "",
                     n ? known[0] : "");
    return EXIT_WRONG;
}

static int draw(struct session *s, const char *path, const char *name, bool values) {
    const struct plan *p = read_plan(s, path);
    if (!p) return EXIT_WRONG;
    const struct tiled_copy *tc = plan_find_tiled(p, name);
    if (!tc) return unknown_name(p, name);
    struct buf out;
    buf_init(&out);
    const char *why = draw_ownership(&out, tc, values);
    int code = EXIT_RIGHT;
    if (why) {
        option_error("'%s' cannot be drawn: %s", name, why);
        code = EXIT_WRONG;
    } else if (fwrite(out.text, 1, out.len, stdout) != out.len || fflush(stdout) != 0) {
        code = option_error("the output cannot be written");
    }
    buf_release(&out);
    return code;
}

int command_draw(int argc, char **argv) {
    struct session s;
    const char *word[2] = {NULL, NULL};
    int nwords = 0, code = -1;
    bool values = false;
    session_init(&s);
    for (int i = 0; i < argc && code < 0; ++i) {
        enum option_taken taken = option_common(&s, argc, argv, &i);
        if (taken == OPTION_BAD) {
            diag_print(&s, stderr);
            code = EXIT_USAGE;
        } else if (taken == OPTION_DONE) {
            continue;
        } else if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            code = EXIT_RIGHT;
        } else if (strcmp(argv[i], "--values") == 0) {
            values = true;
        } else if (argv[i][0] == '-' && argv[i][1]) {
            code = option_error("'%s' is no option of tcpc draw", argv[i]);
        } else if (nwords < 2) {
            word[nwords++] = argv[i];
        } else {
            code = option_error("tcpc draw takes a plan and a name, not also '%s'", argv[i]);
        }
    }
    if (code < 0 && nwords < 2) {
        fputs(usage, stderr);
        code = EXIT_USAGE;
    }
    if (code < 0) code = draw(&s, word[0], word[1], values);
    session_release(&s);
    return code;
}
