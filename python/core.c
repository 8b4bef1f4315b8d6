// The warm path of the Python package: a tensor that is like an earlier one gets its relayout by one
// call from Python.  Tensors are read, allocated and wrapped by the exchange API of DLPack 1.3.
//
// The functions at the end become builtin functions of Python.  What they call is in its stable
// interface, and no header of Python is needed, so that one library does for all its versions.
// Python makes all structures; those of a site are kept by an object that a call holds.
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

enum { READ_ONLY = 1, ALIGN = 16, MOST_ENTRIES = 64, MOST_ARGUMENTS = 1024 };
enum { BUFFER_POINTER = 1, BUFFER_SIZE = 2 };  // of cuLaunchKernel

// -- Python ---------------------------------------------------------------------------------------

// Of the interpreter that loads this library.  Objects are "void *".
#define OF_PYTHON extern __attribute__((weak))
OF_PYTHON void *PyObject_Type(void *object);
OF_PYTHON void *PyObject_GetAttr(void *object, void *name);
OF_PYTHON void *PyObject_VectorcallMethod(void *name, void *const *args, size_t n, void *names);
OF_PYTHON void *PyObject_CallNoArgs(void *function);
OF_PYTHON void *PyObject_Call(void *function, void *tuple, void *names);
OF_PYTHON void *PyObject_CallFunctionObjArgs(void *function, ...);
OF_PYTHON void *PyTuple_New(intptr_t n);
OF_PYTHON int PyTuple_SetItem(void *tuple, intptr_t at, void *object);
OF_PYTHON void *PyTuple_GetItem(void *tuple, intptr_t at);
OF_PYTHON intptr_t PyTuple_Size(void *tuple);
OF_PYTHON int PyDict_Next(void *dict, intptr_t *at, void **key, void **value);
OF_PYTHON void *PyDict_GetItemWithError(void *dict, void *key);
OF_PYTHON int PyDict_GetItemRef(void *dict, void *key, void **found);  // from 3.13 on
OF_PYTHON void *PyLong_AsVoidPtr(void *number);
OF_PYTHON void PyErr_Clear(void);
OF_PYTHON void Py_IncRef(void *object);
OF_PYTHON void Py_DecRef(void *object);

// -- what Python fills in -------------------------------------------------------------------------

// The functions that are called, of other libraries.
struct core_calls {
    const struct exchange *exchange;
    enum tcpc_launch_status (*evaluate)(const struct tcpc_launch *, const int64_t *,
                                        const uint64_t *, void *, struct tcpc_call *);
    int (*get_context)(void **);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*is_capturing)(void *stream, int *state);
    void *none, *yes, *no, *integer, *tuple, *shape;  // of Python: None, True, .., "shape"
    // Of the framework.
    void *const *type;  // those of tensors that are nothing but their memory
    const struct core_question *about_tensor, *about_state;
    void *grad_enabled, *written;  // functions; the second one is told which tensors are written
    void *empty;  // makes a tensor of an entry's "result", on the current device; NULL: DLPack does
    int32_t ntypes, nabout_tensor, nabout_state;
    int32_t below;   // nothing is asked: the framework did
    int64_t within;  // where the object of a tensor has the C++ object, which native questions take
    void *sites;     // a dict, from keys to tuples with the address of a core_site in front
    void *sites_of_what;  // those of new results without dtype and axes, by "what"
};

// What is asked before, and the answer that allows this way.
struct core_question {
    void *object, *name;  // an attribute; no object: that of the tensor; no name: a function
    void *answer;
    int32_t is_method, of_grad;     // "of_grad": another answer will do if no gradient is recorded
    _Bool (*native)(const void *);  // asked instead, if there is one: of a reference to the tensor,
    int64_t is_behind;              // or of what that points to; "false" allows this way
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
    int32_t kind, device, nfunctions;  // the kind of DLPack
    const struct tcpc_launch *launch;
    const int64_t *param;
    void *const *function;  // of each variant
    void *context;
    void *result;            // a tuple: what "empty" is given
    int64_t hits, captured;  // whether a graph may have the kernel
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
    return t->data && t->device_type == e->kind && t->device_id == e->device &&
           t->ndim == l->rank && memcmp(&t->dtype, &l->dtype, sizeof l->dtype) == 0 &&
           address_of(t) % ALIGN == l->shift &&
           (bytes == 0 || (memcmp(t->shape, l->shape, bytes) == 0 && t->strides && l->strides &&
                           memcmp(t->strides, l->strides, bytes) == 0));
}

