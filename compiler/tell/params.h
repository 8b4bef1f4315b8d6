// The values of params that a command is asked about.
#ifndef TCPC_TELL_PARAMS_H
#define TCPC_TELL_PARAMS_H

#include <stdint.h>

struct plan;
struct session;

// The setting of an option NAME=INTEGER.
struct param_setting {
    const char *name;
    int64_t value;
};
// The values of --param.
struct param_settings {
    struct param_setting *of;  // in the arena of the session
    int n;
};

// Values of the params of "p" by lay_sym.id: those of "setting", and chosen ones.  Reports an error
// and returns NULL if none keep the promises.
const int64_t *tell_params(struct session *s, const struct plan *p,
                           const struct param_settings *settings);

// The values that --param sets, by lay_sym.id; the others are PLAN_UNBOUND.  NULL after an error.
int64_t *tell_fixed(struct session *s, const struct plan *p, const struct param_settings *settings);
// Reports why no values of the other params keep the promises together with those in "fixed".
void tell_no_params(struct session *s, const struct plan *p, const int64_t *fixed);

#endif
