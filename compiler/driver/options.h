// What the command lines of tcpc's commands have in common.
#ifndef TCPC_DRIVER_OPTIONS_H
#define TCPC_DRIVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/command.h"

struct param_settings;
struct session;

// Records the response files that "argv" comes from (driver/response.h) as read.
void option_files(struct session *s, int argc, char **argv);

// The value of option "name" at argv[*i], given as "name=VALUE" or as the next word.  NULL if
// argv[*i] is another option; "" with *missing set if there is no value, or an option in its place.
const char *option_value(int argc, char **argv, int *i, const char *name, bool *missing);

// Whether "text" is just an integer.
bool option_int(const char *text, int64_t *out);

// An option of a command: a flag to set; or a text, once, or a number to take; or --param; or what
// "take" does with the value "of" it is for.  The others are NULL.
struct option_row {
    const char *name;
    bool *flag;  // also of a number: whether it is given
    const char **text;
    bool again;  // a second text may come, which counts
    struct param_settings *settings;
    int64_t *number, least, most;
    const char *takes;  // what the number is, in a message; NULL: "a number in LEAST .. MOST"
    bool optional;      // the number may be missing
    bool (*take)(void *of, const char *value);  // reports what is wrong
    void *of;
    const char **seen;  // gets the word of the option, or NULL
};

// The words of a command, which has these options, the common ones and --help.
struct option_words {
    const char *command, *help;
    const struct option_row *row;  // the last one has no name
    const char *word[3];           // those that are no options
    int n, most;
    const char *extra;  // the first one beyond "most", behind which nothing was taken; or NULL
};
// Takes all words; those behind "--" are no options.  Returns -1, or the exit status if there is nothing more to do.
int option_words(struct session *s, struct option_words *w, int argc, char **argv);

// Reports if "name", the second word of the command "of", is a plan and "plan", the first one, is
// not a file.
bool option_plan_second(const char *of, const char *plan, const char *name);
// Reports that the command "of", "" or "run", has no option "word", with a similar one from its
// "help" or from the common options; returns EXIT_USAGE.
int option_unknown(const char *of, const char *help, const char *word);

#endif
