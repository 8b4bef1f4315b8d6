// The values of params that a command is asked about (see params.h).
#include "tell/params.h"

#include <string.h>

#include "base/command.h"
#include "base/session.h"
#include "plan/bind.h"
#include "plan/plan.h"

int64_t *tell_fixed(struct session *s, const struct plan *p,
                    const struct param_settings *settings) {
    const struct param_setting *setting = settings->of;
    int64_t *fixed = ARENA_ARRAY(&s->arena, int64_t, p->nsyms + 1);
    struct option_names known = {.n = 0};
    for (int i = 0; i < p->nsyms; ++i) fixed[i] = PLAN_UNBOUND;
    for (int i = 0; i < p->nparams; ++i)
        if (!p->param[i]->sum) option_names_add(&known, p->param[i]->name);
    for (int k = 0; k < settings->n; ++k) {
        const char *name = setting[k].name;
        int i = 0;
        while (i < p->nparams && strcmp(p->param[i]->name, name) != 0) ++i;
        if (i == p->nparams) {
            const char *there = option_names_text(&s->arena, &known, name);
            option_error("'%s' has no param '%s'%s", p->path, name,
                         strchr(there, '?')
                             ? there
                             : arena_printf(&s->arena, "%s; a const is set with '-D %s=%lld'",
                                            there, name, (long long)setting[k].value));
            return NULL;
        }
        // several kernels may have indexes of one name
        for (; i < p->nparams; ++i) {
            int64_t *v = &fixed[p->param[i]->sym->id];
            if (strcmp(p->param[i]->name, name) != 0) continue;
            if (*v != PLAN_UNBOUND && *v != setting[k].value) {
                option_error("'--param %s' is given twice: %lld and %lld", name, (long long)*v,
                             (long long)setting[k].value);
                return NULL;
            }
            *v = setting[k].value;
        }
    }
    return fixed;
}

void tell_no_params(struct session *s, const struct plan *p, const int64_t *fixed) {
    const char *broken = plan_broken_promise(s, p, fixed), *set = "";
    for (int i = 0; i < p->nparams; ++i) {
        int64_t v = fixed[p->param[i]->sym->id];
        if (v != PLAN_UNBOUND)
            set = arena_printf(&s->arena, "%s%s%s = %lld", set, *set ? ", " : " beside ",
                               p->param[i]->name, (long long)v);
    }
    if (broken)
        option_error("%s", broken);
    else
        option_error("no values of the %sparams were found that keep the plan's promises%s; set "
                     "them with --param",
                     *set ? "other " : "", set);
}

const int64_t *tell_params(struct session *s, const struct plan *p,
                           const struct param_settings *settings) {
    const int64_t *fixed = tell_fixed(s, p, settings), *value;
    if (!fixed) return NULL;
    value = plan_choose(s, p, fixed, 1);
    if (!value)
        tell_no_params(s, p, fixed);
    else if (plan_broken_promise(s, p, value))
        option_error("%s", plan_broken_promise(s, p, value)), value = NULL;
    return value;
}
