// The warm path of the Python package: a tensor that is like an earlier one gets its relayout by one
// call from Python.  Tensors are read, allocated and wrapped by the exchange API of DLPack 1.3; no
// header of Python is needed, so that one library does for all its versions.
//
// What is here is loaded by ctypes.PyDLL: the interpreter's lock is held.  Python makes all
// structures, and keeps them while a call may use them.
#include <stdint.h>
#include <string.h>

#include "tcpc_launch.h"

// -- DLPack ---------------------------------------------------------------------------------------

struct data_type {
    uint8_t code, bits;
    uint16_t lanes;
};

struct dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    struct data_type dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};

struct managed_tensor {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct managed_tensor *);
    uint64_t flags;
    struct dl_tensor tensor;
};

struct exchange {
    uint32_t major, minor;
    const void *before;
    int (*allocate)(struct dl_tensor *prototype, struct managed_tensor **out, void *context,
                    void (*error)(void *context, const char *kind, const char *message));
    int (*managed_of)(void *object, struct managed_tensor **out);
    int (*object_of)(struct managed_tensor *tensor, void **object);
    int (*tensor_of)(void *object, struct dl_tensor *out);
    int (*current_stream)(int device_type, int32_t device, void **stream);
};

enum { DL_CUDA = 2, READ_ONLY = 1, ALIGN = 16, MOST_ENTRIES = 8, MOST_ARGUMENTS = 1024 };
enum { BUFFER_POINTER = 1, BUFFER_SIZE = 2 };  // of cuLaunchKernel

// -- what Python fills in -------------------------------------------------------------------------

// The functions that are called, of other libraries.
struct core_calls {
    const struct exchange *exchange;
    enum tcpc_launch_status (*evaluate)(const struct tcpc_launch *, const int64_t *,
                                        const uint64_t *, void *, struct tcpc_call *);
    int (*get_context)(void **);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    void (*forget_error)(void);  // PyErr_Clear
    void (*own)(void *);         // Py_IncRef
    void *none;
};

// A tensor as it was seen.
struct core_like {
    struct data_type dtype;
    int32_t rank;
    const int64_t *shape, *strides;  // a new one is compact, and has no strides
    uint64_t shift;                  // of the address, behind a multiple of ALIGN
    int64_t behind, bytes;  // from the address to the kernel's pointer; what it reaches there
};

// A relayout that was made: source and destination.
struct core_entry {
    struct core_like side[2];
    int32_t device, nfunctions;
    const struct tcpc_launch *launch;
    const int64_t *param;
    void *const *function;  // of each variant
    void *context;
    int64_t hits;
};

// A call with the same pattern.
struct core_site {
    int64_t n;
    struct core_entry *entry[MOST_ENTRIES];
};

// -- the call -------------------------------------------------------------------------------------

static uint64_t address_of(const struct dl_tensor *t) {
    return (uint64_t)(uintptr_t)t->data + t->byte_offset;
}

static int is_like(const struct core_entry *e, int side, const struct dl_tensor *t) {
    const struct core_like *l = &e->side[side];
    size_t bytes = (size_t)l->rank * sizeof *l->shape;
    return t->device_type == DL_CUDA && t->device_id == e->device && t->ndim == l->rank &&
           memcmp(&t->dtype, &l->dtype, sizeof l->dtype) == 0 &&
           address_of(t) % ALIGN == l->shift &&
           (bytes == 0 || (memcmp(t->shape, l->shape, bytes) == 0 && t->strides && l->strides &&
                           memcmp(t->strides, l->strides, bytes) == 0));
}

static void ignore(void *context, const char *kind, const char *message) {
    (void)context, (void)kind, (void)message;
}

