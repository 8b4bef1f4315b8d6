// `tcpc count`: what the profiler would count for each launch.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/command.h"
#include "base/json_write.h"
#include "base/session.h"
#include "compile/compile.h"
#include "counters/counters.h"
#include "plan/family.h"
#include "tell/tell.h"

static void print_text(struct buf *b, const struct plan *p, const struct kir_kernel *k,
                       const int64_t *sym, const struct counters *c) {
    buf_printf(b, "kernel %s", k->name);
    if (c->variant)
        buf_printf(b, ", grid (%" PRId64 ",%" PRId64 ",%" PRId64 ") of %" PRId64 " threads",
                   c->grid[0], c->grid[1], c->grid[2], c->variant->threads);
    for (int i = 0; i < k->ngiven; ++i)
        buf_printf(b, ", %s = %" PRId64, k->param[i].name, sym[k->param[i].sym->id]);
    if (!cost_calibrated(p->arch))
        buf_printf(b, ", by sm_%d's rules; %s was not measured", cost_rules_of(p->arch),
                   p->arch_name);
    buf_char(b, '\n');
    if (c->why)
        buf_printf(b, "  not counted: %s\n", c->why);
    else if (!c->variant)
        buf_puts(b, "  nothing is launched\n");
    for (int i = 0; i < N_COUNTERS && c->variant && !c->why; ++i) {
        struct cost_range r = c->of[i];
        if (r.most == 0) continue;
        buf_printf(b, "  %10" PRId64, r.least);
        if (r.least != r.most) buf_printf(b, " .. %" PRId64, r.most);
        buf_printf(b, "  %s\n", counter_metric(i));
    }
}

static void print_json(struct json *j, const struct plan *p, const struct kir_kernel *k,
                       const int64_t *sym, const struct counters *c) {
    const struct kir_kernel *variant = c->variant;
    json_line(j, 2);
    json_enter(j, NULL, '{');
    json_text(j, "kernel", k->name);
    json_text(j, "function", variant && variant->variant ? variant->variant->function : NULL);
    json_int(j, "threads", variant ? variant->threads : k->threads);
    json_enter(j, "grid", '[');
    for (int i = 0; i < 3; ++i) json_int(j, NULL, c->grid[i]);
    json_leave(j, ']');
    json_enter(j, "params", '{');
    for (int i = 0; i < k->ngiven; ++i) json_int(j, k->param[i].name, sym[k->param[i].sym->id]);
    json_leave(j, '}');
    json_bool(j, "calibrated", cost_calibrated(p->arch));
    json_text(j, "why", c->why);
    if (c->why) {  // the counts so far are incomplete
        json_text(j, "counters", NULL);
    } else {
        json_enter(j, "counters", '{');
        for (int i = 0; i < N_COUNTERS; ++i) {
            json_enter(j, counter_metric(i), '[');
            json_int(j, NULL, c->of[i].least);
            json_int(j, NULL, c->of[i].most);
            json_leave(j, ']');
        }
        json_leave(j, '}');
    }
    json_leave(j, '}');
}

static bool is_kernel(const struct plan *p, const char *name) {
    const char *known[64];
    int n = 0;
    for (const struct kernel *k = p->kernels; k; k = k->next) {
        if (family_is(k, name)) return true;
        if (n < 64) known[n++] = k->name;
    }
    const char *near = diag_did_you_mean(name, known, n);
    option_error("the plan has no kernel '%s'%s%s%s", name, near ? "; did you mean '" : "",
                 near ? near : "", near ? "'?" : "");
    return false;
}

int tell_count(struct session *s, const struct compiled *c, const char *kernel, bool json,
               const struct param_settings *params, struct buf *out) {
    const int64_t *sym = tell_params(s, c->plan, params), *fixed;
    int status = EXIT_RIGHT;
    if (!sym || (kernel && !is_kernel(c->plan, kernel))) return EXIT_USAGE;
    fixed = tell_fixed(s, c->plan, params);
    const struct kir_kernel *any = c->kir->kernels;
    while (any && any->device) any = any->next;
    if (!any)
        return option_error("the plan has no kernel; only launches are counted, and a device "
                            "function has none of its own");
    struct json j = json_to(out, JSON_ROW);
    if (json) json_enter(&j, NULL, '[');
    for (const struct kir_kernel *k = c->kir->kernels; k; k = k->next) {
        const struct kernel *of = plan_find_kernel(c->plan, k->name);
        if (k->device || !k->first_case || (kernel && !family_is(of, kernel)) ||
            family_leaves_out(of, fixed))
            continue;
        struct counters n;
        counters_of_launch(s, k, c->plan->arch, sym, COUNTERS_OPERATIONS, &n);
        if (n.why) {
            option_error("kernel '%s' is not counted: %s", k->name, n.why);
            status = EXIT_WRONG;
        }
        if (json)
            print_json(&j, c->plan, k, sym, &n);
        else
            print_text(out, c->plan, k, sym, &n);
    }
    if (json) {
        json_line(&j, 0);
        json_leave(&j, ']');
        buf_char(out, '\n');
    }
    return status;
}
