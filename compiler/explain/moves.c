// The least that any plan of a relayout moves, and what this one does.
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/session.h"
#include "counters/counters.h"
#include "explain/private.h"
#include "hw/sizes.h"
#include "image/elem.h"
#include "layout/algebra.h"

// Threads' operations to execute; more take too long for an explanation.
#define OPERATIONS ((int64_t)1 << 22)

struct mode {
    int64_t n, step;  // bytes
};

static int64_t distance(int64_t n) {
    return n < 0 ? -n : n;
}

// Counts the sectors of "span" bytes from each of the begins that the modes give, no two of which
// share one.  A begin matters only by its place in a sector.
static bool count_begins(const struct mode *mode, int n, int64_t begin, int64_t span,
                         int64_t *sectors) {
    int64_t at[SECTOR] = {0}, next[SECTOR];
    at[((begin % SECTOR) + SECTOR) % SECTOR] = 1;
    for (int m = 0; m < n; ++m) {
        int64_t step = (mode[m].step % SECTOR + SECTOR) % SECTOR;
        memset(next, 0, sizeof next);
        for (int i = 0; i < SECTOR && i < mode[m].n; ++i)  // the same again after SECTOR of them
            for (int k = 0; k < SECTOR; ++k) {
                int64_t times = (mode[m].n - 1 - i) / SECTOR + 1,
                        *to = &next[(k + i * step) % SECTOR];
                if (__builtin_mul_overflow(times, at[k], &times) ||
                    __builtin_add_overflow(*to, times, to))
                    return false;
            }
        memcpy(at, next, sizeof at);
    }
    *sectors = 0;
    for (int k = 0; k < SECTOR; ++k) {
        int64_t all = (k + span - 1) / SECTOR + 1;
        if (__builtin_mul_overflow(all, at[k], &all) ||
            __builtin_add_overflow(*sectors, all, sectors))
            return false;
    }
    return true;
}

// The sectors of the elements of "l", which is of numbers, if it begins at one; -1: not known, as
// where its modes lie between one another.
static int64_t least_sectors(struct session *s, struct lay l, int64_t size) {
    struct mode mode[LAY_MAX_LEAVES];
    struct lay flat = lay_flatten(&s->lay, l);
    int64_t begin, span = size, reach, sectors;
    int n = 0;
    if (!lay_valid(flat) || !lay_static(flat) ||
        __builtin_mul_overflow(flat.offset.num, size, &begin))
        return -1;
    for (int i = 0; i < lay_rank(flat); ++i) {
        const struct lay one = lay_mode(&s->lay, flat, i);
        struct mode m = {one.shape->leaf.num, one.stride->leaf.num};
        if (m.n == 0) return 0;
        if (m.n == 1 || m.step == 0) continue;
        if (__builtin_mul_overflow(m.step, size, &m.step)) return -1;
        if (m.step < 0 && (__builtin_mul_overflow(m.n - 1, m.step, &reach) ||
                           __builtin_add_overflow(begin, reach, &begin)))
            return -1;
        m.step = distance(m.step);
        int at = n++;
        for (; at > 0 && mode[at - 1].step > m.step; --at) mode[at] = mode[at - 1];
        mode[at] = m;
    }
    int first = 0;
    // a sector that lies between two elements has more than a sector between them
    for (; first < n && mode[first].step - span < SECTOR; ++first)
        if (__builtin_mul_overflow(mode[first].n - 1, mode[first].step, &reach) ||
            __builtin_add_overflow(span, reach, &span))
            return -1;
    reach = span;
    for (int m = first; m < n; ++m) {
        int64_t more;
        if (mode[m].step - reach < SECTOR) return -1;
        if (__builtin_mul_overflow(mode[m].n - 1, mode[m].step, &more) ||
            __builtin_add_overflow(reach, more, &reach))
            return -1;
    }
    return count_begins(mode + first, n - first, begin, span, &sectors) ? sectors : -1;
}

bool explain_least(struct session *s, const struct kernel *k, const int64_t *value,
                   struct explain_least out[2]) {
    for (int i = 0; i < 2; ++i) {
        const struct formal *f = &k->formal[i];
        struct explain_least *side = &out[f->dir != ARG_IN];
        struct lay l = f->tensor->layout;
        if (value) l = lay_substitute(&s->lay, l, value);
        struct lay_int elements = lay_valid(l) ? lay_size(&s->lay, l) : LAY_INT_INVALID;
        int64_t size = f->tensor->elem->bits / 8;
        side->tensor = f->tensor->name;
        side->sectors = lay_valid(l) ? least_sectors(s, l, size) : -1;
        if (side->sectors >= 0 && lay_int_static(elements) &&
            !__builtin_mul_overflow(elements.num, size, &side->bytes))
            continue;
        lay_clear_error(&s->lay);
        return false;
    }
    return true;
}

static void set(struct explained_moved *x, struct cost_range sectors) {
    // counts begin at 0 where nvcc may leave an access out
    x->sectors_lo = sectors.least > x->any.sectors ? sectors.least : x->any.sectors;
    x->sectors_hi = sectors.most;
}

void explain_moves(struct session *s, const struct plan *p, const struct kernel *k,
                   const struct kir_kernel *head, const struct kir_kernel *ir, const int64_t *value,
                   struct explained_moves *out) {
    *out = (struct explained_moves){0};
    if (!k->chosen || (ir->ngiven && !value)) return;
    if (!value) value = ARENA_ARRAY(&s->arena, int64_t, s->lay.next_sym + 1);
    struct explain_least any[2];
    if (!explain_least(s, k, value, any)) return;
    out->read.any = any[0];
    out->written.any = any[1];
    struct counters c;
    counters_of_launch(s, head, p->arch, value, OPERATIONS, &c);
    out->known = true;
    for (const struct kir_kernel *v = ir; v && !c.why; v = v->narrower) {
        if (v != c.variant) continue;
        out->counted = true;
        set(&out->read, c.of[COUNT_SECTORS_LD]);
        set(&out->written, c.of[COUNT_SECTORS_ST]);
    }
}

static const char *range(struct session *s, const struct explained_moved *x) {
    if (x->sectors_lo == x->sectors_hi) return arena_printf(&s->arena, "%" PRId64, x->sectors_hi);
    return arena_printf(&s->arena, "%" PRId64 " to %" PRId64, x->sectors_lo, x->sectors_hi);
}

void explain_print_planned(struct session *s, const struct explained_kernel *k, struct buf *b) {
    const struct explained_moved *r = &k->moves.read, *w = &k->moves.written;
    if (k->planned) explain_filled(b, 2, "planned: ", k->planned);
    if (!k->moves.known) return;
    const char *text = arena_printf(&s->arena,
                                    "any plan reads the %" PRId64 " bytes of '%s' in %" PRId64
                                    " sectors of 32 bytes, and writes the %" PRId64
                                    " bytes of '%s' in %" PRId64 ".",
                                    r->any.bytes, r->any.tensor, r->any.sectors, w->any.bytes,
                                    w->any.tensor, w->any.sectors);
    if (k->moves.counted)
        text = arena_printf(&s->arena, "%s This one reads %s sectors, and writes %s.", text,
                            range(s, r), range(s, w));
    explain_filled(b, 2, "moves: ", text);
}
