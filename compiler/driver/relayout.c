// tcpc relayout TYPE SOURCE DESTINATION: plans a relayout, and compiles or runs the plan.
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "base/warnings.h"
#include "compile/compile.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "driver/run_options.h"
#include "driver/tune.h"
#include "explain/explain.h"
#include "image/elem.h"
#include "plan/arch.h"
#include "planner/planner.h"
#include "run/output.h"
#include "syntax/foreign.h"
#include "tell/expression.h"

static const char help[] =
    "usage: tcpc relayout [OPTIONS] TYPE 'NAME=EXTENT ..' 'NAME ..'\n"
    "       tcpc relayout [OPTIONS] TYPE LAYOUT LAYOUT\n"
    "       tcpc relayout [OPTIONS] 'TYPE -> TYPE' ..\n"
    "  Makes a kernel that copies elements of TYPE from the source's order to the destination's.\n"
    "  The source is names with extents, row-major: the last one is contiguous. The destination "
    "is\n"
    "  the same names in another order. 'pitch N' after a name says that its rows are N elements\n"
    "  apart: 'h=8 w=100 pitch 128'. Or each side is a layout, such as '(64,32):(32,1)'\n"
    "  '(64,32):(1,64)'. With 'f32 -> f16' each element is converted.\n"
    "  -o FILE           write to FILE; '-' is standard output; default: NAME.cu\n"
    "  --emit=KIND       what to write: cuda (default), plan-text (the plan as source), "
    "header,\n"
    "                    ast, plan, kernel\n"
    "  --name=NAME       the kernel's name; default: relayout\n"
    "  --align=BYTES     the alignment of the addresses of both sides; default 16,\n"
    "                    or one for each: --align=SOURCE,DESTINATION\n"
    "  --candidate=N     take the N-th choice after the planner's best one; default 0\n"
    "  --explain         say what was chosen and why, and what it moves, as 'tcpc explain' does\n"
    "  --run             build, run and compare each element, as 'tcpc run' does; with the "
    "options\n"
    "                    --time [N], --no-check, --gpu, --host, --cxx CMD, --keep DIR, --write "
    "DIR\n"
    "  --tune            time candidates on the GPU and write the fastest one as a plan, as 'tcpc "
    "tune'\n"
    "                    does; with the options -n N, --candidates=N, --seconds=N, --json, "
    "--host,\n"
    "                    --cxx CMD, --keep DIR\n"
    "  -arch=sm_NN, -W..., --diagnostics=KIND: as for compiling\n";

struct request {
    const char *const *word;
    int nwords;
    const char *output, *kind;  // NULL: not given
    struct relayout_plan plan;
    bool run, tune, explain;
    // the last option for --run, for --tune, and for either
    const char *of_run, *of_tune, *of_both;
    struct run_request q;
    struct tune_request t;
};

static bool is_align(const char *text, size_t len, int *out) {
    char word[8];
    int64_t n;
    if (len >= sizeof word) return false;
    memcpy(word, text, len);
    word[len] = 0;
    if (!option_int(word, &n) || n < 1 || n > 4096 || (n & (n - 1))) return false;
    *out = (int)n;
    return true;
}

// "16", or "4,16" for the source and the destination.
static bool take_align(void *of, const char *text) {
    size_t n = strcspn(text, ",");
    const char *second = text[n] ? text + n + 1 : text;
    struct relayout *p = of;
    if (is_align(text, n, &p->src_align) && is_align(second, strlen(second), &p->dst_align))
        return true;
    option_error("'--align' takes a power of 2 in 1 .. 4096, or two of them for source and "
                 "destination, not '%s'",
                 text);
    return false;
}

static bool is_name(const char *text) {
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return n > 0 && !text[n] && !(text[0] >= '0' && text[0] <= '9');
}

static const char *trimmed(struct session *s, const char *text, size_t len) {
    while (len && *text == ' ') ++text, --len;
    while (len && text[len - 1] == ' ') --len;
    return arena_strndup(&s->arena, text, len);
}

