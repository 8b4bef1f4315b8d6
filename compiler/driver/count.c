// The command `tcpc count`.
#include <stdio.h>

#include "base/buf.h"
#include "base/session.h"
#include "compile/compile.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "run/output.h"
#include "tell/tell.h"

static const char help[] =
    "usage: tcpc count [options] PLAN.tcp [KERNEL]    what the profiler would count\n\n"
    "Counts every access of every warp in all blocks, by the rules of docs/hardware.md. The sums\n"
    "have the names of Nsight Compute. Tensors begin at multiples of 256 bytes.\n"
    "Extern functions are not counted. Only one of several blocks with the same cost is "
    "executed.\n\n"
    "  --param NAME=N  the value of a param (default: a small one)\n"
    "  --json          the same as JSON, for programs\n"
    "  -o FILE         write to FILE instead of standard output\n"
    "  -arch=sm_NN, -D NAME=VALUE, -W.., --color=WHEN, --diagnostics=KIND as for tcpc\n";

struct request {
    const char *const *word;
    int nwords;
    const char *output;
    bool json;
    struct param_settings params;
};

static int count(struct session *s, const struct request *r) {
    struct compiled c;
    if (r->nwords > 1 && option_plan_second("count", r->word[0], r->word[1])) return EXIT_USAGE;
    compile_begin(&c, s, r->word[0]);
    int status = steps_until(&c, STEP_EQUIVALENT);
    diag_print(s, stderr);
    if (status) return status;
    struct buf b;
    buf_init(&b);
    status = tell_count(s, &c, r->word[1], r->json, &r->params, &b);
    if (status != EXIT_USAGE) {
        int written = output_other(s, r->output ? r->output : "-", b.text, b.len);
        if (written > status) status = written;
    }
    buf_release(&b);
    return status;
}

int command_count(int argc, char **argv) {
    struct session s;
    session_init(&s);
    option_files(&s, argc, argv);
    struct request r = {0};
    const struct option_row rows[] = {{"--json", .flag = &r.json},
                                      {"--param", .settings = &r.params},
                                      {"-o", .text = &r.output},
                                      {0}};
    struct option_words w = {"count", help, rows, .most = 2};
    int status = option_words(&s, &w, argc, argv);
    r.word = w.word;
    r.nwords = w.n;
    if (status < 0 && w.extra)
        status = option_error("tcpc count takes a plan and a kernel, not also '%s'", w.extra);
    if (status < 0 && r.nwords == 0)
        status = option_error("no plan is given; see 'tcpc count --help'");
    if (status < 0) status = count(&s, &r);
    session_release(&s);
    return status;
}
