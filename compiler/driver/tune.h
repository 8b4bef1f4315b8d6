// `tcpc tune`: compares the candidates of a planned kernel on the GPU.
#ifndef TCPC_DRIVER_TUNE_H
#define TCPC_DRIVER_TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/options.h"

struct buf;
struct kernel;
struct session;

struct tune_request {
    const char *path, *kernel, *output, *keep, *cxx;
    struct option_settings params;
    int64_t candidates, seconds;
    bool json, help;
    int where;  // "want" of toolchain_find: 1, or -1 to check only
    // Returns the text of the plan with that candidate.  NULL: the plan's own text with every
    // choice written down.
    const char *(*text)(struct session *s, void *by, int candidate);
    void *by;
};

extern const char tune_usage[];
// Sets an empty request.
void tune_request_init(struct tune_request *q);
// Takes the word at argv[*i], with its value, if it is an option of tune; reports wrong ones.
enum option_taken tune_take_word(struct tune_request *q, int argc, char **argv, int *i);
// Executes `tcpc tune` after its words are read; returns the exit status.
int tune_plan(struct session *s, const struct tune_request *q);

#endif