static void ignore(void *context, const char *kind, const char *message) {
    (void)context, (void)kind, (void)message;
}

// Whether the device of the entry is the current one.
static int is_current(const struct core_calls *c, const struct core_entry *e) {
    void *context;
    return c->get_context(&context) == 0 && context == e->context;
}

static int launch(const struct core_calls *c, struct core_entry *e, uint64_t from, uint64_t to) {
    uint64_t arguments[MOST_ARGUMENTS / sizeof(uint64_t)];
    const uint64_t address[2] = {from + (uint64_t)e->side[0].behind,
                                 to + (uint64_t)e->side[1].behind};
    struct tcpc_call call = {.size = sizeof call};
    void *stream;
    int at = 0;
    if (e->launch->argument_bytes > sizeof arguments ||
        c->exchange->current_stream(e->kind, e->device, &stream) ||
        c->evaluate(e->launch, e->param, address, arguments, &call) != TCPC_LAUNCH_OK ||
        !call.variant)
        return 0;
    while (at < e->nfunctions && e->launch->variant[at] != call.variant) ++at;
    if (at == e->nfunctions) return 0;
    int state = 0;
    if (stream && !e->captured && (c->is_capturing(stream, &state) || state))
        __atomic_store_n(&e->captured, 1, __ATOMIC_RELAXED);
    size_t size = call.variant->argument_bytes;
    void *extra[] = {(void *)BUFFER_POINTER, arguments, (void *)BUFFER_SIZE, &size, NULL};
    return c->launch(e->function[at], call.grid[0], call.grid[1], call.grid[2],
                     (unsigned)call.variant->threads, 1, 1, (unsigned)call.variant->shared_bytes,
                     stream, NULL, extra) == 0 &&
           __atomic_add_fetch(&e->hits, 1, __ATOMIC_RELAXED);
}

// A new tensor: its object, or what DLPack makes one of.
struct made {
    void *object;
    struct managed_tensor *managed;
    uint64_t address;
};

static int make(const struct core_calls *c, const struct core_entry *e, struct made *m) {
    struct dl_tensor t;
    if (c->empty) {
        m->object = PyObject_Call(c->empty, e->result, NULL);
        if (!m->object || c->exchange->tensor_of(m->object, &t) || t.device_id != e->device ||
            t.device_type != e->kind)
            return 0;
        m->address = address_of(&t);
        return 1;
    }
    t = (struct dl_tensor){.device_type = e->kind,
                           .device_id = e->device,
                           .ndim = e->side[1].rank,
                           .dtype = e->side[1].dtype,
                           .shape = (int64_t *)e->side[1].shape};
    if (c->exchange->allocate(&t, &m->managed, NULL, ignore) || !m->managed) return 0;
    m->address = address_of(&m->managed->tensor);
    return 1;
}

// A new tensor with the relayout of "x"; NULL: this is not the way to make it.
static void *relayout(const struct core_calls *c, const struct core_site *s, void *x) {
    struct dl_tensor t;
    struct made m = {0};
    struct core_entry *e = NULL;
    if (c->exchange->tensor_of(x, &t)) return NULL;
    for (int64_t i = 0; i < s->n && !e; ++i)
        if (is_like(s->entry[i], 0, &t)) e = s->entry[i];
    if (!e || !is_current(c, e)) return NULL;
    if (make(c, e, &m) && m.address % ALIGN == e->side[1].shift &&
        launch(c, e, address_of(&t), m.address))
        return m.object || c->exchange->object_of(m.managed, &m.object) == 0 ? m.object : NULL;
    if (m.object) Py_DecRef(m.object);
    if (m.managed) m.managed->deleter(m.managed);
    return NULL;
}

