// tcpc draw PLAN NAME, or EXPRESSION: finds the subject, chooses view and format, and writes the
// drawing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/session.h"
#include "compile/compile.h"
#include "draw/draw.h"
#include "draw/subject.h"
#include "driver/commands.h"
#include "driver/expression.h"
#include "driver/options.h"
#include "driver/png.h"
#include "driver/watch.h"
#include "layout/algebra.h"
#include "layout/calc.h"
#include "run/output.h"
#include "syntax/foreign.h"

static const char usage[] =
    "usage: tcpc draw [OPTIONS] PLAN NAME\n"
    "       tcpc draw [OPTIONS] EXPRESSION    a layout, as 'tcpc eval' takes it\n"
    "  NAME is a tiled copy, a layout, a tensor, a kernel or device function, the label of a "
    "copy,\n"
    "  FUNCTION.LABEL or FUNCTION.TENSOR, with FUNCTION.N of case N; or LINE, FILE:LINE or\n"
    "  FUNCTION:LINE, a copy by its line; or\n"
    "  operand_A(M), operand_B(M) or operand_C(M) of a tiled MMA\n"
    "  -o FILE         write to FILE; its extension gives the format: .txt, .svg, .tex (TikZ), "
    ".png (by\n"
    "                  rsvg-convert); default: text to standard output\n"
    "  --format=KIND   text, svg, tikz or png, whatever the extension\n"
    "  --view=VIEW     what to draw of NAME\n"
    "      owners      tiled copy: the thread of each element of its tile (default)\n"
    "      tv          tiled copy: the element of each thread and value\n"
    "      inverse     tiled copy: the thread and value of each element\n"
    "      operand     operand: threads and values, as in the instruction's tables (default)\n"
    "      layout      layout, tensor: the offset of each element (default)\n"
    "      swizzle     layout, tensor: where the swizzle moves the pieces of a row\n"
    "      banks       layout, tensor: the bank of each element; copy: the banks a warp touches,\n"
    "                  wavefront by wavefront\n"
    "      sectors     copy: the sectors of global memory that a warp touches\n"
    "      path        copy, tiled copy (its first copy): the path of a thread through the rounds\n"
    "                  (default for a copy)\n"
    "      flow        kernel: its copies, from tensor to tensor (default)\n"
    "      timeline    kernel: the schedule of its pipelines\n"
    "  --values        for owners: also show the number of the value, T00.V0\n"
    "  --thread T      for path: the thread (default 0)\n"
    "  --watch         repeat the command when the plan, or a file that it imports, changes\n"
    "  --type=TYPE     the element type, for the banks of a layout\n"
    "  --param NAME=N  the value of a param (default: a small one)\n"
    "  -D NAME=VALUE, -arch=sm_NN, -W..., --color=WHEN, --diagnostics=KIND: as for compiling\n";

struct command {
    const char *path, *name, *output, *view, *format, *type;
    struct option_settings params;
    int64_t thread;
    bool threaded;        // --thread is given
    const char *of_plan;  // an option that only a plan has a use for, or NULL
    bool values, png, watch;
};

// -- the view -------------------------------------------------------------------------------------

static enum draw_view usual_view(const struct subject *u) {
    if (u->mma) return DRAW_OPERAND;
    if (u->tc) return DRAW_OWNERS;
    if (u->layout || u->tensor) return DRAW_LAYOUT;
    return u->copy ? DRAW_PATH : DRAW_FLOW;
}

static bool take_view(const struct command *q, const struct subject *u, enum draw_view *out) {
    const char *known[N_DRAW_VIEWS];
    *out = usual_view(u);
    if (!q->view) return true;
    for (int i = 0; i < N_DRAW_VIEWS; ++i) {
        known[i] = draw_view_name((enum draw_view)i);
        *out = (enum draw_view)i;
        if (strcmp(q->view, known[i]) == 0) return true;
    }
    const char *near = diag_did_you_mean(q->view, known, N_DRAW_VIEWS);
    struct buf all;
    buf_init(&all);
    for (int i = 0; i < N_DRAW_VIEWS; ++i)
        buf_printf(&all, "%s%s", i == 0 ? "" : i + 1 < N_DRAW_VIEWS ? ", " : " and ", known[i]);
    option_error("there is no view '%s'; %s%s%s", q->view, near ? "did you mean '" : "",
                 near ? near : all.text, near ? "'?" : " are");
    buf_release(&all);
    return false;
}

