// The call itself.  Tensors are read, allocated and wrapped by the exchange API of DLPack 1.3, or by
// what the framework's libraries do in less time.
#include "core.h"

#include <string.h>

enum { READ_ONLY = 1, MOST_ARGUMENTS = 1024 };
enum { BUFFER_POINTER = 1, BUFFER_SIZE = 2 };  // of cuLaunchKernel

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

// Of a tensor of which nothing else is to be found out.
static int address_of_object(const struct core_calls *c, void *x, uint64_t *address) {
    struct dl_tensor t = {0};
    if (c->reader ? c->reader->data((char *)x + c->within, &t.data) : read_tensor(c, x, &t))
        return 1;
    *address = address_of(&t);
    return 0;
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
        if (!m->object || address_of_object(c, m->object, &m->address)) return 0;
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
void *core_relayout(const struct core_calls *c, const struct core_site *s, void *x) {
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
int core_copy(const struct core_calls *c, const struct core_site *s, void *y, void *x) {
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
