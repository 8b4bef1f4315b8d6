// tcpc run PLAN: compiles the plan, builds its emitted code with a generated main, runs it, and
// compares the result with the meaning of the plan.
#include <errno.h>
#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "compile/compile.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "driver/run_cases.h"
#include "driver/run_options.h"
#include "driver/watch.h"
#include "image/image.h"
#include "kernel/kernel_ir.h"
#include "oracle/oracle.h"
#include "plan/bind.h"
#include "plan/family.h"
#include "run/build.h"
#include "run/keep.h"
#include "run/output.h"
#include "run/program.h"

enum { RUN_SECONDS = 600 };

// Reports "what" of "name", which is not one of "known", with the nearest of these.
static void unknown(const char *what, const char *name, const struct option_names *known) {
    struct arena a;
    arena_init(&a);
    option_error("%s '%s'%s", what, name, option_names_text(&a, known, name));
    arena_release(&a);
}

// -- what is asked for, in the plan ---------------------------------------------------------------

static bool find_kernel(const struct run_request *q, struct run_case *c) {
    struct option_names known = {.n = 0};
    if (!q->kernel) return true;
    for (const struct kernel *k = c->plan->kernels; k; k = k->next) {
        if (strcmp(k->name, q->kernel) == 0) c->kernel = k;
        if (family_is(k, q->kernel)) c->family = k->family;
        option_names_add(&known, k->name);
    }
    if (c->kernel || c->family) return true;
    unknown("the plan has no kernel", q->kernel, &known);
    return false;
}

// Sets "*out" to the tensor that --print names; false after an error.
static bool find_printed(const struct run_request *q, const struct run_case *c,
                         const struct tensor **out) {
    struct option_names known = {.n = 0};
    *out = NULL;
    if (!q->print) return true;
    for (const struct kernel *k = c->plan->kernels; k; k = k->next) {
        if ((c->kernel && c->kernel != k) || run_leaves_out(c, k)) continue;
        for (int i = 0; i < k->nformals + k->nlocal; ++i) {
            const struct tensor *t =
                i < k->nformals ? k->formal[i].tensor : k->local[i - k->nformals];
            option_names_add(&known, t->name);
            if (t->name && strcmp(t->name, q->print) == 0 && !*out) *out = t;
        }
    }
    if (!*out) {
        unknown("no kernel uses a tensor", q->print, &known);
        return false;
    }
    if ((*out)->space == MEM_FRAG && q->thread < 0) {
        option_error("'%s' is a fragment; choose its thread with '--thread T'", q->print);
        return false;
    }
    if ((*out)->space != MEM_FRAG && q->thread >= 0) {
        option_error("'--thread' needs '--print' of a fragment, and '%s' is not one", q->print);
        return false;
    }
    return true;
}

// Whether "k" is not a further case of a kernel.
static bool is_first(const struct kernel *k) {
    return !k->first_case || k->first_case == k;
}

static bool takes_long(struct session *s, const struct run_case *c) {
    for (const struct kernel *k = c->plan->kernels; k; k = k->next)
        if ((!c->kernel || c->kernel == k) && !run_leaves_out(c, k) && run_is_long(s, c, k))
            return true;
    return false;
}

// Whether "q" is nothing but a number of devices: a kernel is run for each.
static bool is_number(const struct plan *p, const struct param *q) {
    bool is = false;
    for (const struct kernel *k = p->kernels; k; k = k->next) {
        is |= family_number(k, q) > 0;
        for (int i = 0; i < k->nparams; ++i)
            if (k->param[i] == q) return false;
    }
    return is;
}

