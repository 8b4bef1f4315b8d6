// What the command lines of tcpc's commands have in common.
#ifndef TCPC_DRIVER_OPTIONS_H
#define TCPC_DRIVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct session;

enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_USAGE = 2 };

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
// argv[*i] is another option; "" with *missing set if there is no value.
const char *option_value(int argc, char **argv, int *i, const char *name, bool *missing);

// Whether "text" is just an integer.
bool option_int(const char *text, int64_t *out);

// The setting of an option NAME=INTEGER.
struct option_setting {
    const char *name;
    int64_t value;
};
// Reads the value of --param; reports what is wrong with it.
bool option_setting(struct session *s, const char *text, struct option_setting *out);
// Values of the params of "p" by lay_sym.id: those of "setting", and chosen ones.  Reports an error
// and returns NULL if none keep the promises.
const int64_t *option_params(struct session *s, const struct plan *p,
                             const struct option_setting *setting, int n);

// Reports if "name", the second word of the command "of", is a plan and "plan", the first one, is
// not a file.
bool option_plan_second(const char *of, const char *plan, const char *name);
// Reports that the command "of", "" or "run", has no option "word", with a similar one from its
// "help" or from the common options; returns EXIT_USAGE.
int option_unknown(const char *of, const char *help, const char *word);

// Prints "tcpc: error: ..." to standard error, escaped to one line; returns EXIT_USAGE.
int option_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct arena;
// The names that a message offers, at most 256.
struct option_names {
    const char *name[256];
    int n;
};
// Ignores NULL and repetitions.
void option_names_add(struct option_names *names, const char *name);
// The rest of a message that "wrong" is none of them: "; did you mean 'x'?" if one is near,
// otherwise "; there are 'x', 'y'", or "".
const char *option_names_text(struct arena *a, const struct option_names *names, const char *wrong);

// Prints "tcpc: ..." in the same way.
void option_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