// The type in "text", which may be surrounded by blanks; NULL after an error.
static const struct elem_type *take_type(struct session *s, const char *text, size_t len) {
    const char *word = trimmed(s, text, len);
    const struct elem_type *type = elem_type_find(word);
    if (type) return type;
    const char *known[64], *near, *ours;
    int n = 0;
    for (; n < n_elem_types && n < 64; ++n) known[n] = elem_types[n].name;
    const char *dot = strrchr(word, '.');
    const char *help = foreign_type_help(s, dot ? dot + 1 : word, &ours);
    near = diag_did_you_mean(word, known, n);
    if (!help && near) help = arena_printf(&s->arena, "did you mean '%s'?", near);
    if (strpbrk(word, " :,>-"))
        return option_error(
                   "there is no type '%s'; a copy that converts has two, as in 'f32 -> f16'", word),
               NULL;
    option_error("there is no type '%s'%s%s", word, help ? "; " : "", help ? help : "");
    return NULL;
}

// Reads "f16" or "f32 -> f16".
static bool take_types(struct session *s, const char *text, struct relayout *p) {
    const char *arrow = strstr(text, "->");
    p->type = take_type(s, text, arrow ? (size_t)(arrow - text) : strlen(text));
    if (!p->type || !arrow) return p->type != NULL;
    p->to = take_type(s, arrow + 2, strlen(arrow + 2));
    if (!p->to) return false;
    if (p->to == p->type) {
        p->to = NULL;
    } else if (!elem_converts(p->type, p->to)) {
        option_error("%s cannot become %s: numbers are converted, not raw bits", p->type->name,
                     p->to->name);
        return false;
    }
    return true;
}

// Reads what the words say into the plan; false after an error.
static bool read_relayout(struct session *s, struct request *r) {
    struct relayout *p = &r->plan.r;
    if (strchr(r->word[0], '=') && elem_type_find(r->word[2])) {
        option_error("the type comes first: tcpc relayout %s '%s' '%s'", r->word[2], r->word[0],
                     r->word[1]);
        return false;
    }
    if (!take_types(s, r->word[0], p)) return false;
    const char *why = relayout_read(s, r->word[1], r->word[2], expression_layout, p);
    int size = p->type->bits / 8, to_size = p->to ? p->to->bits / 8 : size;
    const char *near_arch;
    p->arch = arch_find(s->options.arch ? s->options.arch : ARCH_DEFAULT, &near_arch);
    p->shared = arch_shared_bytes(p->arch);
    bool src = p->src_align < size, dst = p->dst_align < to_size;
    if (!why && (src || dst))
        why = arena_printf(&s->arena, "an alignment of %d bytes; '%s' needs %d",
                           src ? p->src_align : p->dst_align,
                           (src || !p->to ? p->type : p->to)->name, src ? size : to_size);
    if (!why) why = relayout_coalesce(s, p);
    if (why) option_error("%s", why);
    return !why;
}

// The text before the kernel.
static const char *head_of(struct session *s, const struct request *r) {
    const char *arch = s->options.arch;
    return arena_printf(&s->arena, "// %s from '%s' to '%s', planned by tcpc.\ntcp 1;\n%s%s%s\n",
                        r->word[0], r->word[1], r->word[2], arch ? "arch " : "", arch ? arch : "",
                        arch ? ";\n" : "");
}

// What was asked, as for a shell.
static const char *request_text(struct session *s, const struct request *r) {
    const struct relayout *p = &r->plan.r;
    const char *text = "";
    if (p->src_align != 16 || p->dst_align != 16)
        text = arena_printf(&s->arena, "--align=%d,%d ", p->src_align, p->dst_align);
    if (strcmp(r->plan.names.kernel, "relayout") != 0)
        text = arena_printf(&s->arena, "%s--name=%s ", text, r->plan.names.kernel);
    for (int i = 0; i < r->nwords; ++i) {
        const char *mark = strpbrk(r->word[i], " (<>") ? "'" : "";
        text = arena_printf(&s->arena, "%s%s%s%s%s", text, i ? " " : "", mark, r->word[i], mark);
    }
    return text;
}

// The text of the plan; NULL after an error.
static const char *plan_text(struct session *s, const struct relayout_plan *p) {
    const char *why, *text = relayout_plan_text(s, p, &why);
    if (!text) option_error("%s", why);
    return text;
}

