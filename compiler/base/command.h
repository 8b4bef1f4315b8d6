// What a command says about itself, on standard error, and its exit statuses.
#ifndef TCPC_BASE_COMMAND_H
#define TCPC_BASE_COMMAND_H

struct arena;

enum { EXIT_RIGHT = 0, EXIT_WRONG = 1, EXIT_USAGE = 2 };

// Prints "tcpc: error: ..." to standard error, escaped to one line, unless a trap takes it
// (trap.h); returns EXIT_USAGE.
int option_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

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
