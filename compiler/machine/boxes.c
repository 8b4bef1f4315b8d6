// Executes copies of boxes by their tensor map and coordinates, as accesses of 16 bytes: what lies beyond
// the tensor is not read and becomes 0, or is not written.  A store writes all 16 bytes where some are in
// the tensor.
#include "base/session.h"
#include "layout/algebra.h"
#include "machine/machine.h"
#include "machine/private.h"

enum { GRANULE = 16, PLACE = 128 };  // bytes at whose multiples rows and boxes begin

// A box, with the strides of its map.
struct box {
    int64_t at[BOX_RANK], extent[BOX_RANK], stride[BOX_RANK];
    int64_t offset;                   // of the element at coordinates 0
    int64_t shared, elements, chunk;  // where it begins there; an access has "chunk" elements
    bool *idle;
    int *read;
};

// The value of "e" for the threads that copy, which is the same.
static bool value(struct machine *m, const struct ix *e, int64_t *out) {
    struct column x;
    int64_t t = 0;
    if (!machine_value(m, e, &x)) return false;
    while (t + 1 < m->active && !machine_goes_on(m, t)) ++t;
    *out = column_value(&x, t);
    return true;
}

static bool first_box(struct machine *m, const struct kir_node *n, struct box *b) {
    const struct kir_map *map = n->boxes->map;
    b->elements = 1;
    for (int i = 0; i < map->rank; ++i) {
        if (!value(m, n->boxes->at[i], &b->at[i]) || !value(m, map->extent[i], &b->extent[i]) ||
            !value(m, map->stride[i], &b->stride[i]))
            return false;
        b->elements *= map->box[i];
    }
    b->chunk = GRANULE * 8 / n->body->buf->elem->bits;
    b->idle = ARENA_ARRAY(&m->s->arena, bool, m->active + 1);
    b->read = ARENA_ARRAY(&m->s->arena, int, m->active + 1);
    return value(m, map->offset, &b->offset) && value(m, n->buf ? n->at : n->to_at, &b->shared);
}

// Tells the observers of the access from element "e" of the box on.
static bool access(struct machine *m, const struct kir_node *n, const struct box *b, int64_t e) {
    const struct kir_map *map = n->boxes->map;
    const struct kir_node *by = n->body;
    struct machine_access a = {.node = by,
                               .from.buf = machine_wanted(m, by->buf),
                               .to.buf = machine_wanted(m, by->to_buf),
                               .idle = b->idle,
                               .read = b->read};
    int64_t rest = e, in_tensor = b->offset, left = b->chunk;
    bool inside = true;
    for (int i = 0; i < map->rank; ++i) {
        int64_t x = b->at[i] + rest % map->box[i];
        rest /= map->box[i];
        inside = inside && x >= 0 && x < b->extent[i];
        if (i == 0 && b->extent[i] - x < left) left = b->extent[i] - x;
        in_tensor += x * b->stride[i];
    }
    const bool stores = n->buf != NULL;
    if (stores && !inside) return true;
    if (stores) left = b->chunk;
    for (int64_t t = 0; t < m->active; ++t) {
        b->idle[t] = !inside;
        b->read[t] = inside ? (int)left : 0;
    }
    struct column tensor = {.base = inside ? in_tensor : 0},
                  shared = {.base = lay_swizzle_apply(n->boxes->sw, b->shared + e)};
    a.from.at = stores ? shared : tensor;
    a.to.at = stores ? tensor : shared;
    for (int i = 0; i < m->nobservers; ++i) {
        const struct observer *o = &m->observer[i];
        if (o->access && (a.from.buf || a.to.buf) && !o->access(o->user, m, &a)) return false;
    }
    return true;
}

static bool run_box(struct machine *m, const struct kir_node *n, const struct box *b) {
    int bytes = n->body->buf->elem->bits / 8;
    if (b->at[0] % b->chunk) return machine_fail(m, "a box that begins at no multiple of 16 bytes");
    if (b->shared * bytes % PLACE)
        return machine_fail(m, "a box at no multiple of 128 bytes of shared memory");
    if (!machine_wanted(m, n->body->buf) && !machine_wanted(m, n->body->to_buf)) return true;
    for (int64_t e = 0; e < b->elements; e += b->chunk)
        if (!access(m, n, b, e)) return false;
    m->operations += b->elements / b->chunk;
    return true;
}

// The boxes of the loops below "loop".
static bool run_loops(struct machine *m, const struct kir_node *n, struct box b, int loop) {
    if (loop == 0) return run_box(m, n, &b);
    const struct box_loop *l = &n->boxes->loop[loop - 1];
    for (int64_t i = 0; i < l->extent; ++i) {
        if (!run_loops(m, n, b, loop - 1)) return false;
        b.at[l->dim] += l->step;
        b.shared += l->dst;
    }
    return true;
}

bool machine_boxes(struct machine *m, const struct kir_node *n) {
    struct box b = {0};
    struct arena_mark mark = arena_mark(&m->s->arena);
    if (!first_box(m, n, &b) || !run_loops(m, n, b, n->boxes->nloops)) return false;
    arena_rewind(&m->s->arena, mark);
    return true;
}
