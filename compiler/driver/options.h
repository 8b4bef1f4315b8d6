// What the command lines of tcpc's commands have in common.
#ifndef TCPC_DRIVER_OPTIONS_H
#define TCPC_DRIVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/command.h"

struct plan;
struct session;

enum option_taken {
    OPTION_NOT,   // argv[*i] is none of these options
    OPTION_DONE,  // taken; "*i" is its last word
    OPTION_BAD,   // taken but wrong; an error was reported
};

// Takes one of -D NAME=VALUE, -arch=sm_NN, -W.., -w, --no-line, --color=.., --diagnostics=..,
// --error-limit=N at argv[*i].
enum option_taken option_common(struct session *s, int argc, char **argv, int *i);

// Records the response files that "argv" comes from (driver/response.h) as read.
void option_files(struct session *s, int argc, char **argv);

// The value of option "name" at argv[*i], given as "name=VALUE" or as the next word.  NULL if
// argv[*i] is another option; "" with *missing set if there is no value, or an option in its place.
const char *option_value(int argc, char **argv, int *i, const char *name, bool *missing);

// Takes "value" of option "name" into "*to", once; reports a second one.
bool option_once(const char **to, const char *name, const char *value);

// Whether "text" is just an integer.
bool option_int(const char *text, int64_t *out);

// The setting of an option NAME=INTEGER.
struct option_setting {
    const char *name;
    int64_t value;
};
// The values of --param.
struct option_settings {
    struct option_setting *of;  // in the arena of the session
    int n;
};

// An option of a command: a flag to set; or a text to take, once; or --param.  The others are NULL.
struct option_row {
    const char *name;
    bool *flag;
    const char **text;
    struct option_settings *settings;
};
// Takes the option at argv[*i] if it is one of the "n" rows.
enum option_taken option_rows(struct session *s, const struct option_row *row, int n, int argc,
                              char **argv, int *i);
// Values of the params of "p" by lay_sym.id: those of "setting", and chosen ones.  Reports an error
// and returns NULL if none keep the promises.
const int64_t *option_params(struct session *s, const struct plan *p,
                             const struct option_settings *settings);

// The values that --param sets, by lay_sym.id; the others are PLAN_UNBOUND.  NULL after an error.
int64_t *option_fixed(struct session *s, const struct plan *p,
                      const struct option_settings *settings);
// Reports why no values of the other params keep the promises together with those in "fixed".
void option_no_params(struct session *s, const struct plan *p, const int64_t *fixed);

// Reports if "name", the second word of the command "of", is a plan and "plan", the first one, is
// not a file.
bool option_plan_second(const char *of, const char *plan, const char *name);
// Reports that the command "of", "" or "run", has no option "word", with a similar one from its
// "help" or from the common options; returns EXIT_USAGE.
int option_unknown(const char *of, const char *help, const char *word);

#endif
