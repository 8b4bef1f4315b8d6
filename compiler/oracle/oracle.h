// The oracle: the meaning of a kernel, computed from its copies on coordinates.
//
// Of the division of a copy among threads, it knows only what the plan says: a frag belongs to a
// thread, and a TV layout says which coordinates a thread has.  It shares no code with passes,
// lowering and emission, whose results are compared with its own.
#ifndef TCPC_ORACLE_ORACLE_H
#define TCPC_ORACLE_ORACLE_H

#include "image/image.h"
#include "image/sample.h"
#include "plan/plan.h"

enum oracle_kind {
    ORACLE_OK,
    ORACLE_TWICE,      // one copy writes an element twice
    ORACLE_COLLISION,  // two copies, iterations or blocks write a global element
    ORACLE_OUTSIDE,    // a coordinate is outside the tensor
    // an element of an out tensor is not written (only detected if everything was executed)
    ORACLE_NEVER_WRITTEN,
    ORACLE_POISON,     // an element is read before it is written (likewise)
    ORACLE_NO_SOURCE,  // a global element is written from outside the source
    ORACLE_SHAPES,     // source and destination, or a tile and its view, do not fit
    // the offset of a view is not that of its coordinates in the tensor: an internal error
    ORACLE_MISPLACED,
    // an extent or an offset has no value (overflow, or a division with a remainder)
    ORACLE_NO_VALUE,
    ORACLE_TOO_LARGE,  // too many elements to move, statements or pages
    ORACLE_GIVEN_UP,   // the session was interrupted
};

#define ORACLE_LIMIT ((int64_t)1 << 28)

// The first error found, with its witness.
struct oracle_report {
    enum oracle_kind kind;
    const struct copy *copy;      // NULL if no single copy is the reason
    const struct copy *before;    // if two copies write the element: the first one; or NULL
    const struct tensor *tensor;  // or NULL
    int64_t block[3];
    int thread;        // -1: none
    int64_t offset;    // the element, as an offset in "tensor"
    const char *text;  // a sentence; NULL: no error
    int64_t moved;     // elements moved
    int64_t steps;  // blocks, iterations, statements and threads, and elements that were not moved
};

// Executes kernel "k" of "p", for the params' values "sym_values" (by lay_sym.id) and the blocks
// and iterations that "what" selects.  Writes to "img"; tensors that the kernel reads become
// inputs.  Local buffers of the last block remain in "img".  Returns whether there was no error,
// and always sets "report".
bool oracle_run(struct session *s, const struct plan *p, const struct kernel *k,
                const int64_t *sym_values, const struct sample_set *what, struct image *img,
                struct oracle_report *report);

// The modes of a layout without nesting, first fastest, for given values of the params.
enum { ORACLE_FLAT_MODES = 64 };
struct oracle_flat {
    int n;
    int64_t extent[ORACLE_FLAT_MODES], stride[ORACLE_FLAT_MODES];
    int basis[ORACLE_FLAT_MODES];  // of the stride; -1: an ordinary stride
    int64_t size, offset;
    struct lay_swizzle sw;
};
// Returns false if an extent or a stride has no value, or if there are too many modes.  If
// "sym_values" is NULL, the layout must be static.
bool oracle_flatten(struct lay l, const int64_t *sym_values, struct oracle_flat *out);
// The value of the layout at linear coordinate "i", without offset and swizzle.
int64_t oracle_flat_at(const struct oracle_flat *f, int64_t i);
int64_t oracle_swizzle(struct lay_swizzle sw, int64_t x);

// How many elements of fragment "t" each thread has in the image (see image_own); 0 for other
// tensors.
int64_t oracle_each(struct session *s, const struct tensor *t);

// The number of elements of the kernel's tensors for given params; INT64_MAX on overflow.
int64_t oracle_elements(struct session *s, const struct kernel *k, const int64_t *sym_values);

#endif
