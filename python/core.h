// The warm path of the Python package: a tensor that is like an earlier one gets its relayout by one
// call from Python.  core.c reads, allocates and launches; asked.c has the functions of Python.
//
// What they call is in Python's stable interface, and no header of Python is needed, so that one
// library does for all its versions.  Python makes all structures; those of a site are kept by an
// object that a call holds.
#ifndef TCPC_CORE_H
#define TCPC_CORE_H

#include "dlpack.h"
#include "tcpc_launch.h"

enum { ALIGN = 16, MOST_ENTRIES = 64 };

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

// A new tensor with the relayout of "x"; NULL: this is not the way to make it.
void *core_relayout(const struct core_calls *c, const struct core_site *s, void *x);

// Copies "x" to "y"; 0: this is not the way to do it.
int core_copy(const struct core_calls *c, const struct core_site *s, void *y, void *x);

#endif
