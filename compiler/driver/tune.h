// `tcpc tune`: compares the candidates of a planned kernel on the GPU.
#ifndef TCPC_DRIVER_TUNE_H
#define TCPC_DRIVER_TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/options.h"

struct buf;
struct kernel;
struct session;

enum { TUNE_MAX_PARAMS = 64 };

struct tune_request {
    const char *path, *kernel, *output, *keep, *cxx;
    struct option_setting param[TUNE_MAX_PARAMS];
    int nparams;
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

// A candidate and its result.
struct tuned {
    int number;       // as for --candidate
    const char *how;  // a description in one line
    const char *cuda, *source;
    bool right, refused;  // right: its results were; refused: by its launcher
    const char *why;      // why it is not right
    double ms;            // median time of a launch; 0: not timed
};

struct tuning {
    const char *kernel, *params;    // "M = 4096, N = 64", or ""
    const char *device, *versions;  // "" if there are none
    int64_t bytes;                  // bytes read and written by a launch
    int buffers, rounds;
    double copy;  // GB/s of a plain copy; 0: not timed
    struct tuned *of;
    int n;
    int chosen;  // index of the chosen one
};

// tune_main.c: appends what main.cpp needs to launch candidate "i": kernel "k" with the values
// "sym" of params and a launcher "name".
void tune_put_launch(const struct kernel *k, const char *name, const int64_t *sym, int i,
                     struct buf *out);
// Appends the table of what "k" moves.  Returns NULL, or why there is none.  Sets "*bytes" to what
// a launch reads and writes.
const char *tune_put_relayout(const struct kernel *k, const int64_t *sym, struct buf *out,
                              int64_t *bytes);
// Appends the main function for "n" candidates.
void tune_put_main(int n, struct buf *out);

// tune_result.c: reads the results that the program wrote; false if they are incomplete.
bool tune_read(struct session *s, const char *path, struct tuning *t);
// The index of the best of "n" candidates: the first right one, unless another one is faster by
// more than 1%; "n" if none is right.
int tune_choose(const struct tuned *of, int n);
void tune_print(const struct tuning *t, struct buf *out);
void tune_print_json(const struct tuning *t, struct buf *out);
// Writes the comment at the head of the plan.
void tune_head(const struct tuning *t, struct buf *out);

#endif
