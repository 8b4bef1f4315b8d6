// Names of functions that others call from C++: the emitted text must have them as they are.
#include "plan/c_names.h"

#include <string.h>

#include "sema/decl.h"

// A variable of emitted code that may be around a call.
static bool is_own_variable(const char *name) {
    static const char *const own[] = {"tid", "smem", "block_x", "block_y", "block_z"};
    for (unsigned i = 0; i < sizeof own / sizeof *own; ++i)
        if (strcmp(own[i], name) == 0) return true;
    return false;
}

void check_c_name(struct sema *c, struct ast_ident name, bool is_extern) {
    const char *taken = c_name_taken(name.name);
    if (!taken && is_extern && is_own_variable(name.name))
        taken = "a variable of the emitted code, which hides it";
    // a header may define _f
    bool lower = name.name[0] == '_' && name.name[1] >= 'a' && name.name[1] <= 'z';
    if (!taken || (is_extern && lower)) return;
    diag_error(c->s, name.at,
               "device function '%s' is a C++ function of that name, which is %s; choose another "
               "name",
               name.name, taken);
}

// Reports the function "name" if the emitted text makes it of "of", the name of "k" or of its family.
static void check_made_of(struct sema *c, const char *name, struct range at, const struct kernel *k,
                          const char *of) {
    const struct kernel as = {.name = of};
    const char *stem = k->device ? of : c_name_of_kernel(c->s, c->plan, &as);
    if (!c_name_is_made(name, stem, k->device ? c_name_device_ends : c_name_kernel_ends)) return;
    diag_error(c->s, at,
               k->device ? "'%s' is a constant of device function '%s'; choose another name"
                         : "'%s' is a function that launches kernel '%s'; choose another name",
               name, of);
    diag_note(c->s, k->at, "'%s' is declared here", of);
}

// Reports the function "name" if that is what the emitted text makes of another function's name.
static void check_made(struct sema *c, const char *name, struct range at) {
    const struct kernel *before = NULL;
    for (const struct kernel *k = plan_next(c->plan, NULL); k;
         before = k, k = plan_next(c->plan, k)) {
        if (k->first_case && k->first_case != k) continue;
        check_made_of(c, name, at, k, k->name);
        if (k->family && (!before || before->family != k->family))
            check_made_of(c, name, at, k, k->family);
    }
}

void check_made_c_names(struct sema *c) {
    for (const struct kernel *k = c->plan->devices; k; k = k->next) check_made(c, k->name, k->at);
    for (int i = 0; i < c->plan->nfunctions; ++i)
        check_made(c, c->plan->function[i]->name, c->plan->function[i]->at);
}
