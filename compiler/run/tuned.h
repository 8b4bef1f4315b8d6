// The candidates of `tcpc tune`: the program that times them, and its results.
#ifndef TCPC_RUN_TUNED_H
#define TCPC_RUN_TUNED_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct kernel;
struct session;

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

// tune_program.c: appends what main.cpp needs to launch candidate "i": kernel "k" with the values
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
