// The command line of `tcpc run`.
#ifndef TCPC_DRIVER_RUN_OPTIONS_H
#define TCPC_DRIVER_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/options.h"

struct session;

struct run_request {
    const char *path, *kernel, *print, *keep, *write, *cxx, *repeats;
    struct option_settings params;
    int64_t thread;  // -1: none
    bool time, no_check, json, watch, help;
    // "want" of toolchain_find
    int where;
};

extern const char run_usage[];

// Takes the word at argv[*i], with its value.  Reports errors and returns whether it was valid.
bool run_take_word(struct session *s, struct run_request *q, int argc, char **argv, int *i);

// Executes `tcpc run` after its words are read; returns the exit status.
int run_plan(struct session *s, const struct run_request *q);

#endif
