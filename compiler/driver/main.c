// tcpc: the command line.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/buf.h"
#include "base/session.h"
#include "compile/compile.h"
#include "driver/commands.h"
#include "driver/depfile.h"
#include "driver/fix.h"
#include "driver/options.h"
#include "driver/response.h"
#include "prove/prove.h"
#include "run/output.h"
#include "tell/pages.h"

static const char help[] =
    "usage: tcpc [options] PLAN.tcp [-o FILE]    compile a copy plan to CUDA C\n"
    "       tcpc run PLAN.tcp                    compile, build and run, and compare with the "
    "plan's meaning\n"
    "       tcpc relayout TYPE SOURCE DESTINATION   plan and compile a copy from one layout to "
    "another\n"
    "       tcpc tune PLAN.tcp                   time candidates of a planned copy on the GPU, "
    "write the best\n"
    "       tcpc explain PLAN.tcp [NAME]         say what the compiler chose for each copy, and "
    "why\n"
    "       tcpc count PLAN.tcp [KERNEL]         say what the profiler would count for each "
    "launch\n"
    "       tcpc draw PLAN.tcp NAME [-o x.svg]   draw a tiled copy, a layout, a tensor or a "
    "kernel\n"
    "       tcpc eval EXPRESSION | -             evaluate layout expressions\n"
    "       tcpc fmt PLAN.tcp                    print a plan in canonical format\n\n"
    "  -o FILE             write to FILE; '-' is standard output; default: PLAN.cu in the current "
    "folder\n"
    "  --emit=KIND         what to write: cuda (default), header (launchers, device functions), "
    "ast, plan, kernel\n"
    "  --dump-after=PASS   print the plan after a pass to standard output\n"
    "  --no-line           leave out the #line directives, which show profilers the copy of an "
    "access\n"
    "  -arch=sm_NN         the architecture to compile for, instead of the plan's; default sm_80\n"
    "  -D NAME=VALUE       the value of a const, instead of the plan's\n"
    "  -Wname -Wno-name    turn a warning on or off; -Wall turns all on, -w all off\n"
    "  -Werror[=name]      make all warnings, or one, errors; -Wno-error=name excludes one\n"
    "  --error-limit=N     stop after N errors; 0 is no limit; default 20\n"
    "  --proof-limit=N     give up a proof after N operations of isl; default 250000\n"
    "  --color=WHEN        auto (default), always, never\n"
    "  --diagnostics=KIND  text (default) or json\n"
    "  --fix               apply the fix-its of errors and warnings to PLAN, and write no output\n"
    "  --explain=NAME      print the page of a message that ends in [-WNAME] or "
    "[--explain=NAME]\n"
    "  -MD                 also write the dependencies of the output for make, to a file that "
    "ends in .d\n"
    "  -MF FILE            the name of that file\n"
    "  -MT TARGET          the target in that file; default: the output\n"
    "  @FILE               read more arguments from FILE\n"
    "  --version, -V       print the version\n"
    "  --help, -h          print this text; 'tcpc COMMAND --help' prints the options of a "
    "command\n\n"
    "exit status: 0 success, 1 the plan is wrong or its run failed, 2 wrong usage, a name that\n"
    "the plan does not have, input and output errors, or out of memory\n";

struct request {
    const char *input, *output;
    const char *of_output;  // an option that is about the output, or NULL
    enum product emit;
    struct depfile dep;
    bool fix;
};