static bool bind_params(struct session *s, struct run_case *c) {
    const struct plan *p = c->plan;
    int chosen = 0, nwhen = 0;
    const int64_t *fixed = c->fixed, *first = NULL;
    // choose params for the widest variants of all kernels and for tiles at edges, if that is
    // possible and fast
    struct condition *when = NULL;
    for (const struct kernel *k = p->kernels; k; k = k->next)
        nwhen += k->nvariants ? k->variant[0].nwhen : 0;
    when = ARENA_ARRAY(&s->arena, struct condition, nwhen + 1);
    nwhen = 0;
    for (const struct kernel *k = p->kernels; k; k = k->next)
        for (int i = 0; is_first(k) && k->nvariants && i < k->variant[0].nwhen; ++i)
            when[nwhen++] = k->variant[0].when[i];
    for (int i = 0; i < 4; ++i) {
        c->sym_values = plan_choose_when(s, p, fixed, when, i % 2 ? 0 : nwhen, i < 2);
        if (!first) first = c->sym_values;
        if (c->sym_values && !takes_long(s, c)) break;
        c->sym_values = first;
    }
    if (!c->sym_values) {
        tell_no_params(s, p, fixed);
        return false;
    }
    const char *broken = plan_broken_promise(s, p, c->sym_values);
    if (broken) {
        option_error("%s", broken);
        return false;
    }
    for (int i = 0; i < p->nparams; ++i)
        if (!p->param[i]->sum && !p->param[i]->apart && !is_number(p, p->param[i]) &&
            fixed[p->param[i]->sym->id] == PLAN_UNBOUND)
            fprintf(stderr, "%s%s = %" PRId64,
                    chosen++ ? ", " : "tcpc: chosen: ", p->param[i]->name,
                    c->sym_values[p->param[i]->sym->id]);
    if (chosen) fputs(" (set one with --param NAME=N)\n", stderr);
    return true;
}

// -- the run --------------------------------------------------------------------------------------

static bool write_text(struct session *s, const struct workplace *w, const char *name,
                       const char *text) {
    const char *path = arena_printf(&s->arena, "%s/%s", w->path, name);
    return output_write(s, path, text, strlen(text)) == EXIT_RIGHT;
}

// Prints a thread's frag like the harness prints tensors: a line for each row of the first two
// modes.
static void print_frag(struct session *s, const struct run_case *c, const struct tensor *t,
                       int thread, struct image *img) {
    struct oracle_flat f;
    if (!oracle_flatten(t->layout, c->sym_values, &f)) return;
    int64_t rows = 1, columns = f.size;
    if (t->layout.shape->rank > 1) {
        struct oracle_flat first;
        const struct lay mode = {.shape = t->layout.shape->kid[0],
                                 .stride = t->layout.stride->kid[0]};
        if (oracle_flatten(mode, c->sym_values, &first) && first.size > 0) {
            rows = first.size;
            columns = f.size / rows;
        }
    }
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t i = 0; i < columns; ++i) {
            int64_t at = f.offset + oracle_flat_at(&f, r + i * rows);
            int64_t tag =
                image_load(img, image_frag(t->id), image_own(thread, oracle_each(s, t), at));
            printf("%s", i ? " " : "");
            if (tag == IMAGE_POISON)
                putchar('-');
            else
                printf("%" PRId64, image_tag_offset(tag));
        }
        putchar('\n');
    }
}

static bool uses(const struct kernel *k, const struct tensor *t) {
    for (int i = 0; i < k->nlocal; ++i)
        if (k->local[i] == t) return true;
    return false;
}

// Computes the meaning of each kernel and writes it to files for the program.  Keeps the image that
// contains "frag" (or NULL).  Returns the exit status.
static int write_expected(struct session *s, const struct run_case *c, const struct workplace *w,
                          const struct tensor *frag, struct image **kept) {
    for (const struct kernel *k = c->plan->kernels; k; k = k->next) {
        if ((c->kernel && c->kernel != k) || run_leaves_out(c, k)) continue;
        struct image *img = image_new();
        struct oracle_report report;
        struct sample_set everything = {
            .all_blocks = true, .all_iterations = true, .pages = run_pages(c, k)};
        bool right = oracle_run(s, c->plan, k, c->sym_values, &everything, img, &report);
#ifdef __GLIBC__
        malloc_trim(0);  // the memory freed by the oracle is scattered between that of the image
#endif
        const char *why = right ? run_write_expected(s, c, k, img, w->path) : report.text;
        if (workplace_interrupted(w)) return EXIT_WRONG;
        if (frag && uses(k, frag) && !*kept)
            *kept = img;
        else
            image_free(img);
        bool large = !right && report.kind == ORACLE_TOO_LARGE;
        if (large) why = arena_printf(&s->arena, "%s: %s", why, run_instead(c));
        if (why) {
            option_error("kernel '%s': %s", k->name, why);
            return right || large ? EXIT_USAGE : EXIT_WRONG;
        }
    }
    return EXIT_RIGHT;
}