static const char *subject_text(const struct subject *u) {
    if (u->mma) return "an operand";
    if (u->tc) return "a tiled copy";
    if (u->layout) return "a layout";
    if (u->tensor) return "a tensor";
    return u->copy ? "a copy" : u->kernel->device ? "a device function" : "a kernel";
}

static bool wrong_subject(const struct command *q, const struct subject *u, enum draw_view view,
                          const char *needs) {
    const char *hint = u->kernel && !u->copy && !u->tensor &&
                               (view == DRAW_PATH || view == DRAW_BANKS || view == DRAW_SECTORS)
                           ? "; give its copy a label and name that"
                           : "";
    option_error("view '%s' draws %s, and '%s' is %s%s", draw_view_name(view), needs, q->name,
                 subject_text(u), hint);
    return false;
}

// The names of the modes that the tile of "y" divides; NULL: they have none.
static const char *const *names_cut(const struct copy *y) {
    return copy_tiled_side(y)->names;
}

// Whether all copies in "list" that use "tc" divide modes with the same names; sets "names".
static bool agree(const struct stmt *list, const struct tiled_copy *tc, const char *const **names) {
    for (; list; list = list->next) {
        if (list->kind != STMT_COPY) {
            if (!agree(list->body, tc, names)) return false;
            continue;
        }
        if (list->copy->tc != tc) continue;
        const char *const *cut = names_cut(list->copy);
        if (!*names) *names = cut;
        for (int i = 0; cut && i < lay_tuple_rank(tc->tiler); ++i)
            if (cut[i] != (*names)[i]) return false;
        if (!cut) return false;
    }
    return true;
}

static const char *const *names_of_tiled(const struct plan *p, const struct tiled_copy *tc) {
    const char *const *names = NULL;
    for (const struct kernel *k = plan_next(p, NULL); k; k = plan_next(p, k))
        if (!agree(k->body, tc, &names)) return NULL;
    return names;
}

// Sets the subject of "r" as its view requires.
static bool fit_subject(const struct plan *p, const struct command *q, struct subject *u,
                        struct draw_request *r) {
    switch (r->view) {
    case DRAW_OWNERS:
    case DRAW_TV:
    case DRAW_INVERSE:
        r->tc = u->copy ? u->copy->tc : u->tc;
        // its tile has the modes that it divides
        r->names = u->copy ? names_cut(u->copy) : u->tc ? names_of_tiled(p, u->tc) : NULL;
        return r->tc || wrong_subject(q, u, r->view, "a tiled copy");
    case DRAW_LAYOUT:
    case DRAW_SWIZZLE:
    case DRAW_BANKS:
        if (u->layout || u->tensor) {
            r->layout = u->layout ? u->layout->layout : u->tensor->layout;
            r->tensor = u->tensor;
            r->names = u->tensor ? u->tensor->names : NULL;
            r->bits = u->tensor ? u->tensor->elem->bits : 0;
            return true;
        }
        if (r->view != DRAW_BANKS) return wrong_subject(q, u, r->view, "a layout or a tensor");
        break;
    case DRAW_OPERAND:
        r->tc = u->tc;
        r->mma = u->mma;
        r->operand = u->operand;
        return r->mma || wrong_subject(q, u, r->view, "an operand of a tiled MMA");
    case DRAW_PATH:
    case DRAW_SECTORS: break;
    case DRAW_FLOW:
    case DRAW_TIMELINE:
    case N_DRAW_VIEWS:
        r->kernel = u->copy || u->tensor ? NULL : u->kernel;
        return r->kernel || wrong_subject(q, u, r->view, "a kernel");
    }
    if (u->tc && !find_copy_by(p, u->tc, u)) {
        option_error("view '%s' draws a copy, and no kernel copies by '%s'",
                     draw_view_name(r->view), q->name);
        return false;
    }
    r->copy = u->copy;
    r->kernel = u->kernel;
    return r->copy ||
           wrong_subject(q, u, r->view, r->view == DRAW_BANKS ? "a layout or a copy" : "a copy");
}

