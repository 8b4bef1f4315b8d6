// The command `tcpc explain`.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "compile/compile.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "explain/diff.h"
#include "run/output.h"
#include "tell/pages.h"
#include "tell/tell.h"

static const char help[] =
    "usage: tcpc explain [options] PLAN.tcp [NAME]    say what the compiler chose, and why\n\n"
    "NAME is a kernel or device function, the label or the line of a copy, FUNCTION.LABEL, "
    "FUNCTION:LINE; or\n"
    "operand_A(M), operand_B(M) or operand_C(M) of a tiled MMA, shown as the instruction's "
    "tables.\n\n"
    "  --json        the same as JSON, for programs (docs/explain-json.md)\n"
    "  --plan        the plan as source, with every choice written out\n"
    "  --equivalent PLAN K1 K2   say whether two kernels move the same elements with the same "
    "threads\n"
    "  --param NAME=N   the value of a param, for costs that depend on it (default: a small one)\n"
    "  --diff OLD NEW   compare two outputs of --json: say what changed, and what got worse\n"
    "  -o FILE       write to FILE instead of standard output\n"
    "  -arch=sm_NN, -D NAME=VALUE, -W.., --color=WHEN, --diagnostics=KIND as for tcpc\n";

struct request {
    const char *const *word;
    int nwords;
    const char *output;
    struct explain_request q;
    bool equivalent, diff;
};

// Writes "b" and releases it.  Returns "status", or the status of a failed write.
static int finish(struct session *s, const struct request *r, struct buf *b, int status) {
    if (!status || b->len > 0) {
        const char *to = r->output ? r->output : "-";
        int written = (r->q.source ? output_write : output_other)(s, to, b->text, b->len);
        if (written > status) status = written;
    }
    buf_release(b);
    return status;
}

static int diff(struct session *s, const struct request *r) {
    struct buf b;
    buf_init(&b);
    return finish(s, r, &b, explain_diff(s, r->word[0], r->word[1], &b));
}

// Whether "word" is the page of a message and not the name of a file.
static bool only_page(const char *word) {
    for (int i = 0; i < n_pages; ++i)
        if (strcmp(pages[i].name, word) == 0) return access(word, F_OK) != 0;
    return false;
}

// The page that "-Wcoalesce" of a command line without a plan was meant to print; or NULL.
static const char *page_of_warning(int argc, char **argv) {
    for (int i = 0; i < argc; ++i)
        for (int k = 0; k < n_pages && strncmp(argv[i], "-W", 2) == 0; ++k)
            if (strcmp(argv[i] + 2, pages[k].name) == 0) return pages[k].name;
    return NULL;
}

static int explain(struct session *s, struct request *r) {
    struct explain_request *q = &r->q;
    q->plan = r->word[0];
    q->name = r->word[1];
    if (r->equivalent) q->equivalent = r->word + 1;
    if (only_page(q->plan))
        return option_error(
            "there is no plan '%s'; 'tcpc --explain=%s' prints the page of a message", q->plan,
            q->plan);
    if (r->nwords == 2 && option_plan_second("explain", q->plan, q->name)) return EXIT_USAGE;
    struct compiled c;
    compile_begin(&c, s, q->plan);
    int status = steps_until(&c, STEP_EQUIVALENT);
    diag_print(s, stderr);
    if (status) return status;
    struct buf b;
    buf_init(&b);
    status = tell_explain(s, &c, q, &b);
    return finish(s, r, &b, status);
}

int command_explain(int argc, char **argv) {
    struct session s;
    session_init(&s);
    option_files(&s, argc, argv);
    struct request r = {0};
    const struct option_row rows[] = {{"--json", .flag = &r.q.json},
                                      {"--plan", .flag = &r.q.source},
                                      {"--equivalent", .flag = &r.equivalent},
                                      {"--diff", .flag = &r.diff},
                                      {"--param", .settings = &r.q.params},
                                      {"-o", .text = &r.output},
                                      {0}};
    struct option_words w = {"explain", help, rows, .most = 3};
    int status = option_words(&s, &w, argc, argv);
    r.word = w.word;
    r.nwords = w.n;
    const char *extra = w.extra || r.equivalent ? w.extra : w.word[2];
    if (status < 0 && extra)
        status = option_error("tcpc explain takes a plan and a name, not also '%s'", extra);
    const char *page = page_of_warning(argc, argv);
    if (status < 0 && r.nwords == 0 && !r.diff)
        status = page ? option_error("no plan is given; 'tcpc --explain=%s' prints the page of the "
                                     "warning",
                                     page)
                      : option_error("no plan is given; see 'tcpc explain --help'");
    if (status < 0 && r.q.source && (r.q.json || r.nwords > 1))
        status = option_error("'--plan' prints the whole plan; it takes no %s",
                              r.q.json ? "'--json'" : "name");
    if (status < 0 && r.equivalent && r.q.json)
        status = option_error("'--equivalent' cannot be combined with '--json'; it prints text");
    if (status < 0 && r.equivalent && (r.nwords != 3 || r.q.source || r.q.json))
        status = option_error("'--equivalent' takes a plan and two kernels");
    if (status < 0 && r.diff && r.q.json)
        status = option_error("'--diff' cannot be combined with '--json'; it prints text");
    if (status < 0 && r.diff &&
        (r.nwords != 2 || r.q.params.n || r.q.source || r.q.json || r.equivalent))
        status = option_error("'--diff' takes two files that 'tcpc explain --json' wrote");
    if (status < 0) status = r.diff ? diff(&s, &r) : explain(&s, &r);
    session_release(&s);
    return status;
}