// The plan with that candidate, for tune_plan.
static const char *tuned_text(struct session *s, void *by, int candidate) {
    struct relayout_plan p = *(const struct relayout_plan *)by;
    p.r.candidate = candidate;
    return plan_text(s, &p);
}

static int write_out(struct session *s, const struct request *r, const char *ending,
                     const char *text) {
    const char *to = r->output ? r->output
                     : ending  ? arena_printf(&s->arena, "%s%s", r->plan.names.kernel, ending)
                               : "-";
    return output_write(s, to, text, strlen(text));
}

static bool is_plan_text(const struct request *r) {
    return r->kind && strcmp(r->kind, "plan-text") == 0;
}

static int compile(struct session *s, const struct request *r, const char *path) {
    enum product p = PRODUCT_CUDA;
    if (r->kind && !is_plan_text(r))
        for (p = 0; p < N_PRODUCTS && strcmp(r->kind, product_name(p)) != 0;) ++p;
    if (p == N_PRODUCTS)
        return option_error("'--emit' takes cuda, plan-text, header, ast, plan or kernel, not '%s'",
                            r->kind);
    if (r->output && !is_plan_text(r) && !output_spares_plans(r->output)) return EXIT_USAGE;
    const char *ending = p == PRODUCT_CUDA ? ".cu" : p == PRODUCT_HEADER ? ".cuh" : NULL;
    if (is_plan_text(r)) ending = NULL;
    if (!r->output && ending)
        s->options.emitted = arena_printf(&s->arena, "%s%s", r->plan.names.kernel, ending);
    if (r->output && strcmp(r->output, "-") != 0) s->options.emitted = r->output;
    struct compiled c;
    int status = compile_product(s, path, p, &c);
    diag_print(s, stderr);
    const char *text = c.text;
    for (int i = 0; is_plan_text(r) && i < s->sources.n; ++i)  // it may have changed
        if (strcmp(s->sources.file[i].path, path) == 0) text = s->sources.file[i].text;
    return status ? status : write_out(s, r, ending, text);
}

static int explain(struct session *s, const struct request *r, const char *path) {
    struct compiled c;
    struct buf b;
    compile_begin(&c, s, path);
    int status = steps_until(&c, STEP_EQUIVALENT);
    diag_print(s, stderr);
    if (status) return status;
    buf_init(&b);
    explain_print(s, explain_plan(s, c.plan, c.kir, NULL, NULL, NULL), &b);
    return write_out(s, r, NULL, buf_finish(&b, &s->arena));
}

static int tune(struct session *s, struct request *r) {
    struct tune_request *t = &r->t;
    t->path = r->q.path;
    t->kernel = r->plan.names.kernel;
    t->output = r->output;
    t->keep = r->q.keep;
    t->cxx = r->q.cxx;
    t->host = r->q.host;
    t->text = tuned_text;
    t->by = &r->plan;
    return tune_plan(s, t);
}

// Whether the options may be combined; reports those that may not.
static bool options_fit(const struct request *r) {
    if (!r->run && r->of_run)
        option_error("'%s' needs '--run'", r->of_run);
    else if (!r->tune && r->of_tune)
        option_error("'%s' needs '--tune'", r->of_tune);
    else if (!r->run && !r->tune && r->of_both)
        option_error("'%s' needs '--run' or '--tune'", r->of_both);
    else if (r->run && (r->output || r->kind))
        option_error("'--run' cannot be combined with '-o' and '--emit'");
    else if (r->explain && (r->run || r->tune || r->kind))
        option_error("'--explain' cannot be combined with '--run', '--tune' and '--emit'");
    else if (r->tune && (r->run || r->kind || r->plan.r.candidate))
        option_error("'--tune' cannot be combined with '--run', '--emit' and '--candidate'");
    else if (r->q.gpu && r->q.host)
        option_error("'--gpu' cannot be combined with '--host'");
    else if (r->q.no_check && !r->q.time)
        option_error("'--no-check' needs '--time'");
    else
        return true;
    return false;
}