static int launch(const struct core_calls *c, struct core_entry *e, uint64_t from, uint64_t to) {
    uint64_t arguments[MOST_ARGUMENTS / sizeof(uint64_t)];
    const uint64_t address[2] = {from + (uint64_t)e->side[0].behind,
                                 to + (uint64_t)e->side[1].behind};
    struct tcpc_call call = {.size = sizeof call};
    void *context, *stream;
    int at = 0;
    if (e->launch->argument_bytes > sizeof arguments || c->get_context(&context) ||
        context != e->context || c->exchange->current_stream(DL_CUDA, e->device, &stream) ||
        c->evaluate(e->launch, e->param, address, arguments, &call) != TCPC_LAUNCH_OK ||
        !call.variant)
        return 0;
    while (at < e->nfunctions && e->launch->variant[at] != call.variant) ++at;
    if (at == e->nfunctions) return 0;
    size_t size = call.variant->argument_bytes;
    void *extra[] = {(void *)BUFFER_POINTER, arguments, (void *)BUFFER_SIZE, &size, NULL};
    return c->launch(e->function[at], call.grid[0], call.grid[1], call.grid[2],
                     (unsigned)call.variant->threads, 1, 1, (unsigned)call.variant->shared_bytes,
                     stream, NULL, extra) == 0 &&
           ++e->hits;
}

// A new tensor with the relayout of "x"; NULL: this is not the way to make it.
static void *relayout(const struct core_calls *c, const struct core_site *s, void *x) {
    struct dl_tensor t;
    struct managed_tensor *made = NULL;
    struct core_entry *e = NULL;
    void *result;
    if (c->exchange->tensor_of(x, &t)) return NULL;
    for (int64_t i = 0; i < s->n && !e; ++i)
        if (is_like(s->entry[i], 0, &t)) e = s->entry[i];
    if (!e) return NULL;
    struct dl_tensor wanted = {.device_type = DL_CUDA,
                               .device_id = e->device,
                               .ndim = e->side[1].rank,
                               .dtype = e->side[1].dtype,
                               .shape = (int64_t *)e->side[1].shape};
    if (c->exchange->allocate(&wanted, &made, NULL, ignore) || !made) return NULL;
    uint64_t to = address_of(&made->tensor);
    if (to % ALIGN != e->side[1].shift || !launch(c, e, address_of(&t), to)) {
        made->deleter(made);
        return NULL;
    }
    return c->exchange->object_of(made, &result) ? NULL : result;
}

// Whether the ranges of bytes that the kernel reaches are apart.  Others may interleave, which takes
// longer to find out.
static int are_apart(const struct core_entry *e, uint64_t from, uint64_t to) {
    from += (uint64_t)e->side[0].behind;
    to += (uint64_t)e->side[1].behind;
    return from + (uint64_t)e->side[0].bytes <= to || to + (uint64_t)e->side[1].bytes <= from;
}

// The same; None where it is NULL.  What went wrong on the way, Python's own way finds out.
TCPC_API void *tcpc_core_relayout(const struct core_calls *c, const struct core_site *s, void *x) {
    void *result = relayout(c, s, x);
    if (result) return result;
    c->forget_error();
    c->own(c->none);
    return c->none;
}

// Copies "x" to "y"; 0: this is not the way to do it.  A tensor says only to its managed form
// whether it may be written.
TCPC_API int tcpc_core_copy(const struct core_calls *c, const struct core_site *s, void *y,
                            void *x) {
    struct dl_tensor t;
    struct managed_tensor *to = NULL;
    int done = 0;
    if (c->exchange->tensor_of(x, &t) == 0 && c->exchange->managed_of(y, &to) == 0) {
        uint64_t from = address_of(&t), at = address_of(&to->tensor);
        for (int64_t i = 0; i < s->n && !done && !(to->flags & READ_ONLY); ++i) {
            struct core_entry *e = s->entry[i];
            done = is_like(e, 0, &t) && is_like(e, 1, &to->tensor) && are_apart(e, from, at) &&
                   launch(c, e, from, at);
        }
        to->deleter(to);
    }
    if (!done) c->forget_error();
    return done;
}
