// Writes the program that `tcpc run` builds: its tables, and files with the expected outputs.
#ifndef TCPC_RUN_PROGRAM_H
#define TCPC_RUN_PROGRAM_H

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

// One run.
struct run_case {
    const struct plan *plan;
    const struct kir *kir;        // for names of launchers; its kernels are in the plan's order
    const struct kernel *kernel;  // the only kernel, or NULL: all
    const char *family;           // .. or the only family (plan/family.h)
    const int64_t *sym_values;    // of the params
    const int64_t *fixed;         // those that the user gives; the others are PLAN_UNBOUND
    const char *print;            // a tensor to print, or NULL
};

// Elements of a tensor in memory, from its pointer on; -1 if not computable.
int64_t run_storage(const struct oracle_flat *f);
// Pages of the oracle's image for kernel "k": those of its outputs, and those of a block.
int64_t run_pages(const struct run_case *c, const struct kernel *k);
// Whether running kernel "k", and with "check" comparing its outputs, exceeds the limits of memory
// or moved elements: the reason as a sentence, or NULL.
const char *run_too_large(struct session *s, const struct run_case *c, const struct kernel *k,
                          bool check);
// What the user can do about that.
const char *run_instead(const struct run_case *c);
// Whether a run of kernel "k" on the host takes longer than optimizing its program.
bool run_is_long(struct session *s, const struct run_case *c, const struct kernel *k);

// Whether kernel "k" is not run: another one is asked for, or another number of devices.
bool run_leaves_out(const struct run_case *c, const struct kernel *k);
// Whether the launcher takes variant "v" of "k" for tensors aligned for it and these params.
bool run_reaches(const struct run_case *c, const struct kernel *k, int v);
// Appends the C++ text of the program (see runtime/tcp_harness.h).  Returns NULL, or as a sentence
// why there is none.
const char *run_write_main(struct session *s, const struct run_case *c, struct buf *out);

// That the extents of "t" have no size.
const char *run_no_size(struct session *s, const struct tensor *t);
// Appends the name of the runtime's enumerator, such as TCP_F16.
void run_put_element(struct buf *out, const struct elem_type *e);

// expected.c
// The name of the file with the expected contents of tensor "t" of kernel "k".
const char *run_expected_name(struct session *s, const struct kernel *k, const struct tensor *t);

// Writes the files that the tables of kernel "k" name into "folder", each completely or not at all:
// the contents of its outputs in "img".  Returns NULL, or what failed.
const char *run_write_expected(struct session *s, const struct run_case *c, const struct kernel *k,
                               const struct image *img, const char *folder);

#endif