static int run_program(struct session *s, const struct run_request *q, const struct workplace *w,
                       bool print) {
    const char *argv[11];
    int n = 0;
    argv[n++] = arena_printf(&s->arena, "%s/run", w->path);
    argv[n++] = "--data";
    argv[n++] = w->path;
    if (print) {
        argv[n++] = "--print";
        argv[n++] = q->print;
    }
    if (q->time) argv[n++] = "--time";
    if (q->repeats) argv[n++] = arena_printf(&s->arena, "%lld", (long long)q->repeats);
    if (q->no_check) argv[n++] = "--no-check";
    if (q->json) argv[n++] = "--json";
    argv[n] = NULL;
    return toolchain_run(w, argv, RUN_SECONDS);
}

// Claims the files of the folder; reports the reason if that fails.
static bool claim_files(struct session *s, const struct run_request *q, const struct run_case *c,
                        const struct workplace *w, struct keep *k) {
    int most = 5;
    for (const struct kernel *x = c->plan->kernels; x; x = x->next) most += x->nformals;
    keep_init(s, k, w->path, most);
    keep_add(s, k, "plan.cu", false);
    keep_add(s, k, "main.cpp", false);
    if (!q->write) {
        keep_add(s, k, "run", true);
        keep_add(s, k, "build.log", true);
    }
    for (const struct kernel *x = q->no_check ? NULL : c->plan->kernels; x; x = x->next)
        for (int i = 0; i < x->nformals; ++i)
            if (x->formal[i].dir != ARG_IN && (!c->kernel || c->kernel == x) &&
                !run_leaves_out(c, x))
                keep_add(s, k, run_expected_name(s, x, x->formal[i].tensor), false);
    return keep_claim(s, k, q->write || q->keep);
}

// On a terminal, prints which slow step is running, on a line that the next one overwrites.
static void tell_step(const char *what) {
    const char *term = getenv("TERM");
    if (!isatty(STDERR_FILENO) || !term || strcmp(term, "dumb") == 0) return;
    fprintf(stderr, "\r\033[K%s", what);
    fflush(stderr);
}

// After a failed build: what the headers of extern functions must contain.
static void tell_externs(const struct kir *kir, bool gpu) {
    for (int i = 0; i < kir->nprototypes; ++i)
        option_say("the emitted code calls this extern function: %s", kir->prototype[i]);
    if (kir->nprototypes && !gpu)
        option_say(
            "without a GPU its header is compiled as C++, where CUDA's headers and functions "
            "do not exist: keep them within '#ifdef __CUDACC__'");
}

// Builds and runs the program in folder "w"; returns the exit status.
static int run_in(struct session *s, const struct run_request *q, const struct run_case *c,
                  const struct toolchain *tools, const struct workplace *w, const char *text,
                  const struct tensor *printed) {
    struct buf main_text;
    struct image *kept = NULL;
    int code = EXIT_USAGE;
    buf_init(&main_text);
    const struct tensor *frag = printed && printed->space == MEM_FRAG ? printed : NULL;
    const char *why = run_write_main(s, c, &main_text);
    if (why)
        option_error("%s", why);
    else {
        tell_step("computing what the plan means");
        code = q->no_check ? EXIT_RIGHT : write_expected(s, c, w, frag, &kept);
    }
    if (!code &&
        (!write_text(s, w, "plan.cu", text) || !write_text(s, w, "main.cpp", main_text.text)))
        code = EXIT_USAGE;
    if (!code && !q->write) {
        tell_step("building");
        code = toolchain_build(s, tools, w);
        if (code) tell_externs(c->kir, tools->gpu);
    }
    tell_step("");
    if (!code && !q->write) code = run_program(s, q, w, printed && !frag);
    if (!code && frag && kept) print_frag(s, c, frag, (int)q->thread, kept);
    if (!workplace_interrupted(w)) image_free(kept);
    buf_release(&main_text);
    return code;
}

static int cannot_build(const char *folder) {
    int why = errno;
    return folder ? option_error("cannot build in '%s': %s", folder, strerror(why))
                  : option_error("no folder to build in: %s", strerror(why));
}

