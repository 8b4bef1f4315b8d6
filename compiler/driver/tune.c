// tcpc tune PLAN: times the best candidates of a planned kernel and writes the best one as a plan.
#include "driver/tune.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "compile/compile.h"
#include "driver/commands.h"
#include "driver/run_options.h"
#include "emit/emit.h"
#include "explain/explain.h"
#include "kernel/kernel_ir.h"
#include "plan/bind.h"
#include "plan/plan.h"
#include "planner/planner.h"
#include "run/build.h"
#include "run/keep.h"
#include "run/output.h"
#include "run/tuned.h"
#include "steps/fixits.h"

// -- what is tuned --------------------------------------------------------------------------------

// The requested kernel; NULL after an error.
static const struct kernel *find_kernel(const struct tune_request *q, const struct plan *p) {
    const char *known[64];
    int n = 0;
    const struct kernel *found = NULL;
    for (const struct kernel *k = p->kernels; k; k = k->next) {
        if (k->first_case && k->first_case != k) continue;
        if (q->kernel ? strcmp(k->name, q->kernel) == 0 : k->planned && !found) found = k;
        if (k->planned && n < 64) known[n++] = k->name;
    }
    if (q->kernel && !found) {
        const char *near = diag_did_you_mean(q->kernel, known, n);
        option_error("the plan has no kernel '%s'%s%s%s", q->kernel, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
    } else if (!found) {
        option_error("'%s' has no planned kernel; such a kernel is a single copy between two "
                     "tensors, without 'grid', 'threads' or 'with'",
                     q->path);
    } else if (!found->planned) {
        option_error("kernel '%s' says how it copies; only planned kernels are tuned", found->name);
        return NULL;
    } else if (!q->kernel && n > 1) {
        option_error("%d kernels are planned, '%s' and '%s' among them: choose one with --kernel "
                     "NAME",
                     n, known[0], known[1]);
        return NULL;
    }
    return found;
}

// Whether each param of "k" has a value; sets "*text" to "M = 4096, N = 64".
static bool params_given(struct session *s, const struct tune_request *q, const struct kernel *k,
                         const char **text) {
    struct buf b;
    const char *missing = "", *set = "";
    buf_init(&b);
    for (int i = 0; i < k->ngiven; ++i) {
        int at = q->params.n - 1;
        while (at >= 0 && strcmp(q->params.of[at].name, k->param[i]->name) != 0) --at;
        if (at < 0) {
            const char *name = k->param[i]->name;
            missing = arena_printf(&s->arena, "%s%s'%s'", missing, *missing ? ", " : "", name);
            set = arena_printf(&s->arena, "%s --param %s=VALUE", set, name);
            continue;
        }
        buf_printf(&b, "%s%s = %" PRId64, i ? ", " : "", k->param[i]->name, q->params.of[at].value);
    }
    *text = buf_finish(&b, &s->arena);
    if (*missing)
        option_error("the fastest choice depends on the values of %s: set them with%s", missing,
                     set);
    return !*missing;
}

// The texts that "s" has read, for the sessions of the candidates.
static const struct given *read_by(struct session *s) {
    const struct given *list = NULL;
    for (int i = 0; i < s->sources.n; ++i) {
        const struct source *x = &s->sources.file[i];
        if (x->made || x->copied) continue;
        struct given *g = ARENA_NEW(&s->arena, struct given);
        *g = (struct given){x->path, x->text, x->size, list};
        list = g;
    }
    return list;
}

static const char *copied(struct session *s, const char *text) {
    return arena_strndup(&s->arena, text, strlen(text));
}

// The emitted file with only this kernel, whose launcher is called "name".
static const char *emitted(struct session *s, struct compiled *c, const char *kernel,
                           const char *name) {
    struct kir_kernel *x = c->kir->kernels;
    struct buf b;
    while (strcmp(x->name, kernel) != 0) x = x->next;
    c->kir->kernels = x;
    while (x->next_case) x = x->next_case;
    x->next = NULL;
    c->kir->nincludes = c->kir->nprototypes = 0;
    buf_init(&b);
    buf_printf(&b, "#define %s_launch %s\n#define %s_variant %s_variant\n", x->launch->c_name, name,
               x->launch->c_name, name);
    emit_cuda(c->s, c->kir, &b);
    return buf_finish(&b, &s->arena);
}

struct work {
    struct session *s;
    const struct tune_request *q;
    const struct given *given;
    struct tuning t;
    struct buf functions, tables;
    int64_t candidates;  // existing candidates, as far as requested
};

// Adds the candidate that "c" has compiled, with kernel "k".  Returns the exit status.
static int add_compiled(struct work *w, struct compiled *c, const struct kernel *k, int number) {
    struct session *s = w->s, *x = c->s;
    int i = w->t.n++;
    const char *name = arena_printf(&s->arena, "tune_%d", i), *source = NULL, *why = NULL;
    const int64_t *sym = tell_params(x, c->plan, &w->q->params);
    if (!sym) return EXIT_USAGE;
    if (!w->q->text) source = explain_source(x, c->plan, c->kir, c->ast);
    // the case that is launched with these params
    while (k->next_case && !plan_holds(k->when, k->nwhen, sym)) k = k->next_case;
    if (k->candidates < w->candidates) w->candidates = k->candidates;
    tune_put_launch(k, name, sym, i, &w->functions);
    if (i == 0) why = tune_put_relayout(k, sym, &w->tables, &w->t.bytes);
    w->t.of[i] = (struct tuned){.number = number,
                                .how = k->chosen ? copied(s, k->chosen->how) : NULL,
                                .source = source ? copied(s, source) : NULL,
                                .cuda = emitted(s, c, w->t.kernel, name)};
    return why ? option_error("%s", copied(s, why)) : EXIT_RIGHT;
}

// Compiles candidate "number" with all proofs and adds it to those to be timed.  Omits it if it is
// not proven.  Returns the exit status.
static int add_candidate(struct work *w, int number) {
    struct session x;
    struct compiled c;
    session_like(&x, w->s);
    x.sources.given = w->given;
    x.options.tuned = w->t.kernel;
    x.options.candidate = number;
    x.options.no_line = true;
    compile_begin(&c, &x, w->q->path);
    int status = EXIT_RIGHT;
    if (steps_until(&c, STEP_EQUIVALENT) == EXIT_RIGHT)
        status = add_compiled(w, &c, plan_find_kernel(c.plan, w->t.kernel), number);
    else
        option_say("candidate %d is left out, since it is not proven", number);
    session_release(&x);
    return status;
}

// -- the run --------------------------------------------------------------------------------------

static bool write_text(struct session *s, const struct workplace *w, const char *name,
                       const char *text) {
    const char *path = arena_printf(&s->arena, "%s/%s", w->path, name);
    return output_write(s, path, text, strlen(text)) == EXIT_RIGHT;
}

static const char *candidate_file(struct session *s, int i) {
    return arena_printf(&s->arena, "candidate_%d.cu", i);
}

static bool claim_files(const struct work *w, const struct workplace *place, struct keep *k) {
    struct session *s = w->s;
    keep_init(s, k, place->path, w->t.n + 5);
    for (int i = 0; i < w->t.n; ++i) keep_add(s, k, candidate_file(s, i), false);
    keep_add(s, k, "main.cpp", false);
    keep_add(s, k, "run", true);
    keep_add(s, k, "build.log", true);
    keep_add(s, k, "results", true);
    return keep_claim(s, k, w->q->keep);
}

static bool write_files(const struct work *w, const struct workplace *place) {
    struct session *s = w->s;
    struct buf b;
    buf_init(&b);
    buf_printf(&b, "#include \"tcp_tune.h\"\n\n%s%s", w->functions.text, w->tables.text);
    tune_put_main(w->t.n, &b);
    bool ok = write_text(s, place, "main.cpp", b.text);
    buf_release(&b);
    for (int i = 0; i < w->t.n && ok; ++i)
        ok = write_text(s, place, candidate_file(s, i), w->t.of[i].cuda);
    return ok;
}

static int run_program(struct work *w, const struct workplace *place) {
    struct arena *a = &w->s->arena;
    const char *results = arena_printf(a, "%s/results", place->path);
    int64_t seconds = w->q->host ? 0 : w->q->seconds;
    const char *argv[] = {arena_printf(a, "%s/run", place->path), "--out", results, "--seconds",
                          arena_printf(a, "%" PRId64, seconds),   NULL};
    int status = toolchain_run(place, argv, 2 * TUNE_SECONDS);
    if (status) return status;
    if (tune_read(w->s, results, &w->t)) return EXIT_RIGHT;
    return option_error("'%s' is not what the program writes", results);
}

// Builds and runs the program; returns the exit status.
static int build_and_run(struct work *w, struct toolchain *tools) {
    struct workplace place;
    struct keep k = {0};
    int code = EXIT_USAGE;
    if (!workplace_open(&place, w->q->keep, true))
        return option_error("no folder to build in: %s", strerror(errno));
    tools->plan_folder = place.path;
    tools->candidates = w->t.n;
    if (claim_files(w, &place, &k) && write_files(w, &place))
        code = toolchain_build(w->s, tools, &place);
    if (!code) code = run_program(w, &place);
    if (workplace_interrupted(&place)) keep_undo(&k);
    workplace_close(&place);
    return code;
}

// -- what came of it ------------------------------------------------------------------------------

static int write_plan(struct work *w) {
    const struct tuned *c = &w->t.of[w->t.chosen];
    const char *text = w->q->text ? w->q->text(w->s, w->q->by, c->number) : c->source;
    struct buf b;
    if (!text) return EXIT_USAGE;
    buf_init(&b);
    tune_head(&w->t, &b);
    buf_puts(&b, text);
    int status = output_write(w->s, w->q->output ? w->q->output : "-", b.text, b.len);
    buf_release(&b);
    return status;
}

static int conclude(struct work *w) {
    int status = EXIT_RIGHT;
    struct buf b;
    for (int i = 0; i < w->t.n; ++i) {
        if (w->t.of[i].right || w->t.of[i].refused) continue;
        option_error("candidate %d of kernel '%s' failed, which is a bug in tcpc: %s",
                     w->t.of[i].number, w->t.kernel, w->t.of[i].why);
        status = EXIT_WRONG;
    }
    if (status) return status;
    w->t.chosen = tune_choose(w->t.of, w->t.n);
    if (w->t.chosen == w->t.n) {
        option_error("no candidate can be launched: %s", w->t.of[0].why);
        return EXIT_WRONG;
    }
    bool to_stdout = !w->q->output || strcmp(w->q->output, "-") == 0;
    buf_init(&b);
    if (w->q->json)
        tune_print_json(&w->t, &b);
    else
        tune_print(&w->t, &b);
    fputs(b.text, to_stdout && !w->q->json ? stderr : stdout);
    buf_release(&b);
    return w->q->json && !w->q->output ? EXIT_RIGHT : write_plan(w);
}

static int tune_kernel(struct work *w, struct toolchain *tools) {
    int status = EXIT_RIGHT;
    w->t.of = ARENA_ARRAY(&w->s->arena, struct tuned, w->candidates);
    for (int i = 0; i < w->candidates && !status; ++i) status = add_candidate(w, i);
    if (!status && (w->t.n == 0 || w->t.of[0].number != 0))
        BUG("the plan compiled, but its choice does not");
    if (!status) status = build_and_run(w, tools);
    return status ? status : conclude(w);
}

int tune_plan(struct session *s, const struct tune_request *q) {
    struct compiled c;
    if (q->json && q->output && strcmp(q->output, "-") == 0)
        return option_error("with '--json' the plan goes to a file, not to standard output");
    struct toolchain tools;
    struct work w = {.s = s, .q = q, .candidates = q->candidates};
    compile_begin(&c, s, q->path);
    int status = steps_until(&c, STEP_EQUIVALENT);
    diag_print(s, stderr);
    if (status) return status;
    const struct kernel *k = find_kernel(q, c.plan);
    if (!k || !params_given(s, q, k, &w.t.params)) return EXIT_USAGE;
    // for the GPU on which it is timed, whatever the plan is compiled for
    if (!toolchain_find(&tools, q->host ? -1 : 1, "'tcpc tune'", q->cxx, "native"))
        return EXIT_USAGE;
    w.t.kernel = k->name;
    w.given = read_by(s);
    buf_init(&w.functions);
    buf_init(&w.tables);
    status = tune_kernel(&w, &tools);
    buf_release(&w.functions);
    buf_release(&w.tables);
    return status;
}

static const char usage[] =
    "usage: tcpc tune [OPTIONS] PLAN\n"
    "  Times the best candidates of a planned kernel on the GPU, and writes the plan with\n"
    "  the fastest one.\n"
    "  -n N, --candidates=N  how many candidates; default 8, at most 64\n"
    "  --seconds=N       seconds to measure, after building; default 2\n"
    "  --kernel NAME     the kernel to tune, if several kernels are planned\n"
    "  --param NAME=N    the value of a param; all params of the kernel need one\n"
    "  -o FILE           write the plan to FILE; default: standard output\n"
    "  --json            print the results as JSON, for programs; the plan is written only with "
    "-o\n"
    "  --host            check the candidates on the host without timing; keep the planner's "
    "choice\n"
    "  --cxx CMD         with --host: the C++ compiler (default: $CXX, else c++, g++ or clang++)\n"
    "  --keep DIR        build in DIR, and keep everything there\n"
    "  -D NAME=VALUE, -arch=sm_NN, -W..., --diagnostics=KIND: as for compiling\n";

int command_tune(int argc, char **argv) {
    struct session s;
    struct tune_request q = TUNE_USUAL;
    const struct option_row rows[] = {{"-o", .text = &q.output},
                                      {"--kernel", .text = &q.kernel},
                                      {"--param", .settings = &q.params},
                                      TUNE_ROWS(q, NULL),
                                      BUILD_ROWS(q, NULL),
                                      {0}};
    struct option_words w = {"tune", usage, rows, .most = 1};
    session_init(&s);
    option_files(&s, argc, argv);
    int code = option_words(&s, &w, argc, argv);
    q.path = w.word[0];
    if (code < 0 && w.extra)
        code = option_error("tcpc tune takes one plan, not also '%s'; a kernel is '--kernel NAME'",
                            w.extra);
    if (code < 0 && !q.path) code = (fputs(usage, stderr), EXIT_USAGE);
    if (code < 0) code = tune_plan(&s, &q);
    session_release(&s);
    return code;
}