static bool take_format(struct command *q, enum draw_format *out) {
    static const struct {
        char name[5], ending[5];
        enum draw_format format;
    } kind[] = {{"text", ".txt", DRAW_TEXT},
                {"svg", ".svg", DRAW_SVG},
                {"tikz", ".tex", DRAW_TIKZ},
                {"png", ".png", DRAW_SVG}};
    const char *dot = q->output ? strrchr(q->output, '.') : NULL;
    *out = DRAW_TEXT;
    if (!q->format && (!q->output || strcmp(q->output, "-") == 0)) return true;
    for (int i = 0; i < 4; ++i) {
        if (q->format ? strcmp(q->format, kind[i].name) != 0
                      : !dot || strcmp(dot, kind[i].ending) != 0)
            continue;
        *out = kind[i].format;
        q->png = strcmp(kind[i].name, "png") == 0;
        return true;
    }
    if (q->format)
        option_error("'--format' takes text, svg, tikz or png, not '%s'", q->format);
    else
        option_error(
            "the extension of '%s' is not .txt, .svg, .tex or .png; --format=KIND sets the format",
            q->output);
    return false;
}

static bool bind_params(struct session *s, const struct plan *p, const struct command *q,
                        struct draw_request *r) {
    if (p->nparams == 0 && q->params.n == 0) return true;
    return (r->sym_values = option_params(s, p, &q->params)) != NULL;
}

// Whether the options are of this view; says which is not.
static bool options_fit(const struct command *q, const struct draw_request *r) {
    const char *option = NULL, *use = NULL;
    if (q->threaded && r->view != DRAW_PATH)
        option = "--thread", use = "view 'path'";
    else if (q->values && r->view != DRAW_OWNERS)
        option = "--values", use = "view 'owners'";
    else if (q->type && (r->view != DRAW_BANKS || r->copy))
        option = "--type", use = "view 'banks' of a layout";
    if (option)
        option_error("'%s' is for %s, and this is '%s'%s", option, use, draw_view_name(r->view),
                     r->copy && r->view == DRAW_BANKS ? " of a copy" : "");
    return !option;
}

// -- the drawing ----------------------------------------------------------------------------------

static bool take_type(const struct command *q, struct draw_request *r) {
    if (!q->type) return true;
    const struct elem_type *t = elem_type_find(q->type);
    if (!t) {
        const char *near = foreign_type(q->type);
        if (!near) near = foreign_ours(FOREIGN_BITS, q->type);
        option_error("'--type' takes an element type, not '%s'; %s '%s'%s", q->type,
                     near ? "did you mean" : "such as", near ? near : "f16", near ? "?" : "");
        return false;
    }
    r->bits = t->bits;
    return true;
}