static int build_and_run(struct session *s, const struct run_request *q, const struct run_case *c,
                         const char *text, const struct tensor *printed) {
    struct toolchain tools = {0};
    struct workplace w;
    struct keep k = {0};
    int code = EXIT_USAGE;
    bool mesh = c->kir->meshes;
    if (mesh && q->gpu)
        return option_error(
            "'--gpu' cannot run a plan over a mesh: 'run' has all devices in one process of the "
            "host; leave '--gpu' out");
    if (!q->write && !toolchain_find(&tools, mesh ? -1 : q->gpu - q->host, "'--gpu'", q->cxx,
                                     c->plan->arch_name))
        return EXIT_USAGE;
    const char *slash = strrchr(q->path, '/');
    tools.plan_folder =
        slash ? arena_strndup(&s->arena, q->path, (size_t)(slash - q->path) + 1) : ".";
    tools.optimize = takes_long(s, c);
    if (!workplace_open(&w, q->write ? q->write : q->keep, !q->write))
        return cannot_build(q->write ? q->write : q->keep);
    s->given_up = workplace_interrupted;
    s->given_up_by = &w;
    if (claim_files(s, q, c, &w, &k)) code = run_in(s, q, c, &tools, &w, text, printed);
    if (workplace_interrupted(&w) || (q->write && code != EXIT_RIGHT)) keep_undo(&k);
    s->given_up = NULL;
    workplace_close(&w);
    return code;
}

int run_plan(struct session *s, const struct run_request *q) {
    struct compiled made;
    int status = compile_product(s, q->path, PRODUCT_CUDA, &made);
    diag_print(s, stderr);
    if (status != EXIT_RIGHT) return status;
    if (!output_spares_inputs(s, "-")) return EXIT_USAGE;
    struct run_case c = {.plan = made.plan, .kir = made.kir};
    const struct tensor *printed;
    c.fixed = tell_fixed(s, c.plan, &q->params);
    if (!c.fixed || !find_kernel(q, &c) || !find_printed(q, &c, &printed) || !bind_params(s, &c))
        return EXIT_USAGE;
    if (!c.plan->kernels)
        return option_error(
            c.plan->devices ? "'%s' has no kernel to run; 'tcpc --emit=header' makes a header of "
                              "its device functions"
                            : "'%s' has no kernel to run",
            q->path);
    for (const struct kernel *k = c.plan->kernels; k; k = k->next) {
        bool out = (c.kernel && c.kernel != k) || run_leaves_out(&c, k);
        const char *why = out ? NULL : run_too_large(s, &c, k, !q->no_check);
        if (why) return option_error("%s", why);
    }
    run_tell_left_out(s, &c);
    c.print = printed && printed->space != MEM_FRAG ? q->print : NULL;
    return build_and_run(s, q, &c, made.text, printed);
}

static const char usage[] =
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

int command_run(int argc, char **argv) {
    struct session s;
    struct run_request q = {.thread = -1};
    const struct option_row rows[] = {{"--kernel", .text = &q.kernel},
                                      {"--print", .text = &q.print},
                                      {"--param", .settings = &q.params},
                                      {"--json", .flag = &q.json},
                                      {"--watch", .flag = &q.watch},
                                      {"--thread", .number = &q.thread, .most = 1023,
                                       .takes = "a thread, 0 .. 1023"},
                                      RUN_ROWS(q, NULL),
                                      BUILD_ROWS(q, NULL),
                                      {0}};
    struct option_words w = {"run", usage, rows, .most = 1};
    session_init(&s);
    option_files(&s, argc, argv);
    int code = option_words(&s, &w, argc, argv);
    q.path = w.word[0];
    if (code < 0 && w.extra)
        code =
            option_error("tcpc run takes one plan, not also '%s'; a kernel is '--kernel NAME', a "
                         "param '--param NAME=N'",
                         w.extra);
    if (code < 0 && !q.path) code = (fputs(usage, stderr), EXIT_USAGE);
    if (code < 0 && q.gpu && q.host)
        code = option_error("'--gpu' cannot be combined with '--host'");
    if (code < 0 && q.no_check && (!q.time || q.print))
        code = option_error("'--no-check' needs '--time', and cannot be combined with '--print'");
    if (code < 0 && q.json && q.print)
        code = option_error("'--json' cannot be combined with '--print', which prints text");
    if (code < 0 && q.thread >= 0 && !q.print)
        code =
            option_error("'--thread' chooses whose fragment is printed; '--print NAME' is missing");
    if (code < 0 && !q.watch) code = run_plan(&s, &q);
    session_release(&s);
    if (code < 0) code = watch(q.path, command_run, argc, argv);
    return code;
}
