// Common options (see options.h).
#include "driver/options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/session.h"
#include "plan/arch.h"
#include "tell/params.h"

enum option_taken {
    OPTION_NOT,   // argv[*i] is none of these options
    OPTION_DONE,  // taken; "*i" is its last word
    OPTION_BAD,   // taken but wrong; an error was reported
};

bool option_plan_second(const char *of, const char *plan, const char *name) {
    size_t n = strlen(name);
    bool second = n > 4 && strcmp(name + n - 4, ".tcp") == 0 && access(name, R_OK) == 0;
    if (!second || strcmp(plan, "-") == 0 || access(plan, F_OK) == 0) return false;
    option_error("the plan comes first: 'tcpc %s %s %s'", of, name, plan);
    return true;
}

void option_files(struct session *s, int argc, char **argv) {
    for (int i = argc + 1; argv[i]; ++i) source_also(s, argv[i]);
}

const char *option_value(int argc, char **argv, int *i, const char *name, bool *missing) {
    const char *arg = argv[*i];
    size_t n = strlen(name);
    *missing = false;
    if (strncmp(arg, name, n) != 0) return NULL;
    if (arg[n] == '=') return arg + n + 1;
    if (arg[n] != 0) return NULL;
    const char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
    // a negative number is a value, and "-" a file
    *missing = !next || (next[0] == '-' && (next[1] == '-' || isalpha((unsigned char)next[1])));
    if (!*missing) return argv[++*i];
    if (next)
        option_error("'%s' needs a value, not '%s'", name, next);
    else
        option_error("'%s' needs a value", name);
    return "";
}

bool option_int(const char *text, int64_t *out) {
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    *out = v;
    return errno == 0 && end != text && *end == 0;
}

// Reads the value of --param.
static bool setting(struct session *s, const char *text, struct param_setting *out) {
    const char *equal = strchr(text, '='), *name = text + strspn(text, " ");
    size_t n = equal && equal > name ? (size_t)(equal - name) : 0;
    while (n && name[n - 1] == ' ') --n;
    if (n && strchr(equal, ',') && strchr(equal + 1, '=')) {
        option_error("'--param %s' names several params; each has a --param of its own", text);
        return false;
    }
    if (!n || !option_int(equal + 1, &out->value)) {
        option_error("'--param %s' is not of the form NAME=INTEGER", text);
        return false;
    }
    out->name = intern_n(s, name, n);
    return true;
}

// Collects the options at the beginnings of the lines of "help", and those of take_common.
static int options_of(struct arena *a, const char *help, const char **names, int most) {
    static const char *const common[] = {
        "-D",        "-arch",         "-Werror",       "--color", "--diagnostics",
        "--no-line", "--proof-limit", "--error-limit", "--help"};
    int n = 0;
    for (size_t i = 0; i < sizeof common / sizeof *common && n < most; ++i) names[n++] = common[i];
    for (const char *line = help; line && n < most; line = strchr(line, '\n')) {
        line += strspn(line, "\n ");
        if (*line == '-') names[n++] = arena_strndup(a, line, strcspn(line, " ,=[\n"));
    }
    return n;
}

