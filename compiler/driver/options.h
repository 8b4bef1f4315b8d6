// What the commands of tcpc have in common on their command lines.
#ifndef TCPC_DRIVER_OPTIONS_H
#define TCPC_DRIVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct session;

enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_USAGE = 2 };

enum option_taken {
    OPTION_NOT,   // argv[*i] is none of these
    OPTION_DONE,  // taken; "*i" is on its last word
    OPTION_BAD,   // taken and wrong, which was said
};

// Takes -D NAME=VALUE, -arch=sm_NN, -W.., -w, --no-line, --color=.., --diagnostics=..,
// --error-limit=N at argv[*i].
enum option_taken option_common(struct session *s, int argc, char **argv, int *i);

// Remembers the response files that "argv" comes from (driver/response.h) as read.
void option_files(struct session *s, int argc, char **argv);

// The value of option "name" at argv[*i], as "name=VALUE" or as the next word; NULL when argv[*i]
// is another option, "" with *missing set when there is no value, or another option in its place.
const char *option_value(int argc, char **argv, int *i, const char *name, bool *missing);

// Takes "value" of option "name" into "*to", once; reports a second one.
bool option_once(const char **to, const char *name, const char *value);

// Whether "text" is an integer and nothing else.
bool option_int(const char *text, int64_t *out);

// What an option NAME=INTEGER sets.
struct option_setting {
    const char *name;
    int64_t value;
};
// Reads the value of --param; says what is wrong with it.
bool option_setting(struct session *s, const char *text, struct option_setting *out);
// Values of the params of "p" by lay_sym.id, those of "setting" and chosen ones; NULL, after saying
// why, when there are none that keep what is promised.
const int64_t *option_params(struct session *s, const struct plan *p,
                             const struct option_setting *setting, int n);

// The values that --param sets, by lay_sym.id, the others PLAN_UNBOUND; NULL after an error.
int64_t *option_fixed(struct session *s, const struct plan *p, const struct option_setting *setting,
                      int n);
// Says why no values of the params beside those of "fixed" keep what is promised.
void option_no_params(struct session *s, const struct plan *p, const int64_t *fixed);

// Whether "name", the second word of the command "of", is a plan and "plan", the first one, is no
// file; reports that.
bool option_plan_second(const char *of, const char *plan, const char *name);
// Says that the command "of", "" or "run", has no option "word", with the one of its "help" or of
// all commands that is near; returns EXIT_USAGE.
int option_unknown(const char *of, const char *help, const char *word);

// Prints "tcpc: error: ..." to the standard error, as one line whatever is in the words; returns
// EXIT_USAGE.
int option_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct arena;
// Names that a message offers, the first 256 of them.
struct option_names {
    const char *name[256];
    int n;
};
// Leaves out NULL and what is there.
void option_names_add(struct option_names *names, const char *name);
// How a message that "wrong" is none of them goes on: "; did you mean 'x'?", where one is near, or
// "; there are 'x', 'y'", or "".
const char *option_names_text(struct arena *a, const struct option_names *names, const char *wrong);

// Prints "tcpc: ..." there in the same way.
void option_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
