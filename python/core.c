// The warm path of the Python package: a tensor that is like an earlier one gets its relayout by one
// call from Python.  Tensors are read, allocated and wrapped by the exchange API of DLPack 1.3.
//
// The functions at the end become builtin functions of Python.  What they call is in its stable
// interface, and no header of Python is needed, so that one library does for all its versions.
// Python makes all structures; those of a site are kept by an object that a call holds.
#include <stdint.h>
#include <string.h>

#include "dlpack.h"
#include "tcpc_launch.h"

// -- limits ---------------------------------------------------------------------------------------

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
    const struct core_reader *reader;  // NULL: DLPack tells of tensors
    int32_t ntypes, nabout_tensor, nabout_state;
    int32_t below;   // nothing is asked: the framework did
    int64_t within;  // where the object of a tensor has the C++ object, which native questions take
    void *sites;     // a dict, from keys to tuples with the address of a core_site in front
    void *sites_of_what;  // those of new results without dtype and axes, by "what"
};

// What a library of the framework tells of a reference to a tensor, 0 where it does.
struct core_reader {
    int (*data)(const void *, void **);
    int (*shape)(const void *, int64_t **), (*strides)(const void *, int64_t **);
    int (*rank)(const void *, int64_t *);
    int (*layout)(const void *, int32_t *), (*dtype)(const void *, int32_t *);
    int (*device_type)(const void *, int32_t *), (*device)(const void *, int32_t *);
    int32_t strided, ntypes, nkinds;  // the layout that has strides
    const struct data_type *type;     // by the library's numbers; of 0 bits: none
    const int32_t *kind;              // of DLPack, of device types
};

// How a question is asked: a function of Python is called; an attribute of the tensor or a method of
// it, or an item of a dict, is looked up by its name; or a library of the framework is asked of the
// reference to the tensor, of what it refers to, or for a std::vector, which has to be empty.
enum way { FUNCTION, ATTRIBUTE, METHOD, ITEM, NATIVE, BEHIND, LIST };

// What is asked before, and the answer that allows this way; of the libraries it is "false".
struct core_question {
    void *object, *name, *answer;
    int32_t way, of_grad;  // "of_grad": another answer will do if no gradient is recorded
    union {
        _Bool (*says)(const void *);
        const void *const *(*list)(void);
    } native;
};

// A tensor as it was seen.
struct core_like {
    struct data_type dtype;
    int32_t rank;
    const int64_t *shape, *strides;  // a new one is compact, and has no strides
    uint64_t shift;                  // of the address, behind a multiple of ALIGN
    int64_t behind, bytes;  // from the address to the kernel's pointer; what it reaches there
};

// A relayout that was made: source and destination.  All that a launch needs is known but for the
// addresses, whose places behind a multiple of ALIGN are.
struct core_entry {
    struct core_like side[2];
    int32_t kind, device;  // the kind of DLPack
    void *context, *function;
    uint32_t grid[3], threads, shared_bytes;
    int32_t place[2];  // of the addresses among the arguments; -1: it is none of them
    const void *arguments;
    size_t argument_bytes;
    void *result;            // a tuple: what "empty" is given
    int64_t hits, captured;  // whether a graph may have the kernel
};

// A call with the same pattern.
struct core_site {
    int64_t n;
    const void *what;  // the object in the key, where that is nothing else
    struct core_entry *entry[MOST_ENTRIES];
};

// -- the call -------------------------------------------------------------------------------------

