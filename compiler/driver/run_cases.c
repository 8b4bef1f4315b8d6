// The cases of kernels that a run leaves out: it has one value of each param, and a launcher takes one case for each alignment.
#include "driver/run_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/session.h"
#include "plan/bind.h"
#include "run/program.h"

// Tells values of params that take variant "v" of "k", if some are found.
static void tell_values(struct session *s, const struct run_case *c, const struct kernel *k,
                        int v) {
    const struct variant *x = &k->variant[v];
    struct run_case other = *c;
    bool found = false;
    for (int i = 0; i < 8 && !found; ++i) {
        other.sym_values = plan_choose_when(s, c->plan, NULL, x->when, x->nwhen, i);
        found = other.sym_values && run_reaches(&other, k, v);
    }
    for (int i = 0; found && i < k->nparams; ++i) {
        const struct param *m = k->param[i];
        if (!m->sum && !m->apart)
            fprintf(stderr, "--param %s=%" PRId64 " ", m->name, other.sym_values[m->sym->id]);
    }
    fputs(found ? "takes it\n" : "no value tried takes it\n", stderr);
}

void run_tell_left_out(struct session *s, const struct run_case *c) {
    for (const struct kernel *k = c->plan->kernels; k; k = k->next) {
        if (run_leaves_out(c, k)) continue;
        for (int v = 0; v < k->nvariants; ++v) {
            if (run_reaches(c, k, v)) continue;
            fprintf(stderr,
                    k->first_case
                        ? "tcpc: %s: case %d is not run with these params; "
                        : "tcpc: %s: its variant of %d bits is not run with these params; ",
                    k->name, k->variant[v].tag);
            tell_values(s, c, k, v);
        }
    }
}
