// Records readers and writers of the elements of global tensors (see trace.h).
#include "machine/trace.h"

enum { FIRST_MIX = 30, SECOND_MIX = 27, LAST_MIX = 31, MARK_UNUSED = 2 };  // splitmix64, 62 bits

// A hash of block and thread in 62 bits, so that sums over different sets of readers differ.
static int64_t reader_mark(int64_t block, int64_t thread) {
    uint64_t x = (uint64_t)kir_writer(block, thread) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> FIRST_MIX)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> SECOND_MIX)) * 0x94d049bb133111ebu;
    return (int64_t)((x ^ (x >> LAST_MIX)) >> MARK_UNUSED);
}

static void add_reader(struct image *readers, int64_t buf, int64_t at, int64_t mark) {
    int64_t sum = image_load(readers, buf, at);
    uint64_t more = (uint64_t)mark + (sum == IMAGE_POISON ? 0 : (uint64_t)sum);
    image_store(readers, buf, at, (int64_t)(more & INT64_MAX));
}

static bool wants(void *user, const struct kir_buffer *b) {
    (void)user;
    return b->space == MEM_GLOBAL;
}

static bool access(void *user, struct machine *m, const struct machine_access *a) {
    const struct kir_trace *trace = user;
    const struct kir_buffer *read = a->from.buf, *written = a->to.buf;
    if (read && read->space != MEM_GLOBAL) read = NULL;
    if (written && written->space != MEM_GLOBAL) written = NULL;
    if (!read && !written) return true;
    int elements = a->node->bits / (read ? read : written)->elem->bits;
    for (int64_t t = 0; t < m->active; ++t) {
        if (!machine_goes_on(m, t)) continue;
        int reads = read ? machine_reads(a, t, elements) : 0;
        for (int e = 0; e < reads; ++e)
            add_reader(trace->readers, image_global(read->tensor), column_value(&a->from.at, t) + e,
                       reader_mark(m->block, t));
        for (int e = 0; written && e < elements; ++e)
            image_store(trace->writer, image_global(written->tensor),
                        column_value(&a->to.at, t) + e, kir_writer(m->block, t));
    }
    return true;
}

struct observer trace_observer(struct kir_trace *trace) {
    return (struct observer){.user = trace, .wants = wants, .access = access};
}
