// The command `tcpc explain`.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "check/equivalent.h"
#include "compile/compile.h"
#include "draw/draw.h"
#include "draw/subject.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "driver/pages.h"
#include "explain/diff.h"
#include "explain/explain.h"
#include "plan/plan.h"
#include "run/output.h"
#include "syntax/ast.h"

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
    struct option_settings params;
    bool json, plan, equivalent, diff;
};

// Prints "K1 and K2 are equivalent", or where they differ, or why that is not known.
static int compare_kernels(const struct request *r, struct session *s, const struct compiled *c,
                           struct buf *b) {
    const struct kernel *k[2];
    for (int i = 0; i < 2; ++i) {
        const char *known[64];
        int n = 0;
        k[i] = plan_find_kernel(c->plan, r->word[i + 1]);
        if (k[i]) continue;
        for (const struct kernel *x = c->plan->kernels; x && n < 64; x = x->next)
            known[n++] = x->name;
        const char *near = diag_did_you_mean(r->word[i + 1], known, n);
        option_error("'%s' has no kernel '%s'%s%s%s", r->word[0], r->word[i + 1],
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return EXIT_USAGE;
    }
    int64_t left = equivalent_steps(s);
    const char *open, *why = kernels_differ(s, c->plan, c->kir, k[0], k[1], &left, &open);
    if (why)
        buf_printf(b, "%s and %s differ: %s\n", k[0]->name, k[1]->name, why);
    else if (open)
        buf_printf(b, "it is not known whether %s and %s are equivalent: %s\n", k[0]->name,
                   k[1]->name, open);
    else
        buf_printf(b, "%s and %s are equivalent\n", k[0]->name, k[1]->name);
    return why || open ? EXIT_WRONG : EXIT_RIGHT;
}

// Writes "b" and releases it.  Returns "status", or the status of a failed write.
static int finish(struct session *s, const struct request *r, struct buf *b, int status) {
    if (!status || b->len > 0) {
        const char *to = r->output ? r->output : "-";
        int written = (r->plan ? output_write : output_other)(s, to, b->text, b->len);
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

static bool any_planned(const struct plan *p) {
    for (const struct kernel *k = p->kernels; k; k = k->next)
        if (k->planned) return true;
    return false;
}

// The plan of "c" as source.  Text written by the planner leaves choices to the compiler like any
// source, so these are written down in a second round.
static const char *source_of(struct session *s, const struct compiled *c) {
    const char *text = explain_source(s, c->plan, c->kir, c->ast);
    if (!text || !any_planned(c->plan)) return text;
    struct session t;
    struct compiled again;
    session_init(&t);
    t.options = s->options;
    options_undefine(&t.options);  // they are written down too
    const char *path = s->sources.file[c->ast->file].path;
    const struct given given = {path, text, strlen(text), NULL};
    t.sources.given = &given;
    compile_begin(&again, &t, path);
    const char *out = NULL;
    if (!steps_until(&again, STEP_EQUIVALENT))
        out = explain_source(&t, again.plan, again.kir, again.ast);
    if (out)
        out = arena_strndup(&s->arena, out, strlen(out));
    else
        diag_print(&t, stderr);
    session_release(&t);
    return out;
}

// Says where to find the source lines of planned kernels, which are in no file.
static void tell_planned(struct session *s, struct buf *b) {
    for (int i = 0; i < s->sources.n; ++i)
        if (strncmp(s->sources.file[i].path, "<plan of ", 9) == 0) {
            buf_puts(b, "\nA <plan of ..> is a kernel that tcpc planned; 'tcpc explain --plan' "
                        "prints it.\n");
            return;
        }
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

static int explain(struct session *s, const struct request *r) {
    if (only_page(r->word[0]))
        return option_error(
            "there is no plan '%s'; 'tcpc --explain=%s' prints the page of a message", r->word[0],
            r->word[0]);
    if (r->nwords == 2 && option_plan_second("explain", r->word[0], r->word[1])) return EXIT_USAGE;
    struct compiled c;
    compile_begin(&c, s, r->word[0]);
    int status = steps_until(&c, STEP_EQUIVALENT);
    const char *source = NULL;
    if (!status && r->plan && !(source = source_of(s, &c))) status = EXIT_WRONG;
    diag_print(s, stderr);
    if (status) return status;
    struct buf b;
    struct subject operand = {0};
    buf_init(&b);
    if (source) {
        buf_puts(&b, source);
    } else if (r->equivalent) {
        status = compare_kernels(r, s, &c, &b);
    } else if (r->nwords > 1 && !r->json && find_operand(s, c.plan, r->word[1], &operand)) {
        const struct draw_request q = {.view = DRAW_OPERAND,
                                       .name = r->word[1],
                                       .tc = operand.tc,
                                       .mma = operand.mma,
                                       .operand = operand.operand};
        const char *why = draw(s, c.plan, &q, &b);
        if (why) status = option_error("'%s' cannot be shown: %s", r->word[1], why);
    } else {
        const int64_t *value = NULL;
        if (r->params.n && !(value = option_params(s, c.plan, &r->params))) {
            buf_release(&b);
            return EXIT_USAGE;
        }
        const struct explanation *e = explain_plan(s, c.plan, c.kir, r->word[1], value);
        if (!e)
            status = EXIT_USAGE;
        else if (r->json)
            explain_print_json(s, e, &b);
        else {
            explain_print(s, e, &b);
            tell_planned(s, &b);
        }
    }
    return finish(s, r, &b, status);
}

int command_explain(int argc, char **argv) {
    struct session s;
    session_init(&s);
    option_files(&s, argc, argv);
    struct request r = {0};
    const struct option_row rows[] = {{"--json", .flag = &r.json},
                                      {"--plan", .flag = &r.plan},
                                      {"--equivalent", .flag = &r.equivalent},
                                      {"--diff", .flag = &r.diff},
                                      {"--param", .settings = &r.params},
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
    if (status < 0 && r.plan && (r.json || r.nwords > 1))
        status = option_error("'--plan' prints the whole plan; it takes no %s",
                              r.json ? "'--json'" : "name");
    if (status < 0 && r.equivalent && r.json)
        status = option_error("'--equivalent' cannot be combined with '--json'; it prints text");
    if (status < 0 && r.equivalent && (r.nwords != 3 || r.plan || r.json))
        status = option_error("'--equivalent' takes a plan and two kernels");
    if (status < 0 && r.diff && r.json)
        status = option_error("'--diff' cannot be combined with '--json'; it prints text");
    if (status < 0 && r.diff && (r.nwords != 2 || r.params.n || r.plan || r.json || r.equivalent))
        status = option_error("'--diff' takes two files that 'tcpc explain --json' wrote");
    if (status < 0) status = r.diff ? diff(&s, &r) : explain(&s, &r);
    session_release(&s);
    return status;
}