// What to say about "word", an option of other programs, for the command "of"; or NULL.
static const char *why_none(const char *of, const char *word) {
    static const char told[] =
        "'tcpc explain PLAN' says what was decided, 'tcpc --version' the version",
                      nvcc[] = "it belongs to nvcc, which compiles the file that tcpc writes",
                      arch[] = "the architecture is '-arch=sm_90'",
                      param[] = "set a param with '--param NAME=VALUE'";
    static const struct {
        const char *of, *word, *why;  // "of" NULL: for any command
    } others[] = {
        {NULL, "-v", told},
        {NULL, "--verbose", told},
        {"", "-S", "a plan is compiled to CUDA C; nvcc makes the rest of it"},
        {"", "-ptx", "a plan is compiled to CUDA C; nvcc makes the rest of it"},
        {"", "-cubin", "a plan is compiled to CUDA C; nvcc makes the rest of it"},
        {"", "--explain", "a page of a message is 'tcpc --explain=NAME', without a plan"},
        {"", "-E", "there is no preprocessor"},
        {"", "--param",
         "the launcher takes the params; 'tcpc run', 'explain', 'draw' and 'count' have '--param'"},
        {"", "--run", "a plan is run by 'tcpc run PLAN'"},
        {"relayout", "--param",
         "an extent is a number; for sizes that come with the call write a plan of one copy"},
        {"relayout", "->", "the destination follows the source without '->'"},
        {"", "-g", nvcc},
        {"", "-std", nvcc},
        {"", "--std", nvcc},
        {"", "-shared", nvcc},
        {"", "--output", "the file is '-o FILE'"},
        {"", "--define", "a const is set by '-D NAME=VALUE'"},
        {"", "--json",
         "'--diagnostics=json' prints messages as JSON, 'tcpc explain --json' what was decided"},
        {"run", "-p", param},
        {"eval", "--watch", "'tcpc run' and 'tcpc draw' have it"},
        {"relayout", "--watch", "'tcpc run' and 'tcpc draw' have it"},
        {"explain", "--watch", "'tcpc run' and 'tcpc draw' have it"},
        {"count", "--watch", "'tcpc run' and 'tcpc draw' have it"},
        {"relayout", "--pad", "rows with gaps need layouts, as in '(64,32):(40,1)'"},
        {NULL, "-wall", "all warnings are turned on by '-Wall'"},
        {"", "-lineinfo", nvcc},
        {"", "-fPIC", nvcc},
        {NULL, "-gencode", arch},
        {NULL, "--gpu-architecture", arch},
        {NULL, "-march", arch},
        {"fmt", "-o", "the result goes to standard output, or with '-i' into the file itself"},
        {"fmt", "-w", "'-i' changes the file itself"},
        {"run", "--cpu", "'--host' runs on the CPU"},
        {"run", "-o", "'--keep DIR' leaves what was built in DIR"},
        {"run", "--size", param},
        {"run", "-M", param},
        {"run", "-N", param},
        {"tune", "--cpu", "'--host' checks on the CPU"},
        {"count", "--kernel", "the kernel comes after the plan: 'tcpc count PLAN KERNEL'"},
        {"draw", "--output", "the file is '-o FILE'"},
        {"draw", "--out", "the file is '-o FILE'"},
        {"explain", "--kernel", "the kernel comes after the plan: 'tcpc explain PLAN KERNEL'"},
        {"explain", "--explain", "a page of a message is 'tcpc --explain=NAME'"},
    };
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (strlen(others[i].word) == length && strncmp(word, others[i].word, length) == 0 &&
            (!others[i].of || strcmp(others[i].of, of) == 0))
            return others[i].why;
    if (strncmp(word, "-sm_", 4) == 0) return arch;
    if (strncmp(word, "-I", 2) == 0) return "imports are relative to the folder of their plan";
    if (strncmp(word, "-O", 2) == 0) return "there are no levels of optimisation";
    if (strncmp(word, "-c", 2) == 0) return "a plan is compiled to CUDA C, by -o FILE";
    return NULL;
}

static bool takes_output(const char *help) {
    return help && strstr(help, "\n  -o FILE");
}

int option_unknown(const char *of, const char *help, const char *word) {
    enum { MOST = 64 };
    struct arena a;
    arena_init(&a);
    const char *names[MOST], *plain[MOST], *near = NULL, *why = why_none(of, word);
    int n = options_of(&a, help, names, MOST);
    for (int i = 0; i < n; ++i) plain[i] = names[i] + strspn(names[i], "-");
    const char *bare = word + strspn(word, "-"),
               *found = diag_did_you_mean(arena_strndup(&a, bare, strcspn(bare, "=")), plain, n);
    for (int i = 0; i < n && found; ++i)
        if (plain[i] == found) near = names[i];
    const char *command = arena_printf(&a, "tcpc%s%s", *of ? " " : "", of);
    int64_t number;
    bool param = bare[strcspn(bare, "=")] && option_int(strchr(bare, '=') + 1, &number) && help &&
                 strstr(help, "--param");
    if (why)
        option_error("there is no option '%s'; %s", word, why);
    else if (strncmp(word, "-o", 2) == 0 && word[2] && takes_output(help))
        option_error("there is no option '%s'; did you mean '-o %s'?", word, word + 2);
    else if (near)
        option_error("there is no option '%s'; did you mean '%s'?", word, near);
    else if (param)
        option_error("there is no option '%s'; a param is set with '--param %s'", word, bare);
    else
        option_error("there is no option '%s'; see '%s --help'", word, command);
    arena_release(&a);
    return EXIT_USAGE;
}

static bool take_text(const struct option_row *row, const char *value) {
    bool twice = *row->text && !row->again;
    if (twice) option_error("'%s' is given twice: '%s' and '%s'", row->name, *row->text, value);
    *row->text = value;
    return !twice;
}

static bool take_setting(struct session *s, const struct option_row *row, const char *value) {
    enum { MOST = 63 };
    struct param_settings *list = row->settings;
    if (!list->of) list->of = ARENA_ARRAY(&s->arena, struct param_setting, MOST + 1);
    if (!setting(s, value, &list->of[list->n])) return false;
    if (list->n++ < MOST) return true;
    option_error("'%s' is given more than %d times", row->name, MOST);
    return false;
}

static bool take_number(struct session *s, const struct option_row *row, const char *value) {
    const char *takes = row->takes;
    int64_t n = 0;
    bool right = option_int(value, &n) && n >= row->least && n <= row->most;
    if (!takes)
        takes = arena_printf(&s->arena, "a number in %lld .. %lld", (long long)row->least,
                             (long long)row->most);
    if (right)
        *row->number = n;
    else
        option_error("'%s' takes %s, not '%s'", row->name, takes, value);
    return right;
}

