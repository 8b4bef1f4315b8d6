// Finds what NAME means in `tcpc draw PLAN NAME`.
#ifndef TCPC_DRAW_SUBJECT_H
#define TCPC_DRAW_SUBJECT_H

#include <stdbool.h>

struct copy;
struct kernel;
struct named_layout;
struct plan;
struct session;
struct tensor;
struct tiled_copy;
struct tiled_mma;

struct subject {
    const struct tiled_copy *tc;
    const struct tiled_mma *mma;  // for an operand, whose tile is "tc"
    int operand;                  // enum mma_operand
    const struct named_layout *layout;
    const struct tensor *tensor;
    const struct kernel *kernel;  // itself, or that of the copy or tensor
    const struct copy *copy;
};

// Finds "name".  Reports an error and returns the exit status if there is no such thing, or
// several.
int find_subject(struct session *s, const struct plan *p, const char *name, struct subject *out);

// "; copies are in the lines 7, 8", or "".
const char *copy_lines(struct session *s, const struct plan *p);

// Reports that no name is given, and which names exist; returns the exit status.
int no_subject(struct session *s, const struct plan *p);

// Whether "name" is operand_A(M), operand_B(M) or operand_C(M); sets "out".
bool find_operand(struct session *s, const struct plan *p, const char *name, struct subject *out);

// Sets the copy and the kernel of "out" to the first copy with "tc"; returns whether there is one.
bool find_copy_by(const struct plan *p, const struct tiled_copy *tc, struct subject *out);

#endif