// The columns of the terminal that the drawing goes to; 0: it goes elsewhere.
static int terminal_columns(const struct draw_request *r, const char *path) {
    struct winsize w;
    if (r->format != DRAW_TEXT || strcmp(path, "-") != 0) return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

// Draws, and writes the drawing where it belongs.
static int write_drawing(struct session *s, const struct plan *p, const struct command *q,
                         struct draw_request *r) {
    struct buf out;
    const char *path = q->output ? q->output : "-";
    int code;
    r->color = r->format == DRAW_TEXT && strcmp(path, "-") == 0 && diag_in_color(s, stdout);
    r->wide = terminal_columns(r, path);
    buf_init(&out);
    const char *why = draw(s, p, r, &out);
    if (why)
        code = option_error("'%s' cannot be drawn: %s", q->name, why);
    else if (q->png)
        code = draw_png(s, path, &out);
    else
        code = output_other(s, path, out.text, out.len);
    buf_release(&out);
    return code;
}

static int draw_plan(struct session *s, struct command *q) {
    struct compiled c;
    compile_begin(&c, s, q->path);
    int code = steps_until(&c, STEP_SEMA);
    if (code != EXIT_RIGHT) return code;
    const struct plan *p = c.plan;
    struct subject u;
    struct draw_request r = {.name = q->name, .values = q->values, .thread = q->thread};
    code = q->name ? find_subject(s, p, q->name, &u) : no_subject(s, p);
    if (code != EXIT_RIGHT) return code;
    if (!take_view(q, &u, &r.view) || !take_format(q, &r.format) || !fit_subject(p, q, &u, &r) ||
        !options_fit(q, &r) || !bind_params(s, p, q, &r) || !take_type(q, &r))
        return EXIT_USAGE;
    // only the passes know these
    if (r.kernel || (u.tensor && u.tensor->space == MEM_FRAG)) {
        if ((code = steps_until(&c, STEP_EXPECT)) != EXIT_RIGHT) return code;
        if (u.tensor) r.layout = u.tensor->layout;
    }
    return write_drawing(s, p, q, &r);
}

// Whether "t" has params.  Basis elements, 1@0, are no params: their values are coordinates.
static bool has_names(const struct lay_tuple *t) {
    if (lay_is_leaf(t)) return t->leaf.nsyms > 0;
    for (int i = 0; i < t->rank; ++i)
        if (has_names(t->kid[i])) return true;
    return false;
}

// The layout that "text" is; a shape without strides is compact, and a view begins at its offset.
static bool layout_of(struct session *s, const char *text, struct lay *out) {
    struct calc_value v = expression_value(s, text, NULL);
    if (v.kind == CALC_INT || v.kind == CALC_TUPLE)
        *out = lay_make_col(&s->lay, v.tuple);
    else if (v.kind == CALC_LAYOUT || (v.kind == CALC_VIEW && v.layout.sw.b == 0))
        *out = v.layout;
    else if (v.kind == CALC_NONE)
        *out = (struct lay){0};
    else {
        option_error(
            v.kind == CALC_SWIZZLE
                ? "'%s' is a swizzle without a layout; 'Sw<3,3,3> o 0 o (8,64):(64,1)' has one"
                : "'%s' is not a layout",
            text);
        return false;
    }
    if (v.kind == CALC_VIEW && lay_valid(*out)) out->offset = lay_sum_int(&s->lay, v.offset);
    if (lay_valid(*out) && !has_names(out->shape) && !has_names(out->stride) &&
        lay_int_static(out->offset))
        return true;
    option_error("'%s' is neither a plan nor a layout: %s", text,
                 lay_valid(*out) ? "it has names, whose values only a plan gives"
                 : s->lay.error  ? shown(&s->arena, s->lay.error)
                                 : "it has no value");
    return false;
}

static int draw_expression(struct session *s, struct command *q) {
    struct named_layout named = {.name = q->path};
    struct subject u = {.layout = &named};
    struct draw_request r = {.name = q->path};
    q->name = q->path;
    if (q->of_plan)
        return option_error("'%s' is for a plan, and '%s' is an expression", q->of_plan, q->path);
    if (!layout_of(s, q->path, &named.layout)) return EXIT_USAGE;
    if (!take_view(q, &u, &r.view) || !take_format(q, &r.format) || !fit_subject(NULL, q, &u, &r) ||
        !options_fit(q, &r) || !take_type(q, &r))
        return EXIT_USAGE;
    return write_drawing(s, NULL, q, &r);
}

// Whether "text" is probably a plan: there is such a file, or it has a plan's ending.
static bool is_plan(const char *text) {
    size_t n = strlen(text);
    return strcmp(text, "-") == 0 || access(text, F_OK) == 0 ||
           (n > 4 && strcmp(text + n - 4, ".tcp") == 0);
}

// -- the command line -----------------------------------------------------------------------------

// Returns -1 if the command is to be repeated.
static int draw_named(struct session *s, struct command *q) {
    if (!q->path) return fputs(usage, stderr), EXIT_USAGE;
    if (q->name && option_plan_second("draw", q->path, q->name)) return EXIT_USAGE;
    if (!q->name && !is_plan(q->path))
        return q->watch ? option_error("'--watch' needs a plan") : draw_expression(s, q);
    return q->watch && q->name ? -1 : draw_plan(s, q);
}

int command_draw(int argc, char **argv) {
    struct session s;
    struct command q = {0};
    const struct option_row rows[] = {{"-o", .text = &q.output},
                                      {"--view", .text = &q.view},
                                      {"--format", .text = &q.format},
                                      {"--type", .text = &q.type},
                                      {"--values", .flag = &q.values},
                                      {"--watch", .flag = &q.watch},
                                      {"--param", .settings = &q.params},
                                      {"--thread", .flag = &q.threaded, .number = &q.thread,
                                       .least = INT64_MIN, .most = INT64_MAX,
                                       .takes = "an integer"},
                                      {0}};
    struct option_words w = {"draw", usage, rows, .most = 2};
    session_init(&s);
    option_files(&s, argc, argv);
    diag_option(&s, "-Wno-unused");  // a declaration may be there only to be drawn
    int code = option_words(&s, &w, argc, argv);
    q.path = w.word[0];
    q.name = w.word[1];
    q.of_plan = q.params.n ? "--param" : s.options.ndefines ? "-D" : NULL;
    if (code < 0 && w.extra)
        code = option_error("tcpc draw takes a plan and a name, not also '%s'", w.extra);
    if (code < 0) {
        code = draw_named(&s, &q);
        diag_print(&s, stderr);
    }
    session_release(&s);
    return code < 0 ? watch(q.path, command_draw, argc, argv) : code;
}