static bool take_emit(void *of, const char *kind) {
    struct request *r = of;
    const char *names[N_PRODUCTS];
    for (int i = 0; i < N_PRODUCTS; ++i) {
        names[i] = product_name((enum product)i);
        r->emit = (enum product)i;
        if (strcmp(kind, names[i]) == 0) return true;
    }
    const char *near = diag_did_you_mean(kind, names, N_PRODUCTS);
    option_error("'--emit' takes ast, plan, kernel, cuda or header, not '%s'%s%s%s", kind,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

static bool take_dump(void *of, const char *pass) {
    struct session *s = of;
    const char *names[N_STEPS];
    int n = 0;
    for (int i = 0; i < N_STEPS; ++i) {
        const char *name = step_name((enum step)i);
        if (!name) continue;
        names[n++] = name;
        if (strcmp(name, pass) == 0) {
            s->options.dump_after = name;
            return true;
        }
    }
    const char *near = diag_did_you_mean(pass, names, n);
    option_error("there is no pass '%s'%s%s%s", pass, near ? "; did you mean '" : "",
                 near ? near : "", near ? "'?" : "");
    if (!near) {
        fputs("the passes are", stderr);
        for (int i = 0; i < n; ++i) fprintf(stderr, "%s %s", i ? "," : "", names[i]);
        fputc('\n', stderr);
    }
    return false;
}

// "dir/plan.tcp" -> "plan.cu"
static const char *default_output(struct session *s, const char *input, const char *ending) {
    if (strcmp(input, "-") == 0) return "-";
    const char *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input;
    size_t n = strlen(name);
    if (n > 4 && strcmp(name + n - 4, ".tcp") == 0) n -= 4;
    return arena_printf(&s->arena, "%.*s%s", (int)n, name, ending);
}

// Writes the dependency file, then the output.  The output is not written without it, because make
// would not make it again.
static int write_both(struct session *s, const char *to, const struct buf *text,
                      const char *dep_path, const struct buf *dep) {
    bool was = access(dep_path, F_OK) == 0;
    bool spares = output_spares_inputs(s, to) && output_spares_plans(to);
    int status = spares ? output_write(s, dep_path, dep->text, dep->len) : EXIT_USAGE;
    if (status) return status;
    if (output_same(to, dep_path))
        status = option_error("'%s' would be both the output and its dependency file", to);
    else
        status = output_write(s, to, text->text, text->len);
    if (status && !was) unlink(dep_path);
    return status;
}

// Whether "path" has the ending of a product of nvcc.
static bool of_nvcc(const char *path) {
    static const char *const endings[] = {".ptx", ".cubin", ".fatbin", ".o", ".so", ".a", ".exe"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; ++i)
        if (strcmp(dot, endings[i]) == 0) return true;
    return false;
}

static int compile(struct session *s, const struct request *r) {
    // dumps are to be looked at
    const char *to = r->output                   ? r->output
                     : r->emit == PRODUCT_CUDA   ? default_output(s, r->input, ".cu")
                     : r->emit == PRODUCT_HEADER ? default_output(s, r->input, ".cuh")
                                                 : "-";
    if (r->output && of_nvcc(to))
        return option_error("'%s' would be CUDA C; write to a '.cu', which nvcc compiles", to);
    if (!depfile_check(&r->dep, to) || (r->fix && !fix_can(r->input))) return EXIT_USAGE;
    if (strcmp(to, "-") != 0) s->options.emitted = to;
    struct compiled c;
    int status = compile_by_kernel(s, r->input, r->emit, &c);
    if (c.dumped && output_write(s, "-", c.dumped, strlen(c.dumped))) return EXIT_USAGE;
    diag_print(s, stderr);
    if (r->fix && status != EXIT_USAGE) {
        int fixed = fix_apply(s, r->input);
        return fixed ? fixed : status;
    }
    if (status) return status;
    struct buf b = {.text = (char *)c.text, .len = strlen(c.text)}, dep;
    buf_init(&dep);
    if (r->dep.wanted && !depfile_text(s, &r->dep, to, &dep)) status = EXIT_USAGE;
    if (!status && r->dep.wanted)
        status = write_both(s, to, &b, depfile_path(s, &r->dep, to), &dep);
    else if (!status)
        status = output_other(s, to, b.text, b.len);
    buf_release(&dep);
    return status;
}

static const struct command {
    char name[10];
    int (*run)(int argc, char **argv);
} commands[] = {{"run", command_run},     {"relayout", command_relayout},
                {"tune", command_tune},   {"explain", command_explain},
                {"count", command_count}, {"draw", command_draw},
                {"eval", command_eval},   {"fmt", command_fmt}};

// The command that "word" was probably meant to be, or NULL, for example for a file's name.
static const char *near_command(const char *word) {
    static const char others[][2][10] = {{"format", "fmt"},         {"test", "run"},
                                         {"plot", "draw"},          {"show", "draw"},
                                         {"view", "draw"},          {"profile", "count"},
                                         {"why", "explain"},        {"evaluate", "eval"},
                                         {"transpose", "relayout"}, {"permute", "relayout"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (strcmp(word, others[i][0]) == 0) return others[i][1];
    const char *names[sizeof commands / sizeof commands[0]];
    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; ++i) names[i] = commands[i].name;
    return strpbrk(word, "./") ? NULL
                               : diag_did_you_mean(word, names, sizeof names / sizeof *names);
}

// What others call the command that has no name here, where "word" is that or close to it.
static const char *compiling(const char *word) {
    static const char *const words[] = {"compile", "check", "build", "lint"};
    return diag_did_you_mean(word, words, sizeof words / sizeof *words);
}

// Whether "word" looks like the name of a command and not of a file.
static bool only_word(const char *word) {
    return !strpbrk(word, "./") && access(word, F_OK) != 0;
}

// Reports that "plan" was taken for the plan and "word" follows it.
static int second_word(const char *plan, const char *word) {
    const char *meant = near_command(plan), *compile = compiling(plan);
    if (compile && (strcmp(compile, plan) == 0 || (!meant && only_word(plan))))
        return option_error("'%s' is not a command; 'tcpc %s' compiles a plan", plan, word);
    if (meant && strcmp(meant, plan) == 0)
        return option_error("the command '%s' comes first, before its options", plan);
    if (meant) return option_error("'%s' is not a command; did you mean '%s'?", plan, meant);
    if (only_word(plan))
        return option_error(
            "'%s' is neither a command nor a plan; 'tcpc --help' lists the commands", plan);
    return option_error("one plan at a time: '%s' and '%s'", plan, word);
}

static int command_compile(int argc, char **argv) {
    struct session s;
    struct request r = {.emit = PRODUCT_CUDA};
    const struct option_row rows[] = {
        {"--fix", .flag = &r.fix},
        {"--dump-after", .take = take_dump, .of = &s},
        {"-o", .text = &r.output, .seen = &r.of_output},
        {"-MD", .flag = &r.dep.wanted, .seen = &r.of_output},
        {"-MF", .text = &r.dep.path, .again = true, .seen = &r.of_output},
        {"-MT", .text = &r.dep.target, .again = true, .seen = &r.of_output},
        {"--emit", .take = take_emit, .of = &r, .seen = &r.of_output},
        {0}};
    struct option_words w = {"", help, rows, .most = 1};
    session_init(&s);
    option_files(&s, argc, argv);
    int status = option_words(&s, &w, argc - 1, argv + 1);
    r.input = w.word[0];
    if (status < 0 && w.extra) status = second_word(r.input, w.extra);
    if (status < 0 && !r.input) status = option_error("no plan is given; see 'tcpc --help'");
    if (status < 0 && r.fix && r.of_output)
        status = option_error("'%s' is about the output; '--fix' changes the plan and writes none",
                              r.of_output);
    if (status < 0) status = compile(&s, &r);
    session_release(&s);
    return status;
}

// Prints the page of a message.
static int explain_page(const char *name) {
    enum { MOST = 64 };
    const char *known[MOST] = {NULL};
    int n = 0;
    for (int i = 0; i < n_pages; ++i) {
        if (strcmp(pages[i].name, name) == 0) return fputs(pages[i].text, stdout), EXIT_RIGHT;
        if (n < MOST) known[n++] = pages[i].name;
    }
    const char *near = diag_did_you_mean(name, known, n);
    option_error("there is no page '%s'%s%s%s", name, near ? "; did you mean '" : "",
                 near ? near : "", near ? "'?" : "");
    fputs("the pages are", stderr);
    for (int i = 0; i < n_pages; ++i) fprintf(stderr, "%s %s", i ? "," : "", pages[i].name);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

// Replaces "-h", "-V", "help" and "version" by their long options.
static void long_words(int argc, char **argv) {
    static char help_option[] = "--help", version[] = "--version";
    if (argc > 1 && strcmp(argv[1], "help") == 0 && access(argv[1], F_OK) != 0) {
        if (argc > 2) argv[1] = argv[2];
        argv[argc > 2 ? 2 : 1] = help_option;
    }
    if (argc > 1 && strcmp(argv[1], "-V") == 0) argv[1] = version;
    if (argc == 2 && strcmp(argv[1], "version") == 0 && access(argv[1], F_OK) != 0)
        argv[1] = version;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
        if (strcmp(argv[i], "-h") == 0) argv[i] = help_option;
}

// Executes the words of the command line, after response files are expanded.
static int command(int argc, char **argv) {
    long_words(argc, argv);
    for (int i = 1; i < argc; ++i) {
        bool missing;
        const char *page;
        if (strcmp(argv[i], "--version") == 0) {
            printf("tcpc " TCPC_VERSION ", proofs by %s\n", prove_version());
            return EXIT_RIGHT;
        }
        if (i == 1 && strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return EXIT_RIGHT;
        }
        if (i == 1 && (page = option_value(argc, argv, &i, "--explain", &missing)))
            return missing ? EXIT_USAGE : explain_page(page);
        if (argv[i][0] != '-') break;
    }
    for (unsigned i = 0; argc > 1 && i < sizeof commands / sizeof commands[0]; ++i) {
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 2, argv + 2);
    }
    return command_compile(argc, argv);
}

// Keeps freed memory for the next kernel instead of returning it to the system page by page, which
// would take a sixth of the time for a plan with many kernels.
static void keep_memory(void) {
#ifdef __GLIBC__
    enum { KEPT = 64 << 20, MAPPED = 32 << 20 };
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_MMAP_THRESHOLD, MAPPED);
#endif
}

int main(int argc, char **argv) {
    keep_memory();
    signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit then fails and is reported
    struct arena words;
    arena_init(&words);
    int status = response_expand(&words, &argc, &argv) ? command(argc, argv) : EXIT_USAGE;
    arena_release(&words);
    // the reason of an earlier failed write is not known if the rest can be written
    const char *lost = ferror(stdout) ? "not all of it was written" : NULL;
    if (fflush(stdout) != 0) lost = strerror(errno);
    if (lost && status != EXIT_USAGE)
        status = option_error("cannot write to standard output: %s", lost);
    return status;
}
