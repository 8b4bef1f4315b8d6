// Lowering copies of boxes: the tensor maps of a kernel, and the coordinates of each copy.
//
// What a box copies follows from its map and coordinates alone, for the emitted text and for the machine that
// checks the kernel.
#include "base/session.h"
#include "lower/private.h"

static bool same_map(const struct kir_map *a, const struct kir_map *b) {
    if (a->tensor != b->tensor || a->rank != b->rank || a->swizzle != b->swizzle ||
        a->l2 != b->l2 || a->elem != b->elem)
        return false;
    for (int i = 0; i < a->rank; ++i)
        if (!ix_equal(a->extent[i], b->extent[i]) || !ix_equal(a->stride[i], b->stride[i]) ||
            a->box[i] != b->box[i])
            return false;
    return true;
}

// The number of "t" among the kernel's tensors.
static int number_of(const struct lowering *w, const struct tensor *t) {
    for (int i = 0; i < w->kernel->nformals; ++i)
        if (w->kernel->formal[i].tensor == t) return i;
    BUG("boxes of '%s', which is no argument", t->name);
}

// The map of "c": one of another copy if that is the same.
static const struct kir_map *map_of(struct lowering *w, const struct copy *c) {
    struct session *s = w->s;
    const struct copy_boxes *b = c->facts.boxes;
    const struct tensor *t = copy_boxed(c)->base;
    const struct lay_tuple *stride = lay_tuple_flatten(&s->lay, t->layout.stride);
    struct kir_map *m = ARENA_NEW(&s->arena, struct kir_map);
    *m = (struct kir_map){.tensor = number_of(w, t),
                          .rank = b->rank,
                          .offset = ix_lay(s, t->layout.offset),
                          .swizzle = b->swizzle,
                          .l2 = copy_atom(c)->l2,
                          .elem = copy_reduces(c) ? t->elem : NULL};
    for (int i = 0; i < b->rank; ++i) {
        m->extent[i] = b->extent[i];
        m->stride[i] = b->mode[i] < 0 ? ix_int(s, 0)
                                      : ix_lay(s, lay_tuple_get(&s->lay, stride, b->mode[i])->leaf);
        m->box[i] = b->box[i];
    }
    for (int i = 0; i < w->nmaps; ++i)
        if (same_map(w->map[i], m)) return w->map[i];
    m->c_name = names_take(&w->names, arena_printf(&s->arena, "map_%s", t->name));
    w->map = arena_more(&s->arena, w->map, sizeof *w->map, w->nmaps, &w->cap_maps);
    return w->map[w->nmaps++] = m;
}

void lower_boxes(struct lowering *w, const struct copy *c, const struct ix *from,
                 const struct ix *to) {
    const bool stores = copy_atom(c)->row->reads_late;
    const struct copy_boxes *b = c->facts.boxes;
    struct kir_boxes *x = ARENA_NEW(&w->s->arena, struct kir_boxes);
    struct kir_node *n = lower_node(w, KIR_BOXES);
    x->map = map_of(w, c);
    x->nloops = b->nloops;
    for (int i = 0; i < b->rank; ++i) x->at[i] = lower_index(w, b->at[i]);
    for (int i = 0; i < b->nloops; ++i) x->loop[i] = b->loop[i];
    n->boxes = x;
    n->function = copy_atom(c)->row->function;
    if (copy_atom(c)->row->counter) n->function = lower_of_ring(w, n->function);
    n->ld = hints_in_c(w->s, copy_atom(c)->ld, 0);
    if (stores) {
        n->buf = lower_buffer(w, c->src.base);
        n->at = from;
    } else {
        n->to_buf = lower_buffer(w, c->dst.base);
        n->to_at = to;
    }
    n->fence = stores && w->kernel->reads_stored;
    x->sw = stores ? c->facts.src.sw : c->facts.dst.sw;
    struct kir_node **outside = lower_open(w, n), *access = lower_node(w, KIR_ASYNC);
    access->buf = lower_buffer(w, c->src.base);
    access->to_buf = lower_buffer(w, c->dst.base);
    access->bits = access->align = copy_atom(c)->row->align;
    access->cost = copy_atom(c)->row->cost;
    access->reduces = copy_reduces(c);
    if (c->pad) access->constant = c->pad->id;
    w->tail = outside;
}
