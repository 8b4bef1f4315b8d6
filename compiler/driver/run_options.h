// What `tcpc run` is asked for.
#ifndef TCPC_DRIVER_RUN_OPTIONS_H
#define TCPC_DRIVER_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/options.h"
#include "tell/params.h"

struct session;

struct run_request {
    const char *path, *kernel, *print, *keep, *write, *cxx;
    struct param_settings params;
    int64_t thread;   // -1: none
    int64_t repeats;  // of --time; 0: as many as usual
    bool time, no_check, json, watch, gpu, host;
};

// The rows of options of `tcpc run` that `tcpc relayout` has, too; "by" gets their words.
#define RUN_ROWS(q, by)                                                                            \
    {"--time",         .flag = &(q).time, .number = &(q).repeats,                                  \
     .least = 1,       .most = 100000,    .takes = "a number of launches in 1 .. 100000",          \
     .optional = true, .seen = (by)},                                                              \
        {"--no-check", .flag = &(q).no_check, .seen = (by)},                                       \
        {"--gpu", .flag = &(q).gpu, .seen = (by)}, {                                               \
        "--write", .text = &(q).write, .seen = (by)                                                \
    }
// Those that `tcpc tune` has, too.
#define BUILD_ROWS(q, by)                                                                          \
    {"--host", .flag = &(q).host, .seen = (by)}, {"--cxx", .text = &(q).cxx, .seen = (by)}, {      \
        "--keep", .text = &(q).keep, .seen = (by)                                                  \
    }

// Executes `tcpc run` after its words are read; returns the exit status.
int run_plan(struct session *s, const struct run_request *q);

#endif
