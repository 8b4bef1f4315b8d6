// The functions of Python: which relayout a call asks for, and whether PyTorch has to see it.
#include "core.h"

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

enum { MOST_AXES = 32 };

// What a call asks for.
struct asked {
    void *x, *what, *dtype, *out;
    intptr_t n;
    void *part[2 * MOST_AXES];  // name and extent of each axis, "n" in all
};

// 0: too many axes, or an extent that Python has to look at.
static int put_axis(const struct core_calls *c, struct asked *a, void *name, void *extent) {
    if (a->n == 2 * MOST_AXES || !has_type(extent, c->integer)) return 0;
    a->part[a->n++] = name, a->part[a->n++] = extent;
    return 1;
}

// The key is "what" where there is nothing else; else (what, dtype, whether the result is new, name
// and extent of each axis).
static void *keeper_of(const struct core_calls *c, const struct asked *a) {
    enum { FIXED = 3 };
    void *found, *key;
    if (a->n == 0 && a->dtype == c->none && a->out == c->none) {
        found = item(c->sites_of_what, a->what);
        if (!found || site_of(found)->what == a->what || are_integers(c, a->what)) return found;
        Py_DecRef(found);
        return NULL;
    }
    if (!are_integers(c, a->what) || !(key = PyTuple_New(FIXED + a->n))) return NULL;
    put(key, 0, a->what);
    put(key, 1, a->dtype);
    put(key, 2, a->out == c->none ? c->yes : c->no);
    for (intptr_t i = 0; i < a->n; ++i) put(key, FIXED + i, a->part[i]);
    found = item(c->sites, key);
    Py_DecRef(key);
    return found;
}

// The relayout; NULL: this is not the way to make it.
static void *relayout(const struct core_calls *c, const struct asked *a) {
    void *result = NULL, *keeper;
    int is_new = a->out == c->none;
    if (!c->below && !(is_plain(c, a->x) && (is_new || is_plain(c, a->out)))) return NULL;
    keeper = keeper_of(c, a);
    if (keeper && (c->below || is_quiet(c))) {
        if (is_new)
            result = core_relayout(c, site_of(keeper), a->x);
        else if (is_told(c, a->out) && core_copy(c, site_of(keeper), a->out, a->x))
            Py_IncRef(result = a->out);
    }
    if (keeper) Py_DecRef(keeper);
    return result;
}

// Whether "src" was copied to "dst".  The key is the shape.
static int copy(const struct core_calls *c, void *dst, void *src) {
    void *keeper = NULL, *shape = NULL;
    int done = 0;
    if (is_plain(c, dst) && is_plain(c, src)) shape = PyObject_GetAttr(dst, c->shape);
    if (shape) {
        keeper = item(c->sites, shape);
        Py_DecRef(shape);
    }
    if (keeper) {
        done = is_quiet(c) && is_told(c, dst) && core_copy(c, site_of(keeper), dst, src);
        Py_DecRef(keeper);
    }
    return done;
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
    intptr_t at = 0;
    void *name, *extent;
    if (nargs != 5) return answer(c, NULL);
    struct asked a = {.x = args[0], .what = args[1], .dtype = args[2], .out = args[3]};
    while (args[4] != c->none && PyDict_Next(args[4], &at, &name, &extent))
        if (!put_axis(c, &a, name, extent)) return answer(c, NULL);
    return answer(c, relayout(c, &a));
}

// (dst, src): True, or None.
TCPC_API void *tcpc_core_copy(void *self, void *const *args, intptr_t nargs) {
    const struct core_calls *c = PyLong_AsVoidPtr(self);
    int done = nargs == 2 && copy(c, args[0], args[1]);
    if (done) Py_IncRef(c->yes);
    return answer(c, done ? c->yes : NULL);
}

// -- doors ----------------------------------------------------------------------------------------

// A function of Python that is asked here before Python makes a frame for it: it is called by what
// PyFunction_SetVectorcall set.
struct core_door {
    void *function;
    void *what, *type;                     // the pattern, where it is no argument; else its type
    void *dtype, *out, *backend, *stream;  // names of arguments; NULL: it has no such one
    int32_t nargs, x, at;  // how many there are without a name; where x and the pattern are
    int32_t axes, copies;  // whether other names are axes; whether it is (dst, src)
};

enum { MOST_DOORS = 5 };

struct core_doors {
    const struct core_calls *calls;  // NULL: all are executed
    void *(*python)(void *function, void *const *args, size_t nargs, void *names);  // executes one
    struct core_door door[MOST_DOORS];
};

// Of the process, as the interpreter gives a door nothing but its function.  What it points to stays.
static const struct core_doors *doors;

// 0: Python has to look at it.
static int read_asked(const struct core_calls *c, const struct core_door *d, struct asked *a,
                      void *const *args, void *names) {
    void *const *value = args + d->nargs;
    a->x = args[d->x], a->what = d->what ? d->what : args[d->at];
    a->dtype = a->out = c->none, a->n = 0;
    if (!d->what && !has_type(a->what, d->type)) return 0;
    for (intptr_t i = 0, n = names ? PyTuple_Size(names) : 0; i < n; ++i) {
        void *name = PyTuple_GetItem(names, i);
        if (name == d->out)
            a->out = value[i];
        else if (name == d->dtype)
            a->dtype = value[i];
        else if (name == d->backend || name == d->stream) {
            if (value[i] != c->none) return 0;
        } else if (!d->axes || !put_axis(c, a, name, value[i]))
            return 0;
    }
    return 1;
}

static void *through(const struct core_calls *c, const struct core_door *d, void *const *args,
                     void *names) {
    struct asked a;
    void *result = NULL;
    if (!d->copies)
        result = read_asked(c, d, &a, args, names) ? relayout(c, &a) : NULL;
    else if ((!names || PyTuple_Size(names) == 0) && copy(c, args[0], args[1]))
        Py_IncRef(result = args[0]);
    if (!result) PyErr_Clear();
    return result;
}

static void *call_door(void *function, void *const *args, size_t nargs, void *names) {
    const size_t may_write = (size_t)1 << (8 * sizeof nargs - 1);  // a flag beside the number
    const struct core_doors *all = __atomic_load_n(&doors, __ATOMIC_ACQUIRE);
    const struct core_door *d = all->door, *end = d + MOST_DOORS;
    while (d < end && d->function != function) ++d;
    void *result = NULL;
    if (all->calls && d < end && (nargs & ~may_write) == (size_t)d->nargs)
        result = through(all->calls, d, args, names);
    return result ? result : all->python(function, args, nargs, names);
}

// What the interpreter shall call for each function of "all".
TCPC_API void *tcpc_core_open(const struct core_doors *all) {
    __atomic_store_n(&doors, all, __ATOMIC_RELEASE);
    return (void *)call_door;
}

// Whether the interpreter's functions were found, and Python's structures have the sizes of these.
TCPC_API int tcpc_core_fits(size_t calls, size_t question, size_t reader, size_t entry, size_t site,
                            size_t all) {
    return PyObject_VectorcallMethod && PyLong_AsVoidPtr && calls == sizeof(struct core_calls) &&
           question == sizeof(struct core_question) && reader == sizeof(struct core_reader) &&
           entry == sizeof(struct core_entry) && site == sizeof(struct core_site) &&
           all == sizeof(struct core_doors);
}
