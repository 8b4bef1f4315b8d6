// Questions about a plan (tcpc.h): the texts are those of the commands.
#include <string.h>

#include "base/buf.h"
#include "base/command.h"
#include "base/session.h"
#include "compile/compile.h"
#include "lib/lib.h"
#include "syntax/format.h"
#include "tell/tell.h"

static const char *const abouts[] = {"explain", "count", "draw", "draw", "eval", "fmt"};

// The forms that an answer can have, as bits.
enum { TEXT = 1 << TCPC_FORM_TEXT, JSON = 1 << TCPC_FORM_JSON };
static const unsigned forms[] = {
    [TCPC_EXPLAIN] = TEXT | JSON | 1 << TCPC_FORM_SOURCE,
    [TCPC_COUNT] = TEXT | JSON,
    [TCPC_DRAW] = TEXT | 1 << TCPC_FORM_SVG | 1 << TCPC_FORM_TIKZ,
    [TCPC_DRAW_LAYOUT] = TEXT | 1 << TCPC_FORM_SVG | 1 << TCPC_FORM_TIKZ,
    [TCPC_EVAL] = TEXT | JSON | 1 << TCPC_FORM_CUTE | 1 << TCPC_FORM_PYCUTE,
    [TCPC_FORMAT] = TEXT,
};

bool lib_settings(struct session *s, const struct tcpc_setting *setting, size_t n,
                  struct param_settings *out) {
    out->n = (int)n;
    out->of = ARENA_ARRAY(&s->arena, struct param_setting, n + 1);
    for (size_t i = 0; i < n; ++i) {
        const struct tcpc_setting *x = &setting[i];
        if (!x->name) {
            diag_error(s, RANGE_NONE, "setting %zu names no param", i);
            return false;
        }
        out->of[i] = (struct param_setting){intern_n(s, x->name, strlen(x->name)), x->value};
    }
    return true;
}

static bool question_fits(struct session *s, const struct tcpc_question *q) {
    if ((unsigned)q->about > TCPC_FORMAT) {
        diag_error(s, RANGE_NONE, "what is asked is no tcpc_about: %d", (int)q->about);
        return false;
    }
    if ((unsigned)q->form <= TCPC_FORM_PYCUTE && forms[q->about] >> q->form & 1) return true;
    diag_error(s, RANGE_NONE, "'%s' has no answer of form %d", abouts[q->about], (int)q->form);
    return false;
}

static int ask_of_plan(struct session *s, const char *path, const struct tcpc_question *q,
                       const struct param_settings *params, struct buf *out) {
    struct compiled c;
    const char *const kernels[] = {q->name, q->other};
    const struct explain_request r = {.plan = path,
                                      .name = q->name,
                                      .equivalent = q->other ? kernels : NULL,
                                      .source = q->form == TCPC_FORM_SOURCE,
                                      .json = q->form == TCPC_FORM_JSON,
                                      .params = *params};
    if (q->other && !q->name)
        return option_error("kernel '%s' is compared with no other one", q->other);
    compile_begin(&c, s, path);
    int status = steps_until(&c, STEP_EQUIVALENT);
    if (status) return EXIT_WRONG;
    return q->about == TCPC_EXPLAIN ? tell_explain(s, &c, &r, out)
                                    : tell_count(s, &c, q->name, r.json, params, out);
}

static int ask_for_drawing(struct session *s, const char *path, const char *text,
                           const struct tcpc_question *q, const struct param_settings *params,
                           struct buf *out) {
    static const enum draw_format format[] = {
        [TCPC_FORM_TEXT] = DRAW_TEXT, [TCPC_FORM_SVG] = DRAW_SVG, [TCPC_FORM_TIKZ] = DRAW_TIKZ};
    bool expression = q->about == TCPC_DRAW_LAYOUT;
    const struct drawing_request r = {.path = expression ? NULL : path,
                                      .name = expression ? text : q->name,
                                      .view = q->view,
                                      .type = q->type,
                                      .params = *params,
                                      .thread = q->thread,
                                      .threaded = q->thread != 0,
                                      .values = q->values != 0,
                                      .format = format[q->form]};
    diag_option(s, "-Wno-unused");  // a declaration may be there only to be drawn
    return tell_drawing(s, &r, out);
}

static int ask_value(struct session *s, const char *text, const struct tcpc_question *q,
                     struct buf *out) {
    const struct eval_request r = {.as = q->form == TCPC_FORM_CUTE     ? CALC_STYLE_CUTE
                                         : q->form == TCPC_FORM_PYCUTE ? CALC_STYLE_PYCUTE
                                                                       : CALC_STYLE_TCP,
                                   .steps = q->steps != 0,
                                   .table = q->table != 0,
                                   .json = q->form == TCPC_FORM_JSON};
    const char *why = tell_value(s, text, &r, out);
    if (why) diag_error(s, RANGE_NONE, "%s", why);
    return why ? EXIT_WRONG : EXIT_RIGHT;
}

static int ask_format(struct session *s, const char *path, struct buf *out) {
    int file = source_read(s, path);
    const char *text = file < 0 ? NULL : format_source(s, file);
    buf_puts(out, text ? text : "");
    return text ? EXIT_RIGHT : EXIT_WRONG;
}

enum tcpc_status lib_ask(struct session *s, const char *path, struct tcpc_text text,
                         const struct tcpc_question *question, struct tcpc_text *output) {
    static const enum tcpc_status status[] = {
        [EXIT_RIGHT] = TCPC_OK, [EXIT_WRONG] = TCPC_WRONG, [EXIT_USAGE] = TCPC_BAD_OPTION};
    struct tcpc_question q;
    struct param_settings params;
    struct buf b;
    if (!lib_copy(s, "tcpc_question", question, &q, sizeof q) || !question_fits(s, &q) ||
        !lib_settings(s, q.setting, q.nsettings, &params))
        return TCPC_BAD_OPTION;
    if ((q.about == TCPC_EVAL || q.about == TCPC_DRAW_LAYOUT) && strlen(text.bytes) != text.size) {
        diag_error(s, RANGE_NONE, "a NUL byte in the expression");
        return TCPC_WRONG;
    }
    buf_init(&b);
    int code = q.about == TCPC_EVAL     ? ask_value(s, text.bytes, &q, &b)
               : q.about == TCPC_FORMAT ? ask_format(s, path, &b)
               : q.about <= TCPC_COUNT  ? ask_of_plan(s, path, &q, &params, &b)
                                        : ask_for_drawing(s, path, text.bytes, &q, &params, &b);
    output->size = b.len;
    output->bytes = buf_finish(&b, &s->arena);
    return status[code];
}
