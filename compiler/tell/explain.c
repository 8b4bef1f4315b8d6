// `tcpc explain`: what was chosen, the plan written out, and whether two kernels are equivalent.
#include <string.h>

#include "base/buf.h"
#include "base/command.h"
#include "base/session.h"
#include "check/equivalent.h"
#include "compile/compile.h"
#include "draw/subject.h"
#include "explain/explain.h"
#include "plan/plan.h"
#include "syntax/ast.h"
#include "tell/tell.h"

// Prints "K1 and K2 are equivalent", or where they differ, or why that is not known.
static int compare_kernels(struct session *s, const struct compiled *c,
                           const struct explain_request *r, struct buf *b) {
    const struct kernel *k[2];
    for (int i = 0; i < 2; ++i) {
        const char *known[64];
        int n = 0;
        k[i] = plan_find_kernel(c->plan, r->equivalent[i]);
        if (k[i]) continue;
        for (const struct kernel *x = c->plan->kernels; x && n < 64; x = x->next)
            known[n++] = x->name;
        const char *near = diag_did_you_mean(r->equivalent[i], known, n);
        option_error("'%s' has no kernel '%s'%s%s%s", r->plan, r->equivalent[i],
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
        for (const struct diag *d = t.diags.first; d; d = d->next) option_error("%s", d->message);
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

int tell_explain(struct session *s, const struct compiled *c, const struct explain_request *r,
                 struct buf *out) {
    struct subject operand = {0};
    const int64_t *value = NULL;
    if (r->source) {
        const char *source = source_of(s, c);
        buf_puts(out, source ? source : "");
        return source ? EXIT_RIGHT : EXIT_WRONG;
    }
    if (r->equivalent) return compare_kernels(s, c, r, out);
    if (r->name && !r->json && find_operand(s, c->plan, r->name, &operand)) {
        const struct draw_request q = {.view = DRAW_OPERAND,
                                       .name = r->name,
                                       .tc = operand.tc,
                                       .mma = operand.mma,
                                       .operand = operand.operand};
        const char *why = draw(s, c->plan, &q, out);
        return why ? option_error("'%s' cannot be shown: %s", r->name, why) : EXIT_RIGHT;
    }
    if (r->params.n && !(value = tell_params(s, c->plan, &r->params))) return EXIT_USAGE;
    const int64_t *fixed = value ? tell_fixed(s, c->plan, &r->params) : NULL;
    const struct explanation *e = explain_plan(s, c->plan, c->kir, r->name, value, fixed);
    if (!e) return EXIT_USAGE;
    if (r->json) {
        explain_print_json(s, e, out);
    } else {
        explain_print(s, e, out);
        tell_planned(s, out);
    }
    return EXIT_RIGHT;
}
