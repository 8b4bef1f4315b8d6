// tcpc relayout TYPE SOURCE DESTINATION: plans a relayout, and compiles or runs the plan.
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "compile/compile.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "driver/output.h"
#include "driver/run_options.h"
#include "image/elem.h"
#include "plan/arch.h"
#include "planner/planner.h"

static const char help[] =
    "usage: tcpc relayout [OPTIONS] TYPE 'NAME=EXTENT ..' 'NAME ..'\n"
    "       tcpc relayout [OPTIONS] TYPE LAYOUT LAYOUT\n"
    "       tcpc relayout [OPTIONS] 'TYPE -> TYPE' ..\n"
    "  A kernel that brings elements of TYPE from the source's order into the destination's: "
    "names\n"
    "  with extents, row-major, the last one contiguous, and the same names in another order; or "
    "a\n"
    "  layout of each side, such as '(64,32):(32,1)' '(64,32):(1,64)'.  With 'f32 -> f16' each "
    "element\n"
    "  is converted.\n"
    "  -o FILE           write to FILE; '-' is standard output; default: NAME.cu\n"
    "  --emit=KIND       what to write: cuda (default), plan-text (the plan, to be edited), "
    "header,\n"
    "                    ast, plan, kernel\n"
    "  --name=NAME       the kernel's name; default: relayout\n"
    "  --align=BYTES     what the addresses of both sides are multiples of; default 16\n"
    "  --candidate=N     the N-th choice behind the best one by the planner's cost; default 0\n"
    "  --run             build, run and compare each element, as 'tcpc run' does; with its "
    "options\n"
    "                    --time [N], --no-check, --gpu, --host, --cxx CMD, --keep DIR, --write "
    "DIR\n"
    "  -arch=sm_NN, -W..., --diagnostics=KIND: as for compiling\n";

struct request {
    const char *word[3];
    int nwords;
    const char *output, *name, *kind;  // NULL: not given
    int align, candidate;
    bool run, help;
    const char *of_run;  // an option that goes with --run
    struct run_request q;
};

static bool goes_with_run(const char *word) {
    static const char *const names[] = {"--time", "--no-check", "--gpu",  "--host",
                                        "--cxx",  "--keep",     "--write"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; ++i) {
        size_t n = strlen(names[i]);
        if (strncmp(word, names[i], n) == 0 && (word[n] == 0 || word[n] == '=')) return true;
    }
    return false;
}

static bool take_align(struct request *r, const char *text) {
    int64_t n;
    if (!option_int(text, &n) || n < 1 || n > 4096 || (n & (n - 1))) {
        option_error("'--align' takes a power of 2 in 1 .. 4096, not '%s'", text);
        return false;
    }
    r->align = (int)n;
    return true;
}

static bool take_candidate(struct request *r, const char *text) {
    int64_t n;
    if (!option_int(text, &n) || n < 0 || n >= RELAYOUT_CANDIDATES) {
        option_error("'--candidate' takes a number in 0 .. %d, not '%s'", RELAYOUT_CANDIDATES - 1,
                     text);
        return false;
    }
    r->candidate = (int)n;
    return true;
}

static bool take_word(struct session *s, struct request *r, int argc, char **argv, int *i) {
    const char *arg = argv[*i], *v;
    bool missing;
    if ((v = option_value(argc, argv, i, "-o", &missing))) return r->output = v, !missing;
    if ((v = option_value(argc, argv, i, "--emit", &missing))) return r->kind = v, !missing;
    if ((v = option_value(argc, argv, i, "--name", &missing))) return r->name = v, !missing;
    if ((v = option_value(argc, argv, i, "--align", &missing))) return !missing && take_align(r, v);
    if ((v = option_value(argc, argv, i, "--candidate", &missing)))
        return !missing && take_candidate(r, v);
    if (goes_with_run(arg)) {
        r->of_run = arg;
        return run_take_word(s, &r->q, argc, argv, i);
    }
    if (strcmp(arg, "--run") == 0) return r->run = true;
    if (strcmp(arg, "--help") == 0) return r->help = true;
    if (arg[0] == '-' && arg[1]) {
        option_error("'%s' is no option of tcpc relayout", arg);
        return false;
    }
    if (r->nwords == 3) {
        option_error("tcpc relayout takes a type, a source and a destination, not also '%s'", arg);
        return false;
    }
    r->word[r->nwords++] = arg;
    return true;
}

static bool is_name(const char *text) {
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return n > 0 && !text[n] && !(text[0] >= '0' && text[0] <= '9');
}

// The type that is "text" but for blanks around it; NULL after an error.
static const struct elem_type *take_type(struct session *s, const char *text, size_t len) {
    while (len && *text == ' ') ++text, --len;
    while (len && text[len - 1] == ' ') --len;
    const char *word = arena_strndup(&s->arena, text, len);
    const struct elem_type *type = elem_type_find(word);
    if (type) return type;
    const char *known[64], *near;
    int n = 0;
    for (; n < n_elem_types && n < 64; ++n) known[n] = elem_types[n].name;
    near = diag_did_you_mean(word, known, n);
    option_error("there is no type '%s'%s%s%s", word, near ? "; did you mean '" : "",
                 near ? near : "", near ? "'?" : "");
    return NULL;
}

