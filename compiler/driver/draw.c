// tcpc draw PLAN NAME, or EXPRESSION: chooses the format, and writes the drawing.
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/session.h"
#include "driver/commands.h"
#include "driver/options.h"
#include "driver/png.h"
#include "driver/watch.h"
#include "run/output.h"
#include "tell/tell.h"

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
    struct drawing_request r;
    const char *output, *format;
    const char *of_plan;  // an option that only a plan has a use for, or NULL
    bool png, watch;
};

static bool take_format(struct command *q) {
    static const struct {
        char name[5], ending[5];
        enum draw_format format;
    } kind[] = {{"text", ".txt", DRAW_TEXT},
                {"svg", ".svg", DRAW_SVG},
                {"tikz", ".tex", DRAW_TIKZ},
                {"png", ".png", DRAW_SVG}};
    const char *dot = q->output ? strrchr(q->output, '.') : NULL;
    if (!q->format && (!q->output || strcmp(q->output, "-") == 0)) return true;
    for (int i = 0; i < 4; ++i) {
        if (q->format ? strcmp(q->format, kind[i].name) != 0
                      : !dot || strcmp(dot, kind[i].ending) != 0)
            continue;
        q->r.format = kind[i].format;
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

// The columns of the terminal that the drawing goes to; 0: it goes elsewhere.
static int terminal_columns(const struct drawing_request *r, const char *path) {
    struct winsize w;
    if (r->format != DRAW_TEXT || strcmp(path, "-") != 0) return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

// Draws, and writes the drawing where it belongs.
static int draw_subject(struct session *s, struct command *q) {
    struct buf out;
    const char *path = q->output ? q->output : "-";
    struct drawing_request *r = &q->r;
    if (!take_format(q)) return EXIT_USAGE;
    r->color = r->format == DRAW_TEXT && strcmp(path, "-") == 0 && diag_in_color(s, stdout);
    r->wide = terminal_columns(r, path);
    buf_init(&out);
    int code = tell_drawing(s, r, &out);
    if (code == EXIT_RIGHT)
        code = q->png ? draw_png(s, path, &out) : output_other(s, path, out.text, out.len);
    buf_release(&out);
    return code;
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
    const char *path = q->r.path, *name = q->r.name;
    if (!path) return fputs(usage, stderr), EXIT_USAGE;
    if (name && option_plan_second("draw", path, name)) return EXIT_USAGE;
    if (name || is_plan(path)) return q->watch && name ? -1 : draw_subject(s, q);
    if (q->watch) return option_error("'--watch' needs a plan");
    if (q->of_plan)
        return option_error("'%s' is for a plan, and '%s' is an expression", q->of_plan, path);
    q->r.name = path;
    q->r.path = NULL;
    return draw_subject(s, q);
}

int command_draw(int argc, char **argv) {
    struct session s;
    struct command q = {0};
    const struct option_row rows[] = {{"-o", .text = &q.output},
                                      {"--view", .text = &q.r.view},
                                      {"--format", .text = &q.format},
                                      {"--type", .text = &q.r.type},
                                      {"--values", .flag = &q.r.values},
                                      {"--watch", .flag = &q.watch},
                                      {"--param", .settings = &q.r.params},
                                      {"--thread", .flag = &q.r.threaded, .number = &q.r.thread,
                                       .least = INT64_MIN, .most = INT64_MAX,
                                       .takes = "an integer"},
                                      {0}};
    struct option_words w = {"draw", usage, rows, .most = 2};
    session_init(&s);
    option_files(&s, argc, argv);
    diag_option(&s, "-Wno-unused");  // a declaration may be there only to be drawn
    int code = option_words(&s, &w, argc, argv);
    q.r.path = w.word[0];
    q.r.name = w.word[1];
    q.of_plan = q.r.params.n ? "--param" : s.options.ndefines ? "-D" : NULL;
    if (code < 0 && w.extra)
        code = option_error("tcpc draw takes a plan and a name, not also '%s'", w.extra);
    if (code < 0) {
        code = draw_named(&s, &q);
        diag_print(&s, stderr);
    }
    session_release(&s);
    return code < 0 ? watch(q.r.path, command_draw, argc, argv) : code;
}
