// `tcpc tune`: the candidates of a planned kernel side by side on the GPU at hand.
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
    int where;  // as toolchain_find takes it: 1, or -1 to check alone
    // The text of the plan with that candidate; NULL: the plan's own, with every choice written.
    const char *(*text)(struct session *s, void *by, int candidate);
    void *by;
};

extern const char tune_usage[];
// Nothing is asked for yet.
void tune_request_init(struct tune_request *q);
// Takes the word at argv[*i], with its value, when it is about tuning; wrong ones are reported.
enum option_taken tune_take_word(struct tune_request *q, int argc, char **argv, int *i);
// What `tcpc tune` does when its words are read; returns the exit status.
int tune_plan(struct session *s, const struct tune_request *q);

// One candidate, and what came of it.
struct tuned {
    int number;       // as --candidate has it
    const char *how;  // in a line
    const char *cuda, *source;
    bool right, refused;  // by its launcher
    const char *why;      // it is not right
    double ms;            // of a launch, the median; 0: not timed
};

struct tuning {
    const char *kernel, *params;    // "M = 4096, N = 64", or ""
    const char *device, *versions;  // "" where there are none
    int64_t bytes;                  // read and written by a launch
    int buffers, rounds;
    double copy;  // GB/s of a plain copy; 0: not timed
    struct tuned *of;
    int n;
    int chosen;  // of these
};

// tune_main.c: appends what main.cpp needs to launch candidate "i", which is kernel "k" with these
// values of params and has a launcher "name".
void tune_put_launch(const struct kernel *k, const char *name, const int64_t *sym, int i,
                     struct buf *out);
// Appends the table of what "k" moves; returns NULL, or why there is none.  "*bytes" is what a
// launch reads and writes.
const char *tune_put_relayout(const struct kernel *k, const int64_t *sym, struct buf *out,
                              int64_t *bytes);
// Appends the main function for "n" candidates.
void tune_put_main(int n, struct buf *out);

// tune_result.c: reads the results that the program wrote; false where they are not whole.
bool tune_read(struct session *s, const char *path, struct tuning *t);
// Which of "n" candidates is to be taken: the first right one, unless another is faster by more than
// 1%; "n" where none is right.
int tune_choose(const struct tuned *of, int n);
void tune_print(const struct tuning *t, struct buf *out);
void tune_print_json(const struct tuning *t, struct buf *out);
// The comment at the head of the plan.
void tune_head(const struct tuning *t, struct buf *out);

#endif
