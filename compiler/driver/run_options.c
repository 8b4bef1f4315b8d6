// Reads the words of `tcpc run` (see run_options.h).
#include "driver/run_options.h"

#include <string.h>

#include "base/session.h"

const char run_usage[] =
    "usage: tcpc run [OPTIONS] PLAN\n"
    "  --kernel NAME     run only this kernel\n"
    "  --param NAME=N    the value of a param (default: a small one that keeps the plan's "
    "promises)\n"
    "  --print NAME      print this tensor after the run: for each element, the number of its "
    "source "
    "element\n"
    "  --thread T        with --print of a fragment: print that of thread T, in the last block\n"
    "  --time [N]        GB/s of each kernel, the median of N launches\n"
    "  --no-check        with --time: do not compare the result first, which is slow for large "
    "sizes\n"
    "  --json            print the results as JSON, for programs\n"
    "  --watch           repeat the command when the plan, or a file that it imports, changes\n"
    "  --gpu, --host     where to run (default: the GPU, if there is one and nvcc is installed)\n"
    "  --cxx CMD         the host's C++ compiler (default: $CXX, else c++, g++ or clang++)\n"
    "  --keep DIR        build in DIR, and keep everything there\n"
    "  --write DIR       write the sources for the build into DIR, and build nothing\n"
    "  -D NAME=VALUE, -arch=sm_NN, -W..., --diagnostics=KIND: as for compiling\n";

bool run_take_word(struct session *s, struct run_request *q, int argc, char **argv, int *i) {
    const struct option_row rows[] = {
        {"--kernel", .text = &q->kernel},     {"--print", .text = &q->print},
        {"--keep", .text = &q->keep},         {"--write", .text = &q->write},
        {"--cxx", .text = &q->cxx},           {"--param", .settings = &q->params},
        {"--no-check", .flag = &q->no_check}, {"--json", .flag = &q->json},
        {"--watch", .flag = &q->watch},       {"--help", .flag = &q->help}};
    const char *arg = argv[*i], *v;
    bool missing;
    enum option_taken taken = option_rows(s, rows, 10, argc, argv, i);
    if (taken != OPTION_NOT) return taken == OPTION_DONE;
    if ((v = option_value(argc, argv, i, "--thread", &missing))) {
        if (!missing && (!option_int(v, &q->thread) || q->thread < 0 || q->thread > 1023)) {
            option_error("'--thread' takes a thread, 0 .. 1023, not '%s'", v);
            return false;
        }
        return !missing;
    }
    if (strcmp(arg, "--time") == 0 || strncmp(arg, "--time=", 7) == 0) {
        int64_t n;
        q->time = true;
        if (arg[6] == '=')
            q->repeats = arg + 7;
        else if (*i + 1 < argc && option_int(argv[*i + 1], &n))
            q->repeats = argv[++*i];
        if (q->repeats && (!option_int(q->repeats, &n) || n < 1 || n > 100000)) {
            option_error("'--time' takes a number of launches in 1 .. 100000, not '%s'",
                         q->repeats);
            return false;
        }
    } else if (strcmp(arg, "--gpu") == 0 || strcmp(arg, "--host") == 0) {
        int where = strcmp(arg, "--gpu") == 0 ? 1 : -1;
        if (q->where == -where) {
            option_error("'--gpu' cannot be combined with '--host'");
            return false;
        }
        q->where = where;
    } else if (arg[0] == '-' && arg[1]) {
        option_unknown("run", run_usage, arg);
        return false;
    } else if (q->path) {
        option_error("tcpc run takes one plan, not also '%s'; a kernel is '--kernel NAME', a param "
                     "'--param NAME=N'",
                     arg);
        return false;
    } else {
        q->path = arg;
    }
    return true;
}