// What is said of fewer words than three.
static int too_few(struct session *s, const struct request *r) {
    const char *last = r->nwords ? r->word[r->nwords - 1] : "", *arrow = strstr(last, "->");
    if (r->nwords == 2 && strchr(r->word[0], '='))
        return option_error("the type is missing: tcpc relayout f32 '%s' '%s'", r->word[0], last);
    if (arrow && r->nwords == 2)
        return option_error("the sides are two words, without '->': '%s' '%s'",
                            trimmed(s, last, (size_t)(arrow - last)),
                            trimmed(s, arrow + 2, strlen(arrow + 2)));
    return option_error(
        "tcpc relayout takes a type, a source and a destination, as f32 'm=4 n=8' 'n m'; see "
        "'tcpc relayout --help'");
}

static int relayout(struct session *s, struct request *r) {
    struct relayout_plan *p = &r->plan;
    const char *name = p->names.kernel;
    if (r->nwords < 3) return too_few(s, r);
    if (!options_fit(r)) return EXIT_USAGE;
    if (!is_name(name)) return option_error("'%s' is not the name of a kernel", name);
    if (!read_relayout(s, r)) return EXIT_USAGE;
    p->head = head_of(s, r);
    s->options.request = request_text(s, r);
    bool copy = r->tune || r->explain;  // the planner writes its text when that is compiled
    const char *text = copy ? relayout_plan_copy(s, p) : plan_text(s, p);
    if (!text) return EXIT_USAGE;
    if (p->r.note && !s->diags.off_all) option_say("note: %s", p->r.note);
    if (p->r.candidate && is_plan_text(r)) return write_out(s, r, NULL, text);
    // another candidate is as good, unless this one was asked for
    if (!copy && p->r.candidate == 0) s->options.planned = p;
    if (r->explain && p->r.candidate) {
        s->options.tuned = name;
        s->options.candidate = p->r.candidate;
    }
    const char *path = arena_printf(&s->arena, "%s.tcp", name);
    struct given *given = ARENA_NEW(&s->arena, struct given);
    *given = (struct given){path, text, strlen(text), NULL, false};
    s->sources.given = given;
    r->q.path = path;
    for (int w = 1; w < W_COUNT; ++w) s->diags.off[w] |= !warning_row(w)->planned;
    return r->run       ? run_plan(s, &r->q)
           : r->tune    ? tune(s, r)
           : r->explain ? explain(s, r, path)
                        : compile(s, r, path);
}

int command_relayout(int argc, char **argv) {
    struct session s;
    struct request r = {.plan = {.r = {.src_align = 16, .dst_align = 16},
                                 .names = {NULL, "A", "B", false}},
                        .q = {.thread = -1},
                        .t = TUNE_USUAL};
    int64_t candidate = 0;
    const struct option_row rows[] = {{"-o", .text = &r.output},
                                      {"--emit", .text = &r.kind},
                                      {"--name", .text = &r.plan.names.kernel, .again = true},
                                      {"--align", .take = take_align, .of = &r.plan.r},
                                      {"--candidate", .number = &candidate,
                                       .most = RELAYOUT_CANDIDATES - 1},
                                      {"--run", .flag = &r.run},
                                      {"--tune", .flag = &r.tune},
                                      {"--explain", .flag = &r.explain},
                                      RUN_ROWS(r.q, &r.of_run),
                                      TUNE_ROWS(r.t, &r.of_tune),
                                      BUILD_ROWS(r.q, &r.of_both),
                                      {0}};
    struct option_words w = {"relayout", help, rows, .most = 3};
    session_init(&s);
    option_files(&s, argc, argv);
    int code = option_words(&s, &w, argc, argv);
    r.word = w.word;
    r.nwords = w.n;
    r.plan.r.candidate = (int)candidate;
    if (!r.plan.names.kernel) r.plan.names.kernel = "relayout";
    if (code < 0 && argc == 0) code = (fputs(help, stderr), EXIT_USAGE);
    if (code < 0 && w.extra)
        code = elem_type_find(r.word[0]) && elem_type_find(r.word[1])
                   ? option_error("two types are one word: '%s -> %s'", r.word[0], r.word[1])
                   : option_error("tcpc relayout takes a type, a source and a destination, not "
                                  "also '%s'; put each in quotes: f32 'm=4 n=8' 'n m'",
                                  w.extra);
    if (code < 0) code = relayout(&s, &r);
    session_release(&s);
    return code;
}
