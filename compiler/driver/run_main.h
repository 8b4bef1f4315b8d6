// The program that `tcpc run` builds: its tables, and the files of what each output must hold.
#ifndef TCPC_DRIVER_RUN_MAIN_H
#define TCPC_DRIVER_RUN_MAIN_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct elem_type;
struct image;
struct kir;
struct kernel;
struct plan;
struct oracle_flat;
struct session;
struct tensor;

// What one run is about.
struct run_case {
    const struct plan *plan;
    const struct kir *kir;        // for the launchers' names; its kernels are in the plan's order
    const struct kernel *kernel;  // the only one, or NULL: all
    const int64_t *sym_values;    // of the params
    const char *print;            // a tensor whose contents are wanted, or NULL
};

// The storage elements of a tensor, from its pointer on; -1 when there is no such number.
int64_t run_storage(const struct oracle_flat *f);
// Pages of the image of what kernel "k" means: those of what it writes, and of a block.
int64_t run_pages(const struct run_case *c, const struct kernel *k);
// Whether running kernel "k", and comparing its outputs with "check", needs more memory or moves
// more elements than it may, as a sentence in the session's memory; NULL when it does not.
const char *run_too_large(struct session *s, const struct run_case *c, const struct kernel *k,
                          bool check);
// What the user may do about that.
const char *run_instead(const struct run_case *c);
// Whether a run of kernel "k" on the host takes longer than its program takes to be optimized.
bool run_is_long(struct session *s, const struct run_case *c, const struct kernel *k);

// Appends the C++ text of the program (runtime/tcp_harness.h says what it is made of).  Returns
// NULL, or why there is none as a sentence in the session's memory.
const char *run_write_main(struct session *s, const struct run_case *c, struct buf *out);

// Appends the name of the runtime's enumerator: TCP_F16.
void run_put_element(struct buf *out, const struct elem_type *e);

// The name of the file that says what tensor "t" of kernel "k" must hold.
const char *run_expected_name(struct session *s, const struct kernel *k, const struct tensor *t);

// Writes the files that the tables of kernel "k" name into "folder", each whole or not at all: what
// its outputs hold in "img".  Returns NULL, or what failed.
const char *run_write_expected(struct session *s, const struct run_case *c, const struct kernel *k,
                               const struct image *img, const char *folder);

#endif
