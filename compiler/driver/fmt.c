// tcpc fmt: writes a plan in canonical format.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/session.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "run/output.h"
#include "syntax/format.h"

static const char help[] =
    "usage: tcpc fmt [options] PLAN.tcp...\n"
    "\n"
    "  -i        change the files; the default is to print the result\n"
    "  --check   change nothing; name the files that are not formatted, with exit status 1\n"
    "\n"
    "'-' reads standard input.  Comments are kept.\n";

// The text of a pipe or a device cannot be changed.
static bool can_be_changed(const char *path) {
    struct stat st;
    return strcmp(path, "-") == 0 || stat(path, &st) != 0 || S_ISREG(st.st_mode) ||
           S_ISDIR(st.st_mode);
}

static int format_one(const char *path, bool in_place, bool check) {
    if (in_place && !can_be_changed(path))
        return option_error("'%s' is not a regular file; it is not changed", path);
    struct session s;
    session_init(&s);
    int status = EXIT_RIGHT;
    int file = source_read(&s, path);
    if (file < 0) {
        status = option_error("cannot read '%s': %s", path, source_trouble(errno));
    } else {
        char *text = format_source(&s, file);
        const struct source *was = &s.sources.file[file];
        bool same = text && strlen(text) == was->size && memcmp(text, was->text, was->size) == 0;
        if (!text) {
            diag_print(&s, stderr);
            status = EXIT_WRONG;
        } else if (check) {
            if (!same) option_say("'%s' is not formatted", path);
            status = same ? EXIT_RIGHT : EXIT_WRONG;
        } else if (!in_place || strcmp(path, "-") == 0) {
            status = output_write(&s, "-", text, strlen(text));
        } else if (!same) {
            status = output_replace(&s, path, text, strlen(text));
        }
    }
    session_release(&s);
    return status;
}

int command_fmt(int argc, char **argv) {
    bool in_place = false, check = false, any = false;
    int status = EXIT_RIGHT;
    for (int i = 0; i < argc; ++i) {
        if (strcmp(argv[i], "-i") == 0)
            in_place = true;
        else if (strcmp(argv[i], "--check") == 0)
            check = true;
        else if (strcmp(argv[i], "--help") == 0)
            return fputs(help, stdout), EXIT_RIGHT;
        else if (argv[i][0] == '-' && argv[i][1])
            return option_unknown("fmt", help, argv[i]);
    }
    if (in_place && check)
        return option_error("'-i' cannot be combined with '--check', which changes nothing");
    for (int i = 0; i < argc; ++i) {
        if (argv[i][0] == '-' && argv[i][1]) continue;
        any = true;
        int one = format_one(argv[i], in_place, check);
        if (one > status) status = one;
    }
    return any ? status : option_error("no plan is given; see 'tcpc fmt --help'");
}
