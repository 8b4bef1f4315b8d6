// Bounds of buffers (see reach.h).
#include "machine/reach.h"

#include <inttypes.h>

#include "base/session.h"

// The end of a shared buffer, in bytes: the next buffer, or the end of the block's memory.
static int64_t shared_end(const struct kir_kernel *k, const struct kir_buffer *b) {
    int64_t end = k->counter && k->counter_at >= 0 ? k->counter_at
                  : k->nmemory                     ? k->memory[0].at
                                                   : k->smem_bytes;
    for (int i = 0; i < k->nbuffers; ++i) {
        const struct kir_buffer *o = k->buffer[i];
        if (space_is_shared(o->space) && o->smem_offset > b->smem_offset && o->smem_offset < end)
            end = o->smem_offset;
    }
    return end;
}

// Elements of a global tensor, from its pointer on.
static int64_t span_of(const struct reach *v, const struct kir_buffer *b) {
    for (int i = 0; i < v->k->ntensors; ++i) {
        if (v->k->tensor[i].id == b->tensor) return v->span[i];
    }
    return INT64_MAX;  // of a device function: its caller guarantees it
}

int64_t reach_sure(const struct reach *v, const struct kir_buffer *b, int elements) {
    int64_t count = b->space == MEM_GLOBAL ? span_of(v, b) : b->count;
    if (b->outside) return INT64_MAX - elements;
    if (space_is_shared(b->space)) {
        int64_t end = (shared_end(v->k, b) - b->smem_offset) * 8 / b->elem->bits;
        if (end < count) count = end;
    }
    return count - elements;
}

bool reach_check(const struct reach *v, struct machine *m, const struct kir_buffer *b, int64_t at,
                 int elements, int touched) {
    if (at % elements != 0) {
        return machine_fail(m, arena_printf(&m->s->arena,
                                            "element %" PRId64
                                            " of '%s' is not at a multiple of the %d of an access",
                                            at, b->name, elements));
    }
    int64_t count = b->space == MEM_GLOBAL ? span_of(v, b) : b->count;
    if (at < 0 || (!b->outside && at + touched > count)) {
        return machine_fail(m, arena_printf(&m->s->arena, "element %" PRId64 " is outside '%s'", at,
                                            b->name));
    }
    if (space_is_shared(b->space) && !b->outside &&
        b->smem_offset + (at + touched) * b->elem->bits / 8 > shared_end(v->k, b)) {
        return machine_fail(
            m, arena_printf(&m->s->arena, "element %" PRId64 " is beyond the shared memory of '%s'",
                            at, b->name));
    }
    return true;
}