// Whether the ranges of bytes that the kernel reaches are apart.  Others may interleave, which takes
// longer to find out.
static int are_apart(const struct core_entry *e, uint64_t from, uint64_t to) {
    from += (uint64_t)e->side[0].behind;
    to += (uint64_t)e->side[1].behind;
    return from + (uint64_t)e->side[0].bytes <= to || to + (uint64_t)e->side[1].bytes <= from;
}

// Copies "x" to "y"; 0: this is not the way to do it.  A tensor says only to its managed form
// whether it may be written.
static int copy(const struct core_calls *c, const struct core_site *s, void *y, void *x) {
    struct dl_tensor t;
    struct managed_tensor *to = NULL;
    int done = 0;
    if (c->exchange->tensor_of(x, &t) || c->exchange->managed_of(y, &to)) return 0;
    uint64_t from = address_of(&t), at = address_of(&to->tensor);
    for (int64_t i = 0; i < s->n && !done && !(to->flags & READ_ONLY); ++i) {
        struct core_entry *e = s->entry[i];
        done = is_like(e, 0, &t) && is_like(e, 1, &to->tensor) && are_apart(e, from, at) &&
               is_current(c, e) && launch(c, e, from, at);
    }
    to->deleter(to);
    return done;
}

// -- what it is asked for -------------------------------------------------------------------------

// By Python; -1: it failed.
static int is_found(const struct core_question *q, void *x) {
    void *object = q->object ? q->object : x;
    void *found = !q->name       ? PyObject_CallNoArgs(object)
                  : q->is_method ? PyObject_VectorcallMethod(q->name, &object, 1, NULL)
                                 : PyObject_GetAttr(object, q->name);
    if (found) Py_DecRef(found);
    return found ? found == q->answer : -1;
}

static int is_answered(const struct core_calls *c, const struct core_question *q, void *x) {
    void *const *tensor = x ? (void *)((char *)x + c->within) : NULL;
    int right = q->native ? !q->native(q->is_behind ? *tensor : tensor) : is_found(q, x);
    if (right || !q->of_grad) return right > 0;
    void *found = PyObject_CallNoArgs(c->grad_enabled);
    if (found) Py_DecRef(found);
    return found == c->no;
}

// Whether the tensor is its memory and nothing more.  The exchange API refuses nothing.
static int is_plain(const struct core_calls *c, void *x) {
    void *type = PyObject_Type(x);
    int right = 0;
    for (int32_t i = 0; i < c->ntypes; ++i) right |= type == c->type[i];
    Py_DecRef(type);
    for (int32_t i = 0; i < c->nabout_tensor && right; ++i)
        right = is_answered(c, &c->about_tensor[i], x);
    return right;
}

// Whether nobody but the kernel has to know of the call.
static int is_quiet(const struct core_calls *c) {
    int right = 1;
    for (int32_t i = 0; i < c->nabout_state && right; ++i)
        right = is_answered(c, &c->about_state[i], NULL);
    return right;
}

// The object that keeps the site of this key; NULL: there is none.
static void *kept(void *sites, void *key) {
    void *found = NULL;
    if (PyDict_GetItemRef)
        PyDict_GetItemRef(sites, key, &found);
    else if ((found = PyDict_GetItemWithError(sites, key)))
        Py_IncRef(found);
    return found;
}

static const struct core_site *site_of(void *keeper) {
    return PyLong_AsVoidPtr(PyTuple_GetItem(keeper, 0));
}

static void put(void *tuple, intptr_t at, void *object) {
    Py_IncRef(object);
    PyTuple_SetItem(tuple, at, object);
}

// Tells the framework that "y" is written, which it may have kept for a gradient; 0: it objects.
static int is_told(const struct core_calls *c, void *y) {
    void *told = NULL, *tuple = PyTuple_New(1);
    if (tuple) {
        put(tuple, 0, y);
        told = PyObject_CallFunctionObjArgs(c->written, tuple, NULL);
        Py_DecRef(tuple);
    }
    if (told) Py_DecRef(told);
    return told != NULL;
}

