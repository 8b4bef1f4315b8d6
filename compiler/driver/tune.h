// `tcpc tune`: compares the candidates of a planned kernel on the GPU.
#ifndef TCPC_DRIVER_TUNE_H
#define TCPC_DRIVER_TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/options.h"
#include "tell/params.h"

struct buf;
struct kernel;
struct session;

struct tune_request {
    const char *path, *kernel, *output, *keep, *cxx;
    struct param_settings params;
    int64_t candidates, seconds;
    bool json;
    bool host;  // check only
    // Returns the text of the plan with that candidate.  NULL: the plan's own text with every
    // choice written down.
    const char *(*text)(struct session *s, void *by, int candidate);
    void *by;
};

enum { TUNE_SECONDS = 600 };  // at most

// What is asked for by no option.
#define TUNE_USUAL                                                                                 \
    { .candidates = 8, .seconds = 2 }
// The rows of options that `tcpc relayout` has, too; "by" gets their words.
#define TUNE_ROWS(q, by)                                                                           \
    {"-n", .number = &(q).candidates, .least = 1, .most = RELAYOUT_CANDIDATES, .seen = (by)},      \
        {"--candidates", .number = &(q).candidates, .least = 1, .most = RELAYOUT_CANDIDATES,       \
         .seen = (by)},                                                                            \
        {"--seconds", .number = &(q).seconds, .least = 1, .most = TUNE_SECONDS, .seen = (by)}, {   \
        "--json", .flag = &(q).json, .seen = (by)                                                  \
    }
// Executes `tcpc tune` after its words are read; returns the exit status.
int tune_plan(struct session *s, const struct tune_request *q);

#endif