static int read_tensor(const struct core_calls *c, void *x, struct dl_tensor *t) {
    const struct core_reader *r = c->reader;
    const void *tensor = (char *)x + c->within;
    int32_t layout, dtype, type;
    int64_t rank;
    if (!r) return c->exchange->tensor_of(x, t);
    if (r->layout(tensor, &layout) || layout != r->strided || r->rank(tensor, &rank) ||
        r->dtype(tensor, &dtype) || dtype < 0 || dtype >= r->ntypes ||
        r->device_type(tensor, &type) || type < 0 || type >= r->nkinds ||
        r->device(tensor, &t->device_id) || r->shape(tensor, &t->shape) ||
        r->strides(tensor, &t->strides) || r->data(tensor, &t->data))
        return 1;
    t->dtype = r->type[dtype], t->device_type = r->kind[type];
    t->ndim = (int32_t)rank, t->byte_offset = 0;
    if (t->device_id < 0) t->device_id = 0;  // of the CPU
    return 0;
}

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
    _Alignas(ALIGN) char arguments[MOST_ARGUMENTS];
    const uint64_t address[2] = {from, to};
    void *stream;
    int state = 0;
    if (e->argument_bytes > sizeof arguments ||
        c->exchange->current_stream(e->kind, e->device, &stream))
        return 0;
    memcpy(arguments, e->arguments, e->argument_bytes);
    for (int i = 0; i < 2; ++i) {
        uint64_t first = address[i] + (uint64_t)e->side[i].behind;
        if (e->place[i] >= 0) memcpy(arguments + e->place[i], &first, sizeof first);
    }
    if (stream && !e->captured && (c->is_capturing(stream, &state) || state))
        __atomic_store_n(&e->captured, 1, __ATOMIC_RELAXED);
    size_t size = e->argument_bytes;
    void *extra[] = {(void *)BUFFER_POINTER, arguments, (void *)BUFFER_SIZE, &size, NULL};
    return c->launch(e->function, e->grid[0], e->grid[1], e->grid[2], e->threads, 1, 1,
                     e->shared_bytes, stream, NULL, extra) == 0 &&
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
        if (!m->object || read_tensor(c, m->object, &t)) return 0;
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
    if (read_tensor(c, x, &t)) return NULL;
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
    if (read_tensor(c, x, &t) || c->exchange->managed_of(y, &to)) return 0;
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

// An item of a dict; NULL: there is none.
static void *item(void *dict, void *key) {
    void *found = NULL;
    if (PyDict_GetItemRef)
        PyDict_GetItemRef(dict, key, &found);
    else if ((found = PyDict_GetItemWithError(dict, key)))
        Py_IncRef(found);
    return found;
}

// By Python; -1: it failed.
static int is_found(const struct core_question *q, void *x) {
    void *found = q->way == FUNCTION    ? PyObject_CallNoArgs(q->object)
                  : q->way == ITEM      ? item(q->object, q->name)
                  : q->way == ATTRIBUTE ? PyObject_GetAttr(x, q->name)
                                        : PyObject_VectorcallMethod(q->name, &x, 1, NULL);
    if (found) Py_DecRef(found);
    return found ? found == q->answer : -1;
}

static int is_answered(const struct core_calls *c, const struct core_question *q, void *x) {
    void *const *tensor = x ? (void *)((char *)x + c->within) : NULL;
    const void *const *list = q->way == LIST ? q->native.list() : NULL;
    int right = q->way == LIST     ? list[0] == list[1]
                : q->way == NATIVE ? !q->native.says(tensor)
                : q->way == BEHIND ? !q->native.says(*tensor)
                                   : is_found(q, x);
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
    while (args[4] != c->none && PyDict_Next(args[4], &at, &name, &value)) {
        if (!has_type(value, c->integer) || n == 2 * MOST_AXES) return NULL;
        part[n++] = name, part[n++] = value;
    }
    if (n == 0 && args[2] == c->none && args[3] == c->none) {
        found = item(c->sites_of_what, args[1]);
        if (!found || site_of(found)->what == args[1] || are_integers(c, args[1])) return found;
        Py_DecRef(found);
        return NULL;
    }
    if (!are_integers(c, args[1])) return NULL;
    void *key = PyTuple_New(FIXED + n);
    if (!key) return NULL;
    put(key, 0, args[1]);
    put(key, 1, args[2]);
    put(key, 2, args[3] == c->none ? c->yes : c->no);
    for (at = 0; at < n; ++at) put(key, FIXED + at, part[at]);
    found = item(c->sites, key);
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
        keeper = item(c->sites, shape);
        Py_DecRef(shape);
    }
    if (keeper && is_quiet(c) && is_told(c, args[0]) && copy(c, site_of(keeper), args[0], args[1]))
        Py_IncRef(result = c->yes);
    if (keeper) Py_DecRef(keeper);
    return answer(c, result);
}

// Whether the interpreter's functions were found, and Python's structures have the sizes of these.
TCPC_API int tcpc_core_fits(size_t calls, size_t question, size_t reader, size_t entry,
                            size_t site) {
    return PyObject_VectorcallMethod && PyLong_AsVoidPtr && calls == sizeof(struct core_calls) &&
           question == sizeof(struct core_question) && reader == sizeof(struct core_reader) &&
           entry == sizeof(struct core_entry) && site == sizeof(struct core_site);
}