// "f16", or "f32 -> f16".
static bool take_types(struct session *s, const char *text, struct relayout *p) {
    const char *arrow = strstr(text, "->");
    p->type = take_type(s, text, arrow ? (size_t)(arrow - text) : strlen(text));
    if (!p->type || !arrow) return p->type != NULL;
    p->to = take_type(s, arrow + 2, strlen(arrow + 2));
    if (!p->to) return false;
    if (p->to == p->type) {
        p->to = NULL;
    } else if (!elem_converts(p->type, p->to)) {
        option_error("%s does not become %s: numbers are converted, not bits as such",
                     p->type->name, p->to->name);
        return false;
    }
    return true;
}

// The text of the plan; NULL after an error.
static const char *plan_text(struct session *s, const struct request *r) {
    struct relayout p = {.candidate = r->candidate};
    if (!take_types(s, r->word[0], &p)) return NULL;
    const char *why = relayout_read(s, r->word[1], r->word[2], &p);
    int size = p.type->bits / 8, to_size = p.to ? p.to->bits / 8 : size;
    const char *near_arch;
    p.arch = arch_find(s->options.arch ? s->options.arch : ARCH_DEFAULT, &near_arch);
    p.shared = arch_shared_bytes(p.arch);
    p.src_align = r->align > size ? r->align : size;
    p.dst_align = r->align > to_size ? r->align : to_size;
    if (!why) why = relayout_coalesce(s, &p);
    if (why) {
        option_error("%s", why);
        return NULL;
    }
    struct buf b;
    buf_init(&b);
    buf_printf(&b, "// %s from '%s' to '%s', planned by tcpc.\ntcp 1;\n", r->word[0], r->word[1],
               r->word[2]);
    if (s->options.arch) buf_printf(&b, "arch %s;\n", s->options.arch);
    buf_char(&b, '\n');
    struct relayout_names names = {r->name, "A", "B"};
    if (!(why = relayout_kernel(s, &p, &names, &b))) return buf_finish(&b, &s->arena);
    buf_release(&b);
    option_error("%s", why);
    return NULL;
}

static int write_out(struct session *s, const struct request *r, const char *ending,
                     const char *text) {
    const char *to = r->output ? r->output
                     : ending  ? arena_printf(&s->arena, "%s%s", r->name, ending)
                               : "-";
    return output_write(s, to, text, strlen(text));
}

static int compile(struct session *s, const struct request *r, const char *path) {
    enum product p = PRODUCT_CUDA;
    if (r->kind)
        for (p = 0; p < N_PRODUCTS && strcmp(r->kind, product_name(p)) != 0;) ++p;
    if (p == N_PRODUCTS)
        return option_error("'--emit' takes cuda, plan-text, header, ast, plan or kernel, not '%s'",
                            r->kind);
    const char *ending = p == PRODUCT_CUDA ? ".cu" : p == PRODUCT_HEADER ? ".cuh" : NULL;
    if (!r->output && ending) s->options.emitted = arena_printf(&s->arena, "%s%s", r->name, ending);
    if (r->output && strcmp(r->output, "-") != 0) s->options.emitted = r->output;
    struct compiled c;
    int status = compile_product(s, path, p, &c);
    diag_print(s, stderr);
    return status ? status : write_out(s, r, ending, c.text);
}

static int relayout(struct session *s, struct request *r) {
    if (r->nwords < 3)
        return option_error(
            "tcpc relayout takes a type, a source and a destination; see 'tcpc relayout --help'");
    if (!r->run && r->of_run) return option_error("'%s' goes with '--run'", r->of_run);
    if (r->run && (r->output || r->kind))
        return option_error("'--run' goes without '-o' and '--emit'");
    if (r->q.no_check && !r->q.time) return option_error("'--no-check' goes with '--time'");
    if (!is_name(r->name)) return option_error("'%s' is no name of a kernel", r->name);
    const char *text = plan_text(s, r);
    if (!text) return EXIT_USAGE;
    if (r->kind && strcmp(r->kind, "plan-text") == 0) return write_out(s, r, NULL, text);
    const char *path = arena_printf(&s->arena, "%s.tcp", r->name);
    struct given *given = ARENA_NEW(&s->arena, struct given);
    *given = (struct given){path, text, strlen(text), NULL};
    s->sources.given = given;
    r->q.path = path;
    // the planner wrote the plan: there is no text of the user's to mend
    for (int w = W_COALESCE; w <= W_IDLE_THREADS; ++w) s->diags.off[w] = true;
    return r->run ? run_plan(s, &r->q) : compile(s, r, path);
}

int command_relayout(int argc, char **argv) {
    struct session s;
    struct request r = {.name = "relayout", .align = 16, .q = {.thread = -1}};
    int code = -1;
    session_init(&s);
    option_files(&s, argc, argv);
    for (int i = 0; i < argc && code < 0; ++i) {
        enum option_taken taken = option_common(&s, argc, argv, &i);
        if (taken == OPTION_BAD || (taken == OPTION_NOT && !take_word(&s, &r, argc, argv, &i))) {
            diag_print(&s, stderr);
            code = EXIT_USAGE;
        }
    }
    if (code < 0 && (r.help || argc == 0)) {
        fputs(help, r.help ? stdout : stderr);
        code = r.help ? EXIT_RIGHT : EXIT_USAGE;
    }
    if (code < 0) code = relayout(&s, &r);
    session_release(&s);
    return code;
}