// Takes the option at argv[*i] if it is that of "row".
static enum option_taken take_row(struct session *s, const struct option_row *row, int argc,
                                  char **argv, int *i) {
    bool missing = false, right = true, alone = strcmp(argv[*i], row->name) == 0;
    const char *word = argv[*i], *v = NULL;
    int64_t n;
    bool none = (row->flag && !row->number) ||
                (alone && row->optional && !(*i + 1 < argc && option_int(argv[*i + 1], &n)));
    if (none ? !alone : !(v = option_value(argc, argv, i, row->name, &missing))) return OPTION_NOT;
    if (missing) return OPTION_BAD;
    if (row->seen) *row->seen = word;
    if (row->flag) *row->flag = true;
    if (v)
        right = row->text       ? take_text(row, v)
                : row->settings ? take_setting(s, row, v)
                : row->number   ? take_number(s, row, v)
                                : row->take(row->of, v);
    return right ? OPTION_DONE : OPTION_BAD;
}

static bool define(struct session *s, const char *text) {
    const char *equal = strchr(text, '=');
    if (!equal || equal == text || !equal[1]) {
        option_error("'-D %s' is not of the form NAME=VALUE", text);
        return false;
    }
    session_define(s, text, (size_t)(equal - text), equal + 1);
    return true;
}

static bool take_arch(void *of, const char *value) {
    struct session *s = of;
    const char *why = arch_unknown(&s->arena, value);
    s->options.arch = value;
    if (why) option_error("%s", why);
    return !why;
}

static bool take_color(void *of, const char *value) {
    static const char *const when[] = {"auto", "never", "always"};
    struct session *s = of;
    for (int k = 0; k < 3; ++k)
        if (strcmp(value, when[k]) == 0) return s->diags.color = k - 1, true;
    option_error("'--color' takes auto, never or always, not '%s'", value);
    return false;
}

static bool take_diagnostics(void *of, const char *value) {
    struct session *s = of;
    s->diags.json = strcmp(value, "json") == 0;
    if (s->diags.json || strcmp(value, "text") == 0) return true;
    option_error("'--diagnostics' takes text or json, not '%s'", value);
    return false;
}

// Takes the option at argv[*i] if it is one that all commands have.
static enum option_taken take_common(struct session *s, int argc, char **argv, int *i) {
    const char *arg = argv[*i];
    int64_t proof = 0, errors = s->diags.error_limit;
    const struct option_row rows[] = {
        {"-arch", .take = take_arch, .of = s},
        {"--color", .take = take_color, .of = s},
        {"--diagnostics", .take = take_diagnostics, .of = s},
        {"--no-line", .flag = &s->options.no_line},
        {"--proof-limit", .number = &proof, .least = 1, .most = INT64_MAX,
         .takes = "a number of operations, 1 or more"},
        {"--error-limit", .number = &errors, .most = INT_MAX, .takes = "a number, 0 for no limit"}};
    enum option_taken taken = OPTION_NOT;
    if (strncmp(arg, "-D", 2) == 0) {
        const char *text = arg[2] ? arg + 2 : *i + 1 < argc ? argv[++*i] : NULL;
        if (!text) option_error("'-D' needs NAME=VALUE");
        return text && define(s, text) ? OPTION_DONE : OPTION_BAD;
    }
    if (strncmp(arg, "-W", 2) == 0 || strcmp(arg, "-w") == 0)
        return diag_option(s, arg) ? OPTION_DONE : OPTION_BAD;
    for (size_t k = 0; k < sizeof rows / sizeof *rows && taken == OPTION_NOT; ++k)
        taken = take_row(s, &rows[k], argc, argv, i);
    if (proof) s->options.proof_limit = (unsigned long)proof;
    s->diags.error_limit = (int)errors;
    return taken;
}

int option_words(struct session *s, struct option_words *w, int argc, char **argv) {
    bool plain = false;  // behind "--"
    for (int i = 0; i < argc; ++i) {
        if (!plain && strcmp(argv[i], "--") == 0) {
            plain = true;
            continue;
        }
        bool option = !plain && argv[i][0] == '-' && argv[i][1];
        enum option_taken taken = option ? take_common(s, argc, argv, &i) : OPTION_NOT;
        for (const struct option_row *row = w->row; option && row->name && !taken; ++row)
            taken = take_row(s, row, argc, argv, &i);
        if (taken == OPTION_DONE) continue;
        if (taken == OPTION_NOT && option && strcmp(argv[i], "--help") == 0)
            return fputs(w->help, stdout), EXIT_RIGHT;
        if (option) {
            if (taken == OPTION_NOT) option_unknown(w->command, w->help, argv[i]);
            diag_print(s, stderr);
            return EXIT_USAGE;
        }
        if (w->n == w->most) {
            w->extra = argv[i];
            break;
        }
        w->word[w->n++] = argv[i];
    }
    return -1;
}