static int has_type(void *object, void *type) {
    void *of = PyObject_Type(object);
    Py_DecRef(of);
    return of == type;
}

// Whether "what" is no tuple, or one of integers.  True is equal to 1, but no dimension.
static int are_integers(const struct core_calls *c, void *what) {
    int right = 1;
    for (intptr_t i = has_type(what, c->tuple) ? PyTuple_Size(what) : 0; i > 0 && right; --i)
        right = has_type(PyTuple_GetItem(what, i - 1), c->integer);
    return right;
}

// That of a relayout, (x, what, dtype, out, axes).  The key is "what" where there is nothing else;
// else (what, dtype, whether the result is new, name and extent of each axis).
static void *keeper_of(const struct core_calls *c, void *const *args) {
    enum { MOST_AXES = 32, FIXED = 3 };
    void *part[2 * MOST_AXES], *name, *value, *found;
    intptr_t n = 0, at = 0;
    if (!are_integers(c, args[1])) return NULL;
    while (args[4] != c->none && PyDict_Next(args[4], &at, &name, &value)) {
        if (!has_type(value, c->integer) || n == 2 * MOST_AXES) return NULL;
        part[n++] = name, part[n++] = value;
    }
    if (n == 0 && args[2] == c->none && args[3] == c->none) return kept(c->sites_of_what, args[1]);
    void *key = PyTuple_New(FIXED + n);
    if (!key) return NULL;
    put(key, 0, args[1]);
    put(key, 1, args[2]);
    put(key, 2, args[3] == c->none ? c->yes : c->no);
    for (at = 0; at < n; ++at) put(key, FIXED + at, part[at]);
    found = kept(c->sites, key);
    Py_DecRef(key);
    return found;
}

// What is returned; None where that is NULL.  What went wrong on the way, Python's own way finds out.
static void *answer(const struct core_calls *c, void *result) {
    if (result) return result;
    PyErr_Clear();
    Py_IncRef(c->none);
    return c->none;
}

// (x, what, dtype, out, axes): the relayout, or None.
TCPC_API void *tcpc_core_relayout(void *self, void *const *args, intptr_t nargs) {
    const struct core_calls *c = PyLong_AsVoidPtr(self);
    void *x = args[0], *out = nargs == 5 ? args[3] : NULL, *result = NULL;
    if (!out || !(c->below || (is_plain(c, x) && (out == c->none || is_plain(c, out)))))
        return answer(c, NULL);
    void *keeper = keeper_of(c, args);
    if (keeper && (c->below || is_quiet(c))) {
        const struct core_site *s = site_of(keeper);
        if (out == c->none)
            result = relayout(c, s, x);
        else if (is_told(c, out) && copy(c, s, out, x))
            Py_IncRef(result = out);
    }
    if (keeper) Py_DecRef(keeper);
    return answer(c, result);
}

// (dst, src): True, or None.  The key is the shape.
TCPC_API void *tcpc_core_copy(void *self, void *const *args, intptr_t nargs) {
    const struct core_calls *c = PyLong_AsVoidPtr(self);
    void *keeper = NULL, *result = NULL, *shape = NULL;
    if (nargs == 2 && is_plain(c, args[0]) && is_plain(c, args[1]))
        shape = PyObject_GetAttr(args[0], c->shape);
    if (shape) {
        keeper = kept(c->sites, shape);
        Py_DecRef(shape);
    }
    if (keeper && is_quiet(c) && is_told(c, args[0]) && copy(c, site_of(keeper), args[0], args[1]))
        Py_IncRef(result = c->yes);
    if (keeper) Py_DecRef(keeper);
    return answer(c, result);
}

// Whether the interpreter's functions were found, and Python's structures have the sizes of these.
TCPC_API int tcpc_core_fits(size_t calls, size_t question, size_t entry, size_t site) {
    return PyObject_VectorcallMethod && PyLong_AsVoidPtr && calls == sizeof(struct core_calls) &&
           question == sizeof(struct core_question) && entry == sizeof(struct core_entry) &&
           site == sizeof(struct core_site);
}
