// The oracle: what a kernel means, worked out from its copies on coordinates alone.
//
// It knows nothing of how a copy is divided among threads beyond what the words of the plan say (a
// frag is a thread's, a TV layout says which coordinate it holds), and shares no code with passes,
// lowering or emission: what those make is compared with what it finds.
#ifndef TCPC_ORACLE_ORACLE_H
#define TCPC_ORACLE_ORACLE_H

#include "image/image.h"
#include "image/sample.h"
#include "plan/plan.h"

enum oracle_kind {
    ORACLE_OK,
    ORACLE_TWICE,          // one copy writes an element twice
    ORACLE_COLLISION,      // a global element is written by two copies, iterations or blocks
    ORACLE_OUTSIDE,        // a coordinate is outside the tensor
    ORACLE_NEVER_WRITTEN,  // an element of an out tensor (seen only when everything was executed)
    ORACLE_POISON,         // an element is read before anything was written there (likewise)
    ORACLE_NO_SOURCE,      // a global element is to be written from outside the source
    ORACLE_SHAPES,         // source and destination, or a tile and its view, do not fit
    // a view's offset is not where its coordinates are in the tensor: our own mistake
    ORACLE_MISPLACED,
    // an extent or an offset has no value (overflow, a division that does not come out)
    ORACLE_NO_VALUE,
    ORACLE_TOO_LARGE,  // more elements to move, statements or pages than there may be
    ORACLE_GIVEN_UP,   // the session says so
};

#define ORACLE_LIMIT ((int64_t)1 << 28)

// The first thing that was found wrong, with its witness.
struct oracle_report {
    enum oracle_kind kind;
    const struct copy *copy;      // NULL when no copy is to blame
    const struct copy *before;    // that wrote the element first, where two did; or NULL
    const struct tensor *tensor;  // or NULL
    int64_t block[3];
    int thread;        // -1: none
    int64_t offset;    // the element in "tensor"
    const char *text;  // the sentence, NULL when all is well
    int64_t moved;     // elements
    int64_t steps;     // blocks, iterations, statements and threads, and elements not moved
};

// Executes kernel "k" of "p" for the params' values "sym_values" (by lay_sym.id), the blocks and
// iterations that "what" selects, into "img", where the tensors that the kernel reads become
// inputs.  Local buffers of the last block stay in "img".  Returns whether nothing is wrong;
// "report" is filled in either way.
bool oracle_run(struct session *s, const struct plan *p, const struct kernel *k,
                const int64_t *sym_values, const struct sample_set *what, struct image *img,
                struct oracle_report *report);

// A layout's modes without parentheses for one binding of the params, first fastest; evaluated
// pointwise.
enum { ORACLE_FLAT_MODES = 64 };
struct oracle_flat {
    int n;
    int64_t extent[ORACLE_FLAT_MODES], stride[ORACLE_FLAT_MODES];
    int basis[ORACLE_FLAT_MODES];  // of the stride, -1: an ordinary one
    int64_t size, offset;
    struct lay_swizzle sw;
};
// Returns false when an extent or a stride has no value ("sym_values" may be NULL: it must be
// static then) or there are too many modes.
bool oracle_flatten(struct lay l, const int64_t *sym_values, struct oracle_flat *out);
// The layout's value at linear coordinate "i", without offset and swizzle.
int64_t oracle_flat_at(const struct oracle_flat *f, int64_t i);
int64_t oracle_swizzle(struct lay_swizzle sw, int64_t x);

// How many elements of fragment "t" each thread has in the image (see image_own); 0 of another
// tensor.
int64_t oracle_each(struct session *s, const struct tensor *t);

// The elements of the kernel's tensors for one binding of the params, INT64_MAX when that
// overflows.
int64_t oracle_elements(struct session *s, const struct kernel *k, const int64_t *sym_values);

#endif
